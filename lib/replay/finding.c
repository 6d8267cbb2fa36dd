/* SPDX-License-Identifier: MIT */
/*
 * What a replay came to, as a verdict.
 *
 *     nothing                     match
 *     damage, unfit               told as they are
 *     anything else               the session is read through (damage in a later block comes first),
 *                                 the finding is looked at again, made exact and given its fields
 *                                 where there is a baseline, and told with the steps before it
 */
#include "replay/lane.h"

#include <stdlib.h>

/* ---- words ---- */

static const char *outcome_name(const deja__replay *replay, uint64_t outcome)
{
    const deja__namelist *names = &replay->fit->present_outcomes;
    return outcome && outcome <= names->count ? names->items[outcome - 1] : "running";
}

static bool is_stretch(const deja__finding *finding)
{
    return finding->step != finding->step_last;
}

/* Where a finding lies, for the end of a sentence. */
static const char *print_where(deja__box *box, const deja__finding *finding)
{
    if (!is_stretch(finding))
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
    else if (is_stretch(finding))
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
    verdict->actual = deja__box_text(
        box, deja__namelist_result(&fit->present_refusals, finding->actual_result));
    verdict->why = is_stretch(finding) ?
                       deja__box_print(box, "the result of step %llu differs; the state may have "
                                            "differed from step %llu on",
                                       (unsigned long long)finding->step_last,
                                       (unsigned long long)finding->step) :
                       deja__box_text(box, "the result differs");
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
        verdict->why = deja__box_print(box, "events differ: one has no recorded form (%s)",
                                       finding->reason);
    else if (events)
        verdict->why =
            deja__box_print(box, "events differ%s; states and results agree", where);
    else
        verdict->why = deja__box_print(box, "the state differs%s: all hashes of %u bits agree, the "
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
    const bool as_recorded =
        replay->crashed && replay->finding.step == replay->session->steps;
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

/* Kind, why, expected and actual. */
static void tell(deja__box *box, const deja__replay *replay)
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
        verdict->why = deja__box_text(box, replay->finding.reason);
        break;
    case DEJA__DAMAGE:
        verdict->kind = DEJA_DAMAGED;
        verdict->why = deja__box_text(box, replay->finding.reason);
        break;
    }
}

/* ---- remarks ---- */

/* The marks last before a finding: the recorder puts there what it noticed. */
enum { MARKS_MAX = 3 };

typedef struct marks {
    uint64_t until;
    uint32_t count;
    uint64_t steps[MARKS_MAX];
    char *texts[MARKS_MAX];
    bool failed;
} marks;

static bool keep_mark(void *user, uint64_t step, const char *text)
{
    marks *m = user;
    if (step > m->until)
        return false;
    if (strncmp(text, "see: ", 5) == 0)
        return true;
    char *copy = strdup(text);
    if (!copy) {
        m->failed = true;
        return false;
    }
    if (m->count == MARKS_MAX) {
        free(m->texts[0]);
        memmove(m->texts, m->texts + 1, (MARKS_MAX - 1) * sizeof m->texts[0]);
        memmove(m->steps, m->steps + 1, (MARKS_MAX - 1) * sizeof m->steps[0]);
        m->count--;
    }
    m->steps[m->count] = step;
    m->texts[m->count++] = copy;
    return true;
}

static deja_code remark_on_marks(deja__box *box, const deja__replay *replay, deja_error *err)
{
    marks m = { .until = replay->finding.step_last };
    deja_code code = deja_reader_marks(replay->reader, keep_mark, &m, err);
    if (code == DEJA_EDAMAGED)
        code = DEJA_OK; /* they were read when it was opened, so this cannot be news */
    for (uint32_t i = 0; i < m.count; i++) {
        deja__box_remark(box, "marked at step %llu: %s", (unsigned long long)m.steps[i],
                         m.texts[i]);
        free(m.texts[i]);
    }
    return code == DEJA_OK && m.failed ? deja__fail_memory(err) : code;
}

static void remark_on_match(deja__box *box, const deja__replay *replay)
{
    const deja_recording *recording = replay->recording;
    if (replay->session->steps == 0)
        deja__box_remark(box, "it has no commands: step 0 alone was compared");
    if (replay->crash_gone)
        deja__box_remark(box, "the last command crashed when it was recorded, and does not any more");
    if (recording->ended == DEJA_ENDED_OUTCOME && !replay->outcome_compared)
        deja__box_remark(box, "the outcome was not compared: this build tells of none");
    if (recording->ended == DEJA_ENDED_UNFINISHED && !replay->scenario)
        deja__box_remark(box, "the recording was never closed, so no outcome was compared");
    if (replay->compare_wish < replay->wish_count)
        deja__box_remark(box, "%u expectations were not checked",
                         replay->wish_count - replay->compare_wish);
}

