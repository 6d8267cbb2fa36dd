/* SPDX-License-Identifier: MIT */
/*
 * What a replay came to, as a verdict.
 *
 *     nothing                     match
 *     damage, unfit               told as they are
 *     anything else               the session is read through (damage in a later block comes
 *                                 first), the finding is looked at again, made exact and given its
 *                                 fields where there is a baseline, and told with the steps before
 */
#include "replay/lane.h"

#include <stdlib.h>

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
        steps[i].result =
            deja__box_text(box, deja__namelist_result(&replay->fit->present_refusals, row->result));
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
    return deja__is_stretch(finding) ? DEJA_STEP_NONE : finding->step;
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
        code = deja__remark_on_marks(box, replay, err);
        fill_place(box, replay, &commands);
        fill_steps(box, replay, &commands);
        if (!settled)
            deja__remark_on_build(lane, box, replay);
    }
    deja__commands_release(&commands);
    deja__tell(box, replay);
    if (settled)
        deja__tell_look(lane, box, &look);
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
        deja__tell(box, replay);
    } else {
        code = explain(lane, box, replay, err);
    }
    if (code == DEJA_OK && finding->kind == DEJA__DAMAGE)
        box->verdict.step = box->verdict.step_last = finding->step;
    if (code == DEJA_OK) {
        deja__remark(lane, box, replay);
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
