/* SPDX-License-Identifier: MIT */
/*
 * <deja/driver.h>: how many steps are due, and which of them gets which press. A case begins with
 * the statement that it is of, where there is one; 60 steps a second unless it says otherwise.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <deja/driver.h>
#include <stdlib.h>

TestSuite(driver, .timeout = 60);

enum { LEFT = 2, RIGHT = 3, L = 1 << LEFT, R = 1 << RIGHT };

#define MS 1000000u
#define SECOND 1000000000u

static deja_driver driver_of(uint32_t rate, uint32_t players)
{
    deja_driver driver;
    memset(&driver, 0xff, sizeof driver); /* nothing of before may matter */
    cr_assert(deja_driver_init(&driver, rate, players));
    return driver;
}

/* The next step, which must be due, of one player. */
static deja_input next_step(deja_driver *driver)
{
    deja_input input;
    const uint64_t number = driver->steps + 1;
    cr_assert(eq(u64, deja_driver_step(driver, &input), number));
    return input;
}

static void assert_step(deja_driver *driver, uint32_t pressed, uint32_t held, uint32_t released)
{
    const deja_input input = next_step(driver);
    cr_assert(eq(u32, input.pressed, pressed), "pressed in step %u", (unsigned)driver->steps);
    cr_assert(eq(u32, input.held, held), "held in step %u", (unsigned)driver->steps);
    cr_assert(eq(u32, input.released, released), "released in step %u", (unsigned)driver->steps);
}

static void assert_no_step(deja_driver *driver)
{
    deja_input input = { 7, 7, 7 };
    cr_assert(eq(u64, deja_driver_step(driver, &input), 0));
    cr_assert(input.pressed == 7 && input.held == 7 && input.released == 7);
}

static void press(deja_driver *driver, uint32_t action)
{
    cr_assert(deja_driver_press(driver, 0, 0, action));
}

static void release(deja_driver *driver, uint32_t action)
{
    cr_assert(deja_driver_release(driver, 0, 0, action));
}

static uint32_t ticks(deja_driver *driver, uint64_t count)
{
    uint64_t dropped = 99;
    const uint32_t due = deja_driver_ticks(driver, count, &dropped);
    cr_assert(eq(u64, dropped, count - due));
    return due;
}

/* ---- presses and releases ---- */

Test(driver, D01_each_press_is_pressed_in_one_step_the_first_after_it)
{
    static const uint32_t due[] = { 1, 2, 4 };
    for (uint32_t i = 0; i < 3; i++) {
        deja_driver driver = driver_of(60, 1);
        press(&driver, RIGHT);
        cr_assert(eq(u32, ticks(&driver, 0), 0));
        assert_no_step(&driver);
        cr_assert(eq(u32, ticks(&driver, due[i]), due[i]));
        assert_step(&driver, R, R, 0);
        for (uint32_t k = 1; k < due[i]; k++)
            assert_step(&driver, 0, R, 0);
        assert_no_step(&driver);
    }
}

Test(driver, D02_each_release_comes_in_a_step_after_its_press)
{
    deja_driver driver = driver_of(60, 1);
    press(&driver, RIGHT);
    release(&driver, RIGHT);
    ticks(&driver, 1);
    assert_step(&driver, R, R, 0);
    ticks(&driver, 1);
    assert_step(&driver, 0, 0, R);
    ticks(&driver, 1);
    assert_step(&driver, 0, 0, 0);

    press(&driver, LEFT); /* in frames without a step */
    ticks(&driver, 0);
    release(&driver, LEFT);
    ticks(&driver, 0);
    ticks(&driver, 3);
    assert_step(&driver, L, L, 0);
    assert_step(&driver, 0, 0, L);
    assert_step(&driver, 0, 0, 0);
}

Test(driver, D03_repeats_never_reach_a_step)
{
    deja_driver driver = driver_of(60, 1);
    press(&driver, RIGHT);
    cr_assert(not(deja_driver_press(&driver, 0, 0, RIGHT)));
    ticks(&driver, 1);
    assert_step(&driver, R, R, 0);
    for (uint32_t i = 0; i < 5; i++) {
        cr_assert(not(deja_driver_press(&driver, 0, 0, RIGHT)));
        ticks(&driver, 1);
        assert_step(&driver, 0, R, 0);
    }
    release(&driver, RIGHT);
    cr_assert(not(deja_driver_release(&driver, 0, 0, RIGHT)));
    ticks(&driver, 2);
    assert_step(&driver, 0, 0, R);
    assert_step(&driver, 0, 0, 0);
}

