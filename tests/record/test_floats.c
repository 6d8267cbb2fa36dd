/* SPDX-License-Identifier: MIT */
/*
 * A float environment that changes while a session is recorded is a mark with its step (B12).
 */
#include <criterion/criterion.h>
#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#include "record/scene.h"

TestSuite(floats, .timeout = 60);

#define CHANGED "the float environment changed: "

static void add(scene *s, deja_recorder *recorder, uint32_t steps)
{
    for (uint32_t i = 0; i < steps; i++)
        scene_step(s, recorder, LEDGER_ADD, 1);
}

static void assert_marks(scene *s, deja_recorder *recorder, const char *marks)
{
    const deja_id id = scene_end(s, recorder, NULL);
    held *h = scene_read(s, &id);
    cr_assert_str_eq(h->marks, marks);
    free(h);
}

Test(floats, that_round_otherwise_between_two_steps_are_marked_there)
{
    scene s;
    scene_open(&s);
    deja_recorder *recorder = scene_record(&s);
    add(&s, recorder, 10);
    fesetround(FE_TOWARDZERO);
    add(&s, recorder, 5);
    fesetround(FE_UPWARD);
    add(&s, recorder, 5);
    fesetround(FE_TONEAREST);
    add(&s, recorder, 1);
    assert_marks(&s, recorder,
                 "10 " CHANGED "round-zero; 15 " CHANGED "round-up; 20 " CHANGED "round-nearest; ");
    scene_close(&s);
}

Test(floats, that_are_put_back_before_the_next_step_are_not)
{
    scene s;
    scene_open(&s);
    deja_recorder *recorder = scene_record(&s);
    for (uint32_t i = 0; i < 5; i++) {
        add(&s, recorder, 2);
        fesetround(FE_DOWNWARD);
        volatile double third = 1.0;
        third /= 3.0; /* which raises a flag: inexact */
        fesetround(FE_TONEAREST);
        cr_assert_lt(third, 1.0);
    }
    feclearexcept(FE_ALL_EXCEPT);
    add(&s, recorder, 2);
    assert_marks(&s, recorder, "");
    scene_close(&s);
}

Test(floats, that_a_games_own_apply_changes_are_marked_at_that_step)
{
    scene s;
    scene_open(&s);
    deja_recorder *recorder = scene_record(&s);
    const ledger_command command = { LEDGER_ADD, 1, "" };
    for (uint32_t i = 1; i <= 4; i++) {
        deja_out *out = NULL;
        cr_assert_eq(deja_recorder_begin(recorder, &command, NULL, &out, &s.err), DEJA_OK);
        const uint32_t result = s.table.apply(&s.state, &command, out);
        if (i == 3)
            fesetround(FE_DOWNWARD);
        cr_assert_eq(deja_recorder_end(recorder, &s.state, result, &s.err), DEJA_OK);
    }
    assert_marks(&s, recorder, "3 " CHANGED "round-down; ");
    fesetround(FE_TONEAREST);
    scene_close(&s);
}

Test(floats, that_flush_denormals_are_marked_also_of_a_game_without_rules)
{
#if defined(__x86_64__)
    scene s;
    scene_open(&s);
    deja_recorder_options options = DEJA_RECORDER_OPTIONS_INIT;
    deja_recorder *recorder = NULL;
    options.game = "plain";
    cr_assert_eq(deja_recorder_open(&recorder, s.store, NULL, NULL, &options, &s.err), DEJA_OK);
    cr_assert_eq(deja_recorder_note(recorder, "a", 1, 1, &s.err), DEJA_OK);
    const unsigned before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(before | 0x8040u);
    cr_assert_eq(deja_recorder_note(recorder, "b", 1, 2, &s.err), DEJA_OK);
    __builtin_ia32_ldmxcsr(before);
    cr_assert_eq(deja_recorder_note(recorder, "c", 1, 3, &s.err), DEJA_OK);
    assert_marks(&s, recorder, "1 " CHANGED "round-nearest ftz daz; 2 " CHANGED "round-nearest; ");
    scene_close(&s);
#endif
}

Test(floats, that_change_with_every_step_do_not_fill_the_store)
{
    scene s;
    scene_open(&s);
    deja_recorder *recorder = scene_record(&s);
    for (uint32_t i = 0; i < 100; i++) {
        fesetround(i % 2 ? FE_TONEAREST : FE_UPWARD);
        add(&s, recorder, 1);
    }
    const deja_id id = scene_end(&s, recorder, NULL);
    held *h = scene_read(&s, &id);
    uint32_t marks = 0;
    for (const char *at = h->marks; (at = strstr(at, CHANGED)) != NULL; at++)
        marks++;
    cr_assert_eq(marks, 16);
    cr_assert(strstr(h->marks, "15 " CHANGED "round-nearest (and no more of this is marked); "),
              "%s", h->marks);
    free(h);
    scene_close(&s);
}

Test(floats, of_the_next_session_are_those_of_its_own_start)
{
    scene s;
    scene_open(&s);
    fesetround(FE_UPWARD);
    deja_recorder *recorder = scene_record(&s);
    add(&s, recorder, 3);
    fesetround(FE_TONEAREST);
    assert_marks(&s, recorder, "");
    recorder = scene_record(&s);
    add(&s, recorder, 4);
    assert_marks(&s, recorder, "");
    scene_close(&s);
}
