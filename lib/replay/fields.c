/* SPDX-License-Identifier: MIT */
/*
 * With the build that recorded a session at hand: the exact step of a finding, and what differs
 * there.
 *
 * One pass of both builds also has the step that the finding names sent whole. Where the two part
 * at another step (of a stretch of which nothing better was known, or before a cut hash noticed), a
 * second pass asks for that one.
 *
 * A baseline that does not reproduce the recording says nothing about what was recorded: then there
 * are no fields, and a remark says why.
 */
#include "replay/pair.h"

#include <stdio.h>

/* ---- what differs ---- */

static bool add_field(void *user, const deja_difference *difference)
{
    deja__box_field(user, difference->path, difference->expected, difference->actual);
    return true;
}

/* Turns both states into a layout that both have. NULL: there is none, or *code says why. */
static const deja_layout *turn_states(const deja__pair *pair, deja_span states[2],
                                      deja_buffer turned[3], deja_code *code, deja_error *err)
{
    const deja__fit *recorded = pair->members[DEJA__RECORDED].replay->fit;
    const deja_match *before = recorded->matches[DEJA_STATE];
    const deja_match *now = pair->members[DEJA__PRESENT].replay->fit->matches[DEJA_STATE];
    *code = DEJA_OK;
    if (before) {
        *code = deja_match_to_recorded(before, states[0].bytes, states[0].size, &turned[0], err);
        states[0] = (deja_span){ turned[0].bytes, turned[0].size };
    }
    if (!now || *code != DEJA_OK)
        return recorded->recorded[DEJA_STATE];
    *code = deja_match_to_common(now, true, states[0].bytes, states[0].size, &turned[1], err);
    if (*code == DEJA_OK)
        *code = deja_match_to_common(now, false, states[1].bytes, states[1].size, &turned[2], err);
    states[0] = (deja_span){ turned[1].bytes, turned[1].size };
    states[1] = (deja_span){ turned[2].bytes, turned[2].size };
    return deja_match_common(now);
}

static deja_code compare_states(const deja__pair *pair, deja__box *box, const deja__traced steps[2],
                                deja_error *err)
{
    deja_span states[2] = { steps[0].state, steps[1].state };
    deja_buffer turned[3] = { { 0 }, { 0 }, { 0 } };
    deja_code code;
    const deja_layout *layout = turn_states(pair, states, turned, &code, err);
    if (code == DEJA_OK && layout)
        code = deja_value_compare(layout, states[0], states[1], add_field, box, err);
    for (int i = 0; i < 3; i++)
        deja_buffer_release(&turned[i]);
    return code;
}

/* An event of a traced step as its own build writes it; "(none)" past the last. */
static deja_code print_event(const deja__member *m, const deja__traced *step, uint32_t place,
                             deja_buffer *out, deja_error *err)
{
    const deja__fit *fit = m->replay->fit;
    const deja_layout *present = fit->present[DEJA_EVENT];
    uint32_t begin = 0, end;
    deja_buffer_clear(out);
    if (place >= step->frame.event_count)
        return deja_buffer_text(out, "(none)") ? DEJA_OK : deja__fail_memory(err);
    if (place)
        memcpy(&begin, step->ends + (uint64_t)(place - 1) * 4, sizeof begin);
    memcpy(&end, step->ends + (uint64_t)place * 4, sizeof end);
    return deja_value_print(present ? present : fit->recorded[DEJA_EVENT],
                            (const unsigned char *)step->events.bytes + begin, end - begin, out,
                            err);
}

static deja_code compare_events(const deja__pair *pair, deja__box *box, const deja__traced steps[2],
                                deja_error *err)
{
    const uint32_t counts[2] = { steps[0].frame.event_count, steps[1].frame.event_count };
    const uint32_t count = counts[0] > counts[1] ? counts[0] : counts[1];
    deja_buffer texts[2] = { { 0 }, { 0 } };
    deja_code code = DEJA_OK;
    for (uint32_t i = 0; i < count && code == DEJA_OK; i++) {
        for (int k = 0; k < 2 && code == DEJA_OK; k++)
            code = print_event(&pair->members[k], &steps[k], i, &texts[k], err);
        if (code != DEJA_OK)
            break;
        char path[32];
        snprintf(path, sizeof path, "events[%u]", i);
        if (texts[0].size != texts[1].size ||
            memcmp(texts[0].bytes, texts[1].bytes, (size_t)texts[0].size) != 0)
            deja__box_field(box, path, (const char *)texts[0].bytes, (const char *)texts[1].bytes);
    }
    deja_buffer_release(&texts[0]);
    deja_buffer_release(&texts[1]);
    return code;
}

