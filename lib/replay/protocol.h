/* SPDX-License-Identifier: MIT */
/*
 * What a host (the process that verifies) and a worker (the one that runs the rules) share: two
 * pieces of memory and a stream socket. One build of the library stands on both sides, so structs
 * are laid out as the compiler has them; OPEN carries a stamp that says so.
 *
 *     in    the host writes, the worker maps it for reading only (sealed)
 *         0               deja__in_control
 *         4096 + i * ...  slot i: a job, where its commands end, its bytes (head, then commands)
 *     out   the worker writes
 *         0               deja__out_control
 *         4096            deja__recent
 *         ... + i * ...   slot i: the answer to the job
 *
 * Content that rules are to read is a third, one for all workers of a run (packs.h).
 *
 * Job number n lies in slot n % DEJA__SLOTS. The host stores `submitted` when a job is whole, the
 * worker stores `done` when its answer is; who has nothing to do says so in its `waits` word, looks
 * again, and sleeps until the other sends a KICK. Waking somebody costs more than a short session:
 * a worker is woken for a large job or when no more come, a host when half of the slots are
 * answered or all that there were, so that it has new jobs before the worker runs out of them.
 *
 * A session is a row of jobs: the first carries a head (how to start it), which large ones spread
 * over several jobs; the last has DEJA__JOB_END. A job's steps never cross a stored block. The
 * worker never sees what is expected: it answers what this build does, and only the host compares.
 *
 * A step is not hashed and stored into its answer at once. To hash bytes that were stored just now
 * waits for these stores, and they wait for those before them, which go to lines that the host has
 * read last, on another processor. Steps gather in `recent`, which stays in the worker's cache, and
 * are hashed and handed over some at a time. When a worker dies, the host does it for the last.
 *
 * What the worker writes is what a library may have scribbled over: the host reads each value once,
 * and believes none of it beyond "this is what that build answered". An answer bears its job's
 * number, so that one of an earlier job, left in its slot, is never taken for this one's. What is
 * written over in passing so comes out as a difference or a worker that broke off. Rules that set
 * out to forge an answer could only do so by knowing the hashes of the build they pretend to be.
 *
 * Rejected: a pipe for everything (4 us a round trip, and copies); a futex to wake each other (the
 * host must hear of a dead worker at once, and a descriptor tells).
 */
#ifndef DEJA_REPLAY_PROTOCOL_H
#define DEJA_REPLAY_PROTOCOL_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/base.h"
#include "plugin/game.h"

enum {
    DEJA__SLOTS = 8,
    DEJA__JOB_ROWS = DEJA__BLOCK_STEPS / 4, /* so that all slots together fit a core's cache */
    DEJA__WORTH_A_KICK =
        DEJA__JOB_ROWS / 4, /* steps of a job that a sleeping worker is woken for */
    DEJA__NOTE_SIZE = 1024,
    DEJA__DRAWING_MAX = 64 * 1024,
    DEJA__PAGE = 4096
};

/* A job takes no further command once it has so many bytes; one command may be larger. */
#define DEJA__JOB_BYTES ((uint64_t)1 << 20)
#define DEJA__JOB_BYTES_MAX (DEJA__COMMAND_SIZE_MAX + DEJA__JOB_BYTES)

/* ---- in ---- */

typedef struct deja__in_control {
    _Atomic uint64_t submitted; /* jobs that there are */
    _Atomic uint64_t cancelled; /* sessions up to this number have no steps to run any more */
    _Atomic uint32_t host_waits;
} deja__in_control;

enum deja__job_flag {
    DEJA__JOB_BEGIN = 1u << 0,   /* the head is whole: start the session, before the steps */
    DEJA__JOB_END = 1u << 1,     /* after the steps, tell the outcome and drop the session */
    DEJA__JOB_CAPTURE = 1u << 2, /* after the steps, send the state */
    DEJA__JOB_TRACE = 1u << 3    /* send each step that the head asks for */
};

typedef struct deja__job {
    uint64_t session; /* numbers rise */
    uint64_t first;   /* the step of the first command */
    uint64_t head_size;
    uint64_t command_size;
    uint32_t flags; /* enum deja__job_flag */
    uint32_t count; /* commands */
    uint32_t ends[DEJA__JOB_ROWS];
    unsigned char bytes[]; /* head, then commands */
} deja__job;

enum deja__head_flag {
    DEJA__HEAD_FROM_STATE = 1u << 0, /* `start` is a state to load; else start from the config */
    DEJA__HEAD_NO_STATE = 1u << 1,   /* the state is not hashed */
    DEJA__HEAD_NO_EVENTS = 1u << 2,  /* events are not hashed */
    DEJA__HEAD_DRAW = 1u << 3        /* steps that are sent have a drawing */
};

