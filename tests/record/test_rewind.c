/* SPDX-License-Identifier: MIT */
/*
 * Undo and predicted frames in a recorded game: steps that are taken back are not in the session.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "record/scene.h"

TestSuite(rewinding, .timeout = 60);

enum { BLOCK = 16384 };

static void add(scene *s, deja_recorder *recorder, int32_t n)
{
    cr_assert_eq(scene_step(s, recorder, LEDGER_ADD, n), 0);
}

/* The game's own undo: what was added goes, and the recorder is told. */
static void undo(scene *s, deja_recorder *recorder, int32_t n)
{
    const uint64_t steps = deja_recorder_steps(recorder);
    s->state.gold -= n;
    s->state.side ^= 1;
    const deja_code code = deja_recorder_rewind(recorder, steps - 1, &s->err);
    cr_assert_eq(code, DEJA_OK, "%s", s->err.message);
    cr_assert_eq(deja_recorder_steps(recorder), steps - 1);
}

/* B58 */
Test(rewinding, two_steps_that_are_undone_leave_the_session_of_the_third_alone)
{
    scene s;
    deja_id undone, alone;
    scene_open(&s);
    deja_recorder *recorder = scene_record(&s);
    const ledger before = s.state;
    add(&s, recorder, 1);
    add(&s, recorder, 2);
    undo(&s, recorder, 2);
    undo(&s, recorder, 1);
    s.state = before;
    add(&s, recorder, 5);
    undone = scene_end(&s, recorder, NULL);
    held *h = scene_read(&s, &undone);
    cr_assert_str_eq(h->commands, "add n=5; ");
    cr_assert_str_eq(h->marks, "0 1 step taken back here; ");
    s.state = before;
    recorder = scene_record(&s);
    add(&s, recorder, 5);
    alone = scene_end(&s, recorder, NULL);
    cr_assert_arr_eq(undone.bytes, alone.bytes, 16, "they are one session");
    held *other = scene_read(&s, &alone);
    cr_assert_eq(h->chain, other->chain);
    cr_assert_eq(h->event_chain, other->event_chain);
    free(other);
    free(h);
    scene_close(&s);
}

Test(rewinding, with_nothing_left_is_an_error_and_writes_nothing)
{
    scene s;
    scene_open(&s);
    deja_recorder *recorder = scene_record(&s);
    scene_assert_failed(&s, deja_recorder_rewind(recorder, UINT64_MAX, &s.err), DEJA_EMISUSE,
                        "there are 0 steps, and none to go back to 18446744073709551615");
    add(&s, recorder, 1);
    scene_assert_failed(&s, deja_recorder_rewind(recorder, 2, &s.err), DEJA_EMISUSE,
                        "there are 1 steps, and none to go back to 2");
    cr_assert_eq(deja_recorder_rewind(recorder, 1, &s.err), DEJA_OK, "that is where it is");
    const deja_id id = scene_end(&s, recorder, NULL);
    held *h = scene_read(&s, &id);
    cr_assert_str_eq(h->commands, "add n=1; ");
    cr_assert_str_eq(h->marks, "");
    free(h);
    scene_close(&s);
}

Test(rewinding, a_step_that_runs_cannot_be_taken_back)
{
    scene s;
    const ledger_command command = { LEDGER_ADD, 1, "" };
    deja_out *out;
    scene_open(&s);
    deja_recorder *recorder = scene_record(&s);
    cr_assert_eq(deja_recorder_begin(recorder, &command, NULL, &out, &s.err), DEJA_OK);
    scene_assert_failed(&s, deja_recorder_rewind(recorder, 0, &s.err), DEJA_EMISUSE,
                        "a step runs, and cannot be taken back");
    s.table.apply(&s.state, &command, out);
    cr_assert_eq(deja_recorder_end(recorder, &s.state, 0, &s.err), DEJA_OK);
    (void)scene_end(&s, recorder, NULL);
    scene_close(&s);
}

