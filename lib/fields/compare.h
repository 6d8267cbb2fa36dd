/* SPDX-License-Identifier: MIT */
/*
 * Showing two values that differ so that a person sees the difference.
 */
#ifndef DEJA_FIELDS_COMPARE_H
#define DEJA_FIELDS_COMPARE_H

#include "fields/values.h"

/* A text of a difference is not longer than this, but for its "..." and notes. */
enum { DEJA__SHOWN_MAX = 200 };

/* Cuts two texts that differ, both at the same place, so that what is left of them differs, too. */
void deja__cut_pair(deja_buffer *expected, deja_buffer *actual);

/* Appends " (0x3e99999a)" to a float. */
void deja__print_bits(const deja__node *node, const unsigned char *at, deja_buffer *out);

/* The differing items of two runs of `count` items that are `size` bytes each. */
typedef struct deja__run {
    uint64_t first, last; /* the first and the last that differ */
    uint64_t differing;
} deja__run;
deja__run deja__find_differences(const unsigned char *a, const unsigned char *b, uint64_t count,
                                 uint64_t size);

#endif
