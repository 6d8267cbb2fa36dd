/* SPDX-License-Identifier: MIT */
/*
 * Several sessions one behind another through one worker.
 *
 * Jobs of the next sessions are handed over while those before are still at work, so a short
 * session does not wait for a way there and back. Sessions stay in order: one is fed to its end
 * before the next one begins, and answers come in the order of the jobs.
 *
 * A session in which the worker dies loses its jobs; those behind it lie where they were, and the
 * next worker goes on with them.
 */
#include "replay/replay.h"

#include <stdlib.h>

enum { WAIT_MS = 25 };

/* ---- captured states ---- */

static bool take_message(void *user, uint32_t kind, deja_span bytes)
{
    deja__drive *drive = user;
    if (kind != DEJA__FRAME_STATE || drive->states_come - drive->states_gone == DEJA__SLOTS)
        return false;
    deja_buffer *state = &drive->states[drive->states_come % DEJA__SLOTS];
    deja_buffer_clear(state);
    drive->states_come++;
    return deja_buffer_add(state, bytes.bytes, bytes.size);
}

/* ---- the row of sessions ---- */

static deja__expected *next_expected(const deja__drive *drive)
{
    return &drive->expected[drive->link->taken % DEJA__SLOTS];
}

/* The session whose jobs come next; NULL: none for now. */
static deja_code find_feeding(deja__drive *drive, deja__replay **out, deja_error *err)
{
    *out = NULL;
    if (drive->replay_count > 0) {
        deja__replay *last = drive->replays[drive->replay_count - 1];
        if (deja__replay_has_job(last)) {
            *out = last;
            return DEJA_OK;
        }
        if (drive->one_by_one)
            return DEJA_OK;
    }
    if (drive->drained || drive->replay_count == DEJA__SLOTS)
        return DEJA_OK;
    bool later = false;
    const deja_code code = drive->next(drive->user, out, &later, err);
    if (code != DEJA_OK || !*out) {
        drive->drained = !later;
        return code;
    }
    (*out)->number = ++drive->session;
    drive->replays[drive->replay_count++] = *out;
    return DEJA_OK;
}

/* Has the worker leave out what is left of the session at the front, where nobody wants it. Those
 * behind it wait until they are at the front: a worker leaves out all up to a number. */
static void cancel(deja__drive *drive)
{
    if (drive->replay_count > 0 && drive->replays[0]->stopped)
        deja__link_cancel(drive->link, drive->replays[0]->number);
}

/* Hands over jobs as long as there is room. */
static deja_code fill(deja__drive *drive, deja_error *err)
{
    deja__link *link = drive->link;
    for (;;) {
        deja__replay *replay;
        deja__job *job = deja__link_slot(link);
        if (!job)
            return DEJA_OK;
        deja_code code = find_feeding(drive, &replay, err);
        if (code != DEJA_OK || !replay)
            return code;
        if (!deja__replay_has_job(replay))
            continue; /* it was settled when it was opened */
        deja__expected *expected = &drive->expected[link->submitted % DEJA__SLOTS];
        code = deja__replay_feed(replay, job, expected, err);
        if (code != DEJA_OK)
            return code;
        deja__link_submit(link);
        if (job->count >= DEJA__WORTH_A_KICK)
            deja__link_kick(link);
        cancel(drive);
    }
}

/* Takes the sessions from the front that are done. */
static deja_code retire(deja__drive *drive, deja_error *err)
{
    while (drive->replay_count > 0 && deja__replay_is_done(drive->replays[0])) {
        deja__replay *replay = drive->replays[0];
        drive->replay_count--;
        memmove(drive->replays, drive->replays + 1, drive->replay_count * sizeof drive->replays[0]);
        if (drive->one_by_one)
            deja__link_stop(drive->link);
        cancel(drive);
        const deja_code code = drive->done(drive->user, replay, err);
        if (code != DEJA_OK)
            return code;
    }
    return DEJA_OK;
}

/* ---- what the worker answers ---- */

