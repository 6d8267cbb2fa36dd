/* SPDX-License-Identifier: MIT */
/*
 * Verdicts for people and for programs.
 *
 *     DIVERGED 5c3bd1a94e07 matchgame, step 12 of 59: take row=0 n=3
 *         expected  9f0c61d2 (the low 32 bits)
 *         actual    77aa01bc5d3e9f10
 *         side      expected 0, actual 1
 *         before    step 11  ok  0123456789abcdef  take row=1 n=1
 *         again     deja verify build/games/matchgame.so -n 5c3bd1a94e07
 *
 * The first line stands for itself: whoever searches a log for it has the finding. A change of the
 * rules often breaks every session at once, so only the first findings are told at length; the
 * others have one line each, and --json has everything of all.
 */
#include "verify_tell.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "output.h"
#include "sessions.h"

enum { DETAILED_MAX = 10 };

static int status_of_verdict(uint32_t kind)
{
    static const int statuses[DEJA_VERDICT_COUNT] = {
        [DEJA_MATCH] = STATUS_OK,         [DEJA_DIVERGED] = STATUS_FINDING,
        [DEJA_CRASHED] = STATUS_BROKEN,   [DEJA_HUNG] = STATUS_BROKEN,
        [DEJA_UNSTABLE] = STATUS_UNKNOWN, [DEJA_STALE] = STATUS_UNKNOWN,
        [DEJA_UNFIT] = STATUS_UNKNOWN,    [DEJA_DAMAGED] = STATUS_TROUBLE,
    };
    return kind < DEJA_VERDICT_COUNT ? statuses[kind] : STATUS_TROUBLE;
}

/* ---- for programs ---- */

static void tell_fields_json(const deja_verdict *verdict)
{
    json_open("fields", '[');
    for (uint32_t i = 0; i < verdict->field_count; i++) {
        json_open(NULL, '{');
        json_text("path", verdict->fields[i].path);
        json_text("expected", verdict->fields[i].expected);
        json_text("actual", verdict->fields[i].actual);
        json_close('}');
    }
    json_close(']');
    json_number("fields_left_out", verdict->fields_left_out);
}

static void tell_before_json(const deja_verdict *verdict)
{
    json_open("before", '[');
    for (uint32_t i = 0; i < verdict->before_count; i++) {
        const deja_verdict_step *step = &verdict->before[i];
        json_open(NULL, '{');
        json_number("step", step->step);
        json_text("command", step->command);
        json_text("result", step->result);
        if (step->hash != 0) /* that step was hashed */
            json_hex("hash", step->hash, 16);
        json_close('}');
    }
    json_close(']');
}

static void tell_finding_json(const deja_verdict *verdict)
{
    if (verdict->step == DEJA_STEP_NONE) {
        json_null("step");
    } else {
        json_number("step", verdict->step);
        if (verdict->step_last != DEJA_STEP_NONE && verdict->step_last > verdict->step)
            json_number("step_last", verdict->step_last);
    }
    json_text("command", verdict->command);
    json_text("expected", verdict->expected);
    json_text("actual", verdict->actual);
    tell_fields_json(verdict);
    json_text("why", verdict->why);
    tell_before_json(verdict);
    if (verdict->healed_step != DEJA_STEP_NONE)
        json_number("healed_step", verdict->healed_step);
    if (verdict->parted_count != 0)
        json_number("parted_count", verdict->parted_count);
}

static void tell_json(const deja_verdict *verdict)
{
    json_begin("session");
    json_text("id", hex_text(verdict->id.bytes, ID_DIGITS));
    json_text("game", verdict->game);
    json_number("steps", verdict->steps);
    json_text("result", deja_verdict_name(verdict->kind));
    json_number("compared", verdict->compared);
    json_text("rules", verdict->rules);
    json_bytes("build", verdict->build, sizeof verdict->build);
    if (verdict->kind != DEJA_MATCH)
        tell_finding_json(verdict);
    else if (verdict->why)
        json_text("why", verdict->why);
    json_open("remarks", '[');
    for (uint32_t i = 0; i < verdict->remark_count; i++)
        json_text(NULL, verdict->remarks[i]);
    json_close(']');
    json_end();
}

/* ---- for people ---- */

