/* SPDX-License-Identifier: MIT */
/*
 * Reading a layout's text.
 *
 *     layout  = "-" | fields | kind
 *     fields  = name ":" type *(" " name ":" type)
 *     kind    = "kind(" name ["{" fields "}"] *("|" name ["{" fields "}"]) ")"
 *     type    = base *("?" | "[" count "]" | "[" count "][" count "]" | "[.." count "]")
 *     base    = word | "{" [fields] "}" | kind | "section(" type ")"
 *             | ("enum(" | "flags(") name *("|" name) ")"
 *             | "text[.." count "]" | "bytes[" count "]"
 *             | "map(" type " " type ")[.." count "]" | "set(" type ")[.." count "]"
 *             | "blocks(" type ")[" count "]"
 *     word    = "bool" | "u8" ... "u64" | "i8" ... "i64" | "f32" | "f64" | "rng"
 *
 * The text may be a stranger's. It is bounded before anything is read, recursion ends at
 * DEJA__DEPTH_MAX, and each node costs at least one character, so memory is in proportion to the
 * text. A spelling that printing would not give is refused: layouts are compared as text. What the
 * grammar does not say (doubles, keys, sizes) is checked for the tree as a whole.
 */
#include "fields/layout.h"

#include <stdlib.h>

typedef struct reader {
    const char *text;
    uint64_t size;
    uint64_t at;
    deja_error *err;
    deja_code code; /* the first failure; every later one is its echo */
} reader;

/* ---- characters ---- */

static bool fail_here(reader *r, const char *expected)
{
    if (r->code == DEJA_OK)
        r->code = deja__fail(r->err, DEJA_EFORMAT, "byte %llu: expected %s",
                             (unsigned long long)r->at, expected);
    return false;
}

static bool fail_memory(reader *r)
{
    if (r->code == DEJA_OK)
        r->code = deja__fail_memory(r->err);
    return false;
}

static bool fail_depth(reader *r)
{
    if (r->code == DEJA_OK)
        r->code = deja__fail(r->err, DEJA_ELIMIT, "byte %llu: nested deeper than %d",
                             (unsigned long long)r->at, DEJA__DEPTH_MAX);
    return false;
}

static bool accept(reader *r, const char *word)
{
    const size_t size = strlen(word);
    if (r->size - r->at < size || memcmp(r->text + r->at, word, size) != 0)
        return false;
    r->at += size;
    return true;
}

static bool expect(reader *r, const char *word, const char *expected)
{
    return accept(r, word) || fail_here(r, expected);
}

/* How many characters of a name, or of anything that looks like one, come next. */
static uint64_t name_size(const reader *r)
{
    uint64_t end = r->at;
    while (end < r->size) {
        const char c = r->text[end];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '_' || c == '-'))
            break;
        end++;
    }
    return end - r->at;
}

/* A name: its size, or 0. The caller steps over it. */
static uint64_t expect_name(reader *r)
{
    const uint64_t size = name_size(r);
    if (deja__is_name(r->text + r->at, size))
        return size;
    fail_here(r, "a name");
    return 0;
}

static bool expect_count(reader *r, uint64_t *count)
{
    uint64_t size = 0;
    while (size < r->size - r->at && r->text[r->at + size] >= '0' && r->text[r->at + size] <= '9')
        size++;
    if (!deja__read_u64(r->text + r->at, size, UINT32_MAX, count) || *count == 0)
        return fail_here(r, "a count from 1 to 4294967295, without leading zeros");
    r->at += size;
    return true;
}

/* ---- types ---- */

static deja__node *read_type(reader *r, uint32_t depth);

/* Takes `child`, and puts it into `node`. */
static bool add_child(reader *r, deja__node *node, deja__node *child)
{
    if (!child)
        return false;
    return deja__node_add_child(node, child) || fail_memory(r);
}

static deja__node *create_node(reader *r, uint32_t kind)
{
    deja__node *node = deja__node_create(kind);
    if (!node)
        fail_memory(r);
    return node;
}

