/* SPDX-License-Identifier: MIT */
/*
 * Findings that were told, by what makes two of them the same: a line of text.
 */
#include <stdlib.h>

#include "check/check.h"

enum { KNOWN_MAX = 256 };

struct deja__known {
    uint32_t count;
    char *keys[KNOWN_MAX];
    uint64_t counts[KNOWN_MAX];
};

deja__known *deja__known_create(void)
{
    return calloc(1, sizeof(deja__known));
}

void deja__known_destroy(deja__known *known)
{
    if (!known)
        return;
    for (uint32_t i = 0; i < known->count; i++)
        free(known->keys[i]);
    free(known);
}

bool deja__known_count(deja__known *known, const char *key, bool *is_new)
{
    uint32_t place = 0;
    while (place < known->count && strcmp(known->keys[place], key) != 0)
        place++;
    *is_new = place == known->count && place < KNOWN_MAX;
    if (*is_new) {
        known->keys[place] = strdup(key);
        if (!known->keys[place])
            return false;
        known->count++;
    }
    if (place < KNOWN_MAX)
        known->counts[place]++;
    return true;
}

void deja__known_tell(const deja__known *known,
                      void (*counted)(void *user, uint64_t finding, uint64_t count), void *user)
{
    for (uint32_t i = 0; i < known->count; i++)
        counted(user, i, known->counts[i]);
}
