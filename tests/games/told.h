/* SPDX-License-Identifier: MIT */
/*
 * A game that is played and looked at by words: commands, events and states as text.
 */
#ifndef DEJA_TESTS_TOLD_H
#define DEJA_TESTS_TOLD_H

#include "fields/codec.h"
#include "support/library.h"

enum { TOLD_TYPES = 4, TOLD_TEXTS = 8, TOLD_TEXT_SIZE = 8192 };

/* Answers that are text are good until the eighth one after them. */
typedef struct told {
    library lib;
    deja_layout *layouts[TOLD_TYPES]; /* state, command, event, config */
    deja__codec *codecs[TOLD_TYPES];
    void *state;
    void *command;
    emitted events; /* of the last command */
    emitted listed;
    uint32_t turn;
    char texts[TOLD_TEXTS][TOLD_TEXT_SIZE];
} told;

/* Opens BUILD/NAME.so and starts its game. `settings` are done to the default config, with blanks
 * between: "plots=3 seeds=2", "" for none. */
told *told_open(const char *name, const char *settings, uint64_t seed);
void told_close(told *t);
/* Starts anew; "ok" or the refusal. */
const char *told_start(told *t, const char *settings, uint64_t seed);
const char *told_start_with(told *t, const char *settings, uint64_t seed,
                            const deja_content *content);

/* Applies a command. "refused NAME", or its events with "; " between. Fails the test where check
 * says otherwise than apply, where either changes what it must not, or where a refusal emits. */
const char *told_do(told *t, const char *command);
/* The state, or the part of it at a path. */
const char *told_state(told *t);
const char *told_at(told *t, const char *path);
/* What is legal, with "," between. */
const char *told_legal(told *t);
const char *told_outcome(told *t);
uint64_t told_hash(told *t);
/* The state's canonical bytes; the caller releases them. And a state of such a text. */
deja_buffer told_save(told *t);
void told_put(told *t, const char *state);

#endif
