/* SPDX-License-Identifier: MIT */
/*
 * A disk that refuses one operation on a store's files, or that one and all behind it: each in its
 * turn, while a game is recorded (B83).
 *
 * A failure names its run. FAULTS_LONG=1 tries every operation in every way.
 */
#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "faults/refusing.h"
#include "faults/shim.h"
#include "support/scratch.h"

static char folder[64], path[128];

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

/* Which operation is refused, from 1, and how; 0: none. */
typedef struct refusal {
    uint32_t kind;
    uint64_t nth;
    int code;
    bool lasting;
    uint64_t count; /* operations of the kind until the disk was well again, refused or not */
} refusal;

static void spoil(void *user)
{
    const refusal *r = user;
    shim_watch(path);
    shim_fail(r->kind, r->nth, r->code, r->lasting);
}

static void mend(void *user)
{
    refusal *r = user;
    uint64_t count;
    const shim_op *ops = shim_log(&count);
    shim_mend();
    r->count = shim_refused();
    while (count-- > 0)
        r->count += ops[count].kind == r->kind;
}

/* @return whether the operation came to be refused */
static bool play(refusal *refused, bool mended_early)
{
    static const char *const kinds[SHIM_KINDS] = { "write", "truncate", "sync", "create",
                                                   "delete" };
    refusing r = { .path = path, .spoil = spoil, .mend = mend, .user = refused };
    r.mended_early = mended_early;
    snprintf(r.where, sizeof r.where, "%s %llu answers %d, %s, mended %s the close",
             kinds[refused->kind], (unsigned long long)refused->nth, refused->code,
             refused->lasting ? "and all behind it" : "once", mended_early ? "before" : "behind");
    remove(path);
    refusing_prepare(path);
    refusing_play(&r);
    return shim_refused() != 0;
}

/* Each operation of a kind is refused in its turn; or, where there is little time, some are. */
static void refuse_each(uint32_t kind)
{
    const bool thorough = getenv("FAULTS_LONG") != NULL;
    refusal none = { .kind = kind };
    cr_assert_not(play(&none, false));
    cr_assert_gt(none.count, 0u);
    const uint64_t stride = thorough ? 1 : none.count / 20 + 1;
    const unsigned ways = thorough ? 8 : 1;
    uint64_t refused = 0;
    for (uint64_t nth = 1, turn = 0; nth <= none.count; nth += stride)
        for (unsigned i = 0; i < ways; i++, turn++) {
            refusal r = { .kind = kind, .nth = nth };
            r.code = turn & 1 ? SQLITE_FULL : SQLITE_IOERR;
            r.lasting = (turn & 2) != 0;
            refused += play(&r, (turn & 4) != 0);
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
