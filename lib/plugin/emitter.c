/* SPDX-License-Identifier: MIT */
/*
 * What goes into a library and what comes out of it, as canonical bytes.
 *
 * Values that load by a plan are checked by it, all others by the validator. Where writing does not
 * show everything (text that fits is copied unread, keys of maps are not compared), what was
 * written is validated.
 *
 * What is emitted is turned into bytes at once, as the value is gone when emit returns, into a
 * buffer that keeps its memory:
 *
 *     | count, u32 | event 1 | event 2 | ...     hashed in one call, the count in front
 *                  ends:     ^         ^
 *
 * These bytes are both what is saved and what is hashed, but for types that have sections or blocks
 * in them: such values are written twice. Touches are taken and not used: states are always hashed
 * in full, which is the same number by definition.
 */
#include "plugin/emitter.h"

#include <stdlib.h>

#include "fields/codec_inline.h"

enum {
    EMITTED_MAX = 1 << 20 /* values of one call; a loop without end must not take all memory */
};

/* ---- values ---- */

/* Text that fits is written unread, and keys are not compared. */
static bool shows_all(const deja__node *node)
{
    if (node->kind == DEJA_TEXT || node->shape == DEJA_MAP || node->shape == DEJA_SET)
        return false;
    for (uint32_t i = 0; i < node->child_count; i++)
        if (!shows_all(node->children[i]))
            return false;
    return true;
}

/* The rules broke their contract; what the message says of it stays. */
static deja_code blame_rules(deja_error *err, deja_code code)
{
    if (code == DEJA_ENOMEM)
        return code;
    if (err)
        err->code = DEJA_ERULES;
    return DEJA_ERULES;
}

deja_code deja__form_init(deja__form *form, const deja_plugin *plugin, uint32_t type,
                          deja_error *err)
{
    form->layout = deja_plugin_layout(plugin, type);
    form->is_strict = shows_all(form->layout->root);
    const deja_code code =
        deja__codec_create(&form->codec, deja__plugin_type(plugin, type), form->layout, err);
    form->is_planned = code == DEJA_OK && deja__codec_is_planned(form->codec);
    return code;
}

void deja__form_release(deja__form *form)
{
    deja__codec_destroy(form->codec);
}

deja_code deja__form_save(const deja__form *form, const void *value, deja_buffer *out,
                          deja_error *err)
{
    const uint64_t before = out->size;
    deja_code code = deja__codec_save(form->codec, value, out, err);
    if (code == DEJA_OK && !form->is_strict) {
        code = deja_value_validate(form->layout, out->bytes + before, out->size - before, err);
        if (code != DEJA_OK)
            out->size = before;
    }
    return code == DEJA_OK ? DEJA_OK : blame_rules(err, code);
}

deja_code deja__form_load(const deja__form *form, void *value, deja_span bytes, deja_error *err)
{
    if (!form->is_planned) {
        const deja_code code = deja_value_validate(form->layout, bytes.bytes, bytes.size, err);
        if (code != DEJA_OK)
            return code;
    }
    return deja__codec_load(form->codec, value, bytes.bytes, bytes.size, err);
}

/* ---- what is emitted ---- */

static deja_code check_emitted(const deja__emitter *e, const void *value, deja_error *err)
{
    if (!e->is_open)
        return deja__fail(err, DEJA_ERULES, "emitted to an out of a call that is over");
    if (e->is_writing)
        return deja__fail(err, DEJA_ERULES, "emitted by the description of what is emitted");
    if (!value)
        return deja__fail(err, DEJA_ERULES, "emitted NULL");
    if (e->count == EMITTED_MAX || e->saved.size > DEJA__VALUE_SIZE_MAX)
        return deja__fail(err, DEJA_ERULES, "more than can be meant, at %llu bytes",
                          (unsigned long long)e->saved.size);
    return DEJA_OK;
}

/* Room for one more end. */
static deja_code grow_ends(deja__emitter *e, deja_error *err)
{
    const uint32_t capacity = e->capacity ? e->capacity * 2 : 64;
    uint32_t *ends = realloc(e->ends, capacity * sizeof *ends);
    if (!ends)
        return deja__fail_memory(err);
    e->ends = ends;
    e->capacity = capacity;
    return DEJA_OK;
}

/* A value whose bytes are all there is to do, straight to its place. */
static bool emit_inline(deja__emitter *e, const void *value)
{
    deja_buffer *saved = &e->saved;
    if (!e->is_simple || !e->is_open || e->is_writing || !value || e->count == e->capacity ||
        saved->capacity - saved->size <= DEJA__WINDOW_SIZE || saved->size > DEJA__VALUE_SIZE_MAX)
        return false;
    unsigned char *at = saved->bytes + saved->size;
    deja__codec *codec = e->form->codec;
    e->is_writing = true;
    unsigned char *end =
        deja__codec_attempt(codec, value, at, at + DEJA__WINDOW_SIZE, &codec->attempts_failed);
    e->is_writing = false;
    if (!end)
        return false;
    saved->size += (uint64_t)(end - at);
    e->ends[e->count++] = (uint32_t)(saved->size - DEJA__EMITTER_PREFIX);
    return true;
}

