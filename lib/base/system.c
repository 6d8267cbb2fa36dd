/* SPDX-License-Identifier: MIT */
/*
 * The system's errors in deja's words: short enough for the end of a line, and the same in every
 * locale.
 */
#include "base/base.h"

#include <errno.h>

const char *deja_system_text(int error)
{
    switch (error) {
    case ENOENT:
        return "no such file";
    case ENOTDIR:
        return "a part of the path is no folder";
    case EISDIR:
        return "is a folder";
    case EACCES:
    case EPERM:
        return "permission denied";
    case EROFS:
        return "the file system is read-only";
    case ENOSPC:
        return "no space left on the device";
    case EDQUOT:
        return "the disk quota is used up";
    case EFBIG:
        return "larger than files may be here";
    case EMFILE:
    case ENFILE:
        return "too many open files";
    case ELOOP:
        return "too many symbolic links";
    case ENAMETOOLONG:
        return "the name is too long";
    case EIO:
        return "the device failed";
    case EBADF:
        return "is closed";
    default:
        return NULL;
    }
}
