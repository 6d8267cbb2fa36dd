/* SPDX-License-Identifier: MIT */
/*
 * What a store has of the sessions of players (tests/player), in a form in which the beginning of
 * one can be held against the whole of another.
 */
#ifndef DEJA_TESTS_KEPT_H
#define DEJA_TESTS_KEPT_H

#include <deja/store.h>

typedef struct kept_one {
    int64_t key;
    uint64_t seed;
    uint64_t steps; /* with one that did not return */
    uint32_t ended;
    uint64_t *sums;     /* of 0 to `steps` steps: commands, results, hashes */
    uint64_t *commands; /* of each step: its command's sum; [0] is not used */
    uint32_t marks;
} kept_one;

typedef struct kept_all {
    uint64_t count;
    kept_one *all;
} kept_all;

/* Reads all sessions of the ledger that a store holds; fails the test where it cannot. */
void kept_read(kept_all *out, deja_store *store, const char *where);
/* Opens a store for reading, does that, closes it. */
void kept_read_at(kept_all *out, const char *path, const char *where);
void kept_release(kept_all *k);

/* The one with a seed; NULL: there is none. */
const kept_one *kept_of(const kept_all *k, uint64_t seed);
/* Steps that returned. */
uint64_t kept_done(const kept_one *one);
/* Whether it is the beginning of another, up to the command that did not return. */
bool kept_begins(const kept_one *one, const kept_one *whole);
/* Whether they are the same, in how they ended too. */
bool kept_same(const kept_one *a, const kept_one *b);

#endif
