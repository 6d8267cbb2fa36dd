/* SPDX-License-Identifier: MIT */
/*
 * Whether a game's start can be relied on.
 */
#ifndef DEJA_RECORD_START_H
#define DEJA_RECORD_START_H

#include "plugin/game.h"

/* What a game starts from. Borrowed. */
typedef struct deja__beginning {
    deja_span config; /* canonical bytes */
    uint64_t seed;
    const deja_content *content;
} deja__beginning;

/* Starts the game twice, each time as a replay would, and hashes each start state twice. Leaves the
 * second one in the game, and its hash in *hash.
 * DEJA_ERULES: not all hashes are equal; DEJA_EREFUSED: the game does not start. */
deja_code deja__start_check(deja__game *game, deja_plugin *plugin, const deja__beginning *from,
                            uint64_t *hash, deja_error *err);

#endif
