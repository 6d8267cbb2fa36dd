/* SPDX-License-Identifier: MIT */
/*
 * One spelling for everything: numbers, floats, hex, JSON strings, names.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "support/locale.h"
#include "support/scratch.h"

TestSuite(print, .timeout = 20);

static void expect_f64(double number, const char *text)
{
    deja_buffer out = { 0 };
    deja__print_f64(&out, number);
    cr_assert(eq(str, (char *)out.bytes, (char *)text));
    deja_buffer_release(&out);
}

Test(print, writes_the_shortest_decimal_that_reads_back)
{
    expect_f64(0.1, "0.1");
    expect_f64(1.0, "1.0");
    expect_f64(-0.0, "-0.0");
    expect_f64(100.0, "1e+02");
    expect_f64(0.1 + 0.2, "0.30000000000000004");
    expect_f64(5e-324, "5e-324");
    expect_f64(1.7976931348623157e308, "1.7976931348623157e+308");
    expect_f64((double)NAN, "nan");
    expect_f64((double)-INFINITY, "-inf");
}

Test(print, reads_back_every_float)
{
    uint64_t bits = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        double number, back;
        memcpy(&number, &bits, 8);
        if (isnan(number))
            continue;
        deja_buffer out = { 0 };
        deja__print_f64(&out, number);
        const bool read = deja__read_f64((char *)out.bytes, out.size, &back);
        cr_assert(read, "%s", (char *)out.bytes);
        cr_assert(eq(int, memcmp(&number, &back, 8), 0));
        deja_buffer_clear(&out);
        float narrow;
        memcpy(&narrow, &bits, 4);
        if (!isnan(narrow)) {
            deja__print_f32(&out, narrow);
            cr_assert(deja__read_f64((char *)out.bytes, out.size, &back));
            const float again = (float)back;
            cr_assert(eq(int, memcmp(&narrow, &again, 4), 0));
        }
        deja_buffer_release(&out);
    }
}

/* B33 */
Test(print, does_not_follow_the_locale)
{
    char folder[64];
    scratch_open(folder);
    locale_with_commas(folder);
    expect_f64(1.5, "1.5");
    double number;
    cr_assert(deja__read_f64("1.5", 3, &number));
    cr_assert(eq(dbl, number, 1.5));
    const bool commas = deja__read_f64("1,5", 3, &number);
    cr_assert(not(commas));
    scratch_close(folder);
}

Test(print, refuses_what_is_no_float)
{
    static const char *const wrong[] = { "",    "1,5",      " 1",  "1 ",    "0x1p3", "1e999",
                                         "NaN", "infinity", "--1", "1.5.2", "e5" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        double number;
        const bool read = deja__read_f64(wrong[i], strlen(wrong[i]), &number);
        cr_assert(not(read), "'%s' was taken", wrong[i]);
    }
}

Test(print, reads_whole_numbers_exactly)
{
    uint64_t number = 0;
    cr_assert(deja__read_u64("18446744073709551615", 20, UINT64_MAX, &number));
    cr_assert(eq(u64, number, UINT64_MAX));
    cr_assert(deja__read_u64("9007199254740993", 16, UINT64_MAX, &number));
    cr_assert(eq(u64, number, 9007199254740993u));
    cr_assert(deja__read_u64("0", 1, 0, &number));
    static const char *const wrong[] = {
        "",    "18446744073709551616",    "99999999999999999999", "-1", "+7", "007", "0x7", "1 ",
        "1e3", "100000000000000000000000"
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const bool read = deja__read_u64(wrong[i], strlen(wrong[i]), UINT64_MAX, &number);
        cr_assert(not(read), "'%s' was taken", wrong[i]);
    }
    const bool above = deja__read_u64("256", 3, 255, &number);
    cr_assert(not(above));
}

Test(print, writes_json_strings_that_any_reader_takes)
{
    deja_buffer out = { 0 };
    deja__print_json(&out, "a\"b\\c\n\t\x01\x7f\xc3\xa9\xff\xe2\x82", 14);
    cr_assert(
        eq(str, (char *)out.bytes,
           "\"a\\\"b\\\\c\\n\\t\\u0001\\u007f\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""));
    deja_buffer_release(&out);
}

Test(print, tells_sound_utf8_from_unsound)
{
    cr_assert(deja__is_utf8("gr\xc3\xbc\xc3\x9f", 6));
    cr_assert(deja__is_utf8("\xf0\x9f\x90\x9d", 4));
    cr_assert(deja__is_utf8("", 0));
    static const char *const wrong[] = { "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82",
                                         "\x80",     "\xff",         "\xe0\x80\x80" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const bool sound = deja__is_utf8(wrong[i], strlen(wrong[i]));
        cr_assert(not(sound), "row %zu", i);
    }
    const bool with_nul = deja__is_utf8("a\0b", 3);
    cr_assert(not(with_nul));
}

Test(print, writes_and_reads_hex)
{
    deja_buffer out = { 0 };
    deja__print_hex(&out, 0x1fu, 4);
    deja__print_hex_bytes(&out, "\x00\xab", 2);
    cr_assert(eq(str, (char *)out.bytes, "001f00ab"));
    uint64_t number;
    cr_assert(deja__read_hex("001f", 4, &number));
    cr_assert(eq(u64, number, 0x1fu));
    const bool upper = deja__read_hex("00AB", 4, &number);
    cr_assert(not(upper), "there is one spelling");
    unsigned char bytes[2];
    cr_assert(deja__read_hex_bytes("00ab", 2, bytes));
    cr_assert(eq(int, bytes[1], 0xab));
    deja_buffer_release(&out);
}

Test(print, knows_names)
{
    char most[65];
    memset(most, 'a', sizeof most);
    cr_assert(deja__is_name("row", 3));
    cr_assert(deja__is_name("_x-9", 4));
    cr_assert(deja__is_name(most, 63));
    const bool long_one = deja__is_name(most, 64);
    cr_assert(not(long_one));
    const bool digit = deja__is_name("9a", 2);
    cr_assert(not(digit));
    const bool space = deja__is_name("a b", 3);
    cr_assert(not(space));
    const bool none = deja__is_name("", 0);
    cr_assert(not(none));
}
