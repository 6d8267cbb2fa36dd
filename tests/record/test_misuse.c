/* SPDX-License-Identifier: MIT */
/*
 * What goes wrong while recording: calls that make no sense, and a disk that is full.
 */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "record/scene.h"

TestSuite(misuse, .timeout = 60);

/* ---- opening ---- */

static void assert_no_open(scene *s, deja_store *store, deja_plugin *plugin, const void *state,
                           const deja_recorder_options *options, const char *message)
{
    deja_recorder *recorder = (deja_recorder *)s;
    const deja_code code = deja_recorder_open(&recorder, store, plugin, state, options, &s->err);
    scene_assert_failed(s, code, DEJA_EMISUSE, message);
    cr_assert_null(recorder);
}

Test(misuse, options_out_of_range_open_nothing)
{
    scene s;
    scene_open(&s);
    assert_no_open(&s, NULL, s.plugin, &s.state, &s.options, "there is no store to record into");
    assert_no_open(&s, s.store, s.plugin, NULL, &s.options, "the start state is missing");
    assert_no_open(&s, s.store, s.plugin, &s.state, NULL, "the options are missing");
    deja_recorder_options o = s.options;
    o.struct_size = 0;
    assert_no_open(&s, s.store, s.plugin, &s.state, &o,
                   "the options do not say their size; start from _INIT");
    o = s.options;
    o.trail_bits = 24;
    assert_no_open(&s, s.store, s.plugin, &s.state, &o, "a trail has 8, 16, 32 or 64 bits, not 24");
    o = s.options;
    o.trail_every = 0;
    assert_no_open(&s, s.store, s.plugin, &s.state, &o, "a trail takes every Kth step, K from 1");
    o = s.options;
    o.from_state = 2;
    assert_no_open(&s, s.store, s.plugin, &s.state, &o, "from_state is 0 or 1, and reserved is 0");
    o = s.options;
    o.made = "two\nlines";
    assert_no_open(&s, s.store, s.plugin, &s.state, &o,
                   "'made' is one line of UTF-8 of at most 1000 bytes");
    o = s.options;
    o.game = "other";
    assert_no_open(&s, s.store, s.plugin, &s.state, &o,
                   "game, version and start_hash are for games without a plugin");
    const uint64_t sessions = scene_sessions(&s, NULL);
    cr_assert_eq(sessions, 0);
    scene_close(&s);
}

Test(misuse, options_of_a_newer_deja_are_taken_if_they_ask_for_nothing_new)
{
    struct {
        deja_recorder_options known;
        uint64_t later;
    } newer;
    scene s;
    deja_recorder *recorder = NULL;
    scene_open(&s);
    newer.known = s.options;
    newer.known.struct_size = sizeof newer;
    newer.later = 1;
    assert_no_open(&s, s.store, s.plugin, &s.state, &newer.known,
                   "the options set what this deja does not know");
    newer.later = 0;
    const deja_code code =
        deja_recorder_open(&recorder, s.store, s.plugin, &s.state, &newer.known, &s.err);
    cr_assert_eq(code, DEJA_OK, "%s", s.err.message);
    scene_end(&s, recorder, NULL);
    scene_close(&s);
}

Test(misuse, a_game_without_a_plugin_has_an_id_and_no_state)
{
    scene s;
    scene_open(&s);
    deja_recorder_options o = DEJA_RECORDER_OPTIONS_INIT;
    assert_no_open(&s, s.store, NULL, NULL, &o, "without a plugin the game's id has to be said");
    o.game = "raw";
    assert_no_open(&s, s.store, NULL, &s.state, &o,
                   "state and config need a plugin that describes them");
    o.config = &s.state;
    assert_no_open(&s, s.store, NULL, NULL, &o,
                   "state and config need a plugin that describes them");
    o.config = NULL;
    o.version = "\x1b[31m";
    assert_no_open(&s, s.store, NULL, NULL, &o,
                   "'version' is one line of UTF-8 of at most 1000 bytes");
    scene_close(&s);
}

Test(misuse, a_start_state_that_breaks_its_description_is_refused)
{
    scene s;
    deja_recorder *recorder = NULL;
    scene_open(&s);
    s.state.roll_count = 5;
    const deja_code code =
        deja_recorder_open(&recorder, s.store, s.plugin, &s.state, &s.options, &s.err);
    cr_assert_eq(code, DEJA_ERULES);
    cr_assert_eq(strncmp(s.err.message, "the state: ", 11), 0, "%s", s.err.message);
    cr_assert_not_null(strstr(s.err.message, "rolls"));
    scene_close(&s);
}

/* ---- in the wrong order ---- */

