/* SPDX-License-Identifier: MIT */
/*
 * One part of a value, by its path: read, and set.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "base/base.h"
#include "support/library.h"
#include "support/random_value.h"
#include "support/values.h"

TestSuite(value_set, .timeout = 30);

#define GAME                                                                                    \
    "players:{id:text[..15] banked:i32}[..8] board:u8[2][3] offer:{price:i32}? "                \
    "stock:map(text[..9] {cost:u8})[..4] effect:kind(poison{turns:u8}|stun) tags:set(u8)[..4] " \
    "world:section({seed:u64 tiles:blocks(u8)[3]}) name:text[..20] nick:text[..20]? "           \
    "x:u8[..2][..2]"
#define VALUE                                                                             \
    "players={id=ann banked=5},{id=\"b o\" banked=-7} board=1,2,3,4,5,6 offer={price=9} " \
    "stock={\"iron ore\"={cost=3} wood={cost=4}} effect={poison turns=2} tags=1,5,9 "     \
    "world={seed=7 tiles=0,1,0} name=n nick=- x=[1],[2,3]"

/* Appends what is at the path, or the message, to be compared. */
static deja_code at(const char *path, deja_buffer *out)
{
    deja_layout *layout = parse_layout(GAME);
    deja_buffer value = value_of(layout, VALUE);
    deja_error err = { 0 };
    deja_buffer_text(out, "");
    const deja_code code =
        deja_value_at(layout, value.bytes, value.size, path, strlen(path), out, &err);
    if (code < 0)
        deja_buffer_text(out, err.message);
    deja_buffer_release(&value);
    deja_layout_destroy(layout);
    return code;
}

static void assert_at(const char *path, const char *text)
{
    deja_buffer out = { 0 };
    const deja_code code = at(path, &out);
    assert_text((char *)out.bytes, text);
    cr_assert(eq(i32, code, DEJA_OK));
    deja_buffer_release(&out);
}

static void assert_nowhere(const char *path, const char *message)
{
    deja_buffer out = { 0 };
    const deja_code code = at(path, &out);
    assert_text((char *)out.bytes, message);
    cr_assert(eq(i32, code, DEJA_ENOTFOUND));
    deja_buffer_release(&out);
}

Test(value_set, a_path_leads_to_any_part)
{
    assert_at("players[1].banked", "-7");
    assert_at("players[1].id", "\"b o\"");
    assert_at("players[0]", "{id=ann banked=5}");
    assert_at("players", "{id=ann banked=5},{id=\"b o\" banked=-7}");
    assert_at("board[1][2]", "6");
    assert_at("offer", "{price=9}");
    assert_at("offer.price", "9");
    assert_at("stock[wood].cost", "4");
    assert_at("stock[\"iron ore\"]", "{cost=3}");
    assert_at("effect", "{poison turns=2}");
    assert_at("effect.turns", "2");
    assert_at("tags[2]", "9");
    assert_at("world.tiles[1]", "1");
    assert_at("nick", "-");
    assert_at("x[1][0]", "2");
    assert_at("x[1]", "2,3");
}

Test(value_set, a_container_has_a_count)
{
    assert_at("players.count", "2");
    assert_at("stock.count", "2");
    assert_at("board.count", "6");
    assert_at("x[1].count", "2");
}

Test(value_set, a_path_that_leads_nowhere_says_where_it_ends)
{
    assert_nowhere("player", "player: no such field; the nearest is players");
    assert_nowhere("", ": there is no such field");
    assert_nowhere("players[2]", "players[2]: there are not so many items");
    assert_nowhere("players[-1]", "players[: a number belongs into the brackets");
    assert_nowhere("players[01]", "players[01: a number belongs into the brackets");
    assert_nowhere("players[0", "players[0: a number belongs into the brackets");
    assert_nowhere("players[0]x", "players[0]: a dot or a bracket belongs behind it");
    assert_nowhere("players.id", "players.id: there are no fields in it");
    assert_nowhere("players[0].id.x", "players[0].id.x: there are no fields in it");
    assert_nowhere("players[0].", "players[0].: there is no such field");
    assert_nowhere("board[1]", "board[1]: a grid takes two numbers: [row][column]");
    assert_nowhere("board[0][3]", "board[0][3]: there are not so many columns");
    assert_nowhere("board[2][0]", "board[2][0]: there are not so many items");
    assert_nowhere("stock[iron]", "stock[iron]: there is no such key");
    assert_nowhere("stock[wood", "stock[wood: the closing bracket is missing");
    assert_nowhere("nick.x", "nick: it is absent");
    assert_nowhere("name[0]", "name: there are no items in it");
    assert_nowhere("players.count.x", "players.count: the path should end here");
    assert_nowhere("name=x", "name: the path should end here");
    assert_nowhere("effect.poison", "effect.poison: there is no such field");
}

