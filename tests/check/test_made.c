/* SPDX-License-Identifier: MIT */
/*
 * Commands that are made up from their layout.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "check/made.h"
#include "support/random_value.h"

TestSuite(made, .timeout = 60);

/* All commands of a row as text, a line each. */
static deja_buffer row_of(const char *text)
{
    deja_layout *layout = parse_layout(text);
    deja__made made = { 0 };
    deja_buffer out = { 0 };
    cr_assert(eq(i32, deja__made_init(&made, layout, NULL), DEJA_OK));
    for (uint32_t i = 0; i < made.count; i++) {
        const deja_span one = deja__made_at(&made, i);
        cr_assert(eq(i32, deja_value_print(layout, one.bytes, one.size, &out, NULL), DEJA_OK));
        deja_buffer_text(&out, "\n");
    }
    deja__made_release(&made);
    deja_layout_destroy(layout);
    return out;
}

Test(made, a_row_has_every_kind_and_the_ends_of_every_range)
{
    deja_buffer row = row_of("kind(nop|take{row:u8 by:i16})");
    cr_assert(strcmp((const char *)row.bytes, "nop\n"
                                              "take row=0 by=0\n"
                                              "take row=1 by=0\n"
                                              "take row=255 by=0\n"
                                              "take row=128 by=0\n"
                                              "take row=2 by=0\n"
                                              "take row=3 by=0\n"
                                              "take row=0 by=1\n"
                                              "take row=0 by=32767\n"
                                              "take row=0 by=-32768\n"
                                              "take row=0 by=2\n"
                                              "take row=0 by=-1\n") == 0,
              "%s", (const char *)row.bytes);
    deja_buffer_release(&row);
}

Test(made, a_row_has_every_name_and_both_answers)
{
    deja_buffer row = row_of("how:enum(a|b|c) yes:bool some:u8?");
    cr_assert(strcmp((const char *)row.bytes, "how=a yes=false some=-\n"
                                              "how=b yes=false some=-\n"
                                              "how=c yes=false some=-\n"
                                              "how=a yes=true some=-\n"
                                              "how=a yes=false some=0\n") == 0,
              "%s", (const char *)row.bytes);
    deja_buffer_release(&row);
}

Test(made, whatever_the_layout_all_are_valid_and_not_too_many)
{
    deja_luck luck;
    deja_luck_seed(&luck, 20261130, 1);
    for (uint32_t i = 0; i < 400; i++) {
        deja_layout *layout = random_layout(&luck);
        deja__made made = { 0 };
        deja_buffer one = { 0 };
        deja_error err = { 0 };
        cr_assert(eq(i32, deja__made_init(&made, layout, NULL), DEJA_OK));
        cr_assert(gt(u32, made.count, 0));
        cr_assert(le(u32, made.count, 400));
        for (uint32_t k = 0; k < made.count; k++) {
            const deja_span value = deja__made_at(&made, k);
            const deja_code code = deja_value_validate(layout, value.bytes, value.size, &err);
            cr_assert(eq(i32, code, DEJA_OK), "%s: %s", deja_layout_text(layout), err.message);
        }
        for (uint32_t k = 0; k < 20; k++) {
            deja_buffer_clear(&one);
            deja__made_random(layout, &luck, &one);
            const deja_code code = deja_value_validate(layout, one.bytes, one.size, &err);
            cr_assert(eq(i32, code, DEJA_OK), "%s: %s", deja_layout_text(layout), err.message);
        }
        deja_buffer_release(&one);
        deja__made_release(&made);
        deja_layout_destroy(layout);
    }
}
