/* SPDX-License-Identifier: MIT */
/*
 * See fold.h.
 */
#include "store/fold.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/chain.h"
#include "store/gather.h"
#include "store/session_record.h"
#include "store/valid.h"

enum { PENDING = 2 * DEJA__BLOCK_STEPS, MARK_BYTES = 1000 };
#define MARKS_MAX ((uint64_t)DEJA__PARTS_MAX - 1)
#define SEE_PREFIX "see: " /* an expectation, which no game has: schemas/replay.md */
#define NOWHERE UINT64_MAX

typedef struct note {
    uint64_t step;
    uint64_t text; /* in note_texts, ending with NUL */
    uint64_t hash;
    bool is_section;
} note;

int64_t deja__fold_number(uint64_t journal, uint64_t session)
{
    const uint64_t sum = deja__journal_mix(deja__journal_mix(0, journal), session);
    const int64_t number = (int64_t)(sum & (uint64_t)INT64_MAX);
    return number < 2 ? 2 : number;
}

/* ---- opening ---- */

deja_code deja__fold_open(deja__fold **out, deja_store *store, uint64_t number, deja_error *err)
{
    *out = NULL;
    deja__fold *fold = calloc(1, sizeof *fold);
    if (!fold)
        return deja__fail_memory(err);
    fold->store = store;
    fold->number = number;
    fold->waiting_place = fold->lost_place = NOWHERE;
    fold->ends = malloc((PENDING + 1) * sizeof *fold->ends);
    fold->results = malloc((PENDING + 1) * sizeof *fold->results);
    fold->hashes = malloc((PENDING + 1) * sizeof *fold->hashes);
    fold->event_hashes = malloc((PENDING + 1) * sizeof *fold->event_hashes);
    fold->trail = malloc(DEJA__BLOCK_STEPS * sizeof *fold->trail);
    if (!fold->ends || !fold->results || !fold->hashes || !fold->event_hashes || !fold->trail) {
        deja__fold_close(fold);
        return deja__fail_memory(err);
    }
    *out = fold;
    return DEJA_OK;
}

void deja__fold_close(deja__fold *fold)
{
    if (!fold)
        return;
    deja_writer_abandon(fold->writer);
    deja_buffer_release(&fold->commands);
    deja_buffer_release(&fold->notes);
    deja_buffer_release(&fold->note_texts);
    free(fold->ends);
    free(fold->results);
    free(fold->hashes);
    free(fold->event_hashes);
    free(fold->trail);
    free(fold);
}

/* ---- a session begins ---- */

static void begin(deja__fold *fold, uint64_t session, uint64_t place)
{
    deja_buffer_clear(&fold->commands);
    deja_buffer_clear(&fold->notes);
    deja_buffer_clear(&fold->note_texts);
    fold->session = session;
    fold->at = fold->committed = 0;
    fold->count = 0;
    fold->broken = false;
    fold->marks = 0;
    fold->session_place = place;
    fold->block_places[0] = fold->block_places[1] = NOWHERE;
}

/* Goes on with what the store has; its writer knows it all but what was asked for in numbers. */
static void go_on(deja__fold *fold, deja_writer *writer)
{
    fold->writer = writer;
    fold->committed = writer->now.steps;
    fold->chain = writer->now.chain;
    fold->event_chain = writer->now.event_chain;
    fold->marks = (uint64_t)writer->now.marks;
    fold->trail_bits = writer->setting->trail_bits;
    fold->trail_every = writer->setting->trail_every;
}

static deja_code take_session(deja__fold *fold, const deja__journal_record *record, uint64_t place,
                              deja_error *err)
{
    deja_session session;
    deja_recording recording;
    deja_writer *writer = NULL;
    uint64_t start_hash;
    const int64_t number = deja__fold_number(fold->number, record->hash);
    deja_code code =
        deja__session_record_read(record->bytes, &session, &recording, &start_hash, err);
    if (code == DEJA_OK && fold->source)
        code = deja__writer_resume(&writer, fold->store, fold->source, number, err);
    if (code < 0)
        return code;
    begin(fold, record->hash, place);
    if (writer) {
        go_on(fold, writer);
        return DEJA_OK;
    }
    const uint64_t chain = deja__chain_start(start_hash);
    code = deja_writer_open(&fold->writer, fold->store, &session, &recording,
                            deja__cut(start_hash, recording.trail_bits), chain, err);
    if (code < 0)
        return code;
    fold->writer->number = number;
    fold->chain = chain;
    fold->event_chain = deja__event_chain_start();
    fold->trail_bits = recording.trail_bits;
    fold->trail_every = recording.trail_every;
    return DEJA_OK;
}

