/* SPDX-License-Identifier: MIT */
/*
 * Hashing the slow way: from canonical bytes and layout alone, as schemas/hashes.md says it.
 *
 * This is what a recorded value is hashed with when no library is at hand, and what the codec's
 * fast way is held against. The two share nothing but the hash functions themselves.
 *
 * A part that holds neither section nor blocks goes over as it is. A section's own bytes for
 * hashing are put behind those of what encloses it, hashed there, and replaced by the hash: the
 * buffer serves as the stack.
 */
#include "fields/values.h"

typedef struct hasher {
    const unsigned char *bytes;
    uint64_t size;
    uint64_t at;
    deja_buffer *out;
} hasher;

/* Each answers false where the bytes are not a value of the layout. */
static bool add_node(hasher *h, const deja__node *node);

/* Steps over so many bytes, or NULL. */
static const unsigned char *take(hasher *h, uint64_t size)
{
    const unsigned char *taken = h->bytes + h->at;
    if (size > h->size - h->at)
        return NULL;
    h->at += size;
    return taken;
}

/* Adds so many bytes as they are, and answers where they lie. */
static const unsigned char *copy(hasher *h, uint64_t size)
{
    const unsigned char *taken = take(h, size);
    if (taken)
        deja_buffer_add(h->out, taken, size);
    return taken;
}

static void add_hash(hasher *h, uint64_t hash)
{
    unsigned char bytes[8];
    deja__store64(bytes, hash);
    deja_buffer_add(h->out, bytes, sizeof bytes);
}

static bool add_plain(hasher *h, const deja__node *node)
{
    bool sound;
    const uint64_t size = deja__value_extent(node, h->bytes + h->at, h->size - h->at, &sound);
    return sound && copy(h, size);
}

static bool add_section(hasher *h, const deja__node *node)
{
    const uint64_t start = h->out->size;
    if (!add_node(h, node->children[0]))
        return false;
    if (h->out->failed)
        return true;
    const uint64_t hash = deja__hash64(h->out->bytes + start, h->out->size - start);
    deja__buffer_cut(h->out, start);
    add_hash(h, hash);
    return true;
}

static bool add_blocks(hasher *h, const deja__node *node)
{
    const unsigned char *bytes = take(h, node->size_min);
    if (!bytes)
        return false;
    add_hash(h, deja__hash_blocks(bytes, node->size_min));
    return true;
}

static bool add_items(hasher *h, const deja__node *node)
{
    uint64_t count = node->count;
    if (deja__is_counted(node)) {
        const unsigned char *counted = copy(h, 4);
        count = counted ? deja__load32(counted) : UINT64_MAX;
        if (count > node->count)
            return false;
    }
    for (uint64_t i = 0; i < count; i++)
        for (uint32_t part = 0; part < node->child_count; part++)
            if (!add_node(h, node->children[part]))
                return false;
    return true;
}

static bool add_children(hasher *h, const deja__node *node)
{
    for (uint32_t i = 0; i < node->child_count; i++)
        if (!add_node(h, node->children[i]))
            return false;
    return true;
}

static bool add_node(hasher *h, const deja__node *node)
{
    const unsigned char *first;
    if (node->plain)
        return add_plain(h, node);
    switch (node->kind) {
    case DEJA_SECTION:
        return add_section(h, node);
    case DEJA_ITEMS:
        return node->shape == DEJA_BLOCKS ? add_blocks(h, node) : add_items(h, node);
    case DEJA_OPTIONAL:
        first = copy(h, 1);
        return first && (*first == 0 || add_node(h, node->children[0]));
    case DEJA_KIND:
        first = copy(h, 2);
        return first && deja__load16(first) < node->child_count &&
               add_node(h, node->children[deja__load16(first)]);
    default:
        return add_children(h, node);
    }
}

deja_code deja_value_hashed_bytes(const deja_layout *layout, const void *bytes, uint64_t size,
                                  deja_buffer *out, deja_error *err)
{
    hasher h = { size != 0 ? bytes : "", size, 0, out };
    const uint64_t before = out->size;
    const bool sound = add_node(&h, layout->root) && h.at == size;
    if (sound && !out->failed)
        return DEJA_OK;
    deja__buffer_cut(out, before);
    return sound ? deja__fail_memory(err)
                 : deja__fail(err, DEJA_EFORMAT, "the bytes are no value of the layout");
}

deja_code deja_value_hash(const deja_layout *layout, const void *bytes, uint64_t size,
                          uint64_t *hash, deja_error *err)
{
    deja_buffer hashed = { 0 };
    const deja_code code = deja_value_hashed_bytes(layout, bytes, size, &hashed, err);
    if (code == DEJA_OK)
        *hash = deja__hash64(hashed.bytes, hashed.size);
    deja_buffer_release(&hashed);
    return code;
}
