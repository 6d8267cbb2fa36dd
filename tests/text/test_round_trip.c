/* SPDX-License-Identifier: MIT */
/*
 * Texts in and out again.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/locale.h"
#include "text/texts.h"

TestSuite(round_trip, .timeout = 60);

Test(round_trip, a_text_as_export_writes_it_comes_back_as_it_is)
{
    assert_becomes(sample_text, sample_text);
    assert_becomes(scenario_text, scenario_text);
}

Test(round_trip, headers_may_come_in_any_order)
{
    text moved = text_with(sample_text, "game: matchgame 1.0.0\n", "");
    text all = text_with(moved.chars, "seed: 7\n", "seed: 7\ngame: matchgame 1.0.0\n");
    assert_becomes(all.chars, sample_text);
    text_free(&moved);
    text_free(&all);
}

/* B99: what version control and editors do to a text is no change of it. */
Test(round_trip, line_ends_a_byte_order_mark_and_a_missing_last_newline_do_no_harm)
{
    char *windows = malloc(2 * strlen(sample_text) + 4);
    char *at = windows + sprintf(windows, "\xef\xbb\xbf");
    for (const char *from = sample_text; *from; from++) {
        if (*from == '\n')
            *at++ = '\r';
        *at++ = *from;
    }
    at[-2] = 0; /* the last line's end */
    assert_becomes(windows, sample_text);
    free(windows);
}

Test(round_trip, comments_blank_lines_and_blanks_around_lines_are_dropped)
{
    text commented = text_with(sample_text, "take row=0 n=3\n",
                               "\n  # a line of its own\n\t take  row=0 n=3 \t# why not\n\n#\n");
    assert_becomes(commented.chars, sample_text);
    text_free(&commented);
}

Test(round_trip, fields_may_come_in_any_order_and_repeats_in_any_parts)
{
    text reordered = text_with(sample_text, "take row=9 n=1\n* 55\n",
                               "take n=1 row=9\n* 3\ntake row=9 n=1\n*  50\ntake row=9 n=1\n");
    assert_becomes(reordered.chars, sample_text);
    text_free(&reordered);
}

Test(round_trip, results_and_hashes_may_be_on_as_many_lines_as_one_likes)
{
    text parted = text_with(sample_text, "results: ok*1 no_such_row*58\n",
                            "results: ok*1\nresults: no_such_row*8 no_such_row*50\n");
    text all = text_with(parted.chars, "trail: 32 20 0 9f0c61d2 5a1c22b0 00000000\n",
                         "trail: 32 20 0 9f0c61d2\ntrail: 32 20 20 5a1c22b0 00000000\n");
    assert_becomes(all.chars, sample_text);
    text_free(&parted);
    text_free(&all);
}

/* B29 */
Test(round_trip, every_seed_comes_back_digit_for_digit)
{
    static const char *const seeds[] = { "0", "4294967297", "9007199254740993",
                                         "18446744073709551615" };
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        char line[64];
        snprintf(line, sizeof line, "seed: %s\n", seeds[i]);
        text t = text_with(sample_text, "seed: 7\n", line);
        assert_becomes(t.chars, t.chars);
        text_free(&t);
    }
}

Test(round_trip, every_end_comes_back)
{
    static const char *const ends[] = { "running", "unfinished", "first_wins", "second_wins" };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char line[64];
        snprintf(line, sizeof line, "end: %s steps=59\n", ends[i]);
        text t = text_with(sample_text, "end: running steps=59\n", line);
        assert_becomes(t.chars, t.chars);
        text_free(&t);
    }
}

Test(round_trip, a_crash_has_no_result_and_no_hash_of_its_last_command)
{
    text end = text_with(sample_text, "end: running", "end: crashed");
    text results = text_with(end.chars, "no_such_row*58\n", "no_such_row*57\n");
    text events = text_with(results.chars, "events: 59", "events: 58");
    text t = text_with(events.chars, "chain: 59", "chain: 58");
    assert_becomes(t.chars, t.chars);
    text_free(&end);
    text_free(&results);
    text_free(&events);
    text_free(&t);
}

Test(round_trip, words_that_could_be_misread_stand_in_quotes)
{
    text t = text_with(sample_text, "made: bot random,depth6\n",
                       "made: \"#1 \\\"the\\\" \\u202eplayer \"\n");
    assert_becomes(t.chars, t.chars);
    text_free(&t);
    text plain =
        text_with(sample_text, "made: bot random,depth6\n", "made: \"bot random,depth6\"\n");
    assert_becomes(plain.chars, sample_text);
    text_free(&plain);
    text hash = text_with(sample_text, "made: bot random,depth6\n", "made: player#7 = \xc3\xa9\n");
    assert_becomes(hash.chars, hash.chars);
    text_free(&hash);
}

