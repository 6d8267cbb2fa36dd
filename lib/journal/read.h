/* SPDX-License-Identifier: MIT */
/*
 * A journal in memory, record by record, as far as its marks vouch for it. Nothing in it is
 * believed before its check is: it may come from a crash, a power cut or a stranger.
 */
#ifndef DEJA_JOURNAL_READ_H
#define DEJA_JOURNAL_READ_H

#include <deja/buffer.h>
#include <deja/error.h>

#include "journal/format.h"

typedef struct deja__journal {
    const unsigned char *bytes; /* borrowed */
    bool ring;                  /* of version 2: sessions are records, and there is no text */
    uint64_t size;
    uint64_t number;
    uint64_t first; /* where segment 0 begins */
    uint64_t segment_size;
    uint64_t trail_every;
    uint64_t start_hash;
    uint64_t begun_at; /* seconds since 1970, or 0 */
    uint32_t trail_bits;
    const char *text; /* the headers */
    uint64_t text_size;
} deja__journal;

/* Whether bytes begin as those of a ring. */
bool deja__journal_is_ring(const void *bytes, uint64_t size);
/* DEJA_EFORMAT: no journal; DEJA_EVERSION: of a newer deja; DEJA_EDAMAGED: its header. */
deja_code deja__journal_open(deja__journal *journal, const void *bytes, uint64_t size,
                             deja_error *err);

typedef struct deja__journal_record {
    enum deja__journal_kind kind;
    bool done; /* of a step: it has a result and a hash */
    bool has_events;
    uint32_t flag; /* byte 13 */
    uint32_t result;
    uint64_t hash;
    uint64_t event_hash;
    deja_span bytes; /* of a step, with its parts; borrowed until the next one */
} deja__journal_record;

typedef struct deja__journal_walk {
    const deja__journal *journal;
    uint64_t segment; /* its number */
    uint64_t at;      /* in the file */
    uint64_t end;     /* of what there is of the segment */
    uint64_t whole;   /* where all of it would end */
    uint64_t shift;   /* from where a record is in the file to its place in the journal */
    /* Of a ring, where reading begins and behind each gap: which session runs there, from 1 (0:
     * none), and its steps that are finished and not taken back. */
    uint64_t session;
    uint64_t steps;
    deja_buffer parts;
    bool in_segment;
    bool failed;     /* out of memory */
    const char *why; /* behind the last record: what is wrong there, or NULL for nothing */
} deja__journal_walk;

void deja__journal_walk_begin(deja__journal_walk *walk, const deja__journal *journal);
/* The next record but parts and nexts; of a ring a gap, where something is missing before what
 * comes next. false behind the last one. */
bool deja__journal_walk_next(deja__journal_walk *walk, deja__journal_record *record);
void deja__journal_walk_end(deja__journal_walk *walk);

#endif
