/* SPDX-License-Identifier: MIT */
/*
 * A step in one call: the same as apply, the state hash and the event hash, whatever fits its
 * slots.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

#include "plugin/game.h"
#include "plugin/plugin.h"

TestSuite(step, .timeout = 60);

typedef struct play {
    deja_plugin *plugin;
    deja__game *game;
    deja_error err;
} play;

static void start(play *p, uint64_t seed)
{
    const deja_span config = deja_plugin_config_default(p->plugin);
    const deja_code code = deja__game_start(p->game, config, seed, NULL, NULL, &p->err);
    cr_assert(eq(i32, code, DEJA_OK), "%s", p->err.message);
}

static void close_play(play *p)
{
    deja__game_close(p->game);
    deja_plugin_close(p->plugin);
}

/* ---- against the three calls ---- */

static void assert_same_step(play *whole, play *parts, deja_span command)
{
    deja__stepped stepped;
    uint32_t result;
    uint64_t hash;
    memset(&stepped, 0xa5, sizeof stepped);
    const deja_code code = deja__game_step(whole->game, command, &stepped, &whole->err);
    deja_code other = deja__game_apply(parts->game, command, &result, &parts->err);
    if (other == DEJA_OK)
        other = deja__game_hash(parts->game, &hash, &parts->err);
    cr_assert(eq(i32, code, other), "%s / %s", whole->err.message, parts->err.message);
    if (code != DEJA_OK)
        return;
    cr_assert(eq(u32, stepped.result, result));
    cr_assert(eq(u64, deja__stepped_hash(&stepped), hash));
    cr_assert(eq(u64, deja__stepped_event_hash(&stepped), deja__game_event_hash(parts->game)));
}

Test(step, is_what_apply_and_both_hashes_are_in_every_game)
{
    static const char *const names[] = { "games/matchgame", "games/peg",       "games/garden",
                                         "games/bee",       "games/dixmille",  "rules/ledger",
                                         "rules/swarm",     "rules/containers" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[256];
        play whole = { 0 }, parts = { 0 };
        deja_luck luck;
        deja_buffer command = { 0 };
        bool chosen = true;
        static unsigned char memory[1 << 16];
        memset(memory, 0, sizeof memory);
        snprintf(path, sizeof path, "%s/%s.so", DEJA_BUILD_DIR, names[i]);
        cr_assert_eq(deja_plugin_open(&whole.plugin, path, &whole.err), DEJA_OK);
        cr_assert_eq(deja_plugin_open(&parts.plugin, path, &parts.err), DEJA_OK);
        cr_assert_eq(deja__game_open(&whole.game, whole.plugin, &whole.err), DEJA_OK);
        cr_assert_eq(deja__game_open(&parts.game, parts.plugin, &parts.err), DEJA_OK);
        start(&whole, 5);
        start(&parts, 5);
        deja_luck_seed(&luck, 5, 1);
        for (int step = 0; step < 400 && chosen; step++) {
            deja_buffer_clear(&command);
            const deja_code code =
                deja__game_pick(parts.game, 0, &luck, memory, &command, &chosen, &parts.err);
            if (code == DEJA_EMISUSE) /* it brings no bot along */
                break;
            cr_assert(eq(i32, code, DEJA_OK), "%s: %s", names[i], parts.err.message);
            if (chosen)
                assert_same_step(&whole, &parts, (deja_span){ command.bytes, command.size });
        }
        deja_buffer_release(&command);
        close_play(&whole);
        close_play(&parts);
    }
}

/* ---- sizes on either side of the slots ---- */

enum { BYTES_MAX = 5000 };

typedef struct thing {
    uint32_t count;
    uint8_t bytes[BYTES_MAX];
} thing;

typedef struct order {
    uint16_t state_size, event_size, events;
    uint8_t mischief; /* enum mischief */
} order;

enum mischief { NONE, NESTED, FROM_STATE, REFUSES_AND_EMITS, UNKNOWN_REFUSAL, EMITS_NULL };

static struct {
    deja_out *out;
    bool nested, from_state;
} mood;

static void thing_fields(deja_fields *f, const void *value)
{
    const thing *t = value;
    deja_list(f, "bytes", t->bytes, &t->count, BYTES_MAX, deja_u8);
}

static void event_fields(deja_fields *f, const void *value)
{
    if (mood.nested) {
        mood.nested = false;
        deja_emit(mood.out, value);
    }
    thing_fields(f, value);
}

static void state_fields(deja_fields *f, const void *value)
{
    static const thing small = { 1, { 7 } };
    if (mood.from_state) {
        mood.from_state = false;
        deja_emit(mood.out, &small);
    }
    thing_fields(f, value);
}

static void order_fields(deja_fields *f, const void *value)
{
    const order *o = value;
    deja_u16(f, "state_size", &o->state_size);
    deja_u16(f, "event_size", &o->event_size);
    deja_u16(f, "events", &o->events);
    deja_u8(f, "mischief", &o->mischief);
}

