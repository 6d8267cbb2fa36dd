/* SPDX-License-Identifier: MIT */
/*
 * Loading: canonical bytes into a library's memory, by its description.
 *
 * The window is empty, so every call comes here and takes its bytes from the front. Each read is
 * checked against what is left; each count and size against its most. After the first breach
 * nothing is left, lists are empty, optionals absent and kinds the first, so that the description
 * soon returns, having been told of nothing that is not there.
 *
 * What a value was before must not show in what it is after: it was made anew first, and what lies
 * behind the count of a list of scalars or the end of a text is zeroed. The structs behind a
 * list's count stay as init made them: they may be objects.
 *
 * Bytes that only the validator refuses (keys of a map that do not rise) load.
 */
#include "fields/codec_plan.h"

typedef struct loader {
    deja_fields f; /* first: descriptions hand it back */
    const unsigned char *start;
    const unsigned char *at;
    const unsigned char *end;
    uint64_t fill; /* bytes of a growable text that was asked for and not yet taken */
    deja__breach breach;
    void (*log)(void *user, const deja__loaded *loaded);
    void *user;
} loader;

/* Descriptions are const; what they name is writable while it is loaded. */
static void *writable(const void *value)
{
    return (void *)(uintptr_t)value;
}

static void note_at(loader *l, const deja_field *field, const unsigned char *place, uint32_t what,
                    uint64_t number, uint64_t limit)
{
    deja__breach_note(&l->breach, (deja__breach){ what, field->name, (uint64_t)(place - l->start),
                                                  number, limit });
    l->at = l->end;
}

/* The next `size` bytes, or NULL where there are not so many. */
static const unsigned char *take(loader *l, const deja_field *field, uint64_t size)
{
    const unsigned char *taken = l->at;
    if ((uint64_t)(l->end - l->at) < size) {
        note_at(l, field, l->at, DEJA__BREACH_CUT, 0, 0);
        return NULL;
    }
    l->at += size;
    return taken;
}

static void tell(loader *l, const deja_field *field, const unsigned char *place, uint64_t count)
{
    const deja__scalar scalar = { field->kind, field->value_size, field->name_count };
    const deja__loaded loaded = { scalar, (uint64_t)(place - l->start), field->value, count };
    if (l->log)
        l->log(l->user, &loaded);
}

/* A count of things that take at least `least` bytes each. */
static uint32_t take_count(loader *l, const deja_field *field, uint64_t least, uint32_t too_many)
{
    const unsigned char *place = take(l, field, 4);
    const uint32_t count = place ? deja__load32(place) : 0;
    if (count > field->count) {
        note_at(l, field, place, too_many, count, field->count);
        return 0;
    }
    if (count > (uint64_t)(l->end - l->at) / least) {
        note_at(l, field, place, DEJA__BREACH_CUT, 0, 0);
        return 0;
    }
    return count;
}

static uint32_t take_list_count(loader *l, const deja_field *field, uint64_t least)
{
    const uint32_t count = take_count(l, field, least, DEJA__BREACH_COUNT);
    memcpy(writable(field->list_count), &count, sizeof count);
    return count;
}

/* ---- the kinds ---- */

static void load_scalars(loader *l, const deja_field *field)
{
    const deja__scalar scalar = { field->kind, field->value_size, field->name_count };
    const uint32_t size = deja__scalar_size(field->kind);
    unsigned char *values = writable(field->value);
    uint64_t count = field->count;

    if (field->shape == DEJA_LIST) {
        count = take_list_count(l, field, size);
        if (count < field->count)
            memset(values + count * field->value_size, 0,
                   (size_t)((field->count - count) * field->value_size));
    }
    const unsigned char *source = take(l, field, count * size);
    if (!source || count == 0)
        return;
    tell(l, field, source, count);
    const uint64_t sound = deja__scalars_load(&scalar, source, count, values);
    if (sound == count)
        return;
    const unsigned char *bad = source + sound * size;
    const uint32_t number = size == 1 ? *bad : (size == 2 ? deja__load16(bad) : deja__load32(bad));
    const deja__breach breach = deja__breach_of_scalar(&scalar, field->name, 0, number);
    note_at(l, field, bad, breach.what, number, breach.limit);
}

static void load_bytes(loader *l, const deja_field *field)
{
    const unsigned char *source = take(l, field, field->count);
    if (!source || field->count == 0)
        return;
    tell(l, field, source, field->count);
    memcpy(writable(field->value), source, (size_t)field->count);
}

/* The size of a text whose bytes are there and sound; these are next. */
static uint32_t take_text_size(loader *l, const deja_field *field, uint64_t most)
{
    const unsigned char *place = l->at;
    const deja_field bounded = { .name = field->name, .count = most };
    const uint32_t size = take_count(l, &bounded, 1, DEJA__BREACH_TEXT_SIZE);
    if (size != 0 && !deja__is_utf8(l->at, size)) {
        note_at(l, field, place, DEJA__BREACH_UTF8, 0, 0);
        return 0;
    }
    return size;
}

