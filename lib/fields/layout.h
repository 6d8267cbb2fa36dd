/* SPDX-License-Identifier: MIT */
/*
 * A layout as a tree: the names, types and enumerators of one of a game's four types.
 *
 * Everything that the host does with values (checking, printing, parsing, comparing, hashing the
 * slow way, splitting into columns) is a walk over canonical bytes along this tree, so it needs no
 * game in the process.
 *
 *     text            kind            children
 *     bool u8..f64    DEJA_BOOL..F64  -
 *     enum(a|b)       DEJA_ENUM       -                 names
 *     flags(a|b)      DEJA_FLAGS      -                 names
 *     text[..15]      DEJA_TEXT       -                 count = most bytes
 *     bytes[16]       DEJA_BYTES      -                 count = bytes
 *     rng             DEJA_RNG        -
 *     {x:u8 y:u8}     DEJA_STRUCT     its fields, which have names
 *     kind(a{x:u8}|b) DEJA_KIND       a DEJA_STRUCT for each of its names
 *     T?              DEJA_OPTIONAL   T
 *     section(T)      DEJA_SECTION    T
 *     T[3]            DEJA_ITEMS      T                 shape DEJA_ARRAY, count
 *     T[3][4]         DEJA_ITEMS      T                 shape DEJA_GRID, count = 12, row = 4
 *     T[..8]          DEJA_ITEMS      T                 shape DEJA_LIST, count = most
 *     map(K V)[..8]   DEJA_ITEMS      K, V              shape DEJA_MAP
 *     set(K)[..8]     DEJA_ITEMS      K                 shape DEJA_SET
 *     blocks(T)[64]   DEJA_ITEMS      T (a scalar)      shape DEJA_BLOCKS, count
 *
 * A type's own layout is a DEJA_STRUCT or a DEJA_KIND without a name; the text of a struct at the
 * top has no braces, and is "-" where it has no fields. Postfixes bind from left to right, so
 * `u8[3][4][..8]` is a list of grids; two fixed counts side by side are always a grid.
 */
#ifndef DEJA_FIELDS_LAYOUT_H
#define DEJA_FIELDS_LAYOUT_H

#include <deja/layout.h>
#include <deja/rules.h>

#include "base/base.h"

typedef struct deja__node deja__node;

struct deja__node {
    uint32_t kind;  /* enum deja_field_kind */
    uint32_t shape; /* of DEJA_ITEMS, else DEJA_ONE */
    char *name;     /* of a field; NULL otherwise */
    uint64_t count;
    uint32_t row;
    uint32_t name_count;
    char **names;
    deja__node **children;
    uint32_t child_count;
    /* Canonical bytes: the least there are, and whether there are always so many. */
    uint64_t size_min;
    bool fixed;
    bool plain; /* hashes as it is saved: no section, no blocks in it */
};

struct deja_layout {
    deja__node *root;
    char *text;
    uint64_t text_size;
};

/* The tree's builders, for the parser and for describing. A node owns its names and children. */
deja__node *deja__node_create(uint32_t kind);
void deja__node_destroy(deja__node *node);                      /* NULL is fine */
bool deja__node_add_child(deja__node *node, deja__node *child); /* takes it, also on failure */
bool deja__node_set_name(deja__node *node, const char *name, uint64_t size);
bool deja__node_add_name(deja__node *node, const char *name, uint64_t size);

/* Takes the tree (also on failure), checks it as a whole (names, doubles, depth, sizes, keys of
 * maps, limits), works out sizes, and makes the layout with its text. */
deja_code deja__layout_from_tree(deja_layout **out, deja__node *root, deja_error *err);

/* What deja__layout_from_tree checks and works out, without its text. */
deja_code deja__layout_check(deja__node *root, deja_error *err);

/* Appends the text of a whole tree (a type's own layout). false: no memory, or longer than
 * DEJA__LAYOUT_TEXT_MAX. The tree must have been checked. */
bool deja__layout_print(const deja__node *root, deja_buffer *out);

/* Appends the text of one type in a tree, as "u8[3]", without the name of its field. */
bool deja__node_print(const deja__node *node, deja_buffer *out);

/* The layout's word for a kind: "u8", "enum", "section"; NULL for what has none. */
const char *deja__kind_word(uint32_t kind);

/* The canonical size of a scalar kind (bool..f64: 1..8; enum 2; flags 4; rng 24), else 0. */
uint32_t deja__scalar_size(uint32_t kind);

/* The size of the value that starts at `bytes`, of which `size` are there; 0 with *sound = false
 * where it does not fit. Checks counts and limits only: quick, and a validator's first half. */
uint64_t deja__value_extent(const deja__node *node, const unsigned char *bytes, uint64_t size,
                            bool *sound);

#endif
