/* SPDX-License-Identifier: MIT */
/*
 * deja show: one session, its facts and its steps.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "find_rules.h"
#include "json.h"
#include "output.h"
#include "sessions.h"
#include "show.h"

/* ---- which steps ---- */

/* Whole numbers from the command line; whether the session has them is seen later. */
static int read_range(showing *what)
{
    const args *given = what->given;
    const char *text = args_value(given, OPTION_STEPS);
    what->from = 0;
    what->to = UINT64_MAX;
    if (args_has(given, OPTION_STEP)) {
        if (text)
            return complain(STATUS_USAGE, "show: --step and --steps exclude each other");
        const int status = args_number(given, OPTION_STEP, 0, UINT64_MAX - 1, &what->from);
        what->to = what->from;
        return status;
    }
    if (text) {
        const char *dots = strstr(text, "..");
        if (!dots || !number_read(text, dots, &what->from) ||
            !number_read(dots + 2, text + strlen(text), &what->to) || what->from > what->to)
            return complain(STATUS_USAGE, "show: --steps: '%s' is no range, as 3..8",
                            text_typed(text));
    }
    return STATUS_OK;
}

static int check_range(showing *what)
{
    const uint64_t steps = deja_reader_session(what->reader)->steps;
    const bool ranged = args_has(what->given, OPTION_STEP) || args_has(what->given, OPTION_STEPS);
    if (!ranged)
        what->to = steps;
    if (what->to > steps)
        return complain(
            STATUS_USAGE, "%s: no step %" PRIu64 "; the session has steps 0 to %" PRIu64,
            what->given->operands[0], what->from > steps ? what->from : what->to, steps);
    return STATUS_OK;
}

/* ---- marks and sections ---- */

typedef struct gathering {
    const showing *what;
    note_list *list;
    bool failed;
} gathering;

static bool gather(gathering *state, uint64_t step, const char *text, uint64_t hash)
{
    note_list *list = state->list;
    if (step < state->what->from || step > state->what->to)
        return true;
    if (list->count == list->capacity) {
        const uint64_t capacity = list->capacity ? list->capacity * 2 : 64;
        step_note *larger = realloc(list->notes, capacity * sizeof *list->notes);
        state->failed = !larger;
        if (!larger)
            return false;
        list->notes = larger;
        list->capacity = capacity;
    }
    list->notes[list->count].step = step;
    list->notes[list->count].hash = hash;
    list->notes[list->count].text = strdup(text);
    state->failed = !list->notes[list->count].text;
    list->count += !state->failed;
    return !state->failed;
}

static bool gather_mark(void *user, uint64_t step, const char *text)
{
    return gather(user, step, text, 0);
}

static bool gather_section(void *user, uint64_t step, const char *name, uint64_t hash)
{
    return gather(user, step, name, hash);
}

static int gather_notes(showing *what)
{
    gathering marks = { what, &what->marks, false };
    gathering sections = { what, &what->sections, false };
    deja_error err;
    if (deja_reader_marks(what->reader, gather_mark, &marks, &err) < 0 ||
        deja_reader_sections(what->reader, gather_section, &sections, &err) < 0)
        return complain_of(NULL, &err);
    return marks.failed || sections.failed ? complain_memory() : STATUS_OK;
}

/* How many of a list's next notes are at this step. */
static uint64_t count_notes(const note_list *list, uint64_t step)
{
    uint64_t count = 0;
    while (list->next + count < list->count && list->notes[list->next + count].step == step)
        count++;
    return count;
}

static void show_notes_json(const showing *what, uint64_t marks, uint64_t sections)
{
    if (marks != 0) {
        json_open("marks", '[');
        for (uint64_t i = 0; i < marks; i++)
            json_text(NULL, what->marks.notes[what->marks.next + i].text);
        json_close(']');
    }
    if (sections != 0) {
        json_open("sections", '[');
        for (uint64_t i = 0; i < sections; i++) {
            json_open(NULL, '{');
            json_text("name", what->sections.notes[what->sections.next + i].text);
            json_hex("hash", what->sections.notes[what->sections.next + i].hash, 16);
            json_close('}');
        }
        json_close(']');
    }
}

void show_notes(showing *what, uint64_t step)
{
    const uint64_t marks = count_notes(&what->marks, step);
    const uint64_t sections = count_notes(&what->sections, step);
    if (output_is_json()) {
        show_notes_json(what, marks, sections);
    } else {
        for (uint64_t i = 0; i < marks; i++)
            out_line("    mark     %s", what->marks.notes[what->marks.next + i].text);
        for (uint64_t i = 0; i < sections; i++)
            out_line("    section  %s %016" PRIx64,
                     what->sections.notes[what->sections.next + i].text,
                     what->sections.notes[what->sections.next + i].hash);
    }
    what->marks.next += marks;
    what->sections.next += sections;
}

static void release_notes(note_list *list)
{
    for (uint64_t i = 0; i < list->count; i++)
        free(list->notes[i].text);
    free(list->notes);
}

int show_unreadable(const showing *what, uint64_t step, const deja_error *err)
{
    return complain(STATUS_TROUBLE, "%s: step %" PRIu64 ": %s", what->given->operands[0], step,
                    err->message);
}

/* ---- the facts ---- */