deja_code deja__fold_resume(deja__fold *fold, uint64_t session, uint64_t steps, deja_error *err)
{
    deja_writer *writer = NULL;
    const int64_t number = deja__fold_number(fold->number, session);
    const deja_code code = deja__writer_resume(&writer, fold->store, fold->source, number, err);
    /* Where the store has no open one, it has all of it. */
    if (code < 0 || !writer)
        return code;
    begin(fold, session, 0);
    go_on(fold, writer);
    fold->at = steps;
    if (steps <= fold->committed)
        return DEJA_OK;
    /* What is between is gone, and what comes is of no use. */
    return deja__fold_end(fold, err);
}

/* Where nothing of the session is missing that the store has not, it goes on. */
deja_code deja__fold_gap(deja__fold *fold, uint64_t session, uint64_t steps, deja_error *err)
{
    const bool here = fold->writer && fold->session == session && !fold->broken;
    if (here && (fold->at == steps || steps <= fold->committed)) {
        fold->at = steps;
        return DEJA_OK;
    }
    const deja_code code = deja__fold_end(fold, err);
    return code < 0 || session == 0 ? code : deja__fold_resume(fold, session, steps, err);
}

/* ---- to the store ---- */

static uint32_t start_of(const deja__fold *fold, uint32_t place)
{
    return place ? fold->ends[place - 1] : 0;
}

/* The chains over the first `count` pending steps, and their hashes as they are kept. */
static void chain_up(deja__fold *fold, uint32_t count, bool broken, deja_steps *steps)
{
    const uint64_t every = fold->trail_every;
    const uint32_t whole = count - (broken ? 1 : 0);
    uint64_t chain = fold->chain;
    uint64_t event_chain = fold->event_chain;
    uint64_t until = every - fold->committed % every;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < whole; i++) {
        event_chain = deja__event_chain_step(event_chain, fold->event_hashes[i]);
        if (--until)
            continue;
        until = every;
        chain = deja__chain_step(chain, fold->hashes[i], fold->results[i]);
        fold->trail[kept++] = deja__cut(fold->hashes[i], fold->trail_bits);
    }
    steps->trail = fold->trail;
    steps->trail_count = kept;
    steps->chain = chain;
    steps->event_chain = event_chain;
}

/* Marks and sections up to a step; from there on they stay. */
static deja_code hand_notes(deja__fold *fold, uint64_t last, deja_error *err)
{
    const note *notes = (const note *)(const void *)fold->notes.bytes;
    const uint64_t count = fold->notes.size / sizeof *notes;
    uint64_t done = 0;
    deja_code code = DEJA_OK;
    for (; done < count && notes[done].step <= last && code == DEJA_OK; done += code == DEJA_OK) {
        const char *text = (const char *)fold->note_texts.bytes + notes[done].text;
        code = notes[done].is_section ? deja_writer_section(fold->writer, notes[done].step, text,
                                                            notes[done].hash, err)
                                      : deja_writer_mark(fold->writer, notes[done].step, text, err);
    }
    if (done) {
        memmove(fold->notes.bytes, notes + done, (size_t)(count - done) * sizeof *notes);
        fold->notes.size = (count - done) * sizeof *notes;
        if (count == done)
            deja_buffer_clear(&fold->note_texts);
    }
    return code;
}

/* The first pending steps go to the writer. */
static deja_code hand_steps(deja__fold *fold, uint32_t count, deja_error *err)
{
    deja_steps steps = { 0 };
    const bool broken = fold->broken && count == fold->count && count != 0;
    deja_code code = hand_notes(fold, fold->committed + count, err);
    if (code < 0)
        return code;
    steps.first = fold->committed + 1;
    steps.count = count;
    steps.commands = fold->commands.size ? fold->commands.bytes : (const unsigned char *)"";
    steps.command_ends = fold->ends;
    steps.results = fold->results;
    chain_up(fold, count, broken, &steps);
    code = deja_writer_add(fold->writer, &steps, err);
    if (code < 0)
        return code;
    const uint32_t size = start_of(fold, count);
    const uint32_t left = fold->count - count;
    memmove(fold->commands.bytes, fold->commands.bytes + size, fold->commands.size - size);
    fold->commands.size -= size;
    for (uint32_t i = 0; i < left; i++)
        fold->ends[i] = fold->ends[count + i] - size;
    memmove(fold->results, fold->results + count, left * sizeof *fold->results);
    memmove(fold->hashes, fold->hashes + count, left * sizeof *fold->hashes);
    memmove(fold->event_hashes, fold->event_hashes + count, left * sizeof *fold->event_hashes);
    fold->count = left;
    fold->committed += count;
    fold->chain = steps.chain;
    fold->event_chain = steps.event_chain;
    fold->block_places[0] = fold->block_places[1];
    fold->block_places[1] = NOWHERE;
    return DEJA_OK;
}

