/* SPDX-License-Identifier: MIT */
/*
 * "Did you mean": the name nearest to a word that nobody knows.
 */
#ifndef DEJA_BASE_NEAREST_H
#define DEJA_BASE_NEAREST_H

#include <stdint.h>

/* How many letters must be put in, left out, changed or swapped with a neighbour to make one of the
 * other; DEJA__DISTANCE_FAR where that is more than 2, or one of them is too long for a name. */
enum { DEJA__DISTANCE_FAR = 3 };
uint32_t deja__name_distance(const char *a, uint64_t a_size, const char *b, uint64_t b_size);

/* A search over names that are handed in one by one. All zero to begin with. */
typedef struct deja__nearest {
    const char *name; /* NULL: none is near */
    uint32_t distance;
} deja__nearest;
void deja__nearest_try(deja__nearest *nearest, const char *word, uint64_t size, const char *name);

/* The nearest of these names, the first of equally near ones; NULL where none is near. */
const char *deja__nearest_of(const char *word, uint64_t size, const char *const *names,
                             uint32_t count);

#endif
