/* SPDX-License-Identifier: MIT */
/*
 * Files that are read whole, and files that appear whole or not at all.
 */
#ifndef DEJA_TOOL_FILES_H
#define DEJA_TOOL_FILES_H

#include <deja/buffer.h>
#include <stdbool.h>

/* Appends a file ("-" is stdin) to an empty buffer. STATUS_OK, or it has complained. */
int file_read(const char *path, deja_buffer *out);

/* What is written. */
typedef struct file_kind {
    const char *name;      /* "replay text" */
    const char *beginning; /* of every such file, a byte-order mark aside; 60 characters at most */
} file_kind;

/*
 * A file that is being written: beside its place under another name, and moved there at the end. A
 * place that is no regular file (a terminal, a pipe, /dev/null) is written to as it is. A file that
 * is there is replaced only if it is empty or of the same kind.
 */
typedef struct file_writer {
    const char *name; /* as it was asked for; borrowed */
    const file_kind *kind;
    char *path;   /* where it is to be, links followed */
    char *beside; /* where it is until then; NULL where it is written to in place */
    int descriptor;
    deja_buffer gathered;
    int error;
} file_writer;

/* STATUS_OK, or it has complained. Ends with file_finish() or file_abandon(). */
int file_begin(file_writer *out, const char *path, const file_kind *kind);
bool file_write(file_writer *out, const char *chars, uint64_t size);
int file_finish(file_writer *out);
void file_abandon(file_writer *out);

#endif
