/* SPDX-License-Identifier: MIT */
/*
 * Converting one value by a plan.
 *
 * The bytes are valid for the source's layout (who calls has checked), so only what the plan itself
 * cannot know is looked at: numbers that do not fit, names that the target does not have, lists and
 * text that are too long. Each is DEJA_EUNFIT and says which field, as such a value differs from
 * every value of the other layout; nothing is ever cut to fit.
 *
 * Fields are written in the target's order and lie in the source's, so each struct first notes
 * where its fields begin; these notes are one stack for all structs that are open.
 */
#include "fields/match.h"

#include <stdlib.h>

enum { NOTES_INSIDE = 128 };

typedef struct conversion {
    deja_buffer *out;
    uint64_t most; /* the size that `out` must not pass */
    enum deja__direction direction;
    deja_error *err;
    deja_code code;
    uint64_t *notes;
    uint64_t note_count, note_capacity;
    uint64_t inside[NOTES_INSIDE];
} conversion;

/* Answers where the source value ends; NULL: it failed. `defaults`: a target value, or NULL. */
static const unsigned char *run(conversion *c, const deja__plan *plan, const unsigned char *at,
                                const unsigned char *defaults, const deja__path *path);

static const unsigned char *no_memory(conversion *c)
{
    c->code = deja__fail_memory(c->err);
    return NULL;
}

/* Room for `size` more bytes, which then count as written. NULL: it failed. */
static unsigned char *extend(conversion *c, uint64_t size)
{
    deja_buffer *out = c->out;
    if (size > c->most - out->size) {
        c->code = deja__fail(c->err, DEJA_ELIMIT, "the converted value is larger than %llu bytes",
                             (unsigned long long)DEJA__VALUE_SIZE_MAX);
        return NULL;
    }
    if (size >= out->capacity - out->size && !deja_buffer_reserve(out, size)) {
        no_memory(c);
        return NULL;
    }
    out->size += size;
    return out->bytes + out->size - size;
}

static bool append(conversion *c, const unsigned char *bytes, uint64_t size)
{
    unsigned char *target = extend(c, size);
    if (target)
        memcpy(target, bytes, (size_t)size);
    return target != NULL;
}

static bool append_number(conversion *c, uint64_t number, uint64_t size)
{
    unsigned char *target = extend(c, size);
    if (target)
        deja__store_low(target, size, number);
    return target != NULL;
}

/* Whose layout it is that does not take the value. */
static const char *whose(const conversion *c)
{
    return c->direction == DEJA__REDUCE ? "the recorded layout" : "the present layout";
}

/* ---- what is new ---- */

/* A field that the source does not have. */
static bool append_new(conversion *c, const deja__node *node, const unsigned char *defaults)
{
    if (defaults)
        return append(c, defaults, deja__value_size(node, defaults));
    const uint64_t size = deja__zero_size(node);
    unsigned char *target = extend(c, size);
    if (target)
        memset(target, 0, (size_t)size);
    return target != NULL;
}

/* ---- scalars ---- */

static const unsigned char *run_number(conversion *c, const deja__plan *plan,
                                       const unsigned char *at, const deja__path *path)
{
    const uint64_t size = plan->target->size_min;
    const uint64_t half = (uint64_t)1 << (8 * size - 1);
    const uint64_t bits = deja__is_signed(plan->source->kind)
                              ? (uint64_t)deja__load_signed(at, plan->source->size_min)
                              : deja__load_unsigned(at, plan->source->size_min);
    const bool negative = deja__is_signed(plan->source->kind) && bits >> 63;
    bool fits;
    if (deja__is_signed(plan->target->kind))
        fits = negative ? 0 - bits <= half : bits <= half - 1;
    else
        fits = !negative && bits <= half - 1 + half;
    if (fits)
        return append_number(c, bits, size) ? at + plan->source->size_min : NULL;

    deja_buffer text = { 0 };
    deja__scalar_print(plan->source, at, &text);
    c->code = deja__fail_value(c->err, DEJA_EUNFIT, path, "%s does not fit %s, which %s has",
                               text.failed ? "it" : (const char *)text.bytes,
                               deja__kind_word(plan->target->kind), whose(c));
    deja_buffer_release(&text);
    return NULL;
}

/* A name that the target does not have: "has 'mood=angry', which ... does not know". */
static const unsigned char *unknown_name(conversion *c, const char *name, const deja__path *path)
{
    deja_buffer field = { 0 };
    char word[DEJA__WORD_SIZE + 2];
    word[0] = 0;
    if (path && deja__path_print(path, &field) && field.size != 0) {
        deja__word((const char *)field.bytes, field.size, word);
        memcpy(word + strlen(word), "=", 2);
    }
    deja_buffer_release(&field);
    c->code = c->direction == DEJA__REDUCE
                  ? deja__fail(c->err, DEJA_EUNFIT, "has '%s%s', which %s does not know", word,
                               name, whose(c))
                  : deja__fail(c->err, DEJA_EUNFIT, "'%s%s' is gone", word, name);
    return NULL;
}

