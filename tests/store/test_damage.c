/* SPDX-License-Identifier: MIT */
/*
 * Damage is told, or makes no difference. tests/soak/flip_bits.c does the same for every bit.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/recipe.h"
#include "support/scratch.h"

enum { FLIPS = 600, CUTS = 80 };

static char folder[64];
static const char *path;
static unsigned char *good;
static uint64_t size;
static deja_buffer expected;

/* A few sessions of every kind. */
static void open_folder(void)
{
    deja_error err = { 0 };
    struct stat status;
    scratch_open(folder);
    path = in_folder(folder, "damage.deja");
    recipe recipes[] = { recipe_of(1), recipe_of(2),          recipe_of(3), recipe_of(5),
                         recipe_of(6), recipe_long(4, 16390), recipe_of(3) };
    recipes[1].marks = 2;
    recipes[1].sections = 6;
    recipes[3].start = true;
    recipes[4].opaque = true;
    recipes[6].build = 2;
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++)
        put(store, &recipes[i]);
    close_store(store);
    cr_assert_eq(dump_file(path, &expected, &err), DEJA_OK, "%s", err.message);
    cr_assert_eq(stat(path, &status), 0);
    size = (uint64_t)status.st_size;
    good = malloc(size);
    FILE *file = fopen(path, "rb");
    cr_assert_eq(fread(good, 1, size, file), size);
    fclose(file);
}

static void close_folder(void)
{
    free(good);
    deja_buffer_release(&expected);
    scratch_close(folder);
}

TestSuite(damage, .init = open_folder, .fini = close_folder, .timeout = 120);

static void write_at(uint64_t offset, const void *bytes, size_t count)
{
    const int fd = open(path, O_WRONLY);
    cr_assert_geq(fd, 0);
    cr_assert_eq(pwrite(fd, bytes, count, (off_t)offset), (ssize_t)count);
    close(fd);
}

static void restore(void)
{
    FILE *file = fopen(path, "wb");
    cr_assert_eq(fwrite(good, 1, size, file), size);
    fclose(file);
}

/* Whether reading tells of damage; fails the test if it tells anything else than what was there. */
static bool is_told(const char *what, uint64_t byte)
{
    deja_buffer found = { 0 };
    deja_error err = { 0 };
    const deja_code code = dump_file(path, &found, &err);
    if (code == DEJA_OK)
        cr_assert(found.size == expected.size &&
                      memcmp(found.bytes, expected.bytes, found.size) == 0,
                  "%s %" PRIu64 ": other answers", what, byte);
    else if (byte >= 100 || (code != DEJA_EFORMAT && code != DEJA_EVERSION))
        cr_assert_eq(code, DEJA_EDAMAGED, "%s %" PRIu64 ": %s", what, byte, err.message);
    deja_buffer_release(&found);
    return code != DEJA_OK;
}

Test(damage, a_flipped_bit_is_told_or_makes_no_difference)
{
    uint64_t luck = 1;
    uint32_t told = 0;
    for (uint32_t i = 0; i < FLIPS; i++) {
        /* The header and the schema's page get their share. */
        const uint64_t byte = draw(&luck) % (i % 4 == 0 ? 4096 : size);
        const unsigned char flipped = good[byte] ^ (unsigned char)(1 << draw(&luck) % 8);
        write_at(byte, &flipped, 1);
        told += is_told("flipped byte", byte);
        write_at(byte, &good[byte], 1);
    }
    cr_assert_gt(told, FLIPS / 10);
    cr_assert_not(is_told("nothing at", 0));
}

Test(damage, every_bit_of_the_header_is_told_or_makes_no_difference)
{
    for (uint64_t bit = 0; bit < 800; bit += 3) {
        const unsigned char flipped = good[bit / 8] ^ (unsigned char)(1 << bit % 8);
        write_at(bit / 8, &flipped, 1);
        is_told("flipped byte", bit / 8);
        write_at(bit / 8, &good[bit / 8], 1);
    }
}

