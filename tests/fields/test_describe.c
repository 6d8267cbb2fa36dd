/* SPDX-License-Identifier: MIT */
/*
 * Learning a layout from a description, whose calls may not depend on values.
 */
#include "fields/mistakes.h"

#include <stdio.h>

TestSuite(describe, .timeout = 30);

#define PLAYER                                                    \
    "pressed:flags(left|right|jump) held:flags(left|right|jump) " \
    "released:flags(left|right|jump)"

/* ---- what is right ---- */

Test(describe, learns_every_kind_in_every_shape)
{
    assert_layout(
        &all_kinds_type,
        "flag:bool u8:u8 u16:u16 u32:u32 u64:u64 i8:i8 i16:i16 i32:i32 i64:i64 f32:f32 f64:f64 "
        "mood8:enum(calm|angry|asleep) mood16:enum(calm|angry|asleep) "
        "mood32:enum(calm|angry|asleep) traits8:flags(fast|strong|shy) "
        "traits16:flags(fast|strong|shy) traits32:flags(fast|strong|shy) key:bytes[17] "
        "name:text[..19] luck:rng "
        "bools:bool[5] u8s:u8[3] u16s:u16[3] i32s:i32[1300] i64s:i64[2] f32s:f32[7] f64s:f64[3] "
        "mood_array:enum(calm|angry|asleep)[4] trait_array:flags(fast|strong|shy)[2] "
        "board:u8[3][4] fog:bool[2][3] heights:f64[2][2] "
        "mood_grid:enum(calm|angry|asleep)[2][3] corners:{x:i16 y:i16}[2][2] "
        "bool_list:bool[..6] u8_list:u8[..40] i16_list:i16[..7] u64_list:u64[..5] "
        "f32_list:f32[..9] mood_list:enum(calm|angry|asleep)[..8] "
        "trait_list:flags(fast|strong|shy)[..4] "
        "offer:i32? moves:u8[..5]? spot:{x:i16 y:i16}? note:text[..8]? "
        "curse:kind(none|poison{turns:u16 power:f32}|curse{word:text[..11] "
        "inner:kind(plain{level:u8}|odd{why:text[..5] level:u8})}|move{by:{x:i16 y:i16}})? "
        "origin:{x:i16 y:i16} "
        "effect:kind(none|poison{turns:u16 power:f32}|curse{word:text[..11] "
        "inner:kind(plain{level:u8}|odd{why:text[..5] level:u8})}|move{by:{x:i16 y:i16}}) "
        "ring:{x:i16 y:i16}[3] "
        "army:section({units:{id:u64 hp:i16 mood:enum(calm|angry|asleep) name:text[..15] "
        "effects:kind(none|poison{turns:u16 power:f32}|curse{word:text[..11] "
        "inner:kind(plain{level:u8}|odd{why:text[..5] level:u8})}|move{by:{x:i16 y:i16}})[..3] "
        "target:u32? path:{x:i16 y:i16}[..4]}[..4] "
        "store:section({gold:u32 open:bool stock:u16[5] site:{x:i16 y:i16}}) morale:i64}) "
        "block_bytes:blocks(u8)[200] block_bools:blocks(bool)[70] block_floats:blocks(f32)[33] "
        "block_words:blocks(u64)[9] "
        "prices:map(u16 {x:i16 y:i16})[..4] wares:map(text[..7] {count:u8 sold:bool})[..3] "
        "tempers:map(enum(calm|angry|asleep) u32)[..3] seen:set(i32)[..6] "
        "marks:set(bytes[4])[..3] links:{weight:i32 at:{x:i16 y:i16}}[..6] story:text[..5000] "
        "lines:text[..30][..3] heap:u8[..5000] "
        "can:{wait:u32 left:u32} rain:{period:u32 counted:u32}[2] inputs:{" PLAYER "}[2] "
        "ghosts:{" PLAYER "}[..3] last:u64");
}

