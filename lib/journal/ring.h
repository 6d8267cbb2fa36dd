/* SPDX-License-Identifier: MIT */
/*
 * The ring: the journal that a recorder writes beside its store. Normative: schemas/journal.md.
 *
 *     who plays    deja__ring_begin(), deja__ring_end() and the rest: one thread
 *     who folds    deja__ring_read(), deja__ring_free(): one thread, which may be another
 *
 * A record is whole when its marks are there, which are stored last, with release order; so who
 * folds needs to know of nothing but the marks, like who reads what a dead process left.
 *
 * All segments are allocated, mapped and touched before the first step, so that a step makes no
 * system call. Where none is free the ring grows by one, up to its most, which does make some; a
 * ring of the usual size only grows where commands are large, for a block of 16,384 steps has to
 * fit. Beyond that there is no room: the caller is asked to make some, or the ring is full.
 *
 * A forked child has none of this memory, so it must not write: a page that the system empties in a
 * child tells it, however it was made.
 */
#ifndef DEJA_JOURNAL_RING_H
#define DEJA_JOURNAL_RING_H

#include <deja/buffer.h>
#include <deja/error.h>
#include <stdatomic.h>

#include "journal/format.h"

enum { DEJA__RING_SLOTS_MAX = 1024 };

typedef struct deja__ring_size {
    uint32_t segment; /* bytes: a power of two. 2 MiB are one page of the system's, if it likes */
    uint32_t slots;   /* segments to begin with, 2 or more */
    uint32_t most;    /* segments that it may grow to */
} deja__ring_size;

typedef struct deja__ring {
    int descriptor;
    char *path;
    deja_buffer made; /* its name while it is being made, where it has one */
    bool has_name;    /* `path` */
    uint64_t number;
    volatile unsigned char *alive; /* empty in a forked child */
    uint32_t segment_size;
    uint32_t slots_most;
    bool (*make_room)(void *user); /* of who plays, where no segment is free; NULL: nobody can */
    void *user;

    /* who plays */
    _Atomic uint32_t slot_count;
    unsigned char *memory; /* of the segment at hand */
    uint64_t segment;      /* its number */
    uint64_t place;        /* of its first byte */
    uint64_t at;           /* in it, of the next record */
    unsigned char *begun;  /* the record of the step that runs; NULL between steps */
    uint64_t begun_sum;
    bool is_named; /* its name is on the disk */
    uint64_t session;
    uint64_t steps; /* of the session: finished and not taken back */

    /* both: slots of segments by number mod SLOTS_MAX, and slots that are free */
    unsigned char *slots[DEJA__RING_SLOTS_MAX];
    uint16_t slot_of[DEJA__RING_SLOTS_MAX];
    uint16_t free_slots[DEJA__RING_SLOTS_MAX];
    _Atomic uint64_t segments_begun;
    _Atomic uint64_t slots_freed;
    uint64_t slots_taken; /* who plays */

    /* who folds */
    uint64_t reading; /* segment */
    uint64_t read_at; /* in it */
    uint64_t freed;   /* segments below are free */
    deja_buffer parts;
    uint64_t parts_place; /* of the first of them */
    bool parts_told;
} deja__ring;

/* What a record says; bytes are borrowed until the next one is read or its segment is freed. */
typedef struct deja__journal_record deja__journal_record;

/**
 * Makes a journal; it is locked as long as this process holds it.
 * @param[out] out released with deja__ring_close()
 * @param store    path of the store, absolute
 * @param folder   where the journal is to be; NULL: beside the store
 */
deja_code deja__ring_open(deja__ring **out, const char *store, const deja__ring_size *size,
                          const char *folder, deja_error *err);
/* @param keep the file stays, for it has what is not in the store yet. NULL is fine. */
void deja__ring_close(deja__ring *ring, bool keep);

/* Whether this is a child of the process that opened it. */
static inline bool deja__ring_in_child(const deja__ring *ring)
{
    return *ring->alive == 0;
}

/* ---- who plays: DEJA_OK, or DEJA_ELIMIT where there is no room and none can be made ---- */

/* A session begins. `bytes` as schemas/journal.md has them. */
deja_code deja__ring_session(deja__ring *ring, deja_span bytes, deja_error *err);
/* A step begins: its command is in the journal when this returns. */
deja_code deja__ring_begin(deja__ring *ring, const unsigned char *bytes, uint64_t size,
                           deja_error *err);
/* It is done. */
void deja__ring_end(deja__ring *ring, uint32_t result, uint64_t hash, uint64_t event_hash);
/* It did not come back as it should, and is the last. */
void deja__ring_break(deja__ring *ring);
/* A mark, a section, a rewind, an end. @param flag byte 13 */
deja_code deja__ring_log(deja__ring *ring, enum deja__journal_kind kind, uint32_t flag,
                         const char *text, uint64_t hash, deja_error *err);
/* Waits until all of it is on the disk. */
deja_code deja__ring_sync(deja__ring *ring, deja_error *err);

/* ---- who folds ---- */

/* The next record that is whole; false: there is none yet. *place is its first byte's (of a command
 * in parts, its first part's). A step that has begun and is not done is not told of.
 * DEJA_ENOMEM is told by *failed. */
bool deja__ring_read(deja__ring *ring, deja__journal_record *record, uint64_t *place, bool *failed);
/* Waits until its bytes are on the disk. */
bool deja__ring_sync_bytes(const deja__ring *ring);
/* All segments that end at or before a place may be used again. That syncs the file, so it is done
 * for half of them at once, or where `now` says so. */
void deja__ring_free(deja__ring *ring, uint64_t place, bool now);
/* The place behind what was told of. */
static inline uint64_t deja__ring_place_read(const deja__ring *ring)
{
    return ring->parts.size && !ring->parts_told
               ? ring->parts_place
               : (ring->reading + 1) * ring->segment_size + ring->read_at;
}

#endif
