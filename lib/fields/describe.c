/* SPDX-License-Identifier: MIT */
/*
 * Describing: learning a type's layout from its description.
 *
 * The description is run as if it loaded, and its calls are answered with made-up values: one item
 * in every list, every optional present. Only a kind can lead to calls that were not made before,
 * so the description is run again until each alternative of each kind, inner ones too, was seen to
 * its end. Every run after the first is also a check of those before it: what does not depend on a
 * tag must be named again in the same way.
 *
 * Then come runs that only check, with other values: all ones, two items in a list and none,
 * optionals absent, then chance. Each value that was loaded so is then described once more as if
 * it were written, and must name what loading named. A field that is named only if another is set,
 * or an array as long as a variable says, is found here and not in the middle of a session.
 *
 * A description is library code, and the only ways to stop it are its answers. Recursion that is
 * not ended by these (a struct that always has itself inside) and loops are left by longjmp, which
 * is sound for C, and for C++ loses what the frames in between own; the alternative is a crash.
 */
#include "fields/describe_parts.h"

#include <stdlib.h>

#include "fields/codec_parts.h"

enum {
    CALLS_MAX = 1 << 22, /* of one run */
    OPENED_MAX = 1024,   /* calls that open inside each other, once it has failed */
    MANY_DEPTH_MAX = 4,  /* lists have two items only so deep: calls double with each */
    CHANCES = 8,         /* runs with values by chance */
    FILL_MAX = 64        /* items of an array that get values: states may be large */
};

static uint64_t draw(deja__describer *d)
{
    uint64_t mixed = d->seed += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
}

static void *writable(const void *value)
{
    return (void *)(uintptr_t)value;
}

/* ---- answers ---- */

static uint32_t item_count(const deja__describer *d, const deja_field *field)
{
    uint32_t items = d->items;
    if (d->learning || (items > 1 && d->frame_count > MANY_DEPTH_MAX))
        items = 1;
    if (items == 0 && (field->shape == DEJA_ARRAY || field->shape == DEJA_GRID))
        items = 1;
    return items < field->count ? items : (uint32_t)field->count;
}

static uint32_t number(deja__describer *d)
{
    return d->number == 2 ? (uint32_t)(draw(d) & 1) : d->number;
}

/* How many items come next, and, while loading, in memory. */
static uint32_t counted(deja__describer *d, const deja_field *field)
{
    uint32_t count = item_count(d, field);
    if (d->f.doing == DEJA_WRITING && field->list_count) {
        memcpy(&count, field->list_count, sizeof count);
        if (count > field->count)
            deja__describe_fail(d, "'%.64s' has %u values where its most is %llu",
                                deja__describe_name(d, field), count,
                                (unsigned long long)field->count);
    } else if (field->list_count && field->kind != DEJA_ITEMS) {
        memcpy(writable(field->list_count), &count, sizeof count);
    }
    return count;
}

/* Fills in `count` scalars, each 0 or 1, as far as they are known to have memory. */
static void fill_scalars(deja__describer *d, const deja_field *field, uint64_t count)
{
    const deja__scalar scalar = { field->kind, field->value_size, field->name_count };
    unsigned char *values = writable(field->value);
    if (field->shape != DEJA_ONE && !deja__describe_is_inside(d, field))
        return;
    for (uint64_t i = 0; i < count && i < FILL_MAX; i++) {
        unsigned char bytes[24] = { 0 };
        const uint32_t chosen = number(d);
        bytes[0] = (unsigned char)(field->kind == DEJA_ENUM ? chosen % field->name_count : chosen);
        deja__scalars_load(&scalar, bytes, 1, values + i * field->value_size);
    }
}

static void answer_scalars(deja__describer *d, const deja_field *field)
{
    const uint32_t count = field->shape == DEJA_LIST ? counted(d, field) : (uint32_t)field->count;
    if (d->f.doing == DEJA_LOADING)
        fill_scalars(d, field, count);
    deja__describe_done(d);
}

static uint32_t answer_text(deja__describer *d, const deja_field *field)
{
    char *chars = writable(field->value);
    const uint32_t size = number(d);
    deja__describe_done(d);
    if (d->f.doing == DEJA_WRITING)
        return 0;
    if (field->shape == DEJA_LIST) {
        d->fill = size;
        return size;
    }
    chars[0] = size != 0 ? 'x' : 0;
    chars[1] = 0;
    return 0;
}

