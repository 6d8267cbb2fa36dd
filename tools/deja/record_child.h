/* SPDX-License-Identifier: MIT */
/*
 * Recording with bots in a process of its own, so that rules which crash take nothing along.
 *
 * The child tells its parent what it does through a pipe: a note's head, then its text.
 */
#ifndef DEJA_TOOL_RECORD_CHILD_H
#define DEJA_TOOL_RECORD_CHILD_H

#include <deja/rules.h>
#include <deja/store.h>
#include <stdbool.h>
#include <stdint.h>

#include "args.h"
#include "child.h"
#include "settings.h"

/* What to record. All borrowed. */
typedef struct record_order {
    const args *given; /* for --set */
    const char *rules; /* the library's path */
    const char *store;
    const char *bots;
    bool has_input; /* frames instead of bots: */
    deja_span input;
    const deja_content *content;
    uint64_t seed; /* of the first game */
    uint64_t games;
    uint64_t max_steps;
    uint32_t trail_bits;
    bool self_check;
} record_order;

enum record_note_kind {
    NOTE_OPENED = 1,  /* the library is loaded; text: the game's id */
    NOTE_SESSION = 2, /* a game has come to its end */
    NOTE_END = 3,     /* nothing more comes; text: why it failed, if it did */
    NOTE_REMARK = 4,  /* text: what is to be told of the store */
    NOTE_FINDING = 5  /* of the game that is being played; text: what */
};

typedef struct record_note {
    uint32_t kind;
    uint32_t text_size;
    int32_t status; /* of NOTE_END */
    uint32_t known; /* of NOTE_SESSION, as the next four, but for steps */
    uint64_t seed;
    uint64_t steps; /* of NOTE_FINDING the last one that was finished */
    uint64_t
        gathered; /* how many of the sessions so far are not committed yet, this one included */
    deja_id id;
} record_note;

enum { NOTE_TEXT_MAX = SETTINGS_TEXT_MAX };

/* Starts it; false with errno. */
bool record_child_start(child *out, const record_order *order);
/* The next note, its text ending with NUL. False where no more comes: what stands in *note is then
 * of no use. */
bool record_child_note(child *from, record_note *note, char text[NOTE_TEXT_MAX]);

#endif
