/* SPDX-License-Identifier: MIT */
/*
 * Transactions, and the manifest, which every write transaction ends with.
 *
 * A store is in WAL mode while it is written to, so that readers and writers leave each other
 * alone, and in DELETE mode otherwise, so that it is one file. The mode is chosen at the first
 * write, not at open: a tool that finds nothing to write leaves the file as it is. Network file
 * systems have no shared memory, so there DELETE mode stays (network.c).
 *
 * Durability: each commit is synced, in either mode. A power cut takes nothing that was committed,
 * nor does a killed process. Hence EXTRA: in DELETE mode the commit is that the journal is gone,
 * and only EXTRA syncs the folder behind that.
 */
#include "store/handle.h"

#include <stdio.h>

/* ---- begin, commit ---- */

deja_code deja__read_begin(deja_store *store, deja_error *err)
{
    const int result = deja__order_run(store, DEJA__BEGIN_READ);
    return result == SQLITE_OK ? DEJA_OK : deja__sql_fail(store->db, result, "cannot be read", err);
}

void deja__read_end(deja_store *store)
{
    if (!sqlite3_get_autocommit(store->db))
        deja__order_run(store, DEJA__COMMIT);
}

/* Where WAL mode is not reached, DELETE mode will do. A store that was left in WAL mode and came
 * to a network later is taken back, where nobody else has it open. */
static void enter_wal(deja_store *store)
{
    const char *order = store->remark ? "PRAGMA journal_mode=DELETE" : "PRAGMA journal_mode=WAL";
    sqlite3_busy_timeout(store->db, 200);
    sqlite3_exec(store->db, order, NULL, NULL, NULL);
    sqlite3_busy_timeout(store->db, 5000);
}

/* To this version, with whatever is written now. Another writer may have done so already. */
static deja_code migrate(deja_store *store, deja_error *err)
{
    char text[40];
    if (store->version == DEJA__STORE_VERSION)
        return DEJA_OK;
    snprintf(text, sizeof text, "PRAGMA user_version=%d", DEJA__STORE_VERSION);
    const int result = sqlite3_exec(store->db, text, NULL, NULL, NULL);
    return result == SQLITE_OK ? DEJA_OK
                               : deja__sql_fail(store->db, result, "cannot be written", err);
}

deja_code deja__write_begin(deja_store *store, deja_error *err)
{
    if (!store->ready_to_write) {
        enter_wal(store);
        const int result = sqlite3_exec(store->db, "PRAGMA synchronous=EXTRA", NULL, NULL, NULL);
        if (result != SQLITE_OK)
            return deja__sql_fail(store->db, result, "cannot be written", err);
        store->ready_to_write = true;
    }
    const int result = deja__order_run(store, DEJA__BEGIN_WRITE);
    if (result != SQLITE_OK)
        return deja__sql_fail(store->db, result, "cannot be written", err);
    store->in_write = true;
    deja_code code = migrate(store, err);
    if (code == DEJA_OK)
        code = deja__manifest_read(store, err);
    if (code < 0)
        deja__write_rollback(store);
    return code;
}

void deja__write_rollback(deja_store *store)
{
    /* SQLite rolls back by itself after some failures. */
    if (!sqlite3_get_autocommit(store->db))
        deja__order_run(store, DEJA__ROLLBACK);
    store->in_write = false;
}

/* ---- the manifest ---- */

static void manifest_row(deja__row *row, uint32_t table, const deja__tally *tally)
{
    memset(row, 0, sizeof *row);
    row->key = table;
    deja__cell_text(row, 0, deja__table_name(table));
    deja__cell_number(row, 1, tally->rows);
    deja__cell_number(row, 2, deja__as_signed(tally->sum));
    deja__cell_number(row, 3, tally->next);
}

deja_code deja__manifest_create(deja_store *store, deja_error *err)
{
    for (uint32_t table = DEJA__MANIFEST + 1; table < DEJA__TABLE_COUNT; table++) {
        const deja__tally empty = { .next = 1 };
        deja__row row;
        manifest_row(&row, table, &empty);
        const deja_code code = deja__row_insert(store, DEJA__MANIFEST, &row, err);
        if (code < 0)
            return code;
    }
    return DEJA_OK;
}

