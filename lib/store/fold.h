/* SPDX-License-Identifier: MIT */
/*
 * Folding: a journal's records, one after another, become sessions of a store. Normative:
 * schemas/journal.md.
 *
 * The same for a ring that is being written and for what a dead process left, but that there a
 * session may be in the store in part: its steps are then passed over.
 *
 *     pending    up to two blocks of 16,384 steps; the first is committed when the second is full
 *                and one more step comes, so a rewind never reaches what is committed
 *     notes      marks and sections of pending steps; they go to the writer with their steps
 *
 * A call that fails has taken nothing, and can be made again.
 */
#ifndef DEJA_STORE_FOLD_H
#define DEJA_STORE_FOLD_H

#include "journal/read.h"
#include "store/handle.h"

typedef struct deja__fold {
    deja_store *store;
    deja_store *source;  /* where a session's first blocks may be; NULL: nowhere */
    uint64_t number;     /* of the journal */
    deja_writer *writer; /* of the session at hand; NULL: none */
    uint64_t session;    /* which one, from 1 */
    uint64_t at;         /* its steps: finished and not taken back */
    uint64_t committed;  /* of them, in the store or passed over */
    uint64_t start_hash;
    uint64_t trail_every;
    uint32_t trail_bits;
    bool broken; /* the last pending step is one that did not come back */

    /* pending steps */
    uint32_t count;
    deja_buffer commands;
    uint32_t *ends;
    uint32_t *results;
    uint64_t *hashes;
    uint64_t *event_hashes;
    uint64_t *trail; /* of a block, cut */
    uint64_t chain;  /* after what is committed */
    uint64_t event_chain;
    deja_buffer notes; /* deja__note, `text` in note_texts; of a mark, `hash` is its length + 1 */
    deja_buffer note_texts;
    uint64_t marks; /* of the session, so far */

    /* what must stay in the journal */
    uint64_t session_place;
    uint64_t block_places[2];
    uint64_t waiting_place; /* of the first session that is finished and not committed */
    uint64_t lost_place;    /* of the first one that the store turned away for good */

    /* of the session that ended last */
    deja_id id;
    bool known;
    uint32_t ended;
    uint64_t steps;
    /* of all */
    uint64_t sessions;
    uint64_t left_out; /* marks that a store does not take */
} deja__fold;

/* Borrows the store, which is open for writing. On failure nothing is left to release. */
deja_code deja__fold_open(deja__fold **out, deja_store *store, uint64_t number, deja_error *err);
/* What is pending is dropped; blocks that are committed stay, as an unfinished session. */
void deja__fold_close(deja__fold *fold); /* NULL is fine */

/* Takes a record, which begins at that place of the journal. */
deja_code deja__fold_take(deja__fold *fold, const deja__journal_record *record, uint64_t place,
                          deja_error *err);
/* Reading begins within a session: it goes on where the store has the first steps of it. */
deja_code deja__fold_resume(deja__fold *fold, uint64_t session, uint64_t steps, deja_error *err);
/* Something is missing; what comes next is of that session, behind so many of its steps. */
deja_code deja__fold_gap(deja__fold *fold, uint64_t session, uint64_t steps, deja_error *err);
/* Nothing more comes: a session that has not ended is unfinished, or crashed. */
deja_code deja__fold_end(deja__fold *fold, deja_error *err);
/* What is before this place is in the store for good. @param read where reading is */
uint64_t deja__fold_needs(const deja__fold *fold, uint64_t read);

/* The number of a session of a journal: schemas/journal.md. */
int64_t deja__fold_number(uint64_t journal, uint64_t session);
/* A writer that goes on with an open pack of this number; *writer is NULL where there is none.
 * Where the source is another store than this one, the first blocks are copied. */
deja_code deja__writer_resume(deja_writer **writer, deja_store *store, deja_store *source,
                              int64_t number, deja_error *err);

#endif
