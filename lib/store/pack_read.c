/* SPDX-License-Identifier: MIT */
/*
 * Rows of session_packs and recording_packs as packs. Everything about them is checked here, once,
 * so that what uses them may trust every number: a row's check says only that somebody wrote the
 * row so.
 */
#include "store/catalog.h"

#include "store/commands.h"
#include "store/part.h"
#include "store/valid.h"

#include <stdlib.h>

static deja_code fail_pack(uint32_t table, int64_t id, const char *what, deja_error *err)
{
    return deja__fail(err, DEJA_EDAMAGED, "table %s, row %lld: its %s", deja__table_name(table),
                      (long long)id, what);
}

/* ---- sessions ---- */

void deja__session_pack_destroy(deja__session_pack *pack)
{
    if (!pack)
        return;
    free(pack->ends);
    deja_buffer_release(&pack->configs);
    deja_buffer_release(&pack->config_ends);
    deja_buffer_release(&pack->bytes);
    free(pack);
}

/* What is wrong with a row, or NULL. */
static const char *session_fault(const deja__row *row)
{
    const deja__cell *cells = row->cells;
    const int64_t count = cells[DEJA__S_SESSIONS].number;
    const int64_t steps = cells[DEJA__S_STEPS].number;
    if (row->key < 1 || row->key >= DEJA__PACK_ID_MAX)
        return "number is out of range";
    if (count < 1 || count > DEJA__PACK_MAX)
        return "number of sessions is out of range";
    if (steps < 0 || steps > (int64_t)DEJA__PARTS_MAX * DEJA__BLOCK_STEPS ||
        (count > 1 && steps > DEJA__BLOCK_STEPS))
        return "number of steps is out of range";
    if (cells[DEJA__S_OPEN].number < 0 || (cells[DEJA__S_START].number & ~(int64_t)1) ||
        (count > 1 && (cells[DEJA__S_OPEN].number || cells[DEJA__S_START].number)))
        return "marks as open, or as begun in the middle, are not sound";
    if (cells[DEJA__S_DIGESTS].size != 16 * (uint64_t)count)
        return "ids are too few or too many";
    if (cells[DEJA__S_CONFIGS].number != 1 && cells[DEJA__S_CONFIGS].number != count)
        return "configs are too few or too many";
    return NULL;
}

/* Where each session ends in the steps of all; the lengths of a pack of one say nothing new. */
static bool read_lengths(deja__session_pack *pack, const deja__cell *cell)
{
    deja__column lengths;
    uint64_t end = 0;
    if (pack->count == 1) {
        pack->ends[0] = pack->steps;
        return cell->size == 0;
    }
    if (!deja__column_read(&lengths, cell->bytes, cell->size, 2, DEJA__EQUAL, pack->count))
        return false;
    for (uint32_t place = 0; place < pack->count; place++) {
        end += deja__column_at(&lengths, place);
        pack->ends[place] = end;
    }
    return end == pack->steps;
}

/* Keeps bytes of a cell in the pack's own memory, which is large enough. */
static const unsigned char *keep(deja_buffer *bytes, const deja__cell *cell)
{
    const uint64_t at = bytes->size;
    deja_buffer_add(bytes, cell->bytes, cell->size);
    return bytes->bytes + at;
}

deja_code deja__session_pack_read(const deja__catalog *catalog, const deja__row *row,
                                  deja__session_pack **out, deja_error *err)
{
    const deja__cell *cells = row->cells;
    const char *fault = session_fault(row);
    if (fault)
        return fail_pack(DEJA__SESSION_PACKS, row->key, fault, err);
    deja__session_pack *pack = calloc(1, sizeof *pack);
    if (!pack)
        return deja__fail_memory(err);
    pack->id = row->key;
    pack->check = row->check;
    pack->layouts = deja__catalog_layouts(catalog, cells[DEJA__S_LAYOUTS].number);
    pack->content = deja__catalog_word(catalog, cells[DEJA__S_CONTENT].number);
    pack->open = cells[DEJA__S_OPEN].number != 0;
    pack->number = cells[DEJA__S_OPEN].number;
    pack->start = cells[DEJA__S_START].number != 0;
    pack->count = (uint32_t)cells[DEJA__S_SESSIONS].number;
    pack->steps = (uint64_t)cells[DEJA__S_STEPS].number;
    pack->config_count = (uint32_t)cells[DEJA__S_CONFIGS].number;
    pack->config_size = cells[DEJA__S_CONFIG_SIZE].number;
    pack->ends = malloc(pack->count * sizeof *pack->ends);
    if (!pack->ends ||
        !deja_buffer_reserve(&pack->bytes, cells[DEJA__S_DIGESTS].size + cells[DEJA__S_SEEDS].size +
                                               cells[DEJA__S_CONFIG_DATA].size)) {
        deja__session_pack_destroy(pack);
        return deja__fail_memory(err);
    }
    pack->digests = keep(&pack->bytes, &cells[DEJA__S_DIGESTS]);
    if (!pack->layouts || !pack->content ||
        !deja__is_content(pack->content->text, strlen(pack->content->text)))
        fault = "layouts or content are not there";
    else if (!read_lengths(pack, &cells[DEJA__S_LENGTHS]))
        fault = "lengths are not sound";
    else if (!deja__column_read(&pack->seeds, keep(&pack->bytes, &cells[DEJA__S_SEEDS]),
                                cells[DEJA__S_SEEDS].size, 8, DEJA__RISING, pack->count))
        fault = "seeds are too few or too many";
    if (fault) {
        deja__session_pack_destroy(pack);
        return fail_pack(DEJA__SESSION_PACKS, row->key, fault, err);
    }
    pack->config_block.bytes = keep(&pack->bytes, &cells[DEJA__S_CONFIG_DATA]);
    pack->config_block.size = cells[DEJA__S_CONFIG_DATA].size;
    *out = pack;
    return DEJA_OK;
}

