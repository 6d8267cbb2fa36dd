/* SPDX-License-Identifier: MIT */
/*
 * schemas/store.sql, which the build puts into the library: making a store from it, and holding a
 * store against it. SQLite keeps a CREATE statement as it was written, so comparing needs no
 * parser: type, name, root page and text of each row must be those of the statement. The root page
 * counts: a bit of it could make a table of another one's rows, or of a page that is free.
 */
#include "store/handle.h"

extern const char deja__store_sql[];

const char *deja__schema_next(const char **at, uint64_t *size)
{
    const char *start = *at ? *at : deja__store_sql;
    for (;;) {
        while (*start == '\n')
            start++;
        if (strncmp(start, "--", 2) != 0)
            break;
        start = strchr(start, '\n');
        if (!start)
            return NULL;
    }
    const char *end = strstr(start, ";\n");
    if (!end)
        return NULL;
    *size = (uint64_t)(end - start);
    *at = end + 1;
    return start;
}

deja_code deja__schema_create(deja_store *store, deja_error *err)
{
    const char *at = NULL;
    const char *text;
    uint64_t size;
    while ((text = deja__schema_next(&at, &size)) != NULL) {
        sqlite3_stmt *statement = NULL;
        int result = sqlite3_prepare_v2(store->db, text, (int)size, &statement, NULL);
        if (result == SQLITE_OK)
            result = sqlite3_step(statement);
        sqlite3_finalize(statement);
        if (result != SQLITE_DONE && result != SQLITE_ROW && result != SQLITE_OK)
            return deja__sql_fail(store->db, result, "cannot be made", err);
    }
    return deja__manifest_create(store, err);
}

/* ---- comparing ---- */

static bool same(sqlite3_stmt *statement, int column, const char *text, uint64_t size)
{
    const unsigned char *found = sqlite3_column_text(statement, column);
    return found && (uint64_t)sqlite3_column_bytes(statement, column) == size &&
           memcmp(found, text, (size_t)size) == 0;
}

/* CREATE TABLE name (...), CREATE VIEW name AS ... */
static bool fits(sqlite3_stmt *statement, const char *text, uint64_t size, int root)
{
    const bool table = strncmp(text, "CREATE TABLE ", 13) == 0;
    const char *name = text + (table ? 13 : 12);
    const uint64_t name_size = strcspn(name, " \n");
    const char *type = table ? "table" : "view";
    return same(statement, 0, type, strlen(type)) && same(statement, 1, name, name_size) &&
           same(statement, 2, name, name_size) &&
           sqlite3_column_int(statement, 3) == (table ? root : 0) && same(statement, 4, text, size);
}

deja_code deja__schema_compare(deja_store *store, deja_error *err)
{
    const char *at = NULL;
    const char *text;
    uint64_t size;
    int root = 2;
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(store->db,
                                    "SELECT type, name, tbl_name, rootpage, sql "
                                    "FROM sqlite_schema ORDER BY rowid",
                                    -1, &statement, NULL);
    deja_code code = DEJA_OK;
    while (result == SQLITE_OK && (text = deja__schema_next(&at, &size)) != NULL) {
        if (strncmp(text, "CREATE ", 7) != 0)
            continue;
        const int step = sqlite3_step(statement);
        if (step != SQLITE_ROW && step != SQLITE_DONE)
            result = step;
        else if (step == SQLITE_DONE || !fits(statement, text, size, root++))
            code = DEJA_EDAMAGED;
        if (code < 0)
            break;
    }
    if (result == SQLITE_OK && code == DEJA_OK && sqlite3_step(statement) != SQLITE_DONE)
        code = DEJA_EDAMAGED;
    if (code < 0)
        deja__fail(err, code, "the schema is not that of a store of version %d",
                   DEJA__STORE_VERSION);
    if (result != SQLITE_OK)
        code = deja__sql_fail(store->db, result, "the schema", err);
    sqlite3_finalize(statement);
    return code;
}
