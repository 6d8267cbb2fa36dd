/* SPDX-License-Identifier: MIT */
/*
 * Whether a recording says anything that the store does not know.
 *
 * Equal are two recordings of one session under the same build, layouts and platform, with the same
 * trail, results, chains, end, marks and section hashes. When it was recorded and who played make
 * no difference; nor does the list of outcomes, of which only the one that was reached counts.
 */
#include "store/commands.h"
#include "store/part.h"
#include "store/writer.h"

/* ---- what is not a stream ---- */

static bool same_setting(const deja__setting *setting, const deja__recording_pack *pack)
{
    static const uint32_t COMPARED[] = { DEJA__VERSION, DEJA__STATE, DEJA__EVENT, DEJA__REFUSALS };
    for (size_t i = 0; i < sizeof COMPARED / sizeof *COMPARED; i++)
        if (strcmp(setting->texts[COMPARED[i]], pack->layouts->texts[COMPARED[i]]) != 0)
            return false;
    return setting->trail_bits == pack->trail_bits && setting->trail_every == pack->trail_every &&
           memcmp(setting->build, pack->build->digest, sizeof setting->build) == 0 &&
           strcmp(setting->texts[DEJA__COMPILER], pack->build->compiler) == 0 &&
           strcmp(setting->texts[DEJA__PLATFORM], pack->platform->text) == 0;
}

static bool same_end(const deja_writer *writer, const deja__recording_pack *pack, uint32_t place)
{
    const char *outcome;
    uint64_t size;
    return deja__recording_ended(pack, place, &outcome, &size) == writer->ended &&
           size == strlen(writer->outcome) && memcmp(outcome, writer->outcome, (size_t)size) == 0 &&
           deja__column_at(&pack->chains, place) == writer->now.chain &&
           deja__column_at(&pack->event_chains, place) == writer->now.event_chain;
}

/* ---- streams ---- */

static bool same_bytes(const void *a, const void *b, uint64_t size)
{
    return size == 0 || memcmp(a, b, (size_t)size) == 0;
}

/* A recording's share of a part. */
typedef struct share {
    const deja__part *part;
    uint64_t steps_before;
    uint32_t steps;
    const unsigned char *trail;
    uint64_t trail_size;
} share;

static void take_share(share *s, const deja__part *part, uint32_t place, uint32_t bits)
{
    const uint64_t trail_before = place ? deja__number_at(&part->trail_ends, place - 1) : 0;
    s->part = part;
    s->steps_before = place ? deja__number_at(&part->step_ends, place - 1) : 0;
    s->steps = (uint32_t)(deja__number_at(&part->step_ends, place) - s->steps_before);
    s->trail = bits ? part->trail.bytes + trail_before * (bits / 8) : NULL;
    s->trail_size = (deja__number_at(&part->trail_ends, place) - trail_before) * (bits / 8);
}

static uint32_t result_at(const share *s, uint32_t step)
{
    uint32_t result;
    deja__part_read_results(s->part, s->steps_before + step, 1, &result);
    return result;
}

static bool same_shares(const share *a, const share *b)
{
    if (a->steps != b->steps || a->trail_size != b->trail_size ||
        !same_bytes(a->trail, b->trail, a->trail_size))
        return false;
    for (uint32_t i = 0; i < a->steps; i++)
        if (result_at(a, i) != result_at(b, i))
            return false;
    return true;
}

static bool is_tail(const deja_writer *writer, const share *s)
{
    const uint32_t *results = (const uint32_t *)(const void *)writer->results.bytes;
    if (s->steps != writer->tail || s->trail_size != writer->trail.size ||
        !same_bytes(s->trail, writer->trail.bytes, s->trail_size))
        return false;
    for (uint32_t i = 0; i < s->steps; i++)
        if (result_at(s, i) != results[i])
            return false;
    return true;
}

static deja_code same_part(deja_writer *writer, const deja__recording_pack *pack, uint32_t place,
                           uint64_t at, bool *same, deja_error *err)
{
    deja_store *store = writer->store;
    const uint32_t bits = pack->trail_bits;
    deja__part *theirs = NULL;
    deja__part *own = NULL;
    share their_share;
    share own_share;
    deja_code code = deja__part_results(store, pack, at, &theirs, err);
    if (code == DEJA_OK && !theirs)
        code = deja__fail(err, DEJA_EDAMAGED, "results of pack %lld are not in the store",
                          (long long)pack->id);
    if (code < 0)
        return code;
    take_share(&their_share, theirs, place, bits);
    if (at >= writer->now.parts) {
        *same = is_tail(writer, &their_share);
    } else {
        const deja__recording_pack *mine =
            deja__catalog_recording_pack(store->catalog, writer->now.recording_pack);
        code = mine ? deja__part_results(store, mine, at, &own, err) : DEJA_OK;
        if (code == DEJA_OK && !own)
            code = deja__fail(err, DEJA_EDAMAGED, "results of pack %lld are not in the store",
                              (long long)writer->now.recording_pack);
        if (code == DEJA_OK) {
            take_share(&own_share, own, 0, bits);
            *same = same_shares(&own_share, &their_share);
        }
    }
    deja__part_release(theirs);
    deja__part_release(own);
    return code;
}

/* ---- notes ---- */

static const char *note_text(const deja__notes *notes, const deja__note *note)
{
    return note->name ? note->name : (const char *)notes->texts.bytes + note->text;
}

