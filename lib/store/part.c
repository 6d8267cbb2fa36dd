/* SPDX-License-Identifier: MIT */
/*
 * See part.h. A part of a pack of many holds the streams of all its sessions, one behind another; a
 * long session has a pack of its own, and as many parts as it has blocks.
 */
#include "store/part.h"

#include "store/commands.h"

#include <stdlib.h>

enum { KEPT = 6 };

struct deja__cache {
    deja__part *parts[KEPT];
    uint32_t next;   /* which one goes when there is no room */
    deja_buffer raw; /* a block that is being decoded */
};

/* ---- numbers ---- */

uint64_t deja__part_count(uint64_t steps)
{
    return steps ? (steps - 1) / DEJA__BLOCK_STEPS + 1 : 1;
}

uint32_t deja__part_steps(uint64_t steps, uint64_t part)
{
    const uint64_t before = part * DEJA__BLOCK_STEPS;
    const uint64_t rest = steps > before ? steps - before : 0;
    return rest < DEJA__BLOCK_STEPS ? (uint32_t)rest : DEJA__BLOCK_STEPS;
}

uint64_t deja__recording_steps(const deja__catalog *catalog, const deja__recording_pack *pack,
                               uint32_t place)
{
    uint32_t session_place = 0;
    const int64_t key = deja__as_signed(deja__column_at(&pack->sessions, place));
    const deja__session_pack *sessions = deja__catalog_session(catalog, key, &session_place);
    return sessions ? deja__session_steps(sessions, session_place) : 0;
}

/* ---- keeping ---- */

deja_code deja__cache_create(deja__cache **out, deja_error *err)
{
    *out = calloc(1, sizeof **out);
    return *out ? DEJA_OK : deja__fail_memory(err);
}

void deja__part_release(deja__part *part)
{
    if (!part || --part->holders)
        return;
    deja_buffer_release(&part->values);
    deja_buffer_release(&part->ends);
    deja_buffer_release(&part->results);
    deja_buffer_release(&part->trail);
    deja_buffer_release(&part->step_ends);
    deja_buffer_release(&part->trail_ends);
    free(part);
}

void deja__cache_destroy(deja__cache *cache)
{
    for (uint32_t i = 0; cache && i < KEPT; i++)
        deja__part_release(cache->parts[i]);
    if (cache)
        deja_buffer_release(&cache->raw);
    free(cache);
}

static deja__part *find(deja__cache *cache, uint32_t table, int64_t key)
{
    for (uint32_t i = 0; i < KEPT; i++) {
        deja__part *part = cache->parts[i];
        if (part && part->table == table && part->key == key) {
            part->holders++;
            return part;
        }
    }
    return NULL;
}

/* The part before this one of a long session, which nobody comes back to. */
static deja__part **find_last(deja__cache *cache, uint32_t table, int64_t key)
{
    for (uint32_t i = 0; i < KEPT; i++) {
        const deja__part *part = cache->parts[i];
        if (part && part->table == table && part->key == key - 1 && part->holders == 1)
            return &cache->parts[i];
    }
    return NULL;
}

/* One to decode into: a part that nobody else holds, for its memory, or a new one. Its place is
 * the next one to be filled. */
static deja__part *take_spare(deja__cache *cache, uint32_t table, int64_t key)
{
    deja__part **slot = find_last(cache, table, key);
    if (slot)
        cache->next = (uint32_t)(slot - cache->parts);
    else
        slot = &cache->parts[cache->next];
    deja__part *part = *slot;
    if (part && part->holders > 1) {
        deja__part_release(part);
        part = NULL;
    }
    *slot = NULL;
    if (!part)
        return calloc(1, sizeof *part);
    deja_buffer_clear(&part->values);
    deja_buffer_clear(&part->ends);
    deja_buffer_clear(&part->results);
    deja_buffer_clear(&part->trail);
    deja_buffer_clear(&part->step_ends);
    deja_buffer_clear(&part->trail_ends);
    return part;
}

/* Keeps it; the caller holds it as well. */
static void keep(deja__cache *cache, deja__part *part)
{
    part->holders = 2;
    cache->parts[cache->next] = part;
    cache->next = (cache->next + 1) % KEPT;
}