Test(damage, a_store_that_was_cut_anywhere_is_damaged)
{
    uint64_t luck = 2;
    for (uint32_t i = 0; i < CUTS; i++) {
        const uint64_t length = i < 20       ? i * 6
                                : i % 5 == 0 ? draw(&luck) % (size / 4096) * 4096
                                             : draw(&luck) % size;
        cr_assert_eq(truncate(path, (off_t)length), 0);
        cr_assert(is_told("cut at", length), "cut at %" PRIu64, length);
        restore();
    }
}

Test(damage, pages_that_changed_places_or_were_lost_are_told)
{
    uint64_t luck = 3;
    unsigned char zeros[4096] = { 0 };
    for (uint32_t i = 0; i < 60; i++) {
        const uint64_t a = draw(&luck) % (size / 4096) * 4096;
        const uint64_t b = draw(&luck) % (size / 4096) * 4096;
        write_at(a, i % 3 ? good + b : zeros, 4096);
        if (i % 3 == 1)
            write_at(b, good + a, 4096);
        is_told("page at", a);
        restore();
    }
}

/* Writing to a damaged store must not make it worse: what can still be read is what was there. */
Test(damage, a_writer_adds_nothing_false_to_a_damaged_store)
{
    uint64_t luck = 4;
    const recipe r = recipe_of(77);
    const char *last = (const char *)expected.bytes;
    for (const char *next; (next = strstr(last + 1, "entry ")) != NULL;)
        last = next;
    const uint64_t common = (uint64_t)(last - (const char *)expected.bytes);
    for (uint32_t i = 0; i < 20; i++) {
        const uint64_t byte = draw(&luck) % size;
        const unsigned char flipped = good[byte] ^ (unsigned char)(1 << draw(&luck) % 8);
        deja_store *store = NULL;
        deja_error err = { 0 };
        write_at(byte, &flipped, 1);
        if (deja_store_open(&store, path, DEJA_STORE_APPEND, &err) == DEJA_OK) {
            recipe_write(store, &r, NULL, NULL, &err);
            deja_store_close(store, &err);
            deja_buffer found = { 0 };
            if (dump_file(path, &found, &err) == DEJA_OK)
                cr_assert_eq(memcmp(found.bytes, expected.bytes, common), 0, "byte %" PRIu64, byte);
            deja_buffer_release(&found);
        }
        restore();
    }
}

/* ---- rows that go or change ---- */

static deja_code dump_after(const char *statements, deja_error *err)
{
    deja_buffer found = { 0 };
    sql(path, statements, NULL, 0);
    const deja_code code = dump_file(path, &found, err);
    deja_buffer_release(&found);
    return code;
}

Test(damage, a_row_that_goes_is_noticed_when_the_store_is_opened)
{
    static const char *const TABLES[] = { "manifest",        "words",         "builds",
                                          "layouts",         "session_packs", "command_parts",
                                          "recording_packs", "result_parts",  "starts",
                                          "marks",           "section_parts" };
    for (size_t i = 0; i < sizeof TABLES / sizeof *TABLES; i++) {
        char statement[200];
        deja_error err = { 0 };
        snprintf(statement, sizeof statement, "DELETE FROM %s WHERE id = (SELECT max(id) FROM %s)",
                 TABLES[i], TABLES[i]);
        cr_assert_eq(dump_after(statement, &err), DEJA_EDAMAGED, "%s", TABLES[i]);
        cr_assert_not_null(strstr(err.message, i ? TABLES[i] : "section_parts"), "%s", err.message);
        if (strcmp(TABLES[i], "starts") == 0)
            cr_assert_not_null(strstr(err.message, "starts from a saved state that is not in the "
                                                   "store"),
                               "%s", err.message);
        restore();
    }
}

