/* SPDX-License-Identifier: MIT */
/*
 * A value from text: the reverse of value_print.c; schemas/layout.md has the grammar.
 *
 * Directed by the layout, in one pass. Fields may come in any order, while bytes have the layout's;
 * so each struct keeps marks of where its fields went and, only if they came otherwise, puts them
 * in order at its end. The marks of all open structs are one stack.
 */
#include "fields/value_parse.h"

#include "base/nearest.h"

#include <stdlib.h>

static bool parse(deja__parser *p, const deja__node *node, enum deja__place place,
                  const deja__path *path);

/* ---- words and separators ---- */

static bool is_at(const deja__parser *p, char character)
{
    return p->at < p->end && *p->at == character;
}

static void skip_blanks(deja__parser *p)
{
    while (is_at(p, ' ') || is_at(p, '\t'))
        p->at++;
}

/* Whether one of these characters, or the end, is here. */
static bool is_at_any(const deja__parser *p, const char *characters)
{
    return p->at == p->end || (*p->at && strchr(characters, *p->at));
}

/* Whether a "-" stands here alone; it is taken. */
static bool take_dash(deja__parser *p)
{
    deja__parser behind = *p;
    if (!is_at(p, '-'))
        return false;
    behind.at++;
    if (!is_at_any(&behind, " \t,}]"))
        return false;
    p->at++;
    return true;
}

/* What stands here, for a message. */
static const char *here(const deja__parser *p, char word[DEJA__WORD_SIZE])
{
    const uint64_t left = (uint64_t)(p->end - p->at);
    return left == 0 ? "the end" : deja__word(p->at, left, word);
}

static bool take(deja__parser *p, char character, const deja__path *path)
{
    char word[DEJA__WORD_SIZE];
    if (is_at(p, character)) {
        p->at++;
        return true;
    }
    p->code = deja__fail_value(p->err, DEJA_EFORMAT, path, "'%c' belongs before: %s", character,
                               here(p, word));
    return false;
}

/* What is behind a name or a field's value has to be the next field, or the end. */
static bool take_end(deja__parser *p, const deja__path *path)
{
    char word[DEJA__WORD_SIZE];
    if (is_at_any(p, " \t}"))
        return true;
    p->code = deja__fail_value(p->err, DEJA_EFORMAT, path, "the value should end before: %s",
                               here(p, word));
    return false;
}

static bool no_memory(deja__parser *p)
{
    p->code = deja__fail_memory(p->err);
    return false;
}

static bool append_count(deja__parser *p, uint64_t number, uint64_t size)
{
    unsigned char bytes[4];
    deja__store_low(bytes, size, number);
    return deja_buffer_add(p->out, bytes, size) || no_memory(p);
}

/* ---- fields ---- */

static bool push_marks(deja__parser *p, uint32_t count)
{
    if (p->mark_count + count > p->mark_capacity) {
        const uint64_t capacity = 2 * (p->mark_count + count);
        deja__mark *marks = realloc(p->marks, (size_t)capacity * sizeof *marks);
        if (!marks)
            return no_memory(p);
        p->marks = marks;
        p->mark_capacity = capacity;
    }
    if (count != 0)
        memset(p->marks + p->mark_count, 0, count * sizeof *p->marks);
    p->mark_count += count;
    return true;
}

static bool is_named(const deja__node *field, const char *word, uint64_t size)
{
    return strlen(field->name) == size && memcmp(field->name, word, (size_t)size) == 0;
}

static bool unknown_field(deja__parser *p, const deja__node *node, const char *word, uint64_t size,
                          const deja__path *path)
{
    char cut[DEJA__WORD_SIZE];
    deja__nearest nearest = { 0 };
    for (uint32_t i = 0; i < node->child_count; i++)
        deja__nearest_try(&nearest, word, size, node->children[i]->name);
    p->code =
        deja__fail_value(p->err, DEJA_EFORMAT, path, "there is no field '%s'%s%s%s",
                         deja__word(word, size, cut), nearest.name ? "; the nearest is '" : "",
                         nearest.name ? nearest.name : "", nearest.name ? "'" : "");
    return false;
}

