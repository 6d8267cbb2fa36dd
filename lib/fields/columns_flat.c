/* SPDX-License-Identifier: MIT */
/*
 * Columns of values that are scalars only: a struct of them, or a kind of such structs, which is
 * what most commands are. Each alternative is a row of so many bytes, each byte has a plane, and a
 * value is gathered from (or scattered to) the planes of its alternative without a call.
 */
#include "fields/columns_parts.h"

#include <stdlib.h>

enum { ROW_MAX = 256 }; /* bytes of an alternative; longer ones go the general way */

typedef struct row {
    const deja__node **leaves;
    uint32_t leaf_count;
    uint32_t size;
    uint64_t items;       /* values that have this alternative */
    deja__plane *planes;  /* `size` of them */
    unsigned char *bytes; /* when encoding: all planes, one behind another */
    uint64_t filled;
} row;

struct deja__flat {
    bool tagged; /* a kind: a u16 stands before each row */
    uint32_t row_count;
    row *rows;
};

/* ---- what a layout is like ---- */

/* Counts the leaves and their bytes; notes the leaves where there is room for them. */
static bool add_leaves(row *r, const deja__node *node)
{
    if (node->kind == DEJA_STRUCT || node->kind == DEJA_SECTION) {
        for (uint32_t i = 0; i < node->child_count; i++)
            if (!add_leaves(r, node->children[i]))
                return false;
        return true;
    }
    const uint32_t size = deja__scalar_size(node->kind);
    if (size == 0 || r->size + size > ROW_MAX)
        return false;
    if (r->leaves)
        r->leaves[r->leaf_count] = node;
    r->leaf_count++;
    r->size += size;
    return true;
}

static bool row_init(row *r, const deja__node *node, bool *flat_enough)
{
    *flat_enough = add_leaves(r, node);
    if (!*flat_enough || r->size == 0)
        return true;
    r->leaves = calloc(r->leaf_count, sizeof(deja__node *));
    r->planes = calloc(r->size, sizeof *r->planes);
    if (!r->leaves || !r->planes)
        return false;
    r->leaf_count = 0;
    r->size = 0;
    return add_leaves(r, node);
}

bool deja__flat_create(deja__flat **out, const deja_layout *layout)
{
    const deja__node *root = layout->root;
    *out = NULL;
    deja__flat *flat = calloc(1, sizeof *flat);
    if (!flat)
        return false;
    flat->tagged = root->kind == DEJA_KIND;
    flat->row_count = flat->tagged ? root->child_count : 1;
    flat->rows = calloc(flat->row_count, sizeof *flat->rows);
    bool flat_enough = true;
    bool failed = !flat->rows;
    for (uint32_t i = 0; i < flat->row_count && flat_enough && !failed; i++)
        failed = !row_init(&flat->rows[i], flat->tagged ? root->children[i] : root, &flat_enough);
    if (flat_enough && !failed)
        *out = flat;
    else
        deja__flat_destroy(flat);
    return !failed;
}

void deja__flat_destroy(deja__flat *flat)
{
    if (!flat)
        return;
    for (uint32_t i = 0; flat->rows && i < flat->row_count; i++) {
        free(flat->rows[i].leaves);
        free(flat->rows[i].planes);
        free(flat->rows[i].bytes);
    }
    free(flat->rows);
    free(flat);
}

/* ---- encoding ---- */

/* Counts the values of each alternative. false: the bytes are not so many values. */
static bool count_rows(deja__flat *flat, deja_span values, uint64_t count)
{
    const unsigned char *at = deja__value_bytes(values.bytes);
    uint64_t left = values.size;
    const uint64_t head = flat->tagged ? 2 : 0;
    for (uint64_t i = 0; i < count; i++) {
        if (left < head)
            return false;
        const uint32_t tag = flat->tagged ? deja__load16(at) : 0;
        if (tag >= flat->row_count || left - head < flat->rows[tag].size)
            return false;
        flat->rows[tag].items++;
        at += head + flat->rows[tag].size;
        left -= head + flat->rows[tag].size;
    }
    return left == 0;
}

