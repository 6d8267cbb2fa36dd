/* SPDX-License-Identifier: MIT */
#include "support/values.h"

#include "base/base.h"
#include "support/library.h"
#include "support/random_value.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

deja_span span_of(const deja_buffer *buffer)
{
    return (deja_span){ buffer->bytes, buffer->size };
}

bool same_bytes(const deja_buffer *a, const deja_buffer *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->bytes, b->bytes, a->size) == 0);
}

deja_buffer value_of(const deja_layout *layout, const char *text)
{
    deja_buffer value = { 0 };
    deja_error err = { 0 };
    const deja_code code = deja_value_parse(layout, text, strlen(text), &value, &err);
    cr_assert(eq(i32, code, DEJA_OK), "%s: %s", text, err.message);
    return value;
}

void assert_reads_as(const char *layout_text, const char *text, const char *printed)
{
    deja_layout *layout = parse_layout(layout_text);
    deja_buffer value = value_of(layout, text);
    deja_buffer again = { 0 };
    deja_error err = { 0 };
    const deja_code code = deja_value_print(layout, value.bytes, value.size, &again, &err);
    cr_assert(eq(i32, code, DEJA_OK), "%s", err.message);
    assert_text((const char *)again.bytes, printed);
    deja_buffer_release(&again);
    deja_buffer_release(&value);
    deja_layout_destroy(layout);
}

void assert_refused(const char *layout_text, const char *text, const char *message)
{
    deja_layout *layout = parse_layout(layout_text);
    deja_buffer value = { 0 };
    deja_error err = { 0 };
    deja_buffer_text(&value, "kept");
    const deja_code code = deja_value_parse(layout, text, strlen(text), &value, &err);
    cr_assert(eq(i32, code, DEJA_EFORMAT), "%s: %s", text, err.message);
    assert_text(err.message, message);
    assert_text((const char *)value.bytes, "kept");
    cr_assert(eq(i32, deja_value_parse(layout, text, strlen(text), &value, NULL), DEJA_EFORMAT));
    deja_buffer_release(&value);
    deja_layout_destroy(layout);
}

static bool note(void *user, const deja_difference *difference)
{
    deja_buffer *all = user;
    deja__print(all, "%s%s: %s / %s", all->size ? "; " : "", difference->path, difference->expected,
                difference->actual);
    return true;
}

deja_buffer differences_of(const deja_layout *layout, deja_span expected, deja_span actual)
{
    deja_buffer all = { 0 };
    deja_error err = { 0 };
    deja_buffer_text(&all, "");
    const deja_code code = deja_value_compare(layout, expected, actual, note, &all, &err);
    cr_assert(eq(i32, code, DEJA_OK), "%s", err.message);
    return all;
}
