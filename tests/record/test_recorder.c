/* SPDX-License-Identifier: MIT */
/*
 * What a recorder keeps of a game that keeps its contract.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "record/scene.h"

TestSuite(recorder, .timeout = 60);

Test(recorder, a_game_comes_back_with_its_commands_results_and_end)
{
    scene s;
    scene_open(&s);
    s.options.made = "hand";
    deja_recorder *recorder = scene_record(&s);
    cr_assert_eq(scene_step(&s, recorder, LEDGER_ADD, 5), 0);
    cr_assert_eq(scene_step(&s, recorder, LEDGER_ADD, -100), LEDGER_POOR);
    cr_assert_eq(scene_step(&s, recorder, LEDGER_SAY, 0), 0);
    cr_assert_eq(scene_step(&s, recorder, LEDGER_FINISH, 0), 0);
    cr_assert_eq(scene_step(&s, recorder, LEDGER_ROLL, 0), LEDGER_OVER);
    cr_assert_eq(deja_recorder_steps(recorder), 5);
    const deja_id id = scene_end(&s, recorder, "rich");

    held *h = scene_read(&s, &id);
    cr_assert_eq(h->steps, 5);
    cr_assert_str_eq(h->commands, "add n=5; add n=-100; say text=hello; finish; roll; ");
    const uint32_t results[] = { 0, LEDGER_POOR, 0, 0, LEDGER_OVER };
    cr_assert_eq(memcmp(h->results, results, sizeof results), 0);
    cr_assert_eq(h->ended, DEJA_ENDED_OUTCOME);
    cr_assert_str_eq(h->outcome, "rich");
    cr_assert_str_eq(h->made, "hand");
    cr_assert_str_eq(h->config, "gold=10");
    cr_assert_str_eq(h->start, "");
    cr_assert_eq(h->seed, 7);
    free(h);
    scene_close(&s);
}

/* The chains of one game, worked out beside the recorder. */
typedef struct sums {
    uint64_t chain, event_chain;
} sums;

static void add_step(sums *x, bool hashed, uint64_t hash, uint32_t result, uint64_t event_hash)
{
    if (hashed)
        x->chain = deja__chain_next(x->chain, hash, result);
    x->event_chain = deja__event_chain_next(x->event_chain, event_hash);
}

static void assert_hashes(uint32_t bits, uint64_t every)
{
    static const int32_t added[] = { 1, -50, 3, 4, -200, 6, 7 };
    scene s;
    scene_open(&s);
    s.options.trail_bits = bits;
    s.options.trail_every = every;
    deja_recorder *recorder = scene_record(&s);
    uint64_t trail[8] = { deja__cut(ledger_hash(&s.state), bits) };
    uint64_t count = 1;
    sums x = { deja__chain_start(ledger_hash(&s.state)), deja__event_chain_start() };
    for (uint64_t step = 1; step <= 7; step++) {
        const int32_t n = added[step - 1];
        const uint32_t result = scene_step(&s, recorder, LEDGER_ADD, n);
        const uint64_t hash = ledger_hash(&s.state);
        cr_assert_eq(result, n < 0 ? LEDGER_POOR : 0);
        add_step(&x, step % every == 0, hash, result,
                 result ? deja__event_hash_none() : ledger_gained_hash(n, s.state.gold));
        if (step % every == 0)
            trail[count++] = deja__cut(hash, bits);
    }
    const deja_id id = scene_end(&s, recorder, NULL);
    held *h = scene_read(&s, &id);
    cr_assert_eq(h->trail_count, count);
    for (uint64_t i = 0; i < count; i++)
        cr_assert_eq(h->trail[i], trail[i], "%u bits, every %llu", bits, (unsigned long long)every);
    cr_assert_eq(h->chain, x.chain);
    cr_assert_eq(h->event_chain, x.event_chain);
    cr_assert_eq(h->ended, DEJA_ENDED_RUNNING);
    free(h);
    scene_close(&s);
}

Test(recorder, hashes_and_chains_are_as_the_schema_says_at_every_width_and_K)
{
    static const uint32_t widths[] = { 8, 16, 32, 64 };
    static const uint64_t everies[] = { 1, 2, 3, 7, 8, UINT64_MAX };
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 6; k++)
            assert_hashes(widths[i], everies[k]);
}

Test(recorder, the_event_hash_of_text_is_of_what_was_said)
{
    scene s;
    scene_open(&s);
    deja_recorder *recorder = scene_record(&s);
    scene_step(&s, recorder, LEDGER_SAY, 0);
    const deja_id id = scene_end(&s, recorder, NULL);
    held *h = scene_read(&s, &id);
    cr_assert_eq(h->event_chain,
                 deja__event_chain_next(deja__event_chain_start(), ledger_said_hash("hello")));
    free(h);
    scene_close(&s);
}