Test(describe, learns_every_alternative_of_a_kind)
{
    assert_layout(&all_command_type,
                  "kind(pass|take{row:u8 n:u8}|place{at:{x:i16 y:i16} mood:enum(calm|angry|asleep) "
                  "mood32:enum(calm|angry|asleep) now:bool cost:u64}|paint{board:u8[2][3] "
                  "shade:f32 depth:f64 traits:flags(fast|strong|shy) wet:bool[3]}|wait{luck:rng "
                  "key:bytes[5] until:i64[2]}|charge{path:{x:i16 y:i16}[3] "
                  "moods:enum(calm|angry|asleep)[2]}|tick{players:{" PLAYER "}[2] "
                  "clock:{wait:u32 left:u32}})");
}

static void no_fields(deja_fields *f, const void *value)
{
    (void)f;
    (void)value;
}

static void only_derived(deja_fields *f, const void *value)
{
    deja_derived(f, "cache", value, 4);
}

Test(describe, gives_a_type_without_fields_a_layout_without_fields)
{
    assert_layout(&(deja_type){ 0, NULL, NULL, NULL }, "-");
    assert_layout(&(deja_type){ 0, no_fields, NULL, NULL }, "-");
    assert_layout(&(deja_type){ 8, no_fields, NULL, NULL }, "-");
    assert_layout(&(deja_type){ 8, only_derived, NULL, NULL }, "-");
    assert_unfit(&(deja_type){ 8, NULL, NULL, NULL }, "a type of 8 bytes has no description");
}

/* Three kinds inside each other, the innermost at both ends, and one beside them. */
typedef struct deep {
    uint32_t outer, middle, inner, beside;
    uint8_t x;
} deep;

static void deep_inner(deja_fields *f, const deep *d)
{
    switch (deja_kind(f, &d->inner, abc)) {
    case 0:
        break;
    case 1:
        deja_u8(f, "x", &d->x);
        break;
    default:
        deja_bytes(f, "y", &d->x, 1);
        break;
    }
}

static void deep_middle(deja_fields *f, const deep *d)
{
    if (deja_kind(f, &d->middle, ab) == 1)
        deja_struct(f, "inner", d, deep_inner);
}

static void deep_outer(deja_fields *f, const deep *d)
{
    if (deja_kind(f, &d->outer, ab) == 1)
        deja_struct(f, "middle", d, deep_middle);
}

static void deep_beside(deja_fields *f, const deep *d)
{
    (void)deja_kind(f, &d->beside, abc);
}

static void deep_fields(deja_fields *f, const void *value)
{
    const deep *d = value;
    deja_struct(f, "outer", d, deep_outer);
    deja_struct(f, "beside", d, deep_beside);
}

Test(describe, runs_until_every_inner_alternative_was_seen)
{
    assert_layout(TYPE(deep, deep_fields),
                  "outer:kind(a|b{middle:kind(a|b{inner:kind(a|b{x:u8}|c{y:bytes[1]})})}) "
                  "beside:kind(a|b|c)");
}

/* Fields behind the switch belong to each alternative. */
static void shared_fields(deja_fields *f, const void *value)
{
    const deep *d = value;
    if (deja_kind(f, &d->outer, ab) == 1)
        deja_u32(f, "inner", &d->inner);
    deja_u8(f, "x", &d->x);
}

Test(describe, gives_fields_behind_the_switch_to_each_alternative)
{
    assert_layout(TYPE(deep, shared_fields), "kind(a{x:u8}|b{inner:u32 x:u8})");
}

/* Containers that the author walks, in everything that an item can be. */
typedef struct walker {
    uint8_t byte;
    uint16_t two;
    bool there;
    uint32_t kind;
    uint32_t count;
    uint8_t few[3];
    uint32_t few_count;
} walker;

static void walker_pair(deja_fields *f, const walker *w)
{
    deja_u8(f, "byte", &w->byte);
    deja_u16(f, "two", &w->two);
}

static void walker_kind(deja_fields *f, const walker *w)
{
    if (deja_kind(f, &w->kind, ab) == 1)
        deja_u8(f, "byte", &w->byte);
}

