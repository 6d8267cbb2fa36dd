/* SPDX-License-Identifier: MIT */
/*
 * Importing a journal. Bytes by chance never have sound marks, so an input is a script, of which a
 * journal with sound marks is made:
 *
 *     byte 0       which headers: a game that described nothing, or one with layouts
 *     then         a record each: kind, flags (bit 0: done; bit 1: an event hash; bit 2: as no
 *                  writer has them), result, size, then so many bytes, which are also the hash; a
 *                  rewind goes back to the step of its result
 *
 * An input whose byte 0 is 255 is the journal itself, from byte 1. Whatever it is, it is refused
 * with a message, or becomes a session whose export reads back as the same one.
 */
#include <deja/deja.h>
#include <string.h>

#include "fuzz/fuzz_store.h"
#include "journal/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SEGMENT = 1 << 16, NUMBER = 77 };

/* ---- a journal of a script ---- */

static const char *const headers[] = {
    "deja-replay: 1\ngame: g 1\nlayout: state bytes\nlayout: command bytes\nlayout: event bytes\n"
    "layout: config bytes\nrefusals: a b\nbuild: 00000000000000000000000000000000\nconfig: -\n"
    "seed: 1\n",
    "deja-replay: 1\ngame: g 1\nlayout: state n:u8\nlayout: command "
    "kind(go{n:u8}|say{t:text[..9]})\n"
    "layout: event kind(went)\nlayout: config\nrefusals: a\noutcomes: won\n"
    "build: 00000000000000000000000000000001\nconfig:\nseed: 2\n"
};

static void add_header(deja_buffer *out, const char *text)
{
    const uint64_t size = strlen(text);
    unsigned char *at = deja_buffer_extend(out, DEJA__JOURNAL_PAGE);
    memcpy(at, "dejajrnl", 8);
    deja__store32(at + 8, 1);
    deja__store32(at + 12, SEGMENT);
    deja__store64(at + 16, NUMBER);
    deja__store32(at + 24, 32);
    deja__store32(at + 28, (uint32_t)size);
    deja__store64(at + 32, 1);
    memcpy(at + DEJA__JOURNAL_HEADER, text, (size_t)size);
    const uint64_t sum = deja__journal_mix_bytes(0, at, DEJA__JOURNAL_HEADER - 8);
    deja__store64(at + 56, deja__journal_mix_bytes(sum, at + DEJA__JOURNAL_HEADER, size));
}

static void add_segment(deja_buffer *out)
{
    unsigned char *at = deja_buffer_extend(out, DEJA__JOURNAL_SEGMENT);
    memcpy(at, "dejasegm", 8);
    deja__store64(at + 8, NUMBER);
    deja__store64(at + 56, deja__journal_mix_bytes(0, at, DEJA__JOURNAL_SEGMENT - 8));
}

/* One record of a script; answers how many bytes of it that took. */
static size_t add_record(deja_buffer *out, const uint8_t *data, size_t size)
{
    const uint64_t place = out->size;
    const uint8_t kind = data[0] % 9;
    const bool is_strange = data[1] & 4;
    const bool is_step = kind == DEJA__JOURNAL_STEP || is_strange;
    const bool is_bare = kind == DEJA__JOURNAL_REWIND || kind == DEJA__JOURNAL_NEXT;
    const size_t most = is_bare && !is_strange ? 0 : data[3];
    const size_t own = size - 4 < most ? size - 4 : most;
    unsigned char *at = deja_buffer_extend(out, DEJA__JOURNAL_RECORD + (own + 7) / 8 * 8);
    deja__store32(at + 8, (uint32_t)own);
    at[12] = kind;
    memcpy(at + DEJA__JOURNAL_RECORD, data + 4, own);
    uint64_t sum = deja__journal_mix(deja__journal_mix(0, NUMBER), place);
    sum = deja__journal_mix(sum, deja__load64(at + 8));
    sum = deja__journal_mix_bytes(sum, at + DEJA__JOURNAL_RECORD, own);
    deja__store32(at, deja__journal_mark(sum));
    if (data[1] & 1) {
        at[13] = is_step ? data[1] >> 1 & 1 : 0;
        at[kind == DEJA__JOURNAL_REWIND ? 16 : 14] =
            is_step || kind == DEJA__JOURNAL_REWIND ? data[2] : 0;
        if (is_step || kind == DEJA__JOURNAL_SECTION)
            memcpy(at + 16, data + 4, own < 8 ? own : 8);
        sum = deja__journal_mix(sum, deja__load64(at + 16));
        sum = deja__journal_mix(sum, deja__load64(at + 24));
        sum = deja__journal_mix(sum, deja__load32(at + 12));
        deja__store32(at + 4, deja__journal_mark(sum));
    }
    return 4 + own;
}

static void make_journal(deja_buffer *out, const uint8_t *data, size_t size)
{
    add_header(out, headers[data[0] & 1]);
    add_segment(out);
    size_t at = 1;
    while (at + 4 <= size && out->size < DEJA__JOURNAL_PAGE + SEGMENT - 512)
        at += add_record(out, data + at, size - at);
}

/* ---- what becomes of it ---- */

static void check(const deja_id *id)
{
    deja_buffer text = { 0 };
    deja_id again;
    deja_error err;
    bool known = false;
    fuzz_export(id, &text);
    if (deja_import(fuzz_store, "again", (const char *)text.bytes, text.size, NULL, &again, &known,
                    &err) != DEJA_OK) {
        fprintf(stderr, "%s\n", err.message);
        abort();
    }
    if (memcmp(&again, id, sizeof again) != 0 || !known)
        abort();
    deja_buffer_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    deja_buffer journal = { 0 };
    deja_journal_told told;
    deja_error err;
    if (size == 0)
        return 0;
    deja_store *store = fuzz_store_open();
    if (data[0] == 255)
        deja_buffer_add(&journal, data + 1, size - 1);
    else
        make_journal(&journal, data, size);
    const deja_code code =
        deja_journal_import(store, "fuzz", journal.bytes, journal.size, &told, &err);
    if (code == DEJA_OK)
        check(&told.id);
    else if (!err.message[0])
        abort();
    deja_buffer_release(&journal);
    return 0;
}
