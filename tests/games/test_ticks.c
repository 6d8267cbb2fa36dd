/* SPDX-License-Identifier: MIT */
/*
 * A game of ticks from the key to the store: what two players do goes through a driver into the
 * bee and a recorder. One script must become one session, whatever the frames.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <deja/deja.h>
#include <deja/driver.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/scratch.h"

TestSuite(ticks, .timeout = 120);

enum { PLAYERS = 2, LEFT = 2, RIGHT = 3 };

#define SECOND 1000000000ull
#define BEE DEJA_BUILD_DIR "/games/bee.so"

typedef struct rig {
    char folder[64];
    char path[128];
    deja_store *store;
    deja_plugin *plugin;
    deja_error err;
} rig;

static void must(const rig *r, deja_code code)
{
    cr_assert(eq(int, code, DEJA_OK), "%s", r->err.message);
}

static void rig_open(rig *r)
{
    memset(r, 0, sizeof *r);
    scratch_open(r->folder);
    snprintf(r->path, sizeof r->path, "%s/plays.deja", r->folder);
    must(r, deja_store_open(&r->store, r->path, DEJA_STORE_WRITE, &r->err));
    must(r, deja_plugin_open(&r->plugin, BEE, &r->err));
}

static void rig_close(rig *r)
{
    deja_plugin_close(r->plugin);
    must(r, deja_store_close(r->store, &r->err));
    scratch_close(r->folder);
}

/* A session that is being played. */
typedef struct game {
    rig *r;
    deja_recorder *recorder;
    void *state;
    deja_driver driver;
} game;

static game game_open(rig *r)
{
    deja_recorder_options options = DEJA_RECORDER_OPTIONS_INIT;
    const deja_rules_table *rules = deja_plugin_table(r->plugin);
    game g = { .r = r, .state = calloc(1, rules->state.size) };
    options.seed = 1;
    cr_assert(rules->start(g.state, rules->config_default, 1, NULL) == 0);
    cr_assert(deja_driver_init(&g.driver, rules->tick_rate, PLAYERS));
    must(r, deja_recorder_open(&g.recorder, r->store, r->plugin, g.state, &options, &r->err));
    return g;
}

static void take_steps(game *g)
{
    deja_input players[PLAYERS];
    while (deja_driver_step(&g->driver, players) != 0)
        must(g->r, deja_recorder_step(g->recorder, g->state, players, NULL, NULL, &g->r->err));
    cr_assert(eq(u64, deja_recorder_steps(g->recorder), g->driver.steps));
}

static deja_id game_close(game *g)
{
    deja_id id;
    must(g->r, deja_recorder_close(g->recorder, NULL, &id, &g->r->err));
    free(g->state);
    return id;
}

typedef struct key {
    uint32_t ms, player, action;
    bool down;
} key;

static const key script[] = {
    { 3, 0, RIGHT, true },     { 3, 0, RIGHT, true },    { 7, 1, LEFT, true },
    { 9, 1, LEFT, false },     { 500, 0, RIGHT, false }, { 501, 0, RIGHT, true },
    { 502, 0, RIGHT, false },  { 503, 0, RIGHT, true },  { 900, 0, LEFT, true },
    { 905, 0, RIGHT, false },  { 1700, 0, LEFT, false }, { 1701, 1, 0, true },
    { 2000, 0, LEFT, true },   { 2200, 0, LEFT, false }, { 2400, 0, RIGHT, true },
    { 3600, 0, RIGHT, false },
};
enum { KEYS = sizeof script / sizeof *script, SCRIPT_MS = 4000 };

/* Plays the script at so many frames a second, on a clock that starts anywhere. */
static deja_id play(rig *r, uint32_t fps, uint64_t start)
{
    game g = game_open(r);
    uint32_t next = 0;
    for (uint64_t k = 0; k <= (uint64_t)SCRIPT_MS * fps / 1000; k++) {
        const uint64_t now = k * SECOND / fps;
        for (; next < KEYS && script[next].ms * 1000000ull <= now; next++) {
            const key *one = &script[next];
            (void)(one->down ? deja_driver_press : deja_driver_release)(
                &g.driver, start + one->ms * 1000000ull, one->player, one->action);
        }
        deja_driver_frame(&g.driver, start + now, NULL);
        take_steps(&g);
    }
    cr_assert(eq(u64, g.driver.steps, 240));
    return game_close(&g);
}

static bool count_entry(void *user, const deja_entry *entry)
{
    uint32_t *counts = user;
    counts[0]++;
    counts[1] += entry->recording_count;
    return true;
}

/* One session with one recording: had a trail, a result or a chain been another, the store would
 * have kept it as another recording. */