/* ---- decoding ---- */

typedef struct decoding {
    deja_store *store;
    deja__part *part;
    const deja_layout *layout;
    const deja__recording_pack *recordings;
    uint64_t trail_size;
} decoding;

static deja_code take_commands(void *user, const deja__row *row, deja_error *err)
{
    decoding *d = user;
    const deja_span block = { row->cells[1].bytes, row->cells[1].size };
    deja_buffer *raw = &d->store->cache->raw;
    deja_buffer_clear(raw);
    deja_code code = deja__unpack(d->store->unpacker, block, row->cells[0].number, raw, err);
    if (code < 0)
        return code;
    return deja__commands_decode(d->layout, (deja_span){ raw->bytes, raw->size }, d->part->count,
                                 &d->part->values, &d->part->ends, err);
}

static deja_code take_results(void *user, const deja__row *row, deja_error *err)
{
    decoding *d = user;
    deja__part *part = d->part;
    const deja_span block = { row->cells[1].bytes, row->cells[1].size };
    const int64_t size = row->cells[0].number;
    const uint64_t count = part->count;
    if (size < 0 || row->cells[2].size != d->trail_size ||
        ((uint64_t)size != 0 && (uint64_t)size != count && (uint64_t)size != 2 * count &&
         (uint64_t)size != 4 * count))
        return deja__fail(err, DEJA_EDAMAGED, "it is not of the size of its steps");
    part->width = count ? (uint32_t)((uint64_t)size / count) : 0;
    deja_code code = deja__unpack(d->store->unpacker, block, size, &part->results, err);
    if (code < 0)
        return code;
    if (!deja_buffer_add(&part->trail, row->cells[2].bytes, row->cells[2].size))
        return deja__fail_memory(err);
    part->chain = deja__as_unsigned(row->cells[3].number);
    part->event_chain = deja__as_unsigned(row->cells[4].number);
    return DEJA_OK;
}

/* No result names a refusal that the rules do not have. */
static deja_code check_results(const deja__part *part, uint32_t refusals, deja_error *err)
{
    uint32_t most = 0;
    if (part->width == 1) {
        for (uint32_t i = 0; i < part->count; i++)
            most = part->results.bytes[i] > most ? part->results.bytes[i] : most;
    } else if (part->width) {
        for (uint32_t i = 0; i < part->count; i++) {
            uint32_t result;
            deja__part_read_results(part, i, 1, &result);
            most = result > most ? result : most;
        }
    }
    if (most > refusals)
        return deja__fail(err, DEJA_EDAMAGED, "a step was refused for reason %u of %u", most,
                          refusals);
    return DEJA_OK;
}

/* ---- the two tables ---- */

deja_code deja__part_commands(deja_store *store, const deja__session_pack *pack, uint64_t part_at,
                              deja__part **out, deja_error *err)
{
    const int64_t key = DEJA__PART_KEY(pack->id, part_at);
    *out = find(store->cache, DEJA__COMMAND_PARTS, key);
    if (*out)
        return DEJA_OK;
    deja_code code = deja__layouts_parse(pack->layouts, err);
    if (code < 0)
        return code;
    deja__part *part = take_spare(store->cache, DEJA__COMMAND_PARTS, key);
    if (!part)
        return deja__fail_memory(err);
    part->holders = 1;
    part->table = DEJA__COMMAND_PARTS;
    part->key = key;
    part->count = deja__part_steps(pack->steps, part_at);
    decoding d = { .store = store, .part = part, .layout = pack->layouts->command };
    deja__tally found = { 0 };
    code = deja__rows_read(store, DEJA__COMMAND_PARTS, key, key, take_commands, &d, &found, err);
    if (code < 0 || found.rows == 0) {
        deja__part_release(part);
        return code;
    }
    keep(store->cache, part);
    *out = part;
    return DEJA_OK;
}