/* The float environment that a session was recorded in. */
enum deja__float_flag {
    DEJA__FLOAT_UP = 1u << 0,
    DEJA__FLOAT_DOWN = 1u << 1,
    DEJA__FLOAT_ZERO = 1u << 2,
    DEJA__FLOAT_FTZ = 1u << 3,
    DEJA__FLOAT_DAZ = 1u << 4
};

/* A head: this, then the config, the start state, the recorded layouts of state and event where
 * these are not the library's own ("" where they are), and the numbers (u32) of the session's packs
 * of content among those that all workers have (packs.h). */
typedef struct deja__head {
    uint64_t seed;
    uint64_t every; /* steps 0, K, 2K... are hashed */
    uint64_t trace_from, trace_to;
    uint64_t config_size;
    uint64_t start_size;
    uint32_t state_layout_size;
    uint32_t event_layout_size;
    uint32_t flags;       /* enum deja__head_flag */
    uint32_t float_flags; /* enum deja__float_flag */
    uint32_t packs_size;
    uint32_t reserved;
} deja__head;

#define DEJA__IN_SLOT \
    ((sizeof(deja__job) + DEJA__JOB_BYTES_MAX + DEJA__PAGE - 1) / DEJA__PAGE * DEJA__PAGE)
#define DEJA__IN_SIZE (DEJA__PAGE + DEJA__SLOTS * DEJA__IN_SLOT)

/* ---- out ---- */

typedef struct deja__out_control {
    _Atomic uint64_t done;     /* jobs that are answered */
    _Atomic uint64_t progress; /* number of the job at work << 16 | how far it is */
    _Atomic uint32_t worker_waits;
    _Atomic uint32_t runner; /* the process that runs the session, where it is a fork; else 0 */
    _Atomic uint64_t ended;  /* the last session whose fork came to its end */
} deja__out_control;

/* How far a job is: taken; begun (its head, if it has one, is dealt with); 1 + n: n steps are
 * finished. */
enum { DEJA__PROGRESS_TAKEN = 0, DEJA__PROGRESS_BEGUN = 1, DEJA__PROGRESS_BITS = 16 };

enum deja__answer_status {
    DEJA__ANSWER_DONE = 0,
    DEJA__ANSWER_CANCELLED = 1, /* steps from `rows` on were not run: nobody wants them */
    DEJA__ANSWER_REFUSED = 2,   /* start refused; `refusal` */
    DEJA__ANSWER_UNFIT = 3,     /* cannot be started with this library; the note says why */
    DEJA__ANSWER_BROKEN = 4,    /* in step `rows`, the rules broke their contract; the note */
    DEJA__ANSWER_MEMORY = 5     /* in step `rows`, no memory was left */
};

/* Bits of a row's result beyond the number. */
#define DEJA__ROW_RESULT 0xffffu
#define DEJA__ROW_STATE_FORMLESS (1u << 31) /* the state has no recorded form; the note says why */
#define DEJA__ROW_EVENTS_FORMLESS (1u << 30)

typedef struct deja__answer {
    uint32_t status; /* enum deja__answer_status */
    uint32_t rows;
    uint32_t refusal;
    uint32_t outcome;    /* at the end: 0 running, else 1 + its place */
    uint32_t begun;      /* the session has started */
    uint32_t start_bits; /* at the beginning: DEJA__ROW_STATE_FORMLESS or 0 */
    uint32_t kept_count; /* at the end: variables that had changed */
    uint32_t number;     /* of the job, and one more; written last */
    uint64_t start_hash;
    char note[DEJA__NOTE_SIZE]; /* ends with NUL, or may not */
    char kept[DEJA__NOTE_SIZE]; /* the variables' names */
    uint64_t hashes[DEJA__JOB_ROWS];
    uint64_t event_hashes[DEJA__JOB_ROWS];
    uint32_t results[DEJA__JOB_ROWS];
} deja__answer;

/* Steps of the job at work that its answer does not have yet: row n at n % DEJA__RECENT_ROWS. */
enum { DEJA__RECENT_ROWS = 32 };
typedef struct deja__recent {
    deja__stepped rows[DEJA__RECENT_ROWS];
} deja__recent;

#define DEJA__OUT_SLOT ((sizeof(deja__answer) + DEJA__PAGE - 1) / DEJA__PAGE * DEJA__PAGE)
#define DEJA__OUT_FIRST \
    (DEJA__PAGE + (sizeof(deja__recent) + DEJA__PAGE - 1) / DEJA__PAGE * DEJA__PAGE)
#define DEJA__OUT_SIZE (DEJA__OUT_FIRST + DEJA__SLOTS * DEJA__OUT_SLOT)

