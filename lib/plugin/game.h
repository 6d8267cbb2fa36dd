/* SPDX-License-Identifier: MIT */
/*
 * One game being played: a state and room for a command, with the canonical bytes on the outside.
 *
 * The one way by which workers, recorders with bots and the tests drive a rules library:
 *
 *     deja__game_open(&game, plugin, &err);
 *     deja__game_start(game, config, seed, NULL, &refusal, &err);
 *     deja__game_apply(game, command, &result, &err);      events are then in the game
 *     deja__game_hash(game, &hash, &err);
 *     deja__game_close(game);
 *
 * deja__game_* run the library's code. Nothing is allocated in a step once buffers have grown.
 */
#ifndef DEJA_PLUGIN_GAME_H
#define DEJA_PLUGIN_GAME_H

#include "plugin/plugin.h"

typedef struct deja__game deja__game;

/* Borrows the plugin until it is closed. */
deja_code deja__game_open(deja__game **out, deja_plugin *plugin, deja_error *err);
void deja__game_close(deja__game *game); /* NULL is fine */
/* Finishes every value that is held, as if just opened. Due before deja__plugin_restore: a value
 * may point into the memory that is put back, and must not be finished after that. */
void deja__game_drop(deja__game *game);

/* A new state from a config (canonical bytes, validated here), in place of the one before.
 * *refusal: 0, or 1 + the place of why start refused (DEJA_EREFUSED; the message has its name). */
deja_code deja__game_start(deja__game *game, deja_span config, uint64_t seed,
                           const deja_content *content, uint32_t *refusal, deja_error *err);
/* A new state from canonical bytes of a state. */
deja_code deja__game_load(deja__game *game, deja_span state, deja_error *err);

/* Applies a command given by its canonical bytes (validated here, quickly). Afterwards the events
 * are at deja__game_events. DEJA_ERULES: an event or the result breaks the description. */
deja_code deja__game_apply(deja__game *game, deja_span command, uint32_t *result, deja_error *err);
/* The same with a command in memory. */
deja_code deja__game_apply_value(deja__game *game, const void *command, uint32_t *result,
                                 deja_error *err);
/* What the rules answered to the last of these, also where it failed. */
uint32_t deja__game_answer(const deja__game *game);

/* The state hash, and the canonical bytes of the state. */
deja_code deja__game_hash(deja__game *game, uint64_t *hash, deja_error *err);
deja_code deja__game_save(deja__game *game, deja_buffer *out, deja_error *err);
/* A step as recordings have it. What is small is left to be hashed later: to hash bytes that were
 * stored just now waits until each of the stores is done. */
enum { DEJA__STEPPED_EVENTS = 72, DEJA__STEPPED_STATE = 160 };
typedef struct deja__stepped {
    uint64_t hash;       /* where state_size is 0 */
    uint64_t event_hash; /* where events_size is 0 */
    uint32_t result;
    uint16_t events_size;
    uint16_t state_size;
    unsigned char events[DEJA__STEPPED_EVENTS];
    unsigned char state[DEJA__STEPPED_STATE];
} deja__stepped;

/* Apply, the state hash and the event hash: what the three functions answer, in one. The events are
 * not kept for deja__game_events(). */
deja_code deja__game_step(deja__game *game, deja_span command, deja__stepped *stepped,
                          deja_error *err);
/* The hashes of a step; sizes that cannot be are taken for the largest that can. */
uint64_t deja__stepped_hash(const deja__stepped *stepped);
uint64_t deja__stepped_event_hash(const deja__stepped *stepped);
/* The last apply's event hash (schemas/hashes.md). */
uint64_t deja__game_event_hash(const deja__game *game);
/* The last apply's events: how many, their canonical bytes one behind another, and each one's end
 * in these. Borrowed until the next apply, start or load. */
uint32_t deja__game_events(deja__game *game, deja_span *bytes, const uint32_t **ends,
                           deja_error *err);
/* 0 while it runs, or 1 + the place of the outcome (DEJA_ERULES where that has no name). */
deja_code deja__game_outcome(deja__game *game, uint32_t *outcome, deja_error *err);

/* The state itself, for the optional functions of the table. Borrowed until start, load, close. */
void *deja__game_state(deja__game *game);
/* The legal commands: count; canonical bytes and ends borrowed until the next call. 0 where the
 * library has no legal. */
deja_code deja__game_legal(deja__game *game, uint32_t *count, deja_span *bytes,
                           const uint32_t **ends, deja_error *err);
/* A bot's choice as canonical bytes, appended; *chosen is false where it has none. `memory` is the
 * seat's, of the bot's memory_size. */
deja_code deja__game_pick(deja__game *game, uint32_t bot, deja_luck *luck, void *memory,
                          deja_buffer *command, bool *chosen, deja_error *err);

#endif