static void load_text(loader *l, const deja_field *field)
{
    const uint32_t size = take_text_size(l, field, field->count != 0 ? field->count - 1 : 0);
    unsigned char *chars = writable(field->value);
    if (size != 0)
        memcpy(chars, l->at, size);
    memset(chars + size, 0, (size_t)(field->count - size));
    l->at += size;
}

/* A text that grows: its size is answered, then asked for by a call that fills. */
static uint32_t load_growing(loader *l, const deja_field *field)
{
    if (field->shape == DEJA_LIST) {
        l->fill = take_text_size(l, field, field->count);
        return (uint32_t)l->fill;
    }
    if (field->count != l->fill) {
        note_at(l, field, l->at, DEJA__BREACH_UNFILLED, 0, 0);
    } else if (field->count != 0) {
        memcpy(writable(field->value), l->at, (size_t)field->count);
        l->at += field->count;
    }
    l->fill = 0;
    return 0;
}

static uint32_t load_optional(loader *l, const deja_field *field)
{
    const unsigned char *place = take(l, field, 1);
    uint32_t present = place ? *place : 0;
    if (present > 1) {
        note_at(l, field, place, DEJA__BREACH_BOOL, present, 0);
        present = 0;
    }
    *(unsigned char *)writable(field->value) = (unsigned char)present;
    return present;
}

static uint32_t load_kind(loader *l, const deja_field *field)
{
    const unsigned char *place = take(l, field, 2);
    uint32_t number = place ? deja__load16(place) : 0;
    if (number >= field->name_count) {
        note_at(l, field, place, DEJA__BREACH_NAME, number, field->name_count);
        number = 0;
    }
    if (place)
        tell(l, field, place, 1);
    deja__small_write(writable(field->value), field->value_size, number);
    return number;
}

static uint32_t visit_loading(deja_fields *f, const deja_field *field)
{
    loader *l = (loader *)(void *)f;
    if (l->fill != 0 && !(field->kind == DEJA_TEXT && field->shape == DEJA_FILL)) {
        l->fill = 0;
        note_at(l, field, l->at, DEJA__BREACH_UNFILLED, 0, 0);
    }
    switch (field->kind) {
    case DEJA_TEXT:
        if (field->shape != DEJA_ONE)
            return load_growing(l, field);
        load_text(l, field);
        return 0;
    case DEJA_BYTES:
        load_bytes(l, field);
        return 0;
    case DEJA_OPTIONAL:
        return load_optional(l, field);
    case DEJA_KIND:
        return load_kind(l, field);
    case DEJA_STRUCT:
        return field->shape == DEJA_LIST ? take_list_count(l, field, 1) : (uint32_t)field->count;
    case DEJA_ITEMS:
        return take_count(l, field, 1, DEJA__BREACH_COUNT);
    case DEJA_SECTION:
        return 1;
    case DEJA_DERIVED:
    case DEJA_CLOSE:
        return 0;
    default:
        if (deja__scalar_size(field->kind) == 0)
            note_at(l, field, l->at, DEJA__BREACH_UNKNOWN, field->kind, 0);
        else
            load_scalars(l, field);
        return 0;
    }
}

deja__breach deja__visit_load(const deja_type *type, void *value, deja_span bytes,
                              void (*log)(void *user, const deja__loaded *loaded), void *user)
{
    static const unsigned char nothing[1];
    unsigned char window[1]; /* at == end in some object: an empty window */
    loader l = { .log = log, .user = user };
    l.f = (deja_fields){ window, window, visit_loading, DEJA_LOADING, DEJA_ABI_MINOR };
    l.start = bytes.size != 0 ? bytes.bytes : nothing;
    l.at = l.start;
    l.end = l.start + bytes.size;

    type->fields(&l.f, value);
    const deja_field last = { 0 };
    if (l.fill != 0)
        note_at(&l, &last, l.at, DEJA__BREACH_UNFILLED, 0, 0);
    if (l.at != l.end)
        note_at(&l, &last, l.at, DEJA__BREACH_LEFT, (uint64_t)(l.end - l.at), 0);
    return l.breach;
}

/* ---- the codec's ---- */

/* Bytes that a plan refuses go through the visitor, which says what is wrong with them. */
deja_code deja__codec_load(deja__codec *codec, void *value, const void *bytes, uint64_t size,
                           deja_error *err)
{
    if (codec->plan) {
        if (codec->type.init)
            deja__type_value_reset(&codec->type, value);
        if (DEJA__LIKELY(deja__load_plan_run(codec->plan, value, bytes, size)))
            return DEJA_OK;
    }
    deja__type_value_reset(&codec->type, value);
    const deja_span span = { bytes, size };
    const deja__breach breach = deja__visit_load(&codec->type, value, span, NULL, NULL);
    if (breach.what == DEJA__BREACH_NONE)
        return DEJA_OK;
    deja__type_value_reset(&codec->type, value);
    return deja__breach_report(&breach, codec->layout, span, DEJA_EFORMAT, err);
}
