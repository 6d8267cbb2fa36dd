/* SPDX-License-Identifier: MIT */
/*
 * Damerau and Levenshtein's distance in its short form: characters added, left out, changed, and
 * two neighbours that changed places cost 1 each. A name is near where no more than a third of it
 * is wrong; a name that the word begins is near as well, since that is how people shorten.
 */
#include "suggest.h"

#include <stdbool.h>
#include <string.h>

enum { WORD_MAX = 64 };

static uint32_t least(uint32_t one, uint32_t other)
{
    return one < other ? one : other;
}

static uint32_t distance(const char *one, size_t one_size, const char *other, size_t other_size)
{
    uint32_t rows[3][WORD_MAX + 1];
    for (uint32_t j = 0; j <= other_size; j++)
        rows[0][j] = j;
    for (uint32_t i = 1; i <= one_size; i++) {
        uint32_t *row = rows[i % 3];
        const uint32_t *above = rows[(i + 2) % 3];
        const uint32_t *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (uint32_t j = 1; j <= other_size; j++) {
            const bool same = one[i - 1] == other[j - 1];
            row[j] = least(above[j - 1] + !same, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1])
                row[j] = least(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[one_size % 3][other_size];
}

nearest nearest_begin(const char *word)
{
    const nearest search = { word, NULL, UINT32_MAX };
    return search;
}

int nearest_offer(nearest *search, const char *name)
{
    const size_t word_size = strlen(search->word);
    const size_t name_size = strlen(name);
    if (word_size == 0 || word_size > WORD_MAX || name_size > WORD_MAX)
        return 0;

    const uint32_t far = distance(search->word, word_size, name, name_size);
    const size_t longer = word_size > name_size ? word_size : name_size;
    const bool begins = word_size >= 2 && strncmp(name, search->word, word_size) == 0;
    if ((far > (longer + 1) / 3 && !begins) || far >= search->distance)
        return 0;
    search->distance = far;
    search->name = name;
    return 1;
}
