/* SPDX-License-Identifier: MIT */
/*
 * See folder.h.
 */
#include "record/folder.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

enum {
    POLL_LEAST = 200000,     /* ns */
    POLL_MOST = 20000000,    /* ns: 8 MiB then take 400 MB/s */
    POLL_TROUBLE = 100000000 /* ns, where the store takes nothing */
};

/* ---- folding ---- */

/* Takes what is whole; *bytes: how much that was. */
static deja_code pump(deja__folder *folder, uint64_t *bytes, deja_error *err)
{
    deja__ring *ring = folder->ring;
    const uint64_t before = deja__ring_place_read(ring);
    deja_code code = DEJA_OK;
    while (code == DEJA_OK) {
        bool failed = false;
        if (!folder->has_record)
            folder->has_record = deja__ring_read(ring, &folder->record, &folder->place, &failed);
        if (failed)
            code = deja__fail_memory(err);
        if (code < 0 || !folder->has_record)
            break;
        code = deja__fold_take(folder->fold, &folder->record, folder->place, err);
        folder->has_record = code < 0;
    }
    const uint64_t read = folder->has_record ? folder->place : deja__ring_place_read(ring);
    deja__ring_free(ring, deja__fold_needs(folder->fold, read), false);
    *bytes = deja__ring_place_read(ring) - before;
    return code;
}

/* All of it, and what is gathered. */
static deja_code settle(deja__folder *folder, uint32_t how, deja_error *err)
{
    uint64_t bytes;
    deja_code code = pump(folder, &bytes, err);
    if (code < 0 && how == DEJA__FOLD_OR_DROP)
        folder->has_record = false;
    if (code == DEJA_OK && how == DEJA__FOLD_FINISH)
        code = deja__fold_end(folder->fold, err);
    if (code == DEJA_OK && folder->threaded)
        code = deja_store_flush(folder->store, err);
    return code;
}

/* ---- the thread ---- */

/* How long to sleep for an eighth of the ring to fill. */
static uint64_t next_pause(const deja__folder *folder, uint64_t pause, uint64_t bytes)
{
    const uint64_t eighth = (uint64_t)folder->ring->segment_size * folder->ring->slot_count / 8;
    if (bytes == 0)
        return 2 * pause < POLL_MOST ? 2 * pause : POLL_MOST;
    const double wanted = (double)pause * (double)eighth / (double)bytes;
    return wanted < POLL_LEAST ? POLL_LEAST : wanted > POLL_MOST ? POLL_MOST : (uint64_t)wanted;
}

static void pause_for(deja__folder *folder, uint64_t nanoseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(nanoseconds % 1000000000);
    until.tv_sec += (time_t)(nanoseconds / 1000000000) + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    (void)pthread_cond_timedwait(&folder->wake, &folder->lock, &until);
}

/* Answers who waits, in the lock. */
static void answer(deja__folder *folder)
{
    const uint32_t how = folder->how;
    deja_error why;
    (void)pthread_mutex_unlock(&folder->lock);
    const deja_code code = settle(folder, how, &why);
    (void)pthread_mutex_lock(&folder->lock);
    folder->code = code;
    if (code < 0)
        folder->why = why;
    folder->asked = false;
    folder->answered = true;
    (void)pthread_cond_signal(&folder->done);
}

static void *fold_along(void *user)
{
    deja__folder *folder = user;
    uint64_t pause = POLL_LEAST;
    (void)pthread_mutex_lock(&folder->lock);
    while (!folder->stop) {
        uint64_t bytes = 0;
        deja_error why;
        if (folder->asked) {
            answer(folder);
            continue;
        }
        (void)pthread_mutex_unlock(&folder->lock);
        const deja_code code = pump(folder, &bytes, &why);
        (void)pthread_mutex_lock(&folder->lock);
        folder->code = code;
        if (code < 0)
            folder->why = why;
        pause = next_pause(folder, pause, bytes);
        if (!folder->asked && !folder->stop)
            pause_for(folder, code < 0 ? POLL_TROUBLE : pause);
    }
    (void)pthread_mutex_unlock(&folder->lock);
    return NULL;
}

/* Signals are the game's: none is delivered here. */
static bool start_thread(deja__folder *folder)
{
    pthread_condattr_t clock;
    sigset_t all, before;
    if (pthread_condattr_init(&clock) != 0)
        return false;
    (void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    (void)pthread_mutex_init(&folder->lock, NULL);
    (void)pthread_cond_init(&folder->wake, &clock);
    (void)pthread_cond_init(&folder->done, NULL);
    (void)pthread_condattr_destroy(&clock);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    folder->threaded = pthread_create(&folder->thread, NULL, fold_along, folder) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!folder->threaded) {
        (void)pthread_mutex_destroy(&folder->lock);
        (void)pthread_cond_destroy(&folder->wake);
        (void)pthread_cond_destroy(&folder->done);
    }
    return folder->threaded;
}

static void stop_thread(deja__folder *folder)
{
    (void)pthread_mutex_lock(&folder->lock);
    folder->stop = true;
    (void)pthread_cond_signal(&folder->wake);
    (void)pthread_mutex_unlock(&folder->lock);
    (void)pthread_join(folder->thread, NULL);
    (void)pthread_mutex_destroy(&folder->lock);
    (void)pthread_cond_destroy(&folder->wake);
    (void)pthread_cond_destroy(&folder->done);
}