Test(driver, D04_a_second_press_waits_its_turn)
{
    deja_driver driver = driver_of(60, 1);
    for (uint32_t i = 0; i < 2; i++) {
        press(&driver, RIGHT);
        release(&driver, RIGHT);
    }
    press(&driver, LEFT); /* others need not wait for it */
    ticks(&driver, 4);
    assert_step(&driver, R | L, R | L, 0);
    assert_step(&driver, 0, L, R);
    assert_step(&driver, R, R | L, 0);
    assert_step(&driver, 0, L, R);
    ticks(&driver, 1);
    assert_step(&driver, 0, L, 0);
}

Test(driver, D08_what_a_frame_read_is_kept_until_a_step_takes_it)
{
    deja_driver driver = driver_of(60, 1);
    for (uint32_t i = 0; i < 100; i++) {
        if (i == 20)
            press(&driver, RIGHT);
        if (i == 40)
            press(&driver, LEFT);
        cr_assert(eq(u32, ticks(&driver, 0), 0));
    }
    ticks(&driver, 1);
    assert_step(&driver, R | L, R | L, 0);
}

/* A script of presses by their steps, in frames of so many steps each, over and over. */
static void play_frames(const uint32_t *frames, uint32_t count, deja_input log[60])
{
    deja_driver driver = driver_of(60, 1);
    uint32_t done = 0;
    for (uint32_t frame = 0; done < 60; frame++) {
        const uint32_t due = frames[frame % count];
        for (uint32_t step = done; step < done + due || (due == 0 && step == done); step++) {
            const uint64_t when = (uint64_t)step * SECOND / 60 + MS; /* by the clock, though */
            if (step % 7 == 0)
                (void)deja_driver_press(&driver, when, 0, RIGHT);
            if (step % 7 == 4)
                (void)deja_driver_release(&driver, when, 0, RIGHT);
        }
        if (frame == 0)
            cr_assert(eq(u32, deja_driver_frame(&driver, 0, NULL), 0));
        done += due;
        cr_assert(
            eq(u32, deja_driver_frame(&driver, ((uint64_t)done * SECOND + 59) / 60, NULL), due));
        while (deja_driver_step(&driver, &log[driver.steps]) != 0)
            continue;
    }
    cr_assert(eq(u64, driver.steps, 60));
}

Test(driver, D09_frames_and_steps_need_not_line_up)
{
    static const uint32_t patterns[][4] = { { 1, 1, 1, 1 }, { 0, 1, 0, 1 }, { 2, 2, 2, 2 },
                                            { 4, 4, 4, 4 }, { 4, 0, 0, 2 }, { 3, 0, 1, 2 } };
    deja_input first[60], log[60];
    play_frames(patterns[0], 4, first);
    uint32_t presses = 0;
    for (uint32_t i = 0; i < 60; i++)
        presses += first[i].pressed != 0;
    cr_assert(eq(u32, presses, 9));
    for (uint32_t i = 1; i < sizeof patterns / sizeof *patterns; i++) {
        play_frames(patterns[i], 4, log);
        cr_assert(memcmp(first, log, sizeof log) == 0, "pattern %u", i);
    }
}

Test(driver, D10_what_was_pressed_before_clear_does_not_fire_behind_it)
{
    deja_driver driver = driver_of(60, 1);
    press(&driver, RIGHT);
    ticks(&driver, 0);
    deja_driver_clear(&driver);
    ticks(&driver, 1);
    assert_step(&driver, 0, 0, 0);
    cr_assert(not(deja_driver_release(&driver, 0, 0, RIGHT))); /* never half */
    press(&driver, RIGHT);
    ticks(&driver, 1);
    assert_step(&driver, R, R, 0);
}

