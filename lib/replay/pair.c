/* SPDX-License-Identifier: MIT */
/*
 * Two builds side by side.
 *
 * Both are given the same jobs at the same time, each in its own worker, and after each job their
 * rows are held against each other: result (by name), hash, and events. Each is held against the
 * recording as well, so it is known afterwards whether the baseline reproduces it.
 */
#include "replay/pair.h"

#include <stdlib.h>

enum { WAIT_MS = 25 };

/* ---- sides ---- */

deja_code deja__side_start(deja__lane *lane, deja__side *side, const char *library,
                           uint32_t isolation, deja_error *err)
{
    const deja_verify_options *options = &lane->verify->options;
    const deja__link_how how = { options->worker,
                                 library,
                                 isolation,
                                 options->memory_mib,
                                 options->hang_cpu_ms,
                                 options->hang_wall_ms,
                                 lane->verify->packs.descriptor };
    deja_code code = DEJA_OK;
    if (!side->open) {
        side->open = true;
        code = deja__link_open(&side->link, &how, err);
    }
    if (code == DEJA_OK && !side->link.pid)
        code = deja__link_start(&side->link, err);
    side->fits.info = &side->link.info;
    side->fits.packs = &lane->verify->packs;
    side->fits.partial = options->allow_partial != 0;
    return code;
}

void deja__side_stop(deja__side *side)
{
    if (!side->open)
        return;
    deja__fits_release(&side->fits);
    deja__link_close(&side->link);
    side->open = false;
}

/* ---- rows side by side ---- */

/* A result of either build in the numbers of the recording. */
static uint32_t recorded_result(const deja__member *m, uint32_t result)
{
    const deja__fit *fit = m->replay->fit;
    return result <= fit->present_refusals.count ? fit->results[result] : DEJA__RESULT_NONE;
}

/* What both builds answered at one place. */
typedef struct both {
    uint64_t hashes[2];
    uint64_t events[2];
    uint32_t results[2]; /* as recorded */
    uint32_t present;    /* the present build's own */
    bool formless;
} both;

static void look_at(const deja__pair *pair, const deja__answer *answers[2], uint32_t row, both *b)
{
    for (int i = 0; i < 2; i++) {
        const uint32_t bits = answers[i]->results[row];
        b->hashes[i] = answers[i]->hashes[row];
        b->events[i] = answers[i]->event_hashes[row];
        b->results[i] = recorded_result(&pair->members[i], bits & DEJA__ROW_RESULT);
        if (i == DEJA__PRESENT) {
            b->present = bits & DEJA__ROW_RESULT;
            b->formless = bits & DEJA__ROW_STATE_FORMLESS;
        }
    }
}

static void part(deja__pair *pair, uint32_t kind, uint64_t step, const uint64_t values[2])
{
    deja__finding *found = &pair->found;
    found->kind = kind;
    found->step = found->step_last = step;
    found->expected = values[DEJA__RECORDED];
    found->actual = values[DEJA__PRESENT];
    found->full = true;
}

static bool compare_row(deja__pair *pair, const deja__answer *answers[2], uint32_t row,
                        bool with_state)
{
    const deja__expected *expected = pair->members[DEJA__PRESENT].expected;
    const uint64_t step = expected->first + row;
    both b;
    look_at(pair, answers, row, &b);
    const bool result_differs = b.results[0] != b.results[1];
    if (pair->events_only && b.events[0] != b.events[1])
        part(pair, DEJA__EVENTS, step, b.events);
    else if (!pair->events_only && (result_differs || (with_state && b.hashes[0] != b.hashes[1])))
        part(pair, result_differs ? DEJA__RESULT : DEJA__STATE, step, b.hashes);
    else
        return false;
    pair->found.expected_result = b.results[0];
    pair->found.actual_result = b.present;
    pair->found.formless = b.formless;
    deja__replay *present = pair->members[DEJA__PRESENT].replay;
    deja__compare_keep_before(expected, answers[DEJA__PRESENT], row, step);
    memcpy(pair->before, present->before, sizeof pair->before);
    pair->before_count = present->before_count;
    return true;
}

/* Finds where two answers to the same job part. */
static void compare_answers(deja__pair *pair, const deja__answer *answers[2])
{
    const deja__expected *of = pair->members[DEJA__PRESENT].expected;
    const bool with_state = pair->members[DEJA__PRESENT].replay->fit->compares_state;
    if (pair->found.kind)
        return;
    if (of->begins && with_state && !pair->events_only) {
        const uint64_t hashes[2] = { answers[0]->start_hash, answers[1]->start_hash };
        if (hashes[0] != hashes[1]) {
            part(pair, DEJA__STATE, 0, hashes);
            return;
        }
    }
    for (uint32_t i = 0; i < of->count; i++)
        if (compare_row(pair, answers, i, with_state))
            return;
}

