/* SPDX-License-Identifier: MIT */
/*
 * A session of a base game, played by its bot and at the same time by another build of it, step by
 * step in a child process: what the two do is compared by the base's layouts, without the replayer
 * and without a hash.
 */
#ifndef DEJA_TESTS_PLAY_H
#define DEJA_TESTS_PLAY_H

#include <deja/layout.h>

#include "support/library.h"

/* What is true of a step of the base: the first words of expected.txt's WHEN. */
typedef struct step_facts {
    const char *game;
    uint32_t accepted; /* so many commands, this one included */
    bool is_accepted;
    const char *result;
    const unsigned char *command; /* canonical bytes */
    const unsigned char *state;
    uint64_t state_size;
    const unsigned char *events;
    uint64_t events_size;
} step_facts;
bool step_is(const char *when, const step_facts *facts);

/* Shared by the two processes. Steps count from 1; 0 is none. */
typedef struct played {
    volatile uint32_t done; /* steps that both have finished */
    uint32_t accepted;      /* of them */
    uint32_t due;           /* the first step of which `when` was true */
    uint32_t due_accepted;  /* which accepted command that was */
    uint32_t parted;        /* the first at which anything differed */
    char part[16];          /* what differed there */
    char fields[256];       /* which fields, with commas between */
    uint32_t differed_for;  /* accepted commands from there on after which the states differed */
    char base_outcome[64];
    char outcome[64];
    char why[256]; /* where the other build could not be played at all */
} played;

typedef struct play {
    const char *base, *other; /* as library_open() takes them */
    const char *bot;
    const char *when;
    uint64_t seed;
    uint32_t most;     /* steps */
    uint32_t sessions; /* played one after another in one process; the last is told of */
    bool reopen;       /* the other build is closed and opened again before each session */
    bool quiet;        /* what the child says on stderr is not wanted */
} play;

/* The status of a child that has played to the end. */
enum { PLAY_FINISHED = 42 };

/* Plays in a child; what came of it is in *result. @return its status as wait() has it */
int play_both(const play *p, played *result);

/* The same for a build that does not come back from its step: ends it when it has been seen not to.
 * @return whether it was still there then */
bool play_stuck(const play *p, played *result);

#endif
