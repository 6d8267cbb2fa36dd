/* SPDX-License-Identifier: MIT */
/*
 * What compare.c (rows) and answer.c (what comes behind them) share.
 */
#ifndef DEJA_REPLAY_COMPARE_H
#define DEJA_REPLAY_COMPARE_H

#include "replay/replay.h"

/* What a worker wrote, read once. */
static inline uint64_t deja__read64(const uint64_t *value)
{
    return *(const volatile uint64_t *)value;
}

static inline uint32_t deja__read32(const uint32_t *value)
{
    return *(const volatile uint32_t *)value;
}

/* A text of the worker's, which may not end. */
void deja__answer_text(char *target, uint64_t size, const char *source);

/* Makes the replay's finding, in place of any before. */
deja__finding *deja__find(deja__replay *replay, uint32_t kind, uint64_t step, uint64_t step_last);
/* Keeps the rows of these that lie before a step, as many as are asked for. */
void deja__keep_before(deja__replay *replay, const deja__row *rows, uint32_t count, uint64_t step);
/* Keeps the last rows of an answer for the next job. */
void deja__keep_tail(const deja__expected *expected, const deja__answer *answer);

#endif
