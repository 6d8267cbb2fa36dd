/* SPDX-License-Identifier: MIT */
/*
 * A disk that says no at any point of a recording: full, or broken, once or for good. The game goes
 * on, what was said to be stored is, and when the disk is well again, recording works.
 *
 * A failure names its run. FAULTS_LONG=1 tries every operation in every way.
 */
#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faults/played.h"
#include "faults/shim.h"
#include "support/demand.h"
#include "support/scratch.h"

static char folder[64], path[128];

/* Stored before; what is played while the disk says no, a long one within; what is played after. */
enum { BEFORE = 2, AFTER = 5 };
static const uint64_t during[] = { 3, 20, 4 };
enum { DURING = sizeof during / sizeof *during };

static void open_folder(void)
{
    scratch_open(folder);
    snprintf(path, sizeof path, "%s/plays.deja", folder);
}

static void close_folder(void)
{
    scratch_close(folder);
}

TestSuite(refusals, .init = open_folder, .fini = close_folder, .timeout = 3600);

/* One run: how the disk says no, and whether it is well again before the store is closed. */
typedef struct run {
    uint32_t kind;
    uint64_t nth;
    int code;
    bool lasting, mended_early;
    char where[160];
    bool opened;
    bool stored[DURING]; /* was said to be */
    bool kept[DURING];   /* no step was refused, so it waits at least */
    uint64_t count;      /* operations of the kind, refused or not, until it was well */
} run;

static void describe(run *r)
{
    static const char *const kinds[SHIM_KINDS] = { "write", "truncate", "sync", "create",
                                                   "delete" };
    snprintf(r->where, sizeof r->where, "%s %llu answers %d, %s, mended %s the close",
             kinds[r->kind], (unsigned long long)r->nth, r->code,
             r->lasting ? "and all behind it" : "once", r->mended_early ? "before" : "behind");
}

/* ---- what is said ---- */

static void hold_message(const run *r, deja_code code, const char *message)
{
    demand(code == DEJA_EIO, "%s: %s: %s", r->where, deja_code_name(code), message);
    demand(strstr(message, path), "%s: does not say which store: %s", r->where, message);
    demand(strstr(message, "full") || strstr(message, "I/O error") || strstr(message, "unable to"),
           "%s: does not say why: %s", r->where, message);
}

static bool went_well(const run *r, deja_code code, const deja_error *err)
{
    if (code != DEJA_OK)
        hold_message(r, code, err->message);
    return code == DEJA_OK;
}

/* ---- a run ---- */

static void play(run *r, deja_store *store)
{
    for (int i = 0; i < DURING; i++) {
        deja_error err = { 0 };
        const played p = played_record(store, during[i]);
        const bool well = p.opened == DEJA_OK && p.stepped == DEJA_OK && p.closed == DEJA_OK;
        if (!well)
            hold_message(r, p.first.code, p.first.message);
        r->kept[i] = p.taken == played_steps(during[i]) && p.stepped == DEJA_OK;
        r->stored[i] = went_well(r, deja_store_flush(store, &err), &err) && well;
    }
}

static void hold_found(const run *r, const found *f)
{
    found_whole(f, BEFORE, r->where);
    for (int i = 0; i < DURING; i++)
        demand(f->of[during[i]].whole || !r->stored[i], "%s: session %llu was said to be stored",
               r->where, (unsigned long long)during[i]);
}

/* The store that could be opened, to its end. */
static void finish(run *r, deja_store *store)
{
    deja_error err = { 0 };
    found all;
    if (r->mended_early) {
        shim_mend();
        demand(deja_store_flush(store, &err) == DEJA_OK, "%s: %s", r->where, err.message);
        found_at(path, r->where, &all);
        hold_found(r, &all);
        for (int i = 0; i < DURING; i++)
            demand(all.of[during[i]].whole || !r->kept[i], "%s: session %llu waited, and is gone",
                   r->where, (unsigned long long)during[i]);
        demand(deja_store_close(store, &err) == DEJA_OK, "%s: %s", r->where, err.message);
    } else {
        went_well(r, deja_store_close(store, &err), &err);
        shim_mend();
    }
}

static void hold_after(const run *r)
{
    deja_store *store = NULL;
    deja_error err = { 0 };
    found all;
    const deja_code code = deja_store_open(&store, path, DEJA_STORE_WRITE, &err);
    demand(code == DEJA_OK, "%s: then: %s", r->where, err.message);
    found_in(store, r->where, &all);
    hold_found(r, &all);
    played_must(store, AFTER);
    demand(deja_store_close(store, &err) == DEJA_OK, "%s: then: %s", r->where, err.message);
    found_at(path, r->where, &all);
    hold_found(r, &all);
    demand(all.of[AFTER].whole, "%s: nothing more is recorded", r->where);
}

static uint64_t count_of(uint32_t kind)
{
    uint64_t count, same = 0;
    const shim_op *ops = shim_log(&count);
    while (count-- > 0)
        same += ops[count].kind == kind;
    return same;
}

/* @return whether the disk came to say no */
static bool try_run(run *r)
{
    deja_store *store = NULL;
    deja_error err = { 0 };
    describe(r);
    shim_mend();
    remove(path);
    demand(deja_store_open(&store, path, DEJA_STORE_WRITE, &err) == DEJA_OK, "%s", err.message);
    for (uint64_t seed = 1; seed <= BEFORE; seed++)
        played_must(store, seed);
    demand(deja_store_close(store, &err) == DEJA_OK, "%s", err.message);
    store = NULL;
    shim_watch(path);
    shim_fail(r->kind, r->nth, r->code, r->lasting);
    r->opened = went_well(r, deja_store_open(&store, path, DEJA_STORE_WRITE, &err), &err);
    if (r->opened) {
        play(r, store);
        finish(r, store);
    }
    shim_mend();
    r->count = count_of(r->kind);
    hold_after(r);
    return shim_refused() != 0;
}

/* Each operation of a kind is refused in its turn; or, where there is little time, some are. */
static void refuse_each(uint32_t kind)
{
    const bool thorough = getenv("FAULTS_LONG") != NULL;
    run all_well = { .kind = kind };
    cr_assert(!try_run(&all_well));
    const uint64_t count = all_well.count;
    const uint64_t stride = thorough ? 1 : count / 20 + 1;
    const unsigned ways = thorough ? 8 : 1;
    uint64_t refused = 0;
    cr_assert_gt(count, 0u);
    for (uint64_t nth = 1, turn = 0; nth <= count; nth += stride)
        for (unsigned i = 0; i < ways; i++, turn++) {
            run r = { .kind = kind, .nth = nth };
            r.code = turn & 1 ? SQLITE_FULL : SQLITE_IOERR;
            r.lasting = (turn & 2) != 0;
            r.mended_early = (turn & 4) != 0;
            refused += try_run(&r);
        }
    cr_assert_gt(refused, 0u);
}

Test(refusals, of_a_write_lose_nothing_that_was_stored)
{
    refuse_each(SHIM_WRITE);
}

Test(refusals, of_a_sync_lose_nothing_that_was_stored)
{
    refuse_each(SHIM_SYNC);
}

Test(refusals, of_a_truncation_lose_nothing_that_was_stored)
{
    refuse_each(SHIM_TRUNCATE);
}

Test(refusals, of_a_new_file_lose_nothing_that_was_stored)
{
    refuse_each(SHIM_CREATE);
}

Test(refusals, of_a_removal_lose_nothing_that_was_stored)
{
    refuse_each(SHIM_DELETE);
}
