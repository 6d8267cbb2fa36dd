/* SPDX-License-Identifier: 0BSD */
/*
 * A whole rules library to start from: the dice game Pig. Who has the turn rolls as often as they
 * like and adds up what they rolled, or banks the sum; a 1 takes it. README.md tells how to build
 * it.
 */
#include <deja/rules.h>

enum { SEATS = 2 };
enum { ROLL, BANK };        /* commands */
enum { ROLLED, BANKED };    /* events */
enum { OVER = 1, NOTHING }; /* refusals are counted from 1, as outcomes are; 0 is none */

typedef struct pig {
    deja_luck dice; /* all luck is kept in the state */
    uint32_t target;
    uint32_t banked[SEATS];
    uint32_t sum; /* of this turn */
    uint8_t side;
} pig;

typedef struct pig_command {
    uint16_t kind; /* ROLL or BANK; neither has more to say */
} pig_command;

typedef struct pig_event {
    uint16_t kind;
    uint8_t pips;    /* of ROLLED */
    uint32_t points; /* of BANKED */
} pig_event;

typedef struct pig_config {
    uint32_t target;
} pig_config;

static const char *const command_names[] = { "roll", "bank" };
static const char *const event_names[] = { "rolled", "banked" };
static const char *const refusals[] = { "over", "nothing_to_bank" };
static const char *const outcomes[] = { "first_wins", "second_wins" };
static const pig_config usual = { 50 };

/* ---- what there is: each field once, by name ---- */

static void state_fields(deja_fields *f, const void *value)
{
    const pig *game = (const pig *)value;
    deja_rng(f, "dice", &game->dice);
    deja_u32(f, "target", &game->target);
    deja_array(f, "banked", game->banked, SEATS, deja_u32);
    deja_u32(f, "sum", &game->sum);
    deja_u8(f, "side", &game->side);
}

static void command_fields(deja_fields *f, const void *value)
{
    const pig_command *command = (const pig_command *)value;
    deja_kind(f, &command->kind, command_names);
}

static void event_fields(deja_fields *f, const void *value)
{
    const pig_event *event = (const pig_event *)value;
    switch (deja_kind(f, &event->kind, event_names)) {
    case ROLLED:
        deja_u8(f, "pips", &event->pips);
        break;
    case BANKED:
        deja_u32(f, "points", &event->points);
        break;
    }
}

static void config_fields(deja_fields *f, const void *value)
{
    deja_u32(f, "target", &((const pig_config *)value)->target);
}

/* ---- what happens ---- */

static uint32_t start(void *state, const void *config, uint64_t seed, const deja_content *content)
{
    pig *game = (pig *)state; /* all zero */
    (void)content;
    game->target = ((const pig_config *)config)->target;
    deja_luck_seed(&game->dice, seed, 0);
    return 0;
}

static uint32_t outcome(const void *state)
{
    const pig *game = (const pig *)state;
    for (uint32_t seat = 0; seat < SEATS; seat++)
        if (game->banked[seat] >= game->target)
            return 1 + seat;
    return 0;
}

static uint32_t apply(void *state, const void *command, deja_out *out)
{
    pig *game = (pig *)state;
    pig_event event = { 0, 0, 0 };
    if (outcome(game))
        return OVER;
    if (((const pig_command *)command)->kind == BANK) {
        if (game->sum == 0)
            return NOTHING; /* refused: nothing has changed, and nothing is said */
        event.kind = BANKED;
        event.points = game->sum;
        game->banked[game->side] += game->sum;
    } else {
        event.kind = ROLLED;
        event.pips = (uint8_t)(1 + deja_luck_below(&game->dice, 6));
    }
    deja_emit(out, &event);
    game->sum = event.pips > 1 ? game->sum + event.pips : 0;
    if (event.pips <= 1) /* banked, or a 1 */
        game->side = !game->side;
    return 0;
}

/* ---- what else deja makes use of ---- */

static void legal(const void *state, deja_out *out) /* the bot 'random' picks among these */
{
    const pig *game = (const pig *)state;
    for (uint16_t kind = ROLL; kind <= BANK && !outcome(game); kind++) {
        const pig_command command = { kind };
        if (kind == ROLL || game->sum != 0)
            deja_emit(out, &command);
    }
}

static uint32_t side(const void *state)
{
    return ((const pig *)state)->side;
}

DEJA_RULES = {
    DEJA_ABI,
    .id = "pig",
    .version = "1.0.0",
    .state = { sizeof(pig), state_fields, 0, 0 },
    .command = { sizeof(pig_command), command_fields, 0, 0 },
    .event = { sizeof(pig_event), event_fields, 0, 0 },
    .config = { sizeof(pig_config), config_fields, 0, 0 },
    .config_default = &usual,
    .start = start,
    .apply = apply,
    .legal = legal,
    .outcome = outcome,
    .side = side,
    .refusals = refusals,
    .outcomes = outcomes,
    .refusal_count = 2,
    .outcome_count = 2,
};
