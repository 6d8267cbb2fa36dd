/* SPDX-License-Identifier: MIT */
/*
 * Short sessions into packs.
 *
 * Each that waits is looked up again, for other processes write, too. New ones go into packs of
 * sessions and packs of recordings; those whose session is there into packs of recordings alone. A
 * pack holds sessions of one setting that were recorded within 65,535 seconds of its first: up to
 * 1,024 of them, with up to 16,384 steps. One that begins in the middle has a pack of its own.
 */
#include "store/commands.h"
#include "store/gather.h"

#include <stdlib.h>

enum { GROUPS = 8 };
#define GROUP_BYTES ((uint64_t)64 << 20)

/* A pack that is being put together. */
typedef struct group {
    deja_writer *members[DEJA__PACK_MAX];
    uint32_t count;
    uint64_t steps;
    uint64_t bytes;
    uint64_t marks;
} group;

typedef struct flushing {
    deja_store *store;
    bool again; /* recordings of sessions that are there */
    group groups[GROUPS];
    uint32_t next; /* the one that goes where there is no room */
} flushing;

/* ---- rows ---- */

static deja_code insert_sessions(deja_store *store, const group *g, const deja__setting_ids *ids,
                                 deja_error *err)
{
    deja__gather *gather = store->gather;
    deja_buffer *values = &gather->joined[0];
    deja_buffer *ends = &gather->joined[1];
    deja__row row = { .key = store->tallies[DEJA__SESSION_PACKS].next };
    deja_buffer_clear(values);
    deja_buffer_clear(ends);
    for (uint32_t i = 0; i < g->count; i++) {
        deja_writer *member = g->members[i];
        const uint32_t before = (uint32_t)values->size;
        member->session_key = row.key * DEJA__PACK_MAX + i;
        deja_buffer_add(values, member->commands.bytes, member->commands.size);
        for (uint32_t k = 0; k < member->tail; k++) {
            const uint32_t end = before + deja__end_at(&member->ends, k);
            deja_buffer_add(ends, &end, sizeof end);
        }
    }
    if (values->failed || ends->failed)
        return deja__fail_memory(err);
    const deja_span all = { values->bytes, values->size };
    deja_buffer_clear(&gather->encoded);
    deja_code code =
        deja__commands_encode(g->members[0]->setting->command, all, deja__ends(ends),
                              (uint32_t)(ends->size / sizeof(uint32_t)), &gather->encoded, err);
    const deja_span encoded = { gather->encoded.bytes, gather->encoded.size };
    if (code == DEJA_OK)
        code = deja__commands_insert(store, DEJA__PART_KEY(row.key, 0), encoded, err);
    if (code == DEJA_OK && g->members[0]->start_layout.size)
        code = deja__start_insert(store, row.key, g->members[0], err);
    if (code == DEJA_OK)
        code = deja__session_row(store, g->members, g->count, false, ids, &gather->joined[2],
                                 &gather->joined[3], &row, err);
    return code == DEJA_OK ? deja__row_insert(store, DEJA__SESSION_PACKS, &row, err) : code;
}

static deja_code insert_recordings(deja_store *store, const group *g, const deja__setting_ids *ids,
                                   deja_error *err)
{
    deja_buffer *results = &store->gather->joined[0];
    deja_buffer *trail = &store->gather->joined[1];
    deja__row row = { .key = store->tallies[DEJA__RECORDING_PACKS].next };
    const bool alone = g->count == 1;
    int64_t marks = 0;
    int64_t sections = 0;
    deja_buffer_clear(results);
    deja_buffer_clear(trail);
    for (uint32_t i = 0; i < g->count; i++) {
        deja_buffer_add(results, g->members[i]->results.bytes, g->members[i]->results.size);
        deja_buffer_add(trail, g->members[i]->trail.bytes, g->members[i]->trail.size);
    }
    if (results->failed || trail->failed)
        return deja__fail_memory(err);
    const deja_span bytes = { trail->bytes, trail->size };
    deja_code code = deja__results_insert(
        store, DEJA__PART_KEY(row.key, 0), (const uint32_t *)(const void *)results->bytes,
        (uint32_t)g->steps, bytes, alone ? g->members[0]->now.chain : 0,
        alone ? g->members[0]->now.event_chain : 0, err);
    deja_buffer_clear(results);
    for (uint32_t i = 0; i < g->count && code == DEJA_OK; i++)
        code =
            deja__notes_insert(store, row.key, g->members[i], i, UINT64_MAX, &marks, results, err);
    if (code == DEJA_OK)
        code = deja__sections_insert(store, row.key, &sections, results, err);
    if (code == DEJA_OK)
        code = deja__recording_row(g->members, g->count, ids, &store->gather->joined[2], &row, err);
    deja__cell_number(&row, DEJA__R_MARKS, marks);
    deja__cell_number(&row, DEJA__R_SECTIONS, sections);
    return code == DEJA_OK ? deja__row_insert(store, DEJA__RECORDING_PACKS, &row, err) : code;
}

