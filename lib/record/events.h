/* SPDX-License-Identifier: MIT */
/*
 * What apply says while it is being recorded: each event goes to the game as it came, and into the
 * step's event hash (schemas/hashes.md).
 */
#ifndef DEJA_RECORD_EVENTS_H
#define DEJA_RECORD_EVENTS_H

#include "plugin/emitter.h"

typedef struct deja__events {
    deja_out out;          /* what apply gets; first, so that its address is the struct's */
    deja_out *game;        /* takes them as well; NULL if the game has no use for them */
    deja__emitter emitter; /* keeps them, and what is wrong with them */
    uint64_t none;         /* the hash of no events */
} deja__events;

/* All zero before. @param form of the game's events; borrowed until release */
deja_code deja__events_init(deja__events *events, const deja__form *form, deja_error *err);
void deja__events_release(deja__events *events);
/* Forgets what another session left. */
void deja__events_clear(deja__events *events);

/* A step begins. */
void deja__events_start(deja__events *events, deja_out *game);
/* It ends: how many events there were, and their hash. DEJA_ERULES: one breaks its description, or
 * came outside of the step. */
deja_code deja__events_end(deja__events *events, uint32_t *count, uint64_t *hash, deja_error *err);

#endif
