/* SPDX-License-Identifier: MIT */
/*
 * Jobs to a worker, and answers from it.
 */
#include "replay/link.h"

/* ---- what it sends ---- */

/* Deals with all that has come. TICK: nothing that matters here. */
static enum deja__link_event receive(deja__link *link)
{
    deja__frame frame;
    deja_span bytes;
    for (;;) {
        switch (deja__inbox_next(&link->inbox, link->socket, &frame, &bytes)) {
        case DEJA__INBOX_EMPTY:
            return DEJA__LINK_TICK;
        case DEJA__INBOX_CLOSED:
            return deja__lost(link);
        case DEJA__INBOX_BROKEN:
            return deja__ended(link, DEJA__END_CUT);
        case DEJA__INBOX_MEMORY:
            return deja__ended_by_system(link, DEJA_ENOMEM, "out of memory");
        case DEJA__INBOX_FRAME:
            break;
        }
        switch (frame.kind) {
        case DEJA__FRAME_KICK:
            break;
        case DEJA__FRAME_STATE:
        case DEJA__FRAME_STEP:
            if (link->message && !link->message(link->user, frame.kind, bytes))
                return deja__ended(link, DEJA__END_CUT);
            break;
        case DEJA__FRAME_CHILD:
            link->status = (int)frame.number;
            return deja__ended(link, DEJA__END_DIED);
        case DEJA__FRAME_FAILED:
            return deja__ended_by_system(link, DEJA_EIO, "a worker cannot fork");
        default:
            return deja__ended(link, DEJA__END_CUT);
        }
    }
}

/* ---- jobs ---- */

deja__job *deja__link_slot(deja__link *link)
{
    return link->submitted - link->taken == DEJA__SLOTS ? NULL
                                                        : deja__job_at(link->in, link->submitted);
}

void deja__link_submit(deja__link *link)
{
    if (link->submitted == link->taken)
        deja__forget_watch(link);
    link->submitted++;
    atomic_store(&deja__in_control_of(link)->submitted, link->submitted);
    link->unkicked = true;
}

void deja__link_kick(deja__link *link)
{
    if (link->unkicked && link->pid && atomic_load(&deja__out_control_of(link)->worker_waits))
        deja__wire_kick(link->socket);
    link->unkicked = false;
}

void deja__link_cancel(deja__link *link, uint64_t session)
{
    atomic_store(&deja__in_control_of(link)->cancelled, session);
}

/* 1: there is an answer; 0: not yet; -1: what the worker wrote is nonsense. */
static int look(const deja__link *link)
{
    const uint64_t done = atomic_load(&deja__out_control_of(link)->done);
    if (done < link->taken || done > link->submitted)
        return -1;
    if (done == link->taken)
        return 0;
    const uint32_t number = *(const volatile uint32_t *)&deja__link_answer(link)->number;
    return number == (uint32_t)(link->taken + 1) ? 1 : -1;
}

/* What was sent before an answer was finished is there when the answer is. */
static bool sends_something(const deja__link *link)
{
    const uint32_t flags = deja__job_at(link->in, link->taken)->flags;
    return flags & (DEJA__JOB_CAPTURE | DEJA__JOB_TRACE);
}

bool deja__link_has_answer(const deja__link *link)
{
    return link->submitted > link->taken && look(link) > 0 && !sends_something(link);
}

/* Waits for a sign, and looks whether the worker is well. */
static void attend(deja__link *link, uint32_t milliseconds)
{
    atomic_store(&deja__in_control_of(link)->host_waits, 1);
    if (look(link) == 0)
        deja__sleep_for_sign(link, milliseconds < DEJA__LOOK_MS ? milliseconds : DEJA__LOOK_MS);
    atomic_store(&deja__in_control_of(link)->host_waits, 0);
    deja__hear(link);
    receive(link);
    if (link->end == DEJA__END_NONE && deja__spawn_is_dead(link))
        deja__ended(link, DEJA__END_DIED);
    if (link->end == DEJA__END_NONE && link->submitted > link->taken)
        deja__watch(link);
}

enum deja__link_event deja__link_wait(deja__link *link, uint32_t milliseconds)
{
    uint64_t until = 0;
    for (;;) {
        const int there = look(link);
        if (there < 0)
            return deja__ended(link, DEJA__END_WROTE);
        if (there > 0) {
            if (sends_something(link) && link->end == DEJA__END_NONE)
                receive(link);
            return DEJA__LINK_ANSWER;
        }
        /* Answers that were finished before it died count. */
        if (link->end != DEJA__END_NONE)
            return DEJA__LINK_ENDED;
        const uint64_t now = deja__now_ms();
        if (until && now >= until)
            return DEJA__LINK_TICK;
        if (!until)
            until = now + milliseconds + 1;
        attend(link, (uint32_t)(until - now));
    }
}

const deja__answer *deja__link_answer(const deja__link *link)
{
    return deja__answer_at(link->out, link->taken);
}

bool deja__link_has_begun(const deja__link *link)
{
    const uint64_t progress = atomic_load(&deja__out_control_of(link)->progress);
    return progress >> DEJA__PROGRESS_BITS == link->taken;
}

int64_t deja__link_rows(const deja__link *link)
{
    const uint64_t progress = atomic_load(&deja__out_control_of(link)->progress);
    const uint64_t how_far = progress & (((uint64_t)1 << DEJA__PROGRESS_BITS) - 1);
    const uint32_t count = deja__job_at(link->in, link->taken)->count;
    if (progress >> DEJA__PROGRESS_BITS != link->taken || how_far < DEJA__PROGRESS_BEGUN)
        return -1;
    return how_far - DEJA__PROGRESS_BEGUN < count ? (int64_t)how_far - DEJA__PROGRESS_BEGUN : count;
}

void deja__link_take(deja__link *link)
{
    link->taken++;
}
