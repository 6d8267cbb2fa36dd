/* SPDX-License-Identifier: MIT */
/*
 * Layouts by name: what of a recording can be held against a newer build, and how.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "base/base.h"
#include "fields/layout.h"
#include "support/library.h"
#include "support/random_value.h"
#include "support/values.h"

TestSuite(match, .timeout = 30);

static deja_match *match_layouts(const char *recorded, const char *present)
{
    deja_layout *old = parse_layout(recorded);
    deja_layout *new = parse_layout(present);
    deja_match *match = NULL;
    deja_error err = { 0 };
    const deja_code code = deja_match_create(&match, old, new, &err);
    cr_assert(eq(i32, code, DEJA_OK), "%s", err.message);
    /* A match outlives its layouts. */
    deja_layout_destroy(old);
    deja_layout_destroy(new);
    return match;
}

static void assert_remark(const char *recorded, const char *present, bool whole, const char *remark)
{
    deja_match *match = match_layouts(recorded, present);
    assert_text(deja_match_remark(match), remark);
    cr_assert(deja_match_is_whole(match) == whole);
    cr_assert(deja_match_is_same(match) == (strcmp(recorded, present) == 0));
    deja_match_destroy(match);
}

Test(match, equal_layouts_are_the_same)
{
    assert_remark("a:u8 b:kind(x|y{n:u8})", "a:u8 b:kind(x|y{n:u8})", true, "");
    assert_remark("-", "-", true, "");
    deja_match_destroy(NULL);
}

Test(match, what_was_added_is_named_and_does_no_harm)
{
    assert_remark("a:u8", "a:u8 b:u8", true, "added: b");
    assert_remark("units:{hp:u8}[..4] mood:enum(calm)",
                  "weather:u8 mood:enum(angry|calm) units:{mana:u8 hp:u8}[..4]", true,
                  "added: weather, units[].mana, mood=angry");
    assert_remark("kind(take{row:u8})", "kind(take{row:u8 n:u8}|resign)", true,
                  "added: resign, take.n");
    assert_remark("m:map(u8 {a:u8})[..2] o:{x:u8}?", "m:map(u8 {a:u8 b:u8})[..2] o:{x:u8 y:u8}?",
                  true, "added: m[].b, o.y");
}

Test(match, what_is_wider_is_named_and_does_no_harm)
{
    assert_remark("a:u8 b:i16 c:u32", "a:u64 b:i32 c:i64", true,
                  "wider: a (u8, is u64 now), b (i16, is i32 now), c (u32, is i64 now)");
    assert_remark("l:u8[..4]", "l:u16[..4]", true, "wider: l[] (u8, is u16 now)");
}

Test(match, order_and_form_do_no_harm)
{
    assert_remark("a:u8 b:u8", "b:u8 a:u8", true,
                  "the same fields and names, in another order or form");
    assert_remark("a:{x:u8} b:u8[4]", "a:section({x:u8}) b:blocks(u8)[4]", true,
                  "the same fields and names, in another order or form");
    assert_remark("l:u8[..4] t:text[..9]", "l:u8[..2] t:text[..20]", true,
                  "the same fields and names, in another order or form");
    assert_remark("l:u8[2][3]", "l:u8[6]", true,
                  "the same fields and names, in another order or form");
}

Test(match, what_is_gone_is_named_and_not_whole)
{
    assert_remark("a:u8 mood:u8", "a:u8", false, "gone: mood");
    assert_remark("units:{hp:u8 mana:u8}[..4]", "units:{hp:u8}[..4]", false, "gone: units[].mana");
    assert_remark("mood:enum(calm|angry)", "mood:enum(calm)", false, "gone: mood=angry");
    assert_remark("tags:flags(a|b)", "tags:flags(b)", false, "gone: tags=a");
    assert_remark("kind(fly|take{row:u8 n:u8})", "kind(take{row:u8})", false, "gone: fly, take.n");
    assert_remark("e:kind(burn|poison{turns:u8})", "e:kind(poison{ticks:u8})", false,
                  "added: e.poison.ticks; gone: e=burn, e.poison.turns");
}