/* One name=value; `guess` is the place the next field has if they come in order. */
static bool parse_field(deja__parser *p, const deja__node *node, uint64_t base, uint32_t *guess,
                        const deja__path *path)
{
    char cut[DEJA__WORD_SIZE];
    const char *name = p->at;
    const uint64_t size = deja__token_size(p);
    p->at += size;
    if (size == 0 || !is_at(p, '=')) {
        p->at = name;
        p->code = deja__fail_value(p->err, DEJA_EFORMAT, path, "NAME=VALUE belongs before: %s",
                                   here(p, cut));
        return false;
    }
    p->at++;
    uint32_t place = *guess;
    if (place >= node->child_count || !is_named(node->children[place], name, size))
        for (place = 0; place < node->child_count; place++)
            if (is_named(node->children[place], name, size))
                break;
    if (place == node->child_count)
        return unknown_field(p, node, name, size, path);
    const deja__path field = { path, node->children[place]->name, NULL, 0, NULL };
    if (p->marks[base + place].seen) {
        p->code = deja__fail_value(p->err, DEJA_EFORMAT, &field, "the field is there twice");
        return false;
    }
    const uint64_t start = p->out->size;
    if (!parse(p, node->children[place], DEJA__FIELD, &field) || !take_end(p, &field))
        return false;
    p->marks[base + place] = (deja__mark){ start, p->out->size - start, true };
    *guess = place + 1;
    return true;
}

/* Puts the fields that lie from `start` on into the layout's order. */
static bool reorder(deja__parser *p, const deja__mark *marks, uint32_t count, uint64_t start)
{
    const uint64_t size = p->out->size - start;
    bool in_order = true;
    for (uint32_t i = 1; i < count; i++)
        in_order = in_order && marks[i - 1].offset <= marks[i].offset;
    if (in_order || size == 0)
        return true;
    unsigned char *copy = malloc((size_t)size);
    if (!copy)
        return no_memory(p);
    memcpy(copy, p->out->bytes + start, (size_t)size);
    deja__buffer_cut(p->out, start);
    for (uint32_t i = 0; i < count; i++)
        deja_buffer_add(p->out, copy + (marks[i].offset - start), marks[i].size);
    free(copy);
    return !p->out->failed || no_memory(p);
}

/* All fields of a struct, up to a closing brace or the end. */
static bool parse_fields(deja__parser *p, const deja__node *node, const deja__path *path)
{
    const uint64_t base = p->mark_count;
    const uint64_t start = p->out->size;
    uint32_t guess = 0;
    if (!push_marks(p, node->child_count))
        return false;
    for (skip_blanks(p); p->at < p->end && !is_at(p, '}'); skip_blanks(p))
        if (!parse_field(p, node, base, &guess, path))
            return false;
    for (uint32_t i = 0; i < node->child_count; i++) {
        if (!p->marks[base + i].seen) {
            p->code = deja__fail_value(p->err, DEJA_EFORMAT, path, "the field '%s' is missing",
                                       node->children[i]->name);
            return false;
        }
    }
    p->mark_count = base;
    return node->child_count < 2 || reorder(p, p->marks + base, node->child_count, start);
}

static bool parse_struct(deja__parser *p, const deja__node *node, enum deja__place place,
                         const deja__path *path)
{
    if (place == DEJA__TOP)
        return node->child_count == 0 ? take(p, '-', path) : parse_fields(p, node, path);
    return take(p, '{', path) && parse_fields(p, node, path) && take(p, '}', path);
}

/* ---- kinds ---- */

static bool parse_alternative(deja__parser *p, const deja__node *node, const deja__path *path)
{
    skip_blanks(p);
    const char *name = p->at;
    const uint64_t size = deja__token_size(p);
    p->at += size;
    for (uint32_t i = 0; i < node->name_count; i++) {
        if (strlen(node->names[i]) != size || memcmp(node->names[i], name, (size_t)size) != 0)
            continue;
        return take_end(p, path) && append_count(p, i, 2) &&
               parse_fields(p, node->children[i], path);
    }
    char word[DEJA__WORD_SIZE];
    char hint[DEJA__HINT_SIZE];
    p->code = deja__fail_value(
        p->err, DEJA_EFORMAT, path, "there is no '%s'%s", deja__word(name, size, word),
        deja__hint(name, size, (const char *const *)node->names, node->name_count, hint));
    return false;
}

static bool parse_kind(deja__parser *p, const deja__node *node, enum deja__place place,
                       const deja__path *path)
{
    if (place == DEJA__TOP)
        return parse_alternative(p, node, path);
    return take(p, '{', path) && parse_alternative(p, node, path) && take(p, '}', path);
}

/* ---- optionals and containers ---- */

static bool parse_optional(deja__parser *p, const deja__node *node, const deja__path *path)
{
    const deja__node *value = node->children[0];
    if (take_dash(p))
        return append_count(p, 0, 1);
    if (!append_count(p, 1, 1))
        return false;
    if (!deja__may_be_dash(value))
        return parse(p, value, DEJA__ITEM, path);
    return take(p, '[', path) && parse(p, value, DEJA__ITEM, path) && take(p, ']', path);
}

/* What is known of the items that were read so far. */
typedef struct walk {
    uint64_t count;
    uint64_t key; /* where the last key lies in the output */
    bool keyed;
} walk;

