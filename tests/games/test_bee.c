/* SPDX-License-Identifier: MIT */
/*
 * The bee: what is known of its rules (fixtures/vectors/engine.txt), and what the engine's chapter
 * says of rules in fixed steps. A test whose name begins with a letter and two digits is of that
 * statement.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <deja/driver.h>
#include <stdlib.h>

#include "games/told.h"

TestSuite(bee, .timeout = 60);

enum { LEFT = 2, RIGHT = 3, L = 1 << LEFT, R = 1 << RIGHT, PLAYERS = 2, LOG = 1024 };

static told *bee_of(const char *settings)
{
    return told_open("games/bee", settings, 1);
}

/* What comes of a step: "landed plot=3", or "". */
static const char *step(told *t, const deja_input *players)
{
    static const char *const actions[] = { "up", "down", "left", "right" };
    char text[1024] = "players=";
    for (uint32_t player = 0; player < PLAYERS; player++) {
        const uint32_t masks[] = { players[player].pressed, players[player].held,
                                   players[player].released };
        static const char *const names[] = { "{pressed=", " held=", " released=" };
        strcat(text, player ? "," : "");
        for (uint32_t mask = 0; mask < 3; mask++) {
            const char *plus = "";
            strcat(text, names[mask]);
            for (uint32_t action = 0; action < 4; action++) {
                if ((masks[mask] >> action & 1u) == 0)
                    continue;
                strcat(text, plus);
                strcat(text, actions[action]);
                plus = "+";
            }
            strcat(text, *plus ? "" : "-");
        }
        strcat(text, "}");
    }
    return told_do(t, text);
}

static const char *hold(told *t, uint32_t actions)
{
    const deja_input players[PLAYERS] = { { 0, actions, 0 }, { 0, 0, 0 } };
    return step(t, players);
}

/* Appends "STEP:PLOT" where the bee landed. */
static void note_landing(char *landed, size_t size, uint64_t number, const char *answer)
{
    if (*answer)
        snprintf(landed + strlen(landed), size - strlen(landed), "%s%u:%s", *landed ? "," : "",
                 (unsigned)number, answer + strlen("landed plot="));
}

/* Holds "R*9,LR*1,-*3", and answers where it landed. */
static const char *fly(told *t, const char *held, char *landed, size_t size)
{
    uint32_t number = 0;
    landed[0] = 0;
    while (*held) {
        const char *star = strchr(held, '*');
        uint32_t actions = 0;
        for (; held < star; held++)
            actions |= *held == 'L' ? L : *held == 'R' ? R : 0;
        for (uint32_t count = (uint32_t)atoi(star + 1); count > 0; count--)
            note_landing(landed, size, ++number, hold(t, actions));
        held = star + strcspn(star, ",");
        held += *held == ',';
    }
    return landed;
}

/* ---- what is known ---- */

static void check_bee(const fact *f)
{
    char settings[32], landed[512], equal[512] = "", all[512] = "", runs[512];
    snprintf(settings, sizeof settings, "plots=%s", f->words[2]);
    told *t = bee_of(settings);
    assert_text(fly(t, f->words[3], landed, sizeof landed),
                strcmp(f->words[7], "-") ? f->words[7] : "");
    assert_text(told_at(t, "at"), f->words[4]);
    assert_text(told_at(t, "wings.counted"), f->words[5]);
    told_close(t);

    /* once more, step by step, for when it is as it was */
    t = bee_of(settings);
    const uint64_t first = told_hash(t);
    uint32_t number = 0;
    snprintf(runs, sizeof runs, "%s", f->words[3]);
    for (char *run = strtok(runs, ","); run; run = strtok(NULL, ",")) {
        for (int count = atoi(strchr(run, '*') + 1); count > 0; count--) {
            char one[16];
            snprintf(one, sizeof one, "%.*s*1", (int)strcspn(run, "*"), run);
            fly(t, one, landed, sizeof landed);
            number++;
            snprintf(all + strlen(all), sizeof all - strlen(all), "%s%u", *all ? "," : "", number);
            if (told_hash(t) == first)
                snprintf(equal + strlen(equal), sizeof equal - strlen(equal), "%s%u",
                         *equal ? "," : "", number);
        }
    }
    assert_text(*equal ? equal : "-", strcmp(f->words[6], "all") == 0 ? all : f->words[6]);
    told_close(t);
}

/* Steps as an engine counts them, right held in every frame or pressed in the first. */
static void check_frames(const fact *f, const char *landed_there)
{
    deja_driver driver;
    deja_input players[PLAYERS];
    char landed[512] = "";
    told *t = bee_of("plots=6");
    cr_assert(deja_driver_init(&driver, 60, PLAYERS));
    for (int times = atoi(f->words[2]); times > 0; times--) {
        for (uint32_t i = 3; i < f->count; i++) {
            if (strstr(f->words[1], "press"))
                (void)deja_driver_press(&driver, 0, 0, RIGHT);
            else
                deja_driver_hold(&driver, 0, R);
            deja_driver_ticks(&driver, strtoull(f->words[i], NULL, 10), NULL);
            for (uint64_t number; (number = deja_driver_step(&driver, players)) != 0;)
                note_landing(landed, sizeof landed, number, step(t, players));
        }
    }
    cr_assert(eq(u64, driver.steps, 60));
    assert_text(landed, landed_there);
    assert_text(told_at(t, "at"), "5");
    told_close(t);
}

