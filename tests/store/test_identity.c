/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "store/identity.h"
#include "store/recipe.h"

TestSuite(identity, .timeout = 30);

static deja_session garden(void)
{
    return (deja_session){ .game = "matchgame",
                           .command_layout = "kind(take{row:u8 n:u8})",
                           .config_layout = "rows:u8[..16]",
                           .config = { "\4\0\0\0\7\5\3\1", 8 },
                           .seed = 7,
                           .content = "",
                           .start_layout = "" };
}

static const unsigned char COMMANDS[] = { 0, 0, 0, 3, 0, 0, 9, 1 };
static const uint32_t ENDS[] = { 4, 8 };

static deja_id id_of(const deja_session *session, uint32_t commands)
{
    deja__identity *identity = NULL;
    deja_id id;
    cr_assert_eq(deja__identity_create(&identity, session, NULL), DEJA_OK);
    deja__identity_add(identity, COMMANDS, ENDS, commands);
    deja__identity_get(identity, &id);
    deja__identity_destroy(identity);
    return id;
}

/* ---- the page ---- */

typedef struct example {
    unsigned char bytes[1024];
    uint64_t size;
    unsigned char id[16];
} example;

static void read_hex(const char *text, unsigned char *bytes, uint64_t *size)
{
    for (*size = 0; *text; text++)
        if (*text != ' ') {
            uint64_t byte = 0;
            cr_assert(deja__read_hex(text++, 2, &byte));
            bytes[(*size)++] = (unsigned char)byte;
        }
}

static void read_examples(example *examples, uint32_t count)
{
    static char line[4096];
    uint32_t at = 0;
    uint64_t size;
    FILE *file = fopen(DEJA_SOURCE_DIR "/schemas/identity.md", "r");
    cr_assert_not_null(file);
    while (fgets(line, sizeof line, file) && at < count) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "    bytes    ", 13) == 0)
            read_hex(line + 13, examples[at].bytes, &examples[at].size);
        if (strncmp(line, "    id       ", 13) == 0)
            read_hex(line + 13, examples[at++].id, &size);
    }
    fclose(file);
    cr_assert(eq(u32, at, count));
}

Test(identity, the_examples_of_the_page_are_what_comes_out)
{
    example examples[3];
    read_examples(examples, 3);
    for (int i = 0; i < 3; i++) {
        unsigned char digest[16];
        deja__hash128(examples[i].bytes, examples[i].size, digest);
        cr_assert_arr_eq(digest, examples[i].id, 16);
    }
    deja_session s = garden();
    deja_id id = id_of(&s, 0);
    cr_assert_arr_eq(id.bytes, examples[0].id, 16);
    id = id_of(&s, 2);
    cr_assert_arr_eq(id.bytes, examples[1].id, 16);
    s.content = "maps=00112233445566778899aabbccddeeff";
    s.seed = UINT64_MAX;
    s.start_layout = "rows:u8[..16] side:u8";
    s.start = (deja_span){ "\2\0\0\0\3\4\1", 7 };
    id = id_of(&s, 2);
    cr_assert_arr_eq(id.bytes, examples[2].id, 16);
}

/* ---- what it depends on ---- */

Test(identity, everything_that_was_asked_makes_a_difference)
{
    deja_session variants[12];
    deja_id ids[14];
    for (int i = 0; i < 12; i++)
        variants[i] = garden();
    variants[1].game = "matchgame2";
    variants[2].command_layout = "kind(take{row:u8 n:u16})";
    variants[3].config_layout = "rows:u8[..17]";
    variants[4].config.size = 7;
    variants[5].config.bytes = "\4\0\0\0\7\5\3\2";
    variants[6].seed = 8;
    variants[7].content = "a=00112233445566778899aabbccddeeff";
    variants[8].start_layout = "x:u8";
    variants[9].start = (deja_span){ "\1", 1 };
    /* What moves from one string to the next. */
    variants[10].game = "matchgamekind";
    variants[10].command_layout = "(take{row:u8 n:u8})";
    variants[11].config_layout = "rows:u8[..16]\4";
    for (int i = 0; i < 12; i++)
        ids[i] = id_of(&variants[i], 2);
    ids[12] = id_of(&variants[0], 1);
    ids[13] = id_of(&variants[0], 0);
    for (int i = 0; i < 14; i++)
        for (int k = 0; k < i; k++)
            cr_assert_neq(memcmp(ids[i].bytes, ids[k].bytes, 16), 0, "%d and %d", i, k);
}

Test(identity, it_is_the_same_however_the_commands_arrive)
{
    enum { COUNT = 3000 };
    static unsigned char bytes[COUNT * 64];
    static uint32_t ends[COUNT];
    const deja_session s = garden();
    uint64_t luck = 1;
    uint32_t size = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        /* Short ones, empty ones, and some that fill the window. */
        const uint32_t one = i % 500 == 7 ? 5000 : (uint32_t)(draw(&luck) % 9);
        for (uint32_t k = 0; k < one; k++)
            bytes[size++] = (unsigned char)draw(&luck);
        ends[i] = size;
    }
    deja__identity *whole = NULL;
    deja__identity *copied = NULL;
    deja_id expected;
    cr_assert_eq(deja__identity_create(&whole, &s, NULL), DEJA_OK);
    cr_assert_eq(deja__identity_create(&copied, &s, NULL), DEJA_OK);
    deja__identity_add(whole, bytes, ends, COUNT);
    deja__identity_get(whole, &expected);
    for (uint32_t step = 1; step < 900; step = step * 3 + 1) {
        deja__identity *parts = NULL;
        deja_id id;
        cr_assert_eq(deja__identity_create(&parts, &s, NULL), DEJA_OK);
        for (uint32_t at = 0; at < COUNT; at += step) {
            uint32_t own[900];
            const uint32_t start = at ? ends[at - 1] : 0;
            const uint32_t count = COUNT - at < step ? COUNT - at : step;
            for (uint32_t i = 0; i < count; i++)
                own[i] = ends[at + i] - start;
            deja__identity_add(parts, bytes + start, own, count);
            deja__identity_get(parts, &id); /* asking ends nothing */
            deja__identity_copy(copied, parts);
        }
        cr_assert_arr_eq(id.bytes, expected.bytes, 16);
        deja__identity_get(copied, &id);
        cr_assert_arr_eq(id.bytes, expected.bytes, 16);
        deja__identity_destroy(parts);
    }
    deja__identity_destroy(whole);
    deja__identity_destroy(copied);
    deja__identity_destroy(NULL);
}
