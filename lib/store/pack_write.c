/* SPDX-License-Identifier: MIT */
/*
 * Packs and parts as rows.
 */
#include "store/commands.h"
#include "store/gather.h"

#include <stdlib.h>

/* Columns are written one behind another into a buffer that may move; cells are set at the end. */
typedef struct span_at {
    uint32_t cell;
    uint64_t at;
    uint64_t size;
} span_at;

static bool put_column(deja_buffer *columns, span_at *span, uint32_t cell, const uint64_t *numbers,
                       uint32_t count, uint32_t width, uint32_t rise)
{
    span->cell = cell;
    span->at = columns->size;
    const bool written = deja__column_write(columns, numbers, count, width, rise);
    span->size = columns->size - span->at;
    return written;
}

static void set_cells(deja__row *row, const deja_buffer *columns, const span_at *spans,
                      uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        deja__cell_bytes(row, spans[i].cell, columns->bytes + spans[i].at, spans[i].size);
}

/* ---- sessions ---- */

static bool same_configs(deja_writer *const *members, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (members[i]->config.size != members[0]->config.size ||
            memcmp(members[i]->config.bytes, members[0]->config.bytes,
                   (size_t)members[0]->config.size) != 0)
            return false;
    return true;
}

/* Puts configs into `raw`, as columns where they differ, and compresses them. */
static deja_code pack_configs(deja_store *store, deja_writer *const *members, uint32_t count,
                              deja_buffer *raw, deja_span *block, deja_error *err)
{
    deja_buffer values = { 0 };
    deja_buffer ends = { 0 };
    deja_code code = DEJA_OK;
    deja_buffer_clear(raw);
    if (count == 1)
        deja_buffer_add(raw, members[0]->config.bytes, members[0]->config.size);
    for (uint32_t i = 0; i < count && count > 1; i++) {
        deja_buffer_add(&values, members[i]->config.bytes, members[i]->config.size);
        const uint32_t end = (uint32_t)values.size;
        deja_buffer_add(&ends, &end, sizeof end);
    }
    if (raw->failed || values.failed || ends.failed)
        code = deja__fail_memory(err);
    const deja_span all = { values.bytes, values.size };
    if (code == DEJA_OK && count > 1)
        code = deja__commands_encode(members[0]->setting->config, all, deja__ends(&ends), count,
                                     raw, err);
    const deja_span bytes = { raw->bytes, raw->size };
    if (code == DEJA_OK)
        code = deja__pack(store->packer, bytes, block, err);
    deja_buffer_release(&values);
    deja_buffer_release(&ends);
    return code;
}

deja_code deja__session_row(deja_store *store, deja_writer *const *members, uint32_t count,
                            bool open, const deja__setting_ids *ids, deja_buffer *raw,
                            deja_buffer *columns, deja__row *row, deja_error *err)
{
    span_at spans[3];
    uint64_t numbers[DEJA__PACK_MAX] = { 0 };
    uint64_t steps = 0;
    const uint32_t configs = same_configs(members, count) ? 1 : count;
    deja_span block;
    const deja_code code = pack_configs(store, members, configs, raw, &block, err);
    if (code < 0)
        return code;
    deja_buffer_clear(columns);
    spans[0] = (span_at){ DEJA__S_DIGESTS, 0, 16 * (uint64_t)count };
    for (uint32_t i = 0; i < count; i++)
        deja_buffer_add(columns, members[i]->now.id.bytes, 16);
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = members[i]->seed;
    put_column(columns, &spans[1], DEJA__S_SEEDS, numbers, count, 8, DEJA__RISING);
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = members[i]->now.steps;
        steps += numbers[i];
    }
    if (count > 1)
        put_column(columns, &spans[2], DEJA__S_LENGTHS, numbers, count, 2, DEJA__EQUAL);
    else
        spans[2] = (span_at){ DEJA__S_LENGTHS, 0, 0 };
    if (columns->failed)
        return deja__fail_memory(err);
    set_cells(row, columns, spans, 3);
    deja__cell_number(row, DEJA__S_LAYOUTS, ids->layouts);
    deja__cell_number(row, DEJA__S_CONTENT, ids->content);
    deja__cell_number(row, DEJA__S_OPEN, open ? members[0]->number : 0);
    deja__cell_number(row, DEJA__S_START, members[0]->start_layout.size != 0);
    deja__cell_number(row, DEJA__S_SESSIONS, count);
    deja__cell_number(row, DEJA__S_STEPS, deja__as_signed(steps));
    deja__cell_number(row, DEJA__S_CONFIGS, configs);
    deja__cell_number(row, DEJA__S_CONFIG_SIZE, (int64_t)raw->size);
    deja__cell_bytes(row, DEJA__S_CONFIG_DATA, block.bytes, block.size);
    return DEJA_OK;
}

