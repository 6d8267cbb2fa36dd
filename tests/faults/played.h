/* SPDX-License-Identifier: MIT */
/*
 * A game that the tests of faults record: sessions of bytes and hashes that are worked out from a
 * seed, so that whatever turns up in a store can be told from what was played.
 */
#ifndef DEJA_TESTS_PLAYED_H
#define DEJA_TESTS_PLAYED_H

#include <deja/recorder.h>

/* How many steps the session of a seed has; of the multiples of 10 that is more than a block. */
uint64_t played_steps(uint64_t seed);
/* Step i: its bytes (their count; at most 16), and the hash behind it; the start's is that of 0. */
uint64_t played_command(uint64_t seed, uint64_t i, unsigned char bytes[16]);
uint64_t played_hash(uint64_t seed, uint64_t i);
/* How it ends; NULL: it was still running. */
const char *played_outcome(uint64_t seed);

/* What recording it answered. */
typedef struct played {
    deja_code opened, stepped, closed; /* the first that was not DEJA_OK */
    uint64_t taken;                    /* steps that were answered DEJA_OK */
    deja_error first;                  /* what was said at the first failure */
} played;

/* Called in the midst of a session now and then: `look` when so many of its steps had returned,
 * `synced` when deja_recorder_sync() had behind them. NULL: nothing is. */
void played_look(void (*look)(void), void (*synced)(uint64_t seed, uint64_t step));
/* Plays the session of a seed to its end, whatever the recorder says. */
played played_record(deja_store *store, uint64_t seed);
/* Fails the test unless all of it works. */
void played_must(deja_store *store, uint64_t seed);

/* ---- what is in a store ---- */

enum { PLAYED_SEEDS = 128 };

/* Of each seed, what a store has: nothing, the beginning, all of it. */
typedef struct found {
    uint64_t sessions;
    struct found_one {
        bool there, whole;
        uint64_t steps;
    } of[PLAYED_SEEDS];
} found;

/* Reads all of a store and holds every step against what was played. Fails the test where anything
 * is not a true session or a true beginning of one; `where` is said then. */
void found_in(deja_store *store, const char *where, found *out);
/* Opens a store for reading, does that, closes it. */
void found_at(const char *path, const char *where, found *out);
/* Fails the test unless the sessions of seeds 1 to `last` are there as a whole. */
void found_whole(const found *f, uint64_t last, const char *where);

#endif
