/* SPDX-License-Identifier: MIT */
/*
 * Layouts: what is one, what is not and why, and that a layout has one spelling.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "fields/layout.h"

TestSuite(layout, .timeout = 30);

static deja_layout *parse(const char *text)
{
    deja_layout *layout = NULL;
    deja_error err = { 0 };
    const deja_code code = deja_layout_parse(&layout, text, strlen(text), &err);
    cr_assert(eq(int, code, DEJA_OK), "%s: %s", text, err.message);
    return layout;
}

static void assert_refused(const char *text, uint64_t size, deja_code expected, const char *message)
{
    deja_layout *layout = (deja_layout *)1;
    deja_error err = { 0 };
    const deja_code code = deja_layout_parse(&layout, text, size, &err);
    cr_assert(eq(int, code, expected), "%.80s: %s", text, err.message);
    cr_assert(eq(ptr, layout, NULL));
    cr_assert(eq(int, err.code, expected));
    cr_assert(eq(str, (char *)err.message, (char *)message), "%.80s", text);
    const deja_code silent = deja_layout_parse(&layout, text, size, NULL);
    cr_assert(eq(int, silent, expected));
}

static const char *const sound[] = {
    "-",
    "a:u8",
    "a:bool b:u8 c:u16 d:u32 e:u64 f:i8 g:i16 h:i32 i:i64 j:f32 k:f64 l:rng",
    "rows:u8[..16] side:u8",
    "kind(take{row:u8 n:u8})",
    "kind(take{row:u8 n:u8}|resign|say{text:text[..31]})",
    "kind(a)",
    "kind:u8 section:u8 map:u8 set:u8 blocks:u8 enum:u8 text:u8 u8:u8",
    "phase:enum(keep|pick|bank) traits:flags(a|b-c|_d)",
    "key:bytes[16] name:text[..1]",
    "at:{x:i16 y:i16} empty:{} maybe:{}?",
    "a:u8[3] b:u8[3][4] c:u8[3][4][5] d:u8[3][4][5][6] e:u8[3][..4][5][6]",
    "players:{id:text[..15] banked:i32}[..8] offer:i32? luck:rng[2]",
    "m:map(u16 {x:u8})[..9] n:map(text[..5] u8?[..3])[..2] s:set(enum(a|b))[..2]",
    "b:blocks(u8)[64] c:blocks(f64)[9] d:section({b:blocks(bool)[65]})",
    "e:kind(a{x:u8}|b)[..4] f:kind(a)? g:section(kind(a|b{y:u8}))",
    "o:u8?[3] p:u8[..3]? q:section(u8)[2]",
    "big:u8[..4294967295] also:text[..4294967295]",
};

Test(layout, has_one_spelling_that_reads_back)
{
    for (size_t i = 0; i < sizeof sound / sizeof *sound; i++) {
        deja_layout *layout = parse(sound[i]);
        cr_assert(eq(str, (char *)deja_layout_text(layout), (char *)sound[i]));
        cr_assert(eq(u64, layout->text_size, strlen(sound[i])));
        deja_layout_destroy(layout);
    }
}

static const struct {
    const char *text;
    deja_code code;
    const char *message;
} wrong[] = {
    { "", DEJA_EFORMAT, "byte 0: expected a name" },
    { "a", DEJA_EFORMAT, "byte 1: expected ':' and a type" },
    { "a:", DEJA_EFORMAT, "byte 2: expected a type" },
    { "a:u9", DEJA_EFORMAT, "byte 2: expected a type" },
    { "a:u8x", DEJA_EFORMAT, "byte 2: expected a type" },
    { "a:U8", DEJA_EFORMAT, "byte 2: expected a type" },
    { "a:struct", DEJA_EFORMAT, "byte 2: expected a type" },
    { "a:enum", DEJA_EFORMAT, "byte 2: expected a type" },
    { "a:u8 ", DEJA_EFORMAT, "byte 5: expected a name" },
    { "a:u8  b:u8", DEJA_EFORMAT, "byte 5: expected a name" },
    { " a:u8", DEJA_EFORMAT, "byte 0: expected a name" },
    { "a :u8", DEJA_EFORMAT, "byte 1: expected ':' and a type" },
    { "a: u8", DEJA_EFORMAT, "byte 2: expected a type" },
    { "a:u8\n", DEJA_EFORMAT, "byte 4: expected ' ' and a field, or the end" },
    { "a:u8,b:u8", DEJA_EFORMAT, "byte 4: expected ' ' and a field, or the end" },
    { "-a:u8", DEJA_EFORMAT, "byte 0: expected a name" },
    { "- ", DEJA_EFORMAT, "byte 0: expected a name" },
    { "1a:u8", DEJA_EFORMAT, "byte 0: expected a name" },
    { "\xc3\xa9:u8", DEJA_EFORMAT, "byte 0: expected a name" },
    { "a:u8[0]", DEJA_EFORMAT,
      "byte 5: expected a count from 1 to 4294967295, without leading zeros" },
    { "a:u8[03]", DEJA_EFORMAT,
      "byte 5: expected a count from 1 to 4294967295, without leading zeros" },
    { "a:u8[4294967296]", DEJA_EFORMAT,
      "byte 5: expected a count from 1 to 4294967295, without leading zeros" },
    { "a:u8[..]", DEJA_EFORMAT,
      "byte 7: expected a count from 1 to 4294967295, without leading zeros" },
    { "a:u8[ 3]", DEJA_EFORMAT,
      "byte 5: expected a count from 1 to 4294967295, without leading zeros" },
    { "a:u8[3", DEJA_EFORMAT, "byte 6: expected ']'" },
    { "a:u8[3][", DEJA_EFORMAT,
      "byte 8: expected a count from 1 to 4294967295, without leading zeros" },
    { "a:u8[3][4", DEJA_EFORMAT, "byte 9: expected ']'" },
    { "a:text[15]", DEJA_EFORMAT, "byte 2: expected a type" },
    { "a:text[..0]", DEJA_EFORMAT,
      "byte 9: expected a count from 1 to 4294967295, without leading zeros" },
    { "a:bytes[..3]", DEJA_EFORMAT,
      "byte 8: expected a count from 1 to 4294967295, without leading zeros" },
    { "a:enum()", DEJA_EFORMAT, "byte 7: expected a name" },
    { "a:enum(a|)", DEJA_EFORMAT, "byte 9: expected a name" },
    { "a:enum(a b)", DEJA_EFORMAT, "byte 8: expected '|' or ')'" },
    { "a:enum(a{x:u8})", DEJA_EFORMAT, "byte 8: expected '|' or ')'" },
    { "a:enum(a|b|a)", DEJA_EFORMAT, "'a' is named twice in 'a'" },
    { "a:flags(a|b|c", DEJA_EFORMAT, "byte 13: expected '|' or ')'" },
    { "a:{x:u8", DEJA_EFORMAT, "byte 7: expected '}' or ' '" },
    { "a:{ }", DEJA_EFORMAT, "byte 3: expected a name" },
    { "a:{-}", DEJA_EFORMAT, "byte 3: expected a name" },
    { "a:u8 b:u8 a:u16", DEJA_EFORMAT, "'a' is named twice" },
    { "p:{q:{a:u8 a:u8}}", DEJA_EFORMAT, "'a' is named twice in 'p.q'" },
    { "kind()", DEJA_EFORMAT, "byte 5: expected a name" },
    { "kind(a{})", DEJA_EFORMAT, "byte 7: expected a name" },
    { "kind(a|a)", DEJA_EFORMAT, "'a' is named twice" },
    { "kind(a) b:u8", DEJA_EFORMAT, "byte 7: expected ' ' and a field, or the end" },
    { "kind(a)?", DEJA_EFORMAT, "byte 7: expected ' ' and a field, or the end" },
    { "section(u8)", DEJA_EFORMAT, "byte 7: expected ':' and a type" },
    { "a:u8??", DEJA_EFORMAT, "'a' is an optional of an optional" },
    { "a:map(u8)[..3]", DEJA_EFORMAT, "byte 8: expected ' ' and the type of the values" },
    { "a:map(u8 u8)", DEJA_EFORMAT, "byte 12: expected '[..' and a count" },
    { "a:map(u8 u8)[3]", DEJA_EFORMAT, "byte 12: expected '[..' and a count" },
    { "a:map(f32 u8)[..3]", DEJA_EFORMAT,
      "'a' has keys that are no integer, bool, enum, text or bytes" },
    { "a:set(u8 u8)[..3]", DEJA_EFORMAT, "byte 8: expected ')'" },
    { "a:set({x:u8})[..3]", DEJA_EFORMAT,
      "'a' has keys that are no integer, bool, enum, text or bytes" },
    { "a:blocks(u8)[..3]", DEJA_EFORMAT,
      "byte 13: expected a count from 1 to 4294967295, without leading zeros" },
    { "a:blocks(enum(a))[3]", DEJA_EFORMAT, "'a' has blocks that are no numbers" },
    { "a:section()", DEJA_EFORMAT, "byte 10: expected a type" },
    { "a:{}[..3]", DEJA_EFORMAT, "'a' has items without fields" },
    { "a:section({})[3]", DEJA_EFORMAT, "'a' has items without fields" },
    { "a:u8[65536][65536]", DEJA_ELIMIT, "'a' has a count of 4294967296, the most is 4294967295" },
    { "a:u64[134217729]", DEJA_ELIMIT, "'a' takes more than 1073741824 bytes" },
    { "a:bytes[1073741824] b:u8", DEJA_ELIMIT, "the layout takes more than 1073741824 bytes" },
    { "p:{a:u8[40000][40000]}[40000]", DEJA_ELIMIT, "'p.a' takes more than 1073741824 bytes" },
};

Test(layout, says_where_a_text_is_none)
{
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_refused(wrong[i].text, strlen(wrong[i].text), wrong[i].code, wrong[i].message);
    assert_refused("a:u8\0b:u8", 9, DEJA_EFORMAT, "byte 4: expected ' ' and a field, or the end");
    assert_refused(NULL, 0, DEJA_EFORMAT, "byte 0: expected a name");
}

/* "a:{a:{...a:u8...}}" of so many structs, the root's own included. */
static char *nested_structs(uint32_t depth)
{
    char *text = calloc(depth + 1, 8);
    for (uint32_t i = 1; i < depth; i++)
        strcat(text, "a:{");
    strcat(text, "a:u8");
    for (uint32_t i = 1; i < depth; i++)
        strcat(text, "}");
    return text;
}