Test(match, what_is_retyped_is_named_and_not_whole)
{
    assert_remark("a:u16 b:i8 c:f32 d:bool e:u8 f:i8", "a:u8 b:u8 c:f64 d:u8 e:i8 f:u16", false,
                  "retyped: a (u16, is u8 now), b (i8, is u8 now), c (f32, is f64 now), "
                  "d (bool, is u8 now), e (u8, is i8 now), f (i8, is u16 now)");
    assert_remark("a:u8[3] b:u8[..3] c:u8[2][3] d:bytes[4] e:u8",
                  "a:u8[4] b:u8[3] c:u8[3][2] "
                  "d:bytes[5] e:u8?",
                  false,
                  "retyped: a (an array of 3, is an array of 4 now), b (a list, is an array of 3 "
                  "now), c (a grid of 2 by 3, is a grid of 3 by 2 now), d (bytes of 4, is bytes of "
                  "5 now), e (u8, is optional now)");
    assert_remark("a:{x:u8}", "a:kind(x)", false, "retyped: a (a struct, is kind now)");
    assert_remark("a:set(u8)[..3]", "a:map(u8 u8)[..3]", false, "retyped: a (a set, is a map now)");
    assert_remark("kind(a|b)", "a:u8", false, "retyped: the whole value (kind, is a struct now)");
}

Test(match, a_remark_stays_one_short_line)
{
    deja_buffer old = { 0 };
    deja_buffer new = { 0 };
    for (int i = 0; i < 500; i++) {
        deja__print(&old, "%sold_field_with_a_rather_long_name_%d:u8", i ? " " : "", i);
        deja__print(&new, "%snew_field_with_a_rather_long_name_%d:u8", i ? " " : "", i);
    }
    deja_match *match = match_layouts((char *)old.bytes, (char *)new.bytes);
    const char *remark = deja_match_remark(match);
    cr_assert(strlen(remark) < 900, "%s", remark);
    cr_assert(strstr(remark, " and 495 more; gone: ") != NULL, "%s", remark);
    cr_assert(eq(ptr, strchr(remark, '\n'), NULL));
    deja_match_destroy(match);
    deja_buffer_release(&old);
    deja_buffer_release(&new);
}

/* ---- values ---- */

enum way { TO_RECORDED, TO_PRESENT, COMMON_OF_RECORDED, COMMON_OF_PRESENT };

static deja_code convert(const deja_match *match, enum way way, const deja_buffer *value,
                         deja_span defaults, deja_buffer *out, deja_error *err)
{
    switch (way) {
    case TO_RECORDED:
        return deja_match_to_recorded(match, value->bytes, value->size, out, err);
    case TO_PRESENT:
        return deja_match_to_present(match, value->bytes, value->size, defaults, out, err);
    default:
        return deja_match_to_common(match, way == COMMON_OF_RECORDED, value->bytes, value->size,
                                    out, err);
    }
}

/* Converts a text; the result is another text, or the message of a refusal. */
static void assert_converts(enum way way, const char *recorded, const char *present,
                            const char *defaults, const char *text, const char *result)
{
    const bool from_recorded = way == TO_PRESENT || way == COMMON_OF_RECORDED;
    deja_match *match = match_layouts(recorded, present);
    deja_layout *old = parse_layout(recorded);
    deja_layout *new = parse_layout(present);
    deja_buffer value = value_of(from_recorded ? old : new, text);
    deja_buffer fill = { 0 };
    deja_buffer out = { 0 };
    deja_error err = { 0 };
    if (defaults)
        fill = value_of(new, defaults);
    deja_buffer_text(&out, "kept");
    const deja_code code = convert(match, way, &value, span_of(&fill), &out, &err);
    if (code < 0) {
        cr_assert(eq(i32, code, DEJA_EUNFIT), "%s", err.message);
        assert_text(err.message, result);
        assert_text((char *)out.bytes, "kept");
        cr_assert(convert(match, way, &value, span_of(&fill), &out, NULL) == DEJA_EUNFIT);
    } else {
        const deja_layout *layout = way == TO_RECORDED  ? old
                                    : way == TO_PRESENT ? new
                                                        : deja_match_common(match);
        deja_buffer printed = { 0 };
        const deja_code printing =
            deja_value_print(layout, out.bytes + 4, out.size - 4, &printed, &err);
        cr_assert(eq(i32, printing, DEJA_OK), "%s", err.message);
        assert_text((char *)printed.bytes, result);
        deja_buffer_release(&printed);
    }
    deja_buffer_release(&value);
    deja_buffer_release(&fill);
    deja_buffer_release(&out);
    deja_layout_destroy(old);
    deja_layout_destroy(new);
    deja_match_destroy(match);
}

