/* SPDX-License-Identifier: MIT */
/*
 * Stores that a stranger made: every check and every sum is right, and what they say is not.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/handle.h"
#include "store/recipe.h"
#include "support/scratch.h"

static char folder[64];
static const char *path;

static void open_folder(void)
{
    scratch_open(folder);
    path = in_folder(folder, "hostile.deja");
    recipe recipes[] = { recipe_of(1), recipe_of(2), recipe_of(5), recipe_long(4, 16390),
                         recipe_of(8) };
    recipes[1].marks = 2;
    recipes[1].sections = 6;
    recipes[1].config = 1;
    recipes[2].start = true;
    recipes[4].opaque = true;
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++)
        put(store, &recipes[i]);
    close_store(store);
}

static void close_folder(void)
{
    scratch_close(folder);
}

TestSuite(hostile, .init = open_folder, .fini = close_folder, .timeout = 60);

/* ---- rewriting a row with a check that is right ---- */

typedef struct taken {
    deja__row row;
    unsigned char bytes[DEJA__CELLS_MAX][4096];
} taken;

static deja_code take(void *user, const deja__row *row, deja_error *err)
{
    (void)err;
    taken *t = user;
    t->row = *row;
    for (int i = 0; i < DEJA__CELLS_MAX; i++)
        if (row->cells[i].bytes && row->cells[i].size <= 4096) {
            memcpy(t->bytes[i], row->cells[i].bytes, row->cells[i].size);
            t->row.cells[i].bytes = t->bytes[i];
        }
    return DEJA_OK;
}

/* Replaces a cell of a row; as a number, or with `bytes`. */
static void lie(uint32_t table, int64_t key, uint32_t cell, int64_t number, const void *bytes,
                uint64_t size)
{
    static taken t;
    deja_error err = { 0 };
    deja_store *store = open_store(path, DEJA_STORE_APPEND);
    memset(&t, 0, sizeof t);
    cr_assert_eq(deja__write_begin(store, &err), DEJA_OK, "%s", err.message);
    cr_assert_eq(deja__rows_read(store, table, key, key, take, &t, NULL, &err), DEJA_OK, "%s",
                 err.message);
    cr_assert_eq(t.row.key, key, "no row %" PRId64 " in %s", key, deja__table_name(table));
    const int64_t before = t.row.check;
    if (bytes)
        deja__cell_bytes(&t.row, cell, bytes, size);
    else
        deja__cell_number(&t.row, cell, number);
    cr_assert_eq(deja__row_replace(store, table, &t.row, before, &err), DEJA_OK, "%s", err.message);
    cr_assert_eq(deja__write_commit(store, &err), DEJA_OK, "%s", err.message);
    deja_store_close(store, NULL);
}

static char kept[256];

static void keep_file(void)
{
    char command[600];
    snprintf(kept, sizeof kept, "%s/kept", folder);
    snprintf(command, sizeof command, "cp %s %s", path, kept);
    cr_assert_eq(system(command), 0);
}

static void put_back(void)
{
    char command[600];
    snprintf(command, sizeof command, "cp %s %s", kept, path);
    cr_assert_eq(system(command), 0);
}

/* Reading such a store says that it is damaged; and so does checking it. */
static void assert_told(const char *what)
{
    deja_buffer found = { 0 };
    deja_error err = { 0 };
    const deja_code code = dump_file(path, &found, &err);
    deja_buffer_release(&found);
    cr_assert_eq(code, DEJA_EDAMAGED, "%s: %s %s", what, deja_code_name(code), err.message);
    cr_assert_null(strchr(err.message, '\n'), "%s", err.message);
}

/* ---- numbers ---- */

