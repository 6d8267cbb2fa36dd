/* SPDX-License-Identifier: MIT */
/*
 * See watch.h.
 *
 * What has changed once is what the state is from there on: after a finding the next look is held
 * against that. A game that changes something with every frame would fill a store with it, so the
 * marks end after some; counting goes on.
 */
#include "record/watch.h"

#include <stdlib.h>

#include "record/recorder.h"

enum { MARKS_MOST = 16 };

/* ---- words ---- */

static bool take_field(void *user, const deja_difference *difference)
{
    deja__changed *changed = user;
    if (changed->count++ == 0) {
        deja_buffer_text(&changed->path, difference->path);
        deja_buffer_text(&changed->before, difference->expected);
        deja_buffer_text(&changed->after, difference->actual);
    }
    return true;
}

deja_code deja__changed_find(deja__changed *changed, const deja_layout *layout,
                             const deja_buffer *before, const deja_buffer *after, deja_error *err)
{
    const deja_code code =
        deja_value_compare(layout, deja__span(before), deja__span(after), take_field, changed, err);
    if (code < 0)
        return code;
    /* A state that is one value has no path to it. */
    if (changed->path.size == 0)
        deja_buffer_text(&changed->path, "it");
    return changed->path.failed || changed->before.failed || changed->after.failed
               ? deja__fail_memory(err)
               : DEJA_OK;
}

void deja__changed_release(deja__changed *changed)
{
    deja_buffer_release(&changed->path);
    deja_buffer_release(&changed->before);
    deja_buffer_release(&changed->after);
}

/* ---- looking ---- */

/* A look that could not be made is no look that found nothing. */
static void give_up(deja_recorder *recorder, const deja_error *why)
{
    deja_buffer text = { 0 };
    deja__watch *watch = recorder->watch;
    watch->every = 0;
    watch->is_kept = false;
    deja__print(&text, "no longer watched for changes outside apply: %s", why->message);
    deja__recorder_report(recorder, deja__recorder_step(recorder), &text);
    deja_buffer_release(&text);
}

static void describe_change(const deja_recorder *recorder, deja_buffer *text)
{
    const deja__watch *watch = recorder->watch;
    deja__changed changed = { 0 };
    deja_error err;
    const deja_code code =
        deja__changed_find(&changed, recorder->state.layout, &watch->last, &watch->now, &err);
    if (code < 0)
        deja_buffer_text(text, err.message);
    else
        deja__print(text, "%s %s -> %s", (const char *)changed.path.bytes,
                    (const char *)changed.before.bytes, (const char *)changed.after.bytes);
    if (code == DEJA_OK && changed.count > 1)
        deja__print(text, " (and %llu more)", (unsigned long long)changed.count - 1);
    deja__changed_release(&changed);
}

/* `why` is what is wrong with the state itself, or NULL. */
static void tell_change(deja_recorder *recorder, const char *why)
{
    deja__watch *watch = recorder->watch;
    deja_buffer text = { 0 };
    watch->findings++;
    if (watch->marks == MARKS_MOST)
        return;
    watch->marks++;
    deja_buffer_text(&text, "changed outside apply: ");
    if (why)
        deja_buffer_text(&text, why);
    else
        describe_change(recorder, &text);
    if (watch->marks == MARKS_MOST)
        deja_buffer_text(&text, "; no more of this is marked");
    deja__recorder_report(recorder, deja__recorder_step(recorder), &text);
    deja_buffer_release(&text);
}

void deja__watch_look(deja_recorder *recorder, const void *state)
{
    deja__watch *watch = recorder->watch;
    deja_error err;
    if (!watch->is_kept)
        return;
    deja_buffer_clear(&watch->now);
    const deja_code code = deja__form_save(&recorder->state, state, &watch->now, &err);
    if (code == DEJA_ERULES) {
        tell_change(recorder, err.message);
        watch->is_kept = false;
        return;
    }
    if (code < 0) {
        give_up(recorder, &err);
        return;
    }
    if (deja__same(deja__span(&watch->now), deja__span(&watch->last)))
        return;
    tell_change(recorder, NULL);
    const deja_buffer kept = watch->last;
    watch->last = watch->now;
    watch->now = kept;
}

static void keep(deja_recorder *recorder, const void *state)
{
    deja__watch *watch = recorder->watch;
    deja_error err;
    deja_buffer_clear(&watch->last);
    const deja_code code = deja__form_save(&recorder->state, state, &watch->last, &err);
    watch->is_kept = code == DEJA_OK;
    if (code < 0)
        give_up(recorder, &err);
}

/* ---- steps ---- */

void deja__watch_begin(deja_recorder *recorder, const void *state, const void *command)
{
    deja__watch *watch = recorder->watch;
    if (state)
        deja__watch_look(recorder, state);
    watch->is_kept = false;
    if (watch->copy)
        deja__self_check_begin(recorder, state, command);
}

void deja__watch_end(deja_recorder *recorder, const void *state, uint32_t result,
                     uint64_t event_hash)
{
    const deja__watch *watch = recorder->watch;
    if (watch->copy)
        deja__self_check_end(recorder, state, result, event_hash);
    if (watch->every && deja__recorder_step(recorder) % watch->every == 0)
        keep(recorder, state);
}

void deja__watch_rewind(deja__watch *watch)
{
    watch->is_kept = false;
    watch->is_lost = true;
}

/* ---- sessions ---- */

deja_code deja__watch_start(deja_recorder *recorder, const void *state, uint64_t every,
                            bool self_check, deja_error *err)
{
    deja__watch *watch = recorder->watch;
    if (every == 0 && !self_check) {
        deja__watch_destroy(watch);
        recorder->watch = NULL;
        return DEJA_OK;
    }
    if (!watch)
        watch = recorder->watch = calloc(1, sizeof *watch);
    if (!watch)
        return deja__fail_memory(err);
    watch->every = every;
    watch->is_kept = every != 0;
    watch->findings = watch->marks = 0;
    watch->is_lost = false;
    deja_buffer_clear(&watch->last);
    deja_buffer_clear(&watch->before);
    deja_code code = DEJA_OK;
    if (every)
        code = deja__form_save(&recorder->state, state, &watch->last, err);
    if (code == DEJA_OK && self_check)
        code = deja__form_save(&recorder->state, state, &watch->before, err);
    if (code < 0)
        return deja__fail_within(err, code, "the state");
    return self_check ? deja__self_check_open(watch, recorder->plugin, err) : DEJA_OK;
}

void deja__watch_stop(deja__watch *watch)
{
    if (watch && watch->copy)
        deja__game_drop(watch->copy);
}

void deja__watch_destroy(deja__watch *watch)
{
    if (!watch)
        return;
    deja__self_check_close(watch);
    deja_buffer_release(&watch->last);
    deja_buffer_release(&watch->now);
    deja_buffer_release(&watch->before);
    deja_buffer_release(&watch->after);
    deja_buffer_release(&watch->copied);
    deja_buffer_release(&watch->command);
    free(watch);
}