/* name:type name:type ... at least one */
static bool read_fields(reader *r, deja__node *node, uint32_t depth)
{
    do {
        const char *name = r->text + r->at;
        const uint64_t size = expect_name(r);
        if (size == 0)
            return false;
        r->at += size;
        if (!expect(r, ":", "':' and a type"))
            return false;
        deja__node *child = read_type(r, depth + 1);
        if (child && !deja__node_set_name(child, name, size)) {
            deja__node_destroy(child);
            return fail_memory(r);
        }
        if (!add_child(r, node, child))
            return false;
    } while (accept(r, " "));
    return true;
}

/* The fields of one alternative of a kind, if there are any. */
static bool read_alternative(reader *r, deja__node *node, uint32_t depth)
{
    deja__node *alternative = create_node(r, DEJA_STRUCT);
    if (!alternative)
        return false;
    const bool sound =
        !accept(r, "{") || (read_fields(r, alternative, depth + 1) && expect(r, "}", "'}' or ' '"));
    if (sound)
        return add_child(r, node, alternative);
    deja__node_destroy(alternative);
    return false;
}

/* a|b) and for a kind a{x:u8}|b) */
static bool read_names(reader *r, deja__node *node, uint32_t depth)
{
    do {
        const uint64_t size = expect_name(r);
        if (size == 0)
            return false;
        if (node->name_count == DEJA__NAMES_MAX) {
            r->code = deja__fail(r->err, DEJA_ELIMIT, "byte %llu: more than %d names",
                                 (unsigned long long)r->at, DEJA__NAMES_MAX);
            return false;
        }
        if (!deja__node_add_name(node, r->text + r->at, size))
            return fail_memory(r);
        r->at += size;
        if (node->kind == DEJA_KIND && !read_alternative(r, node, depth))
            return false;
    } while (accept(r, "|"));
    return expect(r, ")", "'|' or ')'");
}

/* What stands in brackets after map(...), set(...), blocks(...), text and bytes. */
static bool read_room(reader *r, deja__node *node, const char *open, const char *expected)
{
    return expect(r, open, expected) && expect_count(r, &node->count) && expect(r, "]", "']'");
}

static bool read_wrapped(reader *r, deja__node *node, uint32_t depth)
{
    if (!add_child(r, node, read_type(r, depth + 1)))
        return false;
    if (node->shape == DEJA_MAP && (!expect(r, " ", "' ' and the type of the values") ||
                                    !add_child(r, node, read_type(r, depth + 1))))
        return false;
    if (!expect(r, ")", "')'"))
        return false;
    if (node->kind == DEJA_SECTION)
        return true;
    return node->shape == DEJA_BLOCKS ? read_room(r, node, "[", "'[' and a count")
                                      : read_room(r, node, "[..", "'[..' and a count");
}

/* The words that something in brackets or parentheses follows. */
static const struct opening {
    const char *word;
    uint32_t kind;
    uint32_t shape;
} openings[] = {
    { "enum(", DEJA_ENUM, DEJA_ONE },       { "flags(", DEJA_FLAGS, DEJA_ONE },
    { "kind(", DEJA_KIND, DEJA_ONE },       { "section(", DEJA_SECTION, DEJA_ONE },
    { "map(", DEJA_ITEMS, DEJA_MAP },       { "set(", DEJA_ITEMS, DEJA_SET },
    { "blocks(", DEJA_ITEMS, DEJA_BLOCKS }, { "text[..", DEJA_TEXT, DEJA_ONE },
    { "bytes[", DEJA_BYTES, DEJA_ONE },     { "{", DEJA_STRUCT, DEJA_ONE },
};

static bool read_opened(reader *r, deja__node *node, uint32_t depth)
{
    switch (node->kind) {
    case DEJA_STRUCT:
        return accept(r, "}") || (read_fields(r, node, depth) && expect(r, "}", "'}' or ' '"));
    case DEJA_TEXT:
    case DEJA_BYTES:
        return expect_count(r, &node->count) && expect(r, "]", "']'");
    case DEJA_SECTION:
    case DEJA_ITEMS:
        return read_wrapped(r, node, depth);
    default:
        return read_names(r, node, depth);
    }
}

