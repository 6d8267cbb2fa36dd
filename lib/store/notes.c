/* SPDX-License-Identifier: MIT */
/*
 * See notes.h. A mark is a row. Section hashes may be many a step, so up to 16,384 of them share a
 * block (c of them, little-endian, by planes: all lowest bytes first):
 *
 *     u32      c
 *     2 * c    the recording's place in its pack
 *     8 * c    step
 *     4 * c    the name, as a row of words
 *     8 * c    hashes, whole
 */
#include "store/notes.h"

#include "store/valid.h"

#include <stdlib.h>

enum { SECTIONS_A_PART = 16384, SECTION_BYTES = 22 };

deja_code deja__kept_notes_create(deja__kept_notes **out, deja_error *err)
{
    *out = calloc(1, sizeof **out);
    return *out ? DEJA_OK : deja__fail_memory(err);
}

void deja__kept_notes_destroy(deja__kept_notes *notes)
{
    if (notes) {
        deja__notes_release(&notes->marks);
        deja__notes_release(&notes->sections);
    }
    free(notes);
}

void deja__notes_release(deja__notes *notes)
{
    deja_buffer_release(&notes->notes);
    deja_buffer_release(&notes->texts);
    notes->pack = 0;
}

/* ---- reading ---- */

typedef struct gathering {
    deja_store *store;
    const deja__recording_pack *pack;
    deja__notes *out;
    deja_buffer raw;
    int64_t next; /* the key that the next row has */
} gathering;

static uint32_t note_count(const deja__notes *notes)
{
    return (uint32_t)(notes->notes.size / sizeof(deja__note));
}

static deja_code add_note(gathering *g, deja__note *note, deja_error *err)
{
    note->order = note_count(g->out);
    if (note->place >= g->pack->count || note->order == UINT32_MAX)
        return deja__fail(err, DEJA_EDAMAGED, "a note is on a recording that there is not");
    return deja_buffer_add(&g->out->notes, note, sizeof *note) ? DEJA_OK : deja__fail_memory(err);
}

static deja_code check_key(gathering *g, const deja__row *row, deja_error *err)
{
    return row->key == g->next++
               ? DEJA_OK
               : deja__fail(err, DEJA_EDAMAGED, "notes are not numbered one after another");
}

static deja_code take_mark(void *user, const deja__row *row, deja_error *err)
{
    gathering *g = user;
    const int64_t place = row->cells[0].number;
    const deja__cell *text = &row->cells[2];
    const deja_code code = check_key(g, row, err);
    if (code < 0)
        return code;
    if (place < 0 || place >= DEJA__PACK_MAX || text->size > DEJA__MARK_MAX)
        return deja__fail(err, DEJA_EDAMAGED, "a mark is not sound");
    deja__note note = { .place = (uint32_t)place,
                        .step = deja__as_unsigned(row->cells[1].number),
                        .text = g->out->texts.size };
    if (!deja_buffer_add(&g->out->texts, text->bytes, text->size) ||
        !deja_buffer_char(&g->out->texts, '\0'))
        return deja__fail_memory(err);
    return add_note(g, &note, err);
}

static uint64_t from_planes(const unsigned char *planes, uint64_t count, uint64_t at,
                            uint32_t width)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < width; i++)
        number |= (uint64_t)planes[i * count + at] << (8 * i);
    return number;
}

static deja_code take_sections(void *user, const deja__row *row, deja_error *err)
{
    gathering *g = user;
    const deja_span block = { row->cells[1].bytes, row->cells[1].size };
    deja_code code = check_key(g, row, err);
    deja_buffer_clear(&g->raw);
    if (code == DEJA_OK)
        code = deja__unpack(g->store->unpacker, block, row->cells[0].number, &g->raw, err);
    if (code < 0)
        return code;
    const unsigned char *bytes = g->raw.bytes;
    const uint64_t count = g->raw.size >= 4 ? deja__load32(bytes) : 0;
    if (count == 0 || count > SECTIONS_A_PART || g->raw.size != 4 + SECTION_BYTES * count)
        return deja__fail(err, DEJA_EDAMAGED, "section hashes are not of the size of their number");
    bytes += 4;
    for (uint64_t i = 0; i < count && code == DEJA_OK; i++) {
        const uint64_t name = from_planes(bytes + 10 * count, count, i, 4);
        const deja__word *word = deja__catalog_word(g->store->catalog, (int64_t)name);
        if (!word || !deja__is_name(word->text, strlen(word->text)))
            return deja__fail(err, DEJA_EDAMAGED, "a section has no name");
        deja__note note = { .place = (uint32_t)from_planes(bytes, count, i, 2),
                            .step = from_planes(bytes + 2 * count, count, i, 8),
                            .name = word->text,
                            .hash = deja__load64(bytes + 14 * count + 8 * i) };
        code = add_note(g, &note, err);
    }
    return code;
}

