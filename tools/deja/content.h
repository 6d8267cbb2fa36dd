/* SPDX-License-Identifier: MIT */
/*
 * --content NAME=FILE: packs of data that rules read beside config and seed.
 */
#ifndef DEJA_TOOL_CONTENT_H
#define DEJA_TOOL_CONTENT_H

#include <deja/plugin.h>
#include <stdbool.h>

#include "args.h"

#define ROW_CONTENT                                                                       \
    {                                                                                     \
        OPTION_CONTENT, 0, "content", "NAME=FILE", "a pack of data that rules read", true \
    }

/* Packs that were read. All zero to begin with. */
typedef struct content_packs {
    deja_content content; /* for the library */
    deja_content_pack packs[DEJA_CONTENT_PACKS_MAX];
    char names[DEJA_CONTENT_PACKS_MAX][64];
    bool used[DEJA_CONTENT_PACKS_MAX];
} content_packs;

/* Reads each file that --content names, once. STATUS_OK, or it has complained; release in any
 * case. */
int content_read(content_packs *out, const args *given);
void content_release(content_packs *packs);

/* A session whose content is this text ("name=digest ...") is played. */
void content_note_session(content_packs *packs, const char *content);
/* Tells which packs no such session names. */
void content_tell_unused(const content_packs *packs, const args *given);

#endif
