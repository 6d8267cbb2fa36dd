/* SPDX-License-Identifier: MIT */
/*
 * deja_store_check(): every row and every block of every table, and what they say of each other.
 *
 * What reading takes on trust is worked out here: ids from what they are ids of, and chains where
 * the trail has every step's whole hash. SQLite's own check looks after what no row tells: pages
 * that two tables share, free pages that are in use.
 */
#include "store/commands.h"
#include "store/identity.h"
#include "store/notes.h"
#include "store/reader.h"

/* ---- SQLite's pages ---- */

static deja_code check_pages(deja_store *store, deja_error *err)
{
    sqlite3_stmt *statement = NULL;
    deja_code code = DEJA_OK;
    int result = sqlite3_prepare_v2(store->db, "PRAGMA integrity_check(1)", -1, &statement, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_step(statement);
    if (result == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(statement, 0);
        if (!text)
            code = deja__fail_memory(err);
        else if (strcmp(text, "ok") != 0)
            code = deja__fail(err, DEJA_EDAMAGED, "its pages are damaged: %.200s", text);
        for (char *c = err && code == DEJA_EDAMAGED ? err->message : NULL; c && *c; c++)
            if (*c == '\n')
                *c = ' ';
    } else {
        code = deja__sql_fail(store->db, result, "its pages", err);
    }
    sqlite3_finalize(statement);
    return code;
}

/* ---- rows that are read by key otherwise ---- */

static deja_code take_any(void *user, const deja__row *row, deja_error *err)
{
    (void)user;
    (void)row;
    (void)err;
    return DEJA_OK;
}

static deja_code check_rows(deja_store *store, deja_error *err)
{
    deja_code code = DEJA_OK;
    for (uint32_t table = DEJA__MANIFEST + 1; table < DEJA__TABLE_COUNT && code == DEJA_OK;
         table++) {
        deja__tally found = { 0 };
        code = deja__rows_read(store, table, INT64_MIN, INT64_MAX, take_any, NULL, &found, err);
        if (code == DEJA_OK)
            code = deja__manifest_hold(store, table, &found, err);
    }
    return code;
}

/* ---- sessions ---- */

static deja_code fail_session(deja_code code, const deja_id *id, deja_error *err)
{
    char word[13];
    return deja__fail_within(err, code, "session %s", deja__id_word(id, word));
}

static deja_code add_commands(deja_store *store, const deja__session_pack *pack, uint32_t place,
                              deja__identity *identity, deja_error *err)
{
    const uint64_t steps = deja__session_steps(pack, place);
    const uint64_t before = pack->count > 1 && place ? pack->ends[place - 1] : 0;
    deja_buffer ends = { 0 };
    deja_code code = DEJA_OK;
    for (uint64_t at = 0; at < deja__part_count(steps) && code == DEJA_OK; at++) {
        deja__part *part = NULL;
        code = deja__part_commands(store, pack, at, &part, err);
        if (code == DEJA_OK && !part)
            code = deja__fail(err, DEJA_EDAMAGED, "its commands are not in the store");
        if (code < 0)
            break;
        const uint32_t count = deja__part_steps(steps, at);
        const uint32_t *all = deja__ends(&part->ends) + before;
        const uint32_t start = before && count ? all[-1] : 0;
        deja_buffer_clear(&ends);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t end = all[i] - start;
            deja_buffer_add(&ends, &end, sizeof end);
        }
        if (ends.failed)
            code = deja__fail_memory(err);
        else if (count)
            deja__identity_add(identity, part->values.size ? part->values.bytes + start : NULL,
                               deja__ends(&ends), count);
        deja__part_release(part);
    }
    deja_buffer_release(&ends);
    return code;
}

static deja_code check_session(deja_store *store, deja__session_pack *pack, uint32_t place,
                               deja_error *err)
{
    deja_session session;
    deja_buffer start_layout = { 0 };
    deja_buffer start = { 0 };
    deja__identity *identity = NULL;
    deja_id id;
    deja__session_fill(&session, pack, place);
    deja_code code = deja__session_config(store, pack, place, &session.config, err);
    if (code == DEJA_OK && pack->start)
        code = deja__start_read(store, pack->id, &start_layout, &start, &session, err);
    if (code == DEJA_OK)
        code = deja__identity_create(&identity, &session, err);
    if (code == DEJA_OK)
        code = add_commands(store, pack, place, identity, err);
    if (code == DEJA_OK) {
        deja__identity_get(identity, &id);
        if (memcmp(id.bytes, session.id.bytes, sizeof id.bytes) != 0)
            code = deja__fail(err, DEJA_EDAMAGED, "its id is not that of what it holds");
    }
    if (code < 0)
        fail_session(code, &session.id, err);
    deja__identity_destroy(identity);
    deja_buffer_release(&start_layout);
    deja_buffer_release(&start);
    return code;
}