static int by_place(const void *a, const void *b)
{
    const deja__note *left = a;
    const deja__note *right = b;
    if (left->place != right->place)
        return left->place < right->place ? -1 : 1;
    if (left->step != right->step)
        return left->step < right->step ? -1 : 1;
    return left->order < right->order ? -1 : left->order > right->order;
}

void deja__notes_sort(deja_buffer *notes)
{
    if (notes->size)
        qsort(notes->bytes, (size_t)notes->size / sizeof(deja__note), sizeof(deja__note), by_place);
}

static deja_code read_notes(deja_store *store, const deja__recording_pack *pack, uint32_t table,
                            int64_t rows, deja__notes *out, deja_error *err)
{
    const int64_t first = DEJA__PART_KEY(pack->id, 0);
    gathering g = { .store = store, .pack = pack, .out = out, .next = first };
    deja__tally found = { 0 };
    deja_buffer_clear(&out->notes);
    deja_buffer_clear(&out->texts);
    out->pack = 0;
    if (rows == 0)
        return DEJA_OK;
    const deja_code code =
        deja__rows_read(store, table, first, first + DEJA__PARTS_MAX - 1,
                        table == DEJA__MARKS ? take_mark : take_sections, &g, &found, err);
    deja_buffer_release(&g.raw);
    if (code < 0)
        return deja__fail_within(err, code, "%s", deja__table_name(table));
    if (found.rows != rows)
        return deja__fail(err, DEJA_EDAMAGED, "%s: %lld rows, and there should be %lld",
                          deja__table_name(table), (long long)found.rows, (long long)rows);
    deja__notes_sort(&out->notes);
    out->pack = pack->id;
    return DEJA_OK;
}

deja_code deja__marks_read(deja_store *store, const deja__recording_pack *pack, deja__notes *out,
                           deja_error *err)
{
    return read_notes(store, pack, DEJA__MARKS, pack->marks, out, err);
}

deja_code deja__sections_read(deja_store *store, const deja__recording_pack *pack, deja__notes *out,
                              deja_error *err)
{
    return read_notes(store, pack, DEJA__SECTION_PARTS, pack->sections, out, err);
}

const deja__note *deja__notes_of(const deja__notes *notes, uint32_t place, uint64_t *count)
{
    const deja__note *all = (const deja__note *)(const void *)notes->notes.bytes;
    const uint32_t number = note_count(notes);
    uint32_t low = 0;
    uint32_t high = number;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (all[middle].place < place)
            low = middle + 1;
        else
            high = middle;
    }
    while (high < number && all[high].place == place)
        high++;
    *count = high - low;
    return *count ? all + low : NULL;
}

/* ---- telling ---- */

/* Those of a pack of many are kept, for its other recordings' readers. */
static deja_code fetch(deja_store *store, const deja__recording_pack *pack, uint32_t table,
                       deja__notes *own, deja__notes **out, deja_error *err)
{
    deja__notes *kept = table == DEJA__MARKS ? &store->notes->marks : &store->notes->sections;
    deja__notes *notes = pack->count > 1 && (kept->pack == pack->id || !kept->tellers) ? kept : own;
    *out = notes;
    notes->tellers++;
    if (notes == kept && kept->pack == pack->id)
        return DEJA_OK;
    return table == DEJA__MARKS ? deja__marks_read(store, pack, notes, err)
                                : deja__sections_read(store, pack, notes, err);
}

deja_code deja__marks_tell(deja_store *store, const deja__recording_pack *pack, uint32_t place,
                           bool (*visit)(void *user, uint64_t step, const char *text), void *user,
                           deja_error *err)
{
    deja__notes own = { 0 };
    deja__notes *notes;
    uint64_t count = 0;
    const deja_code code = fetch(store, pack, DEJA__MARKS, &own, &notes, err);
    const deja__note *note = code == DEJA_OK ? deja__notes_of(notes, place, &count) : NULL;
    for (; count; count--, note++)
        if (!visit(user, note->step, (const char *)notes->texts.bytes + note->text))
            break;
    notes->tellers--;
    deja__notes_release(&own);
    return code;
}

