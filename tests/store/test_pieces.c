/* SPDX-License-Identifier: MIT */
/*
 * The pieces that packs and parts are made of, by themselves.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "store/block.h"
#include "store/column.h"
#include "store/commands.h"
#include "store/index.h"
#include "store/recipe.h"
#include "store/valid.h"

TestSuite(pieces, .timeout = 60);

/* ---- blocks ---- */

static deja__packer *packer;
static deja__unpacker *unpacker;

static void make_packers(void)
{
    cr_assert_eq(deja__packer_create(&packer, NULL), DEJA_OK);
    cr_assert_eq(deja__unpacker_create(&unpacker, NULL), DEJA_OK);
}

static void drop_packers(void)
{
    deja__packer_destroy(packer);
    deja__unpacker_destroy(unpacker);
    deja__packer_destroy(NULL);
    deja__unpacker_destroy(NULL);
}

/* Bytes of several kinds: random, few values, runs, text that repeats from afar. */
static void fill(unsigned char *bytes, uint64_t size, uint64_t kind)
{
    uint64_t luck = size + kind;
    for (uint64_t i = 0; i < size; i++)
        bytes[i] = kind == 0   ? (unsigned char)draw(&luck)
                   : kind == 1 ? (unsigned char)(draw(&luck) % 5)
                   : kind == 2 ? (unsigned char)(i / 100)
                               : (unsigned char)(i * i % 251);
}

static uint64_t round_trip(const unsigned char *bytes, uint64_t size)
{
    const deja_span whole = { bytes, size };
    deja_span block;
    deja_buffer out = { 0 };
    deja_error err = { 0 };
    deja_buffer_add(&out, "before", 6);
    cr_assert_eq(deja__pack(packer, whole, &block, &err), DEJA_OK, "%s", err.message);
    cr_assert_leq(block.size, size);
    cr_assert_eq(deja__unpack(unpacker, block, (int64_t)size, &out, &err), DEJA_OK, "%s",
                 err.message);
    cr_assert_eq(out.size, size + 6);
    cr_assert(size == 0 || memcmp(out.bytes + 6, bytes, size) == 0);
    deja_buffer_release(&out);
    return block.size;
}

Test(pieces, blocks_come_back_and_are_never_larger, .init = make_packers, .fini = drop_packers)
{
    static const uint64_t SIZES[] = { 0, 1, 2, 3, 20, 300, 2048, 2049, 5000, 40000 };
    static unsigned char bytes[40000];
    for (uint64_t kind = 0; kind < 4; kind++)
        for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
            fill(bytes, SIZES[i], kind);
            const uint64_t stored = round_trip(bytes, SIZES[i]);
            if (kind == 0)
                cr_assert_eq(stored, SIZES[i], "random bytes do not compress");
            else if (SIZES[i] >= 2000)
                cr_assert_lt(stored, SIZES[i] * 2 / 3);
        }
}

Test(pieces, a_block_that_is_not_what_its_size_says_is_damage, .init = make_packers,
     .fini = drop_packers)
{
    static unsigned char bytes[5000];
    static const int64_t SIZES[] = {
        -1, 0, 10, 4999, 5001, 1 << 20, 1 << 30, INT64_MAX, INT64_MIN
    };
    deja_span block;
    deja_buffer out = { 0 };
    fill(bytes, sizeof bytes, 1);
    const deja_span whole = { bytes, sizeof bytes };
    cr_assert_eq(deja__pack(packer, whole, &block, NULL), DEJA_OK);
    cr_assert_lt(block.size, 5000);
    unsigned char *copy = malloc(block.size);
    memcpy(copy, block.bytes, block.size);
    block.bytes = copy;
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        cr_assert_eq(deja__unpack(unpacker, block, SIZES[i], &out, NULL), DEJA_EDAMAGED, "%" PRId64,
                     SIZES[i]);
        cr_assert_leq(out.capacity, 3u << 20, "memory was taken for a size that cannot be");
    }
    /* Flipped, cut, and with something behind it. */
    uint64_t luck = 1;
    for (int i = 0; i < 300; i++) {
        const uint64_t at = draw(&luck) % block.size;
        copy[at] ^= (unsigned char)(1 << draw(&luck) % 8);
        deja_buffer_clear(&out);
        const deja_code code = deja__unpack(unpacker, block, 5000, &out, NULL);
        cr_assert(code == DEJA_EDAMAGED ||
                  (code == DEJA_OK && memcmp(out.bytes, bytes, 5000) == 0));
        fill(bytes, sizeof bytes, 1);
        deja_span again;
        cr_assert_eq(deja__pack(packer, whole, &again, NULL), DEJA_OK);
        memcpy(copy, again.bytes, again.size);
    }
    const deja_span cut = { copy, block.size - 1 };
    cr_assert_eq(deja__unpack(unpacker, cut, 5000, &out, NULL), DEJA_EDAMAGED);
    free(copy);
    deja_buffer_release(&out);
}