/* ---- recordings ---- */

/* Follows the chain through a part, where every step's whole hash is there. `n` is the last step
 * that it went through. */
static uint64_t follow(const deja__part *part, uint64_t steps_before, uint32_t steps,
                       uint64_t trail_before, bool first, bool crashed, uint64_t chain)
{
    const uint32_t hashed = crashed ? steps - 1 : steps;
    uint64_t hash;
    if (first) {
        deja__part_read_trail(part, 64, trail_before, 1, &hash);
        chain = deja__chain_start(hash);
    }
    for (uint32_t i = 0; i < hashed; i++) {
        uint32_t result;
        deja__part_read_results(part, steps_before + i, 1, &result);
        deja__part_read_trail(part, 64, trail_before + (first ? 1 : 0) + i, 1, &hash);
        chain = deja__chain_next(chain, hash, result);
    }
    return chain;
}

static deja_code check_part(deja_store *store, const deja__recording_pack *pack, uint32_t place,
                            uint64_t steps, uint64_t at, uint64_t *chain, deja_error *err)
{
    deja__part *part = NULL;
    const bool last = at + 1 == deja__part_count(steps);
    const bool crashed = last && deja__column_at(&pack->endings, place) == DEJA_ENDED_CRASHED;
    deja_code code = deja__part_results(store, pack, at, &part, err);
    if (code < 0)
        return code;
    if (!part)
        return deja__fail(err, DEJA_EDAMAGED, "its results are not in the store");
    const uint64_t steps_before = place ? deja__number_at(&part->step_ends, place - 1) : 0;
    const uint64_t trail_before = place ? deja__number_at(&part->trail_ends, place - 1) : 0;
    if (pack->trail_bits == 64 && pack->trail_every == 1) {
        *chain = follow(part, steps_before, deja__part_steps(steps, at), trail_before, at == 0,
                        crashed, *chain);
        const uint64_t said = last ? deja__column_at(&pack->chains, place) : part->chain;
        if (*chain != said)
            code = deja__fail(err, DEJA_EDAMAGED,
                              "its chain is not that of its hashes and "
                              "results");
    }
    if (code == DEJA_OK && pack->count == 1 && last &&
        (part->chain != deja__column_at(&pack->chains, place) ||
         part->event_chain != deja__column_at(&pack->event_chains, place)))
        code = deja__fail(err, DEJA_EDAMAGED, "its last part ends on other chains");
    deja__part_release(part);
    return code;
}

static deja_code check_recordings(deja_store *store, const deja__recording_pack *pack,
                                  deja_error *err)
{
    const deja__catalog *catalog = store->catalog;
    deja__notes notes = { 0 };
    deja_code code = deja__marks_read(store, pack, &notes, err);
    if (code == DEJA_OK)
        code = deja__sections_read(store, pack, &notes, err);
    deja__notes_release(&notes);
    for (uint32_t place = 0; place < pack->count && code == DEJA_OK; place++) {
        const uint64_t steps = deja__recording_steps(catalog, pack, place);
        uint64_t chain = 0;
        for (uint64_t at = 0; at < deja__part_count(steps) && code == DEJA_OK; at++)
            code = check_part(store, pack, place, steps, at, &chain, err);
        if (code < 0) {
            uint32_t session_place = 0;
            deja_id id;
            const int64_t key = deja__as_signed(deja__column_at(&pack->sessions, place));
            deja__session_id(deja__catalog_session(catalog, key, &session_place), session_place,
                             &id);
            fail_session(code, &id, err);
        }
    }
    return code;
}

/* ---- all ---- */

static deja_code check_all(deja_store *store, deja_error *err)
{
    const deja__catalog *catalog = store->catalog;
    deja_code code = check_pages(store, err);
    if (code == DEJA_OK)
        code = deja__catalog_refresh(store, err);
    if (code == DEJA_OK)
        code = deja__manifest_read(store, err);
    if (code == DEJA_OK)
        code = check_rows(store, err);
    for (uint32_t i = 0; i < catalog->counts[DEJA__SESSION_PACKS] && code == DEJA_OK; i++)
        for (uint32_t k = 0; k < catalog->session_packs[i]->count && code == DEJA_OK; k++)
            code = check_session(store, catalog->session_packs[i], k, err);
    for (uint32_t i = 0; i < catalog->counts[DEJA__RECORDING_PACKS] && code == DEJA_OK; i++)
        code = check_recordings(store, catalog->recording_packs[i], err);
    return code;
}

deja_code deja_store_check(deja_store *store, deja_error *err)
{
    if (!store)
        return deja__fail(err, DEJA_EMISUSE, "there is no store");
    deja__catalog_changed(store, true);
    deja_code code = deja__read_begin(store, err);
    if (code == DEJA_OK) {
        code = check_all(store, err);
        deja__read_end(store);
    }
    return deja__store_fail(store, code, err);
}
