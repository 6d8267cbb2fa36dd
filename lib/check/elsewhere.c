/* SPDX-License-Identifier: MIT */
/*
 * The first way of a game, for another process, and held against that of another one. As bytes,
 * little-endian:
 *
 *     u64 size of all that follows, then for each step from 0
 *     u32 result   u32 events   u32 size, command   u32 size, events' bytes   u32 size, state
 */
#include "check/check.h"

/* ---- telling ---- */

static void put(deja_buffer *out, const void *bytes, uint64_t size)
{
    unsigned char head[4];
    deja__store32(head, (uint32_t)size);
    deja_buffer_add(out, head, sizeof head);
    deja_buffer_add(out, bytes, size);
}

static void put_step(const deja__track *track, uint64_t step, deja_buffer *out)
{
    const deja__track_step at = deja__track_at(track, step);
    const deja_span none = { NULL, 0 };
    const deja_span command = step ? deja__track_command(track, step) : none;
    const deja_span events = deja__track_events(track, step);
    const deja_span state = deja__track_state(track, step);
    unsigned char head[8];
    deja__store32(head, at.result);
    deja__store32(head + 4, at.event_count);
    deja_buffer_add(out, head, sizeof head);
    put(out, command.bytes, command.size);
    put(out, events.bytes, events.size);
    put(out, state.bytes, state.size);
}

static deja_code tell_way(deja__check *c, deja_error *err)
{
    const uint64_t count = c->track.steps.size / sizeof(deja__track_step);
    deja_buffer way = { 0 };
    unsigned char *head = deja_buffer_extend(&way, 8);
    for (uint64_t step = 0; head && step < count; step++)
        put_step(&c->track, step, &way);
    if (way.failed) {
        deja_buffer_release(&way);
        return deja__fail_memory(err);
    }
    deja__store64(way.bytes, way.size - 8);
    if (!c->options.played(c->options.user, deja__span(&way)))
        c->stopped = true;
    deja_buffer_release(&way);
    return DEJA_OK;
}

/* ---- holding ---- */

/* What is left of bytes from elsewhere; they are read only as far as they go. */
static deja_span take(deja_span *from, uint64_t size)
{
    const deja_span taken = { from->bytes, size < from->size ? size : from->size };
    from->bytes = (const unsigned char *)from->bytes + taken.size;
    from->size -= taken.size;
    return taken;
}

static uint32_t take32(deja_span *from)
{
    const deja_span bytes = take(from, 4);
    return bytes.size == 4 ? deja__load32(bytes.bytes) : 0;
}

static deja_span take_sized(deja_span *from)
{
    const uint32_t size = take32(from);
    return take(from, size);
}

/* One step; *goes_on is false where what follows is not to be compared. */
static deja_code hold_step(deja__check *c, uint64_t step, deja_span *way, bool *goes_on,
                           deja_error *err)
{
    static const char why[] = "the same game, played in another process";
    const deja__track_step at = deja__track_at(&c->track, step);
    const uint32_t result = take32(way);
    const uint32_t event_count = take32(way);
    const deja_span command = take_sized(way);
    const deja_span events = take_sized(way);
    const deja_span state = take_sized(way);
    deja__sight sight = { .clause = DEJA_CLAUSE_SAME_AGAIN,
                          .step = step,
                          .saved = DEJA_STEP_NONE,
                          .is_by_chance = true };
    *goes_on = false;
    if (step) {
        sight.command = deja__track_command(&c->track, step);
        if (!deja__same(command, sight.command))
            return DEJA_OK;
    }
    deja__counts(c, sight.clause);
    if (result != at.result) {
        sight.path = "result";
        sight.expected = deja__answer(c, result);
        sight.actual = deja__answer(c, at.result);
        return deja__finding(c, &sight, err, "%s", why);
    }
    if (!deja__same(state, deja__track_state(&c->track, step)))
        return deja__finding_of(c, sight, DEJA_STATE, "", state, deja__track_state(&c->track, step),
                                why, err);
    if (event_count != at.event_count || !deja__same(events, deja__track_events(&c->track, step)))
        return deja__finding_in_row(c, sight, DEJA_EVENT, "events", events,
                                    deja__track_events(&c->track, step), why, err);
    *goes_on = true;
    return DEJA_OK;
}

static deja_code hold_way(deja__check *c, deja_error *err)
{
    const uint64_t count = c->track.steps.size / sizeof(deja__track_step);
    const deja_span head = take(&c->held, 8);
    deja_code code = DEJA_OK;
    bool goes_on = head.size == 8;
    deja_span way = take(&c->held, goes_on ? deja__load64(head.bytes) : 0);
    for (uint64_t step = 0; code == DEJA_OK && goes_on && way.size && step < count; step++)
        code = hold_step(c, step, &way, &goes_on, err);
    return code;
}

deja_code deja__hold_elsewhere(deja__check *c, deja_error *err)
{
    deja_code code = c->options.played ? tell_way(c, err) : DEJA_OK;
    if (code == DEJA_OK && c->options.held.size && !c->stopped)
        code = hold_way(c, err);
    return code;
}