Test(misuse, steps_are_begun_and_ended_in_turn)
{
    scene s;
    const ledger_command command = { LEDGER_ADD, 1, "" };
    deja_out *out = NULL;
    scene_open(&s);
    deja_recorder *recorder = scene_record(&s);
    deja_code code = deja_recorder_end(recorder, &s.state, 0, &s.err);
    scene_assert_failed(&s, code, DEJA_EMISUSE, "no step began");
    code = deja_recorder_begin(recorder, &command, NULL, NULL, &s.err);
    scene_assert_failed(&s, code, DEJA_EMISUSE, "a step needs a command, and a place for its out");
    code = deja_recorder_begin(recorder, &command, NULL, &out, &s.err);
    cr_assert_eq(code, DEJA_OK);
    code = deja_recorder_begin(recorder, &command, NULL, &out, &s.err);
    scene_assert_failed(&s, code, DEJA_EMISUSE, "step 1 began and has not ended");
    cr_assert_eq(s.err.step, 1);
    code = deja_recorder_step(recorder, &s.state, &command, NULL, NULL, &s.err);
    scene_assert_failed(&s, code, DEJA_EMISUSE, "step 1 began and has not ended");
    code = deja_recorder_end(recorder, NULL, 0, &s.err);
    scene_assert_failed(&s, code, DEJA_EMISUSE, "a step ends with a state");
    code = deja_recorder_end(recorder, &s.state, 0, &s.err);
    cr_assert_eq(code, DEJA_OK, "a wrong call harms nothing: %s", s.err.message);
    code = deja_recorder_step(recorder, NULL, &command, NULL, NULL, &s.err);
    scene_assert_failed(&s, code, DEJA_EMISUSE, "a step needs a state and a command");
    code = deja_recorder_note(recorder, "", 1, 0, &s.err);
    scene_assert_failed(&s, code, DEJA_EMISUSE, "with a plugin steps are played, not noted");
    scene_end(&s, recorder, NULL);
    scene_close(&s);
}

Test(misuse, closing_within_a_step_keeps_its_command_as_one_that_did_not_return)
{
    scene s;
    deja_id id;
    const ledger_command command = { LEDGER_ROLL, 0, "" };
    deja_out *out = NULL;
    scene_open(&s);
    deja_recorder *recorder = scene_record(&s);
    scene_step(&s, recorder, LEDGER_ADD, 1);
    cr_assert_eq(deja_recorder_begin(recorder, &command, NULL, &out, &s.err), DEJA_OK);
    const deja_code code = deja_recorder_close(recorder, NULL, &id, &s.err);
    scene_assert_failed(&s, code, DEJA_EMISUSE,
                        "closed within step 2, which is kept as one that did not return");
    held *h = scene_read(&s, &id);
    cr_assert_str_eq(h->commands, "add n=1; roll; ");
    cr_assert_eq(h->ended, DEJA_ENDED_CRASHED);
    cr_assert_eq(h->trail_count, 2);
    free(h);
    scene_close(&s);
}

Test(misuse, without_a_plugin_steps_are_noted)
{
    scene s;
    const ledger_command command = { LEDGER_ADD, 1, "" };
    deja_recorder *recorder = NULL;
    deja_out *out;
    scene_open(&s);
    deja_recorder_options o = DEJA_RECORDER_OPTIONS_INIT;
    o.game = "raw";
    deja_code code = deja_recorder_open(&recorder, s.store, NULL, NULL, &o, &s.err);
    cr_assert_eq(code, DEJA_OK);
    code = deja_recorder_step(recorder, &s.state, &command, NULL, NULL, &s.err);
    scene_assert_failed(&s, code, DEJA_EMISUSE, "without a plugin steps are noted, not played");
    code = deja_recorder_begin(recorder, &command, NULL, &out, &s.err);
    scene_assert_failed(&s, code, DEJA_EMISUSE, "without a plugin steps are noted, not played");
    code = deja_recorder_note(recorder, NULL, 1, 0, &s.err);
    scene_assert_failed(&s, code, DEJA_EMISUSE, "the bytes are missing");
    code = deja_recorder_note(recorder, &s, (1u << 24) + 1, 0, &s.err);
    scene_assert_failed(&s, code, DEJA_ELIMIT,
                        "the command has 16777217 bytes; the most are 16777216");
    scene_end(&s, recorder, NULL);
    scene_close(&s);
}

Test(misuse, names_and_texts_out_of_range)
{
    scene s;
    char longest[1002];
    scene_open(&s);
    deja_recorder *recorder = scene_record(&s);
    memset(longest, 'x', 1001);
    longest[1001] = 0;
    const char *const marks[] = { longest, "two\nlines", "\xff", "\x1b[31m", NULL };
    for (int i = 0; i < 5; i++) {
        const deja_code code = deja_recorder_mark(recorder, marks[i], &s.err);
        scene_assert_failed(&s, code, DEJA_EMISUSE,
                            "a mark is one line of UTF-8 of at most 1000 bytes");
    }
    deja_code code = deja_recorder_mark(recorder, "see: gold=1", &s.err);
    scene_assert_failed(&s, code, DEJA_EMISUSE, "a mark does not begin with 'see: '");
    longest[1000] = 0;
    code = deja_recorder_mark(recorder, longest, &s.err);
    cr_assert_eq(code, DEJA_OK);
    const char *const names[] = { "", "a b", "0", NULL };
    for (int i = 0; i < 4; i++) {
        code = deja_recorder_section(recorder, names[i], 0, &s.err);
        scene_assert_failed(&s, code, DEJA_EMISUSE, "a section has a name as fields have");
    }
    scene_end(&s, recorder, NULL);
    scene_close(&s);
}

