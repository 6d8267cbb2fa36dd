/* SPDX-License-Identifier: MIT */
/*
 * Recording: each step goes into the ring (ring.h), each full ring to the store's writer.
 *
 *     begin    command -> canonical bytes in the ring     before apply runs
 *     apply    by deja_recorder_step(), or by the game; events -> event hash (events.h)
 *     end      state -> hash -> trail and chains; result; then the step counts
 *
 * A step makes no system call and asks for no memory, but for the one that fills a block. The
 * chains are worked out here, as schemas/hashes.md says; steps that are not hashed stay out of the
 * chain over hashes.
 *
 * What goes wrong in recording must not go wrong in the game. So a recorder that failed stays
 * failed: what was recorded until then is kept when it is closed. Where the rules broke their
 * contract after the command was logged, the command is kept too, as one that never returned, with
 * a mark that says why: the session then replays to that very breach.
 *
 * A forked child has the same recorder and must not write: the parent does. A counter that fork
 * moves is looked at in each call (asking for the process id is a system call); the id itself is
 * looked at wherever the store is reached, for children that were made past pthread_atfork().
 *
 * The float environment is looked at before apply, and behind a game's own one (16 ns): what is put
 * in place for drawing between two steps, and taken back, is nobody's business; what stays is
 * marked.
 *
 * Rejected: calling the table's outcome in each step to check what close is told; it costs more
 * than all the rest where a game has to look for its end.
 */
#include "record/recorder.h"

#include <pthread.h>
#include <unistd.h>

#include "base/chain.h"
#include "record/floats.h"
#include "record/options.h"
#include "store/valid.h"

#define SEE_PREFIX "see: " /* marks that are expectations: schemas/replay.md */

/* ---- forks ---- */

static _Atomic uint32_t forks_seen;
static pthread_once_t forks_once = PTHREAD_ONCE_INIT;

static void count_fork(void)
{
    atomic_fetch_add_explicit(&forks_seen, 1, memory_order_relaxed);
}

static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, count_fork);
}

static bool is_child_by_counter(const deja_recorder *recorder)
{
    return recorder->forks != atomic_load_explicit(&forks_seen, memory_order_relaxed);
}

void deja__recorder_note_process(deja_recorder *recorder)
{
    (void)pthread_once(&forks_once, watch_forks);
    recorder->pid = getpid();
    recorder->forks = atomic_load_explicit(&forks_seen, memory_order_relaxed);
}

bool deja__recorder_in_child(const deja_recorder *recorder)
{
    return is_child_by_counter(recorder) || recorder->pid != getpid();
}

/* ---- failing ---- */

uint64_t deja__recorder_step(const deja_recorder *recorder)
{
    return recorder->ring.first - 1 + deja__ring_count(&recorder->ring);
}

/* The recorder fails for good, for the reason in recorder->failure. */
static deja_code give_up(deja_recorder *recorder, deja_code code, deja_error *err)
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

/* Whether a step may begin, or else why not. */
static deja_code usable(const deja_recorder *recorder, deja_error *err)
{
    if (!recorder)
        return deja__fail(err, DEJA_EMISUSE, "there is no recorder");
    if (is_child_by_counter(recorder))
        return deja__recorder_say_child(err);
    if (recorder->failed < 0)
        return deja__recorder_say_failed(recorder, err);
    return DEJA_OK;
}

