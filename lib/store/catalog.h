/* SPDX-License-Identifier: MIT */
/*
 * What is kept in memory of a store: everything but streams, start states and marks. That is some
 * 60 bytes for a short session, and read through in one go, so that its tables are known to be
 * whole before anything is answered from them.
 *
 * A refresh reads what is new: rows of higher keys, and packs that were open. Where sums then do
 * not fit, everything is read again; where they still do not, the store is damaged.
 *
 * Interned rows (words, builds, layouts) never change and live until the store is closed, so that
 * readers may borrow their texts. Packs may go at a refresh.
 */
#ifndef DEJA_STORE_CATALOG_H
#define DEJA_STORE_CATALOG_H

#include <deja/layout.h>

#include "store/column.h"
#include "store/handle.h"
#include "store/index.h"

typedef struct deja__word {
    int64_t id;
    char *text;
    struct deja__word *next; /* of those that are only kept for who borrowed them */
} deja__word;

typedef struct deja__build {
    int64_t id;
    unsigned char digest[16];
    char *compiler;
    struct deja__build *next;
} deja__build;

/* The columns of table layouts, in its order. */
enum deja__layout_text {
    DEJA__GAME,
    DEJA__VERSION,
    DEJA__STATE,
    DEJA__COMMAND,
    DEJA__EVENT,
    DEJA__CONFIG,
    DEJA__REFUSALS,
    DEJA__OUTCOMES,
    DEJA__LAYOUT_TEXTS
};

typedef struct deja__layouts {
    int64_t id;
    char *texts[DEJA__LAYOUT_TEXTS];
    uint32_t refusal_count;
    deja_layout *command; /* parsed when first asked for; NULL for one that is opaque */
    deja_layout *config;
    bool parsed;
    struct deja__layouts *next;
} deja__layouts;

typedef struct deja__session_pack {
    int64_t id;
    int64_t check;
    deja__layouts *layouts;
    const deja__word *content;
    bool open;      /* still written to, or never closed */
    int64_t number; /* then: its session's in a journal, or 1 */
    bool start;     /* it begins in a saved state */
    uint32_t count;
    uint64_t steps;
    uint64_t *ends; /* of its sessions in its steps */
    deja__column seeds;
    const unsigned char *digests;
    uint32_t config_count; /* 1: all have the same */
    int64_t config_size;
    deja_span config_block;
    deja_buffer configs; /* decoded when first asked for */
    deja_buffer config_ends;
    uint32_t base; /* the first one's place among all sessions */
    deja_buffer bytes;
} deja__session_pack;

typedef struct deja__recording_pack {
    int64_t id;
    int64_t check;
    const deja__layouts *layouts;
    const deja__build *build;
    const deja__word *platform;
    const deja__word *made;
    uint32_t trail_bits;
    uint64_t trail_every;
    uint32_t count;
    deja__column sessions;
    deja__column endings; /* 0 to 2 as enum deja_ended, 3 + the place in outcomes */
    deja__column ages;
    deja__column chains;
    deja__column event_chains;
    const char *outcomes;
    int64_t recorded_at;
    int64_t marks;    /* rows */
    int64_t sections; /* rows */
    uint32_t base;
    deja_buffer bytes;
} deja__recording_pack;

struct deja__catalog {
    deja__word **words;
    deja__build **builds;
    deja__layouts **layouts;
    deja__session_pack **session_packs;
    deja__recording_pack **recording_packs;
    uint32_t counts[DEJA__TABLE_COUNT]; /* of those arrays */
    uint32_t capacities[DEJA__TABLE_COUNT];
    deja__tally found[DEJA__TABLE_COUNT]; /* rows and sums of what is here */
    deja__word *old_words;
    deja__build *old_builds;
    deja__layouts *old_layouts;
    uint32_t session_count;
    uint32_t recording_count;
    uint32_t *newest; /* of each session: 1 + its newest recording's place */
    uint32_t *before; /* of each recording: 1 + the place of the one before it of its session */
    uint32_t newest_capacity;
    uint32_t before_capacity;
    uint32_t linked_session_packs;
    uint32_t linked_recording_packs;
    deja__index word_index;
    deja__index id_index; /* closed sessions, for writers; filled when first asked */
    uint32_t indexed_packs;
    int64_t version; /* SQLite's, of what others write */
    bool loaded;
    bool fresh;
    bool broken; /* read everything again */
};

