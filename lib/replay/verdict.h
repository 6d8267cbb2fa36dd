/* SPDX-License-Identifier: MIT */
/*
 * A verdict with all that it points to, while it waits to be told.
 */
#ifndef DEJA_REPLAY_VERDICT_H
#define DEJA_REPLAY_VERDICT_H

#include <deja/replay.h>

#include "base/base.h"

enum { DEJA__FIELDS_MAX = 32 };

typedef struct deja__box {
    deja_verdict verdict;
    deja_verdict_field fields[DEJA__FIELDS_MAX];
    deja_verdict_step *steps;
    const char **remarks;
    void **pieces; /* what is to be freed */
    uint32_t piece_count, piece_capacity;
    bool failed; /* no memory; the verdict must not be told */
} deja__box;

deja__box *deja__box_create(void); /* NULL: no memory */
void deja__box_destroy(deja__box *box);
/* Copies that live as long as the box; NULL once it has failed. */
const char *deja__box_text(deja__box *box, const char *text);
const char *deja__box_print(deja__box *box, const char *format, ...) DEJA__PRINTF(2, 3);
/* So many hex digits. */
const char *deja__box_hex(deja__box *box, uint64_t number, uint32_t digits);
void deja__box_remark(deja__box *box, const char *format, ...) DEJA__PRINTF(2, 3);
/* Beyond what there is room for, it is counted. */
void deja__box_field(deja__box *box, const char *path, const char *expected, const char *actual);
/* Room for so many steps before. */
deja_verdict_step *deja__box_steps(deja__box *box, uint32_t count);

#endif
