/* SPDX-License-Identifier: MIT */
/*
 * A binary that was not installed has its games beside it, and its worker; an installed one has the
 * worker in ../libexec/deja from where it is, so that an installation may be moved. A worker of
 * another build is refused when it is greeted.
 */
#include "own_folder.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

bool own_folder(char *folder, size_t size)
{
    const ssize_t count = readlink("/proc/self/exe", folder, size);
    if (count <= 0 || (size_t)count >= size)
        return false;
    folder[count] = '\0';
    char *slash = strrchr(folder, '/');
    if (!slash)
        return false;
    *slash = '\0';
    return true;
}

const char *worker_program(void)
{
    static char program[PATH_SIZE + 64];
    char folder[PATH_SIZE];
    if (program[0])
        return program;
    if (!own_folder(folder, sizeof folder))
        return NULL;
    snprintf(program, sizeof program, "%s/games", folder);
    const char *place = is_folder(program) ? "deja-worker" : "../libexec/deja/deja-worker";
    snprintf(program, sizeof program, "%s/%s", folder, place);
    if (access(program, X_OK) == 0)
        return program;
    program[0] = '\0';
    return NULL;
}
