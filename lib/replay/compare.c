/* SPDX-License-Identifier: MIT */
/*
 * Answers against what is expected.
 *
 * Of each step its result and, where it was hashed, the low bits of its hash are compared; behind
 * each stored block the chain over the full hashes and results, and the one over the events. What
 * can be found, by what differs first:
 *
 *     result or trail     this step (of a sparse trail: one since the last hashed that agreed)
 *     chain alone         a step of this block, which the cut hashes happened to miss
 *     event chain alone   a step of this block; told only if the states agree to the end
 *     outcome             the last step
 *
 * A step that differs while the chain behind it agrees cannot come from rules: the chain is made of
 * that very hash and result. Then the recording contradicts itself, which is said. So a finding is
 * held back until its block's end.
 *
 * Each value that the worker wrote is read once.
 */
#include "replay/compare.h"

#include "base/chain.h"

void deja__answer_text(char *target, uint64_t size, const char *source)
{
    for (size_t i = 0; i + 1 < size; i++) {
        const char c = *(const volatile char *)(source + i);
        target[i] = c;
        if (!c)
            return;
    }
    target[size - 1] = '\0';
}

/* ---- findings ---- */

deja__finding *deja__find(deja__replay *replay, uint32_t kind, uint64_t step, uint64_t step_last)
{
    deja__finding *finding = &replay->finding;
    memset(finding, 0, sizeof *finding);
    finding->kind = kind;
    finding->step = step;
    finding->step_last = step_last;
    return finding;
}

void deja__keep_before(deja__replay *replay, const deja__row *rows, uint32_t count, uint64_t step)
{
    const uint32_t most = replay->how.before_count;
    replay->before_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i].step >= step || rows[i].step + most < step)
            continue;
        replay->before[replay->before_count++] = rows[i];
    }
}

static deja__row row_at(const deja__expected *expected, const deja__answer *answer, uint32_t i)
{
    const deja__replay *replay = expected->replay;
    const uint64_t step = expected->first + i;
    const bool hashed = !replay->scenario && replay->fit->compares_state &&
                        (replay->how.hash_all || step % replay->every == 0);
    return (deja__row){ step, hashed ? deja__read64(&answer->hashes[i]) : 0,
                        deja__read32(&answer->results[i]) & DEJA__ROW_RESULT };
}

/* The steps before row `until` of this answer: the last of the jobs before, then of this one. */
static uint32_t gather(const deja__expected *expected, const deja__answer *answer, uint32_t until,
                       deja__row rows[2 * DEJA__BEFORE_MAX])
{
    const deja__replay *replay = expected->replay;
    const uint32_t most = replay->how.before_count;
    uint32_t count = replay->tail_count;
    memcpy(rows, replay->tail, count * sizeof rows[0]);
    for (uint32_t i = until > most ? until - most : 0; i < until; i++)
        rows[count++] = row_at(expected, answer, i);
    return count;
}

void deja__compare_keep_before(const deja__expected *expected, const deja__answer *answer,
                               uint32_t row, uint64_t step)
{
    deja__row rows[2 * DEJA__BEFORE_MAX];
    const uint32_t count = gather(expected, answer, row, rows);
    deja__keep_before(expected->replay, rows, count, step);
}

void deja__keep_tail(const deja__expected *expected, const deja__answer *answer)
{
    deja__replay *replay = expected->replay;
    deja__row rows[2 * DEJA__BEFORE_MAX];
    const uint32_t count = gather(expected, answer, expected->compared, rows);
    const uint32_t kept = count < replay->how.before_count ? count : replay->how.before_count;
    memcpy(replay->tail, rows + (count - kept), kept * sizeof rows[0]);
    replay->tail_count = kept;
}

/* ---- step 0 ---- */

static void compare_start(deja__expected *expected, const deja__answer *answer)
{
    deja__replay *replay = expected->replay;
    expected->started = true;
    if (replay->scenario || !replay->fit->compares_state || replay->stopped)
        return;
    const uint64_t hash = deja__read64(&answer->start_hash);
    const bool formless = deja__read32(&answer->start_bits) & DEJA__ROW_STATE_FORMLESS;
    replay->chain = deja__chain_start(hash);
    replay->compared++;
    if (!formless && deja__cut(hash, replay->bits) == expected->start_hash) {
        replay->equal_step = 0;
        return;
    }
    deja__finding *finding = deja__find(replay, DEJA__STATE, 0, 0);
    finding->expected = expected->start_hash;
    finding->actual = hash;
    finding->formless = formless;
    if (formless)
        deja__answer_text(finding->reason, sizeof finding->reason, answer->note);
    replay->parted_count = 1;
    replay->parted_last = 0;
    replay->doubted = !formless;
}

/* ---- steps ---- */

/* What one step came to. */
typedef struct seen {
    uint64_t step;
    uint64_t hash;
    uint64_t cut; /* what the trail has */
    uint32_t result;
    uint32_t expected_result;
    bool hashed;
    bool result_differs;
    bool state_differs;
    bool formless;
} seen;

/* The first step that differs; `row` is its place in the answer. */
static void find_step(deja__expected *expected, const deja__answer *answer, uint32_t row,
                      const seen *s)
{
    deja__replay *replay = expected->replay;
    /* Steps that were not hashed lie between; any of these may be the first. */
    uint64_t first = s->step;
    if (replay->every > 1 && replay->fit->compares_state)
        first = replay->equal_step == DEJA_STEP_NONE ? 0 : replay->equal_step + 1;
    deja__finding *finding =
        deja__find(replay, s->result_differs ? DEJA__RESULT : DEJA__STATE, first, s->step);
    finding->expected = s->cut;
    finding->actual = s->hash;
    finding->expected_result = s->expected_result;
    finding->actual_result = s->result;
    finding->formless = s->formless;
    if (s->formless)
        deja__answer_text(finding->reason, sizeof finding->reason, answer->note);
    replay->doubted = s->hashed && !s->formless;
    deja__compare_keep_before(expected, answer, row, first);
}