/* The bytes of a growable text, which must be asked for at once. */
static void fill_text(deja__describer *d, const deja_field *field)
{
    if (field->count != d->fill || (field->count != 0 && !field->value))
        deja__describe_fail(d, "a text of %llu bytes takes %llu", (unsigned long long)d->fill,
                            (unsigned long long)field->count);
    else if (field->count != 0)
        *(char *)writable(field->value) = 'x';
    d->fill = 0;
}

static uint32_t answer_optional(deja__describer *d, const deja_field *field, deja__node *node)
{
    unsigned char *flag = writable(field->value);
    if (d->f.doing == DEJA_LOADING)
        *flag = d->learning || (d->number == 2 ? draw(d) & 1 : d->present);
    const bool present = *flag == 1;
    if (present)
        deja__describe_enter(d, node, field, 1);
    else
        deja__describe_done(d);
    return present;
}

/* An alternative that is not whole yet, so that each run learns; later each in turn. */
static uint32_t choose(deja__describer *d, const deja__node *node)
{
    if (!d->learning)
        return (d->number == 2 ? (uint32_t)draw(d) : d->pass) % node->name_count;
    for (uint32_t i = 0; i < node->child_count; i++)
        if (!deja__describe_is_whole(node->children[i]))
            return i;
    return 0;
}

static uint32_t answer_kind(deja__describer *d, const deja_field *field)
{
    const deja__node *node = deja__describe_tag(d, field);
    if (!node)
        return 0;
    uint32_t place = deja__small_read(field->value, field->value_size);
    if (d->f.doing == DEJA_LOADING) {
        place = choose(d, node);
        deja__small_write(writable(field->value), field->value_size, place);
    } else if (place >= field->name_count) {
        deja__describe_fail(d, "a kind is %u, which has no name, once it was loaded", place);
        return 0;
    }
    deja__describe_choose(d, place);
    return place;
}

static uint32_t answer_open(deja__describer *d, const deja_field *field, deja__node *node)
{
    const bool one = field->kind == DEJA_SECTION || field->shape == DEJA_ONE;
    const uint32_t count = one ? 1 : counted(d, field);
    deja__describe_enter(d, node, field, count);
    return count;
}

static uint32_t answer(deja__describer *d, const deja_field *field)
{
    deja__node *node = deja__describe_place(d, field);
    if (!node)
        return 0;
    switch (field->kind) {
    case DEJA_STRUCT:
    case DEJA_ITEMS:
    case DEJA_SECTION:
        return answer_open(d, field, node);
    case DEJA_OPTIONAL:
        return answer_optional(d, field, node);
    case DEJA_TEXT:
        return answer_text(d, field);
    case DEJA_BYTES:
        deja__describe_done(d);
        return 0;
    default:
        answer_scalars(d, field);
        return 0;
    }
}

/* Once it has failed: nothing is there, so that it comes to its end. Kinds change from call to
 * call, so that one which leads back to itself finds its way out. Writing touches nothing. */
static uint32_t answer_failed(deja__describer *d, const deja_field *field)
{
    const uint32_t none = 0;
    const bool loads = d->f.doing == DEJA_LOADING;
    uint32_t place;
    switch (field->kind) {
    case DEJA_STRUCT:
        if (loads && field->shape == DEJA_LIST && field->list_count)
            memcpy(writable(field->list_count), &none, sizeof none);
        return field->shape == DEJA_ONE;
    case DEJA_OPTIONAL:
        if (loads && field->value)
            *(unsigned char *)writable(field->value) = 0;
        return 0;
    case DEJA_KIND:
        place = field->name_count != 0 ? d->call_count % field->name_count : 0;
        if (loads && field->value && deja__scalar_fits(DEJA_KIND, field->value_size))
            deja__small_write(writable(field->value), field->value_size, place);
        return place;
    default:
        return 0;
    }
}

/* ---- runs ---- */

/* Counts what is open, and leaves a description that does not end by itself. */
static void count_call(deja__describer *d, const deja_field *field)
{
    if (field->kind == DEJA_STRUCT || field->kind == DEJA_ITEMS || field->kind == DEJA_SECTION)
        d->opened++;
    else if (field->kind == DEJA_CLOSE && d->opened > 0)
        d->opened--;
    if (++d->call_count > CALLS_MAX)
        deja__describe_fail(d, "the description makes more than %d calls", CALLS_MAX);
    if (d->call_count > CALLS_MAX || (d->code < 0 && d->opened > OPENED_MAX))
        longjmp(d->leave, 1);
}

