/* SPDX-License-Identifier: MIT */
/*
 * Values by column: schemas/columns.md in bytes, the way there and back, and columns that are none.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

#include "fields/columns.h"
#include "support/library.h"
#include "support/random_value.h"
#include "support/values.h"

TestSuite(columns, .timeout = 30);

#define MOST ((uint64_t)1 << 26)

/* The values of some texts, one behind another. */
static deja_buffer values_of(const deja_layout *layout, const char *const *texts, uint64_t count)
{
    deja_buffer values = { 0 };
    for (uint64_t i = 0; i < count; i++) {
        deja_buffer value = value_of(layout, texts[i]);
        deja_buffer_add(&values, value.bytes, value.size);
        deja_buffer_release(&value);
    }
    return values;
}

/* Encodes, compares with hex, decodes, and compares with the values. */
static void assert_columns(const char *layout_text, const char *const *texts, uint64_t count,
                           const char *hex)
{
    deja_layout *layout = parse_layout(layout_text);
    deja_buffer values = values_of(layout, texts, count);
    deja_buffer columns = { 0 }, printed = { 0 }, again = { 0 }, ends = { 0 };
    deja_error err = { 0 };
    deja_code code = deja__columns_encode(layout, span_of(&values), count, &columns, &err);
    cr_assert(eq(i32, code, DEJA_OK), "%s", err.message);
    deja_buffer_text(&printed, "");
    deja__print_hex_bytes(&printed, columns.bytes, columns.size);
    assert_text((char *)printed.bytes, hex);
    code = deja__columns_decode(layout, span_of(&columns), count, MOST, &again, &ends, &err);
    cr_assert(eq(i32, code, DEJA_OK), "%s", err.message);
    cr_assert(same_bytes(&again, &values));
    cr_assert(eq(u64, ends.size, 4 * count));
    deja_buffer_release(&values);
    deja_buffer_release(&columns);
    deja_buffer_release(&printed);
    deja_buffer_release(&again);
    deja_buffer_release(&ends);
    deja_layout_destroy(layout);
}

Test(columns, the_worked_example_of_the_schema)
{
    const char *const texts[] = { "take row=0 n=3", "take row=2 n=300", "say text=hi",
                                  "take row=1 n=1", "resign",           "say text=you" };
    assert_columns("kind(take{row:u8 n:u16}|resign|say{text:text[..31]})", texts, 6,
                   "02"
                   "000002000102"
                   "02"
                   "000201"
                   "0a"
                   "032c01"
                   "000100"
                   "02"
                   "0203"
                   "02"
                   "6869796f75");
}

Test(columns, planes_that_are_all_zero_or_all_the_same_take_a_byte_or_none)
{
    const char *const texts[] = { "x=1 y=-1", "x=2 y=-1", "x=258 y=-1" };
    assert_columns("x:u32 y:i16", texts, 3,
                   "0a"
                   "010202"
                   "000001"
                   "05"
                   "ff"
                   "ff");
    assert_columns("x:u32 y:i16", texts, 1,
                   "01"
                   "01"
                   "05"
                   "ff"
                   "ff");
}

Test(columns, no_values_are_no_bytes)
{
    assert_columns("kind(a{x:u8}|b)", NULL, 0, "");
    assert_columns("t:text[..9]", NULL, 0, "");
    const char *const nothing[] = { "-", "-" };
    assert_columns("-", nothing, 2, "");
    const char *const empty[] = { "t=-", "t=-" };
    assert_columns("t:{a:u8 b:text[..9]}[..9]", empty, 2, "00");
}

Test(columns, a_kind_that_grows_at_its_end_leaves_old_bytes_as_they_were)
{
    const char *const texts[] = { "take row=0 n=3", "resign", "take row=2 n=2" };
    const char *hex = "02"
                      "000100"
                      "02"
                      "0002"
                      "02"
                      "0302";
    assert_columns("kind(take{row:u8 n:u8}|resign)", texts, 3, hex);
    assert_columns("kind(take{row:u8 n:u8}|resign|say{t:text[..9] u:u8[..3]}|pass{x:rng})", texts,
                   3, hex);
}