#define WALK(name, shape, item)                                               \
    do {                                                                      \
        const deja_opened opened = deja_##shape##_open(f, name, w->count, 9); \
        walker *loaded = deja_loading(f, w);                                  \
        if (loaded)                                                           \
            loaded->count = opened.count;                                     \
        for (uint32_t i = 0; i < opened.count; i++) {                         \
            item;                                                             \
        }                                                                     \
        deja_close(f, opened);                                                \
    } while (0)

static void walker_optional(deja_fields *f, const walker *w)
{
    if (deja_optional(f, NULL, &w->there))
        deja_u8(f, NULL, &w->byte);
}

static void walker_list(deja_fields *f, const walker *w)
{
    const deja_opened opened = deja_list_open(f, NULL, w->few_count, 3);
    for (uint32_t i = 0; i < opened.count; i++)
        deja_u8(f, NULL, &w->few[i]);
    deja_close(f, opened);
}

static void walker_fields(deja_fields *f, const void *value)
{
    static walker shared; /* outside of the value, where one memory may serve them all */
    const walker *w = &shared;
    (void)value;
    WALK("scalars", list, deja_u8(f, NULL, &w->byte));
    WALK("arrays", list, deja_array(f, NULL, w->few, 3, deja_u8));
    WALK("counted", list, deja_list(f, NULL, w->few, &w->few_count, 3, deja_u8));
    WALK("named", list, walker_pair(f, w));
    WALK("structs", list, deja_struct(f, NULL, w, walker_pair));
    WALK("kinds", list, walker_kind(f, w));
    WALK("boxed", list, deja_struct(f, NULL, w, walker_kind));
    WALK("maybe", list, walker_optional(f, w));
    WALK("lists", list, walker_list(f, w));
    WALK("parts", list, deja_section(f, NULL, w, 0, walker_pair));
    WALK("keys", set, deja_bytes(f, NULL, w->few, 3));
    WALK("map", map, deja_u8(f, NULL, &w->byte); walker_kind(f, w));
    WALK("nested", map, deja_u8(f, NULL, &w->byte); walker_list(f, w));
}

Test(describe, takes_an_item_as_a_value_or_as_the_struct_of_its_fields)
{
    assert_layout(
        TYPE(char, walker_fields),
        "scalars:u8[..9] arrays:u8[3][..9] counted:u8[..3][..9] "
        "named:{byte:u8 two:u16}[..9] structs:{byte:u8 two:u16}[..9] "
        "kinds:kind(a|b{byte:u8})[..9] boxed:kind(a|b{byte:u8})[..9] maybe:u8?[..9] "
        "lists:u8[..3][..9] parts:section({byte:u8 two:u16})[..9] keys:set(bytes[3])[..9] "
        "map:map(u8 kind(a|b{byte:u8}))[..9] nested:map(u8 u8[..3])[..9]");
}

/* A type whose values own memory: each that was made is dropped. */
static int made, dropped;

static void counting_init(void *value)
{
    made++;
    *(void **)value = malloc(8);
}

static void counting_finish(void *value)
{
    dropped++;
    free(*(void **)value);
}

static void counting_fields(deja_fields *f, const void *value)
{
    (void)deja_kind(f, (const uint32_t *)value + 2, abc);
}

static void counting_wrong(deja_fields *f, const void *value)
{
    deja_u8(f, NULL, (const uint8_t *)value + 8);
}

Test(describe, drops_what_it_made)
{
    const deja_type type = { 16, counting_fields, counting_init, counting_finish };
    assert_layout(&type, "kind(a|b|c)");
    cr_assert(gt(int, made, 0));
    cr_assert(eq(int, made, dropped));
    assert_unfit(&(deja_type){ 16, counting_wrong, counting_init, counting_finish },
                 "a field has no name");
    cr_assert(eq(int, made, dropped));
}

/* ---- mistakes: calls that depend on values ---- */

