/* SPDX-License-Identifier: MIT */
/*
 * A process that records is killed at any moment: no step that returned is lost (B81).
 *
 * A failure names its round. FAULTS_LONG=1 kills far more often.
 */
#include <criterion/criterion.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faults/disk.h"
#include "faults/kills.h"
#include "support/demand.h"

TestSuite(kill, .timeout = 7200);

/* When to kill: `pause` microseconds behind the moment when so many sessions had begun and so many
 * steps of the last had returned. */
typedef struct moment {
    uint64_t begun, steps, pause;
} moment;

static moment draw_moment(const scene *s, uint64_t *luck)
{
    const uint64_t what = disk_draw(luck) % 10;
    moment m = { 1 + disk_draw(luck) % s->sessions, disk_draw(luck) % s->steps, 0 };
    if (what < 2) /* while it opens */
        m = (moment){ 0, 0, disk_draw(luck) % 4000 };
    else if (what < 4) /* while it closes */
        m = (moment){ m.begun, s->steps, disk_draw(luck) % 3000 };
    else if (what < 7) /* behind a block */
        m.steps = s->steps / 2 + disk_draw(luck) % (s->steps / 2);
    return m;
}

static bool has_come(const scene *s, const moment *m)
{
    const uint64_t begun = s->witness->begun;
    return begun > m->begun || (begun == m->begun && s->witness->steps >= m->steps);
}

/* @return whether it was killed; it may have come to its end before */
static bool kill_at(scene *s, const moment *m)
{
    const pid_t child = scene_start(s, "play", false);
    int status = 0;
    while (!has_come(s, m)) {
        if (waitpid(child, &status, WNOHANG) == child)
            return false;
        sched_yield();
    }
    if (m->pause)
        usleep((useconds_t)m->pause);
    kill(child, SIGKILL);
    demand(waitpid(child, &status, 0) == child, "no child");
    return WIFSIGNALED(status);
}

static uint64_t kill_often(scene *s, uint64_t rounds, uint64_t luck)
{
    uint64_t killed = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        char where[128];
        const bool empty = i % 4 == 3;
        const moment m = draw_moment(s, &luck);
        scene_reset(s, empty);
        killed += kill_at(s, &m);
        snprintf(where, sizeof where, "round %llu, killed at session %llu, step %llu, +%llu us",
                 (unsigned long long)i, (unsigned long long)m.begun, (unsigned long long)m.steps,
                 (unsigned long long)m.pause);
        scene_examine(s, empty, where);
    }
    return killed;
}

Test(kill, at_any_moment_of_sessions_of_blocks_loses_no_step_that_returned)
{
    scene s;
    scene_open(&s, 3, 20000);
    const uint64_t killed = kill_often(&s, getenv("FAULTS_LONG") ? 1500 : 30, 11);
    scene_close(&s);
    cr_assert_gt(killed, 0u);
}

Test(kill, at_any_moment_of_short_sessions_loses_no_step_that_returned)
{
    scene s;
    scene_open(&s, 20, 100);
    const uint64_t killed = kill_often(&s, getenv("FAULTS_LONG") ? 500 : 15, 12);
    scene_close(&s);
    cr_assert_gt(killed, 0u);
}
