/* SPDX-License-Identifier: MIT */
/*
 * Finished sessions that wait to be committed, and what writers share.
 */
#ifndef DEJA_STORE_GATHER_H
#define DEJA_STORE_GATHER_H

#include "store/writer.h"

struct deja__gather {
    deja_writer **queue;
    uint32_t count;
    uint32_t capacity;
    uint64_t steps;
    uint64_t bytes;
    deja__index ids; /* of the queue */
    deja__settings settings;
    deja__identity *spare; /* for trying what may fail; any session's */
    deja_buffer encoded;
    deja_buffer joined[4]; /* of a pack's members */
};

deja_code deja__gather_create(deja__gather **out, deja_error *err);
void deja__gather_destroy(deja__gather *gather);
uint64_t deja__gather_count(const deja__gather *gather);

/* Whether the store or the queue holds a recording equal to this one. */
deja_code deja__gather_knows(deja_store *store, deja_writer *writer, bool *known, deja_error *err);
/* Puts a finished writer into the queue, and flushes where it is long enough. On failure *taken
 * says whether it waits there all the same. */
deja_code deja__gather_add(deja_store *store, deja_writer *writer, bool *taken, deja_error *err);
/* Writes the short ones that wait; in a write transaction. */
deja_code deja__packs_write(deja_store *store, deja_error *err);
/* Commits all that waits; what fails goes on waiting. */
deja_code deja__gather_flush(deja_store *store, deja_error *err);

#endif
