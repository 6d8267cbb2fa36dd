/* SPDX-License-Identifier: MIT */
/*
 * The journals beside a store: what recorders are writing, and what dead ones have left.
 * Normative: schemas/journal.md.
 *
 *     who writes    folds those whose recorder is dead, and removes them
 *     who reads     folds them into a store in memory, its *side*, and shows both as one; where an
 *                   open session goes on in a journal, the side has all of it and it is hidden here
 *
 * Those of recorders that live are left to them. A session of the side has a key below 0 that is
 * made of its id, so it stays the same session when it has been folded meanwhile.
 */
#ifndef DEJA_STORE_JOURNALS_H
#define DEJA_STORE_JOURNALS_H

#include "store/catalog.h"

typedef struct deja__side {
    deja_store *store; /* in memory */
    int64_t *hidden;   /* packs of the file's that go on here */
    uint32_t hidden_count;
    uint32_t hidden_capacity;
} deja__side;

deja_code deja__side_create(deja_store *store, deja_error *err);
/* The side has all of an open pack's session. */
deja_code deja__side_hide(deja_store *store, int64_t pack, deja_error *err);

/* For who writes. What cannot be folded stays and is told in store->told. */
void deja__journals_fold(deja_store *store);
/* For who reads; fails only for lack of memory. */
deja_code deja__journals_read(deja_store *store, deja_error *err);
void deja__side_destroy(deja__side *side); /* NULL is fine */

/* Whether a pack is not shown, as the side has all of its session. */
bool deja__side_hides(const deja_store *store, const deja__session_pack *pack);
/* The key of a session of the side. */
int64_t deja__side_key(const deja_id *id);
/* Where a session of such a key is: the store (this one or its side) and its key there. */
deja_code deja__side_find(deja_store *store, int64_t key, deja_store **where, int64_t *found,
                          deja_error *err);
/* Whether the file has a session of the side by now. */
deja_code deja__side_is_stored(deja_store *store, const deja_id *id, bool *stored, deja_error *err);

#endif
