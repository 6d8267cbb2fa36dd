/* SPDX-License-Identifier: MIT */
/*
 * What becomes of a recorder's journal while it is written: its records are folded into a store.
 *
 *     by itself     a thread with a store handle of its own, which polls: a step wakes nobody, as
 *                   that would take it longer than all the rest. It sleeps as long as an eighth of
 *                   the ring takes to fill at the rate of late, 0.2 to 20 ms; all signals are
 * blocked
 *     when asked    in the caller's thread, into the caller's handle: for games without anybody who
 *                   waits for them, as bots' are. Where the ring has no room it is folded then
 *
 * What the store does not take (a full disk, a lock) stays in the journal and is tried again. What
 * is there at the end stays there as a file, which the next writer of the store folds.
 */
#ifndef DEJA_RECORD_FOLDER_H
#define DEJA_RECORD_FOLDER_H

#include <pthread.h>

#include "journal/ring.h"
#include "store/fold.h"

typedef struct deja__folder {
    deja_store *store;
    deja__ring *ring;
    deja__fold *fold;
    deja__journal_record record; /* that was read and is not taken yet */
    uint64_t place;
    bool has_record;
    bool waits; /* who plays waits for room */

    bool threaded;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_cond_t done;
    bool stop;
    bool asked; /* to catch up */
    uint32_t how;
    bool answered; /* it has; `code` and `why` say how that went */
    deja_code code;
    deja_error why;
} deja__folder;

typedef struct deja__folder_options {
    const char *folder; /* of the journal; NULL: beside the store */
    deja__ring_size size;
    bool threaded;
    bool waits;
} deja__folder_options;

/* Makes a journal beside the store. @param store open for writing; with a thread only its path is
 * used, else it is borrowed */
deja_code deja__folder_open(deja__folder **out, deja_store *store,
                            const deja__folder_options *options, deja_error *err);
/* What the store does not take stays in the journal, and the message says where that is. NULL is
 * fine; in a forked child nothing is done.
 * @param[out] id of the last session, where the store has it; may be NULL */
deja_code deja__folder_close(deja__folder *folder, deja_id *id, deja_error *err);

enum {
    DEJA__FOLD_ALL = 0,    /* that is in the journal */
    DEJA__FOLD_FINISH = 1, /* and end the session, whatever it lacks */
    DEJA__FOLD_OR_DROP = 2 /* all; and where it cannot be taken, drop it */
};
/* Folds what is in the journal. */
deja_code deja__folder_catch_up(deja__folder *folder, uint32_t how, deja_error *err);
/* Why the store takes nothing at the moment; DEJA_OK: it does. */
deja_code deja__folder_trouble(deja__folder *folder, deja_error *err);

#endif
