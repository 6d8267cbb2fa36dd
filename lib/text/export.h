/* SPDX-License-Identifier: MIT */
/*
 * Export: a stored session and one of its recordings as a replay text, piece by piece.
 *
 * The text has the commands first and then what came of them, so the steps are read three times:
 * for commands and chains, for results, for the trail. A long session is never in memory; what was
 * remarked is.
 *
 * Everything that came from a file goes through the printers of values and words, so the text holds
 * nothing that a terminal obeys, and reads back.
 */
#ifndef DEJA_TEXT_EXPORT_H
#define DEJA_TEXT_EXPORT_H

#include <deja/text.h>

#include "text/text.h"

enum { DEJA__PIECE_SIZE = 64 * 1024 }; /* about what the caller gets at a time */

typedef struct deja__export {
    deja_reader *reader;
    const deja_session *session;
    const deja_recording *recording;
    deja__shape state, command, config, start;
    deja_buffer marks, sections; /* what was remarked, in the order of its steps */
    deja_buffer text;            /* of both */
    uint64_t mark, section;      /* the next ones */
    deja_buffer chains;          /* lines of `events:`, and of `chain:`, as they will stand */
    deja_buffer event_chains;
    deja_buffer out;
    bool (*write)(void *user, const char *chars, uint64_t size);
    void *user;
    deja_error *err;
} deja__export;

/* Hands on what was printed, if it is `least` bytes or more. */
deja_code deja__export_give(deja__export *e, uint64_t least);

/* Whether it was recorded; else it is a scenario. */
static inline bool deja__export_is_recorded(const deja__export *e)
{
    return e->recording->trail_bits != 0;
}

/* Steps that have a result: all but the one in which it crashed. */
static inline uint64_t deja__export_results(const deja__export *e)
{
    return e->session->steps - (e->recording->ended == DEJA_ENDED_CRASHED);
}

/* export_steps.c: commands with what was remarked behind them. */
deja_code deja__export_remarks(deja__export *e); /* collects them, first of all */
deja_code deja__export_steps(deja__export *e);
/* export_tail.c: the end, and for a recording results, trail and chains. */
deja_code deja__export_tail(deja__export *e);

#endif
