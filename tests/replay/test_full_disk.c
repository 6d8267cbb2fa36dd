/* SPDX-License-Identifier: MIT */
/*
 * A disk that is full while a game is recorded: what is told, and that what is there replays (B83).
 */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "replay/replaying.h"

TestSuite(full_disk, .timeout = 120);

enum { STEPS = 600000 };

/* A command of the ledger as it has it in memory. */
typedef struct order {
    uint8_t kind, i, b;
    int32_t n;
} order;

/* What the host saw, shared with the test. */
typedef struct seen {
    deja_code code;
    uint64_t step; /* the one that failed */
    deja_error err, again, closed;
    uint64_t played;
} seen;

static void limit_files(rlim_t bytes)
{
    const struct rlimit limit = { bytes, RLIM_INFINITY };
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
}

static deja_recorder *begin(deja_store *opened, deja_plugin *plugin, void *state)
{
    deja_recorder *recorder = NULL;
    deja_recorder_options options = DEJA_RECORDER_OPTIONS_INIT;
    deja_error err = { 0 };
    if (deja_plugin_table(plugin)->start(state, NULL, 0, NULL) != 0 ||
        deja_recorder_open(&recorder, opened, plugin, state, &options, &err) != DEJA_OK) {
        fprintf(stderr, "%s\n", err.message);
        _exit(1);
    }
    return recorder;
}

/* A host that plays on, whatever becomes of its recording, and records another game when there is
 * room again. */
static void play_in_child(seen *s)
{
    deja_store *opened = NULL;
    deja_plugin *plugin = NULL;
    order command = { 0, 0, 0, 0 };
    uint32_t luck = 1;
    if (deja_store_open(&opened, store, DEJA_STORE_WRITE, &s->err) != DEJA_OK ||
        deja_plugin_open(&plugin, RULES("ledger"), &s->err) != DEJA_OK)
        _exit(2);
    void *state = calloc(1, deja_plugin_table(plugin)->state.size);
    deja_recorder *recorder = begin(opened, plugin, state);
    limit_files(400 * 1024);
    for (s->played = 0; s->played < STEPS && s->code == DEJA_OK; s->played++) {
        luck = luck * 1664525u + 1013904223u;
        command.n = (int32_t)(luck >> 13) - (1 << 18);
        s->code = deja_recorder_step(recorder, state, &command, NULL, NULL, &s->err);
    }
    s->step = deja_recorder_steps(recorder);
    deja_recorder_step(recorder, state, &command, NULL, NULL, &s->again);
    deja_recorder_close(recorder, NULL, NULL, &s->closed);
    limit_files(RLIM_INFINITY);
    recorder = begin(opened, plugin, memset(state, 0, deja_plugin_table(plugin)->state.size));
    deja_error err = { 0 };
    for (int i = 0; i < 100; i++)
        if (deja_recorder_step(recorder, state, &command, NULL, NULL, &err) != DEJA_OK)
            _exit(3);
    if (deja_recorder_close(recorder, NULL, NULL, &err) != DEJA_OK ||
        deja_store_close(opened, &err) != DEJA_OK)
        _exit(4);
    _exit(0);
}

Test(full_disk, ends_the_recording_with_path_and_step_and_what_is_there_matches)
{
    int status = -1;
    open_folder();
    seen *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        play_in_child(s);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
    /* The call that failed says where and at which step, and so does each one later. */
    cr_assert_eq(s->code, DEJA_EIO, "%d: %s", s->code, s->err.message);
    cr_assert(strstr(s->err.message, store), "%s", s->err.message);
    cr_assert_eq(s->err.step, s->step + 1);
    cr_assert_eq(s->again.step, s->step + 1);
    cr_assert(strstr(s->again.message, "the recording ended before step "), "%s", s->again.message);
    cr_assert(strstr(s->again.message, store), "%s", s->again.message);
    cr_assert(strstr(s->closed.message, store), "%s", s->closed.message);
    cr_assert(strstr(s->closed.message, "is kept in "), "%s", s->closed.message);
    cr_assert_eq(s->played, s->step + 1, "the step that found no room is not in it");
    /* All steps that returned are there: who recorded when there was room took them in. */
    verified v = verify_store(store, RULES("ledger"), NULL);
    const told *all = need(&v, 2);
    cr_assert_eq(all[0].kind, DEJA_MATCH, "%s", all[0].why);
    cr_assert_eq(all[0].steps, s->step);
    cr_assert_eq(all[0].compared, all[0].steps + 1);
    cr_assert(strstr(all[0].remarks, "never closed"), "%s", all[0].remarks);
    cr_assert_eq(all[1].kind, DEJA_MATCH, "%s", all[1].why);
    cr_assert_eq(all[1].steps, 100);
    verified_release(&v);
    munmap(s, sizeof *s);
    close_folder();
}
