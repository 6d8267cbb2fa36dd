/* SPDX-License-Identifier: MIT */
/*
 * Layouts: building a tree, and handing it out. What makes a tree a layout is in layout_check.c.
 *
 * The strings and arrays of a node are its own, each one allocation: layouts are small, are made
 * once, and are walked by following pointers.
 */
#include "fields/layout.h"

#include <stdlib.h>

/* ---- nodes ---- */

deja__node *deja__node_create(uint32_t kind)
{
    deja__node *node = calloc(1, sizeof *node);
    if (node)
        node->kind = kind;
    return node;
}

void deja__node_destroy(deja__node *node)
{
    if (!node)
        return;
    for (uint32_t i = 0; i < node->child_count; i++)
        deja__node_destroy(node->children[i]);
    for (uint32_t i = 0; i < node->name_count; i++)
        free(node->names[i]);
    free(node->children);
    free(node->names);
    free(node->name);
    free(node);
}

/* An array of pointers has room for the next power of two of what is in it: NULL without memory. */
static void *make_room(void *array, uint32_t count)
{
    if (count != 0 && (count & (count - 1)) != 0)
        return array;
    if (count > UINT32_MAX / 2)
        return NULL;
    return realloc(array, (count ? (size_t)count * 2 : 1) * sizeof(void *));
}

static char *copy_name(const char *name, uint64_t size)
{
    char *copy = malloc((size_t)size + 1);
    if (!copy)
        return NULL;
    memcpy(copy, name, (size_t)size);
    copy[size] = 0;
    return copy;
}

bool deja__node_add_child(deja__node *node, deja__node *child)
{
    if (!child)
        return false;
    deja__node **children = make_room(node->children, node->child_count);
    if (!children) {
        deja__node_destroy(child);
        return false;
    }
    node->children = children;
    node->children[node->child_count++] = child;
    return true;
}

bool deja__node_set_name(deja__node *node, const char *name, uint64_t size)
{
    char *copy = copy_name(name, size);
    if (!copy)
        return false;
    free(node->name);
    node->name = copy;
    return true;
}

bool deja__node_add_name(deja__node *node, const char *name, uint64_t size)
{
    char **names = make_room(node->names, node->name_count);
    if (!names)
        return false;
    node->names = names;
    char *copy = copy_name(name, size);
    if (!copy)
        return false;
    node->names[node->name_count++] = copy;
    return true;
}

/* ---- what the kinds are ---- */

uint32_t deja__scalar_size(uint32_t kind)
{
    switch (kind) {
    case DEJA_BOOL:
    case DEJA_U8:
    case DEJA_I8:
        return 1;
    case DEJA_U16:
    case DEJA_I16:
    case DEJA_ENUM:
        return 2;
    case DEJA_U32:
    case DEJA_I32:
    case DEJA_F32:
    case DEJA_FLAGS:
        return 4;
    case DEJA_U64:
    case DEJA_I64:
    case DEJA_F64:
        return 8;
    case DEJA_RNG:
        return 24;
    default:
        return 0;
    }
}

/* ---- layouts ---- */

deja_code deja__layout_from_tree(deja_layout **out, deja__node *root, deja_error *err)
{
    deja_code code = DEJA_OK;
    deja_buffer text = { 0 };
    deja_layout *layout = NULL;

    *out = NULL;
    if (!root)
        return deja__fail_memory(err);
    code = deja__layout_check(root, err);
    if (code < 0)
        goto done;
    if (!deja__layout_print(root, &text)) {
        code = text.failed ? deja__fail_memory(err)
                           : deja__fail(err, DEJA_ELIMIT, "the layout's text is longer than %d",
                                        DEJA__LAYOUT_TEXT_MAX);
        goto done;
    }
    layout = calloc(1, sizeof *layout);
    if (!layout) {
        code = deja__fail_memory(err);
        goto done;
    }
    layout->root = root;
    layout->text = (char *)text.bytes;
    layout->text_size = text.size;
    *out = layout;
    return DEJA_OK;

done:
    deja_buffer_release(&text);
    deja__node_destroy(root);
    return code;
}

void deja_layout_destroy(deja_layout *layout)
{
    if (!layout)
        return;
    deja__node_destroy(layout->root);
    free(layout->text);
    free(layout);
}

const char *deja_layout_text(const deja_layout *layout)
{
    return layout->text;
}

uint32_t deja_layout_kind_count(const deja_layout *layout)
{
    return layout->root->kind == DEJA_KIND ? layout->root->name_count : 0;
}

const char *deja_layout_kind_name(const deja_layout *layout, uint32_t place)
{
    return place < deja_layout_kind_count(layout) ? layout->root->names[place] : NULL;
}
