/* SPDX-License-Identifier: MIT */
/*
 * The garden: a row of plots, by default 6, and 9 seeds. A seed that is planted grows in 75 of 100
 * cases, and is gone in the others. The game is won when something grows in every plot, and lost
 * when the seeds run out first.
 *
 *   config   plots:u32 seeds:u32 grow_percent:u8 seasons:{rain:u32 can:u32}?
 *   state    plots:bool[..64] at:u32 seeds:u32 grow_percent:u8 turn:u64 luck:rng
 *            seasons:{rain:{period:u32 counted:u32} can:{wait:u32 left:u32}}?
 *   command  kind(left|right|plant|water)
 *   event    kind(moved{plot:u32}|grew{plot:u32}|wilted{plot:u32}|watered|rained)
 *   content  garden: plots, seeds and grow_percent as a text (garden_numbers.h)
 *
 * Where there is a content `garden`, each number that it has stands in for the config's default:
 * what a config sets to anything else stays. That it set the default itself (6, 9, 75) cannot be
 * told from its having left it, so there the content wins. A text that is none is refused
 * (bad_numbers), and the numbers that come of it are held to the same limits as a config's.
 *
 * Over is asked first, so a finished game refuses everything with `over`; then whether there is a
 * plot that way (edge), or something grows here already (planted). Only a plant that is accepted
 * draws luck: one roll from 0 to 99, and the seed grows where it is below grow_percent.
 *
 * A garden of no plots is won as it starts, one of no seeds lost.
 *
 * Seasons, where the config asks for them: it rains every so many turns, and there is a can that
 * needs so many turns between two uses (no_can, can_empty). Using it ends no turn. Neither makes
 * anything grow; they show what time is in rules.
 *
 * Legal commands are listed in the order of their kinds. Players write the kind's name or its first
 * letter.
 *
 * Bots:
 *   random   any legal command, each as likely
 *
 * A build that differs in one thing (fixtures/rules has some) sets GARDEN_VERSION or GARDEN_APPLY
 * and includes this file.
 */
#include <deja/rules.h>

#include "garden_numbers.h"

#ifndef GARDEN_VERSION
#define GARDEN_VERSION "1.0.0"
#endif
#ifndef GARDEN_APPLY
#define GARDEN_APPLY apply
#endif

enum { PLOTS_MAX = 64, PERCENT_MAX = 100 };

typedef struct garden_seasons {
    deja_every rain;
    deja_countdown can;
} garden_seasons;

typedef struct garden {
    bool plots[PLOTS_MAX]; /* whether something grows there */
    uint32_t plot_count;
    uint32_t at;
    uint32_t seeds;
    uint8_t grow_percent;
    bool has_seasons;
    uint64_t turn; /* commands that were accepted, watering apart */
    deja_luck luck;
    garden_seasons seasons;
} garden;

typedef struct garden_config_seasons {
    uint32_t rain;
    uint32_t can;
} garden_config_seasons;

typedef struct garden_config {
    uint32_t plots;
    uint32_t seeds;
    uint8_t grow_percent;
    bool has_seasons;
    garden_config_seasons seasons;
} garden_config;

typedef struct garden_command {
    uint32_t kind;
} garden_command;

typedef struct garden_event {
    uint32_t kind;
    uint32_t plot;
} garden_event;

enum { LEFT = 0, RIGHT, PLANT, WATER, COMMANDS };
enum { MOVED = 0, GREW, WILTED, WATERED, RAINED };
enum {
    ACCEPTED = 0,
    EDGE,
    PLANTED,
    OVER,
    NO_CAN,
    CAN_EMPTY,
    TOO_MANY_PLOTS,
    NO_PERCENT,
    BAD_NUMBERS
};
enum { RUNNING = 0, WON, LOST };

static const char *const command_kinds[] = { "left", "right", "plant", "water" };
static const char *const event_kinds[] = { "moved", "grew", "wilted", "watered", "rained" };
static const char *const refusals[] = {
    "edge", "planted", "over", "no_can", "can_empty", "too_many_plots", "no_percent", "bad_numbers"
};
static const char *const outcomes[] = { "won", "lost" };

/* ---- descriptions ---- */

static void seasons_fields(deja_fields *f, const garden_seasons *seasons)
{
    deja_struct(f, "rain", &seasons->rain, deja_every_fields);
    deja_struct(f, "can", &seasons->can, deja_countdown_fields);
}

static void state_fields(deja_fields *f, const void *value)
{
    const garden *g = value;
    deja_list(f, "plots", g->plots, &g->plot_count, PLOTS_MAX, deja_bool);
    deja_u32(f, "at", &g->at);
    deja_u32(f, "seeds", &g->seeds);
    deja_u8(f, "grow_percent", &g->grow_percent);
    deja_u64(f, "turn", &g->turn);
    deja_rng(f, "luck", &g->luck);
    if (deja_optional(f, "seasons", &g->has_seasons))
        deja_struct(f, NULL, &g->seasons, seasons_fields);
}