/* ---- events for the game ---- */

typedef struct listener {
    deja_out out;
    int events, touches;
    int32_t last;
} listener;

static void hear(deja_out *out, const void *value)
{
    listener *l = (listener *)out;
    l->events++;
    l->last = ((const ledger_event *)value)->n;
}

static void feel(deja_out *out, const void *pointer, uint64_t size)
{
    (void)pointer;
    ((listener *)out)->touches += size == sizeof(int64_t);
}

Test(recorder, the_game_hears_its_events_and_touches_too)
{
    scene s;
    listener l = { { hear, feel }, 0, 0, 0 };
    const ledger_command command = { LEDGER_ADD, 5, "" };
    scene_open(&s);
    deja_recorder *recorder = scene_record(&s);
    deja_code code = deja_recorder_step(recorder, &s.state, &command, &l.out, NULL, &s.err);
    cr_assert_eq(code, DEJA_OK);
    cr_assert_eq(l.events, 1);
    cr_assert_eq(l.touches, 1);
    cr_assert_eq(l.last, 5);
    scene_end(&s, recorder, NULL);
    scene_close(&s);
}

/* ---- a game's own apply ---- */

/* One in ten is refused: there is less gold than it takes. */
static ledger_command command_at(uint32_t i)
{
    const int32_t n = i % 10 == 6 ? -100000 : (int32_t)i;
    return (ledger_command){ i % 3 ? LEDGER_ROLL : LEDGER_ADD, n, "" };
}

static deja_id record_by_halves(scene *s, uint32_t steps)
{
    deja_recorder *recorder = scene_record(s);
    for (uint32_t i = 0; i < steps; i++) {
        const ledger_command command = command_at(i);
        deja_out *out = NULL;
        deja_code code = deja_recorder_begin(recorder, &command, NULL, &out, &s->err);
        cr_assert_eq(code, DEJA_OK, "%s", s->err.message);
        const uint32_t result = s->table.apply(&s->state, &command, out);
        code = deja_recorder_end(recorder, &s->state, result, &s->err);
        cr_assert_eq(code, DEJA_OK, "%s", s->err.message);
    }
    return scene_end(s, recorder, NULL);
}

static deja_id record_whole(scene *s, uint32_t steps)
{
    deja_recorder *recorder = scene_record(s);
    for (uint32_t i = 0; i < steps; i++) {
        const ledger_command command = command_at(i);
        scene_step(s, recorder, command.kind, command.n);
    }
    return scene_end(s, recorder, NULL);
}

Test(recorder, begin_and_end_round_a_games_own_apply_record_the_same) /* B49 */
{
    scene whole, halves;
    scene_open(&whole);
    scene_open(&halves);
    const deja_id a = record_whole(&whole, 100);
    const deja_id b = record_by_halves(&halves, 100);
    cr_assert_eq(memcmp(&a, &b, sizeof a), 0);
    held *x = scene_read(&whole, &a);
    held *y = scene_read(&halves, &b);
    cr_assert_eq(memcmp(x, y, sizeof *x), 0);
    /* What was refused is there once, with its refusal, and a step like any other. */
    cr_assert_eq(x->steps, 100);
    cr_assert(strstr(x->commands, "add n=3; roll; roll; add n=-100000; roll; roll; add n=9; "),
              "%s", x->commands);
    cr_assert_eq(x->results[3], 0);
    cr_assert_eq(x->results[6], LEDGER_POOR);
    cr_assert_eq(x->results[9], 0);
    cr_assert_neq(x->trail[6], x->trail[5]);
    cr_assert_eq(x->trail[7], x->trail[6], "a refused command changes nothing");
    free(x);
    free(y);
    scene_close(&whole);
    scene_close(&halves);
}

Test(recorder, any_number_of_steps_comes_back)
{
    static const uint32_t counts[] = { 0, 1, 16383, 16384, 16385, 33000 };
    for (int i = 0; i < 6; i++) {
        scene s;
        scene_open(&s);
        const deja_id id = record_whole(&s, counts[i]);
        held *h = scene_read(&s, &id);
        cr_assert_eq(h->steps, counts[i]);
        cr_assert_eq(h->trail_count, counts[i] + 1);
        cr_assert_eq(h->trail[counts[i]], deja__cut(ledger_hash(&s.state), 32));
        free(h);
        scene_close(&s);
    }
}

/* ---- what else belongs to a session ---- */

