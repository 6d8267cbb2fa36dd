/* SPDX-License-Identifier: MIT */
/*
 * Peg boards as bits (bit i is the peg of hole i, so up to 10 rows), and peg's states and commands,
 * made and read by their canonical bytes.
 */
#ifndef DEJA_TESTS_PEGS_H
#define DEJA_TESTS_PEGS_H

#include "support/library.h"

typedef struct hop {
    uint32_t from, over, to;
} hop;

/* So many holes have so many rows. */
uint32_t holes_of(uint32_t rows);

/* A state and commands; end them with host_destroy(). */
void *peg_state(const library *lib, uint32_t rows, uint64_t pegs);
void *peg_remove(const library *lib, uint32_t hole);
void *peg_jump(const library *lib, uint32_t from, uint32_t to);

/* Puts other pegs on a board that is there. */
void peg_set(const library *lib, void *state, uint32_t rows, uint64_t pegs);
uint64_t peg_bits(const library *lib, const void *state);

/* Applies a command that must be accepted, and reads the hop from the event it tells of; of a
 * removal, from is the hole. */
hop peg_apply(const library *lib, void *state, const void *command);
const char *peg_check(const library *lib, const void *state, void *command);

/* Reads FROM:OVER:TO,FROM:OVER:TO... @return how many */
uint32_t read_hops(const char *text, hop *hops);

#endif