Test(layout, nests_so_deep_and_no_deeper)
{
    char *text = nested_structs(DEJA__DEPTH_MAX);
    deja_layout_destroy(parse(text));
    free(text);
    for (uint32_t depth = DEJA__DEPTH_MAX + 1; depth < 3000; depth += 1 + depth / 2) {
        text = nested_structs(depth);
        deja_layout *layout;
        const deja_code code = deja_layout_parse(&layout, text, strlen(text), NULL);
        cr_assert(eq(int, code, DEJA_ELIMIT));
        free(text);
    }
}

Test(layout, nests_no_deeper_by_brackets_either)
{
    static char text[DEJA__LAYOUT_TEXT_MAX];
    strcpy(text, "a:u8");
    for (uint32_t i = 1; i < DEJA__DEPTH_MAX; i++)
        strcat(text, "[..1]");
    deja_layout_destroy(parse(text));
    strcat(text, "[..1]");
    assert_refused(text, strlen(text), DEJA_ELIMIT, "byte 160: nested deeper than 32");
    while (strlen(text) < 5000)
        strcat(text, "[1][1]?");
    assert_refused(text, strlen(text), DEJA_ELIMIT, "byte 160: nested deeper than 32");
    strcpy(text, "a:");
    while (strlen(text) < 60000)
        strcat(text, "section(kind(a{b:set(");
    assert_refused(text, strlen(text), DEJA_ELIMIT, "byte 170: nested deeper than 32");
}

