/* SPDX-License-Identifier: MIT */
/*
 * The nearest name, by the distance of Damerau and Levenshtein in its restricted form: letters put
 * in, left out, changed, and two neighbours swapped, no letter touched twice.
 *
 * Three rows of the table are enough, and rows end where a name may end, so nothing is allocated.
 * A word of one or two letters is near to nearly everything; so a name counts as near only if more
 * of the word is right than wrong.
 */
#include "base/nearest.h"

#include "base/base.h"

enum { ROW = DEJA__NAME_MAX + 1 };

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

uint32_t deja__name_distance(const char *a, uint64_t a_size, const char *b, uint64_t b_size)
{
    const uint64_t longer = a_size > b_size ? a_size : b_size;
    const uint64_t shorter = a_size > b_size ? b_size : a_size;
    if (longer > DEJA__NAME_MAX || longer - shorter >= DEJA__DISTANCE_FAR)
        return DEJA__DISTANCE_FAR;

    uint32_t rows[3][ROW];
    for (uint32_t k = 0; k <= b_size; k++)
        rows[0][k] = k;
    for (uint32_t i = 1; i <= a_size; i++) {
        uint32_t *row = rows[i % 3];
        const uint32_t *above = rows[(i + 2) % 3];
        const uint32_t *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (uint32_t k = 1; k <= b_size; k++) {
            const uint32_t changed = above[k - 1] + (a[i - 1] == b[k - 1] ? 0 : 1);
            row[k] = least(changed, least(above[k], row[k - 1]) + 1);
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                row[k] = least(row[k], two_above[k - 2] + 1);
        }
    }
    return least(rows[a_size % 3][b_size], DEJA__DISTANCE_FAR);
}

void deja__nearest_try(deja__nearest *nearest, const char *word, uint64_t size, const char *name)
{
    const uint32_t distance = deja__name_distance(word, size, name, strlen(name));
    if (distance == DEJA__DISTANCE_FAR || 2 * (uint64_t)distance > size)
        return;
    if (!nearest->name || distance < nearest->distance) {
        nearest->name = name;
        nearest->distance = distance;
    }
}

const char *deja__nearest_of(const char *word, uint64_t size, const char *const *names,
                             uint32_t count)
{
    deja__nearest nearest = { 0 };
    for (uint32_t i = 0; i < count; i++)
        deja__nearest_try(&nearest, word, size, names[i]);
    return nearest.name;
}
