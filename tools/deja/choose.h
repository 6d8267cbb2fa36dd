/* SPDX-License-Identifier: MIT */
/*
 * Which sessions of a store a command is about.
 */
#ifndef DEJA_TOOL_CHOOSE_H
#define DEJA_TOOL_CHOOSE_H

#include <deja/store.h>

#include "args.h"

typedef struct chosen {
    int64_t key;
    deja_id id;
    uint64_t steps;
    uint32_t game;    /* its place among the games */
    uint32_t content; /* its place among the contents: "name=digest ..." */
    uint32_t left;    /* 1: another shard's */
} chosen;

/* Words, each once. */
typedef struct word_list {
    char **words;
    uint32_t count;
} word_list;

typedef struct choice {
    chosen *sessions;
    uint64_t count;
    uint64_t capacity;
    word_list games;
    word_list contents;
    bool failed;
} choice;

/*
 * Those that -n names, in that order and each once; without -n all, in the order in which they were
 * stored. --game leaves out those of other games, and --shard marks what is another shard's.
 * STATUS_OK, or it has complained; release in any case.
 */
int choose_sessions(choice *out, deja_store *store, const args *given);
/* What --shard says, 1 of 1 without it. STATUS_OK, or it has complained. */
int shard_read(const args *given, uint64_t *part, uint64_t *parts);
void choice_release(choice *out);
/* Whether a chosen session's game is this one. */
bool choice_is_of(const choice *from, const chosen *session, const char *game);

#endif
