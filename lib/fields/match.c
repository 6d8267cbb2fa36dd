/* SPDX-License-Identifier: MIT */
/*
 * A recorded layout against the one at hand, by name.
 *
 * Both are walked together once. What comes of it: the *common* layout (the recorded one without
 * the fields that are gone or retyped), the plans that convert values, and the remark that says
 * what is different.
 *
 * A field is gone where no present field of its struct has its name; it is retyped where the one
 * that has it cannot stand for it (deja__type_fits), and then so is everything that holds it in a
 * list or an optional. A name of an enumeration, flags or a kind that is gone makes a match that is
 * not whole; but its field stays in the common layout, as values that do not use the name can still
 * be compared, and one that does differs from every present value.
 *
 * The match keeps layouts of its own, so it outlives those it was made from.
 */
#include "fields/match.h"

#include <stdlib.h>

struct deja_match {
    deja_layout *recorded, *present;
    deja_layout *common; /* NULL: nothing is left */
    deja__plan *reduce_recorded, *reduce_present, *to_present;
    char *remark;
    bool same, whole;
};

/* ---- what is said of the differences ---- */

enum { SAID_MAX = 12, SAID_SIZE = 160 }; /* names, and bytes, of one list */

typedef struct said {
    const char *what;
    deja_buffer text;
    uint32_t count, shown;
} said;

enum { ADDED, GONE, RETYPED, WIDENED, SAID_COUNT };

typedef struct matcher {
    said lists[SAID_COUNT];
    deja_buffer path; /* take.n, units[].hp */
    bool failed;
} matcher;

/* Notes the field at hand, or one below it; "mood=angry" where `joint` is '='. */
static said *say(matcher *m, uint32_t which, char joint, const char *name)
{
    said *list = &m->lists[which];
    list->count++;
    if (list->shown == SAID_MAX || list->text.size > SAID_SIZE)
        return NULL;
    if (list->shown++ > 0)
        deja_buffer_text(&list->text, ", ");
    deja_buffer_add(&list->text, m->path.bytes, m->path.size);
    if (name && m->path.size != 0)
        deja_buffer_char(&list->text, joint);
    if (name)
        deja_buffer_text(&list->text, name);
    return list;
}

/* "hp (u8, is u32 now)" */
static void say_types(matcher *m, uint32_t which, const deja__node *recorded,
                      const deja__node *present)
{
    said *list = say(m, which, '.', m->path.size == 0 ? "the whole value" : NULL);
    if (!list)
        return;
    deja_buffer_text(&list->text, " (");
    deja__type_print(recorded, &list->text);
    deja_buffer_text(&list->text, ", is ");
    deja__type_print(present, &list->text);
    deja_buffer_text(&list->text, " now)");
}

/* added: units[].mana; gone: mood and 12 more */
static bool make_remark(matcher *m, deja_match *match)
{
    deja_buffer remark = { 0 };
    bool failed = false;
    deja_buffer_text(&remark, "");
    for (uint32_t i = 0; i < SAID_COUNT; i++) {
        const said *list = &m->lists[i];
        if (list->count == 0)
            continue;
        failed = failed || list->text.failed;
        if (remark.size != 0)
            deja_buffer_text(&remark, "; ");
        deja_buffer_text(&remark, list->what);
        deja_buffer_text(&remark, ": ");
        deja_buffer_add(&remark, list->text.bytes, list->text.size);
        if (list->count > list->shown) {
            deja_buffer_text(&remark, " and ");
            deja__unsigned_print(list->count - list->shown, &remark);
            deja_buffer_text(&remark, " more");
        }
    }
    if (remark.size == 0 && !match->same)
        deja_buffer_text(&remark, "the same fields and names, in another order or form");
    match->remark = (char *)remark.bytes;
    return !failed && !remark.failed;
}

/* ---- the common layout ---- */

/* The recorded type without what is gone or retyped, a tree of its own; NULL where nothing can be
 * compared, or m->failed. */
static deja__node *reduce(matcher *m, const deja__node *recorded, const deja__node *present);

static deja__node *reduce_below(matcher *m, const char *step, const deja__node *recorded,
                                const deja__node *present)
{
    const uint64_t size = m->path.size;
    if (size != 0 && step[0] != '[' && step[0] != 0)
        deja_buffer_char(&m->path, '.');
    deja_buffer_text(&m->path, step);
    deja__node *node = reduce(m, recorded, present);
    deja__buffer_cut(&m->path, size);
    return node;
}

/* A node without its children. */
static deja__node *copy_alone(matcher *m, const deja__node *node)
{
    deja__node *copy = deja__node_create(node->kind);
    if (!copy) {
        m->failed = true;
        return NULL;
    }
    copy->shape = node->shape;
    copy->count = node->count;
    copy->row = node->row;
    for (uint32_t i = 0; i < node->name_count; i++)
        if (!deja__node_add_name(copy, node->names[i], strlen(node->names[i])))
            m->failed = true;
    return copy;
}

