/* SPDX-License-Identifier: MIT */
/*
 * A value as JSON.
 *
 * For programs that read numbers as doubles: 64-bit integers are strings, always, so that none
 * loses its last digits. The names of a struct's fields differ, so no object has a key twice; a map
 * is an array of key and value, as its keys need not be strings. What JSON has no number for (nan,
 * inf, -inf) is a string.
 *
 *     kind        {"take":{"row":0,"n":3}}      enum    "angry"
 *     struct      {"row":0,"n":3}               flags   ["wet","cold"]
 *     list, set   [7,5,3,1]                     bytes   "00ff"
 *     grid        [[1,2],[3,4]]                 text    "as it is"
 *     map         [{"key":K,"value":V}]         absent  null
 *     rng         {"state":"9f...","increment":"00...01","draws":"12"}
 */
#include "fields/values.h"

typedef struct printer {
    deja_buffer *out;
    uint64_t most; /* the size that `out` must not pass */
} printer;

static const unsigned char *print(printer *p, const deja__node *node, const unsigned char *at);

static bool is_full(const printer *p)
{
    return p->out->failed || p->out->size > p->most;
}

static void print_name(deja_buffer *out, const char *name)
{
    deja__print_json(out, name, strlen(name));
}

static const unsigned char *print_struct(printer *p, const deja__node *node,
                                         const unsigned char *at)
{
    deja_buffer_char(p->out, '{');
    for (uint32_t i = 0; i < node->child_count; i++) {
        if (i > 0)
            deja_buffer_char(p->out, ',');
        print_name(p->out, node->children[i]->name);
        deja_buffer_char(p->out, ':');
        at = print(p, node->children[i], at);
    }
    deja_buffer_char(p->out, '}');
    return at;
}

static const unsigned char *print_kind(printer *p, const deja__node *node, const unsigned char *at)
{
    const uint32_t tag = deja__load16(at);
    deja_buffer_char(p->out, '{');
    print_name(p->out, node->names[tag]);
    deja_buffer_char(p->out, ':');
    at = print(p, node->children[tag], at + 2);
    deja_buffer_char(p->out, '}');
    return at;
}

static const unsigned char *print_entry(printer *p, const deja__node *node, const unsigned char *at)
{
    deja_buffer_text(p->out, "{\"key\":");
    at = print(p, node->children[0], at);
    deja_buffer_text(p->out, ",\"value\":");
    at = print(p, node->children[1], at);
    deja_buffer_char(p->out, '}');
    return at;
}

static const unsigned char *print_items(printer *p, const deja__node *node, const unsigned char *at)
{
    uint64_t count = node->count;
    if (deja__is_counted(node)) {
        count = deja__load32(at);
        at += 4;
    }
    const uint64_t row = node->shape == DEJA_GRID ? node->row : UINT64_MAX;
    deja_buffer_text(p->out, node->shape == DEJA_GRID ? "[[" : "[");
    for (uint64_t i = 0; i < count && !is_full(p); i++) {
        if (i > 0)
            deja_buffer_text(p->out, i % row == 0 ? "],[" : ",");
        at = node->shape == DEJA_MAP ? print_entry(p, node, at) : print(p, node->children[0], at);
    }
    deja_buffer_text(p->out, node->shape == DEJA_GRID ? "]]" : "]");
    return at;
}

static void print_flags(const deja__node *node, uint32_t bits, deja_buffer *out)
{
    deja_buffer_char(out, '[');
    for (uint32_t i = 0, before = 0; i < node->name_count; i++) {
        if (!(bits >> i & 1))
            continue;
        if (before++)
            deja_buffer_char(out, ',');
        print_name(out, node->names[i]);
    }
    deja_buffer_char(out, ']');
}

static void print_rng(const unsigned char *at, deja_buffer *out)
{
    deja_buffer_text(out, "{\"state\":\"");
    deja__print_hex(out, deja__load64(at), 16);
    deja_buffer_text(out, "\",\"increment\":\"");
    deja__print_hex(out, deja__load64(at + 8), 16);
    deja_buffer_text(out, "\",\"draws\":\"");
    deja__unsigned_print(deja__load64(at + 16), out);
    deja_buffer_text(out, "\"}");
}

static bool is_finite(const deja__node *node, const unsigned char *at)
{
    return node->kind == DEJA_F32 ? (deja__load32(at) >> 23 & 0xff) != 0xff
                                  : (deja__load64(at) >> 52 & 0x7ff) != 0x7ff;
}

/* What is written as it is in text, with quotes or without. */
static void print_scalar(const deja__node *node, const unsigned char *at, deja_buffer *out)
{
    const bool quoted =
        node->kind == DEJA_U64 || node->kind == DEJA_I64 || node->kind == DEJA_ENUM ||
        node->kind == DEJA_BYTES ||
        ((node->kind == DEJA_F32 || node->kind == DEJA_F64) && !is_finite(node, at));
    if (quoted)
        deja_buffer_char(out, '"');
    deja__scalar_print(node, at, out);
    if (quoted)
        deja_buffer_char(out, '"');
}

static const unsigned char *print(printer *p, const deja__node *node, const unsigned char *at)
{
    /* Once it is full nothing is read: a list that was left early has left `at` inside of it. */
    if (is_full(p))
        return at;
    switch (node->kind) {
    case DEJA_STRUCT:
        return print_struct(p, node, at);
    case DEJA_KIND:
        return print_kind(p, node, at);
    case DEJA_SECTION:
        return print(p, node->children[0], at);
    case DEJA_OPTIONAL:
        if (at[0])
            return print(p, node->children[0], at + 1);
        deja_buffer_text(p->out, "null");
        return at + 1;
    case DEJA_ITEMS:
        return print_items(p, node, at);
    case DEJA_TEXT:
        deja__print_json(p->out, (const char *)at + 4, deja__load32(at));
        break;
    case DEJA_FLAGS:
        print_flags(node, deja__load32(at), p->out);
        break;
    case DEJA_RNG:
        print_rng(at, p->out);
        break;
    default:
        print_scalar(node, at, p->out);
        break;
    }
    return at + deja__value_size(node, at);
}

deja_code deja_value_print_json(const deja_layout *layout, const void *bytes, uint64_t size,
                                deja_buffer *out, deja_error *err)
{
    const deja_code code = deja__value_check(layout->root, bytes, size, err);
    if (code < 0)
        return code;
    const uint64_t before = out->size;
    printer p = { out, before + DEJA__PRINT_SIZE_MAX };
    print(&p, layout->root, deja__value_bytes(bytes));
    if (!is_full(&p))
        return DEJA_OK;
    const bool failed = out->failed;
    deja__buffer_cut(out, before);
    if (failed)
        return deja__fail_memory(err);
    return deja__fail(err, DEJA_ELIMIT, "the value is longer than %llu bytes as JSON",
                      (unsigned long long)DEJA__PRINT_SIZE_MAX);
}