_Static_assert(sizeof(deja__in_control) <= DEJA__PAGE, "one page");
_Static_assert(sizeof(deja__out_control) <= DEJA__PAGE, "one page");
_Static_assert(DEJA__JOB_ROWS % DEJA__RECENT_ROWS == 0, "a job's rows are whole hand-overs");
_Static_assert(DEJA__JOB_ROWS + 2 < 1 << DEJA__PROGRESS_BITS, "progress fits its bits");
_Static_assert(DEJA__NAMES_MAX < DEJA__ROW_RESULT, "results fit their bits");

static inline deja__job *deja__job_at(unsigned char *in, uint64_t number)
{
    return (deja__job *)(void *)(in + DEJA__PAGE + number % DEJA__SLOTS * DEJA__IN_SLOT);
}
static inline deja__answer *deja__answer_at(unsigned char *out, uint64_t number)
{
    return (deja__answer *)(void *)(out + DEJA__OUT_FIRST + number % DEJA__SLOTS * DEJA__OUT_SLOT);
}
static inline deja__recent *deja__recent_of(unsigned char *out)
{
    return (deja__recent *)(void *)(out + DEJA__PAGE);
}

/* Rows up to `end` that were not handed over, when so many are finished. */
static inline void deja__hand_over(const deja__recent *recent, deja__answer *answer, uint32_t end)
{
    const uint32_t count = end % DEJA__RECENT_ROWS ? end % DEJA__RECENT_ROWS : DEJA__RECENT_ROWS;
    const uint32_t first = end - count;
    if (end == 0 || end > DEJA__JOB_ROWS)
        return;
    for (uint32_t i = 0; i < count; i++) {
        answer->hashes[first + i] = deja__stepped_hash(&recent->rows[i]);
        answer->event_hashes[first + i] = deja__stepped_event_hash(&recent->rows[i]);
        answer->results[first + i] = recent->rows[i].result;
    }
}

/* ---- both ---- */

/* Memory that both sides map, of a size that nobody can change. -1: *err says why. */
int deja__shared_memory(const char *name, uint64_t size, unsigned char **memory, deja_error *err);
/* No new writable mapping of it can be made from now on. */
deja_code deja__shared_memory_guard(int descriptor, deja_error *err);
/* Brings in the pages that every session uses; the host writes `in`, the worker reads it. */
void deja__shared_bring_in(const unsigned char *in, unsigned char *out, bool writes_in);

/* ---- the socket ---- */

/* A frame: its kind and size, then its bytes. */
typedef struct deja__frame {
    uint32_t kind; /* enum deja__frame_kind */
    uint32_t number;
    uint64_t size;
} deja__frame;

enum deja__frame_kind {
    DEJA__FRAME_HELLO = 1,  /* worker: alive; `number` is the stamp */
    DEJA__FRAME_OPEN = 2,   /* host: the library to load; deja__open_request, then the path */
    DEJA__FRAME_INFO = 3,   /* worker: what the library says of itself */
    DEJA__FRAME_FAILED = 4, /* worker: it does not load; `number` is the code, the bytes say why */
    DEJA__FRAME_KICK = 5,   /* either: look again */
    DEJA__FRAME_STATE = 6,  /* worker: a captured state */
    DEJA__FRAME_STEP = 7,   /* worker: a traced step; deja__step_frame, then its parts */
    DEJA__FRAME_CHILD = 8   /* worker: the fork that ran a session ended with status `number` */
};

typedef struct deja__open_request {
    uint64_t first_job;
    uint64_t memory_mib;
    uint32_t isolation; /* enum deja_isolation, or DEJA__ISOLATE_NONE */
    uint32_t reserved;
} deja__open_request;

/* Sessions one after another in one process, and nothing put back: shows what depends on what. */
enum { DEJA__ISOLATE_NONE = 99 };

/* A traced step: this, then the state, the events, their ends (u32), the drawing. */
typedef struct deja__step_frame {
    uint64_t step;
    uint64_t hash;
    uint64_t state_size;
    uint64_t events_size;
    uint32_t event_count;
    uint32_t result;
    uint32_t drawing_size; /* DEJA__NO_DRAWING where there is none */
    uint32_t reserved;
} deja__step_frame;

#define DEJA__NO_DRAWING UINT32_MAX

/* Two builds of the library that differ in what they share, or in anything else that their sources
 * say, have different stamps, more or less: a worker that was left from before does other work. */
static inline uint32_t deja__protocol_stamp(void)
{
    return (uint32_t)(0xde1a0001u + DEJA__IN_SIZE + 31u * DEJA__OUT_SIZE +
                      31u * 31u * sizeof(deja__head)) ^
           deja__sources();
}

#endif
