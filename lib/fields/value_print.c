/* SPDX-License-Identifier: MIT */
/*
 * A value as text: `take row=0 n=3`, `rows=7,5,3,1 side=0`. schemas/layout.md has the grammar.
 *
 * What is "-" (an absent optional, an empty list, no flags) must never be mistaken for an item of
 * what holds it. So the brackets go by the type, never by the value at hand: containers have them
 * wherever they are items, and whatever holds optionals or flags has them round what it holds.
 */
#include "fields/values.h"

typedef struct printer {
    deja_buffer *out;
    uint64_t most; /* the size that `out` must not pass */
} printer;

/* Prints one valid value and answers where it ends. */
static const unsigned char *print(printer *p, const deja__node *node, const unsigned char *at,
                                  enum deja__place place);

static bool is_full(const printer *p)
{
    return p->out->failed || p->out->size > p->most;
}

/* "a=1 b=2", each with a blank before it but the first where `blank` is not set. */
static const unsigned char *print_fields(printer *p, const deja__node *node,
                                         const unsigned char *at, bool blank)
{
    for (uint32_t i = 0; i < node->child_count; i++) {
        if (i > 0 || blank)
            deja_buffer_char(p->out, ' ');
        deja_buffer_text(p->out, node->children[i]->name);
        deja_buffer_char(p->out, '=');
        at = print(p, node->children[i], at, DEJA__FIELD);
    }
    return at;
}

static const unsigned char *print_struct(printer *p, const deja__node *node,
                                         const unsigned char *at, enum deja__place place)
{
    if (place == DEJA__TOP) {
        if (node->child_count == 0)
            deja_buffer_char(p->out, '-');
        return print_fields(p, node, at, false);
    }
    deja_buffer_char(p->out, '{');
    at = print_fields(p, node, at, false);
    deja_buffer_char(p->out, '}');
    return at;
}

static const unsigned char *print_kind(printer *p, const deja__node *node, const unsigned char *at,
                                       enum deja__place place)
{
    const uint32_t tag = deja__load16(at);
    if (place != DEJA__TOP)
        deja_buffer_char(p->out, '{');
    deja_buffer_text(p->out, node->names[tag]);
    at = print_fields(p, node->children[tag], at + 2, true);
    if (place != DEJA__TOP)
        deja_buffer_char(p->out, '}');
    return at;
}

static const unsigned char *print_optional(printer *p, const deja__node *node,
                                           const unsigned char *at)
{
    const deja__node *value = node->children[0];
    const bool brackets = deja__may_be_dash(value);
    if (at[0] == 0) {
        deja_buffer_char(p->out, '-');
        return at + 1;
    }
    if (brackets)
        deja_buffer_char(p->out, '[');
    at = print(p, value, at + 1, DEJA__ITEM);
    if (brackets)
        deja_buffer_char(p->out, ']');
    return at;
}

/* {key=value key=value} */
static const unsigned char *print_map(printer *p, const deja__node *node, const unsigned char *at,
                                      uint64_t count)
{
    deja_buffer_char(p->out, '{');
    for (uint64_t i = 0; i < count && !is_full(p); i++) {
        if (i > 0)
            deja_buffer_char(p->out, ' ');
        at = print(p, node->children[0], at, DEJA__ITEM);
        deja_buffer_char(p->out, '=');
        at = print(p, node->children[1], at, DEJA__FIELD);
    }
    deja_buffer_char(p->out, '}');
    return at;
}

static const unsigned char *print_items(printer *p, const deja__node *node, const unsigned char *at,
                                        enum deja__place place)
{
    uint64_t count = node->count;
    if (deja__is_counted(node)) {
        count = deja__load32(at);
        at += 4;
    }
    if (count == 0 && place == DEJA__FIELD) {
        deja_buffer_char(p->out, '-');
        return at;
    }
    if (node->shape == DEJA_MAP)
        return print_map(p, node, at, count);

    const bool brackets = place == DEJA__ITEM || deja__may_be_dash(node->children[0]);
    if (brackets)
        deja_buffer_char(p->out, '[');
    for (uint64_t i = 0; i < count && !is_full(p); i++) {
        if (i > 0)
            deja_buffer_char(p->out, ',');
        at = print(p, node->children[0], at, DEJA__ITEM);
    }
    if (brackets)
        deja_buffer_char(p->out, ']');
    return at;
}

static const unsigned char *print(printer *p, const deja__node *node, const unsigned char *at,
                                  enum deja__place place)
{
    /* Once it is full nothing is read: a list that was left early has left `at` inside of it. */
    if (is_full(p))
        return at;
    switch (node->kind) {
    case DEJA_STRUCT:
        return print_struct(p, node, at, place);
    case DEJA_KIND:
        return print_kind(p, node, at, place);
    case DEJA_OPTIONAL:
        return print_optional(p, node, at);
    case DEJA_SECTION:
        return print(p, node->children[0], at, place);
    case DEJA_ITEMS:
        return print_items(p, node, at, place);
    default:
        deja__scalar_print(node, at, p->out);
        return at + deja__value_size(node, at);
    }
}

deja_code deja__value_print(const deja__node *node, const unsigned char *bytes,
                            enum deja__place place, deja_buffer *out, deja_error *err)
{
    const uint64_t before = out->size;
    printer p = { out, before + DEJA__PRINT_SIZE_MAX };
    print(&p, node, bytes, place);
    if (!is_full(&p))
        return DEJA_OK;
    const bool failed = out->failed;
    deja__buffer_cut(out, before);
    if (failed)
        return deja__fail_memory(err);
    return deja__fail(err, DEJA_ELIMIT, "the value is longer than %llu bytes as text",
                      (unsigned long long)DEJA__PRINT_SIZE_MAX);
}

bool deja__value_print_start(const deja__node *node, const unsigned char *bytes,
                             enum deja__place place, uint64_t enough, deja_buffer *out)
{
    printer p = { out, out->size + enough };
    print(&p, node, bytes, place);
    return !out->failed;
}

deja_code deja_value_print(const deja_layout *layout, const void *bytes, uint64_t size,
                           deja_buffer *out, deja_error *err)
{
    const deja_code code = deja__value_check(layout->root, bytes, size, err);
    if (code < 0)
        return code;
    return deja__value_print(layout->root, deja__value_bytes(bytes), DEJA__TOP, out, err);
}
