/* SPDX-License-Identifier: MIT */
/*
 * The columns of a pack: one number for each of its sessions or recordings, in a blob. Big-endian,
 * so that hex() shows a number as people write it. Normative: schemas/store.md.
 *
 * A column of which all numbers are equal (or, for seeds and keys, each one more than the one
 * before) stands once: its size is one number's.
 */
#ifndef DEJA_STORE_COLUMN_H
#define DEJA_STORE_COLUMN_H

#include <deja/buffer.h>

#include "base/base.h"

/* How a column that stands once goes on. */
enum deja__once { DEJA__EQUAL = 0, DEJA__RISING = 1 };

typedef struct deja__column {
    const unsigned char *bytes;
    uint32_t width; /* of a number: 2 or 8 */
    uint32_t rise;  /* 0, or enum deja__once where it stands once */
    bool once;
} deja__column;

/* false: not the size of such a column of `count` numbers. */
bool deja__column_read(deja__column *column, const void *bytes, uint64_t size, uint32_t width,
                       uint32_t rise, uint32_t count);
uint64_t deja__column_at(const deja__column *column, uint32_t place);

/* Appends `count` numbers as a column, once where that says all of them. */
bool deja__column_write(deja_buffer *out, const uint64_t *numbers, uint32_t count, uint32_t width,
                        uint32_t rise);

#endif
