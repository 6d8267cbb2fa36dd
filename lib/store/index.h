/* SPDX-License-Identifier: MIT */
/*
 * From a hash to places in an array: what keeps texts interned and ids known. The caller compares.
 *
 *     uint64_t at = 0;
 *     uint32_t place;
 *     while ((place = deja__index_next(&index, hash, &at)) != DEJA__NOWHERE)
 *         if (same(things[place], thing))
 *             ...
 */
#ifndef DEJA_STORE_INDEX_H
#define DEJA_STORE_INDEX_H

#include "base/base.h"

#define DEJA__NOWHERE UINT32_MAX

typedef struct deja__slot {
    uint64_t hash;
    uint32_t place; /* + 1; 0: free */
} deja__slot;

/* All zero is an empty one. */
typedef struct deja__index {
    deja__slot *slots;
    uint64_t capacity; /* a power of two */
    uint64_t count;
} deja__index;

bool deja__index_add(deja__index *index, uint64_t hash, uint32_t place);
/* *at is 0 at first. */
uint32_t deja__index_next(const deja__index *index, uint64_t hash, uint64_t *at);
void deja__index_release(deja__index *index);

#endif