MISTAKE(conditional, {
    if (p->there)
        deja_u8(f, "hidden", &p->b);
    deja_u8(f, "a", &p->a);
    deja_bool(f, "there", &p->there);
})

MISTAKE(conditional_before, {
    deja_bool(f, "there", &p->there);
    if (p->there)
        deja_u8(f, "hidden", &p->b);
    deja_u8(f, "a", &p->a);
})

MISTAKE(conditional_last, {
    deja_bool(f, "there", &p->there);
    if (p->there)
        deja_u8(f, "hidden", &p->b);
})

MISTAKE(left_out_last, {
    deja_bool(f, "there", &p->there);
    if (!p->there)
        deja_u8(f, "a", &p->a);
})

MISTAKE(variable_array, {
    deja_u32(f, "n", &p->n);
    deja_array(f, "list", p->list, p->n, deja_u8);
})

MISTAKE(variable_size, {
    deja_u32(f, "n", &p->n);
    deja_array(f, "list", p->list, 2 + p->n, deja_u8);
})

MISTAKE(variable_type, {
    deja_u32(f, "n", &p->n);
    if (p->n)
        deja_u16(f, "wide", &p->wide);
    else
        deja_i16(f, "wide", (const int16_t *)&p->wide);
})

MISTAKE(variable_names, {
    deja_u32(f, "n", &p->n);
    if (p->n)
        deja_enum(f, "a", &p->a, ab);
    else
        deja_enum(f, "a", &p->a, abc);
})

MISTAKE(ignored_optional, {
    (void)deja_optional(f, "offer", &p->there);
    deja_u8(f, NULL, &p->a);
})

MISTAKE(ignored_optional_before, {
    (void)deja_optional(f, "offer", &p->there);
    deja_u8(f, NULL, &p->a);
    deja_u8(f, "b", &p->b);
})

MISTAKE(named_optional, {
    if (deja_optional(f, "offer", &p->there))
        deja_u8(f, "a", &p->a);
})

MISTAKE(kind_as_optional, {
    if (deja_optional(f, "offer", &p->there))
        (void)deja_kind(f, &p->kind, ab);
})

MISTAKE(optional_without_value, {
    (void)deja_optional(f, "offer", &p->there);
    /* and nothing more */
})

MISTAKE(struct_by_value, {
    deja_bool(f, "there", &p->there);
    if (p->there)
        deja_u8(f, "a", &p->a);
    else
        deja_struct(f, "a", p->points, all_point_fields);
})

Test(describe, names_calls_that_depend_on_values)
{
    assert_unfit(TYPE(plain, conditional), "'hidden' is named where 'a' should be");
    assert_unfit(TYPE(plain, conditional_before), "'hidden' is named where 'a' should be");
    assert_unfit(TYPE(plain, conditional_last), "'hidden' is named where its struct should end");
    assert_unfit(TYPE(plain, left_out_last), "the description ends where 'a' should be");
    assert_unfit(TYPE(plain, variable_array), "'list' has room for nothing");
    assert_unfit(TYPE(plain, variable_size),
                 "'list' is u8[3] where it was u8[2]: no type may depend on a value");
    assert_unfit(TYPE(plain, variable_type),
                 "'wide' is u16 where it was i16: no type may depend on a value");
    assert_unfit(TYPE(plain, variable_names),
                 "'a' is enum(a|b) where it was enum(a|b|c): no type may depend on a value");
    assert_unfit(TYPE(plain, ignored_optional),
                 "a value without a name stands where its struct should end");
    assert_unfit(TYPE(plain, ignored_optional_before),
                 "a value without a name stands where 'b' should be");
    assert_unfit(TYPE(plain, named_optional),
                 "'a' is named where an optional's value should be, without a name in 'offer'");
    assert_unfit(TYPE(plain, kind_as_optional),
                 "a kind is named where an optional's value should be, without a name in 'offer'");
    assert_unfit(TYPE(plain, optional_without_value),
                 "an optional is present and its value is not named in 'offer'");
    assert_unfit(TYPE(plain, struct_by_value), "'a' is of another type or size than before");
}

