/* SPDX-License-Identifier: MIT */
/*
 * Mistakes that descriptions make, each of which is named: in names, memory, counts, what opens and
 * closes, what never ends, what only a newer deja knows.
 */
#include "fields/mistakes.h"

#include <stdio.h>

TestSuite(mistakes, .timeout = 30);

/* ---- mistakes: names ---- */

MISTAKE(twice, {
    deja_u8(f, "a", &p->a);
    deja_u8(f, "a", &p->b);
})
MISTAKE(bad_name, deja_u8(f, "a b", &p->a);)
MISTAKE(empty_name, deja_u8(f, "", &p->a);)
MISTAKE(long_name,
        deja_u8(f, "a234567890123456789012345678901234567890123456789012345678901234", &p->a);)
MISTAKE(escape_name, deja_u8(f, "a\033[2J", &p->a);)
MISTAKE(no_name, {
    deja_u8(f, "a", &p->a);
    deja_u8(f, NULL, &p->b);
})

static const char *const bad_names[] = { "good", "not good" };
static const char *const null_names[] = { "good", NULL };
static const char *const same_names[] = { "good", "fine", "good" };

MISTAKE(bad_enum_name, deja_enum(f, "a", &p->a, bad_names);)
MISTAKE(null_enum_name, deja_enum(f, "a", &p->a, null_names);)
MISTAKE(same_enum_name, deja_flags(f, "a", &p->a, same_names);)
MISTAKE(bad_kind_name, (void)deja_kind(f, &p->kind, bad_names);)
MISTAKE(same_kind_name, (void)deja_kind(f, &p->kind, same_names);)
MISTAKE(no_enum_names, deja__enum(f, "a", &p->a, 1, NULL, 0);)
MISTAKE(no_kind_names, (void)deja__kind(f, &p->kind, 4, NULL, 0);)

/* So many names; those of a real table are never looked at, as the count is refused first. */
static const char *many_names[5000];
MISTAKE(too_many_names, deja__enum(f, "n", &p->n, 4, many_names, 4097);)
MISTAKE(too_many_kinds, (void)deja__kind(f, &p->kind, 4, many_names, 4097);)
MISTAKE(too_narrow_enum, deja__enum(f, "a", &p->a, 1, many_names, 257);)
MISTAKE(too_narrow_flags, deja__named(f, "a", &p->a, DEJA_FLAGS, DEJA_ONE, 1, 1, 0, many_names, 9);)

Test(mistakes, names_mistakes_with_names)
{
    assert_unfit(TYPE(plain, twice), "'a' is named twice");
    assert_unfit(TYPE(plain, bad_name), "'a b' is not a name");
    assert_unfit(TYPE(plain, empty_name), "'' is not a name");
    assert_unfit(
        TYPE(plain, long_name),
        "'a234567890123456789012345678901234567890123456789012345678901234' is not a name");
    assert_unfit(TYPE(plain, escape_name), "'a?[2J' is not a name");
    assert_unfit(TYPE(plain, no_name), "a field has no name");
    assert_unfit(TYPE(plain, bad_enum_name),
                 "'a' has the name 'not good' for 1, which is not a name");
    assert_unfit(TYPE(plain, null_enum_name), "'a' has the name '' for 1, which is not a name");
    assert_unfit(TYPE(plain, same_enum_name), "'good' is named twice in 'a'");
    assert_unfit(TYPE(plain, bad_kind_name),
                 "'the kind' has the name 'not good' for 1, which is not a name");
    assert_unfit(TYPE(plain, same_kind_name), "'good' is named twice");
    assert_unfit(TYPE(plain, no_enum_names), "'a' has no names");
    assert_unfit(TYPE(plain, no_kind_names), "'the kind' has no names");
    assert_unfit(TYPE(plain, too_many_names), "'n' has 4097 names, the most is 4096");
    assert_unfit(TYPE(plain, too_many_kinds), "'the kind' has 4097 names, the most is 4096");
    assert_unfit(TYPE(plain, too_narrow_enum),
                 "'a' has 257 names, which its 1 bytes cannot tell apart");
    assert_unfit(TYPE(plain, too_narrow_flags),
                 "'a' has 9 names, which its 1 bytes cannot tell apart");
}

/* ---- mistakes: memory ---- */