deja_code deja__write_commit(deja_store *store, deja_error *err)
{
    deja_code code = DEJA_OK;
    for (uint32_t table = DEJA__MANIFEST + 1; table < DEJA__TABLE_COUNT && code == DEJA_OK;
         table++) {
        deja__tally *tally = &store->tallies[table];
        if (!tally->changed)
            continue;
        deja__row row;
        manifest_row(&row, table, tally);
        code = deja__row_replace(store, DEJA__MANIFEST, &row, tally->check, err);
    }
    if (code == DEJA_OK) {
        const int result = deja__order_run(store, DEJA__COMMIT);
        if (result != SQLITE_OK)
            code = deja__sql_fail(store->db, result, "cannot be written", err);
    }
    if (code < 0)
        deja__write_rollback(store);
    else
        store->version = DEJA__STORE_VERSION;
    store->in_write = false;
    return code;
}

typedef struct reading {
    deja_store *store;
    uint32_t expected; /* the table that the next row is about */
} reading;

static deja_code take_tally(void *user, const deja__row *row, deja_error *err)
{
    reading *r = user;
    const char *name = r->expected < DEJA__TABLE_COUNT ? deja__table_name(r->expected) : "";
    if (row->key != r->expected || row->cells[0].size != strlen(name) ||
        memcmp(row->cells[0].bytes, name, strlen(name)) != 0)
        return deja__fail(err, DEJA_EDAMAGED, "the manifest has no row for table %s", name);
    deja__tally *tally = &r->store->tallies[r->expected++];
    tally->rows = row->cells[1].number;
    tally->sum = deja__as_unsigned(row->cells[2].number);
    tally->next = row->cells[3].number;
    tally->check = row->check;
    tally->changed = false;
    if (tally->rows < 0 || tally->next < 1 || tally->next - 1 < tally->rows)
        return deja__fail(err, DEJA_EDAMAGED, "the manifest's row for table %s is not sound", name);
    return DEJA_OK;
}

deja_code deja__manifest_read(deja_store *store, deja_error *err)
{
    reading r = { store, DEJA__MANIFEST + 1 };
    const deja_code code =
        deja__rows_read(store, DEJA__MANIFEST, INT64_MIN, INT64_MAX, take_tally, &r, NULL, err);
    if (code == DEJA_OK && r.expected != DEJA__TABLE_COUNT)
        return deja__fail(err, DEJA_EDAMAGED, "the manifest has no row for table %s",
                          deja__table_name(r.expected));
    return code;
}

/* ---- tables against it ---- */

deja_code deja__manifest_hold(const deja_store *store, uint32_t table, const deja__tally *found,
                              deja_error *err)
{
    const deja__tally *said = &store->tallies[table];
    if (found->rows != said->rows)
        return deja__fail(err, DEJA_EDAMAGED, "table %s has %lld rows, and should have %lld%s",
                          deja__table_name(table), (long long)found->rows, (long long)said->rows,
                          table == DEJA__STARTS && found->rows < said->rows
                              ? ": a session starts from a saved state that is not in the store"
                              : "");
    if (found->sum != said->sum)
        return deja__fail(err, DEJA_EDAMAGED,
                          "the rows of table %s are sound, but they are not all of its rows",
                          deja__table_name(table));
    return DEJA_OK;
}

/* Stops where there are too many: what a stranger's pages lead to may have no end. */
static deja_code count_rows(deja_store *store, uint32_t table, deja__tally *found, deja_error *err)
{
    char text[64];
    sqlite3_stmt *statement = NULL;
    const deja__tally *said = &store->tallies[table];
    int64_t before = 0; /* keys begin at 1 */
    deja_code code = DEJA_OK;
    snprintf(text, sizeof text, "SELECT id FROM %s ORDER BY id", deja__table_name(table));
    int result = sqlite3_prepare_v2(store->db, text, -1, &statement, NULL);
    memset(found, 0, sizeof *found);
    found->sum = said->sum;
    while (result == SQLITE_OK && found->rows <= said->rows) {
        const int step = sqlite3_step(statement);
        if (step == SQLITE_DONE)
            break;
        if (step != SQLITE_ROW) {
            result = step;
            break;
        }
        const int64_t key = sqlite3_column_int64(statement, 0);
        found->rows++;
        if (key <= before || key >= said->next) {
            code = deja__fail(err, DEJA_EDAMAGED, "table %s: its keys are not in order",
                              deja__table_name(table));
            break;
        }
        before = key;
    }
    if (result != SQLITE_OK)
        code = deja__sql_fail(store->db, result, deja__table_name(table), err);
    sqlite3_finalize(statement);
    return code;
}

deja_code deja__manifest_count(deja_store *store, deja_error *err)
{
    for (uint32_t table = DEJA__MANIFEST + 1; table < DEJA__TABLE_COUNT; table++) {
        deja__tally found;
        deja_code code = count_rows(store, table, &found, err);
        if (code == DEJA_OK)
            code = deja__manifest_hold(store, table, &found, err);
        if (code < 0)
            return code;
    }
    return DEJA_OK;
}
