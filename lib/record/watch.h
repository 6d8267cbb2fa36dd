/* SPDX-License-Identifier: MIT */
/*
 * Whether what is being recorded can be replayed, looked at while it is played.
 *
 *     watch       end of step n:      state -> bytes `last`           where n is a multiple of K
 *                 begin of step n+1:  state -> bytes, which are to be the same
 *
 *     self_check  begin of a step:    state, command -> bytes         (or those of the last end)
 *                 end of it:          bytes -> a copy; apply there -> result, events, state,
 *                                     which are to be the same
 *
 * watch sees what something outside of apply did to the state; self_check sees what apply reads
 * that is not in the state's fields. A replay has neither, so after such a step it goes on
 * otherwise. Both are told once, and nothing of it ends the recording (report.c).
 *
 * A recorder that was asked for neither has no deja__watch: a step then tests a pointer, twice.
 *
 * Rejected for games with an apply of their own, whose begin is not given the state: remembering
 * the address that the last end was given. It may be gone, or be another buffer by then. These hand
 * it over when they like, by deja_recorder_watch(), and self_check begins from what the last end
 * left, as a replay does.
 */
#ifndef DEJA_RECORD_WATCH_H
#define DEJA_RECORD_WATCH_H

#include <deja/recorder.h>

#include "plugin/game.h"
#include "record/floats.h"

typedef struct deja__watch {
    uint64_t every;   /* a look follows each step whose number is a multiple of it; 0: none */
    deja_buffer last; /* the state at the end of the last step... */
    bool is_kept;     /* ...where a look follows */
    uint32_t marks;   /* changes that were told of */
    deja_buffer now;

    deja__game *copy; /* NULL: self_check is off, or has found what it can find */
    deja_buffer command;
    deja_buffer before, after;  /* the state; where the game has it, `before` is the last `after` */
    deja_buffer copied;         /* the copy's state after the step */
    deja__float_control floats; /* before apply */
    bool is_given;              /* begin was given the state */
    bool is_lost;               /* `before` is not what the next step begins from */

    uint64_t findings; /* of both */
} deja__watch;

/* Begins a session: makes recorder->watch, where one of the options asks for it. `state` is the
 * start state. */
deja_code deja__watch_start(deja_recorder *recorder, const void *state, uint64_t every,
                            bool self_check, deja_error *err);
/* Ends it: what the library made is gone. NULL is fine for the last two. */
void deja__watch_stop(deja__watch *watch);
void deja__watch_destroy(deja__watch *watch);

/* Steps were taken back, and the state with them: what was kept of it is of no use. */
void deja__watch_rewind(deja__watch *watch);

/* A step begins. `state` is NULL where the game has it. */
void deja__watch_begin(deja_recorder *recorder, const void *state, const void *command);
/* It has ended, and counts. */
void deja__watch_end(deja_recorder *recorder, const void *state, uint32_t result,
                     uint64_t event_hash);

/* Looks whether the state is still what it was at the end of the last step, if that was kept. */
void deja__watch_look(deja_recorder *recorder, const void *state);

/* ---- self_check.c ---- */

/* A copy for a session that begins, and away with it. */
deja_code deja__self_check_open(deja__watch *watch, deja_plugin *plugin, deja_error *err);
void deja__self_check_close(deja__watch *watch);
/* Takes what a copy is made of. */
void deja__self_check_begin(deja_recorder *recorder, const void *state, const void *command);
/* Makes the step on the copy, and holds the two against each other. */
void deja__self_check_end(deja_recorder *recorder, const void *state, uint32_t result,
                          uint64_t event_hash);

/* ---- words ---- */

/* The first field in which two states differ, and how many more there are. */
typedef struct deja__changed {
    deja_buffer path, before, after;
    uint64_t count;
} deja__changed;

/* Fills it in, all zero before. DEJA_EFORMAT: bytes that break the layout. */
deja_code deja__changed_find(deja__changed *changed, const deja_layout *layout,
                             const deja_buffer *before, const deja_buffer *after, deja_error *err);
void deja__changed_release(deja__changed *changed);

#endif
