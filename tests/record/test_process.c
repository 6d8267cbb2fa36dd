/* SPDX-License-Identifier: MIT */
/*
 * A recorder in its process: what a step asks of the system, and forked children.
 */
#include <criterion/criterion.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/scene.h"

TestSuite(process, .timeout = 60);

/* ---- what a step may cost ---- */

/* In the child only read, write and exit are left to the thread that plays; a step that asks for
 * anything else, even for memory, is killed. What it has to say goes into a pipe. */
static void play_without_system_calls(int told)
{
    enum { STEPS = 16000 };
    scene s;
    scene_open(&s);
    deja_recorder *recorder = scene_record(&s);
    ledger_command command = { LEDGER_ADD, 1, "" };
    char failed = 77;
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0) {
        failed = 0;
        for (int i = 0; i < STEPS; i++) {
            command.kind = i % 2 ? LEDGER_ADD : LEDGER_ROLL;
            if (deja_recorder_step(recorder, &s.state, &command, NULL, NULL, NULL) != DEJA_OK)
                failed = 1;
        }
    }
    if (write(told, &failed, 1) != 1)
        syscall(SYS_exit, 1);
    syscall(SYS_exit, 0); /* of this thread: the one that folds lives on */
}

Test(process, a_step_makes_no_system_call)
{
    int status, told[2];
    char failed = 1;
    cr_assert_eq(pipe(told), 0);
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        close(told[0]);
        play_without_system_calls(told[1]);
    }
    close(told[1]);
    const ssize_t size = read(told[0], &failed, 1);
    kill(child, SIGKILL);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(size, 1, "a step asked the system for something");
    if (failed == 77)
        cr_skip_test("there is no seccomp here");
    cr_assert_eq(failed, 0);
}

/* ---- forks ---- */

static int child_of_a_recorder(scene *s, deja_recorder *recorder)
{
    const ledger_command command = { LEDGER_ADD, 1, "" };
    deja_id id;
    int wrong = 0;
    wrong += deja_recorder_step(recorder, &s->state, &command, NULL, NULL, &s->err) != DEJA_EMISUSE;
    wrong += strcmp(s->err.message, "in a forked child; only the parent records") != 0;
    wrong += deja_recorder_mark(recorder, "x", NULL) != DEJA_EMISUSE;
    wrong += deja_recorder_section(recorder, "x", 1, NULL) != DEJA_EMISUSE;
    wrong += deja_recorder_close(recorder, NULL, &id, &s->err) != DEJA_EMISUSE;
    wrong += strcmp(s->err.message, "in a forked child; only the parent records") != 0;
    return wrong;
}

Test(process, a_forked_child_records_nothing_and_harms_nothing)
{
    scene s;
    int status = -1;
    scene_open(&s);
    deja_recorder *recorder = scene_record(&s);
    scene_step(&s, recorder, LEDGER_ADD, 1);
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0)
        _exit(child_of_a_recorder(&s, recorder));
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
    scene_step(&s, recorder, LEDGER_ADD, 2);
    const deja_id id = scene_end(&s, recorder, NULL);
    held *h = scene_read(&s, &id);
    cr_assert_str_eq(h->commands, "add n=1; add n=2; ");
    free(h);
    const uint64_t sessions = scene_sessions(&s, NULL);
    cr_assert_eq(sessions, 1);
    scene_close(&s);
}
