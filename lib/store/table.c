/* SPDX-License-Identifier: MIT */
/*
 * See table.h. Statements are positional ("SELECT *", "VALUES (?1, ...)"): the schema was held
 * against schemas/store.sql byte for byte when the store was opened, so the order of the columns is
 * known. A row is read by its range of keys, never through an index, which could hide it.
 *
 * What a row check covers (all little-endian):
 *
 *     for the table's name, then the key, then each cell:
 *         u8   't', 'i' or 'b'      its type
 *         u64  size                 8 for an integer
 *              bytes
 */
#include "store/table.h"

#include <stdio.h>

#include "store/handle.h"
#include "base/xxh3.h"

static const struct shape {
    const char *name;
    const char *types; /* of the cells: an integer, a text, a blob */
} SHAPES[DEJA__TABLE_COUNT] = {
    [DEJA__MANIFEST] = { "manifest", "tiii" },
    [DEJA__WORDS] = { "words", "t" },
    [DEJA__BUILDS] = { "builds", "bt" },
    [DEJA__LAYOUTS] = { "layouts", "tttttttt" },
    [DEJA__SESSION_PACKS] = { "session_packs", "iiiiiibbbiib" },
    [DEJA__COMMAND_PARTS] = { "command_parts", "ib" },
    [DEJA__RECORDING_PACKS] = { "recording_packs", "iiiiiiibbtibbbii" },
    [DEJA__RESULT_PARTS] = { "result_parts", "ibbii" },
    [DEJA__STARTS] = { "starts", "tib" },
    [DEJA__MARKS] = { "marks", "iit" },
    [DEJA__SECTION_PARTS] = { "section_parts", "ib" },
};

const char *deja__table_name(uint32_t table)
{
    return SHAPES[table].name;
}

/* ---- checks ---- */

static void cover(XXH3_state_t *hash, char type, const void *bytes, uint64_t size)
{
    unsigned char head[9];
    head[0] = (unsigned char)type;
    deja__store64(head + 1, size);
    XXH3_64bits_update(hash, head, sizeof head);
    if (size)
        XXH3_64bits_update(hash, bytes, (size_t)size);
}

static void cover_number(XXH3_state_t *hash, int64_t number)
{
    unsigned char bytes[8];
    deja__store64(bytes, deja__as_unsigned(number));
    cover(hash, 'i', bytes, sizeof bytes);
}

int64_t deja__row_check(uint32_t table, const deja__row *row)
{
    const char *types = SHAPES[table].types;
    XXH3_state_t hash;
    XXH3_64bits_reset(&hash);
    cover(&hash, 't', SHAPES[table].name, strlen(SHAPES[table].name));
    cover_number(&hash, row->key);
    for (uint32_t i = 0; types[i]; i++) {
        if (types[i] == 'i')
            cover_number(&hash, row->cells[i].number);
        else
            cover(&hash, types[i], row->cells[i].bytes, row->cells[i].size);
    }
    return deja__as_signed(XXH3_64bits_digest(&hash));
}

/* ---- statements ---- */

static const char *statement_text(uint32_t table, uint32_t which, char *text, size_t size)
{
    const char *name = SHAPES[table].name;
    switch (which) {
    case DEJA__READ:
        snprintf(text, size, "SELECT * FROM %s WHERE id BETWEEN ?1 AND ?2 ORDER BY id", name);
        break;
    case DEJA__INSERT: {
        int at = snprintf(text, size, "INSERT INTO %s VALUES (?1, ?2", name);
        for (uint32_t i = 0; SHAPES[table].types[i]; i++)
            at += snprintf(text + at, size - (size_t)at, ", ?%u", i + 3);
        snprintf(text + at, size - (size_t)at, ")");
        break;
    }
    default:
        snprintf(text, size, "DELETE FROM %s WHERE id = ?1 AND \"check\" = ?2", name);
        break;
    }
    return text;
}