/* ---- one job of both ---- */

static bool keep_traced(void *user, uint32_t kind, deja_span bytes)
{
    deja__member *m = user;
    if (kind != DEJA__FRAME_STEP)
        return kind == DEJA__FRAME_STATE;
    deja_buffer_clear(&m->traced);
    return deja_buffer_add(&m->traced, bytes.bytes, bytes.size);
}

static deja_code hand_over(deja__member *m, deja_error *err)
{
    deja__link *link = &m->side->link;
    const deja_code code = deja__replay_feed(m->replay, deja__link_slot(link), m->expected, err);
    if (code == DEJA_OK)
        deja__link_submit(link);
    deja__link_kick(link);
    return code;
}

/* Waits for an answer. NULL: there is none, as the worker died or the run is broken off. */
static const deja__answer *await(const deja__pair *pair, deja__member *m)
{
    deja__link *link = &m->side->link;
    for (;;) {
        switch (deja__link_wait(link, WAIT_MS)) {
        case DEJA__LINK_ANSWER:
            return deja__link_answer(link);
        case DEJA__LINK_ENDED:
            return NULL;
        case DEJA__LINK_TICK:
            if (atomic_load(&pair->lane->verify->stop))
                return NULL;
        }
    }
}

/* One job of both. *more is false when there is no more to see. */
static deja_code do_job(deja__pair *pair, bool *more, deja_error *err)
{
    static const deja_span none = { NULL, 0 };
    deja__member *members = pair->members;
    const deja__answer *answers[2];
    deja_code code = hand_over(&members[0], err);
    if (code == DEJA_OK)
        code = hand_over(&members[1], err);
    if (code != DEJA_OK)
        return code;
    for (int i = 0; i < 2; i++)
        answers[i] = await(pair, &members[i]);
    *more = false;
    if (!answers[0] || !answers[1])
        return DEJA_OK;
    const deja__expected *a = members[0].expected;
    const deja__expected *b = members[1].expected;
    /* Commands that take more bytes in one layout may make other jobs; that is not looked into. */
    const bool alike = answers[0]->status == DEJA__ANSWER_DONE &&
                       answers[1]->status == DEJA__ANSWER_DONE && a->first == b->first &&
                       a->count == b->count && a->begins == b->begins;
    if (alike)
        compare_answers(pair, answers);
    for (int i = 0; i < 2 && code == DEJA_OK; i++) {
        code = deja__compare_answer(members[i].expected, answers[i], none, err);
        deja__link_take(&members[i].side->link);
    }
    *more =
        alike && deja__replay_has_job(members[0].replay) && deja__replay_has_job(members[1].replay);
    return code;
}

/* ---- all of it ---- */

static deja_code open_member(deja__pair *pair, deja__member *m, const deja__replay *like,
                             const deja__replay_how *how, deja_error *err)
{
    m->side->link.message = keep_traced;
    m->side->link.user = m;
    deja_buffer_clear(&m->traced);
    m->expected = calloc(1, sizeof *m->expected);
    if (!m->expected)
        return deja__fail_memory(err);
    const deja_code code =
        deja__replay_open(&m->replay, pair->lane->store, like->key, &m->side->fits, how, err);
    if (code == DEJA_OK)
        m->replay->number = ++pair->lane->session;
    return code;
}

deja_code deja__pair_run(deja__pair *pair, const deja__replay *like, const deja__replay_how *how,
                         deja_error *err)
{
    memset(&pair->found, 0, sizeof pair->found);
    pair->before_count = 0;
    deja_code code = open_member(pair, &pair->members[0], like, how, err);
    if (code == DEJA_OK)
        code = open_member(pair, &pair->members[1], like, how, err);
    if (code != DEJA_OK)
        return code;
    bool more = deja__replay_has_job(pair->members[0].replay) &&
                deja__replay_has_job(pair->members[1].replay);
    while (code == DEJA_OK && more)
        code = do_job(pair, &more, err);
    return code;
}

/* A worker with a session half played is of no more use. */
static void close_member(deja__member *m)
{
    deja__link *link = &m->side->link;
    const bool idle = !m->replay || (!deja__replay_has_job(m->replay) &&
                                     link->submitted == link->taken && !link->end);
    if (!idle) {
        while (link->taken < link->submitted)
            deja__link_take(link);
        link->end = link->end ? link->end : DEJA__END_CUT;
    }
    if (!idle || link->info.isolation == DEJA_ISOLATE_EXEC)
        deja__link_stop(link);
    deja__replay_close(m->replay);
    free(m->expected);
    m->replay = NULL;
    m->expected = NULL;
    link->message = NULL;
}

void deja__pair_close(deja__pair *pair)
{
    close_member(&pair->members[0]);
    close_member(&pair->members[1]);
}