/* The value with one setting, or the message. */
static deja_code set(const char *setting, deja_buffer *out)
{
    deja_layout *layout = parse_layout(GAME);
    deja_buffer value = value_of(layout, VALUE);
    deja_buffer changed = { 0 };
    deja_error err = { 0 };
    const deja_code code =
        deja_value_set(layout, value.bytes, value.size, setting, strlen(setting), &changed, &err);
    if (code < 0) {
        cr_assert(eq(u64, changed.size, 0));
        deja_buffer_text(out, err.message);
    } else {
        deja_buffer differences = differences_of(layout, span_of(&value), span_of(&changed));
        deja_buffer_text(out, (char *)differences.bytes);
        deja_buffer_release(&differences);
    }
    deja_buffer_release(&value);
    deja_buffer_release(&changed);
    deja_layout_destroy(layout);
    return code;
}

static void assert_set(const char *setting, const char *differences)
{
    deja_buffer out = { 0 };
    const deja_code code = set(setting, &out);
    assert_text((char *)out.bytes, differences);
    cr_assert(eq(i32, code, DEJA_OK));
    deja_buffer_release(&out);
}

static void assert_not_set(const char *setting, const char *message)
{
    deja_buffer out = { 0 };
    const deja_code code = set(setting, &out);
    assert_text((char *)out.bytes, message);
    cr_assert(code < 0);
    deja_buffer_release(&out);
}

Test(value_set, one_part_changes_and_nothing_else)
{
    assert_set("players[1].banked=50", "players[1].banked: -7 / 50");
    assert_set("board[0][1]=200", "board[0][1]: 2 / 200");
    assert_set("board=1,2,3,4,5,0", "board[1][2]: 6 / 0");
    assert_set("offer=-", "offer: {price=9} / -");
    assert_set("offer.price=-1", "offer.price: 9 / -1");
    assert_set("stock[wood].cost=0", "stock[wood].cost: 4 / 0");
    assert_set("stock[\"iron ore\"].cost=0", "stock[\"iron ore\"].cost: 3 / 0");
    assert_set("effect={stun}", "effect: {poison turns=2} / {stun}");
    assert_set("tags[1]=6", "tags: 1,5,9 / 1,6,9");
    assert_set("world.seed=18446744073709551615", "world.seed: 7 / 18446744073709551615");
    assert_set("players=-", "players: {id=ann banked=5},{id=\"b o\" banked=-7} / -");
}

Test(value_set, a_text_is_taken_as_it_is_unless_it_begins_with_a_quote)
{
    assert_set("name=a b, {c} = #", "name: n / \"a b, {c} = #\"");
    assert_set("name=-", "name: n / \"-\"");
    assert_set("name=", "name: n / \"\"");
    assert_set("name=\"a\\nb\"", "name: n / \"a\\nb\"");
    assert_set("name=\xc3\xa9", "name: n / \"\xc3\xa9\"");
    assert_set("nick=a b", "nick: - / \"a b\"");
    assert_set("nick=-", "");
    assert_set("nick=\"-\"", "nick: - / \"-\"");
    assert_set("players[0].id=x=y", "players[0].id: ann / \"x=y\"");
}

Test(value_set, what_is_wrong_is_said)
{
    assert_not_set("players[1].banked=x", "players[1].banked: 'x' is not a whole number");
    assert_not_set("players[1].bankd=1", "players[1].bankd: no such field; the nearest is banked");
    assert_not_set("players.count=1", "players.count: a count follows from the items, set these");
    assert_not_set("name", "name: '=' and a value are missing");
    assert_not_set("name=0123456789012345678901", "name: 22 bytes of text, the most is 20");
    assert_not_set("name=\xff", "name: text that is not UTF-8");
    assert_not_set("name=\"a\"b", "name: the value should end before: b");
    assert_not_set("tags[1]=9", "tags[2]: its key does not rise");
    assert_not_set("board[0][1]=1 2", "board[0][1]: the value should end before:  2");
    assert_not_set("nick.x=1", "nick: it is absent");
    assert_not_set("=1", ": there is no such field");
    assert_not_set("", ": there is no such field");
}