/* ---- recordings ---- */

/* The place of an outcome in a pack's list of them, to which it is added where it is new. */
static uint64_t place_outcome(deja_buffer *list, const char *outcome)
{
    const size_t size = strlen(outcome);
    uint64_t place = 0;
    for (uint64_t at = 0; at < list->size; place++) {
        const char *name = (const char *)list->bytes + at;
        const size_t found = strcspn(name, " ");
        if (found == size && memcmp(name, outcome, size) == 0)
            return place;
        at += found + 1;
    }
    if (list->size)
        deja_buffer_char(list, ' ');
    deja_buffer_text(list, outcome);
    return place;
}

static bool put_recordings(deja_writer *const *members, uint32_t count, deja_buffer *columns,
                           deja_buffer *outcomes, span_at *spans)
{
    uint64_t numbers[DEJA__PACK_MAX] = { 0 };
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = deja__as_unsigned(members[i]->session_key);
    put_column(columns, &spans[0], DEJA__R_SESSIONS, numbers, count, 8, DEJA__RISING);
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = members[i]->ended;
        if (members[i]->ended == DEJA_ENDED_OUTCOME)
            numbers[i] += place_outcome(outcomes, members[i]->outcome);
    }
    put_column(columns, &spans[1], DEJA__R_ENDINGS, numbers, count, 2, DEJA__EQUAL);
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = (uint64_t)(members[i]->recorded_at - members[0]->recorded_at);
    put_column(columns, &spans[2], DEJA__R_AGES, numbers, count, 2, DEJA__EQUAL);
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = members[i]->now.chain;
    put_column(columns, &spans[3], DEJA__R_CHAINS, numbers, count, 8, DEJA__EQUAL);
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = members[i]->now.event_chain;
    put_column(columns, &spans[4], DEJA__R_EVENT_CHAINS, numbers, count, 8, DEJA__EQUAL);
    spans[5] = (span_at){ DEJA__R_OUTCOMES, columns->size, outcomes->size };
    deja_buffer_add(columns, outcomes->bytes, outcomes->size);
    return !columns->failed && !outcomes->failed;
}

deja_code deja__recording_row(deja_writer *const *members, uint32_t count,
                              const deja__setting_ids *ids, deja_buffer *columns, deja__row *row,
                              deja_error *err)
{
    const deja__setting *setting = members[0]->setting;
    deja_buffer outcomes = { 0 };
    span_at spans[6];
    deja_buffer_clear(columns);
    const bool put = put_recordings(members, count, columns, &outcomes, spans);
    deja_buffer_release(&outcomes);
    if (!put)
        return deja__fail_memory(err);
    set_cells(row, columns, spans, 6);
    deja__cell_number(row, DEJA__R_LAYOUTS, ids->layouts);
    deja__cell_number(row, DEJA__R_BUILD, ids->build);
    deja__cell_number(row, DEJA__R_PLATFORM, ids->platform);
    deja__cell_number(row, DEJA__R_MADE, ids->made);
    deja__cell_number(row, DEJA__R_TRAIL_BITS, setting->trail_bits);
    deja__cell_number(row, DEJA__R_TRAIL_EVERY, deja__as_signed(setting->trail_every));
    deja__cell_number(row, DEJA__R_RECORDINGS, count);
    deja__cell_number(row, DEJA__R_RECORDED_AT, members[0]->recorded_at);
    return DEJA_OK;
}

/* ---- parts ---- */

deja_code deja__commands_insert(deja_store *store, int64_t key, deja_span encoded, deja_error *err)
{
    deja__row row = { .key = key };
    deja_span block;
    const deja_code code = deja__pack(store->packer, encoded, &block, err);
    if (code < 0)
        return code;
    deja__cell_number(&row, 0, (int64_t)encoded.size);
    deja__cell_bytes(&row, 1, block.bytes, block.size);
    return deja__row_insert(store, DEJA__COMMAND_PARTS, &row, err);
}

