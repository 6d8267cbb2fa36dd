/* SPDX-License-Identifier: MIT */
/*
 * Scalars between a library's memory and canonical bytes: bool, integers, floats, enumerations,
 * flags and luck. One place for byte order, NaNs and widths, used by writing, loading and plans.
 *
 *     memory                          canonical bytes
 *     bool                            1 byte, 0 or 1
 *     integers, in the machine's order  as wide, little-endian
 *     floats                          their bits, little-endian; one NaN
 *     enumeration of 1, 2, 4 bytes    u16, below the number of names
 *     flags of 1, 2, 4 bytes          u32, no bit without a name
 *     deja_luck                       three u64
 */
#ifndef DEJA_FIELDS_SCALARS_H
#define DEJA_FIELDS_SCALARS_H

#include <deja/rules.h>

#include "base/base.h"

/* What the conversions need to know of a field. */
typedef struct deja__scalar {
    uint32_t kind;       /* bool..f64, enum, flags or rng */
    uint32_t value_size; /* in memory */
    uint32_t name_count; /* of an enumeration or flags */
} deja__scalar;

/* Whether a field of this kind may be `value_size` bytes wide in memory. */
bool deja__scalar_fits(uint32_t kind, uint32_t value_size);

/* Whether every value of this kind lies in memory as it is written. */
bool deja__scalar_copies(const deja__scalar *scalar);

/* Whether these `count` values in memory are their own canonical bytes, so that they can be copied
 * or hashed where they lie. */
bool deja__scalars_are_canonical(const deja__scalar *scalar, const void *values, uint64_t count);

/* Writes the canonical bytes of `count` values. @return how many were sound; the one after these
 * is not, and zeros stand for it and all that follow. */
uint64_t deja__scalars_write(const deja__scalar *scalar, const void *values, uint64_t count,
                             unsigned char *target);

/* The reverse. Values that are not sound, and those behind them, are not written. */
uint64_t deja__scalars_load(const deja__scalar *scalar, const unsigned char *source, uint64_t count,
                            void *values);

/* An enumeration, flags or a tag in memory, of 1, 2 or 4 bytes. */
uint32_t deja__small_read(const void *value, uint32_t value_size);
static inline void deja__small_write(void *value, uint32_t value_size, uint32_t number)
{
    const uint8_t one = (uint8_t)number;
    const uint16_t two = (uint16_t)number;
    switch (value_size) {
    case 1:
        memcpy(value, &one, 1);
        break;
    case 2:
        memcpy(value, &two, 2);
        break;
    default:
        memcpy(value, &number, 4);
        break;
    }
}

/* The bits that flags with so many names may have. */
static inline uint32_t deja__flags_mask(uint32_t name_count)
{
    return name_count >= 32 ? UINT32_MAX : ((uint32_t)1 << name_count) - 1;
}

#endif
