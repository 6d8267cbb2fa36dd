/* SPDX-License-Identifier: MIT */
/*
 * The bee: a game of ticks, 60 a second. It flies over a row of plots, by default 6, a plot along
 * every 10 steps while left or right is held; with neither or both it hovers, and its wings begin
 * anew. Who turns round at once keeps the steps that were flown. At an end it lands where it is.
 *
 *   config   plots:u32
 *   state    at:u32 plots:u32 wings:{period:u32 counted:u32}
 *   command  players:{pressed:A held:A released:A}[2], A being flags(up|down|left|right)
 *   event    kind(landed{plot:u32})
 *
 * The first player flies, the second looks on. Every command is accepted, and the game never ends.
 *
 * Bots:
 *   mash   presses and lets go at random, of both players
 *
 * A build that differs in one thing (fixtures/rules has some) sets BEE_VERSION or BEE_APPLY and
 * includes this file.
 */
#include <deja/rules.h>

#ifndef BEE_VERSION
#define BEE_VERSION "1.0.0"
#endif
#ifndef BEE_APPLY
#define BEE_APPLY apply
#endif

enum { PLAYERS = 2, RATE = 60, FLIGHT = 10 };
enum { UP = 0, DOWN, LEFT, RIGHT, ACTIONS };

typedef struct bee {
    uint32_t at;
    uint32_t plots;
    deja_every wings;
} bee;

typedef struct bee_config {
    uint32_t plots;
} bee_config;

typedef struct bee_tick {
    deja_input players[PLAYERS];
} bee_tick;

typedef struct bee_event {
    uint32_t kind;
    uint32_t plot;
} bee_event;

enum { LANDED = 0 };

static const char *const actions[] = { "up", "down", "left", "right" };
static const char *const event_kinds[] = { "landed" };

/* ---- descriptions ---- */

static void state_fields(deja_fields *f, const void *value)
{
    const bee *b = value;
    deja_u32(f, "at", &b->at);
    deja_u32(f, "plots", &b->plots);
    deja_struct(f, "wings", &b->wings, deja_every_fields);
}

static void config_fields(deja_fields *f, const void *value)
{
    const bee_config *config = value;
    deja_u32(f, "plots", &config->plots);
}

static void player_fields(deja_fields *f, const deja_input *input)
{
    deja_input_fields(f, input, actions);
}

static void command_fields(deja_fields *f, const void *value)
{
    const bee_tick *tick = value;
    deja_struct_array(f, "players", tick->players, PLAYERS, player_fields);
}

static void event_fields(deja_fields *f, const void *value)
{
    const bee_event *event = value;
    if (deja_kind(f, &event->kind, event_kinds) == LANDED)
        deja_u32(f, "plot", &event->plot);
}

/* ---- the rules ---- */

static uint32_t start(void *state, const void *config, uint64_t seed, const deja_content *content)
{
    const bee_config *wanted = config;
    bee *b = state;
    (void)seed;
    (void)content;
    b->at = 0;
    b->plots = wanted->plots;
    deja_every_start(&b->wings, FLIGHT);
    return 0;
}

static uint32_t apply(void *state, const void *command, deja_out *out)
{
    bee *b = state;
    const bee_tick *tick = command;
    const bool left = deja_input_held(&tick->players[0], LEFT);
    const bool right = deja_input_held(&tick->players[0], RIGHT);
    const uint32_t last = b->plots ? b->plots - 1 : 0;
    if (left == right) {
        deja_every_reset(&b->wings);
        return 0;
    }
    if (deja_every_advance(&b->wings, 1) == 0)
        return 0;
    if (right)
        b->at = b->at < last ? b->at + 1 : last;
    else
        b->at -= b->at != 0;
    const bee_event landed = { LANDED, b->at };
    deja_emit(out, &landed);
    return 0;
}

static uint32_t check(const void *state, const void *command)
{
    (void)state;
    (void)command;
    return 0;
}

/* ---- for people ---- */

static void draw(const void *state, deja_page *page)
{
    enum { WIDEST = 64 };
    const bee *b = state;
    if (b->plots <= WIDEST) {
        deja_page_char(page, ' ', b->at < WIDEST ? b->at : WIDEST);
        deja_page_text(page, "8\n");
        deja_page_char(page, '_', b->plots);
        deja_page_char(page, '\n', 1);
        return;
    }
    deja_page_text(page, "over plot ");
    deja_page_number(page, b->at);
    deja_page_text(page, " of ");
    deja_page_number(page, b->plots);
    deja_page_char(page, '\n', 1);
}

/* ---- bots ---- */

/* What each player holds lies in the memory. An action changes once in 24 steps: long enough to
 * get somewhere, short enough to turn round. */
static uint32_t pick_mash(const void *state, deja_luck *luck, void *command, void *memory)
{
    enum { PATIENCE = 24 };
    uint32_t held[PLAYERS];
    bee_tick tick;
    (void)state;
    memcpy(held, memory, sizeof held);
    for (uint32_t player = 0; player < PLAYERS; player++) {
        uint32_t changed = 0;
        for (uint32_t action = 0; action < ACTIONS; action++)
            changed |= (uint32_t)(deja_luck_below(luck, PATIENCE) == 0) << action;
        tick.players[player].pressed = changed & ~held[player];
        tick.players[player].released = changed & held[player];
        held[player] ^= changed;
        tick.players[player].held = held[player];
    }
    memcpy(memory, held, sizeof held);
    memcpy(command, &tick, sizeof tick);
    return 1;
}

static const deja_bot bots[] = { { "mash", pick_mash, PLAYERS * sizeof(uint32_t) } };

static const bee_config defaults = { 6 };
static const bee_tick neutral = { { { 0, 0, 0 }, { 0, 0, 0 } } };

/* clang-format off */
DEJA_RULES = {
    DEJA_ABI,
    .id = "bee",
    .version = BEE_VERSION,
    .state = { sizeof(bee), state_fields, NULL, NULL },
    .command = { sizeof(bee_tick), command_fields, NULL, NULL },
    .event = { sizeof(bee_event), event_fields, NULL, NULL },
    .config = { sizeof(bee_config), config_fields, NULL, NULL },
    .config_default = &defaults,
    .start = start,
    .apply = BEE_APPLY,
    .check = check,
    .draw = draw,
    .neutral = &neutral,
    .bots = bots,
    .bot_count = sizeof bots / sizeof *bots,
    .kind = DEJA_TICKS,
    .tick_rate = RATE,
    .seat_count = 1,
};
/* clang-format on */