static void assert_stored(rig *r, uint32_t sessions)
{
    uint32_t counts[2] = { 0, 0 };
    must(r, deja_store_flush(r->store, &r->err));
    must(r, deja_store_list(r->store, count_entry, counts, &r->err));
    cr_assert(eq(u32, counts[0], sessions));
    cr_assert(eq(u32, counts[1], sessions));
}

Test(ticks, M10_R03_one_script_is_one_session_at_every_frame_rate) /* B43 */
{
    static const uint32_t rates[] = { 60, 24, 30, 120, 144, 1000 };
    rig r;
    rig_open(&r);
    const deja_id first = play(&r, 60, 0);
    for (uint32_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        const deja_id id = play(&r, rates[i], 0);
        cr_assert(memcmp(&id, &first, sizeof id) == 0, "at %u a second", rates[i]);
    }
    const deja_id later = play(&r, 75, 1000000000ull * 1000000);
    cr_assert(memcmp(&later, &first, sizeof later) == 0);
    assert_stored(&r, 1);
    rig_close(&r);
}

/* Right held in every frame, as an engine may have it that counts steps itself. */
static deja_id hold_right(rig *r, const uint32_t *frames, uint32_t count)
{
    game g = game_open(r);
    for (uint32_t i = 0; g.driver.steps < 60; i++) {
        deja_driver_hold(&g.driver, 0, 1u << RIGHT);
        deja_driver_ticks(&g.driver, frames[i % count], NULL);
        take_steps(&g);
    }
    cr_assert(eq(u64, g.driver.steps, 60));
    return game_close(&g);
}

static const uint32_t patterns[][4] = {
    { 2, 2, 2, 2 }, { 0, 1, 0, 1 }, { 4, 4, 4, 4 }, { 1, 1, 1, 1 }, { 4, 0, 0, 2 }
};

/* The record holds its seed and what each step saw, and replays to the same bee. */
Test(ticks, K02_R01_R02_R04_the_record_of_sixty_steps_replays)
{
    rig r;
    rig_open(&r);
    deja_id id = { { 0 } };
    for (uint32_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        const deja_id again = hold_right(&r, patterns[i], 4);
        cr_assert(i == 0 || memcmp(&id, &again, sizeof id) == 0, "pattern %u", i);
        id = again;
    }
    assert_stored(&r, 1);

    int64_t session;
    char hex[33];
    deja_reader *reader;
    deja_steps steps;
    for (uint32_t i = 0; i < 16; i++)
        snprintf(hex + 2 * i, 3, "%02x", id.bytes[i]);
    must(&r, deja_store_find(r.store, hex, &session, &r.err));
    must(&r, deja_reader_open(&reader, r.store, session, 0, &r.err));
    must(&r, deja_reader_next(reader, &steps, &r.err));
    cr_assert(eq(u64, steps.count, 60));
    cr_assert(deja_reader_session(reader)->seed == 1);

    const deja_rules_table *rules = deja_plugin_table(r.plugin);
    void *bee = calloc(1, rules->state.size);
    rules->start(bee, rules->config_default, 1, NULL);
    const unsigned char *bytes = steps.commands;
    cr_assert(eq(u64, steps.command_ends[59], 60 * 24));
    for (uint32_t i = 0; i < 60; i++) {
        deja_input players[PLAYERS]; /* a little-endian machine's are their canonical bytes */
        memcpy(players, bytes + 24 * i, sizeof players);
        cr_assert(players[0].held == 1u << RIGHT && players[0].pressed == 0);
        cr_assert(rules->apply(bee, players, NULL) == 0);
    }
    uint32_t at;
    memcpy(&at, bee, sizeof at);
    cr_assert(eq(u32, at, 5));
    free(bee);
    deja_reader_close(reader);
    rig_close(&r);
}

/* A pause in mid session leaves 150 steps, no debt, and nothing of what was typed in it. */
Test(ticks, a_pause_is_not_in_the_recording) /* B45 */
{
    rig r;
    deja_id ids[2];
    rig_open(&r);
    for (uint32_t paused = 0; paused < 2; paused++) {
        game g = game_open(&r);
        uint64_t now = 0;
        for (uint64_t k = 0; g.driver.steps < 150; k++, now += SECOND / 60 + 1) {
            if (k == 101 && paused) {
                deja_driver_pause(&g.driver);
                for (uint32_t i = 0; i < 10; i++)
                    (void)(i % 2 ? deja_driver_release
                                 : deja_driver_press)(&g.driver, now + i * SECOND / 2, 0, RIGHT);
                now += 5 * SECOND;
                deja_driver_resume(&g.driver);
                deja_driver_frame(&g.driver, now, NULL);
                now += SECOND / 60 + 1;
            } else if (k == 101) {
                deja_driver_clear(&g.driver);
            }
            if (k == 5)
                cr_assert(deja_driver_press(&g.driver, now, 0, RIGHT));
            deja_driver_frame(&g.driver, now, NULL);
            take_steps(&g);
        }
        cr_assert(g.driver.steps == 150 && g.driver.dropped == 0);
        ids[paused] = game_close(&g);
    }
    cr_assert(memcmp(&ids[0], &ids[1], sizeof ids[0]) == 0);
    assert_stored(&r, 1);
    rig_close(&r);
}

