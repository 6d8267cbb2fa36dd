/* SPDX-License-Identifier: MIT */
/*
 * A store, a game and what was recorded of it, in one line each.
 */
#ifndef DEJA_TESTS_SCENE_H
#define DEJA_TESTS_SCENE_H

#include <deja/deja.h>

#include "record/ledger.h"

typedef struct scene {
    char folder[64];
    deja_store *store;
    deja_rules_table table;
    deja_plugin *plugin;
    ledger state;
    deja_recorder_options options;
    deja_error err;
} scene;

/* Opens all of it, and starts the ledger with 10 gold and seed 7. */
void scene_open(scene *s);
void scene_open_with(scene *s, deja_rules_table table);
void scene_close(scene *s);

/* Begins to record; fails the test if that fails. */
deja_recorder *scene_record(scene *s);
/* One step, which must be recorded; its result. */
uint32_t scene_step(scene *s, deja_recorder *recorder, uint32_t kind, int32_t n);
/* Ends the recording, which must work. */
deja_id scene_end(scene *s, deja_recorder *recorder, const char *outcome);
/* Fails the test unless `code` is expected and the message is exactly so. */
void scene_assert_failed(const scene *s, deja_code code, deja_code expected, const char *message);

/* What is stored. */
enum { HELD_STEPS = 100000, HELD_TEXT = 4096 };
typedef struct held {
    uint64_t steps, step_results;
    uint32_t results[HELD_STEPS];
    uint64_t trail[HELD_STEPS + 1]; /* of step 0 first */
    uint64_t trail_count;
    uint64_t chain, event_chain;
    uint32_t ended;
    char outcome[64];
    char made[128];
    uint64_t seed;
    char commands[HELD_TEXT]; /* as text, with "; " between; no more than fit */
    char marks[HELD_TEXT];    /* "step text; " */
    char sections[HELD_TEXT]; /* "step name hash; " */
    char start[HELD_TEXT];    /* the start state as text, "" if it began at the start */
    char config[256];
    char content[256];
} held;

/* Reads the newest recording of a session; the caller frees it. */
held *scene_read(scene *s, const deja_id *id);
/* How many sessions there are, and the id of the last one. */
uint64_t scene_sessions(scene *s, deja_id *last);

/* ---- the same numbers, worked out by hand ---- */

/* The hash of a ledger. */
uint64_t ledger_hash(const ledger *state);
/* The event hash of a step that gained n, and of one that said a text. */
uint64_t ledger_gained_hash(int32_t n, int64_t gold);
uint64_t ledger_said_hash(const char *text);

#endif