static void tell_recording(const deja_recording *recording)
{
    if (is_scenario(recording)) {
        out_line("build      - (a scenario: nothing was recorded)");
        return;
    }
    out_line("build      %s %s", hex_text(recording->build, ID_DIGITS),
             *recording->compiler ? recording->compiler : "-");
    out_line("platform   %s", recording->platform);
    out_line("trail      %" PRIu32 " bits, every %s%s", recording->trail_bits,
             recording->trail_every == 1 ? "step" : text_count(recording->trail_every),
             recording->trail_every == 1 ? "" : " steps");
    out_line("chain      %016" PRIx64 ", events %016" PRIx64, recording->chain,
             recording->event_chain);
}

static int tell_facts(const showing *what)
{
    const deja_session *session = deja_reader_session(what->reader);
    const deja_recording *recording = deja_reader_recording(what->reader);
    const uint32_t count = deja_reader_recording_count(what->reader);
    layout_cache config = { 0 };
    deja_buffer text = { 0 };
    deja_error err;
    int status = STATUS_OK;
    if (output_is_json()) {
        status = session_json(session, recording, count, &config);
        layout_release(&config);
        return status;
    }
    status = layout_use(&config, session->config_layout);
    if (status == STATUS_OK && !value_text(&config, session->config, &text, &err))
        status = show_unreadable(what, 0, &err);
    if (status == STATUS_OK) {
        out_line("session    %s", hex_text(session->id.bytes, ID_DIGITS));
        out_line("game       %s %s", session->game, recording->version);
        out_line("config     %s", (const char *)text.bytes);
        out_line("seed       %" PRIu64, session->seed);
        if (*session->content)
            out_line("content    %s", session->content);
        if (*session->start_layout)
            out_line("start      from a saved state");
        out_line("steps      %s", text_count(session->steps));
        out_line("ended      %s", ended_text(recording));
        out_line("made       %s", *recording->made ? recording->made : "-");
        out_line("recorded   %s", time_text(recording->recorded_at));
        tell_recording(recording);
        out_line("recordings %" PRIu32, count);
        out_end();
    }
    layout_release(&config);
    deja_buffer_release(&text);
    return status;
}

/* ---- the command ---- */

static int show(showing *what)
{
    const args *given = what->given;
    int status = check_range(what);
    const bool ranged = args_has(given, OPTION_STEP) || args_has(given, OPTION_STEPS);
    if (status == STATUS_OK)
        status = gather_notes(what);
    if (status == STATUS_OK && (output_is_json() || !ranged))
        status = tell_facts(what);
    if (status != STATUS_OK)
        return status;

    if (args_has(given, OPTION_RULES)) {
        content_note_session(&what->content, deja_reader_session(what->reader)->content);
        content_tell_unused(&what->content, given);
        char *rules = find_rules(args_value(given, OPTION_RULES), &status);
        if (rules)
            status = show_played(what, rules);
        free(rules);
    } else {
        status = show_stored(what);
    }
    if (status == STATUS_OK && output_is_json()) {
        json_begin("summary");
        json_number("steps", what->shown);
        json_end();
    }
    return status;
}

static int open_and_show(showing *what)
{
    uint64_t recording = 0;
    deja_error err;
    const args *given = what->given;
    int status = args_number(given, OPTION_RECORDING, 1, UINT32_MAX, &recording);
    if (status == STATUS_OK && recording != 0 && args_has(given, OPTION_RULES))
        status = complain(STATUS_USAGE, "show: --recording means nothing with --rules, which play "
                                        "the session anew");
    if (status == STATUS_OK && args_has(given, OPTION_CONTENT) && !args_has(given, OPTION_RULES))
        status =
            complain(STATUS_USAGE, "show: --content means nothing without --rules, which read it");
    if (status == STATUS_OK)
        status = read_range(what);
    if (status == STATUS_OK)
        status = content_read(&what->content, given);
    if (status == STATUS_OK)
        status = store_open(&what->store, given, DEJA_STORE_READ);
    if (status == STATUS_OK)
        status = store_find(what->store, given->operands[0], &what->key);
    if (status != STATUS_OK)
        return status;
    if (deja_reader_open(&what->reader, what->store, what->key,
                         (uint32_t)(recording ? recording - 1 : 0), &err) < 0)
        return complain_of(NULL, &err);
    return show(what);
}

static int run(const args *given)
{
    showing what;
    memset(&what, 0, sizeof what);
    what.given = given;
    const int status = open_and_show(&what);
    deja_reader_close(what.reader);
    release_notes(&what.marks);
    release_notes(&what.sections);
    content_release(&what.content);
    return store_close(what.store, status);
}

static const option_row options[] = {
    { OPTION_STEP, 0, "step", "N", "only this step; 0 is the start", false },
    { OPTION_STEPS, 0, "steps", "A..B", "only steps A to B", false },
    { OPTION_RULES, 'r', "rules", "RULES", "play it with these rules: states, events, boards",
      false },
    ROW_CONTENT,
    { OPTION_RECORDING, 0, "recording", "K", "recording K, 1 being the newest", false },
    ROW_STORE,
    ROW_JSON,
    ROW_HELP,
    ROW_END,
};

const command_row command_show = {
    .name = "show",
    .operands = "SESSION",
    .operands_least = 1,
    .operands_most = 1,
    .summary = "show a session's steps, as stored or as rules play them",
    .options = options,
    .run = run,
};
