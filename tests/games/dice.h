/* SPDX-License-Identifier: MIT */
/*
 * Dix-mille through its exported constant: states, commands and events by their canonical bytes,
 * without the game's own types.
 */
#ifndef DEJA_TESTS_DICE_H
#define DEJA_TESTS_DICE_H

#include "support/library.h"

enum { SEATS_MOST = 8, LOADED_MOST = 4096, STATE_BYTES = 4300 };
enum { ASKS_KEEP = 0, ASKS_PICK, ASKS_BANK, IS_OVER };
enum { KEEP = 0, FRESH, PICK, BANK, ROLL };
enum { ROLLED = 0, BUSTED, PICKED, BANKED, KEPT, WON };

/* All of a state. */
typedef struct dice {
    uint32_t players;
    int64_t banked[SEATS_MOST];
    int64_t running;
    uint32_t dice, side, phase;
    uint64_t turn;
    char roll[6]; /* as digits */
    uint32_t thrown;
    char loaded[LOADED_MOST + 1];
    deja_luck luck;
} dice;

void dice_read(const library *lib, const void *state, dice *d);
/* A new state that says so; dice_write() changes one that is there. */
void *dice_state(const library *lib, const dice *d);
void dice_write(const library *lib, void *state, const dice *d);

/* A state as start makes it, or NULL; `result` is "ok" or the refusal. */
void *dice_start(const library *lib, uint32_t players, const char *loaded, uint64_t seed,
                 const char **result);

/* The commands are the caller's to destroy. */
void *dice_command(const library *lib, uint32_t kind, uint32_t n);
const char *dice_check(const library *lib, const void *state, uint32_t kind, uint32_t n);
/* Applies it, emitting into `all` if that is not NULL. @return "ok" or the refusal */
const char *dice_apply(const library *lib, void *state, uint32_t kind, uint32_t n, emitted *all);
uint32_t dice_legal(const library *lib, const void *state);

/* One event; what its kind does not have is 0. */
typedef struct dice_event {
    uint32_t kind, side, n, left;
    char faces[6];
    int64_t points; /* lost, scored or banked */
    int64_t total;  /* of the run, or banked in all */
} dice_event;

dice_event dice_told(const library *lib, const emitted *all, uint32_t place);

#endif
