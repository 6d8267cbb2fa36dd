/* SPDX-License-Identifier: MIT */
/*
 * A power cut at any moment of a recording: what the disk may then hold is made from a log of the
 * store's files, many times over, and each is opened. Journals beside the store are as they may be
 * at that cut.
 *
 * A failure names its image. FAULTS_LONG=1 tries many more.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faults/disk.h"
#include "faults/played.h"
#include "faults/views.h"
#include "support/demand.h"
#include "support/scratch.h"

static char folder[64], path[128], image_path[128];

static void open_folder(void)
{
    scratch_open(folder);
    snprintf(path, sizeof path, "%s/plays.deja", folder);
    snprintf(image_path, sizeof image_path, "%s/image.deja", folder);
}

static void close_folder(void)
{
    scratch_close(folder);
}

TestSuite(power, .init = open_folder, .fini = close_folder, .timeout = 3600);

static uint64_t rounds(uint64_t quick, uint64_t thorough)
{
    return getenv("FAULTS_LONG") ? thorough : quick;
}

static deja_store *open_at(const char *at, const char *where)
{
    deja_store *store = NULL;
    deja_error err = { 0 };
    demand(deja_store_open(&store, at, DEJA_STORE_WRITE, &err) == DEJA_OK, "%s: %s", where,
           err.message);
    return store;
}

static void close_it(deja_store *store, const char *where)
{
    deja_error err = { 0 };
    demand(deja_store_close(store, &err) == DEJA_OK, "%s: %s", where, err.message);
}

/* What is on the disk, whatever comes: sessions 1 to `stored`, and the first steps of another. As a
 * note it is one number. */
typedef struct safe {
    uint16_t stored, seed;
    uint32_t step;
} safe;

static safe now;

static void note(void)
{
    shim_note(now.stored | (uint64_t)now.seed << 16 | (uint64_t)now.step << 32);
}

static void note_synced(uint64_t seed, uint64_t step)
{
    now.seed = (uint16_t)seed;
    now.step = (uint32_t)step;
    note();
}

static safe noted(const shim_op *ops, uint64_t cut)
{
    while (cut-- > 0)
        if (ops[cut].kind == SHIM_NOTE) {
            const uint64_t number = ops[cut].offset;
            return (safe){ (uint16_t)number, (uint16_t)(number >> 16), (uint32_t)(number >> 32) };
        }
    return (safe){ 0 };
}

static void hold_safe(const found *all, const safe *s, const char *where)
{
    found_whole(all, s->stored, where);
    demand(all->of[s->seed].steps >= s->step || all->of[s->seed].whole,
           "%s: %u steps of session %u were synced, and %llu are there", where, s->step, s->seed,
           (unsigned long long)all->of[s->seed].steps);
}

/* Records some sessions; a note is made of each when it is said to be stored. */
static void record(uint64_t first, uint64_t last)
{
    deja_store *store = open_at(path, "recording");
    for (uint64_t seed = first; seed <= last; seed++) {
        deja_error err = { 0 };
        played_must(store, seed);
        demand(deja_store_flush(store, &err) == DEJA_OK, "%s", err.message);
        now = (safe){ .stored = (uint16_t)seed };
        note();
    }
    close_it(store, "recording");
}

/* A reader, before any writer was there. Where commits are made with a -journal it may say that it
 * cannot undo what was cut short; and there may be no store, as long as nothing is in it. */
static void look(const safe *s, bool undoes, const char *where)
{
    deja_store *store = NULL;
    deja_error err = { 0 };
    found all;
    const deja_code code = deja_store_open(&store, image_path, DEJA_STORE_READ, &err);
    if (code == DEJA_OK) {
        found_in(store, where, &all);
        hold_safe(&all, s, where);
        deja_store_close(store, NULL);
        return;
    }
    const bool none = strstr(err.message, "no such file") || strstr(err.message, "it is empty");
    const bool cut = strstr(err.message, "open it once for writing");
    const bool told = (s->stored == 0 && s->step == 0 && (none || cut)) || (undoes && cut);
    demand(told, "%s: %s", where, err.message);
}

/* A writer goes on where it was cut. */
static void go_on(const safe *s, const char *where)
{
    enum { NEW = 101 };
    found all;
    deja_store *store = open_at(image_path, where);
    found_in(store, where, &all);
    hold_safe(&all, s, where);
    const uint64_t before = all.sessions;
    played_must(store, NEW);
    close_it(store, where);
    found_at(image_path, where, &all);
    hold_safe(&all, s, where);
    demand(all.of[NEW].whole && all.sessions == before + 1, "%s: %llu sessions, then %llu", where,
           (unsigned long long)before, (unsigned long long)all.sessions);
}

/* The view behind which the store's folder was last synced; 0: none. */
static uint32_t folder_synced(const shim_op *ops, uint64_t cut)
{
    while (cut-- > 0)
        if (ops[cut].folder)
            return ops[cut].view;
    return 0;
}

static void cut_power(uint64_t cut, uint32_t mode, bool undoes, uint64_t luck)
{
    char where[128];
    disk_image image;
    uint64_t count;
    const shim_op *ops = shim_log(&count);
    snprintf(where, sizeof where, "cut behind operation %llu of %llu, mode %u, luck %llu",
             (unsigned long long)cut, (unsigned long long)count, mode, (unsigned long long)luck);
    const safe safe_then = noted(ops, cut);
    disk_make(&image, ops, cut, mode, luck);
    disk_write(&image, image_path);
    disk_release(&image);
    views_write(cut ? ops[cut - 1].view : 0, folder_synced(ops, cut), luck, image_path);
    look(&safe_then, undoes, where);
    go_on(&safe_then, where);
}

static void cut_often(uint64_t images, bool undoes, uint64_t luck)
{
    uint64_t count;
    views_watch(path);
    shim_look(views_take);
    played_look(note, note_synced);
    record(1, 6);
    record(7, 12);
    shim_look(NULL);
    played_look(NULL, NULL);
    shim_log(&count);
    cr_assert_gt(count, 100u);
    for (uint64_t i = 0; i < images; i++) {
        const uint64_t cut = disk_draw(&luck) % (count + 1);
        cut_power(cut, (uint32_t)(i % DISK_MODES), undoes, luck);
    }
}

Test(power, a_cut_at_any_moment_takes_no_session_that_was_said_to_be_stored)
{
    shim_watch(path);
    cut_often(rounds(200, 20000), false, 1);
}

Test(power, nor_does_it_where_processes_share_no_memory)
{
    uint64_t count;
    shim_watch(path);
    shim_share_nothing();
    cut_often(rounds(100, 10000), true, 2);
    const shim_op *ops = shim_log(&count);
    while (count-- > 0)
        cr_assert_neq(ops[count].file, SHIM_WAL);
}