/* Around the blocks that are committed while the session runs. */
Test(rewinding, reaches_back_16383_steps_at_any_time_and_not_into_the_store)
{
    scene s;
    scene_open(&s);
    deja_recorder *recorder = scene_record(&s);
    for (int i = 0; i < 2 * BLOCK; i++)
        add(&s, recorder, 1);
    scene_assert_failed(&s, deja_recorder_rewind(recorder, BLOCK, &s.err), DEJA_ELIMIT,
                        "step 16384 is in the store for good; the first that can be gone back to "
                        "is 16385");
    s.state.gold -= BLOCK - 1;
    cr_assert_eq(deja_recorder_rewind(recorder, BLOCK + 1, &s.err), DEJA_OK, "%s", s.err.message);
    for (int i = 0; i < BLOCK + 7; i++)
        add(&s, recorder, 1);
    s.state.gold -= 10;
    cr_assert_eq(deja_recorder_rewind(recorder, 2 * BLOCK - 2, &s.err), DEJA_OK);
    add(&s, recorder, 100);
    const deja_id id = scene_end(&s, recorder, NULL);
    held *h = scene_read(&s, &id);
    cr_assert_eq(h->steps, 2 * BLOCK - 1);
    cr_assert_eq(h->trail_count, 2 * BLOCK);
    cr_assert_str_eq(h->marks, "16385 16383 steps taken back here; "
                               "32766 10 steps taken back here; ");
    cr_assert_eq(h->trail[2 * BLOCK - 1], ledger_hash(&s.state) & 0xffffffff);
    free(h);
    scene_close(&s);
}

Test(rewinding, hashes_stay_due_at_every_Kth_step)
{
    scene s;
    scene_open(&s);
    s.options.trail_every = 4;
    deja_recorder *recorder = scene_record(&s);
    for (int i = 0; i < 6; i++)
        add(&s, recorder, 1);
    s.state.gold -= 3;
    cr_assert_eq(deja_recorder_rewind(recorder, 3, &s.err), DEJA_OK);
    add(&s, recorder, 9);
    const uint64_t fourth = ledger_hash(&s.state);
    add(&s, recorder, 1);
    const deja_id id = scene_end(&s, recorder, NULL);
    held *h = scene_read(&s, &id);
    cr_assert_eq(h->steps, 5);
    cr_assert_eq(h->trail_count, 2);
    cr_assert_eq(h->trail[1], fourth & 0xffffffff);
    free(h);
    scene_close(&s);
}

/* ---- notes within a step ---- */

Test(rewinding, a_mark_made_while_a_step_runs_is_at_that_step)
{
    scene s;
    const ledger_command command = { LEDGER_ADD, 1, "" };
    deja_out *out;
    scene_open(&s);
    deja_recorder *recorder = scene_record(&s);
    add(&s, recorder, 1);
    cr_assert_eq(deja_recorder_begin(recorder, &command, NULL, &out, &s.err), DEJA_OK);
    cr_assert_eq(deja_recorder_mark(recorder, "within", &s.err), DEJA_OK);
    cr_assert_eq(deja_recorder_section(recorder, "gold", 7, &s.err), DEJA_OK);
    s.table.apply(&s.state, &command, out);
    cr_assert_eq(deja_recorder_end(recorder, &s.state, 0, &s.err), DEJA_OK);
    const deja_id id = scene_end(&s, recorder, NULL);
    held *h = scene_read(&s, &id);
    cr_assert_str_eq(h->marks, "2 within; ");
    cr_assert_str_eq(h->sections, "2 gold 7; ");
    free(h);
    scene_close(&s);
}

/* ---- options of the journal ---- */

Test(rewinding, a_journal_is_of_a_size_that_can_be)
{
    scene s;
    deja_recorder *recorder = NULL;
    static const char words[] =
        "a journal has 4194304 bytes or more to begin with, and at most 2147483648";
    scene_open(&s);
    s.options.journal_size = 1;
    scene_assert_failed(
        &s, deja_recorder_open(&recorder, s.store, s.plugin, &s.state, &s.options, &s.err),
        DEJA_EMISUSE, words);
    s.options.journal_size = 8u << 20;
    s.options.journal_most = 4u << 20;
    scene_assert_failed(
        &s, deja_recorder_open(&recorder, s.store, s.plugin, &s.state, &s.options, &s.err),
        DEJA_EMISUSE, words);
    s.options.journal_most = 64u << 20;
    s.options.wait = 2;
    scene_assert_failed(
        &s, deja_recorder_open(&recorder, s.store, s.plugin, &s.state, &s.options, &s.err),
        DEJA_EMISUSE, "wait is 0 or 1");
    s.options.wait = 0;
    s.options.journal_folder = "/nowhere/at/all";
    const deja_code code =
        deja_recorder_open(&recorder, s.store, s.plugin, &s.state, &s.options, &s.err);
    cr_assert_eq(code, DEJA_EIO);
    cr_assert_not_null(strstr(s.err.message, "the journal cannot be made"), "%s", s.err.message);
    cr_assert_null(recorder);
    scene_close(&s);
}
