/* SPDX-License-Identifier: MIT */
/*
 * A lane: a thread with a store handle and a worker of its own. Sessions are handed out in order,
 * one at a time, so lanes that are faster do more of them; verdicts go into the window by their
 * place in what was asked.
 */
#include "replay/lane.h"

#include <signal.h>
#include <stdlib.h>

/* ---- groups ---- */

static deja__group *find_group(deja__verify *verify, uint64_t name)
{
    for (uint32_t i = 0; i < verify->group_count; i++)
        if (verify->groups[i].name == name)
            return &verify->groups[i];
    return NULL;
}

bool deja__groups_ask(deja__verify *verify, uint64_t name)
{
    pthread_mutex_lock(&verify->mutex);
    const deja__group *group = find_group(verify, name);
    const bool wanted = !group || !group->stable || group->unstable;
    pthread_mutex_unlock(&verify->mutex);
    return wanted;
}

void deja__groups_tell(deja__verify *verify, uint64_t name, bool stable)
{
    pthread_mutex_lock(&verify->mutex);
    deja__group *group = find_group(verify, name);
    if (!group && verify->group_count == verify->group_capacity) {
        const uint32_t capacity = verify->group_capacity ? verify->group_capacity * 2 : 16;
        deja__group *groups = realloc(verify->groups, capacity * sizeof *groups);
        if (groups) {
            verify->groups = groups;
            verify->group_capacity = capacity;
        }
    }
    /* Without memory for it, the next one is looked at again: slower, and as good. */
    if (!group && verify->group_count < verify->group_capacity) {
        group = &verify->groups[verify->group_count++];
        *group = (deja__group){ name, false, false };
    }
    if (group) {
        group->stable |= stable;
        group->unstable |= !stable;
    }
    pthread_mutex_unlock(&verify->mutex);
}

/* ---- handing out, handing in ---- */

static deja_code next_session(void *user, deja__replay **out, bool *later, deja_error *err)
{
    deja__lane *lane = user;
    deja__verify *verify = lane->verify;
    const deja_verify_options *options = &verify->options;
    *out = NULL;
    pthread_mutex_lock(&verify->mutex);
    /* The window is full: this lane may itself hold the session that is waited for. */
    while (verify->next < verify->key_count && verify->next - verify->told >= DEJA__WINDOW &&
           verify->code == DEJA_OK && !atomic_load(&verify->stop)) {
        if (lane->drive.replay_count > 0) {
            *later = true;
            break;
        }
        pthread_cond_wait(&verify->changed, &verify->mutex);
    }
    const bool none = *later || verify->next == verify->key_count || verify->code != DEJA_OK ||
                      atomic_load(&verify->stop);
    const uint64_t index = none ? 0 : verify->next++;
    pthread_mutex_unlock(&verify->mutex);
    if (none)
        return DEJA_OK;
    deja__replay_how how = DEJA__REPLAY_HOW_INIT;
    how.before_count = options->before_count;
    how.keep_going = options->keep_going != 0;
    const int64_t key = verify->keys[index];
    if (lane->ahead && lane->ahead_key == key) {
        how.reader = lane->ahead;
        lane->ahead = NULL;
    }
    const deja_code code = deja__replay_open(out, lane->store, key, &lane->fits, &how, err);
    if (code == DEJA_OK)
        (*out)->index = index;
    return code;
}

static deja_code hand_in(void *user, deja__replay *replay, deja_error *err)
{
    deja__lane *lane = user;
    deja__verify *verify = lane->verify;
    deja__box *box = NULL;
    const uint64_t index = replay->index;
    const deja_code code = deja__finding_judge(lane, replay, &box, err);
    deja__replay_close(replay);
    if (code != DEJA_OK)
        return code;
    pthread_mutex_lock(&verify->mutex);
    verify->boxes[index % DEJA__WINDOW] = box;
    /* The teller looks now and then by itself; it is woken only when many wait. */
    if (index == verify->told + DEJA__WINDOW / 2)
        pthread_cond_broadcast(&verify->changed);
    pthread_mutex_unlock(&verify->mutex);
    return DEJA_OK;
}

static bool go_on(void *user, uint64_t rows)
{
    deja__lane *lane = user;
    uint64_t live = rows;
    for (uint32_t i = 0; i < lane->drive.replay_count; i++)
        live += lane->drive.replays[i]->compared;
    atomic_store_explicit(&lane->verify->live[lane->place], live, memory_order_relaxed);
    return !atomic_load_explicit(&lane->verify->stop, memory_order_relaxed);
}

