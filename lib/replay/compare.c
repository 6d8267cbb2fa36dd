/* SPDX-License-Identifier: MIT */
/*
 * Answers against what is expected.
 *
 * Of each step its result and, where it was hashed, the low bits of its hash are compared; behind
 * each stored block the chain over the full hashes and results, and the one over the events. What
 * can be found, by what differs first:
 *
 *     result or trail     this step (of a sparse trail: a step since the last hashed one that agreed)
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
#include "replay/replay.h"

#include <stdio.h>

#include "base/chain.h"

static uint64_t read64(const uint64_t *value)
{
    return *(const volatile uint64_t *)value;
}

static uint32_t read32(const uint32_t *value)
{
    return *(const volatile uint32_t *)value;
}

/* A text of the worker's, which may not end. */
static void read_text(char *target, size_t size, const char *source)
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

static bool is_wanted(const deja__replay *replay)
{
    return !replay->stopped;
}

static deja__finding *find(deja__replay *replay, uint32_t kind, uint64_t step, uint64_t step_last)
{
    deja__finding *finding = &replay->finding;
    memset(finding, 0, sizeof *finding);
    finding->kind = kind;
    finding->step = step;
    finding->step_last = step_last;
    return finding;
}

/* The rows of these that lie before a step, as many as are asked for. */
static void keep_before(deja__replay *replay, const deja__row *rows, uint32_t count, uint64_t step)
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
    return (deja__row){ step, hashed ? read64(&answer->hashes[i]) : 0,
                        read32(&answer->results[i]) & DEJA__ROW_RESULT };
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
    keep_before(expected->replay, rows, count, step);
}

/* Keeps the last rows for the next job. */
static void keep_tail(const deja__expected *expected, const deja__answer *answer)
{
    deja__replay *replay = expected->replay;
    deja__row rows[2 * DEJA__BEFORE_MAX];
    const uint32_t count = gather(expected, answer, expected->compared, rows);
    const uint32_t kept =
        count < replay->how.before_count ? count : replay->how.before_count;
    memcpy(replay->tail, rows + (count - kept), kept * sizeof rows[0]);
    replay->tail_count = kept;
}

/* ---- step 0 ---- */

