/* SPDX-License-Identifier: MIT */
/*
 * What a field gets that the source does not have: what the defaults have at its path, or zero.
 *
 * Items of a list go with the defaults' item of the same place, entries of a map with that of the
 * same key. Keys rise on both sides, so each search goes on where the last one ended.
 */
#include "fields/match.h"

uint64_t deja__zero_size(const deja__node *node)
{
    uint64_t size = node->kind == DEJA_KIND ? 2 : 0;
    if (node->fixed)
        return node->size_min;
    switch (node->kind) {
    case DEJA_KIND:
        return size + deja__zero_size(node->children[0]);
    case DEJA_STRUCT:
        for (uint32_t i = 0; i < node->child_count && size <= DEJA__VALUE_SIZE_MAX; i++)
            size += deja__zero_size(node->children[i]);
        return size;
    case DEJA_SECTION:
        return deja__zero_size(node->children[0]);
    case DEJA_ITEMS:
        if (deja__is_counted(node))
            return 4;
        size = deja__zero_size(node->children[0]);
        return size > DEJA__VALUE_SIZE_MAX / node->count ? DEJA__VALUE_SIZE_MAX + 1
                                                         : size * node->count;
    default:
        return node->size_min; /* an absent optional, an empty text */
    }
}

/* ---- the items of the defaults ---- */

void deja__pairing_begin(deja__pairing *pairs, const deja__node *target,
                         const unsigned char *defaults)
{
    pairs->start = defaults;
    pairs->count = target->count;
    if (defaults && deja__is_counted(target)) {
        pairs->count = deja__load32(defaults);
        pairs->start = defaults + 4;
    }
    pairs->at = pairs->start;
    pairs->left = pairs->count;
}

const unsigned char *deja__pairing_next(deja__pairing *pairs, const deja__node *target)
{
    if (!pairs->at || pairs->left == 0)
        return NULL;
    const unsigned char *value = pairs->at;
    pairs->at += deja__value_size(target->children[0], value);
    pairs->left--;
    return value;
}

const unsigned char *deja__pairing_find(deja__pairing *pairs, const deja__node *target,
                                        const unsigned char *key, bool from_start)
{
    const deja__node *key_node = target->children[0];
    if (!pairs->at)
        return NULL;
    if (from_start) {
        pairs->at = pairs->start;
        pairs->left = pairs->count;
    }
    for (; pairs->left > 0; pairs->left--) {
        const int order = deja__key_compare(key_node, pairs->at, key);
        if (order > 0)
            return NULL;
        const unsigned char *value = pairs->at + deja__value_size(key_node, pairs->at);
        if (order == 0)
            return value;
        pairs->at = value + deja__value_size(target->children[1], value);
    }
    return NULL;
}