static uint32_t begin(void *state, const void *config, uint64_t seed, const deja_content *content)
{
    (void)state;
    (void)config;
    (void)seed;
    (void)content;
    return 0;
}

static uint32_t apply(void *state, const void *command, deja_out *out)
{
    static thing event;
    const order *o = command;
    thing *t = state;
    t->count = o->state_size;
    for (uint32_t i = 0; i < t->count; i++)
        t->bytes[i] = (uint8_t)(i * 7 + o->events);
    event.count = o->event_size;
    mood.out = out;
    mood.nested = o->mischief == NESTED;
    mood.from_state = o->mischief == FROM_STATE;
    for (uint32_t i = 0; i < o->events; i++) {
        memset(event.bytes, (int)i + 1, event.count);
        deja_emit(out, o->mischief == EMITS_NULL && i == 1 ? NULL : &event);
    }
    if (o->mischief == UNKNOWN_REFUSAL)
        return 9;
    return o->mischief == REFUSES_AND_EMITS;
}

static const char *const refusals[] = { "no" };

static play open_sizes(void)
{
    play p = { 0 };
    const deja_rules_table table = {
        DEJA_ABI,
        .id = "sizes",
        .version = "1",
        .state = { sizeof(thing), state_fields, NULL, NULL },
        .command = { sizeof(order), order_fields, NULL, NULL },
        .event = { sizeof(thing), event_fields, NULL, NULL },
        .start = begin,
        .apply = apply,
        .refusals = refusals,
        .refusal_count = 1,
    };
    const deja_code code = deja_plugin_from_table(&p.plugin, &table, &p.err);
    cr_assert(eq(i32, code, DEJA_OK), "%s", p.err.message);
    cr_assert_eq(deja__game_open(&p.game, p.plugin, &p.err), DEJA_OK);
    start(&p, 0);
    return p;
}

static deja_span ask(unsigned char bytes[7], uint32_t state, uint32_t event, uint32_t events,
                     uint32_t mischief)
{
    const uint32_t numbers[3] = { state, event, events };
    for (int i = 0; i < 3; i++) {
        bytes[2 * i] = (unsigned char)numbers[i];
        bytes[2 * i + 1] = (unsigned char)(numbers[i] >> 8);
    }
    bytes[6] = (unsigned char)mischief;
    return (deja_span){ bytes, 7 };
}

Test(step, is_the_same_below_at_and_above_the_size_of_its_slots)
{
    static const uint32_t states[] = { 0, 1, 155, 156, 157, 160, 4091, 4092, 4093, 5000 };
    static const uint32_t events[] = { 0, 1, 63, 64, 65, 68, 4092, 4093, 5000 };
    static const uint32_t counts[] = { 0, 1, 2, 31, 32, 33, 64, 65, 200 };
    enum { STATES = sizeof states / 4, EVENTS = sizeof events / 4, COUNTS = sizeof counts / 4 };
    for (uint32_t turn = 0; turn < 3; turn++) {
        play whole = open_sizes(), parts = open_sizes();
        unsigned char bytes[7];
        for (uint32_t i = 0; i < STATES * EVENTS * COUNTS; i++) {
            /* Large ones first, or last, or mixed: the slots are given up after a few misses. */
            const uint32_t place = turn == 0   ? i
                                   : turn == 1 ? STATES * EVENTS * COUNTS - 1 - i
                                               : i * 37 % (STATES * EVENTS * COUNTS);
            assert_same_step(&whole, &parts,
                             ask(bytes, states[place % STATES], events[place / STATES % EVENTS],
                                 counts[place / STATES / EVENTS], NONE));
        }
        close_play(&whole);
        close_play(&parts);
    }
}

/* ---- broken contracts ---- */

static void assert_breaks(uint32_t mischief, uint32_t event_size, const char *words)
{
    play p = open_sizes();
    unsigned char bytes[7];
    deja__stepped stepped;
    for (int again = 0; again < 2; again++) {
        deja_code code =
            deja__game_step(p.game, ask(bytes, 3, event_size, 2, mischief), &stepped, &p.err);
        cr_assert(eq(i32, code, DEJA_ERULES), "%s", p.err.message);
        cr_assert(strstr(p.err.message, words) != NULL, "%s", p.err.message);
        /* The next one is as if nothing had been. */
        code = deja__game_step(p.game, ask(bytes, 3, event_size, 2, NONE), &stepped, &p.err);
        cr_assert(eq(i32, code, DEJA_OK), "%s", p.err.message);
        cr_assert(zero(u32, stepped.result));
    }
    close_play(&p);
}

Test(step, that_breaks_the_contract_says_how_at_once)
{
    static const uint32_t sizes[] = { 1, 100, 5000 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        assert_breaks(NESTED, sizes[i], "emitted by the description");
        assert_breaks(FROM_STATE, sizes[i], "a call that is over");
        assert_breaks(REFUSES_AND_EMITS, sizes[i], "apply refused (no), and emitted an event");
        assert_breaks(UNKNOWN_REFUSAL, sizes[i], "apply answered 9");
        assert_breaks(EMITS_NULL, sizes[i], "emitted NULL");
    }
}
