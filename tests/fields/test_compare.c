/* SPDX-License-Identifier: MIT */
/*
 * What differs between two values, and that both sides never look the same.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "base/base.h"
#include "support/library.h"
#include "support/random_value.h"
#include "support/values.h"

TestSuite(compare, .timeout = 30);

static void assert_differences(const char *layout_text, const char *expected, const char *actual,
                               const char *differences)
{
    deja_layout *layout = parse_layout(layout_text);
    deja_buffer a = value_of(layout, expected);
    deja_buffer b = value_of(layout, actual);
    deja_buffer all = differences_of(layout, span_of(&a), span_of(&b));
    assert_text((char *)all.bytes, differences);
    deja_buffer_release(&all);
    deja_buffer_release(&a);
    deja_buffer_release(&b);
    deja_layout_destroy(layout);
}

Test(compare, fields_are_told_by_their_paths_in_the_layouts_order)
{
    assert_differences("a:u8 b:{x:i8 y:i8}[..3] c:text[..9]", "c=hey b={x=1 y=2},{x=3 y=4} a=7",
                       "a=8 b={x=1 y=2},{x=3 y=-4} c=\"hey \"",
                       "a: 7 / 8; b[1].y: 4 / -4; c: hey / \"hey \"");
    assert_differences("g:u8[2][3] s:section({on:bool})", "g=1,2,3,4,5,6 s={on=true}",
                       "g=1,2,3,4,0,6 s={on=false}", "g[1][1]: 5 / 0; s.on: true / false");
    assert_differences("a:u8", "a=1", "a=1", "");
    assert_differences("-", "-", "-", "");
}

Test(compare, kinds_with_other_tags_are_told_as_a_whole)
{
    assert_differences("kind(take{row:u8 n:u8}|resign)", "take row=0 n=3", "resign",
                       "(kind): take row=0 n=3 / resign");
    assert_differences("kind(take{row:u8 n:u8}|resign)", "take row=0 n=3", "take row=0 n=2",
                       "n: 3 / 2");
    assert_differences("e:kind(poison{turns:u8}|stun)", "e={poison turns=3}", "e={stun}",
                       "e: {poison turns=3} / {stun}");
    assert_differences("e:kind(poison{turns:u8}|stun)", "e={poison turns=3}", "e={poison turns=2}",
                       "e.turns: 3 / 2");
}

Test(compare, an_optional_is_absent_or_its_value)
{
    assert_differences("o:i32?", "o=-", "o=50", "o: - / 50");
    assert_differences("o:i32?", "o=-1", "o=50", "o: -1 / 50");
    assert_differences("o:{x:u8 y:u8}?", "o={x=1 y=2}", "o={x=1 y=3}", "o.y: 2 / 3");
    assert_differences("o:{x:u8 y:u8}?", "o={x=1 y=2}", "o=-", "o: {x=1 y=2} / -");
    assert_differences("o:flags(a|b)?", "o=[-]", "o=-", "o: [-] / -");
    assert_differences("o:flags(a|b)?", "o=[-]", "o=[a]", "o: [-] / [a]");
    assert_differences("o:u8[..3]?", "o=[1]", "o=[1,2]", "o: [1] / [1,2]");
}

Test(compare, floats_have_their_bits_behind_them)
{
    assert_differences("x:f32", "x=0.3", "x=0.30000004",
                       "x: 0.3 (0x3e99999a) / 0.30000004 (0x3e99999b)");
    assert_differences("x:f64[2]", "x=0,1", "x=-0,1",
                       "x[0]: 0.0 (0x0000000000000000) / -0.0 (0x8000000000000000)");
    assert_differences("x:f32", "x=nan", "x=inf", "x: nan (0x7fc00000) / inf (0x7f800000)");
}

Test(compare, short_lists_of_other_lengths_are_told_as_a_whole)
{
    assert_differences("rows:u8[..9] side:u8", "rows=7,5,3,1 side=0", "rows=7,5,3 side=1",
                       "rows: 7,5,3,1 / 7,5,3; side: 0 / 1");
    assert_differences("rows:u8[..9]", "rows=-", "rows=1", "rows: - / 1");
    assert_differences("u:{hp:u8}[..9]", "u={hp=1}", "u={hp=1},{hp=2}",
                       "u: {hp=1} / {hp=1},{hp=2}");
    assert_differences("t:set(u8)[..9]", "t=1,2", "t=1,3", "t: 1,2 / 1,3");
}

/* "NAME=hpN,hpN,...": so many units, from a number on. */
static void print_units(deja_buffer *out, uint32_t count, uint32_t changed)
{
    deja_buffer_text(out, "units=");
    for (uint32_t i = 0; i < count; i++)
        deja__print(out, "%s{name=\"unit number %u\" hp=%u}", i ? "," : "", i,
                    i == changed ? 0 : 100);
}

