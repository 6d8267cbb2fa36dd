/* SPDX-License-Identifier: MIT */
/*
 * Players (tests/player) that die while they record, and what must be there afterwards.
 */
#ifndef DEJA_TESTS_KILLS_H
#define DEJA_TESTS_KILLS_H

#include <sys/types.h>

#include "faults/kept.h"
#include "player/witness.h"

typedef struct scene {
    char folder[64];
    char path[128];         /* the store that they record into */
    char before_path[128];  /* a store with earlier sessions, for copies */
    char witness_path[128]; /* what the witness is mapped from */
    witness *witness;
    uint64_t seed, sessions, steps; /* what they play */
    kept_all whole;                 /* the same, played without any harm */
    kept_all before;                /* the earlier sessions */
} scene;

/* The player plays so many sessions of so many steps. */
void scene_open(scene *s, uint64_t sessions, uint64_t steps);
void scene_close(scene *s);

/* Puts the store back to the earlier sessions (or, with `empty`, to none at all), and the witness
 * to nothing. */
void scene_reset(scene *s, bool empty);
/* Starts a player; with `traced` it waits for its tracer first. */
pid_t scene_start(const scene *s, const char *how, bool traced);
/* Waits for one that ends by itself: its status, as from waitpid(). */
int scene_play(scene *s, const char *how);

/* Fails the test unless everything that the witness was told of is there, replays, is as it was
 * played, and stays so when a writer has been there; and the earlier sessions, too. The player is
 * dead. */
void scene_examine(scene *s, bool empty, const char *where);
/* The parts of that: reading; replaying all; a writer that records one session more. */
void scene_read(const scene *s, kept_all *out, const char *where);
void scene_verify(const scene *s, const kept_all *k, const char *where);
void scene_write(const scene *s, const kept_all *k, const char *where);

#endif