Test(hostile, no_number_of_a_pack_is_taken_on_trust)
{
    static const int64_t NUMBERS[] = { 0,         -1,         2,         3,         1024, 1025,
                                       INT32_MAX, UINT32_MAX, INT64_MAX, INT64_MIN, 16384 };
    static const uint32_t SESSION_CELLS[] = { DEJA__S_LAYOUTS, DEJA__S_CONTENT,    DEJA__S_OPEN,
                                              DEJA__S_START,   DEJA__S_SESSIONS,   DEJA__S_STEPS,
                                              DEJA__S_CONFIGS, DEJA__S_CONFIG_SIZE };
    static const uint32_t RECORDING_CELLS[] = { DEJA__R_LAYOUTS,    DEJA__R_BUILD,
                                                DEJA__R_PLATFORM,   DEJA__R_TRAIL_BITS,
                                                DEJA__R_RECORDINGS, DEJA__R_MARKS,
                                                DEJA__R_SECTIONS };
    keep_file();
    for (size_t n = 0; n < sizeof NUMBERS / sizeof *NUMBERS; n++) {
        for (size_t i = 0; i < sizeof SESSION_CELLS / sizeof *SESSION_CELLS; i++) {
            deja_buffer found = { 0 };
            deja_error err = { 0 };
            lie(DEJA__SESSION_PACKS, 1, SESSION_CELLS[i], NUMBERS[n], NULL, 0);
            const deja_code code = dump_file(path, &found, &err);
            cr_assert(code == DEJA_EDAMAGED || code == DEJA_OK, "%s", err.message);
            deja_buffer_release(&found);
            put_back();
        }
        for (size_t i = 0; i < sizeof RECORDING_CELLS / sizeof *RECORDING_CELLS; i++) {
            deja_buffer found = { 0 };
            deja_error err = { 0 };
            lie(DEJA__RECORDING_PACKS, 2, RECORDING_CELLS[i], NUMBERS[n], NULL, 0);
            const deja_code code = dump_file(path, &found, &err);
            cr_assert(code == DEJA_EDAMAGED || code == DEJA_OK, "%s", err.message);
            deja_buffer_release(&found);
            put_back();
        }
    }
}

Test(hostile, steps_that_are_not_there_are_damage)
{
    static const int64_t STEPS[] = { 0, -1, (int64_t)1 << 31, INT64_MIN, 16384, 32769 };
    keep_file();
    for (size_t i = 0; i < sizeof STEPS / sizeof *STEPS; i++) {
        lie(DEJA__SESSION_PACKS, 1, DEJA__S_STEPS, STEPS[i], NULL, 0);
        assert_told("steps");
        put_back();
    }
    /* One more of the same makes another session, which only its id tells. */
    deja_error err = { 0 };
    lie(DEJA__SESSION_PACKS, 1, DEJA__S_STEPS, 16391, NULL, 0);
    deja_store *store = open_store(path, DEJA_STORE_READ);
    cr_assert_eq(deja_store_check(store, &err), DEJA_EDAMAGED);
    close_store(store);
}

Test(hostile, sizes_of_blocks_are_bounded_before_memory_is_taken)
{
    static const int64_t SIZES[] = { -1, 0, 1, 1 << 20, 1 << 30, INT64_MAX, INT64_MIN };
    static const struct {
        uint32_t table;
        int64_t key;
        uint32_t cell;
    } BLOCKS[] = { { DEJA__COMMAND_PARTS, 1 << 20, 0 },
                   { DEJA__RESULT_PARTS, 2 << 20, 0 },
                   { DEJA__SECTION_PARTS, 2 << 20, 0 },
                   { DEJA__STARTS, 3, 1 },
                   { DEJA__SESSION_PACKS, 2, DEJA__S_CONFIG_SIZE } };
    keep_file();
    for (size_t b = 0; b < sizeof BLOCKS / sizeof *BLOCKS; b++)
        for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
            lie(BLOCKS[b].table, BLOCKS[b].key, BLOCKS[b].cell, SIZES[i], NULL, 0);
            if (BLOCKS[b].table != DEJA__RESULT_PARTS || SIZES[i] != 0) {
                assert_told(deja__table_name(BLOCKS[b].table));
            }
            put_back();
        }
}

/* ---- texts and blobs ---- */

