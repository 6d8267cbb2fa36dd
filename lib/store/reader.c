/* SPDX-License-Identifier: MIT */
/*
 * Reading one session with one of its recordings.
 *
 * The catalog was read through and its sums held against the manifest before a reader is made, so
 * which recordings a session has is known for sure; parts are fetched by their keys, and each row's
 * check covers its key. A reader keeps copies of what a refresh of the catalog might take away, and
 * borrows interned texts, which stay until the store is closed.
 */
#include "store/reader.h"

#include "store/commands.h"
#include "store/journals.h"
#include "store/notes.h"

#include <stdlib.h>

static const uint32_t ZEROS[DEJA__BLOCK_STEPS]; /* the results of steps that were all accepted */

/* ---- opening ---- */

void deja__session_fill(deja_session *session, const deja__session_pack *pack, uint32_t place)
{
    memset(session, 0, sizeof *session);
    deja__session_id(pack, place, &session->id);
    session->game = pack->layouts->texts[DEJA__GAME];
    session->command_layout = pack->layouts->texts[DEJA__COMMAND];
    session->config_layout = pack->layouts->texts[DEJA__CONFIG];
    session->seed = deja__column_at(&pack->seeds, place);
    session->content = pack->content->text;
    session->start_layout = "";
    session->steps = deja__session_steps(pack, place);
}

void deja__recording_fill(deja_recording *recording, const deja__recording_pack *pack,
                          uint32_t place, char *outcome)
{
    const char *name;
    uint64_t size;
    memset(recording, 0, sizeof *recording);
    recording->version = pack->layouts->texts[DEJA__VERSION];
    recording->state_layout = pack->layouts->texts[DEJA__STATE];
    recording->event_layout = pack->layouts->texts[DEJA__EVENT];
    recording->refusals = pack->layouts->texts[DEJA__REFUSALS];
    recording->outcomes = pack->layouts->texts[DEJA__OUTCOMES];
    memcpy(recording->build, pack->build->digest, sizeof recording->build);
    recording->compiler = pack->build->compiler;
    recording->platform = pack->platform->text;
    recording->made = pack->made->text;
    recording->trail_bits = pack->trail_bits;
    recording->trail_every = pack->trail_every;
    recording->ended = deja__recording_ended(pack, place, &name, &size);
    memcpy(outcome, name, (size_t)size);
    outcome[size] = '\0';
    recording->outcome = outcome;
    recording->chain = deja__column_at(&pack->chains, place);
    recording->event_chain = deja__column_at(&pack->event_chains, place);
    recording->recorded_at = pack->recorded_at + (int64_t)deja__column_at(&pack->ages, place);
}

/* Which recording, and how many there are. */
static deja_code choose(deja_reader *reader, const deja__session_pack *pack, uint32_t which,
                        const deja__recording_pack **out, deja_error *err)
{
    const deja__recording_pack *recording;
    uint32_t at = 0;
    uint32_t place = 0;
    *out = NULL;
    while ((recording = deja__catalog_recording(reader->store->catalog, pack, reader->session_place,
                                                &at, &place)) != NULL)
        if (reader->recording_count++ == which) {
            *out = recording;
            reader->recording_place = place;
            reader->recording_pack = recording->id;
        }
    if (*out)
        return DEJA_OK;
    return deja__fail(err, DEJA_ENOTFOUND, "it has only %u recording%s", reader->recording_count,
                      reader->recording_count == 1 ? "" : "s");
}

static deja_code hold_results(deja_reader *reader, uint64_t part, deja_error *err);

static deja_code fill(deja_reader *reader, int64_t key, uint32_t which, deja_error *err)
{
    const deja__catalog *catalog = reader->store->catalog;
    deja__session_pack *pack = deja__catalog_session(catalog, key, &reader->session_place);
    const deja__recording_pack *recording;
    deja_span config;
    if (!pack)
        return deja__fail(err, DEJA_ENOTFOUND, "there is no session of key %lld", (long long)key);
    reader->session_pack = pack->id;
    deja__session_fill(&reader->session, pack, reader->session_place);
    deja_code code = choose(reader, pack, which, &recording, err);
    if (code < 0)
        return code;
    deja__recording_fill(&reader->recording, recording, reader->recording_place, reader->outcome);
    reader->before =
        pack->count > 1 && reader->session_place ? pack->ends[reader->session_place - 1] : 0;
    code = deja__session_config(reader->store, pack, reader->session_place, &config, err);
    if (code == DEJA_OK && !deja_buffer_add(&reader->config, config.bytes, config.size))
        code = deja__fail_memory(err);
    if (code < 0)
        return code;
    reader->session.config.bytes = reader->config.bytes;
    reader->session.config.size = reader->config.size;
    if (!pack->start)
        return DEJA_OK;
    return deja__start_read(reader->store, pack->id, &reader->start_layout, &reader->start,
                            &reader->session, err);
}

/* Readers of neighbouring sessions come one after another; between them the file is not asked
 * whether it has changed. */