static void remark(const deja__lane *lane, deja__box *box, const deja__replay *replay)
{
    const deja__fit *fit = replay->fit;
    for (uint32_t i = 0; fit && i < fit->remark_count; i++)
        deja__box_remark(box, "%s", fit->remarks[i]);
    if (replay->kept_count)
        deja__box_remark(box, "keeps state outside the state: %s", replay->kept);
    if (replay->events.kind && replay->finding.kind != DEJA__EVENTS &&
        replay->finding.kind != DEJA__DAMAGE && replay->events.step_last < replay->finding.step)
        deja__box_remark(box, "events differ already in steps %llu to %llu",
                         (unsigned long long)replay->events.step,
                         (unsigned long long)replay->events.step_last);
    if (replay->contradicted)
        deja__box_remark(box, "the recording contradicts itself: its chain is not that of its "
                              "results and hashes");
    if (replay->said[0])
        deja__box_remark(box, "it said: %s", replay->said);
    const uint32_t isolation = lane->verify->options.isolate;
    if (isolation == DEJA_ISOLATE_RESTORE && lane->link.info.isolation != isolation)
        deja__box_remark(box, "memory was put back between sessions although %s",
                         lane->link.info.isolation_why);
    if (replay->finding.kind == DEJA__NOTHING)
        remark_on_match(box, replay);
}

static void remark_on_build(const deja__lane *lane, deja__box *box, const deja__replay *replay)
{
    const deja_recording *recording = replay->recording;
    static const unsigned char unknown[16];
    if (memcmp(recording->build, unknown, sizeof unknown) != 0 &&
        memcmp(recording->build, lane->link.info.build, sizeof unknown) == 0)
        deja__box_remark(box, "this is the very build that recorded it%s%s",
                         recording->platform[0] ? ", on " : "", recording->platform);
}

/* ---- second looks ---- */

/* What makes findings alike: what differs, how, and in which kind of command. */
static uint64_t group_name(const deja__replay *replay, const deja__commands *commands)
{
    const deja__finding *finding = &replay->finding;
    const deja__fit *fit = replay->fit;
    const char *command = commands->at_step ? commands->at_step : "";
    deja_buffer name = { 0 };
    deja__print(&name, "%u %.*s ", finding->kind, (int)strcspn(command, " "), command);
    if (finding->kind == DEJA__RESULT || finding->kind == DEJA__REFUSED_START)
        deja__print(&name, "%s %s",
                    deja__namelist_result(&fit->recorded_refusals, finding->expected_result),
                    deja__namelist_result(&fit->present_refusals, finding->actual_result));
    if (finding->kind == DEJA__CRASH || finding->kind == DEJA__HANG)
        deja_buffer_text(&name, finding->reason);
    const uint64_t hash = name.failed ? 0 : deja__hash64(name.bytes, name.size);
    deja_buffer_release(&name);
    return hash;
}

/* What a second look says instead of the finding. */
static void tell_look(const deja__lane *lane, deja__box *box, const deja__look *look)
{
    deja_verdict *verdict = &box->verdict;
    verdict->kind = look->kind;
    if (look->kind == DEJA_STALE) {
        verdict->why = deja__box_print(
            box, "another answer when other sessions ran before in its process: %s",
            look->kept[0] ? look->kept : lane->link.info.isolation_why);
        return;
    }
    if (verdict->step != look->step)
        verdict->command = verdict->expected = verdict->actual = NULL;
    verdict->step = verdict->step_last = look->step;
    if (look->step == 0)
        verdict->why = deja__box_print(box, "the state of step 0 is another in fresh runs of the "
                                            "same library: %u of %u runs differ",
                                       look->differing, look->runs);
    else
        verdict->why = deja__box_print(box, "the same build gives two answers: %u of %u runs differ",
                                       look->differing, look->runs);
}

/* look->kind stays DEJA_DIVERGED where there was no second look, or it came to the same. */
static deja_code look_again(deja__lane *lane, const deja__replay *replay,
                            const deja__commands *commands, deja__look *look, deja_error *err)
{
    deja__verify *verify = lane->verify;
    const uint64_t name = group_name(replay, commands);
    if (!verify->options.confirm_all && !deja__groups_ask(verify, name))
        return DEJA_OK;
    const deja_code code = deja__look_again(lane, replay, look, err);
    if (code == DEJA_OK && !look->broken_off)
        deja__groups_tell(verify, name, look->kind == DEJA_DIVERGED);
    return code;
}

/* ---- all of it ---- */

static void fill_session(const deja__lane *lane, deja__box *box, const deja__replay *replay)
{
    deja_verdict *verdict = &box->verdict;
    verdict->rules = lane->verify->library;
    memcpy(verdict->build, lane->link.info.build, sizeof verdict->build);
    verdict->compared = replay->compared;
    /* Steps behind a difference were looked at only to bear it out. */
    const deja__finding *finding = &replay->finding;
    if (!replay->how.keep_going && verdict->compared > finding->step_last &&
        (finding->kind == DEJA__STATE || finding->kind == DEJA__RESULT))
        verdict->compared = finding->step_last + 1;
    if (!replay->session)
        return;
    verdict->id = replay->session->id;
    verdict->game = deja__box_text(box, replay->session->game);
    verdict->steps = replay->session->steps;
}

