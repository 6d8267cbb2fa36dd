/* SPDX-License-Identifier: MIT */
/*
 * Which bytes are a value: exactly those, and what is said of the others.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "base/base.h"
#include "fields/values.h"
#include "support/library.h"
#include "support/random_value.h"
#include "support/values.h"

TestSuite(value_validate, .timeout = 30);

static void assert_valid(const char *layout_text, const char *hex)
{
    deja_layout *layout = parse_layout(layout_text);
    unsigned char bytes[256];
    deja_error err = { 0 };
    const uint64_t size = strlen(hex) / 2;
    const bool read = deja__read_hex_bytes(hex, size, bytes);
    cr_assert(read);
    const deja_code code = deja_value_validate(layout, bytes, size, &err);
    cr_assert(eq(i32, code, DEJA_OK), "%s: %s", hex, err.message);
    deja_layout_destroy(layout);
}

static void assert_invalid(const char *layout_text, const char *hex, const char *message)
{
    deja_layout *layout = parse_layout(layout_text);
    unsigned char bytes[256];
    deja_error err = { 0 };
    const uint64_t size = strlen(hex) / 2;
    const bool read = deja__read_hex_bytes(hex, size, bytes);
    cr_assert(read);
    const deja_code code = deja_value_validate(layout, bytes, size, &err);
    cr_assert(eq(i32, code, DEJA_EFORMAT), "%s", hex);
    assert_text(err.message, message);
    cr_assert(eq(i32, deja_value_validate(layout, bytes, size, NULL), DEJA_EFORMAT));
    deja_layout_destroy(layout);
}

Test(value_validate, takes_canonical_bytes)
{
    assert_valid("-", "");
    assert_valid("a:u8 b:bool c:i32", "ff01ffffffff");
    assert_valid("rows:u8[..16] side:u8", "040000000705030100");
    assert_valid("x:f32 y:f64", "0000c07f000000000000f87f");
    assert_valid("x:f32", "000080ff");
    assert_valid("t:text[..3]", "02000000c3a9");
    assert_valid("m:map(i8 u8)[..3]", "02000000ff01"
                                      "0002");
    assert_valid("o:u8?", "00");
    assert_valid("f:flags(a|b)", "03000000");
}

Test(value_validate, refuses_what_has_no_name)
{
    assert_invalid("ok:bool", "02", "ok: 2 is no bool");
    assert_invalid("e:enum(a|b)", "0200", "e: there is no name 2, there are 2");
    assert_invalid("f:flags(a|b)", "04000000", "f: flags 0x4, of which 2 have names");
    assert_invalid("kind(a|b)", "0200", "there is no kind 2, there are 2");
    assert_invalid("k:kind(a|b)[2]", "01000900", "k[1]: there is no kind 9, there are 2");
    assert_invalid("o:u8?", "0201", "o: 2 is neither absent (0) nor present (1)");
}

Test(value_validate, refuses_other_nans)
{
    assert_invalid("x:f32", "0100c07f", "x: a NaN that is not the canonical one");
    assert_invalid("x:f32", "0000c0ff", "x: a NaN that is not the canonical one");
    assert_invalid("x:f64[2]",
                   "00000000000000000100000000"
                   "00f07f",
                   "x[1]: a NaN that is not the canonical one");
}

Test(value_validate, refuses_text_that_is_none)
{
    assert_invalid("t:text[..3]", "0400000061626364", "t: 4 bytes of text, the most is 3");
    assert_invalid("t:text[..3]", "01000000ff", "t: text that is not UTF-8");
    assert_invalid("t:text[..3]", "0100000000", "t: text that is not UTF-8");
    assert_invalid("t:text[..3]", "0300000061", "t: the bytes end here");
}

Test(value_validate, refuses_counts_above_the_most)
{
    assert_invalid("rows:u8[..2]", "03000000010203", "rows: 3 items, the most is 2");
    assert_invalid("units:{hp:u8}[..2]", "ffffffff", "units: 4294967295 items, the most is 2");
    assert_invalid("rows:u8[..4000000000]", "00286bee", "rows: the bytes end here");
    assert_invalid("units:{hp:u8}[..4000000000]", "00286bee01", "units[1].hp: the bytes end here");
}

Test(value_validate, refuses_keys_that_do_not_rise)
{
    assert_invalid("s:set(u8)[..4]", "020000000201", "s[1]: its key does not rise");
    assert_invalid("s:set(u8)[..4]", "020000000202", "s[1]: its key does not rise");
    assert_invalid("s:set(i8)[..4]", "0200000001ff", "s[1]: its key does not rise");
    assert_invalid("s:set(text[..4])[..4]",
                   "02000000010000006201000000"
                   "61",
                   "s[1]: its key does not rise");
    assert_invalid("m:map(u8 bool)[..4]",
                   "01000000"
                   "0502",
                   "m[5]: 2 is no bool");
}

Test(value_validate, refuses_more_and_less)
{
    assert_invalid("a:u8 b:u16", "0102", "b: the bytes end here");
    assert_invalid("a:u8", "0102", "1 bytes are left over");
    assert_invalid("a:u8", "", "a: the bytes end here");
    assert_invalid("-", "00", "1 bytes are left over");
    assert_invalid("s:{o:{x:u16}?}", "0101", "s.o.x: the bytes end here");
    assert_invalid("g:bool[2][2]", "01010103", "g[1][1]: 3 is no bool");
}

Test(value_validate, a_null_is_a_value_of_no_bytes)
{
    deja_layout *layout = parse_layout("-");
    deja_buffer out = { 0 };
    cr_assert(eq(i32, deja_value_validate(layout, NULL, 0, NULL), DEJA_OK));
    cr_assert(eq(i32, deja_value_print(layout, NULL, 0, &out, NULL), DEJA_OK));
    cr_assert(eq(i32, deja_value_print_json(layout, NULL, 0, &out, NULL), DEJA_OK));
    assert_text((char *)out.bytes, "-{}");
    deja_buffer_release(&out);
    deja_layout_destroy(layout);
}

/* ---- properties ---- */

