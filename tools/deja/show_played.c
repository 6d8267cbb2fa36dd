/* SPDX-License-Identifier: MIT */
/*
 * A session's steps as a build plays them: the build runs in a worker, which tells of the state and
 * the events after each command, and draws the board.
 */
#include <deja/plugin.h>
#include <deja/replay.h>
#include <inttypes.h>
#include <string.h>

#include "find_rules.h"
#include "interrupt.h"
#include "json.h"
#include "output.h"
#include "own_folder.h"
#include "sessions.h"
#include "show.h"

typedef struct play {
    showing *what;
    deja_rules_info info;
    layout_cache layouts[4]; /* enum deja_type_index */
    deja_buffer text;
    int status;
} play;

/* What the rules made is none of what they say that they make. */
static int fail_step(const play *state, uint64_t step, const deja_error *err)
{
    return complain(STATUS_BROKEN, "%s: step %" PRIu64 ": the rules broke their contract: %s",
                    state->what->given->operands[0], step, err->message);
}

/* The value as text, or NULL after having complained. */
static const char *text_of(play *state, uint32_t type, deja_span value, uint64_t step)
{
    deja_error err;
    if (value_text(&state->layouts[type], value, &state->text, &err))
        return (const char *)state->text.bytes;
    state->status = fail_step(state, step, &err);
    return NULL;
}

static deja_span event_at(const deja_trace_step *step, uint32_t place)
{
    const uint32_t start = place == 0 ? 0 : step->event_ends[place - 1];
    const deja_span event = { (const unsigned char *)step->events.bytes + start,
                              step->event_ends[place] - start };
    return event;
}

/* ---- for people ---- */

static void tell_lines(play *state, const deja_trace_step *step)
{
    const char *text = NULL;
    if (step->step != 0) {
        text = text_of(state, DEJA_COMMAND, step->command, step->step);
        if (!text)
            return;
        out_line("step %" PRIu64 ": %s -> %s  %016" PRIx64, step->step, text,
                 result_text(state->info.refusals, step->result), step->hash);
    } else {
        out_line("step 0: the start  %016" PRIx64, step->hash);
    }
    for (uint32_t i = 0; i < step->event_count; i++) {
        text = text_of(state, DEJA_EVENT, event_at(step, i), step->step);
        if (!text)
            return;
        out_line("    event    %s", text);
    }
    text = text_of(state, DEJA_STATE, step->state, step->step);
    if (!text)
        return;
    out_line("    state    %s", text);
    if (step->drawing)
        out_block("    | ", step->drawing);
    show_notes(state->what, step->step);
}

/* ---- for programs ---- */

/* Puts all of a step's values together before the line begins: what is wrong with one of them is
 * told on a line of its own. */
static bool gather_json(play *state, const deja_trace_step *step, deja_buffer values[3])
{
    deja_error err;
    deja_buffer one = { 0 };
    bool sound = step->step == 0 || value_json(&state->layouts[DEJA_COMMAND], step->command,
                                               &values[DEJA_COMMAND], &err);
    sound =
        sound && value_json(&state->layouts[DEJA_STATE], step->state, &values[DEJA_STATE], &err);
    for (uint32_t i = 0; sound && i < step->event_count; i++) {
        sound = value_json(&state->layouts[DEJA_EVENT], event_at(step, i), &one, &err);
        deja_buffer_text(&values[DEJA_EVENT], i == 0 ? "" : ",");
        deja_buffer_add(&values[DEJA_EVENT], one.bytes, one.size);
    }
    deja_buffer_release(&one);
    if (!sound)
        state->status = fail_step(state, step->step, &err);
    return sound;
}

static void tell_json(play *state, const deja_trace_step *step)
{
    deja_buffer values[3] = { { 0 }, { 0 }, { 0 } };
    const char *text = NULL;
    bool sound = gather_json(state, step, values);
    if (sound && step->step != 0) {
        text = text_of(state, DEJA_COMMAND, step->command, step->step);
        sound = text != NULL;
    }
    if (sound) {
        json_begin("step");
        json_number("step", step->step);
        if (step->step != 0) {
            json_value("command", values[DEJA_COMMAND].bytes, values[DEJA_COMMAND].size);
            json_text("text", text);
            json_text("result", result_text(state->info.refusals, step->result));
            json_open("events", '[');
            if (step->event_count != 0)
                json_value(NULL, values[DEJA_EVENT].bytes, values[DEJA_EVENT].size);
            json_close(']');
        }
        json_value("state", values[DEJA_STATE].bytes, values[DEJA_STATE].size);
        json_hex("hash", step->hash, 16);
        show_notes(state->what, step->step);
        json_end();
    }
    for (uint32_t i = 0; i < 3; i++)
        deja_buffer_release(&values[i]);
}

/* ---- both ---- */

static bool take_step(void *user, const deja_trace_step *step)
{
    play *state = user;
    state->what->shown++;
    if (output_is_json())
        tell_json(state, step);
    else
        tell_lines(state, step);
    return state->status == STATUS_OK && output_is_wanted();
}

static int trace(play *state, const char *rules)
{
    deja_trace_options options = DEJA_TRACE_OPTIONS_INIT;
    options.worker = worker_program();
    deja_error err;
    options.draw = !output_is_json();
    options.from = state->what->from;
    options.to = state->what->to;
    options.step = take_step;
    options.user = state;
    options.content = &state->what->content.content;
    interrupt_ends_at_once(true);
    const deja_code code = deja_trace(state->what->store, state->what->key, rules, &options, &err);
    interrupt_ends_at_once(false);
    if (code < 0 && state->status == STATUS_OK) {
        const deja_session *session = deja_reader_session(state->what->reader);
        const char *id = hex_text(session->id.bytes, ID_SHORT);
        if (err.step == DEJA_STEP_NONE)
            state->status = complain(status_of(err.code), "%s: %s: %s", rules, id, err.message);
        else
            state->status = complain(status_of(err.code), "%s: %s: step %" PRIu64 ": %s", rules, id,
                                     err.step, err.message);
    }
    return state->status;
}

int show_played(showing *what, const char *rules)
{
    play state = { .what = what };
    int status = inspect_rules(&state.info, rules);
    if (status != STATUS_OK)
        return status;
    for (uint32_t i = 0; i < 4 && status == STATUS_OK; i++)
        status = layout_use(&state.layouts[i], state.info.layouts[i]);
    if (status == STATUS_OK)
        status = trace(&state, rules);
    for (uint32_t i = 0; i < 4; i++)
        layout_release(&state.layouts[i]);
    deja_buffer_release(&state.text);
    deja_rules_info_release(&state.info);
    return status;
}
