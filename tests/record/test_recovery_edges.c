/* SPDX-License-Identifier: MIT */
/*
 * A recorder that died, where things meet: blocks, segments, rewinds, damage.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <deja/deja.h>

#include "support/scratch.h"

TestSuite(recovery_edges, .timeout = 60);

enum { BLOCK = 16384, SEGMENT = 2 << 20, BYTES = 472 /* so that segments begin within blocks */ };

static char folder[64];
static char store[96];

typedef struct found {
    uint32_t sessions;
    uint64_t steps;
    uint32_t ended;
} found;

static bool look(void *user, const deja_entry *entry)
{
    found *f = user;
    f->sessions++;
    f->steps = entry->session.steps;
    f->ended = entry->recording.ended;
    return true;
}

static found look_into(uint32_t mode, deja_store_told *told)
{
    deja_store *opened = NULL;
    deja_error err = { 0 };
    found f = { 0 };
    deja_code code = deja_store_open(&opened, store, mode, &err);
    cr_assert_eq(code, DEJA_OK, "%s", err.message);
    deja_store_told_of(opened, told);
    code = deja_store_list(opened, look, &f, &err);
    cr_assert_eq(code, DEJA_OK, "%s", err.message);
    cr_assert_eq(deja_store_close(opened, &err), DEJA_OK, "%s", err.message);
    return f;
}

/* ---- a process that records and dies ---- */

typedef void life(deja_recorder *recorder);

static deja_recorder_options options;

static void live_and_die(life *live)
{
    int status = -1;
    scratch_open(folder);
    snprintf(store, sizeof store, "%s/plays.deja", folder);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        deja_store *opened = NULL;
        deja_recorder *recorder = NULL;
        options.game = "edge";
        if (deja_store_open(&opened, store, DEJA_STORE_WRITE, NULL) != DEJA_OK ||
            deja_recorder_open(&recorder, opened, NULL, NULL, &options, NULL) != DEJA_OK)
            _exit(1);
        live(recorder);
        _exit(0);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
}

static void note(deja_recorder *recorder, uint64_t count, uint64_t size)
{
    static const unsigned char bytes[BYTES];
    for (uint64_t i = 0; i < count; i++)
        if (deja_recorder_note(recorder, bytes, size, i, NULL) != DEJA_OK)
            _exit(2);
}

/* The steps behind a block's end come twice, in segments that begin between; then the block before
 * is committed, and what it stood in is used again. */
static void rewind_over_a_block(deja_recorder *recorder)
{
    note(recorder, 16650, BYTES);
    if (deja_recorder_rewind(recorder, BLOCK - 4, NULL) != DEJA_OK)
        _exit(3);
    for (int i = 0; i < 33; i++) {
        note(recorder, 500, BYTES);
        nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
    }
    note(recorder, 2 * BLOCK + 132 - (BLOCK - 4) - 33 * 500, BYTES);
    /* Time for who folds to commit and to use segments again; without it less is put to the test.
     * */
    nanosleep(&(struct timespec){ 0, 500000000 }, NULL);
}

Test(recovery_edges, a_rewind_over_a_block_that_is_then_committed_loses_nothing)
{
    deja_store_told told;
    options = (deja_recorder_options)DEJA_RECORDER_OPTIONS_INIT;
    live_and_die(rewind_over_a_block);
    for (uint32_t mode = DEJA_STORE_READ; mode <= DEJA_STORE_APPEND; mode += 2) {
        const found f = look_into(mode, &told);
        cr_assert_eq(f.sessions, 1);
        cr_assert_eq(f.steps, 2 * BLOCK + 132);
        cr_assert_eq(told.left, 0, "%s", told.why);
    }
    scratch_close(folder);
}

/* ---- damage ---- */

static void note_a_thousand(deja_recorder *recorder)
{
    note(recorder, 1000, 3);
}

