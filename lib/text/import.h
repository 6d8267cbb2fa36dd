/* SPDX-License-Identifier: MIT */
/*
 * Import in two halves: a text is read into a draft, all of it, and checked; then the draft is
 * written into the store, block by block. So nothing is stored of a text that has a mistake in its
 * last line.
 *
 * A draft is no larger than its text in proportion: a command that is repeated is one entry however
 * often, a run of results one, and hashes are as wide as the trail. Commands are only multiplied
 * out in the block that is being written.
 */
#ifndef DEJA_TEXT_IMPORT_H
#define DEJA_TEXT_IMPORT_H

#include <deja/text.h>

#include "text/lines.h"
#include "text/text.h"

enum deja__text_word {
    DEJA__WORD_GAME,
    DEJA__WORD_VERSION,
    DEJA__WORD_STATE, /* layouts: DEJA__WORD_STATE + enum deja_type_index */
    DEJA__WORD_COMMAND,
    DEJA__WORD_EVENT,
    DEJA__WORD_CONFIG,
    DEJA__WORD_START, /* the layout of the start state, where it is another than the state's */
    DEJA__WORD_REFUSALS,
    DEJA__WORD_OUTCOMES,
    DEJA__WORD_COMPILER,
    DEJA__WORD_PLATFORM,
    DEJA__WORD_MADE,
    DEJA__WORD_CONTENT,
    DEJA__WORD_COUNT
};

/* The most bytes of the commands of one block, multiplied out. */
#define DEJA__DRAFT_BLOCK_BYTES ((uint64_t)1 << 28)
/* The most marks of one draft, expectations among them: what a store takes. */
#define DEJA__DRAFT_MARKS (((uint64_t)1 << 20) - 1)

/* A command that comes `times` times. */
typedef struct deja__entry {
    uint32_t size; /* of its bytes, or DEJA__ENTRY_SAME: those of the entry before */
    uint32_t times;
} deja__entry;
#define DEJA__ENTRY_SAME UINT32_MAX

/* A mark, an expectation or a section, behind a step. */
typedef struct deja__remark {
    uint64_t step;
    uint64_t hash;   /* of a section */
    uint64_t offset; /* in `remark_text`: its text or name, ending with NUL */
    bool is_section;
} deja__remark;

/* So many steps with the same result. */
typedef struct deja__run {
    uint64_t times;
    uint32_t result;
} deja__run;

typedef struct deja__draft {
    deja_buffer words[DEJA__WORD_COUNT]; /* each ends with NUL; empty ones may have no bytes */
    deja__shape shapes[4];               /* enum deja_type_index */
    deja__shape start_shape;
    bool recorded; /* it has a build */
    bool has_start;
    int64_t recorded_at; /* seconds since 1970, or 0: a text does not say */
    unsigned char build[16];
    uint64_t seed;
    deja_buffer config, start;

    deja_buffer command_bytes;
    deja_buffer entries; /* deja__entry */
    deja_buffer remarks; /* deja__remark */
    deja_buffer remark_text;
    uint64_t marks; /* of the remarks */
    uint64_t steps;
    uint64_t last_size;   /* of the last command's bytes */
    uint64_t block_bytes; /* of the commands of the block at hand */

    uint32_t ended; /* enum deja_ended */
    deja_buffer outcome;
    deja_buffer runs; /* deja__run */
    uint64_t results; /* how many there are in all */
    uint32_t trail_bits;
    uint64_t trail_every;
    deja_buffer trail; /* trail_bits / 8 bytes each */
    uint64_t trail_count;
    deja_buffer chains, event_chains; /* uint64_t each */
} deja__draft;

typedef struct deja__import {
    const char *name; /* of the text, fit for a message */
    const deja_text_rules *rules;
    deja_error *err;
    uint64_t size; /* of the text */
    deja__lines lines;
    deja__line line;
    /* Header lines as they were met; number 0: not there. Layouts have their own. */
    deja__line headers[DEJA__KEY_COUNT];
    deja__line layouts[5];
    bool settled;                  /* the headers were made sense of */
    uint64_t end_line, chain_line; /* the last ones, or 0 */
    deja__draft draft;
} deja__import;

enum { DEJA__IMPORT_NAME_SIZE = 200 }; /* of a text's name in messages */

/* A name for messages, in which nothing is that ends a line or moves a cursor. */
void deja__import_clean_name(const char *name, char clean[DEJA__IMPORT_NAME_SIZE]);
/* Reads a first line and headers, and nothing else; name and err are set, all else is zero. */
deja_code deja__import_headers(deja__import *import, const char *text, uint64_t size);
void deja__draft_release(deja__draft *draft);

/* DEJA_EFORMAT with "NAME:LINE: " before the message. */
deja_code deja__import_fail(deja__import *import, uint64_t line, const char *format, ...)
    DEJA__PRINTF(3, 4);
/* The same before a message that is there already; out of memory stays what it is. */
deja_code deja__import_within(deja__import *import, uint64_t line, deja_code code);

static inline const char *deja__draft_word(const deja__draft *draft, enum deja__text_word word)
{
    return draft->words[word].size ? (const char *)draft->words[word].bytes : "";
}

/* Steps that have a result: all but the one in which it crashed. */
static inline uint64_t deja__draft_results(const deja__draft *draft)
{
    return draft->steps - (draft->ended == DEJA_ENDED_CRASHED);
}

/* import_header.c: keeps a header line; makes sense of all of them, before the first other line. */
deja_code deja__import_header(deja__import *import);
deja_code deja__import_settle(deja__import *import);
/* import_body.c: commands, repeats, marks, expectations, sections. */
deja_code deja__import_body(deja__import *import);
/* import_tail.c: the end and what is behind it; and whether everything is there. */
deja_code deja__import_tail(deja__import *import);
deja_code deja__import_finish(deja__import *import);
/* import_store.c: writes a draft that was checked. */
deja_code deja__draft_store(const deja__draft *draft, deja_store *store, deja_id *id, bool *known,
                            deja_error *err);

#endif
