/* SPDX-License-Identifier: MIT */
/*
 * Texts that are wrong: each is refused with its line and why, and nothing of it is stored.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/texts.h"

TestSuite(text_refused, .init = refusals_open, .fini = refusals_close, .timeout = 60);

/* One change of a good text, and what is then said. */
typedef struct edit {
    const char *what, *by, *message;
} edit;

static void assert_edits(const char *good, const edit *edits, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        text t = text_with(good, edits[i].what, edits[i].by);
        assert_text_refused(t.chars, edits[i].message);
        text_free(&t);
    }
}
#define ASSERT_EDITS(good, edits) assert_edits(good, edits, sizeof edits / sizeof *edits)

Test(text_refused, what_is_no_replay_text_is_told_by_its_first_line)
{
    assert_text_refused("", "t:1: not a replay text: these begin with 'deja-replay: 1'");
    assert_text_refused("\n# x\n", "t:1: not a replay text: these begin with 'deja-replay: 1'");
    assert_text_refused("game: x 1\n", "t:1: not a replay text: these begin with 'deja-replay: 1'");
    assert_text_refused("SQLite format 3 or so",
                        "t:1: this is a SQLite file and not a replay text; a store is opened, not "
                        "imported");
    assert_text_refused("\x7f"
                        "ELF\xff\xfe",
                        "t:1: not a replay text: these begin with 'deja-replay: 1'");
    assert_text_refused("deja-replay: one\n", "t:1: the format's version belongs here: 1");
    assert_text_refused("deja-replay: 0\n", "t:1: the format's version belongs here: 1");
    assert_text_refused("deja-replay:\n", "t:1: the format's version belongs here: 1");
}

Test(text_refused, a_newer_format_is_said_to_be_newer)
{
    desk d;
    deja_id id;
    deja_error err = { 0 };
    desk_open(&d);
    const deja_code code = take(&d, "deja-replay: 2\n", 15, &id, &err);
    cr_assert_eq(code, DEJA_EVERSION);
    cr_assert_str_eq(err.message, "t:1: a replay text of version 2; this deja reads version 1");
    desk_close(&d);
}

Test(text_refused, bytes_that_are_no_text)
{
    static const edit edits[] = {
        { "take row=0", "take \xff row=0", "t:16: a byte that is not UTF-8, or a NUL" },
        { "tower", "tow\xc3", "t:22: a byte that is not UTF-8, or a NUL" },
        { "deja-replay: 1\n", "deja-replay: 1 \x80\n", "t:1: a byte that is not UTF-8, or a NUL" },
    };
    ASSERT_EDITS(sample_text, edits);
}

Test(text_refused, a_nul_is_no_text)
{
    desk d;
    deja_id id;
    deja_error err = { 0 };
    text t = text_of(sample_text);
    desk_open(&d);
    *strstr(t.chars, "seed") = 0;
    const deja_code code = take(&d, t.chars, t.size, &id, &err);
    cr_assert_eq(code, DEJA_EFORMAT);
    cr_assert_str_eq(err.message, "t:14: a byte that is not UTF-8, or a NUL");
    text_free(&t);
    desk_close(&d);
}

Test(text_refused, keywords)
{
    static const edit edits[] = {
        { "seed: 7", "sede: 7", "t:14: there is no keyword 'sede:'; the nearest is 'seed:'" },
        { "mark: \"tower", "remarkable: \"tower", "t:22: there is no keyword 'remarkable:'" },
        { "seed: 7\n", "seed: 7\nseed: 7\n", "t:15: a second 'seed:' line; the first is line 14" },
        { "layout: event", "layout: state",
          "t:5: a second 'layout: state' line; the first is line 3" },
        { "layout: event", "layout: events",
          "t:5: there is no layout of 'events'; the nearest is event" },
        { "layout: event kind(took{row:u8 n:u8})", "layout:",
          "t:5: there is no layout of ''; there are state, command, event, config and start" },
        { "take row=0 n=3\n", "take row=0 n=3\nseed: 7\n",
          "t:17: 'seed:' belongs before the first command" },
        { "seed: 7\n", "end: running steps=0\nseed: 7\n", "t:14: there is no 'seed:' line" },
        { "results: ok*1", "take row=0 n=1\nresults: ok*1",
          "t:25: behind 'end:' come results, trail, events and chain, no more" },
        { "* 2\n", "results: ok*1\n", "t:23: 'results:' belongs behind 'end:'" },
        { "end: running steps=59\n", "end: running steps=59\nend: running steps=59\n",
          "t:25: a second 'end:' line; the first is line 24" },
    };
    ASSERT_EDITS(sample_text, edits);
}

