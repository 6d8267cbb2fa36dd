/* SPDX-License-Identifier: MIT */
/*
 * What tests of the codec begin with: a type's layout, its codec, two values, and calls that must
 * succeed.
 */
#ifndef DEJA_TESTS_FIELDS_RIG_H
#define DEJA_TESTS_FIELDS_RIG_H

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "fields/all_kinds.h"
#include "fields/codec_parts.h"

/* A type with its layout and codec, and two values of it. */
typedef struct rig {
    deja_type type;
    deja_layout *layout;
    deja__codec *codec;
    void *value;
    void *other;
} rig;

static inline rig rig_open(const deja_type *type)
{
    rig r = { .type = *type };
    deja_error err = { 0 };
    const deja_code described = deja__describe(&r.layout, type, &err);
    cr_assert(eq(int, described, DEJA_OK), "%s", err.message);
    const deja_code made = deja__codec_create(&r.codec, type, r.layout, &err);
    cr_assert(eq(int, made, DEJA_OK), "%s", err.message);
    r.value = deja__codec_value_create(r.codec);
    r.other = deja__codec_value_create(r.codec);
    cr_assert(ne(ptr, r.value, NULL));
    cr_assert(ne(ptr, r.other, NULL));
    return r;
}

static inline void rig_close(rig *r)
{
    deja__codec_value_destroy(r->codec, r->value);
    deja__codec_value_destroy(r->codec, r->other);
    deja__codec_destroy(r->codec);
    deja_layout_destroy(r->layout);
}

static inline void rig_fill(const rig *r, uint64_t seed)
{
    if (r->type.fields == all_kinds_fields)
        all_kinds_fill(r->value, seed);
    else
        all_command_fill(r->value, seed);
}

static inline all_kinds *state_of(const rig *r)
{
    return r->value;
}

static inline deja_buffer save(const rig *r, const void *value)
{
    deja_buffer bytes = { 0 };
    deja_error err = { 0 };
    const deja_code code = deja__codec_save(r->codec, value, &bytes, &err);
    cr_assert(eq(int, code, DEJA_OK), "%s", err.message);
    return bytes;
}

static inline deja_buffer save_hashed(const rig *r, const void *value)
{
    deja_buffer bytes = { 0 };
    deja_error err = { 0 };
    const deja_code code = deja__codec_save_hashed(r->codec, value, &bytes, &err);
    cr_assert(eq(int, code, DEJA_OK), "%s", err.message);
    return bytes;
}

static inline uint64_t hash(const rig *r, const void *value)
{
    uint64_t number = 0;
    deja_error err = { 0 };
    const deja_code code = deja__codec_hash(r->codec, value, &number, &err);
    cr_assert(eq(int, code, DEJA_OK), "%s", err.message);
    return number;
}

static inline void assert_same(const deja_buffer *got, const deja_buffer *expected)
{
    cr_assert(eq(u64, got->size, expected->size));
    cr_assert(eq(int, got->size ? memcmp(got->bytes, expected->bytes, got->size) : 0, 0));
}

static const deja_type *const rig_types[] ALL_UNUSED = { &all_kinds_type, &all_command_type };
/* How many random values of each a test takes. */
static const uint32_t rig_rounds[] ALL_UNUSED = { 1500, 20000 };

#endif
