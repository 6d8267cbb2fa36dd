/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/recipe.h"
#include "support/scratch.h"

static char folder[64];

static void open_folder(void)
{
    scratch_open(folder);
}

static void close_folder(void)
{
    scratch_close(folder);
}

TestSuite(opening, .init = open_folder, .fini = close_folder, .timeout = 60);

static const char *file_of(const char *name, const void *bytes, size_t size)
{
    const char *path = in_folder(folder, name);
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
    return path;
}

/* Every mode refuses it the same way, and leaves it as it is. */
static void assert_refused(const char *path, deja_code expected, const char *words)
{
    for (uint32_t mode = DEJA_STORE_READ; mode <= DEJA_STORE_APPEND; mode++) {
        deja_store *store = (deja_store *)1;
        deja_error err = { 0 };
        const deja_code code = deja_store_open(&store, path, mode, &err);
        cr_assert_eq(code, expected, "mode %u: %s %s", mode, deja_code_name(code), err.message);
        cr_assert_null(store);
        cr_assert_eq(err.code, expected);
        cr_assert_not_null(strstr(err.message, words), "%s", err.message);
        cr_assert_null(strchr(err.message, '\n'));
    }
}

static const char *a_store(const char *name)
{
    const char *path = in_folder(folder, name);
    const recipe r = recipe_of(1);
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    put(store, &r);
    close_store(store);
    return path;
}

/* Overwrites some bytes of a file. */
static void patch(const char *path, long offset, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "r+b");
    cr_assert_not_null(file);
    cr_assert_eq(fseek(file, offset, SEEK_SET), 0);
    cr_assert_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

Test(opening, a_missing_file_is_made_only_for_writing)
{
    const char *path = in_folder(folder, "new.deja");
    deja_store *store = NULL;
    deja_error err = { 0 };
    struct stat status;
    cr_assert_eq(deja_store_open(&store, path, DEJA_STORE_READ, &err), DEJA_EIO);
    cr_assert_not_null(strstr(err.message, "no such file"), "%s", err.message);
    cr_assert_not_null(strstr(err.message, path), "%s", err.message);
    cr_assert_eq(deja_store_open(&store, path, DEJA_STORE_APPEND, &err), DEJA_EIO);
    cr_assert_neq(stat(path, &status), 0, "made by reading");
    close_store(open_store(path, DEJA_STORE_WRITE));
    close_store(open_store(path, DEJA_STORE_READ));
    close_store(open_store(path, DEJA_STORE_APPEND));
}

Test(opening, what_is_no_file_is_said_to_be_none)
{
    assert_refused(folder, DEJA_EIO, "is a folder");
    assert_refused("/dev/null", DEJA_EIO, "is not a file");
    const char *pipe = in_folder(folder, "pipe");
    cr_assert_eq(mkfifo(pipe, 0600), 0);
    assert_refused(pipe, DEJA_EIO, "is not a file");
    const char *through = in_folder(folder, "pipe/x");
    assert_refused(through, DEJA_EIO, "is no folder");
    const char *nowhere = in_folder(folder, "nowhere/x");
    deja_store *store = NULL;
    deja_error err = { 0 };
    cr_assert_eq(deja_store_open(&store, nowhere, DEJA_STORE_WRITE, &err), DEJA_EIO);
    cr_assert_not_null(strstr(err.message, "cannot be made: there is no such folder"), "%s",
                       err.message);
}

Test(opening, what_is_no_store_is_said_to_be_what_it_is)
{
    assert_refused(file_of("a.png", "\x89PNG\r\n\x1a\n1234567890123456", 24), DEJA_EFORMAT,
                   "a PNG image");
    assert_refused(file_of("a.txt", "hello\nworld, this is a text\n", 28), DEJA_EFORMAT,
                   "begins with 'hello\\x0aworld,'");
    assert_refused(file_of("a.replay", "deja-replay: 1\ngame: x\n", 23), DEJA_EFORMAT,
                   "a replay text");
    assert_refused(file_of("a.gz", "\x1f\x8b\x08\0\0\0\0\0\0\0", 10), DEJA_EFORMAT, "gzip");
    assert_refused(file_of("x", "x", 1), DEJA_EFORMAT, "one byte");
    assert_refused(file_of("xy", "xy", 2), DEJA_EFORMAT, "begins with 'xy'");
    assert_refused(file_of("cut", "SQLite f", 8), DEJA_EDAMAGED, "was cut");
    const char *other = in_folder(folder, "other.db");
    sql(other, "CREATE TABLE t (x); PRAGMA application_id = 77;", NULL, 0);
    assert_refused(other, DEJA_EFORMAT, "another program's");
}