Test(text_refused, what_a_recording_must_have)
{
    static const edit edits[] = {
        { "game: matchgame 1.0.0\n", "",
          "t:14: there is no 'game:' line, and a recording has one" },
        { "layout: state rows:u8[..16] side:u8\n", "",
          "t:14: there is no 'layout: state' line, and a recording has one" },
        { "layout: config rows:u8[..16]\n", "",
          "t:14: there is no 'layout: config' line, and a recording has one" },
        { "config: rows=7,5,3,1\n", "",
          "t:14: there is no 'config:' line, and a recording has one" },
        { "seed: 7\n", "", "t:14: there is no 'seed:' line" },
        { "results: ok*1 no_such_row*58\n", "", "t:27: there are 0 results, and should be 59" },
        { "trail: 32 20 0 9f0c61d2 5a1c22b0 00000000\n", "",
          "t:27: there is no 'trail:' line, and a recording has one" },
        { "events: 59 0c5d1e7a93b2f846\n", "", "t:27: there is no 'events:' line of step 59" },
        { "chain: 59 41d2a4b87e359f0c\n", "", "t:27: there is no 'chain:' line of step 59" },
    };
    ASSERT_EDITS(sample_text, edits);
    text end = text_with(sample_text, "end: running steps=59\n", "");
    assert_text_refused(end.chars, "t:24: 'results:' belongs behind 'end:'");
    *strstr(end.chars, "results:") = 0;
    assert_text_refused(end.chars, "t:23: there is no 'end:' line, and a recording has one");
    text_free(&end);
}

Test(text_refused, headers_that_are_wrong)
{
    static const edit edits[] = {
        { "game: matchgame 1.0.0", "game: match/game 1.0.0",
          "t:2: a game's id, and its version, belong here" },
        { "game: matchgame 1.0.0", "game:", "t:2: a game's id, and its version, belong here" },
        { "side:u8\n", "side:u9\n", "t:3: *" },
        { "layout: event kind(took{row:u8 n:u8})", "layout: event bytes",
          "t:5: all four layouts are bytes, or none is" },
        { "refusals: no_such_row over", "refusals: no_such_row  over", "t:7: '' is not a name" },
        { "refusals: no_such_row over", "refusals: over no_such_row over",
          "t:7: 'over' is there twice" },
        { "outcomes: first_wins", "outcomes: running first_wins",
          "t:8: 'running' is not for an outcome" },
        { "build: 7c1e88d0", "build: 7C1e88d0",
          "t:9: a build's digest, 32 lower-case hex digits, belongs here" },
        { "build: 7c1e88d0", "build: 7c1e88d",
          "t:9: a build's digest, 32 lower-case hex digits, belongs here" },
        { "made: bot random,depth6", "made:", "t:11: this must stand in quotes: ''" },
        { "made: bot random,depth6", "made: \"a\" b", "t:11: the value should end before*" },
        { "made: bot random,depth6", "made: \"a\\nb\"",
          "t:11: text of one line has no control character, and at most 65536 bytes" },
        { "made: bot random,depth6", "made: a\tb", "t:11: this must stand in quotes: 'a?b'" },
        { "maps=0011", "maps=001",
          "t:12: content is name=digest (32 lower-case hex digits), one blank between, rising by "
          "name" },
        { "content: maps", "content: npcs=00112233445566778899aabbccddeeff maps",
          "t:12: content is name=digest (32 lower-case hex digits), one blank between, rising by "
          "name" },
        { "config: rows=7,5,3,1", "config: rows=7,5,3,256",
          "t:13: rows[3]: '256' is out of range*" },
        { "config: rows=7,5,3,1", "config: row=7,5,3,1", "t:13: there is no field 'row'*" },
        { "seed: 7", "seed: 18446744073709551616",
          "t:14: '18446744073709551616' is not a seed: a whole number from 0 to "
          "18446744073709551615" },
        { "seed: 7", "seed: -1",
          "t:14: '-1' is not a seed: a whole number from 0 to "
          "18446744073709551615" },
        { "seed: 7", "seed: 0x7",
          "t:14: '0x7' is not a seed: a whole number from 0 to "
          "18446744073709551615" },
        { "refusals:", "layout: start side:u8\nrefusals:",
          "t:7: the layout of a start that is not there" },
        { "seed: 7\n", "seed: 7\nstart: rows=1\n", "t:15: the field 'side' is missing*" },
    };
    ASSERT_EDITS(sample_text, edits);
}

