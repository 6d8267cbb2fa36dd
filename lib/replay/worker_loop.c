/* SPDX-License-Identifier: MIT */
/*
 * One job after another, in this process or in a fork for each session.
 *
 * With forks, the process that loaded the library only waits: each session's first job makes a
 * child, which takes jobs itself, straight from the shared memory, until the session's end. How a
 * child ended is told to the host when it was not by that end.
 */
#include <deja/replay.h>

#include "replay/worker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How often to look for the next job before sleeping: some microseconds. */
enum { SPINS = 300, SLEEP_MS = 100 };

static const deja__in_control *in_control(const deja__worker *worker)
{
    return (const deja__in_control *)(const void *)worker->in;
}

static deja__out_control *out_control(const deja__worker *worker)
{
    return (deja__out_control *)(void *)worker->out;
}

static const deja__job *job_at(const deja__worker *worker, uint64_t number)
{
    const uint64_t slot = number % DEJA__SLOTS;
    return (const deja__job *)(const void *)(worker->in + DEJA__PAGE + slot * DEJA__IN_SLOT);
}

/* ---- waiting ---- */

/* Sleeps until the host kicks. false: it is gone. */
static bool sleep_for_kick(const deja__worker *worker)
{
    struct pollfd descriptor = { worker->socket, POLLIN, 0 };
    if (poll(&descriptor, 1, SLEEP_MS) > 0) {
        unsigned char kicks[256];
        if (descriptor.revents & POLLNVAL) {
            /* The library closed it. Jobs come through memory all the same. */
            const struct timespec pause = { 0, 1000000 };
            nanosleep(&pause, NULL);
        } else if (recv(worker->socket, kicks, sizeof kicks, MSG_DONTWAIT) == 0) {
            return false;
        }
    }
    return getppid() == worker->host;
}

/* The next job; NULL when the host is gone. */
static const deja__job *wait_for_job(const deja__worker *worker)
{
    const deja__in_control *in = in_control(worker);
    deja__out_control *out = out_control(worker);
    for (int i = 0; i < SPINS; i++) {
        if (atomic_load_explicit(&in->submitted, memory_order_acquire) > worker->next)
            return job_at(worker, worker->next);
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
    }
    for (;;) {
        atomic_store(&out->worker_waits, 1);
        const bool there = atomic_load(&in->submitted) > worker->next;
        const bool alive = there || sleep_for_kick(worker);
        atomic_store(&out->worker_waits, 0);
        if (!alive)
            return NULL;
        if (there || atomic_load(&in->submitted) > worker->next)
            return job_at(worker, worker->next);
    }
}

/* ---- doing ---- */

/* Whether a host that sleeps is to be woken for this answer. It takes several at a time, and has
 * new jobs there before those left are done; it also looks by itself every now and then. */
static bool is_worth_a_kick(const deja__worker *worker)
{
    const deja__in_control *in = in_control(worker);
    return worker->next % (DEJA__SLOTS / 2) == 0 || atomic_load(&in->submitted) == worker->next;
}

static void do_job(deja__worker *worker, const deja__job *job)
{
    deja__out_control *out = out_control(worker);
    const deja__desk desk = { in_control(worker),
                              out,
                              deja__recent_of(worker->out),
                              job,
                              deja__answer_at(worker->out, worker->next),
                              worker->next };
    deja__stage_job(&worker->stage, &desk);
    worker->next++;
    desk.answer->number = (uint32_t)worker->next;
    atomic_store(&out->done, worker->next);
    if (atomic_load(&in_control(worker)->host_waits) && is_worth_a_kick(worker))
        deja__wire_kick(worker->socket);
}

/* From here on a process that the library forks has no answers: it would go on from where it was,
 * and write its own over those of the sessions that follow. */
static void keep_answers(const deja__worker *worker)
{
    madvise(worker->out, DEJA__OUT_SIZE, MADV_DONTFORK);
}

/* One session, in the child. */
static void serve_session(deja__worker *worker, uint64_t session)
{
    const pid_t self = getpid();
    for (;;) {
        const deja__job *job = wait_for_job(worker);
        if (!job || job->session != session)
            return;
        const bool last = job->flags & DEJA__JOB_END;
        do_job(worker, job);
        /* A library that forks itself comes back here twice. */
        if (last || getpid() != self)
            return;
    }
}

/* Runs a session in a child. false: that went wrong, and the host knows. */
static bool fork_session(deja__worker *worker, uint64_t session)
{
    deja__out_control *out = out_control(worker);
    static const deja_span nothing = { NULL, 0 };
    const pid_t self = getpid();
    const pid_t child = fork();
    if (child == 0) {
        if (prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL) != 0 || getppid() != self)
            _exit(0);
        worker->host = self;
        keep_answers(worker);
        atomic_store(&out->runner, (uint32_t)getpid());
        serve_session(worker, session);
        atomic_store(&out->ended, session);
        _exit(0);
    }
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    atomic_store(&out->runner, 0);
    if (child > 0 && status == 0 && atomic_load(&out->ended) == session) {
        worker->next = atomic_load(&out->done);
        return true;
    }
    if (child > 0)
        deja__wire_send(worker->socket, DEJA__FRAME_CHILD, (uint32_t)status, nothing, nothing);
    else
        deja__wire_send(worker->socket, DEJA__FRAME_FAILED, (uint32_t)DEJA_EIO,
                        (deja_span){ "cannot fork", 11 }, nothing);
    return false;
}

int deja__worker_serve(deja__worker *worker)
{
    const pid_t self = getpid();
    if (worker->isolation != DEJA_ISOLATE_FORK)
        keep_answers(worker);
    for (;;) {
        const deja__job *job = wait_for_job(worker);
        if (!job)
            return 0;
        if (worker->isolation != DEJA_ISOLATE_FORK) {
            do_job(worker, job);
            if (worker->may_fork && getpid() != self)
                _exit(0);
        } else if (!fork_session(worker, job->session)) {
            /* The host ends this process, and with it whatever the child left behind. */
            while (getppid() == worker->host)
                sleep_for_kick(worker);
            return 0;
        }
    }
}
