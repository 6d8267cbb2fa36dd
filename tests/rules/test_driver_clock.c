/* SPDX-License-Identifier: MIT */
/*
 * <deja/driver.h> and clocks: steps by whole nanoseconds, frames of any rate, clocks that start
 * anywhere, wrap, step back or stand still, and pauses.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <deja/driver.h>

TestSuite(driver_clock, .timeout = 60);

#define MS 1000000u
#define SECOND 1000000000u

enum { RIGHT = 3, R = 1 << RIGHT, LOG = 700 };

static deja_driver driver_of(uint32_t rate)
{
    deja_driver driver;
    cr_assert(deja_driver_init(&driver, rate, 1));
    return driver;
}

/* Takes what is due. */
static uint32_t frame(deja_driver *driver, uint64_t now)
{
    deja_input input;
    uint32_t taken = 0;
    const uint32_t due = deja_driver_frame(driver, now, NULL);
    while (deja_driver_step(driver, &input) != 0)
        taken++;
    cr_assert(eq(u32, taken, due));
    return taken;
}

Test(driver_clock, K09_a_second_has_sixty_steps_however_it_is_cut)
{
    static const uint32_t rates[] = { 15, 16, 24, 30, 50, 59, 60, 61, 75, 90, 120, 144, 240, 1000 };
    for (uint32_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        deja_driver driver = driver_of(60);
        for (uint64_t k = 0; k <= rates[i] * 10; k++)
            frame(&driver, (k * SECOND + rates[i] - 1) / rates[i]);
        cr_assert(driver.steps == 600 && driver.dropped == 0, "at %u a second", rates[i]);
    }
    deja_driver driver = driver_of(60); /* uneven */
    deja_luck luck;
    uint64_t now = 0;
    deja_luck_seed(&luck, 1, 0);
    frame(&driver, 0);
    while (now < SECOND) {
        now += deja_luck_below(&luck, 60 * MS);
        frame(&driver, now < SECOND ? now : SECOND);
    }
    cr_assert(eq(u64, driver.steps, 60));
}

Test(driver_clock, a_step_falls_due_at_its_nanosecond)
{
    deja_driver driver = driver_of(60); /* step 1 at 16,666,666.67 ns */
    cr_assert(eq(u32, frame(&driver, 0), 0));
    cr_assert(eq(u32, frame(&driver, 16666666), 0));
    cr_assert(eq(u32, frame(&driver, 16666667), 1));
    cr_assert(eq(u32, frame(&driver, 33333333), 0));
    cr_assert(eq(u32, frame(&driver, 33333334), 1));
    cr_assert(eq(u32, frame(&driver, 49999999), 0));
    cr_assert(eq(u32, frame(&driver, 50000000), 1));
}

Test(driver_clock, K10_a_frame_has_four_steps_at_most_and_the_others_are_told)
{
    deja_driver driver = driver_of(60);
    deja_input input;
    uint64_t dropped = 99;
    cr_assert(eq(u32, deja_driver_frame(&driver, 0, &dropped), 0));
    cr_assert(eq(u64, dropped, 0));
    cr_assert(eq(u32, deja_driver_frame(&driver, 10ull * SECOND, &dropped), 4));
    cr_assert(eq(u64, dropped, 596));
    while (deja_driver_step(&driver, &input) != 0)
        continue;
    cr_assert(eq(u32, frame(&driver, 10ull * SECOND), 0)); /* never made up later */
    cr_assert(eq(u32, frame(&driver, 10ull * SECOND + 50 * MS), 3));
    cr_assert(driver.steps == 7 && driver.dropped == 596);
}

Test(driver_clock, steps_that_a_frame_leaves_are_due_in_the_next)
{
    deja_driver driver = driver_of(60);
    deja_input input;
    uint64_t dropped;
    deja_driver_frame(&driver, 0, NULL);
    cr_assert(eq(u32, deja_driver_frame(&driver, 50 * MS, NULL), 3));
    deja_driver_step(&driver, &input);
    cr_assert(eq(u32, deja_driver_frame(&driver, 100 * MS, &dropped), 4));
    cr_assert(eq(u64, dropped, 1));
}

/* What was pressed while steps were dropped comes in the first that are left. */
Test(driver_clock, presses_are_not_dropped_with_steps)
{
    deja_driver driver = driver_of(60);
    deja_input input;
    uint32_t presses = 0, releases = 0;
    frame(&driver, 0);
    cr_assert(deja_driver_press(&driver, 9ull * SECOND, 0, RIGHT));
    cr_assert(deja_driver_release(&driver, 9ull * SECOND + MS, 0, RIGHT));
    for (uint64_t now = 10ull * SECOND; now < 11ull * SECOND; now += 20 * MS) {
        deja_driver_frame(&driver, now, NULL);
        while (deja_driver_step(&driver, &input) != 0) {
            presses += input.pressed == R;
            releases += input.released == R;
        }
    }
    cr_assert(presses == 1 && releases == 1);
}