Test(text_refused, layouts_platforms_and_chains_that_are_wrong)
{
    static const char digits[] = "t:28: a step, and 16 lower-case hex digits, belong here";
    static const edit edits[] = {
        { "command kind(take{row:u8 n:u8})", "command kind(take{row:u8 n:u9})",
          "t:4: byte 19: expected a type" },
        { "command kind(take{row:u8 n:u8})", "command kind(take{row:u8 n:u8}",
          "t:4: byte 22: expected '|' or ')'" },
        { "command kind(take{row:u8 n:u8})", "command bytes",
          "t:4: all four layouts are bytes, or none is" },
        { "command kind(take{row:u8 n:u8})", "command", "t:4: byte 0: expected a name" },
        { "layout: command kind(take{row:u8 n:u8})\n", "",
          "t:14: there is no 'layout: command' line, and a recording has one" },
        { "config rows:u8[..16]", "config rows:u8[..]",
          "t:6: byte 10: expected a count from 1 to 4294967295, without leading zeros" },
        { "config rows:u8[..16]", "config rows:u8[..2]", "t:13: rows: more than 2 items" },
        { "config rows:u8[..16]", "config piles:u8[..16]", "t:13: there is no field 'rows'" },
        { "platform: x86_64-linux-gnu glibc-2.36 round-nearest",
          "platform:", "t:10: this must stand in quotes: ''" },
        { "platform: x86_64-linux-gnu", "platform: \x01x86_64",
          "t:10: this must stand in quotes: *" },
        { "platform: x86_64-linux-gnu glibc-2.36 round-nearest", "platform: \"a\" b",
          "t:10: the value should end before:  b" },
        { "41d2a4b87e359f0c", "41d2a4b87e359f0", digits },
        { "41d2a4b87e359f0c", "41d2a4b87e359f0cc", digits },
        { "41d2a4b87e359f0c", "41D2a4b87e359f0c", digits },
        { "chain: 59 41d2a4b87e359f0c", "chain: 59", digits },
        { "chain: 59 ", "chain: x9 ", digits },
        { "chain: 59 ", "chain: 58 ", "t:28: the chain's next step is 59, not 58" },
    };
    ASSERT_EDITS(sample_text, edits);
}

Test(text_refused, steps_that_are_wrong)
{
    static const edit edits[] = {
        { "take row=0 n=3", "tkae row=0 n=3", "t:16: there is no 'tkae'; the nearest is 'take'*" },
        { "take row=0 n=3", "take row=0", "t:16: the field 'n' is missing*" },
        { "take row=0 n=3", "take row=0 n=3 n=3", "t:16: *" },
        { "take row=0 n=3", "take row=0 n=3#4", "t:16: *" },
        { "* 55", "* 0",
          "t:19: '0' is not how often a command is repeated: a whole number from 1 "
          "to 17179869184" },
        { "* 55", "* 99999999999",
          "t:19: '99999999999' is not how often a command is repeated: a whole number from 1 to "
          "17179869184" },
        { "* 55", "* 134217728", "t:19: more than 134217728 steps, the most for a text of *" },
        { "* 55", "*",
          "t:19: '' is not how often a command is repeated: a whole number from 1 to "
          "17179869184" },
        { "take row=0 n=3\n", "* 1\n", "t:16: there is no command above to repeat" },
        { "section: rows 00000000000000ff", "section: rows ff",
          "t:17: a section's name and 16 lower-case hex digits belong here" },
        { "section: rows 00000000000000ff", "section: 00000000000000ff",
          "t:17: a section's name and 16 lower-case hex digits belong here" },
        { "mark: \"tower vanishes here\"", "mark: tower", "t:22: a mark is text in quotes" },
        { "mark: \"tower vanishes here\"", "mark: \"tower", "t:22: *" },
        { "mark: \"tower vanishes here\"", "mark: \"see: side=0\"",
          "t:22: write an expectation as a line of its own: see: ..." },
    };
    ASSERT_EDITS(sample_text, edits);
}