static deja_code take_answer(deja__drive *drive, deja_error *err)
{
    deja__link *link = drive->link;
    deja__expected *expected = next_expected(drive);
    const deja__answer *answer = deja__link_answer(link);
    deja_span state = { NULL, 0 };
    if (expected->captures && answer->status == DEJA__ANSWER_DONE &&
        drive->states_come > drive->states_gone) {
        const deja_buffer *come = &drive->states[drive->states_gone++ % DEJA__SLOTS];
        state = (deja_span){ come->bytes, come->size };
    }
    const deja_code code = deja__compare_answer(expected, answer, state, err);
    deja__link_take(link);
    cancel(drive);
    return code;
}

/* The session at work loses by its worker's death, and its jobs are dropped. A worker that died
 * before it took the job, of what an earlier session left in it, is no fault of this one's: then
 * another worker gets the jobs, once. */
static void lose_session(deja__drive *drive)
{
    deja__link *link = drive->link;
    deja__expected *expected = next_expected(drive);
    deja__replay *replay = expected->replay;
    if (!deja__link_has_begun(link) && !replay->answered && !replay->spared) {
        replay->spared = true;
        return;
    }
    deja__compare_death(expected, deja__link_answer(link), deja__link_rows(link), link);
    while (link->taken < link->submitted && next_expected(drive)->replay == replay) {
        deja__link_take(link);
        replay->flying--;
    }
}

/* The worker is no more. */
static deja_code bury(deja__drive *drive, deja_error *err)
{
    deja__link *link = drive->link;
    if (link->end == DEJA__END_SYSTEM) {
        if (err)
            *err = link->system;
        return link->system.code;
    }
    if (link->submitted > link->taken)
        lose_session(drive);
    drive->states_gone = drive->states_come;
    deja__link_stop(link);
    return DEJA_OK;
}

static deja_code attend(deja__drive *drive, deja_error *err)
{
    deja__link *link = drive->link;
    if (!link->pid) {
        const deja_code code = deja__link_start(link, err);
        if (code != DEJA_OK)
            return code;
    }
    switch (deja__link_wait(link, WAIT_MS)) {
    case DEJA__LINK_ANSWER:
        break;
    case DEJA__LINK_ENDED:
        return bury(drive, err);
    case DEJA__LINK_TICK:
        return DEJA_OK;
    }
    /* All that are there: of short sessions there are several each time somebody wakes up. */
    deja_code code = take_answer(drive, err);
    while (code == DEJA_OK && deja__link_has_answer(link))
        code = take_answer(drive, err);
    return code;
}

/* ---- all of it ---- */

deja_code deja__drive_prepare(deja__drive *drive, deja_error *err)
{
    drive->expected = calloc(DEJA__SLOTS, sizeof *drive->expected);
    if (!drive->expected)
        return deja__fail_memory(err);
    drive->link->message = take_message;
    drive->link->user = drive;
    return DEJA_OK;
}

deja_code deja__drive_run(deja__drive *drive, deja_error *err)
{
    deja__link *link = drive->link;
    for (;;) {
        deja_code code = fill(drive, err);
        deja__link_kick(link);
        if (code == DEJA_OK && link->submitted > link->taken)
            code = attend(drive, err);
        if (code == DEJA_OK)
            code = retire(drive, err);
        if (code != DEJA_OK)
            return code;
        if (drive->replay_count == 0 && drive->drained)
            return DEJA_OK;
        const int64_t rows = link->pid && link->submitted > link->taken ? deja__link_rows(link) : 0;
        if (drive->tick && !drive->tick(drive->user, rows > 0 ? (uint64_t)rows : 0)) {
            drive->broken_off = true;
            return DEJA_OK;
        }
    }
}

void deja__drive_release(deja__drive *drive)
{
    for (uint32_t i = 0; i < drive->replay_count; i++)
        deja__replay_close(drive->replays[i]);
    drive->replay_count = 0;
    for (uint32_t i = 0; i < DEJA__SLOTS; i++)
        deja_buffer_release(&drive->states[i]);
    free(drive->expected);
    drive->expected = NULL;
    drive->link->message = NULL;
}
