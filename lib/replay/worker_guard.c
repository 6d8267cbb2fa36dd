/* SPDX-License-Identifier: MIT */
/*
 * What a worker may do, and its end with that of its host.
 *
 * A guard against mistakes and crashes, and a modest one against malice: what runs here still runs
 * as the user. The manual says so.
 */
#include "replay/worker.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define HAS_SHADOW_MEMORY 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_SHADOW_MEMORY 1
#endif
#endif
#ifndef HAS_SHADOW_MEMORY
#define HAS_SHADOW_MEMORY 0
#endif

#if HAS_SHADOW_MEMORY
/* Asked by the sanitizer before it looks for leaks at a process's end, by a call that a worker may
 * not make; and what libraries leave behind is none of its business. */
static bool in_worker;
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return in_worker;
}
#endif

/* A recursion without end is to stop in time also where the user allows any stack. */
#define STACK_MAX ((rlim_t)64 << 20)

/* A crash is to end the process by its signal, whoever put a handler there before main. */
static void reset_signals(void)
{
    static const int fatal[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS };
    struct sigaction plain;
    memset(&plain, 0, sizeof plain);
    plain.sa_handler = SIG_DFL;
    for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++)
        sigaction(fatal[i], &plain, NULL); /* lint: a worker's own process, and only to default */
}

static void limit(void)
{
    const struct rlimit none = { 0, 0 };
    setrlimit(RLIMIT_CORE, &none);
    struct rlimit stack;
    if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur > STACK_MAX) {
        stack.rlim_cur = STACK_MAX;
        setrlimit(RLIMIT_STACK, &stack);
    }
}

/* A library that closes or writes descriptors by number starts at the low ones. */
static int move_high(int descriptor)
{
    static const int lowest[] = { 900, 200, 50 };
    for (size_t i = 0; i < sizeof lowest / sizeof lowest[0]; i++) {
        const int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, lowest[i]);
        if (moved >= 0) {
            close(descriptor);
            return moved;
        }
    }
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    return descriptor;
}

/* What the host forgot to mark close-on-exec is none of the library's business. */
static void close_others(int kept)
{
#if defined(SYS_close_range)
    if (syscall(SYS_close_range, 3u, (unsigned)kept - 1, 0u) == 0 &&
        syscall(SYS_close_range, (unsigned)kept + 1, ~0u, 0u) == 0)
        return;
#endif
    for (int i = 3; i < 1024; i++)
        if (i != kept)
            close(i);
}

bool deja__guard_begin(pid_t host, int *socket)
{
    if (prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL) != 0 || getppid() != host)
        return false;
#if HAS_SHADOW_MEMORY
    in_worker = true;
#endif
    prctl(PR_SET_NO_NEW_PRIVS, 1ul, 0ul, 0ul, 0ul);
    limit();
    reset_signals();
    *socket = move_high(*socket);
    close_others(*socket);
    deja__guard_calls();
    return true;
}

void deja__guard_memory(uint64_t mib)
{
    /* A sanitizer's shadow alone is terabytes of addresses. */
    if (HAS_SHADOW_MEMORY || mib == 0 || mib > UINT64_MAX >> 21)
        return;
    uint64_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file) {
        char line[64];
        if (fgets(line, sizeof line, file))
            pages = strtoull(line, NULL, 10);
        fclose(file);
    }
    const long page = sysconf(_SC_PAGESIZE);
    const uint64_t most = (mib << 20) + pages * (uint64_t)(page > 0 ? page : 0);
    const struct rlimit memory = { most, most };
    setrlimit(RLIMIT_AS, &memory);
}

uint32_t deja__guard_threads(void)
{
    DIR *folder = opendir("/proc/self/task");
    if (!folder)
        return 0;
    uint32_t count = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

void deja__guard_floats(uint32_t flags)
{
#if defined(__x86_64__)
    /* By hand, as fesetround() would need libm and knows nothing of denormals. The rounding bits
     * are the same in both units: down 01, up 10, to zero 11. */
    const unsigned down = flags & (DEJA__FLOAT_DOWN | DEJA__FLOAT_ZERO) ? 1u : 0u;
    const unsigned up = flags & (DEJA__FLOAT_UP | DEJA__FLOAT_ZERO) ? 2u : 0u;
    unsigned control = 0x1f80u | (down | up) << 13;
    if (flags & DEJA__FLOAT_FTZ)
        control |= 0x8000u;
    if (flags & DEJA__FLOAT_DAZ)
        control |= 0x0040u;
    __builtin_ia32_ldmxcsr(control);
    const unsigned short old_unit = (unsigned short)(0x037fu | (down | up) << 10);
    __asm__ volatile("fldcw %0" : : "m"(old_unit));
#else
    (void)flags;
#endif
}
