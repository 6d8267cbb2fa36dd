/* SPDX-License-Identifier: MIT */
/*
 * The tables of schemas/store.sql, and their rows: every row that is read has its check verified,
 * every row that is written gets one, and what the manifest says of the table follows.
 *
 * A row is a key and cells, in the order of the columns; the check is no cell. Nothing else in the
 * library reads or writes a table.
 */
#ifndef DEJA_STORE_TABLE_H
#define DEJA_STORE_TABLE_H

#include <deja/store.h>

#include "base/base.h"

#include <sqlite3.h>

/* In the order of schemas/store.sql; a table's number is also its row in the manifest. */
enum deja__table {
    DEJA__MANIFEST,
    DEJA__WORDS,
    DEJA__BUILDS,
    DEJA__LAYOUTS,
    DEJA__SESSION_PACKS,
    DEJA__COMMAND_PARTS,
    DEJA__RECORDING_PACKS,
    DEJA__RESULT_PARTS,
    DEJA__STARTS,
    DEJA__MARKS,
    DEJA__SECTION_PARTS,
    DEJA__TABLE_COUNT
};

enum { DEJA__CELLS_MAX = 16 };

/* The cells of the two kinds of packs. */
enum deja__session_cell {
    DEJA__S_LAYOUTS,
    DEJA__S_CONTENT,
    DEJA__S_OPEN,
    DEJA__S_START,
    DEJA__S_SESSIONS,
    DEJA__S_STEPS,
    DEJA__S_DIGESTS,
    DEJA__S_SEEDS,
    DEJA__S_LENGTHS,
    DEJA__S_CONFIGS,
    DEJA__S_CONFIG_SIZE,
    DEJA__S_CONFIG_DATA
};
enum deja__recording_cell {
    DEJA__R_LAYOUTS,
    DEJA__R_BUILD,
    DEJA__R_PLATFORM,
    DEJA__R_MADE,
    DEJA__R_TRAIL_BITS,
    DEJA__R_TRAIL_EVERY,
    DEJA__R_RECORDINGS,
    DEJA__R_SESSIONS,
    DEJA__R_ENDINGS,
    DEJA__R_OUTCOMES,
    DEJA__R_RECORDED_AT,
    DEJA__R_AGES,
    DEJA__R_CHAINS,
    DEJA__R_EVENT_CHAINS,
    DEJA__R_MARKS,
    DEJA__R_SECTIONS
};

/* An integer's number, or a text's or blob's bytes. */
typedef struct deja__cell {
    int64_t number;
    const void *bytes;
    uint64_t size;
} deja__cell;

typedef struct deja__row {
    int64_t key;
    deja__cell cells[DEJA__CELLS_MAX];
    int64_t check; /* of a row that was read or written */
} deja__row;

/* What the manifest says of one table. */
typedef struct deja__tally {
    int64_t rows;
    uint64_t sum;  /* of the rows' checks, mod 2^64 */
    int64_t next;  /* the key that the next row gets; never given twice */
    int64_t check; /* of the manifest's row */
    bool changed;  /* in this transaction */
} deja__tally;

const char *deja__table_name(uint32_t table);

/* The row check: XXH3-64 over the table's name, the key and all cells. */
int64_t deja__row_check(uint32_t table, const deja__row *row);

/*
 * Reads the rows with keys from `first` to `last`, in order, and hands each to `take`, which
 * borrows the row; what it answers, if not DEJA_OK, ends the reading.
 * @param[out] tally rows and sum of what was read; may be NULL
 */
deja_code deja__rows_read(deja_store *store, uint32_t table, int64_t first, int64_t last,
                          deja_code (*take)(void *user, const deja__row *row, deja_error *err),
                          void *user, deja__tally *tally, deja_error *err);

/* These belong into a write transaction. insert and replace set row->check. */
deja_code deja__row_insert(deja_store *store, uint32_t table, deja__row *row, deja_error *err);
/* `before` is the check of the row that is replaced. */
deja_code deja__row_replace(deja_store *store, uint32_t table, deja__row *row, int64_t before,
                            deja_error *err);
deja_code deja__row_delete(deja_store *store, uint32_t table, int64_t key, int64_t check,
                           deja_error *err);

/* Cells. */
static inline void deja__cell_number(deja__row *row, uint32_t cell, int64_t number)
{
    row->cells[cell].number = number;
}
static inline void deja__cell_bytes(deja__row *row, uint32_t cell, const void *bytes, uint64_t size)
{
    row->cells[cell].bytes = bytes;
    row->cells[cell].size = size;
}
static inline void deja__cell_text(deja__row *row, uint32_t cell, const char *text)
{
    deja__cell_bytes(row, cell, text, strlen(text));
}

/* Unsigned numbers stand in SQLite's signed ones bit for bit. */
static inline int64_t deja__as_signed(uint64_t number)
{
    int64_t result;
    memcpy(&result, &number, sizeof result);
    return result;
}
static inline uint64_t deja__as_unsigned(int64_t number)
{
    return (uint64_t)number;
}

#endif
