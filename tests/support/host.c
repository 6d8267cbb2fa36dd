/* SPDX-License-Identifier: MIT */
/*
 * A small host. A window lies in the target itself, right behind what was written so far: where it
 * ends, the host writes the next value there and lends what follows.
 */
#include "support/host.h"

#include <stdio.h>
#include <stdlib.h>

#include "support/demand.h"

enum { DEPTH_MAX = 32 };

typedef struct host {
    deja_fields f; /* first: visit gets its address */
    unsigned char *bytes;
    uint64_t at; /* loading: what was taken */
    uint64_t capacity;
    uint64_t window;
    uint32_t opened[DEPTH_MAX];
    uint32_t depth;
    char *names; /* where the names go, or NULL */
    uint64_t names_left;
} host;

void *host_create(const deja_type *type)
{
    void *value = calloc(1, type->size ? type->size : 1);
    demand(value != NULL, "no memory");
    if (type->init)
        type->init(value);
    return value;
}

void host_destroy(const deja_type *type, void *value)
{
    if (value && type->finish)
        type->finish(value);
    free(value);
}

/* ---- names ---- */

static void note(host *h, const char *word)
{
    if (!h->names)
        return;
    const int size = snprintf(h->names, h->names_left, "%s ", word);
    demand((uint64_t)size < h->names_left, "more names than a test can hold");
    h->names += size;
    h->names_left -= (uint64_t)size;
}

static void note_field(host *h, const deja_field *field)
{
    if (field->kind == DEJA_CLOSE) {
        note(h, "}");
        return;
    }
    if (field->kind != DEJA_DERIVED && field->shape != DEJA_FILL)
        note(h, field->name ? field->name : "*");
    if (field->kind == DEJA_STRUCT || field->kind == DEJA_ITEMS || field->kind == DEJA_SECTION)
        note(h, "{");
}

/* ---- writing ---- */

static void lend(host *h)
{
    const uint64_t used = (uint64_t)(h->f.at - h->bytes);
    const uint64_t left = h->capacity - used;
    h->f.end = h->f.at + (h->window < left ? h->window : left);
}

static void put(host *h, const void *bytes, uint64_t size)
{
    demand((uint64_t)(h->f.at - h->bytes) + size <= h->capacity, "more than a test can hold");
    if (size)
        memcpy(h->f.at, bytes, size);
    h->f.at += size;
}