/* The one line that stands for the finding. */
static void tell_headline(const deja_verdict *verdict, bool alone)
{
    char word[32];
    const char *name = deja_verdict_name(verdict->kind);
    size_t size = 0;
    for (; name[size] && size + 1 < sizeof word; size++)
        word[size] = (char)toupper((unsigned char)name[size]);
    word[size] = '\0';

    out_coloured(COLOUR_BAD, word);
    out_print(" %s %s", hex_text(verdict->id.bytes, ID_SHORT), verdict->game);
    if (verdict->step != DEJA_STEP_NONE && verdict->step_last != DEJA_STEP_NONE &&
        verdict->step_last > verdict->step)
        out_print(", between steps %" PRIu64 " and %" PRIu64 " of %" PRIu64, verdict->step,
                  verdict->step_last, verdict->steps);
    else if (verdict->step != DEJA_STEP_NONE)
        out_print(", step %" PRIu64 " of %" PRIu64, verdict->step, verdict->steps);
    if (verdict->command)
        out_print(": %s", verdict->command);
    if (alone && verdict->expected && verdict->actual)
        out_print("; expected %s, actual %s", verdict->expected, verdict->actual);
    if (alone && verdict->why)
        out_print("; %s", verdict->why);
    out_end();
}

/* The bits of a hash that was recorded cut, where the actual one is whole: 0 where none is. */
static unsigned cut_bits(const deja_verdict *verdict)
{
    static const char digits[] = "0123456789abcdef";
    const char *expected = verdict->expected;
    const char *actual = verdict->actual;
    if (!expected || !actual || strlen(actual) != 16 || strspn(actual, digits) != 16)
        return 0;
    const size_t size = strlen(expected);
    return size < 16 && size % 2 == 0 && strspn(expected, digits) == size ? 4 * (unsigned)size : 0;
}

static void tell_part(const char *name, const char *text)
{
    if (text)
        out_line("    %-9s %s", name, text);
}

static void tell_fields(const deja_verdict *verdict)
{
    for (uint32_t i = 0; i < verdict->field_count; i++) {
        const deja_verdict_field *field = &verdict->fields[i];
        if (field->expected || field->actual)
            out_line("    %-9s expected %s, actual %s", field->path,
                     field->expected ? field->expected : "?", field->actual ? field->actual : "?");
        else
            out_line("    %-9s differs", field->path);
    }
    if (verdict->fields_left_out != 0)
        out_line("    %-9s %s more fields differ", "...", text_count(verdict->fields_left_out));
}

static void tell_before(const deja_verdict *verdict)
{
    for (uint32_t i = 0; i < verdict->before_count; i++) {
        const deja_verdict_step *step = &verdict->before[i];
        char hash[32] = "-";
        if (step->hash != 0) /* that step was hashed */
            snprintf(hash, sizeof hash, "%016" PRIx64, step->hash);
        out_line("    %-9s step %" PRIu64 "  %s  %s  %s", i == 0 ? "before" : "", step->step,
                 step->result ? step->result : "-", hash, step->command ? step->command : "");
    }
}

/* The command that shows this finding again. */
static void tell_again(const telling *state, const deja_verdict *verdict)
{
    deja_buffer line = { 0 };
    const char *baseline = args_value(state->given, OPTION_BASELINE);
    deja_buffer_text(&line, "deja verify ");
    text_quote(&line, verdict->rules);
    deja_buffer_text(&line, " -s ");
    text_quote(&line, state->store);
    deja_buffer_text(&line, " -n ");
    deja_buffer_text(&line, hex_text(verdict->id.bytes, ID_SHORT));
    if (baseline) {
        deja_buffer_text(&line, " --baseline ");
        text_quote(&line, baseline);
    }
    const char *content;
    for (uint32_t i = 0; (content = args_value_at(state->given, OPTION_CONTENT, i)) != NULL; i++) {
        deja_buffer_text(&line, " --content ");
        text_quote(&line, content);
    }
    if (args_has(state->given, OPTION_SAME_BUILD))
        deja_buffer_text(&line, " --same-build");
    tell_part("again", line.failed ? NULL : (const char *)line.bytes);
    deja_buffer_release(&line);
}

static void tell_at_length(const telling *state, const deja_verdict *verdict)
{
    char heals[96];
    tell_headline(verdict, false);
    if (cut_bits(verdict) != 0)
        out_line("    %-9s %s (the low %u bits)", "expected", verdict->expected, cut_bits(verdict));
    else
        tell_part("expected", verdict->expected);
    tell_part("actual", verdict->actual);
    tell_fields(verdict);
    tell_before(verdict);
    tell_part("why", verdict->why);
    if (verdict->healed_step != DEJA_STEP_NONE) {
        snprintf(heals, sizeof heals, "from step %" PRIu64 " on; %" PRIu64 " step%s",
                 verdict->healed_step, verdict->parted_count,
                 verdict->parted_count == 1 ? " differs" : "s differ");
        tell_part("heals", heals);
    } else if (verdict->parted_count != 0) {
        snprintf(heals, sizeof heals, "never; %" PRIu64 " step%s", verdict->parted_count,
                 verdict->parted_count == 1 ? " differs" : "s differ");
        tell_part("heals", heals);
    }
    for (uint32_t i = 0; i < verdict->remark_count; i++)
        tell_part("remark", verdict->remarks[i]);
    tell_again(state, verdict);
}