MISTAKE(big_capacity, {
    deja_list(f, "big", p->list, &p->count, 16, deja_u8);
    deja_array(f, "after", p->after, 8, deja_u8);
})
MISTAKE(two_names, {
    deja_u8(f, "a", &p->a);
    deja_u8(f, "also", &p->a);
})
MISTAKE(big_struct_list, {
    deja_struct_list(f, "points", p->points, &p->count, 4, all_point_fields);
    deja_struct_array(f, "more", p->more, 2, all_point_fields);
})
MISTAKE(past_the_end, deja_bytes(f, "more", p->more, sizeof p->more + 8);)
/* What the compiler cannot see to be NULL. */
static void *volatile nowhere;

MISTAKE(null_value, deja_u8(f, "a", nowhere);)
MISTAKE(null_text, deja_text(f, "text", nowhere, 8);)
MISTAKE(null_count, deja__ask(f, "list", p->list, DEJA__WHAT(DEJA_U8, DEJA_LIST, 1), 8, NULL, 0);)
MISTAKE(shared_count, {
    deja_list(f, "list", p->list, &p->count, 8, deja_u8);
    deja_list(f, "after", p->after, &p->count, 8, deja_u8);
})
MISTAKE(elsewhere, {
    static uint8_t bytes[4];
    (void)p;
    deja_array(f, "one", bytes, 4, deja_u8);
    deja_array(f, "two", bytes, 4, deja_u8);
})

Test(mistakes, names_memory_that_is_named_twice_or_is_not_there)
{
    assert_unfit(TYPE(plain, big_capacity), "'big' names bytes that 'after' names, too");
    assert_unfit(TYPE(plain, two_names), "'a' names bytes that 'also' names, too");
    assert_unfit(TYPE(plain, big_struct_list), "'points' names bytes that 'more.x' names, too");
    assert_unfit(TYPE(plain, past_the_end),
                 "'more' reaches past the end of the 68 bytes of its type");
    assert_unfit(TYPE(plain, null_value), "'a' has no memory: its pointer is NULL");
    assert_unfit(TYPE(plain, null_text), "'text' has no memory: its pointer is NULL");
    assert_unfit(TYPE(plain, null_count), "'list' has no count: its pointer is NULL");
    assert_layout(TYPE(plain, shared_count), "list:u8[..8] after:u8[..8]");
    assert_layout(TYPE(plain, elsewhere), "one:u8[4] two:u8[4]");
}

/* ---- mistakes: counts ---- */

MISTAKE(empty_array, deja_array(f, "list", p->list, 0, deja_u8);)
MISTAKE(empty_list, deja_list(f, "list", p->list, &p->count, 0, deja_u8);)
MISTAKE(empty_grid, deja_grid(f, "list", p->list, 0, 4, deja_u8);)
MISTAKE(empty_bytes, deja_bytes(f, "text", p->text, 0);)
MISTAKE(empty_text, deja_text(f, "text", p->text, 1);)
MISTAKE(empty_structs, { deja_struct_array(f, "list", p->points, 0, all_point_fields); })
MISTAKE(empty_items, deja_close(f, deja_list_open(f, "list", 0, 0));)
MISTAKE(uneven_grid, deja__many(f, "list", p->list, 8, DEJA__WHAT(DEJA_U8, DEJA_GRID, 1), 3);)
MISTAKE(huge_array,
        deja__many(f, "list", p->list, (uint64_t)1 << 32, DEJA__WHAT(DEJA_U8, DEJA_ARRAY, 1), 0);)
MISTAKE(large_value, {
    const uint8_t far = 0; /* from the stack on there is nothing of the value */
    deja_blocks(f, "cells", &far, 0x7fffffff, deja_u8);
})

Test(mistakes, names_counts_that_cannot_be)
{
    assert_unfit(TYPE(plain, empty_array), "'list' has room for nothing");
    assert_unfit(TYPE(plain, empty_list), "'list' has room for nothing");
    assert_unfit(TYPE(plain, empty_grid), "'list' has room for nothing");
    assert_unfit(TYPE(plain, empty_bytes), "'text' has room for nothing");
    assert_unfit(TYPE(plain, empty_text), "'text' has room for nothing");
    assert_unfit(TYPE(plain, empty_structs), "'list' has room for nothing");
    assert_unfit(TYPE(plain, empty_items), "'list' has room for nothing");
    assert_unfit(TYPE(plain, uneven_grid), "'list' has 8 items, which are not rows of 3");
    assert_unfit(TYPE(plain, huge_array), "'list' has room for 4294967296, the most is 4294967295");
    assert_unfit(TYPE(plain, large_value), "'cells' takes more than 1073741824 bytes");
}

