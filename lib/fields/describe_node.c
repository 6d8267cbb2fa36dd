/* SPDX-License-Identifier: MIT */
/*
 * What one call names, as a node of the tree; and what is wrong, in words.
 */
#include "fields/describe_parts.h"

#include <stdio.h>

/* ---- failing ---- */

/* " in 'units.take'": the names of the frames, those of chosen alternatives included. */
static void append_place(const deja__describer *d, char *text, size_t room)
{
    size_t size = strlen(text);
    const char *before = " in '";
    for (uint32_t i = 0; i < d->frame_count && size < room; i++) {
        const deja__frame *frame = &d->frames[i];
        const char *names[2] = { frame->node->name,
                                 frame->tagged ? frame->node->names[frame->place] : NULL };
        for (size_t k = 0; k < 2 && size < room; k++) {
            if (!names[k])
                continue;
            const int added = snprintf(text + size, room - size, "%s%s", before, names[k]);
            size += added > 0 ? (size_t)added : 0;
            before = ".";
        }
    }
    if (before[0] == '.' && size < room)
        snprintf(text + size, room - size, "'");
}

/* Names that are none may be anything. */
static void make_printable(char *text)
{
    const bool sound = deja__is_utf8(text, strlen(text));
    for (; *text; text++) {
        const unsigned char byte = (unsigned char)*text;
        if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !sound))
            *text = '?';
    }
}

void deja__describe_fail(deja__describer *d, const char *format, ...)
{
    char text[512];
    va_list arguments;
    if (d->code < 0)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    append_place(d, text, sizeof text);
    make_printable(text);
    d->code = deja__fail(d->err, DEJA_EUNFIT, "%s", text);
}

void deja__describe_fail_memory(deja__describer *d)
{
    if (d->code == DEJA_OK)
        d->code = deja__fail_memory(d->err);
}

const char *deja__describe_outer_name(const deja__describer *d)
{
    for (uint32_t i = d->frame_count; i-- > 0;)
        if (d->frames[i].node->name)
            return d->frames[i].node->name;
    return NULL;
}

const char *deja__describe_name(const deja__describer *d, const deja_field *field)
{
    const char *name = field->name ? field->name : deja__describe_outer_name(d);
    if (name)
        return name;
    return field->kind == DEJA_KIND ? "the kind" : "a value";
}

/* ---- nodes ---- */

deja__node *deja__describe_create(deja__describer *d, uint32_t kind)
{
    deja__node *node = NULL;
    if (++d->node_count > DEJA__LAYOUT_TEXT_MAX) {
        deja__describe_fail(d, "the layout's text is longer than %d", DEJA__LAYOUT_TEXT_MAX);
        return NULL;
    }
    node = deja__node_create(kind);
    if (!node)
        deja__describe_fail_memory(d);
    return node;
}

/* Takes the child. @return it, or NULL */
deja__node *deja__describe_add(deja__describer *d, deja__node *parent, deja__node *child)
{
    if (child && deja__node_add_child(parent, child))
        return child;
    deja__describe_fail_memory(d);
    return NULL;
}

bool deja__describe_add_names(deja__describer *d, deja__node *node, const deja_field *field)
{
    for (uint32_t i = 0; i < field->name_count; i++) {
        const char *name = field->names[i];
        if (!name || !deja__is_name(name, strnlen(name, DEJA__NAME_MAX + 1))) {
            deja__describe_fail(d, "'%s' has the name '%.64s' for %u, which is not a name",
                                deja__describe_name(d, field), name ? name : "", i);
            return false;
        }
        if (!deja__node_add_name(node, name, strlen(name))) {
            deja__describe_fail_memory(d);
            return false;
        }
    }
    return true;
}

/* What a call's count is in the layout: a text's capacity has room for the NUL. */
static uint64_t layout_count(const deja_field *field)
{
    return field->kind == DEJA_TEXT && field->shape == DEJA_ONE ? field->count - 1 : field->count;
}

static bool is_many(const deja_field *field)
{
    return field->shape != DEJA_ONE && field->kind != DEJA_TEXT;
}

/* The type that one call names, as far as the call tells. */
deja__node *deja__describe_node(deja__describer *d, const deja_field *field)
{
    deja__node *node =
        deja__describe_create(d, is_many(field) ? (uint32_t)DEJA_ITEMS : field->kind);
    if (!node)
        return NULL;
    deja__node *item = node;
    if (is_many(field)) {
        node->shape = field->shape;
        node->row = field->shape == DEJA_GRID ? field->row : 0;
        node->count = field->count;
        if (field->kind != DEJA_STRUCT && field->kind != DEJA_ITEMS)
            item = deja__describe_add(d, node, deja__describe_create(d, field->kind));
    } else if (field->kind == DEJA_TEXT || field->kind == DEJA_BYTES) {
        node->count = layout_count(field);
    }
    if (!item || ((field->kind == DEJA_ENUM || field->kind == DEJA_FLAGS) &&
                  !deja__describe_add_names(d, item, field))) {
        deja__node_destroy(node);
        return NULL;
    }
    return node;
}

bool deja__describe_has_names(const deja__node *node, const deja_field *field)
{
    if (node->name_count != field->name_count)
        return false;
    for (uint32_t i = 0; i < field->name_count; i++)
        if (!field->names[i] || strcmp(node->names[i], field->names[i]) != 0)
            return false;
    return true;
}

/* Whether a call names what it named before. */
bool deja__describe_is_same(const deja__node *node, const deja_field *field)
{
    if (is_many(field)) {
        if (node->kind != DEJA_ITEMS || node->shape != field->shape ||
            node->count != field->count || (field->shape == DEJA_GRID && node->row != field->row))
            return false;
        if (field->kind == DEJA_ITEMS)
            return true;
        node = node->children[0];
    }
    switch (field->kind) {
    case DEJA_STRUCT:
        return !node || deja__describe_is_struct(node);
    case DEJA_TEXT:
    case DEJA_BYTES:
        return node->kind == field->kind && node->count == layout_count(field);
    case DEJA_ENUM:
    case DEJA_FLAGS:
        return node->kind == field->kind && deja__describe_has_names(node, field);
    default:
        return node->kind == field->kind;
    }
}

/* What was `expected` and is another type now, in words. */
void deja__describe_fail_other(deja__describer *d, const deja__node *expected,
                               const deja_field *field)
{
    deja_buffer before = { 0 };
    deja_buffer now = { 0 };
    deja__node *other = deja__describe_node(d, field);
    const bool plain = other && field->kind < DEJA_KIND && expected->kind != DEJA_OPTIONAL &&
                       expected->kind != DEJA_SECTION && !deja__describe_is_struct(expected) &&
                       !(expected->kind == DEJA_ITEMS && expected->child_count != 1) &&
                       deja__node_print(expected, &before) && deja__node_print(other, &now);
    const char *name = deja__describe_name(d, field);
    if (plain)
        deja__describe_fail(d,
                            "'%.64s' is %.160s where it was %.160s: no type may depend on a value",
                            name, (const char *)now.bytes, (const char *)before.bytes);
    else
        deja__describe_fail(d, "'%.64s' is of another type or size than before", name);
    deja__node_destroy(other);
    deja_buffer_release(&before);
    deja_buffer_release(&now);
}
