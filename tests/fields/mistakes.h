/* SPDX-License-Identifier: MIT */
/*
 * What tests of describing begin with: a layout or a message that is expected, and a struct to make
 * mistakes with.
 */
#ifndef DEJA_TESTS_FIELDS_MISTAKES_H
#define DEJA_TESTS_FIELDS_MISTAKES_H

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "fields/all_kinds.h"
#include "fields/codec.h"
#include "fields/layout.h"

static inline void assert_layout(const deja_type *type, const char *expected)
{
    deja_layout *layout = NULL;
    deja_error err = { 0 };
    const deja_code code = deja__describe(&layout, type, &err);
    cr_assert(eq(int, code, DEJA_OK), "%s: %s", expected, err.message);
    cr_assert(eq(str, (char *)deja_layout_text(layout), (char *)expected));

    deja_layout *again = NULL;
    const deja_code parsed = deja_layout_parse(&again, layout->text, layout->text_size, &err);
    cr_assert(eq(int, parsed, DEJA_OK), "%s", err.message);
    deja_layout_destroy(again);
    deja_layout_destroy(layout);
}

static inline void assert_unfit(const deja_type *type, const char *message)
{
    deja_layout *layout = (deja_layout *)1;
    deja_error err = { 0 };
    const deja_code code = deja__describe(&layout, type, &err);
    cr_assert(eq(int, code, DEJA_EUNFIT), "%s", message);
    cr_assert(eq(ptr, layout, NULL));
    cr_assert(eq(int, err.code, DEJA_EUNFIT));
    cr_assert(eq(str, (char *)err.message, (char *)message));
    const deja_code silent = deja__describe(&layout, type, NULL);
    cr_assert(eq(int, silent, DEJA_EUNFIT));
}

#define TYPE(struct_name, function) (&(deja_type){ sizeof(struct_name), function, NULL, NULL })

static const char *const ab[] ALL_UNUSED = { "a", "b" };
static const char *const abc[] ALL_UNUSED = { "a", "b", "c" };

typedef struct plain {
    uint8_t a;
    uint8_t b;
    uint32_t n;
    bool there;
    uint8_t list[8];
    uint32_t count;
    uint8_t after[8];
    uint32_t kind;
    uint32_t kind2;
    char text[8];
    uint16_t wide;
    all_point points[2];
    all_point more[2];
} plain;

#define MISTAKE(name, ...)                              \
    static void name(deja_fields *f, const void *value) \
    {                                                   \
        const plain *p = value;                         \
        (void)p;                                        \
        __VA_ARGS__                                     \
    }

#endif
