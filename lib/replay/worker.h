/* SPDX-License-Identifier: MIT */
/*
 * The worker's side. Everything here runs in a process that exists to run somebody's rules.
 *
 *     worker_guard.c   what the process may do, and its end with that of its host
 *     worker_filter.c  the system calls that it may not make
 *     worker.c         main: takes a library, tells of it, hands over to
 *     worker_loop.c    one job after another, in this process or in a fork for each session
 *     worker_stage.c   a session: begin, steps, end
 *     worker_packs.c   the content of a session
 *     worker_seen.c    values as a recorded layout has them
 *     worker_trace.c   steps that are sent whole
 */
#ifndef DEJA_REPLAY_WORKER_H
#define DEJA_REPLAY_WORKER_H

#include <sys/types.h>

#include "plugin/game.h"
#include "replay/packs.h"
#include "replay/wire.h"

/* ---- guard ---- */

/* The first thing: dies with the host, gets no privileges, dumps no core, keeps of its descriptors
 * the three standard ones and the socket, which moves to a high number. false: there is no host
 * any more, or the system will not have it. */
bool deja__guard_begin(pid_t host, int *socket);
/* Limits the memory from here on to so many MiB more than there are now. */
void deja__guard_memory(uint64_t mib);
/* From here on no file is written and no connection made, where the system can see to that. */
void deja__guard_files(void);
/* Takes away the calls by which a library would get out of reach. */
void deja__guard_calls(void);
/* How many threads this process has; 0 where that cannot be told. */
uint32_t deja__guard_threads(void);
/* Puts the float environment (enum deja__float_flag) in place. */
void deja__guard_floats(uint32_t flags);

/* ---- values as recorded ---- */

/* A type's values as a recorded layout has them, which is not the library's. */
typedef struct deja__seen {
    deja_layout *recorded; /* NULL: the layouts are the same, and there is nothing to do */
    deja_match *match;
    bool *added; /* by place: names of a kind that the recorded layout does not have */
    deja_buffer bytes;
    deja_buffer form; /* of one value */
} deja__seen;

/* Makes ready for a recorded layout's text ("" for the library's own); quick where it is the one
 * from before. */
deja_code deja__seen_prepare(deja__seen *seen, deja_span text, const deja_layout *present,
                             deja_error *err);
void deja__seen_release(deja__seen *seen);
/* The state hash. DEJA_EUNFIT: there is no recorded form. */
deja_code deja__seen_state_hash(deja__seen *seen, deja__game *game, uint64_t *hash,
                                deja_error *err);
/* The event hash, without the events that were added. DEJA_EUNFIT as above. */
deja_code deja__seen_event_hash(deja__seen *seen, deja__game *game, uint64_t *hash,
                                deja_error *err);

/* ---- a session ---- */

typedef struct deja__stage {
    deja_plugin *plugin;
    int socket;
    deja__game *game; /* one session's after the other */
    bool over;        /* the session cannot go on; its end is still to come */
    bool restores;    /* segments are put back when a session ends, and what had changed is told */
    deja_buffer head;
    deja__head how;
    deja__seen state;
    deja__seen events;
    deja__shelf shelf;   /* there before the stage is opened */
    deja_buffer scratch; /* states and traced steps on their way out */
} deja__stage;

/* What a job needs to know of the others. */
typedef struct deja__desk {
    const deja__in_control *in;
    deja__out_control *out;
    deja__recent *recent;
    const deja__job *job;
    deja__answer *answer;
    uint64_t number;
} deja__desk;

/* Gets ready for sessions; the stage is all zero before, but for the shelf. Released also where it
 * failed. */
deja_code deja__stage_open(deja__stage *stage, deja_plugin *plugin, int socket, bool restores,
                           deja_error *err);
/* Does a job and fills in its answer. */
void deja__stage_job(deja__stage *stage, const deja__desk *desk);
void deja__stage_release(deja__stage *stage);

/* Sends the present step whole. */
deja_code deja__trace_send(deja__stage *stage, uint64_t step, uint32_t result, deja_error *err);

/* ---- the loop ---- */

typedef struct deja__worker {
    int socket;
    const unsigned char *in;
    unsigned char *out;
    pid_t host; /* the parent of this process; another one shows that it is gone */
    deja_plugin *plugin;
    uint32_t isolation; /* enum deja_isolation, never AUTO */
    bool may_fork;      /* nothing shows that the library cannot */
    uint64_t next;      /* number of the next job */
    deja__stage stage;
} deja__worker;

/* Serves until the host is gone; returns the exit status. */
int deja__worker_serve(deja__worker *worker);

#endif