/* ---- remarks of sessions that match ---- */

static void keep_remark(telling *state, const char *text)
{
    uint32_t i = 0;
    while (i < state->remark_count && strcmp(state->remarks[i].text, text) != 0)
        i++;
    if (i == state->remark_count) {
        state->remarks[i].text = i < REMARKS_MAX - 1 ? strdup(text) : NULL;
        if (!state->remarks[i].text) {
            state->remarks_left_out++;
            return;
        }
        state->remark_count++;
    }
    state->remarks[i].sessions++;
}

static void tell_remarks(const telling *state)
{
    for (uint32_t i = 0; i < state->remark_count; i++)
        out_line("remark: %s (%s session%s that match%s)", state->remarks[i].text,
                 text_count(state->remarks[i].sessions), state->remarks[i].sessions == 1 ? "" : "s",
                 state->remarks[i].sessions == 1 ? "es" : "");
    if (state->remarks_left_out != 0)
        out_line("remark: %s more remarks; --json has all of them",
                 text_count(state->remarks_left_out));
}

/* ---- all of it ---- */

void tell_verdict(telling *state, const deja_verdict *verdict)
{
    const bool is_match = verdict->kind == DEJA_MATCH;
    state->status = status_worse(state->status, status_of_verdict(verdict->kind));
    if (output_is_json()) {
        tell_json(verdict);
    } else if (is_match) {
        if (verdict->why)
            keep_remark(state, verdict->why);
        for (uint32_t i = 0; i < verdict->remark_count; i++)
            keep_remark(state, verdict->remarks[i]);
    } else if (state->detailed < DETAILED_MAX) {
        state->detailed++;
        tell_at_length(state, verdict);
    } else {
        state->shortened++;
        tell_headline(verdict, true);
    }
    if (!is_match)
        out_flush();
    /* The library promises that this cannot be; if it does, it is no pass. */
    if (is_match && verdict->compared == 0)
        state->status =
            status_worse(state->status, complain(STATUS_TROUBLE, "%s: nothing of it was compared",
                                                 hex_text(verdict->id.bytes, ID_SHORT)));
}

static void tell_summary_json(const telling *state, const deja_verify_summary *summary)
{
    json_begin("summary");
    json_number("sessions", summary->sessions);
    json_number("steps", summary->steps);
    json_number("compared", summary->compared);
    for (uint32_t i = 0; i < DEJA_VERDICT_COUNT; i++)
        json_number(deja_verdict_name(i), summary->kinds[i]);
    if (args_has(state->given, OPTION_SHARD))
        json_text("shard", args_value(state->given, OPTION_SHARD));
    json_end();
}

void tell_summary(telling *state, const deja_verify_summary *summary)
{
    if (output_is_json()) {
        tell_summary_json(state, summary);
        return;
    }
    if (state->shortened != 0)
        out_line("%s more findings have one line each; --json has all of each, and -n one of them",
                 text_count(state->shortened));
    tell_remarks(state);
    if (args_has(state->given, OPTION_SHARD))
        out_print("shard %s: ", args_value(state->given, OPTION_SHARD));
    out_print("verified %s session%s (%s steps, %s compared):", text_count(summary->sessions),
              summary->sessions == 1 ? "" : "s", text_count(summary->steps),
              text_count(summary->compared));
    const char *before = " ";
    for (uint32_t i = 0; i < DEJA_VERDICT_COUNT; i++) {
        if (summary->kinds[i] == 0 && i != DEJA_MATCH)
            continue;
        out_print("%s%s ", before, text_count(summary->kinds[i]));
        out_coloured(i != DEJA_MATCH          ? COLOUR_BAD
                     : summary->kinds[i] != 0 ? COLOUR_GOOD
                                              : COLOUR_NONE,
                     deja_verdict_name(i));
        before = ", ";
    }
    out_end();
}

void telling_release(telling *state)
{
    for (uint32_t i = 0; i < state->remark_count; i++)
        free(state->remarks[i].text);
}
