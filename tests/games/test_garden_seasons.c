/* SPDX-License-Identifier: MIT */
/*
 * The garden's seasons, how it starts, and what people see of it.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "games/told.h"

TestSuite(garden_seasons, .timeout = 60);

static told *garden_of(const char *settings, uint64_t seed)
{
    return told_open("games/garden", settings, seed);
}

static void assert_does(told *t, const char *command, const char *answer)
{
    assert_text(told_do(t, command), answer);
}

/* ---- seasons ---- */

/* The facts tell what an end of turn and a use of the can answer; here a turn ends with a command,
 * and what it answers is an event or a refusal. */
Test(garden_seasons, M08_has_seasons_in_its_state)
{
    FILE *file = facts_open("engine.txt");
    fact f;
    uint32_t seen = 0;
    while (facts_next(file, &f)) {
        char settings[128];
        bool to_the_right = true;
        if (strcmp(f.words[0], "seasons") != 0)
            continue;
        snprintf(settings, sizeof settings, "seasons={rain=%s can=%s}", f.words[1], f.words[2]);
        told *t = garden_of(settings, 1);
        for (uint32_t i = 3; i < f.count; i++) {
            const bool yes = strchr(f.words[i], '=')[1] == '1';
            if (strncmp(f.words[i], "water", 5) == 0) {
                assert_does(t, "water", yes ? "watered" : "refused can_empty");
                continue;
            }
            const char *answer = told_do(t, to_the_right ? "right" : "left");
            to_the_right = !to_the_right;
            cr_assert(yes == (strstr(answer, "; rained") != NULL), "op %u: %s", i - 2, answer);
        }
        told_close(t);
        seen++;
    }
    fclose(file);
    cr_assert(eq(u32, seen, 4));
}

Test(garden_seasons, M09_timers_are_hashed_and_saved_with_the_state)
{
    told *t = garden_of("", 1), *loaded = garden_of("", 1);
    told_put(t, "plots=false,false at=0 seeds=9 grow_percent=75 turn=0 "
                "luck=0000000000000001.0000000000000001.0000000000000000 "
                "seasons={rain={period=3 counted=0} can={wait=5 left=0}}");
    const uint64_t before = told_hash(t);
    told_put(loaded, "plots=false,false at=0 seeds=9 grow_percent=75 turn=0 "
                     "luck=0000000000000001.0000000000000001.0000000000000000 "
                     "seasons={rain={period=3 counted=1} can={wait=5 left=0}}");
    cr_assert(ne(u64, told_hash(loaded), before));
    assert_does(t, "water", "watered");
    cr_assert(ne(u64, told_hash(t), before));
    assert_does(t, "right", "moved plot=1");
    told_put(loaded, told_state(t));
    cr_assert(eq(u64, told_hash(loaded), told_hash(t)));
    assert_does(loaded, "left", told_do(t, "left"));
    assert_does(loaded, "right", "moved plot=1; rained");
    assert_does(t, "right", "moved plot=1; rained");
    told_close(t);
    told_close(loaded);
}

Test(garden_seasons, without_seasons_has_no_can)
{
    told *t = garden_of("", 1);
    assert_does(t, "water", "refused no_can");
    assert_text(told_legal(t), "right,plant");
    assert_text(told_at(t, "seasons"), "-");
    told_close(t);
}

/* ---- starting, people ---- */

Test(garden_seasons, refuses_what_is_no_garden)
{
    told *t = garden_of("plots=64", 1);
    assert_text(told_start(t, "plots=65", 1), "too_many_plots");
    assert_text(told_start(t, "plots=4294967295", 1), "too_many_plots");
    assert_text(told_start(t, "grow_percent=101", 1), "no_percent");
    assert_text(told_start(t, "grow_percent=100", 1), "ok");
    told_close(t);
}

/* A start state may come from anywhere that its layout allows. */
Test(garden_seasons, a_state_that_nobody_could_come_to_does_no_harm)
{
    static const char *const places[] = { "2", "63", "64", "4294967295" };
    told *t = garden_of("", 1);
    for (uint32_t i = 0; i < 4; i++) {
        char state[256];
        snprintf(state, sizeof state,
                 "plots=false,false at=%s seeds=9 grow_percent=255 turn=18446744073709551615 "
                 "luck=0000000000000001.0000000000000000.0000000000000000 seasons=-",
                 places[i]);
        told_put(t, state);
        assert_does(t, "right", "refused edge");
        assert_does(t, "plant", "refused edge");
        assert_text(told_legal(t), "left");
    }
    told_close(t);
}

Test(garden_seasons, is_drawn)
{
    static written page;
    told *t = garden_of("grow_percent=100", 1);
    assert_text(written_drawing(&page, &t->lib, t->state), "[.] .  .  .  .  . \n9 seeds left\n");
    told_do(t, "plant");
    told_do(t, "right");
    assert_text(written_drawing(&page, &t->lib, t->state), " Y [.] .  .  .  . \n8 seeds left\n");
    told_start(t, "plots=1 seeds=1 grow_percent=0", 1);
    assert_text(written_drawing(&page, &t->lib, t->state), "[.]\n1 seed left\n");
    told_do(t, "plant");
    assert_text(written_drawing(&page, &t->lib, t->state), "[.]\n0 seeds left: lost\n");
    told_start(t, "plots=0", 1);
    assert_text(written_drawing(&page, &t->lib, t->state), "\n9 seeds left: won\n");
    told_put(t, "plots=true,false at=1 seeds=2 grow_percent=75 turn=0 "
                "luck=0000000000000001.0000000000000001.0000000000000000 "
                "seasons={rain={period=3 counted=1} can={wait=5 left=0}}");
    assert_text(written_drawing(&page, &t->lib, t->state), " Y [.]\n2 seeds left, a full can\n");
    told_do(t, "water");
    assert_text(written_drawing(&page, &t->lib, t->state), " Y [.]\n2 seeds left, an empty can\n");
    told_close(t);
}

Test(garden_seasons, is_written_by_words_and_letters)
{
    static const char *const good[] = { "left", "l", " R ", "Right", "PLANT", "p\t", "water", "w" };
    static const uint32_t kinds[] = { 0, 0, 1, 1, 2, 2, 3, 3 };
    static const char *const bad[] = {
        "", " ", "le", "lef", "leftt", "l r", "x", "righ", "\x0cleft"
    };
    told *t = garden_of("", 1);
    for (uint32_t i = 0; i < sizeof good / sizeof *good; i++) {
        uint32_t kind = 99;
        cr_assert(eq(u32, t->lib.rules->read_notation(t->state, good[i], &kind), 1), "%s", good[i]);
        cr_assert(eq(u32, kind, kinds[i]));
    }
    for (uint32_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint32_t kind = 99;
        cr_assert(eq(u32, t->lib.rules->read_notation(t->state, bad[i], &kind), 0), "%s", bad[i]);
        cr_assert(eq(u32, kind, 99));
    }
    told_close(t);
}