Test(columns, ends_are_offsets_behind_what_was_there)
{
    deja_layout *layout = parse_layout("kind(take{row:u8}|resign)");
    const char *const texts[] = { "take row=7", "resign", "take row=9" };
    deja_buffer values = values_of(layout, texts, 3);
    deja_buffer columns = { 0 }, again = { 0 }, ends = { 0 };
    uint32_t end[4] = { 0 };
    deja__columns_encode(layout, span_of(&values), 3, &columns, NULL);
    deja_buffer_text(&again, "ab");
    deja_buffer_add(&ends, "\2\0\0\0", 4);
    cr_assert(eq(i32, deja__columns_decode(layout, span_of(&columns), 3, 10, &again, &ends, NULL),
                 DEJA_OK));
    memcpy(end, ends.bytes, sizeof end);
    cr_assert(end[0] == 2 && end[1] == 5 && end[2] == 7 && end[3] == 10);
    cr_assert(eq(int, memcmp(again.bytes + 2, values.bytes, 8), 0));
    deja_buffer_release(&values);
    deja_buffer_release(&columns);
    deja_buffer_release(&again);
    deja_buffer_release(&ends);
    deja_layout_destroy(layout);
}

/* ---- columns that are none ---- */

static void assert_refused_columns(const char *layout_text, uint64_t count, uint64_t most,
                                   const char *hex, deja_code expected, const char *message)
{
    deja_layout *layout = parse_layout(layout_text);
    unsigned char bytes[64];
    deja_buffer values = { 0 }, ends = { 0 };
    deja_error err = { 0 };
    const bool read = deja__read_hex_bytes(hex, strlen(hex) / 2, bytes);
    cr_assert(read);
    deja_buffer_text(&values, "kept");
    deja_buffer_text(&ends, "kept");
    const deja_code code = deja__columns_decode(layout, (deja_span){ bytes, strlen(hex) / 2 },
                                                count, most, &values, &ends, &err);
    cr_assert(eq(i32, code, expected), "%s", err.message);
    cr_assert(eq(i32, err.code, expected));
    assert_text(err.message, message);
    assert_text((char *)values.bytes, "kept");
    assert_text((char *)ends.bytes, "kept");
    deja_buffer_release(&values);
    deja_buffer_release(&ends);
    deja_layout_destroy(layout);
}

Test(columns, what_does_not_fit_is_damaged)
{
    const char *early = "the columns end early";
    assert_refused_columns("x:u8", 2, MOST, "0201", DEJA_EDAMAGED, early);
    assert_refused_columns("x:u8", 2, MOST, "", DEJA_EDAMAGED, early);
    assert_refused_columns("x:text[..3]", 1, MOST, "0103", DEJA_EDAMAGED, early);
}

Test(columns, what_is_left_over_is_damaged)
{
    assert_refused_columns("x:u8", 2, MOST, "02010203", DEJA_EDAMAGED,
                           "1 bytes of columns are left over");
    assert_refused_columns("x:u8", 0, MOST, "00", DEJA_EDAMAGED,
                           "1 bytes of columns are left over");
    assert_refused_columns("x:u8[..3]", 1, MOST, "0000", DEJA_EDAMAGED,
                           "1 bytes of columns are left over");
}

Test(columns, another_form_than_the_one_is_damaged)
{
    const char *longer = "a column has a form that is not its shortest";
    const char *none = "a column has a form that there is not";
    assert_refused_columns("x:u8", 2, MOST, "020000", DEJA_EDAMAGED, longer);
    assert_refused_columns("x:u8", 2, MOST, "020101", DEJA_EDAMAGED, longer);
    assert_refused_columns("x:u8", 2, MOST, "0100", DEJA_EDAMAGED, longer);
    assert_refused_columns("x:u8", 2, MOST, "03", DEJA_EDAMAGED, none);
    assert_refused_columns("x:u8", 2, MOST, "04", DEJA_EDAMAGED, none);
    assert_refused_columns("x:u8[..2]", 2, MOST, "020101", DEJA_EDAMAGED, longer);
}

Test(columns, what_is_no_value_is_damaged)
{
    const char *no_value = "a column has a value that its type has not";
    assert_refused_columns("x:bool", 2, MOST, "0102", DEJA_EDAMAGED, no_value);
    assert_refused_columns("x:enum(a|b)", 1, MOST, "0102", DEJA_EDAMAGED, no_value);
    assert_refused_columns("x:flags(a|b)", 1, MOST, "0104", DEJA_EDAMAGED, no_value);
    assert_refused_columns("x:f32", 1, MOST, "5501c07f", DEJA_EDAMAGED, "the columns end early");
    assert_refused_columns("x:f32", 1, MOST, "5101c07f", DEJA_EDAMAGED, no_value);
    assert_refused_columns("kind(a|b)", 1, MOST, "0102", DEJA_EDAMAGED,
                           "a value is of a kind that there is not");
    assert_refused_columns("kind(a{x:u8[..2]}|b)", 1, MOST, "0102", DEJA_EDAMAGED,
                           "a value is of a kind that there is not");
    assert_refused_columns("x:u8?", 1, MOST, "0102", DEJA_EDAMAGED,
                           "a value is neither absent nor present");
    assert_refused_columns("x:u8[..2]", 1, MOST, "01030101", DEJA_EDAMAGED,
                           "a count is above its most");
    assert_refused_columns("x:text[..2]", 2, MOST, "010101ff", DEJA_EDAMAGED,
                           "value 0 of the columns: x: text that is not UTF-8");
    assert_refused_columns("x:set(u8)[..2]", 1, MOST, "0102020201", DEJA_EDAMAGED,
                           "value 0 of the columns: x[1]: its key does not rise");
    assert_refused_columns("x:{b:bool}[..2]", 1, MOST, "01020102", DEJA_EDAMAGED,
                           "value 0 of the columns: x[0].b: 2 is no bool");
}