static void compare_start(deja__expected *expected, const deja__answer *answer)
{
    deja__replay *replay = expected->replay;
    expected->started = true;
    if (replay->scenario || !replay->fit->compares_state || !is_wanted(replay))
        return;
    const uint64_t hash = read64(&answer->start_hash);
    const bool formless = read32(&answer->start_bits) & DEJA__ROW_STATE_FORMLESS;
    replay->chain = deja__chain_start(hash);
    replay->compared++;
    if (!formless && deja__cut(hash, replay->bits) == expected->start_hash) {
        replay->equal_step = 0;
        return;
    }
    deja__finding *finding = find(replay, DEJA__STATE, 0, 0);
    finding->expected = expected->start_hash;
    finding->actual = hash;
    finding->formless = formless;
    if (formless)
        read_text(finding->reason, sizeof finding->reason, answer->note);
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
        find(replay, s->result_differs ? DEJA__RESULT : DEJA__STATE, first, s->step);
    finding->expected = s->cut;
    finding->actual = s->hash;
    finding->expected_result = s->expected_result;
    finding->actual_result = s->result;
    finding->formless = s->formless;
    if (s->formless)
        read_text(finding->reason, sizeof finding->reason, answer->note);
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
    deja__replay *replay = expected->replay;
    const deja__fit *fit = replay->fit;
    const uint32_t names = fit->present_refusals.count;
    const uint64_t mask = replay->bits == 64 ? UINT64_MAX : ((uint64_t)1 << replay->bits) - 1;
    uint64_t chain = replay->chain;
    uint64_t event_chain = replay->event_chain;
    uint32_t i = expected->compared;
    for (; i < rows; i++) {
        const uint32_t answered = read32(&answer->results[i]);
        const uint64_t hash = read64(&answer->hashes[i]);
        const uint64_t event_hash = read64(&answer->event_hashes[i]);
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
    read_text(events->reason, sizeof events->reason, answer->note);
}

static void compare_row(deja__expected *expected, const deja__answer *answer, uint32_t row)
{
    deja__replay *replay = expected->replay;
    const deja__fit *fit = replay->fit;
    const uint32_t bits = read32(&answer->results[row]);
    seen s = { .step = expected->first + row, .result = bits & DEJA__ROW_RESULT };
    const uint32_t result =
        s.result <= fit->present_refusals.count ? fit->results[s.result] : DEJA__RESULT_NONE;
    s.expected_result = expected->results[row];
    s.result_differs = result != s.expected_result;
    s.hashed = s.step % replay->every == 0 && fit->compares_state;
    if (s.step % replay->every == 0)
        s.cut = expected->trail[expected->trail_at++];
    if (s.hashed) {
        s.hash = read64(&answer->hashes[row]);
        s.formless = bits & DEJA__ROW_STATE_FORMLESS;
        s.state_differs = s.formless || deja__cut(s.hash, replay->bits) != s.cut;
        replay->chain = deja__chain_step(replay->chain, s.hash, result);
    }
    if (fit->compares_events) {
        if (bits & DEJA__ROW_EVENTS_FORMLESS)
            find_formless_events(replay, answer, s.step);
        replay->event_chain =
            deja__event_chain_step(replay->event_chain, read64(&answer->event_hashes[row]));
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
    if (!is_wanted(replay) || replay->scenario) {
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

/* ---- behind a block ---- */

static void keep_agreed(deja__replay *replay, uint64_t last)
{
    replay->agreed_step = last;
    replay->agreed_count = replay->tail_count;
    memcpy(replay->agreed, replay->tail, replay->tail_count * sizeof replay->tail[0]);
}

static void compare_chain(deja__replay *replay, uint64_t expected, uint64_t last)
{
    if (!replay->fit->compares_state || replay->chain_broken)
        return;
    const bool agrees = replay->chain == expected;
    const bool doubted = replay->doubted;
    replay->doubted = false;
    replay->contradicted |= agrees && doubted;
    if (agrees)
        return;
    replay->chain_broken = true;
    /* Of full hashes the chain can be told without any game, and this one is not theirs. */
    replay->contradicted |= !replay->finding.kind && replay->bits == 64;
    if (replay->finding.kind)
        return;
    const uint64_t last_hashed = last / replay->every * replay->every;
    const uint64_t first = last ? replay->agreed_step + 1 : 0;
    deja__finding *finding = find(replay, DEJA__CHAIN, first, last_hashed);
    finding->expected = expected;
    finding->actual = replay->chain;
    keep_before(replay, replay->agreed, replay->agreed_count, finding->step);
}

static void compare_event_chain(deja__replay *replay, uint64_t expected, uint64_t last)
{
    if (!replay->fit->compares_events || replay->events.kind ||
        replay->event_chain == expected)
        return;
    deja__finding *events = &replay->events;
    events->kind = DEJA__EVENTS;
    events->step = replay->agreed_step + 1;
    events->step_last = last;
    events->expected = expected;
    events->actual = replay->event_chain;
    if (!replay->finding.kind)
        keep_before(replay, replay->agreed, replay->agreed_count, events->step);
}

static void close_block(deja__expected *expected)
{
    deja__replay *replay = expected->replay;
    const uint64_t last = expected->first + expected->compared - 1;
    compare_chain(replay, expected->chain, last);
    compare_event_chain(replay, expected->event_chain, last);
    keep_agreed(replay, last);
}

/* ---- behind the last step ---- */

static void compare_outcome(deja__replay *replay, uint32_t outcome)
{
    const deja_recording *recording = replay->recording;
    const deja__namelist *names = &replay->fit->present_outcomes;
    const bool has_name = recording->ended == DEJA_ENDED_OUTCOME;
    replay->outcome = outcome;
    if ((recording->ended != DEJA_ENDED_RUNNING && !has_name) ||
        (has_name && !replay->fit->compares_outcome))
        return;
    replay->outcome_compared = true;
    const char *actual = outcome && outcome <= names->count ? names->items[outcome - 1] : "running";
    if (strcmp(actual, has_name ? recording->outcome : "running") == 0 || replay->finding.kind)
        return;
    const uint64_t last = replay->session->steps;
    find(replay, DEJA__OUTCOME, last, last)->actual = outcome;
    replay->before_count = 0;
    keep_before(replay, replay->tail, replay->tail_count, last);
}

static void finish(deja__expected *expected, const deja__answer *answer)
{
    deja__replay *replay = expected->replay;
    read_text(replay->kept, sizeof replay->kept, answer->kept);
    replay->kept_count = read32(&answer->kept_count);
    replay->over = true;
    if (!is_wanted(replay))
        return;
    if (replay->unfed.kind && !replay->finding.kind)
        replay->finding = replay->unfed;
    if (replay->fed == replay->session->steps && !replay->unfed.kind)
        compare_outcome(replay, read32(&answer->outcome));
    /* A session of no steps has no block; its one hash is all that its chain is made of. */
    if (replay->session->steps == 0 && !replay->scenario)
        compare_chain(replay, replay->recording->chain, 0);
    if (!replay->finding.kind && replay->events.kind)
        replay->finding = replay->events;
}

/* ---- answers ---- */

static const char *end_word(uint32_t status)
{
    switch (status) {
    case DEJA__ANSWER_BROKEN:
        return "broke the rules' contract: ";
    case DEJA__ANSWER_MEMORY:
        return "ran out of memory: ";
    default:
        return "answered what nobody asked for: ";
    }
}

/* The session could not go on: what that makes of it. */
static void find_stop(deja__expected *expected, const deja__answer *answer, uint32_t status)
{
    deja__replay *replay = expected->replay;
    const bool begun = !expected->begins || read32(&answer->begun);
    const uint32_t rows = read32(&answer->rows);
    /* Behind the last row it was what follows a step that failed: saving, the outcome. */
    const uint64_t step = !begun                  ? 0
                          : rows < expected->count ? expected->first + rows
                                                   : expected->first + expected->count - 1;
    char note[DEJA__REASON_SIZE];
    read_text(note, sizeof note, answer->note);
    deja__finding *finding;
    if (replay->finding.kind || !is_wanted(replay)) {
        replay->stopped = true;
        return;
    }
    if (status == DEJA__ANSWER_REFUSED) {
        finding = find(replay, DEJA__REFUSED_START, 0, 0);
        finding->actual_result = read32(&answer->refusal);
        finding->expected = expected->start_hash;
    } else if (status == DEJA__ANSWER_UNFIT) {
        finding = find(replay, DEJA__UNFIT, DEJA_STEP_NONE, DEJA_STEP_NONE);
        deja__copy_line(finding->reason, sizeof finding->reason, note);
    } else {
        finding = find(replay, DEJA__CRASH, step, step);
        snprintf(finding->reason, sizeof finding->reason, "%s%.400s", end_word(status), note);
        deja__compare_keep_before(expected, answer, expected->compared, step);
    }
    replay->stopped = true;
}

/* Once the finding is borne out, the rest of the session is not wanted. */
static void stop_if_found(deja__replay *replay)
{
    if (replay->finding.kind && !replay->doubted && !replay->how.keep_going)
        replay->stopped = true;
    if (replay->finding.kind == DEJA__SEEN)
        replay->stopped = true;
}

deja_code deja__compare_answer(deja__expected *expected, const deja__answer *answer, deja_span state,
                               deja_error *err)
{
    deja__replay *replay = expected->replay;
    const uint32_t status = read32(&answer->status);
    const bool done = status == DEJA__ANSWER_DONE;
    const uint32_t rows = done ? expected->count : read32(&answer->rows);
    deja_code code = DEJA_OK;
    const bool begun = !expected->begins || done || read32(&answer->begun);
    if (begun && (!done || expected->count || expected->begins))
        deja__compare_rows(expected, answer, rows);
    if (done && is_wanted(replay)) {
        replay->crash_gone |= expected->tries_crash;
        keep_tail(expected, answer);
        if (expected->ends_block && !replay->scenario)
            close_block(expected);
        if (expected->captures && !replay->stopped)
            code = deja__wishes_check(replay, expected->first + expected->count - 1, state, err);
    } else if (!done && (status != DEJA__ANSWER_CANCELLED || is_wanted(replay))) {
        find_stop(expected, answer, status);
    }
    stop_if_found(replay);
    if (expected->ends)
        finish(expected, answer);
    replay->flying--;
    return code;
}

void deja__compare_death(deja__expected *expected, const deja__answer *answer, int64_t rows,
                         const deja__link *link)
{
    deja__replay *replay = expected->replay;
    if (rows >= 0)
        deja__compare_rows(expected, answer, (uint32_t)rows);
    replay->over = true;
    deja__copy_line(replay->said, sizeof replay->said, deja__link_said(link));
    if (replay->finding.kind || !is_wanted(replay))
        return;
    uint64_t step = expected->first + (rows > 0 ? (uint64_t)rows : 0);
    const bool behind = rows >= 0 && (uint64_t)rows == expected->count;
    if (behind)
        step = expected->first + expected->count - 1;
    else if (rows < 0 && expected->begins)
        step = 0;
    /* The chain ends before a command that crashed when it was recorded. */
    if (expected->tries_crash && expected->ends_block && rows == (int64_t)expected->count - 1) {
        close_block(expected);
        if (replay->finding.kind)
            return;
    }
    const bool hung = link->end == DEJA__END_CPU || link->end == DEJA__END_WALL;
    deja__finding *finding = find(replay, hung ? DEJA__HANG : DEJA__CRASH, step, step);
    deja_buffer how = { 0 };
    deja__link_print_end(link, &how);
    if (behind)
        deja_buffer_text(&how, ", when the step was done");
    deja__copy_line(finding->reason, sizeof finding->reason, how.failed ? "" : (char *)how.bytes);
    deja_buffer_release(&how);
    deja__compare_keep_before(expected, answer, expected->compared, step);
}
