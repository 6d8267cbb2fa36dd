/* SPDX-License-Identifier: MIT */
/*
 * Verifying many sessions: lanes side by side, verdicts in order.
 *
 *     verify.c    the caller's thread: starts lanes, tells verdicts in order
 *     lane.c      a thread with a store handle and a worker: sessions in, verdicts out
 *     finding.c   what a replay came to, as a verdict
 *     tell.c      a finding in words
 *     remark.c    what is said beside it
 *     again.c     a finding looked at again, in fresh processes
 *     pair.c      two builds side by side
 *     fields.c    the exact step of a finding, and the fields that differ
 *     text.c      the commands around a finding, as text
 */
#ifndef DEJA_REPLAY_LANE_H
#define DEJA_REPLAY_LANE_H

#include <pthread.h>

#include "replay/replay.h"
#include "replay/verdict.h"

/* ---- what lanes share ---- */

/* Findings that are alike; the first is looked at again. */
typedef struct deja__group {
    uint64_t name; /* hash of what makes them alike */
    bool stable;   /* one of them was looked at again, and came to the same */
    bool unstable; /* one came to something else */
} deja__group;

/* Verdicts that wait for those before them. */
enum { DEJA__WINDOW = 1024 };

typedef struct deja__verify {
    /* What was asked. */
    deja_verify_options options;
    const char *store_path;
    const char *library;
    const int64_t *keys;
    uint64_t key_count;
    deja__packs packs;

    pthread_mutex_t mutex; /* guards all below */
    pthread_cond_t changed;
    uint64_t next; /* index of the next session to hand out */
    uint64_t told;
    deja__box *boxes[DEJA__WINDOW]; /* by index % DEJA__WINDOW */
    uint32_t running;               /* lanes */
    deja_code code;                 /* the first failure */
    deja_error error;
    unsigned char build[16];
    bool has_build;
    deja__group *groups;
    uint32_t group_count, group_capacity;

    atomic_bool stop;
    _Atomic uint64_t live[256]; /* steps that each lane has compared of sessions on their way */
} deja__verify;

/* Whether findings of that name are to be looked at again. */
bool deja__groups_ask(deja__verify *verify, uint64_t name);
/* Tells what that came to. */
void deja__groups_tell(deja__verify *verify, uint64_t name, bool stable);

/* ---- a lane ---- */

/* A build beside the main worker, for second looks and comparisons; started when first needed. */
typedef struct deja__side {
    deja__link link;
    deja__fits fits;
    bool open;
} deja__side;

typedef struct deja__lane {
    deja__verify *verify;
    uint32_t place;
    deja_store *store;
    deja__link link;
    deja__fits fits;
    deja__drive drive;
    deja__side present; /* the same library */
    deja__side baseline;
    uint64_t session;   /* numbers for sessions on the sides */
    deja_reader *ahead; /* of the session that it is likely to begin with; or NULL */
    int64_t ahead_key;
} deja__lane;

/* A thread's main; its argument is a deja__lane of which verify and place are set. */
void *deja__lane_main(void *lane);

/* Makes a side ready. */
deja_code deja__side_start(deja__lane *lane, deja__side *side, const char *library,
                           uint32_t isolation, deja_error *err);
void deja__side_stop(deja__side *side);

/* ---- findings ---- */

/* Whether any of several steps may be the one. */
static inline bool deja__is_stretch(const deja__finding *finding)
{
    return finding->step != finding->step_last;
}

/* What a replay came to, as a verdict. The replay may be changed on the way. */
deja_code deja__finding_judge(deja__lane *lane, deja__replay *replay, deja__box **out,
                              deja_error *err);

/* What a second look says. */
typedef struct deja__look {
    uint32_t kind; /* DEJA_DIVERGED: the same again; DEJA_UNSTABLE; DEJA_STALE */
    uint64_t step; /* from which on answers differ */
    uint32_t differing, runs;
    bool broken_off;
    char kept[DEJA__NOTE_SIZE]; /* variables that may be why */
} deja__look;

/* Kind, why, expected and actual of a finding; what a second look says instead. */
void deja__tell(deja__box *box, const deja__replay *replay);
void deja__tell_look(const deja__lane *lane, deja__box *box, const deja__look *look);

/* What is known of the replay; the marks before a finding; which build it was. */
void deja__remark(const deja__lane *lane, deja__box *box, const deja__replay *replay);
deja_code deja__remark_on_marks(deja__box *box, const deja__replay *replay, deja_error *err);
bool deja__is_recorders_build(const deja__lane *lane, const deja__replay *replay);
void deja__remark_on_build(const deja__lane *lane, deja__box *box, const deja__replay *replay);

deja_code deja__look_again(deja__lane *lane, const deja__replay *replay, deja__look *look,
                           deja_error *err);

/* With a baseline: makes the finding exact where it is a stretch, and adds the fields. Commands and
 * rows of the finding are those of the exact step afterwards. */
deja_code deja__fields_find(deja__lane *lane, deja__replay *replay, deja__box *box,
                            deja_error *err);

/* Reads the session from its start to its end, and keeps commands as text: that of step `step`
 * (DEJA_STEP_NONE: of none), and those of replay->before. Damage becomes the finding. */
typedef struct deja__commands {
    char *at_step; /* NULL: there is none */
    char *before[DEJA__BEFORE_MAX];
} deja__commands;

deja_code deja__commands_read(deja__replay *replay, uint64_t step, deja__commands *commands,
                              deja_error *err);
void deja__commands_release(deja__commands *commands);

#endif
