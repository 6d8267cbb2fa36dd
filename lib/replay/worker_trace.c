/* SPDX-License-Identifier: MIT */
/*
 * Steps that are sent whole: state, events, hash, and the board as the game draws it.
 */
#include "replay/worker.h"

/* A page that takes so much and drops the rest: a drawing without end must not eat the memory. */
typedef struct drawing {
    deja_page page; /* first: the game sees no more of it */
    deja_buffer *out;
    uint64_t room;
} drawing;

static void write_page(deja_page *page, const char *chars, uint64_t size)
{
    drawing *d = (drawing *)(void *)page;
    const uint64_t taken = size < d->room ? size : d->room;
    deja_buffer_add(d->out, chars, taken);
    d->room -= taken;
}

static uint32_t draw(deja__stage *stage)
{
    const deja_rules_table *table = deja_plugin_table(stage->plugin);
    if (!(stage->how.flags & DEJA__HEAD_DRAW) || !table->draw)
        return DEJA__NO_DRAWING;
    const uint64_t before = stage->scratch.size;
    drawing d = { { write_page }, &stage->scratch, DEJA__DRAWING_MAX };
    table->draw(deja__game_state(stage->game), &d.page);
    return (uint32_t)(stage->scratch.size - before);
}

deja_code deja__trace_send(deja__stage *stage, uint64_t step, uint32_t result, deja_error *err)
{
    deja_buffer *out = &stage->scratch;
    deja__step_frame frame = { .step = step, .result = result };
    deja_span events = { NULL, 0 };
    const uint32_t *ends = NULL;
    deja_buffer_clear(out);
    deja_code code = deja__game_hash(stage->game, &frame.hash, err);
    if (code == DEJA_OK)
        code = deja__game_save(stage->game, out, err);
    if (code != DEJA_OK)
        return code;
    frame.state_size = out->size;
    if (step > 0)
        frame.event_count = deja__game_events(stage->game, &events, &ends, err);
    frame.events_size = events.size;
    deja_buffer_add(out, events.bytes, events.size);
    deja_buffer_add(out, ends, frame.event_count * sizeof *ends);
    frame.drawing_size = draw(stage);
    if (out->failed)
        return deja__fail_memory(err);
    deja__wire_send(stage->socket, DEJA__FRAME_STEP, 0, (deja_span){ &frame, sizeof frame },
                    (deja_span){ out->bytes, out->size });
    return DEJA_OK;
}