/* ---- steps ---- */

static deja_code take_step(deja__fold *fold, const deja__journal_record *record, uint64_t place,
                           deja_error *err)
{
    const bool broken = !record->done || record->flag == DEJA__JOURNAL_BROKEN;
    if (fold->at + 1 <= fold->committed) { /* the store has it */
        fold->at += !broken;
        fold->broken = broken;
        return DEJA_OK;
    }
    if (fold->count == PENDING) {
        const deja_code code = hand_steps(fold, DEJA__BLOCK_STEPS, err);
        if (code < 0)
            return code;
    }
    const uint64_t end = fold->commands.size + record->bytes.size;
    if (end > UINT32_MAX)
        return deja__fail(err, DEJA_ELIMIT, "the commands of two blocks have 4 GiB or more");
    if (!deja_buffer_add(&fold->commands, record->bytes.bytes, record->bytes.size)) {
        fold->commands.failed = false;
        return deja__fail_memory(err);
    }
    /* The first place that a block had: after a rewind its steps come again further on, but a
     * segment's header counts from what was there before. */
    const uint32_t block = fold->count / DEJA__BLOCK_STEPS % 2;
    if (fold->count % DEJA__BLOCK_STEPS == 0 && fold->block_places[block] == NOWHERE)
        fold->block_places[block] = place;
    fold->ends[fold->count] = (uint32_t)end;
    fold->results[fold->count] = broken ? 0 : record->result;
    fold->hashes[fold->count] = record->hash;
    fold->event_hashes[fold->count] =
        record->has_events ? record->event_hash : deja__event_hash_none();
    fold->count++;
    fold->broken = broken;
    fold->at += !broken;
    return DEJA_OK;
}

/* ---- notes ---- */

static deja_code add_note(deja__fold *fold, const void *text, uint64_t size, bool is_section,
                          uint64_t hash, deja_error *err)
{
    const note added = { fold->at + (fold->broken ? 1 : 0), fold->note_texts.size, hash,
                         is_section };
    if (!deja_buffer_reserve(&fold->note_texts, size + 1) ||
        !deja_buffer_reserve(&fold->notes, sizeof added)) {
        fold->note_texts.failed = fold->notes.failed = false;
        return deja__fail_memory(err);
    }
    deja_buffer_add(&fold->note_texts, text, size);
    deja_buffer_char(&fold->note_texts, 0);
    deja_buffer_add(&fold->notes, &added, sizeof added);
    fold->marks += !is_section;
    return DEJA_OK;
}

/* Whether the store has what is noted at the step at hand. */
static bool is_passed_over(const deja__fold *fold)
{
    return fold->committed && fold->at <= fold->committed && !fold->broken;
}

static deja_code take_mark(deja__fold *fold, const deja__journal_record *record, deja_error *err)
{
    const char *text = record->bytes.bytes;
    const uint64_t size = record->bytes.size;
    const size_t prefix = strlen(SEE_PREFIX);
    const bool is_see = size >= prefix && memcmp(text, SEE_PREFIX, prefix) == 0;
    if (is_passed_over(fold))
        return DEJA_OK;
    if (size == 0 || is_see || !deja__is_plain(text, size, MARK_BYTES) ||
        fold->marks >= MARKS_MAX) {
        fold->left_out++;
        return DEJA_OK;
    }
    return add_note(fold, text, size, false, 0, err);
}

static deja_code take_section(deja__fold *fold, const deja__journal_record *record, deja_error *err)
{
    if (is_passed_over(fold))
        return DEJA_OK;
    if (!deja__is_name(record->bytes.bytes, record->bytes.size)) {
        fold->left_out++;
        return DEJA_OK;
    }
    return add_note(fold, record->bytes.bytes, record->bytes.size, true, record->hash, err);
}

