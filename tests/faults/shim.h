/* SPDX-License-Identifier: MIT */
/*
 * A layer between SQLite and the files of one store, which keeps a log of all that changes them and
 * can be told to fail. It becomes SQLite's default, so the store above it is the ordinary one.
 *
 * The files are the store, its -wal and its -journal. What is not in them (-shm, temporary files,
 * other stores) is passed through. Any thread may use it.
 */
#ifndef DEJA_TESTS_SHIM_H
#define DEJA_TESTS_SHIM_H

#include <stdbool.h>
#include <stdint.h>

enum shim_file_name { SHIM_STORE, SHIM_WAL, SHIM_JOURNAL, SHIM_FILES };
extern const char *const shim_suffixes[SHIM_FILES];

enum shim_kind {
    SHIM_WRITE,    /* `size` bytes at `offset` */
    SHIM_TRUNCATE, /* to `offset` */
    SHIM_SYNC,     /* of this file; where `folder`, of its folder, too */
    SHIM_CREATE,
    SHIM_DELETE, /* where `folder`, the folder was synced behind it */
    SHIM_NOTE,   /* the test has something to say: `offset` */
    SHIM_KINDS
};

typedef struct shim_op {
    uint32_t kind;
    uint32_t file;
    bool folder;
    uint64_t offset;
    uint64_t size;
    unsigned char *bytes;
    uint32_t view; /* what `look` answered behind it */
} shim_op;

/* Goes in between, once a process, and logs what becomes of the store with this path from here on:
 * a log that there was is dropped. The path is absolute, and without links in it. */
void shim_watch(const char *path);
/* Files that are opened from here on are as on a network file system: nothing is shared between
 * processes but locks, so a store stays in DELETE mode. */
void shim_share_nothing(void);
/* Called behind each operation, by the thread that made it; NULL: nothing is. */
void shim_look(uint32_t (*look)(void));
/* The log so far. */
const shim_op *shim_log(uint64_t *count);
/* Adds a note to it. */
void shim_note(uint64_t number);

/* The nth operation of a kind (from 1) is refused with SQLite's `code`; with `lasting` all that
 * come behind it, too, whatever their kind, until shim_mend(). */
void shim_fail(uint32_t kind, uint64_t nth, int code, bool lasting);
void shim_mend(void);
/* How many operations were refused since shim_fail(). */
uint64_t shim_refused(void);

#endif