Test(columns, values_never_grow_past_the_most)
{
    const char *more = "the columns hold more than 9 bytes of values";
    assert_refused_columns("x:u8", 6, 9, "00", DEJA_ELIMIT, more);
    assert_refused_columns("kind(a|b)", 3, 9, "00", DEJA_ELIMIT, more);
    assert_refused_columns("x:u8[..4000000000]", 1, 9, "54286bee", DEJA_ELIMIT, more);
    assert_refused_columns("x:u8[2]", 3, 9, "00", DEJA_ELIMIT, more);
    assert_refused_columns("x:bytes[2]", 3, 9, "00", DEJA_ELIMIT, more);
    assert_refused_columns("x:u8?", 6, 9, "00", DEJA_ELIMIT, more);
    assert_refused_columns("x:u8[4000000][250]", 4294967295, 9, "00", DEJA_ELIMIT, more);
    assert_refused_columns("x:u8", (uint64_t)1 << 40, 9, "00", DEJA_ELIMIT,
                           "1099511627776 values, the most is 4294967295");
}

Test(columns, bytes_that_are_not_so_many_values_are_misuse)
{
    const char *const layouts[] = { "x:u8 y:u8", "x:text[..9]", "kind(a{x:u8}|b)" };
    for (uint32_t i = 0; i < 3; i++) {
        deja_layout *layout = parse_layout(layouts[i]);
        deja_buffer out = { 0 };
        const deja_span bytes = { "\0\0\0\0\0", 5 };
        for (uint64_t count = 0; count < 4; count++)
            cr_assert(
                eq(i32, deja__columns_encode(layout, bytes, count, &out, NULL), DEJA_EMISUSE));
        cr_assert(eq(u64, out.size, 0));
        deja_buffer_release(&out);
        deja_layout_destroy(layout);
    }
}

/* ---- properties ---- */

static void random_values(deja_luck *luck, const deja_layout *layout, uint32_t count,
                          deja_buffer *values)
{
    for (uint32_t i = 0; i < count; i++)
        random_value(luck, layout, values);
}

Test(columns, every_values_come_back)
{
    deja_luck luck;
    deja_luck_seed(&luck, 11, 0);
    for (uint32_t round = 0; round < 2000; round++) {
        deja_layout *layout = random_layout(&luck);
        const uint32_t count = deja_luck_below(&luck, 12);
        deja_buffer values = { 0 }, columns = { 0 }, again = { 0 }, ends = { 0 };
        deja_error err = { 0 };
        random_values(&luck, layout, count, &values);
        deja_code code = deja__columns_encode(layout, span_of(&values), count, &columns, &err);
        cr_assert(eq(i32, code, DEJA_OK), "%s", err.message);
        code = deja__columns_decode(layout, span_of(&columns), count, MOST, &again, &ends, &err);
        cr_assert(eq(i32, code, DEJA_OK), "%s: %s", deja_layout_text(layout), err.message);
        cr_assert(same_bytes(&again, &values), "%s", deja_layout_text(layout));
        uint64_t before = 0;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t end;
            memcpy(&end, ends.bytes + 4 * i, 4);
            cr_assert(eq(i32, deja_value_validate(layout, again.bytes + before, end - before, &err),
                         DEJA_OK));
            before = end;
        }
        cr_assert(eq(u64, before, values.size));
        deja_buffer_release(&values);
        deja_buffer_release(&columns);
        deja_buffer_release(&again);
        deja_buffer_release(&ends);
        deja_layout_destroy(layout);
    }
}

