/* SPDX-License-Identifier: MIT */
/*
 * Expectations: paths into the state, and values as they are printed.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "text/texts.h"

TestSuite(see, .init = refusals_open, .fini = refusals_close, .timeout = 60);

static const char *const text_before = "deja-replay: 1\n"
                                       "game: sees 1\n"
                                       "layout: state ";
static const char *const text_behind = "\n"
                                       "layout: command -\n"
                                       "layout: event -\n"
                                       "layout: config -\n"
                                       "config: -\n"
                                       "seed: 0\n"
                                       "see: ";

static const char *const state_layout =
    "at:u32 hp:i8 name:text[..15] rows:u8[..4] board:u8[2][3] "
    "units:{x:i16 tag:enum(red|blue)}[..3] prices:map(text[..7] {cost:u8})[..9] offer:i32? "
    "keys:set(u8)[..3] mood:flags(a|b) part:section({deep:u8}) "
    "effect:kind(none|burn{turns:u8}|name{turns:text[..3]})";

/* The text of a scenario with one expectation. */
static void print_text(char *chars, size_t size, const char *see)
{
    snprintf(chars, size, "%s%s%s%s\n", text_before, state_layout, text_behind, see);
}

static void assert_seen(const char *see, const char *printed)
{
    char chars[1024], expected[1024];
    print_text(chars, sizeof chars, see);
    print_text(expected, sizeof expected, printed);
    assert_becomes(chars, expected);
}

static void assert_not_seen(const char *see, const char *message)
{
    char chars[1024];
    print_text(chars, sizeof chars, see);
    assert_text_refused(chars, message);
}

Test(see, fields_are_found_at_every_depth)
{
    assert_seen("at=1", "at=1");
    assert_seen("hp=-128   name=\"Bob\"", "hp=-128 name=Bob");
    assert_seen("name=\"two words = one\"", "name=\"two words = one\"");
    assert_seen("rows=1,2,3 rows[3]=4 rows.count=2", "rows=1,2,3 rows[3]=4 rows.count=2");
    assert_seen("board[1][2]=5", "board[1][2]=5");
    assert_seen("units[2].tag=blue units[0]={tag=red  x=-1}",
                "units[2].tag=blue units[0]={x=-1 tag=red}");
    assert_seen("prices[wood].cost=3 prices[\"a ]b\"]={cost=3}",
                "prices[wood].cost=3 prices[\"a ]b\"]={cost=3}");
    assert_seen("offer=- offer=5 mood=- mood=b+a", "offer=- offer=5 mood=- mood=a+b");
    assert_seen("part.deep=1 keys=1,2", "part.deep=1 keys=1,2");
}

Test(see, a_field_of_a_kind_is_of_the_alternative_that_takes_the_value)
{
    assert_seen("effect={burn turns=3}", "effect={burn turns=3}");
    assert_seen("effect.turns=3", "effect.turns=3");
    assert_seen("effect.turns=abc", "effect.turns=abc");
}

Test(see, what_cannot_be_expected_is_refused_with_its_path)
{
    assert_not_seen("", "t:9: '' is no expectation; field=value is one");
    assert_not_seen("at", "t:9: 'at' is no expectation; field=value is one");
    assert_not_seen("=1", "t:9: : there is no such field");
    assert_not_seen("at=256.5", "t:9: at: '256.5' is not a whole number");
    assert_not_seen("row=1", "t:9: row: no such field; the nearest is rows");
    assert_not_seen("nothing=1", "t:9: nothing: there is no such field");
    assert_not_seen("at.x=1", "t:9: at.x: there are no fields in it");
    assert_not_seen("at[0]=1", "t:9: at[: there are no items in it");
    assert_not_seen("rows[4]=1", "t:9: rows[4]: there are never so many items");
    assert_not_seen("rows[x]=1", "t:9: rows[: a number belongs into the brackets");
    assert_not_seen("rows[01]=1", "t:9: rows[01: a number belongs into the brackets");
    assert_not_seen("rows[0=1", "t:9: 'rows[0=1' is no expectation; field=value is one");
    assert_not_seen("rows[0]x=1", "t:9: rows[0]: a dot or a bracket belongs behind it");
    assert_not_seen("rows.count.x=1", "t:9: rows.count: the path should end here");
    assert_not_seen("rows.count=-1",
                    "t:9: rows.count: '-1' is out of range: u32 goes from 0 to 4294967295");
    assert_not_seen("board[1]=1", "t:9: board[1]: a grid takes two numbers: [row][column]");
    assert_not_seen("board[2][0]=1", "t:9: board[2]: there are never so many items");
    assert_not_seen("board[1][3]=1", "t:9: board[1][3]: there are never so many items");
    assert_not_seen("prices[toolongakey].cost=1",
                    "t:9: prices[toolongakey: a key and a bracket belong here");
    assert_not_seen("effect.turns=abcd", "t:9: effect.turns: 4 bytes of text, the most is 3");
    assert_not_seen("effect.turn=1", "t:9: effect.turn: no such field; the nearest is turns");
    assert_not_seen("at=1 hp=300 rows=1",
                    "t:9: hp: '300' is out of range: i8 goes from -128 to 127");
}

/* Only what is no expectation stays a mark, so that each text has one meaning. */
Test(see, a_mark_that_looks_like_an_expectation_and_is_none_stays_a_mark)
{
    text t = text_with(sample_text, "mark: \"tower vanishes here\"\n",
                       "mark: \"see: the tower vanishes\"\n");
    assert_becomes(t.chars, t.chars);
    text_free(&t);
}
