/* SPDX-License-Identifier: MIT */
/*
 * The Matchgame's states and commands, made and read by their canonical bytes.
 */
#ifndef DEJA_TESTS_MATCHGAME_H
#define DEJA_TESTS_MATCHGAME_H

#include "support/library.h"

enum { ROWS = 16 };

typedef struct heap {
    uint8_t rows[ROWS];
    uint32_t count;
} heap;

typedef struct move {
    uint32_t row, n;
} move;

/* A state and a command; end them with host_destroy(). */
void *state_of(const library *lib, heap h, uint8_t side);
void *command_of(const library *lib, move m);

/* What a state and a command hold. `side` may be NULL. */
heap heap_of(const library *lib, const void *state, uint8_t *side);
move move_of(const library *lib, const void *command);

/* What a bot takes; nothing of row 0 if it has no move. */
move pick(const library *lib, const char *bot, const heap *h);

void assert_move(move got, move expected, const char *where);

#endif
