/* SPDX-License-Identifier: MIT */
/*
 * A finding in words: kind, why, what was expected and what there is.
 *
 * Hashes are told in full where they are known in full; the recorded ones are as wide as the trail,
 * unless a baseline has worked them out again.
 */
#include "replay/lane.h"

/* ---- words ---- */

static const char *outcome_name(const deja__replay *replay, uint64_t outcome)
{
    const deja__namelist *names = &replay->fit->present_outcomes;
    return outcome && outcome <= names->count ? names->items[outcome - 1] : "running";
}

/* Where a finding lies, for the end of a sentence. */
static const char *print_where(deja__box *box, const deja__finding *finding)
{
    if (!deja__is_stretch(finding))
        return "";
    return deja__box_print(box, " somewhere in steps %llu to %llu",
                           (unsigned long long)finding->step,
                           (unsigned long long)finding->step_last);
}

static void tell_state(deja__box *box, const deja__replay *replay)
{
    const deja__finding *finding = &replay->finding;
    deja_verdict *verdict = &box->verdict;
    verdict->expected =
        deja__box_hex(box, finding->expected, finding->full ? 16 : replay->bits / 4);
    verdict->actual = finding->formless ? NULL : deja__box_hex(box, finding->actual, 16);
    const char *where = print_where(box, finding);
    if (finding->formless)
        verdict->why = deja__box_print(box, "the state differs%s: it has no recorded form (%s)",
                                       where, finding->reason);
    else if (finding->step_last == 0)
        verdict->why = deja__box_text(box, "the state differs at step 0, before any command: "
                                           "suspect the start, or the hash");
    else if (deja__is_stretch(finding))
        verdict->why = deja__box_print(box, "the state differs%s; it was hashed every %llu steps",
                                       where, (unsigned long long)replay->every);
    else
        verdict->why = deja__box_text(box, "the state differs");
}

static void tell_result(deja__box *box, const deja__replay *replay)
{
    const deja__finding *finding = &replay->finding;
    const deja__fit *fit = replay->fit;
    deja_verdict *verdict = &box->verdict;
    verdict->expected = deja__box_text(
        box, deja__namelist_result(&fit->recorded_refusals, finding->expected_result));
    verdict->actual =
        deja__box_text(box, deja__namelist_result(&fit->present_refusals, finding->actual_result));
    verdict->why = deja__is_stretch(finding)
                       ? deja__box_print(box,
                                         "the result of step %llu differs; the state may have "
                                         "differed from step %llu on",
                                         (unsigned long long)finding->step_last,
                                         (unsigned long long)finding->step)
                       : deja__box_text(box, "the result differs");
}

static void tell_chains(deja__box *box, const deja__replay *replay)
{
    const deja__finding *finding = &replay->finding;
    deja_verdict *verdict = &box->verdict;
    const bool events = finding->kind == DEJA__EVENTS;
    const char *where = print_where(box, finding);
    if (!finding->formless) {
        verdict->expected = deja__box_hex(box, finding->expected, 16);
        verdict->actual = deja__box_hex(box, finding->actual, 16);
    }
    if (events && finding->formless)
        verdict->why =
            deja__box_print(box, "events differ: one has no recorded form (%s)", finding->reason);
    else if (events)
        verdict->why = deja__box_print(
            box, "events differ%s; %s agree%s", where,
            replay->fit->compares_state ? "states and results" : "results",
            replay->every > 1 && replay->fit->compares_state ? " where they were hashed" : "");
    else
        verdict->why = deja__box_print(box,
                                       "the state differs%s: all hashes of %u bits agree, the "
                                       "chain over the full ones does not",
                                       where, replay->bits);
}