static deja_code may_begin(const deja_recorder *recorder, bool described, deja_error *err)
{
    const deja_code code = usable(recorder, err);
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

/* ---- to the store ---- */

/* Hands what is in the ring to the writer. */
deja_code deja__recorder_flush(deja_recorder *recorder, bool begun, deja_error *err)
{
    deja_steps steps;
    deja__ring_steps(&recorder->ring, begun, &steps);
    if (steps.count == 0)
        return DEJA_OK;
    if (recorder->pid != getpid())
        return deja__recorder_say_child(err);
    const deja_code code = deja_writer_add(recorder->writer, &steps, err);
    if (code == DEJA_OK)
        deja__ring_next(&recorder->ring);
    return code;
}

/* ---- steps ---- */

static void look_at_floats(deja_recorder *recorder)
{
    if (recorder->floats != deja__floats())
        deja__recorder_mark_floats(recorder);
}

static deja_code log_command(deja_recorder *recorder, const void *command, deja_error *err)
{
    look_at_floats(recorder);
    deja_code code =
        deja__form_save(&recorder->command, command, &recorder->ring.commands, &recorder->failure);
    if (code < 0)
        deja__fail_within(&recorder->failure, code, "the command");
    else
        code = deja__ring_begin(&recorder->ring, &recorder->failure);
    if (code == DEJA_OK)
        return DEJA_OK;
    deja__ring_drop(&recorder->ring);
    return give_up(recorder, code, err);
}

/* The rules did what no description has a word for. */
static deja_code break_off(deja_recorder *recorder, deja_code code, deja_error *err)
{
    recorder->keep_begun = code == DEJA_ERULES;
    return give_up(recorder, code, err);
}

/* What every step ends with. `hash` is asked for by the caller where a hash is due. */
static deja_code end_step(deja_recorder *recorder, uint32_t result, uint64_t event_hash, bool due,
                          uint64_t hash, deja_error *err)
{
    deja__ring *ring = &recorder->ring;
    ring->event_chain = deja__event_chain_step(ring->event_chain, event_hash);
    recorder->until_hash--;
    if (due) {
        ring->chain = deja__chain_step(ring->chain, hash, result);
        deja__ring_hash(ring, deja__cut(hash, recorder->trail_bits));
        recorder->until_hash = recorder->trail_every;
    }
    deja__ring_end(ring, result);
    if (!deja__ring_is_full(ring))
        return DEJA_OK;
    const deja_code code = deja__recorder_flush(recorder, false, &recorder->failure);
    return code < 0 ? give_up(recorder, code, err) : DEJA_OK;
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
    return end_step(recorder, result, event_hash, due, hash, err);
}

deja_code deja_recorder_step(deja_recorder *recorder, void *state, const void *command,
                             deja_out *out, uint32_t *result, deja_error *err)
{
    deja_code code = may_begin(recorder, true, err);
    if (code < 0)
        return code;
    if (!state || !command)
        return deja__fail(err, DEJA_EMISUSE, "a step needs a state and a command");
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
    deja_code code = usable(recorder, err);
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
        return deja__fail(err, DEJA_ELIMIT, "the command has %llu bytes; the most are %llu",
                          (unsigned long long)size, (unsigned long long)DEJA__COMMAND_SIZE_MAX);
    look_at_floats(recorder);
    deja_buffer_add(&recorder->ring.commands, bytes, size);
    code = deja__ring_begin(&recorder->ring, &recorder->failure);
    if (code < 0)
        return give_up(recorder, code, err);
    return end_step(recorder, 0, deja__event_hash_none(), recorder->until_hash == 1, hash, err);
}

/* ---- beside the steps ---- */

/* These are no steps, so they may ask the system whose process this is. */
static deja_code may_add(const deja_recorder *recorder, deja_error *err)
{
    const deja_code code = usable(recorder, err);
    if (code == DEJA_OK && deja__recorder_in_child(recorder))
        return deja__recorder_say_child(err);
    return code;
}

deja_code deja_recorder_section(deja_recorder *recorder, const char *name, uint64_t hash,
                                deja_error *err)
{
    const deja_code code = may_add(recorder, err);
    if (code < 0)
        return code;
    if (!name || !deja__is_name(name, strlen(name)))
        return deja__fail(err, DEJA_EMISUSE, "a section has a name as fields have");
    return deja_writer_section(recorder->writer, deja__recorder_step(recorder), name, hash, err);
}

deja_code deja_recorder_mark(deja_recorder *recorder, const char *text, deja_error *err)
{
    const deja_code code = may_add(recorder, err);
    if (code < 0)
        return code;
    if (!text || !deja__is_plain(text, strlen(text), DEJA__LINE_SIZE_MAX))
        return deja__fail(err, DEJA_EMISUSE, "a mark is one line of UTF-8 of at most %d bytes",
                          DEJA__LINE_SIZE_MAX);
    if (strncmp(text, SEE_PREFIX, strlen(SEE_PREFIX)) == 0)
        return deja__fail(err, DEJA_EMISUSE, "a mark does not begin with '%s'", SEE_PREFIX);
    return deja_writer_mark(recorder->writer, deja__recorder_step(recorder), text, err);
}

uint64_t deja_recorder_steps(const deja_recorder *recorder)
{
    return recorder && recorder->writer ? deja__recorder_step(recorder) : 0;
}
