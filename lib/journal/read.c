/* SPDX-License-Identifier: MIT */
/*
 * See read.h. Normative: schemas/journal.md.
 */
#include "journal/read.h"

/* ---- the header ---- */

static bool is_power(uint64_t size)
{
    return (size & (size - 1)) == 0;
}

static deja_code damaged(const char *what, deja_error *err)
{
    return deja__fail(err, DEJA_EDAMAGED, "its header is damaged: %s", what);
}

static bool is_mapped_out(const deja__journal *j)
{
    if (j->ring && (j->trail_bits || j->trail_every || j->start_hash || j->text_size))
        return false;
    return j->segment_size >= 1u << 16 && j->segment_size <= 1u << 28 &&
           is_power(j->segment_size) &&
           (j->ring || (j->trail_bits >= 8 && j->trail_bits <= 64 && is_power(j->trail_bits) &&
                        j->trail_every != 0));
}

bool deja__journal_is_ring(const void *bytes, uint64_t size)
{
    return bytes && size >= DEJA__JOURNAL_HEADER && memcmp(bytes, "dejajrnl", 8) == 0 &&
           deja__load32((const unsigned char *)bytes + 8) == DEJA__JOURNAL_RING;
}

deja_code deja__journal_open(deja__journal *journal, const void *bytes, uint64_t size,
                             deja_error *err)
{
    const unsigned char *at = bytes;
    memset(journal, 0, sizeof *journal);
    if (size < 8 || memcmp(at, "dejajrnl", 8) != 0)
        return deja__fail(err, DEJA_EFORMAT, "not a journal");
    if (size < DEJA__JOURNAL_HEADER)
        return damaged("it is cut short", err);
    const uint32_t version = deja__load32(at + 8);
    if (version > DEJA__JOURNAL_RING)
        return deja__fail(err, DEJA_EVERSION,
                          "a journal of version %u; this deja reads up to version %d", version,
                          DEJA__JOURNAL_RING);
    journal->ring = version == DEJA__JOURNAL_RING;
    journal->bytes = at;
    journal->size = size;
    journal->segment_size = deja__load32(at + 12);
    journal->number = deja__load64(at + 16);
    journal->trail_bits = deja__load32(at + 24);
    journal->text_size = deja__load32(at + 28);
    journal->trail_every = deja__load64(at + 32);
    journal->start_hash = deja__load64(at + 40);
    journal->begun_at = deja__load64(at + 48);
    journal->text = (const char *)at + DEJA__JOURNAL_HEADER;
    if (journal->text_size > DEJA__JOURNAL_TEXT_MAX ||
        journal->text_size > size - DEJA__JOURNAL_HEADER)
        return damaged("it is cut short", err);
    const uint64_t sum = deja__journal_mix_bytes(0, at, DEJA__JOURNAL_HEADER - 8);
    if (deja__journal_mix_bytes(sum, at + DEJA__JOURNAL_HEADER, journal->text_size) !=
        deja__load64(at + 56))
        return damaged("its check does not fit", err);
    if (version == 0 || !is_mapped_out(journal) || journal->begun_at > INT64_MAX)
        return damaged("it says what no journal says", err);
    journal->first = journal->ring
                         ? journal->segment_size
                         : (DEJA__JOURNAL_HEADER + journal->text_size + DEJA__JOURNAL_PAGE - 1) /
                               DEJA__JOURNAL_PAGE * DEJA__JOURNAL_PAGE;
    return DEJA_OK;
}

/* ---- segments ---- */

static bool is_zero(const unsigned char *bytes, uint64_t size)
{
    for (uint64_t i = 0; i < size; i++)
        if (bytes[i])
            return false;
    return true;
}

static uint64_t slot_count(const deja__journal *j)
{
    return j->size > j->first ? (j->size - j->first + j->segment_size - 1) / j->segment_size : 0;
}

/* Whether a segment of this journal begins in that slot; *n is its number. */
static bool is_segment(const deja__journal *j, uint64_t slot, uint64_t *n)
{
    const unsigned char *at = j->bytes + j->first + slot * j->segment_size;
    if (j->size - j->first - slot * j->segment_size < DEJA__JOURNAL_SEGMENT)
        return false;
    *n = deja__load64(at + 16);
    return memcmp(at, "dejasegm", 8) == 0 && deja__load64(at + 8) == j->number &&
           (j->ring ? is_zero(at + 24, 8) && is_zero(at + 48, 8) && *n < UINT32_MAX
                    : is_zero(at + 32, 24) && *n == slot) &&
           deja__journal_mix_bytes(0, at, DEJA__JOURNAL_SEGMENT - 8) == deja__load64(at + 56);
}

/* Where segment n begins in the file; 0: it is not there. */
static uint64_t find_segment(const deja__journal *j, uint64_t n)
{
    const uint64_t count = slot_count(j);
    uint64_t found;
    for (uint64_t slot = j->ring ? 0 : n; slot < count && (j->ring || slot == n); slot++)
        if (is_segment(j, slot, &found) && found == n)
            return j->first + slot * j->segment_size;
    return 0;
}

