/* SPDX-License-Identifier: MIT */
/*
 * What apply says while it is being recorded: each event goes to the game as it came, and into the
 * step's event hash (schemas/hashes.md).
 *
 * An emit cannot fail, so what is wrong with an event is kept until the hash is asked for.
 */
#ifndef DEJA_RECORD_EVENTS_H
#define DEJA_RECORD_EVENTS_H

#include <deja/rules.h>

#include "base/base.h"
#include "record/form.h"

typedef struct deja__events {
    deja_out out;           /* what apply gets; first, so that its address is the struct's */
    deja_out *game;         /* takes them as well; NULL if the game has no use for them */
    const deja__form *form; /* borrowed */
    bool is_open;           /* between start and hash */
    bool is_plain;          /* events are hashed as they are saved */
    uint32_t count;
    deja_buffer saved;  /* u32 count, then canonical bytes, one behind another */
    deja_buffer hashed; /* the same for hashing, where that differs */
    deja_code code;     /* the first failure */
    deja_error failure;
    uint64_t none; /* the hash of no events */
} deja__events;

/* All zero before. @param form of the game's events; borrowed until release */
deja_code deja__events_init(deja__events *events, const deja__form *form, deja_error *err);
void deja__events_release(deja__events *events);

/* A step begins. */
void deja__events_start(deja__events *events, deja_out *game);
/* It ends: its event hash. DEJA_ERULES: an event breaks its description, or came outside of the
 * step. */
deja_code deja__events_hash(deja__events *events, uint64_t *hash, deja_error *err);

#endif