/* ---- putting packs together ---- */

/* Writes a pack, and empties the group. */
static deja_code emit(flushing *f, group *g, deja_error *err)
{
    deja__setting_ids ids;
    if (g->count == 0)
        return DEJA_OK;
    deja_code code = deja__setting_intern(f->store, g->members[0]->setting, &ids, err);
    if (code == DEJA_OK && !f->again)
        code = insert_sessions(f->store, g, &ids, err);
    if (code == DEJA_OK)
        code = insert_recordings(f->store, g, &ids, err);
    memset(g, 0, sizeof *g);
    return code;
}

static bool is_near(const deja_writer *writer, int64_t base)
{
    /* Without a difference, which could be too large for a number. */
    return writer->recorded_at >= base &&
           (base > INT64_MAX - UINT16_MAX || writer->recorded_at <= base + UINT16_MAX);
}

static uint64_t mark_count(const deja_writer *writer)
{
    return writer->marks.size / sizeof(deja__note);
}

static bool fits(const group *g, const deja_writer *writer)
{
    const deja_writer *first = g->members[0];
    return g->count < DEJA__PACK_MAX && g->steps + writer->now.steps <= DEJA__BLOCK_STEPS &&
           g->bytes + writer->commands.size <= GROUP_BYTES &&
           g->marks + mark_count(writer) <= (uint64_t)DEJA__PARTS_MAX &&
           is_near(writer, first->recorded_at) && !first->start_layout.size &&
           !writer->start_layout.size;
}

static deja_code put(flushing *f, deja_writer *writer, deja_error *err)
{
    group *g = NULL;
    for (uint32_t i = 0; i < GROUPS && !g; i++)
        if (f->groups[i].count && f->groups[i].members[0]->setting == writer->setting)
            g = &f->groups[i];
    if (!g) {
        g = &f->groups[f->next];
        f->next = (f->next + 1) % GROUPS;
        const deja_code code = emit(f, g, err);
        if (code < 0)
            return code;
    } else if (!fits(g, writer)) {
        const deja_code code = emit(f, g, err);
        if (code < 0)
            return code;
    }
    g->members[g->count++] = writer;
    g->steps += writer->now.steps;
    g->bytes += writer->commands.size;
    g->marks += mark_count(writer);
    return DEJA_OK;
}

static deja_code emit_all(flushing *f, deja_error *err)
{
    deja_code code = DEJA_OK;
    for (uint32_t i = 0; i < GROUPS && code == DEJA_OK; i++)
        code = emit(f, &f->groups[(f->next + i) % GROUPS], err);
    return code;
}

/* ---- what is new ---- */

/* What the store knows by now of one that waits. */
static deja_code resolve(deja_store *store, deja_writer *writer, deja_error *err)
{
    writer->drop = false;
    deja_code code =
        deja__catalog_key_of(store->catalog, &writer->now.id, &writer->session_key, err);
    writer->again = writer->session_key != 0 || writer->twin;
    if (code == DEJA_OK && writer->session_key)
        code = deja__writer_is_known(writer, writer->session_key, &writer->drop, err);
    return code;
}

static deja_code write_packs(flushing *f, deja_error *err)
{
    const deja__gather *gather = f->store->gather;
    deja_code code = deja__catalog_refresh(f->store, err);
    for (uint32_t i = 0; i < gather->count && code == DEJA_OK; i++)
        if (!deja__writer_is_long(gather->queue[i]))
            code = resolve(f->store, gather->queue[i], err);
    for (uint32_t i = 0; i < gather->count && code == DEJA_OK; i++)
        if (!deja__writer_is_long(gather->queue[i]) && !gather->queue[i]->again)
            code = put(f, gather->queue[i], err);
    if (code == DEJA_OK)
        code = emit_all(f, err);
    f->again = true;
    for (uint32_t i = 0; i < gather->count && code == DEJA_OK; i++) {
        deja_writer *writer = gather->queue[i];
        if (deja__writer_is_long(writer) || !writer->again || writer->drop)
            continue;
        if (!writer->session_key) /* its twin comes before it, and has one by now */
            writer->session_key = writer->twin->session_key;
        code = put(f, writer, err);
    }
    return code == DEJA_OK ? emit_all(f, err) : code;
}

deja_code deja__packs_write(deja_store *store, deja_error *err)
{
    flushing *f = calloc(1, sizeof *f);
    if (!f)
        return deja__fail_memory(err);
    f->store = store;
    const deja_code code = write_packs(f, err);
    free(f);
    return code;
}