/* ---- one script, many rates ---- */

typedef struct event {
    uint32_t ms;
    bool down;
} event;

static const event script[] = { { 5, true },    { 9, false },   { 100, true }, { 101, false },
                                { 102, true },  { 103, false }, { 250, true }, { 1000, false },
                                { 2000, true }, { 3500, false } };
enum { EVENTS = sizeof script / sizeof *script, SCRIPT_MS = 5000 };

/* Plays the script at so many frames a second, on a clock that counts `hz` a second in `bits` bits
 * and is at `start` when it begins. */
static uint32_t play(uint32_t fps, uint32_t hz, uint32_t bits, uint64_t start, deja_input log[LOG])
{
    deja_driver driver = driver_of(60);
    const uint64_t mask = UINT64_MAX >> (64 - bits);
    uint32_t next = 0;
    cr_assert(deja_driver_clock(&driver, hz, bits));
    for (uint64_t k = 0; k <= (uint64_t)SCRIPT_MS * fps / 1000; k++) {
        const uint64_t now = k * hz / fps;
        for (; next < EVENTS && (uint64_t)script[next].ms * hz / 1000 <= now; next++) {
            const uint64_t when = (start + (uint64_t)script[next].ms * hz / 1000) & mask;
            cr_assert(script[next].down ? deja_driver_press(&driver, when, 0, RIGHT)
                                        : deja_driver_release(&driver, when, 0, RIGHT));
        }
        deja_driver_frame(&driver, (start + now) & mask, NULL);
        while (deja_driver_step(&driver, &log[driver.steps]) != 0)
            cr_assert(driver.steps < LOG);
    }
    cr_assert(eq(u64, driver.dropped, 0));
    return (uint32_t)driver.steps;
}

Test(driver_clock, one_script_gives_one_log_at_every_frame_rate) /* B43 */
{
    static const uint32_t rates[] = { 24, 30, 60, 120, 144, 1000 };
    static deja_input first[LOG], log[LOG];
    const uint32_t steps = play(60, SECOND, 64, 0, first);
    uint32_t held = 0, presses = 0;
    cr_assert(eq(u32, steps, 300));
    for (uint32_t i = 0; i < steps; i++) {
        held += first[i].held == R;
        presses += first[i].pressed == R;
    }
    cr_assert(eq(u32, presses, 5));
    cr_assert(eq(u32, held, 1 + 1 + 1 + 45 + 90));
    for (uint32_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        cr_assert(eq(u32, play(rates[i], SECOND, 64, 0, log), steps));
        cr_assert(memcmp(first, log, steps * sizeof *log) == 0, "at %u a second", rates[i]);
    }
}

Test(driver_clock, it_does_not_matter_where_a_clock_starts_or_that_it_wraps) /* B47 */
{
    static const struct {
        uint32_t hz, bits;
        uint64_t start;
    } clocks[] = {
        { SECOND, 64, 1000000000ull * MS },
        { SECOND, 64, UINT64_MAX - 2000ull * MS },
        { SECOND, 64, UINT64_MAX / 2 - MS },
        { 1000, 32, 1000000000 },
        { 1000, 32, UINT32_MAX - 2500u },
        { 1000, 32, INT32_MAX - 2500u },
        { 1000, 32, 0 },
        { 1000000, 32, UINT32_MAX - 777u },
        { SECOND, 63, INT64_MAX - 3000ull * MS },
        { 1000, 64, UINT32_MAX - 2500u },
        { 1000, 16, 65000 },
    };
    static deja_input first[LOG], log[LOG];
    const uint32_t steps = play(60, 1000, 64, 0, first);
    for (uint32_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        const uint32_t got = play(60, clocks[i].hz, clocks[i].bits, clocks[i].start, log);
        cr_assert(eq(u32, got, steps));
        cr_assert(memcmp(first, log, steps * sizeof *log) == 0, "clock %u", i);
    }
}

