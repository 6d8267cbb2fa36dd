/* SPDX-License-Identifier: MIT */
/*
 * A layout's one text. Every tree has one spelling: one blank between fields, none elsewhere,
 * decimals without leading zeros. So two layouts are the same exactly if their texts are.
 */
#include "fields/layout.h"

const char *deja__kind_word(uint32_t kind)
{
    static const char *const words[] = {
        [DEJA_BOOL] = "bool",   [DEJA_U8] = "u8",     [DEJA_U16] = "u16",
        [DEJA_U32] = "u32",     [DEJA_U64] = "u64",   [DEJA_I8] = "i8",
        [DEJA_I16] = "i16",     [DEJA_I32] = "i32",   [DEJA_I64] = "i64",
        [DEJA_F32] = "f32",     [DEJA_F64] = "f64",   [DEJA_ENUM] = "enum",
        [DEJA_FLAGS] = "flags", [DEJA_TEXT] = "text", [DEJA_BYTES] = "bytes",
        [DEJA_RNG] = "rng",     [DEJA_KIND] = "kind", [DEJA_SECTION] = "section",
    };
    return kind < sizeof words / sizeof *words ? words[kind] : NULL;
}

static void print_type(const deja__node *node, deja_buffer *out);

static void print_fields(const deja__node *node, deja_buffer *out)
{
    for (uint32_t i = 0; i < node->child_count; i++) {
        if (i != 0)
            deja_buffer_char(out, ' ');
        deja_buffer_text(out, node->children[i]->name);
        deja_buffer_char(out, ':');
        print_type(node->children[i], out);
    }
}

/* (a|b), and for a kind (a{x:u8}|b) */
static void print_names(const deja__node *node, deja_buffer *out)
{
    for (uint32_t i = 0; i < node->name_count; i++) {
        deja_buffer_char(out, i == 0 ? '(' : '|');
        deja_buffer_text(out, node->names[i]);
        if (node->kind == DEJA_KIND && node->children[i]->child_count != 0)
            print_type(node->children[i], out);
    }
    deja_buffer_char(out, ')');
}

static void print_items(const deja__node *node, deja_buffer *out)
{
    static const char *const words[] = {
        [DEJA_MAP] = "map(", [DEJA_SET] = "set(", [DEJA_BLOCKS] = "blocks("
    };
    const bool wrapped = node->shape >= DEJA_MAP;
    const unsigned long long count = node->count;

    if (wrapped)
        deja_buffer_text(out, words[node->shape]);
    print_type(node->children[0], out);
    if (node->shape == DEJA_MAP) {
        deja_buffer_char(out, ' ');
        print_type(node->children[1], out);
    }
    if (wrapped)
        deja_buffer_char(out, ')');
    if (node->shape == DEJA_GRID)
        deja__print(out, "[%llu][%u]", count / node->row, node->row);
    else if (node->shape == DEJA_ARRAY || node->shape == DEJA_BLOCKS)
        deja__print(out, "[%llu]", count);
    else
        deja__print(out, "[..%llu]", count);
}

static void print_type(const deja__node *node, deja_buffer *out)
{
    /* A tree may be far larger than the limit: stop once there is enough to tell. */
    if (out->size > DEJA__LAYOUT_TEXT_MAX)
        return;
    switch (node->kind) {
    case DEJA_STRUCT:
        deja_buffer_char(out, '{');
        print_fields(node, out);
        deja_buffer_char(out, '}');
        break;
    case DEJA_ITEMS:
        print_items(node, out);
        break;
    case DEJA_OPTIONAL:
        print_type(node->children[0], out);
        deja_buffer_char(out, '?');
        break;
    default:
        deja_buffer_text(out, deja__kind_word(node->kind));
        if (node->kind == DEJA_SECTION) {
            deja_buffer_char(out, '(');
            print_type(node->children[0], out);
            deja_buffer_char(out, ')');
        } else if (node->kind == DEJA_TEXT) {
            deja__print(out, "[..%llu]", (unsigned long long)node->count);
        } else if (node->kind == DEJA_BYTES) {
            deja__print(out, "[%llu]", (unsigned long long)node->count);
        } else if (node->name_count != 0) {
            print_names(node, out);
        }
        break;
    }
}

bool deja__node_print(const deja__node *node, deja_buffer *out)
{
    print_type(node, out);
    return !out->failed;
}

bool deja__layout_print(const deja__node *root, deja_buffer *out)
{
    const uint64_t before = out->size;
    if (root->kind == DEJA_STRUCT && root->child_count == 0)
        deja_buffer_char(out, '-');
    else if (root->kind == DEJA_STRUCT)
        print_fields(root, out);
    else
        print_type(root, out);
    return !out->failed && out->size - before <= DEJA__LAYOUT_TEXT_MAX;
}