static uint64_t write_names(char *text, const char *open, uint32_t count)
{
    uint64_t size = (uint64_t)sprintf(text, "a:%s(", open);
    for (uint32_t i = 0; i < count; i++)
        size += (uint64_t)sprintf(text + size, "%sn%u", i ? "|" : "", i);
    return size + (uint64_t)sprintf(text + size, ")");
}

Test(layout, has_so_many_names_and_no_more)
{
    static char text[DEJA__LAYOUT_TEXT_MAX];
    static const char *const words[] = { "enum", "kind" };
    for (int i = 0; i < 2; i++) {
        write_names(text, words[i], DEJA__NAMES_MAX);
        deja_layout_destroy(parse(text));
        const uint64_t size = write_names(text, words[i], DEJA__NAMES_MAX + 1);
        assert_refused(text, size, DEJA_ELIMIT, "byte 23473: more than 4096 names");
    }
    write_names(text, "flags", 32);
    deja_layout_destroy(parse(text));
    write_names(text, "flags", 33);
    assert_refused(text, strlen(text), DEJA_ELIMIT, "'a' has 33 names, the most is 32");
}

Test(layout, has_names_of_so_many_characters_and_no_more)
{
    char text[80];
    snprintf(text, sizeof text, "%063d:u8", 0);
    text[0] = 'a';
    deja_layout_destroy(parse(text));
    snprintf(text, sizeof text, "%064d:u8", 0);
    text[0] = 'a';
    assert_refused(text, strlen(text), DEJA_EFORMAT, "byte 0: expected a name");
}