/* The narrowest numbers that hold every result: none at all where all are 0. */
static bool narrow(const uint32_t *results, uint32_t count, deja_buffer *out)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < count; i++)
        all |= results[i];
    const uint32_t width = all == 0 ? 0 : all <= UINT8_MAX ? 1 : all <= UINT16_MAX ? 2 : 4;
    unsigned char *bytes = deja_buffer_extend(out, (uint64_t)width * count);
    for (uint32_t i = 0; i < count && bytes; i++)
        for (uint32_t k = 0; k < width; k++)
            bytes[(size_t)i * width + k] = (unsigned char)(results[i] >> (8 * k));
    return bytes != NULL;
}

deja_code deja__results_insert(deja_store *store, int64_t key, const uint32_t *results,
                               uint32_t count, deja_span trail, uint64_t chain,
                               uint64_t event_chain, deja_error *err)
{
    deja__row row = { .key = key };
    deja_buffer raw = { 0 };
    deja_span block;
    deja_code code = narrow(results, count, &raw) ? DEJA_OK : deja__fail_memory(err);
    const deja_span bytes = { raw.bytes, raw.size };
    if (code == DEJA_OK)
        code = deja__pack(store->packer, bytes, &block, err);
    if (code == DEJA_OK) {
        deja__cell_number(&row, 0, (int64_t)raw.size);
        deja__cell_bytes(&row, 1, block.bytes, block.size);
        deja__cell_bytes(&row, 2, trail.bytes, trail.size);
        deja__cell_number(&row, 3, deja__as_signed(chain));
        deja__cell_number(&row, 4, deja__as_signed(event_chain));
        code = deja__row_insert(store, DEJA__RESULT_PARTS, &row, err);
    }
    deja_buffer_release(&raw);
    return code;
}

deja_code deja__start_insert(deja_store *store, int64_t pack, const deja_writer *writer,
                             deja_error *err)
{
    deja__row row = { .key = pack };
    deja__cell_bytes(&row, 0, writer->start_layout.bytes, writer->start_layout.size);
    deja__cell_number(&row, 1, (int64_t)writer->start_size);
    deja__cell_bytes(&row, 2, writer->start_block.bytes, writer->start_block.size);
    return deja__row_insert(store, DEJA__STARTS, &row, err);
}

/* ---- notes ---- */

deja_code deja__notes_insert(deja_store *store, int64_t pack, const deja_writer *writer,
                             uint32_t place, uint64_t last_step, int64_t *marks,
                             deja_buffer *sections, deja_error *err)
{
    const deja__note *note = (const deja__note *)(const void *)writer->marks.bytes;
    const uint64_t mark_count = writer->marks.size / sizeof *note;
    deja_code code = DEJA_OK;
    for (uint64_t i = 0; i < mark_count && code == DEJA_OK; i++, note++)
        if (note->step <= last_step)
            code = deja__mark_insert(store, pack, marks, place, note->step,
                                     (const char *)writer->mark_texts.bytes + note->text, err);
    note = (const deja__note *)(const void *)writer->sections.bytes;
    const uint64_t section_count = writer->sections.size / sizeof *note;
    for (uint64_t i = 0; i < section_count && code == DEJA_OK; i++, note++) {
        if (note->step > last_step)
            continue;
        deja__note named = *note;
        named.place = place;
        named.name = (const char *)writer->section_names.bytes + note->text;
        if (!deja_buffer_add(sections, &named, sizeof named))
            code = deja__fail_memory(err);
    }
    return code;
}

/* Texts stay where they are until the last note is gone, for notes know their places. */
static void drop(deja_buffer *notes, deja_buffer *texts, uint64_t last_step)
{
    deja__note *all = (deja__note *)(void *)notes->bytes;
    const uint64_t count = notes->size / sizeof *all;
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++)
        if (all[i].step > last_step)
            all[kept++] = all[i];
    notes->size = kept * sizeof *all;
    if (kept == 0)
        texts->size = 0;
}

void deja__notes_drop(deja_writer *writer, uint64_t last_step)
{
    drop(&writer->marks, &writer->mark_texts, last_step);
    drop(&writer->sections, &writer->section_names, last_step);
}