static void scatter(deja__flat *flat, const unsigned char *at, uint64_t count, unsigned char *tags)
{
    for (uint64_t i = 0; i < count; i++) {
        uint32_t tag = 0;
        if (flat->tagged) {
            tag = deja__load16(at);
            tags[i] = at[0];
            tags[count + i] = at[1];
            at += 2;
        }
        row *r = &flat->rows[tag];
        unsigned char *target = r->bytes + r->filled++;
        for (uint32_t k = 0; k < r->size; k++, target += r->items)
            *target = at[k];
        at += r->size;
    }
}

static bool put_rows(const deja__flat *flat, deja_buffer *out)
{
    for (uint32_t i = 0; i < flat->row_count; i++) {
        const row *r = &flat->rows[i];
        const unsigned char *planes = r->bytes;
        for (uint32_t k = 0; k < r->leaf_count && r->items != 0; k++) {
            const uint32_t width = deja__scalar_size(r->leaves[k]->kind);
            deja__column_put(out, planes, width, r->items);
            planes += width * r->items;
        }
    }
    return !out->failed;
}

deja_code deja__flat_encode(deja__flat *flat, deja_span values, uint64_t count, deja_buffer *out,
                            deja_error *err)
{
    deja_code code = DEJA_OK;
    unsigned char *tags = NULL;
    if (!count_rows(flat, values, count))
        return deja__columns_misfit(err, count);
    bool failed = false;
    if (flat->tagged && count != 0) {
        tags = malloc((size_t)count * 2);
        failed = !tags;
    }
    for (uint32_t i = 0; i < flat->row_count && !failed; i++) {
        row *r = &flat->rows[i];
        r->bytes = malloc((size_t)(r->items * r->size) + 1);
        failed = !r->bytes;
    }
    if (!failed) {
        scatter(flat, deja__value_bytes(values.bytes), count, tags);
        failed = (flat->tagged && !deja__column_put(out, tags, 2, count)) || !put_rows(flat, out);
    }
    if (failed)
        code = deja__fail_memory(err);
    free(tags);
    return code;
}

/* ---- decoding ---- */

static bool is_column_valid(const deja__node *node, const deja__plane *planes, uint64_t items)
{
    if (deja__takes_all_bytes(node->kind))
        return true;
    const uint32_t width = deja__scalar_size(node->kind);
    for (uint64_t i = 0; i < items; i++) {
        unsigned char bytes[8];
        deja__store_low(bytes, width, deja__plane_load(planes, width, i));
        if (!deja__scalar_is_valid(node, bytes))
            return false;
    }
    return true;
}

/* Whether all values have the alternative of the first. */
static bool is_even(const deja__flat *flat, const deja__plane tags[2])
{
    return !flat->tagged || (tags[0].step == 0 && tags[1].step == 0);
}

static const char *take_tags(deja__flat *flat, deja__column_source *source, uint64_t count,
                             deja__plane tags[2])
{
    if (!flat->tagged) {
        flat->rows[0].items = count;
        return NULL;
    }
    const char *wrong = deja__column_take(source, 2, count, tags);
    const uint64_t each = is_even(flat, tags) && count ? count : 1;
    for (uint64_t i = 0; i < count && !wrong; i += each) {
        const uint64_t tag = deja__plane_load(tags, 2, i);
        if (tag >= flat->row_count)
            return "a value is of a kind that there is not";
        flat->rows[tag].items += each;
    }
    return wrong;
}

static const char *take_rows(deja__flat *flat, deja__column_source *source)
{
    for (uint32_t i = 0; i < flat->row_count; i++) {
        row *r = &flat->rows[i];
        deja__plane *planes = r->planes;
        for (uint32_t k = 0; k < r->leaf_count; k++) {
            const uint32_t width = deja__scalar_size(r->leaves[k]->kind);
            const char *wrong = deja__column_take(source, width, r->items, planes);
            if (wrong)
                return wrong;
            if (!is_column_valid(r->leaves[k], planes, r->items))
                return "a column has a value that its type has not";
            planes += width;
        }
    }
    return NULL;
}