Test(compare, long_lists_of_other_lengths_are_told_by_count_and_item)
{
    deja_buffer a = { 0 };
    deja_buffer b = { 0 };
    print_units(&a, 20, 20);
    print_units(&b, 18, 3);
    assert_differences("units:{name:text[..31] hp:u8}[..99]", (char *)a.bytes, (char *)b.bytes,
                       "units.count: 20 / 18; units[3].hp: 100 / 0; "
                       "units[18]: {name=\"unit number 18\" hp=100} / -; "
                       "units[19]: {name=\"unit number 19\" hp=100} / -");
    deja_buffer_release(&a);
    deja_buffer_release(&b);
}

Test(compare, maps_are_held_against_each_other_by_key)
{
    assert_differences("m:map(text[..9] {n:u8})[..9]", "m={a={n=1} b={n=2} d={n=4}}",
                       "m={b={n=3} c={n=9} d={n=4}}",
                       "m[a]: {n=1} / -; m[b].n: 2 / 3; m[c]: - / {n=9}");
    assert_differences("m:map(text[..9] {n:u8})[..9]", "m={a={n=1} b={n=2} d={n=4}}",
                       "m={b={n=3} d={n=4}}", "m.count: 3 / 2; m[a]: {n=1} / -; m[b].n: 2 / 3");
    assert_differences("m:map(i8 u8?)[..9]", "m={-5=-}", "m=-",
                       "m.count: 1 / 0; m[-5]: - (there) / -");
    assert_differences("m:map(i8 u8?)[..9]", "m={-5=-}", "m={-5=7}", "m[-5]: - / 7");
}

Test(compare, long_sets_are_told_by_the_keys_that_only_one_has)
{
    char a[600], b[600];
    int at = sprintf(a, "s=");
    for (int i = 0; i < 100; i++)
        at += sprintf(a + at, "%s%d", i ? "," : "", 1000 + i);
    at = sprintf(b, "s=7");
    for (int i = 0; i < 99; i++)
        at += sprintf(b + at, ",%d", 1000 + i);
    assert_differences("s:set(u16)[..200]", a, b, "s: - / 7; s: 1099 / -");
}

Test(compare, many_different_numbers_are_one_difference)
{
    char a[4096], b[4096];
    int a_at = sprintf(a, "cells="), b_at = sprintf(b, "cells=");
    for (int i = 0; i < 300; i++) {
        a_at += sprintf(a + a_at, "%s%d", i ? "," : "", i % 200);
        b_at += sprintf(b + b_at, "%s%d", i ? "," : "", i >= 70 && i % 2 == 0 ? 250 : i % 200);
    }
    assert_differences("cells:blocks(u8)[300]", a, b,
                       "cells[70..77]: 70,71,72,73,74,75,76,77 (115 of 300 differ) / "
                       "250,71,250,73,250,75,250,77 (115 of 300 differ)");
    assert_differences("cells:u8[10][30]", a, b,
                       "cells[2][10..17]: 70,71,72,73,74,75,76,77 (115 of 300 differ) / "
                       "250,71,250,73,250,75,250,77 (115 of 300 differ)");
    assert_differences("cells:u8[100][3]", a, b,
                       "cells[23][1..2]: 70,71 (115 of 300 differ) / 250,71 (115 of 300 differ)");
}

Test(compare, few_different_numbers_are_told_one_by_one)
{
    assert_differences("c:blocks(u8)[4]", "c=1,2,3,4", "c=1,9,3,8", "c[1]: 2 / 9; c[3]: 4 / 8");
    assert_differences("c:enum(a|b)[3]", "c=a,b,a", "c=a,a,a", "c[1]: b / a");
}

Test(compare, long_bytes_show_a_window)
{
    assert_differences("d:bytes[4]", "d=00112233", "d=00112234", "d: 00112233 / 00112234");
    char a[200], b[200];
    int at = sprintf(a, "d=");
    for (int i = 0; i < 40; i++)
        at += sprintf(a + at, "%02x", i);
    memcpy(b, a, sizeof b);
    b[2 + 2 * 5] = 'f';
    assert_differences("d:bytes[40]", a, b, "d[5]: 05 (1 of 40 differ) / f5 (1 of 40 differ)");
    b[2 + 2 * 30] = 'f';
    assert_differences("d:bytes[40]", a, b,
                       "d[5..20]: 05060708090a0b0c0d0e0f1011121314 (2 of 40 differ) / "
                       "f5060708090a0b0c0d0e0f1011121314 (2 of 40 differ)");
}

