/* SPDX-License-Identifier: MIT */
/*
 * The timers of <deja/rules.h>, held against fixtures/vectors/engine.txt; and inputs.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

#include "support/library.h"

TestSuite(time, .timeout = 30);

/* "25=2": what is done, and what comes of it. */
static uint32_t parse_op(const char *word, uint32_t *count)
{
    char *end;
    *count = (uint32_t)strtoul(word, &end, 10);
    end = strchr(word, '=');
    return end ? (uint32_t)strtoul(end + 1, NULL, 10) : UINT32_MAX;
}

static bool begins(const char *word, const char *with)
{
    return strncmp(word, with, strlen(with)) == 0;
}

static void check_every(const fact *f)
{
    deja_every every;
    uint32_t count;
    deja_every_start(&every, (uint32_t)strtoul(f->words[1], NULL, 10));
    for (uint32_t i = 2; i < f->count; i++) {
        const uint32_t fired = parse_op(f->words[i], &count);
        if (strcmp(f->words[i], "reset") == 0)
            deja_every_reset(&every);
        else
            cr_assert(eq(u32, deja_every_advance(&every, count), fired), "op %u", i - 1);
    }
}

static void check_countdown(const fact *f)
{
    deja_countdown countdown;
    uint32_t count;
    const uint32_t wait = (uint32_t)strtoul(f->words[1], NULL, 10);
    const bool is_ready = strcmp(f->words[2], "now") == 0;
    if (is_ready)
        deja_countdown_start_ready(&countdown, wait);
    else
        deja_countdown_start(&countdown, wait);
    cr_assert(deja_countdown_ready(&countdown) == is_ready);
    for (uint32_t i = 3; i < f->count; i++) {
        const uint32_t ready = parse_op(f->words[i], &count);
        if (begins(f->words[i], "restart"))
            deja_countdown_restart(&countdown);
        else
            deja_countdown_advance(&countdown, count);
        cr_assert(eq(u32, deja_countdown_ready(&countdown), ready), "op %u", i - 2);
    }
}

/* Rain every so many turns; a can that is ready, then waits. */
static void check_seasons(const fact *f)
{
    deja_every rain;
    deja_countdown can;
    uint32_t count;
    deja_every_start(&rain, (uint32_t)strtoul(f->words[1], NULL, 10));
    deja_countdown_start_ready(&can, (uint32_t)strtoul(f->words[2], NULL, 10));
    for (uint32_t i = 3; i < f->count; i++) {
        const uint32_t answer = parse_op(f->words[i], &count);
        bool got;
        if (begins(f->words[i], "turn")) {
            deja_countdown_advance(&can, 1);
            got = deja_every_advance(&rain, 1) > 0;
        } else {
            got = deja_countdown_ready(&can);
            if (got)
                deja_countdown_restart(&can);
        }
        cr_assert(eq(u32, got, answer), "op %u", i - 2);
    }
}

Test(time, timers_do_what_is_known_of_them)
{
    FILE *file = facts_open("engine.txt");
    fact f;
    uint32_t seen = 0;
    while (facts_next(file, &f)) {
        if (strcmp(f.words[0], "every") == 0)
            check_every(&f);
        else if (strcmp(f.words[0], "countdown") == 0)
            check_countdown(&f);
        else if (strcmp(f.words[0], "seasons") == 0)
            check_seasons(&f);
        else
            continue;
        seen++;
    }
    fclose(file);
    cr_assert(eq(u32, seen, 17));
}

Test(time, M01_a_countdown_fires_once)
{
    deja_countdown countdown;
    uint32_t ready = 0;
    deja_countdown_start(&countdown, 3);
    for (uint32_t i = 0; i < 6; i++) {
        ready |= (uint32_t)deja_countdown_ready(&countdown) << i;
        deja_countdown_advance(&countdown, 1);
    }
    cr_assert(eq(u32, ready, 0x38)); /* no no no yes yes yes */
}

Test(time, M02_one_that_starts_ready_is_a_cooldown)
{
    deja_countdown countdown;
    deja_countdown_start_ready(&countdown, 3);
    cr_assert(deja_countdown_ready(&countdown));
    deja_countdown_restart(&countdown);
    for (uint32_t i = 0; i < 3; i++) {
        cr_assert(not(deja_countdown_ready(&countdown)));
        deja_countdown_advance(&countdown, 1);
    }
    cr_assert(deja_countdown_ready(&countdown));
}

Test(time, M03_a_restart_is_the_full_wait_again)
{
    deja_countdown countdown;
    deja_countdown_start(&countdown, 3);
    deja_countdown_advance(&countdown, 2);
    deja_countdown_restart(&countdown);
    cr_assert(eq(u32, countdown.left, 3));
    deja_countdown_advance(&countdown, UINT32_MAX);
    deja_countdown_restart(&countdown);
    deja_countdown_advance(&countdown, 2);
    cr_assert(not(deja_countdown_ready(&countdown)));
}

Test(time, M04_advance_says_how_often_it_fired)
{
    static const uint32_t expected[] = { 0, 0, 1, 0, 0, 1, 0 };
    deja_every every;
    deja_every_start(&every, 3);
    for (uint32_t i = 0; i < 7; i++)
        cr_assert(eq(u32, deja_every_advance(&every, 1), expected[i]));
}

/* Any numbers may be loaded, and none may do harm. */
Test(time, timers_take_any_numbers)
{
    deja_every every = { 0, 7 };
    cr_assert(eq(u32, deja_every_advance(&every, UINT32_MAX), 0));
    every = (deja_every){ 1, UINT32_MAX };
    cr_assert(eq(u32, deja_every_advance(&every, UINT32_MAX), UINT32_MAX));
    every = (deja_every){ 3, UINT32_MAX };
    cr_assert(eq(u32, deja_every_advance(&every, UINT32_MAX), 2863311530u));
    cr_assert(eq(u32, every.counted, 0));
    every = (deja_every){ UINT32_MAX, UINT32_MAX - 1 };
    cr_assert(eq(u32, deja_every_advance(&every, 1), 1));
    deja_countdown countdown = { 2, UINT32_MAX };
    deja_countdown_advance(&countdown, 1);
    cr_assert(eq(u32, countdown.left, UINT32_MAX - 1));
    deja_countdown_start(&countdown, 0);
    cr_assert(deja_countdown_ready(&countdown));
}

Test(time, an_input_is_asked_by_its_actions)
{
    const deja_input input = { 1u << 31 | 1u, 1u << 31 | 3u, 4 };
    cr_assert(deja_input_pressed(&input, 0) && deja_input_pressed(&input, 31));
    cr_assert(deja_input_pressed(&input, 1) == 0 && deja_input_pressed(&input, 32) == 0);
    cr_assert(deja_input_held(&input, 1) && !deja_input_held(&input, 2));
    cr_assert(deja_input_held(&input, 33) == 0 && deja_input_held(&input, UINT32_MAX) == 0);
    cr_assert(deja_input_released(&input, 2) && !deja_input_released(&input, 0));
    cr_assert(deja_input_released(&input, 34) == 0);
}