Test(value_validate, takes_every_random_value_and_knows_its_size)
{
    deja_luck luck;
    deja_luck_seed(&luck, 4, 0);
    for (uint32_t round = 0; round < 2000; round++) {
        deja_layout *layout = random_layout(&luck);
        deja_buffer value = { 0 };
        deja_error err = { 0 };
        bool sound = false;
        random_value(&luck, layout, &value);
        const deja_code code = deja_value_validate(layout, value.bytes, value.size, &err);
        cr_assert(eq(i32, code, DEJA_OK), "%s: %s", deja_layout_text(layout), err.message);
        const uint64_t size = value.size;
        deja_buffer_text(&value, "and more");
        cr_assert(eq(u64, deja__value_extent(layout->root, value.bytes, value.size, &sound), size));
        cr_assert(sound);
        if (size > 0) {
            const uint64_t cut = deja_luck_below(&luck, (uint32_t)size);
            cr_assert(eq(u64, deja__value_extent(layout->root, value.bytes, cut, &sound), 0));
            cr_assert(not(sound));
            cr_assert(eq(i32, deja_value_validate(layout, value.bytes, cut, NULL), DEJA_EFORMAT));
        }
        deja_buffer_release(&value);
        deja_layout_destroy(layout);
    }
}

/* In memory of exactly their size, so that a sanitizer sees a byte too far. */
Test(value_validate, mutated_bytes_are_refused_or_sound)
{
    deja_luck luck;
    uint32_t sound_count = 0, refused = 0;
    deja_luck_seed(&luck, 5, 0);
    for (uint32_t round = 0; round < 1500; round++) {
        deja_layout *layout = random_layout(&luck);
        deja_buffer value = { 0 };
        random_value(&luck, layout, &value);
        for (uint32_t i = 0; i < 20; i++) {
            uint64_t size = value.size;
            unsigned char *bytes = malloc(size + 1);
            memcpy(bytes, value.bytes, size);
            for (uint32_t k = deja_luck_below(&luck, 4); k > 0 && size > 0; k--)
                bytes[deja_luck_below(&luck, (uint32_t)size)] =
                    (unsigned char)(deja_luck_below(&luck, 2) ? deja_luck_next(&luck) : 0xff);
            if (size > 0 && deja_luck_below(&luck, 4) == 0)
                size = deja_luck_below(&luck, (uint32_t)size);
            unsigned char *exact = malloc(size ? size : 1);
            memcpy(exact, bytes, size);
            deja_error err = { 0 };
            bool fits;
            const uint64_t extent = deja__value_extent(layout->root, exact, size, &fits);
            if (deja_value_validate(layout, exact, size, &err) == DEJA_OK) {
                deja_buffer text = { 0 };
                cr_assert(fits && extent == size);
                cr_assert(eq(i32, deja_value_print(layout, exact, size, &text, NULL), DEJA_OK));
                deja_buffer_release(&text);
                sound_count++;
            } else {
                cr_assert(err.message[0] != 0);
                refused++;
            }
            free(bytes);
            free(exact);
        }
        deja_buffer_release(&value);
        deja_layout_destroy(layout);
    }
    cr_assert(sound_count > 1000 && refused > 1000);
}