static deja__node *read_base(reader *r, uint32_t depth)
{
    for (size_t i = 0; i < sizeof openings / sizeof *openings; i++) {
        if (!accept(r, openings[i].word))
            continue;
        deja__node *node = create_node(r, openings[i].kind);
        if (!node)
            return NULL;
        node->shape = openings[i].shape;
        if (read_opened(r, node, depth))
            return node;
        deja__node_destroy(node);
        return NULL;
    }
    const uint64_t size = name_size(r);
    for (uint32_t kind = DEJA_BOOL; kind <= DEJA_RNG; kind++) {
        const char *word = deja__kind_word(kind);
        if ((kind > DEJA_F64 && kind != DEJA_RNG) || strlen(word) != size ||
            memcmp(word, r->text + r->at, size) != 0)
            continue;
        r->at += size;
        return create_node(r, kind);
    }
    fail_here(r, "a type");
    return NULL;
}

/* Reads what `item` is made a list, an array or a grid of by the brackets ahead. */
static bool read_brackets(reader *r, deja__node *items)
{
    uint64_t columns = 0;
    if (accept(r, "..")) {
        items->shape = DEJA_LIST;
        return expect_count(r, &items->count) && expect(r, "]", "']'");
    }
    items->shape = DEJA_ARRAY;
    if (!expect_count(r, &items->count) || !expect(r, "]", "']'"))
        return false;
    if (r->size - r->at < 2 || r->text[r->at] != '[' || r->text[r->at + 1] == '.')
        return true;
    r->at++;
    if (!expect_count(r, &columns) || !expect(r, "]", "']'"))
        return false;
    items->shape = DEJA_GRID;
    items->row = (uint32_t)columns;
    items->count *= columns;
    return true;
}

static deja__node *read_type(reader *r, uint32_t depth)
{
    if (depth > DEJA__DEPTH_MAX + 1) {
        fail_depth(r);
        return NULL;
    }
    deja__node *node = read_base(r, depth);
    for (; node && r->at < r->size; depth++) {
        const bool optional = accept(r, "?");
        if (!optional && !accept(r, "["))
            break;
        if (depth > DEJA__DEPTH_MAX) {
            fail_depth(r);
            break;
        }
        deja__node *outer = create_node(r, optional ? DEJA_OPTIONAL : DEJA_ITEMS);
        if (!outer)
            break;
        if (!add_child(r, outer, node)) {
            deja__node_destroy(outer);
            return NULL;
        }
        node = outer;
        if (!optional && !read_brackets(r, node))
            break;
    }
    if (r->code == DEJA_OK)
        return node;
    deja__node_destroy(node);
    return NULL;
}

/* ---- a whole layout ---- */

static deja__node *read_layout(reader *r)
{
    static const char kind_word[] = "kind(";
    if (r->size >= sizeof kind_word && memcmp(r->text, kind_word, sizeof kind_word - 1) == 0)
        return read_base(r, 1);

    deja__node *root = create_node(r, DEJA_STRUCT);
    if (!root || (r->size == 1 && accept(r, "-")))
        return root;
    if (read_fields(r, root, 1))
        return root;
    deja__node_destroy(root);
    return NULL;
}

deja_code deja_layout_parse(deja_layout **out, const char *text, uint64_t size, deja_error *err)
{
    reader r = { size != 0 ? text : "", size, 0, err, DEJA_OK };
    *out = NULL;
    if (size > DEJA__LAYOUT_TEXT_MAX)
        return deja__fail(err, DEJA_ELIMIT, "the layout has %llu bytes, the most is %d",
                          (unsigned long long)size, DEJA__LAYOUT_TEXT_MAX);
    deja__node *root = read_layout(&r);
    if (root && r.at != size) {
        fail_here(&r, "' ' and a field, or the end");
        deja__node_destroy(root);
        root = NULL;
    }
    if (!root)
        return r.code;
    return deja__layout_from_tree(out, root, err);
}