static bool parse_item(deja__parser *p, const deja__node *node, walk *w, const deja__path *path)
{
    const deja__path item = { path, NULL, node, w->count, NULL };
    const uint64_t start = p->out->size;
    if (w->count == node->count) {
        p->code = deja__fail_value(p->err, DEJA_EFORMAT, path, "more than %llu items",
                                   (unsigned long long)node->count);
        return false;
    }
    if (!parse(p, node->children[0], DEJA__ITEM, &item))
        return false;
    const unsigned char *bytes = p->out->bytes;
    if (w->keyed && w->count > 0) {
        const int order = deja__key_compare(node->children[0], bytes + w->key, bytes + start);
        if (order >= 0) {
            p->code =
                deja__fail_value(p->err, DEJA_EFORMAT, &item,
                                 order == 0 ? "the key is there twice"
                                            : "the key is below the one before it; keys rise");
            return false;
        }
    }
    w->key = start;
    w->count++;
    if (node->shape != DEJA_MAP)
        return true;
    return take(p, '=', &item) && parse(p, node->children[1], DEJA__FIELD, &item) &&
           take_end(p, &item);
}

/* Items up to the closing bracket or brace (or, where there is none, the last comma). */
static bool parse_all_items(deja__parser *p, const deja__node *node, walk *w, char closing,
                            const deja__path *path)
{
    if (node->shape == DEJA_MAP) {
        for (skip_blanks(p); p->at < p->end && !is_at(p, '}'); skip_blanks(p))
            if (!parse_item(p, node, w, path))
                return false;
    } else if (!closing || !is_at(p, closing)) {
        do {
            if (!parse_item(p, node, w, path))
                return false;
        } while (is_at(p, ',') && p->at++);
    }
    return !closing || take(p, closing, path);
}

static bool parse_items(deja__parser *p, const deja__node *node, enum deja__place place,
                        const deja__path *path)
{
    const bool keyed = node->shape == DEJA_MAP || node->shape == DEJA_SET;
    const bool counted = deja__is_counted(node);
    const uint64_t start = p->out->size;
    walk w = { 0, 0, keyed };
    if (counted && !append_count(p, 0, 4))
        return false;
    if (place == DEJA__ITEM || !take_dash(p)) {
        char closing = 0;
        if (node->shape == DEJA_MAP)
            closing = '}';
        else if (place == DEJA__ITEM || deja__may_be_dash(node->children[0]))
            closing = ']';
        if (closing && !take(p, closing == '}' ? '{' : '[', path))
            return false;
        if (!parse_all_items(p, node, &w, closing, path))
            return false;
    }
    if (counted) {
        deja__store32(p->out->bytes + start, (uint32_t)w.count);
    } else if (w.count != node->count) {
        p->code = deja__fail_value(p->err, DEJA_EFORMAT, path, "%llu items, there have to be %llu",
                                   (unsigned long long)w.count, (unsigned long long)node->count);
        return false;
    }
    return true;
}

/* ---- values ---- */

static bool parse(deja__parser *p, const deja__node *node, enum deja__place place,
                  const deja__path *path)
{
    switch (node->kind) {
    case DEJA_STRUCT:
        return parse_struct(p, node, place, path);
    case DEJA_KIND:
        return parse_kind(p, node, place, path);
    case DEJA_OPTIONAL:
        return parse_optional(p, node, path);
    case DEJA_SECTION:
        return parse(p, node->children[0], place, path);
    case DEJA_ITEMS:
        return parse_items(p, node, place, path);
    default:
        return deja__parse_scalar(p, node, path);
    }
}

deja_code deja__value_parse(const deja__node *node, const char *text, uint64_t size,
                            enum deja__place place, const deja__path *path, deja_buffer *out,
                            deja_error *err)
{
    const uint64_t before = out->size;
    deja__parser p = { text, text + size, out, err, DEJA_OK, NULL, 0, 0 };
    if (place == DEJA__TOP)
        skip_blanks(&p);
    if (parse(&p, node, place, path)) {
        char word[DEJA__WORD_SIZE];
        if (place == DEJA__TOP)
            skip_blanks(&p);
        if (p.at != p.end)
            p.code = deja__fail_value(err, DEJA_EFORMAT, path, "the value should end before: %s",
                                      here(&p, word));
        else if (out->failed)
            no_memory(&p);
        else if (out->size - before > DEJA__VALUE_SIZE_MAX)
            p.code = deja__fail_value(err, DEJA_ELIMIT, path, "the value is larger than %llu bytes",
                                      (unsigned long long)DEJA__VALUE_SIZE_MAX);
    }
    free(p.marks);
    if (p.code < 0)
        deja__buffer_cut(out, before);
    return p.code;
}

deja_code deja_value_parse(const deja_layout *layout, const char *text, uint64_t size,
                           deja_buffer *out, deja_error *err)
{
    return deja__value_parse(layout->root, text, size, DEJA__TOP, NULL, out, err);
}
