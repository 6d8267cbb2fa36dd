/* SPDX-License-Identifier: MIT */
/*
 * Recording: each step goes into the journal (journal/ring.h), which is folded into the store
 * (folder.h).
 *
 *     begin    command -> canonical bytes, in the journal     before apply runs
 *     apply    by deja_recorder_step(), or by the game; events -> event hash (events.h)
 *     end      state -> hash; result; then the step is done
 *
 * A step makes no system call and asks for no memory. Chains are worked out where it is folded.
 *
 * What goes wrong in recording must not go wrong in the game. So a recorder that failed stays
 * failed: what was recorded until then is kept when it is closed. Where the rules broke their
 * contract after the command was logged, the command is kept too, as one that never returned, with
 * a mark that says why: the session then replays to that very breach.
 *
 * A forked child has the same recorder and must not write: the parent does. Each call looks at a
 * page that is empty there.
 *
 * The float environment is looked at before apply, and behind a game's own one (16 ns): what is put
 * in place for drawing between two steps, and taken back, is nobody's business; what stays is
 * marked.
 *
 * Rejected: calling the table's outcome in each step to check what close is told; it costs more
 * than all the rest where a game has to look for its end.
 */
#include "record/recorder.h"

#include "record/floats.h"
#include "record/options.h"

#define BLOCK_BYTES_MAX ((uint64_t)1 << 28)

bool deja__recorder_in_child(const deja_recorder *recorder)
{
    return deja__ring_in_child(recorder->ring);
}

/* ---- failing ---- */

uint64_t deja__recorder_step(const deja_recorder *recorder)
{
    return recorder->ring->steps;
}

deja_code deja__recorder_give_up(deja_recorder *recorder, deja_code code, deja_error *err)
{
    recorder->failed = code;
    recorder->failed_step = deja__recorder_step(recorder) + 1;
    recorder->inside = false;
    recorder->failure.step = recorder->failed_step;
    if (err)
        *err = recorder->failure;
    return code;
}

deja_code deja__recorder_say_failed(const deja_recorder *recorder, deja_error *err)
{
    return deja__fail_at(err, recorder->failed, recorder->failed_step,
                         "the recording ended before step %llu: %s",
                         (unsigned long long)recorder->failed_step, recorder->failure.message);
}

deja_code deja__recorder_say_child(deja_error *err)
{
    return deja__fail(err, DEJA_EMISUSE, "in a forked child; only the parent records");
}

deja_code deja__recorder_usable(const deja_recorder *recorder, deja_error *err)
{
    if (!recorder)
        return deja__fail(err, DEJA_EMISUSE, "there is no recorder");
    if (deja__recorder_in_child(recorder))
        return deja__recorder_say_child(err);
    if (recorder->failed < 0)
        return deja__recorder_say_failed(recorder, err);
    return DEJA_OK;
}

static deja_code may_begin(const deja_recorder *recorder, bool described, deja_error *err)
{
    const deja_code code = deja__recorder_usable(recorder, err);
    if (code < 0)
        return code;
    if (recorder->inside)
        return deja__fail_at(err, DEJA_EMISUSE, deja__recorder_step(recorder) + 1,
                             "step %llu began and has not ended",
                             (unsigned long long)deja__recorder_step(recorder) + 1);
    if (described != (recorder->plugin != NULL))
        return deja__fail(err, DEJA_EMISUSE,
                          described ? "without a plugin steps are noted, not played"
                                    : "with a plugin steps are played, not noted");
    return DEJA_OK;
}

/* ---- steps ---- */

static void look_at_floats(deja_recorder *recorder)
{
    if (recorder->floats != deja__floats())
        deja__recorder_mark_floats(recorder);
}

static deja_code too_large(uint64_t size, deja_error *err)
{
    return deja__fail(err, DEJA_ELIMIT, "the command has %llu bytes; the most are %llu",
                      (unsigned long long)size, (unsigned long long)DEJA__COMMAND_SIZE_MAX);
}

