/* SPDX-License-Identifier: MIT */
/*
 * Stores on network file systems: what statfs() answers is made up here, for the whole program.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/recipe.h"
#include "support/scratch.h"

enum { TRULY = 0, FAILS = -1 };

static int64_t made_up = TRULY; /* a magic number, or one of these */

int statfs(const char *path, struct statfs *about)
{
    const long result = syscall(SYS_statfs, path, about);
    if (made_up == FAILS) {
        errno = EACCES;
        return -1;
    }
    if (made_up != TRULY)
        about->f_type = (__fsword_t)made_up;
    return (int)result;
}

static char folder[64];
static char path[128];

static void open_folder(void)
{
    scratch_open(folder);
    snprintf(path, sizeof path, "%s/far.deja", folder);
}

static void close_folder(void)
{
    scratch_close(folder);
}

TestSuite(network, .init = open_folder, .fini = close_folder, .timeout = 120);

static bool has_log(void)
{
    return access(in_folder(folder, "far.deja-wal"), F_OK) == 0;
}

/* A store with a session that is committed. */
static deja_store *open_and_commit(void)
{
    const recipe r = recipe_of(1);
    deja_error err = { 0 };
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    put(store, &r);
    cr_assert_eq(deja_store_flush(store, &err), DEJA_OK, "%s", err.message);
    return store;
}

Test(network, there_a_store_has_no_write_ahead_log_and_keeps_all_the_same)
{
    made_up = NFS_SUPER_MAGIC;
    deja_store *store = open_and_commit();
    cr_assert_not(has_log());
    cr_assert(eq(u32, count_sessions(path), 1));
    close_store(store);
    cr_assert_not(has_log());
    cr_assert(eq(u32, count_sessions(path), 1));
}

Test(network, on_a_local_disk_it_has_one_while_it_is_written_to)
{
    made_up = EXT4_SUPER_MAGIC;
    deja_store *store = open_and_commit();
    cr_assert(has_log());
    close_store(store);
    cr_assert_not(has_log());
}

Test(network, a_store_that_was_left_with_a_log_and_came_there_later_loses_nothing_but_the_log)
{
    made_up = EXT4_SUPER_MAGIC;
    const pid_t child = fork();
    if (child == 0) {
        open_and_commit();
        _exit(0);
    }
    int status = -1;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
    cr_assert(has_log());
    made_up = NFS_SUPER_MAGIC;
    const recipe r = recipe_of(2);
    deja_error err = { 0 };
    deja_store *store = open_store(path, DEJA_STORE_APPEND);
    put(store, &r);
    cr_assert_eq(deja_store_flush(store, &err), DEJA_OK, "%s", err.message);
    cr_assert_not(has_log());
    cr_assert(eq(u32, count_sessions(path), 2));
    close_store(store);
}

static void write_apart(uint64_t first)
{
    deja_error err = { 0 };
    deja_store *store = NULL;
    deja_code code = deja_store_open(&store, path, DEJA_STORE_WRITE, &err);
    for (uint64_t i = 0; i < 10 && code == DEJA_OK; i++) {
        const recipe r = recipe_of(first + i);
        code = recipe_write(store, &r, NULL, NULL, &err);
        if (code == DEJA_OK)
            code = deja_store_flush(store, &err);
    }
    if (code == DEJA_OK)
        code = deja_store_close(store, &err);
    if (code < 0)
        fprintf(stderr, "child: %s\n", err.message);
    _exit(code < 0);
}

Test(network, there_several_processes_write_to_one_store_and_lose_nothing)
{
    pid_t children[3];
    made_up = SMB2_SUPER_MAGIC;
    for (uint64_t i = 0; i < 3; i++) {
        children[i] = fork();
        if (children[i] == 0)
            write_apart(100 * (i + 1));
    }
    for (int i = 0; i < 3; i++) {
        int status = -1;
        cr_assert_eq(waitpid(children[i], &status, 0), children[i]);
        cr_assert_eq(status, 0, "a child failed");
    }
    cr_assert(eq(u32, count_sessions(path), 30));
}

/* ---- what is said of it ---- */

static void assert_remark(int64_t magic, const char *name)
{
    char expected[512];
    made_up = magic;
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    const char *remark = deja_store_remark(store);
    if (name) {
        snprintf(expected, sizeof expected,
                 "%s: is on a network file system (%s): without a write-ahead log each commit "
                 "waits for its disk; record to a local disk, and copy the store when it is closed",
                 path, name);
        cr_assert_not_null(remark, "%s is not known", name);
        cr_assert_str_eq(remark, expected);
    } else {
        cr_assert_null(remark, "%llx is said to be far: %s", (unsigned long long)magic, remark);
    }
    close_store(store);
}

Test(network, each_network_file_system_is_told_by_its_name)
{
    assert_remark(NFS_SUPER_MAGIC, "nfs");
    assert_remark(CIFS_SUPER_MAGIC, "cifs");
    assert_remark((int32_t)CIFS_SUPER_MAGIC, "cifs"); /* where the number's type is a signed int */
    assert_remark(SMB2_SUPER_MAGIC, "smb2");
    assert_remark(SMB_SUPER_MAGIC, "smb");
    assert_remark(FUSE_SUPER_MAGIC, "fuse");
    assert_remark(V9FS_MAGIC, "9p");
    assert_remark(AFS_SUPER_MAGIC, "afs");
    assert_remark(AFS_FS_MAGIC, "afs");
    assert_remark(CEPH_SUPER_MAGIC, "ceph");
    assert_remark(CODA_SUPER_MAGIC, "coda");
    assert_remark(NCP_SUPER_MAGIC, "ncp");
    assert_remark(OCFS2_SUPER_MAGIC, "ocfs2");
}

Test(network, local_file_systems_are_not_taken_for_one)
{
    static const int64_t LOCAL[] = {
        EXT4_SUPER_MAGIC, BTRFS_SUPER_MAGIC, XFS_SUPER_MAGIC,   F2FS_SUPER_MAGIC,
        TMPFS_MAGIC,      RAMFS_MAGIC,       MSDOS_SUPER_MAGIC, OVERLAYFS_SUPER_MAGIC,
    };
    for (size_t i = 0; i < sizeof LOCAL / sizeof *LOCAL; i++)
        assert_remark(LOCAL[i], NULL);
}

Test(network, what_cannot_be_looked_at_is_taken_for_one)
{
    assert_remark(FAILS, "of an unknown kind");
}

Test(network, there_is_nothing_to_tell_of_a_store_that_is_only_read)
{
    made_up = NFS_SUPER_MAGIC;
    close_store(open_and_commit());
    deja_store *store = open_store(path, DEJA_STORE_READ);
    cr_assert_null(deja_store_remark(store));
    close_store(store);
    cr_assert_null(deja_store_remark(NULL));
}