Test(misuse, nobodys_recorder)
{
    scene s;
    deja_id id;
    scene_open(&s);
    deja_code code = deja_recorder_step(NULL, &s.state, &s.state, NULL, NULL, &s.err);
    scene_assert_failed(&s, code, DEJA_EMISUSE, "there is no recorder");
    code = deja_recorder_close(NULL, NULL, &id, &s.err);
    cr_assert_eq(code, DEJA_OK);
    cr_assert_eq(deja_recorder_steps(NULL), 0);
    scene_close(&s);
}

/* ---- ends ---- */

Test(misuse, an_outcome_that_the_game_does_not_have_leaves_the_session_unfinished)
{
    static const char *const outcomes[] = { "poor", "running", "crashed", "" };
    for (int i = 0; i < 4; i++) {
        scene s;
        deja_id id;
        scene_open(&s);
        deja_recorder *recorder = scene_record(&s);
        scene_step(&s, recorder, LEDGER_ADD, 1);
        const deja_code code = deja_recorder_close(recorder, outcomes[i], &id, &s.err);
        cr_assert_eq(code, DEJA_EMISUSE);
        cr_assert_not_null(strstr(s.err.message, "is no outcome of this game"));
        held *h = scene_read(&s, &id);
        cr_assert_eq(h->ended, DEJA_ENDED_UNFINISHED);
        cr_assert_eq(h->steps, 1);
        free(h);
        scene_close(&s);
    }
}

Test(misuse, a_game_without_a_plugin_has_no_outcome_of_a_reserved_name)
{
    scene s;
    deja_id id;
    deja_recorder *recorder = NULL;
    scene_open(&s);
    deja_recorder_options o = DEJA_RECORDER_OPTIONS_INIT;
    o.game = "raw";
    cr_assert_eq(deja_recorder_open(&recorder, s.store, NULL, NULL, &o, &s.err), DEJA_OK);
    const deja_code code = deja_recorder_close(recorder, "running", &id, &s.err);
    scene_assert_failed(&s, code, DEJA_EMISUSE,
                        "'running' is no outcome of this game; stored as unfinished");
    scene_close(&s);
}

/* ---- a disk that is full ---- */

enum { NO_ROOM_STEPS = 2 * 16384 + 5000 };

/* Plays more than two blocks, with a disk that takes nothing more. */
static void play_without_room(scene *s, deja_recorder *recorder)
{
    const struct rlimit none = { 4096, RLIM_INFINITY };
    const ledger_command command = { LEDGER_ADD, 1, "" };
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
    for (int i = 0; i < NO_ROOM_STEPS; i++) {
        const deja_code code =
            deja_recorder_step(recorder, &s->state, &command, NULL, NULL, &s->err);
        cr_assert_eq(code, DEJA_OK, "%s", s->err.message);
    }
}

static void make_room(void)
{
    const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &all), 0);
}

Test(misuse, what_a_full_disk_does_not_take_stays_in_the_journal_until_it_does)
{
    scene s;
    deja_id id;
    scene_open(&s);
    deja_recorder *recorder = scene_record(&s);
    play_without_room(&s, recorder);
    make_room();
    cr_assert_eq(deja_recorder_close(recorder, NULL, &id, &s.err), DEJA_OK, "%s", s.err.message);
    held *h = scene_read(&s, &id);
    cr_assert_eq(h->steps, NO_ROOM_STEPS);
    cr_assert_eq(h->ended, DEJA_ENDED_RUNNING);
    free(h);
    scene_close(&s);
}

Test(misuse, a_disk_that_stays_full_leaves_a_journal_that_is_named)
{
    scene s;
    deja_id id;
    scene_open(&s);
    deja_recorder *recorder = scene_record(&s);
    play_without_room(&s, recorder);
    const deja_code code = deja_recorder_close(recorder, NULL, &id, &s.err);
    cr_assert_eq(code, DEJA_EIO);
    cr_assert_not_null(strstr(s.err.message, "what is not in the store is kept in "), "%s",
                       s.err.message);
    cr_assert_not_null(strstr(s.err.message, ".journal"), "%s", s.err.message);
    make_room();
    const uint64_t sessions = scene_sessions(&s, NULL);
    cr_assert_eq(sessions, 0);
    scene_close(&s);
}
