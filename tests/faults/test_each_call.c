/* SPDX-License-Identifier: MIT */
/*
 * A recording is killed at each of its system calls in turn, before the call and behind it: so
 * between any two things that it does to a file.
 *
 * FAULTS_LONG=1 takes every one; else some thirty. Where no process may be traced, the test is
 * skipped, and says so.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faults/kills.h"
#include "support/demand.h"

enum { SYSTEM_CALL = SIGTRAP | 0x80 };

/* Goes on behind a stop; what was a signal of its own is handed over. */
static void resume(pid_t thread, int status)
{
    const int signal = WSTOPSIG(status);
    const bool own = signal != SYSTEM_CALL && signal != SIGTRAP && signal != SIGSTOP;
    ptrace(PTRACE_SYSCALL, thread, NULL, (void *)(intptr_t)(own ? signal : 0));
}

/* @return false: it may not be traced */
static bool attach(pid_t child)
{
    const intptr_t options =
        PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK;
    int status = 0;
    demand(waitpid(child, &status, 0) == child, "no child");
    if (!WIFSTOPPED(status))
        return false;
    if (ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)options) == 0) {
        resume(child, status);
        return true;
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return false;
}

/* Stops it at the nth stop at a call and kills it; 0: lets it go on to its end.
 * @return how many stops there were; -1: it may not be traced */
static int64_t kill_at_stop(const scene *s, int64_t nth)
{
    const pid_t child = scene_start(s, "play", true);
    int64_t stops = 0;
    if (!attach(child))
        return -1;
    for (;;) {
        int status = 0;
        const pid_t thread = waitpid(-1, &status, __WALL);
        demand(thread > 0, "the player is gone: %d", errno);
        if (WIFSTOPPED(status)) {
            stops += WSTOPSIG(status) == SYSTEM_CALL;
            if (stops == nth && nth)
                kill(child, SIGKILL);
            resume(thread, status);
        } else if (thread == child) {
            return stops;
        }
    }
}

static void kill_at_each(scene *s, bool empty)
{
    scene_reset(s, empty);
    const int64_t all = kill_at_stop(s, 0);
    if (all < 0)
        cr_skip_test("no process may be traced here: nothing is killed at its system calls");
    cr_assert_gt(all, 100);
    scene_examine(s, empty, "traced, not killed");
    /* An odd stride takes stops before and behind calls. */
    const int64_t stride = getenv("FAULTS_LONG") ? 1 : all / 15 | 1;
    for (int64_t nth = 1; nth <= all; nth += stride) {
        char where[64];
        scene_reset(s, empty);
        kill_at_stop(s, nth);
        snprintf(where, sizeof where, "killed at stop %lld of %lld", (long long)nth,
                 (long long)all);
        scene_examine(s, empty, where);
    }
}

TestSuite(each_call, .timeout = 7200);

Test(each_call, of_a_recording_into_a_store_may_be_its_last)
{
    scene s;
    scene_open(&s, 2, 40);
    kill_at_each(&s, false);
    scene_close(&s);
}

Test(each_call, of_a_recording_that_makes_its_store_may_be_its_last)
{
    scene s;
    scene_open(&s, 2, 40);
    kill_at_each(&s, true);
    scene_close(&s);
}
