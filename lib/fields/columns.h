/* SPDX-License-Identifier: MIT */
/*
 * Many values of one layout, by column: how a store keeps commands. Normative: schemas/columns.md.
 *
 * Each leaf of the layout is a column: the tags of a kind, the presence bytes of an optional, the
 * counts of a list, each scalar field. A column holds that leaf's bytes of all values, as planes
 * (all low bytes first), so that zlib sees the high zeros as one run; a plane that is all zero, or
 * all one byte, takes no more than that byte. Columns stand in the layout's order; how many items
 * each has follows from those before it, and a column without items is not there at all. So
 * alternatives that nobody used cost nothing, and a layout that grows an alternative at its end
 * leaves the bytes of old values as they were.
 *
 * There is one encoding of given values, and what is not that encoding is refused.
 */
#ifndef DEJA_FIELDS_COLUMNS_H
#define DEJA_FIELDS_COLUMNS_H

#include <deja/layout.h>

#include "base/base.h"

/* Appends the columns of `count` values that lie one behind another in `values` (all valid). */
deja_code deja__columns_encode(const deja_layout *layout, deja_span values, uint64_t count,
                               deja_buffer *out, deja_error *err);

/* The reverse: appends the values to `values`, and each one's end (an offset in `values`) to
 * `ends`, as uint32_t. Trusts nothing: DEJA_EDAMAGED where columns do not fit. Every value is
 * valid afterwards. `values` never grows past `most` bytes (DEJA_ELIMIT). On failure both buffers
 * are as they were. */
deja_code deja__columns_decode(const deja_layout *layout, deja_span columns, uint64_t count,
                               uint64_t most, deja_buffer *values, deja_buffer *ends,
                               deja_error *err);

#endif
