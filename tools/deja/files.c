/* SPDX-License-Identifier: MIT */
/*
 * Reading and writing files whole.
 *
 * A file that is written appears under its name when it is complete and on the disk: an export that
 * is interrupted, or runs out of space, leaves what was there before. Renaming over something that
 * is no regular file would take it away (a superuser's /dev/null, for one), so that is written to.
 *
 * What is replaced must be of the same kind, for a name is soon mistyped, and a store is not made
 * anew: whoever writes says how such files begin, and a file that begins otherwise stays. It is
 * looked at when the writing begins, and again just before it is replaced.
 */
#include "files.h"

#include <deja/journal_read.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"

enum { CHUNK = 64 * 1024 };
enum { GIB_MOST = 1, JOURNAL_GIB_MOST = 64 };

/* ---- reading ---- */

/* How many GiB a file may have that begins so. A journal grows as long as its game runs. */
static uint64_t gib_most(const deja_buffer *file)
{
    return deja_is_journal(file->bytes, file->size) ? JOURNAL_GIB_MOST : GIB_MOST;
}

int file_read(const char *path, deja_buffer *out)
{
    const bool is_input = strcmp(path, "-") == 0;
    const char *name = is_input ? "standard input" : text_typed(path);
    const int descriptor = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    int status = STATUS_OK;
    if (descriptor < 0)
        return complain(STATUS_TROUBLE, "%s: %s", name, system_text(errno));
    for (;;) {
        if (!deja_buffer_reserve(out, CHUNK)) {
            status = complain_memory();
            break;
        }
        const ssize_t got = read(descriptor, out->bytes + out->size, CHUNK);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            status = complain(STATUS_TROUBLE, "%s: %s", name, system_text(errno));
        if (got <= 0)
            break;
        out->size += (uint64_t)got;
        if (out->size > gib_most(out) << 30) {
            status = complain(STATUS_TROUBLE, "%s: larger than %llu GiB", name,
                              (unsigned long long)gib_most(out));
            break;
        }
    }
    if (!is_input)
        close(descriptor);
    return status;
}

/* ---- writing ---- */

static int fail(file_writer *out, int error)
{
    const int status =
        complain(STATUS_TROUBLE, "%s: %s", text_typed(out->name), system_text(error));
    file_abandon(out);
    return status;
}

/* The beginning of a file, a byte-order mark left out; -1 with errno. */
static ssize_t read_beginning(const char *path, char *bytes, size_t size)
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    size_t have = 0;
    ssize_t got = descriptor < 0 ? -1 : 1;
    while (got > 0 && have < size) {
        got = read(descriptor, bytes + have, size - have);
        have += got > 0 ? (size_t)got : 0;
        if (got < 0 && errno == EINTR)
            got = 1;
    }
    const int error = errno;
    if (descriptor >= 0)
        close(descriptor);
    errno = error;
    if (got < 0)
        return -1;
    if (have >= 3 && memcmp(bytes, "\357\273\277", 3) == 0) {
        have -= 3;
        memmove(bytes, bytes + 3, have);
    }
    return (ssize_t)have;
}

/* Whether the file that is there may be replaced: it is empty, or begins as the new one does. */
static int check_replaced(const file_writer *out)
{
    char bytes[128];
    const size_t size = strlen(out->kind->beginning);
    const ssize_t got = read_beginning(out->path, bytes, sizeof bytes);
    if (got < 0 && errno == ENOENT)
        return STATUS_OK;
    if (got < 0)
        return complain(STATUS_TROUBLE, "%s: is there already, and cannot be looked at: %s",
                        out->name, system_text(errno));
    if (got == 0 || ((size_t)got >= size && memcmp(bytes, out->kind->beginning, size) == 0))
        return STATUS_OK;
    const bool is_store = got >= 72 && memcmp(bytes, "SQLite format 3", 16) == 0 &&
                          memcmp(bytes + 68, "deja", 4) == 0;
    return complain(STATUS_USAGE, "%s: is there already, and is %s, no %s; name another file",
                    out->name, is_store ? "a deja store" : "something else", out->kind->name);
}

int file_begin(file_writer *out, const char *path, const file_kind *kind)
{
    struct stat about;
    memset(out, 0, sizeof *out);
    out->name = path;
    out->kind = kind;
    out->descriptor = -1;
    const bool exists = stat(path, &about) == 0;
    const bool special = exists && !S_ISREG(about.st_mode);
    /* A link's own place is not where the file is to be; a pipe has no place with a name. */
    out->path = exists && !special ? realpath(path, NULL) : strdup(path);
    if (!out->path)
        return fail(out, errno);
    const int status = exists && !special ? check_replaced(out) : STATUS_OK;
    if (status != STATUS_OK) {
        file_abandon(out);
        return status;
    }
    if (special && S_ISBLK(about.st_mode)) {
        complain(STATUS_USAGE, "%s: is a disk; give the name of a file", text_typed(path));
        file_abandon(out);
        return STATUS_USAGE;
    }
    if (special) {
        out->descriptor = open(path, O_WRONLY | O_CLOEXEC);
    } else {
        if (asprintf(&out->beside, "%s.XXXXXX", out->path) < 0) {
            out->beside = NULL;
            return fail(out, ENOMEM);
        }
        out->descriptor = mkostemp(out->beside, O_CLOEXEC);
        if (out->descriptor < 0) {
            const int error = errno;
            free(out->beside);
            out->beside = NULL;
            if (error == ENOENT) {
                file_abandon(out);
                return complain(STATUS_TROUBLE, "%s: there is no such folder", path);
            }
            errno = error;
        }
    }
    return out->descriptor < 0 ? fail(out, errno) : STATUS_OK;
}

static void hand_on(file_writer *out)
{
    const unsigned char *at = out->gathered.bytes;
    uint64_t left = out->gathered.size;
    if (out->gathered.failed)
        out->error = ENOMEM;
    while (left != 0 && out->error == 0) {
        const ssize_t wrote = write(out->descriptor, at, left);
        if (wrote < 0 && errno != EINTR)
            out->error = errno;
        at += wrote > 0 ? wrote : 0;
        left -= wrote > 0 ? (uint64_t)wrote : 0;
    }
    out->gathered.size = 0;
}

bool file_write(file_writer *out, const char *chars, uint64_t size)
{
    deja_buffer_add(&out->gathered, chars, size);
    if (out->gathered.failed || out->gathered.size >= CHUNK)
        hand_on(out);
    return out->error == 0;
}

/* What open() would have given a new file. */
static mode_t usual_mode(void)
{
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

int file_finish(file_writer *out)
{
    hand_on(out);
    if (out->error == 0 && out->beside &&
        (fchmod(out->descriptor, usual_mode()) != 0 || fsync(out->descriptor) != 0))
        out->error = errno;
    if (close(out->descriptor) != 0 && out->error == 0)
        out->error = errno;
    out->descriptor = -1;
    const int status = out->error == 0 && out->beside ? check_replaced(out) : STATUS_OK;
    if (status != STATUS_OK) {
        file_abandon(out);
        return status;
    }
    if (out->error == 0 && out->beside && rename(out->beside, out->path) != 0)
        out->error = errno;
    if (out->error != 0)
        return fail(out, out->error);
    free(out->beside);
    out->beside = NULL;
    file_abandon(out);
    return STATUS_OK;
}

void file_abandon(file_writer *out)
{
    if (out->descriptor >= 0)
        close(out->descriptor);
    if (out->beside)
        unlink(out->beside);
    free(out->beside);
    free(out->path);
    deja_buffer_release(&out->gathered);
    memset(out, 0, sizeof *out);
    out->descriptor = -1;
}
