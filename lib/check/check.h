/* SPDX-License-Identifier: MIT */
/*
 * A run of the kit, and what its files share.
 *
 *     play.c    the first way: a player plays, and each step is kept            track
 *     again.c   the second way: the same commands from the start; at each step the state is asked,
 *               commands are tried on copies of it, it is saved and loaded, and its step is held
 *               against the track
 *     saved.c   from each saved state on to the end
 *     elsewhere.c  the first way against that of another process
 *
 * Who is to blame is decided by what is held against what. What is tried is held against itself:
 * one copy is asked and applied to, so that rules which lose something in saving are not said to
 * check wrongly. The second way is held against the first before a loaded state is: rules that
 * answer otherwise the second time do so without any saving. And a description that writes ends its
 * game, as there is nothing left to compare by.
 */
#ifndef DEJA_CHECK_CHECK_H
#define DEJA_CHECK_CHECK_H

#include <deja/check.h>

#include "check/made.h"
#include "plugin/content.h"
#include "plugin/emitter.h"
#include "plugin/game.h"
#include "record/seats.h"

typedef struct deja__known deja__known; /* findings so far */

/* One step of the track; ends are in its buffers. */
typedef struct deja__track_step {
    uint64_t command_end;
    uint64_t events_end;
    uint64_t state_end;
    uint32_t event_count;
    uint32_t result;
    uint32_t outcome; /* after the step */
    uint32_t reserved;
} deja__track_step;

/* A game as it was played. Step 0 is the start. */
typedef struct deja__track {
    deja_buffer steps; /* deja__track_step */
    deja_buffer commands, events, states;
    uint64_t last; /* the last step */
    bool is_whole; /* it was played to where it ends; else a breach ended it */
} deja__track;

/* Who plays a game, and which. */
typedef struct deja__player {
    const char *name;
    const char *session; /* its id; NULL of a game that is played by a bot */
    int32_t bot;         /* place in the table; or one of these */
    uint64_t seed;
    deja_span config;
    const deja_content *content; /* NULL: none */
    deja_span start;             /* a session that begins in the middle: the state; else empty */
    /* Of a session: its commands one behind another. */
    const deja_buffer *commands;
    const deja_buffer *ends; /* uint64_t each */
} deja__player;
enum { DEJA__PLAYS_LEGAL = -1, DEJA__PLAYS_MADE = -2, DEJA__PLAYS_SESSION = -3 };

typedef struct deja__check {
    deja_plugin *plugin;
    const deja_rules_table *rules;
    const deja_layout *layouts[4];
    deja_check_options options;
    deja_check_summary *summary;
    deja__catalog catalog; /* of content */
    deja__game *main;      /* the game that goes on */
    deja__game *copy;      /* a copy of its state, or one that was saved and loaded */
    deja__game *other;     /* another */
    deja__form command_form;
    void *command; /* the one at hand, in memory */
    deja__made made;
    deja__track track;
    deja__seats seats;
    deja_buffer saved, chosen, raw;
    deja_buffer legal, legal_ends; /* what the main state lists; uint32_t each */
    uint32_t legal_count;
    deja__known *known;
    const deja__player *player;
    deja_luck luck;     /* of what is made up */
    deja_span held;     /* what is left of the ways of another process */
    uint64_t tries;     /* left in this game */
    bool is_plain;      /* states are copied as memory */
    bool restores;      /* the library's variables can be put back */
    bool stopped;       /* a callback said so */
    bool is_broken;     /* this game is not to be judged any further */
    bool is_repeatable; /* nothing has shown that this game is not the same the second time */
    bool is_saved;      /* nor that a state that was saved and loaded is another at once */
    bool is_ordered;    /* nor that the main state lists in changing order */
} deja__check;

/* ---- finding.c ---- */

/* What a finding is about. Zero for what there is not; saved is DEJA_STEP_NONE for none. */
typedef struct deja__sight {
    uint32_t clause;
    uint64_t step;
    uint64_t saved;
    deja_span command;
    const char *path, *expected, *actual;
    uint32_t more_fields;
    bool is_by_chance; /* which command it was says nothing: equal ones may have another */
} deja__sight;

/* Counts one check of a clause that went well, or is about to be told of. */
static inline void deja__counts(deja__check *c, uint32_t clause)
{
    c->summary->clauses[clause].checks++;
}
deja_code deja__finding(deja__check *c, const deja__sight *sight, deja_error *err, const char *why,
                        ...) DEJA__PRINTF(4, 5);
