/* SPDX-License-Identifier: MIT */
/*
 * What the walks over values share: where a walk is, for messages and differences; single scalars;
 * the order of keys.
 *
 * Every public function checks the bytes it is given as a whole (deja__value_check) before it walks
 * them, so the walks themselves trust: they take a pointer and answer where the value ends.
 */
#ifndef DEJA_FIELDS_VALUES_H
#define DEJA_FIELDS_VALUES_H

#include "fields/layout.h"

/* ---- where a walk is ---- */

/* One step of the way down from the root, on the walker's stack. The root itself has none: NULL. */
typedef struct deja__path {
    const struct deja__path *above;
    const char *name; /* of a field; NULL: an item of `items` */
    const deja__node *items;
    uint64_t index;
    const unsigned char *key; /* of a map's item, which is named by it; else NULL */
} deja__path;

/* units[3].hp, board[1][2], prices[wood].cost; "" at the root. */
bool deja__path_print(const deja__path *path, deja_buffer *out);

/* deja__fail with "PATH: " before it. */
deja_code deja__fail_value(deja_error *err, deja_code code, const deja__path *path,
                           const char *format, ...) DEJA__PRINTF(4, 5);

/* A word of somebody's text for a message: cut, and nothing in it that a terminal obeys. */
enum { DEJA__WORD_SIZE = 72 };
const char *deja__word(const char *chars, uint64_t size, char word[DEJA__WORD_SIZE]);

/* ---- values as a whole ---- */

/* Whether all of these bytes are one value; what deja_value_validate is for a part of a layout. */
deja_code deja__value_check(const deja__node *node, const unsigned char *bytes, uint64_t size,
                            deja_error *err);

/* A value without fields has no bytes, and may be handed in as NULL. */
const unsigned char *deja__value_bytes(const void *bytes);

/* The size of a value that is known to be valid. */
static inline uint64_t deja__value_size(const deja__node *node, const unsigned char *bytes)
{
    bool sound;
    return node->fixed ? node->size_min : deja__value_extent(node, bytes, UINT64_MAX, &sound);
}

/* Where a value stands decides which brackets it needs; schemas/layout.md. */
enum deja__place {
    DEJA__TOP,   /* a type's own value */
    DEJA__FIELD, /* behind "name=" */
    DEJA__ITEM   /* in a list, in an optional, as a map's key */
};
/* Appends a valid value as text. On failure `out` is as it was. */
deja_code deja__value_print(const deja__node *node, const unsigned char *bytes,
                            enum deja__place place, deja_buffer *out, deja_error *err);
/* The same, but once there is `enough` it may end anywhere: for who shows only the front. false:
 * out of memory. */
bool deja__value_print_start(const deja__node *node, const unsigned char *bytes,
                             enum deja__place place, uint64_t enough, deja_buffer *out);

/* No text or JSON of a value is longer: names multiply, so a small value may be large in print. */
#define DEJA__PRINT_SIZE_MAX DEJA__VALUE_SIZE_MAX

/* ---- kinds ---- */

static inline const deja__node *deja__past_sections(const deja__node *node)
{
    while (node->kind == DEJA_SECTION)
        node = node->children[0];
    return node;
}

static inline bool deja__is_unsigned(uint32_t kind)
{
    return kind >= DEJA_U8 && kind <= DEJA_U64;
}

static inline bool deja__is_signed(uint32_t kind)
{
    return kind >= DEJA_I8 && kind <= DEJA_I64;
}

/* Whether the count of a container is written before its items. */
static inline bool deja__is_counted(const deja__node *items)
{
    return items->shape == DEJA_LIST || items->shape == DEJA_MAP || items->shape == DEJA_SET;
}

/* Whether a value of this type may be written as "-" where it is an item. */
static inline bool deja__may_be_dash(const deja__node *node)
{
    node = deja__past_sections(node);
    return node->kind == DEJA_OPTIONAL || node->kind == DEJA_FLAGS;
}

/* ---- single scalars ---- */

/* The 1, 2, 4 or 8 bytes as a number; integers that are signed are extended. */
uint64_t deja__load_unsigned(const unsigned char *at, uint64_t size);
int64_t deja__load_signed(const unsigned char *at, uint64_t size);
void deja__store_low(unsigned char *at, uint64_t size, uint64_t value);

/* Whether any bytes are a valid value of this kind, so that they need no look. */
static inline bool deja__takes_all_bytes(uint32_t kind)
{
    return (kind >= DEJA_U8 && kind <= DEJA_I64) || kind == DEJA_RNG || kind == DEJA_BYTES;
}

/* Whether these bytes (so many as the kind has) are a valid scalar of a fixed size. */
bool deja__scalar_is_valid(const deja__node *node, const unsigned char *at);

/* Appends one valid scalar, text or bytes included. */
void deja__scalar_print(const deja__node *node, const unsigned char *at, deja_buffer *out);
void deja__unsigned_print(uint64_t number, deja_buffer *out);

/* ---- keys of maps and sets ---- */

/* Numbers by value, enumerations by place, text and bytes byte by byte: below, at or above 0. */
int deja__key_compare(const deja__node *key, const unsigned char *a, const unsigned char *b);

/* ---- buffers ---- */

/* Takes back what was appended behind `size`. */
static inline void deja__buffer_cut(deja_buffer *buffer, uint64_t size)
{
    if (size < buffer->size) {
        buffer->size = size;
        buffer->bytes[size] = 0;
    }
}

#endif