/* What there is no room for ends the recording, for the reason that the store has. */
static deja_code no_room(deja_recorder *recorder, deja_code code, deja_error *err)
{
    deja_error why;
    if (deja__folder_trouble(recorder->folder, &why) < 0) {
        code = why.code;
        recorder->failure = why;
    }
    return deja__recorder_give_up(recorder, code, err);
}

/* A block's commands have 256 MiB at most: schemas/journal.md. */
static deja_code begin_step(deja_recorder *recorder, const void *bytes, uint64_t size,
                            deja_error *err)
{
    if (recorder->ring->steps % DEJA__BLOCK_STEPS == 0)
        recorder->block_bytes = 0;
    recorder->block_bytes += size;
    if (recorder->block_bytes > BLOCK_BYTES_MAX) {
        const deja_code code = deja__fail(&recorder->failure, DEJA_ELIMIT,
                                          "the commands of 16,384 steps have more than 256 MiB");
        return deja__recorder_give_up(recorder, code, err);
    }
    const deja_code code = deja__ring_begin(recorder->ring, bytes, size, &recorder->failure);
    return code < 0 ? no_room(recorder, code, err) : DEJA_OK;
}

static deja_code log_command(deja_recorder *recorder, const void *command, deja_error *err)
{
    look_at_floats(recorder);
    deja_buffer_clear(&recorder->bytes);
    deja_code code =
        deja__form_save(&recorder->command, command, &recorder->bytes, &recorder->failure);
    if (code < 0) {
        deja__fail_within(&recorder->failure, code, "the command");
        return deja__recorder_give_up(recorder, code, err);
    }
    if (recorder->bytes.size > DEJA__COMMAND_SIZE_MAX) {
        code = too_large(recorder->bytes.size, &recorder->failure);
        return deja__recorder_give_up(recorder, code, err);
    }
    return begin_step(recorder, recorder->bytes.bytes, recorder->bytes.size, err);
}

/* The rules did what no description has a word for. */
static deja_code break_off(deja_recorder *recorder, deja_code code, deja_error *err)
{
    recorder->keep_begun = code == DEJA_ERULES;
    return deja__recorder_give_up(recorder, code, err);
}

/* What every step ends with. */
static deja_code end_step(deja_recorder *recorder, uint32_t result, uint64_t event_hash,
                          uint64_t hash, deja_error *err)
{
    deja__ring *ring = recorder->ring;
    if (--recorder->until_hash == 0)
        recorder->until_hash = recorder->trail_every;
    deja__ring_end(ring, result, hash, event_hash);
    if (ring->steps % DEJA__BLOCK_STEPS == 0 && ring->steps >= 2 * DEJA__BLOCK_STEPS &&
        ring->steps - DEJA__BLOCK_STEPS > recorder->rewind_floor)
        recorder->rewind_floor = ring->steps - DEJA__BLOCK_STEPS;
    if (recorder->later.size == 0)
        return DEJA_OK;
    const deja_code code = deja__recorder_notes_flush(recorder, &recorder->failure);
    return code < 0 ? no_room(recorder, code, err) : DEJA_OK;
}

static deja_code end_described(deja_recorder *recorder, const void *state, uint32_t result,
                               deja_error *err)
{
    const bool due = recorder->until_hash == 1;
    uint64_t hash = 0;
    uint64_t event_hash = 0;
    uint32_t event_count = 0;
    deja_code code =
        deja__events_end(&recorder->events, &event_count, &event_hash, &recorder->failure);
    if (code < 0)
        return break_off(recorder, code, err);
    if (result > recorder->table->refusal_count) {
        code = deja__fail(&recorder->failure, DEJA_ERULES,
                          "apply answered %u, and there are %u refusals", result,
                          recorder->table->refusal_count);
        return break_off(recorder, code, err);
    }
    if (result != 0 && event_count != 0) {
        code = deja__fail(&recorder->failure, DEJA_ERULES, "apply refused, and emitted an event");
        return break_off(recorder, code, err);
    }
    if (due) {
        code = deja__codec_hash(recorder->state.codec, state, &hash, &recorder->failure);
        if (code < 0) {
            deja__fail_within(&recorder->failure, code, "the state");
            return break_off(recorder, code, err);
        }
    }
    code = end_step(recorder, result, event_hash, hash, err);
    if (code == DEJA_OK && recorder->watch)
        deja__watch_end(recorder, state, result, event_hash);
    return code;
}