/* Right held from step 20 to 100, on a clock of 32 bits that counts milliseconds and is at `start`
 * when it begins; at step 150 it may be put back by three seconds. */
static deja_id play_on_clock(rig *r, uint32_t start, bool is_put_back)
{
    game g = game_open(r);
    uint32_t now = start;
    cr_assert(deja_driver_clock(&g.driver, 1000, 32));
    for (uint32_t k = 0; g.driver.steps < 300; k++, now += 20) {
        const uint64_t before = g.driver.steps;
        cr_assert(lt(u32, k, 1000));
        if (is_put_back && g.driver.steps >= 150) {
            is_put_back = false;
            now -= 20 + 3000; /* no time has gone by */
            deja_driver_frame(&g.driver, now, NULL);
            take_steps(&g);
            cr_assert(eq(u64, g.driver.steps, before));
            continue;
        }
        if (k == 17)
            cr_assert(deja_driver_press(&g.driver, now, 0, RIGHT));
        if (k == 83)
            cr_assert(deja_driver_release(&g.driver, now, 0, RIGHT));
        deja_driver_frame(&g.driver, now, NULL);
        take_steps(&g);
        cr_assert(le(u64, g.driver.steps, before + 2));
    }
    cr_assert(g.driver.steps == 300 && g.driver.dropped == 0);
    return game_close(&g);
}

static bool must_match(void *user, const deja_verdict *verdict)
{
    uint32_t *count = user;
    cr_assert(verdict->kind == DEJA_MATCH, "%s", verdict->why);
    ++*count;
    return true;
}

Test(ticks, a_clock_that_wraps_or_is_put_back_is_not_in_the_recording) /* B47 */
{
    static const uint32_t starts[] = { 1000, UINT32_MAX - 2500u, INT32_MAX - 2500u };
    rig r;
    rig_open(&r);
    const deja_id first = play_on_clock(&r, 0, false);
    for (uint32_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        for (uint32_t is_put_back = 0; is_put_back < 2; is_put_back++) {
            const deja_id id = play_on_clock(&r, starts[i], is_put_back);
            cr_assert(memcmp(&id, &first, sizeof id) == 0, "from %u", starts[i]);
        }
    }
    assert_stored(&r, 1);

    deja_verify_options options = DEJA_VERIFY_OPTIONS_INIT;
    deja_verify_summary summary;
    uint64_t count = 0;
    uint32_t told = 0;
    int64_t *keys = scratch_keys(r.path, &count);
    options.worker = DEJA_BUILD_DIR "/deja";
    options.verdict = must_match;
    options.user = &told;
    must(&r, deja_verify(r.path, keys, count, BEE, &options, &summary, &r.err));
    cr_assert(told == 1 && count == 1);
    free(keys);
    rig_close(&r);
}

/* A recorder hands out its session's id as it closes, and is gone; where there is none, there is no
 * record of what was played, and nothing to take. */
Test(ticks, R07_a_record_is_taken_once_and_a_driver_without_recorder_has_none)
{
    static const deja_id none;
    rig r;
    deja_input players[PLAYERS];
    rig_open(&r);
    game g = game_open(&r);
    deja_driver_ticks(&g.driver, 3, NULL);
    take_steps(&g);
    const deja_id id = game_close(&g);
    cr_assert(memcmp(&id, &none, sizeof id) != 0);
    assert_stored(&r, 1);

    deja_driver driver;
    deja_id untouched = none;
    uint32_t steps = 0;
    cr_assert(deja_driver_init(&driver, 60, PLAYERS));
    deja_driver_ticks(&driver, 3, NULL);
    while (deja_driver_step(&driver, players) != 0)
        steps++;
    cr_assert(eq(u32, steps, 3));
    must(&r, deja_recorder_close(NULL, NULL, &untouched, &r.err));
    cr_assert(memcmp(&untouched, &none, sizeof none) == 0);
    assert_stored(&r, 1);
    rig_close(&r);
}
