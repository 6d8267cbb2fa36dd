/* SPDX-License-Identifier: MIT */
/*
 * A session that is being written, and after its end one that waits to be committed.
 *
 *     short   fewer than 16,384 steps: all of it is kept here, and goes into a pack with others
 *     long    each whole block was committed as it came, in packs of its own that are open; what is
 *             here are the steps since
 *
 * What a failed commit leaves is what was before it: a writer can be asked to try again.
 */
#ifndef DEJA_STORE_WRITER_H
#define DEJA_STORE_WRITER_H

#include "store/identity.h"
#include "store/notes.h"
#include "store/setting.h"

/* What a commit changes, so that it can be put back. */
typedef struct deja__progress {
    uint64_t steps;
    uint64_t chain;
    uint64_t event_chain;
    deja_id id;
    uint64_t parts;       /* committed */
    int64_t session_pack; /* 0: nothing is committed */
    int64_t recording_pack;
    int64_t session_check;
    int64_t recording_check;
    int64_t marks;
    int64_t sections;
} deja__progress;

struct deja_writer {
    deja_store *store;
    deja__setting *setting;
    deja__identity *identity;
    deja__progress now;
    int64_t number; /* of its pack while that is open: the session's in a journal, or 1 */
    uint64_t seed;
    deja_buffer config;
    deja_buffer start_layout; /* no bytes: it began at the start */
    deja_buffer start_block;
    uint64_t start_size;
    int64_t recorded_at;
    uint64_t start_hash;

    /* the steps that are not committed */
    uint32_t tail;
    deja_buffer commands;
    deja_buffer ends;    /* uint32_t each */
    deja_buffer results; /* uint32_t each */
    deja_buffer trail;   /* as stored; with step 0's hash, where that is not committed */
    uint32_t last_result;
    bool hashless; /* the last step has no hash, though one is due: it can only have crashed */

    /* the notes that are not committed */
    deja_buffer marks; /* deja__note, `text` in mark_texts */
    deja_buffer mark_texts;
    deja_buffer sections; /* deja__note, `text` in section_names */
    deja_buffer section_names;

    /* its end */
    uint32_t ended;
    char outcome[DEJA__NAME_MAX + 1];

    /* while a flush is on */
    int64_t session_key; /* of the session that it is, in the store; 0: it is new */
    bool again;          /* it is there, or its twin is before it */
    bool drop;           /* nothing of it is new */
    deja_writer *twin;   /* one before it in the queue that is the same session */
};

void deja__writer_destroy(deja_writer *writer); /* NULL is fine */
/* Whether it has blocks in the store. */
static inline bool deja__writer_is_long(const deja_writer *writer)
{
    return writer->now.session_pack != 0;
}

/* Whether these may come next. *hashless: the last one has no hash, though one is due. */
deja_code deja__steps_check(const deja_writer *writer, const deja_steps *steps, bool *hashless,
                            deja_error *err);

/* Whether the store holds a recording that is equal to this one, of the session of this key. */
deja_code deja__writer_is_known(deja_writer *writer, int64_t key, bool *known, deja_error *err);
/* The same of one that waits. */
bool deja__writer_is_twin(const deja_writer *writer, const deja_writer *other);

/* ---- long ones ---- */

/* Commits a whole block; `encoded` are its commands as a part holds them. */
deja_code deja__long_commit(deja_writer *writer, const deja_steps *steps, deja_span encoded,
                            deja_error *err);
/* Commits its end; takes it back where the store held it. */
deja_code deja__long_finish(deja_writer *writer, deja_error *err);

/* ---- packs ---- */

/* Rows of packs of `count` writers. `raw` and `columns` hold what the row borrows. */
deja_code deja__session_row(deja_store *store, deja_writer *const *members, uint32_t count,
                            bool open, const deja__setting_ids *ids, deja_buffer *raw,
                            deja_buffer *columns, deja__row *row, deja_error *err);
deja_code deja__recording_row(deja_writer *const *members, uint32_t count,
                              const deja__setting_ids *ids, deja_buffer *columns, deja__row *row,
                              deja_error *err);
/* Inserts a part. `encoded` are commands before they are compressed. */
deja_code deja__commands_insert(deja_store *store, int64_t key, deja_span encoded, deja_error *err);
/* `results` are numbers; `trail` bytes. */
deja_code deja__results_insert(deja_store *store, int64_t key, const uint32_t *results,
                               uint32_t count, deja_span trail, uint64_t chain,
                               uint64_t event_chain, deja_error *err);
deja_code deja__start_insert(deja_store *store, int64_t pack, const deja_writer *writer,
                             deja_error *err);
/* Inserts a writer's marks up to a step, and appends its section hashes up to it to `sections`, for
 * deja__sections_insert(). `place` is its recording's in the pack. */
deja_code deja__notes_insert(deja_store *store, int64_t pack, const deja_writer *writer,
                             uint32_t place, uint64_t last_step, int64_t *marks,
                             deja_buffer *sections, deja_error *err);
/* Takes what was inserted out of the writer. */
void deja__notes_drop(deja_writer *writer, uint64_t last_step);

#endif
