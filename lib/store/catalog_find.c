/* SPDX-License-Identifier: MIT */
/*
 * See catalog.h. Finding one's way between ids, sessions and recordings.
 *
 * newest[session] and before[recording] chain the recordings of each session, so that no index in
 * the file is needed, which could hide one. Both count places from 1, so that zeroed memory is the
 * end of a chain.
 */
#include "store/catalog.h"

#include <stdlib.h>

void deja__catalog_unlink(deja__catalog *c)
{
    c->linked_session_packs = 0;
    c->linked_recording_packs = 0;
    deja__index_release(&c->id_index);
    c->indexed_packs = 0;
}

/* ---- links ---- */

/* Room for `count` places, the new ones zero; NULL: no memory. */
static uint32_t *stretch(uint32_t *links, uint32_t *capacity, uint32_t count)
{
    if (count <= *capacity)
        return links;
    const uint32_t wanted = count + count / 2 + 64;
    uint32_t *stretched = realloc(links, sizeof *links * wanted);
    if (!stretched)
        return NULL;
    memset(stretched + *capacity, 0, sizeof *links * (wanted - *capacity));
    *capacity = wanted;
    return stretched;
}

/* A recording is of its session's game; and only a command can crash. */
static bool fit_together(const deja__recording_pack *pack, uint32_t place,
                         const deja__session_pack *sessions, uint32_t session_place)
{
    static const uint32_t SHARED[] = { DEJA__GAME, DEJA__COMMAND, DEJA__CONFIG };
    for (uint32_t i = 0; pack->layouts != sessions->layouts && i < 3; i++)
        if (strcmp(pack->layouts->texts[SHARED[i]], sessions->layouts->texts[SHARED[i]]) != 0)
            return false;
    return deja__column_at(&pack->endings, place) != DEJA_ENDED_CRASHED ||
           deja__session_steps(sessions, session_place) > 0;
}

static deja_code link_recordings(deja__catalog *c, deja__recording_pack *pack, deja_error *err)
{
    deja__session_pack *sessions = NULL;
    uint32_t session_place = 0;
    for (uint32_t place = 0; place < pack->count; place++) {
        const int64_t key = deja__as_signed(deja__column_at(&pack->sessions, place));
        if (!sessions || key / DEJA__PACK_MAX != sessions->id)
            sessions = deja__catalog_session(c, key, &session_place);
        else
            session_place = (uint32_t)(key % DEJA__PACK_MAX);
        if (!sessions || session_place >= sessions->count)
            return deja__fail(err, DEJA_EDAMAGED,
                              "table recording_packs, row %lld: its session %lld is not there",
                              (long long)pack->id, (long long)key);
        if (!fit_together(pack, place, sessions, session_place))
            return deja__fail(err, DEJA_EDAMAGED,
                              "table recording_packs, row %lld: it does not fit its session %lld",
                              (long long)pack->id, (long long)key);
        uint32_t *newest = &c->newest[sessions->base + session_place];
        c->before[pack->base + place] = *newest;
        *newest = pack->base + place + 1;
    }
    return DEJA_OK;
}

deja_code deja__catalog_link(deja__catalog *c, deja_error *err)
{
    if (c->linked_session_packs == 0) {
        c->session_count = 0;
        c->recording_count = 0;
        if (c->newest)
            memset(c->newest, 0, sizeof *c->newest * c->newest_capacity);
    }
    for (uint32_t i = c->linked_session_packs; i < c->counts[DEJA__SESSION_PACKS]; i++) {
        c->session_packs[i]->base = c->session_count;
        c->session_count += c->session_packs[i]->count;
    }
    for (uint32_t i = c->linked_recording_packs; i < c->counts[DEJA__RECORDING_PACKS]; i++) {
        c->recording_packs[i]->base = c->recording_count;
        c->recording_count += c->recording_packs[i]->count;
    }
    uint32_t *newest = stretch(c->newest, &c->newest_capacity, c->session_count);
    if (newest)
        c->newest = newest;
    uint32_t *before = stretch(c->before, &c->before_capacity, c->recording_count);
    if (before)
        c->before = before;
    if ((!newest && c->session_count) || (!before && c->recording_count))
        return deja__fail_memory(err);
    for (uint32_t i = c->linked_recording_packs; i < c->counts[DEJA__RECORDING_PACKS]; i++) {
        const deja_code code = link_recordings(c, c->recording_packs[i], err);
        if (code < 0)
            return code;
    }
    for (uint32_t i = c->linked_session_packs; i < c->counts[DEJA__SESSION_PACKS]; i++)
        for (uint32_t place = 0; place < c->session_packs[i]->count; place++)
            if (!c->newest[c->session_packs[i]->base + place])
                return deja__fail(err, DEJA_EDAMAGED,
                                  "table session_packs, row %lld: a session has no recording",
                                  (long long)c->session_packs[i]->id);
    c->linked_session_packs = c->counts[DEJA__SESSION_PACKS];
    c->linked_recording_packs = c->counts[DEJA__RECORDING_PACKS];
    return DEJA_OK;
}