static deja_code prepare(deja_store *store, uint32_t table, uint32_t which, sqlite3_stmt **out,
                         deja_error *err)
{
    sqlite3_stmt **kept = &store->statements[table][which];
    if (!*kept) {
        char text[256];
        const int result =
            sqlite3_prepare_v3(store->db, statement_text(table, which, text, sizeof text), -1,
                               SQLITE_PREPARE_PERSISTENT, kept, NULL);
        if (result != SQLITE_OK)
            return deja__sql_fail(store->db, result, SHAPES[table].name, err);
    }
    *out = *kept;
    return DEJA_OK;
}

/* ---- reading ---- */

static deja_code fail_row(uint32_t table, int64_t key, const char *why, deja_error *err)
{
    return deja__fail(err, DEJA_EDAMAGED, "table %s, row %lld: %s", SHAPES[table].name,
                      (long long)key, why);
}

/* The row that the statement stands on; borrowed until it moves. */
static deja_code read_row(sqlite3_stmt *statement, uint32_t table, deja__row *row, deja_error *err)
{
    const char *types = SHAPES[table].types;
    int column = 1;
    row->key = sqlite3_column_int64(statement, 0);
    for (uint32_t i = 0; types[i]; i++, column++) {
        const int type = sqlite3_column_type(statement, column);
        deja__cell *cell = &row->cells[i];
        if (type != (types[i] == 'i'   ? SQLITE_INTEGER
                     : types[i] == 't' ? SQLITE_TEXT
                                       : SQLITE_BLOB))
            return fail_row(table, row->key, "a cell is of another type", err);
        if (types[i] == 'i') {
            cell->number = sqlite3_column_int64(statement, column);
            continue;
        }
        cell->bytes = types[i] == 't' ? (const void *)sqlite3_column_text(statement, column)
                                      : sqlite3_column_blob(statement, column);
        cell->size = (uint64_t)sqlite3_column_bytes(statement, column);
        if (!cell->bytes && (types[i] == 't' || cell->size))
            return deja__fail_memory(err);
        if (!cell->bytes) /* a blob of no bytes */
            cell->bytes = "";
    }
    row->check = sqlite3_column_int64(statement, column);
    if (sqlite3_column_type(statement, column) != SQLITE_INTEGER ||
        row->check != deja__row_check(table, row))
        return fail_row(table, row->key, "its check does not fit", err);
    for (uint32_t i = 0; types[i]; i++)
        if (types[i] == 't' && !deja__is_utf8(row->cells[i].bytes, row->cells[i].size))
            return fail_row(table, row->key, "a text is not UTF-8", err);
    return DEJA_OK;
}

/* Rows lie side by side in the file, so all of them together are no larger than it. Where pages
 * lead in circles, this is what ends the reading. */
static deja_code bound(deja_store *store, uint32_t table, const deja__row *row, uint64_t *sum,
                       deja_error *err)
{
    for (uint32_t i = 0; SHAPES[table].types[i]; i++)
        if (SHAPES[table].types[i] != 'i')
            *sum += row->cells[i].size;
    if (*sum <= store->bytes)
        return DEJA_OK;
    int64_t pages = 0;
    const int result = deja__order_number(store, DEJA__PAGE_COUNT, &pages);
    if (result != SQLITE_OK)
        return deja__sql_fail(store->db, result, "cannot be read", err);
    store->bytes = (uint64_t)pages * DEJA__PAGE_SIZE;
    if (*sum <= store->bytes)
        return DEJA_OK;
    return fail_row(table, row->key, "it and those before it are larger than the file", err);
}

deja_code deja__rows_read(deja_store *store, uint32_t table, int64_t first, int64_t last,
                          deja_code (*take)(void *user, const deja__row *row, deja_error *err),
                          void *user, deja__tally *tally, deja_error *err)
{
    sqlite3_stmt *statement;
    deja_code code = prepare(store, table, DEJA__READ, &statement, err);
    if (code < 0)
        return code;
    deja__tally found = { 0 };
    deja__row row = { 0 };
    uint64_t bytes = 0;
    int64_t before = 0;
    sqlite3_bind_int64(statement, 1, first);
    sqlite3_bind_int64(statement, 2, last);
    int result;
    while (code == DEJA_OK && (result = sqlite3_step(statement)) == SQLITE_ROW) {
        code = read_row(statement, table, &row, err);
        if (code == DEJA_OK && (row.key < first || row.key > last || row.key <= before))
            code = fail_row(table, row.key, "it is out of order", err);
        if (code == DEJA_OK)
            code = bound(store, table, &row, &bytes, err);
        if (code == DEJA_OK)
            code = take(user, &row, err);
        before = row.key;
        found.rows++;
        found.sum += deja__as_unsigned(row.check);
    }
    if (code == DEJA_OK && result != SQLITE_DONE)
        code = deja__sql_fail(store->db, result, SHAPES[table].name, err);
    sqlite3_reset(statement);
    if (code == DEJA_OK && tally)
        *tally = found;
    return code;
}

