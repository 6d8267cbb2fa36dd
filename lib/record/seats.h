/* SPDX-License-Identifier: MIT */
/*
 * Seats that bots take: seat s draws from stream s + 1 of the game's seed and has memory of its
 * own, zero when the game starts; both are made when the seat is first seen.
 */
#ifndef DEJA_RECORD_SEATS_H
#define DEJA_RECORD_SEATS_H

#include <deja/rules.h>

#include "base/base.h"

enum { DEJA__SEATS_MAX = 256 };

typedef struct deja__seat {
    bool seen;
    deja_luck luck;
    void *memory;
    uint64_t memory_size;
} deja__seat;

/* All zero before. */
typedef struct deja__seats {
    deja__seat all[DEJA__SEATS_MAX];
} deja__seats;

/* A game begins: nobody has been seen. */
void deja__seats_clear(deja__seats *seats);
void deja__seats_release(deja__seats *seats);
/* The seat of that number, for a bot that has so much memory. DEJA_ERULES: there is none. */
deja_code deja__seat_take(deja__seats *seats, uint64_t seed, uint32_t number, uint64_t memory_size,
                          deja__seat **out, deja_error *err);

#endif