static uint32_t visit_describing(deja_fields *f, const deja_field *field)
{
    deja__describer *d = (deja__describer *)(void *)f;
    count_call(d, field);
    const bool fills = field->kind == DEJA_TEXT && field->shape == DEJA_FILL;
    if (d->fill != 0 && !fills)
        deja__describe_fail(d, "a text is asked for and not taken");
    if (d->code < 0)
        return answer_failed(d, field);
    if (field->kind == DEJA_CLOSE) {
        deja__describe_close(d, (uint32_t)field->count);
        return 0;
    }
    if (fills) {
        fill_text(d, field);
        return 0;
    }
    if (field->kind == DEJA_DERIVED)
        return 0;
    if (!deja__describe_check_call(d, field) || !deja__describe_note_range(d, field))
        return answer_failed(d, field);
    const uint32_t answered = field->kind == DEJA_KIND ? answer_kind(d, field) : answer(d, field);
    return d->code == DEJA_OK ? answered : answer_failed(d, field);
}

/* One run of the description. */
static void run(deja__describer *d, uint32_t doing)
{
    unsigned char window[1]; /* at == end in some object: an empty window */
    d->f = (deja_fields){ window, window, visit_describing, doing, DEJA_ABI_MINOR };
    d->range_count = 0;
    d->call_count = 0;
    d->opened = 0;
    d->fill = 0;
    deja__describe_begin(d);
    if (setjmp(d->leave) == 0)
        d->type->fields(&d->f, d->value);
    if (d->fill != 0)
        deja__describe_fail(d, "a text is asked for and not taken");
    deja__describe_end(d);
    deja__describe_check_ranges(d);
}

static void run_loading(deja__describer *d)
{
    deja__type_value_reset(d->type, d->value);
    run(d, DEJA_LOADING);
}

/* Runs until nothing new is to be seen. Each run must see something new. */
static void learn(deja__describer *d)
{
    uint32_t before = UINT32_MAX;
    d->learning = true;
    while (d->code == DEJA_OK && !deja__describe_is_whole(d->root)) {
        if (d->learnt_count == before)
            deja__describe_fail(d, "the description differs from call to call");
        before = d->learnt_count;
        if (d->code == DEJA_OK)
            run_loading(d);
    }
}

static uint32_t alternative_count(const deja__node *node)
{
    uint32_t most = node->kind == DEJA_KIND ? node->name_count : 0;
    for (uint32_t i = 0; i < node->child_count; i++) {
        const uint32_t inner = alternative_count(node->children[i]);
        most = inner > most ? inner : most;
    }
    return most;
}

/* Ones everywhere and two items, with each alternative; then nothing anywhere; then chance. */
static void check(deja__describer *d)
{
    const uint32_t inner = alternative_count(d->root);
    const uint32_t round = inner != 0 ? inner : 1;
    d->learning = false;
    for (d->pass = 0; d->pass < 2 * round + CHANCES && d->code == DEJA_OK; d->pass++) {
        const bool ones = d->pass < round;
        const bool none = !ones && d->pass < 2 * round;
        d->number = ones ? 1 : (none ? 0 : 2);
        d->present = ones;
        d->items = ones ? 2 : (none ? 0 : (uint32_t)(draw(d) % 3));
        run_loading(d);
        if (d->code == DEJA_OK)
            run(d, DEJA_WRITING);
    }
}

/* ---- */

static deja_code describe_nothing(deja_layout **out, const deja_type *type, deja_error *err)
{
    if (type->size != 0)
        return deja__fail(err, DEJA_EUNFIT, "a type of %llu bytes has no description",
                          (unsigned long long)type->size);
    return deja__layout_from_tree(out, deja__node_create(DEJA_STRUCT), err);
}

deja_code deja__describe(deja_layout **out, const deja_type *type, deja_error *err)
{
    *out = NULL;
    if (!type->fields)
        return describe_nothing(out, type, err);

    deja_code code = DEJA_OK;
    deja__describer *d = calloc(1, sizeof *d);
    if (!d)
        return deja__fail_memory(err);
    d->type = type;
    d->err = err;
    d->root = deja__node_create(DEJA_STRUCT);
    d->value = deja__type_value_create(type);
    if (!d->root || !d->value) {
        code = deja__fail_memory(err);
        goto done;
    }
    learn(d);
    check(d);
    code = d->code;
    if (code == DEJA_OK) {
        code = deja__layout_from_tree(out, d->root, err);
        d->root = NULL;
    }
    /* The tree's own checks say what is wrong with a layout; here it is a library's. */
    if (code == DEJA_EFORMAT || code == DEJA_ELIMIT) {
        code = DEJA_EUNFIT;
        if (err)
            err->code = code;
    }

done:
    deja__type_value_destroy(type, d->value);
    deja__node_destroy(d->root);
    free(d->ranges);
    free(d);
    return code;
}
