/* SPDX-License-Identifier: MIT */
/*
 * Parts: the streams of at most 16,384 steps, decoded. A few are kept, for the sessions of a pack
 * share one; who uses a part holds it, so that it stays when others come.
 */
#ifndef DEJA_STORE_PART_H
#define DEJA_STORE_PART_H

#include "store/catalog.h"

typedef struct deja__part {
    uint32_t holders;
    uint32_t table; /* DEJA__COMMAND_PARTS or DEJA__RESULT_PARTS */
    int64_t key;
    uint32_t count; /* steps */
    /* commands */
    deja_buffer values;
    deja_buffer ends;
    /* results */
    deja_buffer results; /* little-endian, `width` bytes each; none where all are 0 */
    uint32_t width;      /* 0, 1, 2 or 4 */
    deja_buffer trail;
    uint64_t chain; /* after its last hashed step; of a pack of one */
    uint64_t event_chain;
    deja_buffer step_ends; /* of a pack's recordings, as uint64_t */
    deja_buffer trail_ends;
} deja__part;

/* How many parts so many steps have: one more than whole blocks, and at least one. */
uint64_t deja__part_count(uint64_t steps);
/* How many of `steps` steps are in a part. */
uint32_t deja__part_steps(uint64_t steps, uint64_t part);

deja_code deja__cache_create(deja__cache **out, deja_error *err);
void deja__cache_destroy(deja__cache *cache);

/* The commands of a part of a pack, held: release it. NULL and DEJA_OK where there is no row. */
deja_code deja__part_commands(deja_store *store, const deja__session_pack *pack, uint64_t part,
                              deja__part **out, deja_error *err);
/* The results of a part of a pack; the same. */
deja_code deja__part_results(deja_store *store, const deja__recording_pack *pack, uint64_t part,
                             deja__part **out, deja_error *err);
void deja__part_release(deja__part *part); /* NULL is fine */

/* Expand `count` results or hashes from `first`. */
void deja__part_read_results(const deja__part *part, uint64_t first, uint32_t count,
                             uint32_t *results);
void deja__part_read_trail(const deja__part *part, uint32_t bits, uint64_t first, uint64_t count,
                           uint64_t *trail);

/* The steps of the session that a recording is of. */
uint64_t deja__recording_steps(const deja__catalog *catalog, const deja__recording_pack *pack,
                               uint32_t place);

static inline uint64_t deja__number_at(const deja_buffer *numbers, uint64_t place)
{
    uint64_t number;
    memcpy(&number, numbers->bytes + 8 * place, sizeof number);
    return number;
}

#endif