Test(hostile, texts_are_what_a_writer_could_have_written)
{
    static char many[10001];
    memset(many, 'x', sizeof many - 1);
    const char *const texts[] = { "two\nlines", many, "../../x", "", "a b", "\x1b[31m", "\xff" };
    static const uint32_t CELLS[] = { 0, 2, 3, 4, 5, 6, 7 }; /* of layouts, but for the version */
    keep_file();
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        for (size_t i = 0; i < sizeof CELLS / sizeof *CELLS; i++) {
            deja_buffer found = { 0 };
            deja_error err = { 0 };
            lie(DEJA__LAYOUTS, 1, CELLS[i], 0, texts[t], strlen(texts[t]));
            const deja_code code = dump_file(path, &found, &err);
            /* Layouts of states and events are for who uses them. */
            if (CELLS[i] == 0 || CELLS[i] == 3 || strpbrk(texts[t], "\n\x1b\xff"))
                cr_assert_eq(code, DEJA_EDAMAGED, "text %zu, cell %u", t, CELLS[i]);
            else
                cr_assert(code == DEJA_EDAMAGED || code == DEJA_OK, "%s", err.message);
            cr_assert_null(strchr(err.message, '\n'), "%s", err.message);
            deja_buffer_release(&found);
            put_back();
        }
    lie(DEJA__WORDS, 1, 0, 0, "two\nlines", 9);
    assert_told("a word");
}

Test(hostile, blobs_of_another_size_or_content_are_damage)
{
    static unsigned char bytes[5000];
    static const uint64_t SIZES[] = { 0, 1, 7, 16, 33, 5000 };
    static const struct {
        uint32_t table;
        int64_t key;
        uint32_t cell;
    } BLOBS[] = {
        { DEJA__SESSION_PACKS, 2, DEJA__S_DIGESTS },
        { DEJA__SESSION_PACKS, 2, DEJA__S_SEEDS },
        { DEJA__SESSION_PACKS, 2, DEJA__S_LENGTHS },
        { DEJA__SESSION_PACKS, 2, DEJA__S_CONFIG_DATA },
        { DEJA__RECORDING_PACKS, 2, DEJA__R_SESSIONS },
        { DEJA__RECORDING_PACKS, 2, DEJA__R_ENDINGS },
        { DEJA__RECORDING_PACKS, 2, DEJA__R_AGES },
        { DEJA__RECORDING_PACKS, 2, DEJA__R_CHAINS },
        { DEJA__RECORDING_PACKS, 2, DEJA__R_EVENT_CHAINS },
        { DEJA__COMMAND_PARTS, 2 << 20, 1 },
        { DEJA__RESULT_PARTS, 2 << 20, 1 },
        { DEJA__RESULT_PARTS, 2 << 20, 2 },
        { DEJA__SECTION_PARTS, 2 << 20, 1 },
        { DEJA__BUILDS, 1, 0 },
        { DEJA__STARTS, 3, 2 },
    };
    uint64_t luck = 5;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)draw(&luck);
    keep_file();
    for (size_t b = 0; b < sizeof BLOBS / sizeof *BLOBS; b++)
        for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
            deja_buffer found = { 0 };
            deja_error err = { 0 };
            lie(BLOBS[b].table, BLOBS[b].key, BLOBS[b].cell, 0, bytes, SIZES[i]);
            const deja_code code = dump_file(path, &found, &err);
            /* Two seeds, two chains, a digest: as good as others. */
            const bool may_fit =
                BLOBS[b].table == DEJA__BUILDS ||
                (BLOBS[b].table == DEJA__SESSION_PACKS && BLOBS[b].cell == DEJA__S_SEEDS) ||
                (BLOBS[b].table == DEJA__RECORDING_PACKS && BLOBS[b].cell >= DEJA__R_CHAINS);
            if (!may_fit || SIZES[i] != 16)
                cr_assert_eq(code, DEJA_EDAMAGED, "%s cell %u size %" PRIu64 ": %s",
                             deja__table_name(BLOBS[b].table), BLOBS[b].cell, SIZES[i],
                             err.message);
            deja_buffer_release(&found);
            put_back();
        }
}

