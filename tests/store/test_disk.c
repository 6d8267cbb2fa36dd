/* SPDX-License-Identifier: MIT */
/*
 * What the system refuses: a full disk, folders and files that may not be written to, locks.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/handle.h"
#include "store/recipe.h"
#include "support/scratch.h"

static char folder[64];

static void open_folder(void)
{
    scratch_open(folder);
}

static void close_folder(void)
{
    umount2(folder, MNT_DETACH);
    scratch_close(folder);
}

TestSuite(disk, .init = open_folder, .fini = close_folder, .timeout = 60);

/* ---- a full disk ---- */

static bool small_disk;

/* A file system of 400 KiB, seen by this process alone; or else files of no more. */
static void shrink_disk(void)
{
    small_disk = unshare(CLONE_NEWNS) == 0 &&
                 mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
                 mount("none", folder, "tmpfs", 0, "size=400k") == 0;
    if (!small_disk) {
        const struct rlimit limit = { 400 * 1024, RLIM_INFINITY };
        signal(SIGXFSZ, SIG_IGN);
        cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    }
}

static void grow_disk(void)
{
    if (small_disk) {
        cr_assert_eq(mount("none", folder, "tmpfs", MS_REMOUNT, "size=16m"), 0);
    } else {
        const struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
        cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    }
}

static void assert_sound(const char *path)
{
    deja_store *store = open_store(path, DEJA_STORE_READ);
    deja_error err = { 0 };
    cr_assert_eq(deja_store_check(store, &err), DEJA_OK, "%s", err.message);
    close_store(store);
}

Test(disk, what_does_not_fit_waits_and_is_stored_when_there_is_room)
{
    shrink_disk();
    const char *path = in_folder(folder, "full.deja");
    deja_error err = { 0 };
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    uint32_t written = 0;
    deja_code code = DEJA_OK;
    while (code == DEJA_OK && written < 5000) {
        recipe r = recipe_of(written++);
        r.steps = 300;
        r.trail_bits = 64;
        code = recipe_write(store, &r, NULL, NULL, &err);
    }
    cr_assert_eq(code, DEJA_EIO, "%s", err.message);
    cr_assert_not_null(strstr(err.message, "full"), "%s", err.message);
    cr_assert_not_null(strstr(err.message, path), "%s", err.message);
    /* It fails again, and what was committed is what is read. */
    cr_assert_eq(deja_store_flush(store, &err), DEJA_EIO);
    const uint32_t committed = count_sessions(path);
    cr_assert_lt(committed, written);
    cr_assert_gt(committed, 0);
    assert_sound(path);
    grow_disk();
    cr_assert_eq(deja_store_flush(store, &err), DEJA_OK, "%s", err.message);
    cr_assert(eq(u32, count_sessions(path), written));
    recipe more = recipe_of(90000);
    put(store, &more);
    close_store(store);
    cr_assert(eq(u32, count_sessions(path), written + 1));
    assert_sound(path);
}

Test(disk, a_block_that_does_not_fit_can_be_added_again)
{
    shrink_disk();
    const char *path = in_folder(folder, "full.deja");
    recipe r = recipe_long(1, 40 * 16384 + 5);
    r.trail_every = 2;
    r.trail_bits = 64;
    r.marks = 100;
    deja_error err = { 0 };
    deja_writer *writer = NULL;
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    cr_assert_eq(recipe_open(&writer, store, &r, &err), DEJA_OK);
    uint64_t done = 0;
    deja_code code = DEJA_OK;
    r.marks = 0; /* added by hand, once */
    while (done < r.steps && (code = recipe_add(writer, &r, done, done + 16384, &err)) == DEJA_OK)
        done += 16384;
    cr_assert_eq(code, DEJA_EIO, "%s", err.message);
    cr_assert_not_null(strstr(err.message, "full"), "%s", err.message);
    cr_assert_eq(recipe_add(writer, &r, done, done + 16384, &err), DEJA_EIO);
    assert_sound(path);
    grow_disk();
    cr_assert_eq(recipe_add(writer, &r, done, r.steps, &err), DEJA_OK, "%s", err.message);
    cr_assert_eq(deja_writer_close(writer, r.ended, r.outcome, NULL, NULL, &err), DEJA_OK, "%s",
                 err.message);
    close_store(store);
    assert_sound(path);
    const char *other = in_folder(folder, "other.deja");
    store = open_store(other, DEJA_STORE_WRITE);
    put(store, &r);
    close_store(store);
    cr_assert(eq(u64, dump_hash(other), dump_hash(path)));
}

