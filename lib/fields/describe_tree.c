/* SPDX-License-Identifier: MIT */
/*
 * The tree that describing grows, and holding calls against it.
 *
 * A call is either the next child of the innermost frame or wrong; there is no looking ahead. Two
 * things make that less plain than it sounds:
 *
 *   - An item of a list that the author walks is a value of one call without a name, or a struct
 *     whose fields are named by several. The first call tells which; the struct's frame is implied,
 *     and ends with the list, or, once all its fields are known, with the next item's first call.
 *   - A struct becomes a kind by its first call. From then on its children are alternatives, and
 *     what is named until its end belongs to the one that was chosen.
 */
#include "fields/describe_parts.h"

#include <stdio.h>

/* ---- frames ---- */

static deja__frame *top_of(deja__describer *d)
{
    return &d->frames[d->frame_count - 1];
}

static void push(deja__describer *d, deja__node *node, uint32_t opened, uint32_t answered)
{
    if (d->frame_count > DEJA__DEPTH_MAX) {
        deja__describe_fail(d, "structs are nested deeper than %d (is one inside itself?)",
                            DEJA__DEPTH_MAX);
        return;
    }
    d->frames[d->frame_count++] =
        (deja__frame){ .node = node, .within = node, .opened = opened, .answered = answered };
}

/* The child that must come next, or NULL where it is still to be learnt. */
static deja__node *next_of(const deja__frame *frame)
{
    return frame->position < frame->within->child_count ? frame->within->children[frame->position]
                                                        : NULL;
}

/* Whether a struct, or the chosen alternative, has had all its fields. */
static bool is_complete(const deja__frame *frame)
{
    return (frame->node->kind == DEJA_STRUCT || frame->tagged) && frame->within->fixed &&
           frame->position == frame->within->child_count;
}

void deja__describe_done(deja__describer *d)
{
    while (top_of(d)->node->kind == DEJA_OPTIONAL)
        d->frame_count--;
    deja__frame *top = top_of(d);
    top->position++;
    if (deja__describe_is_struct(top->node))
        return;
    if (top->position == (top->node->shape == DEJA_MAP ? 2u : 1u)) {
        top->position = 0;
        top->done++;
    }
}

/* Ends a struct: it must have had all its fields, or has now been learnt. */
static void pop_struct(deja__describer *d)
{
    deja__frame *top = top_of(d);
    const bool implied = top->implied;
    if (top->node->kind == DEJA_KIND && !top->tagged) {
        deja__describe_fail(d, "the description ends where its kind should be");
    } else if (!top->within->fixed) {
        top->within->fixed = true;
        d->learnt_count++;
    } else if (top->position != top->within->child_count) {
        deja__describe_fail(d, "the description ends where '%s' should be", next_of(top)->name);
    }
    d->frame_count--;
    if (implied)
        deja__describe_done(d);
}

/* ---- placing a call ---- */

static void fail_named(deja__describer *d, const deja_field *field, const char *where)
{
    if (field->kind == DEJA_KIND)
        deja__describe_fail(d, "a kind is named where %s", where);
    else if (field->name)
        deja__describe_fail(d, "'%.64s' is named where %s", field->name, where);
    else
        deja__describe_fail(d, "a value without a name stands where %s", where);
}

/* The frame of the struct that an item's first named call begins. */
static bool push_implied(deja__describer *d, const deja_field *field)
{
    deja__frame *top = top_of(d);
    deja__node *item = next_of(top);
    if (item && !deja__describe_is_struct(item)) {
        fail_named(d, field, "a value without a name should be");
        return false;
    }
    if (!item)
        item = deja__describe_add(d, top->node, deja__describe_create(d, DEJA_STRUCT));
    if (!item)
        return false;
    push(d, item, 0, 0);
    top_of(d)->implied = d->code == DEJA_OK;
    return d->code == DEJA_OK;
}

static bool is_key_next(const deja__frame *frame)
{
    return frame->position == 0 &&
           (frame->node->shape == DEJA_MAP || frame->node->shape == DEJA_SET);
}

/* The frame that a call belongs to; NULL once it failed. */
static deja__frame *frame_for(deja__describer *d, const deja_field *field)
{
    const bool named = field->name || field->kind == DEJA_KIND;
    while (d->code == DEJA_OK) {
        deja__frame *top = top_of(d);
        if (top->node->kind == DEJA_OPTIONAL) {
            if (!named)
                return top;
            fail_named(d, field, "an optional's value should be, without a name");
        } else if (deja__describe_is_struct(top->node)) {
            if (!top->implied || !is_complete(top))
                return top;
            pop_struct(d);
        } else if (top->done == top->answered) {
            fail_named(d, field, "its items should end");
        } else if (!named && top->opened == DEJA_STRUCT) {
            fail_named(d, field, "the name of an item's field should be");
        } else if (named && is_key_next(top)) {
            fail_named(d, field, "a key should be, without a name");
        } else if (!named) {
            return top;
        } else if (!push_implied(d, field)) {
            return NULL;
        }
    }
    return NULL;
}

