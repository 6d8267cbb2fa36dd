/* SPDX-License-Identifier: MIT */
/*
 * A journal becomes a session: its records are read into a draft, the same that a replay text is
 * read into, and the draft is written into the store.
 *
 * Steps lie in columns until all are read, because a rewind takes the last ones back; only then are
 * runs, trail and chains made of what is left.
 */
#include <deja/journal_read.h>

#include "fields/values.h"
#include "journal/read.h"
#include "store/take_in.h"
#include "store/valid.h"
#include "text/import.h"

#include <stdio.h>

enum { MARK_BYTES = 1000 };

/* What is kept of each step beside its command. */
typedef struct step {
    uint64_t hash;
    uint64_t event_hash;
    uint32_t size; /* of the command */
    uint32_t result;
} step;

typedef struct taking {
    deja__journal journal;
    deja__import import; /* for its headers and its draft */
    deja_buffer steps;   /* step */
    uint32_t refusals;
    bool ended;
    deja_journal_told *told;
} taking;

bool deja_is_journal(const void *bytes, uint64_t size)
{
    return bytes && size >= 8 && memcmp(bytes, "dejajrnl", 8) == 0;
}

/* ---- steps ---- */

static uint64_t step_count(const taking *t)
{
    return t->steps.size / sizeof(step);
}

static const step *steps_of(const taking *t)
{
    return (const step *)(const void *)t->steps.bytes;
}

/* What a writer would not have logged ends the session before it. */
static bool stop(taking *t, const char *why)
{
    snprintf(t->told->why, sizeof t->told->why, "%s", why);
    return false;
}

static bool is_command(const taking *t, deja_span bytes)
{
    const deja__shape *shape = &t->import.draft.shapes[DEJA__WORD_COMMAND - DEJA__WORD_STATE];
    return bytes.size <= DEJA__COMMAND_SIZE_MAX &&
           (!shape->layout ||
            deja_value_validate(shape->layout, bytes.bytes, bytes.size, NULL) == DEJA_OK);
}

/* Whether the commands of its block stay within a store's limit. */
static bool fits_block(taking *t, uint64_t size)
{
    deja__draft *draft = &t->import.draft;
    const bool first = step_count(t) % DEJA__BLOCK_STEPS == 0;
    draft->block_bytes = (first ? 0 : draft->block_bytes) + size;
    return draft->block_bytes <= DEJA__DRAFT_BLOCK_BYTES;
}

/* The commands of steps behind the one at `to` go, and its block has the bytes that it had then. A
 * game that predicts takes some back every frame: a block is counted anew where it changes. */
static void drop_steps(taking *t, uint64_t to)
{
    deja__draft *draft = &t->import.draft;
    const uint64_t count = step_count(t);
    const uint64_t first = to - to % DEJA__BLOCK_STEPS;
    uint64_t dropped = 0;
    for (uint64_t i = to; i < count; i++)
        dropped += steps_of(t)[i].size;
    draft->command_bytes.size -= dropped;
    t->steps.size = to * sizeof(step);
    if (first == count - count % DEJA__BLOCK_STEPS) {
        draft->block_bytes -= dropped;
        return;
    }
    draft->block_bytes = 0;
    for (uint64_t i = first; i < to; i++)
        draft->block_bytes += steps_of(t)[i].size;
}

static bool take_step(taking *t, const deja__journal_record *record)
{
    deja__draft *draft = &t->import.draft;
    if (!is_command(t, record->bytes))
        return stop(t, "a command that its layout has no value for");
    if (record->done && record->result > t->refusals)
        return stop(t, "a result that its refusals do not have");
    if (!fits_block(t, record->bytes.size))
        return stop(t, "more bytes of commands than a store takes");
    const step kept = { record->hash,
                        record->has_events ? record->event_hash : deja__event_hash_none(),
                        (uint32_t)record->bytes.size, record->result };
    deja_buffer_add(&draft->command_bytes, record->bytes.bytes, record->bytes.size);
    if (!record->done) {
        const deja__entry entry = { kept.size, 1 };
        deja_buffer_add(&draft->entries, &entry, sizeof entry); /* put behind the others later */
        draft->ended = DEJA_ENDED_CRASHED;
        return false;
    }
    deja_buffer_add(&t->steps, &kept, sizeof kept);
    return !t->steps.failed && !draft->command_bytes.failed;
}

/* ---- beside the steps ---- */

static void remark(taking *t, const char *text, uint64_t size, bool is_section, uint64_t hash)
{
    deja__draft *draft = &t->import.draft;
    const deja__remark kept = { step_count(t), hash, draft->remark_text.size, is_section };
    deja_buffer_add(&draft->remark_text, text, size);
    deja_buffer_char(&draft->remark_text, 0);
    deja_buffer_add(&draft->remarks, &kept, sizeof kept);
    draft->marks += !is_section;
}