/* Where each recording's steps and hashes end in a part of a pack; the sizes of the part. */
static deja_code lay_out(deja_store *store, const deja__recording_pack *pack, uint64_t part_at,
                         deja__part *part, uint64_t *trail_size, deja_error *err)
{
    const uint64_t every = pack->trail_every;
    uint64_t steps_end = 0;
    uint64_t trail_end = 0;
    for (uint32_t place = 0; place < pack->count; place++) {
        const uint64_t steps = deja__recording_steps(store->catalog, pack, place);
        const bool crashed = deja__column_at(&pack->endings, place) == DEJA_ENDED_CRASHED;
        if (pack->count == 1) {
            const uint64_t before = part_at * DEJA__BLOCK_STEPS;
            const uint32_t here = deja__part_steps(steps, part_at);
            const bool last = before + here == steps;
            steps_end = here;
            trail_end = deja__trail_count(before + here, every, crashed && last) -
                        (part_at ? deja__trail_count(before, every, false) : 0);
        } else {
            steps_end += steps;
            trail_end += deja__trail_count(steps, every, crashed);
        }
        deja_buffer_add(&part->step_ends, &steps_end, sizeof steps_end);
        deja_buffer_add(&part->trail_ends, &trail_end, sizeof trail_end);
    }
    if (part->step_ends.failed || part->trail_ends.failed)
        return deja__fail_memory(err);
    if (steps_end > DEJA__BLOCK_STEPS)
        return deja__fail(err, DEJA_EDAMAGED, "it has more steps than a part may have");
    part->count = (uint32_t)steps_end;
    *trail_size = trail_end * (pack->trail_bits / 8);
    return DEJA_OK;
}

deja_code deja__part_results(deja_store *store, const deja__recording_pack *pack, uint64_t part_at,
                             deja__part **out, deja_error *err)
{
    const int64_t key = DEJA__PART_KEY(pack->id, part_at);
    *out = find(store->cache, DEJA__RESULT_PARTS, key);
    if (*out)
        return DEJA_OK;
    deja__part *part = take_spare(store->cache, DEJA__RESULT_PARTS, key);
    if (!part)
        return deja__fail_memory(err);
    part->holders = 1;
    part->table = DEJA__RESULT_PARTS;
    part->key = key;
    decoding d = { .store = store, .part = part };
    deja__tally found = { 0 };
    deja_code code = lay_out(store, pack, part_at, part, &d.trail_size, err);
    if (code == DEJA_OK)
        code = deja__rows_read(store, DEJA__RESULT_PARTS, key, key, take_results, &d, &found, err);
    if (code == DEJA_OK && found.rows)
        code = check_results(part, pack->layouts->refusal_count, err);
    if (code < 0 || found.rows == 0) {
        deja__part_release(part);
        return code;
    }
    keep(store->cache, part);
    *out = part;
    return DEJA_OK;
}

/* ---- expanding ---- */

void deja__part_read_results(const deja__part *part, uint64_t first, uint32_t count,
                             uint32_t *results)
{
    if (part->width == 0) {
        memset(results, 0, sizeof *results * count);
        return;
    }
    const unsigned char *bytes = part->results.bytes + first * part->width;
    switch (part->width) {
    case 1:
        for (uint32_t i = 0; i < count; i++)
            results[i] = bytes[i];
        break;
    case 2:
        for (uint32_t i = 0; i < count; i++)
            results[i] = deja__load16(bytes + 2 * (size_t)i);
        break;
    default:
        for (uint32_t i = 0; i < count; i++)
            results[i] = deja__load32(bytes + 4 * (size_t)i);
        break;
    }
}

void deja__part_read_trail(const deja__part *part, uint32_t bits, uint64_t first, uint64_t count,
                           uint64_t *trail)
{
    if (count == 0)
        return;
    if (bits == 0) { /* a scenario's */
        memset(trail, 0, sizeof *trail * count);
        return;
    }
    const unsigned char *bytes = part->trail.bytes + first * (bits / 8);
    switch (bits) {
    case 8:
        for (uint64_t i = 0; i < count; i++)
            trail[i] = bytes[i];
        break;
    case 16:
        for (uint64_t i = 0; i < count; i++)
            trail[i] = deja__load16(bytes + 2 * i);
        break;
    case 32:
        for (uint64_t i = 0; i < count; i++)
            trail[i] = deja__load32(bytes + 4 * i);
        break;
    default:
        for (uint64_t i = 0; i < count; i++)
            trail[i] = deja__load64(bytes + 8 * i);
        break;
    }
}