Test(opening, an_empty_file_is_no_store_but_becomes_one_by_writing)
{
    const char *path = file_of("empty", "", 0);
    deja_store *store = NULL;
    deja_error err = { 0 };
    cr_assert_eq(deja_store_open(&store, path, DEJA_STORE_READ, &err), DEJA_EFORMAT);
    cr_assert_not_null(strstr(err.message, "is empty"), "%s", err.message);
    cr_assert_eq(deja_store_open(&store, path, DEJA_STORE_APPEND, &err), DEJA_EFORMAT);
    close_store(open_store(path, DEJA_STORE_WRITE));
    close_store(open_store(path, DEJA_STORE_READ));
}

Test(opening, a_newer_store_is_refused_as_such)
{
    const char *path = a_store("newer.deja");
    sql(path, "PRAGMA user_version = 3", NULL, 0);
    assert_refused(path, DEJA_EVERSION, "made by a newer deja");
    sql(path, "PRAGMA user_version = 0", NULL, 0);
    assert_refused(path, DEJA_EDAMAGED, "header");
}

static int version_of(const char *path)
{
    char text[16] = "";
    sql(path, "PRAGMA user_version", text, sizeof text);
    return atoi(text);
}

Test(opening, a_store_of_version_1_is_read_as_it_is_and_becomes_version_2_by_writing)
{
    const char *path = a_store("older.deja");
    sql(path, "PRAGMA user_version = 1", NULL, 0);
    close_store(open_store(path, DEJA_STORE_READ));
    close_store(open_store(path, DEJA_STORE_APPEND));
    cr_assert_eq(version_of(path), 1);
    deja_store *store = open_store(path, DEJA_STORE_APPEND);
    const recipe more = recipe_of(2);
    put(store, &more);
    close_store(store);
    cr_assert_eq(version_of(path), 2);
    cr_assert_eq(count_sessions(path), 2);
}

Test(opening, a_schema_that_is_not_the_versions_byte_for_byte_is_damage)
{
    static const char *const CHANGES[] = {
        "CREATE TABLE more (x)",
        "CREATE INDEX i ON words (text)",
        "CREATE TRIGGER t AFTER INSERT ON words BEGIN SELECT 1; END",
        "DROP VIEW parts",
        "DROP TABLE section_parts",
        "ALTER TABLE words ADD COLUMN y",
        "DROP VIEW parts; CREATE VIEW parts AS SELECT 1",
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 3 WHERE name = 'builds'",
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = sql || ' ' WHERE name = "
        "'marks'",
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE' "
        "WHERE name = 'marks'",
    };
    for (size_t i = 0; i < sizeof CHANGES / sizeof *CHANGES; i++) {
        const char *path = a_store("schema.deja");
        sql(path, CHANGES[i], NULL, 0);
        deja_store *store = NULL;
        deja_error err = { 0 };
        cr_assert_eq(deja_store_open(&store, path, DEJA_STORE_READ, &err), DEJA_EDAMAGED, "%s",
                     CHANGES[i]);
        cr_assert_eq(deja_store_open(&store, path, DEJA_STORE_WRITE, &err), DEJA_EDAMAGED, "%s",
                     CHANGES[i]);
        cr_assert_eq(remove(path), 0);
    }
}

Test(opening, a_store_that_was_vacuumed_is_as_good_as_before)
{
    const char *path = a_store("vacuum.deja");
    const uint64_t before = dump_hash(path);
    sql(path, "VACUUM", NULL, 0);
    cr_assert(eq(u64, dump_hash(path), before));
}

Test(opening, bytes_glued_to_the_end_and_missing_pages_are_damage)
{
    const char *path = a_store("glued.deja");
    struct stat status;
    cr_assert_eq(stat(path, &status), 0);
    FILE *file = fopen(path, "ab");
    fputc('x', file);
    fclose(file);
    assert_refused(path, DEJA_EDAMAGED, "bytes");
    cr_assert_eq(truncate(path, status.st_size - 4096), 0);
    assert_refused(path, DEJA_EDAMAGED, "malformed");
}

Test(opening, a_writer_does_not_trust_a_header_that_would_make_it_write_over_rows)
{
    static const struct {
        long offset;
        unsigned char bytes[4];
    } LIES[] = {
        { 28, { 0, 0, 0, 5 } },    /* pages */
        { 32, { 0, 0, 0, 3 } },    /* a free page that is a table's root */
        { 52, { 0, 0, 0, 3 } },    /* auto-vacuum */
        { 20, { 8, 64, 32, 32 } }, /* reserved bytes */
        { 56, { 0, 0, 0, 2 } },    /* UTF-16 */
    };
    for (size_t i = 0; i < sizeof LIES / sizeof *LIES; i++) {
        const char *path = a_store("lies.deja");
        patch(path, LIES[i].offset, LIES[i].bytes, 4);
        if (LIES[i].offset == 32)
            patch(path, 36, "\0\0\0\1", 4);
        deja_store *store = NULL;
        cr_assert_eq(deja_store_open(&store, path, DEJA_STORE_WRITE, NULL), DEJA_EDAMAGED, "%ld",
                     LIES[i].offset);
        cr_assert_eq(remove(path), 0);
    }
}

