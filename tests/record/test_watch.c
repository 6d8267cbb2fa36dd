/* SPDX-License-Identifier: MIT */
/*
 * A state that something changes outside of apply is told of while it is recorded.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "record/reports.h"

static scene s;
static reports r;

static void open_scene(void)
{
    scene_open(&s);
    reports_listen(&r, &s);
}

static void close_scene(void)
{
    scene_close(&s);
}

TestSuite(watch, .init = open_scene, .fini = close_scene, .timeout = 60);

#define CHANGED "changed outside apply: "

static deja_recorder *record_watched(uint64_t every)
{
    s.options.watch = every;
    return scene_record(&s);
}

static void add(deja_recorder *recorder, uint32_t steps)
{
    for (uint32_t i = 0; i < steps; i++)
        scene_step(&s, recorder, LEDGER_ADD, 1);
}

/* ---- what is found ---- */

Test(watch, tells_the_field_that_changed_between_two_steps_with_both_values)
{
    deja_recorder *recorder = record_watched(1);
    add(recorder, 2);
    s.state.gold += 3;
    add(recorder, 2);
    reports_assert(&r, &s, recorder, "2 " CHANGED "gold 12 -> 15; ", 1);
}

Test(watch, tells_how_many_fields_more_have_changed)
{
    deja_recorder *recorder = record_watched(1);
    add(recorder, 1);
    s.state.gold = -1;
    s.state.side = 0;
    s.state.rolls[s.state.roll_count++] = 7;
    add(recorder, 1);
    reports_assert(&r, &s, recorder, "1 " CHANGED "gold 11 -> -1 (and 2 more); ", 1);
}

Test(watch, sees_a_start_state_that_changes_before_the_first_step)
{
    deja_recorder *recorder = record_watched(5);
    s.state.gold = 100;
    add(recorder, 3);
    reports_assert(&r, &s, recorder, "0 " CHANGED "gold 10 -> 100; ", 1);
}

Test(watch, holds_what_comes_later_against_what_the_state_has_become)
{
    deja_recorder *recorder = record_watched(1);
    add(recorder, 1);
    s.state.gold = 50;
    add(recorder, 5);
    s.state.gold = 60;
    add(recorder, 1);
    reports_assert(&r, &s, recorder, "1 " CHANGED "gold 11 -> 50; 6 " CHANGED "gold 55 -> 60; ", 2);
}

Test(watch, finds_what_goes_on_within_k_steps)
{
    deja_recorder *recorder = record_watched(4);
    add(recorder, 5);
    for (uint32_t i = 0; i < 8; i++) {
        s.state.gold += 10;
        add(recorder, 1);
    }
    reports_assert(&r, &s, recorder, "8 " CHANGED "gold 48 -> 58; 12 " CHANGED "gold 92 -> 102; ",
                   2);
}

Test(watch, does_not_see_what_happens_once_where_no_look_follows)
{
    deja_recorder *recorder = record_watched(4);
    add(recorder, 2);
    s.state.gold += 10;
    add(recorder, 7);
    reports_assert(&r, &s, recorder, "", 0);
}

Test(watch, says_what_a_change_has_broken_before_the_step_fails_by_it)
{
    const ledger_command command = { LEDGER_ADD, 1, "" };
    deja_recorder *recorder = record_watched(1);
    add(recorder, 2);
    s.state.roll_count = 9;
    const deja_code code = deja_recorder_step(recorder, &s.state, &command, NULL, NULL, &s.err);
    scene_assert_failed(&s, code, DEJA_ERULES, "the state: 'rolls' has 9 values, its most is 4");
    cr_assert_str_eq(r.text, "2 " CHANGED "'rolls' has 9 values, its most is 4; ");
    cr_assert_eq(deja_recorder_close(recorder, NULL, NULL, NULL), DEJA_ERULES);
}

/* ---- what is none ---- */

Test(watch, finds_nothing_in_a_game_that_only_apply_changes)
{
    deja_recorder *recorder = record_watched(1);
    for (uint32_t i = 0; i < 50; i++) {
        scene_step(&s, recorder, LEDGER_ROLL, 0);
        scene_step(&s, recorder, LEDGER_SAY, 0);
        cr_assert_eq(scene_step(&s, recorder, LEDGER_ADD, -100000), LEDGER_POOR);
    }
    reports_assert(&r, &s, recorder, "", 0);
}

Test(watch, does_not_mind_memory_that_is_no_field)
{
    deja_recorder *recorder = record_watched(1);
    add(recorder, 2);
    s.state.rolls[3] = 9; /* the list has none yet */
    add(recorder, 2);
    reports_assert(&r, &s, recorder, "", 0);
}

Test(watch, that_is_off_looks_at_nothing)
{
    deja_recorder *recorder = scene_record(&s);
    add(recorder, 2);
    s.state.gold = 15;
    cr_assert_eq(deja_recorder_watch(recorder, &s.state, &s.err), DEJA_OK);
    add(recorder, 2);
    reports_assert(&r, &s, recorder, "", 0);
}

/* ---- how it is told ---- */