Test(match, a_present_value_is_seen_as_it_was_recorded)
{
    assert_converts(TO_RECORDED, "a:u8 b:i8", "c:text[..9] b:i64 a:u32", NULL, "c=new b=-5 a=255",
                    "a=255 b=-5");
    assert_converts(TO_RECORDED, "u:{hp:u8 e:kind(x|y{n:u8})}[..4]",
                    "u:{mana:u8 e:kind(z|y{m:u8 n:u16}|x) hp:u16}[..9]", NULL,
                    "u={mana=9 e={y m=1 n=2} hp=100},{mana=9 e={x} hp=0}",
                    "u={hp=100 e={y n=2}},{hp=0 e={x}}");
    assert_converts(TO_RECORDED, "e:enum(a|b) f:flags(a|b) o:u8?",
                    "e:enum(b|c|a) f:flags(z|b|a) "
                    "o:u16?",
                    NULL, "e=a f=a+b o=7", "e=a f=a+b o=7");
    assert_converts(TO_RECORDED, "-", "a:u8", NULL, "a=1", "-");
}

Test(match, a_value_that_uses_no_name_that_is_gone_is_seen_as_ever)
{
    assert_converts(TO_RECORDED, "e:enum(a|b|c)", "e:enum(a|b)", NULL, "e=b", "e=b");
    assert_converts(TO_RECORDED, "f:flags(a|b|c)", "f:flags(c|a)", NULL, "f=c+a", "f=a+c");
    assert_converts(TO_RECORDED, "kind(a{n:u8}|b)", "kind(a{n:u8})", NULL, "a n=3", "a n=3");
    assert_converts(TO_RECORDED, "kind(a{n:u8}|b)", "kind(a{n:u8}|c)", NULL, "a n=3", "a n=3");
}

Test(match, a_present_value_without_a_recorded_form_says_why)
{
    assert_converts(TO_RECORDED, "p:{hp:u8}[..3]", "p:{hp:u16}[..3]", NULL, "p={hp=1},{hp=300}",
                    "p[1].hp: 300 does not fit u8, which the recorded layout has");
    assert_converts(TO_RECORDED, "a:i8", "a:i16", NULL, "a=-129",
                    "a: -129 does not fit i8, which the recorded layout has");
    assert_converts(TO_RECORDED, "a:u8", "a:i16", NULL, "a=-1",
                    "a: -1 does not fit u8, which the recorded layout has");
    assert_converts(TO_RECORDED, "mood:enum(calm)", "mood:enum(calm|angry)", NULL, "mood=angry",
                    "has 'mood=angry', which the recorded layout does not know");
    assert_converts(TO_RECORDED, "p:{t:flags(a)}[..2]", "p:{t:flags(a|b)}[..2]", NULL,
                    "p={t=-},{t=a+b}", "has 'p[1].t=b', which the recorded layout does not know");
    assert_converts(TO_RECORDED, "kind(take)", "kind(fly|take)", NULL, "fly",
                    "has 'fly', which the recorded layout does not know");
    assert_converts(TO_RECORDED, "l:u8[..2]", "l:u8[..9]", NULL, "l=1,2,3",
                    "l: 3 items, of which the recorded layout takes 2");
    assert_converts(TO_RECORDED, "t:text[..2]", "t:text[..9]", NULL, "t=abc",
                    "t: 3 bytes of text, of which the recorded layout takes 2");
    assert_converts(TO_RECORDED, "a:u8 b:u8", "a:u8", NULL, "a=1",
                    "not all that was recorded is there (gone: b)");
}

