/* SPDX-License-Identifier: MIT */
/*
 * Expectations that people wrote: `see: side=1 rows[0]=4`, kept as marks (schemas/replay.md).
 *
 * One holds if the text found at each path is the value that is written. They speak of the recorded
 * layout, so that is how the state is looked at wherever it can be.
 */
#include "replay/replay.h"

#include <stdio.h>
#include <stdlib.h>

static const char PREFIX[] = "see: ";

enum { HALF = DEJA__REASON_SIZE / 2 - 2 };

/* ---- reading ---- */

typedef struct reading {
    deja__replay *replay;
    uint32_t capacity;
    bool failed;
} reading;

static bool add_wish(void *user, uint64_t step, const char *text)
{
    reading *r = user;
    deja__replay *replay = r->replay;
    if (strncmp(text, PREFIX, sizeof PREFIX - 1) != 0)
        return true;
    if (replay->wish_count == r->capacity) {
        const uint32_t capacity = r->capacity ? r->capacity * 2 : 8;
        deja__wish *wishes = realloc(replay->wishes, capacity * sizeof *wishes);
        if (!wishes) {
            r->failed = true;
            return false;
        }
        replay->wishes = wishes;
        r->capacity = capacity;
    }
    char *copy = strdup(text + sizeof PREFIX - 1);
    if (!copy) {
        r->failed = true;
        return false;
    }
    replay->wishes[replay->wish_count++] = (deja__wish){ step, copy };
    return true;
}

deja_code deja__wishes_read(deja__replay *replay, deja_error *err)
{
    reading r = { replay, 0, false };
    const deja_code code = deja_reader_marks(replay->reader, add_wish, &r, err);
    return code == DEJA_OK && r.failed ? deja__fail_memory(err) : code;
}

/* ---- checking ---- */

/* Where the first of these characters is that stands in no quotes and no brackets; else the end. */
static const char *find(const char *at, char wanted)
{
    uint32_t depth = 0;
    bool quoted = false;
    for (; *at; at++) {
        if (quoted) {
            if (*at == '\\' && at[1])
                at++;
            else if (*at == '"')
                quoted = false;
        } else if (*at == wanted && depth == 0) {
            break;
        } else if (*at == '"') {
            quoted = true;
        } else if (*at == '{' || *at == '[') {
            depth++;
        } else if ((*at == '}' || *at == ']') && depth > 0) {
            depth--;
        }
    }
    return at;
}

static void blame(deja__replay *replay, uint64_t step, const char *wish, size_t size,
                  const char *actual)
{
    deja__finding *finding = &replay->finding;
    finding->kind = DEJA__SEEN;
    finding->step = finding->step_last = step;
    finding->actual = deja__hash64(actual, strlen(actual));
    /* The wish, and what is there instead, as finding.c takes them apart. */
    snprintf(finding->reason, sizeof finding->reason, "%.*s\n%.*s",
             (int)(size < HALF ? size : HALF), wish, HALF, actual);
}

/* One `path=value`, up to `end`. */
static deja_code check_one(deja__replay *replay, const deja_layout *layout, uint64_t step,
                           deja_span state, const char *wish, const char *end, deja_error *err)
{
    const char *equals = find(wish, '=');
    deja_buffer found = { 0 };
    deja_error failure = { 0 };
    deja_code code = DEJA_ENOTFOUND;
    if (equals < end)
        code = deja_value_at(layout, state.bytes, state.size, wish, (uint64_t)(equals - wish),
                             &found, &failure);
    if (code == DEJA_ENOMEM) {
        deja_buffer_release(&found);
        return deja__fail_memory(err);
    }
    const char *text = code == DEJA_OK && found.bytes ? (const char *)found.bytes : "(not there)";
    const size_t size = equals < end ? (size_t)(end - equals - 1) : 0;
    if (code != DEJA_OK || strlen(text) != size || memcmp(text, equals + 1, size) != 0)
        blame(replay, step, wish, (size_t)(end - wish), text);
    deja_buffer_release(&found);
    return DEJA_OK;
}

static deja_code check_wish(deja__replay *replay, const deja_layout *layout, const deja__wish *wish,
                            deja_span state, deja_error *err)
{
    deja_code code = DEJA_OK;
    for (const char *at = wish->text; *at && code == DEJA_OK && !replay->finding.kind;) {
        const char *end = find(at, ' ');
        if (end > at)
            code = check_one(replay, layout, wish->step, state, at, end, err);
        at = *end ? end + 1 : end;
    }
    return code;
}

deja_code deja__wishes_check(deja__replay *replay, uint64_t step, deja_span state, deja_error *err)
{
    const deja__fit *fit = replay->fit;
    const deja_match *match = fit->matches[DEJA_STATE];
    const deja_layout *layout = fit->recorded[DEJA_STATE];
    deja_buffer recorded = { 0 };
    deja_code code = DEJA_OK;
    if (match && fit->compares_state) {
        deja_error failure = { 0 };
        code = deja_match_to_common(match, false, state.bytes, state.size, &recorded, &failure);
        if (code == DEJA_OK)
            state = (deja_span){ recorded.bytes, recorded.size };
        else
            layout = fit->present[DEJA_STATE];
        code = code == DEJA_ENOMEM ? deja__fail_memory(err) : DEJA_OK;
    } else if (match) {
        layout = fit->present[DEJA_STATE];
    }
    /* Of a recorded session, the step counts already. */
    replay->compared += replay->scenario;
    while (replay->compare_wish < replay->wish_count &&
           replay->wishes[replay->compare_wish].step <= step && code == DEJA_OK) {
        if (!replay->finding.kind)
            code = check_wish(replay, layout, &replay->wishes[replay->compare_wish], state, err);
        replay->compare_wish++;
    }
    deja_buffer_release(&recorded);
    return code;
}