static void fill_steps(deja__box *box, const deja__replay *replay, deja__commands *commands)
{
    deja_verdict_step *steps = deja__box_steps(box, replay->before_count);
    for (uint32_t i = 0; steps && i < replay->before_count; i++) {
        const deja__row *row = &replay->before[i];
        steps[i].step = row->step;
        steps[i].hash = row->hash;
        steps[i].result = deja__box_text(
            box, deja__namelist_result(&replay->fit->present_refusals, row->result));
        steps[i].command = deja__box_text(box, commands->before[i] ? commands->before[i] : "");
    }
}

static void fill_place(deja__box *box, const deja__replay *replay, const deja__commands *commands)
{
    const deja__finding *finding = &replay->finding;
    deja_verdict *verdict = &box->verdict;
    verdict->step = finding->step;
    verdict->step_last = finding->step_last;
    if (commands->at_step)
        verdict->command = deja__box_text(box, commands->at_step);
    if (!replay->how.keep_going)
        return;
    verdict->parted_count = replay->parted_count;
    verdict->healed_step = replay->healed;
}

/* The step whose command is told: none for a stretch, as any of them may be it. */
static uint64_t command_step(const deja__finding *finding)
{
    return is_stretch(finding) ? DEJA_STEP_NONE : finding->step;
}

static bool can_be_compared(const deja__finding *finding)
{
    return finding->kind == DEJA__STATE || finding->kind == DEJA__RESULT ||
           finding->kind == DEJA__CHAIN || finding->kind == DEJA__EVENTS;
}

/* Makes it exact and adds the fields; the commands are then those around the exact step. */
static deja_code compare_builds(deja__lane *lane, deja__box *box, deja__replay *replay,
                                deja__commands *commands, deja_error *err)
{
    const uint64_t before = command_step(&replay->finding);
    deja_code code = deja__fields_find(lane, replay, box, err);
    if (code != DEJA_OK || command_step(&replay->finding) == before)
        return code;
    deja__commands_release(commands);
    return deja__commands_read(replay, command_step(&replay->finding), commands, err);
}

/* A finding that is not about the session as it is stored. */
static deja_code explain(deja__lane *lane, deja__box *box, deja__replay *replay, deja_error *err)
{
    const char *baseline = lane->verify->options.baseline;
    deja__commands commands = { 0 };
    deja__look look = { .kind = DEJA_DIVERGED };
    deja_code code = deja__commands_read(replay, command_step(&replay->finding), &commands, err);
    if (code == DEJA_OK && replay->finding.kind != DEJA__DAMAGE)
        code = look_again(lane, replay, &commands, &look, err);
    const bool settled = look.kind != DEJA_DIVERGED;
    if (code == DEJA_OK && !settled && baseline && can_be_compared(&replay->finding))
        code = compare_builds(lane, box, replay, &commands, err);
    if (code == DEJA_OK && replay->finding.kind != DEJA__DAMAGE) {
        code = remark_on_marks(box, replay, err);
        fill_place(box, replay, &commands);
        fill_steps(box, replay, &commands);
        if (!settled)
            remark_on_build(lane, box, replay);
    }
    deja__commands_release(&commands);
    tell(box, replay);
    if (settled)
        tell_look(lane, box, &look);
    return code;
}

deja_code deja__finding_judge(deja__lane *lane, deja__replay *replay, deja__box **out,
                              deja_error *err)
{
    deja_code code = DEJA_OK;
    deja__box *box = deja__box_create();
    *out = NULL;
    if (!box)
        return deja__fail_memory(err);
    fill_session(lane, box, replay);
    const deja__finding *finding = &replay->finding;
    if (finding->kind == DEJA__NOTHING || finding->kind == DEJA__DAMAGE ||
        finding->kind == DEJA__UNFIT) {
        box->verdict.step = finding->kind ? finding->step : DEJA_STEP_NONE;
        box->verdict.step_last = box->verdict.step;
        tell(box, replay);
    } else {
        code = explain(lane, box, replay, err);
    }
    if (code == DEJA_OK && finding->kind == DEJA__DAMAGE)
        box->verdict.step = box->verdict.step_last = finding->step;
    if (code == DEJA_OK) {
        remark(lane, box, replay);
        if (box->verdict.kind == DEJA_MATCH && replay->fit->not_compared)
            box->verdict.why = deja__box_text(box, replay->fit->not_compared);
    }
    if (code == DEJA_OK && box->failed)
        code = deja__fail_memory(err);
    if (code != DEJA_OK) {
        deja__box_destroy(box);
        return code;
    }
    *out = box;
    return DEJA_OK;
}