Test(match, recorded_commands_are_decoded_by_name)
{
    assert_converts(TO_PRESENT, "kind(take{row:u8 n:u8}|fly)",
                    "kind(trade|take{n:u16 fast:bool row:u8})", NULL, "take row=1 n=3",
                    "take n=3 fast=false row=1");
    assert_converts(TO_PRESENT, "kind(take|fly)", "kind(take)", NULL, "fly", "'fly' is gone");
    assert_converts(TO_PRESENT, "kind(take{row:u8 n:u8}|fly)", "kind(fly|take{row:u8})", NULL,
                    "take row=1 n=3", "'take.n' is gone");
    assert_converts(TO_PRESENT, "kind(take{row:u8 n:u8}|fly)", "kind(fly|take{row:u8})", NULL,
                    "fly", "fly");
    assert_converts(TO_PRESENT, "kind(take{n:u16})", "kind(take{n:u8})", NULL, "take n=3",
                    "'take.n' was u16 and is u8");
    assert_converts(TO_PRESENT, "e:enum(a|b)", "e:enum(a)", NULL, "e=b", "'e=b' is gone");
    assert_converts(TO_PRESENT, "l:u8[..9]", "l:u8[..2]", NULL, "l=1,2,3",
                    "l: 3 items, of which the present layout takes 2");
    assert_converts(TO_PRESENT, "kind(a)", "a:u8", NULL, "a", "the value was kind and is a struct");
}

Test(match, added_fields_come_from_the_defaults_or_are_zero)
{
    const char *old = "players:{id:u8}[..4] rows:u8[2] o:{x:u8}?";
    const char *new = "seats:u8 players:{id:u8 name:text[..9] e:enum(a|b)}[..4] rows:u8[2] "
                      "o:{x:u8 y:u8}? z:f32 k:kind(p{q:u8}|r) m:map(u8 u8)[..2] i:i64 a:bool[2]";
    assert_converts(TO_PRESENT, old, new, NULL, "players={id=1},{id=2} rows=7,5 o={x=1}",
                    "seats=0 players={id=1 name=\"\" e=a},{id=2 name=\"\" e=a} rows=7,5 "
                    "o={x=1 y=0} z=0.0 k={p q=0} m=- i=0 a=false,false");
    assert_converts(TO_PRESENT, old, new,
                    "seats=3 players={id=9 name=ann e=b} rows=1,1 o={x=8 y=9} z=1.5 k={r} m={1=2} "
                    "i=-1 a=true,false",
                    "players={id=1},{id=2} rows=7,5 o={x=1}",
                    "seats=3 players={id=1 name=ann e=b},{id=2 name=\"\" e=a} rows=7,5 "
                    "o={x=1 y=9} z=1.5 k={r} m={1=2} i=-1 a=true,false");
    assert_converts(TO_PRESENT, "m:map(text[..9] {n:u8})[..4]", "m:map(text[..9] {n:u8 p:u8})[..4]",
                    "m={b={n=0 p=7} d={n=0 p=9}}", "m={a={n=1} b={n=2} c={n=3} d={n=4}}",
                    "m={a={n=1 p=0} b={n=2 p=7} c={n=3 p=0} d={n=4 p=9}}");
    assert_converts(TO_PRESENT, "e:kind(a{x:u8}|b{x:u8})", "e:kind(b{x:u8 y:u8}|a{x:u8 y:u8})",
                    "e={a x=1 y=2}", "e={a x=5}", "e={a x=5 y=2}");
    assert_converts(TO_PRESENT, "e:kind(a{x:u8}|b{x:u8})", "e:kind(b{x:u8 y:u8}|a{x:u8 y:u8})",
                    "e={a x=1 y=2}", "e={b x=5}", "e={b x=5 y=0}");
}

Test(match, keys_that_are_enumerators_come_into_the_new_order)
{
    assert_converts(TO_RECORDED, "s:set(enum(a|b|c))[..3]", "s:set(enum(c|b|a))[..3]", NULL,
                    "s=c,b,a", "s=a,b,c");
    assert_converts(TO_PRESENT, "m:map(enum(a|b|c) text[..9])[..3]",
                    "m:map(enum(c|x|a|b) text[..9])[..4]", NULL, "m={a=one b=two c=three}",
                    "m={c=three a=one b=two}");
    assert_converts(TO_PRESENT, "m:map(enum(a|b|c) {n:u8})[..3]",
                    "m:map(enum(c|x|a|b) {n:u8 p:u8})[..4]",
                    "m={c={n=0 p=3} x={n=0 p=4} a={n=0 p=1}}", "m={a={n=7} b={n=8} c={n=9}}",
                    "m={c={n=9 p=3} a={n=7 p=1} b={n=8 p=0}}");
}