static void put_number(host *h, uint64_t number, uint32_t size)
{
    unsigned char bytes[8];
    for (uint32_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(number >> 8 * i);
    put(h, bytes, size);
}

static uint64_t number_at(const void *value, uint32_t size)
{
    uint64_t number = 0;
    demand(size <= 8, "a number of %u bytes", size);
    memcpy(&number, value, size); /* the tests' machines are little-endian */
    return number;
}

static void put_scalar(host *h, const deja_field *field, const void *value)
{
    uint64_t number = number_at(value, field->value_size > 8 ? 8 : field->value_size);
    switch (field->kind) {
    case DEJA_ENUM:
    case DEJA_KIND:
        demand(number < field->name_count, "'%s' has no name for %u",
               field->name ? field->name : "kind", (unsigned)number);
        put_number(h, number, 2);
        break;
    case DEJA_FLAGS:
        put_number(h, number, 4);
        break;
    case DEJA_F32:
        put_number(h, (number & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : number, 4);
        break;
    case DEJA_F64:
        put_number(h, (number & INT64_MAX) > 0x7ff0000000000000 ? 0x7ff8000000000000 : number, 8);
        break;
    case DEJA_BOOL:
        demand(number <= 1, "'%s' is a bool of %u", field->name, (unsigned)number);
        put_number(h, number, 1);
        break;
    case DEJA_RNG:
        put(h, value, 24);
        break;
    default:
        demand(field->kind >= DEJA_U8 && field->kind <= DEJA_I64, "kind %u", field->kind);
        put(h, value, field->value_size);
        break;
    }
}

static uint64_t list_size(const deja_field *field)
{
    if (field->shape != DEJA_LIST && field->shape != DEJA_MAP && field->shape != DEJA_SET)
        return field->count;
    demand(*field->list_count <= field->count, "'%s' has %u values, its most is %u",
           field->name ? field->name : "*", *field->list_count, (unsigned)field->count);
    return *field->list_count;
}

static void put_text(host *h, const deja_field *field)
{
    uint64_t size = list_size(field);
    if (field->shape == DEJA_ONE) {
        size = strnlen(field->value, field->count);
        demand(size < field->count, "'%s' does not end", field->name);
    }
    demand(size == 0 || !memchr(field->value, 0, size), "'%s' holds a NUL", field->name);
    put_number(h, size, 4);
    put(h, field->value, size);
}

static uint32_t opened(host *h, uint32_t kind)
{
    demand(h->depth < DEPTH_MAX, "opened deeper than a test can hold");
    h->opened[h->depth++] = kind;
    return 1;
}

static void closed(host *h, const deja_field *field)
{
    demand(h->depth > 0, "closed without an opening");
    demand(h->opened[--h->depth] == field->count, "closes another kind than was opened");
}

static uint32_t write_field(host *h, const deja_field *field)
{
    const unsigned char *value = field->value;
    uint64_t size;
    switch (field->kind) {
    case DEJA_CLOSE:
        closed(h, field);
        return 0;
    case DEJA_DERIVED:
        return 0;
    case DEJA_TEXT:
        put_text(h, field);
        return 0;
    case DEJA_BYTES:
        put(h, value, field->count);
        return 0;
    case DEJA_OPTIONAL:
        demand(*value <= 1, "'%s' is there %u times", field->name, *value);
        put(h, value, 1);
        return *value;
    case DEJA_STRUCT:
    case DEJA_ITEMS:
    case DEJA_SECTION:
        size = list_size(field);
        if (field->list_count)
            put_number(h, size, 4);
        opened(h, field->kind);
        return (uint32_t)size;
    default:
        size = list_size(field);
        if (field->list_count)
            put_number(h, size, 4);
        for (uint64_t i = 0; i < size; i++)
            put_scalar(h, field, value + i * field->value_size);
        return field->kind == DEJA_KIND ? (uint32_t)number_at(value, field->value_size) : 0;
    }
}

/* ---- loading ---- */

static uint64_t take(host *h, uint32_t size)
{
    demand(h->at + size <= h->capacity, "a load asks for more bytes than there are");
    const uint64_t number = number_at(h->bytes + h->at, size);
    h->at += size;
    return number;
}

static void take_bytes(host *h, void *target, uint64_t size)
{
    demand(h->at + size <= h->capacity, "a load asks for more bytes than there are");
    if (size)
        memcpy(target, h->bytes + h->at, size);
    h->at += size;
}

static uint32_t take_count(host *h, const deja_field *field)
{
    const uint32_t count = (uint32_t)take(h, 4);
    demand(count <= field->count, "'%s' is to hold %u", field->name, count);
    return count;
}

static uint32_t canonical_size(const deja_field *field)
{
    switch (field->kind) {
    case DEJA_ENUM:
    case DEJA_KIND:
        return 2;
    case DEJA_FLAGS:
        return 4;
    default:
        return field->value_size;
    }
}

static uint32_t take_text(host *h, const deja_field *field)
{
    char *chars = (char *)(uintptr_t)field->value;
    if (field->shape == DEJA_FILL) {
        take_bytes(h, chars, field->count);
        return 0;
    }
    const uint32_t size = take_count(h, field);
    if (field->shape == DEJA_ONE) {
        take_bytes(h, chars, size);
        chars[size] = '\0';
    }
    return size;
}

static uint32_t load_field(host *h, const deja_field *field)
{
    unsigned char *value = (unsigned char *)(uintptr_t)field->value;
    uint32_t *list_count = (uint32_t *)(uintptr_t)field->list_count;
    uint32_t count = (uint32_t)field->count;
    switch (field->kind) {
    case DEJA_CLOSE:
        closed(h, field);
        return 0;
    case DEJA_DERIVED:
        return 0;
    case DEJA_TEXT:
        return take_text(h, field);
    case DEJA_BYTES:
        take_bytes(h, value, field->count);
        return 0;
    case DEJA_OPTIONAL:
        return *value = (unsigned char)take(h, 1);
    case DEJA_STRUCT:
    case DEJA_ITEMS:
    case DEJA_SECTION:
        if (list_count)
            *list_count = count = take_count(h, field);
        opened(h, field->kind);
        return count;
    default:
        if (list_count)
            *list_count = count = take_count(h, field);
        uint64_t number = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (field->kind == DEJA_RNG) {
                take_bytes(h, value, 24);
            } else {
                number = take(h, canonical_size(field));
                memcpy(value + i * field->value_size, &number, field->value_size);
            }
        }
        return field->kind == DEJA_KIND ? (uint32_t)number : 0;
    }
}

/* ---- both ---- */

static uint32_t visit(deja_fields *f, const deja_field *field)
{
    host *h = (host *)(void *)f;
    note_field(h, field);
    if (f->doing == DEJA_LOADING)
        return load_field(h, field);
    const uint32_t answer = write_field(h, field);
    lend(h);
    return answer;
}

static uint64_t save(host *h, const deja_type *type, const void *value)
{
    h->f = (deja_fields){ h->bytes, h->bytes, visit, DEJA_WRITING, DEJA_ABI_MINOR };
    lend(h);
    if (type->fields)
        type->fields(&h->f, value);
    demand(h->depth == 0, "something was opened and not closed");
    return (uint64_t)(h->f.at - h->bytes);
}

uint64_t host_save(const deja_type *type, const void *value, uint64_t window, unsigned char *bytes,
                   uint64_t capacity)
{
    host h = { .bytes = bytes, .capacity = capacity, .window = window };
    return save(&h, type, value);
}

void host_load(const deja_type *type, void *value, const unsigned char *bytes, uint64_t size)
{
    host h = { .bytes = (unsigned char *)(uintptr_t)bytes, .capacity = size };
    h.f = (deja_fields){ NULL, NULL, visit, DEJA_LOADING, DEJA_ABI_MINOR };
    if (type->fields)
        type->fields(&h.f, value);
    demand(h.depth == 0, "something was opened and not closed");
    demand(h.at == size, "a load left bytes over");
}

void host_names(const deja_type *type, const void *value, char *names, uint64_t capacity)
{
    unsigned char bytes[1u << 14];
    host h = { .bytes = bytes, .capacity = sizeof bytes, .names = names, .names_left = capacity };
    names[0] = '\0';
    save(&h, type, value);
    if (h.names > names)
        h.names[-1] = '\0';
}
