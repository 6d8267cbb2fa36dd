/* SPDX-License-Identifier: MIT */
/*
 * Two builds side by side: the one that recorded a session (the baseline), and the present one.
 */
#ifndef DEJA_REPLAY_PAIR_H
#define DEJA_REPLAY_PAIR_H

#include "replay/lane.h"

enum { DEJA__RECORDED = 0, DEJA__PRESENT = 1 };

typedef struct deja__member {
    deja__side *side;
    deja__replay *replay;
    deja__expected *expected;
    deja_buffer traced; /* the step that was asked for; empty: it was not sent */
} deja__member;

typedef struct deja__pair {
    deja__lane *lane;
    bool events_only; /* look at nothing but events */
    deja__member members[2];
    deja__finding found; /* the first step at which they part; DEJA__NOTHING */
    deja__row before[DEJA__BEFORE_MAX];
    uint32_t before_count;
} deja__pair;

/* Has both replay a session, from its start to the block with step how->limit, step by step. What
 * they come to is then in the pair, and its members are as they ended. */
deja_code deja__pair_run(deja__pair *pair, const deja__replay *like, const deja__replay_how *how,
                         deja_error *err);
/* Leaves the sides fit for the next. */
void deja__pair_close(deja__pair *pair);

#endif