Test(disk, the_end_of_a_long_session_waits_for_room_too)
{
    shrink_disk();
    const char *path = in_folder(folder, "end.deja");
    const char *filler = in_folder(folder, "filler");
    recipe r = recipe_long(1, 2 * 16384 + 12000);
    r.trail_bits = 64;
    r.trail_every = 1;
    r.plain = true;
    deja_error err = { 0 };
    deja_writer *writer = NULL;
    deja_id id;
    if (!small_disk)
        grow_disk();
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    recipe coarse = r;
    coarse.trail_every = 1000;
    cr_assert_eq(recipe_open(&writer, store, &coarse, &err), DEJA_OK);
    cr_assert_eq(recipe_add(writer, &coarse, 0, r.steps, &err), DEJA_OK, "%s", err.message);
    if (small_disk) {
        FILE *file = fopen(filler, "wb");
        char page[4096] = { 0 };
        while (fwrite(page, 1, sizeof page, file) == sizeof page && fflush(file) == 0)
            ;
        fclose(file);
        const deja_code code =
            deja_writer_close(writer, coarse.ended, coarse.outcome, &id, NULL, &err);
        cr_assert_eq(code, DEJA_EIO, "%s", err.message);
        cr_assert_eq(remove(filler), 0);
    } else {
        cr_assert_eq(deja_writer_close(writer, coarse.ended, coarse.outcome, &id, NULL, &err),
                     DEJA_OK);
    }
    cr_assert_eq(deja_store_flush(store, &err), DEJA_OK, "%s", err.message);
    close_store(store);
    assert_sound(path);
    deja_reader *reader = NULL;
    store = open_store(path, DEJA_STORE_READ);
    cr_assert_eq(deja_reader_open(&reader, store, 1024, 0, &err), DEJA_OK);
    cr_assert(eq(u64, deja_reader_session(reader)->steps, r.steps));
    cr_assert(eq(u32, deja_reader_recording(reader)->ended, DEJA_ENDED_OUTCOME));
    cr_assert_arr_eq(deja_reader_session(reader)->id.bytes, id.bytes, 16);
    deja_reader_close(reader);
    close_store(store);
}

Test(disk, a_store_that_cannot_be_made_says_why)
{
    shrink_disk();
    if (!small_disk)
        return;
    const char *filler = in_folder(folder, "filler");
    FILE *file = fopen(filler, "wb");
    char page[4096] = { 0 };
    while (fwrite(page, 1, sizeof page, file) == sizeof page && fflush(file) == 0)
        ;
    fclose(file);
    deja_store *store = NULL;
    deja_error err = { 0 };
    cr_assert_eq(deja_store_open(&store, in_folder(folder, "x"), DEJA_STORE_WRITE, &err), DEJA_EIO);
    cr_assert_null(store);
}

/* ---- as somebody who may not ---- */

Test(disk, a_closed_store_is_read_from_a_folder_that_may_not_be_written_to)
{
    const char *path = in_folder(folder, "still.deja");
    const recipe r = recipe_long(1, 20000);
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    put(store, &r);
    close_store(store);
    const uint64_t before = dump_hash(path);
    cr_assert_eq(chmod(path, 0444), 0);
    cr_assert_eq(chmod(folder, 0555), 0);
    cr_assert(become_nobody());
    cr_assert(eq(u64, dump_hash(path), before));
    cr_assert_eq(access(in_folder(folder, "still.deja-shm"), F_OK), -1);
    cr_assert_eq(access(in_folder(folder, "still.deja-journal"), F_OK), -1);
    become_yourself();
    cr_assert_eq(chmod(folder, 0755), 0);
}

/* A copy of a store's files as a killed writer leaves them. */
static void copy_left(const char *from, const char *to, bool log)
{
    char command[500];
    snprintf(command, sizeof command, "cp %s %s && chmod 444 %s", from, to, to);
    cr_assert_eq(system(command), 0);
    if (log) {
        snprintf(command, sizeof command, "cp %s-wal %s-wal && chmod 444 %s-wal", from, to, to);
        cr_assert_eq(system(command), 0);
    }
}