deja_code deja_recorder_step(deja_recorder *recorder, void *state, const void *command,
                             deja_out *out, uint32_t *result, deja_error *err)
{
    deja_code code = may_begin(recorder, true, err);
    if (code < 0)
        return code;
    if (!state || !command)
        return deja__fail(err, DEJA_EMISUSE, "a step needs a state and a command");
    if (recorder->watch) /* before the step begins, so that what it marks is at the last one */
        deja__watch_begin(recorder, state, command);
    code = log_command(recorder, command, err);
    if (code < 0)
        return code;
    deja__events_start(&recorder->events, out);
    const uint32_t answer = recorder->table->apply(state, command, &recorder->events.out);
    if (result)
        *result = answer;
    return end_described(recorder, state, answer, err);
}

deja_code deja_recorder_begin(deja_recorder *recorder, const void *command, deja_out *out,
                              deja_out **events, deja_error *err)
{
    if (events)
        *events = NULL;
    deja_code code = may_begin(recorder, true, err);
    if (code < 0)
        return code;
    if (!command || !events)
        return deja__fail(err, DEJA_EMISUSE, "a step needs a command, and a place for its out");
    if (recorder->watch)
        deja__watch_begin(recorder, NULL, command);
    code = log_command(recorder, command, err);
    if (code < 0)
        return code;
    deja__events_start(&recorder->events, out);
    recorder->inside = true;
    *events = &recorder->events.out;
    return DEJA_OK;
}

deja_code deja_recorder_end(deja_recorder *recorder, const void *state, uint32_t result,
                            deja_error *err)
{
    deja_code code = deja__recorder_usable(recorder, err);
    if (code < 0)
        return code;
    if (!recorder->inside)
        return deja__fail(err, DEJA_EMISUSE, "no step began");
    if (!state)
        return deja__fail(err, DEJA_EMISUSE, "a step ends with a state");
    recorder->inside = false;
    code = end_described(recorder, state, result, err);
    if (code == DEJA_OK)
        look_at_floats(recorder);
    return code;
}

deja_code deja_recorder_note(deja_recorder *recorder, const void *bytes, uint64_t size,
                             uint64_t hash, deja_error *err)
{
    deja_code code = may_begin(recorder, false, err);
    if (code < 0)
        return code;
    if (!bytes && size != 0)
        return deja__fail(err, DEJA_EMISUSE, "the bytes are missing");
    if (size > DEJA__COMMAND_SIZE_MAX)
        return too_large(size, err);
    look_at_floats(recorder);
    code = begin_step(recorder, bytes, size, err);
    if (code < 0)
        return code;
    return end_step(recorder, 0, deja__event_hash_none(), recorder->until_hash == 1 ? hash : 0,
                    err);
}

deja_code deja_recorder_watch(deja_recorder *recorder, const void *state, deja_error *err)
{
    const deja_code code = may_begin(recorder, true, err);
    if (code < 0)
        return code;
    if (!state)
        return deja__fail(err, DEJA_EMISUSE, "there is no state to look at");
    if (recorder->watch)
        deja__watch_look(recorder, state);
    return DEJA_OK;
}

uint64_t deja_recorder_findings(const deja_recorder *recorder)
{
    return recorder && recorder->watch ? recorder->watch->findings : 0;
}

uint64_t deja_recorder_steps(const deja_recorder *recorder)
{
    return recorder && recorder->running ? deja__recorder_step(recorder) : 0;
}
