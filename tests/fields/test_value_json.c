/* SPDX-License-Identifier: MIT */
/*
 * Values as JSON: sound, without doubled keys, and exact.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "base/base.h"
#include "support/library.h"
#include "support/random_value.h"
#include "support/values.h"

TestSuite(value_json, .timeout = 30);

static void assert_json(const char *layout_text, const char *text, const char *json)
{
    deja_layout *layout = parse_layout(layout_text);
    deja_buffer value = value_of(layout, text);
    deja_buffer out = { 0 };
    deja_error err = { 0 };
    const deja_code code = deja_value_print_json(layout, value.bytes, value.size, &out, &err);
    cr_assert(eq(i32, code, DEJA_OK), "%s", err.message);
    assert_text((char *)out.bytes, json);
    deja_buffer_release(&value);
    deja_buffer_release(&out);
    deja_layout_destroy(layout);
}

Test(value_json, a_kind_is_an_object_with_its_name)
{
    assert_json("kind(take{row:u8 n:u8}|resign)", "take row=0 n=3",
                "{\"take\":{\"row\":0,\"n\":3}}");
    assert_json("kind(take{row:u8 n:u8}|resign)", "resign", "{\"resign\":{}}");
    assert_json("-", "-", "{}");
}

Test(value_json, integers_of_64_bits_are_strings)
{
    assert_json("a:u64 b:i64 c:u32 d:i8", "a=18446744073709551615 b=-1 c=4294967295 d=-128",
                "{\"a\":\"18446744073709551615\",\"b\":\"-1\",\"c\":4294967295,\"d\":-128}");
    assert_json("r:rng", "r=00000000000000ff.0000000000000001.0000000000000010",
                "{\"r\":{\"state\":\"00000000000000ff\",\"increment\":\"0000000000000001\","
                "\"draws\":\"16\"}}");
}

Test(value_json, floats_without_a_number_are_strings)
{
    assert_json("a:f32[6]", "a=0.1,-0,nan,inf,-inf,1e30",
                "{\"a\":[0.1,-0.0,\"nan\",\"inf\",\"-inf\",1e+30]}");
    assert_json("a:f64[4]", "a=0.1,-0,nan,-inf", "{\"a\":[0.1,-0.0,\"nan\",\"-inf\"]}");
}

Test(value_json, names_and_text_are_strings)
{
    assert_json("e:enum(calm|angry) f:flags(a|b|c) t:text[..20] d:bytes[2] b:bool",
                "e=angry f=a+c t=\"a\\\"b\\n\xc3\xa9\" d=00ff b=true",
                "{\"e\":\"angry\",\"f\":[\"a\",\"c\"],\"t\":\"a\\\"b\\n\xc3\xa9\",\"d\":\"00ff\","
                "\"b\":true}");
    assert_json("f:flags(a|b)", "f=-", "{\"f\":[]}");
}

Test(value_json, containers_are_arrays)
{
    assert_json("l:u8[..4] g:u8[2][3] o:u8? p:u8?", "l=7,5 g=1,2,3,4,5,6 o=- p=4",
                "{\"l\":[7,5],\"g\":[[1,2,3],[4,5,6]],\"o\":null,\"p\":4}");
    assert_json("l:u8[..4] s:set(i8)[..4] b:blocks(u8)[2]", "l=- s=-1,3 b=1,2",
                "{\"l\":[],\"s\":[-1,3],\"b\":[1,2]}");
    assert_json(
        "m:map(text[..9] {n:u8})[..3]", "m={a={n=1} b={n=2}}",
        "{\"m\":[{\"key\":\"a\",\"value\":{\"n\":1}},{\"key\":\"b\",\"value\":{\"n\":2}}]}");
    assert_json("s:section({x:u8})", "s={x=1}", "{\"s\":{\"x\":1}}");
}

Test(value_json, invalid_bytes_are_refused)
{
    deja_layout *layout = parse_layout("a:bool");
    deja_buffer out = { 0 };
    cr_assert(eq(i32, deja_value_print_json(layout, "\2", 1, &out, NULL), DEJA_EFORMAT));
    cr_assert(eq(u64, out.size, 0));
    deja_layout_destroy(layout);
}

/* ---- a reader of JSON, to hold the printer against ---- */