static const unsigned char *run_names(conversion *c, const deja__plan *plan,
                                      const unsigned char *at, const deja__path *path)
{
    const uint32_t place = deja__load16(at);
    if (plan->places[place] == DEJA__PLACE_NONE)
        return unknown_name(c, plan->source->names[place], path);
    return append_number(c, plan->places[place], 2) ? at + 2 : NULL;
}

static const unsigned char *run_bits(conversion *c, const deja__plan *plan, const unsigned char *at,
                                     const deja__path *path)
{
    const uint32_t bits = deja__load32(at);
    uint32_t result = 0;
    for (uint32_t i = 0; i < plan->source->name_count; i++) {
        if (!(bits >> i & 1))
            continue;
        if (plan->places[i] == DEJA__PLACE_NONE)
            return unknown_name(c, plan->source->names[i], path);
        result |= (uint32_t)1 << plan->places[i];
    }
    return append_number(c, result, 4) ? at + 4 : NULL;
}

/* ---- what holds others ---- */

static bool push_notes(conversion *c, uint64_t count)
{
    if (c->note_count + count > c->note_capacity) {
        const uint64_t capacity = 2 * (c->note_count + count);
        uint64_t *notes = malloc((size_t)capacity * sizeof *notes);
        if (!notes)
            return no_memory(c);
        memcpy(notes, c->notes, (size_t)c->note_count * sizeof *notes);
        if (c->notes != c->inside)
            free(c->notes);
        c->notes = notes;
        c->note_capacity = capacity;
    }
    c->note_count += count;
    return true;
}

static const unsigned char *run_fields(conversion *c, const deja__plan *plan,
                                       const unsigned char *at, const unsigned char *defaults,
                                       const deja__path *path)
{
    const deja__node *source = plan->source;
    const uint64_t base = c->note_count;
    if (!push_notes(c, source->child_count))
        return NULL;
    const unsigned char *end = at;
    for (uint32_t i = 0; i < source->child_count; i++) {
        c->notes[base + i] = (uint64_t)(end - at);
        end += deja__value_size(source->children[i], end);
    }
    for (uint32_t i = 0; i < plan->child_count; i++) {
        const deja__node *field = plan->target->children[i];
        const deja__path here = { path, field->name, NULL, 0, NULL };
        const uint32_t place = plan->places[i];
        if (place == DEJA__PLACE_NONE
                ? !append_new(c, field, defaults)
                : !run(c, plan->children[i], at + c->notes[base + place], defaults, &here))
            return NULL;
        if (defaults)
            defaults += deja__value_size(field, defaults);
    }
    c->note_count = base;
    return end;
}

static const unsigned char *run_kinds(conversion *c, const deja__plan *plan,
                                      const unsigned char *at, const unsigned char *defaults,
                                      const deja__path *path)
{
    const uint32_t tag = deja__load16(at);
    const uint32_t place = plan->places[tag];
    if (place == DEJA__PLACE_NONE)
        return unknown_name(c, plan->source->names[tag], path);
    const bool same = defaults && deja__load16(defaults) == place;
    if (!append_number(c, place, 2))
        return NULL;
    return run(c, plan->children[tag], at + 2, same ? defaults + 2 : NULL, path);
}

static const unsigned char *run_maybe(conversion *c, const deja__plan *plan,
                                      const unsigned char *at, const unsigned char *defaults,
                                      const deja__path *path)
{
    if (!append(c, at, 1))
        return NULL;
    if (at[0] == 0)
        return at + 1;
    const bool present = defaults && defaults[0] == 1;
    return run(c, plan->children[0], at + 1, present ? defaults + 1 : NULL, path);
}

/* Puts entries whose keys are enumerators, the first at `start`, in the order of their keys. */
static bool sort_entries(conversion *c, const deja__node *target, uint64_t start)
{
    const uint64_t size = c->out->size - start;
    uint64_t *offsets = calloc(target->children[0]->name_count, sizeof *offsets);
    unsigned char *copy = malloc((size_t)size + 1);
    bool sorted = false;
    if (!offsets || !copy)
        goto done;
    if (size != 0)
        memcpy(copy, c->out->bytes + start, (size_t)size);
    for (uint64_t at = 0; at < size;) {
        offsets[deja__load16(copy + at)] = at + 1;
        for (uint32_t k = 0; k < target->child_count; k++)
            at += deja__value_size(target->children[k], copy + at);
    }
    deja__buffer_cut(c->out, start);
    for (uint32_t i = 0; i < target->children[0]->name_count; i++) {
        uint64_t entry_size = 0;
        if (offsets[i] == 0)
            continue;
        const unsigned char *entry = copy + offsets[i] - 1;
        for (uint32_t k = 0; k < target->child_count; k++)
            entry_size += deja__value_size(target->children[k], entry + entry_size);
        deja_buffer_add(c->out, entry, entry_size);
    }
    sorted = !c->out->failed;

done:
    free(offsets);
    free(copy);
    return sorted || no_memory(c);
}

