/* SPDX-License-Identifier: MIT */
/*
 * A worker, as its host sees it: started with a library, fed with jobs, watched, ended.
 *
 *     link.c    the jobs: handing out, waiting, answers
 *     watch.c   how it is: stderr, hangs, how it ended
 *     start.c   starting it with a library, ending it
 *     spawn.c   the process: making it, taking it down, how it died
 *     shared.c  the memory that both have
 *     info.c    what a library says of itself
 *
 * Jobs and their answers are taken in order. When the worker dies, jobs that were not answered stay
 * where they are; the next worker goes on from any of them.
 */
#ifndef DEJA_REPLAY_LINK_H
#define DEJA_REPLAY_LINK_H

#include <deja/replay.h>
#include <sys/types.h>

#include "replay/wire.h"

/* What to start and how to watch it. Borrowed as long as the link is open. */
typedef struct deja__link_how {
    const char *worker; /* NULL for the program that runs */
    const char *library;
    uint32_t isolation; /* enum deja_isolation, or DEJA__ISOLATE_NONE */
    uint32_t memory_mib;
    uint32_t hang_cpu_ms; /* 0: no limit */
    uint32_t hang_wall_ms;
    int content; /* descriptor of the shared packs; -1: none */
} deja__link_how;

enum deja__end_kind {
    DEJA__END_NONE = 0,
    DEJA__END_DIED = 1,   /* `status` as waitpid tells it */
    DEJA__END_CUT = 2,    /* it closed its connection, or sent what is no message */
    DEJA__END_CPU = 3,    /* one step took too much of the processor */
    DEJA__END_WALL = 4,   /* there was no step for too long */
    DEJA__END_SYSTEM = 5, /* not the rules' doing: no memory, no fork */
    DEJA__END_WROTE = 6   /* what it answers makes no sense */
};

enum { DEJA__SAID_SIZE = 200 };

typedef struct deja__link {
    deja__link_how how;
    deja_rules_info info; /* of the library, once it was started */
    unsigned char *in;
    int in_descriptor;
    uint64_t submitted; /* jobs handed over */
    uint64_t taken;     /* answers dealt with */
    bool unkicked;      /* a sleeping worker has not been told of the last ones */

    /* The process; pid is 0 where there is none. */
    pid_t pid;
    int pid_descriptor; /* -1 where the system has no such thing */
    int socket;
    int errors; /* its stderr */
    unsigned char *out;
    deja__inbox inbox;
    uint32_t end; /* enum deja__end_kind */
    int status;
    deja_error system;          /* why, for DEJA__END_SYSTEM */
    char said[DEJA__SAID_SIZE]; /* the end of its stderr */
    uint32_t said_size;

    /* The last look at how far it is. */
    uint64_t seen_progress;
    uint64_t seen_cpu_ms;
    uint64_t seen_wall_ms;

    /* Takes states and steps as they come. */
    bool (*message)(void *user, uint32_t kind, deja_span bytes);
    void *user;
} deja__link;

/* ---- the worker ---- */

/* Makes the place that jobs lie in; no process yet. Close it also where this failed. */
deja_code deja__link_open(deja__link *link, const deja__link_how *how, deja_error *err);
/* Makes the process of a worker, without waiting for it: the caller has other things to do while it
 * gets ready. */
deja_code deja__link_launch(deja__link *link, deja_error *err);
/*
 * Starts a worker that goes on with the first job that was not taken, and has it load the library.
 * DEJA_EIO: no such library, or no worker; DEJA_EUNFIT: the library does not load, crashes or hangs
 * while it is loaded, or is not the one of the start before; DEJA_ENOMEM.
 */
deja_code deja__link_start(deja__link *link, deja_error *err);
/* Lets a worker without jobs leave, without waiting for that. */
void deja__link_dismiss(deja__link *link);
/* Ends it with all that it has brought into being. */
void deja__link_stop(deja__link *link);
void deja__link_close(deja__link *link);

/* ---- jobs ---- */

/* Where the next job goes; NULL when all slots are taken. */
deja__job *deja__link_slot(deja__link *link);
void deja__link_submit(deja__link *link);
/* Wakes the worker, if it sleeps, after one or more were submitted. */
void deja__link_kick(deja__link *link);
/* Steps of sessions up to this number are not wanted any more. */
void deja__link_cancel(deja__link *link, uint64_t session);

enum deja__link_event {
    DEJA__LINK_ANSWER = 0, /* the next answer is whole */
    DEJA__LINK_TICK = 1,   /* time went by */
    DEJA__LINK_ENDED = 2   /* the worker is no more; `end` says why. Stop it */
};
/* Waits for the next answer, at most so many milliseconds. */
enum deja__link_event deja__link_wait(deja__link *link, uint32_t milliseconds);
/* Whether another answer is there already, for which nothing has to be received. */
bool deja__link_has_answer(const deja__link *link);
/* The next answer; what lies there may change under the reader unless it is whole. */
const deja__answer *deja__link_answer(const deja__link *link);
/* Whether the worker is at the next job. */
bool deja__link_has_begun(const deja__link *link);
/* How many steps of the next job are finished, or -1 before its session has begun. */
int64_t deja__link_rows(const deja__link *link);
/* The next answer was dealt with. */
void deja__link_take(deja__link *link);

/* Appends how it ended: "SIGSEGV", "called exit(0)", "closed its connection"... */
void deja__link_print_end(const deja__link *link, deja_buffer *out);
/* What it last wrote to stderr, one line, or "". */
const char *deja__link_said(const deja__link *link);

/* ---- for these files ---- */

enum {
    DEJA__LOOK_MS = 20,    /* how often to look whether it gets on */
    DEJA__GOODBYE_MS = 100 /* for a worker that is not needed any more to leave by itself */
};

static inline deja__in_control *deja__in_control_of(const deja__link *link)
{
    return (deja__in_control *)(void *)link->in;
}

static inline deja__out_control *deja__out_control_of(const deja__link *link)
{
    return (deja__out_control *)(void *)link->out;
}

/* Takes what it wrote to stderr. */
void deja__hear(deja__link *link);
/* Notes how it ended, the first time; answers DEJA__LINK_ENDED. */
enum deja__link_event deja__ended(deja__link *link, uint32_t kind);
enum deja__link_event deja__ended_by_system(deja__link *link, deja_code code, const char *why);
/* The connection is closed. */
enum deja__link_event deja__lost(deja__link *link);
/* Looks whether it got on since the last look, or still has time. */
enum deja__link_event deja__watch(deja__link *link);
/* A worker without work does not hang. */
void deja__forget_watch(deja__link *link);
/* Sleeps until there is something to see, at most so long. */
void deja__sleep_for_sign(const deja__link *link, uint32_t milliseconds);

/* Makes the process. `link->pid` is 0 where it failed. */
deja_code deja__spawn(deja__link *link, deja_error *err);
/* Looks whether it is dead, without waiting, and keeps its status. */
bool deja__spawn_is_dead(deja__link *link);
/* Kills it and its group, waits for it, drops its descriptors and its memory. */
void deja__spawn_end(deja__link *link);
/* Processor time of the process that runs the session, in ms; 0 where that cannot be told. */
uint64_t deja__spawn_cpu_ms(const deja__link *link);
uint64_t deja__now_ms(void);

/* Reads INFO. The info is all zero before, and released by the caller also on failure. */
deja_code deja__info_unpack(deja_rules_info *info, deja_span bytes, deja_error *err);

#endif
