/* SPDX-License-Identifier: MIT */
/*
 * See index.h. Open addressing; never more than half full, so that looking for what is not there is
 * short. Hashes are XXH3's, so their low bits will do.
 */
#include "store/index.h"

#include <stdlib.h>

static void put(deja__slot *slots, uint64_t capacity, deja__slot slot)
{
    uint64_t at = slot.hash & (capacity - 1);
    while (slots[at].place)
        at = (at + 1) & (capacity - 1);
    slots[at] = slot;
}

static bool grow(deja__index *index)
{
    const uint64_t capacity = index->capacity ? index->capacity * 2 : 64;
    deja__slot *slots = calloc((size_t)capacity, sizeof *slots);
    if (!slots)
        return false;
    for (uint64_t i = 0; i < index->capacity; i++)
        if (index->slots[i].place)
            put(slots, capacity, index->slots[i]);
    free(index->slots);
    index->slots = slots;
    index->capacity = capacity;
    return true;
}

bool deja__index_add(deja__index *index, uint64_t hash, uint32_t place)
{
    if (index->count * 2 >= index->capacity && !grow(index))
        return false;
    const deja__slot slot = { hash, place + 1 };
    put(index->slots, index->capacity, slot);
    index->count++;
    return true;
}

uint32_t deja__index_next(const deja__index *index, uint64_t hash, uint64_t *at)
{
    for (; *at < index->capacity; ++*at) {
        const deja__slot *slot = &index->slots[(hash + *at) & (index->capacity - 1)];
        if (!slot->place)
            break;
        if (slot->hash == hash) {
            ++*at;
            return slot->place - 1;
        }
    }
    return DEJA__NOWHERE;
}

void deja__index_release(deja__index *index)
{
    free(index->slots);
    memset(index, 0, sizeof *index);
}
