/* SPDX-License-Identifier: MIT */
/*
 * Random layouts and values. Written from schemas/layout.md, and with no help of what it tests but
 * the tree: which bytes are valid is said here a second time.
 */
#include "support/random_value.h"

#include "fields/layout.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

static uint32_t below(deja_luck *luck, uint32_t limit)
{
    return deja_luck_below(luck, limit);
}

deja_layout *parse_layout(const char *text)
{
    deja_layout *layout = NULL;
    deja_error err = { 0 };
    const deja_code code = deja_layout_parse(&layout, text, strlen(text), &err);
    cr_assert(eq(i32, code, DEJA_OK), "%s: %s", text, err.message);
    return layout;
}

/* ---- layouts ---- */

static void random_type(deja_luck *luck, deja_buffer *out, uint32_t depth);

static const char *const words[] = {
    "a", "b", "hp", "x", "y", "count", "_", "kind", "a-b", "units", "Z9", "true", "nan", "row",
};
enum { WORDS = sizeof words / sizeof *words };

/* Different names: the words from a random one on. */
static const char *word_at(uint32_t first, uint32_t i)
{
    return words[(first + i) % WORDS];
}

static void random_fields(deja_luck *luck, deja_buffer *out, uint32_t depth, uint32_t least)
{
    const uint32_t count = least + below(luck, 5);
    const uint32_t first = below(luck, WORDS);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            deja_buffer_char(out, ' ');
        deja_buffer_text(out, word_at(first, i));
        deja_buffer_char(out, ':');
        random_type(luck, out, depth);
    }
}

static void random_names(deja_luck *luck, deja_buffer *out, uint32_t depth, bool kind)
{
    const uint32_t count = 1 + below(luck, 5);
    const uint32_t first = below(luck, WORDS);
    for (uint32_t i = 0; i < count; i++) {
        deja_buffer_char(out, i == 0 ? '(' : '|');
        deja_buffer_text(out, word_at(first, i));
        if (!kind || below(luck, 3) == 0)
            continue;
        deja_buffer_char(out, '{');
        random_fields(luck, out, depth, 1);
        deja_buffer_char(out, '}');
    }
    deja_buffer_char(out, ')');
}

static const char *const scalars[] = { "bool", "u8",  "u16", "u32", "u64", "i8",
                                       "i16",  "i32", "i64", "f32", "f64" };

static void random_scalar(deja_luck *luck, deja_buffer *out)
{
    deja_buffer_text(out, scalars[below(luck, 11)]);
}

static void print_bound(deja_luck *luck, deja_buffer *out, const char *before)
{
    deja__print(out, "%s%u]", before, 1 + below(luck, below(luck, 8) == 0 ? 70 : 4));
}

static void random_key(deja_luck *luck, deja_buffer *out)
{
    switch (below(luck, 4)) {
    case 0:
        deja_buffer_text(out, "text");
        print_bound(luck, out, "[..");
        break;
    case 1:
        deja_buffer_text(out, "bytes");
        print_bound(luck, out, "[");
        break;
    case 2:
        deja_buffer_text(out, "enum");
        random_names(luck, out, 0, false);
        break;
    default:
        deja_buffer_text(out, scalars[below(luck, 9)]);
        break;
    }
}

static void random_keyed(deja_luck *luck, deja_buffer *out, uint32_t depth)
{
    const bool map = below(luck, 2) == 0;
    deja_buffer_text(out, map ? "map(" : "set(");
    random_key(luck, out);
    if (map) {
        deja_buffer_char(out, ' ');
        random_type(luck, out, depth);
    }
    deja_buffer_char(out, ')');
    print_bound(luck, out, "[..");
}

/* A type without what may follow it. */
static void random_base(deja_luck *luck, deja_buffer *out, uint32_t depth)
{
    switch (below(luck, depth > 0 ? 14 : 9)) {
    case 0:
    case 1:
    case 2:
    case 3:
        random_scalar(luck, out);
        break;
    case 4:
        deja_buffer_text(out, "enum");
        random_names(luck, out, 0, false);
        break;
    case 5:
        deja_buffer_text(out, "flags");
        random_names(luck, out, 0, false);
        break;
    case 6:
        deja_buffer_text(out, "text");
        print_bound(luck, out, "[..");
        break;
    case 7:
        deja_buffer_text(out, "bytes");
        print_bound(luck, out, "[");
        break;
    case 8:
        deja_buffer_text(out, "rng");
        break;
    case 9:
        deja_buffer_char(out, '{');
        random_fields(luck, out, depth - 1, 1);
        deja_buffer_char(out, '}');
        break;
    case 10:
        deja_buffer_text(out, "kind");
        random_names(luck, out, depth - 1, true);
        break;
    case 11:
        deja_buffer_text(out, "section(");
        random_type(luck, out, depth - 1);
        deja_buffer_char(out, ')');
        break;
    case 12:
        random_keyed(luck, out, depth - 1);
        break;
    default:
        deja_buffer_text(out, "blocks(");
        random_scalar(luck, out);
        deja_buffer_char(out, ')');
        print_bound(luck, out, "[");
        break;
    }
}