typedef struct reader {
    const char *at;
} reader;

static bool read_value(reader *r);

static bool read_string(reader *r)
{
    if (*r->at++ != '"')
        return false;
    for (; *r->at != '"'; r->at++) {
        if ((unsigned char)*r->at < 0x20)
            return false;
        if (*r->at != '\\')
            continue;
        r->at++;
        if (*r->at == 'u') {
            for (uint32_t i = 1; i <= 4; i++)
                if (!r->at[i] || !strchr("0123456789abcdefABCDEF", r->at[i]))
                    return false;
            r->at += 4;
        } else if (!*r->at || !strchr("\"\\/bfnrt", *r->at)) {
            return false;
        }
    }
    r->at++;
    return true;
}

static bool read_number(reader *r)
{
    r->at += *r->at == '-';
    if (*r->at == '0' && r->at[1] >= '0' && r->at[1] <= '9')
        return false;
    const char *digits = r->at;
    r->at += strspn(r->at, "0123456789");
    if (r->at == digits)
        return false;
    if (*r->at == '.') {
        const size_t more = strspn(r->at + 1, "0123456789");
        if (more == 0)
            return false;
        r->at += 1 + more;
    }
    if (*r->at == 'e') {
        r->at++;
        r->at += *r->at == '+' || *r->at == '-';
        const size_t more = strspn(r->at, "0123456789");
        r->at += more;
        return more != 0;
    }
    return true;
}

static bool read_object(reader *r)
{
    const char *keys[64];
    size_t sizes[64];
    uint32_t count = 0;
    for (r->at++; *r->at != '}';) {
        if (count > 0 && *r->at++ != ',')
            return false;
        keys[count] = r->at;
        if (!read_string(r))
            return false;
        sizes[count] = (size_t)(r->at - keys[count]);
        for (uint32_t i = 0; i < count; i++)
            if (sizes[i] == sizes[count] && memcmp(keys[i], keys[count], sizes[i]) == 0)
                return false;
        count++;
        if (*r->at++ != ':' || !read_value(r))
            return false;
    }
    r->at++;
    return true;
}

static bool read_array(reader *r)
{
    uint32_t count = 0;
    for (r->at++; *r->at != ']'; count++) {
        if (count > 0 && *r->at++ != ',')
            return false;
        if (!read_value(r))
            return false;
    }
    r->at++;
    return true;
}

static bool read_value(reader *r)
{
    static const char *const words[] = { "true", "false", "null" };
    if (*r->at == '{')
        return read_object(r);
    if (*r->at == '[')
        return read_array(r);
    if (*r->at == '"')
        return read_string(r);
    for (uint32_t i = 0; i < 3; i++) {
        if (strncmp(r->at, words[i], strlen(words[i])) == 0) {
            r->at += strlen(words[i]);
            return true;
        }
    }
    return read_number(r);
}

Test(value_json, every_value_is_sound_json_without_doubled_keys)
{
    deja_luck luck;
    deja_luck_seed(&luck, 6, 0);
    for (uint32_t round = 0; round < 4000; round++) {
        deja_layout *layout = random_layout(&luck);
        deja_buffer value = { 0 };
        deja_buffer json = { 0 };
        random_value(&luck, layout, &value);
        const deja_code code = deja_value_print_json(layout, value.bytes, value.size, &json, NULL);
        cr_assert(eq(i32, code, DEJA_OK));
        reader r = { (const char *)json.bytes };
        const bool sound = read_value(&r) && *r.at == 0;
        cr_assert(sound, "%s: at %s", (char *)json.bytes, r.at);
        deja_buffer_release(&value);
        deja_buffer_release(&json);
        deja_layout_destroy(layout);
    }
}