Test(damage, a_row_that_comes_or_changes_is_noticed)
{
    static const char *const CHANGES[] = {
        "INSERT INTO words VALUES (99, 'x', 0)",
        "INSERT INTO marks SELECT max(id) + 1, place, step, text, \"check\" FROM marks",
        "UPDATE words SET text = text || ' ' WHERE id = 1",
        "UPDATE layouts SET refusals = 'no_such_row over more'",
        "UPDATE session_packs SET steps = steps + 1",
        "UPDATE recording_packs SET marks = marks + 1",
        "UPDATE manifest SET row_count = row_count + 1",
        "UPDATE manifest SET check_sum = check_sum + 1 WHERE id = 4",
        "UPDATE builds SET compiler = CAST(compiler AS BLOB)",
        "UPDATE command_parts SET id = id + 100 WHERE id = (SELECT max(id) FROM command_parts)",
        "UPDATE result_parts SET trail = (SELECT trail FROM result_parts ORDER BY id DESC)",
    };
    for (size_t i = 0; i < sizeof CHANGES / sizeof *CHANGES; i++) {
        deja_error err = { 0 };
        cr_assert_eq(dump_after(CHANGES[i], &err), DEJA_EDAMAGED, "%s: %s", CHANGES[i],
                     err.message);
        restore();
    }
}

Test(damage, rows_that_changed_places_are_noticed)
{
    static const char SWAP[] =
        "CREATE TEMP TABLE t AS SELECT * FROM result_parts ORDER BY id LIMIT 2;"
        "UPDATE result_parts SET (size, data, trail, chain, event_chain, \"check\") ="
        "(SELECT size, data, trail, chain, event_chain, \"check\" FROM t"
        " WHERE t.id <> result_parts.id) WHERE id IN (SELECT id FROM t)";
    deja_error err = { 0 };
    cr_assert_eq(dump_after(SWAP, &err), DEJA_EDAMAGED, "%s", err.message);
}

static int64_t first_long(void)
{
    char answer[32];
    sql(path, "SELECT id * 1024 FROM session_packs WHERE steps > 16384", answer, sizeof answer);
    return strtoll(answer, NULL, 10);
}

Test(damage, the_session_and_the_steps_are_named)
{
    sql(path, "UPDATE command_parts SET data = zeroblob(length(data)) WHERE id & 1048575 = 1", NULL,
        0);
    deja_store *store = open_store(path, DEJA_STORE_READ);
    deja_reader *reader = NULL;
    deja_steps steps;
    deja_error err = { 0 };
    cr_assert_eq(deja_reader_open(&reader, store, first_long(), 0, &err), DEJA_OK, "%s",
                 err.message);
    cr_assert_eq(deja_reader_next(reader, &steps, &err), DEJA_OK, "%s", err.message);
    cr_assert_eq(deja_reader_next(reader, &steps, &err), DEJA_EDAMAGED);
    cr_assert(eq(u64, err.step, 16385));
    cr_assert(eq(u32, steps.count, 0));
    char expected_words[100];
    const unsigned char *id = deja_reader_session(reader)->id.bytes;
    snprintf(expected_words, sizeof expected_words,
             "session %02x%02x%02x%02x%02x%02x: steps 16385 to 16390: table command_parts", id[0],
             id[1], id[2], id[3], id[4], id[5]);
    cr_assert_not_null(strstr(err.message, expected_words), "%s", err.message);
    cr_assert_not_null(strstr(err.message, path), "%s", err.message);
    deja_reader_close(reader);
    cr_assert_eq(deja_store_check(store, &err), DEJA_EDAMAGED);
    close_store(store);
}

Test(damage, a_check_looks_at_what_reading_takes_on_trust)
{
    deja_store *store = open_store(path, DEJA_STORE_READ);
    deja_error err = { 0 };
    cr_assert_eq(deja_store_check(store, &err), DEJA_OK, "%s", err.message);
    cr_assert_eq(deja_store_check(store, &err), DEJA_OK, "%s", err.message);
    close_store(store);
}
