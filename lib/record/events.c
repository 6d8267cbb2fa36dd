/* SPDX-License-Identifier: MIT */
/*
 * See events.h.
 */
#include "record/events.h"

#include "fields/layout.h"

enum { PREFIX_SIZE = 4 };

/* The bytes of one step's events; more is a rule that never ends. */
#define SIZE_MAX_BYTES ((uint64_t)1 << 28)

static deja_code take(deja__events *events, const void *value)
{
    deja_error *err = &events->failure;
    if (!events->is_open)
        return deja__fail(err, DEJA_ERULES, "an event was emitted outside of a step");
    if (!value)
        return deja__fail(err, DEJA_ERULES, "NULL was emitted for an event");
    if (events->saved.size > SIZE_MAX_BYTES)
        return deja__fail(err, DEJA_ERULES, "the events of one step have more than %llu bytes",
                          (unsigned long long)SIZE_MAX_BYTES);
    events->count++;
    deja_code code = deja__form_save(events->form, value, &events->saved, err);
    if (code == DEJA_OK && !events->is_plain)
        code = deja__codec_save_hashed(events->form->codec, value, &events->hashed, err);
    return code < 0 ? deja__fail_within(err, code, "event %u", events->count) : DEJA_OK;
}

static void emit(deja_out *out, const void *value)
{
    deja__events *events = (deja__events *)(void *)out;
    if (events->code == DEJA_OK)
        events->code = take(events, value);
    deja_emit(events->game, value);
}

static void touch(deja_out *out, const void *pointer, uint64_t size)
{
    const deja__events *events = (const deja__events *)(const void *)out;
    deja_touch(events->game, pointer, size);
}

deja_code deja__events_init(deja__events *events, const deja__form *form, deja_error *err)
{
    memset(events, 0, sizeof *events);
    events->out.emit = emit;
    events->out.touch = touch;
    events->form = form;
    events->is_plain = form->layout->root->plain;
    events->none = deja__event_hash_none();
    deja_buffer_extend(&events->saved, PREFIX_SIZE);
    deja_buffer_extend(&events->hashed, PREFIX_SIZE);
    return events->saved.failed || events->hashed.failed ? deja__fail_memory(err) : DEJA_OK;
}

void deja__events_release(deja__events *events)
{
    deja_buffer_release(&events->saved);
    deja_buffer_release(&events->hashed);
    memset(events, 0, sizeof *events);
}

void deja__events_start(deja__events *events, deja_out *game)
{
    events->game = game;
    events->count = 0;
    events->saved.size = PREFIX_SIZE;
    events->hashed.size = PREFIX_SIZE;
    events->is_open = true;
}

deja_code deja__events_hash(deja__events *events, uint64_t *hash, deja_error *err)
{
    events->is_open = false;
    events->game = NULL;
    if (events->code < 0) {
        if (err)
            *err = events->failure;
        return events->code;
    }
    deja_buffer *bytes = events->is_plain ? &events->saved : &events->hashed;
    deja__store32(bytes->bytes, events->count);
    *hash = events->count ? deja__hash64(bytes->bytes, bytes->size) : events->none;
    return DEJA_OK;
}
