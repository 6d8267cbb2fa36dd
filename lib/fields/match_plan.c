/* SPDX-License-Identifier: MIT */
/*
 * Plans: made once from two layouts, so that converting a value looks up no names.
 *
 * A part whose bytes mean the same in both layouts is one copy, whatever is in it. That is so also
 * where the target has only grown in ways that old values do not show: names and alternatives added
 * at the end, room for more items.
 */
#include "fields/match.h"

#include <stdlib.h>

/* ---- names ---- */

typedef struct entry {
    const char *name;
    uint32_t place;
} entry;

struct deja__names {
    uint32_t count;
    entry entries[];
};

uint32_t deja__name_count(const deja__node *node)
{
    return node->kind == DEJA_STRUCT ? node->child_count : node->name_count;
}

const char *deja__name_at(const deja__node *node, uint32_t place)
{
    return node->kind == DEJA_STRUCT ? node->children[place]->name : node->names[place];
}

static int compare_entries(const void *a, const void *b)
{
    return strcmp(((const entry *)a)->name, ((const entry *)b)->name);
}

deja__names *deja__names_create(const deja__node *node)
{
    const uint32_t count = deja__name_count(node);
    deja__names *names = malloc(sizeof *names + count * sizeof names->entries[0]);
    if (!names)
        return NULL;
    names->count = count;
    for (uint32_t i = 0; i < count; i++)
        names->entries[i] = (entry){ deja__name_at(node, i), i };
    qsort(names->entries, count, sizeof names->entries[0], compare_entries);
    return names;
}

void deja__names_destroy(deja__names *names)
{
    free(names);
}

uint32_t deja__names_find(const deja__names *names, const char *name)
{
    const entry wanted = { name, 0 };
    const entry *found =
        bsearch(&wanted, names->entries, names->count, sizeof wanted, compare_entries);
    return found ? found->place : DEJA__PLACE_NONE;
}

/* ---- types ---- */

static bool integer_fits(const deja__node *recorded, const deja__node *present)
{
    if (deja__is_signed(recorded->kind) == deja__is_signed(present->kind))
        return recorded->size_min <= present->size_min;
    return deja__is_unsigned(recorded->kind) && recorded->size_min < present->size_min;
}

static bool shape_fits(const deja__node *recorded, const deja__node *present)
{
    if (deja__is_counted(recorded) || deja__is_counted(present))
        return recorded->shape == present->shape;
    if (recorded->shape == DEJA_GRID && present->shape == DEJA_GRID &&
        recorded->row != present->row)
        return false;
    return recorded->count == present->count;
}

bool deja__type_fits(const deja__node *recorded, const deja__node *present)
{
    const bool from_integer = deja__is_unsigned(recorded->kind) || deja__is_signed(recorded->kind);
    const bool to_integer = deja__is_unsigned(present->kind) || deja__is_signed(present->kind);
    if (from_integer && to_integer)
        return integer_fits(recorded, present);
    if (recorded->kind != present->kind)
        return false;
    if (recorded->kind == DEJA_ITEMS)
        return shape_fits(recorded, present);
    return recorded->kind != DEJA_BYTES || recorded->count == present->count;
}

void deja__type_print(const deja__node *node, deja_buffer *out)
{
    static const char *const shapes[] = {
        [DEJA_ARRAY] = "an array of ", [DEJA_GRID] = "a grid of ", [DEJA_LIST] = "a list",
        [DEJA_MAP] = "a map",          [DEJA_SET] = "a set",       [DEJA_BLOCKS] = "blocks of ",
    };
    node = deja__past_sections(node);
    if (node->kind == DEJA_ITEMS) {
        deja_buffer_text(out, shapes[node->shape]);
        if (node->shape == DEJA_GRID) {
            deja__unsigned_print(node->count / node->row, out);
            deja_buffer_text(out, " by ");
            deja__unsigned_print(node->row, out);
        } else if (!deja__is_counted(node)) {
            deja__unsigned_print(node->count, out);
        }
    } else if (node->kind == DEJA_BYTES) {
        deja_buffer_text(out, "bytes of ");
        deja__unsigned_print(node->count, out);
    } else {
        deja_buffer_text(out, node->kind == DEJA_STRUCT     ? "a struct"
                              : node->kind == DEJA_OPTIONAL ? "optional"
                                                            : deja__kind_word(node->kind));
    }
}

