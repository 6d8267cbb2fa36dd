/* SPDX-License-Identifier: 0BSD */
/**
 * @file deja/driver.h
 * Steps of a fixed rate for a game of ticks, and which step gets which key press.
 *
 * Frames come when they like, steps do not: what a step reads must not depend on how often the
 * screen is drawn. The driver counts the steps that are due and keeps what the players did until a
 * step takes it. Copy this file and rules.h beside the game; nothing is linked, nothing allocated.
 *
 *     static deja_driver driver;
 *     deja_driver_init(&driver, 60, 2);
 *     for (each frame) {
 *         for (each key event of the system)
 *             event.down ? deja_driver_press(&driver, event.ns, player, action)
 *                        : deja_driver_release(&driver, event.ns, player, action);
 *         deja_driver_frame(&driver, now_ns, &dropped);
 *         while (deja_driver_step(&driver, tick.players) != 0)
 *             deja_recorder_step(recorder, &state, &tick, out, &result, &err);
 *         draw(&state);
 *     }
 *
 * What it promises:
 *   - Step n falls due n times 1/rate seconds after the first frame, to the nanosecond, however the
 *     frames lie. Only the differences of the clock count: not where it starts, and not that it
 *     wraps. A clock that steps back gives no steps in that frame, and its time goes on from there.
 *   - A frame has at most DEJA_DRIVER_STEPS steps. Those beyond are dropped: told, counted, never
 *     made up later.
 *   - A step takes what happened before it fell due, by the time of the event and not of the frame.
 *   - Each press is pressed in one step, and its release released in a later one, so that a tap
 *     between two steps is not lost. Of one action a step takes one press or release: a second
 *     press waits its turn. Nothing is lost to dropped steps.
 *   - A press of what is down is the system's repeat, and reaches no step; nor does a release of
 *     what is up.
 *   - clear forgets what waits. What the last step held is let go of in the next, so that no step
 *     ever sees half a press.
 *
 * A driver belongs to one thread at a time. All numbers in it are for reading only.
 */
#ifndef DEJA_DRIVER_H
#define DEJA_DRIVER_H

#include <deja/rules.h>

enum {
    DEJA_DRIVER_STEPS = 4,   /**< of one frame, at most */
    DEJA_DRIVER_PLAYERS = 8, /**< at most */
    DEJA_DRIVER_ACTIONS = 32,
    DEJA_DRIVER_EVENTS = 512 /**< that wait for their steps, at most: room for every release */
};

/** A press or release that waits for its step. */
typedef struct deja_driver_event {
    uint64_t after; /**< only steps behind this one fall due later than it happened */
    uint32_t player;
    uint32_t action; /**< its bit */
    bool down;
} deja_driver_event;

typedef struct deja_driver {
    uint32_t rate;    /**< steps a second */
    uint32_t players; /**< how many inputs a step has */
    uint32_t clock_hz;
    uint64_t clock_mask;

    uint64_t steps;   /**< that were taken: the number of the last one */
    uint64_t dropped; /**< steps, in all */
    uint64_t lost;    /**< presses that found no room to wait, in all */

    bool is_running; /**< the clock was read */
    bool is_paused;
    uint32_t due;   /**< steps that are to be taken */
    uint64_t last;  /**< the clock in the last frame */
    uint64_t phase; /**< since the last step fell due, in parts of 1 / (clock_hz * rate) seconds */
    uint64_t fell;  /**< steps that fell due, dropped ones too */
    uint64_t done;  /**< the one of these that was taken or dropped last */

    uint32_t down[DEJA_DRIVER_PLAYERS];  /**< when all that waits was taken */
    uint32_t held[DEJA_DRIVER_PLAYERS];  /**< after the last step */
    uint32_t level[DEJA_DRIVER_PLAYERS]; /**< as deja_driver_hold() said */
    uint32_t event_count;
    deja_driver_event events[DEJA_DRIVER_EVENTS];
} deja_driver;

/**
 * Begins anew, for a clock of nanoseconds in 64 bits.
 * @param rate    steps a second, 1 to 1,000,000
 * @param players 1 to DEJA_DRIVER_PLAYERS
 * @return false where a number is out of range: then it gives no steps
 */
DEJA__MAYBE_UNUSED static inline bool deja_driver_init(deja_driver *driver, uint32_t rate,
                                                       uint32_t players)
{
    const bool is_good =
        rate != 0 && rate <= 1000000 && players != 0 && players <= DEJA_DRIVER_PLAYERS;
    memset(driver, 0, sizeof *driver);
    driver->rate = is_good ? rate : 0;
    driver->players = is_good ? players : 0;
    driver->clock_hz = 1000000000;
    driver->clock_mask = UINT64_MAX;
    return is_good;
}