/* Whether any segment behind the one at hand was begun: then what is missing here was there. */
static bool has_later_segment(const deja__journal_walk *walk)
{
    const deja__journal *j = walk->journal;
    const uint64_t from = walk->segment + (walk->in_segment ? 1 : 0);
    uint64_t n;
    for (uint64_t slot = 0; slot < slot_count(j); slot++)
        if (is_segment(j, slot, &n) && n >= from)
            return true;
    return false;
}

static bool enter(deja__journal_walk *walk)
{
    const deja__journal *j = walk->journal;
    walk->at = find_segment(j, walk->segment);
    walk->in_segment = walk->at != 0;
    if (!walk->in_segment)
        return false;
    walk->whole = walk->at + j->segment_size;
    walk->end = j->size < walk->whole ? j->size : walk->whole;
    walk->shift = j->first + walk->segment * j->segment_size - walk->at;
    walk->at += DEJA__JOURNAL_SEGMENT;
    return true;
}

/* ---- records ---- */

static const char missing[] =
    "steps are missing in the middle of it, and those behind are of no use";

static bool stop(deja__journal_walk *walk, const char *why)
{
    if (!walk->why)
        walk->why = why;
    walk->in_segment = false;
    return false;
}

/* What is there is no record, or not a whole one. @param why where nothing comes behind it */
static bool stop_at_none(deja__journal_walk *walk, const char *why)
{
    return stop(walk, has_later_segment(walk) ? missing : why);
}

static uint64_t sum_begun(const deja__journal_walk *walk, const unsigned char *at, uint32_t size)
{
    uint64_t sum = deja__journal_mix(0, walk->journal->number);
    sum = deja__journal_mix(sum, walk->at + walk->shift);
    sum = deja__journal_mix(sum, deja__load32(at + 8) | (uint64_t)at[12] << 32);
    return deja__journal_mix_bytes(sum, at + DEJA__JOURNAL_RECORD, size);
}

/* Whether what its kind has no use for is zero, of a record that is done. */
static bool is_plain_record(const unsigned char *at, uint32_t size, bool ring)
{
    const enum deja__journal_kind kind = (enum deja__journal_kind)at[12];
    const bool has_hash = kind == DEJA__JOURNAL_SECTION || kind == DEJA__JOURNAL_REWIND ||
                          kind == DEJA__JOURNAL_SESSION;
    const bool has_bytes = kind != DEJA__JOURNAL_REWIND && kind != DEJA__JOURNAL_NEXT;
    if (kind == DEJA__JOURNAL_STEP && at[13] == DEJA__JOURNAL_BROKEN)
        return ring && is_zero(at + 14, 18);
    if (kind == DEJA__JOURNAL_STEP)
        return at[13] <= DEJA__JOURNAL_HAS_EVENTS;
    if (at[13] > (ring && kind == DEJA__JOURNAL_END))
        return false;
    return is_zero(at + 14, 2) && is_zero(at + 24, 8) && (has_hash || is_zero(at + 16, 8)) &&
           (has_bytes || size == 0);
}

/* Whether nothing is behind the record at the place. */
static bool is_last(const deja__journal_walk *walk, uint32_t size)
{
    const uint64_t end = walk->at + DEJA__JOURNAL_RECORD + ((uint64_t)size + 7) / 8 * 8;
    return (end >= walk->end || is_zero(walk->journal->bytes + end, walk->end - end)) &&
           !has_later_segment(walk);
}

/* The record at the place; false: there is none that is whole as far as it was begun. */
static bool read_record(deja__journal_walk *walk, deja__journal_record *record)
{
    const unsigned char *at = walk->journal->bytes + walk->at;
    const uint64_t room = walk->end - walk->at;
    const uint32_t begun = room >= 4 ? deja__load32(at) : 0;
    if (begun == 0)
        return stop_at_none(walk, NULL);
    if (room < DEJA__JOURNAL_RECORD)
        return stop_at_none(walk, "its last record is cut off");
    const uint32_t size = deja__load32(at + 8);
    if (size > room - DEJA__JOURNAL_RECORD)
        return stop_at_none(walk, "its last record is cut off");
    uint64_t sum = sum_begun(walk, at, size);
    if (deja__journal_mark(sum) != begun || at[12] < DEJA__JOURNAL_STEP ||
        at[12] > (walk->journal->ring ? DEJA__JOURNAL_SESSION : DEJA__JOURNAL_NEXT))
        return stop_at_none(walk, "its last record was not written whole");
    const uint32_t done = deja__load32(at + 4);
    sum = deja__journal_mix(sum, deja__load64(at + 16));
    sum = deja__journal_mix(sum, deja__load64(at + 24));
    sum = deja__journal_mix(sum, deja__load32(at + 12));
    const bool fits =
        deja__journal_mark(sum) == done && is_plain_record(at, size, walk->journal->ring);
    if (done != 0 && !fits)
        return stop_at_none(walk, "its last record was not written whole");
    if (done == 0 && at[12] != DEJA__JOURNAL_STEP)
        return stop(walk, NULL); /* killed between the two marks of what is no step */
    if (done == 0 && !is_last(walk, size))
        return stop(walk, missing); /* a power cut kept an old page */
    memset(record, 0, sizeof *record);
    record->kind = (enum deja__journal_kind)at[12];
    record->done = done != 0;
    if (record->done) {
        record->flag = at[13];
        record->has_events = at[13] == DEJA__JOURNAL_HAS_EVENTS;
        record->result = deja__load16(at + 14);
        record->hash = deja__load64(at + 16);
        record->event_hash = deja__load64(at + 24);
    }
    record->bytes = (deja_span){ at + DEJA__JOURNAL_RECORD, size };
    walk->at += DEJA__JOURNAL_RECORD + ((uint64_t)size + 7) / 8 * 8;
    if (walk->at > walk->end)
        walk->at = walk->end; /* the file ends with its bytes */
    return true;
}

