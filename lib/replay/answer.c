/* SPDX-License-Identifier: MIT */
/*
 * A whole answer: what comes behind its rows. The chains behind a block, the outcome behind the
 * last step, what was captured, and why the session could not go on.
 */
#include "replay/compare.h"

#include <stdio.h>

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
    deja__finding *finding = deja__find(replay, DEJA__CHAIN, first, last_hashed);
    finding->expected = expected;
    finding->actual = replay->chain;
    deja__keep_before(replay, replay->agreed, replay->agreed_count, finding->step);
}

static void compare_event_chain(deja__replay *replay, uint64_t expected, uint64_t last)
{
    if (!replay->fit->compares_events || replay->events.kind || replay->event_chain == expected)
        return;
    deja__finding *events = &replay->events;
    events->kind = DEJA__EVENTS;
    events->step = replay->agreed_step + 1;
    events->step_last = last;
    events->expected = expected;
    events->actual = replay->event_chain;
    if (!replay->finding.kind)
        deja__keep_before(replay, replay->agreed, replay->agreed_count, events->step);
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

/* Whether the last step of a scenario was compared with an expectation. */
static bool is_wished_for_last(const deja__replay *replay)
{
    return replay->wish_count > 0 &&
           replay->wishes[replay->wish_count - 1].step == replay->session->steps;
}

static void compare_outcome(deja__replay *replay, uint32_t outcome)
{
    const deja_recording *recording = replay->recording;
    const deja__namelist *names = &replay->fit->present_outcomes;
    const deja__fit *fit = replay->fit;
    const uint64_t last = replay->session->steps;
    const bool has_name = recording->ended == DEJA_ENDED_OUTCOME;
    replay->outcome = outcome;
    if (recording->ended != DEJA_ENDED_RUNNING && !has_name)
        return;
    if (!fit->compares_outcome && (has_name || fit->recorded_tells)) {
        if (!fit->partial && !replay->finding.kind)
            snprintf(deja__find(replay, DEJA__UNFIT, last, last)->reason, DEJA__REASON_SIZE,
                     "this build tells of no outcomes, and '%.100s' was recorded",
                     has_name ? recording->outcome : "running");
        return;
    }
    /* A build that told of none may have had any. */
    if (!has_name && !fit->recorded_tells && !replay->scenario)
        return;
    replay->outcome_compared = true;
    replay->compared += replay->scenario && !is_wished_for_last(replay);
    const char *actual = outcome && outcome <= names->count ? names->items[outcome - 1] : "running";
    if (strcmp(actual, has_name ? recording->outcome : "running") == 0 || replay->finding.kind)
        return;
    deja__find(replay, DEJA__OUTCOME, last, last)->actual = outcome;
    replay->before_count = 0;
    deja__keep_before(replay, replay->tail, replay->tail_count, last);
}

static void finish(deja__expected *expected, const deja__answer *answer)
{
    deja__replay *replay = expected->replay;
    deja__answer_text(replay->kept, sizeof replay->kept, answer->kept);
    replay->kept_count = deja__read32(&answer->kept_count);
    replay->over = true;
    if (replay->stopped)
        return;
    if (replay->unfed.kind && !replay->finding.kind)
        replay->finding = replay->unfed;
    if (replay->fed == replay->session->steps && !replay->unfed.kind)
        compare_outcome(replay, deja__read32(&answer->outcome));
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
    const bool begun = !expected->begins || deja__read32(&answer->begun);
    const uint32_t rows = deja__read32(&answer->rows);
    /* Behind the last row it was what follows a step that failed: saving, the outcome. */
    const uint64_t step = !begun                   ? 0
                          : rows < expected->count ? expected->first + rows
                                                   : expected->first + expected->count - 1;
    char note[DEJA__REASON_SIZE];
    deja__answer_text(note, sizeof note, answer->note);
    deja__finding *finding;
    if (replay->finding.kind || replay->stopped) {
        replay->stopped = true;
        return;
    }
    if (status == DEJA__ANSWER_REFUSED) {
        finding = deja__find(replay, DEJA__REFUSED_START, 0, 0);
        finding->actual_result = deja__read32(&answer->refusal);
        finding->expected = expected->start_hash;
    } else if (status == DEJA__ANSWER_UNFIT) {
        finding = deja__find(replay, DEJA__UNFIT, DEJA_STEP_NONE, DEJA_STEP_NONE);
        deja__copy_line(finding->reason, sizeof finding->reason, note);
    } else {
        finding = deja__find(replay, DEJA__CRASH, step, step);
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

deja_code deja__compare_answer(deja__expected *expected, const deja__answer *answer,
                               deja_span state, deja_error *err)
{
    deja__replay *replay = expected->replay;
    const uint32_t status = deja__read32(&answer->status);
    const bool done = status == DEJA__ANSWER_DONE;
    const uint32_t rows = done ? expected->count : deja__read32(&answer->rows);
    deja_code code = DEJA_OK;
    const bool begun = !expected->begins || done || deja__read32(&answer->begun);
    if (begun && (!done || expected->count || expected->begins))
        deja__compare_rows(expected, answer, rows);
    if (done && !replay->stopped) {
        replay->crash_gone |= expected->tries_crash;
        deja__keep_tail(expected, answer);
        if (expected->ends_block && !replay->scenario)
            close_block(expected);
        if (expected->captures && !replay->stopped)
            code = deja__wishes_check(replay, expected->first + expected->count - 1, state, err);
    } else if (!done && (status != DEJA__ANSWER_CANCELLED || !replay->stopped)) {
        find_stop(expected, answer, status);
    }
    stop_if_found(replay);
    if (expected->ends)
        finish(expected, answer);
    replay->flying--;
    replay->answered = true;
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
    if (replay->finding.kind || replay->stopped)
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
    deja__finding *finding = deja__find(replay, hung ? DEJA__HANG : DEJA__CRASH, step, step);
    deja_buffer how = { 0 };
    deja__link_print_end(link, &how);
    if (behind)
        deja_buffer_text(&how, ", when the step was done");
    deja__copy_line(finding->reason, sizeof finding->reason, how.failed ? "" : (char *)how.bytes);
    deja_buffer_release(&how);
    deja__compare_keep_before(expected, answer, expected->compared, step);
}