/* ---- what is a copy ---- */

static bool names_begin_with(const deja__node *longer, const deja__node *shorter)
{
    if (longer->name_count < shorter->name_count)
        return false;
    for (uint32_t i = 0; i < shorter->name_count; i++)
        if (strcmp(longer->names[i], shorter->names[i]) != 0)
            return false;
    return true;
}

/* Whether any valid bytes of the source are valid for the target, and mean the same. */
static bool is_copy(const deja__node *source, const deja__node *target)
{
    source = deja__past_sections(source);
    target = deja__past_sections(target);
    if (source->kind != target->kind || !deja__type_fits(source, target))
        return false;
    const bool fields = source->kind == DEJA_STRUCT;
    if (fields && source->child_count != target->child_count)
        return false;
    if (!fields && !names_begin_with(target, source))
        return false;
    if ((source->kind == DEJA_TEXT || source->kind == DEJA_ITEMS) && target->count < source->count)
        return false;
    for (uint32_t i = 0; i < source->child_count; i++) {
        if (fields && strcmp(source->children[i]->name, target->children[i]->name) != 0)
            return false;
        if (!is_copy(source->children[i], target->children[i]))
            return false;
    }
    return true;
}

/* ---- making a plan ---- */

typedef struct maker {
    enum deja__direction direction;
    bool source_is_recorded;
    bool failed;
    deja_buffer path; /* take.n, units[].hp */
} maker;

void deja__plan_destroy(deja__plan *plan)
{
    if (!plan)
        return;
    for (uint32_t i = 0; i < plan->child_count; i++)
        deja__plan_destroy(plan->children[i]);
    free(plan->children);
    free(plan->places);
    free(plan->why);
    free(plan);
}

static void make(maker *m, deja__plan **out, const deja__node *source, const deja__node *target);

static bool make_room(maker *m, deja__plan *plan, uint32_t places, uint32_t children)
{
    if (places != 0)
        plan->places = malloc(places * sizeof *plan->places);
    if (children != 0)
        plan->children = calloc(children, sizeof(deja__plan *));
    if ((places != 0 && !plan->places) || (children != 0 && !plan->children)) {
        m->failed = true;
        return false;
    }
    plan->child_count = children;
    return true;
}

/* Makes a part of a plan for what lies one step down the path. */
static void make_below(maker *m, deja__plan **out, const char *step, const deja__node *source,
                       const deja__node *target)
{
    const uint64_t size = m->path.size;
    if (size != 0 && step[0] != '[' && step[0] != 0)
        deja_buffer_char(&m->path, '.');
    deja_buffer_text(&m->path, step);
    make(m, out, source, target);
    deja__buffer_cut(&m->path, size);
}

static void refuse(maker *m, deja__plan *plan, const char *field)
{
    deja_buffer why = { 0 };
    char word[DEJA__WORD_SIZE];
    const uint64_t size = m->path.size;
    if (field) {
        if (size != 0)
            deja_buffer_char(&m->path, '.');
        deja_buffer_text(&m->path, field);
    }
    if (m->path.size != 0)
        deja__print(&why, "'%s'", deja__word((const char *)m->path.bytes, m->path.size, word));
    else
        deja_buffer_text(&why, "the value");
    if (field) {
        deja_buffer_text(&why, " is gone");
    } else {
        deja_buffer_text(&why, " was ");
        deja__type_print(plan->source, &why);
        deja_buffer_text(&why, " and is ");
        deja__type_print(plan->target, &why);
    }
    deja__buffer_cut(&m->path, size);
    plan->how = DEJA__REFUSE;
    plan->why = (char *)why.bytes;
    if (why.failed)
        m->failed = true;
}

