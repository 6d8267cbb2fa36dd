/* SPDX-License-Identifier: MIT */
/*
 * Content on its way to workers.
 *
 * Packs are shared as one piece of memory for all workers of a run. Its bytes are there once, as
 * they were when the run began; a worker maps it for reading, and has no way to make that mapping a
 * writable one (shared.c seals it), so no session can change what the next one reads:
 *
 *     0        u64 count of packs
 *     8 + 24i  pack i: u64 place of its name, u64 place of its bytes, u64 their size
 *     ...      names, each with a NUL behind it
 *     ...      bytes, each pack's at a multiple of 64
 *
 * A session's head (protocol.h) says which of them are the session's own, by number.
 */
#ifndef DEJA_REPLAY_PACKS_H
#define DEJA_REPLAY_PACKS_H

#include "plugin/content.h"

enum { DEJA__PACKS_HEAD = 8, DEJA__PACKS_ROW = 24 };

/* ---- the host's side ---- */

typedef struct deja__packs {
    deja__catalog catalog;
    int descriptor; /* -1 where there are no packs */
} deja__packs;

/* NULL is no packs. Release it also where it failed. */
deja_code deja__packs_open(deja__packs *packs, const deja_content *content, deja_error *err);
void deja__packs_release(deja__packs *packs);

/* ---- the worker's side ---- */

typedef struct deja__shelf {
    const unsigned char *bytes; /* NULL: no packs */
    uint64_t size;
    deja_content_pack chosen[DEJA_CONTENT_PACKS_MAX];
} deja__shelf;

/* Maps what a host has handed over; no descriptor is needed afterwards. */
bool deja__shelf_open(deja__shelf *shelf, int descriptor);
/* The packs of these numbers, borrowed until the next call. false: there are none of these. */
bool deja__shelf_take(deja__shelf *shelf, deja_span numbers, deja_content *content);

#endif