Test(driver, clear_lets_go_of_what_was_held_in_the_next_step)
{
    deja_driver driver = driver_of(60, 1);
    press(&driver, RIGHT);
    deja_driver_hold(&driver, 0, L);
    ticks(&driver, 1);
    assert_step(&driver, R, R | L, 0);
    release(&driver, RIGHT); /* waits, and is forgotten; but not that it was held */
    press(&driver, RIGHT);
    deja_driver_clear(&driver);
    deja_driver_clear(&driver);
    press(&driver, RIGHT); /* anew, behind the release */
    ticks(&driver, 3);
    assert_step(&driver, 0, 0, R);
    assert_step(&driver, R, R, 0);
    assert_step(&driver, 0, R, 0);
}

Test(driver, D11_steps_are_numbered_without_gaps)
{
    deja_driver driver = driver_of(60, 2);
    deja_input inputs[2];
    uint64_t number = 0;
    for (uint32_t frame = 0; frame < 30; frame++) {
        cr_assert(eq(u32, ticks(&driver, 2), 2));
        for (uint64_t step; (step = deja_driver_step(&driver, inputs)) != 0;)
            cr_assert(eq(u64, step, ++number));
        cr_assert(eq(u32, ticks(&driver, 0), 0));
        cr_assert(eq(u64, deja_driver_step(&driver, inputs), 0));
    }
    cr_assert(eq(u64, number, 60));
    cr_assert(eq(u64, driver.dropped, 0));
}

Test(driver, D12_what_is_held_without_a_press_is_held_and_never_pressed)
{
    deja_driver driver = driver_of(60, 1);
    deja_driver_hold(&driver, 0, R);
    ticks(&driver, 2);
    assert_step(&driver, 0, R, 0);
    assert_step(&driver, 0, R, 0);
    press(&driver, RIGHT); /* both ways at once */
    ticks(&driver, 1);
    assert_step(&driver, R, R, 0);
    release(&driver, RIGHT);
    ticks(&driver, 2);
    assert_step(&driver, 0, 0, R); /* what is released is not held */
    assert_step(&driver, 0, R, 0);
    deja_driver_hold(&driver, 0, 0);
    ticks(&driver, 1);
    assert_step(&driver, 0, 0, 0);
}

/* Steps of 16 ms and frames of 4. A second has no whole number of such steps, but 2,000 ms have
 * 125, so the clock is told to be twice as slow. */
Test(driver, a_tap_between_two_steps_is_not_lost)
{
    deja_driver driver = driver_of(125, 1);
    uint32_t presses = 0, releases = 0, press_step = 0, release_step = 0;
    deja_input input;
    cr_assert(deja_driver_clock(&driver, 2000, 64));
    for (uint64_t ms = 0; ms <= 200; ms += 4) {
        if (ms == 8) {
            cr_assert(deja_driver_press(&driver, 5, 0, 0));
        } else if (ms == 12) {
            cr_assert(deja_driver_release(&driver, 9, 0, 0));
        }
        deja_driver_frame(&driver, ms, NULL);
        for (uint64_t step; (step = deja_driver_step(&driver, &input)) != 0;) {
            cr_assert(eq(u64, ms, step * 16));
            presses += input.pressed;
            releases += input.released;
            press_step = input.pressed ? (uint32_t)step : press_step;
            release_step = input.released ? (uint32_t)step : release_step;
        }
    }
    cr_assert(presses == 1 && releases == 1 && press_step == 1 && release_step == 2);
}

/* ---- several players ---- */

Test(driver, players_have_inputs_of_their_own)
{
    deja_driver driver = driver_of(60, 3);
    deja_input inputs[4] = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, { 9, 9, 9 } };
    cr_assert(deja_driver_press(&driver, 0, 1, RIGHT));
    cr_assert(deja_driver_press(&driver, 0, 2, 31));
    cr_assert(deja_driver_release(&driver, 0, 1, RIGHT));
    cr_assert(not(deja_driver_press(&driver, 0, 3, RIGHT)));
    cr_assert(not(deja_driver_press(&driver, 0, 0, 32)));
    cr_assert(not(deja_driver_release(&driver, 0, 0, RIGHT)));
    deja_driver_hold(&driver, 3, R);
    ticks(&driver, 2);
    cr_assert(eq(u64, deja_driver_step(&driver, inputs), 1));
    cr_assert(inputs[0].pressed == 0 && inputs[0].held == 0 && inputs[0].released == 0);
    cr_assert(inputs[1].pressed == R && inputs[2].pressed == 0x80000000u);
    cr_assert(eq(u64, deja_driver_step(&driver, inputs), 2));
    cr_assert(inputs[1].released == R && inputs[2].held == 0x80000000u);
    cr_assert(eq(u32, inputs[3].held, 9));
}