uint64_t deja__session_steps(const deja__session_pack *pack, uint32_t place)
{
    return pack->ends[place] - (place ? pack->ends[place - 1] : 0);
}

void deja__session_id(const deja__session_pack *pack, uint32_t place, deja_id *id)
{
    memcpy(id->bytes, pack->digests + 16 * (size_t)place, 16);
}

/* One config stands as it is, for people; more than one by column. */
static deja_code decode_configs(deja_store *store, deja__session_pack *pack, deja_error *err)
{
    const deja_layout *layout = pack->layouts->config;
    deja_buffer raw = { 0 };
    deja_code code =
        deja__unpack(store->unpacker, pack->config_block, pack->config_size, &raw, err);
    const deja_span bytes = { raw.bytes, raw.size };
    if (code == DEJA_OK && pack->config_count > 1) {
        code = deja__commands_decode(layout, bytes, pack->config_count, &pack->configs,
                                     &pack->config_ends, err);
    } else if (code == DEJA_OK) {
        const uint32_t end = (uint32_t)raw.size;
        if (layout && deja_value_validate(layout, raw.bytes, raw.size, err) < 0)
            code = DEJA_EDAMAGED;
        else if (!deja_buffer_add(&pack->configs, raw.bytes, raw.size) ||
                 !deja_buffer_add(&pack->config_ends, &end, sizeof end))
            code = deja__fail_memory(err);
    }
    deja_buffer_release(&raw);
    return code;
}

deja_code deja__session_config(deja_store *store, deja__session_pack *pack, uint32_t place,
                               deja_span *config, deja_error *err)
{
    if (!pack->config_ends.size) {
        deja_code code = deja__layouts_parse(pack->layouts, err);
        if (code == DEJA_OK)
            code = decode_configs(store, pack, err);
        if (code < 0) {
            deja_buffer_clear(&pack->configs);
            deja_buffer_clear(&pack->config_ends);
            deja__fail_within(err, code, "table session_packs, row %lld: its configs",
                              (long long)pack->id);
            if (err)
                err->code = code;
            return code;
        }
    }
    const uint32_t at = pack->config_count == 1 ? 0 : place;
    const uint32_t start = at ? deja__end_at(&pack->config_ends, at - 1) : 0;
    config->bytes = pack->configs.size ? pack->configs.bytes + start : (const void *)"";
    config->size = deja__end_at(&pack->config_ends, at) - start;
    return DEJA_OK;
}

/* ---- recordings ---- */

void deja__recording_pack_destroy(deja__recording_pack *pack)
{
    if (!pack)
        return;
    deja_buffer_release(&pack->bytes);
    free(pack);
}

static const char *recording_fault(const deja__row *row)
{
    const deja__cell *cells = row->cells;
    const int64_t bits = cells[DEJA__R_TRAIL_BITS].number;
    if (row->key < 1 || row->key >= DEJA__PACK_ID_MAX)
        return "number is out of range";
    if (cells[DEJA__R_RECORDINGS].number < 1 || cells[DEJA__R_RECORDINGS].number > DEJA__PACK_MAX)
        return "number of recordings is out of range";
    if ((bits != 0 && bits != 8 && bits != 16 && bits != 32 && bits != 64) ||
        cells[DEJA__R_TRAIL_EVERY].number == 0)
        return "trail is of no width that there is";
    if (cells[DEJA__R_RECORDED_AT].number > INT64_MAX - UINT16_MAX)
        return "time is out of range";
    if (cells[DEJA__R_MARKS].number < 0 || cells[DEJA__R_MARKS].number > DEJA__PARTS_MAX ||
        cells[DEJA__R_SECTIONS].number < 0 || cells[DEJA__R_SECTIONS].number > DEJA__PARTS_MAX)
        return "numbers of marks and sections are out of range";
    return NULL;
}

