/* SPDX-License-Identifier: MIT */
/*
 * The steps of one session, from the store alone or as a build plays them.
 */
#ifndef DEJA_TOOL_SHOW_H
#define DEJA_TOOL_SHOW_H

#include <deja/store.h>

#include "args.h"
#include "content.h"

/* A mark, or the hash of a named section. */
typedef struct step_note {
    uint64_t step;
    char *text;
    uint64_t hash;
} step_note;

/* In the order of their steps. */
typedef struct note_list {
    step_note *notes;
    uint64_t count;
    uint64_t capacity;
    uint64_t next; /* the first that was not told yet */
} note_list;

typedef struct showing {
    const args *given;
    deja_store *store;
    int64_t key;
    deja_reader *reader;
    uint64_t from;
    uint64_t to;
    note_list marks; /* of these steps */
    note_list sections;
    content_packs content; /* for rules that play it */
    uint64_t shown;
} showing;

/* What the store holds. STATUS_OK, or it has complained. */
int show_stored(showing *what);
/* What the build at `rules` makes of it. */
int show_played(showing *what, const char *rules);

/* Tells of a step's marks and sections: as lines, or within its JSON object. */
void show_notes(showing *what, uint64_t step);
/* Complains of a value at a step. */
int show_unreadable(const showing *what, uint64_t step, const deja_error *err);

#endif
