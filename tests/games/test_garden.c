/* SPDX-License-Identifier: MIT */
/*
 * The garden: what is known of its rules (fixtures/vectors/engine.txt), what the engine's chapter
 * says of rules in turns, statement by statement. A test whose name begins with a letter and two
 * digits is of that statement.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

#include "games/told.h"

TestSuite(garden, .timeout = 60);

static told *garden_of(const char *settings, uint64_t seed)
{
    return told_open("games/garden", settings, seed);
}

static void assert_does(told *t, const char *command, const char *answer)
{
    assert_text(told_do(t, command), answer);
}

/* ---- what is known ---- */

/* "grew(0)" is `grew plot=0`, "edge" is `refused edge`. */
static void assert_answer(told *t, const char *command, const char *fact_answer)
{
    char answer[64];
    const char *open = strchr(fact_answer, '(');
    if (open)
        snprintf(answer, sizeof answer, "%.*s plot=%.*s", (int)(open - fact_answer), fact_answer,
                 (int)strcspn(open + 1, ")"), open + 1);
    else
        snprintf(answer, sizeof answer, "refused %s", fact_answer);
    assert_does(t, command, answer);
}

static void assert_after(told *t, const fact *f)
{
    char plots[256] = "";
    for (const char *plot = f->words[3]; *plot; plot++)
        snprintf(plots + strlen(plots), sizeof plots - strlen(plots), "%s%s", *plots ? "," : "",
                 *plot == '1' ? "true" : "false");
    assert_text(told_at(t, "plots"), plots);
    assert_text(told_at(t, "at"), f->words[4]);
    assert_text(told_at(t, "seeds"), f->words[5]);
    assert_text(told_at(t, "turn"), f->words[6]);
    const char *draws = strrchr(told_at(t, "luck"), '.') + 1;
    cr_assert(eq(u64, strtoull(draws, NULL, 16), strtoull(f->words[7], NULL, 10)));
    assert_text(told_outcome(t), f->words[8]);
    assert_text(told_legal(t), strcmp(f->words[9], "-") == 0 ? "" : f->words[9]);
}

/* A seed whose first rolls fall on the same side of the percent as those of the fact. */
static uint64_t seed_of(const fact *rolls, uint32_t percent, uint32_t count)
{
    for (uint64_t seed = 0;; seed++) {
        deja_luck luck;
        uint32_t same = 0;
        deja_luck_seed(&luck, seed, 0);
        while (same < count && (deja_luck_percent(&luck) < percent) ==
                                   (strtoul(rolls->words[2 + same], NULL, 10) < percent))
            same++;
        if (same == count)
            return seed;
    }
}

Test(garden, does_what_is_known_of_it)
{
    FILE *file = facts_open("engine.txt");
    fact f;
    told *t = NULL;
    char settings[128] = "";
    uint32_t percent = 0, gardens = 0, steps = 0;
    while (facts_next(file, &f)) {
        if (strcmp(f.words[0], "garden") == 0) {
            if (t)
                told_close(t);
            percent = (uint32_t)strtoul(f.words[4], NULL, 10);
            snprintf(settings, sizeof settings, "plots=%s seeds=%s grow_percent=%s", f.words[2],
                     f.words[3], f.words[4]);
            t = garden_of(settings, 7);
            gardens++;
        } else if (strcmp(f.words[0], "rolls") == 0) {
            assert_text(told_start(t, settings, seed_of(&f, percent, 3)), "ok");
        } else if (strcmp(f.words[0], "step") == 0) {
            if (strcmp(f.words[1], "start") != 0)
                assert_answer(t, f.words[1], f.words[2]);
            assert_after(t, &f);
            steps++;
        }
    }
    fclose(file);
    told_close(t);
    cr_assert(gardens == 7 && steps == 47, "%u gardens, %u steps", gardens, steps);
}

/* ---- statements ---- */

Test(garden, T01_the_same_state_and_command_give_the_same)
{
    static const char *const commands[] = { "left", "right", "plant" };
    told *a = garden_of("plots=64 seeds=1000 grow_percent=50", 5);
    told *b = garden_of("plots=64 seeds=1000 grow_percent=50", 5);
    deja_luck luck;
    deja_luck_seed(&luck, 11, 3);
    for (uint32_t done = 0; done < 200;) {
        const char *command = commands[deja_luck_below(&luck, 3)];
        const char *answer = told_do(a, command);
        assert_does(b, command, answer);
        cr_assert(eq(u64, told_hash(a), told_hash(b)));
        assert_text(told_state(a), told_state(b));
        done += strncmp(answer, "refused", 7) != 0;
    }
    told_close(a);
    told_close(b);
}