Test(layout, has_a_text_of_so_many_bytes_and_no_more)
{
    static char text[DEJA__LAYOUT_TEXT_MAX + 16];
    uint64_t size = 0;
    for (uint32_t i = 0; size < DEJA__LAYOUT_TEXT_MAX - 14; i++)
        size += (uint64_t)sprintf(text + size, "f%06u:u8 ", i);
    sprintf(text + size, "%0*u:u8", (int)(DEJA__LAYOUT_TEXT_MAX - size - 3), 0);
    text[size] = 'z';
    size = strlen(text);
    cr_assert(eq(u64, size, DEJA__LAYOUT_TEXT_MAX));
    deja_layout *layout = parse(text);
    cr_assert(eq(str, (char *)deja_layout_text(layout), text));
    deja_layout_destroy(layout);
    assert_refused(text, size + 1, DEJA_ELIMIT, "the layout has 65537 bytes, the most is 65536");
}

Test(layout, tells_the_names_of_a_kind)
{
    deja_layout *layout = parse("kind(take{row:u8}|resign)");
    cr_assert(eq(u32, deja_layout_kind_count(layout), 2));
    cr_assert(eq(str, (char *)deja_layout_kind_name(layout, 0), "take"));
    cr_assert(eq(str, (char *)deja_layout_kind_name(layout, 1), "resign"));
    cr_assert(eq(ptr, (void *)deja_layout_kind_name(layout, 2), NULL));
    deja_layout_destroy(layout);
    layout = parse("a:kind(b|c)");
    cr_assert(eq(u32, deja_layout_kind_count(layout), 0));
    cr_assert(eq(ptr, (void *)deja_layout_kind_name(layout, 0), NULL));
    deja_layout_destroy(layout);
    deja_layout_destroy(NULL);
}

static const struct {
    const char *type;
    uint64_t size_min;
    bool fixed;
    bool plain;
} sizes[] = {
    { "bool", 1, true, true },
    { "u16", 2, true, true },
    { "f32", 4, true, true },
    { "i64", 8, true, true },
    { "rng", 24, true, true },
    { "enum(a)", 2, true, true },
    { "flags(a)", 4, true, true },
    { "text[..9]", 4, false, true },
    { "bytes[9]", 9, true, true },
    { "u8?", 1, false, true },
    { "u16[3]", 6, true, true },
    { "u16[3][4]", 24, true, true },
    { "u16[..3]", 4, false, true },
    { "u16[..3][2]", 8, false, true },
    { "{}", 0, true, true },
    { "{a:u8 b:u16}", 3, true, true },
    { "{a:u8 b:u16?}", 2, false, true },
    { "kind(a|b)", 2, true, true },
    { "kind(a{x:u8}|b{y:bool})", 3, true, true },
    { "kind(a{x:u8}|b)", 2, false, true },
    { "kind(a{x:u8?}|b{y:u8?})", 3, false, true },
    { "map(u8 u8)[..3]", 4, false, true },
    { "set(u8)[..3]", 4, false, true },
    { "section({a:u16})", 2, true, false },
    { "section(u8?)", 1, false, false },
    { "blocks(u16)[65]", 130, true, false },
    { "{a:{b:blocks(u8)[1]}[..3]}", 4, false, false },
};

