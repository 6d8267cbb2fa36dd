/* SPDX-License-Identifier: MIT */
/*
 * Values into columns. A tree of columns mirrors the layout's; values are taken apart one after
 * another, each leaf's bytes going behind those before; then the columns are written in order.
 */
#include "fields/columns_parts.h"

#include <stdlib.h>

typedef struct column {
    const deja__node *node; /* NULL: the characters of a text */
    uint32_t width;         /* bytes of an item; 0: it has no bytes of its own */
    deja_buffer bytes;      /* all items so far, as they are */
    uint32_t child_count;
    struct column *children;
} column;

static uint32_t width_of(const deja__node *node)
{
    switch (node->kind) {
    case DEJA_STRUCT:
    case DEJA_SECTION:
        return 0;
    case DEJA_ITEMS:
        return deja__is_counted(node) ? 4 : 0;
    case DEJA_KIND:
        return 2;
    case DEJA_OPTIONAL:
    case DEJA_BYTES:
        return 1;
    case DEJA_TEXT:
        return 4;
    default:
        return deja__scalar_size(node->kind);
    }
}

static bool column_init(column *c, const deja__node *node)
{
    memset(c, 0, sizeof *c);
    c->node = node;
    c->width = node ? width_of(node) : 1;
    const uint32_t count = !node ? 0 : node->kind == DEJA_TEXT ? 1 : node->child_count;
    if (count == 0)
        return true;
    c->children = calloc(count, sizeof *c->children);
    if (!c->children)
        return false;
    for (; c->child_count < count; c->child_count++)
        if (!column_init(&c->children[c->child_count],
                         node->kind == DEJA_TEXT ? NULL : node->children[c->child_count])) {
            c->child_count++; /* it may have children of its own */
            return false;
        }
    return true;
}

static void column_release(column *c)
{
    for (uint32_t i = 0; i < c->child_count; i++)
        column_release(&c->children[i]);
    free(c->children);
    deja_buffer_release(&c->bytes);
}

/* Takes one value apart, and answers where it ends. The value is known to be whole. */
static const unsigned char *take_apart(column *c, const unsigned char *at)
{
    const deja__node *node = c->node;
    const uint64_t width = node->kind == DEJA_BYTES ? node->count : c->width;
    if (width != 0)
        deja_buffer_add(&c->bytes, at, width);
    const unsigned char *head = at;
    at += width;
    switch (node->kind) {
    case DEJA_STRUCT:
    case DEJA_SECTION:
        for (uint32_t i = 0; i < c->child_count; i++)
            at = take_apart(&c->children[i], at);
        return at;
    case DEJA_KIND:
        return take_apart(&c->children[deja__load16(head)], at);
    case DEJA_OPTIONAL:
        return head[0] ? take_apart(&c->children[0], at) : at;
    case DEJA_TEXT:
        deja_buffer_add(&c->children[0].bytes, at, deja__load32(head));
        return at + deja__load32(head);
    case DEJA_ITEMS: {
        const uint64_t count = width ? deja__load32(head) : node->count;
        const deja__node *item = node->children[0];
        if (c->child_count == 1 && deja__scalar_size(item->kind) != 0) {
            deja_buffer_add(&c->children[0].bytes, at, count * item->size_min);
            return at + count * item->size_min;
        }
        for (uint64_t i = 0; i < count; i++)
            for (uint32_t k = 0; k < c->child_count; k++)
                at = take_apart(&c->children[k], at);
        return at;
    }
    default:
        return at;
    }
}

/* Appends the columns from here down; `planes` is for use in between. */
static bool put(const column *c, deja_buffer *planes, deja_buffer *out)
{
    if (c->bytes.failed)
        return false;
    if (c->width > 1 && c->bytes.size != 0) {
        const uint64_t items = c->bytes.size / c->width;
        deja_buffer_clear(planes);
        unsigned char *plane = deja_buffer_extend(planes, c->bytes.size);
        if (!plane)
            return false;
        for (uint32_t p = 0; p < c->width; p++)
            for (uint64_t i = 0; i < items; i++)
                *plane++ = c->bytes.bytes[i * c->width + p];
        if (!deja__column_put(out, planes->bytes, c->width, items))
            return false;
    } else if (!deja__column_put(out, c->bytes.bytes, c->width, c->bytes.size)) {
        return false;
    }
    for (uint32_t i = 0; i < c->child_count; i++)
        if (!put(&c->children[i], planes, out))
            return false;
    return true;
}

static deja_code encode(const deja_layout *layout, deja_span values, uint64_t count,
                        deja_buffer *out, deja_error *err)
{
    deja_code code = DEJA_OK;
    const unsigned char *at = deja__value_bytes(values.bytes);
    const unsigned char *end = at + values.size;
    deja_buffer planes = { 0 };
    column root;
    if (!column_init(&root, layout->root)) {
        code = deja__fail_memory(err);
        goto done;
    }
    for (uint64_t i = 0; i < count; i++) {
        bool sound;
        deja__value_extent(layout->root, at, (uint64_t)(end - at), &sound);
        if (!sound) {
            code = deja__columns_misfit(err, count);
            goto done;
        }
        at = take_apart(&root, at);
    }
    if (at != end)
        code = deja__columns_misfit(err, count);
    else if (!put(&root, &planes, out))
        code = deja__fail_memory(err);

done:
    column_release(&root);
    deja_buffer_release(&planes);
    return code;
}

deja_code deja__columns_encode(const deja_layout *layout, deja_span values, uint64_t count,
                               deja_buffer *out, deja_error *err)
{
    const uint64_t before = out->size;
    deja__flat *flat = NULL;
    if (!deja__flat_create(&flat, layout))
        return deja__fail_memory(err);
    const deja_code code = flat ? deja__flat_encode(flat, values, count, out, err)
                                : encode(layout, values, count, out, err);
    deja__flat_destroy(flat);
    if (code < 0)
        deja__buffer_cut(out, before);
    return code;
}