/* ---- mistakes: what opens and closes ---- */

static void nothing(deja_fields *f, const plain *p)
{
    (void)f;
    (void)p;
}

MISTAKE(not_closed, {
    (void)deja_list_open(f, "units", 0, 4);
    deja_u8(f, "a", &p->a);
})
MISTAKE(not_closed_struct, {
    (void)deja__open_struct(f, "inner", p, sizeof *p);
    deja_u8(f, "a", &p->a);
})
MISTAKE(closed_wrongly, {
    const deja_opened list = deja_list_open(f, "units", 0, 4);
    const deja_opened inner = deja__open_struct(f, NULL, p, sizeof *p);
    deja_u8(f, "a", &p->a);
    deja_close(f, list);
    deja_close(f, inner);
})
MISTAKE(closed_twice, {
    const deja_opened inner = deja__open_struct(f, "inner", p, sizeof *p);
    deja_u8(f, "a", &p->a);
    deja_close(f, inner);
    deja_close(f, inner);
})
MISTAKE(closed_with_optional, {
    const deja_opened inner = deja__open_struct(f, "inner", p, sizeof *p);
    (void)deja_optional(f, "offer", &p->there);
    deja_close(f, inner);
})
MISTAKE(items_without_fields, { deja_struct_array(f, "list", p, 1, nothing); })
MISTAKE(too_few_items, {
    const deja_opened opened = deja_list_open(f, "units", 0, 4);
    deja_u8(f, NULL, &p->a);
    deja_close(f, opened);
})
MISTAKE(too_many_items, {
    const deja_opened opened = deja_list_open(f, "units", 0, 4);
    deja_u8(f, NULL, &p->a);
    deja_u8(f, NULL, &p->b);
    deja_close(f, opened);
})
MISTAKE(unwalked, { deja_close(f, deja_list_open(f, "units", 0, 4)); })
MISTAKE(value_then_name, {
    const deja_opened opened = deja_list_open(f, "units", 0, 4);
    for (uint32_t i = 0; i < opened.count; i++) {
        deja_u8(f, NULL, &p->a);
        deja_u8(f, "b", &p->b);
    }
    deja_close(f, opened);
})
MISTAKE(unnamed_in_struct_array, {
    const deja_opened opened = deja__open_array(f, "list", p, sizeof *p, DEJA_ARRAY, 1, 0);
    deja_u8(f, NULL, &p->a);
    deja_close(f, opened);
})
MISTAKE(named_key, {
    const deja_opened opened = deja_map_open(f, "prices", 0, 4);
    deja_u8(f, "key", &p->a);
    deja_close(f, opened);
})
MISTAKE(struct_key, {
    const deja_opened opened = deja_set_open(f, "seen", 0, 4);
    for (uint32_t i = 0; i < opened.count; i++)
        deja_struct(f, NULL, p->points, all_point_fields);
    deja_close(f, opened);
})
MISTAKE(key_only, {
    const deja_opened opened = deja_map_open(f, "prices", 0, 4);
    for (uint32_t i = 0; i < opened.count; i++)
        deja_u8(f, NULL, &p->a);
    deja_close(f, opened);
})
MISTAKE(named_then_value, {
    const deja_opened opened = deja_list_open(f, "units", 0, 4);
    for (uint32_t i = 0; i < opened.count; i++)
        if (i == 0)
            deja_u8(f, NULL, &p->a);
        else
            deja_u8(f, "b", &p->b);
    deja_close(f, opened);
})