Test(opening, line_ends_that_were_converted_are_named_as_the_likely_cause)
{
    const char *good = a_store("good.deja");
    const char *bad = in_folder(folder, "bad.deja");
    FILE *from = fopen(good, "rb");
    FILE *to = fopen(bad, "wb");
    for (int c; (c = fgetc(from)) != EOF; fputc(c, to))
        if (c == '\n')
            fputc('\r', to);
    fclose(from);
    fclose(to);
    assert_refused(bad, DEJA_EDAMAGED, "converts line ends");
}

Test(opening, any_path_is_only_a_path)
{
    cr_assert_eq(chdir(folder), 0);
    static const char *const NAMES[] = { ":memory:", "file:x?mode=memory", "a b%20c#d?e", "-x" };
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        struct stat status;
        const recipe r = recipe_of(i);
        deja_store *store = open_store(NAMES[i], DEJA_STORE_WRITE);
        put(store, &r);
        close_store(store);
        cr_assert_eq(stat(NAMES[i], &status), 0, "%s", NAMES[i]);
        cr_assert(eq(u32, count_sessions(NAMES[i]), 1));
    }
}

Test(opening, a_message_stays_one_line_whatever_the_path)
{
    char path[4096];
    deja_store *store = NULL;
    deja_error err = { 0 };
    snprintf(path, sizeof path, "%s/two\nlines", folder);
    cr_assert_eq(deja_store_open(&store, path, DEJA_STORE_READ, &err), DEJA_EIO);
    cr_assert_null(strchr(err.message, '\n'), "%s", err.message);
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    cr_assert_eq(deja_store_open(&store, path, DEJA_STORE_WRITE, &err), DEJA_EIO);
    cr_assert_not_null(strstr(err.message, "too long"), "%s", err.message);
    cr_assert_lt(strlen(err.message), 300);
}

Test(opening, a_closed_store_is_one_file_and_reading_it_adds_none)
{
    char own[80];
    snprintf(own, sizeof own, "%s/own", folder);
    cr_assert_eq(mkdir(own, 0700), 0);
    const char *path = in_folder(own, "a.deja");
    const recipe r = recipe_long(1, 40000);
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    put(store, &r);
    close_store(store);
    dump_hash(path);
    char name[200];
    snprintf(name, sizeof name, "ls %s | wc -l > %s/count", own, folder);
    cr_assert_eq(system(name), 0);
    FILE *file = fopen(in_folder(folder, "count"), "r");
    int count = 0;
    cr_assert_eq(fscanf(file, "%d", &count), 1);
    fclose(file);
    cr_assert(eq(int, count, 1));
    unsigned char header[20];
    file = fopen(path, "rb");
    cr_assert_eq(fread(header, 1, sizeof header, file), sizeof header);
    fclose(file);
    cr_assert(eq(int, header[18], 1), "left in WAL mode");
}

Test(opening, writing_needs_a_file_that_may_be_written_to)
{
    const char *path = a_store("mine.deja");
    cr_assert_eq(chmod(path, 0444), 0);
    cr_assert_eq(chmod(folder, 0755), 0);
    cr_assert(become_nobody());
    deja_store *store = NULL;
    deja_error err = { 0 };
    const deja_code code = deja_store_open(&store, path, DEJA_STORE_WRITE, &err);
    become_yourself();
    cr_assert_eq(code, DEJA_EIO, "%s", err.message);
    cr_assert_not_null(strstr(err.message, "permission denied"), "%s", err.message);
}

Test(opening, making_one_needs_a_folder_that_may_be_written_to)
{
    const char *path = in_folder(folder, "new.deja");
    cr_assert_eq(chmod(folder, 0555), 0);
    cr_assert(become_nobody());
    deja_store *store = NULL;
    deja_error err = { 0 };
    const deja_code code = deja_store_open(&store, path, DEJA_STORE_WRITE, &err);
    become_yourself();
    chmod(folder, 0755);
    cr_assert_eq(code, DEJA_EIO, "%s", err.message);
    cr_assert_not_null(strstr(err.message, "cannot be made: permission denied"), "%s", err.message);
}

Test(opening, misuse_is_told_as_such)
{
    deja_store *store = NULL;
    deja_error err = { 0 };
    cr_assert_eq(deja_store_open(NULL, "x", DEJA_STORE_READ, &err), DEJA_EMISUSE);
    cr_assert_eq(deja_store_open(&store, NULL, DEJA_STORE_READ, &err), DEJA_EMISUSE);
    cr_assert_eq(deja_store_open(&store, "", DEJA_STORE_READ, &err), DEJA_EMISUSE);
    cr_assert_eq(deja_store_open(&store, "x", 3, &err), DEJA_EMISUSE);
    cr_assert_eq(deja_store_close(NULL, &err), DEJA_OK);
    cr_assert_eq(deja_store_flush(NULL, &err), DEJA_EMISUSE);
    cr_assert_eq(deja_store_check(NULL, &err), DEJA_EMISUSE);
}
