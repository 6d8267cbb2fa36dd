/* SPDX-License-Identifier: MIT */
/*
 * Values as text: what they look like, that they read back, and what is said of a slip.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "base/base.h"
#include "support/library.h"
#include "support/random_value.h"
#include "support/values.h"

TestSuite(value_text, .timeout = 30);

#define COMMAND "kind(take{row:u8 n:u8}|resign|say{text:text[..31]})"

Test(value_text, a_kind_stands_before_its_fields)
{
    assert_reads_as(COMMAND, "take row=0 n=3", "take row=0 n=3");
    assert_reads_as(COMMAND, "resign", "resign");
    assert_reads_as(COMMAND, "say text=\"hello = {world}\"", "say text=\"hello = {world}\"");
    assert_reads_as("effect:kind(poison{turns:u8}|stun)", "effect={poison turns=3}",
                    "effect={poison turns=3}");
    assert_reads_as("effect:kind(poison{turns:u8}|stun)", "effect={stun}", "effect={stun}");
}

Test(value_text, fields_come_in_any_order_and_print_in_the_layouts)
{
    assert_reads_as(COMMAND, "take n=3 row=0", "take row=0 n=3");
    assert_reads_as("a:u8 b:{x:u16 y:text[..9]} c:u8[..4]", "c=1,2 b={y=hey x=9} a=7",
                    "a=7 b={x=9 y=hey} c=1,2");
    assert_reads_as("a:u8 b:u8", "  a=1   b=2\t", "a=1 b=2");
}

Test(value_text, what_is_empty_or_absent_is_a_dash)
{
    assert_reads_as("-", "-", "-");
    assert_reads_as("rows:u8[..4] offer:i32? tags:flags(wet|cold) m:map(u8 u8)[..4]",
                    "rows=- offer=- tags=- m=-", "rows=- offer=- tags=- m=-");
    assert_reads_as("rows:u8[..4] offer:i32? tags:flags(wet|cold) m:map(u8 u8)[..4]",
                    "rows=7,5,3,1 offer=-5 tags=wet+cold m={1=2 3=4}",
                    "rows=7,5,3,1 offer=-5 tags=wet+cold m={1=2 3=4}");
    assert_reads_as("nothing:{} perhaps:{}?", "nothing={} perhaps={}", "nothing={} perhaps={}");
    assert_reads_as("nothing:{} perhaps:{}?", "nothing={} perhaps=-", "nothing={} perhaps=-");
}

Test(value_text, nested_containers_have_brackets)
{
    assert_reads_as("t:u8[..3][..3]", "t=[1,2],[],[3]", "t=[1,2],[],[3]");
    assert_reads_as("t:u8[..3][..3]", "t=[]", "t=[]");
    assert_reads_as("t:u8[..3][..3]", "t=-", "t=-");
    assert_reads_as("g:u8[2][2][..2]", "g=[1,2,3,4],[5,6,7,8]", "g=[1,2,3,4],[5,6,7,8]");
    assert_reads_as("l:u8[..3]?", "l=[]", "l=[]");
    assert_reads_as("l:u8[..3]?", "l=-", "l=-");
    assert_reads_as("l:u8[..3]?", "l=[1,2]", "l=[1,2]");
    assert_reads_as("m:map(text[..9] u8[..3])[..3]", "m={\"iron ore\"=1,2 wood=-}",
                    "m={\"iron ore\"=1,2 wood=-}");
    assert_reads_as("m:map(u8 u8)[..3][..3]", "m={1=2},{},{3=4 5=6}", "m={1=2},{},{3=4 5=6}");
}

Test(value_text, a_dash_inside_is_never_taken_for_the_whole)
{
    assert_reads_as("p:u8?[..3]", "p=[-]", "p=[-]");
    assert_reads_as("p:u8?[..3]", "p=-", "p=-");
    assert_reads_as("p:u8?[..3]", "p=[]", "p=-");
    assert_reads_as("p:u8?[2]", "p=[-,4]", "p=[-,4]");
    assert_reads_as("p:flags(a|b)[..3]", "p=[-,a+b]", "p=[-,a+b]");
    assert_reads_as("p:flags(a|b)?", "p=-", "p=-");
    assert_reads_as("p:flags(a|b)?", "p=[-]", "p=[-]");
    assert_reads_as("p:flags(a|b)?", "p=[b]", "p=[b]");
    assert_reads_as("p:flags(a|b)?[..3]", "p=[-,[-],[a]]", "p=[-,[-],[a]]");
}

Test(value_text, text_is_quoted_where_it_could_be_read_otherwise)
{
    assert_reads_as("t:text[..40]", "t=\"plain\"", "t=plain");
    assert_reads_as("t:text[..40]", "t=\"\"", "t=\"\"");
    assert_reads_as("t:text[..40]", "t=\"-\"", "t=\"-\"");
    assert_reads_as("t:text[..40]", "t=-5", "t=-5");
    assert_reads_as("t:text[..40]", "t=12:30", "t=12:30");
    assert_reads_as("t:text[..40]", "t=ends:", "t=\"ends:\"");
    assert_reads_as("t:text[..40]", "t=\"a b,c=d{e}[f]#g\"", "t=\"a b,c=d{e}[f]#g\"");
    assert_reads_as("t:text[..40]", "t=\"\\\"\\\\\"", "t=\"\\\"\\\\\"");
    assert_reads_as("t:text[..40]", "t=\"\\n\\t\\r\\u0001\\u007F\"",
                    "t=\"\\n\\t\\r\\u0001\\u007f\"");
    assert_reads_as("t:text[..40]", "t=\"\xc3\xa9 \\u00e9\"", "t=\"\xc3\xa9 \xc3\xa9\"");
    assert_reads_as("t:text[..40]", "t=\"\\u202e\xf0\x9f\x98\x80\"",
                    "t=\"\\u202e\xf0\x9f\x98\x80\"");
    assert_reads_as("t:text[..40][..3]", "t=\"\",\"-\",a", "t=\"\",\"-\",a");
}

Test(value_text, numbers_are_exact_at_their_ends)
{
    assert_reads_as("a:u64 b:i64", "a=18446744073709551615 b=-9223372036854775808",
                    "a=18446744073709551615 b=-9223372036854775808");
    assert_reads_as("a:u64", "a=9007199254740993", "a=9007199254740993");
    assert_reads_as("a:i8 b:i8 c:u16 d:i32", "a=-128 b=127 c=65535 d=-2147483648",
                    "a=-128 b=127 c=65535 d=-2147483648");
    assert_reads_as("f:f32 g:f64", "f=0.1 g=0.1", "f=0.1 g=0.1");
    assert_reads_as("f:f32 g:f64", "f=-0 g=nan", "f=-0.0 g=nan");
    assert_reads_as("f:f32 g:f64", "f=-inf g=1e300", "f=-inf g=1e+300");
    assert_reads_as("b:bool d:bytes[3] e:enum(calm|angry)", "b=true d=00ffa1 e=angry",
                    "b=true d=00ffa1 e=angry");
    assert_reads_as("r:rng", "r=00000000000000ff.0000000000000001.0000000000000010",
                    "r=00000000000000ff.0000000000000001.0000000000000010");
}

Test(value_text, numbers_that_are_none_are_refused_by_name)
{
    assert_refused("hp:u64", "hp=18446744073709551616",
                   "hp: '18446744073709551616' is out of range: u64 goes from 0 to "
                   "18446744073709551615");
    assert_refused("hp:u8", "hp=-1", "hp: '-1' is out of range: u8 goes from 0 to 255");
    assert_refused("hp:i8", "hp=128", "hp: '128' is out of range: i8 goes from -128 to 127");
    assert_refused("hp:i8", "hp=-129", "hp: '-129' is out of range: i8 goes from -128 to 127");
    assert_refused("hp:u8", "hp=007", "hp: '007' is not a whole number");
    assert_refused("hp:u8", "hp=0x7", "hp: '0x7' is not a whole number");
    assert_refused("hp:u8", "hp=+7", "hp: '+7' is not a whole number");
    assert_refused("hp:i8", "hp=-0", "hp: '-0' is not a whole number");
    assert_refused("hp:i8", "hp=-", "hp: '-' is not a whole number");
    assert_refused("hp:u8", "hp=1.5", "hp: '1.5' is not a whole number");
    assert_refused("hp:u8", "hp=", "hp: a value is missing (u8)");
    assert_refused("hp:u8", "hp=\"7\"", "hp: text where u8 belongs");
    assert_refused("x:f64", "x=1e999", "x: '1e999' is no number that f64 holds");
    assert_refused("x:f32", "x=1e39", "x: '1e39' is no number that f32 holds");
    assert_refused("x:f64", "x=1,5", "x: the value should end before: ,5");
    assert_refused("x:f64", "x=+1", "x: '+1' is no number that f64 holds");
    assert_refused("x:f64", "x=0x1p3", "x: '0x1p3' is no number that f64 holds");
    assert_refused("b:bool", "b=1", "b: '1' is neither true nor false");
    assert_refused("d:bytes[2]", "d=00FF", "d: '00FF' is not 4 lower-case hex digits");
    assert_refused("d:bytes[2]", "d=00ff0", "d: '00ff0' is not 4 lower-case hex digits");
    assert_refused("r:rng", "r=12",
                   "r: '12' is not luck: three times 16 hex digits, joined by dots");
}

Test(value_text, names_that_are_none_bring_the_nearest)
{
    assert_refused(COMMAND, "tkae row=0 n=3", "there is no 'tkae'; the nearest is 'take'");
    assert_refused(COMMAND, "fly", "there is no 'fly'; there are take, resign, say");
    assert_refused(COMMAND, "take rwo=0 n=3", "there is no field 'rwo'; the nearest is 'row'");
    assert_refused(COMMAND, "take row=0 n=3 speed=1", "there is no field 'speed'");
    assert_refused(COMMAND, "", "there is no ''; there are take, resign, say");
    assert_refused("e:enum(calm|angry)", "e=angri",
                   "e: there is no 'angri'; the nearest is 'angry'");
    assert_refused("e:flags(wet|cold)", "e=wet+clod",
                   "e: there is no 'clod'; the nearest is 'cold'");
    assert_refused("e:flags(wet|cold)", "e=wet+wet", "e: 'wet' is there twice");
    assert_refused("e:flags(wet|cold)", "e=wet+", "e: there is no ''; there are wet, cold");
}

Test(value_text, fields_are_there_once)
{
    assert_refused("a:u8 b:u8", "a=1", "the field 'b' is missing");
    assert_refused("a:u8 b:u8", "a=1 a=2", "a: the field is there twice");
    assert_refused("a:u8 s:{x:u8 y:u8}", "a=1 s={y=2}", "s: the field 'x' is missing");
    assert_refused("a:u8", "-", "NAME=VALUE belongs before: -");
    assert_refused("a:u8", "", "the field 'a' is missing");
    assert_refused("-", "", "'-' belongs before: the end");
    assert_refused("-", "a=1", "'-' belongs before: a=1");
    assert_refused("a:u8", "a=1 }", "the value should end before: }");
    assert_refused("a:u8", "a=1x", "a: '1x' is not a whole number");
    assert_refused("a:u8", "a=1 # no", "NAME=VALUE belongs before: # no");
}

Test(value_text, structure_that_is_wrong_is_said)
{
    assert_refused("l:u8[..2]", "l=1,2,3", "l: more than 2 items");
    assert_refused("l:u8[3]", "l=1,2", "l: 2 items, there have to be 3");
    assert_refused("l:u8[3]", "l=-", "l: 0 items, there have to be 3");
    assert_refused("l:u8[3]", "l=1,2,", "l[2]: a value is missing (u8)");
    assert_refused("l:u8[2]", "l=1, 2", "l[1]: a value is missing (u8)");
    assert_refused("l:u8[..2][..2]", "l=1,2", "l[0]: '[' belongs before: 1,2");
    assert_refused("l:u8[..2][..2]", "l=[1,2", "l[0]: ']' belongs before: the end");
    assert_refused("s:{a:u8}", "s=a=1", "s: '{' belongs before: a=1");
    assert_refused("s:{a:u8}", "s={a=1", "s: '}' belongs before: the end");
    assert_refused("b:u8[2][2]", "b=1,2,3,x", "b[1][1]: 'x' is not a whole number");
    assert_refused("k:set(u8)[..4]", "k=1,3,2",
                   "k[2]: the key is below the one before it; keys rise");
    assert_refused("k:set(u8)[..4]", "k=1,1", "k[1]: the key is there twice");
    assert_refused("k:map(u8 u8)[..4]", "k={1=1 1=2}", "k[1]: the key is there twice");
    assert_refused("k:map(u8 u8)[..4]", "k={1}", "k[0]: '=' belongs before: }");
    assert_refused("o:u8?", "o=[1]", "o: a value is missing (u8)");
    assert_refused("o:flags(a)?", "o=a", "o: '[' belongs before: a");
}

Test(value_text, text_that_is_wrong_is_said)
{
    assert_refused("t:text[..3]", "t=abcd", "t: 4 bytes of text, the most is 3");
    assert_refused("t:text[..9]", "t=-", "t: the text - must stand in quotes");
    assert_refused("t:text[..9]", "t=", "t: text is missing; empty text is \"\"");
    assert_refused("t:text[..9]", "t=\"abc", "t: the closing quote is missing");
    assert_refused("t:text[..9]", "t=\"a\\x\"",
                   "t: a backslash takes \", \\, n, t, r or u behind it");
    assert_refused("t:text[..9]", "t=\"\\u12\"", "t: \\u takes four hex digits");
    assert_refused("t:text[..9]", "t=\"\\u0000\"", "t: \\u names no character that text may have");
    assert_refused("t:text[..9]", "t=\"\\ud800\"", "t: \\u names no character that text may have");
    assert_refused("t:text[..9]", "t=\"\xff\"", "t: text that is not UTF-8");
    assert_refused("t:text[..9]", "t=\xc3\xa9",
                   "t: text with other than plain characters must stand in quotes");
    assert_refused("t:text[..9]", "t=\"a\nb\"",
                   "t: a control character in quotes: write \\n, \\t or \\u00XX");
    assert_refused("t:text[..9]", "t=\"a\"b", "t: the value should end before: b");
}

Test(value_text, messages_hold_no_newline_and_stay_short)
{
    char text[4096];
    memset(text, 'x', sizeof text);
    memcpy(text, "a=\n\x1b[31m", 8);
    text[sizeof text - 1] = 0;
    deja_layout *layout = parse_layout("a:u8");
    deja_buffer value = { 0 };
    deja_error err = { 0 };
    const deja_code code = deja_value_parse(layout, text, strlen(text), &value, &err);
    cr_assert(eq(i32, code, DEJA_EFORMAT));
    cr_assert(strlen(err.message) < 200);
    cr_assert(eq(ptr, strpbrk(err.message, "\n\x1b"), NULL));
    deja_layout_destroy(layout);
    deja_buffer_release(&value);
}

/* ---- properties ---- */