/* The same, with the first field in which two values of a type differ; `before` stands before its
 * path. */
deja_code deja__finding_of(deja__check *c, deja__sight sight, uint32_t type, const char *before,
                           deja_span expected, deja_span actual, const char *why, deja_error *err);
/* The same of two rows of events or commands, as "events[0].id". */
deja_code deja__finding_in_row(deja__check *c, deja__sight sight, uint32_t type, const char *row,
                               deja_span expected, deja_span actual, const char *why,
                               deja_error *err);
/* What a call answered that is about the rules (DEJA_ERULES) becomes a finding, and the game is
 * broken; everything else stays a failure. */
deja_code deja__described(deja__check *c, deja_code code, uint64_t step, deja_span command,
                          const deja_error *said, deja_error *err);

/* ---- check.c: what every file does ---- */

/* Tells who watches what comes next; false: the run is to end. */
bool deja__doing(deja__check *c, const char *doing, uint64_t step, deja_span command);
/* "ok" or the refusal's name; "?" where the rules answered what has none. */
const char *deja__answer(const deja__check *c, uint32_t answer);
/* Saves a game's state in `out`, which is cleared. */
deja_code deja__save_in(deja__game *game, deja_buffer *out, deja_error *err);
/* Finishes every game's state; the library is then as it was loaded, where it can be. */
void deja__restore(deja__check *c);

/* ---- known.c: findings that were told already ---- */

deja__known *deja__known_create(void);
void deja__known_destroy(deja__known *known);
/* Counts it, and whether it is new: one after 256 others is not. false: out of memory. */
bool deja__known_count(deja__known *known, const char *key, bool *is_new);
void deja__known_tell(const deja__known *known,
                      void (*counted)(void *user, uint64_t finding, uint64_t count), void *user);

/* ---- track.c ---- */

void deja__track_clear(deja__track *track);
void deja__track_release(deja__track *track);
/* Appends what was put into the buffers behind the last step as one. */
bool deja__track_add(deja__track *track, uint32_t event_count, uint32_t result, uint32_t outcome);
deja__track_step deja__track_at(const deja__track *track, uint64_t step);
deja_span deja__track_state(const deja__track *track, uint64_t step);
deja_span deja__track_command(const deja__track *track, uint64_t step); /* step from 1 */
deja_span deja__track_events(const deja__track *track, uint64_t step);

/* ---- play.c: the first way ---- */

/* A start state, or the session's own, in the main game. */
deja_code deja__begin_game(deja__check *c, deja_error *err);
deja_code deja__play(deja__check *c, deja_error *err);
/* Loads a command from its bytes and applies it. What is wrong with the rules is told, and the game
 * is broken where there is no result then. Events are in the game. */
deja_code deja__apply(deja__check *c, deja__game *game, uint64_t step, deja_span command,
                      uint32_t *result, deja_error *err);

/* ---- again.c: the second way ---- */

deja_code deja__play_again(deja__check *c, deja_error *err);
/* Holds a game after a step against the track: its state, result and events. Where they differ it
 * is a finding of this clause, and *differs. */
deja_code deja__hold(deja__check *c, deja__game *game, uint32_t result, deja__sight sight,
                     const char *why, bool *differs, deja_error *err);

/* ---- ask.c: what only reads ---- */

/* The legal commands that the main state lists are then in `legal`. */
deja_code deja__ask_state(deja__check *c, uint64_t step, deja_error *err);
/* The same of a state that was saved and loaded, in `copy`: it must answer as the main one. */
deja_code deja__ask_loaded(deja__check *c, uint64_t step, deja_error *err);

/* ---- try.c: commands on copies ---- */

/* Tries commands on copies of the main state after a step. */
deja_code deja__try_all(deja__check *c, uint64_t step, deja_error *err);

/* ---- saved.c: from saved states on ---- */

deja_code deja__play_saved(deja__check *c, deja_error *err);

/* ---- elsewhere.c: the first way in two processes ---- */

/* Tells who wants to know what was played, and holds it against what was played elsewhere. */
deja_code deja__hold_elsewhere(deja__check *c, deja_error *err);

/* ---- sessions.c ---- */

/* Calls `play` for each of the store's sessions of this game that can be played here. */
deja_code deja__each_session(deja__check *c,
                             deja_code (*play)(deja__check *c, const deja__player *player,
                                               deja_error *err),
                             deja_error *err);

#endif
