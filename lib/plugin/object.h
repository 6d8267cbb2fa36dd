/* SPDX-License-Identifier: MIT */
/*
 * What opening a library brought into the process, and the parts of a plugin that look at it.
 *
 *     file.c      a file, whole in memory
 *     elf.c       what its bytes say
 *     objects.c   dlopen, and which objects came of it
 *     closed.c    whether these can keep anything between sessions
 *     segments.c  their writable memory: the copy, and putting it back
 *     memory.c    ...and its bytes
 *     symbols.c   ...and what these are called
 *     digest.c    which build this is
 *     table.c     the exported table
 *     open.c      all of it in order
 */
#ifndef DEJA_PLUGIN_OBJECT_H
#define DEJA_PLUGIN_OBJECT_H

#include <sys/stat.h>

#include "plugin/elf.h"
#include "plugin/plugin.h"

/* ---- files ---- */

typedef struct deja__file {
    unsigned char *bytes;
    uint64_t size;
    struct stat status; /* as it was when it was read */
} deja__file;

/* Reads a file whole, up to 1 GiB. DEJA_EIO (no such file, no permission, a folder, a pipe), and
 * the message does not repeat the path; DEJA_EUNFIT larger; DEJA_ENOMEM. */
deja_code deja__file_read(deja__file *file, const char *path, deja_error *err);
void deja__file_release(deja__file *file);

/* ---- loaded objects ---- */

typedef struct deja__object {
    char *path;                  /* of its file, as the loader has it */
    const char *name;            /* the last part of the path */
    bool is_new;                 /* opening brought it in; else it was in the process before */
    uintptr_t base;              /* what its own addresses count from */
    const ElfW(Phdr) * segments; /* in memory, as the loader goes by them */
    uint32_t segment_count;
    deja__file file;
    deja__elf elf;
} deja__object;

/* The library (the first), and what it loads. libc and its kin are left out: see
 * deja__is_platform_library. */
typedef struct deja__objects {
    void *handle; /* of dlopen */
    deja__object *items;
    uint32_t count;
} deja__objects;

/* Loads a library. DEJA_EIO, DEJA_EUNFIT, DEJA_ENOMEM as deja_plugin_open. Released also where it
 * failed. */
deja_code deja__objects_load(deja__objects *objects, const char *path, deja_error *err);
/* Drops the files that were read; names and addresses stay. */
void deja__objects_forget_files(deja__objects *objects);
void deja__objects_release(deja__objects *objects); /* unloads it */

/* Whether a library's file name is one of those that belong to the platform: libc, libm, the
 * loader, the compilers' runtimes. */
bool deja__is_platform_library(const char *name);
/* Whether `size` bytes at an address of this process lie in one of the object's segments. */
bool deja__object_holds(const deja__object *object, uintptr_t address, uint64_t size);

/* ---- what is found out about them ---- */

/* Writes why the library is not closed into `why`; nothing where it is. */
deja_code deja__closed_check(const deja__objects *objects, deja_buffer *why, deja_error *err);

/* The content digest of a build. Normative: schemas/digests.md. */
deja_code deja__digest_objects(const deja__objects *objects, unsigned char digest[16],
                               deja_error *err);
/* The digest of the file of the object that an address lies in; all zero where it can't be read. */
void deja__digest_of_address(const void *address, unsigned char digest[16]);

typedef struct deja__segments deja__segments;
/* Copies the writable memory of the new objects. Works without a copy where it is too large. */
deja_code deja__segments_copy(deja__segments **out, const deja__objects *objects, deja_error *err);
void deja__segments_destroy(deja__segments *segments); /* NULL is fine */
/* Writes why the copy alone speaks against putting it back into `why`; nothing where it doesn't. */
void deja__segments_check(const deja__segments *segments, deja_buffer *why);
/* As deja__plugin_restore. */
uint32_t deja__segments_restore(deja__segments *segments,
                                void (*changed)(void *user, const char *name, uint64_t size),
                                void *user);

/* ---- the table ---- */

/* Copies what both sides know of a table that may be older or newer, and checks it. `room` is how
 * many bytes there are at `source`. DEJA_EUNFIT says what is unsound. */
deja_code deja__table_copy(deja_rules_table *table, const void *source, uint64_t room,
                           deja_error *err);

#endif
