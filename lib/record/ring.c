/* SPDX-License-Identifier: MIT */
/*
 * See ring.h. Everything that runs once a block, and not once a step.
 */
#include "record/ring.h"

#include <stdlib.h>

deja_code deja__ring_open(deja__ring *ring, deja_error *err)
{
    memset(ring, 0, sizeof *ring);
    ring->command_ends = malloc(DEJA__BLOCK_STEPS * sizeof *ring->command_ends);
    ring->results = malloc(DEJA__BLOCK_STEPS * sizeof *ring->results);
    ring->trail = malloc(DEJA__BLOCK_STEPS * sizeof *ring->trail);
    if (!ring->command_ends || !ring->results || !ring->trail ||
        !deja_buffer_extend(&ring->commands, DEJA__RING_BYTES_FIRST)) {
        deja__ring_release(ring);
        return deja__fail_memory(err);
    }
    memset(ring->command_ends, 0, DEJA__BLOCK_STEPS * sizeof *ring->command_ends);
    memset(ring->results, 0, DEJA__BLOCK_STEPS * sizeof *ring->results);
    memset(ring->trail, 0, DEJA__BLOCK_STEPS * sizeof *ring->trail);
    deja__ring_start(ring, 0, 0);
    return DEJA_OK;
}

void deja__ring_release(deja__ring *ring)
{
    deja_buffer_release(&ring->commands);
    free(ring->command_ends);
    free(ring->results);
    free(ring->trail);
    memset(ring, 0, sizeof *ring);
}

static void empty(deja__ring *ring)
{
    deja_buffer_clear(&ring->commands);
    ring->trail_count = 0;
    ring->begun = 0;
    atomic_store_explicit(&ring->count, 0, memory_order_release);
}

void deja__ring_start(deja__ring *ring, uint64_t chain, uint64_t event_chain)
{
    empty(ring);
    ring->first = 1;
    ring->chain = chain;
    ring->event_chain = event_chain;
}

void deja__ring_next(deja__ring *ring)
{
    ring->first += deja__ring_count(ring);
    empty(ring);
}

deja_code deja__ring_begin(deja__ring *ring, deja_error *err)
{
    const uint64_t before = ring->begun ? ring->command_ends[ring->begun - 1] : 0;
    const uint64_t size = ring->commands.size;
    if (!ring->commands.failed && size <= DEJA__RING_BYTES_MAX &&
        size - before <= DEJA__COMMAND_SIZE_MAX) {
        ring->results[ring->begun] = 0;
        ring->command_ends[ring->begun++] = (uint32_t)size;
        return DEJA_OK;
    }
    const bool failed = ring->commands.failed;
    ring->commands.failed = false;
    ring->commands.size = before;
    if (failed)
        return deja__fail_memory(err);
    if (size - before > DEJA__COMMAND_SIZE_MAX)
        return deja__fail(err, DEJA_ELIMIT, "the command has %llu bytes; the most are %llu",
                          (unsigned long long)(size - before),
                          (unsigned long long)DEJA__COMMAND_SIZE_MAX);
    return deja__fail(err, DEJA_ELIMIT, "%u commands in a row have more than %llu bytes",
                      ring->begun + 1, (unsigned long long)DEJA__RING_BYTES_MAX);
}

void deja__ring_drop(deja__ring *ring)
{
    ring->begun = deja__ring_count(ring);
    ring->commands.size = ring->begun ? ring->command_ends[ring->begun - 1] : 0;
    ring->commands.failed = false;
}

void deja__ring_steps(const deja__ring *ring, bool begun, deja_steps *steps)
{
    memset(steps, 0, sizeof *steps);
    steps->first = ring->first;
    steps->count = begun ? ring->begun : deja__ring_count(ring);
    steps->commands = ring->commands.bytes;
    steps->command_ends = ring->command_ends;
    steps->results = ring->results;
    steps->trail = ring->trail;
    steps->trail_count = ring->trail_count;
    steps->chain = ring->chain;
    steps->event_chain = ring->event_chain;
}