Test(text_refused, tails_that_are_wrong)
{
    static const edit edits[] = {
        { "end: running", "end: runing",
          "t:24: 'runing' is no outcome of this game, nor running, unfinished or crashed" },
        { "end: running steps=59", "end: running",
          "t:24: how it ended, and steps= with their number, belong here" },
        { "end: running steps=59", "end: running steps=58",
          "t:24: the end says 58 steps, and there are 59 commands" },
        { "end: running steps=59", "end: running steps=59 twice",
          "t:24: how it ended, and steps= with their number, belong here" },
        { "no_such_row*58\n", "no_such_row*57\n", "t:28: there are 58 results, and should be 59" },
        { "no_such_row*58\n", "no_such_row*59\n",
          "t:25: more results than the 59 that there should be" },
        { "no_such_row*58\n", "no_such_row*18446744073709551615\n",
          "t:25: more results than the 59 that there should be" },
        { "no_such_row*58\n", "no_such_raw*58\n",
          "t:25: 'no_such_raw' is no refusal of this game, nor ok" },
        { "no_such_row*58\n", "no_such_row\n",
          "t:25: 'no_such_row' is no result and how often it came, as ok*57" },
        { "ok*1 ", "ok*0 ", "t:25: 'ok*0' is no result and how often it came, as ok*57" },
        { "ok*1 ", ".ok*1 ", "t:25: '.ok' is no refusal of this game, nor ok" },
        { "trail: 32 20 0", "trail: 24 20 0",
          "t:26: a trail's width (8, 16, 32, 64), every how manieth step, and the step of its "
          "first hash, belong here" },
        { "trail: 32 20 0", "trail: 32 0 0",
          "t:26: a trail's width (8, 16, 32, 64), every how manieth step, and the step of its "
          "first hash, belong here" },
        { "trail: 32 20 0", "trail: 32 20 20", "t:26: the trail's next step is not 20" },
        { "trail: 32 20 0 9f0c61d2", "trail: 32 20 0 9f0c61d",
          "t:26: '9f0c61d' is not 8 lower-case hex digits" },
        { " 00000000\n", "\n", "t:28: the trail has 2 hashes, and should have 3" },
        { " 00000000\n", " 00000000 00000000\n",
          "t:26: more hashes than the 3 that there should be" },
        { " 00000000\n", "\ntrail: 32 20 40\n", "t:27: there is no hash in this line" },
        { " 00000000\n", "\ntrail: 32 10 40 00000000\n",
          "t:27: the trail above is 32 bits, every 20" },
        { " 00000000\n", " 00000000\ntrail: 32 20 60 00000000\n",
          "t:27: the trail's next step is not 60" },
        { "events: 59", "events: 58", "t:27: the chain's next step is 59, not 58" },
        { "events: 59 0c", "events: 59 ",
          "t:27: a step, and 16 lower-case hex digits, belong here" },
        { "chain: 59 41d2a4b87e359f0c\n",
          "chain: 59 41d2a4b87e359f0c\nchain: 59 41d2a4b87e359f0c\n",
          "t:29: one line too many: the last step is there already" },
    };
    ASSERT_EDITS(sample_text, edits);
}

/* With whole hashes there is no need to wait for verify. */
Test(text_refused, a_chain_that_is_not_that_of_whole_hashes)
{
    text t = text_with(sample_text, "trail: 32 20 0 9f0c61d2 5a1c22b0 00000000",
                       "trail: 64 20 0 000000009f0c61d2 000000005a1c22b0 0000000000000000");
    assert_text_refused(t.chars,
                        "t:28: the chain of step 59 is not that of the hashes and results");
    text_free(&t);
}

Test(text_refused, ends_without_a_command_to_crash_in_or_events_to_chain)
{
    static const char *const empty = "deja-replay: 1\n"
                                     "game: raw\n"
                                     "layout: state bytes\n"
                                     "layout: command bytes\n"
                                     "layout: event bytes\n"
                                     "layout: config bytes\n"
                                     "build: 00000000000000000000000000000000\n"
                                     "config: -\n"
                                     "seed: 3\n"
                                     "end: running steps=0\n"
                                     "trail: 8 1 0 01\n"
                                     "events: 0 0000000000000000\n"
                                     "chain: 0 0000000000000002\n";
    assert_text_refused(empty, "t:12: the chain of no events is another number");
    text t = text_with(empty, "end: running", "end: crashed");
    assert_text_refused(t.chars, "t:10: it crashed in its last command, and there is none");
    text_free(&t);
    t = text_with(empty, "end: running", "end: 9");
    assert_text_refused(t.chars,
                        "t:10: '9' is no outcome of this game, nor running, unfinished or crashed");
    text_free(&t);
    static const edit edits[] = {
        { "seed: 3\n", "seed: 3\nstart: -\n", "t:10: a game without layouts has no start state" },
        { "seed: 3\n", "seed: 3\nabc\n",
          "t:10: one word of lower-case hex digits, two a byte, or - for none, belongs here" },
        { "seed: 3\n", "seed: 3\nab cd\n",
          "t:10: one word of lower-case hex digits, two a byte, or - for none, belongs here" },
        { "seed: 3\n", "seed: 3\nAB\n",
          "t:10: one word of lower-case hex digits, two a byte, or - for none, belongs here" },
        { "seed: 3\n", "seed: 3\nsee: a=1\n",
          "t:10: the state of this game is not described; nothing can be expected of it" },
    };
    ASSERT_EDITS(empty, edits);
}

