/* SPDX-License-Identifier: MIT */
/*
 * What can be said of a call by itself, and of the memory that calls name.
 *
 * While learning, that memory is kept: two calls that name the same bytes of the value, or one that
 * reaches past its end, are mistakes that would load wrongly or write where nothing belongs (a
 * capacity larger than its array, mostly). Memory elsewhere cannot be judged. Counts of lists may
 * be shared: two lists side by side often do.
 */
#include "fields/describe_parts.h"

#include <stdlib.h>

#include "fields/scalars.h"

/* ---- a call by itself ---- */

static bool shape_is_known(const deja_field *field)
{
    const uint32_t bit = field->shape < 8 ? (uint32_t)1 << field->shape : 0;
    const uint32_t one = 1u << DEJA_ONE;
    const uint32_t many = 1u << DEJA_ARRAY | 1u << DEJA_GRID | 1u << DEJA_LIST;
    switch (field->kind) {
    case DEJA_ENUM:
    case DEJA_FLAGS:
    case DEJA_STRUCT:
        return (bit & (one | many)) != 0;
    case DEJA_TEXT:
        return (bit & (one | 1u << DEJA_LIST | 1u << DEJA_FILL)) != 0;
    case DEJA_ITEMS:
        return (bit & (1u << DEJA_LIST | 1u << DEJA_MAP | 1u << DEJA_SET)) != 0;
    default:
        if (field->kind <= DEJA_F64)
            return (bit & (one | many | 1u << DEJA_BLOCKS)) != 0;
        return bit == one;
    }
}

static bool check_names(deja__describer *d, const deja_field *field)
{
    const char *name = deja__describe_name(d, field);
    if (field->kind != DEJA_ENUM && field->kind != DEJA_FLAGS && field->kind != DEJA_KIND)
        return true;
    const uint32_t bits = 8 * field->value_size;
    const uint64_t most = field->kind == DEJA_FLAGS ? bits : (uint64_t)1 << bits;
    if (!field->names || field->name_count == 0)
        deja__describe_fail(d, "'%.64s' has no names", name);
    else if (field->name_count > DEJA__NAMES_MAX)
        deja__describe_fail(d, "'%.64s' has %u names, the most is %d", name, field->name_count,
                            DEJA__NAMES_MAX);
    else if (field->name_count > most)
        deja__describe_fail(d, "'%.64s' has %u names, which its %u bytes cannot tell apart", name,
                            field->name_count, field->value_size);
    return d->code == DEJA_OK;
}

static bool check_counts(deja__describer *d, const deja_field *field)
{
    const char *name = deja__describe_name(d, field);
    const bool text = field->kind == DEJA_TEXT && field->shape == DEJA_ONE;
    if (field->count < (text ? 2 : 1))
        deja__describe_fail(d, "'%.64s' has room for nothing", name);
    else if (field->count > UINT32_MAX)
        deja__describe_fail(d, "'%.64s' has room for %llu, the most is 4294967295", name,
                            (unsigned long long)field->count);
    else if (field->shape == DEJA_GRID && (field->row == 0 || field->count % field->row != 0))
        deja__describe_fail(d, "'%.64s' has %llu items, which are not rows of %u", name,
                            (unsigned long long)field->count, field->row);
    return d->code == DEJA_OK;
}

/* Whether the call lacks the memory that its kind needs. */
static bool has_no_memory(const deja_field *field)
{
    const bool needs = field->kind != DEJA_ITEMS && field->kind != DEJA_SECTION &&
                       !(field->kind == DEJA_TEXT && field->shape == DEJA_LIST);
    return needs && !field->value;
}

/* Whether the call counts: a container that is walked hands its count over only for writing. */
static bool needs_count(const deja_field *field)
{
    return field->shape == DEJA_LIST && field->kind != DEJA_TEXT && field->kind != DEJA_ITEMS;
}