/* ---- writing ---- */

static int bind(sqlite3_stmt *statement, const char *types, const deja__row *row)
{
    int result = sqlite3_bind_int64(statement, 1, row->key);
    int column = 2;
    for (uint32_t i = 0; types[i] && result == SQLITE_OK; i++, column++) {
        const deja__cell *cell = &row->cells[i];
        const void *bytes = cell->size ? cell->bytes : "";
        if (types[i] == 'i')
            result = sqlite3_bind_int64(statement, column, cell->number);
        else if (types[i] == 't')
            result = sqlite3_bind_text64(statement, column, bytes, cell->size, SQLITE_STATIC,
                                         SQLITE_UTF8);
        else
            result = sqlite3_bind_blob64(statement, column, bytes, cell->size, SQLITE_STATIC);
    }
    return result == SQLITE_OK ? sqlite3_bind_int64(statement, column, row->check) : result;
}

static deja_code insert(deja_store *store, uint32_t table, deja__row *row, deja_error *err)
{
    sqlite3_stmt *statement;
    deja_code code = prepare(store, table, DEJA__INSERT, &statement, err);
    if (code < 0)
        return code;
    row->check = deja__row_check(table, row);
    int result = bind(statement, SHAPES[table].types, row);
    if (result == SQLITE_OK)
        result = sqlite3_step(statement);
    if (result != SQLITE_DONE)
        code = deja__sql_fail(store->db, result, "cannot be written", err);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return code;
}

static deja_code remove_row(deja_store *store, uint32_t table, int64_t key, int64_t check,
                            deja_error *err)
{
    sqlite3_stmt *statement;
    deja_code code = prepare(store, table, DEJA__DELETE, &statement, err);
    if (code < 0)
        return code;
    sqlite3_bind_int64(statement, 1, key);
    sqlite3_bind_int64(statement, 2, check);
    const int result = sqlite3_step(statement);
    if (result != SQLITE_DONE)
        code = deja__sql_fail(store->db, result, "cannot be written", err);
    else if (sqlite3_changes(store->db) != 1)
        code = fail_row(table, key, "it is not what it was when it was read", err);
    sqlite3_reset(statement);
    return code;
}

deja_code deja__row_insert(deja_store *store, uint32_t table, deja__row *row, deja_error *err)
{
    deja__tally *tally = &store->tallies[table];
    const deja_code code = insert(store, table, row, err);
    if (code == DEJA_OK) {
        tally->rows++;
        tally->sum += deja__as_unsigned(row->check);
        if (tally->next <= row->key)
            tally->next = row->key + 1;
        tally->changed = true;
    }
    return code;
}

deja_code deja__row_replace(deja_store *store, uint32_t table, deja__row *row, int64_t before,
                            deja_error *err)
{
    deja__tally *tally = &store->tallies[table];
    deja_code code = remove_row(store, table, row->key, before, err);
    if (code == DEJA_OK)
        code = insert(store, table, row, err);
    if (code == DEJA_OK) {
        tally->sum += deja__as_unsigned(row->check) - deja__as_unsigned(before);
        tally->changed = true;
    }
    return code;
}

deja_code deja__row_delete(deja_store *store, uint32_t table, int64_t key, int64_t check,
                           deja_error *err)
{
    deja__tally *tally = &store->tallies[table];
    const deja_code code = remove_row(store, table, key, check, err);
    if (code == DEJA_OK) {
        tally->rows--;
        tally->sum -= deja__as_unsigned(check);
        tally->changed = true;
    }
    return code;
}