Test(garden, T02_apply_is_all_or_nothing)
{
    told *t = garden_of("", 7), *new = garden_of("", 7);
    assert_does(t, "left", "refused edge");
    assert_text(told_state(t), told_state(new));
    cr_assert(eq(u64, told_hash(t), told_hash(new)));
    assert_text(told_at(t, "turn"), "0");
    told_close(t);
    told_close(new);
}

/* Plays every command in every state that it comes to, as deep as there is; told_do() itself looks
 * at check, and the legal ones are looked at here. */
static uint32_t visit(told *t, const char *settings, uint32_t depth)
{
    static const char *const commands[] = { "left", "right", "plant" };
    deja_buffer here = told_save(t);
    deja_error err;
    char expected[64] = "";
    uint32_t states = 1;
    const bool over = strcmp(told_outcome(t), "running") != 0;
    char legal[64], again[64];
    snprintf(legal, sizeof legal, "%s", told_legal(t));
    snprintf(again, sizeof again, "%s", told_legal(t));
    assert_text(again, legal);
    for (uint32_t i = 0; i < 3; i++) {
        const char *answer = told_do(t, commands[i]);
        const bool accepted = strncmp(answer, "refused", 7) != 0;
        if (over)
            assert_text(answer, "refused over");
        if (accepted) {
            cr_assert(eq(u32, t->events.count, 1));
            snprintf(expected + strlen(expected), sizeof expected - strlen(expected), "%s%s",
                     *expected ? "," : "", commands[i]);
            if (depth > 0)
                states += visit(t, settings, depth - 1);
        }
        cr_assert(deja__codec_load(t->codecs[0], t->state, here.bytes, here.size, &err) == DEJA_OK);
    }
    assert_text(legal, expected);
    deja_buffer_release(&here);
    return states;
}

/* T11 (one event), T14 (legal in order) and T15 (nothing when it is over) are looked at as well. */
Test(garden, T03_check_says_what_apply_will_say)
{
    static const char *const settings[] = { "plots=1 seeds=2 grow_percent=50",
                                            "plots=2 seeds=3 grow_percent=50",
                                            "plots=3 seeds=2 grow_percent=100", "plots=0 seeds=3",
                                            "plots=2 seeds=0" };
    uint32_t states = 0;
    for (uint32_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        for (uint64_t seed = 0; seed < 3; seed++) {
            told *t = garden_of(settings[i], seed);
            states += visit(t, settings[i], 6);
            told_close(t);
        }
    }
    cr_assert(gt(u32, states, 300));
}

Test(garden, T04_check_spends_no_luck)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        told *a = garden_of("plots=9 grow_percent=50", seed);
        told *b = garden_of("plots=9 grow_percent=50", seed);
        assert_does(a, "plant", told_do(b, "plant")); /* leaves the command in a */
        for (uint32_t i = 0; i < 4; i++) {
            assert_does(a, "right", told_do(b, "right"));
            told_do(a, "left");
            told_do(a, "right");
            for (uint32_t k = 0; k < 1000; k++)
                a->lib.rules->check(a->state, a->command);
            told_do(b, "left");
            told_do(b, "right");
            assert_does(a, "plant", told_do(b, "plant"));
            cr_assert(eq(u64, told_hash(a), told_hash(b)));
        }
        told_close(a);
        told_close(b);
    }
}

Test(garden, T05_only_an_accepted_plant_draws)
{
    static const char *const scripts[][8] = {
        { "plant", "right", "plant" },
        { "plant", "right", "left", "right", "plant" },
        { "left", "plant", "left", "right", "plant" },
    };
    for (uint64_t seed = 0; seed < 20; seed++) {
        char grown[3][64];
        for (uint32_t i = 0; i < 3; i++) {
            told *t = garden_of("grow_percent=50", seed);
            for (uint32_t k = 0; k < 8 && scripts[i][k]; k++)
                told_do(t, scripts[i][k]);
            snprintf(grown[i], sizeof grown[i], "%s %s", told_at(t, "plots"), told_at(t, "luck"));
            told_close(t);
        }
        assert_text(grown[1], grown[0]);
        assert_text(grown[2], grown[0]);
    }
}