Test(watch, counts_what_changes_with_every_frame_and_marks_some_of_it)
{
    deja_recorder *recorder = record_watched(1);
    for (uint32_t i = 0; i < 100; i++) {
        s.state.gold += 10;
        add(recorder, 1);
    }
    cr_assert_eq(r.count, 16);
    cr_assert(strstr(r.text, "; 14 " CHANGED "gold 164 -> 174; "), "%s", r.text);
    cr_assert(strstr(r.text, "; 15 " CHANGED "gold 175 -> 185; no more of this is marked; "), "%s",
              r.text);
    cr_assert_eq(deja_recorder_findings(recorder), 100);
    const deja_id id = scene_end(&s, recorder, NULL);
    held *h = scene_read(&s, &id);
    cr_assert_str_eq(h->marks, r.text);
    cr_assert_eq(h->steps, 100);
    free(h);
}

Test(watch, marks_also_where_nobody_listens)
{
    s.options.report = NULL;
    deja_recorder *recorder = record_watched(1);
    s.state.gold = 15;
    add(recorder, 1);
    const deja_id id = scene_end(&s, recorder, NULL);
    held *h = scene_read(&s, &id);
    cr_assert_str_eq(h->marks, "0 " CHANGED "gold 10 -> 15; ");
    free(h);
}

Test(watch, counts_anew_in_each_session)
{
    deja_recorder *recorder = record_watched(1);
    s.state.gold = 15;
    add(recorder, 1);
    reports_assert(&r, &s, recorder, "0 " CHANGED "gold 10 -> 15; ", 1);
    reports_listen(&r, &s);
    recorder = record_watched(1);
    add(recorder, 1);
    reports_assert(&r, &s, recorder, "", 0);
}

/* ---- a game's own apply ---- */

static void step_myself(deja_recorder *recorder)
{
    const ledger_command command = { LEDGER_ADD, 1, "" };
    deja_out *out = NULL;
    cr_assert_eq(deja_recorder_begin(recorder, &command, NULL, &out, &s.err), DEJA_OK);
    const uint32_t result = s.table.apply(&s.state, &command, out);
    cr_assert_eq(deja_recorder_end(recorder, &s.state, result, &s.err), DEJA_OK);
}

static void look(deja_recorder *recorder)
{
    const deja_code code = deja_recorder_watch(recorder, &s.state, &s.err);
    cr_assert_eq(code, DEJA_OK, "%s", s.err.message);
}

Test(watch, of_a_games_own_apply_looks_when_it_is_asked_to)
{
    deja_recorder *recorder = record_watched(1);
    step_myself(recorder);
    look(recorder);
    s.state.gold = 20;
    cr_assert_eq(r.count, 0);
    look(recorder);
    cr_assert_str_eq(r.text, "1 " CHANGED "gold 11 -> 20; ");
    look(recorder);
    step_myself(recorder);
    look(recorder);
    reports_assert(&r, &s, recorder, "1 " CHANGED "gold 11 -> 20; ", 1);
}

Test(watch, of_a_games_own_apply_is_due_behind_every_kth_step)
{
    deja_recorder *recorder = record_watched(3);
    for (uint32_t i = 0; i < 7; i++) {
        look(recorder);
        step_myself(recorder);
        s.state.gold += 10;
    }
    look(recorder);
    reports_assert(&r, &s, recorder, "3 " CHANGED "gold 33 -> 43; 6 " CHANGED "gold 66 -> 76; ", 2);
}

/* ---- misuse ---- */

Test(watch, does_not_look_within_a_step_or_at_nothing)
{
    const ledger_command command = { LEDGER_ADD, 1, "" };
    deja_out *out = NULL;
    deja_recorder *recorder = record_watched(1);
    scene_assert_failed(&s, deja_recorder_watch(NULL, &s.state, &s.err), DEJA_EMISUSE,
                        "there is no recorder");
    scene_assert_failed(&s, deja_recorder_watch(recorder, NULL, &s.err), DEJA_EMISUSE,
                        "there is no state to look at");
    cr_assert_eq(deja_recorder_begin(recorder, &command, NULL, &out, &s.err), DEJA_OK);
    scene_assert_failed(&s, deja_recorder_watch(recorder, &s.state, &s.err), DEJA_EMISUSE,
                        "step 1 began and has not ended");
    cr_assert_eq(deja_recorder_end(recorder, &s.state, 0, &s.err), DEJA_OK);
    cr_assert_eq(deja_recorder_findings(NULL), 0);
    reports_assert(&r, &s, recorder, "", 0);
}

Test(watch, needs_a_state_that_is_described)
{
    deja_recorder_options options = DEJA_RECORDER_OPTIONS_INIT;
    deja_recorder *recorder = NULL;
    options.game = "plain";
    options.watch = 1;
    const deja_code code = deja_recorder_open(&recorder, s.store, NULL, NULL, &options, &s.err);
    scene_assert_failed(&s, code, DEJA_EMISUSE,
                        "watch and self_check need a plugin that describes the state");
    cr_assert_null(recorder);
}
