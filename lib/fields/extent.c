/* SPDX-License-Identifier: MIT */
/*
 * How long a value is.
 *
 * The quick half of checking: only what decides where the value ends is looked at (counts, tags,
 * presence bytes, sizes of text), so a list of numbers costs as much as one number. Each item of a
 * container takes at least a byte, so the walk is no longer than the bytes that are there.
 */
#include "fields/layout.h"

/* Moves *at behind the value; false where it does not fit into `size` bytes or into its limits. */
static bool step_over(const deja__node *node, const unsigned char *bytes, uint64_t size,
                      uint64_t *at);

static bool take(uint64_t size, uint64_t *at, uint64_t wanted)
{
    if (wanted > size - *at)
        return false;
    *at += wanted;
    return true;
}

static bool take_count(const deja__node *node, const unsigned char *bytes, uint64_t size,
                       uint64_t *at, uint64_t *count)
{
    if (!take(size, at, 4))
        return false;
    *count = deja__load32(bytes + *at - 4);
    return *count <= node->count;
}

static bool step_over_items(const deja__node *node, const unsigned char *bytes, uint64_t size,
                            uint64_t *at)
{
    uint64_t count = node->count;
    const bool counted =
        node->shape == DEJA_LIST || node->shape == DEJA_MAP || node->shape == DEJA_SET;
    if (counted && !take_count(node, bytes, size, at, &count))
        return false;

    /* At most 2^32 - 1 items of at most 2^30 bytes each: no product overflows. */
    uint64_t item_size = 0;
    bool fixed = true;
    for (uint32_t k = 0; k < node->child_count; k++) {
        item_size += node->children[k]->size_min;
        fixed = fixed && node->children[k]->fixed;
    }
    if (fixed)
        return take(size, at, count * item_size);
    if (count * item_size > size - *at)
        return false;
    for (uint64_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < node->child_count; k++)
            if (!step_over(node->children[k], bytes, size, at))
                return false;
    return true;
}

static bool step_over(const deja__node *node, const unsigned char *bytes, uint64_t size,
                      uint64_t *at)
{
    uint64_t count;
    if (node->fixed)
        return take(size, at, node->size_min);
    switch (node->kind) {
    case DEJA_STRUCT:
        for (uint32_t i = 0; i < node->child_count; i++)
            if (!step_over(node->children[i], bytes, size, at))
                return false;
        return true;
    case DEJA_KIND:
        if (!take(size, at, 2))
            return false;
        count = deja__load16(bytes + *at - 2);
        return count < node->child_count && step_over(node->children[count], bytes, size, at);
    case DEJA_OPTIONAL:
        if (!take(size, at, 1) || bytes[*at - 1] > 1)
            return false;
        return bytes[*at - 1] == 0 || step_over(node->children[0], bytes, size, at);
    case DEJA_SECTION:
        return step_over(node->children[0], bytes, size, at);
    case DEJA_ITEMS:
        return step_over_items(node, bytes, size, at);
    case DEJA_TEXT:
        return take_count(node, bytes, size, at, &count) && take(size, at, count);
    default:
        return false;
    }
}

uint64_t deja__value_extent(const deja__node *node, const unsigned char *bytes, uint64_t size,
                            bool *sound)
{
    uint64_t at = 0;
    *sound = step_over(node, bytes, size, &at);
    return *sound ? at : 0;
}