Test(driver_clock, a_clock_that_steps_back_gives_no_steps_and_no_debt) /* B47 */
{
    deja_driver driver = driver_of(60);
    uint64_t now = 100ull * SECOND;
    for (uint32_t i = 0; i <= 60; i++)
        frame(&driver, now + i * (uint64_t)SECOND / 60);
    const uint64_t before = driver.steps;
    now += SECOND;
    now -= 3ull * SECOND;
    cr_assert(eq(u32, frame(&driver, now), 0));
    cr_assert(deja_driver_press(&driver, now + MS, 0, RIGHT));
    for (uint32_t i = 1; i <= 60; i++)
        frame(&driver, now + i * (uint64_t)SECOND / 60);
    cr_assert(eq(u64, driver.steps, before + 60));
    cr_assert(eq(u64, driver.dropped, 0));
    for (uint32_t i = 0; i < 10; i++) /* and one that stands still */
        cr_assert(eq(u32, frame(&driver, now + SECOND), 0));
}

Test(driver_clock, an_event_may_be_told_late_or_from_before_the_clock_stepped_back)
{
    deja_driver driver = driver_of(60);
    deja_input input;
    frame(&driver, 50ull * SECOND);
    frame(&driver, 50ull * SECOND + 40 * MS);
    cr_assert(deja_driver_press(&driver, 50ull * SECOND + MS, 0, RIGHT)); /* its step has gone */
    deja_driver_frame(&driver, 50ull * SECOND + 60 * MS, NULL);
    cr_assert(eq(u64, deja_driver_step(&driver, &input), 3));
    cr_assert(eq(u32, input.pressed, R));

    deja_driver_frame(&driver, 50ull * SECOND + 100 * MS, NULL); /* told when its steps are due */
    cr_assert(deja_driver_release(&driver, 50ull * SECOND + 70 * MS, 0, RIGHT));
    cr_assert(eq(u64, deja_driver_step(&driver, &input), 4));
    cr_assert(eq(u32, input.released, 0));
    cr_assert(eq(u64, deja_driver_step(&driver, &input), 5));
    cr_assert(eq(u32, input.released, R));

    frame(&driver, 50ull * SECOND + 120 * MS);
    cr_assert(deja_driver_press(&driver, 40ull * SECOND, 0, RIGHT)); /* stepped back: the next */
    frame(&driver, 40ull * SECOND + MS);
    deja_driver_frame(&driver, 40ull * SECOND + 20 * MS, NULL);
    deja_driver_step(&driver, &input);
    cr_assert(eq(u32, input.pressed, R));
}

/* ---- pauses ---- */

/* Frames at 60 a second until so many steps were taken. */
static void play_until(deja_driver *driver, uint64_t steps, uint64_t *now)
{
    for (uint32_t i = 0; driver->steps < steps; i++) {
        cr_assert(lt(u32, i, 1000));
        frame(driver, *now);
        *now += driver->steps < steps ? SECOND / 60 : 0;
    }
}

Test(driver_clock, a_pause_leaves_no_debt_and_no_half_presses) /* B45 */
{
    static const uint64_t places[] = { 0, 1, 100, 149, 150 };
    for (uint32_t i = 0; i < sizeof places / sizeof *places; i++) {
        deja_driver driver = driver_of(60);
        deja_input input;
        uint64_t now = 7;
        play_until(&driver, places[i], &now);
        cr_assert(deja_driver_press(&driver, now, 0, RIGHT));
        deja_driver_pause(&driver);
        deja_driver_pause(&driver);
        for (uint32_t k = 0; k < 10; k++) { /* ten keys in five seconds of frames */
            now += SECOND / 2;
            cr_assert(not(k % 2 ? deja_driver_release(&driver, now, 0, RIGHT)
                                : deja_driver_press(&driver, now, 0, RIGHT)));
            cr_assert(eq(u32, frame(&driver, now), 0));
        }
        cr_assert(eq(u32, deja_driver_ticks(&driver, 3, NULL), 0));
        deja_driver_resume(&driver);
        deja_driver_resume(&driver);
        cr_assert(eq(u32, frame(&driver, now), 0));
        while (driver.steps < 150) {
            now += SECOND / 60 + 1;
            deja_driver_frame(&driver, now, NULL);
            while (deja_driver_step(&driver, &input) != 0)
                cr_assert(input.pressed == 0 && input.held == 0 && input.released == 0);
        }
        cr_assert(driver.steps == 150 && driver.dropped == 0);
    }
}

Test(driver_clock, an_end_of_a_pause_that_was_none_changes_nothing)
{
    deja_driver driver = driver_of(60);
    frame(&driver, 0);
    cr_assert(deja_driver_press(&driver, MS, 0, RIGHT));
    deja_driver_resume(&driver);
    cr_assert(eq(u32, deja_driver_frame(&driver, 20 * MS, NULL), 1));
    deja_input input;
    deja_driver_step(&driver, &input);
    cr_assert(eq(u32, input.pressed, R));
}