/**
 * Says what the game's clock counts: `hz` a second, in `bits` bits, after which it wraps: 1000 and
 * 32 for milliseconds that begin again after 49 days. Before the first frame.
 * @return false where hz is 0 or bits are none of 8 to 64: then nothing has changed
 */
DEJA__MAYBE_UNUSED static inline bool deja_driver_clock(deja_driver *driver, uint32_t hz,
                                                        uint32_t bits)
{
    if (hz == 0 || bits < 8 || bits > 64)
        return false;
    driver->clock_hz = hz;
    driver->clock_mask = UINT64_MAX >> (64 - bits);
    return true;
}

/* Steps in `span` of the clock and `phase` parts; what is left over in *rest. No clock is trusted
 * with more than 136 years. */
static inline uint64_t deja__driver_count(const deja_driver *driver, uint64_t span, uint64_t phase,
                                          uint64_t *rest)
{
    const uint64_t seconds = span / driver->clock_hz;
    const uint64_t parts = span % driver->clock_hz * driver->rate + phase;
    *rest = parts % driver->clock_hz;
    return (seconds < UINT32_MAX ? seconds : UINT32_MAX) * driver->rate + parts / driver->clock_hz;
}

/* How far `now` lies ahead of `then`: by the shorter way round where the clock wraps. */
static inline bool deja__driver_is_ahead(const deja_driver *driver, uint64_t now, uint64_t then,
                                         uint64_t *ahead)
{
    *ahead = (now - then) & driver->clock_mask;
    return *ahead <= driver->clock_mask / 2;
}

/* How many steps had fallen due at a time of the clock. */
static inline uint64_t deja__driver_fell(const deja_driver *driver, uint64_t when)
{
    uint64_t span, rest;
    if (!driver->is_running)
        return driver->fell;
    if (deja__driver_is_ahead(driver, when, driver->last, &span))
        return driver->fell + deja__driver_count(driver, span, driver->phase, &rest);
    (void)deja__driver_is_ahead(driver, driver->last, when, &span);
    uint64_t back = deja__driver_count(driver, span, 0, &rest);
    if (rest > driver->phase)
        back++;
    return back < driver->fell ? driver->fell - back : 0;
}

/* Every key that is down, in the end, needs a place for its release. */
static inline uint32_t deja__driver_releases(const deja_driver *driver)
{
    uint32_t count = 0;
    for (uint32_t player = 0; player < driver->players; player++)
        for (uint32_t bits = driver->down[player]; bits != 0; bits &= bits - 1)
            count++;
    return count;
}

static inline void deja__driver_queue(deja_driver *driver, uint64_t after, uint32_t player,
                                      uint32_t action, bool down)
{
    deja_driver_event *event = &driver->events[driver->event_count++];
    event->after = after;
    event->player = player;
    event->action = action;
    event->down = down;
    if (down)
        driver->down[player] |= action;
    else
        driver->down[player] &= ~action;
}

/**
 * Says that a player pressed an action; the system's repeats may be told, too. Before the frame in
 * which it is read, in the order in which things happened.
 * @param when   its time, by the clock of the frames; where deja_driver_ticks() counts, any
 * @param player from 0
 * @param action from 0
 * @return false where it is nobody's, no action, a repeat, falls into a pause, or finds no room:
 *         then no step sees it, nor its release
 */
DEJA__MAYBE_UNUSED static inline bool deja_driver_press(deja_driver *driver, uint64_t when,
                                                        uint32_t player, uint32_t action)
{
    if (driver->is_paused || player >= driver->players || action >= DEJA_DRIVER_ACTIONS)
        return false;
    const uint32_t bit = 1u << action;
    if ((driver->down[player] & bit) != 0)
        return false;
    if (driver->event_count + deja__driver_releases(driver) + 2 > DEJA_DRIVER_EVENTS) {
        driver->lost++;
        return false;
    }
    deja__driver_queue(driver, deja__driver_fell(driver, when), player, bit, true);
    return true;
}

/** The same for letting go. */
DEJA__MAYBE_UNUSED static inline bool deja_driver_release(deja_driver *driver, uint64_t when,
                                                          uint32_t player, uint32_t action)
{
    if (driver->is_paused || player >= driver->players || action >= DEJA_DRIVER_ACTIONS)
        return false;
    const uint32_t bit = 1u << action;
    if ((driver->down[player] & bit) == 0)
        return false;
    deja__driver_queue(driver, deja__driver_fell(driver, when), player, bit, false);
    return true;
}

/** For what has a state and no events, as a stick that is pushed: which actions (bit i is action i)
 *  are held from now on, besides those that were pressed. They are neither pressed nor released. */
