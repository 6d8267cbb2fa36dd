/* SPDX-License-Identifier: MIT */
/*
 * What somebody sees who has nothing but SQLite and zlib.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/base.h"
#include "store/recipe.h"
#include "support/scratch.h"

static char folder[64];
static const char *path;
static deja_id ids[6];

static void open_folder(void)
{
    scratch_open(folder);
    path = in_folder(folder, "people.deja");
    recipe recipes[] = { recipe_of(3),          recipe_of(4), recipe_of(8),
                         recipe_long(1, 16500), recipe_of(9), recipe_of(3) };
    recipes[1].seed = UINT64_MAX;
    recipes[2].marks = 3;
    recipes[4].start = true;
    recipes[4].content = "maps=00112233445566778899aabbccddeeff";
    recipes[5].build = 0xab;
    recipes[5].ended = DEJA_ENDED_CRASHED;
    recipes[5].recorded_at += 61;
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++)
        ids[i] = put(store, &recipes[i]);
    close_store(store);
}

static void close_folder(void)
{
    scratch_close(folder);
}

TestSuite(plain_sql, .init = open_folder, .fini = close_folder, .timeout = 30);

static void assert_answer(const char *query, const char *expected)
{
    char answer[400];
    sql(path, query, answer, sizeof answer);
    cr_assert_str_eq(answer, expected, "%s: '%s'", query, answer);
}

static void hex(const deja_id *id, char *text)
{
    for (int i = 0; i < 16; i++)
        snprintf(text + 2 * i, 3, "%02x", id->bytes[i]);
}

Test(plain_sql, sessions_are_rows_with_ids_and_names)
{
    char id[33];
    char query[300];
    assert_answer("SELECT count(*) FROM sessions", "5");
    assert_answer("SELECT group_concat(steps, ' ') FROM (SELECT steps FROM sessions ORDER BY key)",
                  "16500 15 16 20 21");
    hex(&ids[0], id);
    snprintf(query, sizeof query,
             "SELECT game || ' ' || steps || ' ' || seed || ' ' || config || ' ' || content "
             "FROM sessions WHERE id = '%s'",
             id);
    assert_answer(query, "matchgame 15 3 0400000007050301 ");
    hex(&ids[1], id);
    snprintf(query, sizeof query, "SELECT seed FROM sessions WHERE id = '%s'", id);
    assert_answer(query, "18446744073709551615");
    hex(&ids[4], id);
    snprintf(query, sizeof query, "SELECT content || '|' || start FROM sessions WHERE id = '%s'",
             id);
    assert_answer(query, "maps=00112233445566778899aabbccddeeff|rows:u8[..16] side:u8");
}

Test(plain_sql, seeds_that_rise_are_counted_up)
{
    const char *other = in_folder(folder, "rising.deja");
    char answer[100];
    deja_store *store = open_store(other, DEJA_STORE_WRITE);
    for (uint64_t i = 0; i < 5; i++) {
        recipe r = recipe_of(((uint64_t)1 << 40) + i);
        r.steps = 7;
        put(store, &r);
    }
    close_store(store);
    sql(other, "SELECT length(seeds) || ' ' || length(lengths) FROM session_packs", answer,
        sizeof answer);
    cr_assert_str_eq(answer, "8 2", "they stand once");
    sql(other, "SELECT min(seed) || ' ' || max(seed) || ' ' || sum(steps) FROM sessions", answer,
        sizeof answer);
    cr_assert_str_eq(answer, "1099511627776 1099511627780 35");
    dump_hash(other);
}

Test(plain_sql, recordings_are_rows_that_name_their_sessions)
{
    assert_answer("SELECT count(*) FROM recordings", "6");
    assert_answer("SELECT count(*) FROM recordings AS r JOIN sessions AS s ON s.key = r.session",
                  "6");
    assert_answer(
        "SELECT ended || ' ' || build || ' ' || compiler || ' ' || platform || ' ' || made"
        " || ' ' || recorded_at FROM recordings ORDER BY key DESC",
        "crashed abababababababababababababababab gcc-12.2.0 x86_64-linux-gnu glibc-2.36 "
        "bot random 2023-11-14 22:14:21");
    assert_answer("SELECT group_concat(DISTINCT ended) FROM (SELECT ended FROM recordings "
                  "ORDER BY ended)",
                  "crashed,first_wins,second_wins");
}

Test(plain_sql, marks_and_parts_have_views)
{
    assert_answer("SELECT group_concat(step || ':' || text, ' ') FROM recording_marks",
                  "0:plain 6:with \"quotes\" 13:two\nlines");
    assert_answer("SELECT count(*) FROM parts WHERE holds = 'commands'", "4");
    assert_answer("SELECT sum(part) FROM parts WHERE holds = 'results'", "1");
}

Test(plain_sql, the_file_is_known_by_its_application_id)
{
    assert_answer("PRAGMA application_id", "1684367969");
    assert_answer("PRAGMA user_version", "2");
    assert_answer("PRAGMA integrity_check", "ok");
    assert_answer("PRAGMA journal_mode", "delete");
}

/* As SQLite's shell does it: sqlar_uncompress(data, size). */
Test(plain_sql, blocks_inflate_as_those_of_sqlite_archives)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    uint32_t blocks = 0;
    cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
    cr_assert_eq(sqlite3_prepare_v2(db,
                                    "SELECT size, data FROM command_parts UNION ALL "
                                    "SELECT size, data FROM result_parts UNION ALL "
                                    "SELECT size, data FROM starts",
                                    -1, &statement, NULL),
                 SQLITE_OK);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        uLongf size = (uLongf)sqlite3_column_int64(statement, 0);
        const int stored = sqlite3_column_bytes(statement, 1);
        if ((uLongf)stored == size)
            continue;
        const uLongf said = size;
        unsigned char *raw = malloc(size);
        cr_assert_eq(uncompress(raw, &size, sqlite3_column_blob(statement, 1), (uLong)stored),
                     Z_OK);
        cr_assert_eq(size, said);
        free(raw);
        blocks++;
    }
    sqlite3_finalize(statement);
    sqlite3_close(db);
    cr_assert_gt(blocks, 2);
}