Test(driver, wants_numbers_that_make_sense)
{
    deja_driver driver;
    deja_input input;
    cr_assert(not(deja_driver_init(&driver, 0, 1)));
    cr_assert(not(deja_driver_init(&driver, 1000001, 1)));
    cr_assert(not(deja_driver_init(&driver, 60, 0)));
    cr_assert(not(deja_driver_init(&driver, 60, DEJA_DRIVER_PLAYERS + 1)));
    cr_assert(eq(u32, deja_driver_frame(&driver, 0, NULL), 0));
    cr_assert(eq(u32, deja_driver_frame(&driver, SECOND, NULL), 0));
    cr_assert(eq(u32, deja_driver_ticks(&driver, 3, NULL), 0));
    cr_assert(not(deja_driver_press(&driver, 0, 0, 0)));
    cr_assert(eq(u64, deja_driver_step(&driver, &input), 0));
    cr_assert(deja_driver_init(&driver, 1000000, DEJA_DRIVER_PLAYERS));
    cr_assert(not(deja_driver_clock(&driver, 0, 64)));
    cr_assert(not(deja_driver_clock(&driver, 1000, 7)));
    cr_assert(not(deja_driver_clock(&driver, 1000, 65)));
    cr_assert(eq(u32, driver.clock_hz, SECOND));
}

/* A player leans on the keyboard and no step comes: presses that find no room are lost, whole. */
Test(driver, what_finds_no_room_is_lost_with_its_release_and_counted)
{
    deja_driver driver = driver_of(60, 2);
    deja_input inputs[2];
    uint32_t taken[2] = { 0, 0 }, presses = 0, releases = 0, depth = 0;
    for (uint32_t round = 0; round < 1200; round++) {
        for (uint32_t player = 0; player < 2; player++) {
            if (round % 2 == 0)
                taken[player] += deja_driver_press(&driver, 0, player, player + 1);
            else
                (void)deja_driver_release(&driver, 0, player, player + 1);
        }
        cr_assert(driver.event_count <= DEJA_DRIVER_EVENTS);
    }
    cr_assert(driver.lost != 0 && driver.lost + taken[0] + taken[1] == 1200);
    while (driver.event_count != 0) {
        ticks(&driver, 1);
        deja_driver_step(&driver, inputs);
        presses += (inputs[0].pressed != 0) + (inputs[1].pressed != 0);
        releases += (inputs[0].released != 0) + (inputs[1].released != 0);
        depth++;
        cr_assert(lt(u32, depth, 1000));
    }
    cr_assert(eq(u32, presses, taken[0] + taken[1]));
    cr_assert(eq(u32, releases, presses));
    cr_assert(deja_driver_press(&driver, 0, 0, 1));
}

Test(driver, clear_finds_room_for_all_releases)
{
    deja_driver driver = driver_of(60, DEJA_DRIVER_PLAYERS);
    deja_input inputs[DEJA_DRIVER_PLAYERS];
    for (uint32_t player = 0; player < DEJA_DRIVER_PLAYERS; player++) {
        for (uint32_t action = 0; action < 32; action++)
            cr_assert(deja_driver_press(&driver, 0, player, action));
        ticks(&driver, 1);
        deja_driver_step(&driver, inputs);
    }
    deja_driver_clear(&driver);
    ticks(&driver, 1);
    deja_driver_step(&driver, inputs);
    for (uint32_t player = 0; player < DEJA_DRIVER_PLAYERS; player++)
        cr_assert(inputs[player].released == UINT32_MAX && inputs[player].held == 0);
    cr_assert(eq(u32, driver.event_count, 0));
}