/* ---- a lane ---- */

/* Every lane must run the same build. */
static deja_code agree_on_build(deja__lane *lane, deja_error *err)
{
    deja__verify *verify = lane->verify;
    const unsigned char *build = lane->link.info.build;
    pthread_mutex_lock(&verify->mutex);
    if (!verify->has_build)
        memcpy(verify->build, build, sizeof verify->build);
    verify->has_build = true;
    const bool same = memcmp(verify->build, build, sizeof verify->build) == 0;
    pthread_mutex_unlock(&verify->mutex);
    return same ? DEJA_OK : deja__fail(err, DEJA_EUNFIT, "has changed while it was being used");
}

/* What this lane is likely to begin with is decoded while the worker gets ready; the store keeps it
 * at hand. What is wrong with it comes to light when it is asked for. */
static void read_ahead(deja__lane *lane)
{
    const deja__verify *verify = lane->verify;
    deja_steps steps;
    if (lane->place >= verify->key_count)
        return;
    lane->ahead_key = verify->keys[lane->place];
    if (deja_reader_open(&lane->ahead, lane->store, lane->ahead_key, 0, NULL) != DEJA_OK)
        return;
    deja_reader_next(lane->ahead, &steps, NULL);
    deja_reader_rewind(lane->ahead);
}

static deja_code open_lane(deja__lane *lane, deja_error *err)
{
    deja__verify *verify = lane->verify;
    const deja_verify_options *options = &verify->options;
    const deja__link_how how = { options->worker,         verify->library,
                                 options->isolate,        options->memory_mib,
                                 options->hang_cpu_ms,    options->hang_wall_ms,
                                 verify->packs.descriptor };
    lane->drive = (deja__drive){
        .link = &lane->link, .next = next_session, .done = hand_in, .tick = go_on, .user = lane
    };
    deja_code code = deja__link_open(&lane->link, &how, err);
    if (code == DEJA_OK)
        code = deja__link_launch(&lane->link, err);
    if (code == DEJA_OK)
        code = deja_store_open(&lane->store, verify->store_path, DEJA_STORE_READ, err);
    if (code == DEJA_OK)
        read_ahead(lane);
    if (code == DEJA_OK)
        code = deja__drive_prepare(&lane->drive, err);
    if (code == DEJA_OK)
        code = deja__link_start(&lane->link, err);
    if (code == DEJA_OK)
        code = agree_on_build(lane, err);
    /* A baseline that does not load is told at once, not at the first finding. */
    if (code == DEJA_OK && options->baseline && lane->place == 0) {
        code = deja__side_start(lane, &lane->baseline, options->baseline, DEJA_ISOLATE_AUTO, err);
        if (code != DEJA_OK)
            deja__fail_within(err, code, "the baseline '%s'", options->baseline);
    }
    lane->fits.info = &lane->link.info;
    lane->fits.packs = &verify->packs;
    lane->fits.same_build = options->same_build != 0;
    lane->fits.partial = options->allow_partial != 0;
    const uint32_t isolation = options->isolate ? options->isolate : lane->link.info.isolation;
    lane->drive.one_by_one = isolation == DEJA_ISOLATE_EXEC;
    return code;
}

static void close_lane(deja__lane *lane)
{
    if (lane->drive.expected)
        deja__drive_release(&lane->drive);
    deja__side_stop(&lane->present);
    deja__side_stop(&lane->baseline);
    deja__link_dismiss(&lane->link);
    deja__fits_release(&lane->fits);
    deja_reader_close(lane->ahead);
    deja_store_close(lane->store, NULL);
    deja__link_close(&lane->link);
}

void *deja__lane_main(void *argument)
{
    deja__lane *lane = argument;
    deja__verify *verify = lane->verify;
    deja_error err = { 0 };
    deja_code code = open_lane(lane, &err);
    if (code == DEJA_OK)
        code = deja__drive_run(&lane->drive, &err);
    close_lane(lane);
    atomic_store(&verify->live[lane->place], 0);
    pthread_mutex_lock(&verify->mutex);
    if (code != DEJA_OK && verify->code == DEJA_OK) {
        verify->code = code;
        verify->error = err;
    }
    verify->running--;
    pthread_cond_broadcast(&verify->changed);
    pthread_mutex_unlock(&verify->mutex);
    return NULL;
}