/* The checks, worked out once more from schemas/store.md. */
static void cover(deja_buffer *out, char type, const void *bytes, uint64_t size)
{
    unsigned char count[8];
    deja__store64(count, size);
    deja_buffer_char(out, type);
    deja_buffer_add(out, count, sizeof count);
    deja_buffer_add(out, bytes, size);
}

static void cover_number(deja_buffer *out, int64_t number)
{
    unsigned char bytes[8];
    deja__store64(bytes, (uint64_t)number);
    cover(out, 'i', bytes, sizeof bytes);
}

static uint64_t check_table(sqlite3 *db, const char *table, uint64_t *rows)
{
    char query[64];
    sqlite3_stmt *statement = NULL;
    deja_buffer covered = { 0 };
    uint64_t sum = 0;
    snprintf(query, sizeof query, "SELECT * FROM %s", table);
    cr_assert_eq(sqlite3_prepare_v2(db, query, -1, &statement, NULL), SQLITE_OK);
    for (*rows = 0; sqlite3_step(statement) == SQLITE_ROW; ++*rows) {
        const int last = sqlite3_column_count(statement) - 1;
        deja_buffer_clear(&covered);
        cover(&covered, 't', table, strlen(table));
        for (int i = 0; i < last; i++) {
            const uint64_t size = (uint64_t)sqlite3_column_bytes(statement, i);
            if (sqlite3_column_type(statement, i) == SQLITE_INTEGER)
                cover_number(&covered, sqlite3_column_int64(statement, i));
            else
                cover(&covered, sqlite3_column_type(statement, i) == SQLITE_TEXT ? 't' : 'b',
                      sqlite3_column_blob(statement, i), size);
        }
        const uint64_t check = deja__hash64(covered.bytes, covered.size);
        cr_assert_eq((int64_t)check, sqlite3_column_int64(statement, last), "%s", table);
        sum += check;
    }
    sqlite3_finalize(statement);
    deja_buffer_release(&covered);
    return sum;
}

Test(plain_sql, checks_and_sums_are_what_the_schema_says)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    uint64_t rows = 0;
    cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
    check_table(db, "manifest", &rows);
    cr_assert(eq(u64, rows, 10));
    cr_assert_eq(sqlite3_prepare_v2(db, "SELECT name, row_count, check_sum FROM manifest", -1,
                                    &statement, NULL),
                 SQLITE_OK);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        const char *table = (const char *)sqlite3_column_text(statement, 0);
        const uint64_t sum = check_table(db, table, &rows);
        cr_assert_eq(rows, (uint64_t)sqlite3_column_int64(statement, 1), "%s", table);
        cr_assert_eq((int64_t)sum, sqlite3_column_int64(statement, 2), "%s", table);
    }
    sqlite3_finalize(statement);
    sqlite3_close(db);
}