static deja_code compare_traced(const deja__pair *pair, deja__box *box, deja_error *err)
{
    deja__traced steps[2];
    deja_error failure = { 0 };
    for (int i = 0; i < 2; i++) {
        const deja_buffer *traced = &pair->members[i].traced;
        if (!deja__traced_unpack(&steps[i], (deja_span){ traced->bytes, traced->size }))
            return DEJA_OK; /* its worker ended before */
    }
    const deja_code code = pair->events_only ? compare_events(pair, box, steps, &failure)
                                             : compare_states(pair, box, steps, &failure);
    if (code == DEJA_ENOMEM)
        return deja__fail_memory(err);
    if (code != DEJA_OK)
        deja__box_remark(box, "the fields cannot be told: %s", failure.message);
    return DEJA_OK;
}

/* ---- whether the baseline is one ---- */

/* Says what is wrong with it, if anything. */
static bool is_of_use(const deja__pair *pair, deja__box *box)
{
    const deja__member *m = &pair->members[DEJA__RECORDED];
    const deja__finding *finding = &m->replay->finding;
    if (m->side->link.end != DEJA__END_NONE)
        deja__box_remark(box,
                         "the baseline does not get through it: it ends at step %llu or before",
                         (unsigned long long)m->replay->fed);
    else if (finding->kind == DEJA__UNFIT)
        deja__box_remark(box, "the baseline does not fit: %s", finding->reason);
    else if (finding->kind && (!pair->found.kind || finding->step <= pair->found.step))
        deja__box_remark(box, "the baseline does not reproduce it either: it differs at step %llu",
                         (unsigned long long)finding->step);
    else
        return true;
    return false;
}

static void remark_on_build(const deja__lane *lane, const deja__replay *replay, deja__box *box)
{
    static const unsigned char unknown[16];
    const unsigned char *build = replay->recording->build;
    if (memcmp(build, unknown, sizeof unknown) != 0 &&
        memcmp(build, lane->baseline.link.info.build, sizeof unknown) != 0)
        deja__box_remark(box, "the baseline is not the build that recorded it");
}

/* ---- all of it ---- */

/* Takes over what two builds side by side have shown. */
static void take_over(const deja__pair *pair, deja__replay *replay)
{
    deja__finding *finding = &replay->finding;
    char reason[DEJA__REASON_SIZE];
    memcpy(reason, finding->reason, sizeof reason);
    *finding = pair->found;
    if (pair->found.formless)
        memcpy(finding->reason, reason, sizeof reason);
    memcpy(replay->before, pair->before, sizeof replay->before);
    replay->before_count = pair->before_count;
}

static deja_code start_sides(deja__lane *lane, deja_error *err)
{
    deja_code code = deja__side_start(lane, &lane->baseline, lane->verify->options.baseline,
                                      DEJA_ISOLATE_AUTO, err);
    if (code == DEJA_OK)
        code =
            deja__side_start(lane, &lane->present, lane->verify->library, DEJA_ISOLATE_AUTO, err);
    return code;
}

deja_code deja__fields_find(deja__lane *lane, deja__replay *replay, deja__box *box, deja_error *err)
{
    deja__pair pair = { .lane = lane, .events_only = replay->finding.kind == DEJA__EVENTS };
    deja__replay_how how = DEJA__REPLAY_HOW_INIT;
    deja_code code = DEJA_OK;
    pair.members[DEJA__RECORDED].side = &lane->baseline;
    pair.members[DEJA__PRESENT].side = &lane->present;
    how.before_count = replay->how.before_count;
    how.keep_going = how.hash_all = true;
    how.limit = replay->finding.step_last;
    how.traces = true;
    how.trace_from = how.trace_to = replay->finding.step;
    for (int pass = 0; pass < 2 && code == DEJA_OK; pass++) {
        code = start_sides(lane, err);
        if (code == DEJA_OK)
            code = deja__pair_run(&pair, replay, &how, err);
        const bool of_use = code == DEJA_OK && is_of_use(&pair, box) && pair.found.kind;
        const bool sent = pair.found.step == how.trace_from;
        how.trace_from = how.trace_to = pair.found.step;
        if (of_use && (sent || pass == 1)) {
            take_over(&pair, replay);
            code = compare_traced(&pair, box, err);
        }
        deja__pair_close(&pair);
        if (!of_use || sent)
            break;
    }
    if (code == DEJA_OK)
        remark_on_build(lane, replay, box);
    for (int i = 0; i < 2; i++)
        deja_buffer_release(&pair.members[i].traced);
    return code;
}
