/* SPDX-License-Identifier: MIT */
/*
 * Reading values as text: what value_parse.c (structure), value_parse_scalar.c (single words) and
 * value_parse_text.c share.
 */
#ifndef DEJA_FIELDS_VALUE_PARSE_H
#define DEJA_FIELDS_VALUE_PARSE_H

#include "fields/values.h"

/* Where a field of the struct at hand went, as fields may come in any order. */
typedef struct deja__mark {
    uint64_t offset, size;
    bool seen;
} deja__mark;

typedef struct deja__parser {
    const char *at, *end;
    deja_buffer *out;
    deja_error *err;
    deja_code code;
    deja__mark *marks; /* a stack: one for each field of each struct that is open */
    uint64_t mark_count, mark_capacity;
} deja__parser;

/* Reads one scalar (text and bytes included) and appends its bytes. false: p->code says why. */
bool deja__parse_scalar(deja__parser *p, const deja__node *node, const deja__path *path);

bool deja__parse_text(deja__parser *p, const deja__node *node, const deja__path *path);
bool deja__parse_append(deja__parser *p, const void *bytes, uint64_t size);

/* The characters from here that no separator ends: a name, a number, a bare text. */
uint64_t deja__token_size(const deja__parser *p);

/* "; the nearest is 'row'", or which names there are, or "": the end of a message. */
enum { DEJA__HINT_SIZE = 160 };
const char *deja__hint(const char *word, uint64_t size, const char *const *names, uint32_t count,
                       char hint[DEJA__HINT_SIZE]);

/* Reads a value of a part of a layout, all of the text, and appends its bytes. On failure `out` is
 * as it was. */
deja_code deja__value_parse(const deja__node *node, const char *text, uint64_t size,
                            enum deja__place place, const deja__path *path, deja_buffer *out,
                            deja_error *err);

#endif
