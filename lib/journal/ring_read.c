/* SPDX-License-Identifier: MIT */
/*
 * Who folds a ring that is being written: records as they become whole, segments back when they are
 * no longer needed.
 *
 * Marks are only held to be there or not: this is the memory of the process that stores them.
 */
#include "journal/ring.h"

#include "journal/read.h"

static uint32_t load_mark(const unsigned char *source)
{
    unsigned char bytes[4];
    const uint32_t word = __atomic_load_n((const uint32_t *)(const void *)source, __ATOMIC_ACQUIRE);
    memcpy(bytes, &word, sizeof bytes);
    return deja__load32(bytes);
}

static const unsigned char *memory_of(const deja__ring *ring, uint64_t segment)
{
    return ring->slots[ring->slot_of[segment % DEJA__RING_SLOTS_MAX]];
}

/* Goes on to the next segment, where that is begun. */
static bool go_on(deja__ring *ring)
{
    if (atomic_load_explicit(&ring->segments_begun, memory_order_acquire) <= ring->reading + 1)
        return false;
    ring->reading++;
    ring->read_at = DEJA__JOURNAL_SEGMENT;
    return true;
}

static void fill(deja__journal_record *record, const unsigned char *at)
{
    memset(record, 0, sizeof *record);
    record->kind = (enum deja__journal_kind)at[12];
    record->done = true;
    record->flag = at[13];
    record->has_events = at[13] == DEJA__JOURNAL_HAS_EVENTS;
    record->result = deja__load16(at + 14);
    record->hash = deja__load64(at + 16);
    record->event_hash = deja__load64(at + 24);
    record->bytes = (deja_span){ at + DEJA__JOURNAL_RECORD, deja__load32(at + 8) };
}

/* With the parts that came before; false: no memory. */
static bool join(deja__ring *ring, deja__journal_record *record)
{
    const bool carries = record->kind == DEJA__JOURNAL_STEP || record->kind == DEJA__JOURNAL_PART ||
                         record->kind == DEJA__JOURNAL_SESSION;
    if (!carries) /* there was no room for the rest */
        deja_buffer_clear(&ring->parts);
    if (ring->parts.size == 0)
        return true;
    if (!deja_buffer_add(&ring->parts, record->bytes.bytes, record->bytes.size)) {
        ring->parts.failed = false;
        return false;
    }
    record->bytes = (deja_span){ ring->parts.bytes, ring->parts.size };
    return true;
}

bool deja__ring_read(deja__ring *ring, deja__journal_record *record, uint64_t *place, bool *failed)
{
    *failed = false;
    if (ring->parts_told) {
        deja_buffer_clear(&ring->parts);
        ring->parts_told = false;
    }
    for (;;) {
        if (ring->segment_size - ring->read_at < DEJA__JOURNAL_RECORD) {
            if (!go_on(ring))
                return false;
            continue;
        }
        const unsigned char *at = memory_of(ring, ring->reading) + ring->read_at;
        if (load_mark(at) == 0 || load_mark(at + 4) == 0)
            return false;
        fill(record, at);
        if (record->kind == DEJA__JOURNAL_NEXT) {
            if (!go_on(ring))
                return false;
            continue;
        }
        if (ring->parts.size == 0)
            ring->parts_place = deja__ring_place_read(ring);
        *failed = !join(ring, record);
        if (!*failed && record->kind == DEJA__JOURNAL_PART && ring->parts.size == 0)
            *failed = !deja_buffer_add(&ring->parts, record->bytes.bytes, record->bytes.size);
        if (*failed) {
            ring->parts.failed = false;
            return false;
        }
        ring->read_at += DEJA__JOURNAL_RECORD + (deja__load32(at + 8) + UINT64_C(7)) / 8 * 8;
        if (record->kind == DEJA__JOURNAL_PART)
            continue;
        *place = ring->parts_place;
        ring->parts_told = true;
        return true;
    }
}

static unsigned char *slot_of(const deja__ring *ring, uint64_t segment)
{
    return ring->slots[ring->slot_of[segment % DEJA__RING_SLOTS_MAX]];
}

/* Whether nothing of them is found any more, also after a power cut: a segment that still had its
 * header, and not all of what was behind it, would be a session that never was. */
static bool drop(deja__ring *ring, uint64_t until)
{
    for (uint64_t n = ring->freed; n < until; n++)
        memset(slot_of(ring, n), 0, DEJA__JOURNAL_SEGMENT);
    return deja__ring_sync_bytes(ring);
}

void deja__ring_free(deja__ring *ring, uint64_t place, bool now)
{
    uint64_t until = ring->freed;
    while (until < ring->reading && (until + 2) * ring->segment_size <= place)
        until++;
    const uint64_t count = until - ring->freed;
    const uint64_t used =
        atomic_load_explicit(&ring->segments_begun, memory_order_relaxed) - ring->freed;
    now |= used + 1 >= ring->slot_count; /* who plays has none, or the last one */
    if (count == 0 || (!now && count < (ring->slot_count + 1) / 2) || !drop(ring, until))
        return;
    for (; ring->freed < until; ring->freed++) {
        memset(slot_of(ring, ring->freed), 0, ring->segment_size);
        const uint64_t freed = atomic_load_explicit(&ring->slots_freed, memory_order_relaxed);
        ring->free_slots[freed % DEJA__RING_SLOTS_MAX] =
            ring->slot_of[ring->freed % DEJA__RING_SLOTS_MAX];
        atomic_store_explicit(&ring->slots_freed, freed + 1, memory_order_release);
    }
}