DEJA__MAYBE_UNUSED static inline void deja_driver_hold(deja_driver *driver, uint32_t player,
                                                       uint32_t actions)
{
    if (player < driver->players)
        driver->level[player] = actions;
}

/* So many steps more have fallen due. */
static inline uint32_t deja__driver_add(deja_driver *driver, uint64_t count, uint64_t *dropped)
{
    driver->fell += count;
    for (; count != 0 && driver->due < DEJA_DRIVER_STEPS; count--)
        driver->due++;
    driver->dropped += count;
    if (dropped)
        *dropped = count;
    return driver->due;
}

/**
 * Begins a frame. The first one gives the clock its start, and no steps.
 * @param now          the clock
 * @param[out] dropped steps that were too many for this frame, and will not come; may be NULL
 * @return how many steps are due, 0 to DEJA_DRIVER_STEPS; those that the last frame did not take
 *         are among them
 */
DEJA__MAYBE_UNUSED static inline uint32_t deja_driver_frame(deja_driver *driver, uint64_t now,
                                                            uint64_t *dropped)
{
    uint64_t span = 0, count = 0;
    if (driver->is_paused || driver->rate == 0) {
        if (dropped)
            *dropped = 0;
        return 0;
    }
    if (driver->is_running && deja__driver_is_ahead(driver, now, driver->last, &span))
        count = deja__driver_count(driver, span, driver->phase, &driver->phase);
    driver->is_running = true;
    driver->last = now;
    return deja__driver_add(driver, count, dropped);
}

/** The same where the game's engine counts steps itself: so many are due in this frame. */
DEJA__MAYBE_UNUSED static inline uint32_t deja_driver_ticks(deja_driver *driver, uint64_t count,
                                                            uint64_t *dropped)
{
    return deja__driver_add(driver, driver->is_paused || driver->rate == 0 ? 0 : count, dropped);
}

/**
 * Takes one of the steps that are due.
 * @param[out] inputs what it reads: one for each player
 * @return its number, counted from 1 without gaps, or 0 where none is due: then nothing was written
 */
DEJA__MAYBE_UNUSED static inline uint64_t deja_driver_step(deja_driver *driver, deja_input *inputs)
{
    uint32_t settled[DEJA_DRIVER_PLAYERS]; /* actions whose turn has been, or has not come */
    uint32_t kept = 0;
    if (driver->due == 0)
        return 0;
    driver->due--;
    driver->done++;
    memset(settled, 0, sizeof settled);
    memset(inputs, 0, driver->players * sizeof *inputs);
    for (uint32_t i = 0; i < driver->event_count; i++) {
        const deja_driver_event event = driver->events[i];
        const uint32_t player = event.player;
        const bool waits = (settled[player] & event.action) != 0 || event.after >= driver->done;
        settled[player] |= event.action;
        if (waits) {
            driver->events[kept++] = event;
        } else if (event.down) {
            inputs[player].pressed |= event.action;
            driver->held[player] |= event.action;
        } else {
            inputs[player].released |= event.action;
            driver->held[player] &= ~event.action;
        }
    }
    driver->event_count = kept;
    for (uint32_t player = 0; player < driver->players; player++)
        inputs[player].held =
            driver->held[player] | (driver->level[player] & ~inputs[player].released);
    if (driver->due == 0)
        driver->done = driver->fell; /* the dropped ones lie between */
    return ++driver->steps;
}

/**
 * Forgets what waits, as where a menu opens: presses that no step has taken never are. What the
 * last step held is released in the next; whoever still holds it has to press it anew.
 */
DEJA__MAYBE_UNUSED static inline void deja_driver_clear(deja_driver *driver)
{
    driver->event_count = 0;
    for (uint32_t player = 0; player < driver->players; player++) {
        for (uint32_t action = 0; action < DEJA_DRIVER_ACTIONS; action++)
            if ((driver->held[player] >> action & 1u) != 0)
                deja__driver_queue(driver, 0, player, 1u << action, false);
        driver->down[player] = 0;
        driver->level[player] = 0;
    }
}

/** Stops: frames give no steps, events are dropped, and what waits is cleared. The time until the
 *  first frame behind resume, and since the last one before, is as if it had not been. */
DEJA__MAYBE_UNUSED static inline void deja_driver_pause(deja_driver *driver)
{
    if (!driver->is_paused)
        deja_driver_clear(driver);
    driver->is_paused = true;
    driver->is_running = false;
    driver->due = 0;
    driver->done = driver->fell;
}

/** Goes on with the next frame. Nothing happens where there was no pause. */
DEJA__MAYBE_UNUSED static inline void deja_driver_resume(deja_driver *driver)
{
    driver->is_paused = false;
}

#endif
