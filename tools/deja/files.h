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

/*
 * A file that is being written: beside its place under another name, and moved there at the end. A
 * place that is no regular file (a terminal, a pipe, /dev/null) is written to as it is.
 */
typedef struct file_writer {
    const char *name; /* as it was asked for; borrowed */
    char *path;       /* where it is to be, links followed */
    char *beside;     /* where it is until then; NULL where it is written to in place */
    int descriptor;
    deja_buffer gathered;
    int error;
} file_writer;

/* STATUS_OK, or it has complained. Ends with file_finish() or file_abandon(). */
int file_begin(file_writer *out, const char *path);
bool file_write(file_writer *out, const char *chars, uint64_t size);
int file_finish(file_writer *out);
void file_abandon(file_writer *out);

#endif
