/* SPDX-License-Identifier: MIT */
/*
 * Verifying in a test: what was told, kept; and libraries that are built for one test.
 */
#ifndef DEJA_TESTS_REPLAYING_H
#define DEJA_TESTS_REPLAYING_H

#include <deja/deja.h>

#include <sys/types.h>

#define WORKER DEJA_BUILD_DIR "/deja"
#define RULES(name) DEJA_BUILD_DIR "/rules/" name ".so"
#define GAMES(name) DEJA_BUILD_DIR "/games/" name ".so"

/* The folder of the test that runs, and the store in it. close_folder() fails the test where a
 * worker was left behind. */
extern char folder[64], store[128];
void open_folder(void);
void close_folder(void);

/* A verdict with its texts ("" where there is none), lists as "one; two". */
typedef struct told {
    uint32_t kind;
    deja_id id;
    uint64_t steps, compared, step, step_last, healed, parted;
    uint32_t field_count, left_out, before_count;
    char game[64];
    char command[256], expected[256], actual[256], why[2048];
    char fields[2048]; /* path: expected / actual */
    char before[2048]; /* step command result hash */
    char remarks[2048];
    unsigned char build[16];
} told;

typedef struct verified {
    told *items;
    uint64_t count, capacity;
    uint64_t stop_after; /* the callback says stop after so many; 0: never */
    uint64_t progress_calls;
    deja_verify_summary summary;
    deja_code code;
    deja_error err;
} verified;

/* The usual options of a test: its worker, one job. */
deja_verify_options test_options(void);

/* Verifies all sessions of a store, or those with these keys. NULL: the usual options. The
 * callbacks are set here. */
verified verify_store(const char *path, const char *library, const deja_verify_options *options);
verified verify_keys(const char *path, const int64_t *keys, uint64_t count, const char *library,
                     const deja_verify_options *options);
void verified_release(verified *v);

/* Fails the test unless the run worked and told of `count` verdicts; hands out the first. */
const told *need(const verified *v, uint64_t count);
const char *kind_of(const told *t);

/* Builds NAME.so in a folder from a C (or, NAME ending in pp, C++) source, which may include
 * "ledger.h"; `flags` may be NULL. Skips the test where there is no such compiler, which in CI is a
 * failure. */
void build_library(char path[256], const char *where, const char *name, const char *source,
                   const char *compiler, const char *flags);

/* Builds in `folder` a ledger whose state changes by `body` behind each accepted command: l, c; o
 * takes events. */
void build_fault(char path[256], const char *name, const char *body);

/* A number that outlives a worker, for rules that are to behave otherwise the next time: a worker
 * writes no files. `flag` is "-DCOUNT=..." for build_library(), and a source that begins with
 * COUNTED has counted(), the number before it grew by one. */
uint32_t *open_count(char flag[64]);
void close_count(uint32_t *count);
#define COUNTED                                                              \
    "#include <stdint.h>\n#include <sys/shm.h>\n"                            \
    "static uint32_t *count_there(void) { static uint32_t *count;"           \
    " if (!count) count = (uint32_t *)shmat(COUNT, 0, 0); return count; }\n" \
    "static inline uint32_t counted(void)"                                   \
    " { return __atomic_fetch_add(count_there(), 1u, __ATOMIC_SEQ_CST); }\n"

/* Processes that run as a worker of this test, those left behind included. */
uint32_t count_workers(void);
/* Those of some process, as it is now. */
uint32_t count_workers_of(pid_t host);

/* A session of these commands (as text, one a line) as a library plays it, recorded into a store,
 * with hooks to falsify what is written. Its content is what start gets, and what is named. */
typedef struct script {
    const char *library;
    const char *commands;
    uint64_t seed;
    uint32_t trail_bits;  /* 0: 32 */
    uint64_t trail_every; /* 0: 1 */
    uint32_t ended;       /* enum deja_ended; outcomes are the library's */
    bool crash;           /* the last command is stored as one that crashed */
    const char *version;  /* instead of the library's */
    const deja_content *content;
    const char *made;
    const char *platform;
    uint64_t change_trail_at; /* the hash of this step is stored with a bit turned; 0: none */
    uint64_t change_result_at;
    bool change_chain, change_events;
    const char *mark; /* at mark_step */
    uint64_t mark_step;
    uint64_t from_step; /* begins with the state behind this many of the commands */
} script;

/* Runs in a child process, so that the library never enters this one. */
void record_script(const char *path, const script *s);
/* A session of the ledger as it should be, with seed 5, into `store`. */
void record_ledger(const char *commands);

#endif
