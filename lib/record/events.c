/* SPDX-License-Identifier: MIT */
/*
 * See events.h.
 */
#include "record/events.h"

static void emit(deja_out *out, const void *value)
{
    deja__events *events = (deja__events *)(void *)out;
    deja_emit(&events->emitter.out, value);
    deja_emit(events->game, value);
}

static void touch(deja_out *out, const void *pointer, uint64_t size)
{
    const deja__events *events = (const deja__events *)(const void *)out;
    deja_touch(events->game, pointer, size);
}

deja_code deja__events_init(deja__events *events, const deja__form *form, deja_error *err)
{
    events->out = (deja_out){ emit, touch };
    events->none = deja__event_hash_none();
    return deja__emitter_init(&events->emitter, form, "event", true, err);
}

void deja__events_release(deja__events *events)
{
    deja__emitter_release(&events->emitter);
}

void deja__events_clear(deja__events *events)
{
    deja__emitter_clear(&events->emitter);
}

void deja__events_start(deja__events *events, deja_out *game)
{
    events->game = game;
    deja__emitter_open(&events->emitter);
}

deja_code deja__events_end(deja__events *events, uint32_t *count, uint64_t *hash, deja_error *err)
{
    events->game = NULL;
    const deja_code code = deja__emitter_close(&events->emitter, err);
    *count = events->emitter.count;
    *hash = *count ? deja__emitter_hash(&events->emitter) : events->none;
    return code;
}