static bool read_columns(deja__recording_pack *pack, const deja__cell *cells)
{
    const struct {
        deja__column *column;
        uint32_t cell;
        uint32_t width;
        uint32_t rise;
    } columns[] = {
        { &pack->sessions, DEJA__R_SESSIONS, 8, DEJA__RISING },
        { &pack->endings, DEJA__R_ENDINGS, 2, DEJA__EQUAL },
        { &pack->ages, DEJA__R_AGES, 2, DEJA__EQUAL },
        { &pack->chains, DEJA__R_CHAINS, 8, DEJA__EQUAL },
        { &pack->event_chains, DEJA__R_EVENT_CHAINS, 8, DEJA__EQUAL },
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        const deja__cell *cell = &cells[columns[i].cell];
        if (!deja__column_read(columns[i].column, keep(&pack->bytes, cell), cell->size,
                               columns[i].width, columns[i].rise, pack->count))
            return false;
    }
    return true;
}

/* Endings name outcomes that are there, and their last command has no result only in a crash. */
static bool endings_are_sound(const deja__recording_pack *pack, uint64_t outcomes_size)
{
    uint32_t outcomes = 0;
    if (!deja__is_names(pack->outcomes, outcomes_size, &outcomes))
        return false;
    for (uint32_t place = 0; place < pack->count; place++)
        if (deja__column_at(&pack->endings, place) >= DEJA_ENDED_OUTCOME + outcomes)
            return false;
    return true;
}

deja_code deja__recording_pack_read(const deja__catalog *catalog, const deja__row *row,
                                    deja__recording_pack **out, deja_error *err)
{
    const deja__cell *cells = row->cells;
    const char *fault = recording_fault(row);
    if (fault)
        return fail_pack(DEJA__RECORDING_PACKS, row->key, fault, err);
    deja__recording_pack *pack = calloc(1, sizeof *pack);
    const uint64_t size = cells[DEJA__R_SESSIONS].size + cells[DEJA__R_ENDINGS].size +
                          cells[DEJA__R_AGES].size + cells[DEJA__R_CHAINS].size +
                          cells[DEJA__R_EVENT_CHAINS].size + cells[DEJA__R_OUTCOMES].size + 1;
    if (!pack || !deja_buffer_reserve(&pack->bytes, size)) {
        free(pack);
        return deja__fail_memory(err);
    }
    pack->id = row->key;
    pack->check = row->check;
    pack->layouts = deja__catalog_layouts(catalog, cells[DEJA__R_LAYOUTS].number);
    pack->build = deja__catalog_build(catalog, cells[DEJA__R_BUILD].number);
    pack->platform = deja__catalog_word(catalog, cells[DEJA__R_PLATFORM].number);
    pack->made = deja__catalog_word(catalog, cells[DEJA__R_MADE].number);
    pack->trail_bits = (uint32_t)cells[DEJA__R_TRAIL_BITS].number;
    pack->trail_every = deja__as_unsigned(cells[DEJA__R_TRAIL_EVERY].number);
    pack->count = (uint32_t)cells[DEJA__R_RECORDINGS].number;
    pack->recorded_at = cells[DEJA__R_RECORDED_AT].number;
    pack->marks = cells[DEJA__R_MARKS].number;
    pack->sections = cells[DEJA__R_SECTIONS].number;
    if (!pack->layouts || !pack->build || !pack->platform || !pack->made)
        fault = "layouts, build, platform or makers are not there";
    else if (!read_columns(pack, cells))
        fault = "columns are too short or too long";
    /* Last, as it is a text and ends with a NUL. */
    pack->outcomes = (const char *)keep(&pack->bytes, &cells[DEJA__R_OUTCOMES]);
    if (!fault && !endings_are_sound(pack, cells[DEJA__R_OUTCOMES].size))
        fault = "endings are not sound";
    if (fault) {
        deja__recording_pack_destroy(pack);
        return fail_pack(DEJA__RECORDING_PACKS, row->key, fault, err);
    }
    *out = pack;
    return DEJA_OK;
}

uint32_t deja__recording_ended(const deja__recording_pack *pack, uint32_t place,
                               const char **outcome, uint64_t *size)
{
    const uint64_t ending = deja__column_at(&pack->endings, place);
    *outcome = "";
    *size = 0;
    if (ending < DEJA_ENDED_OUTCOME)
        return (uint32_t)ending;
    const char *name = pack->outcomes;
    for (uint64_t i = DEJA_ENDED_OUTCOME; i < ending; i++)
        name += strcspn(name, " ") + 1;
    *outcome = name;
    *size = strcspn(name, " ");
    return DEJA_ENDED_OUTCOME;
}

uint64_t deja__trail_count(uint64_t steps, uint64_t every, bool crashed)
{
    /* The command that crashed has no hash, where one was due. */
    const bool missing = crashed && steps && steps % every == 0;
    return steps / every + 1 - (missing ? 1 : 0);
}