static void random_type(deja_luck *luck, deja_buffer *out, uint32_t depth)
{
    random_base(luck, out, depth);
    bool optional = false;
    for (uint32_t more = below(luck, 3); more > 0 && depth > 0; more--) {
        const uint32_t which = below(luck, 4);
        if (which == 0 && !optional) {
            deja_buffer_char(out, '?');
            optional = true;
            continue;
        }
        print_bound(luck, out, which == 1 ? "[" : "[..");
        optional = false;
    }
}

deja_layout *random_layout(deja_luck *luck)
{
    deja_layout *layout = NULL;
    while (!layout) {
        deja_buffer text = { 0 };
        deja_error err = { 0 };
        if (below(luck, 3) == 0) {
            deja_buffer_text(&text, "kind");
            random_names(luck, &text, 3, true);
        } else {
            random_fields(luck, &text, 3, 1);
            if (below(luck, 8) == 0)
                deja_buffer_text(&text, " nothing:{}");
        }
        /* A section of an optional may have been made optional, and an array of one of arrays. */
        const deja_code code =
            deja_layout_parse(&layout, (const char *)text.bytes, text.size, &err);
        const bool refused = strstr(err.message, "optional of an optional") ||
                             strstr(err.message, "array of arrays");
        cr_assert(code == DEJA_OK || refused, "%s: %s", (const char *)text.bytes, err.message);
        deja_buffer_release(&text);
    }
    return layout;
}

/* ---- values ---- */

static void add_number(deja_buffer *out, uint64_t number, uint32_t size)
{
    unsigned char bytes[8];
    deja__store64(bytes, number);
    deja_buffer_add(out, bytes, size);
}

static uint64_t random_bits(deja_luck *luck)
{
    const uint64_t high = deja_luck_next(luck);
    return high << 32 | deja_luck_next(luck);
}

static void random_integer(deja_luck *luck, uint32_t size, deja_buffer *out)
{
    const uint64_t ends[] = { 0, 1, UINT64_MAX, (uint64_t)1 << (8 * size - 1),
                              ((uint64_t)1 << (8 * size - 1)) - 1 };
    switch (below(luck, 3)) {
    case 0:
        add_number(out, ends[below(luck, 5)], size);
        break;
    case 1:
        add_number(out, below(luck, 10), size);
        break;
    default:
        add_number(out, random_bits(luck), size);
        break;
    }
}

static void random_float(deja_luck *luck, uint32_t size, deja_buffer *out)
{
    static const double numbers[] = { 0.0, -0.0, 1.0, 0.1, -2.5, 1e30, 1e-40, 16777217.0 };
    uint64_t bits = 0;
    const double number = numbers[below(luck, 8)];
    const float narrow = (float)number;
    if (below(luck, 3) == 0)
        bits = random_bits(luck);
    else if (size == 8)
        memcpy(&bits, &number, 8);
    else
        memcpy(&bits, &narrow, 4);
    if (below(luck, 12) == 0)
        bits = size == 8 ? 0x7ff0000000000000 | (bits & (uint64_t)1 << 63)
                         : 0x7f800000 | (bits & 0x80000000);
    if (size == 8 && (bits & 0x7fffffffffffffff) > 0x7ff0000000000000)
        bits = 0x7ff8000000000000;
    if (size == 4 && (bits & 0x7fffffff) > 0x7f800000)
        bits = 0x7fc00000;
    add_number(out, bits, size);
}

static void random_text(deja_luck *luck, uint64_t most, deja_buffer *out)
{
    static const char *const pieces[] = {
        "-",
        "a",
        "hello",
        "b c",
        "\"",
        "\\",
        "\n",
        "\xc3\xa9",
        "#",
        "x:",
        "\xe6\xbc\xa2",
        "\xf0\x9f\x98\x80",
        "=",
        "{",
        "}",
        "[",
        "]",
        ",",
        "\x01",
        "\x7f",
        "\xc2\x85",
        "\xe2\x80\xae",
        "12",
        "true",
        "\t",
        "\r",
        "+",
        "a=1",
        "\xef\xbb\xbf",
        "\xef\xbf\xbf",
    };
    char text[256];
    uint64_t size = 0;
    for (uint32_t i = below(luck, 6); i > 0; i--) {
        const char *piece = pieces[below(luck, sizeof pieces / sizeof *pieces)];
        if (size + strlen(piece) > most || size + strlen(piece) > sizeof text)
            continue;
        memcpy(text + size, piece, strlen(piece));
        size += strlen(piece);
    }
    add_number(out, size, 4);
    deja_buffer_add(out, text, size);
}

