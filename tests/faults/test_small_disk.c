/* SPDX-License-Identifier: MIT */
/*
 * A game is recorded on a file system that is full but for so much, until there is room again
 * (B83). Where none may be mounted the test is skipped, and says so; what test_refusals.c refuses
 * is there in any case.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "faults/refusing.h"
#include "support/demand.h"
#include "support/scratch.h"

static char folder[64], path[128], filler[128];

static void open_folder(void)
{
    scratch_open(folder);
    snprintf(path, sizeof path, "%s/plays.deja", folder);
    snprintf(filler, sizeof filler, "%s/filler", folder);
}

static void close_folder(void)
{
    umount2(folder, MNT_DETACH);
    scratch_close(folder);
}

TestSuite(small_disk, .init = open_folder, .fini = close_folder, .timeout = 300);

/* A file system of 64 MiB that this process alone sees. */
static bool mount_small_disk(void)
{
    static bool apart;
    if (!apart)
        apart =
            unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
    return apart && mount("none", folder, "tmpfs", 0, "size=64m") == 0;
}

/* Takes all room but so many KiB. */
static void spoil(void *user)
{
    const uint64_t *left = user;
    static const char page[4096];
    const int file = open(filler, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    off_t size = 0;
    demand(file >= 0, "%s", filler);
    while (write(file, page, sizeof page) == (ssize_t)sizeof page)
        size += (off_t)sizeof page;
    demand((uint64_t)size > *left * 1024, "the disk is too small for the test");
    demand(ftruncate(file, size - (off_t)(*left * 1024)) == 0, "%s", filler);
    close(file);
}

static void mend(void *user)
{
    (void)user;
    unlink(filler);
}

/* @return whether there was not enough room */
static bool play(uint64_t left, bool mended_early)
{
    refusing r = { .path = path, .spoil = spoil, .mend = mend, .user = &left };
    r.mended_early = mended_early;
    snprintf(r.where, sizeof r.where, "%llu KiB are left, mended %s the close",
             (unsigned long long)left, mended_early ? "before" : "behind");
    refusing_prepare(path);
    refusing_play(&r);
    return r.refused;
}

Test(small_disk, however_little_is_left_nothing_is_lost_that_was_stored)
{
    static const uint64_t left[] = { 0,   4,   32,   40,   64,   100,  200,
                                     300, 500, 1000, 2000, 5000, 9000, 30000 };
    bool refused = false;
    if (!mount_small_disk())
        cr_skip_test("no file system may be mounted here");
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        for (int early = 0; early < 2; early++) {
            refused = play(left[i], early);
            cr_assert(i > 0 || refused, "nothing is left, and everything works");
            cr_assert_eq(umount(folder), 0);
            cr_assert(mount_small_disk());
        }
    cr_assert_not(refused, "30000 KiB are left, and they are not enough");
}