static void break_byte(long at)
{
    glob_t paths;
    char pattern[128];
    snprintf(pattern, sizeof pattern, "%s/*.journal", folder);
    cr_assert_eq(glob(pattern, 0, NULL, &paths), 0);
    cr_assert_eq(paths.gl_pathc, 1);
    const int descriptor = open(paths.gl_pathv[0], O_RDWR);
    unsigned char byte;
    cr_assert_eq(pread(descriptor, &byte, 1, at), 1);
    byte ^= 0xff;
    cr_assert_eq(pwrite(descriptor, &byte, 1, at), 1);
    close(descriptor);
    globfree(&paths);
}

static size_t count_kept(const char *end)
{
    glob_t paths;
    char pattern[128];
    snprintf(pattern, sizeof pattern, "%s/*%s", folder, end);
    const size_t count = glob(pattern, 0, NULL, &paths) == 0 ? paths.gl_pathc : 0;
    if (count)
        globfree(&paths);
    return count;
}

Test(recovery_edges, a_journal_that_is_damaged_is_told_and_never_removed)
{
    /* The segment's header; then a record in its middle. */
    static const struct {
        long at;
        bool some;
    } places[] = { { SEGMENT + 20, false }, { SEGMENT + 20000, true } };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        deja_store_told told;
        options = (deja_recorder_options)DEJA_RECORDER_OPTIONS_INIT;
        live_and_die(note_a_thousand);
        break_byte(places[i].at);
        const found read = look_into(DEJA_STORE_READ, &told);
        cr_assert_eq(told.left, 1);
        cr_assert_neq(told.why[0], 0);
        cr_assert_eq(read.sessions, places[i].some);
        cr_assert_lt(read.steps, 1000);
        const found written = look_into(DEJA_STORE_APPEND, &told);
        cr_assert_eq(told.left, 1);
        cr_assert_not_null(strstr(told.why, "the file is kept"), "%s", told.why);
        cr_assert_eq(written.steps, read.steps);
        cr_assert_eq(count_kept(".journal"), 0);
        cr_assert_eq(count_kept(".journal.damaged"), 1);
        look_into(DEJA_STORE_APPEND, &told);
        cr_assert_eq(told.left, 0, "it is said once");
        scratch_close(folder);
    }
}

/* ---- limits ---- */

Test(recovery_edges, commands_that_no_store_takes_end_the_recording_before_them)
{
    enum { LARGE = 16 << 20, FIT = 16 };
    deja_store *opened = NULL;
    deja_recorder *recorder = NULL;
    deja_error err = { 0 };
    deja_store_told told;
    unsigned char *bytes = calloc(1, LARGE);
    options = (deja_recorder_options)DEJA_RECORDER_OPTIONS_INIT;
    options.game = "edge";
    options.journal_most = UINT64_C(512) << 20;
    scratch_open(folder);
    snprintf(store, sizeof store, "%s/plays.deja", folder);
    cr_assert_eq(deja_store_open(&opened, store, DEJA_STORE_WRITE, &err), DEJA_OK);
    deja_code code = deja_recorder_open(&recorder, opened, NULL, NULL, &options, &err);
    cr_assert_eq(code, DEJA_OK, "%s", err.message);
    for (uint64_t i = 0; i < FIT; i++) {
        code = deja_recorder_note(recorder, bytes, LARGE, i, &err);
        cr_assert_eq(code, DEJA_OK, "%s", err.message);
    }
    cr_assert_eq(deja_recorder_note(recorder, bytes, 1, 1, &err), DEJA_ELIMIT);
    cr_assert_str_eq(err.message, "the commands of 16,384 steps have more than 256 MiB");
    cr_assert_eq(deja_recorder_close(recorder, NULL, NULL, &err), DEJA_ELIMIT, "said once more");
    cr_assert_eq(deja_store_close(opened, &err), DEJA_OK, "%s", err.message);
    const found f = look_into(DEJA_STORE_READ, &told);
    cr_assert_eq(f.steps, FIT);
    cr_assert_eq(f.ended, DEJA_ENDED_UNFINISHED);
    cr_assert_eq(told.journals + told.left, 0);
    free(bytes);
    scratch_close(folder);
}
