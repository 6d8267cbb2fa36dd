/* SPDX-License-Identifier: MIT */
/*
 * What a run takes and tells.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>

#include "check/checking.h"
#include "support/scratch.h"

/* A whole game with a constant of its own, as an author's test has it. */
#include "../../docs/mygame.c"

TestSuite(check_run, .timeout = 60);

static checking c, d;

Test(check_run, rules_that_are_linked_into_the_program_are_checked)
{
    checking_open_table(&c, &deja_rules);
    checking_pass(&c);
    cr_assert(deja_check_passed(&c.summary));
    cr_assert(gt(u64, c.summary.clauses[DEJA_CLAUSE_LEGAL_ACCEPTED].checks, 0));
    cr_assert(strcmp(c.summary.clauses[DEJA_CLAUSE_CHECK_IS_APPLY].not_checked,
                     "the rules have no check") == 0);
    checking_close(&c);
}

Test(check_run, the_same_options_tell_the_same)
{
    static const char *const names[] = { "rules/ledger-hidden", "rules/ledger-static",
                                         "rules/ledger-half-done" };
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        checking_open(&c, names[i]);
        c.options.games = 3;
        checking_pass(&c);
        d = c;
        checking_pass(&c); /* with what the first run left behind */
        cr_assert(eq(u32, c.count, d.count));
        cr_assert(memcmp(c.told, d.told, sizeof c.told) == 0, "%s", names[i]);
        cr_assert(memcmp(&c.summary, &d.summary, sizeof c.summary) == 0, "%s", names[i]);
        checking_close(&c);
        checking_open(&c, names[i]); /* and anew */
        c.options.games = 3;
        checking_pass(&c);
        cr_assert(memcmp(c.told, d.told, sizeof c.told) == 0, "%s", names[i]);
        checking_close(&c);
    }
}

Test(check_run, equal_findings_are_told_once_and_counted)
{
    checking_open(&c, "rules/ledger-check-lax");
    checking_pass(&c);
    cr_assert(eq(u32, c.count, 1));
    cr_assert(gt(u64, c.told[0].count, 100));
    cr_assert(eq(u64, c.told[0].count, c.summary.clauses[c.told[0].clause].breaches));
    cr_assert(eq(u64, c.summary.findings, 1));
    checking_close(&c);
}

Test(check_run, what_cannot_be_checked_is_not_passed)
{
    static const uint32_t clauses[] = { DEJA_CLAUSE_CHECK_IS_APPLY, DEJA_CLAUSE_LEGAL_ACCEPTED,
                                        DEJA_CLAUSE_LEGAL_ORDER, DEJA_CLAUSE_OVER_REFUSES,
                                        DEJA_CLAUSE_ALL_OR_NOTHING };
    checking_open(&c, "rules/mute");
    checking_pass(&c);
    for (uint32_t i = 0; i < sizeof clauses / sizeof *clauses; i++) {
        cr_assert(eq(u64, c.summary.clauses[clauses[i]].checks, 0));
        cr_assert(c.summary.clauses[clauses[i]].not_checked != NULL);
    }
    cr_assert(deja_check_passed(&c.summary));
    c.options.bots = "idler"; /* who has no command: so nothing is played */
    checking_pass(&c);
    cr_assert(eq(u64, c.summary.steps, 0));
    cr_assert(not(deja_check_passed(&c.summary)));
    c.options.bots = NULL;
    c.options.games = 0;
    checking_pass(&c);
    cr_assert(eq(u64, c.summary.games, 0));
    cr_assert(not(deja_check_passed(&c.summary)));
    checking_close(&c);
}

Test(check_run, a_description_that_writes_leaves_nothing_to_compare)
{
    checking_open(&c, "rules/ledger-marks");
    checking_pass(&c);
    cr_assert(strcmp(c.summary.clauses[DEJA_CLAUSE_SAME_AGAIN].not_checked,
                     "a description that writes spoils it") == 0);
    checking_close(&c);
}

Test(check_run, who_is_told_can_end_it)
{
    checking_open(&c, "rules/ledger-static");
    c.most = 1;
    checking_pass(&c);
    cr_assert(eq(u32, c.count, 1));
    cr_assert(eq(u64, c.summary.games, 1));
    c.most = 0;
    c.last = 5;
    checking_pass(&c);
    cr_assert(eq(u64, c.places, 5));
    checking_close(&c);
}

Test(check_run, calls_are_announced_before_they_are_made)
{
    static const struct {
        uint64_t last;
        const char *doing;
    } expected[] = { { 1, "start" }, { 2, "pick" }, { 3, "apply" } };
    checking_open(&c, "games/peg");
    for (uint32_t i = 0; i < 3; i++) {
        c.last = expected[i].last;
        checking_pass(&c);
        cr_assert(strcmp(c.doing, expected[i].doing) == 0, "%s", c.doing);
    }
    checking_close(&c);
}

Test(check_run, no_more_is_tried_than_the_options_say)
{
    checking_open(&c, "games/dixmille");
    c.options.games = 2;
    c.options.tries = 500;
    c.options.bots = "random,made";
    c.options.max_steps = 40;
    checking_pass(&c);
    cr_assert(eq(u64, c.summary.games, 4));
    cr_assert(le(u64, c.summary.tried, 4 * 500));
    cr_assert(le(u64, c.summary.steps, 4 * 40));
    cr_assert(gt(u64, c.summary.saves, 0));
    cr_assert(deja_check_passed(&c.summary));
    checking_close(&c);
}

Test(check_run, seeds_wrap_and_are_told_with_each_finding)
{
    checking_open(&c, "rules/ledger-check-spends");
    c.options.seed = UINT64_MAX;
    c.options.games = 2;
    checking_pass(&c);
    cr_assert(eq(u64, c.told[0].seed, UINT64_MAX));
    checking_close(&c);
}

