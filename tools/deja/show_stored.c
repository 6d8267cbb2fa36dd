/* SPDX-License-Identifier: MIT */
/*
 * A session's steps from the store alone: no game is needed, and none is run. The hashes are those
 * that were recorded, cut as they are stored; a step that was not hashed has none.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "output.h"
#include "sessions.h"
#include "show.h"

typedef struct table {
    showing *what;
    const deja_session *session;
    const deja_recording *recording;
    layout_cache commands;
    deja_buffer text;
    deja_buffer json;
    int step_width;
    int hash_digits;
    int result_width;
} table;

/* One step. All NULL where there is none. */
typedef struct row {
    uint64_t step;
    const deja_span *command;
    const char *result;
    const uint64_t *hash;
} row;

static int longest_result(const char *refusals)
{
    int longest = (int)strlen("result");
    while (*refusals) {
        const int size = (int)strcspn(refusals, " ");
        longest = size > longest ? size : longest;
        refusals += size;
        refusals += *refusals == ' ';
    }
    return longest;
}

static void tell_json(table *state, const row *one)
{
    json_begin("step");
    json_number("step", one->step);
    if (one->command) {
        json_value("command", state->json.bytes, state->json.size);
        json_text("text", (const char *)state->text.bytes);
        json_text("result", one->result);
    }
    if (one->hash)
        json_hex("hash", *one->hash, (uint32_t)state->hash_digits);
    else
        json_null("hash");
    show_notes(state->what, one->step);
    json_end();
}

static void tell_line(table *state, const row *one)
{
    char hash[32] = "-";
    if (one->hash)
        snprintf(hash, sizeof hash, "%0*" PRIx64, state->hash_digits, *one->hash);
    if (one->command)
        out_line("%*" PRIu64 "  %-*s  %-*s  %s", state->step_width, one->step, state->hash_digits,
                 hash, state->result_width, one->result ? one->result : "-",
                 (const char *)state->text.bytes);
    else
        out_line("%*" PRIu64 "  %s", state->step_width, one->step, hash);
    show_notes(state->what, one->step);
}

static int tell_row(table *state, const row *one)
{
    deja_error err;
    if (one->step < state->what->from || one->step > state->what->to)
        return STATUS_OK;
    bool sound = !one->command || value_text(&state->commands, *one->command, &state->text, &err);
    if (sound && one->command && output_is_json())
        sound = value_json(&state->commands, *one->command, &state->json, &err);
    if (!sound)
        return show_unreadable(state->what, one->step, &err);
    state->what->shown++;
    if (output_is_json())
        tell_json(state, one);
    else
        tell_line(state, one);
    return STATUS_OK;
}

/* The steps of one block. */
static int tell_steps(table *state, const deja_steps *steps)
{
    const deja_recording *recording = state->recording;
    uint32_t start = 0;
    uint32_t hashed = 0;
    int status = STATUS_OK;
    for (uint32_t i = 0; i < steps->count && status == STATUS_OK && output_is_wanted(); i++) {
        const uint64_t step = steps->first + i;
        /* The command that crashed has no result; of a scenario none has. */
        const bool bare = is_scenario(recording) ||
                          (recording->ended == DEJA_ENDED_CRASHED && step == state->session->steps);
        const deja_span command = { steps->commands + start, steps->command_ends[i] - start };
        row one = { step, &command, NULL, NULL };
        if (!bare)
            one.result = result_text(recording->refusals, steps->results[i]);
        if (!bare && step % recording->trail_every == 0 && hashed < steps->trail_count)
            one.hash = &steps->trail[hashed++];
        status = tell_row(state, &one);
        start = steps->command_ends[i];
    }
    return status;
}

static int tell_all(table *state)
{
    showing *what = state->what;
    const uint64_t start_hash = deja_reader_start_hash(what->reader);
    const row first = { 0, NULL, NULL, is_scenario(state->recording) ? NULL : &start_hash };
    deja_steps steps;
    deja_error err;
    if (!output_is_json())
        out_line("%*s  %-*s  %-*s  %s", state->step_width, "step", state->hash_digits, "hash",
                 state->result_width, "result", "command");
    int status = tell_row(state, &first);
    for (uint64_t done = 0; status == STATUS_OK && done < what->to && output_is_wanted();) {
        if (deja_reader_next(what->reader, &steps, &err) < 0)
            return complain_of(NULL, &err);
        if (steps.count == 0)
            break;
        done = steps.first + steps.count - 1;
        if (done >= what->from)
            status = tell_steps(state, &steps);
    }
    return status;
}

int show_stored(showing *what)
{
    char number[32];
    table state = { .what = what,
                    .session = deja_reader_session(what->reader),
                    .recording = deja_reader_recording(what->reader) };
    const int width =
        snprintf(number, sizeof number, "%llu", (unsigned long long)state.session->steps);
    state.step_width = width > 4 ? width : 4;
    state.hash_digits = is_scenario(state.recording) ? 4 : (int)state.recording->trail_bits / 4;
    state.result_width = longest_result(state.recording->refusals);
    int status = layout_use(&state.commands, state.session->command_layout);
    if (status == STATUS_OK)
        status = tell_all(&state);
    layout_release(&state.commands);
    deja_buffer_release(&state.text);
    deja_buffer_release(&state.json);
    return status;
}