static void emit(deja_out *out, const void *value)
{
    deja__emitter *e = (deja__emitter *)(void *)out;
    deja_error *err = &e->error;
    if (e->code != DEJA_OK || DEJA__LIKELY(emit_inline(e, value)))
        return;
    deja_code code = check_emitted(e, value, err);
    if (code == DEJA_OK && e->count == e->capacity)
        code = grow_ends(e, err);
    e->is_writing = code == DEJA_OK;
    if (code == DEJA_OK)
        code = deja__form_save(e->form, value, &e->saved, err);
    if (code == DEJA_OK && e->has_hashed)
        code = deja__codec_save_hashed(e->form->codec, value, &e->hashed, err);
    e->is_writing = false;
    if (e->code != DEJA_OK) /* it was told already, from within */
        return;
    if (DEJA__LIKELY(code == DEJA_OK)) {
        e->ends[e->count++] = (uint32_t)(e->saved.size - DEJA__EMITTER_PREFIX);
        return;
    }
    e->code = code;
    deja__fail_within(err, code, "%s %u", e->what, e->count + 1);
}

/* What is in the slot goes to where all else is. */
static void leave_slot(deja__emitter *e)
{
    const uint64_t size = (uint64_t)(e->slot.at - e->slot.bytes) - DEJA__EMITTER_PREFIX;
    e->saved.size = DEJA__EMITTER_PREFIX;
    deja_buffer_add(&e->saved, e->slot.bytes + DEJA__EMITTER_PREFIX, size);
    e->slot.bytes = NULL;
    e->out.emit = emit;
}

/* While there is a slot. */
static void emit_to_slot(deja_out *out, const void *value)
{
    deja__emitter *e = (deja__emitter *)(void *)out;
    deja__slot *slot = &e->slot;
    if (e->is_open && !e->is_writing && value && e->count < DEJA__SLOT_EVENTS) {
        e->is_writing = true;
        unsigned char *end = deja__codec_attempt(e->form->codec, value, slot->at,
                                                 slot->bytes + slot->size, &e->slots_failed);
        e->is_writing = false;
        if (DEJA__LIKELY(end != NULL && slot->bytes)) {
            slot->at = end;
            e->ends[e->count++] = (uint32_t)(end - slot->bytes) - DEJA__EMITTER_PREFIX;
            return;
        }
    }
    if (slot->bytes)
        leave_slot(e);
    emit(out, value);
}

bool deja__emitter_open_slot(deja__emitter *e, unsigned char *bytes, uint32_t size)
{
    if (!e->is_simple || e->slots_failed == DEJA__ATTEMPTS_MAX || e->code != DEJA_OK)
        return false;
    e->slot = (deja__slot){ bytes, bytes + DEJA__EMITTER_PREFIX, size };
    e->count = 0;
    e->is_open = true;
    e->out.emit = emit_to_slot;
    return true;
}

static void touch(deja_out *out, const void *pointer, uint64_t size)
{
    (void)out;
    (void)pointer;
    (void)size;
}

deja_code deja__emitter_init(deja__emitter *e, const deja__form *form, const char *what,
                             bool is_hashed, deja_error *err)
{
    e->out = (deja_out){ emit, touch };
    e->form = form;
    e->what = what;
    e->has_hashed = is_hashed && !form->layout->root->plain;
    e->is_simple = form->is_strict && !e->has_hashed;
    if (!deja_buffer_extend(&e->saved, DEJA__EMITTER_PREFIX) ||
        !deja_buffer_reserve(&e->saved, 2 * (uint64_t)DEJA__WINDOW_SIZE) ||
        !deja_buffer_extend(&e->hashed, DEJA__EMITTER_PREFIX))
        return deja__fail_memory(err);
    return grow_ends(e, err);
}

void deja__emitter_release(deja__emitter *e)
{
    deja_buffer_release(&e->saved);
    deja_buffer_release(&e->hashed);
    free(e->ends);
}

void deja__emitter_leave(deja__emitter *e)
{
    e->slot.bytes = NULL;
    e->out.emit = emit;
}

static void emitter_empty(deja__emitter *e)
{
    e->count = 0;
    e->saved.size = DEJA__EMITTER_PREFIX;
    e->hashed.size = DEJA__EMITTER_PREFIX;
}

void deja__emitter_clear(deja__emitter *e)
{
    emitter_empty(e);
    e->code = DEJA_OK;
    deja__emitter_leave(e);
    e->saved.failed = false;
    e->hashed.failed = false;
}

deja_code deja__emitter_fail(deja__emitter *e, deja_error *err)
{
    const deja_code code = e->code;
    if (err)
        *err = e->error;
    deja__emitter_clear(e);
    return code;
}

deja_span deja__emitter_bytes(const deja__emitter *e)
{
    return (deja_span){ e->saved.bytes + DEJA__EMITTER_PREFIX,
                        e->saved.size - DEJA__EMITTER_PREFIX };
}