Test(disk, a_store_left_in_wal_mode_is_read_where_possible_and_else_says_what_to_do)
{
    const char *path = in_folder(folder, "live.deja");
    const recipe first = recipe_of(1);
    const recipe second = recipe_of(2);
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    put(store, &first);
    cr_assert_eq(deja_store_flush(store, NULL), DEJA_OK);
    char answer[32];
    sql(path, "PRAGMA wal_checkpoint(TRUNCATE)", answer, sizeof answer);
    const char *alone = in_folder(folder, "alone.deja");
    copy_left(path, alone, false);
    put(store, &second);
    cr_assert_eq(deja_store_flush(store, NULL), DEJA_OK);
    const char *logged = in_folder(folder, "logged.deja");
    copy_left(path, logged, true);
    const char *kept = in_folder(folder, "kept.deja");
    copy_left(path, kept, true);
    cr_assert(eq(u32, count_sessions(path), 2), "beside a writer");
    close_store(store);
    cr_assert(eq(u32, count_sessions(kept), 2), "with its log");
    cr_assert_eq(chmod(folder, 0555), 0);
    cr_assert(become_nobody());
    cr_assert(eq(u32, count_sessions(alone), 1), "without a log");
    deja_error err = { 0 };
    store = NULL;
    const deja_code code = deja_store_open(&store, logged, DEJA_STORE_READ, &err);
    if (code != DEJA_OK) {
        cr_assert_eq(code, DEJA_EIO, "%s", err.message);
        cr_assert_not_null(strstr(err.message, "copy both files"), "%s", err.message);
    }
    deja_store_close(store, NULL);
    become_yourself();
    cr_assert_eq(chmod(folder, 0755), 0);
}

/* ---- locks ---- */

Test(disk, a_lock_that_is_not_given_back_is_busy_and_nothing_is_lost)
{
    const char *path = in_folder(folder, "busy.deja");
    const recipe r = recipe_of(1);
    deja_error err = { 0 };
    sqlite3 *other = NULL;
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    put(store, &r);
    cr_assert_eq(sqlite3_open(path, &other), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    store->ready_to_write = true; /* what comes next would wait for its full time */
    sqlite3_busy_timeout(store->db, 20);
    cr_assert_eq(deja_store_flush(store, &err), DEJA_EBUSY);
    cr_assert_not_null(strstr(err.message, path), "%s", err.message);
    cr_assert_not_null(strstr(err.message, "another program is writing"), "%s", err.message);
    const recipe blocks = recipe_long(2, 16384);
    deja_writer *writer = NULL;
    cr_assert_eq(recipe_open(&writer, store, &blocks, &err), DEJA_OK);
    cr_assert_eq(recipe_add(writer, &blocks, 0, 16384, &err), DEJA_EBUSY);
    cr_assert_eq(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    cr_assert_eq(recipe_add(writer, &blocks, 0, 16384, &err), DEJA_OK, "%s", err.message);
    cr_assert_eq(deja_writer_close(writer, blocks.ended, blocks.outcome, NULL, NULL, &err), DEJA_OK,
                 "%s", err.message);
    sqlite3_close(other);
    close_store(store);
    cr_assert(eq(u32, count_sessions(path), 2));
}

Test(disk, readers_and_a_writer_leave_each_other_alone)
{
    const char *path = in_folder(folder, "both.deja");
    deja_store *writer = open_store(path, DEJA_STORE_WRITE);
    recipe r = recipe_of(1);
    put(writer, &r);
    cr_assert_eq(deja_store_flush(writer, NULL), DEJA_OK);
    deja_store *reader = open_store(path, DEJA_STORE_READ);
    for (uint64_t i = 2; i < 30; i++) {
        int64_t key = 0;
        char prefix[33];
        r = recipe_of(i);
        const deja_id id = put(writer, &r);
        cr_assert_eq(deja_store_flush(writer, NULL), DEJA_OK);
        for (int k = 0; k < 16; k++)
            snprintf(prefix + 2 * k, 3, "%02x", id.bytes[k]);
        cr_assert_eq(deja_store_find(reader, prefix, &key, NULL), DEJA_OK);
    }
    close_store(writer);
    close_store(reader);
    cr_assert(eq(u32, count_sessions(path), 29));
    /* The reader was the last one; the next writer makes one file of it again. */
    close_store(open_store(path, DEJA_STORE_APPEND));
    cr_assert_eq(access(in_folder(folder, "both.deja-wal"), F_OK), -1);
}
