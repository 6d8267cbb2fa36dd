/* SPDX-License-Identifier: MIT */
/**
 * @file deja/replay.h
 * Replaying stored sessions against a build, and what comes of it.
 *
 * Rules run in worker processes that are exec'd; this process feeds them and compares. What a
 * library does to its worker never ends the run. The worker is a program that calls
 * deja_worker_main() when its first argument is DEJA_WORKER_ARGUMENT; deja-worker is one, and so is
 * deja. It must be of the very build of the library that its host has.
 */
#ifndef DEJA_REPLAY_H
#define DEJA_REPLAY_H

#include <deja/layout.h>
#include <deja/rules.h>
#include <deja/store.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DEJA_WORKER_ARGUMENT "--deja-worker"

/** What a worker program's main() hands over to, when argv[1] is DEJA_WORKER_ARGUMENT. Never
 *  returns to the caller's work: its return value is the exit status. */
DEJA_API int deja_worker_main(int argc, char **argv);

/** What came of replaying one session. The order has no meaning; names by deja_verdict_name(). */
enum deja_verdict_kind {
    DEJA_MATCH = 0,
    DEJA_DIVERGED = 1,
    DEJA_CRASHED = 2,
    DEJA_HUNG = 3,
    DEJA_UNSTABLE = 4,
    DEJA_STALE = 5,
    DEJA_UNFIT = 6,
    DEJA_DAMAGED = 7,
    DEJA_VERDICT_COUNT = 8
};
DEJA_API const char *deja_verdict_name(uint32_t kind);

/** A field, section or other part that differs. */
typedef struct deja_verdict_field {
    const char *path;
    const char *expected; /**< NULL where not known */
    const char *actual;
} deja_verdict_field;

/** A step before a divergence. */
typedef struct deja_verdict_step {
    uint64_t step;
    const char *command; /**< as text */
    const char *result;  /**< "ok" or the refusal */
    uint64_t hash;       /**< this build's, full */
} deja_verdict_step;

/** One session's verdict. All borrowed for the call that tells of it. */
typedef struct deja_verdict {
    uint32_t kind; /**< enum deja_verdict_kind */
    deja_id id;
    const char *game;
    const char *rules;       /**< path of the library that ran */
    unsigned char build[16]; /**< its content digest */
    uint64_t steps;          /**< of the session */
    uint64_t compared;       /**< steps whose result or hash was compared, step 0 included */
    uint64_t step;           /**< first step of the finding, or DEJA_STEP_NONE */
    uint64_t step_last;      /**< last step it may be, where it is only known to be in a stretch */
    const char *command;     /**< the step's, as text; NULL at step 0 or where there is none */
    const char *expected;    /**< hash in hex (as wide as is known), or result, or outcome */
    const char *actual;
    const deja_verdict_field *fields;
    uint32_t field_count;
    uint32_t fields_left_out;        /**< differ as well, but are not told */
    const deja_verdict_step *before; /**< the steps just before, oldest first */
    uint32_t before_count;
    const char *why;            /**< one line; NULL for a plain match */
    const char *const *remarks; /**< lines that hold for any kind of verdict */
    uint32_t remark_count;
    uint64_t healed_step;  /**< with keep_going: from where they agree again; DEJA_STEP_NONE */
    uint64_t parted_count; /**< with keep_going: steps that differ */
} deja_verdict;

/** Counts of a whole run. */
typedef struct deja_verify_summary {
    uint64_t sessions;
    uint64_t steps;
    uint64_t compared;
    uint64_t kinds[DEJA_VERDICT_COUNT];
} deja_verify_summary;

/** How sessions are kept apart within a worker. */
enum deja_isolation {
    DEJA_ISOLATE_AUTO = 0, /**< closed libraries: segments put back; others: fork */
    DEJA_ISOLATE_RESTORE = 1,
    DEJA_ISOLATE_FORK = 2,
    DEJA_ISOLATE_EXEC = 3 /**< a new worker for each session */
};

/** Grows at its end; start from DEJA_VERIFY_OPTIONS_INIT. All borrowed for the call. */
typedef struct deja_verify_options {
    uint32_t struct_size;
    uint32_t jobs;          /**< workers at once; 0 for one a core */
    const char *worker;     /**< path of the worker program; NULL for /proc/self/exe */
    const char *baseline;   /**< path of the recording build's library, for fields; or NULL */
    uint32_t isolate;       /**< enum deja_isolation */
    uint32_t keep_going;    /**< 1: go on after the first divergence and say where it heals */
    uint32_t allow_partial; /**< 1: a layout that lost fields is compared as far as it goes */
    uint32_t confirm_all;   /**< 1: look at each finding again, not at the first of each group */
    uint32_t before_count;  /**< how many steps before a finding to tell; 5 */
    uint32_t hang_cpu_ms;   /**< CPU time of one step, 10,000; 0: no limit */
    uint32_t hang_wall_ms;  /**< time without a step, 60,000; 0: no limit */
    uint32_t memory_mib;    /**< address space of a worker; 0: no limit */
    /** Told of each session, in the order asked for, whatever the jobs. false ends the run. */
    bool (*verdict)(void *user, const deja_verdict *verdict);
    /** Told about ten times a second of how far the run is; false ends it. May be NULL. */
    bool (*progress)(void *user, const deja_verify_summary *so_far);
    void *user;
    /** Packs for the sessions that name them; NULL for none. A session is handed those that it
     *  names, by name and digest; one that needs another is DEJA_UNFIT. */
    const deja_content *content;
    uint32_t same_build; /**< 1: a recording of another build is DEJA_UNFIT, and not compared */
    uint32_t reserved;   /**< 0 */
} deja_verify_options;