/* Whether values of this reduced type have no bytes, so that no container may hold them. */
static bool is_nothing(const deja__node *node)
{
    if (node->kind != DEJA_STRUCT && node->kind != DEJA_SECTION)
        return false;
    for (uint32_t i = 0; i < node->child_count; i++)
        if (!is_nothing(node->children[i]))
            return false;
    return true;
}

/* Says which names of the one are not among the other's; a joint as in say(). */
static void say_missing(matcher *m, uint32_t which, char joint, const deja__node *from,
                        const deja__names *among)
{
    for (uint32_t i = 0; i < deja__name_count(from); i++)
        if (deja__names_find(among, deja__name_at(from, i)) == DEJA__PLACE_NONE)
            say(m, which, joint, deja__name_at(from, i));
}

static void reduce_fields(matcher *m, deja__node *copy, const deja__node *recorded,
                          const deja__node *present, const deja__names *presents)
{
    for (uint32_t i = 0; i < recorded->child_count && !m->failed; i++) {
        const deja__node *field = recorded->children[i];
        const uint32_t place = deja__names_find(presents, field->name);
        if (place == DEJA__PLACE_NONE)
            continue;
        deja__node *child = reduce_below(m, field->name, field, present->children[place]);
        if (child && !deja__node_set_name(child, field->name, strlen(field->name))) {
            deja__node_destroy(child);
            m->failed = true;
        } else if (child && !deja__node_add_child(copy, child)) {
            m->failed = true;
        }
    }
}

/* The alternatives of a kind; one that is gone stays as it was recorded. */
static void reduce_alternatives(matcher *m, deja__node *copy, const deja__node *recorded,
                                const deja__node *present, const deja__names *presents)
{
    for (uint32_t i = 0; i < recorded->child_count && !m->failed; i++) {
        const deja__node *fields = recorded->children[i];
        const uint32_t place = deja__names_find(presents, recorded->names[i]);
        const deja__node *other = place == DEJA__PLACE_NONE ? fields : present->children[place];
        deja__node *child = reduce_below(m, recorded->names[i], fields, other);
        if (!child || !deja__node_add_child(copy, child))
            m->failed = true;
    }
}

/* What has names: a struct, a kind, an enumeration, flags. */
static void reduce_named(matcher *m, deja__node *copy, const deja__node *recorded,
                         const deja__node *present)
{
    const char joint = recorded->kind == DEJA_STRUCT ? '.' : '=';
    deja__names *recordeds = deja__names_create(recorded);
    deja__names *presents = deja__names_create(present);
    if (recordeds && presents) {
        say_missing(m, GONE, joint, recorded, presents);
        say_missing(m, ADDED, joint, present, recordeds);
        if (recorded->kind == DEJA_STRUCT)
            reduce_fields(m, copy, recorded, present, presents);
        else if (recorded->kind == DEJA_KIND)
            reduce_alternatives(m, copy, recorded, present, presents);
    } else {
        m->failed = true;
    }
    deja__names_destroy(recordeds);
    deja__names_destroy(presents);
}

/* What a section, an optional or a container holds. false: it cannot be compared, nor what holds
 * it. */
static bool reduce_held(matcher *m, deja__node *copy, const deja__node *recorded,
                        const deja__node *present)
{
    for (uint32_t i = 0; i < recorded->child_count; i++) {
        const char *step = recorded->kind == DEJA_ITEMS ? "[]" : "";
        const deja__node *other = recorded->kind == DEJA_SECTION ? present : present->children[i];
        deja__node *child = reduce_below(m, step, recorded->children[i], other);
        if (child && i == 0 && recorded->kind == DEJA_ITEMS && is_nothing(child)) {
            deja__node_destroy(child);
            child = NULL;
        }
        if (!child)
            return false;
        if (!deja__node_add_child(copy, child)) {
            m->failed = true;
            return false;
        }
    }
    return true;
}

static deja__node *reduce(matcher *m, const deja__node *recorded, const deja__node *present)
{
    present = deja__past_sections(present);
    if (recorded->kind != DEJA_SECTION && !deja__type_fits(recorded, present)) {
        say_types(m, RETYPED, recorded, present);
        return NULL;
    }
    if (recorded->kind != DEJA_SECTION && recorded->kind != present->kind)
        say_types(m, WIDENED, recorded, present);
    deja__node *copy = copy_alone(m, recorded);
    if (!copy)
        return NULL;
    bool kept = true;
    if (recorded->kind == DEJA_STRUCT || recorded->name_count != 0)
        reduce_named(m, copy, recorded, present);
    else
        kept = reduce_held(m, copy, recorded, present);
    if (kept && !m->failed)
        return copy;
    deja__node_destroy(copy);
    return NULL;
}

/* ---- matches ---- */