deja_code deja__sections_tell(deja_store *store, const deja__recording_pack *pack, uint32_t place,
                              bool (*visit)(void *user, uint64_t step, const char *name,
                                            uint64_t hash),
                              void *user, deja_error *err)
{
    deja__notes own = { 0 };
    deja__notes *notes;
    uint64_t count = 0;
    const deja_code code = fetch(store, pack, DEJA__SECTION_PARTS, &own, &notes, err);
    const deja__note *note = code == DEJA_OK ? deja__notes_of(notes, place, &count) : NULL;
    for (; count; count--, note++)
        if (!visit(user, note->step, note->name, note->hash))
            break;
    notes->tellers--;
    deja__notes_release(&own);
    return code;
}

/* ---- writing ---- */

deja_code deja__mark_insert(deja_store *store, int64_t pack, int64_t *count, uint32_t place,
                            uint64_t step, const char *text, deja_error *err)
{
    deja__row row = { .key = DEJA__PART_KEY(pack, *count) };
    deja__cell_number(&row, 0, place);
    deja__cell_number(&row, 1, deja__as_signed(step));
    deja__cell_text(&row, 2, text);
    const deja_code code = deja__row_insert(store, DEJA__MARKS, &row, err);
    if (code == DEJA_OK)
        ++*count;
    return code;
}

static void to_planes(unsigned char *planes, uint64_t count, uint64_t at, uint32_t width,
                      uint64_t number)
{
    for (uint32_t i = 0; i < width; i++)
        planes[i * count + at] = (unsigned char)(number >> (8 * i));
}

static deja_code insert_sections(deja_store *store, int64_t key, const deja__note *notes,
                                 uint64_t count, deja_buffer *raw, deja_error *err)
{
    deja_buffer_clear(raw);
    unsigned char *bytes = deja_buffer_extend(raw, 4 + SECTION_BYTES * count);
    if (!bytes)
        return deja__fail_memory(err);
    deja__store32(bytes, (uint32_t)count);
    bytes += 4;
    for (uint64_t i = 0; i < count; i++) {
        int64_t name = 0;
        const deja_code code = deja__intern_word(store, notes[i].name, &name, err);
        if (code < 0)
            return code;
        to_planes(bytes, count, i, 2, notes[i].place);
        to_planes(bytes + 2 * count, count, i, 8, notes[i].step);
        to_planes(bytes + 10 * count, count, i, 4, (uint64_t)name);
        deja__store64(bytes + 14 * count + 8 * i, notes[i].hash);
    }
    const deja_span whole = { raw->bytes, raw->size };
    deja_span block;
    const deja_code code = deja__pack(store->packer, whole, &block, err);
    if (code < 0)
        return code;
    deja__row row = { .key = key };
    deja__cell_number(&row, 0, (int64_t)whole.size);
    deja__cell_bytes(&row, 1, block.bytes, block.size);
    return deja__row_insert(store, DEJA__SECTION_PARTS, &row, err);
}

deja_code deja__sections_insert(deja_store *store, int64_t pack, int64_t *count,
                                const deja_buffer *notes, deja_error *err)
{
    const deja__note *all = (const deja__note *)(const void *)notes->bytes;
    const uint64_t number = notes->size / sizeof *all;
    deja_buffer raw = { 0 };
    deja_code code = DEJA_OK;
    if ((uint64_t)*count + number / SECTIONS_A_PART + 1 > (uint64_t)DEJA__PARTS_MAX)
        return deja__fail(err, DEJA_ELIMIT, "there are too many section hashes");
    for (uint64_t at = 0; at < number && code == DEJA_OK; at += SECTIONS_A_PART) {
        const uint64_t rest = number - at;
        code = insert_sections(store, DEJA__PART_KEY(pack, *count), all + at,
                               rest < SECTIONS_A_PART ? rest : SECTIONS_A_PART, &raw, err);
        if (code == DEJA_OK)
            ++*count;
    }
    deja_buffer_release(&raw);
    return code;
}