Test(mistakes, names_what_is_opened_or_closed_wrongly)
{
    assert_unfit(TYPE(plain, not_closed), "something is opened and not closed in 'units'");
    assert_unfit(TYPE(plain, not_closed_struct), "something is opened and not closed in 'inner'");
    assert_unfit(TYPE(plain, closed_wrongly),
                 "something is closed that was not opened last in 'units'");
    assert_unfit(TYPE(plain, closed_twice), "something is closed that was not opened last");
    assert_unfit(TYPE(plain, closed_with_optional),
                 "an optional is present and its value is not named in 'inner.offer'");
    assert_unfit(TYPE(plain, items_without_fields), "no fields are named for an item in 'list'");
    assert_unfit(TYPE(plain, too_few_items), "1 items are described where there are 2 in 'units'");
    assert_unfit(TYPE(plain, too_many_items),
                 "a value without a name stands where its items should end in 'units'");
    assert_unfit(TYPE(plain, unwalked), "no fields are named for an item in 'units'");
    assert_unfit(TYPE(plain, value_then_name),
                 "'b' is named where its items should end in 'units'");
    assert_unfit(TYPE(plain, unnamed_in_struct_array),
                 "a value without a name stands where the name of an item's field should be in "
                 "'list'");
    assert_unfit(TYPE(plain, named_key),
                 "'key' is named where a key should be, without a name in 'prices'");
    assert_unfit(TYPE(plain, struct_key),
                 "'seen' has keys that are no integer, bool, enum, text or bytes");
    assert_unfit(TYPE(plain, key_only), "a key has no value in 'prices'");
    assert_unfit(TYPE(plain, named_then_value),
                 "'b' is named where a value without a name should be in 'units'");
}

MISTAKE(half_taken_text, {
    all_text text = { NULL, 0 };
    const uint32_t size =
        deja__ask(f, "text", NULL, DEJA__WHAT(DEJA_TEXT, DEJA_LIST, 1), 20, &text.size, 0);
    if (size != 0)
        deja__ask(f, "text", p->text, DEJA__WHAT(DEJA_TEXT, DEJA_FILL, 1), size + 1, NULL, 0);
})
MISTAKE(untaken_text, {
    uint32_t size = 0;
    (void)deja__ask(f, "text", NULL, DEJA__WHAT(DEJA_TEXT, DEJA_LIST, 1), 20, &size, 0);
    deja_u8(f, "a", &p->a);
})
MISTAKE(untaken_last_text, {
    uint32_t size = 0;
    (void)p;
    (void)deja__ask(f, "text", NULL, DEJA__WHAT(DEJA_TEXT, DEJA_LIST, 1), 20, &size, 0);
})

Test(mistakes, names_a_growing_text_that_is_not_taken)
{
    assert_unfit(TYPE(plain, half_taken_text), "a text of 1 bytes takes 2");
    assert_unfit(TYPE(plain, untaken_text), "a text is asked for and not taken");
    assert_unfit(TYPE(plain, untaken_last_text), "a text is asked for and not taken");
}

/* ---- what never ends ---- */

typedef struct node {
    uint8_t a;
    uint32_t kind;
    bool there;
    uint32_t count;
    struct node *next;
} node;

static void node_list(deja_fields *f, const node *n)
{
    deja_u8(f, "a", &n->a);
    deja_struct_list(f, "children", n, &n->count, 9, node_list);
}

static void node_optional(deja_fields *f, const node *n)
{
    deja_u8(f, "a", &n->a);
    if (deja_optional(f, "next", &n->there))
        deja_struct(f, NULL, n, node_optional);
}

static void node_kind(deja_fields *f, const node *n)
{
    if (deja_kind(f, &n->kind, abc) != 1)
        deja_struct(f, "next", n, node_kind);
}

/* As compilers would say so, too. */
static volatile bool always = true;

static void node_always(deja_fields *f, const node *n)
{
    if (always)
        deja_struct(f, "next", n, node_always);
}

static void node_tree(deja_fields *f, const node *n)
{
    deja_struct_list(f, "left", n, &n->count, 9, node_tree);
    deja_struct_list(f, "right", n, &n->count, 9, node_tree);
}

static void node_loop(deja_fields *f, const node *n)
{
    for (;;)
        deja_u8(f, "a", &n->a);
}

static void node_late_loop(deja_fields *f, const node *n)
{
    deja_bool(f, "there", &n->there);
    while (n->there)
        deja_derived(f, "cache", &n->a, 1);
}

#define UNTYPED(name, function)                         \
    static void name(deja_fields *f, const void *value) \
    {                                                   \
        function(f, value);                             \
    }