Test(value_text, every_value_reads_back_to_its_bytes)
{
    deja_luck luck;
    deja_luck_seed(&luck, 1, 0);
    for (uint32_t round = 0; round < 1500; round++) {
        deja_layout *layout = random_layout(&luck);
        for (uint32_t i = 0; i < 4; i++) {
            deja_buffer value = { 0 };
            deja_buffer text = { 0 };
            deja_buffer again = { 0 };
            deja_error err = { 0 };
            random_value(&luck, layout, &value);
            deja_code code = deja_value_print(layout, value.bytes, value.size, &text, &err);
            cr_assert(eq(i32, code, DEJA_OK), "%s", err.message);
            cr_assert(eq(ptr, strpbrk((char *)text.bytes, "\n\r\t\x01\x7f"), NULL));
            code = deja_value_parse(layout, (char *)text.bytes, text.size, &again, &err);
            cr_assert(eq(i32, code, DEJA_OK), "%s: %s: %s", deja_layout_text(layout),
                      (char *)text.bytes, err.message);
            cr_assert(same_bytes(&again, &value), "%s: %s", deja_layout_text(layout),
                      (char *)text.bytes);
            deja_buffer_release(&value);
            deja_buffer_release(&text);
            deja_buffer_release(&again);
        }
        deja_layout_destroy(layout);
    }
}