static deja_code take_rewind(deja__fold *fold, uint64_t to, deja_error *err)
{
    char text[80];
    const uint64_t back = fold->at - to;
    if (to > fold->at)
        return deja__fail(err, DEJA_EDAMAGED, "more steps are taken back than there are");
    const uint32_t left = to > fold->committed ? (uint32_t)(to - fold->committed) : 0;
    if (left < fold->count) {
        fold->count = left;
        fold->commands.size = start_of(fold, left);
    }
    fold->at = to;
    const note *notes = (const note *)(const void *)fold->notes.bytes;
    uint64_t count = fold->notes.size / sizeof *notes;
    for (; count && notes[count - 1].step > to; count--)
        fold->marks -= !notes[count - 1].is_section;
    fold->notes.size = count * sizeof *notes;
    if (is_passed_over(fold) || fold->marks >= MARKS_MAX)
        return DEJA_OK;
    const int size = snprintf(text, sizeof text, "%llu step%s taken back here",
                              (unsigned long long)back, back == 1 ? "" : "s");
    return add_note(fold, text, (uint64_t)size, false, 0, err);
}

/* ---- a session's end ---- */

static deja_code finish(deja__fold *fold, uint32_t ended, const char *outcome, deja_error *err)
{
    deja_code code = DEJA_OK;
    if (fold->broken)
        ended = DEJA_ENDED_CRASHED;
    while (code == DEJA_OK && fold->count) {
        const uint32_t count = fold->count < DEJA__BLOCK_STEPS ? fold->count : DEJA__BLOCK_STEPS;
        code = hand_steps(fold, count, err);
    }
    if (code == DEJA_OK)
        code = hand_notes(fold, UINT64_MAX, err);
    if (code < 0)
        return code;
    deja_writer *writer = fold->writer;
    const uint64_t waiting = deja_store_gathered(fold->store);
    fold->writer = NULL;
    fold->ended = ended;
    fold->steps = fold->committed;
    fold->sessions++;
    if (waiting == 0)
        fold->waiting_place = NOWHERE;
    if (fold->session_place < fold->waiting_place)
        fold->waiting_place = fold->session_place;
    code = deja_writer_close(writer, ended, ended == DEJA_ENDED_OUTCOME ? outcome : NULL, &fold->id,
                             &fold->known, err);
    /* One that is gathered is committed with the next flush, whatever went wrong now. */
    if (code < 0 && deja_store_gathered(fold->store) > waiting)
        return DEJA_OK;
    if (code < 0 && fold->session_place < fold->lost_place)
        fold->lost_place = fold->session_place;
    return code;
}

static deja_code take_end(deja__fold *fold, const deja__journal_record *record, deja_error *err)
{
    char outcome[DEJA__NAME_MAX + 1] = "";
    const uint64_t size = record->bytes.size;
    const bool named = size && deja__is_name(record->bytes.bytes, size);
    if (named)
        memcpy(outcome, record->bytes.bytes, (size_t)size);
    const uint32_t ended = record->flag || (size && !named) ? DEJA_ENDED_UNFINISHED
                           : size                           ? DEJA_ENDED_OUTCOME
                                                            : DEJA_ENDED_RUNNING;
    return finish(fold, ended, outcome, err);
}

deja_code deja__fold_end(deja__fold *fold, deja_error *err)
{
    return fold->writer ? finish(fold, DEJA_ENDED_UNFINISHED, NULL, err) : DEJA_OK;
}

/* ---- records ---- */

deja_code deja__fold_take(deja__fold *fold, const deja__journal_record *record, uint64_t place,
                          deja_error *err)
{
    if (record->kind == DEJA__JOURNAL_SESSION) {
        const deja_code code = deja__fold_end(fold, err);
        return code < 0 ? code : take_session(fold, record, place, err);
    }
    /* Behind the end, or of a session that the store has. */
    if (!fold->writer)
        return DEJA_OK;
    switch (record->kind) {
    case DEJA__JOURNAL_STEP:
        return fold->broken ? DEJA_OK : take_step(fold, record, place, err);
    case DEJA__JOURNAL_MARK:
        return take_mark(fold, record, err);
    case DEJA__JOURNAL_SECTION:
        return take_section(fold, record, err);
    case DEJA__JOURNAL_REWIND:
        return fold->broken ? DEJA_OK : take_rewind(fold, record->hash, err);
    case DEJA__JOURNAL_END:
        return take_end(fold, record, err);
    case DEJA__JOURNAL_GAP:
    case DEJA__JOURNAL_SESSION:
    case DEJA__JOURNAL_PART:
    case DEJA__JOURNAL_NEXT:
        break;
    }
    return DEJA_OK;
}

uint64_t deja__fold_needs(const deja__fold *fold, uint64_t read)
{
    uint64_t place = read;
    if (fold->writer && fold->writer->now.parts == 0)
        place = fold->session_place;
    else if (fold->writer && fold->block_places[0] < place)
        place = fold->block_places[0];
    if (deja_store_gathered(fold->store) && fold->waiting_place < place)
        place = fold->waiting_place;
    return fold->lost_place < place ? fold->lost_place : place;
}