Test(text_refused, a_scenario_has_nothing_that_was_recorded)
{
    static const edit edits[] = {
        { "end: second_wins steps=2\n", "end: crashed steps=2\n",
          "t:14: a scenario cannot have crashed; only a recording can" },
        { "end: second_wins steps=2\n", "end: second_wins steps=2\nresults: ok*2\n",
          "t:15: 'results:' is of a recording, and there is no 'build:' line" },
        { "end: second_wins steps=2\n", "trail: 32 1 0 00000000\n",
          "t:14: 'trail:' is of a recording, and there is no 'build:' line" },
    };
    ASSERT_EDITS(scenario_text, edits);
}

/* 16,384 commands of 16 KiB and a byte are a text of a few lines. */
Test(text_refused, a_block_of_commands_that_is_too_large_to_multiply_out)
{
    enum { DIGITS = 2 * (16384 + 1) };
    static const char head[] = "deja-replay: 1\n"
                               "game: raw\n"
                               "layout: state bytes\n"
                               "layout: command bytes\n"
                               "layout: event bytes\n"
                               "layout: config bytes\n"
                               "config: -\n"
                               "seed: 3\n";
    char *chars = malloc(sizeof head + DIGITS + 32);
    strcpy(chars, head);
    memset(chars + strlen(head), 'a', DIGITS);
    strcpy(chars + strlen(head) + DIGITS, "\n* 16383\n");
    assert_text_refused(chars, "t:10: the commands of one block of 16384 steps have more than "
                               "268435456 bytes");
    strcpy(chars + strlen(head) + DIGITS, "\n* 16382\n* 70000\n");
    assert_text_refused(chars, "t:11: the commands of one block of 16384 steps have more than "
                               "268435456 bytes");
    free(chars);
}

Test(text_refused, more_marks_than_a_store_takes)
{
    enum { MARKS = 1 << 20 };
    static const char mark[] = "mark: \"\"\n";
    const size_t head = (size_t)(strstr(scenario_text, "take row") - scenario_text);
    char *chars = malloc(head + MARKS * (sizeof mark - 1) + 1);
    memcpy(chars, scenario_text, head);
    char *at = chars + head;
    for (int i = 0; i < MARKS; i++, at += sizeof mark - 1)
        memcpy(at, mark, sizeof mark);
    assert_text_refused(chars, "t:1048586: more than 1048575 marks");
    free(chars);
}

Test(text_refused, names_of_texts_are_fit_for_a_message)
{
    desk d;
    deja_id id;
    bool known;
    deja_error err = { 0 };
    desk_open(&d);
    deja_code code = deja_import(d.store, "a\nb\x1b[31m\xff", "x", 1, NULL, &id, &known, &err);
    cr_assert_eq(code, DEJA_EFORMAT);
    cr_assert_str_eq(err.message,
                     "a?b?[31m?:1: not a replay text: these begin with 'deja-replay: 1'");
    code = deja_import(d.store, NULL, "x", 1, NULL, &id, &known, &err);
    cr_assert_eq(code, DEJA_EMISUSE);
    code = deja_import(d.store, "t", NULL, 1, NULL, &id, &known, NULL);
    cr_assert_eq(code, DEJA_EMISUSE);
    desk_close(&d);
}

Test(text_refused, without_a_store_a_text_is_only_looked_at)
{
    deja_error err = { 0 };
    deja_code code =
        deja_import(NULL, "t", sample_text, strlen(sample_text), NULL, NULL, NULL, &err);
    cr_assert_eq(code, DEJA_OK, "%s", err.message);
    text cut = text_with(sample_text, "chain: 59 41d2a4b87e359f0c\n", "");
    code = deja_import(NULL, "t", cut.chars, cut.size, NULL, NULL, NULL, &err);
    cr_assert_eq(code, DEJA_EFORMAT);
    cr_assert_eq(strncmp(err.message, "t:", 2), 0, "%s", err.message);
    text_free(&cut);
}
