/* SPDX-License-Identifier: MIT */
/*
 * A stored session as a library plays it, step by step: states, events, hashes, drawings.
 *
 * One job at a time: its steps come as messages while it is at work, and the commands that they
 * belong to still lie in its slot.
 */
#include <deja/replay.h>

#include "replay/replay.h"

#include <stdlib.h>

enum { WAIT_MS = 25 };

typedef struct tracing {
    const deja_trace_options *options;
    deja__packs packs;
    deja__link link;
    deja__fits fits;
    deja__replay *replay;
    deja__expected *expected;
    deja_buffer ends;
    deja_buffer drawing;
    bool enough; /* the caller has seen what it wanted */
    bool failed; /* no memory */
} tracing;

/* ---- telling ---- */

/* The command of a step of the job at work, in the library's layout. */
static deja_span command_at(const tracing *t, uint64_t step)
{
    const deja__job *job = deja__job_at(t->link.in, t->link.taken);
    if (step < job->first || step - job->first >= job->count)
        return (deja_span){ NULL, 0 };
    const uint64_t row = step - job->first;
    const uint32_t begin = row ? job->ends[row - 1] : 0;
    return (deja_span){ job->bytes + job->head_size + begin, job->ends[row] - begin };
}

static bool tell(void *user, uint32_t kind, deja_span bytes)
{
    tracing *t = user;
    deja__traced traced;
    if (kind == DEJA__FRAME_STATE)
        return true;
    if (kind != DEJA__FRAME_STEP || !deja__traced_unpack(&traced, bytes))
        return false;
    const deja__step_frame *frame = &traced.frame;
    if (t->enough || frame->step < t->options->from || frame->step > t->options->to)
        return true;
    deja_buffer_clear(&t->ends);
    deja_buffer_clear(&t->drawing);
    deja_buffer_add(&t->ends, traced.ends, (uint64_t)frame->event_count * 4);
    deja_buffer_add(&t->drawing, traced.drawing.bytes, traced.drawing.size);
    if (t->ends.failed || t->drawing.failed) {
        t->failed = t->enough = true;
        return true;
    }
    const deja_trace_step step = {
        .step = frame->step,
        .command = command_at(t, frame->step),
        .result = frame->result,
        .events = traced.events,
        .event_ends = (const uint32_t *)(const void *)t->ends.bytes,
        .event_count = frame->event_count,
        .state = traced.state,
        .hash = frame->hash,
        .drawing = frame->drawing_size == DEJA__NO_DRAWING ? NULL : (const char *)t->drawing.bytes,
    };
    if (t->options->step && !t->options->step(t->options->user, &step))
        t->enough = true;
    return true;
}

/* ---- what went wrong ---- */

static deja_code fail_dead(const tracing *t, deja_error *err)
{
    const deja__link *link = &t->link;
    const int64_t rows = deja__link_rows(link);
    const deja__expected *expected = t->expected;
    uint64_t step = expected->first + (rows > 0 ? (uint64_t)rows : 0);
    if (link->end == DEJA__END_SYSTEM)
        return deja__fail(err, link->system.code, "%s", link->system.message);
    if (rows < 0 && expected->begins)
        step = 0;
    else if (rows >= 0 && (uint64_t)rows == expected->count)
        step = expected->first + expected->count - 1;
    deja_buffer how = { 0 };
    deja__link_print_end(link, &how);
    const deja_code code =
        how.failed
            ? deja__fail_memory(err)
            : deja__fail_at(err, DEJA_ERULES, step, "the rules %s: %s",
                            link->end == DEJA__END_CPU || link->end == DEJA__END_WALL ? "hang"
                                                                                      : "crash",
                            how.bytes);
    deja_buffer_release(&how);
    return code;
}

/* The session cannot go on in this library. */
static deja_code fail_answer(const tracing *t, const deja__answer *answer, deja_error *err)
{
    char note[DEJA__NOTE_SIZE];
    memcpy(note, answer->note, sizeof note);
    note[sizeof note - 1] = '\0';
    const uint32_t row = answer->rows < t->expected->count ? answer->rows : t->expected->count;
    const uint64_t step = answer->begun || !t->expected->begins ? t->expected->first + row : 0;
    switch (answer->status) {
    case DEJA__ANSWER_REFUSED:
        return deja__fail_at(err, DEJA_EREFUSED, 0, "%s", note);
    case DEJA__ANSWER_UNFIT:
        return deja__fail(err, DEJA_EUNFIT, "%s", note);
    case DEJA__ANSWER_MEMORY:
        return deja__fail_at(err, DEJA_ERULES, step, "the rules ran out of memory: %s", note);
    default:
        return deja__fail_at(err, DEJA_ERULES, step, "the rules broke their contract: %s", note);
    }
}

