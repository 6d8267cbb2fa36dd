/* SPDX-License-Identifier: MIT */
/*
 * Long sessions: packs of one, that are open while blocks come.
 *
 * After each commit the store holds a session of whole blocks with a recording that is unfinished,
 * under the id that those steps have; a killed process leaves just that. When the session is closed
 * the rest is added, and the rows say how it ended. Where the store holds that very session
 * already, the recording moves to it, if it says anything new, and everything else is taken back.
 */
#include "store/commands.h"
#include "store/gather.h"

/* ---- rows ---- */

/* Writes the rows of both packs; before them their parts are there. */
static deja_code write_rows(deja_writer *writer, bool open, const deja__setting_ids *ids,
                            deja_error *err)
{
    deja_store *store = writer->store;
    deja__gather *gather = store->gather;
    deja__progress *now = &writer->now;
    deja__row session = { .key = now->session_pack };
    deja__row recording = { .key = now->recording_pack };
    deja_writer *const members[1] = { writer };
    const bool first = now->parts == 0;
    deja_code code = DEJA_OK;
    if (writer->session_key == now->session_pack * DEJA__PACK_MAX)
        code = deja__session_row(store, members, 1, open, ids, &gather->joined[0],
                                 &gather->joined[1], &session, err);
    else
        session.key = 0; /* it is somebody else's session */
    if (code == DEJA_OK && session.key)
        code = first ? deja__row_insert(store, DEJA__SESSION_PACKS, &session, err)
                     : deja__row_replace(store, DEJA__SESSION_PACKS, &session, now->session_check,
                                         err);
    if (code == DEJA_OK)
        code = deja__recording_row(members, 1, ids, &gather->joined[2], &recording, err);
    deja__cell_number(&recording, DEJA__R_MARKS, now->marks);
    deja__cell_number(&recording, DEJA__R_SECTIONS, now->sections);
    if (code == DEJA_OK)
        code = first ? deja__row_insert(store, DEJA__RECORDING_PACKS, &recording, err)
                     : deja__row_replace(store, DEJA__RECORDING_PACKS, &recording,
                                         now->recording_check, err);
    now->session_check = session.check;
    now->recording_check = recording.check;
    return code;
}

static deja_code begin(deja_writer *writer, deja__setting_ids *ids, deja_error *err)
{
    deja_store *store = writer->store;
    deja_code code = deja__write_begin(store, err);
    if (code < 0)
        return code;
    code = deja__catalog_refresh(store, err);
    if (code == DEJA_OK)
        code = deja__setting_intern(store, writer->setting, ids, err);
    return code;
}

static deja_code finish(deja_writer *writer, deja_code code, const deja__progress *before,
                        deja_error *err)
{
    deja_store *store = writer->store;
    const bool began = store->in_write;
    if (code == DEJA_OK)
        code = deja__write_commit(store, err);
    else if (began)
        deja__write_rollback(store);
    if (began)
        deja__catalog_changed(store, code < 0);
    if (code < 0)
        writer->now = *before;
    return code;
}

static deja_code insert_notes(deja_writer *writer, uint64_t last_step, deja_error *err)
{
    deja_store *store = writer->store;
    deja_buffer *sections = &store->gather->joined[3];
    deja__progress *now = &writer->now;
    deja_buffer_clear(sections);
    const deja_code code = deja__notes_insert(store, now->recording_pack, writer, 0, last_step,
                                              &now->marks, sections, err);
    return code == DEJA_OK
               ? deja__sections_insert(store, now->recording_pack, &now->sections, sections, err)
               : code;
}

/* ---- a block ---- */

deja_code deja__long_commit(deja_writer *writer, const deja_steps *steps, deja_span encoded,
                            deja_error *err)
{
    deja_store *store = writer->store;
    deja__progress *now = &writer->now;
    const deja__progress before = writer->now;
    const bool first = now->session_pack == 0;
    deja__setting_ids ids;
    deja_code code = begin(writer, &ids, err);
    if (code == DEJA_OK && first) {
        now->session_pack = store->tallies[DEJA__SESSION_PACKS].next;
        now->recording_pack = store->tallies[DEJA__RECORDING_PACKS].next;
        if (writer->start_layout.size)
            code = deja__start_insert(store, now->session_pack, writer, err);
    }
    writer->session_key = now->session_pack * DEJA__PACK_MAX;
    writer->ended = DEJA_ENDED_UNFINISHED;
    if (code == DEJA_OK)
        code = deja__commands_insert(store, DEJA__PART_KEY(now->session_pack, now->parts), encoded,
                                     err);
    const deja_span trail = { writer->trail.bytes, writer->trail.size };
    if (code == DEJA_OK)
        code = deja__results_insert(store, DEJA__PART_KEY(now->recording_pack, now->parts),
                                    steps->results, steps->count, trail, steps->chain,
                                    steps->event_chain, err);
    if (code == DEJA_OK)
        code = insert_notes(writer, now->steps, err);
    if (code == DEJA_OK)
        code = write_rows(writer, true, &ids, err);
    now->parts++;
    code = finish(writer, code, &before, err);
    if (code == DEJA_OK)
        deja__notes_drop(writer, now->steps);
    return code;
}

