/* SPDX-License-Identifier: MIT */
/*
 * A session in a worker: begin, steps, end.
 *
 * The loop over the steps is what a verification spends its time in. For a library whose layouts
 * are the recorded ones and a recording that hashes every step it does, besides the game's own
 * work, three stores of an answer, one of the progress, and one look at whether the steps are still
 * wanted.
 */
#include "replay/worker.h"

#include <stdio.h>

static void set_progress(const deja__desk *desk, uint64_t how_far)
{
    atomic_store_explicit(&desk->out->progress, desk->number << DEJA__PROGRESS_BITS | how_far,
                          memory_order_release);
}

static bool is_cancelled(const deja__desk *desk)
{
    return atomic_load_explicit(&desk->in->cancelled, memory_order_relaxed) >= desk->job->session;
}

static void note(deja__answer *answer, const deja_error *err)
{
    snprintf(answer->note, sizeof answer->note, "%s", err->message);
}

/* What a failing game means for the session. */
static uint32_t status_of(deja_code code)
{
    return code == DEJA_ENOMEM ? DEJA__ANSWER_MEMORY : DEJA__ANSWER_BROKEN;
}

deja_code deja__stage_open(deja__stage *stage, deja_plugin *plugin, int socket, bool restores,
                           deja_error *err)
{
    stage->plugin = plugin;
    stage->socket = socket;
    stage->restores = restores;
    const deja_code code = deja__game_open(&stage->game, plugin, err);
    /* Opening calls descriptions, which is not to show as the first session's doing. */
    if (code == DEJA_OK && restores)
        deja__plugin_restore(plugin, NULL, NULL);
    return code;
}

/* ---- one hash ---- */

/* The state's hash as the recording has it. A state without a recorded form is no failure, but
 * noted once a job. */
static deja_code hash_state(deja__stage *stage, deja__answer *answer, uint64_t *hash,
                            uint32_t *bits, deja_error *err)
{
    if (!stage->state.recorded)
        return deja__game_hash(stage->game, hash, err);
    const deja_code code = deja__seen_state_hash(&stage->state, stage->game, hash, err);
    if (code != DEJA_EUNFIT)
        return code;
    if (!answer->note[0])
        note(answer, err);
    *hash = 0;
    *bits |= DEJA__ROW_STATE_FORMLESS;
    return DEJA_OK;
}

static deja_code hash_events(deja__stage *stage, deja__answer *answer, uint64_t *hash,
                             uint32_t *bits, deja_error *err)
{
    *hash = deja__game_event_hash(stage->game);
    if (!stage->events.recorded)
        return DEJA_OK;
    const deja_code code = deja__seen_event_hash(&stage->events, stage->game, hash, err);
    if (code != DEJA_EUNFIT)
        return code;
    if (!answer->note[0])
        note(answer, err);
    *hash = 0;
    *bits |= DEJA__ROW_EVENTS_FORMLESS;
    return DEJA_OK;
}

/* ---- begin ---- */

/* The head's parts lie one behind another behind it: config, start, layouts of state and event, the
 * packs. */
enum { HEAD_PARTS = 5 };

static bool split_head(deja__stage *stage, deja_span parts[HEAD_PARTS])
{
    if (stage->head.failed || stage->head.size < sizeof stage->how)
        return false;
    memcpy(&stage->how, stage->head.bytes, sizeof stage->how);
    const deja__head *how = &stage->how;
    const uint64_t sizes[HEAD_PARTS] = { how->config_size, how->start_size, how->state_layout_size,
                                         how->event_layout_size, how->packs_size };
    uint64_t at = sizeof *how;
    for (int i = 0; i < HEAD_PARTS; i++) {
        if (sizes[i] > stage->head.size - at)
            return false;
        parts[i].bytes = stage->head.bytes + at;
        parts[i].size = sizes[i];
        at += sizes[i];
    }
    return at == stage->head.size && how->every > 0;
}

static uint32_t start_game(deja__stage *stage, deja__answer *answer,
                           const deja_span parts[HEAD_PARTS])
{
    deja_content content;
    deja_error err = { 0 };
    deja_code code;
    if (!deja__shelf_take(&stage->shelf, parts[4], &content))
        code = deja__fail(&err, DEJA_EUNFIT, "its content did not reach the worker");
    else if (stage->how.flags & DEJA__HEAD_FROM_STATE)
        code = deja__game_load(stage->game, parts[1], &err);
    else
        code = deja__game_start(stage->game, parts[0], stage->how.seed, &content, &answer->refusal,
                                &err);
    if (code == DEJA_OK)
        return DEJA__ANSWER_DONE;
    note(answer, &err);
    if (code == DEJA_EREFUSED)
        return DEJA__ANSWER_REFUSED;
    return code == DEJA_EFORMAT || code == DEJA_EUNFIT ? DEJA__ANSWER_UNFIT : status_of(code);
}