/* A struct's next field by name. */
static bool check_name(deja__describer *d, const deja__frame *frame, const deja_field *field)
{
    const deja__node *expected = next_of(frame);
    char where[DEJA__NAME_MAX + 32];
    if (frame->node->kind == DEJA_KIND && !frame->tagged)
        fail_named(d, field, "its kind should be");
    else if (!expected && frame->within->fixed)
        fail_named(d, field, "its struct should end");
    else if (expected && (!field->name || strcmp(field->name, expected->name) != 0)) {
        snprintf(where, sizeof where, "'%s' should be", expected->name);
        fail_named(d, field, where);
    } else if (!field->name)
        deja__describe_fail(d, "a field has no name");
    else if (!deja__is_name(field->name, strnlen(field->name, DEJA__NAME_MAX + 1)))
        deja__describe_fail(d, "'%.64s' is not a name", field->name);
    return d->code == DEJA_OK;
}

deja__node *deja__describe_place(deja__describer *d, const deja_field *field)
{
    deja__frame *frame = frame_for(d, field);
    if (!frame || (deja__describe_is_struct(frame->node) && !check_name(d, frame, field)))
        return NULL;
    deja__node *node = next_of(frame);
    if (node) {
        if (deja__describe_is_same(node, field))
            return node;
        deja__describe_fail_other(d, node, field);
        return NULL;
    }
    node = deja__describe_node(d, field);
    if (node && field->name && !deja__node_set_name(node, field->name, strlen(field->name))) {
        deja__node_destroy(node);
        node = NULL;
        deja__describe_fail_memory(d);
    }
    return node ? deja__describe_add(d, frame->within, node) : NULL;
}

void deja__describe_enter(deja__describer *d, deja__node *node, const deja_field *field,
                          uint32_t answered)
{
    push(d, node, field->kind == DEJA_OPTIONAL ? 0 : field->kind, answered);
}

/* ---- kinds ---- */

/* Turns a struct of which nothing is known yet into a kind. */
static bool make_kind(deja__describer *d, deja__node *node, const deja_field *field)
{
    node->kind = DEJA_KIND;
    if (!deja__describe_add_names(d, node, field))
        return false;
    for (uint32_t i = 0; i < field->name_count; i++)
        if (!deja__describe_add(d, node, deja__describe_create(d, DEJA_STRUCT)))
            return false;
    return true;
}

deja__node *deja__describe_tag(deja__describer *d, const deja_field *field)
{
    deja__frame *frame = frame_for(d, field);
    if (!frame)
        return NULL;
    deja__node *node = frame->node;
    if (frame->tagged || frame->position != 0) {
        deja__describe_fail(d, "a kind is named behind other fields: it comes first in its struct");
        return NULL;
    }
    if (node->kind == DEJA_STRUCT) {
        if (node->fixed || node->child_count != 0) {
            fail_named(d, field, "its struct had none");
            return NULL;
        }
        return make_kind(d, node, field) ? node : NULL;
    }
    if (!deja__describe_has_names(node, field)) {
        deja__describe_fail(d, "the names of the kind differ from call to call");
        return NULL;
    }
    return node;
}

void deja__describe_choose(deja__describer *d, uint32_t place)
{
    deja__frame *top = top_of(d);
    top->tagged = true;
    top->place = place;
    top->within = top->node->children[place];
}

/* ---- ends ---- */

static void close_items(deja__describer *d)
{
    const deja__frame *top = top_of(d);
    if (top->position != 0)
        deja__describe_fail(d, "a key has no value");
    else if (top->done < top->answered && top->done == 0)
        deja__describe_fail(d, "no fields are named for an item");
    else if (top->done < top->answered)
        deja__describe_fail(d, "%u items are described where there are %u", top->done,
                            top->answered);
    d->frame_count--;
}

void deja__describe_close(deja__describer *d, uint32_t kind)
{
    if (top_of(d)->implied)
        pop_struct(d);
    const deja__frame *top = top_of(d);
    if (top->node->kind == DEJA_OPTIONAL)
        deja__describe_fail(d, "an optional is present and its value is not named");
    else if (top->opened != kind)
        deja__describe_fail(d, "something is closed that was not opened last");
    if (d->code < 0)
        return;
    if (deja__describe_is_struct(top->node))
        pop_struct(d);
    else
        close_items(d);
    if (d->code == DEJA_OK)
        deja__describe_done(d);
}

void deja__describe_begin(deja__describer *d)
{
    d->frame_count = 0;
    push(d, d->root, 0, 0);
}

void deja__describe_end(deja__describer *d)
{
    const deja__frame *top = top_of(d);
    if (d->code < 0)
        return;
    if (top->node->kind == DEJA_OPTIONAL)
        deja__describe_fail(d, "an optional is present and its value is not named");
    else if (d->frame_count != 1)
        deja__describe_fail(d, "something is opened and not closed");
    else
        pop_struct(d);
}

bool deja__describe_is_whole(const deja__node *node)
{
    if (node->kind == DEJA_STRUCT && !node->fixed)
        return false;
    for (uint32_t i = 0; i < node->child_count; i++)
        if (!deja__describe_is_whole(node->children[i]))
            return false;
    return true;
}