/* ---- taking back ---- */

static deja_code take_check(void *user, const deja__row *row, deja_error *err)
{
    (void)err;
    int64_t *check = user;
    *check = row->check;
    return DEJA_OK;
}

static deja_code delete_row(deja_store *store, uint32_t table, int64_t key, deja_error *err)
{
    int64_t check = 0;
    deja__tally found = { 0 };
    const deja_code code = deja__rows_read(store, table, key, key, take_check, &check, &found, err);
    if (code < 0)
        return code;
    if (found.rows == 0)
        return deja__fail(err, DEJA_EDAMAGED, "table %s, row %lld is gone", deja__table_name(table),
                          (long long)key);
    return deja__row_delete(store, table, key, check, err);
}

static deja_code delete_rows(deja_store *store, uint32_t table, int64_t pack, uint64_t count,
                             deja_error *err)
{
    deja_code code = DEJA_OK;
    for (uint64_t i = 0; i < count && code == DEJA_OK; i++)
        code = delete_row(store, table, DEJA__PART_KEY(pack, i), err);
    return code;
}

static deja_code take_back_session(deja_writer *writer, deja_error *err)
{
    deja_store *store = writer->store;
    const deja__progress *now = &writer->now;
    deja_code code = delete_rows(store, DEJA__COMMAND_PARTS, now->session_pack, now->parts, err);
    if (code == DEJA_OK && writer->start_layout.size)
        code = delete_row(store, DEJA__STARTS, now->session_pack, err);
    if (code == DEJA_OK)
        code = deja__row_delete(store, DEJA__SESSION_PACKS, now->session_pack, now->session_check,
                                err);
    return code;
}

static deja_code take_back_recording(deja_writer *writer, deja_error *err)
{
    deja_store *store = writer->store;
    const deja__progress *now = &writer->now;
    const int64_t pack = now->recording_pack;
    deja_code code = delete_rows(store, DEJA__RESULT_PARTS, pack, now->parts, err);
    if (code == DEJA_OK)
        code = delete_rows(store, DEJA__MARKS, pack, (uint64_t)now->marks, err);
    if (code == DEJA_OK)
        code = delete_rows(store, DEJA__SECTION_PARTS, pack, (uint64_t)now->sections, err);
    if (code == DEJA_OK)
        code = deja__row_delete(store, DEJA__RECORDING_PACKS, pack, now->recording_check, err);
    return code;
}

/* ---- the end ---- */

/* The steps since the last whole block. */
static deja_code insert_tail(deja_writer *writer, bool commands, deja_error *err)
{
    deja_store *store = writer->store;
    deja__gather *gather = store->gather;
    const deja__progress *now = &writer->now;
    const uint32_t *ends = deja__ends(&writer->ends);
    deja_code code = DEJA_OK;
    if (writer->tail == 0)
        return DEJA_OK;
    if (commands) {
        const deja_span values = { writer->commands.bytes, writer->commands.size };
        deja_buffer_clear(&gather->encoded);
        code = deja__commands_encode(writer->setting->command, values, ends, writer->tail,
                                     &gather->encoded, err);
        const deja_span encoded = { gather->encoded.bytes, gather->encoded.size };
        if (code == DEJA_OK)
            code = deja__commands_insert(store, DEJA__PART_KEY(now->session_pack, now->parts),
                                         encoded, err);
    }
    const deja_span trail = { writer->trail.bytes, writer->trail.size };
    if (code == DEJA_OK)
        code = deja__results_insert(store, DEJA__PART_KEY(now->recording_pack, now->parts),
                                    (const uint32_t *)(const void *)writer->results.bytes,
                                    writer->tail, trail, now->chain, now->event_chain, err);
    return code;
}

static deja_code store_end(deja_writer *writer, const deja__setting_ids *ids, deja_error *err)
{
    deja_store *store = writer->store;
    deja__progress *now = &writer->now;
    int64_t key = 0;
    bool known = false;
    deja_code code = deja__catalog_key_of(store->catalog, &now->id, &key, err);
    if (code == DEJA_OK && key)
        code = deja__writer_is_known(writer, key, &known, err);
    if (code == DEJA_OK && known)
        code = take_back_recording(writer, err);
    if (code == DEJA_OK && key)
        code = take_back_session(writer, err);
    if (code < 0 || known)
        return code;
    writer->session_key = key ? key : now->session_pack * DEJA__PACK_MAX;
    code = insert_tail(writer, key == 0, err);
    if (code == DEJA_OK)
        code = insert_notes(writer, UINT64_MAX, err);
    return code == DEJA_OK ? write_rows(writer, false, ids, err) : code;
}

deja_code deja__long_finish(deja_writer *writer, deja_error *err)
{
    const deja__progress before = writer->now;
    deja__setting_ids ids;
    deja_code code = begin(writer, &ids, err);
    if (code == DEJA_OK)
        code = store_end(writer, &ids, err);
    return finish(writer, code, &before, err);
}