Test(layout, knows_the_least_size_of_each_type)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char text[80];
        snprintf(text, sizeof text, "a:%s", sizes[i].type);
        deja_layout *layout = parse(text);
        const deja__node *node = layout->root->children[0];
        cr_assert(eq(u64, node->size_min, sizes[i].size_min), "%s", text);
        cr_assert(eq(int, node->fixed, sizes[i].fixed), "%s", text);
        cr_assert(eq(int, node->plain, sizes[i].plain), "%s", text);
        cr_assert(eq(int, layout->root->plain, sizes[i].plain), "%s", text);
        deja_layout_destroy(layout);
    }
}

/* Text that a stranger wrote is either refused, or is spelled as it is printed. */
Test(layout, takes_no_other_spelling_whatever_is_changed)
{
    static const char alphabet[] = "abu8i16f32[]().,:{}|? -_0123459enumkindsetmap\n\xc3";
    uint64_t seed = 1;
    uint32_t taken = 0;
    for (uint32_t round = 0; round < 60000; round++) {
        char text[256];
        strcpy(text, sound[round % (sizeof sound / sizeof *sound)]);
        const uint32_t changes = 1 + round % 3;
        for (uint32_t i = 0; i < changes; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            const size_t size = strlen(text);
            const size_t at = (size_t)(seed >> 33) % (size + 1);
            const char other = alphabet[(seed >> 40) % (sizeof alphabet - 1)];
            if ((seed >> 60) % 3 == 0 && at < size) {
                memmove(text + at, text + at + 1, size - at);
            } else if ((seed >> 60) % 3 == 1 && at < size) {
                text[at] = other;
            } else {
                memmove(text + at + 1, text + at, size - at + 1);
                text[at] = other;
            }
        }
        deja_layout *layout;
        deja_error err = { 0 };
        const deja_code code = deja_layout_parse(&layout, text, strlen(text), &err);
        if (code == DEJA_OK) {
            cr_assert(eq(str, (char *)deja_layout_text(layout), text));
            taken++;
        } else {
            cr_assert(ne(str, (char *)err.message, ""));
        }
        deja_layout_destroy(layout);
    }
    cr_assert(gt(u32, taken, 1000));
}

/* ---- trees that no text gives ---- */

static deja__node *named(uint32_t kind, const char *name)
{
    deja__node *node = deja__node_create(kind);
    deja__node_set_name(node, name, strlen(name));
    return node;
}

static deja__node *root_of(deja__node *field)
{
    deja__node *root = deja__node_create(DEJA_STRUCT);
    deja__node_add_child(root, field);
    return root;
}

static deja__node *items(uint32_t shape, uint64_t count, deja__node *item)
{
    deja__node *node = deja__node_create(DEJA_ITEMS);
    node->shape = shape;
    node->count = count;
    deja__node_add_child(node, item);
    return node;
}

/* Takes the tree. */
static void assert_tree_refused(deja__node *root, const char *message)
{
    deja_layout *layout = (deja_layout *)1;
    deja_error err = { 0 };
    const deja_code code = deja__layout_from_tree(&layout, root, &err);
    cr_assert(lt(int, code, 0));
    cr_assert(eq(ptr, layout, NULL));
    cr_assert(eq(str, (char *)err.message, (char *)message));
}

Test(layout, refuses_trees_that_are_none)
{
    assert_tree_refused(deja__node_create(DEJA_U8),
                        "a layout is a struct or a kind, and has no name");
    assert_tree_refused(named(DEJA_STRUCT, "a"), "a layout is a struct or a kind, and has no name");
    assert_tree_refused(root_of(deja__node_create(DEJA_U8)), "'' in the layout is not a name");
    assert_tree_refused(root_of(named(DEJA_U8, "a b")), "'a b' in the layout is not a name");
    assert_tree_refused(root_of(named(40, "a")), "'a' is of kind 40, which is no field's");
    assert_tree_refused(root_of(named(DEJA_CLOSE, "a")), "'a' is of kind 23, which is no field's");
    assert_tree_refused(root_of(named(DEJA_ENUM, "a")), "'a' has no names");
    assert_tree_refused(root_of(named(DEJA_KIND, "a")), "'a' has no names");
    assert_tree_refused(root_of(named(DEJA_TEXT, "a")), "'a' has room for nothing");
    assert_tree_refused(root_of(named(DEJA_BYTES, "a")), "'a' has room for nothing");
    assert_tree_refused(root_of(named(DEJA_ITEMS, "a")), "'a' has room for nothing");
    assert_tree_refused(root_of(named(DEJA_SECTION, "a")), "'a' holds nothing");
    assert_tree_refused(NULL, "out of memory");
}