/* The finding's reason holds the wish, a newline, and what there is instead. */
static void tell_wish(deja__box *box, const deja__replay *replay)
{
    deja_verdict *verdict = &box->verdict;
    char wish[DEJA__REASON_SIZE];
    memcpy(wish, replay->finding.reason, sizeof wish);
    char *actual = strchr(wish, '\n');
    char *value = strchr(wish, '=');
    if (!actual || !value || value > actual) {
        verdict->why = deja__box_text(box, "an expectation does not hold");
        return;
    }
    *actual++ = '\0';
    verdict->why = deja__box_print(box, "an expectation does not hold: %s", wish);
    *value++ = '\0';
    verdict->expected = deja__box_text(box, value);
    verdict->actual = deja__box_text(box, actual);
    deja__box_field(box, wish, value, actual);
}

static void tell_crash(deja__box *box, const deja__replay *replay)
{
    const bool as_recorded = replay->crashed && replay->finding.step == replay->session->steps;
    box->verdict.why = deja__box_print(box, "%s%s", replay->finding.reason,
                                       as_recorded ? ", as when it was recorded" : "");
}

static void tell_refused_start(deja__box *box, const deja__replay *replay)
{
    const deja__finding *finding = &replay->finding;
    deja_verdict *verdict = &box->verdict;
    verdict->expected = deja__box_hex(box, finding->expected, replay->bits / 4);
    verdict->actual = deja__box_text(
        box, deja__namelist_result(&replay->fit->present_refusals, finding->actual_result));
    verdict->why = deja__box_text(box, "start refuses the recorded config");
}

static void tell_outcome(deja__box *box, const deja__replay *replay)
{
    const deja_recording *recording = replay->recording;
    deja_verdict *verdict = &box->verdict;
    verdict->expected = deja__box_text(
        box, recording->ended == DEJA_ENDED_OUTCOME ? recording->outcome : "running");
    verdict->actual = deja__box_text(box, outcome_name(replay, replay->finding.actual));
    verdict->why = deja__box_text(box, "the outcome differs");
}

void deja__tell(deja__box *box, const deja__replay *replay)
{
    deja_verdict *verdict = &box->verdict;
    verdict->kind = DEJA_DIVERGED;
    switch ((enum deja__finding_kind)replay->finding.kind) {
    case DEJA__NOTHING:
        verdict->kind = DEJA_MATCH;
        break;
    case DEJA__REFUSED_START:
        tell_refused_start(box, replay);
        break;
    case DEJA__RESULT:
        tell_result(box, replay);
        break;
    case DEJA__STATE:
        tell_state(box, replay);
        break;
    case DEJA__CHAIN:
    case DEJA__EVENTS:
        tell_chains(box, replay);
        break;
    case DEJA__OUTCOME:
        tell_outcome(box, replay);
        break;
    case DEJA__SEEN:
        tell_wish(box, replay);
        break;
    case DEJA__CRASH:
        verdict->kind = DEJA_CRASHED;
        tell_crash(box, replay);
        break;
    case DEJA__HANG:
        verdict->kind = DEJA_HUNG;
        tell_crash(box, replay);
        break;
    case DEJA__UNFIT:
        verdict->kind = DEJA_UNFIT;
        verdict->why = deja__box_text(box, deja__settled(replay));
        break;
    case DEJA__DAMAGE:
        verdict->kind = DEJA_DAMAGED;
        verdict->why = deja__box_text(box, replay->finding.reason);
        break;
    }
}

/* ---- second looks ---- */

void deja__tell_look(const deja__lane *lane, deja__box *box, const deja__look *look)
{
    deja_verdict *verdict = &box->verdict;
    verdict->kind = look->kind;
    if (look->kind == DEJA_STALE) {
        verdict->why =
            deja__box_print(box, "another answer when other sessions ran before in its process: %s",
                            look->kept[0] ? look->kept : lane->link.info.isolation_why);
        return;
    }
    if (verdict->step != look->step)
        verdict->command = verdict->expected = verdict->actual = NULL;
    verdict->step = verdict->step_last = look->step;
    if (look->step == 0)
        verdict->why = deja__box_print(box,
                                       "the state of step 0 is another in fresh runs of the "
                                       "same library: %u of %u runs differ",
                                       look->differing, look->runs);
    else
        verdict->why =
            deja__box_print(box, "the same build gives two answers: %u of %u runs differ",
                            look->differing, look->runs);
}