/* Nobody uses `more`; but with it the values are not of scalars only, and go the general way. */
Test(columns, the_tight_way_and_the_general_one_agree)
{
    const char *const flat[] = {
        "kind(take{row:u8 n:u8}|resign",
        "kind(a{b:bool e:enum(x|y|z) s:{f:f32 g:f64}}|b{r:rng q:section({i:i64 k:flags(u|v)})}|c",
        "kind(only{x:u64}",
    };
    deja_luck luck;
    deja_luck_seed(&luck, 12, 0);
    for (uint32_t round = 0; round < 600; round++) {
        char text[256];
        snprintf(text, sizeof text, "%s)", flat[round % 3]);
        deja_layout *tight = parse_layout(text);
        snprintf(text, sizeof text, "%s|more{t:text[..3]})", flat[round % 3]);
        deja_layout *general = parse_layout(text);
        const uint32_t count = deja_luck_below(&luck, 30);
        deja_buffer values = { 0 }, a = { 0 }, b = { 0 }, again = { 0 }, ends = { 0 },
                    other_ends = { 0 };
        random_values(&luck, tight, count, &values);
        cr_assert(eq(i32, deja__columns_encode(tight, span_of(&values), count, &a, NULL), 0));
        cr_assert(eq(i32, deja__columns_encode(general, span_of(&values), count, &b, NULL), 0));
        cr_assert(same_bytes(&a, &b));
        if (a.size != 0 && round % 2)
            a.bytes[deja_luck_below(&luck, (uint32_t)a.size)] ^=
                (unsigned char)(1u << deja_luck_below(&luck, 8));
        const deja_code code =
            deja__columns_decode(tight, span_of(&a), count, MOST, &again, &ends, NULL);
        deja_buffer_clear(&values);
        const deja_code other =
            deja__columns_decode(general, span_of(&a), count, MOST, &values, &other_ends, NULL);
        cr_assert(eq(i32, code, other));
        cr_assert(same_bytes(&again, &values));
        cr_assert(same_bytes(&ends, &other_ends));
        deja_buffer_release(&values);
        deja_buffer_release(&a);
        deja_buffer_release(&b);
        deja_buffer_release(&again);
        deja_buffer_release(&ends);
        deja_buffer_release(&other_ends);
        deja_layout_destroy(tight);
        deja_layout_destroy(general);
    }
}

/* In memory of exactly their size, so that a sanitizer sees a byte too far. */
Test(columns, mutated_columns_are_refused_or_are_the_columns_of_their_values)
{
    deja_luck luck;
    uint32_t sound = 0, refused = 0;
    deja_luck_seed(&luck, 13, 0);
    for (uint32_t round = 0; round < 1500; round++) {
        deja_layout *layout = random_layout(&luck);
        const uint32_t count = 1 + deja_luck_below(&luck, 6);
        deja_buffer values = { 0 }, columns = { 0 };
        random_values(&luck, layout, count, &values);
        deja__columns_encode(layout, span_of(&values), count, &columns, NULL);
        for (uint32_t i = 0; i < 20; i++) {
            deja_buffer again = { 0 }, ends = { 0 }, twice = { 0 };
            deja_error err = { 0 };
            uint64_t size = columns.size;
            if (size > 0 && deja_luck_below(&luck, 4) == 0)
                size = deja_luck_below(&luck, (uint32_t)size);
            unsigned char *exact = malloc(size ? size : 1);
            if (size != 0)
                memcpy(exact, columns.bytes, size);
            for (uint32_t k = deja_luck_below(&luck, 3); k > 0 && size > 0; k--)
                exact[deja_luck_below(&luck, (uint32_t)size)] =
                    (unsigned char)deja_luck_below(&luck, deja_luck_below(&luck, 2) ? 256 : 4);
            const deja_span span = { exact, size };
            const deja_code code =
                deja__columns_decode(layout, span, count, 1 << 20, &again, &ends, &err);
            if (code == DEJA_OK) {
                cr_assert(eq(i32,
                             deja__columns_encode(layout, span_of(&again), count, &twice, &err),
                             DEJA_OK));
                cr_assert(twice.size == size &&
                              (size == 0 || memcmp(twice.bytes, exact, size) == 0),
                          "%s", deja_layout_text(layout));
                sound++;
            } else {
                cr_assert(code == DEJA_EDAMAGED || code == DEJA_ELIMIT, "%s", err.message);
                cr_assert(eq(u64, again.size, 0));
                refused++;
            }
            free(exact);
            deja_buffer_release(&again);
            deja_buffer_release(&ends);
            deja_buffer_release(&twice);
        }
        deja_buffer_release(&values);
        deja_buffer_release(&columns);
        deja_layout_destroy(layout);
    }
    cr_assert(sound > 1000 && refused > 1000, "%u %u", sound, refused);
}