Test(layout, refuses_trees_whose_text_would_be_another)
{
    deja__node *node = items(DEJA_ARRAY, 3, items(DEJA_ARRAY, 2, deja__node_create(DEJA_U8)));
    deja__node_set_name(node, "a", 1);
    assert_tree_refused(root_of(node), "'a' is an array of arrays: make it a grid");

    node = items(DEJA_ARRAY, 3, named(DEJA_U8, "b"));
    deja__node_set_name(node, "a", 1);
    assert_tree_refused(root_of(node), "'b' has a name where none belongs");

    node = items(DEJA_GRID, 6, deja__node_create(DEJA_U8));
    node->row = 4;
    deja__node_set_name(node, "a", 1);
    assert_tree_refused(root_of(node), "'a' has 6 items, which are not rows of 4");

    node = items(DEJA_FILL, 6, deja__node_create(DEJA_U8));
    deja__node_set_name(node, "a", 1);
    assert_tree_refused(root_of(node), "'a' has items in shape 7");

    node = items(DEJA_MAP, 6, deja__node_create(DEJA_U8));
    deja__node_set_name(node, "a", 1);
    assert_tree_refused(root_of(node), "'a' has 1 types of items");

    node = named(DEJA_U8, "a");
    deja__node_add_child(node, deja__node_create(DEJA_U8));
    assert_tree_refused(root_of(node), "'a' holds others and is no container");

    node = named(DEJA_KIND, "a");
    deja__node_add_name(node, "x", 1);
    assert_tree_refused(root_of(node), "'a' has 1 names and 0 alternatives");

    node = named(DEJA_KIND, "a");
    deja__node_add_name(node, "x", 1);
    deja__node_add_child(node, deja__node_create(DEJA_U8));
    assert_tree_refused(root_of(node), "alternative 'x' of 'a' is not a struct");
}

Test(layout, refuses_trees_with_a_longer_text)
{
    deja__node *root = deja__node_create(DEJA_STRUCT);
    for (uint32_t i = 0; i < 8000; i++) {
        char name[32];
        snprintf(name, sizeof name, "field%u", i);
        deja__node_add_child(root, named(DEJA_U8, name));
    }
    assert_tree_refused(root, "the layout's text is longer than 65536");
}

Test(layout, builders_own_what_they_are_given)
{
    deja__node *node = deja__node_create(DEJA_STRUCT);
    cr_assert(not(deja__node_add_child(node, NULL)));
    char name[] = "first";
    cr_assert(deja__node_set_name(node, name, 5));
    name[0] = 'b';
    cr_assert(eq(str, node->name, "first"));
    cr_assert(deja__node_set_name(node, "second more", 6));
    cr_assert(eq(str, node->name, "second"));
    for (uint32_t i = 0; i < 100; i++) {
        cr_assert(deja__node_add_child(node, deja__node_create(DEJA_U8)));
        cr_assert(deja__node_add_name(node, "abc", 1 + i % 3));
    }
    cr_assert(eq(u32, node->child_count, 100));
    cr_assert(eq(u32, node->name_count, 100));
    cr_assert(eq(str, node->names[0], "a"));
    cr_assert(eq(str, node->names[2], "abc"));
    deja__node_destroy(node);
    deja__node_destroy(NULL);
}

Test(layout, scalars_have_their_sizes)
{
    static const uint32_t expected[] = { 0, 1, 1, 2, 4,  8, 1, 2, 4, 8, 4, 8,
                                         2, 4, 0, 0, 24, 0, 0, 0, 0, 0, 0, 0 };
    for (uint32_t kind = 0; kind < 24; kind++)
        cr_assert(eq(u32, deja__scalar_size(kind), expected[kind]), "kind %u", kind);
    cr_assert(eq(u32, deja__scalar_size(UINT32_MAX), 0));
    cr_assert(eq(str, (char *)deja__kind_word(DEJA_U8), "u8"));
    cr_assert(eq(ptr, (void *)deja__kind_word(0), NULL));
    cr_assert(eq(ptr, (void *)deja__kind_word(DEJA_CLOSE + 1), NULL));
}
