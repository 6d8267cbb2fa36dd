/* SPDX-License-Identifier: MIT */
/*
 * Told to stop, the child ends after what is at hand. What takes longer than a few seconds for that
 * is not waited for: SIGALRM ends the process, as it does for rules that hang.
 */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interrupt.h"
#include "output.h"

enum { STOP_SECONDS = 5, PATIENCE_MS = 100 };

static volatile sig_atomic_t stopped;
static pid_t teller;

/* ---- in the child ---- */

/* A terminal tells the child as well as the parent, who tells it again: once is enough. */
static void stop(int number)
{
    if (!stopped)
        alarm(STOP_SECONDS);
    stopped = number;
}

static void take_signals(const sigset_t *mask)
{
    static const int numbers[] = { SIGINT, SIGTERM };
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = stop;
    action.sa_flags = SA_RESTART;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
    signal(SIGALRM, SIG_DFL);
    /* Rules that are killed by a pipe of their own are rules that crash. */
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, mask, NULL);
}

bool child_write(int descriptor, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size != 0) {
        const ssize_t wrote = write(descriptor, at, size);
        if (wrote < 0 && errno != EINTR)
            return false;
        at += wrote > 0 ? wrote : 0;
        size -= wrote > 0 ? (size_t)wrote : 0;
    }
    return true;
}

bool child_send(int notes, const void *head, size_t size, const char *text, size_t text_size)
{
    if (getpid() != teller)
        _exit(STATUS_OK);
    return child_write(notes, head, size) && child_write(notes, text, text_size);
}

int child_stopped(void)
{
    return stopped;
}

void child_is_ending(void)
{
    if (stopped)
        alarm(0);
}

static void run_child(void (*work)(void *user, int notes), void *user, pid_t parent,
                      const sigset_t *mask, int notes)
{
    const int nothing = open("/dev/null", O_RDWR);
    teller = getpid();
    take_signals(mask);
    /* A parent that is killed has nobody who reads: end as if told to. */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(nothing, STDOUT_FILENO) < 0 ||
        getppid() != parent)
        _exit(STATUS_TROUBLE);
    close(nothing);
    work(user, notes);
    _exit(STATUS_OK);
}

/* ---- in the parent ---- */

bool child_start(child *out, void (*work)(void *user, int notes), void *user)
{
    int ends[2];
    sigset_t all;
    sigset_t mask;
    const pid_t parent = getpid();
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    /* A signal that comes now waits until the child has its own handler. */
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &mask);
    const pid_t process = fork();
    if (process == 0) {
        close(ends[0]);
        run_child(work, user, parent, &mask, ends[1]);
    }
    interrupt_take_along(process > 0 ? process : 0);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    close(ends[1]);
    if (process < 0)
        close(ends[0]);
    memset(out, 0, sizeof *out);
    out->process = process;
    out->notes = ends[0];
    return process > 0;
}

/* Whether something can be read. A process that the rules have started may hold the pipe open for
 * ever, so the child's end is asked for too. */
static bool wait_readable(child *from)
{
    struct pollfd wanted = { .fd = from->notes, .events = POLLIN };
    for (;;) {
        siginfo_t about = { .si_pid = 0 };
        if (interrupt_signal() && !from->told) {
            kill(from->process, interrupt_signal());
            from->told = true;
        }
        if (!from->killed && from->is_well && !from->is_well(from->user)) {
            kill(from->process, SIGKILL);
            from->killed = true;
        }
        /* Looked at before the pipe is: what it wrote before its end is there then. */
        const bool gone =
            waitid(P_PID, (id_t)from->process, &about, WEXITED | WNOHANG | WNOWAIT) != 0 ||
            about.si_pid == from->process;
        const int ready = poll(&wanted, 1, gone ? 0 : PATIENCE_MS);
        if (ready > 0)
            return true;
        if (gone || (ready < 0 && errno != EINTR))
            return false;
    }
}

bool child_read(child *from, void *bytes, size_t size)
{
    char *at = bytes;
    while (size != 0) {
        const ssize_t got = wait_readable(from) ? read(from->notes, at, size) : 0;
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        at += got > 0 ? got : 0;
        size -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

int child_end(child *ended)
{
    int how = 0;
    pid_t got;
    close(ended->notes);
    do
        got = waitpid(ended->process, &how, 0);
    while (got < 0 && errno == EINTR);
    interrupt_take_along(0);
    return got == ended->process ? how : 0;
}

void child_say_end(int how, char *words, size_t size)
{
    if (WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL)
        snprintf(words, size, "were killed (SIGKILL: out of memory?)");
    else if (WIFSIGNALED(how))
        snprintf(words, size, "crashed (%s: SIG%s)", strsignal(WTERMSIG(how)),
                 sigabbrev_np(WTERMSIG(how)) ? sigabbrev_np(WTERMSIG(how)) : "?");
    else
        snprintf(words, size, "ended their process (exit status %d)", WEXITSTATUS(how));
}