static deja_code settled_code(const deja__finding *finding)
{
    return finding->kind == DEJA__DAMAGE ? DEJA_EDAMAGED : DEJA_EUNFIT;
}

static deja_code fail_settled(const deja__finding *finding, deja_error *err)
{
    return deja__fail_at(err, settled_code(finding), finding->step, "%s", finding->reason);
}

/* ---- playing ---- */

static deja_code play_job(tracing *t, deja_error *err)
{
    deja__link *link = &t->link;
    const deja_code code = deja__replay_feed(t->replay, deja__link_slot(link), t->expected, err);
    if (code != DEJA_OK)
        return code;
    deja__link_submit(link);
    deja__link_kick(link);
    for (;;) {
        const enum deja__link_event event = deja__link_wait(link, WAIT_MS);
        if (t->enough)
            return DEJA_OK;
        if (event == DEJA__LINK_ENDED)
            return fail_dead(t, err);
        if (event == DEJA__LINK_ANSWER)
            break;
    }
    const deja__answer *answer = deja__link_answer(link);
    if (answer->status != DEJA__ANSWER_DONE)
        return fail_answer(t, answer, err);
    deja__link_take(link);
    t->replay->flying--;
    /* Damage that was found on the way comes behind the steps before it. */
    if (t->replay->finding.kind)
        return fail_settled(&t->replay->finding, err);
    return DEJA_OK;
}

static deja_code play(tracing *t, deja_error *err)
{
    deja_code code = DEJA_OK;
    if (t->replay->finding.kind)
        return deja__fail_at(err, settled_code(&t->replay->finding), t->replay->finding.step, "%s",
                             deja__settled(t->replay));
    while (code == DEJA_OK && !t->enough && deja__replay_has_job(t->replay) &&
           (!t->replay->begun || t->replay->fed < t->options->to))
        code = play_job(t, err);
    if (code == DEJA_OK && t->failed)
        return deja__fail_memory(err);
    if (code == DEJA_OK && !t->enough && t->replay->unfed.kind)
        return fail_settled(&t->replay->unfed, err);
    return code;
}

static deja_code open_all(tracing *t, deja_store *store, int64_t key, const char *library,
                          deja_error *err)
{
    const deja_trace_options *options = t->options;
    const deja_verify_options usual = DEJA_VERIFY_OPTIONS_INIT;
    deja_code code = deja__packs_open(&t->packs, options->content, err);
    if (code != DEJA_OK)
        return code;
    const deja__link_how how = { options->worker,      library,
                                 DEJA_ISOLATE_EXEC,    usual.memory_mib,
                                 options->hang_cpu_ms, options->hang_wall_ms,
                                 t->packs.descriptor };
    deja__replay_how replay_how = DEJA__REPLAY_HOW_INIT;
    replay_how.traces = true;
    replay_how.trace_from = options->from;
    replay_how.trace_to = options->to;
    replay_how.draws = options->draw != 0;
    t->expected = calloc(1, sizeof *t->expected);
    if (!t->expected)
        return deja__fail_memory(err);
    code = deja__link_open(&t->link, &how, err);
    if (code == DEJA_OK)
        code = deja__link_start(&t->link, err);
    t->link.message = tell;
    t->link.user = t;
    t->fits.info = &t->link.info;
    t->fits.packs = &t->packs;
    t->fits.partial = true; /* nothing is compared */
    if (code == DEJA_OK)
        code = deja__replay_open(&t->replay, store, key, &t->fits, &replay_how, err);
    if (code == DEJA_OK)
        t->replay->number = 1;
    return code;
}

deja_code deja_trace(deja_store *store, int64_t key, const char *library,
                     const deja_trace_options *options, deja_error *err)
{
    deja_trace_options taken = DEJA_TRACE_OPTIONS_INIT;
    if (!store || !library || (options && options->struct_size < sizeof options->struct_size))
        return deja__fail(err, DEJA_EMISUSE, "deja_trace: an argument is missing");
    if (options)
        memcpy(&taken, options,
               options->struct_size < sizeof taken ? options->struct_size : sizeof taken);
    tracing t = { .options = &taken, .packs.descriptor = -1 };
    deja_code code = open_all(&t, store, key, library, err);
    if (code == DEJA_OK)
        code = play(&t, err);
    deja__replay_close(t.replay);
    deja__fits_release(&t.fits);
    deja__link_close(&t.link);
    deja__packs_release(&t.packs);
    deja_buffer_release(&t.ends);
    deja_buffer_release(&t.drawing);
    free(t.expected);
    return code;
}
