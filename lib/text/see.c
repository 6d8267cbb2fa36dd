/* SPDX-License-Identifier: MIT */
/*
 * Expectations: paths into the state with the values that are expected there.
 *
 *     fields = field *(" " field)      field = path "=" value
 *
 * Paths are those of deja_value_at(). There is no state at hand, so a path is followed in the
 * layout alone: an item is any item below the most there can be, and a field of a kind is that of
 * the first alternative which has it and whose type takes the value. Each value is read and printed
 * again, so that verifying has only to compare texts.
 */
#include "text/text.h"

#include "base/nearest.h"
#include "fields/value_parse.h"

/* One `path=value`. */
typedef struct wish {
    const char *path, *path_end;
    const char *value, *end;
    deja_buffer *out; /* takes the value as it is printed */
    deja_error *err;
    const char *furthest; /* how far a path was followed, for the message */
} wish;

static deja_code follow(wish *w, const deja__node *node, const char *at, bool first);

/* Keeps what went wrong furthest along the path: other alternatives fail sooner. */
static deja_code fail_at(wish *w, const char *at, const char *why, const char *name)
{
    char word[DEJA__WORD_SIZE];
    if (w->furthest && (at < w->furthest || (at == w->furthest && !*name)))
        return DEJA_EFORMAT;
    w->furthest = at;
    return deja__fail(w->err, DEJA_EFORMAT, "%s: %s%s",
                      deja__word(w->path, (uint64_t)(at - w->path), word), why, name);
}

/* The path is at its end, and this is what it leads to. */
static deja_code take_value(wish *w, const deja__node *node)
{
    char word[DEJA__WORD_SIZE];
    deja_buffer bytes = { 0 };
    deja_error failure;
    const deja__path path = { NULL, deja__word(w->path, (uint64_t)(w->path_end - w->path), word),
                              NULL, 0, NULL };
    deja_code code = deja__value_parse(node, w->value, (uint64_t)(w->end - w->value), DEJA__FIELD,
                                       &path, &bytes, &failure);
    if (code == DEJA_OK)
        code = deja__value_print(node, bytes.bytes, DEJA__FIELD, w->out, &failure);
    deja_buffer_release(&bytes);
    if (code < 0) {
        w->furthest = w->path_end;
        if (w->err)
            *w->err = failure;
    }
    return code;
}

/* Behind a name or an item: the end, a dot or a bracket. */
static deja_code go_on(wish *w, const deja__node *node, const char *at)
{
    return at == w->path_end ? take_value(w, node) : follow(w, node, at, false);
}

static deja_code follow_count(wish *w, const char *at)
{
    static const deja__node count_node = { .kind = DEJA_U32, .size_min = 4, .fixed = true };
    return at == w->path_end ? take_value(w, &count_node)
                             : fail_at(w, at, "the path should end here", "");
}

static deja_code follow_field(wish *w, const deja__node *node, const char *at)
{
    const char *name = at;
    while (at < w->path_end && *at != '.' && *at != '[')
        at++;
    const uint64_t size = (uint64_t)(at - name);
    if (node->kind == DEJA_ITEMS && size == 5 && memcmp(name, "count", 5) == 0)
        return follow_count(w, at);
    if (node->kind != DEJA_STRUCT)
        return fail_at(w, at, "there are no fields in it", "");
    deja__nearest nearest = { 0 };
    for (uint32_t i = 0; i < node->child_count; i++) {
        const deja__node *field = node->children[i];
        if (strlen(field->name) == size && memcmp(field->name, name, (size_t)size) == 0)
            return go_on(w, field, at);
        deja__nearest_try(&nearest, name, size, field->name);
    }
    return nearest.name ? fail_at(w, at, "no such field; the nearest is ", nearest.name)
                        : fail_at(w, at, "there is no such field", "");
}

/* A number in brackets that is below `limit`; *at is behind the opening one. */
static bool read_place(wish *w, const char **at, uint64_t limit)
{
    const char *digits = *at;
    uint64_t index;
    while (*at < w->path_end && **at >= '0' && **at <= '9')
        ++*at;
    if (*at == w->path_end || **at != ']' ||
        !deja__read_u64(digits, (uint64_t)(*at - digits), UINT32_MAX, &index)) {
        fail_at(w, *at, "a number belongs into the brackets", "");
        return false;
    }
    ++*at;
    if (index < limit)
        return true;
    fail_at(w, *at, "there are never so many items", "");
    return false;
}