bool deja__describe_check_call(deja__describer *d, const deja_field *field)
{
    const char *name = deja__describe_name(d, field);
    const bool sized =
        field->kind != DEJA_ITEMS && field->kind != DEJA_SECTION && field->kind != DEJA_STRUCT;
    if (field->size < sizeof *field) {
        deja__describe_fail(d, "a call of %u bytes, which no header of deja makes", field->size);
    } else if (field->kind < DEJA_BOOL || field->kind > DEJA_CLOSE) {
        deja__describe_fail(d,
                            "field '%.64s' is of kind %u, which this deja does not know (it knows "
                            "ABI %u.%u)",
                            name, field->kind, DEJA_ABI_MAJOR, DEJA_ABI_MINOR);
    } else if (!shape_is_known(field)) {
        deja__describe_fail(d,
                            "field '%.64s' is of kind %u in shape %u, which this deja does not "
                            "know (it knows ABI %u.%u)",
                            name, field->kind, field->shape, DEJA_ABI_MAJOR, DEJA_ABI_MINOR);
    } else if (has_no_memory(field)) {
        deja__describe_fail(d, "'%.64s' has no memory: its pointer is NULL", name);
    } else if (sized && !deja__scalar_fits(field->kind, field->value_size)) {
        deja__describe_fail(d, "'%.64s' is of %u bytes, which its kind %u is not", name,
                            field->value_size, field->kind);
    } else if (needs_count(field) && !field->list_count) {
        deja__describe_fail(d, "'%.64s' has no count: its pointer is NULL", name);
    }
    return d->code == DEJA_OK && check_names(d, field) && check_counts(d, field);
}

/* ---- the memory that calls name ---- */

/* How many bytes of memory from `value` on a call names, the first struct of several left out: its
 * fields name themselves. */
static deja__range range_of(const deja__describer *d, const deja_field *field)
{
    uintptr_t start = (uintptr_t)field->value;
    uint64_t count = field->count;
    if (field->kind == DEJA_OPTIONAL || field->kind == DEJA_KIND)
        count = 1;
    if (field->kind == DEJA_STRUCT && count != 0) {
        start += field->value_size;
        count--;
    }
    const uint64_t size = count * field->value_size;
    const bool none = !field->value || field->kind == DEJA_ITEMS || field->kind == DEJA_SECTION ||
                      (field->kind == DEJA_TEXT && field->shape == DEJA_LIST) ||
                      size > UINTPTR_MAX - start;
    return (deja__range){ start, none ? start : start + (uintptr_t)size,
                          field->name ? deja__describe_outer_name(d) : NULL,
                          deja__describe_name(d, field) };
}

/* Whether a call names memory of the value itself, and only that. */
static bool is_inside(const deja__describer *d, deja__range range)
{
    const uintptr_t start = (uintptr_t)d->value;
    return range.start >= start && range.end <= start + (uintptr_t)d->type->size;
}

bool deja__describe_is_inside(const deja__describer *d, const deja_field *field)
{
    return is_inside(d, range_of(d, field));
}

bool deja__describe_note_range(deja__describer *d, const deja_field *field)
{
    const deja__range range = range_of(d, field);
    const uintptr_t start = (uintptr_t)d->value;
    if (range.start == range.end || range.end <= start ||
        range.start >= start + (uintptr_t)d->type->size)
        return true;
    if (!is_inside(d, range)) {
        deja__describe_fail(d, "'%.64s' reaches past the end of the %llu bytes of its type",
                            range.name, (unsigned long long)d->type->size);
        return false;
    }
    if (!d->learning)
        return true;
    if (d->range_count == d->range_room) {
        const uint32_t room = d->range_room != 0 ? d->range_room * 2 : 64;
        deja__range *ranges = realloc(d->ranges, room * sizeof *ranges);
        if (!ranges) {
            deja__describe_fail_memory(d);
            return false;
        }
        d->ranges = ranges;
        d->range_room = room;
    }
    d->ranges[d->range_count++] = range;
    return true;
}

static int compare_ranges(const void *a, const void *b)
{
    const deja__range *left = a;
    const deja__range *right = b;
    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    return left->end < right->end ? -1 : left->end > right->end;
}

void deja__describe_check_ranges(deja__describer *d)
{
    if (d->range_count > 1)
        qsort(d->ranges, d->range_count, sizeof *d->ranges, compare_ranges);
    for (uint32_t i = 1; i < d->range_count && d->code == DEJA_OK; i++) {
        const deja__range *a = &d->ranges[i - 1];
        const deja__range *b = &d->ranges[i];
        if (b->start < a->end)
            deja__describe_fail(d, "'%.64s%s%.64s' names bytes that '%.64s%s%.64s' names, too",
                                a->outer ? a->outer : "", a->outer ? "." : "", a->name,
                                b->outer ? b->outer : "", b->outer ? "." : "", b->name);
    }
}