Test(hostile, an_id_that_is_not_that_of_its_commands_is_found_by_a_check)
{
    unsigned char digests[16];
    memset(digests, 7, sizeof digests);
    lie(DEJA__SESSION_PACKS, 1, DEJA__S_DIGESTS, 0, digests, 16);
    deja_store *store = open_store(path, DEJA_STORE_READ);
    deja_error err = { 0 };
    cr_assert_eq(deja_store_check(store, &err), DEJA_EDAMAGED);
    cr_assert_not_null(strstr(err.message, "session 070707070707: its id is not"), "%s",
                       err.message);
    close_store(store);
}

Test(hostile, a_session_without_a_recording_and_one_without_a_session_are_damage)
{
    keep_file();
    lie(DEJA__RECORDING_PACKS, 1, DEJA__R_SESSIONS, 0, "\0\0\0\0\0\0\x08\0", 8);
    assert_told("a session without a recording");
    put_back();
    lie(DEJA__RECORDING_PACKS, 1, DEJA__R_SESSIONS, 0, "\0\0\0\0\0\1\0\0", 8);
    assert_told("a recording without a session");
    put_back();
    lie(DEJA__RECORDING_PACKS, 1, DEJA__R_SESSIONS, 0, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
    assert_told("a recording of a negative session");
}

Test(hostile, a_start_state_that_is_missing_is_named)
{
    /* The row moves away; all counts and sums are made right. */
    static taken t;
    deja_error err = { 0 };
    deja_store *store = open_store(path, DEJA_STORE_APPEND);
    cr_assert_eq(deja__write_begin(store, &err), DEJA_OK);
    cr_assert_eq(deja__rows_read(store, DEJA__STARTS, 3, 3, take, &t, NULL, &err), DEJA_OK);
    cr_assert_eq(deja__row_delete(store, DEJA__STARTS, 3, t.row.check, &err), DEJA_OK);
    t.row.key = 9;
    cr_assert_eq(deja__row_insert(store, DEJA__STARTS, &t.row, &err), DEJA_OK);
    cr_assert_eq(deja__write_commit(store, &err), DEJA_OK, "%s", err.message);
    deja_store_close(store, NULL);
    deja_reader *reader = NULL;
    store = open_store(path, DEJA_STORE_READ);
    cr_assert_eq(deja_reader_open(&reader, store, 3 * 1024, 0, &err), DEJA_EDAMAGED);
    cr_assert_not_null(strstr(err.message, "it starts from a saved state that is not in the store"),
                       "%s", err.message);
    close_store(store);
}

/* A b-tree whose pages lead to themselves has no end; counting its rows must have one. */
Test(hostile, pages_that_lead_in_circles_end_the_reading)
{
    char answer[32];
    const char *many = in_folder(folder, "many.deja");
    deja_store *store = open_store(many, DEJA_STORE_WRITE);
    for (uint64_t i = 0; i < 60; i++) {
        recipe r = recipe_of(i);
        r.marks = 40;
        put(store, &r);
    }
    close_store(store);
    sql(many, "SELECT rootpage FROM sqlite_schema WHERE name = 'marks'", answer, sizeof answer);
    const long root = (strtol(answer, NULL, 10) - 1) * 4096;
    FILE *file = fopen(many, "r+b");
    unsigned char page[4096];
    cr_assert_eq(fseek(file, root, SEEK_SET), 0);
    cr_assert_eq(fread(page, 1, sizeof page, file), sizeof page);
    cr_assert_eq(page[0], 5, "an interior page was asked for");
    const unsigned cells = (unsigned)page[3] << 8 | page[4];
    for (unsigned i = 0; i < cells; i++) {
        const unsigned cell = (unsigned)page[12 + 2 * i] << 8 | page[13 + 2 * i];
        memset(page + cell, 0, 3);
        page[cell + 3] = (unsigned char)(root / 4096 + 1); /* the root itself */
    }
    cr_assert_eq(fseek(file, root, SEEK_SET), 0);
    cr_assert_eq(fwrite(page, 1, sizeof page, file), sizeof page);
    fclose(file);
    deja_error err = { 0 };
    cr_assert_eq(deja_store_open(&store, many, DEJA_STORE_READ, &err), DEJA_EDAMAGED, "%s",
                 err.message);
}
