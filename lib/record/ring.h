/* SPDX-License-Identifier: MIT */
/*
 * The steps of one block while they are being recorded, by column.
 *
 *     commands       canonical bytes, one behind another
 *     command_ends   u32 a step: where its command ends
 *     results        u32 a step
 *     trail          u64 a hashed step: its cut hash
 *     chain          after the last hashed step
 *     event_chain    after the last step
 *     begun          commands that are logged
 *     count          steps that are finished; stored last, with release order
 *
 * A step is logged in two halves: deja__ring_begin() before apply runs, deja__ring_end() after it.
 * Whatever is read up to `count` is whole at any instant, and a command beyond it (begun is then
 * count + 1) is one that was not seen to return. The columns hold no pointers, so they can as well
 * lie in a file that is mapped.
 *
 * Memory: columns of a fixed width are allocated in full and touched when the ring is opened, so a
 * step has no page fault and asks nobody for memory. Only the bytes of the commands grow, by
 * doubling, since no number says beforehand how long they are; a block's never pass
 * DEJA__RING_BYTES_MAX.
 */
#ifndef DEJA_RECORD_RING_H
#define DEJA_RECORD_RING_H

#include <deja/store.h>
#include <stdatomic.h>

#include "base/base.h"

/* Room for four bytes a command to begin with. */
enum { DEJA__RING_BYTES_FIRST = 4 * DEJA__BLOCK_STEPS };
/* Bytes of the commands of one block. */
#define DEJA__RING_BYTES_MAX ((uint64_t)1 << 29)

typedef struct deja__ring {
    deja_buffer commands; /* the codec appends here, then begin is called */
    uint32_t *command_ends;
    uint32_t *results;
    uint64_t *trail;
    uint64_t first; /* the step of the first command */
    uint64_t chain;
    uint64_t event_chain;
    uint32_t trail_count;
    uint32_t begun;
    _Atomic uint32_t count;
} deja__ring;

/* All zero before. On failure nothing is left to release. */
deja_code deja__ring_open(deja__ring *ring, deja_error *err);
void deja__ring_release(deja__ring *ring);

/* Empties it for a new session, whose chains begin with these. */
void deja__ring_start(deja__ring *ring, uint64_t chain, uint64_t event_chain);
/* Empties it for the next block of the same session. */
void deja__ring_next(deja__ring *ring);

/* The command whose bytes were appended to `commands` is now logged. DEJA_ELIMIT: there are too
 * many bytes; then they are dropped. */
deja_code deja__ring_begin(deja__ring *ring, deja_error *err);
/* Takes back the command that was begun last, and whatever was appended behind it. */
void deja__ring_drop(deja__ring *ring);

static inline uint32_t deja__ring_count(const deja__ring *ring)
{
    return atomic_load_explicit(&ring->count, memory_order_relaxed);
}

static inline bool deja__ring_is_full(const deja__ring *ring)
{
    return deja__ring_count(ring) == DEJA__BLOCK_STEPS;
}

/* The step is finished. The chains of the ring must be up to date. */
static inline void deja__ring_end(deja__ring *ring, uint32_t result)
{
    const uint32_t place = deja__ring_count(ring);
    ring->results[place] = result;
    atomic_store_explicit(&ring->count, place + 1, memory_order_release);
}

/* The cut hash of the step that is about to end. */
static inline void deja__ring_hash(deja__ring *ring, uint64_t cut)
{
    ring->trail[ring->trail_count++] = cut;
}

/* What is in it as the store takes it; borrowed until the ring changes. A command that was begun
 * and has not ended is left out, or, with `begun`, is in it as the last. */
void deja__ring_steps(const deja__ring *ring, bool begun, deja_steps *steps);

#endif