Test(check_run, mistakes_are_told)
{
    const deja_span config = { "xyz", 3 };
    checking_open(&c, "games/matchgame");
    c.options.bots = "random,nobody";
    cr_assert(eq(i32, checking_run(&c), DEJA_ENOTFOUND));
    cr_assert(strcmp(c.err.message, "there is no bot 'nobody'") == 0, "%s", c.err.message);
    cr_assert(eq(u64, c.summary.games, 0));
    c.options.bots = NULL;
    c.options.config = config;
    cr_assert(eq(i32, checking_run(&c), DEJA_EFORMAT));
    c.options.struct_size = 0;
    cr_assert(eq(i32, checking_run(&c), DEJA_EMISUSE));
    cr_assert(eq(i32, deja_check_rules(NULL, &c.options, &c.summary, &c.err), DEJA_EMISUSE));
    cr_assert(eq(i32, deja_check_rules(c.plugin, NULL, NULL, NULL), DEJA_EMISUSE));
    cr_assert(deja_clause_name(DEJA_CLAUSE_COUNT) == NULL);
    cr_assert(deja_clause_text(DEJA_CLAUSE_COUNT) == NULL);
    checking_close(&c);
}

/* ---- held against another process ---- */

static deja_buffer ways;

static bool keep_way(void *user, deja_span way)
{
    (void)user;
    return deja_buffer_add(&ways, way.bytes, way.size);
}

static void keep_ways_of(const char *name)
{
    deja_buffer_clear(&ways);
    checking_open(&c, name);
    c.options.played = keep_way;
    checking_pass(&c);
    checking_close(&c);
    cr_assert(gt(u64, ways.size, 0));
}

static void hold(const char *name, uint64_t size)
{
    checking_open(&c, name);
    c.options.held = (deja_span){ ways.bytes, size };
    checking_pass(&c);
    checking_close(&c);
}

Test(check_run, what_is_played_elsewhere_is_held_against_what_is_played_here)
{
    keep_ways_of("rules/ledger");
    hold("rules/ledger", ways.size);
    cr_assert(deja_check_passed(&c.summary));
    cr_assert(gt(u64, c.summary.clauses[DEJA_CLAUSE_SAME_AGAIN].checks, c.summary.steps));
    cr_assert(eq(u64, c.summary.tried, 0));

    hold("rules/ledger-events", ways.size);
    cr_assert(eq(u32, c.count, 1));
    cr_assert(eq(u32, c.told[0].clause, DEJA_CLAUSE_SAME_AGAIN));
    cr_assert(eq(u64, c.told[0].step, 33));
    cr_assert(strcmp(c.told[0].path, "events[1]") == 0, "%s", c.told[0].path);
    cr_assert(strcmp(c.told[0].actual, "rested") == 0, "%s", c.told[0].actual);

    hold("rules/ledger-hidden", ways.size);
    cr_assert(eq(u32, c.count, 1));
    cr_assert(eq(u64, c.told[0].step, 7));
    cr_assert(strcmp(c.told[0].path, "gold") == 0, "%s", c.told[0].path);
    deja_buffer_release(&ways);
}

Test(check_run, bytes_from_elsewhere_may_be_anything)
{
    deja_luck luck;
    keep_ways_of("rules/ledger");
    deja_luck_seed(&luck, 20261130, 1);
    checking_open(&c, "rules/ledger");
    c.options.games = 1;
    for (uint32_t i = 0; i < 200; i++) {
        uint64_t size = ways.size;
        if (i < 100)
            size = 1 + 5 * i;
        else
            ways.bytes[deja_luck_below(&luck, 4000)] = (unsigned char)deja_luck_next(&luck);
        c.options.held = (deja_span){ ways.bytes, size };
        const deja_code code = checking_run(&c);
        cr_assert(code == DEJA_OK || code == DEJA_EFORMAT, "%d: %s", code, c.err.message);
    }
    checking_close(&c);
    deja_buffer_release(&ways);
}

Test(check_run, sessions_of_a_store_are_walked_along)
{
    char folder[64], store[96], library[512];
    scratch_open(folder);
    snprintf(store, sizeof store, "%s/plays.deja", folder);
    snprintf(library, sizeof library, "%s/rules/ledger.so", DEJA_BUILD_DIR);
    scratch_record(store, library, "clumsy", 3, 7, 50, 32);
    snprintf(library, sizeof library, "%s/games/peg.so", DEJA_BUILD_DIR);
    scratch_record(store, library, "random", 2, 7, 50, 32);

    checking_open(&c, "rules/ledger-hidden");
    cr_assert(eq(i32, deja_store_open(&c.options.store, store, DEJA_STORE_READ, &c.err), DEJA_OK));
    c.options.games = 0;
    checking_pass(&c);
    cr_assert(eq(u64, c.summary.games, 3));
    cr_assert(eq(u64, c.summary.sessions, 3));
    cr_assert(eq(u64, c.summary.left_out, 0));
    cr_assert(eq(u64, c.summary.steps, 150));
    cr_assert(eq(u32, c.count, 2)); /* the step by itself, and the first state that misses it */
    cr_assert(strcmp(c.told[0].player, "session") == 0);
    cr_assert(eq(sz, strlen(c.told[0].session), 32));
    cr_assert(strcmp(c.told[0].path, "gold") == 0);
    cr_assert(eq(u64, c.told[0].saved, c.told[0].step - 1));
    cr_assert(eq(u64, c.told[1].step, c.told[0].step));
    cr_assert(eq(u64, c.told[1].saved, 1));
    deja_store_close(c.options.store, NULL);
    checking_close(&c);
    scratch_close(folder);
}