static const unsigned char *run_each(conversion *c, const deja__plan *plan, const unsigned char *at,
                                     const unsigned char *defaults, const deja__path *path)
{
    const deja__node *target = plan->target;
    uint64_t count = plan->source->count;
    deja__pairing pairs;
    deja__pairing_begin(&pairs, target, defaults);
    if (deja__is_counted(plan->source)) {
        count = deja__load32(at);
        at += 4;
        if (count > target->count) {
            c->code = deja__fail_value(
                c->err, DEJA_EUNFIT, path, "%llu items, of which %s takes %llu",
                (unsigned long long)count, whose(c), (unsigned long long)target->count);
            return NULL;
        }
        if (!append_number(c, count, 4))
            return NULL;
    }
    const uint64_t start = c->out->size;
    for (uint64_t i = 0; i < count && at; i++) {
        deja__path here = { path, NULL, plan->source, i, NULL };
        const uint64_t key_at = c->out->size;
        const unsigned char *key = at;
        if (target->shape != DEJA_MAP) {
            at = run(c, plan->children[0], at, deja__pairing_next(&pairs, target), &here);
            continue;
        }
        at = run(c, plan->children[0], at, NULL, &here);
        if (!at)
            return NULL;
        here.key = key;
        const unsigned char *value =
            deja__pairing_find(&pairs, target, c->out->bytes + key_at, plan->sort);
        at = run(c, plan->children[1], at, value, &here);
    }
    if (at && plan->sort && !sort_entries(c, target, start))
        return NULL;
    return at;
}

static const unsigned char *run_text(conversion *c, const deja__plan *plan, const unsigned char *at,
                                     const deja__path *path)
{
    const uint32_t size = deja__load32(at);
    if (size <= plan->target->count)
        return append(c, at, 4 + (uint64_t)size) ? at + 4 + size : NULL;
    c->code =
        deja__fail_value(c->err, DEJA_EUNFIT, path, "%u bytes of text, of which %s takes %llu",
                         size, whose(c), (unsigned long long)plan->target->count);
    return NULL;
}

/* ---- a value ---- */

static const unsigned char *run(conversion *c, const deja__plan *plan, const unsigned char *at,
                                const unsigned char *defaults, const deja__path *path)
{
    switch (plan->how) {
    case DEJA__COPY: {
        const uint64_t size = deja__value_size(plan->source, at);
        return append(c, at, size) ? at + size : NULL;
    }
    case DEJA__NUMBER:
        return run_number(c, plan, at, path);
    case DEJA__NAMES:
        return run_names(c, plan, at, path);
    case DEJA__BITS:
        return run_bits(c, plan, at, path);
    case DEJA__TEXT:
        return run_text(c, plan, at, path);
    case DEJA__FIELDS:
        return run_fields(c, plan, at, defaults, path);
    case DEJA__KINDS:
        return run_kinds(c, plan, at, defaults, path);
    case DEJA__MAYBE:
        return run_maybe(c, plan, at, defaults, path);
    case DEJA__EACH:
        return run_each(c, plan, at, defaults, path);
    case DEJA__REFUSE:
        break;
    }
    c->code = deja__fail(c->err, DEJA_EUNFIT, "%s", plan->why);
    return NULL;
}

deja_code deja__plan_run(const deja__plan *plan, enum deja__direction direction,
                         const unsigned char *bytes, const unsigned char *defaults,
                         deja_buffer *out, deja_error *err)
{
    const uint64_t before = out->size;
    conversion c;
    c.out = out;
    c.most = before + DEJA__VALUE_SIZE_MAX;
    c.direction = direction;
    c.err = err;
    c.code = DEJA_OK;
    c.notes = c.inside;
    c.note_count = 0;
    c.note_capacity = NOTES_INSIDE;
    if (!deja_buffer_reserve(out, 1)) /* so that there is room for the NUL */
        return deja__fail_memory(err);
    run(&c, plan, bytes, defaults, NULL);
    if (c.notes != c.inside)
        free(c.notes);
    if (c.code < 0)
        out->size = before;
    out->bytes[out->size] = 0;
    return c.code;
}