Test(round_trip, what_may_be_empty_is_left_out)
{
    static const char *const lines[] = { "platform: x86_64-linux-gnu glibc-2.36 round-nearest\n",
                                         "made: bot random,depth6\n",
                                         "outcomes: first_wins second_wins\n",
                                         "content: maps=00112233445566778899aabbccddeeff\n" };
    text t = text_of(sample_text);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        text less = text_with(t.chars, lines[i], "");
        text_free(&t);
        t = less;
    }
    text compiler = text_with(t.chars, " gcc-12.2.0", "");
    text version = text_with(compiler.chars, "game: matchgame 1.0.0", "game: matchgame");
    assert_becomes(version.chars, version.chars);
    text_free(&t);
    text_free(&compiler);
    text_free(&version);
}

static const char *const middle_text = "deja-replay: 1\n"
                                       "game: pots.of.gold 2\n"
                                       "layout: state gold:i64 luck:rng\n"
                                       "layout: command kind(add{n:f64}|roll)\n"
                                       "layout: event -\n"
                                       "layout: config -\n"
                                       "layout: start gold:i32\n"
                                       "refusals: ok busy\n"
                                       "build: 00000000000000000000000000000000\n"
                                       "config: -\n"
                                       "seed: 0\n"
                                       "start: gold=-5\n"
                                       "add n=1.5\n"
                                       "add n=-0.0\n"
                                       "roll\n"
                                       "see: gold=-3\n"
                                       "end: running steps=3\n"
                                       "results: ok*1 .ok*1 busy*1\n"
                                       "trail: 64 2 0 000000000000000f ffffffffffffffff\n"
                                       "events: 3 0000000000000001\n"
                                       "chain: 3 62199e5592839e07\n";

Test(round_trip, a_session_that_began_in_the_middle_has_its_start)
{
    assert_becomes(middle_text, middle_text);
    text same = text_with(middle_text, "layout: start gold:i32\n", "");
    text t = text_with(same.chars, "start: gold=-5\n",
                       "start: gold=-5 "
                       "luck=0000000000000001.0000000000000002.0000000000000003\n");
    assert_becomes(t.chars, t.chars);
    text_free(&same);
    text_free(&t);
}

/* B33: the locale is the host program's, and in half of the world decimals have a comma. */
Test(round_trip, texts_are_the_same_in_every_locale)
{
    desk d;
    desk_open(&d);
    locale_with_commas(d.folder);
    assert_becomes(middle_text, middle_text);
    desk_close(&d);
}

static const char *const bytes_text = "deja-replay: 1\n"
                                      "game: raw 1\n"
                                      "layout: state bytes\n"
                                      "layout: command bytes\n"
                                      "layout: event bytes\n"
                                      "layout: config bytes\n"
                                      "build: 00000000000000000000000000000000\n"
                                      "config: -\n"
                                      "seed: 3\n"
                                      "00ff10\n"
                                      "* 1\n"
                                      "-\n"
                                      "* 2\n"
                                      "ab\n"
                                      "end: lost steps=6\n"
                                      "results: ok*6\n"
                                      "trail: 8 1 0 01 02 03 04 05 06 07\n"
                                      "events: 6 0000000000000001\n"
                                      "chain: 6 0000000000000002\n";

Test(round_trip, a_game_without_layouts_has_one_word_a_command)
{
    assert_becomes(bytes_text, bytes_text);
}

/* ---- scenarios ---- */

static const deja_text_rules rules = {
    .game = "matchgame",
    .version = "1.1.0",
    .layouts = { "rows:u8[..16] side:u8", "kind(take{row:u8 n:u8})", "kind(took{row:u8 n:u8})",
                 "rows:u8[..16]" },
    .refusals = "no_such_row over",
    .outcomes = "first_wins second_wins",
    .config_default = { "\4\0\0\0\7\5\3\1", 8 },
};