Test(value_text, mutated_text_is_refused_or_reads_as_a_valid_value)
{
    static const char specials[] = "{}[],=\"-+# \\.0a\n\xff";
    deja_luck luck;
    deja_luck_seed(&luck, 2, 0);
    for (uint32_t round = 0; round < 800; round++) {
        deja_layout *layout = random_layout(&luck);
        deja_buffer value = { 0 };
        deja_buffer text = { 0 };
        random_value(&luck, layout, &value);
        deja_value_print(layout, value.bytes, value.size, &text, NULL);
        for (uint32_t i = 0; i < 20; i++) {
            deja_buffer other = { 0 };
            deja_buffer read = { 0 };
            deja_error err = { 0 };
            deja_buffer_add(&other, text.bytes, text.size);
            for (uint32_t k = 1 + deja_luck_below(&luck, 3); k > 0 && other.size > 0; k--) {
                const uint32_t at = deja_luck_below(&luck, (uint32_t)other.size);
                other.bytes[at] = (unsigned char)specials[deja_luck_below(&luck, 17)];
                if (deja_luck_below(&luck, 4) == 0)
                    other.size = at;
            }
            const deja_code code =
                deja_value_parse(layout, (char *)other.bytes, other.size, &read, &err);
            if (code == DEJA_OK)
                cr_assert(
                    eq(i32, deja_value_validate(layout, read.bytes, read.size, &err), DEJA_OK));
            else
                cr_assert(eq(u64, read.size, 0));
            deja_buffer_release(&other);
            deja_buffer_release(&read);
        }
        deja_buffer_release(&value);
        deja_buffer_release(&text);
        deja_layout_destroy(layout);
    }
}

Test(value_text, every_narrow_float_reads_back)
{
    deja_layout *layout = parse_layout("x:f32");
    deja_luck luck;
    deja_luck_seed(&luck, 3, 0);
    for (uint32_t i = 0; i < 30000; i++) {
        unsigned char bytes[4];
        deja_buffer text = { 0 };
        deja_buffer again = { 0 };
        uint32_t bits = deja_luck_next(&luck);
        if ((bits & 0x7fffffff) > 0x7f800000)
            bits = 0x7fc00000;
        deja__store32(bytes, bits);
        deja_value_print(layout, bytes, 4, &text, NULL);
        deja_value_parse(layout, (char *)text.bytes, text.size, &again, NULL);
        cr_assert(again.size == 4 && memcmp(again.bytes, bytes, 4) == 0, "%08x: %s", bits,
                  (char *)text.bytes);
        deja_buffer_release(&text);
        deja_buffer_release(&again);
    }
    deja_layout_destroy(layout);
}