static uint32_t begin(deja__stage *stage, const deja__desk *desk)
{
    deja__answer *answer = desk->answer;
    deja_error err = { 0 };
    deja_span parts[HEAD_PARTS];
    if (!split_head(stage, parts))
        return DEJA__ANSWER_MEMORY; /* the host packs it right, so it was too large to keep */
    const bool wants_state = !(stage->how.flags & DEJA__HEAD_NO_STATE);
    const bool wants_events = !(stage->how.flags & DEJA__HEAD_NO_EVENTS);
    static const deja_span none = { "", 0 };
    deja_code code = deja__seen_prepare(&stage->state, wants_state ? parts[2] : none,
                                        deja_plugin_layout(stage->plugin, DEJA_STATE), &err);
    if (code == DEJA_OK)
        code = deja__seen_prepare(&stage->events, wants_events ? parts[3] : none,
                                  deja_plugin_layout(stage->plugin, DEJA_EVENT), &err);
    if (code != DEJA_OK) {
        note(answer, &err);
        return code == DEJA_ENOMEM ? DEJA__ANSWER_MEMORY : DEJA__ANSWER_UNFIT;
    }
    deja__guard_floats(stage->how.float_flags);
    const uint32_t status = start_game(stage, answer, parts);
    if (status != DEJA__ANSWER_DONE)
        return status;
    if (wants_state)
        code = hash_state(stage, answer, &answer->start_hash, &answer->start_bits, &err);
    if (code == DEJA_OK && desk->job->flags & DEJA__JOB_TRACE && stage->how.trace_from == 0)
        code = deja__trace_send(stage, 0, 0, &err);
    if (code == DEJA_OK)
        return DEJA__ANSWER_DONE;
    note(answer, &err);
    return status_of(code);
}

/* ---- steps ---- */

static deja_span command_at(const deja__job *job, uint32_t row)
{
    const uint32_t begin = row ? job->ends[row - 1] : 0;
    return (deja_span){ job->bytes + job->head_size + begin, job->ends[row] - begin };
}

static deja__stepped *row_at(const deja__desk *desk, uint32_t row)
{
    return &desk->recent->rows[row % DEJA__RECENT_ROWS];
}

/* The row is finished. */
static void put_row(const deja__desk *desk, uint32_t row)
{
    if ((row + 1) % DEJA__RECENT_ROWS == 0)
        deja__hand_over(desk->recent, desk->answer, row + 1);
    set_progress(desk, DEJA__PROGRESS_BEGUN + row + 1);
}

/* So many rows are all. */
static void put_last(const deja__desk *desk, uint32_t rows)
{
    desk->answer->rows = rows;
    if (rows % DEJA__RECENT_ROWS)
        deja__hand_over(desk->recent, desk->answer, rows);
}

static uint32_t fail(deja__answer *answer, deja_code code, const deja_error *err)
{
    note(answer, err);
    return status_of(code);
}

/* A step that failed: where, and why. */
static uint32_t stop(const deja__desk *desk, uint32_t row, deja_code code, const deja_error *err)
{
    put_last(desk, row);
    return fail(desk->answer, code, err);
}

/* The host has stored what follows, on another processor; it is fetched some steps before. */
static void fetch_ahead(const deja__job *job, uint32_t row)
{
    enum { AHEAD = 2 * DEJA__RECENT_ROWS, LINE = 64, LINES_MAX = 32 };
    const uint32_t from = row + AHEAD;
    if (row % DEJA__RECENT_ROWS != 0 || from >= job->count)
        return;
    const uint32_t to =
        from + DEJA__RECENT_ROWS < job->count ? from + DEJA__RECENT_ROWS : job->count;
    for (uint32_t i = from; i < to; i += LINE / sizeof job->ends[0])
        __builtin_prefetch(&job->ends[i + AHEAD < job->count ? i + AHEAD : i]);
    const unsigned char *at = job->bytes + job->head_size + job->ends[from - 1];
    const unsigned char *end = job->bytes + job->head_size + job->ends[to - 1];
    for (uint32_t i = 0; i < LINES_MAX && at < end; i++, at += LINE)
        __builtin_prefetch(at);
}

/* Every step hashed, in layouts that are the library's own. */
static uint32_t run_plain(deja__stage *stage, const deja__desk *desk)
{
    const deja__job *job = desk->job;
    deja_error err;
    for (uint32_t i = 0; i < job->count; i++) {
        if (is_cancelled(desk)) {
            put_last(desk, i);
            return DEJA__ANSWER_CANCELLED;
        }
        fetch_ahead(job, i);
        const deja_code code =
            deja__game_step(stage->game, command_at(job, i), row_at(desk, i), &err);
        if (code != DEJA_OK)
            return stop(desk, i, code, &err);
        put_row(desk, i);
    }
    put_last(desk, job->count);
    return DEJA__ANSWER_DONE;
}

