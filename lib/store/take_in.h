/* SPDX-License-Identifier: MIT */
/*
 * Taking in a recorder's journal by hand: one that lies elsewhere than beside its store.
 */
#ifndef DEJA_STORE_TAKE_IN_H
#define DEJA_STORE_TAKE_IN_H

#include <deja/store.h>

/* What came of it. */
typedef struct deja__folded {
    deja_id id; /* of the last session */
    bool known;
    uint32_t ended;
    uint64_t steps;
    uint64_t sessions;
    uint64_t left_out;
    char why[128]; /* what it stops at */
} deja__folded;

/* All sessions of a ring's bytes into a store. @param store NULL: they are looked at only */
deja_code deja__journal_fold(deja_store *store, const char *name, const void *bytes, uint64_t size,
                             deja__folded *folded, deja_error *err);

#endif