static void config_seasons_fields(deja_fields *f, const garden_config_seasons *seasons)
{
    deja_u32(f, "rain", &seasons->rain);
    deja_u32(f, "can", &seasons->can);
}

static void config_fields(deja_fields *f, const void *value)
{
    const garden_config *config = value;
    deja_u32(f, "plots", &config->plots);
    deja_u32(f, "seeds", &config->seeds);
    deja_u8(f, "grow_percent", &config->grow_percent);
    if (deja_optional(f, "seasons", &config->has_seasons))
        deja_struct(f, NULL, &config->seasons, config_seasons_fields);
}

static void command_fields(deja_fields *f, const void *value)
{
    const garden_command *command = value;
    (void)deja_kind(f, &command->kind, command_kinds);
}

static void event_fields(deja_fields *f, const void *value)
{
    const garden_event *event = value;
    if (deja_kind(f, &event->kind, event_kinds) <= WILTED)
        deja_u32(f, "plot", &event->plot);
}

/* ---- the rules ---- */

static const garden_config defaults = { 6, 9, 75, false, { 0, 0 } };

/* The content's numbers in place of those that the config leaves; false: it is no such text. */
static bool take_content(garden_config *wanted, const deja_content *content)
{
    const deja_content_pack *pack = deja_content_find(content, "garden");
    garden_numbers numbers;
    if (!pack)
        return true;
    if (!read_numbers(pack->bytes, pack->size, &numbers))
        return false;
    const uint32_t *values = numbers.values;
    if (numbers.given[NUMBER_PLOTS] && wanted->plots == defaults.plots)
        wanted->plots = values[NUMBER_PLOTS];
    if (numbers.given[NUMBER_SEEDS] && wanted->seeds == defaults.seeds)
        wanted->seeds = values[NUMBER_SEEDS];
    if (numbers.given[NUMBER_GROW_PERCENT] && wanted->grow_percent == defaults.grow_percent)
        wanted->grow_percent = values[NUMBER_GROW_PERCENT] > PERCENT_MAX
                                   ? PERCENT_MAX + 1
                                   : (uint8_t)values[NUMBER_GROW_PERCENT];
    return true;
}

static uint32_t start(void *state, const void *config, uint64_t seed, const deja_content *content)
{
    garden_config wanted = *(const garden_config *)config;
    garden *g = state;
    if (!take_content(&wanted, content))
        return BAD_NUMBERS;
    if (wanted.plots > PLOTS_MAX)
        return TOO_MANY_PLOTS;
    if (wanted.grow_percent > PERCENT_MAX)
        return NO_PERCENT;
    memset(g, 0, sizeof *g);
    g->plot_count = wanted.plots;
    g->seeds = wanted.seeds;
    g->grow_percent = wanted.grow_percent;
    g->has_seasons = wanted.has_seasons;
    if (wanted.has_seasons) {
        deja_every_start(&g->seasons.rain, wanted.seasons.rain);
        deja_countdown_start_ready(&g->seasons.can, wanted.seasons.can);
    }
    deja_luck_seed(&g->luck, seed, 0);
    return ACCEPTED;
}

/* Won is asked before lost: the last seed may grow in the last plot. */
static uint32_t outcome(const void *state)
{
    const garden *g = state;
    uint32_t growing = 0;
    while (growing < g->plot_count && g->plots[growing])
        growing++;
    if (growing == g->plot_count)
        return WON;
    return g->seeds == 0 ? LOST : RUNNING;
}

static uint32_t check(const void *state, const void *command)
{
    const garden *g = state;
    const garden_command *wanted = command;
    if (outcome(state) != RUNNING)
        return OVER;
    switch (wanted->kind) {
    case LEFT:
        return g->at == 0 ? EDGE : ACCEPTED;
    case RIGHT:
        return g->at >= g->plot_count - 1 ? EDGE : ACCEPTED;
    case PLANT:
        if (g->at >= g->plot_count)
            return EDGE; /* only a state that was made up stands there */
        return g->plots[g->at] ? PLANTED : ACCEPTED;
    default:
        if (!g->has_seasons)
            return NO_CAN;
        return deja_countdown_ready(&g->seasons.can) ? ACCEPTED : CAN_EMPTY;
    }
}

static uint32_t plant(garden *g)
{
    g->seeds--;
    g->plots[g->at] = deja_luck_percent(&g->luck) < g->grow_percent;
    return g->plots[g->at] ? GREW : WILTED;
}

static void end_turn(garden *g, deja_out *out)
{
    static const garden_event rain = { RAINED, 0 };
    g->turn++;
    if (!g->has_seasons)
        return;
    deja_countdown_advance(&g->seasons.can, 1);
    if (deja_every_advance(&g->seasons.rain, 1) > 0)
        deja_emit(out, &rain);
}

