/* SPDX-License-Identifier: MIT */
/*
 * Values as a game's description writes them, through everything that is made of bytes and layout.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "fields/all_kinds.h"
#include "fields/codec.h"
#include "fields/columns.h"
#include "support/library.h"
#include "support/random_value.h"
#include "support/values.h"

TestSuite(value_all_kinds, .timeout = 30);

enum { VALUES = 40 };

/* Appends the canonical bytes of the value that a seed gives. */
static void save(const deja_type *type, deja__codec *codec, uint64_t seed, deja_buffer *out)
{
    deja_error err = { 0 };
    void *value = deja__codec_value_create(codec);
    cr_assert(ne(ptr, value, NULL));
    if (type == &all_kinds_type)
        all_kinds_fill(value, seed);
    else
        all_command_fill(value, seed);
    const deja_code code = deja__codec_save(codec, value, out, &err);
    cr_assert(eq(i32, code, DEJA_OK), "%s", err.message);
    deja__codec_value_destroy(codec, value);
}

static bool count(void *user, const deja_difference *difference)
{
    uint32_t *calls = user;
    cr_assert(strcmp(difference->expected, difference->actual) != 0, "%s", difference->path);
    ++*calls;
    return true;
}

static void check_value(const deja_layout *layout, const deja_buffer *value,
                        const deja_buffer *before)
{
    deja_error err = { 0 };
    deja_buffer text = { 0 }, json = { 0 }, again = { 0 };
    deja_code code = deja_value_validate(layout, value->bytes, value->size, &err);
    cr_assert(eq(i32, code, DEJA_OK), "%s", err.message);
    cr_assert(eq(i32, deja_value_print(layout, value->bytes, value->size, &text, &err), DEJA_OK));
    code = deja_value_parse(layout, (char *)text.bytes, text.size, &again, &err);
    cr_assert(eq(i32, code, DEJA_OK), "%s", err.message);
    cr_assert(same_bytes(&again, value));
    code = deja_value_print_json(layout, value->bytes, value->size, &json, &err);
    cr_assert(eq(i32, code, DEJA_OK));
    uint32_t calls = 0;
    code = deja_value_compare(layout, span_of(before), span_of(value), count, &calls, &err);
    cr_assert(eq(i32, code, DEJA_OK), "%s", err.message);
    cr_assert(same_bytes(before, value) == (calls == 0));
    deja_buffer_release(&text);
    deja_buffer_release(&json);
    deja_buffer_release(&again);
}

static void check_type(const deja_type *type)
{
    deja_layout *layout = NULL;
    deja__codec *codec = NULL;
    deja_error err = { 0 };
    deja_code code = deja__describe(&layout, type, &err);
    cr_assert(eq(i32, code, DEJA_OK), "%s", err.message);
    code = deja__codec_create(&codec, type, layout, &err);
    cr_assert(eq(i32, code, DEJA_OK), "%s", err.message);
    deja_buffer all = { 0 }, before = { 0 }, columns = { 0 }, again = { 0 }, ends = { 0 };
    save(type, codec, 1000, &before);
    for (uint64_t seed = 0; seed < VALUES; seed++) {
        deja_buffer value = { 0 };
        save(type, codec, seed, &value);
        check_value(layout, &value, &before);
        deja_buffer_add(&all, value.bytes, value.size);
        deja_buffer_release(&before);
        before = value;
    }
    code = deja__columns_encode(layout, span_of(&all), VALUES, &columns, &err);
    cr_assert(eq(i32, code, DEJA_OK), "%s", err.message);
    code = deja__columns_decode(layout, span_of(&columns), VALUES, 1 << 26, &again, &ends, &err);
    cr_assert(eq(i32, code, DEJA_OK), "%s", err.message);
    cr_assert(same_bytes(&again, &all));
    deja_buffer_release(&all);
    deja_buffer_release(&before);
    deja_buffer_release(&columns);
    deja_buffer_release(&again);
    deja_buffer_release(&ends);
    deja__codec_destroy(codec);
    deja_layout_destroy(layout);
}

Test(value_all_kinds, states_go_through_text_json_columns_and_comparing)
{
    check_type(&all_kinds_type);
}

Test(value_all_kinds, commands_go_through_text_json_columns_and_comparing)
{
    check_type(&all_command_type);
}
