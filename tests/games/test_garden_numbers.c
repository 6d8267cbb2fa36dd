/* SPDX-License-Identifier: MIT */
/*
 * The garden's numbers from a content `garden`.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

#include "games/told.h"

TestSuite(garden_numbers, .timeout = 60);

/* Starts with a text of these bytes, behind which nothing may be read; "ok" or the refusal. */
static const char *start_with_bytes(told *t, const char *settings, const char *text, size_t size)
{
    char *exact = malloc(size ? size : 1);
    cr_assert(exact != NULL);
    memcpy(exact, text, size);
    const deja_content_pack packs[] = { { "other", "plots: 1", 8 },
                                        { "garden", size ? exact : NULL, size } };
    const deja_content content = { 2, packs };
    const char *answer = told_start_with(t, settings, 7, &content);
    free(exact);
    return answer;
}

static const char *start_with(told *t, const char *settings, const char *text)
{
    return start_with_bytes(t, settings, text, strlen(text));
}

static void assert_garden(told *t, uint32_t plots, const char *seeds, const char *percent)
{
    const char *row = told_at(t, "plots");
    uint32_t count = *row != '-';
    for (; *row; row++)
        count += *row == ',';
    cr_assert(eq(u32, count, plots));
    assert_text(told_at(t, "seeds"), seeds);
    assert_text(told_at(t, "grow_percent"), percent);
}

Test(garden_numbers, stand_in_for_the_configs_defaults)
{
    told *t = told_open("games/garden", "", 7);
    assert_garden(t, 6, "9", "75");
    assert_text(start_with(t, "", "plots: 8, seeds: 12, grow_percent: 0"), "ok");
    assert_garden(t, 8, "12", "0");
    assert_text(start_with(t, "", "seeds: 3"), "ok");
    assert_garden(t, 6, "3", "75");
    assert_text(start_with(t, "", ""), "ok");
    assert_garden(t, 6, "9", "75");
    told_close(t);
}

Test(garden_numbers, leave_what_the_config_sets_to_something_else)
{
    told *t = told_open("games/garden", "", 7);
    assert_text(start_with(t, "plots=3 grow_percent=10", "plots: 8 seeds: 12 grow_percent: 20"),
                "ok");
    assert_garden(t, 3, "12", "10");
    /* The default itself cannot be told from what was left. */
    assert_text(start_with(t, "plots=6", "plots: 8"), "ok");
    assert_garden(t, 8, "9", "75");
    told_close(t);
}

Test(garden_numbers, may_be_written_in_many_ways)
{
    static const char *const texts[] = {
        "(\n    plots: 8,\n    seeds: 12,\n    grow_percent: 60,\n)\n",
        "grow_percent:60,seeds:12,plots:8",
        "plots:8 seeds:12 grow_percent:60",
        "\r\n\tplots :\t8\r\nseeds\n:\n12\r\ngrow_percent: 0060 ,\r\n",
        "// a note\n( // more\nplots: 8 // seeds: 1\n, seeds: 12,//\ngrow_percent//\n:// :\n60)//",
        "(plots:8,seeds:12,grow_percent:60)",
    };
    told *t = told_open("games/garden", "", 7);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_text(start_with(t, "", texts[i]), "ok");
        assert_garden(t, 8, "12", "60");
    }
    told_close(t);
}

Test(garden_numbers, that_cannot_be_read_are_refused)
{
    static const char *const texts[] = {
        "plots",
        "plots:",
        "plots 8",
        "plots: -1",
        "plots: 8.5",
        "plots: 8seeds: 1",
        "plots: x",
        "rows: 8",
        "plots: 8; seeds: 1",
        "plot: 8",
        "plotss: 8",
        "PLOTS: 8",
        "plots: 8 plots: 8",
        "(plots: 8",
        "plots: 8)",
        "(plots: 8) 1",
        "((plots: 8))",
        "plots: 4294967296",
        "plots: 99999999999999999999999",
        "/ plots: 8",
        "plots: 8 /",
        "/* plots */",
        ",",
        "plots: 8,,",
        ": 8",
        "{plots: 8}",
    };
    told *t = told_open("games/garden", "", 7);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *answer = start_with(t, "", texts[i]);
        cr_assert(eq(str, (char *)answer, (char *)"bad_numbers"), "'%s'", texts[i]);
    }
    assert_text(start_with_bytes(t, "", "plots: 8\0", 9), "bad_numbers");
    told_close(t);
}

Test(garden_numbers, are_held_to_the_limits_of_a_config)
{
    told *t = told_open("games/garden", "", 7);
    assert_text(start_with(t, "", "plots: 64 seeds: 4294967295 grow_percent: 100"), "ok");
    assert_garden(t, 64, "4294967295", "100");
    assert_text(start_with(t, "", "plots: 65"), "too_many_plots");
    assert_text(start_with(t, "", "plots: 4294967295"), "too_many_plots");
    assert_text(start_with(t, "", "grow_percent: 101"), "no_percent");
    assert_text(start_with(t, "", "grow_percent: 256"), "no_percent");
    assert_text(start_with(t, "", "grow_percent: 331"), "no_percent");
    /* What the config set instead is not looked at. */
    assert_text(start_with(t, "plots=2", "plots: 65"), "ok");
    told_close(t);
}

/* Every beginning of a text, and every byte at every place of it: read to its end, no farther. */
Test(garden_numbers, of_any_text_do_no_harm)
{
    static const char text[] = "(plots: 8, // x\n seeds: 12,)";
    char changed[sizeof text];
    told *t = told_open("games/garden", "", 7);
    for (size_t size = 0; size < sizeof text; size++) {
        const char *answer = start_with_bytes(t, "", text, size);
        cr_assert(strcmp(answer, "ok") == 0 || strcmp(answer, "bad_numbers") == 0, "%s", answer);
    }
    for (size_t at = 0; at + 1 < sizeof text; at++) {
        for (int byte = 0; byte < 256; byte++) {
            memcpy(changed, text, sizeof text);
            changed[at] = (char)byte;
            const char *answer = start_with_bytes(t, "", changed, sizeof text - 1);
            cr_assert(strcmp(answer, "ok") == 0 || strcmp(answer, "bad_numbers") == 0 ||
                          strcmp(answer, "too_many_plots") == 0,
                      "%s", answer);
        }
    }
    told_close(t);
}