static uint32_t apply(void *state, const void *command, deja_out *out)
{
    garden *g = state;
    const garden_command *wanted = command;
    garden_event event = { MOVED, 0 };
    const uint32_t refusal = check(state, command);
    if (refusal)
        return refusal;
    switch (wanted->kind) {
    case LEFT:
        g->at--;
        break;
    case RIGHT:
        g->at++;
        break;
    case PLANT:
        event.kind = plant(g);
        break;
    default:
        event.kind = WATERED;
        deja_countdown_restart(&g->seasons.can);
        deja_emit(out, &event);
        return ACCEPTED;
    }
    event.plot = g->at;
    deja_emit(out, &event);
    end_turn(g, out);
    return ACCEPTED;
}

static void legal(const void *state, deja_out *out)
{
    for (uint32_t kind = 0; kind < COMMANDS; kind++) {
        const garden_command command = { kind };
        if (check(state, &command) == ACCEPTED)
            deja_emit(out, &command);
    }
}

static uint32_t side(const void *state)
{
    (void)state;
    return 0;
}

static uint64_t turn(const void *state)
{
    const garden *g = state;
    return g->turn;
}

/* ---- for people ---- */

static void draw(const void *state, deja_page *page)
{
    static const char *const lines[] = { " left", " left: won", " left: lost" };
    const garden *g = state;
    for (uint32_t plot = 0; plot < g->plot_count; plot++) {
        deja_page_char(page, plot == g->at ? '[' : ' ', 1);
        deja_page_char(page, g->plots[plot] ? 'Y' : '.', 1);
        deja_page_char(page, plot == g->at ? ']' : ' ', 1);
    }
    deja_page_char(page, '\n', 1);
    deja_page_number(page, g->seeds);
    deja_page_text(page, g->seeds == 1 ? " seed" : " seeds");
    deja_page_text(page, lines[outcome(state)]);
    if (g->has_seasons)
        deja_page_text(page,
                       deja_countdown_ready(&g->seasons.can) ? ", a full can" : ", an empty can");
    deja_page_char(page, '\n', 1);
}

static void write_notation(const void *state, const void *command, deja_page *page)
{
    const garden_command *wanted = command;
    (void)state;
    deja_page_text(page, wanted->kind < COMMANDS ? command_kinds[wanted->kind] : "?");
}

static const char *skip_blanks(const char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    return text;
}

/* Blanks and case do not matter. */
static uint32_t read_notation(const void *state, const char *text, void *command)
{
    (void)state;
    text = skip_blanks(text);
    for (uint32_t kind = 0; kind < COMMANDS; kind++) {
        const char *word = command_kinds[kind];
        size_t size = 0;
        while (word[size] && (text[size] | 0x20) == word[size])
            size++;
        if ((size != 1 && word[size]) || *skip_blanks(text + size) != '\0')
            continue;
        const garden_command wanted = { kind };
        memcpy(command, &wanted, sizeof wanted);
        return 1;
    }
    return 0;
}

/* ---- bots ---- */

static uint32_t pick_random(const void *state, deja_luck *luck, void *command, void *memory)
{
    uint32_t possible[COMMANDS];
    uint32_t count = 0;
    garden_command wanted;
    (void)memory;
    for (wanted.kind = 0; wanted.kind < COMMANDS; wanted.kind++)
        if (check(state, &wanted) == ACCEPTED)
            possible[count++] = wanted.kind;
    if (count == 0)
        return 0;
    wanted.kind = possible[deja_luck_below(luck, count)];
    memcpy(command, &wanted, sizeof wanted);
    return 1;
}

static const deja_bot bots[] = { { "random", pick_random, 0 } };

/* clang-format off */
DEJA_RULES = {
    DEJA_ABI,
    .id = "garden",
    .version = GARDEN_VERSION,
    .state = { sizeof(garden), state_fields, NULL, NULL },
    .command = { sizeof(garden_command), command_fields, NULL, NULL },
    .event = { sizeof(garden_event), event_fields, NULL, NULL },
    .config = { sizeof(garden_config), config_fields, NULL, NULL },
    .config_default = &defaults,
    .start = start,
    .apply = GARDEN_APPLY,
    .check = check,
    .legal = legal,
    .outcome = outcome,
    .side = side,
    .turn = turn,
    .draw = draw,
    .write_notation = write_notation,
    .read_notation = read_notation,
    .refusals = refusals,
    .refusal_count = sizeof refusals / sizeof *refusals,
    .outcomes = outcomes,
    .outcome_count = sizeof outcomes / sizeof *outcomes,
    .bots = bots,
    .bot_count = sizeof bots / sizeof *bots,
    .kind = DEJA_TURNS,
    .seat_count = 1,
};
/* clang-format on */