static deja_code match_layouts(deja_match *match, matcher *m, deja_error *err)
{
    const deja__node *recorded = match->recorded->root;
    const deja__node *present = match->present->root;
    deja__node *common = reduce(m, recorded, present);
    const bool failed = m->failed || m->path.failed;
    if (common && (failed || (is_nothing(common) && !is_nothing(recorded)))) {
        deja__node_destroy(common);
        common = NULL;
    }
    if (failed || !make_remark(m, match)) {
        deja__node_destroy(common);
        return deja__fail_memory(err);
    }
    match->whole = m->lists[GONE].count == 0 && m->lists[RETYPED].count == 0;
    if (common) {
        const deja_code code = deja__layout_from_tree(&match->common, common, err);
        if (code < 0)
            return code;
        common = match->common->root;
        match->reduce_recorded = deja__plan_create(recorded, common, DEJA__REDUCE, true);
        match->reduce_present = deja__plan_create(present, common, DEJA__REDUCE, false);
        if (!match->reduce_recorded || !match->reduce_present)
            return deja__fail_memory(err);
    }
    match->to_present = deja__plan_create(recorded, present, DEJA__TO_PRESENT, true);
    return match->to_present ? DEJA_OK : deja__fail_memory(err);
}

deja_code deja_match_create(deja_match **out, const deja_layout *recorded,
                            const deja_layout *present, deja_error *err)
{
    matcher m = { .lists = { [ADDED] = { .what = "added" },
                             [GONE] = { .what = "gone" },
                             [RETYPED] = { .what = "retyped" },
                             [WIDENED] = { .what = "wider" } } };
    deja_code code = DEJA_OK;
    *out = NULL;
    deja_match *match = calloc(1, sizeof *match);
    if (!match)
        return deja__fail_memory(err);
    match->same = strcmp(recorded->text, present->text) == 0;
    code = deja_layout_parse(&match->recorded, recorded->text, recorded->text_size, err);
    if (code == DEJA_OK)
        code = deja_layout_parse(&match->present, present->text, present->text_size, err);
    if (code == DEJA_OK)
        code = match_layouts(match, &m, err);
    for (uint32_t i = 0; i < SAID_COUNT; i++)
        deja_buffer_release(&m.lists[i].text);
    deja_buffer_release(&m.path);
    if (code == DEJA_OK) {
        *out = match;
        match = NULL;
    }
    deja_match_destroy(match);
    return code;
}

void deja_match_destroy(deja_match *match)
{
    if (!match)
        return;
    deja__plan_destroy(match->reduce_recorded);
    deja__plan_destroy(match->reduce_present);
    deja__plan_destroy(match->to_present);
    deja_layout_destroy(match->recorded);
    deja_layout_destroy(match->present);
    deja_layout_destroy(match->common);
    free(match->remark);
    free(match);
}

bool deja_match_is_same(const deja_match *match)
{
    return match->same;
}

bool deja_match_is_whole(const deja_match *match)
{
    return match->whole;
}

const char *deja_match_remark(const deja_match *match)
{
    return match->remark;
}

const deja_layout *deja_match_common(const deja_match *match)
{
    return match->common;
}

/* ---- values ---- */

deja_code deja_match_to_common(const deja_match *match, bool of_recorded, const void *bytes,
                               uint64_t size, deja_buffer *out, deja_error *err)
{
    const deja_layout *from = of_recorded ? match->recorded : match->present;
    const deja__plan *plan = of_recorded ? match->reduce_recorded : match->reduce_present;
    const deja_code code = deja__value_check(from->root, bytes, size, err);
    if (code < 0)
        return code;
    if (!plan)
        return deja__fail(err, DEJA_EUNFIT, "the layouts have nothing in common (%s)",
                          match->remark);
    return deja__plan_run(plan, DEJA__REDUCE, deja__value_bytes(bytes), NULL, out, err);
}

deja_code deja_match_to_recorded(const deja_match *match, const void *bytes, uint64_t size,
                                 deja_buffer *out, deja_error *err)
{
    /* A name that is gone leaves the field: only a value that used it is another one now. */
    if (!match->common || strcmp(match->common->text, match->recorded->text) != 0)
        return deja__fail(err, DEJA_EUNFIT, "not all that was recorded is there (%s)",
                          match->remark);
    return deja_match_to_common(match, false, bytes, size, out, err);
}

deja_code deja_match_to_present(const deja_match *match, const void *bytes, uint64_t size,
                                deja_span defaults, deja_buffer *out, deja_error *err)
{
    deja_code code = deja__value_check(match->recorded->root, bytes, size, err);
    if (code < 0)
        return code;
    if (defaults.bytes) {
        code = deja__value_check(match->present->root, defaults.bytes, defaults.size, err);
        if (code < 0)
            return deja__fail_within(err, code, "the defaults");
    }
    return deja__plan_run(match->to_present, DEJA__TO_PRESENT, deja__value_bytes(bytes),
                          defaults.bytes, out, err);
}
