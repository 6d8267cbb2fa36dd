/* SPDX-License-Identifier: MIT */
/*
 * A worker's process: making it, taking it down, how it died.
 *
 * It is exec'd, so that it has nothing of the host but what it is handed: 3 the socket, 4 and 5 the
 * shared memories, 6 the content where there is any, stdin and stdout /dev/null, stderr a pipe that
 * never blocks who writes it. It leads a process group of its own; the group is killed before its
 * leader is waited for, so the number cannot have gone to somebody else.
 *
 * posix_spawn, not fork: a host may be large and have threads.
 *
 * A worker's addresses are random also where its host's are not (setarch -R, a debugger): what
 * depends on them is to give two answers there, too, and not the same wrong one each time.
 */
#include "replay/link.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Where descriptors wait to become 2 to 6 in the worker: clear of these numbers. */
enum { CLEAR = 16 };

uint64_t deja__now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ---- making ---- */

/* What the worker gets, as the descriptors 2 to 6; the last, content, may be missing (-1). */
enum { HANDED = 5, ALWAYS_HANDED = 4 };

static void drop_handed(const int handed[HANDED])
{
    for (int i = 0; i < HANDED; i++)
        if (handed[i] >= 0)
            close(handed[i]);
}

/* Takes a descriptor to a number that is clear of its place in the worker. */
static int clear_of(int descriptor)
{
    return fcntl(descriptor, F_DUPFD_CLOEXEC, CLEAR);
}

static deja_code make_handed(deja__link *link, int handed[HANDED], deja_error *err)
{
    int pair[2] = { -1, -1 };
    int ends[2] = { -1, -1 };
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0 ||
        pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        deja__fail(err, DEJA_EIO, "cannot connect to a worker (system error %d)", errno);
        drop_handed((const int[HANDED]){ pair[0], pair[1], -1, -1, -1 });
        return DEJA_EIO;
    }
    link->socket = pair[0];
    link->errors = ends[0];
    handed[0] = clear_of(ends[1]);
    handed[1] = clear_of(pair[1]);
    handed[2] = clear_of(link->in_descriptor);
    close(ends[1]);
    close(pair[1]);
    const int out = deja__shared_memory("deja-out", DEJA__OUT_SIZE, &link->out, err);
    if (out < 0)
        return DEJA_EIO;
    handed[3] = clear_of(out);
    close(out);
    if (link->how.content >= 0)
        handed[4] = clear_of(link->how.content);
    for (int i = 0; i < HANDED; i++)
        if (handed[i] < 0 && (i < ALWAYS_HANDED || link->how.content >= 0))
            return deja__fail(err, DEJA_EIO, "too many open files");
    return DEJA_OK;
}

static int set_actions(posix_spawn_file_actions_t *actions, const int handed[HANDED])
{
    int failed = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
    if (!failed)
        failed = posix_spawn_file_actions_addopen(actions, 1, "/dev/null", O_WRONLY, 0);
    for (int i = 0; i < HANDED && !failed; i++)
        if (handed[i] >= 0)
            failed = posix_spawn_file_actions_adddup2(actions, handed[i], i + 2);
    return failed;
}

static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int failed = posix_spawnattr_setflags(
        attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (!failed)
        failed = posix_spawnattr_setpgroup(attributes, 0);
    if (!failed)
        failed = posix_spawnattr_setsigmask(attributes, &none);
    if (!failed)
        failed = posix_spawnattr_setsigdefault(attributes, &all);
    return failed;
}

/* The personality goes by threads, and a new process has that of the thread that made it. */
static int spawn_at_random(pid_t *pid, const char *program,
                           const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *attributes, char *const arguments[])
{
    const int kept = personality(0xffffffff);
    const bool fixed = kept != -1 && kept & ADDR_NO_RANDOMIZE;
    if (fixed)
        personality((unsigned long)(kept & ~ADDR_NO_RANDOMIZE));
    const int failed = posix_spawn(pid, program, actions, attributes, arguments, environ);
    if (fixed)
        personality((unsigned long)kept);
    return failed;
}

