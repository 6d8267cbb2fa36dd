/* SPDX-License-Identifier: MIT */
/*
 * Content while rules are checked: games start with all packs, stored sessions with those that they
 * name.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>

#include "check/checking.h"
#include "support/scratch.h"

TestSuite(check_content, .timeout = 60);

/* docs/mygame.c, which test_run.c brings along, with a start that notes the packs' names. */
extern const deja_rules_table deja_rules;

static checking c;
static char started[256]; /* "a,b;a;;": each start behind the one before */

static uint32_t noting_start(void *state, const void *config, uint64_t seed,
                             const deja_content *content)
{
    size_t used = strlen(started);
    for (uint64_t i = 0; i < content->count && used < sizeof started; i++, used = strlen(started))
        snprintf(started + used, sizeof started - used, "%s%s", i ? "," : "",
                 content->packs[i].name);
    if (used < sizeof started)
        snprintf(started + used, sizeof started - used, ";");
    return deja_rules.start(state, config, seed, content);
}

static void open_noting(void)
{
    static deja_rules_table noting;
    noting = deja_rules;
    noting.start = noting_start;
    checking_open_table(&c, &noting);
    c.options.bots = "random";
    started[0] = '\0';
}

static const deja_content_pack packs[] = { { "maps", "hills", 5 },
                                           { "balance", "5", 1 },
                                           { "balance", "6", 1 } };
static const deja_content maps_and_five = { 2, packs };
static const deja_content five = { 1, packs + 1 };
static const deja_content six = { 1, packs + 2 };

Test(check_content, games_start_with_all_packs_both_times)
{
    open_noting();
    c.options.games = 1;
    c.options.content = &maps_and_five;
    checking_pass(&c);
    cr_assert(deja_check_passed(&c.summary));
    cr_assert(eq(str, started, "balance,maps;balance,maps;"));
    checking_close(&c);
}

static deja_buffer ways;

static bool keep_way(void *user, deja_span way)
{
    (void)user;
    return deja_buffer_add(&ways, way.bytes, way.size);
}

Test(check_content, another_content_is_another_game_already_at_its_start)
{
    checking_open(&c, "rules/ledger-balance");
    c.options.played = keep_way;
    c.options.content = &five;
    checking_pass(&c);
    cr_assert(deja_check_passed(&c.summary));
    c.options.played = NULL;
    c.options.held = (deja_span){ ways.bytes, ways.size };
    checking_pass(&c);
    cr_assert(deja_check_passed(&c.summary));
    c.options.content = &six;
    checking_pass(&c);
    cr_assert(eq(u32, c.told[0].clause, DEJA_CLAUSE_SAME_AGAIN));
    cr_assert(eq(u64, c.told[0].step, 0));
    cr_assert(eq(str, c.told[0].path, "list[0]"));
    cr_assert(eq(str, c.told[0].expected, "5"));
    cr_assert(eq(str, c.told[0].actual, "6"));
    checking_close(&c);
    deja_buffer_release(&ways);
}

static void record(deja_store *store, uint64_t seed, const deja_content *content)
{
    deja_bots_options options = DEJA_BOTS_OPTIONS_INIT;
    options.seed = seed;
    options.max_steps = 5;
    options.content = content;
    const deja_code code = deja_record_bots(store, c.plugin, &options, &c.err);
    cr_assert(eq(i32, code, DEJA_OK), "%s", c.err.message);
}

Test(check_content, a_stored_session_gets_what_it_names_or_is_left_out_and_it_is_said_why)
{
    char folder[64], path[96], why[DEJA_ERROR_MESSAGE_SIZE];
    deja_buffer names[2] = { { 0 }, { 0 } };
    scratch_open(folder);
    snprintf(path, sizeof path, "%s/plays.deja", folder);
    open_noting();
    cr_assert(eq(i32, deja_store_open(&c.options.store, path, DEJA_STORE_WRITE, &c.err), DEJA_OK));
    record(c.options.store, 1, &five);
    record(c.options.store, 2, &six);
    record(c.options.store, 3, &maps_and_five);
    record(c.options.store, 4, NULL);

    started[0] = '\0';
    c.options.games = 0;
    c.options.content = &maps_and_five;
    checking_pass(&c);
    cr_assert(deja_check_passed(&c.summary));
    cr_assert(eq(str, started, "balance;balance;balance,maps;balance,maps;;;"));
    cr_assert(eq(u64, c.summary.sessions, 3));
    cr_assert(eq(u64, c.summary.left_out, 1));
    deja_content_text(&five, &names[0], NULL);
    deja_content_text(&six, &names[1], NULL);
    snprintf(why, sizeof why, "it needs content %s, and %s was given", (char *)names[1].bytes,
             (char *)names[0].bytes);
    cr_assert(eq(str, c.summary.left_out_why, why));

    c.options.content = NULL;
    checking_pass(&c);
    cr_assert(eq(u64, c.summary.sessions, 1));
    cr_assert(eq(u64, c.summary.left_out, 3));
    snprintf(why, sizeof why, "it needs content %s, and none of that name was given",
             (char *)names[0].bytes);
    cr_assert(eq(str, c.summary.left_out_why, why), "of the first");
    deja_buffer_release(&names[0]);
    deja_buffer_release(&names[1]);
    deja_store_close(c.options.store, NULL);
    checking_close(&c);
    scratch_close(folder);
}

Test(check_content, packs_that_are_none_start_no_run)
{
    static const deja_content_pack nameless = { "no name", "", 0 };
    const deja_content content = { 1, &nameless };
    open_noting();
    c.options.content = &content;
    cr_assert(eq(i32, checking_run(&c), DEJA_EMISUSE));
    cr_assert(eq(u64, c.summary.games, 0));
    cr_assert(eq(str, started, ""));
    checking_close(&c);
}
