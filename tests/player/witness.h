/* SPDX-License-Identifier: MIT */
/*
 * What a player tells of what has returned, in memory that outlives it: a file that is mapped by it
 * and by the test.
 */
#ifndef DEJA_TESTS_WITNESS_H
#define DEJA_TESTS_WITNESS_H

#include <stdatomic.h>
#include <stdint.h>

typedef struct witness {
    _Atomic uint64_t opened; /* 1: the store is open */
    _Atomic uint64_t begun;  /* sessions, from 1, of which the open returned */
    _Atomic uint64_t steps;  /* of the last of them, which returned */
    _Atomic uint64_t closed; /* sessions of which the close returned, and the flush behind it */
    _Atomic uint64_t failed; /* calls that should not have */
    char why[256];           /* what the first of them said */
} witness;

#endif