Test(bee, does_what_is_known_of_it)
{
    FILE *file = facts_open("engine.txt");
    fact f;
    char landed[512] = "";
    uint32_t bees = 0, patterns = 0;
    while (facts_next(file, &f)) {
        if (strcmp(f.words[0], "bee") == 0) {
            check_bee(&f);
            bees++;
            if (strcmp(f.words[1], "chapter_right_60") == 0)
                snprintf(landed, sizeof landed, "%s", f.words[7]);
        } else if (strcmp(f.words[0], "frames") == 0) {
            check_frames(&f, landed);
            patterns++;
        }
    }
    fclose(file);
    cr_assert(bees == 7 && patterns == 4, "%u bees, %u patterns", bees, patterns);
}

/* ---- statements ---- */

Test(bee, K01_players_have_inputs_of_their_own)
{
    const deja_input players[PLAYERS] = { { 0, 0, 0 }, { R, R, 0 } };
    told *t = bee_of("");
    const uint64_t before = told_hash(t);
    for (uint32_t i = 0; i < 30; i++)
        assert_text(step(t, players), "");
    cr_assert(eq(u64, told_hash(t), before));
    told_close(t);
}

Test(bee, K03_K04_K05_K06_K07_flies_and_hovers)
{
    static const char *const cases[][3] = {
        { "plots=6", "R*60", "10:1,20:2,30:3,40:4,50:5,60:5" },
        { "plots=6", "R*9,LR*1,R*9,-*1,R*10", "30:1" },
        { "plots=6", "L*10", "10:0" },
        { "plots=6", "R*5,L*5", "10:0" },
        { "plots=6", "R*19,L*1", "10:1,20:0" },
        { "plots=0", "R*20,L*10", "10:0,20:0,30:0" },
        { "plots=1", "R*20,L*10", "10:0,20:0,30:0" },
    };
    char landed[256];
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        told *t = bee_of(cases[i][0]);
        assert_text(fly(t, cases[i][1], landed, sizeof landed), cases[i][2]);
        told_close(t);
    }
}

Test(bee, K11_actions_are_by_their_places)
{
    told *t = bee_of("");
    const char *layout = deja_layout_text(t->layouts[1]);
    cr_assert(strstr(layout, "held:flags(up|down|left|right)") != NULL, "%s", layout);
    cr_assert(eq(u32, t->lib.rules->tick_rate, 60));
    cr_assert(eq(u32, t->lib.rules->kind, DEJA_TICKS));
    told_close(t);
}

Test(bee, M09_its_wings_are_saved_with_it)
{
    told *t = bee_of(""), *loaded = bee_of("plots=9");
    for (uint32_t i = 0; i < 7; i++)
        hold(t, R);
    told_put(loaded, told_state(t));
    cr_assert(eq(u64, told_hash(loaded), told_hash(t)));
    for (uint32_t i = 0; i < 2; i++)
        assert_text(hold(loaded, R), hold(t, R));
    assert_text(hold(loaded, R), "landed plot=1");
    assert_text(hold(t, R), "landed plot=1");
    told_close(t);
    told_close(loaded);
}

Test(bee, a_state_that_nobody_could_come_to_does_no_harm)
{
    told *t = bee_of("");
    told_put(t, "at=4294967295 plots=3 wings={period=0 counted=4294967295}");
    for (uint32_t i = 0; i < 20; i++)
        assert_text(hold(t, R), "");
    told_put(t, "at=4294967295 plots=3 wings={period=1 counted=4294967295}");
    assert_text(hold(t, L), "landed plot=4294967294");
    assert_text(hold(t, R), "landed plot=2");
    told_put(t, "at=0 plots=4294967295 wings={period=1 counted=0}");
    assert_text(hold(t, L), "landed plot=0");
    assert_text(hold(t, R), "landed plot=1");
    told_close(t);
}

/* ---- people, bots ---- */

Test(bee, is_drawn)
{
    static written page;
    told *t = bee_of("plots=3");
    assert_text(written_drawing(&page, &t->lib, t->state), "8\n___\n");
    told_put(t, "at=2 plots=3 wings={period=10 counted=0}");
    assert_text(written_drawing(&page, &t->lib, t->state), "  8\n___\n");
    told_put(t, "at=4294967295 plots=0 wings={period=10 counted=0}");
    cr_assert(lt(u64, strlen(written_drawing(&page, &t->lib, t->state)), 80));
    told_put(t, "at=7 plots=65 wings={period=10 counted=0}");
    assert_text(written_drawing(&page, &t->lib, t->state), "over plot 7 of 65\n");
    told_close(t);
}

Test(bee, mash_plays_as_a_driver_would)
{
    told *t = bee_of("");
    const deja_bot *mash = library_bot(&t->lib, "mash");
    uint32_t memory[PLAYERS] = { 0, 0 }, held[PLAYERS] = { 0, 0 }, landed = 0, pressed = 0;
    deja_luck luck;
    cr_assert(eq(u64, mash->memory_size, sizeof memory));
    deja_luck_seed(&luck, 3, 1);
    for (uint32_t i = 0; i < 2000; i++) {
        deja_input players[PLAYERS];
        cr_assert(eq(u32, mash->pick(t->state, &luck, players, memory), 1));
        for (uint32_t player = 0; player < PLAYERS; player++) {
            const deja_input *in = &players[player];
            cr_assert(eq(u32, in->pressed & held[player], 0));
            cr_assert(eq(u32, in->released & ~held[player], 0));
            cr_assert(in->held == ((held[player] | in->pressed) & ~in->released));
            cr_assert(in->held < 16);
            held[player] = in->held;
            pressed |= in->pressed;
        }
        landed += *step(t, players) != 0;
    }
    cr_assert(landed > 20, "%u", landed);
    cr_assert(eq(u32, pressed, 15));
    told_close(t);
}
