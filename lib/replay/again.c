/* SPDX-License-Identifier: MIT */
/*
 * A finding looked at again, in fresh processes, before it is told.
 *
 *     again the same     it is what it seems, unless the build keeps something between
 *                        sessions: then it is played twice in one process with nothing put
 *                        back, and an answer that is another at that very step makes it stale:
 *                        the recording may have been made behind other sessions
 *     another answer     unstable; or stale where the first look was behind other sessions and all
 *                        fresh ones agree
 *
 * The very build that recorded a session should not differ at all. Where it does, its answers are
 * few perhaps (a race that one thread nearly always wins) and the second may be the first by
 * chance: it is asked as often as one whose answers differ.
 *
 * Stale takes precedence only where the fresh replay agrees with the recording up to the finding: a
 * build that keeps state and was recorded fresh, and differs later for another reason, diverged.
 */
#include "replay/lane.h"

enum { RUNS = 5 };

/* ---- one session by itself ---- */

typedef struct alone {
    deja__lane *lane;
    const deja__replay *like;
    deja__side *side;
    uint32_t left;
    uint32_t count;
    deja__finding *findings;
    deja__look *look; /* takes names of variables */
} alone;

static deja_code open_next(void *user, deja__replay **out, bool *later, deja_error *err)
{
    alone *a = user;
    deja__replay_how how = DEJA__REPLAY_HOW_INIT;
    (void)later;
    *out = NULL;
    if (a->left == 0)
        return DEJA_OK;
    a->left--;
    if (a->like->finding.kind != DEJA__OUTCOME && a->like->finding.kind != DEJA__EVENTS)
        how.limit = a->like->finding.step_last;
    return deja__replay_open(out, a->lane->store, a->like->key, &a->side->fits, &how, err);
}

static deja_code keep_finding(void *user, deja__replay *replay, deja_error *err)
{
    alone *a = user;
    (void)err;
    a->findings[a->count++] = replay->finding;
    if (replay->kept_count)
        deja__copy_line(a->look->kept, sizeof a->look->kept, replay->kept);
    deja__replay_close(replay);
    return DEJA_OK;
}

static bool go_on(void *user, uint64_t compared)
{
    const alone *a = user;
    (void)compared;
    return !atomic_load(&a->lane->verify->stop);
}

/* Replays the session `times` over in one new process. */
static deja_code play(deja__lane *lane, const deja__replay *like, uint32_t isolation,
                      uint32_t times, deja__finding *findings, deja__look *look, deja_error *err)
{
    deja__side side = { 0 };
    alone a = { lane, like, &side, times, 0, findings, look };
    deja__drive drive = {
        .link = &side.link, .next = open_next, .done = keep_finding, .tick = go_on, .user = &a
    };
    deja_code code = deja__side_start(lane, &side, lane->verify->library, isolation, err);
    if (code == DEJA_OK)
        code = deja__drive_prepare(&drive, err);
    if (code == DEJA_OK)
        code = deja__drive_run(&drive, err);
    look->broken_off |= drive.broken_off;
    if (drive.expected)
        deja__drive_release(&drive);
    deja__side_stop(&side);
    return code;
}

/* ---- looks ---- */

/* Whether what ran before can matter at all. A closed library may be too large to be put back. */
static bool may_keep(const deja__lane *lane, const deja__replay *replay, const deja__look *look)
{
    const deja_rules_info *info = &lane->link.info;
    return replay->kept_count > 0 || look->kept[0] || !info->closed ||
           info->isolation != DEJA_ISOLATE_RESTORE;
}

/* Whether the second of two replays in one process differs just where the finding is. */
static bool is_stale(const deja__finding *finding, const deja__finding pair[2])
{
    if (!deja__finding_is_same(finding, &pair[0]) || deja__finding_is_same(finding, &pair[1]))
        return false;
    return pair[1].kind == DEJA__NOTHING || pair[1].step >= finding->step;
}

/* More runs, until one is another than the first. */
static deja_code look_for_another(deja__lane *lane, const deja__replay *replay,
                                  deja__finding runs[RUNS], deja__look *look, deja_error *err)
{
    while (look->runs < RUNS && !look->broken_off &&
           deja__finding_is_same(&runs[0], &runs[look->runs - 1])) {
        const deja_code code =
            play(lane, replay, DEJA_ISOLATE_EXEC, 1, &runs[look->runs], look, err);
        if (code != DEJA_OK)
            return code;
        look->runs++;
    }
    return DEJA_OK;
}

/* More runs, as the last and the first came to different things. */
static deja_code look_on(deja__lane *lane, const deja__replay *replay, deja__finding runs[RUNS],
                         deja__look *look, deja_error *err)
{
    bool fresh_agree = look->runs == 2;
    look->kind = DEJA_UNSTABLE;
    while (look->runs < RUNS && !look->broken_off) {
        /* Each hang costs its whole limit. */
        if (runs[look->runs - 1].kind == DEJA__HANG)
            break;
        const deja_code code =
            play(lane, replay, DEJA_ISOLATE_EXEC, 1, &runs[look->runs], look, err);
        if (code != DEJA_OK)
            return code;
        fresh_agree &= deja__finding_is_same(&runs[1], &runs[look->runs]);
        look->runs++;
    }
    look->step = DEJA_STEP_NONE;
    for (uint32_t i = 0; i < look->runs; i++) {
        if (runs[i].kind == DEJA__NOTHING)
            continue;
        look->differing++;
        if (runs[i].step < look->step)
            look->step = runs[i].step;
    }
    /* Nothing was to be left of the sessions before, but for a library that cannot be put back. */
    const uint32_t isolation = lane->verify->options.isolate;
    if (isolation == DEJA_ISOLATE_RESTORE && lane->link.info.isolation != DEJA_ISOLATE_RESTORE &&
        fresh_agree && look->runs == RUNS)
        look->kind = DEJA_STALE;
    return DEJA_OK;
}

deja_code deja__look_again(deja__lane *lane, const deja__replay *replay, deja__look *look,
                           deja_error *err)
{
    deja__finding runs[RUNS] = { 0 };
    memset(look, 0, sizeof *look);
    look->kind = DEJA_DIVERGED;
    look->step = replay->finding.step;
    runs[0] = replay->finding;
    deja_code code = play(lane, replay, DEJA_ISOLATE_EXEC, 1, &runs[1], look, err);
    look->runs = 2;
    if (code == DEJA_OK && deja__is_recorders_build(lane, replay) && runs[0].kind != DEJA__HANG)
        code = look_for_another(lane, replay, runs, look, err);
    if (code != DEJA_OK || look->broken_off)
        return code;
    if (!deja__finding_is_same(&runs[0], &runs[look->runs - 1]))
        return look_on(lane, replay, runs, look, err);
    if (runs[0].kind == DEJA__HANG || !may_keep(lane, replay, look))
        return DEJA_OK;
    deja__finding pair[2] = { 0 };
    code = play(lane, replay, DEJA__ISOLATE_NONE, 2, pair, look, err);
    if (code == DEJA_OK && !look->broken_off && is_stale(&replay->finding, pair))
        look->kind = DEJA_STALE;
    return code;
}