UNTYPED(list_in_itself, node_list)
UNTYPED(optional_in_itself, node_optional)
UNTYPED(kind_in_itself, node_kind)
UNTYPED(always_in_itself, node_always)
UNTYPED(tree_in_itself, node_tree)
UNTYPED(endless, node_loop)
UNTYPED(endless_later, node_late_loop)

static void assert_in_itself(deja_fields_fn *fields, const char *where)
{
    char message[512] = "structs are nested deeper than 32 (is one inside itself?) in '";
    deja_layout *layout;
    deja_error err = { 0 };
    const deja_code code =
        deja__describe(&layout, &(deja_type){ sizeof(node), fields, NULL, NULL }, &err);
    cr_assert(eq(int, code, DEJA_EUNFIT));
    strcat(message, where);
    cr_assert(eq(int, strncmp(err.message, message, strlen(message)), 0), "%s", err.message);
}

Test(mistakes, names_a_struct_that_is_inside_itself)
{
    assert_in_itself(list_in_itself, "children.children.");
    assert_in_itself(optional_in_itself, "next.next.");
    assert_in_itself(kind_in_itself, "a.next.a.next.");
    assert_in_itself(always_in_itself, "next.next.");
    assert_in_itself(tree_in_itself, "left.left.");
}

Test(mistakes, leaves_a_description_that_does_not_end)
{
    assert_unfit(TYPE(node, endless), "the layout's text is longer than 65536");
    assert_unfit(TYPE(node, endless_later), "the description makes more than 4194304 calls");
}

/* ---- what this deja does not know ---- */

static void ask(deja_fields *f, const deja_field *field)
{
    (void)f->visit(f, field);
}

MISTAKE(unknown_kind, {
    ask(f, &(deja_field){ .size = sizeof(deja_field),
                          .kind = 40,
                          .name = "wind",
                          .value = &p->a,
                          .value_size = 1,
                          .count = 1 });
    deja_u8(f, "b", &p->b);
})
MISTAKE(unknown_kind_that_opens, {
    const deja_field wind = { .size = sizeof(deja_field), .kind = 24, .name = "wind", .count = 1 };
    const deja_field close = { .size = sizeof(deja_field), .kind = DEJA_CLOSE, .count = 24 };
    ask(f, &wind);
    deja_u8(f, "b", &p->b);
    ask(f, &close);
})
MISTAKE(unknown_shape, {
    ask(f, &(deja_field){ .size = sizeof(deja_field) + 8,
                          .kind = DEJA_U8,
                          .shape = 9,
                          .name = "wind",
                          .value = &p->a,
                          .value_size = 1,
                          .count = 1 });
})
MISTAKE(shape_of_another_kind,
        { deja__ask(f, "luck", p->list, DEJA__WHAT(DEJA_RNG, DEJA_ARRAY, 24), 2, NULL, 0); })
MISTAKE(wrong_size, deja__ask(f, "a", &p->a, DEJA__WHAT(DEJA_U32, DEJA_ONE, 1), 1, NULL, 0);)
MISTAKE(short_call, {
    ask(f, &(deja_field){ .size = 72, .kind = DEJA_U8, .name = "a", .value = &p->a, .count = 1 });
})
MISTAKE(longer_call, {
    ask(f, &(deja_field){ .size = 200,
                          .kind = DEJA_U8,
                          .name = "a",
                          .value = &p->a,
                          .value_size = 1,
                          .count = 1 });
})

Test(mistakes, refuses_what_a_newer_header_says)
{
    assert_unfit(TYPE(plain, unknown_kind),
                 "field 'wind' is of kind 40, which this deja does not know (it knows ABI 1.0)");
    assert_unfit(TYPE(plain, unknown_kind_that_opens),
                 "field 'wind' is of kind 24, which this deja does not know (it knows ABI 1.0)");
    assert_unfit(TYPE(plain, unknown_shape),
                 "field 'wind' is of kind 2 in shape 9, which this deja does not know (it knows "
                 "ABI 1.0)");
    assert_unfit(TYPE(plain, shape_of_another_kind),
                 "field 'luck' is of kind 16 in shape 1, which this deja does not know (it knows "
                 "ABI 1.0)");
    assert_unfit(TYPE(plain, wrong_size), "'a' is of 1 bytes, which its kind 4 is not");
    assert_unfit(TYPE(plain, short_call), "a call of 72 bytes, which no header of deja makes");
    assert_layout(TYPE(plain, longer_call), "a:u8");
}