Test(garden, T06_the_same_seed_gives_the_same_luck)
{
    uint32_t grew = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        told *a = garden_of("grow_percent=50", seed), *b = garden_of("grow_percent=50", seed);
        const char *answer = told_do(a, "plant");
        assert_does(b, "plant", answer);
        grew += strcmp(answer, "grew plot=0") == 0;
        told_close(a);
        told_close(b);
    }
    cr_assert(grew > 60 && grew < 140, "%u of 200 grew", grew);
}

Test(garden, T08_an_edge_is_refused)
{
    told *t = garden_of("plots=2", 1);
    assert_does(t, "left", "refused edge");
    assert_does(t, "right", "moved plot=1");
    assert_does(t, "right", "refused edge");
    told_start(t, "plots=1", 1);
    assert_does(t, "left", "refused edge");
    assert_does(t, "right", "refused edge");
    told_close(t);
}

Test(garden, T09_a_planted_plot_is_refused)
{
    told *t = garden_of("grow_percent=100", 1);
    assert_does(t, "plant", "grew plot=0");
    for (uint32_t i = 0; i < 8; i++)
        assert_does(t, "plant", "refused planted");
    assert_text(told_at(t, "seeds"), "8");
    assert_text(told_at(t, "turn"), "1");
    told_close(t);
}

Test(garden, T10_over_is_asked_first)
{
    told *t = garden_of("seeds=1 grow_percent=0", 1);
    assert_does(t, "plant", "wilted plot=0");
    assert_does(t, "left", "refused over");
    told_start(t, "plots=2 grow_percent=100", 1);
    assert_does(t, "plant", "grew plot=0");
    assert_does(t, "right", "moved plot=1");
    assert_does(t, "plant", "grew plot=1");
    assert_does(t, "right", "refused over");
    assert_does(t, "plant", "refused over");
    assert_does(t, "water", "refused over");
    told_close(t);
}

Test(garden, T12_T13_a_seed_is_gone_whether_it_grows_or_not)
{
    told *t = garden_of("grow_percent=100", 1);
    assert_does(t, "plant", "grew plot=0");
    assert_text(told_at(t, "seeds"), "8");
    told_start(t, "grow_percent=0", 1);
    assert_does(t, "plant", "wilted plot=0");
    assert_text(told_at(t, "seeds"), "8");
    told_close(t);
}

Test(garden, T16_without_a_chance_it_is_lost)
{
    told *t = garden_of("grow_percent=0", 1);
    for (uint32_t i = 0; i < 9; i++) {
        assert_text(told_outcome(t), "running");
        assert_does(t, "plant", "wilted plot=0");
    }
    assert_text(told_at(t, "plots"), "false,false,false,false,false,false");
    assert_text(told_outcome(t), "lost");
    told_close(t);
}

Test(garden, T17_T18_won_is_asked_before_lost)
{
    told *t = garden_of("plots=1 seeds=1 grow_percent=100", 1);
    assert_does(t, "plant", "grew plot=0");
    assert_text(told_outcome(t), "won");
    told_start(t, "plots=0", 1);
    assert_text(told_outcome(t), "won");
    assert_text(told_legal(t), "");
    told_start(t, "seeds=0", 1);
    assert_text(told_outcome(t), "lost");
    told_start(t, "plots=0 seeds=0", 1);
    assert_text(told_outcome(t), "won");
    told_close(t);
}

Test(garden, T19_one_line_of_the_rules_is_found)
{
    told *good = garden_of("", 7);
    told *other = told_open("rules/garden-free-seeds", "", 7);
    static const char *const commands[] = { "left", "right", "left", "left", "plant" };
    for (uint32_t i = 0; i < 4; i++) {
        assert_does(other, commands[i], told_do(good, commands[i]));
        cr_assert(eq(u64, told_hash(good), told_hash(other)));
    }
    assert_does(other, "plant", told_do(good, "plant"));
    assert_text(told_at(other, "seeds"), "9");
    assert_text(told_at(good, "seeds"), "8");
    cr_assert(ne(u64, told_hash(good), told_hash(other)));
    told_close(good);
    told_close(other);
}