Test(recorder, a_session_may_begin_in_the_middle)
{
    scene s;
    scene_open(&s);
    s.state.gold = -3;
    s.state.side = 1;
    s.options.from_state = 1;
    deja_recorder *recorder = scene_record(&s);
    scene_step(&s, recorder, LEDGER_ADD, 9);
    const deja_id id = scene_end(&s, recorder, NULL);
    held *h = scene_read(&s, &id);
    cr_assert_eq(strncmp(h->start, "gold=-3 side=1 over=false rolls=- luck=", 39), 0, "%s",
                 h->start);
    free(h);
    scene_close(&s);
}

Test(recorder, without_a_config_it_is_the_games_default)
{
    scene s;
    scene_open(&s);
    s.options.config = NULL;
    deja_recorder *recorder = scene_record(&s);
    const deja_id id = scene_end(&s, recorder, NULL);
    held *h = scene_read(&s, &id);
    cr_assert_str_eq(h->config, "gold=0");
    free(h);
    scene_close(&s);
}

Test(recorder, marks_and_sections_belong_to_the_last_step)
{
    scene s;
    scene_open(&s);
    deja_recorder *recorder = scene_record(&s);
    cr_assert_eq(deja_recorder_mark(recorder, "before", &s.err), DEJA_OK);
    scene_step(&s, recorder, LEDGER_ADD, 1);
    cr_assert_eq(deja_recorder_mark(recorder, "a \"first\" \xc3\xa9", &s.err), DEJA_OK);
    cr_assert_eq(deja_recorder_section(recorder, "gold", 0xabc, &s.err), DEJA_OK);
    cr_assert_eq(deja_recorder_section(recorder, "rest", 1, &s.err), DEJA_OK);
    scene_step(&s, recorder, LEDGER_ADD, 1);
    cr_assert_eq(deja_recorder_section(recorder, "gold", 0xabd, &s.err), DEJA_OK);
    const deja_id id = scene_end(&s, recorder, NULL);
    held *h = scene_read(&s, &id);
    cr_assert_str_eq(h->marks, "0 before; 1 a \"first\" \xc3\xa9; ");
    cr_assert_str_eq(h->sections, "1 gold abc; 1 rest 1; 2 gold abd; ");
    free(h);
    scene_close(&s);
}

/* ---- a game without described types ---- */

static deja_recorder *note_taker(scene *s)
{
    deja_recorder *recorder = NULL;
    s->options = (deja_recorder_options)DEJA_RECORDER_OPTIONS_INIT;
    s->options.game = "raw.game";
    s->options.version = "0.9";
    s->options.start_hash = 0x1122334455667788;
    const deja_code code =
        deja_recorder_open(&recorder, s->store, NULL, NULL, &s->options, &s->err);
    cr_assert_eq(code, DEJA_OK, "%s", s->err.message);
    return recorder;
}

Test(recorder, a_game_without_described_types_notes_its_own_bytes_and_hashes)
{
    scene s;
    scene_open(&s);
    deja_recorder *recorder = note_taker(&s);
    cr_assert_eq(deja_recorder_note(recorder, "\x01\xff", 2, 0xaaaaaaaa00000001, &s.err), DEJA_OK);
    cr_assert_eq(deja_recorder_note(recorder, NULL, 0, 0xaaaaaaaa00000002, &s.err), DEJA_OK);
    cr_assert_eq(deja_recorder_note(recorder, "", 1, 0xaaaaaaaa00000003, &s.err), DEJA_OK);
    const deja_id id = scene_end(&s, recorder, "won");
    held *h = scene_read(&s, &id);
    cr_assert_str_eq(h->commands, "01ff; ; 00; ");
    cr_assert_eq(h->trail_count, 4);
    cr_assert_eq(h->trail[0], 0x55667788);
    cr_assert_eq(h->trail[3], 3);
    cr_assert_str_eq(h->outcome, "won");
    uint64_t chain = deja__chain_start(0x1122334455667788);
    for (uint64_t i = 1; i <= 3; i++)
        chain = deja__chain_next(chain, 0xaaaaaaaa00000000 + i, 0);
    cr_assert_eq(h->chain, chain);
    free(h);
    scene_close(&s);
}

Test(recorder, long_notes_make_the_block_grow)
{
    enum { SIZE = 1 << 20, COUNT = 20 };
    scene s;
    scene_open(&s);
    deja_recorder *recorder = note_taker(&s);
    unsigned char *bytes = calloc(1, SIZE);
    for (int i = 0; i < COUNT; i++) {
        const deja_code code = deja_recorder_note(recorder, bytes, SIZE, (uint64_t)i, &s.err);
        cr_assert_eq(code, DEJA_OK, "%s", s.err.message);
    }
    const deja_id id = scene_end(&s, recorder, NULL);
    held *h = scene_read(&s, &id);
    cr_assert_eq(h->steps, COUNT);
    free(h);
    free(bytes);
    scene_close(&s);
}
