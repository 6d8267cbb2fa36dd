/* SPDX-License-Identifier: MIT */
/*
 * A game as it was played: what each step was asked and what came of it, one behind another.
 */
#include "check/check.h"

void deja__track_clear(deja__track *track)
{
    deja_buffer_clear(&track->steps);
    deja_buffer_clear(&track->commands);
    deja_buffer_clear(&track->events);
    deja_buffer_clear(&track->states);
    track->last = 0;
    track->is_whole = false;
}

void deja__track_release(deja__track *track)
{
    deja_buffer_release(&track->steps);
    deja_buffer_release(&track->commands);
    deja_buffer_release(&track->events);
    deja_buffer_release(&track->states);
}

bool deja__track_add(deja__track *track, uint32_t event_count, uint32_t result, uint32_t outcome)
{
    const deja__track_step step = { track->commands.size,
                                    track->events.size,
                                    track->states.size,
                                    event_count,
                                    result,
                                    outcome,
                                    0 };
    track->last = track->steps.size / sizeof step;
    deja_buffer_add(&track->steps, &step, sizeof step);
    return !track->steps.failed && !track->commands.failed && !track->events.failed &&
           !track->states.failed;
}

deja__track_step deja__track_at(const deja__track *track, uint64_t step)
{
    deja__track_step at;
    memcpy(&at, track->steps.bytes + step * sizeof at, sizeof at);
    return at;
}

/* What a step has of a buffer: from where the one before ended. */
static deja_span part(const deja_buffer *of, uint64_t start, uint64_t end)
{
    return (deja_span){ of->bytes + start, end - start };
}

deja_span deja__track_state(const deja__track *track, uint64_t step)
{
    const uint64_t start = step ? deja__track_at(track, step - 1).state_end : 0;
    return part(&track->states, start, deja__track_at(track, step).state_end);
}

deja_span deja__track_command(const deja__track *track, uint64_t step)
{
    return part(&track->commands, deja__track_at(track, step - 1).command_end,
                deja__track_at(track, step).command_end);
}

deja_span deja__track_events(const deja__track *track, uint64_t step)
{
    const uint64_t start = step ? deja__track_at(track, step - 1).events_end : 0;
    return part(&track->events, start, deja__track_at(track, step).events_end);
}