static void judge_step(deja__expected *expected, const deja__answer *answer, uint32_t row,
                       const seen *s)
{
    deja__replay *replay = expected->replay;
    if (!s->result_differs && !s->state_differs) {
        if (s->hashed)
            replay->equal_step = s->step;
        if (replay->finding.kind && replay->healed == DEJA_STEP_NONE &&
            (s->hashed || !replay->fit->compares_state))
            replay->healed = s->step;
        return;
    }
    replay->parted_count++;
    replay->parted_last = s->step;
    replay->healed = DEJA_STEP_NONE;
    if (!replay->finding.kind)
        find_step(expected, answer, row, s);
}

/* Each hash of every step, and nothing amiss so far: answers the row where that ends. */
static uint32_t compare_fast(deja__expected *expected, const deja__answer *answer, uint32_t rows)
{
    enum { AHEAD = 64 };
    /* The worker has stored these lines last, on another processor; they are fetched ahead. */
    const unsigned char *hashes = (const unsigned char *)answer->hashes;
    const unsigned char *event_hashes = (const unsigned char *)answer->event_hashes;
    deja__replay *replay = expected->replay;
    const deja__fit *fit = replay->fit;
    const uint32_t names = fit->present_refusals.count;
    const uint64_t mask = replay->bits == 64 ? UINT64_MAX : ((uint64_t)1 << replay->bits) - 1;
    uint64_t chain = replay->chain;
    uint64_t event_chain = replay->event_chain;
    uint32_t i = expected->compared;
    for (; i < rows; i++) {
        __builtin_prefetch(hashes + (i + AHEAD) * sizeof answer->hashes[0]);
        __builtin_prefetch(event_hashes + (i + AHEAD) * sizeof answer->event_hashes[0]);
        const uint32_t answered = deja__read32(&answer->results[i]);
        const uint64_t hash = deja__read64(&answer->hashes[i]);
        const uint64_t event_hash = deja__read64(&answer->event_hashes[i]);
        if (answered > names || fit->results[answered] != expected->results[i] ||
            (hash & mask) != expected->trail[i])
            break;
        chain = deja__chain_step(chain, hash, expected->results[i]);
        event_chain = deja__event_chain_step(event_chain, event_hash);
    }
    replay->chain = chain;
    replay->event_chain = event_chain;
    expected->trail_at = i;
    if (i > expected->compared)
        replay->equal_step = expected->first + i - 1;
    replay->compared += i - expected->compared;
    return i;
}

static void find_formless_events(deja__replay *replay, const deja__answer *answer, uint64_t step)
{
    deja__finding *events = &replay->events;
    if (events->kind)
        return;
    events->kind = DEJA__EVENTS;
    events->step = events->step_last = step;
    events->formless = true;
    deja__answer_text(events->reason, sizeof events->reason, answer->note);
}

static void compare_row(deja__expected *expected, const deja__answer *answer, uint32_t row)
{
    deja__replay *replay = expected->replay;
    const deja__fit *fit = replay->fit;
    const uint32_t bits = deja__read32(&answer->results[row]);
    seen s = { .step = expected->first + row, .result = bits & DEJA__ROW_RESULT };
    const uint32_t result =
        s.result <= fit->present_refusals.count ? fit->results[s.result] : DEJA__RESULT_NONE;
    s.expected_result = expected->results[row];
    s.result_differs = result != s.expected_result;
    s.hashed = s.step % replay->every == 0 && fit->compares_state;
    if (s.step % replay->every == 0)
        s.cut = expected->trail[expected->trail_at++];
    if (s.hashed) {
        s.hash = deja__read64(&answer->hashes[row]);
        s.formless = bits & DEJA__ROW_STATE_FORMLESS;
        s.state_differs = s.formless || deja__cut(s.hash, replay->bits) != s.cut;
        replay->chain = deja__chain_step(replay->chain, s.hash, result);
    }
    if (fit->compares_events) {
        if (bits & DEJA__ROW_EVENTS_FORMLESS)
            find_formless_events(replay, answer, s.step);
        replay->event_chain =
            deja__event_chain_step(replay->event_chain, deja__read64(&answer->event_hashes[row]));
    }
    replay->compared++;
    judge_step(expected, answer, row, &s);
}

void deja__compare_rows(deja__expected *expected, const deja__answer *answer, uint32_t rows)
{
    deja__replay *replay = expected->replay;
    if (rows > expected->count)
        rows = expected->count;
    /* What crashed when it was recorded has nothing to be compared with. */
    if (expected->tries_crash && rows == expected->count)
        rows--;
    if (expected->begins && !expected->started)
        compare_start(expected, answer);
    if (replay->stopped || replay->scenario) {
        expected->compared = rows > expected->compared ? rows : expected->compared;
        return;
    }
    const deja__fit *fit = replay->fit;
    uint32_t i = expected->compared;
    if (replay->every == 1 && fit->compares_state && fit->compares_events && !replay->finding.kind)
        i = compare_fast(expected, answer, rows);
    for (; i < rows; i++)
        compare_row(expected, answer, i);
    if (i > expected->compared)
        expected->compared = i;
}