/* ---- finding ---- */

/* Ids are given one after another, so the place of one is mostly its number. */
deja__session_pack *deja__catalog_session_pack(const deja__catalog *c, int64_t id)
{
    deja__session_pack *const *packs = c->session_packs;
    uint32_t low = 0;
    uint32_t high = c->counts[DEJA__SESSION_PACKS];
    if (id >= 1 && id <= (int64_t)high && packs[id - 1]->id == id)
        return packs[id - 1];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (packs[middle]->id == id)
            return packs[middle];
        if (packs[middle]->id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

deja__session_pack *deja__catalog_session_pack_after(const deja__catalog *c, int64_t id)
{
    uint32_t low = 0;
    uint32_t high = c->counts[DEJA__SESSION_PACKS];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (c->session_packs[middle]->id <= id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->counts[DEJA__SESSION_PACKS] ? c->session_packs[low] : NULL;
}

deja__recording_pack *deja__catalog_recording_pack(const deja__catalog *c, int64_t id)
{
    deja__recording_pack *const *packs = c->recording_packs;
    uint32_t low = 0;
    uint32_t high = c->counts[DEJA__RECORDING_PACKS];
    if (id >= 1 && id <= (int64_t)high && packs[id - 1]->id == id)
        return packs[id - 1];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (packs[middle]->id == id)
            return packs[middle];
        if (packs[middle]->id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

deja__session_pack *deja__catalog_session(const deja__catalog *c, int64_t key, uint32_t *place)
{
    if (key < 0)
        return NULL;
    deja__session_pack *pack = deja__catalog_session_pack(c, key / DEJA__PACK_MAX);
    *place = (uint32_t)(key % DEJA__PACK_MAX);
    return pack && *place < pack->count ? pack : NULL;
}

/* The pack that holds the recording of this place among all. */
static const deja__recording_pack *pack_of_recording(const deja__catalog *c, uint32_t recording)
{
    uint32_t low = 0;
    uint32_t high = c->counts[DEJA__RECORDING_PACKS];
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (c->recording_packs[middle]->base <= recording)
            low = middle;
        else
            high = middle;
    }
    return c->recording_packs[low];
}

const deja__recording_pack *deja__catalog_recording(const deja__catalog *c,
                                                    const deja__session_pack *pack, uint32_t place,
                                                    uint32_t *at, uint32_t *recording_place)
{
    const uint32_t next = *at ? c->before[*at - 1] : c->newest[pack->base + place];
    if (next == 0)
        return NULL;
    const deja__recording_pack *recordings = pack_of_recording(c, next - 1);
    *at = next;
    *recording_place = next - 1 - recordings->base;
    return recordings;
}

/* The pack that holds the session of this place among all. */
static const deja__session_pack *pack_of_session(const deja__catalog *c, uint32_t session)
{
    uint32_t low = 0;
    uint32_t high = c->counts[DEJA__SESSION_PACKS];
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (c->session_packs[middle]->base <= session)
            low = middle;
        else
            high = middle;
    }
    return c->session_packs[low];
}

static uint64_t id_hash(const unsigned char *digest)
{
    return deja__load64(digest);
}

deja_code deja__catalog_key_of(deja__catalog *c, const deja_id *id, int64_t *key, deja_error *err)
{
    for (; c->indexed_packs < c->counts[DEJA__SESSION_PACKS]; c->indexed_packs++) {
        const deja__session_pack *pack = c->session_packs[c->indexed_packs];
        for (uint32_t place = 0; place < pack->count && !pack->open; place++)
            if (!deja__index_add(&c->id_index, id_hash(pack->digests + 16 * (size_t)place),
                                 pack->base + place)) {
                deja__index_release(&c->id_index);
                c->indexed_packs = 0;
                return deja__fail_memory(err);
            }
    }
    uint64_t at = 0;
    uint32_t found;
    *key = 0;
    while ((found = deja__index_next(&c->id_index, id_hash(id->bytes), &at)) != DEJA__NOWHERE) {
        const deja__session_pack *pack = pack_of_session(c, found);
        const uint32_t place = found - pack->base;
        if (memcmp(pack->digests + 16 * (size_t)place, id->bytes, 16) == 0)
            *key = pack->id * DEJA__PACK_MAX + place;
    }
    return DEJA_OK;
}
