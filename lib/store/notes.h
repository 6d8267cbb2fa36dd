/* SPDX-License-Identifier: MIT */
/*
 * Marks and section hashes: what is noted at single steps. Normative: schemas/store.md.
 *
 * Both belong to a pack of recordings, whose row says how many rows there are, so that none can go
 * unnoticed; they are read for the whole pack.
 */
#ifndef DEJA_STORE_NOTES_H
#define DEJA_STORE_NOTES_H

#include "store/catalog.h"

/* One of either. */
typedef struct deja__note {
    uint32_t place; /* of the recording in its pack */
    uint32_t order; /* as they came */
    uint64_t step;
    uint64_t text; /* a mark's: where it is in the texts */
    uint64_t hash; /* a section's */
    const char *name;
} deja__note;

typedef struct deja__notes {
    int64_t pack; /* whose; 0: nobody's */
    deja_buffer notes;
    deja_buffer texts;
    uint32_t tellers; /* who is being told of them, and may ask for others meanwhile */
} deja__notes;

/* The last ones that were read of a pack of many. */
struct deja__kept_notes {
    deja__notes marks;
    deja__notes sections;
};

deja_code deja__kept_notes_create(deja__kept_notes **out, deja_error *err);
void deja__kept_notes_destroy(deja__kept_notes *notes);
void deja__notes_release(deja__notes *notes);

/* The notes of a whole pack, in order of place, step, and as they came. */
deja_code deja__marks_read(deja_store *store, const deja__recording_pack *pack, deja__notes *out,
                           deja_error *err);
deja_code deja__sections_read(deja_store *store, const deja__recording_pack *pack, deja__notes *out,
                              deja_error *err);

/* Puts notes in that order. */
void deja__notes_sort(deja_buffer *notes);

deja_code deja__marks_tell(deja_store *store, const deja__recording_pack *pack, uint32_t place,
                           bool (*visit)(void *user, uint64_t step, const char *text), void *user,
                           deja_error *err);
deja_code deja__sections_tell(deja_store *store, const deja__recording_pack *pack, uint32_t place,
                              bool (*visit)(void *user, uint64_t step, const char *name,
                                            uint64_t hash),
                              void *user, deja_error *err);

/* ---- writing: in a write transaction ---- */

/* Inserts marks as rows `*count`, `*count` + 1 ... of the pack. */
deja_code deja__mark_insert(deja_store *store, int64_t pack, int64_t *count, uint32_t place,
                            uint64_t step, const char *text, deja_error *err);
/* Inserts notes (deja__note) as section parts; names are interned. */
deja_code deja__sections_insert(deja_store *store, int64_t pack, int64_t *count,
                                const deja_buffer *notes, deja_error *err);

/* The notes of one recording among those of its pack. */
const deja__note *deja__notes_of(const deja__notes *notes, uint32_t place, uint64_t *count);

#endif