/* ---- columns ---- */

Test(pieces, a_column_of_equal_or_rising_numbers_stands_once)
{
    static const uint64_t RISING[] = { 10, 11, 12, 13 };
    static const uint64_t EQUAL[] = { 7, 7, 7, 7 };
    static const uint64_t ANY[] = { 1, 65535, 0, 300 };
    static const uint64_t WRAPS[] = { UINT64_MAX, 0, 1, 2 };
    static const uint64_t TURNS[] = { INT64_MAX, (uint64_t)INT64_MAX + 1, (uint64_t)INT64_MAX + 2,
                                      (uint64_t)INT64_MAX + 3 };
    static const struct {
        const uint64_t *numbers;
        uint32_t width;
        uint32_t rise;
        uint64_t size;
    } COLUMNS[] = {
        { RISING, 8, DEJA__RISING, 8 }, { RISING, 8, DEJA__EQUAL, 32 },
        { EQUAL, 8, DEJA__EQUAL, 8 },   { EQUAL, 8, DEJA__RISING, 32 },
        { EQUAL, 2, DEJA__EQUAL, 2 },   { ANY, 2, DEJA__EQUAL, 8 },
        { ANY, 8, DEJA__RISING, 32 },   { WRAPS, 8, DEJA__RISING, 8 },
        { TURNS, 8, DEJA__RISING, 32 }, /* SQL would go on in floats */
    };
    for (size_t i = 0; i < sizeof COLUMNS / sizeof *COLUMNS; i++) {
        deja_buffer out = { 0 };
        deja__column column;
        cr_assert(
            deja__column_write(&out, COLUMNS[i].numbers, 4, COLUMNS[i].width, COLUMNS[i].rise));
        cr_assert_eq(out.size, COLUMNS[i].size, "%zu", i);
        cr_assert(
            deja__column_read(&column, out.bytes, out.size, COLUMNS[i].width, COLUMNS[i].rise, 4));
        for (uint32_t k = 0; k < 4; k++)
            cr_assert_eq(deja__column_at(&column, k), COLUMNS[i].numbers[k], "%zu: %u", i, k);
        cr_assert_not(deja__column_read(&column, out.bytes, out.size + 1, COLUMNS[i].width,
                                        COLUMNS[i].rise, 4));
        deja_buffer_release(&out);
    }
}

/* ---- values that are any bytes ---- */

Test(pieces, values_of_a_game_that_described_nothing_come_back)
{
    static const uint32_t ENDS[] = { 0, 3, 3, 300 };
    unsigned char bytes[300];
    deja_buffer encoded = { 0 };
    deja_buffer values = { 0 };
    deja_buffer ends = { 0 };
    fill(bytes, sizeof bytes, 0);
    const deja_span whole = { bytes, sizeof bytes };
    cr_assert_eq(deja__commands_encode(NULL, whole, ENDS, 4, &encoded, NULL), DEJA_OK);
    cr_assert_eq(encoded.size, 16 + 300);
    deja_span span = { encoded.bytes, encoded.size };
    cr_assert_eq(deja__commands_decode(NULL, span, 4, &values, &ends, NULL), DEJA_OK);
    cr_assert_arr_eq(values.bytes, bytes, 300);
    cr_assert_arr_eq(ends.bytes, ENDS, sizeof ENDS);
    cr_assert_eq(deja__commands_decode(NULL, span, 5, &values, &ends, NULL), DEJA_EDAMAGED);
    cr_assert_eq(deja__commands_decode(NULL, span, 3, &values, &ends, NULL), DEJA_EDAMAGED);
    span.size--;
    cr_assert_eq(deja__commands_decode(NULL, span, 4, &values, &ends, NULL), DEJA_EDAMAGED);
    span.size = 15;
    cr_assert_eq(deja__commands_decode(NULL, span, 4, &values, &ends, NULL), DEJA_EDAMAGED);
    cr_assert_eq(values.size, 300);
    cr_assert_eq(ends.size, sizeof ENDS);
    deja_buffer_release(&encoded);
    deja_buffer_release(&values);
    deja_buffer_release(&ends);
}

