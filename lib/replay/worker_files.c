/* SPDX-License-Identifier: MIT */
/*
 * Files and connections that rules have no business with: once a library is loaded, a worker makes,
 * changes, renames and removes no file, and opens no TCP connection, where the kernel has Landlock.
 * What is open by then stays open. Reading is left alone: a library may load what it needs late.
 *
 * Without Landlock there is no such limit, and nothing depends on it.
 */
#include "replay/worker.h"

#if defined(__linux__) && defined(__has_include)
#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif
#endif

/* A build that counts which lines ran writes down what it counted. */
#if defined(LANDLOCK_CREATE_RULESET_VERSION) && defined(SYS_landlock_create_ruleset) && \
    !defined(DEJA_COVER)

/* What newer kernels know, by number: headers are often older. */
#define REFER ((uint64_t)1 << 13)
#define TRUNCATE ((uint64_t)1 << 14)
#define TCP ((uint64_t)3) /* bind, connect */

struct ruleset {
    uint64_t files;
    uint64_t network; /* version 4 */
};

void deja__guard_files(void)
{
    const long version =
        syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, LANDLOCK_CREATE_RULESET_VERSION);
    struct ruleset rules = { 0, 0 };
    if (version < 1)
        return;
    rules.files = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                  LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                  LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                  LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                  LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
    rules.files |= (version >= 2 ? REFER : 0) | (version >= 3 ? TRUNCATE : 0);
    rules.network = version >= 4 ? TCP : 0;
    const size_t size = version >= 4 ? sizeof rules : sizeof rules.files;
    const long descriptor = syscall(SYS_landlock_create_ruleset, &rules, size, 0u);
    if (descriptor < 0)
        return;
    syscall(SYS_landlock_restrict_self, (int)descriptor, 0u);
    close((int)descriptor);
}

#else

void deja__guard_files(void)
{
}

#endif