static int compare_keys(const deja__node *key, const deja_buffer *a, const deja_buffer *b)
{
    uint32_t skip = key->kind == DEJA_TEXT ? 4 : 0;
    if (key->kind == DEJA_TEXT || key->kind == DEJA_BYTES) {
        const uint64_t least = (a->size < b->size ? a->size : b->size) - skip;
        const int order = memcmp(a->bytes + skip, b->bytes + skip, least);
        return order ? order : (a->size > b->size) - (a->size < b->size);
    }
    const bool is_signed = key->kind >= DEJA_I8 && key->kind <= DEJA_I64;
    for (uint64_t i = a->size; i-- > 0;) {
        const unsigned char turn = is_signed && i == a->size - 1 ? 0x80 : 0;
        const int left = a->bytes[i] ^ turn, right = b->bytes[i] ^ turn;
        if (left != right)
            return left - right;
    }
    return 0;
}

/* Keys in order, each with a value behind it in a map. */
static void random_keyed_value(deja_luck *luck, const deja__node *node, deja_buffer *out)
{
    enum { MOST = 6 };
    deja_buffer keys[MOST] = { { 0 } };
    uint32_t count = 0;
    for (uint32_t tries = below(luck, MOST + 1); tries > 0 && count < node->count; tries--) {
        deja_buffer key = { 0 };
        random_node_value(luck, node->children[0], &key);
        uint32_t at = 0;
        while (at < count && compare_keys(node->children[0], &keys[at], &key) < 0)
            at++;
        if (at < count && compare_keys(node->children[0], &keys[at], &key) == 0) {
            deja_buffer_release(&key);
            continue;
        }
        memmove(&keys[at + 1], &keys[at], (count - at) * sizeof *keys);
        keys[at] = key;
        count++;
    }
    add_number(out, count, 4);
    for (uint32_t i = 0; i < count; i++) {
        deja_buffer_add(out, keys[i].bytes, keys[i].size);
        deja_buffer_release(&keys[i]);
        if (node->shape == DEJA_MAP)
            random_node_value(luck, node->children[1], out);
    }
}

static void random_items(deja_luck *luck, const deja__node *node, deja_buffer *out)
{
    uint64_t count = node->count;
    if (node->shape == DEJA_MAP || node->shape == DEJA_SET) {
        random_keyed_value(luck, node, out);
        return;
    }
    if (node->shape == DEJA_LIST) {
        count = below(luck, 3) == 0 ? 0 : below(luck, (uint32_t)(count < 5 ? count : 5) + 1);
        if (below(luck, 20) == 0 && node->count < 100)
            count = node->count;
        add_number(out, count, 4);
    }
    for (uint64_t i = 0; i < count; i++)
        random_node_value(luck, node->children[0], out);
}

void random_node_value(deja_luck *luck, const deja__node *node, deja_buffer *out)
{
    switch (node->kind) {
    case DEJA_BOOL:
        add_number(out, below(luck, 2), 1);
        break;
    case DEJA_F32:
    case DEJA_F64:
        random_float(luck, node->kind == DEJA_F32 ? 4 : 8, out);
        break;
    case DEJA_ENUM:
        add_number(out, below(luck, node->name_count), 2);
        break;
    case DEJA_FLAGS: {
        const uint32_t mask = node->name_count == 32 ? UINT32_MAX : (1u << node->name_count) - 1;
        add_number(out, below(luck, 3) == 0 ? 0 : deja_luck_next(luck) & mask, 4);
        break;
    }
    case DEJA_TEXT:
        random_text(luck, node->count, out);
        break;
    case DEJA_BYTES:
        for (uint64_t i = 0; i < node->count; i++)
            add_number(out, deja_luck_next(luck), 1);
        break;
    case DEJA_RNG:
        for (uint32_t i = 0; i < 3; i++)
            add_number(out, random_bits(luck), 8);
        break;
    case DEJA_STRUCT:
    case DEJA_SECTION:
        for (uint32_t i = 0; i < node->child_count; i++)
            random_node_value(luck, node->children[i], out);
        break;
    case DEJA_KIND: {
        const uint32_t tag = below(luck, node->name_count);
        add_number(out, tag, 2);
        random_node_value(luck, node->children[tag], out);
        break;
    }
    case DEJA_OPTIONAL: {
        const uint32_t present = below(luck, 2);
        add_number(out, present, 1);
        if (present)
            random_node_value(luck, node->children[0], out);
        break;
    }
    case DEJA_ITEMS:
        random_items(luck, node, out);
        break;
    default:
        random_integer(luck, deja__scalar_size(node->kind), out);
        break;
    }
}

void random_value(deja_luck *luck, const deja_layout *layout, deja_buffer *out)
{
    random_node_value(luck, layout->root, out);
    cr_assert(not(out->failed));
}
