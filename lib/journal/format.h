/* SPDX-License-Identifier: MIT */
/*
 * Where things are in a journal, for who reads one. Normative: schemas/journal.md. The writer,
 * journal.c, has its own names for the same numbers: it is copied into games without this file.
 */
#ifndef DEJA_JOURNAL_FORMAT_H
#define DEJA_JOURNAL_FORMAT_H

#include "base/base.h"

enum {
    DEJA__JOURNAL_ONE = 1,  /* version: one session, as games write it */
    DEJA__JOURNAL_RING = 2, /* version: a recorder's, session after session */
    DEJA__JOURNAL_PAGE = 4096,
    DEJA__JOURNAL_HEADER = 64,  /* bytes of the file's header, without its text */
    DEJA__JOURNAL_SEGMENT = 64, /* of a segment's */
    DEJA__JOURNAL_RECORD = 32,  /* of a record's */
    DEJA__JOURNAL_TEXT_MAX = 1 << 24
};

enum deja__journal_kind {
    DEJA__JOURNAL_GAP = 0, /* none in a file: reading goes on behind something that is missing */
    DEJA__JOURNAL_STEP = 1,
    DEJA__JOURNAL_PART = 2,
    DEJA__JOURNAL_MARK = 3,
    DEJA__JOURNAL_SECTION = 4,
    DEJA__JOURNAL_REWIND = 5,
    DEJA__JOURNAL_END = 6,
    DEJA__JOURNAL_NEXT = 7,
    DEJA__JOURNAL_SESSION = 8 /* of a ring */
};

/* A step's byte 13. */
enum {
    DEJA__JOURNAL_NO_EVENTS = 0,
    DEJA__JOURNAL_HAS_EVENTS = 1,
    DEJA__JOURNAL_BROKEN = 2 /* of a ring: the last command did not come back as it should */
};

static inline uint64_t deja__journal_mix(uint64_t sum, uint64_t number)
{
    sum = (sum ^ number) * UINT64_C(0x9e3779b97f4a7c15);
    return sum ^ sum >> 32;
}

static inline uint64_t deja__journal_mix_bytes(uint64_t sum, const unsigned char *bytes,
                                               uint64_t size)
{
    for (; size >= 8; bytes += 8, size -= 8)
        sum = deja__journal_mix(sum, deja__load64(bytes));
    if (size) {
        unsigned char last[8] = { 0 };
        memcpy(last, bytes, (size_t)size);
        sum = deja__journal_mix(sum, deja__load64(last));
    }
    return sum;
}

static inline uint32_t deja__journal_mark(uint64_t sum)
{
    const uint32_t mark = (uint32_t)(sum ^ sum >> 29);
    return mark ? mark : 1;
}

#endif
