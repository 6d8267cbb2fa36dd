/* SPDX-License-Identifier: MIT */
/*
 * What export and import share: keywords, words, values of a layout or of none, expectations.
 * Normative: schemas/replay.md.
 */
#ifndef DEJA_TEXT_TEXT_H
#define DEJA_TEXT_TEXT_H

#include <deja/layout.h>
#include <deja/store.h>

#include "base/base.h"

/* How an expectation is kept in a store: as a mark that begins so. */
#define DEJA__SEE_PREFIX "see: "
/* The layout of values of which nothing is known but their bytes. */
#define DEJA__BYTES_LAYOUT "bytes"
/* Names that stand for no outcome. */
#define DEJA__NO_OUTCOMES "running unfinished crashed"
/* The version of the text's format. */
#define DEJA__REPLAY_VERSION 1

enum { DEJA__RESULT_LINE = 1024 }; /* steps of one line of results */

/* ---- keywords ---- */

enum deja__key {
    DEJA__KEY_REPLAY, /* headers: before the first command */
    DEJA__KEY_GAME,
    DEJA__KEY_LAYOUT,
    DEJA__KEY_REFUSALS,
    DEJA__KEY_OUTCOMES,
    DEJA__KEY_BUILD,
    DEJA__KEY_PLATFORM,
    DEJA__KEY_MADE,
    DEJA__KEY_CONTENT,
    DEJA__KEY_CONFIG,
    DEJA__KEY_SEED,
    DEJA__KEY_START,
    DEJA__KEY_SECTION, /* among the commands */
    DEJA__KEY_MARK,
    DEJA__KEY_SEE,
    DEJA__KEY_END, /* behind them */
    DEJA__KEY_RESULTS,
    DEJA__KEY_TRAIL,
    DEJA__KEY_EVENTS,
    DEJA__KEY_CHAIN,
    DEJA__KEY_COUNT,
    DEJA__KEY_COMMAND = DEJA__KEY_COUNT, /* no keyword: a command */
    DEJA__KEY_REPEAT,                    /* no keyword: the command above, so many times more */
    DEJA__KEY_UNKNOWN
};

/* Without the colon; in the order of enum deja__key. */
extern const char *const deja__keywords[DEJA__KEY_COUNT];

/* ---- words: words.c ---- */

/* Appends text in quotes, whatever it is; `text` must be UTF-8. */
void deja__quoted_print(deja_buffer *out, const char *text, uint64_t size);
/* Reads what that wrote, at most DEJA__MARK_MAX bytes. DEJA_EFORMAT, DEJA_ENOMEM */
deja_code deja__quoted_read(const char *text, uint64_t size, deja_buffer *out, deja_error *err);
/* Appends text that fills the rest of a line: as it is where that reads back, else in quotes. */
void deja__rest_print(deja_buffer *out, const char *text);
/* Reads such a rest of a line, which must be what a store takes. DEJA_EFORMAT, DEJA_ENOMEM */
deja_code deja__rest_read(const char *text, uint64_t size, deja_buffer *out, deja_error *err);
/* The next name of a list with spaces between, from *at; false at the end. */
bool deja__listed_next(const char **at, const char **name, uint64_t *size);
/* The place of a name in such a list, or -1. */
int64_t deja__listed_find(const char *names, const char *name, uint64_t size);

/* ---- values: shape.c ---- */

/* A layout, or "bytes". All zero to begin with. */
typedef struct deja__shape {
    deja_layout *layout; /* NULL: bytes */
} deja__shape;

deja_code deja__shape_open(deja__shape *shape, const char *layout, uint64_t size, deja_error *err);
void deja__shape_close(deja__shape *shape);
deja_code deja__shape_print(const deja__shape *shape, const void *bytes, uint64_t size,
                            deja_buffer *out, deja_error *err);
deja_code deja__shape_parse(const deja__shape *shape, const char *text, uint64_t size,
                            deja_buffer *out, deja_error *err);

/* ---- expectations: see.c ---- */

/* Reads `side=1 rows[2]=3` against the state's layout and appends it with each value as it is
 * printed, which is what deja_value_at() answers where the state is as expected. */
deja_code deja__see_read(const deja__shape *state, const char *text, uint64_t size,
                         deja_buffer *out, deja_error *err);

#endif