/* ---- mistakes: kinds ---- */

MISTAKE(late_kind, {
    deja_u8(f, "a", &p->a);
    (void)deja_kind(f, &p->kind, ab);
})

MISTAKE(second_kind, {
    (void)deja_kind(f, &p->kind, ab);
    (void)deja_kind(f, &p->kind2, ab);
})

MISTAKE(kind_at_times, {
    if (p->kind != 0)
        deja_u8(f, "a", &p->a);
    (void)deja_kind(f, &p->kind, ab);
})

static void kind_or_struct(deja_fields *f, const plain *p)
{
    if (p->there)
        (void)deja_kind(f, &p->kind, ab);
    else
        deja_u8(f, "a", &p->a);
}

MISTAKE(struct_then_kind, {
    deja_bool(f, "there", &p->there);
    deja_struct(f, "inner", p, kind_or_struct);
})

MISTAKE(variable_kind_names, {
    if (p->b)
        (void)deja_kind(f, &p->kind, abc);
    else
        (void)deja_kind(f, &p->kind, ab);
    deja_u8(f, "b", &p->b);
})

static void bare_kind(deja_fields *f, const plain *p)
{
    if (!p->there)
        (void)deja_kind(f, &p->kind, ab);
}

MISTAKE(missing_kind, {
    deja_bool(f, "there", &p->there);
    deja_struct(f, "inner", p, bare_kind);
})

MISTAKE(other_fields_in_an_alternative, {
    deja_opened opened;
    switch (deja_kind(f, &p->kind, ab)) {
    case 0:
        deja_bool(f, "there", &p->there);
        if (p->there)
            deja_u8(f, "hidden", &p->b);
        break;
    default:
        opened = deja_list_open(f, "units", 0, 4);
        for (uint32_t i = 0; i < opened.count; i++) {
            deja_u8(f, "a", &p->a);
            if (p->a)
                deja_u8(f, "b", &p->b);
        }
        deja_close(f, opened);
        break;
    }
})

Test(describe, names_mistakes_with_kinds)
{
    assert_unfit(TYPE(plain, late_kind),
                 "a kind is named behind other fields: it comes first in its struct");
    assert_unfit(TYPE(plain, second_kind),
                 "a kind is named behind other fields: it comes first in its struct in 'a'");
    assert_unfit(TYPE(plain, kind_at_times), "'a' is named where its kind should be");
    assert_unfit(TYPE(plain, struct_then_kind),
                 "a kind is named where its struct had none in 'inner'");
    assert_unfit(TYPE(plain, variable_kind_names),
                 "the names of the kind differ from call to call");
    assert_unfit(TYPE(plain, missing_kind),
                 "the description ends where its kind should be in 'inner'");
    assert_unfit(TYPE(plain, other_fields_in_an_alternative),
                 "'hidden' is named where its struct should end in 'a'");
}

/* ---- large ones ---- */

static char names[4096][8];
static const char *name_list[4096];

static void large_enum(deja_fields *f, const void *value)
{
    deja__enum(f, "e", value, 4, name_list, 4096);
}

static void large_kind(deja_fields *f, const void *value)
{
    deja__kind(f, value, 4, name_list, 4096);
}

Test(describe, takes_as_many_names_as_there_may_be)
{
    for (uint32_t i = 0; i < 4096; i++) {
        snprintf(names[i], sizeof names[i], "n%u", i);
        name_list[i] = names[i];
    }
    static deja_fields_fn *const fields[] = { large_enum, large_kind };
    for (int i = 0; i < 2; i++) {
        const deja_type type = { 4, fields[i], NULL, NULL };
        deja_layout *layout;
        deja_error err = { 0 };
        const deja_code code = deja__describe(&layout, &type, &err);
        cr_assert(eq(int, code, DEJA_OK), "%s", err.message);
        deja_layout_destroy(layout);
    }
}
