/* SPDX-License-Identifier: MIT */
/*
 * See gather.h. A flush commits what waits: the short sessions in one transaction, then each long
 * one that has ended in its own. What fails stays in the queue, in its order.
 */
#include "store/gather.h"

#include <stdlib.h>

/* What may wait, where flushes fail: after that sessions are turned away. */
enum { WAITING_MAX = 16 * DEJA__GATHER_SESSIONS };
#define FLUSH_BYTES ((uint64_t)64 << 20)
#define WAITING_BYTES_MAX ((uint64_t)256 << 20)

deja_code deja__gather_create(deja__gather **out, deja_error *err)
{
    const deja_session any = { .game = "any" };
    deja__gather *gather = calloc(1, sizeof *gather);
    *out = gather;
    if (!gather)
        return deja__fail_memory(err);
    return deja__identity_create(&gather->spare, &any, err);
}

void deja__gather_destroy(deja__gather *gather)
{
    if (!gather)
        return;
    for (uint32_t i = 0; i < gather->count; i++)
        deja__writer_destroy(gather->queue[i]);
    free(gather->queue);
    deja__index_release(&gather->ids);
    deja__settings_release(&gather->settings);
    deja__identity_destroy(gather->spare);
    deja_buffer_release(&gather->encoded);
    for (int i = 0; i < 4; i++)
        deja_buffer_release(&gather->joined[i]);
    free(gather);
}

uint64_t deja__gather_count(const deja__gather *gather)
{
    return gather->count;
}

/* ---- the queue ---- */

static uint64_t hash_of(const deja_writer *writer)
{
    return deja__load64(writer->now.id.bytes);
}

/* The first in the queue that is this session; *same: its recording is equal, or another's is. */
static deja_writer *find_twin(const deja__gather *gather, const deja_writer *writer, bool *same)
{
    deja_writer *first = NULL;
    uint64_t at = 0;
    uint32_t place;
    *same = false;
    while ((place = deja__index_next(&gather->ids, hash_of(writer), &at)) != DEJA__NOWHERE) {
        deja_writer *other = gather->queue[place];
        if (memcmp(other->now.id.bytes, writer->now.id.bytes, 16) != 0 ||
            deja__writer_is_long(other))
            continue;
        if (!first)
            first = other;
        *same |= deja__writer_is_twin(other, writer);
    }
    return first;
}

deja_code deja__gather_knows(deja_store *store, deja_writer *writer, bool *known, deja_error *err)
{
    int64_t key = 0;
    deja_code code = DEJA_OK;
    *known = false;
    writer->twin = deja__writer_is_long(writer) ? NULL : find_twin(store->gather, writer, known);
    if (*known)
        return DEJA_OK;
    /* Others' sessions are looked for once a batch; the flush looks again. */
    if (store->gather->count == 0 || !store->catalog->fresh)
        code = deja__catalog_look(store, err);
    if (code == DEJA_OK)
        code = deja__catalog_key_of(store->catalog, &writer->now.id, &key, err);
    return code == DEJA_OK && key ? deja__writer_is_known(writer, key, known, err) : code;
}

static uint64_t bytes_of(const deja_writer *writer)
{
    return sizeof *writer + writer->commands.capacity + writer->ends.capacity +
           writer->results.capacity + writer->trail.capacity + writer->config.capacity +
           writer->start_block.capacity + writer->marks.capacity + writer->mark_texts.capacity +
           writer->sections.capacity + writer->section_names.capacity;
}

deja_code deja__gather_add(deja_store *store, deja_writer *writer, bool *taken, deja_error *err)
{
    deja__gather *gather = store->gather;
    *taken = false;
    if (gather->count >= WAITING_MAX || gather->bytes >= WAITING_BYTES_MAX) {
        const deja_code code = deja__gather_flush(store, err);
        if (code < 0)
            return deja__fail_within(err, code,
                                     "a session is lost, for too many wait to be stored");
    }
    deja_writer **queue =
        deja__grow(gather->queue, sizeof(deja_writer *), gather->count, &gather->capacity);
    if (!queue)
        return deja__fail_memory(err);
    gather->queue = queue;
    if (!deja__index_add(&gather->ids, hash_of(writer), gather->count))
        return deja__fail_memory(err);
    queue[gather->count++] = writer;
    gather->steps += writer->now.steps;
    gather->bytes += bytes_of(writer);
    *taken = true;
    /* The id is known, and no more steps come. */
    deja__identity_destroy(writer->identity);
    writer->identity = NULL;
    if (gather->steps >= DEJA__BLOCK_STEPS || gather->count >= DEJA__GATHER_SESSIONS ||
        gather->bytes >= FLUSH_BYTES)
        return deja__gather_flush(store, err);
    return DEJA_OK;
}

/* Takes those out that are done. */
static void compact(deja__gather *gather, bool (*is_done)(const deja_writer *writer))
{
    uint32_t kept = 0;
    gather->steps = 0;
    gather->bytes = 0;
    for (uint32_t i = 0; i < gather->count; i++) {
        deja_writer *writer = gather->queue[i];
        if (is_done(writer)) {
            deja__writer_destroy(writer);
            continue;
        }
        gather->queue[kept++] = writer;
        gather->steps += writer->now.steps;
        gather->bytes += bytes_of(writer);
    }
    gather->count = kept;
    deja__index_release(&gather->ids);
    for (uint32_t i = 0; i < kept; i++)
        deja__index_add(&gather->ids, hash_of(gather->queue[i]), i);
}

static bool is_short(const deja_writer *writer)
{
    return !deja__writer_is_long(writer);
}

static bool is_long_done(const deja_writer *writer)
{
    return deja__writer_is_long(writer) && writer->drop;
}

/* ---- flushing ---- */

static deja_code flush_all_short(deja_store *store, deja_error *err)
{
    deja_code code = deja__write_begin(store, err);
    if (code < 0)
        return code;
    code = deja__packs_write(store, err);
    if (code == DEJA_OK)
        code = deja__write_commit(store, err);
    else
        deja__write_rollback(store);
    deja__catalog_changed(store, code < 0);
    if (code == DEJA_OK)
        compact(store->gather, is_short);
    return code;
}

deja_code deja__gather_flush(deja_store *store, deja_error *err)
{
    deja__gather *gather = store->gather;
    bool any = false;
    deja_code code = DEJA_OK;
    if (gather->count && store->before_flush && !store->before_flush(store->before_flush_user))
        return deja__fail(err, DEJA_EIO, "its journal cannot be written to the disk");
    for (uint32_t i = 0; i < gather->count; i++)
        any |= is_short(gather->queue[i]);
    if (any)
        code = flush_all_short(store, err);
    for (uint32_t i = 0; i < gather->count && code == DEJA_OK; i++) {
        gather->queue[i]->drop = false;
        code = deja__long_finish(gather->queue[i], err);
        gather->queue[i]->drop = code == DEJA_OK;
    }
    if (gather->count)
        compact(gather, is_long_done);
    return code;
}