static bool go_on(deja__journal_walk *walk)
{
    walk->segment++;
    if (enter(walk))
        return true;
    return stop_at_none(walk, NULL);
}

/* Less than a record's header is left: the next segment, where this one is whole. */
static bool skip_rest(deja__journal_walk *walk)
{
    return walk->whole - walk->at >= DEJA__JOURNAL_RECORD || go_on(walk);
}

static bool join_parts(deja__journal_walk *walk, deja__journal_record *record)
{
    if (walk->parts.size == 0)
        return true;
    if (record->kind != DEJA__JOURNAL_STEP && record->kind != DEJA__JOURNAL_SESSION) {
        if (walk->journal->ring) /* there was no room for the rest */
            return true;
        return stop(walk, "a command was not written whole");
    }
    if (!deja_buffer_add(&walk->parts, record->bytes.bytes, record->bytes.size)) {
        walk->failed = true;
        return stop(walk, NULL);
    }
    record->bytes = (deja_span){ walk->parts.bytes, walk->parts.size };
    return true;
}

/* ---- where reading begins, and goes on behind a gap ---- */

/* The lowest number of a segment that is `from` or more. false: there is none. */
static bool next_number(const deja__journal *j, uint64_t from, uint64_t *number)
{
    uint64_t n;
    bool any = false;
    for (uint64_t slot = 0; slot < slot_count(j); slot++)
        if (is_segment(j, slot, &n) && n >= from && (!any || n < *number)) {
            *number = n;
            any = true;
        }
    return any;
}

/* Into a segment of a ring, whose header says where it is in which session. */
static bool enter_anew(deja__journal_walk *walk, uint64_t from)
{
    uint64_t number = 0;
    if (!next_number(walk->journal, from, &number))
        return false;
    walk->segment = number;
    if (!enter(walk))
        return false;
    const unsigned char *header = walk->journal->bytes + walk->at - DEJA__JOURNAL_SEGMENT;
    walk->session = deja__load64(header + 32);
    walk->steps = deja__load64(header + 40);
    return true;
}

/* Whether anything is where segments are. */
static bool has_more(const deja__journal *j)
{
    return j->size > j->first && !is_zero(j->bytes + j->first, j->size - j->first);
}

void deja__journal_walk_begin(deja__journal_walk *walk, const deja__journal *journal)
{
    memset(walk, 0, sizeof *walk);
    walk->journal = journal;
    if (journal->ring ? !enter_anew(walk, 0) : !enter(walk))
        stop_at_none(walk,
                     journal->ring && has_more(journal) ? "none of its segments is whole" : NULL);
}

void deja__journal_walk_end(deja__journal_walk *walk)
{
    deja_buffer_release(&walk->parts);
}

/* ---- one after another ---- */

static bool next_record(deja__journal_walk *walk, deja__journal_record *record)
{
    bool parts = false;
    while (walk->in_segment) {
        if (!parts)
            deja_buffer_clear(&walk->parts);
        if (!skip_rest(walk) || !read_record(walk, record))
            return false;
        if (record->kind == DEJA__JOURNAL_NEXT) {
            if (!go_on(walk))
                return false;
            parts = true; /* those before go on */
            continue;
        }
        if (record->kind != DEJA__JOURNAL_PART)
            return join_parts(walk, record);
        parts = true;
        if (!walk->journal->ring && walk->parts.size + record->bytes.size > DEJA__COMMAND_SIZE_MAX)
            return stop(walk, "a command is larger than 16 MiB");
        if (!deja_buffer_add(&walk->parts, record->bytes.bytes, record->bytes.size)) {
            walk->failed = true;
            return stop(walk, NULL);
        }
    }
    return false;
}

/* Of a ring more may come behind a gap: what was stored before is not there any more, and what was
 * not on the disk when the power went is missing. */
bool deja__journal_walk_next(deja__journal_walk *walk, deja__journal_record *record)
{
    if (next_record(walk, record))
        return true;
    if (!walk->journal->ring || walk->failed || !enter_anew(walk, walk->segment + 1))
        return false;
    memset(record, 0, sizeof *record);
    record->kind = DEJA__JOURNAL_GAP;
    return true;
}
