/* SPDX-License-Identifier: MIT */
/*
 * What SQLite says, in deja's codes and words; and the orders, which are about no table.
 */
#include "store/handle.h"

#include <errno.h>

/* ---- errors ---- */

deja_code deja__store_fail(const deja_store *store, deja_code code, deja_error *err)
{
    return code < 0 ? deja__fail_within(err, code, "%.300s", store->name) : code;
}

static deja_code code_of(int result)
{
    if (result == SQLITE_IOERR_NOMEM)
        return DEJA_ENOMEM;
    switch (result & 0xff) {
    case SQLITE_NOMEM:
        return DEJA_ENOMEM;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
        return DEJA_EBUSY;
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_NOLFS:
        return DEJA_EIO;
    case SQLITE_TOOBIG:
        return DEJA_ELIMIT;
    default:
        return DEJA_EDAMAGED;
    }
}

deja_code deja__sql_fail(sqlite3 *db, int result, const char *doing, deja_error *err)
{
    const deja_code code = code_of(result);
    if (code == DEJA_ENOMEM)
        return deja__fail_memory(err);
    if (code == DEJA_EBUSY)
        return deja__fail(err, code, "%s: another program is writing to it (waited 5 seconds)",
                          doing);
    const char *system = code == DEJA_EIO ? deja_system_text(sqlite3_system_errno(db)) : NULL;
    if (result == SQLITE_READONLY_ROLLBACK)
        return deja__fail(err, code,
                          "%s: a write to it was cut short; open it once for writing to clear that",
                          doing);
    /* The message belongs to the last call that failed; where that was cleared, the code's. */
    const char *why =
        sqlite3_errcode(db) == (result & 0xff) ? sqlite3_errmsg(db) : sqlite3_errstr(result);
    if (system)
        return deja__fail(err, code, "%s: %.200s: %s", doing, why, system);
    return deja__fail(err, code, "%s: %.200s", doing, why);
}

const char *deja__id_word(const deja_id *id, char *text)
{
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < 6; i++) {
        text[2 * i] = digits[id->bytes[i] >> 4];
        text[2 * i + 1] = digits[id->bytes[i] & 15];
    }
    text[12] = '\0';
    return text;
}

/* ---- orders ---- */

static const char *const ORDERS[DEJA__ORDER_COUNT] = {
    [DEJA__BEGIN_READ] = "BEGIN",
    [DEJA__BEGIN_WRITE] = "BEGIN IMMEDIATE",
    [DEJA__COMMIT] = "COMMIT",
    [DEJA__ROLLBACK] = "ROLLBACK",
    [DEJA__DATA_VERSION] = "PRAGMA data_version",
    [DEJA__PAGE_COUNT] = "PRAGMA page_count",
};

deja_code deja__order_prepare(deja_store *store, uint32_t order, deja_error *err)
{
    const int result = sqlite3_prepare_v3(store->db, ORDERS[order], -1, SQLITE_PREPARE_PERSISTENT,
                                          &store->orders[order], NULL);
    return result == SQLITE_OK ? DEJA_OK : deja__sql_fail(store->db, result, "cannot be read", err);
}

int deja__order_run(deja_store *store, uint32_t order)
{
    sqlite3_step(store->orders[order]);
    return sqlite3_reset(store->orders[order]);
}

int deja__order_number(deja_store *store, uint32_t order, int64_t *number)
{
    if (sqlite3_step(store->orders[order]) == SQLITE_ROW)
        *number = sqlite3_column_int64(store->orders[order], 0);
    return sqlite3_reset(store->orders[order]);
}
