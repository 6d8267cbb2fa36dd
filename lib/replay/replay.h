/* SPDX-License-Identifier: MIT */
/*
 * One session on its way through a worker.
 *
 *     begin.c     opening: reader, fit, head, what the text of a session expects
 *     feed.c      its commands into jobs, and what is expected of each job
 *     compare.c   answers against what is expected, down to a finding
 *     see.c       expectations that people wrote
 *     drive.c     several sessions one behind another through one worker
 *
 * A replay knows nothing of verdicts: it ends with a finding (or none), and finding.c makes a
 * verdict of that.
 */
#ifndef DEJA_REPLAY_REPLAY_H
#define DEJA_REPLAY_REPLAY_H

#include "replay/fit.h"
#include "replay/link.h"

/* ---- findings ---- */

enum deja__finding_kind {
    DEJA__NOTHING = 0,
    DEJA__REFUSED_START, /* start refused the recorded config */
    DEJA__RESULT,        /* a step's result differs */
    DEJA__STATE,         /* a step's state differs */
    DEJA__CHAIN,         /* every cut hash agrees, and the chain over the full ones does not */
    DEJA__EVENTS,        /* events alone */
    DEJA__OUTCOME,
    DEJA__SEEN, /* an expectation of a text does not hold */
    DEJA__CRASH,
    DEJA__HANG,
    DEJA__UNFIT,
    DEJA__DAMAGE
};

enum { DEJA__REASON_SIZE = 512 };

typedef struct deja__finding {
    uint32_t kind;                           /* enum deja__finding_kind */
    uint32_t expected_result, actual_result; /* recorded's numbering; present's */
    uint64_t step, step_last;
    uint64_t expected, actual; /* hashes or chains; of outcomes their present numbers */
    bool formless;             /* the actual value has no recorded form */
    bool full;                 /* the expected hash is a full one */
    char reason[DEJA__REASON_SIZE];
} deja__finding;

/* Whether two replays of one session came to the same. */
bool deja__finding_is_same(const deja__finding *a, const deja__finding *b);

/* Copies as much of a text as there is room for. */
void deja__copy_line(char *target, uint64_t size, const char *text);

/* ---- a replay ---- */

/* A step as this build played it, for those just before a finding. */
typedef struct deja__row {
    uint64_t step;
    uint64_t hash; /* 0 where the step was not hashed */
    uint32_t result;
} deja__row;

enum { DEJA__BEFORE_MAX = 100 };

/* An expectation: `see: ` and its text. */
typedef struct deja__wish {
    uint64_t step;
    char *text;
} deja__wish;

/* Asked of a replay beyond the session itself. */
typedef struct deja__replay_how {
    uint32_t before_count;
    bool keep_going;
    bool hash_all;  /* also the steps that were not hashed when it was recorded */
    uint64_t limit; /* stop behind the block with this step; UINT64_MAX: replay all */
    bool traces;    /* have these steps sent whole */
    bool draws;     /* with drawings */
    uint64_t trace_from, trace_to;
    deja_reader *reader; /* of that session, at its start, to be taken over; or NULL */
} deja__replay_how;

#define DEJA__REPLAY_HOW_INIT                                 \
    {                                                         \
        0, false, false, UINT64_MAX, false, false, 0, 0, NULL \
    }

typedef struct deja__replay {
    deja__replay_how how;
    uint64_t index; /* for who started it */
    int64_t key;
    uint64_t number; /* of the session in its worker; rises */
    deja_reader *reader;
    const deja_session *session;
    const deja_recording *recording;
    deja__fit *fit;
    bool scenario; /* a text that was not recorded: nothing is expected but what it says */
    bool crashed;  /* when it was recorded; its last command has no result and no hash */
    uint32_t bits;
    uint64_t every;
    deja_buffer settled; /* why it cannot be played, whole; empty where it can */
    deja__wish *wishes;  /* in the order of their steps */
    uint32_t wish_count;

    /* Feeding. */
    deja_buffer head; /* what is left to hand over of it starts at head_at */
    uint64_t head_at;
    deja_steps block;
    uint32_t block_at; /* commands of the block that were fed */
    bool has_block;
    bool begun;   /* a job with the whole head was fed */
    bool all_fed; /* no more steps are to come */
    bool end_fed;
    uint64_t fed;        /* the last step that was fed */
    uint64_t feed_trail; /* place in the block's trail */
    uint32_t feed_wish;
    deja_buffer turned;  /* commands in the library's layout */
    deja__finding unfed; /* why no more could be fed; counts once all before it was compared */

    /* Comparing. */
    uint32_t flying; /* jobs that are not taken */
    bool stopped;    /* a finding was made, and the rest is not wanted */
    bool over;       /* the worker has ended this session, or died in it */
    bool answered;   /* a job of it was */
    bool spared;     /* a worker died before it took this session's first job */
    uint64_t chain, event_chain;
    uint64_t compared;
    uint64_t equal_step;  /* the last hashed step that agreed; DEJA_STEP_NONE: none */
    uint64_t agreed_step; /* the last step behind which both chains were held, and agreed */
    bool chain_broken;    /* the chain has left the recorded one */
    bool doubted;         /* there is a finding that the chain has not borne out yet */
    bool contradicted;    /* the recording's chain is not that of its own hashes and results */
    deja__finding finding;
    deja__finding events; /* the first stretch in which events differ */
    uint32_t compare_wish;
    bool crash_gone; /* the command that crashed when it was recorded does not any more */
    deja__row tail[DEJA__BEFORE_MAX]; /* the last steps of the job before */
    uint32_t tail_count;
    deja__row agreed[DEJA__BEFORE_MAX]; /* the last steps up to agreed_step */
    uint32_t agreed_count;
    deja__row before[DEJA__BEFORE_MAX]; /* the steps before the finding */
    uint32_t before_count;
    uint32_t outcome;
    bool outcome_compared;
    char kept[DEJA__NOTE_SIZE]; /* variables that a session had changed */
    uint32_t kept_count;
    char said[DEJA__SAID_SIZE];         /* the last words of a worker that died */
    uint64_t parted_count, parted_last; /* with keep_going */
    uint64_t healed;
} deja__replay;

