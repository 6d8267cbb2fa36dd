/* SPDX-License-Identifier: MIT */
/*
 * Scalars between memory and canonical bytes.
 *
 * Values are copied in and out with memcpy: a library may hand over unaligned ones (packed
 * structs). On little-endian machines the loops of integers and floats become copies.
 */
#include "fields/scalars.h"

#include "fields/layout.h"

#define F32_NAN 0x7fc00000u
#define F64_NAN 0x7ff8000000000000u

static bool is_nan32(uint32_t bits)
{
    return (bits & 0x7fffffffu) > 0x7f800000u;
}

static bool is_nan64(uint64_t bits)
{
    return (bits & 0x7fffffffffffffffu) > 0x7ff0000000000000u;
}

uint32_t deja__small_read(const void *value, uint32_t value_size)
{
    uint8_t one;
    uint16_t two;
    uint32_t four;
    switch (value_size) {
    case 1:
        memcpy(&one, value, 1);
        return one;
    case 2:
        memcpy(&two, value, 2);
        return two;
    default:
        memcpy(&four, value, 4);
        return four;
    }
}

bool deja__scalar_fits(uint32_t kind, uint32_t value_size)
{
    switch (kind) {
    case DEJA_ENUM:
    case DEJA_FLAGS:
    case DEJA_KIND:
        return value_size == 1 || value_size == 2 || value_size == 4;
    case DEJA_TEXT:
    case DEJA_BYTES:
    case DEJA_OPTIONAL:
        return value_size == 1;
    case DEJA_RNG:
        return value_size == sizeof(deja_luck);
    default:
        return value_size == deja__scalar_size(kind);
    }
}

/* ---- as they lie ---- */

bool deja__scalar_copies(const deja__scalar *scalar)
{
    switch (scalar->kind) {
    case DEJA_U8:
    case DEJA_I8:
        return true;
    case DEJA_U16:
    case DEJA_U32:
    case DEJA_U64:
    case DEJA_I16:
    case DEJA_I32:
    case DEJA_I64:
    case DEJA_RNG:
        return DEJA__LITTLE;
    default:
        return false;
    }
}

static bool are_bools(const unsigned char *values, uint64_t count)
{
    unsigned char bits = 0;
    for (uint64_t i = 0; i < count; i++)
        bits |= values[i];
    return bits <= 1;
}

static bool have_no_nan32(const unsigned char *values, uint64_t count)
{
    uint32_t nans = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, values + i * 4, 4);
        nans |= (uint32_t)is_nan32(bits);
    }
    return nans == 0;
}

static bool have_no_nan64(const unsigned char *values, uint64_t count)
{
    uint64_t nans = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, values + i * 8, 8);
        nans |= (uint64_t)is_nan64(bits);
    }
    return nans == 0;
}

bool deja__scalars_are_canonical(const deja__scalar *scalar, const void *values, uint64_t count)
{
    switch (scalar->kind) {
    case DEJA_BOOL:
        return are_bools(values, count);
    case DEJA_F32:
        return DEJA__LITTLE && have_no_nan32(values, count);
    case DEJA_F64:
        return DEJA__LITTLE && have_no_nan64(values, count);
    default:
        return deja__scalar_copies(scalar);
    }
}

/* ---- one value ---- */

/* The canonical bytes of one value of `size` bytes; false where it has none. */
static bool write_one(const deja__scalar *scalar, const unsigned char *value, unsigned char *target)
{
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (scalar->kind) {
    case DEJA_BOOL:
    case DEJA_U8:
    case DEJA_I8:
        *target = *value;
        return scalar->kind != DEJA_BOOL || *value <= 1;
    case DEJA_U16:
    case DEJA_I16:
        memcpy(&two, value, 2);
        deja__store16(target, two);
        return true;
    case DEJA_U32:
    case DEJA_I32:
    case DEJA_F32:
        memcpy(&four, value, 4);
        deja__store32(target, scalar->kind == DEJA_F32 && is_nan32(four) ? F32_NAN : four);
        return true;
    case DEJA_RNG:
        for (size_t i = 0; i < 3; i++) {
            memcpy(&eight, value + i * 8, 8);
            deja__store64(target + i * 8, eight);
        }
        return true;
    case DEJA_ENUM:
        four = deja__small_read(value, scalar->value_size);
        deja__store16(target, (uint16_t)four);
        return four < scalar->name_count;
    case DEJA_FLAGS:
        four = deja__small_read(value, scalar->value_size);
        deja__store32(target, four);
        return (four & ~deja__flags_mask(scalar->name_count)) == 0;
    default:
        memcpy(&eight, value, 8);
        deja__store64(target, scalar->kind == DEJA_F64 && is_nan64(eight) ? F64_NAN : eight);
        return true;
    }
}

static bool load_one(const deja__scalar *scalar, const unsigned char *source, unsigned char *value)
{
    const uint32_t size = deja__scalar_size(scalar->kind);
    const uint16_t two = size >= 2 ? deja__load16(source) : 0;
    const uint32_t four = size >= 4 ? deja__load32(source) : 0;
    const uint64_t eight = size >= 8 ? deja__load64(source) : 0;
    switch (scalar->kind) {
    case DEJA_BOOL:
    case DEJA_U8:
    case DEJA_I8:
        if (scalar->kind == DEJA_BOOL && *source > 1)
            return false;
        *value = *source;
        return true;
    case DEJA_U16:
    case DEJA_I16:
        memcpy(value, &two, 2);
        return true;
    case DEJA_F32:
        if (is_nan32(four) && four != F32_NAN)
            return false;
        memcpy(value, &four, 4);
        return true;
    case DEJA_U32:
    case DEJA_I32:
        memcpy(value, &four, 4);
        return true;
    case DEJA_RNG:
        for (size_t i = 0; i < 3; i++) {
            const uint64_t word = deja__load64(source + i * 8);
            memcpy(value + i * 8, &word, 8);
        }
        return true;
    case DEJA_ENUM:
        if (two >= scalar->name_count)
            return false;
        deja__small_write(value, scalar->value_size, two);
        return true;
    case DEJA_FLAGS:
        if ((four & ~deja__flags_mask(scalar->name_count)) != 0)
            return false;
        deja__small_write(value, scalar->value_size, four);
        return true;
    default:
        if (scalar->kind == DEJA_F64 && is_nan64(eight) && eight != F64_NAN)
            return false;
        memcpy(value, &eight, 8);
        return true;
    }
}

/* ---- many ---- */

uint64_t deja__scalars_write(const deja__scalar *scalar, const void *values, uint64_t count,
                             unsigned char *target)
{
    const unsigned char *value = values;
    const uint32_t size = deja__scalar_size(scalar->kind);
    for (uint64_t i = 0; i < count; i++) {
        if (!write_one(scalar, value + i * scalar->value_size, target + i * size)) {
            memset(target + i * size, 0, (size_t)((count - i) * size));
            return i;
        }
    }
    return count;
}

uint64_t deja__scalars_load(const deja__scalar *scalar, const unsigned char *source, uint64_t count,
                            void *values)
{
    unsigned char *value = values;
    const uint32_t size = deja__scalar_size(scalar->kind);
    if (deja__scalar_copies(scalar)) {
        memcpy(values, source, (size_t)(count * size));
        return count;
    }
    for (uint64_t i = 0; i < count; i++)
        if (!load_one(scalar, source + i * size, value + i * scalar->value_size))
            return i;
    return count;
}