/* All that a plain run leaves out. */
static uint32_t run_any(deja__stage *stage, const deja__desk *desk)
{
    const deja__job *job = desk->job;
    const deja__head *how = &stage->how;
    deja_error err;
    for (uint32_t i = 0; i < job->count; i++) {
        if (is_cancelled(desk)) {
            put_last(desk, i);
            return DEJA__ANSWER_CANCELLED;
        }
        const uint64_t step = job->first + i;
        deja__stepped *row = row_at(desk, i);
        uint32_t bits = 0;
        row->events_size = row->state_size = 0;
        deja_code code = deja__game_apply(stage->game, command_at(job, i), &row->result, &err);
        if (code == DEJA_OK && !(how->flags & DEJA__HEAD_NO_STATE) && step % how->every == 0)
            code = hash_state(stage, desk->answer, &row->hash, &bits, &err);
        if (code == DEJA_OK && !(how->flags & DEJA__HEAD_NO_EVENTS))
            code = hash_events(stage, desk->answer, &row->event_hash, &bits, &err);
        if (code == DEJA_OK && job->flags & DEJA__JOB_TRACE && step >= how->trace_from &&
            step <= how->trace_to)
            code = deja__trace_send(stage, step, row->result, &err);
        if (code != DEJA_OK)
            return stop(desk, i, code, &err);
        row->result = (row->result & DEJA__ROW_RESULT) | bits;
        put_row(desk, i);
    }
    put_last(desk, job->count);
    return DEJA__ANSWER_DONE;
}

static uint32_t run(deja__stage *stage, const deja__desk *desk)
{
    const uint32_t rare = DEJA__HEAD_NO_STATE | DEJA__HEAD_NO_EVENTS;
    const bool plain = stage->how.every == 1 && !(stage->how.flags & rare) &&
                       !stage->state.recorded && !stage->events.recorded &&
                       !(desk->job->flags & DEJA__JOB_TRACE);
    return plain ? run_plain(stage, desk) : run_any(stage, desk);
}

static uint32_t capture(deja__stage *stage, deja__answer *answer)
{
    deja_error err = { 0 };
    deja_buffer_clear(&stage->scratch);
    const deja_code code = deja__game_save(stage->game, &stage->scratch, &err);
    if (code != DEJA_OK)
        return fail(answer, code, &err);
    const deja_span state = { stage->scratch.bytes, stage->scratch.size };
    deja__wire_send(stage->socket, DEJA__FRAME_STATE, 0, state, (deja_span){ NULL, 0 });
    return DEJA__ANSWER_DONE;
}

/* ---- end ---- */

static void keep_name(void *user, const char *name, uint64_t size)
{
    deja__answer *answer = user;
    (void)size;
    const size_t used = strlen(answer->kept);
    const size_t room = sizeof answer->kept - used;
    /* A name that does not fit is left out whole; the count still tells of it. */
    if (strlen(name) + 3 <= room)
        snprintf(answer->kept + used, room, "%s%s", used ? ", " : "", name);
}

static void finish(deja__stage *stage, deja__answer *answer)
{
    deja__game_drop(stage->game);
    stage->over = false;
    deja_buffer_clear(&stage->head);
    if (stage->restores)
        answer->kept_count = deja__plugin_restore(stage->plugin, keep_name, answer);
    deja__guard_floats(0);
}

/* ---- a job ---- */

static void clear(deja__answer *answer)
{
    memset(answer, 0, offsetof(deja__answer, note));
    answer->note[0] = '\0';
    answer->kept[0] = '\0';
}

static uint32_t play(deja__stage *stage, const deja__desk *desk)
{
    const deja__job *job = desk->job;
    uint32_t status = DEJA__ANSWER_DONE;
    if (stage->over || is_cancelled(desk))
        return DEJA__ANSWER_CANCELLED;
    deja_buffer_add(&stage->head, job->bytes, job->head_size);
    if (job->flags & DEJA__JOB_BEGIN)
        status = begin(stage, desk);
    desk->answer->begun = status == DEJA__ANSWER_DONE;
    set_progress(desk, DEJA__PROGRESS_BEGUN);
    if (status == DEJA__ANSWER_DONE && job->count)
        status = run(stage, desk);
    if (status == DEJA__ANSWER_DONE && job->flags & DEJA__JOB_CAPTURE)
        status = capture(stage, desk->answer);
    if (status == DEJA__ANSWER_DONE && job->flags & DEJA__JOB_END) {
        deja_error err = { 0 };
        const deja_code code = deja__game_outcome(stage->game, &desk->answer->outcome, &err);
        if (code != DEJA_OK)
            status = fail(desk->answer, code, &err);
    }
    return status;
}

void deja__stage_job(deja__stage *stage, const deja__desk *desk)
{
    clear(desk->answer);
    set_progress(desk, DEJA__PROGRESS_TAKEN);
    desk->answer->status = play(stage, desk);
    if (desk->answer->status != DEJA__ANSWER_DONE)
        stage->over = true;
    if (desk->job->flags & DEJA__JOB_END)
        finish(stage, desk->answer);
}

void deja__stage_release(deja__stage *stage)
{
    deja__game_close(stage->game);
    stage->game = NULL;
    deja__seen_release(&stage->state);
    deja__seen_release(&stage->events);
    deja_buffer_release(&stage->head);
    deja_buffer_release(&stage->scratch);
}