/* All of a writer's notes of one kind: those in the store, and those that wait. */
static deja_code own_notes(deja_writer *writer, bool marks, deja__notes *out, deja_error *err)
{
    deja_store *store = writer->store;
    const deja_buffer *notes = marks ? &writer->marks : &writer->sections;
    const deja_buffer *texts = marks ? &writer->mark_texts : &writer->section_names;
    deja_code code = DEJA_OK;
    const deja__recording_pack *pack =
        writer->now.session_pack
            ? deja__catalog_recording_pack(store->catalog, writer->now.recording_pack)
            : NULL;
    if (pack)
        code = marks ? deja__marks_read(store, pack, out, err)
                     : deja__sections_read(store, pack, out, err);
    const uint64_t offset = out->texts.size;
    const uint32_t known = (uint32_t)(out->notes.size / sizeof(deja__note));
    const deja__note *all = (const deja__note *)(const void *)notes->bytes;
    for (uint32_t i = 0; code == DEJA_OK && i < notes->size / sizeof *all; i++) {
        deja__note note = all[i];
        note.order = known + i;
        note.text += offset;
        deja_buffer_add(&out->notes, &note, sizeof note);
    }
    deja_buffer_add(&out->texts, texts->bytes, texts->size);
    if (code == DEJA_OK && (out->notes.failed || out->texts.failed))
        code = deja__fail_memory(err);
    deja__notes_sort(&out->notes);
    return code;
}

static deja_code same_notes(deja_writer *writer, const deja__recording_pack *pack, uint32_t place,
                            bool marks, bool *same, deja_error *err)
{
    const int64_t rows = marks ? pack->marks : pack->sections;
    const int64_t own_rows = marks ? writer->now.marks : writer->now.sections;
    const deja_buffer *waiting = marks ? &writer->marks : &writer->sections;
    *same = true;
    if (rows == 0 && own_rows == 0 && waiting->size == 0)
        return DEJA_OK;
    deja__notes theirs = { 0 };
    deja__notes own = { 0 };
    uint64_t count = 0;
    deja_code code = marks ? deja__marks_read(writer->store, pack, &theirs, err)
                           : deja__sections_read(writer->store, pack, &theirs, err);
    if (code == DEJA_OK)
        code = own_notes(writer, marks, &own, err);
    if (code == DEJA_OK) {
        const deja__note *a = deja__notes_of(&theirs, place, &count);
        const deja__note *b = (const deja__note *)(const void *)own.notes.bytes;
        *same = own.notes.size / sizeof *b == count;
        for (uint64_t i = 0; i < count && *same; i++)
            *same = a[i].step == b[i].step && a[i].hash == b[i].hash &&
                    strcmp(note_text(&theirs, &a[i]), note_text(&own, &b[i])) == 0;
    }
    deja__notes_release(&theirs);
    deja__notes_release(&own);
    return code;
}

/* ---- a recording, a session's recordings ---- */

static deja_code is_equal(deja_writer *writer, const deja__recording_pack *pack, uint32_t place,
                          bool *same, deja_error *err)
{
    deja_code code = DEJA_OK;
    *same = pack->id != writer->now.recording_pack && same_setting(writer->setting, pack) &&
            same_end(writer, pack, place);
    const uint64_t parts = deja__part_count(writer->now.steps);
    for (uint64_t part = 0; part < parts && *same && code == DEJA_OK; part++)
        code = same_part(writer, pack, place, part, same, err);
    for (int marks = 0; marks < 2 && *same && code == DEJA_OK; marks++)
        code = same_notes(writer, pack, place, marks != 0, same, err);
    return code;
}

deja_code deja__writer_is_known(deja_writer *writer, int64_t key, bool *known, deja_error *err)
{
    const deja__catalog *catalog = writer->store->catalog;
    uint32_t session_place;
    uint32_t place;
    uint32_t at = 0;
    const deja__session_pack *sessions = deja__catalog_session(catalog, key, &session_place);
    const deja__recording_pack *pack;
    deja_code code = DEJA_OK;
    *known = false;
    while (code == DEJA_OK && !*known && sessions &&
           (pack = deja__catalog_recording(catalog, sessions, session_place, &at, &place)) != NULL)
        code = is_equal(writer, pack, place, known, err);
    return code;
}

static bool same_buffers(const deja_buffer *a, const deja_buffer *b)
{
    return a->size == b->size && same_bytes(a->bytes, b->bytes, a->size);
}

static bool same_settings(const deja__setting *a, const deja__setting *b)
{
    static const uint32_t COMPARED[] = { DEJA__VERSION,  DEJA__STATE,    DEJA__EVENT,
                                         DEJA__REFUSALS, DEJA__COMPILER, DEJA__PLATFORM };
    for (size_t i = 0; i < sizeof COMPARED / sizeof *COMPARED; i++)
        if (strcmp(a->texts[COMPARED[i]], b->texts[COMPARED[i]]) != 0)
            return false;
    return a->trail_bits == b->trail_bits && a->trail_every == b->trail_every &&
           memcmp(a->build, b->build, sizeof a->build) == 0;
}

bool deja__writer_is_twin(const deja_writer *a, const deja_writer *b)
{
    return !deja__writer_is_long(a) && !deja__writer_is_long(b) &&
           (a->setting == b->setting || same_settings(a->setting, b->setting)) &&
           a->ended == b->ended && strcmp(a->outcome, b->outcome) == 0 &&
           a->now.chain == b->now.chain && a->now.event_chain == b->now.event_chain &&
           same_buffers(&a->results, &b->results) && same_buffers(&a->trail, &b->trail) &&
           same_buffers(&a->marks, &b->marks) && same_buffers(&a->mark_texts, &b->mark_texts) &&
           same_buffers(&a->sections, &b->sections) &&
           same_buffers(&a->section_names, &b->section_names);
}