Test(round_trip, a_scenario_takes_what_it_leaves_out_from_the_rules)
{
    desk d;
    deja_id id;
    bool known;
    deja_error err = { 0 };
    desk_open(&d);
    const deja_code code = deja_import(d.store, "t", bare_scenario_text, strlen(bare_scenario_text),
                                       &rules, &id, &known, &err);
    cr_assert_eq(code, DEJA_OK, "%s", err.message);
    text t = give(&d, &id);
    cr_assert_str_eq(t.chars, "deja-replay: 1\n"
                              "game: matchgame 1.1.0\n"
                              "layout: state rows:u8[..16] side:u8\n"
                              "layout: command kind(take{row:u8 n:u8})\n"
                              "layout: event kind(took{row:u8 n:u8})\n"
                              "layout: config rows:u8[..16]\n"
                              "refusals: no_such_row over\n"
                              "outcomes: first_wins second_wins\n"
                              "config: rows=7,5,3,1\n"
                              "seed: 1\n"
                              "take row=0 n=2\n"
                              "see: side=1\n");
    /* What it says itself is not taken from elsewhere, and it needs no rules any more. */
    assert_becomes(t.chars, t.chars);
    text_free(&t);
    desk_close(&d);
}

Test(round_trip, a_scenario_without_rules_says_that_it_needs_them)
{
    desk d;
    deja_id id;
    deja_error err = { 0 };
    desk_open(&d);
    const deja_code code = take(&d, bare_scenario_text, strlen(bare_scenario_text), &id, &err);
    cr_assert_eq(code, DEJA_EUNFIT);
    cr_assert_str_eq(err.message, "t: a scenario without its 'layout: state' line needs --rules");
    desk_close(&d);
}

Test(round_trip, the_rules_of_another_game_do_not_fit)
{
    desk d;
    deja_id id;
    bool known;
    deja_error err = { 0 };
    deja_text_rules other = rules;
    other.game = "peg";
    desk_open(&d);
    const deja_code code =
        deja_import(d.store, "t", scenario_text, strlen(scenario_text), &other, &id, &known, &err);
    cr_assert_eq(code, DEJA_EUNFIT);
    cr_assert_str_eq(err.message, "t: the text is of 'matchgame', the rules are 'peg'");
    desk_close(&d);
}

Test(round_trip, a_scenario_says_nothing_of_an_end_that_it_leaves_open)
{
    text open = text_with(scenario_text, "end: second_wins steps=2\n", "end: unfinished steps=2\n");
    text none = text_with(scenario_text, "end: second_wins steps=2\n", "");
    text running = text_with(scenario_text, "end: second_wins steps=2\n", "end: running steps=2\n");
    assert_becomes(open.chars, none.chars);
    assert_becomes(none.chars, none.chars);
    assert_becomes(running.chars, running.chars);
    text_free(&open);
    text_free(&none);
    text_free(&running);
}

/* ---- once more ---- */

Test(round_trip, importing_a_text_again_adds_nothing)
{
    desk d;
    deja_id first, second;
    bool known;
    deja_error err = { 0 };
    desk_open(&d);
    deja_code code =
        deja_import(d.store, "t", sample_text, strlen(sample_text), NULL, &first, &known, &err);
    cr_assert_eq(code, DEJA_OK, "%s", err.message);
    cr_assert_not(known);
    code = deja_import(d.store, "t", sample_text, strlen(sample_text), NULL, &second, &known, &err);
    cr_assert_eq(code, DEJA_OK, "%s", err.message);
    cr_assert(known);
    cr_assert_eq(memcmp(&first, &second, sizeof first), 0);
    const uint64_t sessions = desk_sessions(&d);
    cr_assert_eq(sessions, 1);
    desk_close(&d);
}

/* ---- writing ---- */

static bool refuse(void *user, const char *chars, uint64_t size)
{
    (void)user;
    (void)chars;
    (void)size;
    return false;
}

Test(round_trip, a_text_that_cannot_be_written_is_a_failure)
{
    desk d;
    deja_id id;
    int64_t key;
    deja_error err = { 0 };
    char prefix[3];
    desk_open(&d);
    deja_code code = take(&d, sample_text, strlen(sample_text), &id, &err);
    cr_assert_eq(code, DEJA_OK, "%s", err.message);
    deja_store_flush(d.store, &err);
    snprintf(prefix, sizeof prefix, "%02x", id.bytes[0]);
    code = deja_store_find(d.store, prefix, &key, &err);
    cr_assert_eq(code, DEJA_OK, "%s", err.message);
    code = deja_export(d.store, key, 0, refuse, NULL, &err);
    cr_assert_eq(code, DEJA_EIO);
    cr_assert_str_eq(err.message, "the text could not be written");
    code = deja_export(d.store, key, 0, NULL, NULL, &err);
    cr_assert_eq(code, DEJA_EMISUSE);
    desk_close(&d);
}