static void take_mark(taking *t, const deja__journal_record *record)
{
    const char *text = (const char *)record->bytes.bytes;
    const uint64_t size = record->bytes.size;
    const size_t prefix = strlen(DEJA__SEE_PREFIX);
    const bool is_see = size >= prefix && memcmp(text, DEJA__SEE_PREFIX, prefix) == 0;
    if (size == 0 || is_see || !deja__is_plain(text, size, MARK_BYTES) ||
        t->import.draft.marks == DEJA__DRAFT_MARKS)
        t->told->left_out++;
    else
        remark(t, text, size, false, 0);
}

static void take_section(taking *t, const deja__journal_record *record)
{
    const char *name = (const char *)record->bytes.bytes;
    if (deja__is_name(name, record->bytes.size))
        remark(t, name, record->bytes.size, true, record->hash);
    else
        t->told->left_out++;
}

static bool take_rewind(taking *t, uint64_t to)
{
    deja__draft *draft = &t->import.draft;
    const uint64_t count = step_count(t);
    char text[80];
    if (to > count)
        return stop(t, "more steps are taken back than there are");
    drop_steps(t, to);
    t->told->taken_back += count - to;
    const deja__remark *remarks = (const deja__remark *)(const void *)draft->remarks.bytes;
    uint64_t left = draft->remarks.size / sizeof *remarks;
    for (; left > 0 && remarks[left - 1].step > to; left--)
        draft->marks -= !remarks[left - 1].is_section;
    draft->remarks.size = left * sizeof *remarks;
    const int size = snprintf(text, sizeof text, "%llu step%s taken back here",
                              (unsigned long long)(count - to), count - to == 1 ? "" : "s");
    if (draft->marks < DEJA__DRAFT_MARKS)
        remark(t, text, (uint64_t)size, false, 0);
    return true;
}

static void take_end(taking *t, const deja__journal_record *record)
{
    deja__draft *draft = &t->import.draft;
    const char *name = (const char *)record->bytes.bytes;
    const uint64_t size = record->bytes.size;
    const bool opaque = !draft->shapes[0].layout;
    const char *outcomes = deja__draft_word(draft, DEJA__WORD_OUTCOMES);
    t->ended = true;
    draft->ended = DEJA_ENDED_RUNNING;
    if (size == 0)
        return;
    if (!deja__is_name(name, size) || deja__listed_find(DEJA__NO_OUTCOMES, name, size) >= 0 ||
        (!opaque && deja__listed_find(outcomes, name, size) < 0)) {
        stop(t, "it ended with an outcome that its headers do not have");
        return;
    }
    draft->ended = DEJA_ENDED_OUTCOME;
    deja_buffer_add(&draft->outcome, name, size);
    deja_buffer_char(&draft->outcome, 0);
}

/* false: it was the last one that counts. */
static bool take(taking *t, const deja__journal_record *record)
{
    switch (record->kind) {
    case DEJA__JOURNAL_STEP:
        return take_step(t, record);
    case DEJA__JOURNAL_MARK:
        take_mark(t, record);
        return true;
    case DEJA__JOURNAL_SECTION:
        take_section(t, record);
        return true;
    case DEJA__JOURNAL_REWIND:
        return take_rewind(t, record->hash);
    case DEJA__JOURNAL_END:
        take_end(t, record);
        return false;
    case DEJA__JOURNAL_GAP:
    case DEJA__JOURNAL_PART:
    case DEJA__JOURNAL_NEXT:
    case DEJA__JOURNAL_SESSION:
        break;
    }
    return true;
}

static deja_code take_all(taking *t, deja_error *err)
{
    deja__journal_walk walk;
    deja__journal_record record;
    deja__draft *draft = &t->import.draft;
    draft->ended = DEJA_ENDED_UNFINISHED;
    deja__journal_walk_begin(&walk, &t->journal);
    while (deja__journal_walk_next(&walk, &record) && take(t, &record)) {
    }
    if (walk.why && !t->ended && draft->ended != DEJA_ENDED_CRASHED)
        stop(t, walk.why);
    const bool failed = walk.failed || t->steps.failed || draft->command_bytes.failed ||
                        draft->entries.failed || draft->remarks.failed ||
                        draft->remark_text.failed || draft->outcome.failed;
    deja__journal_walk_end(&walk);
    return failed ? deja__fail_memory(err) : DEJA_OK;
}

/* ---- columns into a draft ---- */

static void add_hash(deja__draft *draft, uint64_t hash)
{
    unsigned char bytes[8];
    deja__store64(bytes, hash);
    deja_buffer_add(&draft->trail, bytes, draft->trail_bits / 8);
    draft->trail_count++;
}

static void add_result(deja__draft *draft, uint32_t result)
{
    deja__run *last =
        draft->runs.size
            ? (deja__run *)(void *)(draft->runs.bytes + draft->runs.size - sizeof(deja__run))
            : NULL;
    const deja__run run = { 1, result };
    if (last && last->result == result)
        last->times++;
    else
        deja_buffer_add(&draft->runs, &run, sizeof run);
    draft->results++;
}

