/* SPDX-License-Identifier: MIT */
/*
 * A file, whole in memory.
 *
 * Read, not mapped: a mapping of a file that somebody cuts short while it is looked at ends in a
 * SIGBUS, and a build that is running does just that.
 */
#include "plugin/object.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define FILE_SIZE_MAX ((uint64_t)1 << 30)

static deja_code fail_errno(deja_error *err, int number)
{
    switch (number) {
    case ENOENT:
    case ENOTDIR:
        return deja__fail(err, DEJA_EIO, "no such file");
    case EACCES:
    case EPERM:
        return deja__fail(err, DEJA_EIO, "permission denied");
    case EISDIR:
        return deja__fail(err, DEJA_EIO, "is a folder, not a file");
    case ENAMETOOLONG:
        return deja__fail(err, DEJA_EIO, "the path is too long");
    case ELOOP:
        return deja__fail(err, DEJA_EIO, "too many symbolic links");
    default:
        return deja__fail(err, DEJA_EIO, "cannot be read (system error %d)", number);
    }
}

/* Reads `size` bytes, and makes sure that no more come. */
static deja_code read_whole(int descriptor, unsigned char *bytes, uint64_t size, deja_error *err)
{
    uint64_t at = 0;
    unsigned char extra;
    for (;;) {
        const uint64_t rest = size - at;
        const ssize_t got =
            rest ? read(descriptor, bytes + at, (size_t)rest) : read(descriptor, &extra, 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_errno(err, errno);
        if (got == 0 && rest == 0)
            return DEJA_OK;
        if (got == 0 || rest == 0)
            return deja__fail(err, DEJA_EIO, "changed while it was read: try again");
        at += (uint64_t)got;
    }
}

deja_code deja__file_read(deja__file *file, const char *path, deja_error *err)
{
    deja_code code = DEJA_OK;
    memset(file, 0, sizeof *file);
    /* Without O_NONBLOCK, opening a pipe waits for a writer. */
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0)
        return fail_errno(err, errno);
    if (fstat(descriptor, &file->status) != 0)
        code = fail_errno(err, errno);
    else if (S_ISDIR(file->status.st_mode))
        code = fail_errno(err, EISDIR);
    else if (!S_ISREG(file->status.st_mode))
        code = deja__fail(err, DEJA_EIO, "is not a plain file");
    else if ((uint64_t)file->status.st_size > FILE_SIZE_MAX)
        code = deja__fail(err, DEJA_EUNFIT, "is larger than 1 GiB");
    if (code != DEJA_OK)
        goto done;
    file->size = (uint64_t)file->status.st_size;
    file->bytes = malloc((size_t)file->size + 1);
    code =
        file->bytes ? read_whole(descriptor, file->bytes, file->size, err) : deja__fail_memory(err);

done:
    close(descriptor);
    if (code != DEJA_OK)
        deja__file_release(file);
    return code;
}

void deja__file_release(deja__file *file)
{
    free(file->bytes);
    file->bytes = NULL;
    file->size = 0;
}