static void make_fields(maker *m, deja__plan *plan)
{
    const deja__node *source = plan->source;
    const deja__node *target = plan->target;
    deja__names *sources = deja__names_create(source);
    deja__names *targets = deja__names_create(target);
    plan->how = DEJA__FIELDS;
    if (!sources || !targets || !make_room(m, plan, target->child_count, target->child_count)) {
        m->failed = true;
        goto done;
    }
    if (m->direction == DEJA__TO_PRESENT) {
        for (uint32_t i = 0; i < source->child_count; i++) {
            if (deja__names_find(targets, source->children[i]->name) == DEJA__PLACE_NONE) {
                refuse(m, plan, source->children[i]->name);
                goto done;
            }
        }
    }
    for (uint32_t i = 0; i < target->child_count && !m->failed; i++) {
        const deja__node *field = target->children[i];
        plan->places[i] = deja__names_find(sources, field->name);
        if (plan->places[i] != DEJA__PLACE_NONE)
            make_below(m, &plan->children[i], field->name, source->children[plan->places[i]],
                       field);
    }

done:
    deja__names_destroy(sources);
    deja__names_destroy(targets);
}

static void make_named(maker *m, deja__plan *plan)
{
    const deja__node *source = plan->source;
    deja__names *targets = deja__names_create(plan->target);
    plan->how = source->kind == DEJA_KIND    ? DEJA__KINDS
                : source->kind == DEJA_FLAGS ? DEJA__BITS
                                             : DEJA__NAMES;
    if (!targets || !make_room(m, plan, source->name_count, source->child_count)) {
        m->failed = true;
        goto done;
    }
    for (uint32_t i = 0; i < source->name_count && !m->failed; i++) {
        plan->places[i] = deja__names_find(targets, source->names[i]);
        if (source->kind == DEJA_KIND && plan->places[i] != DEJA__PLACE_NONE)
            make_below(m, &plan->children[i], source->names[i], source->children[i],
                       plan->target->children[plan->places[i]]);
    }

done:
    deja__names_destroy(targets);
}

/* Whether keys of an enumeration rise in one layout as they do in the other. */
static bool places_rise(const deja__plan *key)
{
    uint32_t before = 0;
    for (uint32_t i = 0; i < key->source->name_count; i++) {
        if (key->places[i] == DEJA__PLACE_NONE)
            continue;
        if (key->places[i] < before)
            return false;
        before = key->places[i];
    }
    return true;
}

static void make_items(maker *m, deja__plan *plan)
{
    plan->how = plan->source->kind == DEJA_OPTIONAL ? DEJA__MAYBE : DEJA__EACH;
    if (!make_room(m, plan, 0, plan->source->child_count))
        return;
    for (uint32_t i = 0; i < plan->child_count && !m->failed; i++)
        make_below(m, &plan->children[i], plan->how == DEJA__MAYBE ? "" : "[]",
                   plan->source->children[i], plan->target->children[i]);
    const bool keyed = plan->source->shape == DEJA_MAP || plan->source->shape == DEJA_SET;
    plan->sort = keyed && !m->failed && plan->children[0]->how == DEJA__NAMES &&
                 !places_rise(plan->children[0]);
}

static void make(maker *m, deja__plan **out, const deja__node *source, const deja__node *target)
{
    deja__plan *plan = calloc(1, sizeof *plan);
    *out = plan;
    if (!plan) {
        m->failed = true;
        return;
    }
    plan->source = deja__past_sections(source);
    plan->target = deja__past_sections(target);
    const bool fits = m->source_is_recorded ? deja__type_fits(plan->source, plan->target)
                                            : deja__type_fits(plan->target, plan->source);
    if (!fits) {
        refuse(m, plan, NULL);
    } else if (is_copy(source, target)) {
        plan->how = DEJA__COPY;
    } else {
        switch (plan->source->kind) {
        case DEJA_STRUCT:
            make_fields(m, plan);
            break;
        case DEJA_ENUM:
        case DEJA_FLAGS:
        case DEJA_KIND:
            make_named(m, plan);
            break;
        case DEJA_OPTIONAL:
        case DEJA_ITEMS:
            make_items(m, plan);
            break;
        case DEJA_TEXT:
            plan->how = DEJA__TEXT;
            break;
        default:
            plan->how = DEJA__NUMBER;
            break;
        }
    }
}

deja__plan *deja__plan_create(const deja__node *source, const deja__node *target,
                              enum deja__direction direction, bool source_is_recorded)
{
    maker m = { direction, source_is_recorded, false, { 0 } };
    deja__plan *plan = NULL;
    make(&m, &plan, source, target);
    const bool failed = m.failed || m.path.failed;
    deja_buffer_release(&m.path);
    if (!failed)
        return plan;
    deja__plan_destroy(plan);
    return NULL;
}