static deja_code settle(taking *t, deja_error *err)
{
    deja__draft *draft = &t->import.draft;
    const uint64_t count = step_count(t);
    const bool crashed = draft->ended == DEJA_ENDED_CRASHED;
    deja__entry last = { 0, 1 };
    uint64_t chain = deja__chain_start(t->journal.start_hash);
    uint64_t event_chain = deja__event_chain_start();
    if (crashed)
        memcpy(&last, draft->entries.bytes, sizeof last);
    deja_buffer_clear(&draft->entries);
    add_hash(draft, t->journal.start_hash);
    for (uint64_t i = 0; i < count; i++) {
        const step *s = &steps_of(t)[i];
        const deja__entry entry = { s->size, 1 };
        deja_buffer_add(&draft->entries, &entry, sizeof entry);
        add_result(draft, s->result);
        if ((i + 1) % draft->trail_every == 0) {
            add_hash(draft, s->hash);
            chain = deja__chain_next(chain, s->hash, s->result);
        }
        event_chain = deja__event_chain_next(event_chain, s->event_hash);
        if ((i + 1) % DEJA__BLOCK_STEPS == 0 && i + 1 < count) {
            deja_buffer_add(&draft->chains, &chain, sizeof chain);
            deja_buffer_add(&draft->event_chains, &event_chain, sizeof event_chain);
        }
    }
    deja_buffer_add(&draft->chains, &chain, sizeof chain);
    deja_buffer_add(&draft->event_chains, &event_chain, sizeof event_chain);
    if (crashed)
        deja_buffer_add(&draft->entries, &last, sizeof last);
    draft->steps = count + crashed;
    const bool failed = draft->entries.failed || draft->runs.failed || draft->trail.failed ||
                        draft->chains.failed || draft->event_chains.failed;
    return failed ? deja__fail_memory(err) : DEJA_OK;
}

/* ---- all of it ---- */

static deja_code read(taking *t, const void *bytes, uint64_t size, deja_error *err)
{
    deja__draft *draft = &t->import.draft;
    deja_code code = deja__journal_open(&t->journal, bytes, size, err);
    if (code < 0)
        return deja__fail_within(err, code, "%s", t->import.name);
    code = deja__import_headers(&t->import, t->journal.text, t->journal.text_size);
    if (code == DEJA_OK && !draft->recorded)
        code =
            deja__fail(err, DEJA_EFORMAT, "%s: its headers have no 'build:' line", t->import.name);
    if (code < 0)
        return code;
    draft->recorded_at = (int64_t)t->journal.begun_at;
    draft->trail_bits = t->journal.trail_bits;
    draft->trail_every = t->journal.trail_every;
    const char *refusals = deja__draft_word(draft, DEJA__WORD_REFUSALS);
    deja__is_names(refusals, strlen(refusals), &t->refusals);
    code = take_all(t, err);
    return code == DEJA_OK ? settle(t, err) : code;
}

/* A recorder's: its sessions have no headers, but what a store keeps of them. */
static deja_code import_ring(deja_store *store, const char *name, const void *bytes, uint64_t size,
                             deja_journal_told *told, deja_error *err)
{
    deja__folded folded;
    deja_code code = deja__journal_fold(store, name, bytes, size, &folded, err);
    told->id = folded.id;
    told->known = folded.known;
    told->ended = folded.ended;
    told->steps = folded.steps;
    told->sessions = folded.sessions;
    told->left_out = folded.left_out;
    snprintf(told->why, sizeof told->why, "%s", folded.why);
    if (code == DEJA_OK && folded.sessions == 0)
        code = deja__fail(err, DEJA_EFORMAT, "holds no session");
    return code < 0 ? deja__fail_within(err, code, "%s", name) : DEJA_OK;
}

deja_code deja_journal_import(deja_store *store, const char *name, const void *bytes, uint64_t size,
                              deja_journal_told *told, deja_error *err)
{
    char clean[DEJA__IMPORT_NAME_SIZE];
    deja_journal_told mine;
    if (!name || (!bytes && size != 0))
        return deja__fail(err, DEJA_EMISUSE, "import needs a name and a journal");
    if (!told)
        told = &mine;
    memset(told, 0, sizeof *told);
    deja__import_clean_name(name, clean);
    if (deja__journal_is_ring(bytes, size))
        return import_ring(store, clean, bytes, size, told, err);
    told->sessions = 1;
    taking t = { .told = told };
    t.import.name = clean;
    t.import.err = err;
    deja_code code = read(&t, bytes ? bytes : "", size, err);
    told->steps = t.import.draft.steps;
    told->ended = t.import.draft.ended;
    if (code == DEJA_OK && store)
        code = deja__draft_store(&t.import.draft, store, &told->id, &told->known, err);
    deja_buffer_release(&t.steps);
    deja__draft_release(&t.import.draft);
    return code;
}