static deja_code look(deja_store *store, int64_t key, deja_error *err)
{
    uint32_t place;
    const bool next = store->last_read && key > store->last_read &&
                      key / DEJA__PACK_MAX == store->last_read / DEJA__PACK_MAX &&
                      store->catalog->fresh;
    store->last_read = key;
    if (next && deja__catalog_session(store->catalog, key, &place))
        return DEJA_OK;
    return deja__catalog_look(store, err);
}

static deja_code fail_session(const deja_reader *reader, deja_code code, deja_error *err)
{
    char word[13];
    return deja__fail_within(err, code, "session %s", deja__id_word(&reader->session.id, word));
}

deja_code deja_reader_open(deja_reader **out, deja_store *store, int64_t key, uint32_t recording,
                           deja_error *err)
{
    if (!out || !store)
        return deja__fail(err, DEJA_EMISUSE, "a reader needs a store, and a place to go to");
    *out = NULL;
    deja_code code = key < 0 ? deja__side_find(store, key, &store, &key, err) : DEJA_OK;
    if (code == DEJA_OK)
        code = look(store, key, err);
    if (code < 0)
        return deja__store_fail(store, code, err);
    deja_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return deja__store_fail(store, deja__fail_memory(err), err);
    reader->store = store;
    code = fill(reader, key, recording, err);
    if (code == DEJA_OK)
        code = hold_results(reader, 0, err);
    if (code < 0) {
        if (reader->session_pack)
            fail_session(reader, code, err);
        deja_reader_close(reader);
        return deja__store_fail(store, code, err);
    }
    deja__part_read_trail(reader->results, reader->recording.trail_bits, reader->trail_before, 1,
                          &reader->start_hash);
    *out = reader;
    return DEJA_OK;
}

void deja_reader_close(deja_reader *reader)
{
    if (!reader)
        return;
    deja__part_release(reader->commands);
    deja__part_release(reader->results);
    deja_buffer_release(&reader->config);
    deja_buffer_release(&reader->start);
    deja_buffer_release(&reader->start_layout);
    deja_buffer_release(&reader->ends);
    deja_buffer_release(&reader->result_numbers);
    deja_buffer_release(&reader->trail_numbers);
    free(reader);
}

/* ---- what it is ---- */

const deja_session *deja_reader_session(const deja_reader *reader)
{
    return reader ? &reader->session : NULL;
}

const deja_recording *deja_reader_recording(const deja_reader *reader)
{
    return reader ? &reader->recording : NULL;
}

uint32_t deja_reader_recording_count(const deja_reader *reader)
{
    return reader ? reader->recording_count : 0;
}

uint64_t deja_reader_start_hash(const deja_reader *reader)
{
    return reader ? reader->start_hash : 0;
}

/* ---- steps ---- */

/* A row that is not there is damage, but for a session that its writer has taken away again. */
static deja_code fail_missing(deja_reader *reader, const char *what, deja_error *err)
{
    const deja__catalog *catalog = reader->store->catalog;
    const deja_code code = deja__catalog_look(reader->store, err);
    if (code < 0)
        return code;
    if (!deja__catalog_session_pack(catalog, reader->session_pack) ||
        !deja__catalog_recording_pack(catalog, reader->recording_pack))
        return deja__fail(err, DEJA_ENOTFOUND, "it is no longer in the store");
    return deja__fail(err, DEJA_EDAMAGED, "its %s are not in the store", what);
}

static deja_code hold_commands(deja_reader *reader, uint64_t part, deja_error *err)
{
    const deja__session_pack *pack =
        deja__catalog_session_pack(reader->store->catalog, reader->session_pack);
    deja__part_release(reader->commands);
    reader->commands = NULL;
    if (!pack)
        return fail_missing(reader, "commands", err);
    const deja_code code = deja__part_commands(reader->store, pack, part, &reader->commands, err);
    return code == DEJA_OK && !reader->commands ? fail_missing(reader, "commands", err) : code;
}

static deja_code hold_results(deja_reader *reader, uint64_t part, deja_error *err)
{
    const deja__recording_pack *pack =
        deja__catalog_recording_pack(reader->store->catalog, reader->recording_pack);
    deja__part_release(reader->results);
    reader->results = NULL;
    if (!pack)
        return fail_missing(reader, "results", err);
    const deja_code code = deja__part_results(reader->store, pack, part, &reader->results, err);
    if (code < 0 || !reader->results)
        return code < 0 ? code : fail_missing(reader, "results", err);
    const uint32_t place = reader->recording_place;
    const deja_buffer *steps = &reader->results->step_ends;
    const deja_buffer *trail = &reader->results->trail_ends;
    reader->results_before = place ? deja__number_at(steps, place - 1) : 0;
    reader->trail_before = place ? deja__number_at(trail, place - 1) : 0;
    reader->trail_count = deja__number_at(trail, place) - reader->trail_before;
    return DEJA_OK;
}