/* The size of all values; above `most` it is some number above `most`. */
static uint64_t total_size(const deja__flat *flat, uint64_t most)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < flat->row_count && total <= most; i++)
        total += flat->rows[i].items * (flat->rows[i].size + (flat->tagged ? 2u : 0u));
    return total;
}

/* One byte of every value. */
static void gather_plane(const deja__plane *plane, uint64_t count, uint64_t stride,
                         unsigned char *target)
{
    const unsigned char *source = plane->at;
    const uint64_t step = plane->step;
    for (uint64_t i = 0; i < count; i++)
        target[i * stride] = source[i * step];
}

/* Values of one alternative, which are all of one size: plane by plane. */
static void gather_even(const deja__flat *flat, const deja__plane tags[2], uint64_t count,
                        uint64_t start, unsigned char *target, unsigned char *ends)
{
    const uint64_t head = flat->tagged ? 2 : 0;
    const row *r = &flat->rows[flat->tagged && count ? deja__plane_load(tags, 2, 0) : 0];
    const uint64_t stride = head + r->size;
    for (uint32_t k = 0; k < head; k++)
        gather_plane(&tags[k], count, stride, target + k);
    for (uint32_t k = 0; k < r->size; k++)
        gather_plane(&r->planes[k], count, stride, target + head + k);
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t end = (uint32_t)(start + (i + 1) * stride);
        memcpy(ends + 4 * i, &end, 4);
    }
}

static void gather(deja__flat *flat, const deja__plane tags[2], uint64_t count, uint64_t start,
                   unsigned char *target, unsigned char *ends)
{
    const unsigned char *first = target;
    for (uint64_t i = 0; i < count; i++) {
        row *r = flat->rows;
        if (flat->tagged) {
            target[0] = tags[0].at[i * tags[0].step];
            target[1] = tags[1].at[i * tags[1].step];
            r += deja__load16(target);
            target += 2;
        }
        deja__plane *planes = r->planes;
        for (uint32_t k = 0; k < r->size; k++) {
            *target++ = *planes[k].at;
            planes[k].at += planes[k].step;
        }
        const uint32_t end = (uint32_t)(start + (uint64_t)(target - first));
        memcpy(ends + 4 * i, &end, 4);
    }
}

deja_code deja__flat_decode(deja__flat *flat, deja_span columns, uint64_t count, uint64_t most,
                            deja_buffer *values, deja_buffer *ends, deja_error *err)
{
    const unsigned char *bytes = deja__value_bytes(columns.bytes);
    deja__column_source source = { bytes, bytes + columns.size };
    deja__plane tags[2] = { { bytes, 0 }, { bytes, 0 } };
    const char *wrong = take_tags(flat, &source, count, tags);
    if (!wrong)
        wrong = take_rows(flat, &source);
    if (wrong)
        return deja__columns_damaged(err, wrong);
    if (source.at != source.end)
        return deja__columns_left_over(err, &source);
    const uint64_t start = values->size;
    const uint64_t size = total_size(flat, most);
    if (start > most || size > most - start)
        return deja__columns_too_many(err, most);
    if (!deja_buffer_reserve(values, size) || !deja_buffer_reserve(ends, 4 * count))
        return deja__fail_memory(err);
    unsigned char *target = values->bytes + values->size;
    unsigned char *end_bytes = ends->bytes + ends->size;
    values->size += size;
    ends->size += 4 * count;
    if (is_even(flat, tags))
        gather_even(flat, tags, count, start, target, end_bytes);
    else
        gather(flat, tags, count, start, target, end_bytes);
    values->bytes[values->size] = ends->bytes[ends->size] = 0;
    return DEJA_OK;
}
