/* SPDX-License-Identifier: MIT */
/*
 * Columns into values.
 *
 * Two walks. The first goes down the layout as the columns stand in the bytes: the items of each
 * column follow from tags, counts and presence bytes of those above it, so by its end everything is
 * known to be there, and how large all values are. Only then is memory taken, once. The second walk
 * goes value by value and takes from each column its next item.
 *
 * What a column alone cannot show (text that is UTF-8, keys that rise) is left to the validator,
 * which looks at every value. Memory and time are bounded by the columns and by `most`.
 */
#include "fields/columns_parts.h"

#include <stdlib.h>

typedef struct column {
    const deja__node *node; /* NULL: the characters of a text */
    uint32_t width;
    deja__plane planes[4]; /* what stands above others is no wider; scalars have `wide` */
    deja__plane *wide;
    uint64_t items, next;
    uint32_t child_count;
    struct column *children;
} column;

typedef struct decoder {
    deja__column_source source;
    uint64_t left; /* bytes of values that there may yet be */
    deja_error *err;
    deja_code code;
    uint64_t most;
} decoder;

/* ---- the tree ---- */

static bool column_init(column *c, const deja__node *node)
{
    memset(c, 0, sizeof *c);
    c->node = node;
    if (!node) {
        c->width = 1;
        return true;
    }
    const bool scalar = deja__scalar_size(node->kind) != 0;
    if (scalar)
        c->width = deja__scalar_size(node->kind);
    else if (node->kind == DEJA_TEXT || (node->kind == DEJA_ITEMS && deja__is_counted(node)))
        c->width = 4;
    else if (node->kind == DEJA_KIND)
        c->width = 2;
    else if (node->kind == DEJA_OPTIONAL || node->kind == DEJA_BYTES)
        c->width = 1;
    if (c->width > 4) {
        c->wide = calloc(c->width, sizeof *c->wide);
        if (!c->wide)
            return false;
    }
    const uint32_t count = node->kind == DEJA_TEXT ? 1 : node->child_count;
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
    free(c->wide);
}

static deja__plane *planes_of(column *c)
{
    return c->wide ? c->wide : c->planes;
}

/* ---- the first walk: what is there ---- */

static bool damaged(decoder *d, const char *why)
{
    d->code = deja__columns_damaged(d->err, why);
    return false;
}

/* Reads a column's own planes, and takes its bytes off what the values may have. */
static bool take_planes(decoder *d, column *c)
{
    if (c->width != 0 && c->items > d->left / c->width) {
        d->code = deja__columns_too_many(d->err, d->most);
        return false;
    }
    d->left -= c->items * c->width;
    if (c->width == 0)
        return true;
    const char *wrong = deja__column_take(&d->source, c->width, c->items, planes_of(c));
    return wrong ? damaged(d, wrong) : true;
}

/* Tells the columns below how many items they have. */
static bool count_below(decoder *d, column *c)
{
    const deja__node *node = c->node;
    uint64_t sum = c->items;
    switch (node->kind) {
    case DEJA_KIND:
        for (uint64_t i = 0; i < c->items; i++) {
            const uint64_t tag = deja__plane_load(c->planes, 2, i);
            if (tag >= c->child_count)
                return damaged(d, "a value is of a kind that there is not");
            c->children[tag].items++;
        }
        return true;
    case DEJA_OPTIONAL:
        sum = 0;
        for (uint64_t i = 0; i < c->items; i++) {
            if (deja__plane_load(c->planes, 1, i) > 1)
                return damaged(d, "a value is neither absent nor present");
            sum += deja__plane_load(c->planes, 1, i);
        }
        break;
    case DEJA_TEXT:
    case DEJA_ITEMS:
        if (c->width == 0) {
            /* Each item takes a byte or more: with too many of them it ends here. */
            if (c->items > d->left / node->count) {
                d->code = deja__columns_too_many(d->err, d->most);
                return false;
            }
            sum = c->items * node->count;
            break;
        }
        sum = 0;
        for (uint64_t i = 0; i < c->items; i++) {
            const uint64_t count = deja__plane_load(c->planes, 4, i);
            if (count > node->count)
                return damaged(d, "a count is above its most");
            sum += count;
            if (sum > d->left) {
                d->code = deja__columns_too_many(d->err, d->most);
                return false;
            }
        }
        break;
    default:
        break;
    }
    for (uint32_t i = 0; i < c->child_count; i++)
        c->children[i].items = sum;
    return true;
}

static bool take_columns(decoder *d, column *c)
{
    if (c->node && c->node->kind == DEJA_BYTES) {
        if (c->items > d->left / c->node->count) {
            d->code = deja__columns_too_many(d->err, d->most);
            return false;
        }
        c->items *= c->node->count;
    }
    if (!take_planes(d, c))
        return false;
    if (c->child_count != 0 && !count_below(d, c))
        return false;
    for (uint32_t i = 0; i < c->child_count; i++)
        if (!take_columns(d, &c->children[i]))
            return false;
    return true;
}