/* The commands of a pack's part that are this session's, as a part that begins with them. */
static bool slice_commands(deja_reader *reader, deja_steps *steps)
{
    const deja__part *part = reader->commands;
    const uint32_t *ends = deja__ends(&part->ends) + reader->before;
    const uint32_t start = reader->before ? ends[-1] : 0;
    steps->commands = part->values.size ? part->values.bytes + start : (const unsigned char *)"";
    steps->command_ends = ends;
    if (start == 0)
        return true;
    deja_buffer_clear(&reader->ends);
    if (!deja_buffer_reserve(&reader->ends, sizeof *ends * steps->count))
        return false;
    for (uint32_t i = 0; i < steps->count; i++) {
        const uint32_t end = ends[i] - start;
        memcpy(reader->ends.bytes + sizeof end * i, &end, sizeof end);
    }
    steps->command_ends = (const uint32_t *)(const void *)reader->ends.bytes;
    return true;
}

static bool slice_results(deja_reader *reader, uint64_t part, deja_steps *steps)
{
    const deja__part *results = reader->results;
    const uint64_t skip = part == 0 ? 1 : 0; /* step 0's hash */
    steps->results = ZEROS;
    if (results->width) {
        deja_buffer_clear(&reader->result_numbers);
        if (!deja_buffer_reserve(&reader->result_numbers, sizeof(uint32_t) * steps->count))
            return false;
        uint32_t *numbers = (uint32_t *)(void *)reader->result_numbers.bytes;
        deja__part_read_results(results, reader->results_before, steps->count, numbers);
        steps->results = numbers;
    }
    steps->trail_count = (uint32_t)(reader->trail_count - skip);
    deja_buffer_clear(&reader->trail_numbers);
    if (!deja_buffer_reserve(&reader->trail_numbers, sizeof(uint64_t) * steps->trail_count))
        return false;
    uint64_t *trail = (uint64_t *)(void *)reader->trail_numbers.bytes;
    deja__part_read_trail(results, reader->recording.trail_bits, reader->trail_before + skip,
                          steps->trail_count, trail);
    steps->trail = trail;
    const bool last = steps->first + steps->count > reader->session.steps;
    steps->chain = last ? reader->recording.chain : results->chain;
    steps->event_chain = last ? reader->recording.event_chain : results->event_chain;
    return true;
}

deja_code deja_reader_next(deja_reader *reader, deja_steps *steps, deja_error *err)
{
    if (!reader || !steps)
        return deja__fail(err, DEJA_EMISUSE, "steps need a reader, and a place to go to");
    memset(steps, 0, sizeof *steps);
    steps->first = reader->at + 1;
    steps->chain = reader->recording.chain;
    steps->event_chain = reader->recording.event_chain;
    if (reader->at == reader->session.steps)
        return DEJA_OK;
    const uint64_t part = reader->at / DEJA__BLOCK_STEPS;
    const uint32_t count = deja__part_steps(reader->session.steps, part);
    deja_code code = hold_commands(reader, part, err);
    if (code == DEJA_OK)
        code = hold_results(reader, part, err);
    if (code == DEJA_OK) {
        steps->count = count;
        if (!slice_commands(reader, steps) || !slice_results(reader, part, steps))
            code = deja__fail_memory(err);
    }
    if (code < 0) {
        deja__fail_within(err, code, "steps %llu to %llu", (unsigned long long)steps->first,
                          (unsigned long long)(reader->at + count));
        if (err)
            err->step = steps->first;
        memset(steps, 0, sizeof *steps);
        return deja__store_fail(reader->store, fail_session(reader, code, err), err);
    }
    reader->at += count;
    return DEJA_OK;
}

void deja_reader_rewind(deja_reader *reader)
{
    if (reader)
        reader->at = 0;
}

/* ---- marks and sections ---- */

deja_code deja_reader_marks(deja_reader *reader,
                            bool (*visit)(void *user, uint64_t step, const char *text), void *user,
                            deja_error *err)
{
    if (!reader || !visit)
        return deja__fail(err, DEJA_EMISUSE, "marks need a reader, and somebody to tell them to");
    const deja__recording_pack *pack =
        deja__catalog_recording_pack(reader->store->catalog, reader->recording_pack);
    deja_code code =
        pack ? deja__marks_tell(reader->store, pack, reader->recording_place, visit, user, err)
             : fail_missing(reader, "marks", err);
    return code < 0 ? deja__store_fail(reader->store, fail_session(reader, code, err), err) : code;
}

deja_code deja_reader_sections(deja_reader *reader,
                               bool (*visit)(void *user, uint64_t step, const char *name,
                                             uint64_t hash),
                               void *user, deja_error *err)
{
    if (!reader || !visit)
        return deja__fail(err, DEJA_EMISUSE,
                          "sections need a reader, and somebody to tell them to");
    const deja__recording_pack *pack =
        deja__catalog_recording_pack(reader->store->catalog, reader->recording_pack);
    deja_code code =
        pack ? deja__sections_tell(reader->store, pack, reader->recording_place, visit, user, err)
             : fail_missing(reader, "sections", err);
    return code < 0 ? deja__store_fail(reader->store, fail_session(reader, code, err), err) : code;
}