Test(compare, long_texts_are_cut_round_their_difference)
{
    char a[700], b[700];
    memset(a, 'x', sizeof a);
    memcpy(a, "t=\"\xc3\xa9", 5);
    a[602] = '"';
    a[603] = 0;
    memcpy(b, a, sizeof b);
    b[400] = 'y';
    deja_layout *layout = parse_layout("t:text[..700]");
    deja_buffer left = value_of(layout, a);
    deja_buffer right = value_of(layout, b);
    deja_buffer all = differences_of(layout, span_of(&left), span_of(&right));
    char expected[1000];
    int at = sprintf(expected, "t: ...");
    for (int i = 0; i < 200; i++)
        expected[at++] = 'x';
    at += sprintf(expected + at, "... / ...");
    for (int i = 0; i < 200; i++)
        expected[at++] = i == 60 ? 'y' : 'x';
    sprintf(expected + at, "...");
    assert_text((char *)all.bytes, expected);
    deja_buffer_release(&all);
    deja_buffer_release(&left);
    deja_buffer_release(&right);
    deja_layout_destroy(layout);
}

static bool stop(void *user, const deja_difference *difference)
{
    (void)difference;
    uint32_t *calls = user;
    return ++*calls < 2;
}

Test(compare, ends_when_the_visitor_says_so)
{
    deja_layout *layout = parse_layout("c:u8[9] d:u8[..9] m:map(u8 u8)[..3] o:u8?");
    deja_buffer a = value_of(layout, "c=1,2,3,4,5,6,7,8,9 d=1,2 m={1=1} o=1");
    deja_buffer b = value_of(layout, "c=0,2,3,4,5,6,7,8,9 d=1 m={2=1} o=2");
    uint32_t calls = 0;
    deja_error err = { 0 };
    const deja_code code = deja_value_compare(layout, span_of(&a), span_of(&b), stop, &calls, &err);
    cr_assert(eq(i32, code, DEJA_OK));
    cr_assert(eq(u32, calls, 2));
    deja_buffer_release(&a);
    deja_buffer_release(&b);
    deja_layout_destroy(layout);
}

Test(compare, invalid_values_are_refused)
{
    deja_layout *layout = parse_layout("a:bool");
    deja_error err = { 0 };
    const deja_span good = { "\1", 1 };
    const deja_span bad = { "\2", 1 };
    uint32_t calls = 0;
    cr_assert(eq(i32, deja_value_compare(layout, bad, good, stop, &calls, &err), DEJA_EFORMAT));
    assert_text(err.message, "the expected value: a: 2 is no bool");
    cr_assert(eq(i32, deja_value_compare(layout, good, bad, stop, &calls, &err), DEJA_EFORMAT));
    assert_text(err.message, "the actual value: a: 2 is no bool");
    cr_assert(eq(u32, calls, 0));
    deja_layout_destroy(layout);
}

/* ---- properties ---- */

typedef struct seen {
    uint32_t count;
    uint64_t longest;
} seen;

static bool look(void *user, const deja_difference *difference)
{
    seen *s = user;
    s->count++;
    cr_assert(strcmp(difference->expected, difference->actual) != 0, "%s: %s", difference->path,
              difference->expected);
    cr_assert(difference->path[0] != 0);
    cr_assert(eq(ptr, strpbrk(difference->expected, "\n\r\t"), NULL));
    cr_assert(deja__is_utf8(difference->expected, strlen(difference->expected)));
    cr_assert(deja__is_utf8(difference->actual, strlen(difference->actual)));
    if (strlen(difference->expected) > s->longest)
        s->longest = strlen(difference->expected);
    return true;
}

Test(compare, tells_of_something_exactly_if_the_bytes_differ)
{
    deja_luck luck;
    deja_luck_seed(&luck, 8, 0);
    for (uint32_t round = 0; round < 3000; round++) {
        deja_layout *layout = random_layout(&luck);
        deja_buffer a = { 0 };
        deja_buffer b = { 0 };
        random_value(&luck, layout, &a);
        random_value(&luck, layout, &b);
        const bool same = same_bytes(&a, &b);
        seen s = { 0, 0 };
        deja_code code = deja_value_compare(layout, span_of(&a), span_of(&b), look, &s, NULL);
        cr_assert(eq(i32, code, DEJA_OK));
        cr_assert(same == (s.count == 0), "%s", deja_layout_text(layout));
        cr_assert(s.longest <= 260, "%u", (unsigned)s.longest);
        s.count = 0;
        code = deja_value_compare(layout, span_of(&a), span_of(&a), look, &s, NULL);
        cr_assert(eq(i32, code, DEJA_OK));
        cr_assert(eq(u32, s.count, 0));
        deja_buffer_release(&a);
        deja_buffer_release(&b);
        deja_layout_destroy(layout);
    }
}