static deja_code follow_key(wish *w, const deja__node *node, const char *at)
{
    deja_buffer key = { 0 };
    deja__parser p = { at, w->path_end, &key, NULL, DEJA_OK, NULL, 0, 0 };
    const bool sound = deja__parse_scalar(&p, node->children[0], NULL);
    deja_buffer_release(&key);
    if (p.code == DEJA_ENOMEM)
        return deja__fail_memory(w->err);
    if (!sound || p.at == w->path_end || *p.at != ']')
        return fail_at(w, p.at, "a key and a bracket belong here", "");
    return go_on(w, node->children[1], p.at + 1);
}

static deja_code follow_item(wish *w, const deja__node *node, const char *at)
{
    if (node->kind != DEJA_ITEMS)
        return fail_at(w, at, "there are no items in it", "");
    if (node->shape == DEJA_MAP)
        return follow_key(w, node, at);
    if (node->shape != DEJA_GRID)
        return read_place(w, &at, node->count) ? go_on(w, node->children[0], at) : DEJA_EFORMAT;
    if (!read_place(w, &at, node->count / node->row))
        return DEJA_EFORMAT;
    if (at == w->path_end || *at != '[')
        return fail_at(w, at, "a grid takes two numbers: [row][column]", "");
    at++;
    return read_place(w, &at, node->row) ? go_on(w, node->children[0], at) : DEJA_EFORMAT;
}

static deja_code follow(wish *w, const deja__node *node, const char *at, bool first)
{
    while (node->kind == DEJA_SECTION || node->kind == DEJA_OPTIONAL)
        node = node->children[0];
    if (node->kind == DEJA_KIND) {
        deja_code code = DEJA_EFORMAT;
        for (uint32_t i = 0; i < node->child_count && code == DEJA_EFORMAT; i++)
            code = follow(w, node->children[i], at, first);
        return code;
    }
    if (first)
        return follow_field(w, node, at);
    if (*at == '.')
        return follow_field(w, node, at + 1);
    if (*at == '[')
        return follow_item(w, node, at + 1);
    return fail_at(w, at, "a dot or a bracket belongs behind it", "");
}

/* Where the first of these characters is that stands in no quotes and no brackets; else the end. */
static const char *find(const char *at, const char *end, char wanted)
{
    uint32_t depth = 0;
    bool quoted = false;
    for (; at < end; at++) {
        if (quoted) {
            if (*at == '\\' && at + 1 < end)
                at++;
            else if (*at == '"')
                quoted = false;
        } else if (*at == wanted && depth == 0) {
            break;
        } else if (*at == '"') {
            quoted = true;
        } else if (*at == '{' || *at == '[') {
            depth++;
        } else if ((*at == '}' || *at == ']') && depth > 0) {
            depth--;
        }
    }
    return at;
}

/* Reads the `path=value` from `at` to `end`. An alternative that fails may come before the one that
 * does not, so the message is kept aside. */
static deja_code read_wish(const deja__node *state, const char *at, const char *end,
                           deja_buffer *out, deja_error *err)
{
    char word[DEJA__WORD_SIZE];
    deja_error failure;
    wish w = { .path = at, .path_end = find(at, end, '='), .end = end, .out = out };
    if (w.path_end == end)
        return deja__fail(err, DEJA_EFORMAT, "'%s' is no expectation; field=value is one",
                          deja__word(at, (uint64_t)(end - at), word));
    w.value = w.path_end + 1;
    w.err = &failure;
    deja_buffer_add(out, at, (uint64_t)(w.value - at));
    const deja_code code = follow(&w, state, at, true);
    if (code < 0 && err)
        *err = failure;
    return code;
}

deja_code deja__see_read(const deja__shape *state, const char *text, uint64_t size,
                         deja_buffer *out, deja_error *err)
{
    const char *end = text + size;
    const char *at = text;
    const uint64_t before = out->size;
    if (!state->layout)
        return deja__fail(err, DEJA_EFORMAT,
                          "the state of this game is not described; nothing can be expected of it");
    do {
        const char *wish_end = find(at, end, ' ');
        if (at > text)
            deja_buffer_char(out, ' ');
        const deja_code code = read_wish(state->layout->root, at, wish_end, out, err);
        if (code < 0) {
            deja__buffer_cut(out, before);
            return code;
        }
        for (at = wish_end; at < end && *at == ' '; at++) {
        }
    } while (at < end);
    return out->failed ? deja__fail_memory(err) : DEJA_OK;
}