/* ---- who plays has no room ---- */

/* In the thread that plays: folds, where nobody else does. */
static bool make_room(void *user)
{
    deja__folder *folder = user;
    uint64_t bytes;
    if (folder->threaded) {
        const uint64_t freed = atomic_load(&folder->ring->slots_freed);
        while (folder->waits && atomic_load(&folder->ring->slots_freed) == freed &&
               deja__folder_catch_up(folder, DEJA__FOLD_ALL, NULL) == DEJA_OK) {
            if (atomic_load(&folder->ring->slots_freed) == freed)
                return false; /* a block has to fit: it grows */
        }
        return atomic_load(&folder->ring->slots_freed) != freed;
    }
    const uint64_t before = folder->ring->freed;
    folder->code = pump(folder, &bytes, &folder->why);
    if (folder->code == DEJA_OK && folder->ring->freed == before) {
        folder->code = deja_store_flush(folder->store, &folder->why);
        deja__ring_free(folder->ring,
                        deja__fold_needs(folder->fold, deja__ring_place_read(folder->ring)), true);
    }
    return folder->ring->freed != before;
}

/* What is in the store as a whole is on the disk as a whole before: a beginning of it, found after
 * a power cut, would look like another session, that was cut short. */
static bool sync_journal(void *user)
{
    const deja__folder *folder = user;
    return deja__ring_sync_bytes(folder->ring);
}

/* ---- opening and closing ---- */

static deja_code open_all(deja__folder *folder, deja_store *store,
                          const deja__folder_options *options, deja_error *err)
{
    const char *path = sqlite3_db_filename(store->db, "main");
    deja_code code = DEJA_OK;
    if (store->mode == DEJA_STORE_READ)
        return deja__store_fail(store, deja__fail(err, DEJA_EMISUSE, "is open for reading only"),
                                err);
    code = deja__ring_open(&folder->ring, path, &options->size, options->folder, err);
    if (!options->threaded)
        folder->store = store;
    else if (code == DEJA_OK)
        code = deja_store_open(&folder->store, path, DEJA_STORE_APPEND, err);
    if (code == DEJA_OK)
        code = deja__fold_open(&folder->fold, folder->store, folder->ring->number, err);
    if (code < 0)
        return code;
    folder->waits = options->waits;
    folder->store->before_flush = sync_journal;
    folder->store->before_flush_user = folder;
    folder->ring->make_room = make_room;
    folder->ring->user = folder;
    if (options->threaded && !start_thread(folder))
        return deja__fail(err, DEJA_ENOMEM, "there is no thread for the recorder");
    return DEJA_OK;
}

deja_code deja__folder_open(deja__folder **out, deja_store *store,
                            const deja__folder_options *options, deja_error *err)
{
    *out = NULL;
    deja__folder *folder = calloc(1, sizeof *folder);
    if (!folder)
        return deja__fail_memory(err);
    const deja_code code = open_all(folder, store, options, err);
    if (code < 0) {
        deja__fold_close(folder->fold);
        deja__ring_close(folder->ring, false);
        if (options->threaded)
            deja__store_let_go(folder->store);
        free(folder);
        return code;
    }
    *out = folder;
    return DEJA_OK;
}

deja_code deja__folder_close(deja__folder *folder, deja_id *id, deja_error *err)
{
    deja_error why;
    if (!folder)
        return DEJA_OK;
    if (deja__ring_in_child(folder->ring)) {
        /* The thread is not here, and its handle, locks and files are the parent's. */
        deja__ring_close(folder->ring, true);
        return DEJA_OK;
    }
    const bool threaded = folder->threaded;
    if (threaded)
        stop_thread(folder);
    deja_code code = settle(folder, DEJA__FOLD_FINISH, &why);
    if (code == DEJA_OK)
        code = deja_store_flush(folder->store, &why);
    const bool keep = code < 0 || folder->fold->lost_place != UINT64_MAX;
    if (code < 0 && err)
        deja__fail(err, code, "%.300s; what is not in the store is kept in %s", why.message,
                   folder->ring->path);
    if (code == DEJA_OK && id && folder->fold->sessions == folder->ring->session)
        *id = folder->fold->id;
    folder->store->before_flush = NULL;
    deja__fold_close(folder->fold);
    if (threaded)
        deja__store_let_go(folder->store);
    deja__ring_close(folder->ring, keep);
    free(folder);
    return code;
}

deja_code deja__folder_catch_up(deja__folder *folder, uint32_t how, deja_error *err)
{
    if (!folder->threaded)
        return settle(folder, how, err);
    (void)pthread_mutex_lock(&folder->lock);
    folder->asked = true;
    folder->how = how;
    folder->answered = false;
    (void)pthread_cond_signal(&folder->wake);
    while (!folder->answered)
        (void)pthread_cond_wait(&folder->done, &folder->lock);
    const deja_code code = folder->code;
    if (code < 0 && err)
        *err = folder->why;
    (void)pthread_mutex_unlock(&folder->lock);
    return code;
}

deja_code deja__folder_trouble(deja__folder *folder, deja_error *err)
{
    if (folder->threaded)
        (void)pthread_mutex_lock(&folder->lock);
    const deja_code code = folder->code;
    if (code < 0 && err)
        *err = folder->why;
    if (folder->threaded)
        (void)pthread_mutex_unlock(&folder->lock);
    return code;
}
