/* SPDX-License-Identifier: MIT */
/*
 * Codecs and the memory of values.
 *
 * A value's memory is aligned to 64 bytes, as much as any member asks for in practice (vector
 * registers, cache lines), and is exactly as large as its type says, so that a sanitizer sees a
 * description that reaches further.
 */
#include "fields/codec_parts.h"

#include <stdlib.h>

enum { VALUE_ALIGNMENT = 64 };

/* ---- values ---- */

void *deja__type_value_create(const deja_type *type)
{
    void *value = NULL;
    if (type->size > SIZE_MAX / 2 ||
        posix_memalign(&value, VALUE_ALIGNMENT, type->size != 0 ? (size_t)type->size : 1) != 0)
        return NULL;
    memset(value, 0, (size_t)type->size);
    if (type->init)
        type->init(value);
    return value;
}

void deja__type_value_destroy(const deja_type *type, void *value)
{
    if (value && type->finish)
        type->finish(value);
    free(value);
}

void deja__type_value_reset(const deja_type *type, void *value)
{
    if (type->finish)
        type->finish(value);
    memset(value, 0, (size_t)type->size);
    if (type->init)
        type->init(value);
}

/* ---- codecs ---- */

/* The description of a type that has none. */
static void no_fields(deja_fields *f, const void *value)
{
    (void)f;
    (void)value;
}

deja_code deja__codec_create(deja__codec **out, const deja_type *type, const deja_layout *layout,
                             deja_error *err)
{
    *out = NULL;
    deja__codec *codec = malloc(sizeof *codec);
    if (!codec)
        return deja__fail_memory(err);
    codec->type = *type;
    if (!codec->type.fields)
        codec->type.fields = no_fields;
    codec->layout = layout;
    codec->plan = NULL;
    codec->attempts_failed = 0;
    codec->size =
        layout->root->fixed && layout->root->plain ? layout->root->size_min : DEJA__SIZE_ANY;
    deja_code code = deja__writer_init(&codec->writer) ? DEJA_OK : deja__fail_memory(err);
    if (code == DEJA_OK)
        code = deja__load_plan_create(&codec->plan, codec, err);
    if (code < 0) {
        deja__codec_destroy(codec);
        return code;
    }
    *out = codec;
    return DEJA_OK;
}

void deja__codec_destroy(deja__codec *codec)
{
    if (!codec)
        return;
    deja__load_plan_destroy(codec->plan);
    deja__writer_release(&codec->writer);
    free(codec);
}

void *deja__codec_value_create(const deja__codec *codec)
{
    return deja__type_value_create(&codec->type);
}

void deja__codec_value_destroy(const deja__codec *codec, void *value)
{
    deja__type_value_destroy(&codec->type, value);
}

bool deja__codec_is_planned(const deja__codec *codec)
{
    return codec->plan != NULL;
}
