/* SPDX-License-Identifier: MIT */
#include "bench/baselines.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <zlib.h>

enum { ROWS_A_TRANSACTION = 4096 };

/* ---- lines of JSON ---- */

void json_lines_open(json_lines *lines, const char *path)
{
    lines->step = 0;
    lines->file = gzopen(path, "wb6");
    if (!lines->file)
        bench_fail("%s: cannot be made", path);
}

void json_lines_add(json_lines *lines, const bench_take *take, uint32_t result, uint64_t hash)
{
    if (gzprintf(lines->file,
                 "{\"step\":%" PRIu64 ",\"command\":{\"take\":{\"row\":%u,\"n\":%u}},"
                 "\"result\":%" PRIu32 ",\"hash\":\"%016" PRIx64 "\"}\n",
                 ++lines->step, take->row, take->n, result, hash) <= 0)
        bench_fail("a line of JSON cannot be written");
}

void json_lines_close(json_lines *lines)
{
    if (gzclose(lines->file) != Z_OK)
        bench_fail("lines of JSON cannot be closed");
}

/* ---- a row for each step ---- */

static void run_sql(sqlite3 *db, const char *text)
{
    if (sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK)
        bench_fail("%s: %s", text, sqlite3_errmsg(db));
}

void step_rows_open(step_rows *rows, const char *path)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *insert = NULL;
    if (sqlite3_open(path, &db) != SQLITE_OK)
        bench_fail("%s: cannot be made", path);
    run_sql(db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
                "CREATE TABLE steps (step INTEGER PRIMARY KEY, command BLOB, result INTEGER,"
                "                    hash INTEGER); BEGIN");
    if (sqlite3_prepare_v2(db, "INSERT INTO steps VALUES (?, ?, ?, ?)", -1, &insert, NULL) !=
        SQLITE_OK)
        bench_fail("a row: %s", sqlite3_errmsg(db));
    *rows = (step_rows){ db, insert, 0 };
}

void step_rows_add(step_rows *rows, const bench_take *take, uint32_t result, uint64_t hash)
{
    sqlite3_bind_int64(rows->insert, 1, ++rows->step);
    sqlite3_bind_blob(rows->insert, 2, take, sizeof *take, SQLITE_STATIC);
    sqlite3_bind_int64(rows->insert, 3, result);
    sqlite3_bind_int64(rows->insert, 4, (int64_t)hash);
    if (sqlite3_step(rows->insert) != SQLITE_DONE)
        bench_fail("a row: %s", sqlite3_errmsg(rows->db));
    sqlite3_reset(rows->insert);
    if (rows->step % ROWS_A_TRANSACTION == 0)
        run_sql(rows->db, "COMMIT; BEGIN");
}

void step_rows_close(step_rows *rows)
{
    run_sql(rows->db, "COMMIT");
    sqlite3_finalize(rows->insert);
    if (sqlite3_close(rows->db) != SQLITE_OK)
        bench_fail("rows cannot be closed");
}
