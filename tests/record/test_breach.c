/* SPDX-License-Identifier: MIT */
/*
 * Rules that break their contract while they are recorded.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/scene.h"

TestSuite(breach, .timeout = 60);

/* Plays a good step and then the breach. Everything up to it is kept, and its command too. */
static void assert_breach(uint32_t kind, const char *message)
{
    scene s;
    deja_id id;
    char mark[256];
    const ledger_command command = { (uint16_t)kind, 0, "" };
    scene_open(&s);
    deja_recorder *recorder = scene_record(&s);
    scene_step(&s, recorder, LEDGER_ADD, 1);
    deja_code code = deja_recorder_step(recorder, &s.state, &command, NULL, NULL, &s.err);
    scene_assert_failed(&s, code, DEJA_ERULES, message);
    cr_assert_eq(s.err.step, 2);

    char again[512];
    snprintf(again, sizeof again, "the recording ended before step 2: %s", message);
    const ledger_command good = { LEDGER_ADD, 1, "" };
    const int64_t gold = s.state.gold;
    code = deja_recorder_step(recorder, &s.state, &good, NULL, NULL, &s.err);
    scene_assert_failed(&s, code, DEJA_ERULES, again);
    cr_assert_eq(s.state.gold, gold, "a failed recorder plays nothing");
    code = deja_recorder_mark(recorder, "x", &s.err);
    scene_assert_failed(&s, code, DEJA_ERULES, again);
    code = deja_recorder_close(recorder, "rich", &id, &s.err);
    scene_assert_failed(&s, code, DEJA_ERULES, again);

    held *h = scene_read(&s, &id);
    cr_assert_eq(h->steps, 2);
    cr_assert_eq(h->trail_count, 2);
    cr_assert_eq(h->ended, DEJA_ENDED_CRASHED);
    cr_assert_str_eq(h->outcome, "");
    snprintf(mark, sizeof mark, "2 broken off: %s; ", message);
    cr_assert_str_eq(h->marks, mark);
    free(h);
    scene_close(&s);
}

Test(breach, a_result_that_has_no_name)
{
    assert_breach(LEDGER_LIAR, "apply answered 9, and there are 3 refusals");
}

Test(breach, a_refusal_that_says_what_happened)
{
    assert_breach(LEDGER_NOISY, "apply refused, and emitted an event");
}

Test(breach, an_event_that_breaks_its_description)
{
    assert_breach(LEDGER_RAW, "event 1: text: text that is not UTF-8");
}

Test(breach, a_state_that_breaks_its_description)
{
    assert_breach(LEDGER_SWOLLEN, "the state: 'rolls' has 5 values, its most is 4");
}

Test(breach, an_event_that_comes_after_its_step)
{
    scene s;
    deja_id id;
    const ledger_command command = { LEDGER_ADD, 1, "" };
    const ledger_event late = { 1, 0, 0, "late" };
    deja_out *out = NULL;
    scene_open(&s);
    deja_recorder *recorder = scene_record(&s);
    deja_code code = deja_recorder_begin(recorder, &command, NULL, &out, &s.err);
    cr_assert_eq(code, DEJA_OK);
    code = deja_recorder_end(recorder, &s.state, 0, &s.err);
    cr_assert_eq(code, DEJA_OK);
    deja_emit(out, &late);
    code = deja_recorder_step(recorder, &s.state, &command, NULL, NULL, &s.err);
    scene_assert_failed(&s, code, DEJA_ERULES, "event 1: emitted to an out of a call that is over");
    code = deja_recorder_close(recorder, NULL, &id, &s.err);
    cr_assert_eq(code, DEJA_ERULES);
    scene_close(&s);
}

Test(breach, a_command_that_breaks_its_description_is_not_played)
{
    scene s;
    deja_id id;
    ledger_command command = { LEDGER_SAY, 0, "" };
    uint32_t result = 77;
    scene_open(&s);
    deja_recorder *recorder = scene_record(&s);
    scene_step(&s, recorder, LEDGER_ADD, 1);
    memset(command.text, 'x', sizeof command.text);
    const ledger before = s.state;
    deja_code code = deja_recorder_step(recorder, &s.state, &command, NULL, &result, &s.err);
    cr_assert_eq(code, DEJA_ERULES);
    cr_assert_eq(strncmp(s.err.message, "the command: ", 13), 0, "%s", s.err.message);
    cr_assert_eq(memcmp(&before, &s.state, sizeof before), 0);
    cr_assert_eq(result, 77);
    code = deja_recorder_close(recorder, NULL, &id, &s.err);
    cr_assert_eq(code, DEJA_ERULES);
    held *h = scene_read(&s, &id);
    cr_assert_eq(h->steps, 1);
    cr_assert_eq(h->ended, DEJA_ENDED_UNFINISHED);
    cr_assert_str_eq(h->marks, "");
    free(h);
    scene_close(&s);
}

Test(breach, text_in_a_command_that_is_not_utf8_is_no_command)
{
    scene s;
    deja_id id;
    const ledger_command command = { LEDGER_SAY, 0, "\xff" };
    scene_open(&s);
    deja_recorder *recorder = scene_record(&s);
    deja_code code = deja_recorder_step(recorder, &s.state, &command, NULL, NULL, &s.err);
    cr_assert_eq(code, DEJA_ERULES);
    code = deja_recorder_close(recorder, NULL, &id, &s.err);
    cr_assert_eq(code, DEJA_ERULES);
    held *h = scene_read(&s, &id);
    cr_assert_eq(h->steps, 0);
    free(h);
    scene_close(&s);
}