/* ---- the second walk: values ---- */

/* Writes the next item of a column's own planes. */
static unsigned char *put_own(column *c, unsigned char *target)
{
    const deja__plane *planes = planes_of(c);
    for (uint32_t p = 0; p < c->width; p++)
        *target++ = planes[p].at[c->next * planes[p].step];
    c->next++;
    return target;
}

static unsigned char *put_run(column *c, unsigned char *target, uint64_t count)
{
    if (c->width == 1 && count != 0) {
        const deja__plane plane = planes_of(c)[0];
        if (plane.step != 0)
            memcpy(target, plane.at + c->next, (size_t)count);
        else
            memset(target, *plane.at, (size_t)count);
        c->next += count;
        return target + count;
    }
    for (uint64_t i = 0; i < count; i++)
        target = put_own(c, target);
    return target;
}

static unsigned char *put_value(column *c, unsigned char *target)
{
    const deja__node *node = c->node;
    unsigned char *head = target;
    if (node->kind == DEJA_BYTES)
        return put_run(c, target, node->count);
    if (c->width != 0)
        target = put_own(c, target);
    switch (node->kind) {
    case DEJA_STRUCT:
    case DEJA_SECTION:
        for (uint32_t i = 0; i < c->child_count; i++)
            target = put_value(&c->children[i], target);
        return target;
    case DEJA_KIND:
        return put_value(&c->children[deja__load16(head)], target);
    case DEJA_OPTIONAL:
        return head[0] ? put_value(&c->children[0], target) : target;
    case DEJA_TEXT:
        return put_run(&c->children[0], target, deja__load32(head));
    case DEJA_ITEMS: {
        const uint64_t count = c->width ? deja__load32(head) : node->count;
        if (c->child_count == 1 && deja__scalar_size(node->children[0]->kind) != 0)
            return put_run(&c->children[0], target, count);
        for (uint64_t i = 0; i < count; i++)
            for (uint32_t k = 0; k < c->child_count; k++)
                target = put_value(&c->children[k], target);
        return target;
    }
    default:
        return target;
    }
}

static deja_code put_values(column *root, uint64_t count, uint64_t start, unsigned char *target,
                            unsigned char *ends, deja_error *err)
{
    const unsigned char *first = target;
    for (uint64_t i = 0; i < count; i++) {
        const unsigned char *value = target;
        target = put_value(root, target);
        const uint64_t size = (uint64_t)(target - value);
        if (deja__value_check(root->node, value, size, err) < 0) {
            deja__fail_within(err, DEJA_EDAMAGED, "value %llu of the columns",
                              (unsigned long long)i);
            if (err)
                err->code = DEJA_EDAMAGED;
            return DEJA_EDAMAGED;
        }
        const uint32_t end = (uint32_t)(start + (uint64_t)(target - first));
        memcpy(ends + 4 * i, &end, 4);
    }
    return DEJA_OK;
}

static deja_code decode(const deja_layout *layout, deja_span columns, uint64_t count, uint64_t most,
                        deja_buffer *values, deja_buffer *ends, deja_error *err)
{
    const unsigned char *bytes = deja__value_bytes(columns.bytes);
    const uint64_t start = values->size;
    const uint64_t room = start < most ? most - start : 0;
    decoder d = { { bytes, bytes + columns.size }, room, err, DEJA_OK, most };
    column root;
    if (!column_init(&root, layout->root)) {
        d.code = deja__fail_memory(err);
        goto done;
    }
    root.items = count;
    if (!take_columns(&d, &root))
        goto done;
    if (d.source.at != d.source.end) {
        d.code = deja__columns_left_over(err, &d.source);
        goto done;
    }
    unsigned char *target = deja_buffer_extend(values, room - d.left);
    unsigned char *end_bytes = deja_buffer_extend(ends, 4 * count);
    if (!target || !end_bytes)
        d.code = deja__fail_memory(err);
    else
        d.code = put_values(&root, count, start, target, end_bytes, err);

done:
    column_release(&root);
    return d.code;
}

deja_code deja__columns_decode(const deja_layout *layout, deja_span columns, uint64_t count,
                               uint64_t most, deja_buffer *values, deja_buffer *ends,
                               deja_error *err)
{
    const uint64_t values_before = values->size;
    const uint64_t ends_before = ends->size;
    deja__flat *flat = NULL;
    if (count > UINT32_MAX)
        return deja__fail(err, DEJA_ELIMIT, "%llu values, the most is 4294967295",
                          (unsigned long long)count);
    if (most > UINT32_MAX)
        most = UINT32_MAX; /* an end is a uint32_t */
    if (!deja__flat_create(&flat, layout))
        return deja__fail_memory(err);
    const deja_code code = flat ? deja__flat_decode(flat, columns, count, most, values, ends, err)
                                : decode(layout, columns, count, most, values, ends, err);
    deja__flat_destroy(flat);
    if (code < 0) {
        deja__buffer_cut(values, values_before);
        deja__buffer_cut(ends, ends_before);
    }
    return code;
}