Test(match, what_is_left_can_be_compared)
{
    const char *old = "a:u8 mood:u8 u:{hp:u8 x:f32}[..3] e:enum(calm|angry) g:{z:u8}[..2]";
    const char *new = "u:{x:f64 hp:u16}[..3] a:u8 e:enum(happy|calm) g:{y:u8}[..2]";
    deja_match *match = match_layouts(old, new);
    assert_text(deja_layout_text(deja_match_common(match)),
                "a:u8 u:{hp:u8}[..3] e:enum(calm|angry)");
    deja_match_destroy(match);
    assert_converts(COMMON_OF_RECORDED, old, new, NULL, "a=1 mood=2 u={hp=3 x=1} e=angry g={z=1}",
                    "a=1 u={hp=3} e=angry");
    assert_converts(COMMON_OF_PRESENT, old, new, NULL, "a=1 u={hp=3 x=1} e=calm g={y=1}",
                    "a=1 u={hp=3} e=calm");
    assert_converts(COMMON_OF_PRESENT, old, new, NULL, "a=1 u={hp=3 x=1} e=happy g={y=1}",
                    "has 'e=happy', which the recorded layout does not know");
    assert_converts(COMMON_OF_PRESENT, old, new, NULL, "a=1 u={hp=300 x=1} e=calm g={y=1}",
                    "u[0].hp: 300 does not fit u8, which the recorded layout has");
}

Test(match, where_nothing_is_left_nothing_is_compared)
{
    deja_match *match = match_layouts("kind(a|b)", "a:u8");
    cr_assert(eq(ptr, (void *)deja_match_common(match), NULL));
    deja_match_destroy(match);
    assert_converts(COMMON_OF_RECORDED, "kind(a|b)", "a:u8", NULL, "a",
                    "the layouts have nothing in common (retyped: the whole value (kind, is a "
                    "struct now))");
    assert_converts(COMMON_OF_PRESENT, "a:u8", "b:u8", NULL, "b=1",
                    "the layouts have nothing in common (added: b; gone: a)");
    assert_converts(COMMON_OF_PRESENT, "u:{a:u8}[..3]", "u:{b:u8}[..3]", NULL, "u=-",
                    "the layouts have nothing in common (added: u[].b; gone: u[].a)");
}

Test(match, invalid_bytes_are_refused)
{
    deja_match *match = match_layouts("a:bool", "a:bool b:bool");
    deja_buffer out = { 0 };
    deja_error err = { 0 };
    const deja_span bad = { "\2\2", 2 };
    cr_assert(eq(i32, deja_match_to_recorded(match, "\1\2", 2, &out, &err), DEJA_EFORMAT));
    cr_assert(
        eq(i32, deja_match_to_present(match, "\2", 1, (deja_span){ 0 }, &out, &err), DEJA_EFORMAT));
    cr_assert(eq(i32, deja_match_to_present(match, "\1", 1, bad, &out, &err), DEJA_EFORMAT));
    assert_text(err.message, "the defaults: a: 2 is no bool");
    cr_assert(eq(i32, deja_match_to_common(match, true, "\1\1", 2, &out, &err), DEJA_EFORMAT));
    cr_assert(eq(u64, out.size, 0));
    deja_match_destroy(match);
}

Test(match, zeros_larger_than_any_value_are_refused)
{
    /* Each item may be small (b), but a zero item is of the first alternative. */
    deja_match *match = match_layouts("a:u8", "a:u8 l:kind(a{x:u64[4000]}|b)[100000]");
    deja_buffer out = { 0 };
    cr_assert(
        eq(i32, deja_match_to_present(match, "\1", 1, (deja_span){ 0 }, &out, NULL), DEJA_ELIMIT));
    cr_assert(eq(u64, out.size, 0));
    deja_buffer_release(&out);
    deja_match_destroy(match);
}
