/* SPDX-License-Identifier: MIT */
/*
 * Single columns, and the two ways to fill values from them: the general one for every layout
 * (columns.c, columns_encode.c) and a tight one for values of scalars only (columns_flat.c). Both
 * give the same bytes.
 */
#ifndef DEJA_FIELDS_COLUMNS_PARTS_H
#define DEJA_FIELDS_COLUMNS_PARTS_H

#include "fields/columns.h"
#include "fields/values.h"

/* ---- one column ---- */

enum { DEJA__COLUMN_WIDTH_MAX = 24 }; /* bytes of an item: luck has most */

/* One byte of each item: at[0], at[step], at[2 * step]; step is 0 where all are the same. */
typedef struct deja__plane {
    const unsigned char *at;
    uint64_t step;
} deja__plane;

/* Appends a column of which the planes lie one behind another. Nothing, if it has no items. */
bool deja__column_put(deja_buffer *out, const unsigned char *planes, uint32_t width,
                      uint64_t items);

/* What was not read yet of the columns. */
typedef struct deja__column_source {
    const unsigned char *at, *end;
} deja__column_source;

/* Reads a column's planes. NULL, or what is wrong with it. */
const char *deja__column_take(deja__column_source *source, uint32_t width, uint64_t items,
                              deja__plane *planes);

/* An item of at most 8 bytes as a number. */
static inline uint64_t deja__plane_load(const deja__plane *planes, uint32_t width, uint64_t item)
{
    uint64_t value = 0;
    for (uint32_t p = 0; p < width; p++)
        value |= (uint64_t)planes[p].at[item * planes[p].step] << (8 * p);
    return value;
}

/* ---- values of scalars only ---- */

/* What a layout is like whose values are structs of scalars, or kinds of such structs. */
typedef struct deja__flat deja__flat;
/* *out stays NULL where the layout is not like that. false: out of memory. */
bool deja__flat_create(deja__flat **out, const deja_layout *layout);
void deja__flat_destroy(deja__flat *flat);

deja_code deja__flat_encode(deja__flat *flat, deja_span values, uint64_t count, deja_buffer *out,
                            deja_error *err);
deja_code deja__flat_decode(deja__flat *flat, deja_span columns, uint64_t count, uint64_t most,
                            deja_buffer *values, deja_buffer *ends, deja_error *err);

/* ---- the messages of both ---- */

deja_code deja__columns_damaged(deja_error *err, const char *why);
deja_code deja__columns_left_over(deja_error *err, const deja__column_source *source);
deja_code deja__columns_too_many(deja_error *err, uint64_t most);
deja_code deja__columns_misfit(deja_error *err, uint64_t count);

#endif