deja_code deja__catalog_create(deja__catalog **out, deja_error *err);
void deja__catalog_destroy(deja__catalog *catalog);
/* In a transaction. */
deja_code deja__catalog_refresh(deja_store *store, deja_error *err);
/* The same in a read transaction of its own. */
deja_code deja__catalog_look(deja_store *store, deja_error *err);
/* After a commit of the store's own: there is something to read. After one that failed, everything
 * has to be read again. */
void deja__catalog_changed(deja_store *store, bool all);

/* Links what is new; after unlink, everything. */
deja_code deja__catalog_link(deja__catalog *catalog, deja_error *err);
void deja__catalog_unlink(deja__catalog *catalog);

/* ---- interned rows ---- */

/* Takes a row of words, builds or layouts. */
deja_code deja__catalog_intern(deja__catalog *catalog, uint32_t table, const deja__row *row,
                               deja_error *err);

const deja__word *deja__catalog_word(const deja__catalog *catalog, int64_t id);
const deja__build *deja__catalog_build(const deja__catalog *catalog, int64_t id);
deja__layouts *deja__catalog_layouts(const deja__catalog *catalog, int64_t id);
/* Parses the layouts of command and config. */
deja_code deja__layouts_parse(deja__layouts *layouts, deja_error *err);
/* Find a row or insert one; in a write transaction after a refresh. */
deja_code deja__intern_word(deja_store *store, const char *text, int64_t *id, deja_error *err);
deja_code deja__intern_build(deja_store *store, const unsigned char *digest, const char *compiler,
                             int64_t *id, deja_error *err);
deja_code deja__intern_layouts(deja_store *store, const char *const *texts, int64_t *id,
                               deja_error *err);

/* ---- sessions and recordings ---- */

/* The pack with this id; NULL if there is none. */
deja__session_pack *deja__catalog_session_pack(const deja__catalog *catalog, int64_t id);
/* The first pack whose id is above `id`; NULL at the end. */
deja__session_pack *deja__catalog_session_pack_after(const deja__catalog *catalog, int64_t id);
deja__recording_pack *deja__catalog_recording_pack(const deja__catalog *catalog, int64_t id);
/* The pack and place of a session's key; NULL if there is no such session. */
deja__session_pack *deja__catalog_session(const deja__catalog *catalog, int64_t key,
                                          uint32_t *place);
/* The closed session of this id: its key, or 0. DEJA_ENOMEM where the index gets no memory. */
deja_code deja__catalog_key_of(deja__catalog *catalog, const deja_id *id, int64_t *key,
                               deja_error *err);
/* A session's recordings, newest first: *at is 0 at first. NULL at the end. */
const deja__recording_pack *deja__catalog_recording(const deja__catalog *catalog,
                                                    const deja__session_pack *pack, uint32_t place,
                                                    uint32_t *at, uint32_t *recording_place);

uint64_t deja__session_steps(const deja__session_pack *pack, uint32_t place);
void deja__session_id(const deja__session_pack *pack, uint32_t place, deja_id *id);
/* How a recording ended; *outcome is "" or points into pack->outcomes, *size bytes. */
uint32_t deja__recording_ended(const deja__recording_pack *pack, uint32_t place,
                               const char **outcome, uint64_t *size);
/* How many of the steps 0 to `steps` were hashed. */
uint64_t deja__trail_count(uint64_t steps, uint64_t every, bool crashed);
/* A session's config; borrowed until the pack goes. */
deja_code deja__session_config(deja_store *store, deja__session_pack *pack, uint32_t place,
                               deja_span *config, deja_error *err);

/* Rows as packs: checked in full. */
deja_code deja__session_pack_read(const deja__catalog *catalog, const deja__row *row,
                                  deja__session_pack **out, deja_error *err);
deja_code deja__recording_pack_read(const deja__catalog *catalog, const deja__row *row,
                                    deja__recording_pack **out, deja_error *err);
void deja__session_pack_destroy(deja__session_pack *pack);
void deja__recording_pack_destroy(deja__recording_pack *pack);

/* The array with room for one more item, perhaps elsewhere; NULL: no memory, it is as it was. */
void *deja__grow(void *array, size_t item, uint32_t count, uint32_t *capacity);

#endif
