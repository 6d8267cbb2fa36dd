/* SPDX-License-Identifier: MIT */
/*
 * The name that somebody may have meant.
 */
#ifndef DEJA_TOOL_SUGGEST_H
#define DEJA_TOOL_SUGGEST_H

#include <stdint.h>

typedef struct nearest {
    const char *word;
    const char *name; /* the best so far, borrowed; NULL while none is near enough */
    uint32_t distance;
} nearest;

nearest nearest_begin(const char *word);
/* Holds one more name against the word. Returns whether it is the best now. */
int nearest_offer(nearest *search, const char *name);

#endif
