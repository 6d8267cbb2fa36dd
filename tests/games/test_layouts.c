/* SPDX-License-Identifier: MIT */
/*
 * The layouts of the games that ship. A change here changes what recordings say of themselves.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "fields/codec.h"
#include "support/library.h"

TestSuite(layouts, .timeout = 60);

static void assert_layout(const deja_type *type, const char *expected)
{
    deja_layout *layout = NULL;
    deja_error err = { 0 };
    const deja_code code = deja__describe(&layout, type, &err);
    cr_assert(code == DEJA_OK, "%s", err.message);
    assert_text(deja_layout_text(layout), expected);
    deja_layout_destroy(layout);
}

Test(layouts, of_matchgame)
{
    library lib = library_open("games/matchgame");
    assert_layout(&lib.rules->state, "rows:u8[..16] side:u8");
    assert_layout(&lib.rules->command, "kind(take{row:u8 n:u8})");
    assert_layout(&lib.rules->event, "kind(took{row:u8 n:u8})");
    assert_layout(&lib.rules->config, "rows:u8[..16]");
    library_close(&lib);
}

Test(layouts, of_garden)
{
    library lib = library_open("games/garden");
    assert_layout(&lib.rules->state,
                  "plots:bool[..64] at:u32 seeds:u32 grow_percent:u8 turn:u64 luck:rng "
                  "seasons:{rain:{period:u32 counted:u32} can:{wait:u32 left:u32}}?");
    assert_layout(&lib.rules->command, "kind(left|right|plant|water)");
    assert_layout(&lib.rules->event,
                  "kind(moved{plot:u32}|grew{plot:u32}|wilted{plot:u32}|watered|rained)");
    assert_layout(&lib.rules->config,
                  "plots:u32 seeds:u32 grow_percent:u8 seasons:{rain:u32 can:u32}?");
    library_close(&lib);
}

Test(layouts, of_bee)
{
#define ACTIONS "flags(up|down|left|right)"
    library lib = library_open("games/bee");
    assert_layout(&lib.rules->state, "at:u32 plots:u32 wings:{period:u32 counted:u32}");
    assert_layout(&lib.rules->command,
                  "players:{pressed:" ACTIONS " held:" ACTIONS " released:" ACTIONS "}[2]");
    assert_layout(&lib.rules->event, "kind(landed{plot:u32})");
    assert_layout(&lib.rules->config, "plots:u32");
    library_close(&lib);
}

Test(layouts, of_peg)
{
    library lib = library_open("games/peg");
    assert_layout(&lib.rules->state, "rows:u8 pegs:bool[..528]");
    assert_layout(&lib.rules->command, "kind(remove{hole:u16}|jump{from:u16 to:u16})");
    assert_layout(&lib.rules->event, "kind(removed{hole:u16}|jumped{from:u16 over:u16 to:u16})");
    assert_layout(&lib.rules->config, "rows:u8");
    library_close(&lib);
}

Test(layouts, of_dixmille)
{
    library lib = library_open("games/dixmille");
    assert_layout(&lib.rules->state,
                  "banked:i64[..8] running:i64 dice:u8 side:u8 phase:enum(keep|pick|bank|over) "
                  "turn:u64 roll:u8[..5] loaded:{thrown:u16 faces:text[..4096]} luck:rng");
    assert_layout(&lib.rules->command, "kind(keep|fresh|pick{n:u8}|bank|roll)");
    assert_layout(&lib.rules->event,
                  "kind(rolled{side:u8 dice:u8[..5]}|busted{side:u8 lost:i64}|"
                  "picked{side:u8 n:u8 dice:u8[..5] points:i64 running:i64}|"
                  "banked{side:u8 points:i64 total:i64}|kept{side:u8 running:i64 dice:u8}|"
                  "won{side:u8})");
    assert_layout(&lib.rules->config, "players:u8 loaded:text[..4096]");
    library_close(&lib);
}