Test(garden, T20_P01_turns_are_commands_that_were_accepted)
{
    static const char *const commands[] = { "left", "right", "plant" };
    told *t = garden_of("plots=12 seeds=60", 3);
    deja_luck luck;
    uint64_t accepted = 0;
    deja_luck_seed(&luck, 4, 0);
    for (uint32_t i = 0; i < 100; i++) {
        accepted += strncmp(told_do(t, commands[deja_luck_below(&luck, 3)]), "refused", 7) != 0;
        cr_assert(eq(u64, t->lib.rules->turn(t->state), accepted));
    }
    cr_assert(accepted > 20 && accepted < 100);
    told_close(t);
}

Test(garden, P02_one_player_is_one_side)
{
    told *t = garden_of("", 1);
    for (uint32_t i = 0; i < 5; i++) {
        cr_assert(eq(u32, t->lib.rules->side(t->state), 0));
        told_do(t, "right");
    }
    told_close(t);
}

/* The numbers stand for every process, compiler and machine. */
Test(garden, X01_hashes_are_the_same_everywhere)
{
    told *t = garden_of("", 7);
    cr_assert(eq(u64, told_hash(t), 0xf290cf174286bbea));
    told_do(t, "plant");
    told_do(t, "right");
    told_do(t, "plant");
    cr_assert(eq(u64, told_hash(t), 0x400a4025fad56863));
    told_close(t);
}

Test(garden, X02_seed_7_twice)
{
    uint64_t hashes[2];
    for (uint32_t i = 0; i < 2; i++) {
        told *t = garden_of("", 7);
        told_do(t, "plant");
        told_do(t, "right");
        told_do(t, "plant");
        hashes[i] = told_hash(t);
        told_close(t);
    }
    cr_assert(eq(u64, hashes[0], hashes[1]));
}

Test(garden, X03_the_hash_changes_if_anything_does)
{
    static const char *const states[] = {
        "plots=false,false at=1 seeds=9 grow_percent=75 turn=3 luck=%s seasons=-",
        "plots=true,false at=1 seeds=9 grow_percent=75 turn=3 luck=%s seasons=-",
        "plots=false,false at=0 seeds=9 grow_percent=75 turn=3 luck=%s seasons=-",
        "plots=false,false at=1 seeds=8 grow_percent=75 turn=3 luck=%s seasons=-",
        "plots=false,false at=1 seeds=9 grow_percent=74 turn=3 luck=%s seasons=-",
        "plots=false,false at=1 seeds=9 grow_percent=75 turn=4 luck=%s seasons=-",
        "plots=false,false at=1 seeds=9 grow_percent=75 turn=3 luck=%s "
        "seasons={rain={period=0 counted=0} can={wait=0 left=0}}",
        "plots=false,false at=1 seeds=9 grow_percent=75 turn=3 "
        "luck=0000000000000001.0000000000000001.0000000000000001 seasons=-",
    };
    enum { STATES = sizeof states / sizeof *states };
    uint64_t hashes[STATES];
    told *t = garden_of("", 1);
    for (uint32_t i = 0; i < STATES; i++) {
        const char *luck = "0000000000000001.0000000000000001.0000000000000000";
        const char *mark = strstr(states[i], "%s");
        char text[512];
        if (mark)
            snprintf(text, sizeof text, "%.*s%s%s", (int)(mark - states[i]), states[i], luck,
                     mark + 2);
        else
            snprintf(text, sizeof text, "%s", states[i]);
        told_put(t, text);
        hashes[i] = told_hash(t);
        for (uint32_t k = 0; k < i; k++)
            cr_assert(ne(u64, hashes[i], hashes[k]), "%u and %u", i, k);
    }
    told_close(t);
}

Test(garden, X05_the_first_step_that_differs_is_the_one)
{
    told *a = garden_of("", 7), *b = garden_of("", 7);
    static const char *const one[] = { "plant", "right", "plant", "right" };
    static const char *const two[] = { "plant", "right", "right", "plant" };
    uint32_t first = 0;
    for (uint32_t i = 0; i < 4; i++) {
        told_do(a, one[i]);
        told_do(b, two[i]);
        if (first == 0 && told_hash(a) != told_hash(b))
            first = i + 1;
    }
    cr_assert(eq(u32, first, 3));
    told_close(a);
    told_close(b);
}