#define DEJA_VERIFY_OPTIONS_INIT                                                                 \
    {                                                                                            \
        (uint32_t)sizeof(deja_verify_options), 0, NULL, NULL, 0, 0, 0, 0, 5, 10000, 60000, 4096, \
            NULL, NULL, NULL, NULL, 0, 0                                                         \
    }

/**
 * Replays sessions against a build.
 * @param store_path of the store; each worker's feeder opens its own handle, for reading
 * @param keys       of the sessions, in the order in which verdicts are told
 * @param library    path of the rules library
 * @return DEJA_OK (whatever the verdicts), or why no run came about: the library is missing
 *         (DEJA_EIO), does not load (DEJA_EUNFIT), the store, memory, packs that are none
 *         (deja_content_text()); a damaged session is a verdict
 */
DEJA_API deja_code deja_verify(const char *store_path, const int64_t *keys, uint64_t key_count,
                               const char *library, const deja_verify_options *options,
                               deja_verify_summary *summary, deja_error *err);

/* ---- looking into a library, and at the steps of a session ---- */

/** What a library says of itself, learnt in a worker. Strings are the struct's; release it. */
typedef struct deja_rules_info {
    char *path;
    char *game;
    char *version;
    char *compiler;
    char *layouts[4]; /**< enum deja_type_index */
    char *refusals;   /**< names with spaces between, as the next two */
    char *outcomes;
    char *bots;
    unsigned char build[16];
    unsigned char *config_default;
    uint64_t config_default_size;
    uint64_t state_size; /**< bytes in memory */
    uint32_t abi_major, abi_minor;
    uint32_t kind; /**< enum deja_rules_kind */
    uint32_t tick_rate;
    uint32_t functions; /**< bit set of optional functions, enum deja_rules_function */
    uint32_t closed;
    char *closed_why;   /**< why not, "" if it is */
    uint32_t isolation; /**< what AUTO comes to */
    char *isolation_why;
} deja_rules_info;

enum deja_rules_function {
    DEJA_HAS_CHECK = 1u << 0,
    DEJA_HAS_LEGAL = 1u << 1,
    DEJA_HAS_OUTCOME = 1u << 2,
    DEJA_HAS_SIDE = 1u << 3,
    DEJA_HAS_TURN = 1u << 4,
    DEJA_HAS_DRAW = 1u << 5,
    DEJA_HAS_NOTATION = 1u << 6,
    DEJA_HAS_NEUTRAL = 1u << 7
};

/** @param worker as in deja_verify_options */
DEJA_API deja_code deja_inspect(deja_rules_info *info, const char *library, const char *worker,
                                deja_error *err);
DEJA_API void deja_rules_info_release(deja_rules_info *info);

/** One step as a library plays it. All borrowed for the call. */
typedef struct deja_trace_step {
    uint64_t step;
    deja_span command; /**< canonical bytes in the present layout; empty at step 0 */
    uint32_t result;   /**< in the present refusals */
    deja_span events;  /**< canonical bytes, one behind another */
    const uint32_t *event_ends;
    uint32_t event_count;
    deja_span state; /**< canonical bytes */
    uint64_t hash;
    const char *drawing; /**< the board, where asked for and the library draws; else NULL */
} deja_trace_step;

/** Grows at its end; start from DEJA_TRACE_OPTIONS_INIT. */
typedef struct deja_trace_options {
    uint32_t struct_size;
    uint32_t draw; /**< 1: drawings as well */
    const char *worker;
    uint64_t from, to; /**< which steps to tell of */
    uint32_t hang_cpu_ms, hang_wall_ms;
    bool (*step)(void *user, const deja_trace_step *step);
    void *user;
    const deja_content *content; /**< as in deja_verify_options */
} deja_trace_options;

#define DEJA_TRACE_OPTIONS_INIT                                                                 \
    {                                                                                           \
        (uint32_t)sizeof(deja_trace_options), 0, NULL, 0, UINT64_MAX, 10000, 60000, NULL, NULL, \
            NULL                                                                                \
    }

/**
 * Plays a stored session in a worker and tells of its steps: states, events, hashes.
 * @return DEJA_OK; DEJA_EUNFIT; DEJA_ERULES where the rules crash or hang (err->step says where);
 *         what reading answers
 */
DEJA_API deja_code deja_trace(deja_store *store, int64_t key, const char *library,
                              const deja_trace_options *options, deja_error *err);

#ifdef __cplusplus
}
#endif

#endif