static int spawn(deja__link *link, const char *program, const int handed[HANDED])
{
    char host[16];
    char name[] = "deja", argument[] = DEJA_WORKER_ARGUMENT, socket[] = "3", in[] = "4",
         out[] = "5", content[] = "6", none[] = "0";
    char *const packs = handed[4] >= 0 ? content : none;
    char *const arguments[] = { name, argument, socket, in, out, packs, host, NULL };
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    snprintf(host, sizeof host, "%d", (int)getpid());
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed)
        return failed;
    failed = posix_spawnattr_init(&attributes);
    if (!failed) {
        failed = set_actions(&actions, handed);
        if (!failed)
            failed = set_attributes(&attributes);
        if (!failed)
            failed = spawn_at_random(&link->pid, program, &actions, &attributes, arguments);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    if (failed)
        link->pid = 0;
    return failed;
}

deja_code deja__spawn(deja__link *link, deja_error *err)
{
    const char *program = link->how.worker ? link->how.worker : "/proc/self/exe";
    int handed[HANDED] = { -1, -1, -1, -1, -1 };
    link->status = 0;
    link->end = DEJA__END_NONE;
    link->said_size = 0;
    link->said[0] = '\0';
    deja_code code = make_handed(link, handed, err);
    if (code == DEJA_OK) {
        const int failed = spawn(link, program, handed);
        if (failed == ENOENT || failed == ENOTDIR)
            code = deja__fail(err, DEJA_EIO, "there is no worker program '%s'", program);
        else if (failed)
            code = deja__fail(err, failed == ENOMEM ? DEJA_ENOMEM : DEJA_EIO,
                              "cannot start the worker '%s' (system error %d)", program, failed);
    }
    drop_handed(handed);
    if (code != DEJA_OK)
        deja__spawn_end(link);
#if defined(SYS_pidfd_open)
    else
        link->pid_descriptor = (int)syscall(SYS_pidfd_open, link->pid, 0u);
#endif
    return code;
}

/* ---- how it is ---- */

bool deja__spawn_is_dead(deja__link *link)
{
    siginfo_t info;
    memset(&info, 0, sizeof info);
    if (link->pid == 0)
        return true;
    /* It stays there to be waited for: only then may its group be killed by its number. */
    if (waitid(P_PID, (id_t)link->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
        /* Somebody else in this program waits for everybody's children. */
        link->status = -1;
        return errno == ECHILD;
    }
    if (info.si_pid == 0)
        return false;
    link->status =
        info.si_code == CLD_EXITED ? (info.si_status & 0xff) << 8 : info.si_status & 0x7f;
    return true;
}

uint64_t deja__spawn_cpu_ms(const deja__link *link)
{
    const deja__out_control *out = (const deja__out_control *)(const void *)link->out;
    const uint32_t runner = atomic_load_explicit(&out->runner, memory_order_relaxed);
    clockid_t clock;
    struct timespec used;
    if (clock_getcpuclockid(runner ? (pid_t)runner : link->pid, &clock) != 0 ||
        clock_gettime(clock, &used) != 0)
        return 0;
    return (uint64_t)used.tv_sec * 1000 + (uint64_t)used.tv_nsec / 1000000;
}

/* ---- taking down ---- */

static void drop(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

void deja__spawn_end(deja__link *link)
{
    if (link->pid > 0) {
        int status;
        kill(-link->pid, SIGKILL);
        while (waitpid(link->pid, &status, 0) < 0 && errno == EINTR) {
        }
    }
    link->pid = 0;
    drop(&link->socket);
    drop(&link->errors);
    drop(&link->pid_descriptor);
    if (link->out)
        munmap(link->out, DEJA__OUT_SIZE);
    link->out = NULL;
    deja__inbox_release(&link->inbox);
}