Test(value_set, an_invalid_value_is_refused)
{
    deja_layout *layout = parse_layout("a:bool");
    deja_buffer out = { 0 };
    cr_assert(eq(i32, deja_value_set(layout, "\2", 1, "a=true", 6, &out, NULL), DEJA_EFORMAT));
    cr_assert(eq(i32, deja_value_at(layout, "\2", 1, "a", 1, &out, NULL), DEJA_EFORMAT));
    cr_assert(eq(u64, out.size, 0));
    deja_layout_destroy(layout);
}

/* ---- properties of the paths of differences ---- */

typedef struct sides {
    deja_luck *luck;
    const deja_layout *layout;
    deja_span expected, actual;
    uint32_t checked;
} sides;

/* What is shown of a float ends in its bits. */
static uint64_t shown_size(const char *text)
{
    const char *bits = strstr(text, " (0x");
    return bits ? (uint64_t)(bits - text) : strlen(text);
}

static void check_side(const deja_layout *layout, deja_span value, const char *path,
                       const char *text)
{
    deja_buffer out = { 0 };
    deja_error err = { 0 };
    const deja_code code =
        deja_value_at(layout, value.bytes, value.size, path, strlen(path), &out, &err);
    cr_assert(eq(i32, code, DEJA_OK), "%s: %s", deja_layout_text(layout), err.message);
    cr_assert(out.size == shown_size(text) && memcmp(out.bytes, text, out.size) == 0,
              "%s: %s is %s, not %s", deja_layout_text(layout), path, (char *)out.bytes, text);
    deja_buffer_release(&out);
}

/* Sets what the expected value has at the path to what the actual one has there. */
static void check_setting(sides *s, const deja_difference *difference)
{
    deja_buffer setting = { 0 }, changed = { 0 };
    deja_error err = { 0 };
    if (strstr(difference->path, ".count"))
        return;
    deja__print(&setting, "%s=", difference->path);
    deja_buffer_add(&setting, difference->actual, shown_size(difference->actual));
    const deja_code code = deja_value_set(s->layout, s->expected.bytes, s->expected.size,
                                          (char *)setting.bytes, setting.size, &changed, &err);
    cr_assert(eq(i32, code, DEJA_OK), "%s: %s", (char *)setting.bytes, err.message);
    check_side(s->layout, span_of(&changed), difference->path, difference->actual);

    deja_buffer_clear(&changed);
    for (uint32_t i = 1 + deja_luck_below(s->luck, 3); i > 0; i--)
        setting.bytes[deja_luck_below(s->luck, (uint32_t)setting.size)] =
            (unsigned char)"[].=\"0-x\xff"[deja_luck_below(s->luck, 9)];
    if (deja_value_set(s->layout, s->expected.bytes, s->expected.size, (char *)setting.bytes,
                       setting.size, &changed, &err) == DEJA_OK)
        cr_assert(
            eq(i32, deja_value_validate(s->layout, changed.bytes, changed.size, &err), DEJA_OK));
    else
        cr_assert(eq(u64, changed.size, 0));
    deja_buffer_release(&setting);
    deja_buffer_release(&changed);
}

static bool check_difference(void *user, const deja_difference *difference)
{
    sides *s = user;
    cr_assert(strcmp(difference->expected, difference->actual) != 0, "%s: %s", difference->path,
              difference->expected);
    /* What is cut, a window, a key or an item that only one has, or the whole value. */
    if (strstr(difference->expected, "...") || strstr(difference->actual, "...") ||
        strstr(difference->expected, "differ)") || strstr(difference->path, "(kind)") ||
        strcmp(difference->expected, "-") == 0 || strcmp(difference->actual, "-") == 0)
        return true;
    check_side(s->layout, s->expected, difference->path, difference->expected);
    check_side(s->layout, s->actual, difference->path, difference->actual);
    check_setting(s, difference);
    s->checked++;
    return true;
}

Test(value_set, paths_of_differences_lead_to_them)
{
    deja_luck luck;
    uint32_t checked = 0;
    deja_luck_seed(&luck, 7, 0);
    for (uint32_t round = 0; round < 1500; round++) {
        deja_layout *layout = random_layout(&luck);
        deja_buffer a = { 0 };
        deja_buffer b = { 0 };
        random_value(&luck, layout, &a);
        random_value(&luck, layout, &b);
        sides s = { &luck, layout, span_of(&a), span_of(&b), 0 };
        const deja_code code =
            deja_value_compare(layout, s.expected, s.actual, check_difference, &s, NULL);
        cr_assert(eq(i32, code, DEJA_OK));
        checked += s.checked;
        deja_buffer_release(&a);
        deja_buffer_release(&b);
        deja_layout_destroy(layout);
    }
    cr_assert(checked > 3000, "%u", checked);
}
