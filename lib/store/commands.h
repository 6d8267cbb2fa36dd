/* SPDX-License-Identifier: MIT */
/*
 * Many values of one layout as the bytes of a block: a part's commands, a pack's configs.
 *
 * Values with a layout are stored by column (fields/columns.h). Those of a game that described
 * nothing are sizes and bytes: the sizes' lowest bytes one after another, then their second ones,
 * to the fourth; then the bytes of all values. Normative: schemas/store.md.
 */
#ifndef DEJA_STORE_COMMANDS_H
#define DEJA_STORE_COMMANDS_H

#include <deja/layout.h>

#include "base/base.h"

/* The most bytes of one part's values. */
#define DEJA__VALUES_MAX ((uint64_t)1 << 29)

/* `layout` is NULL for values that are any bytes. `ends` says where each value ends. */
deja_code deja__commands_encode(const deja_layout *layout, deja_span values, const uint32_t *ends,
                                uint32_t count, deja_buffer *out, deja_error *err);
/* Appends the values, and to `ends` where each one ends. Trusts nothing: DEJA_EDAMAGED. On failure
 * both are as they were. */
deja_code deja__commands_decode(const deja_layout *layout, deja_span bytes, uint32_t count,
                                deja_buffer *values, deja_buffer *ends, deja_error *err);
/* Whether encoding was right: that it decodes to the same, as it does for values that are valid.
 * DEJA_EFORMAT if not. */
deja_code deja__commands_try(const deja_layout *layout, deja_span values, const uint32_t *ends,
                             uint32_t count, deja_span encoded, deja_error *err);

/* Ends in a buffer, as numbers. */
static inline const uint32_t *deja__ends(const deja_buffer *ends)
{
    return (const uint32_t *)(const void *)ends->bytes;
}
static inline uint32_t deja__end_at(const deja_buffer *ends, uint32_t place)
{
    return deja__ends(ends)[place];
}

#endif
