/* SPDX-License-Identifier: MIT */
/*
 * Each step once more, on a copy that is made of the state's canonical bytes: see watch.h.
 *
 * The copy goes second, in the float environment that the step began in. What apply keeps outside
 * of the state sees each command twice then, so a game that has such a thing goes another way than
 * it would have gone: this is for looking for faults. After the first difference nothing is copied
 * any more. There is nothing to learn by it, and such a game is left alone.
 */
#include "record/recorder.h"
#include "record/watch.h"

deja_code deja__self_check_open(deja__watch *watch, deja_plugin *plugin, deja_error *err)
{
    return watch->copy ? DEJA_OK : deja__game_open(&watch->copy, plugin, err);
}

void deja__self_check_close(deja__watch *watch)
{
    deja__game_close(watch->copy);
    watch->copy = NULL;
}

/* ---- the end of it ---- */

/* Tells `text`, if there is one, and stops. */
static void stop(deja_recorder *recorder, uint64_t step, deja_buffer *text)
{
    deja__self_check_close(recorder->watch);
    deja__recorder_report(recorder, step, text);
}

/* A check that could not be made is no check that found nothing. */
static void give_up(deja_recorder *recorder, uint64_t step, const deja_error *why)
{
    deja_buffer text = { 0 };
    deja__print(&text, "not checked from step %llu: %s", (unsigned long long)step, why->message);
    stop(recorder, step, &text);
    deja_buffer_release(&text);
}

/* ---- what differs ---- */

static const char *answer_name(const deja_recorder *recorder, uint32_t answer)
{
    return answer ? recorder->table->refusals[answer - 1] : "ok";
}

static void describe_states(const deja_recorder *recorder, deja_buffer *text)
{
    const deja__watch *watch = recorder->watch;
    deja__changed changed = { 0 };
    deja_error err;
    const deja_code code =
        deja__changed_find(&changed, recorder->state.layout, &watch->after, &watch->copied, &err);
    if (code < 0)
        deja__print(text, "the state differs: %s", err.message);
    else if (changed.count == 0)
        deja_buffer_text(text, "the state differs");
    else
        deja__print(text, "%s is %s, not %s", (const char *)changed.path.bytes,
                    (const char *)changed.after.bytes, (const char *)changed.before.bytes);
    if (code == DEJA_OK && changed.count > 1)
        deja__print(text, " (and %llu more)", (unsigned long long)changed.count - 1);
    deja__changed_release(&changed);
}

/* What the copy answered, and under which code. */
typedef struct answer {
    deja_code code;
    uint32_t result;
    deja_error err;
} answer;

static bool is_same(const deja__watch *watch, uint32_t result, uint64_t event_hash,
                    const answer *copied)
{
    return copied->code == DEJA_OK && copied->result == result &&
           deja__same(deja__span(&watch->after), deja__span(&watch->copied)) &&
           deja__game_event_hash(watch->copy) == event_hash;
}

static void tell_difference(deja_recorder *recorder, uint64_t step, uint32_t result,
                            const answer *copied)
{
    deja__watch *watch = recorder->watch;
    deja_buffer text = { 0 };
    watch->findings++;
    deja__print(&text, "not reproducible from step %llu by ", (unsigned long long)step);
    if (watch->is_given)
        deja_buffer_text(&text, "the state's fields: on a copy ");
    else
        deja__print(&text, "what step %llu left: on a copy ", (unsigned long long)step - 1);
    if (copied->code < 0)
        deja__print(&text, "the rules break their contract: %s", copied->err.message);
    else if (copied->result != result)
        deja__print(&text, "apply answers '%s', not '%s'", answer_name(recorder, copied->result),
                    answer_name(recorder, result));
    else if (!deja__same(deja__span(&watch->after), deja__span(&watch->copied)))
        describe_states(recorder, &text);
    else
        deja_buffer_text(&text, "the events differ");
    stop(recorder, step, &text);
    deja_buffer_release(&text);
}

/* ---- a step ---- */

void deja__self_check_begin(deja_recorder *recorder, const void *state, const void *command)
{
    deja__watch *watch = recorder->watch;
    deja_error err;
    deja_code code;
    watch->is_given = state != NULL;
    watch->floats = deja__float_control_take();
    deja_buffer_clear(&watch->command);
    code = deja__form_save(&recorder->command, command, &watch->command, &err);
    if (code == DEJA_OK && state) {
        deja_buffer_clear(&watch->before);
        code = deja__form_save(&recorder->state, state, &watch->before, &err);
        watch->is_lost = false;
    }
    if (code < 0)
        give_up(recorder, deja__recorder_step(recorder) + 1, &err);
}

/* Restores the copy and makes the step on it. */
static void step_copy(deja__watch *watch, answer *copied)
{
    const deja__float_control floats = deja__float_control_take();
    deja__float_control_put(&watch->floats);
    deja_buffer_clear(&watch->copied);
    copied->code = deja__game_load(watch->copy, deja__span(&watch->before), &copied->err);
    if (copied->code == DEJA_OK)
        copied->code = deja__game_apply(watch->copy, deja__span(&watch->command), &copied->result,
                                        &copied->err);
    if (copied->code == DEJA_OK)
        copied->code = deja__game_save(watch->copy, &watch->copied, &copied->err);
    deja__float_control_put(&floats);
}

void deja__self_check_end(deja_recorder *recorder, const void *state, uint32_t result,
                          uint64_t event_hash)
{
    deja__watch *watch = recorder->watch;
    const uint64_t step = deja__recorder_step(recorder);
    answer copied = { DEJA_OK, 0, { 0 } };
    deja_buffer_clear(&watch->after);
    copied.code = deja__form_save(&recorder->state, state, &watch->after, &copied.err);
    if (copied.code < 0) {
        give_up(recorder, step, &copied.err);
        return;
    }
    if (watch->is_lost) {
        /* The first step of a game that has its state itself, behind a rewind: from here on. */
        const deja_buffer kept = watch->before;
        watch->before = watch->after;
        watch->after = kept;
        watch->is_lost = false;
        return;
    }
    step_copy(watch, &copied);
    if (copied.code == DEJA_ENOMEM) {
        give_up(recorder, step, &copied.err);
    } else if (is_same(watch, result, event_hash, &copied)) {
        const deja_buffer kept = watch->before;
        watch->before = watch->after;
        watch->after = kept;
    } else {
        tell_difference(recorder, step, result, &copied);
    }
}