/*
 * Opens a session of a store. What is wrong with the session itself is a finding of the replay,
 * which then has no jobs. Failures: memory, the system, no such session.
 */
deja_code deja__replay_open(deja__replay **out, deja_store *store, int64_t key, deja__fits *fits,
                            const deja__replay_how *how, deja_error *err);
void deja__replay_close(deja__replay *replay);

/* Why it has no jobs, or cannot go on: the whole of it where the finding's reason was cut. */
const char *deja__settled(const deja__replay *replay);
/* Whether it is done: nothing is left to feed, and nothing on its way. */
bool deja__replay_is_done(const deja__replay *replay);

/* ---- feeding ---- */

/* What is expected of a job; one lies beside each slot. */
typedef struct deja__expected {
    deja__replay *replay;
    uint64_t first;
    uint32_t count;
    uint32_t compared; /* rows that were dealt with */
    bool begins;       /* step 0 is in it */
    bool started;      /* step 0 was dealt with */
    bool ends_block;   /* the chains are known behind its last step */
    bool ends;         /* the session */
    bool captures;     /* expectations are to be held against the state behind its last step */
    bool tries_crash;  /* its last command crashed when it was recorded */
    uint32_t trail_count;
    uint32_t trail_at; /* hashed steps that were dealt with */
    uint64_t start_hash;
    uint64_t chain, event_chain;
    uint32_t results[DEJA__JOB_ROWS];
    uint64_t trail[DEJA__JOB_ROWS];
} deja__expected;

/* Whether there is something to feed now. */
bool deja__replay_has_job(const deja__replay *replay);
/* Fills in the next job and what is expected of it. Damage and commands that do not fit are
 * findings of the replay. Failures: memory, the system. */
deja_code deja__replay_feed(deja__replay *replay, deja__job *job, deja__expected *expected,
                            deja_error *err);

/* ---- comparing ---- */

/* Deals with the rows of an answer up to `rows` that were not dealt with yet. */
void deja__compare_rows(deja__expected *expected, const deja__answer *answer, uint32_t rows);
/* Deals with a whole answer, and what comes behind its rows. `state`: what it captured. */
deja_code deja__compare_answer(deja__expected *expected, const deja__answer *answer,
                               deja_span state, deja_error *err);
/* Keeps the steps before one that is row `row` of an answer; rows up to there must be there. */
void deja__compare_keep_before(const deja__expected *expected, const deja__answer *answer,
                               uint32_t row, uint64_t step);
/* The worker died or hung in this job, with so many rows finished (-1: before it had begun). */
void deja__compare_death(deja__expected *expected, const deja__answer *answer, int64_t rows,
                         const deja__link *link);

/* ---- expectations ---- */

/* Reads those of a session from its marks. */
deja_code deja__wishes_read(deja__replay *replay, deja_error *err);
/* Holds those of one step against the state behind it; a finding where one does not hold. */
deja_code deja__wishes_check(deja__replay *replay, uint64_t step, deja_span state, deja_error *err);

/* ---- driving ---- */

typedef struct deja__drive {
    deja__link *link;
    deja__expected *expected; /* DEJA__SLOTS of them */
    deja__replay *replays[DEJA__SLOTS];
    uint32_t replay_count;
    uint64_t session;                /* the number of the last one */
    deja_buffer states[DEJA__SLOTS]; /* captured, in order */
    uint64_t states_come, states_gone;
    bool one_by_one; /* a new worker for each session */
    bool drained;    /* no more sessions come */
    bool broken_off; /* tick ended it */

    /* The next session; NULL: there are no more, or, where *later is set, none for now. */
    deja_code (*next)(void *user, deja__replay **out, bool *later, deja_error *err);
    /* A session is done; the callee's. */
    deja_code (*done)(void *user, deja__replay *replay, deja_error *err);
    /* Now and then; false ends it all. May be NULL. */
    bool (*tick)(void *user, uint64_t compared);
    void *user;
} deja__drive;

/* All of it zero but the link and the callbacks. Release also where it failed. */
deja_code deja__drive_prepare(deja__drive *drive, deja_error *err);
deja_code deja__drive_run(deja__drive *drive, deja_error *err);
void deja__drive_release(deja__drive *drive);

#endif