/* ---- the index ---- */

Test(pieces, an_index_gives_every_place_of_a_hash_and_no_other)
{
    deja__index index = { 0 };
    uint64_t at = 0;
    cr_assert_eq(deja__index_next(&index, 5, &at), DEJA__NOWHERE);
    for (uint32_t i = 0; i < 5000; i++)
        cr_assert(deja__index_add(&index, i % 1000 * 64, i)); /* low bits that collide */
    for (uint64_t hash = 0; hash < 1000; hash += 37) {
        uint32_t seen = 0;
        uint32_t place;
        at = 0;
        while ((place = deja__index_next(&index, hash * 64, &at)) != DEJA__NOWHERE) {
            cr_assert_eq(place % 1000, hash);
            seen |= 1u << place / 1000;
        }
        cr_assert(eq(u32, seen, 31));
    }
    at = 0;
    cr_assert_eq(deja__index_next(&index, 1, &at), DEJA__NOWHERE);
    deja__index_release(&index);
}

/* ---- texts ---- */

static bool plain(const char *text)
{
    return deja__is_plain(text, strlen(text), 10);
}

static bool content(const char *text)
{
    return deja__is_content(text, strlen(text));
}

static uint32_t names(const char *text)
{
    uint32_t count = 0;
    return deja__is_names(text, strlen(text), &count) ? count : 1000;
}

Test(pieces, texts_are_plain_contents_are_sorted_names_are_names)
{
#define DIGEST "=00112233445566778899aabbccddeeff"
    cr_assert(plain("") && plain("caf\xc3\xa9") && plain("0123456789"));
    cr_assert_not(plain("01234567890"));
    cr_assert_not(plain("a\tb"));
    cr_assert_not(plain("a\x7f"));
    cr_assert_not(plain("\xc3"));
    cr_assert(content("") && content("a" DIGEST) && content("a" DIGEST " ab" DIGEST " b" DIGEST));
    cr_assert_not(content("b" DIGEST " a" DIGEST));
    cr_assert_not(content("a" DIGEST " a" DIGEST));
    cr_assert_not(content("ab" DIGEST " a" DIGEST));
    cr_assert_not(content("a" DIGEST " "));
    cr_assert_not(content(" a" DIGEST));
    cr_assert_not(content("a" DIGEST "0"));
    cr_assert_not(content("a"));
    cr_assert_not(content("=" DIGEST));
    cr_assert(eq(u32, names(""), 0));
    cr_assert(eq(u32, names("a"), 1));
    cr_assert(eq(u32, names("a b-c _d"), 3));
    cr_assert(eq(u32, names("a  b"), 1000));
    cr_assert(eq(u32, names(" a"), 1000));
    cr_assert(eq(u32, names("a "), 1000));
    cr_assert(eq(u32, names("a 1b"), 1000));
    cr_assert(deja__is_game_id("a", 1) && deja__is_game_id("org.example.a-b", 15));
    cr_assert_not(deja__is_game_id("", 0));
    cr_assert_not(deja__is_game_id("a.", 2));
    cr_assert_not(deja__is_game_id(".a", 2));
    cr_assert_not(deja__is_game_id("a..b", 4));
    cr_assert_not(deja__is_game_id("a b", 3));
    cr_assert(deja__is_opaque("bytes"));
    cr_assert_not(deja__is_opaque("bytes:u8"));
}
