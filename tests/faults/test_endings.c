/* SPDX-License-Identifier: MIT */
/*
 * The other ways in which a process that records can end: none loses a step.
 */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "faults/kills.h"
#include "support/demand.h"

enum { SESSIONS = 3, STEPS = 2000 };

static scene s;

static void open_scene(void)
{
    scene_open(&s, SESSIONS, STEPS);
    scene_reset(&s, false);
}

static void close_scene(void)
{
    scene_close(&s);
}

TestSuite(endings, .init = open_scene, .fini = close_scene, .timeout = 300);

/* The last session, as a reader finds it. */
static kept_one last_session(kept_all *all)
{
    kept_read_at(all, s.path, "the last session");
    const kept_one *one = kept_of(all, s.seed + SESSIONS - 1);
    cr_assert_not_null(one, "it is not there");
    return *one;
}

/* It left in the midst of the last session. */
static void assert_left(const char *how)
{
    kept_all all;
    const int status = scene_play(&s, how);
    cr_assert_eq(status, 0, "status %#x: %s", status, s.witness->why);
    const kept_one last = last_session(&all);
    cr_assert_eq(last.steps, STEPS / 2u);
    cr_assert_eq(last.ended, DEJA_ENDED_UNFINISHED);
    kept_release(&all);
    scene_examine(&s, false, how);
}

Test(endings, exit_in_a_session_leaves_it_unfinished)
{
    assert_left("leave");
}

Test(endings, a_return_from_main_leaves_it_unfinished)
{
    assert_left("return");
}

/* It died in apply, in the last command of all, which must be there. */
static void assert_died(const char *how, int signal)
{
    kept_all all;
    const int status = scene_play(&s, how);
    if (signal)
        cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == signal, "status %#x", status);
    else
        cr_assert_eq(status, 0, "status %#x: %s", status, s.witness->why);
    cr_assert_eq((uint64_t)s.witness->steps, STEPS - 1u);
    const kept_one last = last_session(&all);
    cr_assert_eq(last.steps, (uint64_t)STEPS);
    cr_assert_eq(last.ended, DEJA_ENDED_CRASHED);
    kept_release(&all);
    scene_examine(&s, false, how);
}

Test(endings, abort_in_apply_leaves_the_command_that_did_it)
{
    assert_died("abort", SIGABRT);
}

Test(endings, a_bad_store_in_apply_leaves_the_command_that_did_it)
{
    assert_died("fault", SIGSEGV);
}

Test(endings, exit_in_apply_leaves_the_command_that_did_it)
{
    assert_died("quit", 0);
}

Test(endings, _exit_in_apply_leaves_the_command_that_did_it)
{
    assert_died("vanish", 0);
}

Test(endings, a_session_that_is_never_closed_is_unfinished_and_the_others_are_whole)
{
    kept_all all;
    const int status = scene_play(&s, "forget");
    cr_assert_eq(status, 0, "status %#x: %s", status, s.witness->why);
    kept_read_at(&all, s.path, "forget");
    for (uint64_t place = 0; place < SESSIONS; place++) {
        const kept_one *one = kept_of(&all, s.seed + place);
        const kept_one *whole = kept_of(&s.whole, s.seed + place);
        cr_assert_not_null(one, "session %d", (int)place);
        cr_assert(kept_begins(one, whole) && one->steps == STEPS);
        cr_assert_eq(one->ended, place ? DEJA_ENDED_RUNNING : DEJA_ENDED_UNFINISHED);
    }
    scene_verify(&s, &all, "forget");
    scene_write(&s, &all, "forget");
    kept_release(&all);
}

Test(endings, a_forked_childs_calls_fail_and_its_parent_records_on)
{
    const int status = scene_play(&s, "fork");
    cr_assert_eq(status, 0, "status %#x: %s", status, s.witness->why);
    cr_assert_eq((uint64_t)s.witness->closed, (uint64_t)SESSIONS);
    scene_examine(&s, false, "fork");
}

#if !defined(__SANITIZE_ADDRESS__)
Test(endings, want_of_memory_loses_no_step_that_returned)
{
    unsigned refused = 0;
    scene_close(&s);
    scene_open(&s, 1, STEPS);
    for (unsigned kib = 0; kib <= 4096; kib += 256) {
        char how[32];
        snprintf(how, sizeof how, "starve:%u", kib);
        scene_reset(&s, false);
        const int status = scene_play(&s, how);
        /* A stack that cannot grow ends a process, too. */
        cr_assert(status == 0 || WIFSIGNALED(status), "%s: status %#x: %s", how, status,
                  s.witness->why);
        refused += s.witness->closed == 0;
        scene_examine(&s, false, how);
    }
    cr_assert_gt(refused, 0u);
}
#endif
