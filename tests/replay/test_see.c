/* SPDX-License-Identifier: MIT */
/*
 * Expectations that people wrote, and texts that were never recorded.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/replaying.h"
#include "support/scratch.h"

TestSuite(see, .timeout = 300);

/* Imports a text, with a library's own words for what it leaves out. */
static void import(const char *library, const char *text)
{
    deja_rules_info info;
    deja_store *to;
    deja_error err = { 0 };
    cr_assert_eq(deja_inspect(&info, library, WORKER, &err), DEJA_OK, "%s", err.message);
    const deja_text_rules rules = {
        .game = info.game,
        .version = info.version,
        .layouts = { info.layouts[0], info.layouts[1], info.layouts[2], info.layouts[3] },
        .refusals = info.refusals,
        .outcomes = info.outcomes,
        .config_default = { info.config_default, info.config_default_size },
    };
    cr_assert_eq(deja_store_open(&to, store, DEJA_STORE_WRITE, &err), DEJA_OK, "%s", err.message);
    cr_assert_eq(deja_import(to, "test", text, strlen(text), &rules, NULL, NULL, &err), DEJA_OK,
                 "%s", err.message);
    cr_assert_eq(deja_store_close(to, &err), DEJA_OK, "%s", err.message);
    deja_rules_info_release(&info);
}

Test(see, a_scenario_verifies_by_what_it_expects)
{
    open_folder();
    import(RULES("ledger"),
           "deja-replay: 1\ngame: ledger 1.4.0\nseed: 7\n"
           "see: gold=0 over=0\n"
           "add n=5\nsee: gold=5\nmove i=2 d=-3\n* 4\nsee: pos[2]=-15 pos=0,0,-15,0\n"
           "end\nsee: over=1\nend: gain steps=7\n");
    verified v = verify_store(store, RULES("ledger"), NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_MATCH, "%s: %s", kind_of(t), t->why);
    cr_assert_eq(t->steps, 7);
    cr_assert_gt(t->compared, 0);
    verified_release(&v);
    v = verify_store(store, RULES("ledger-outcome"), NULL);
    t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_DIVERGED, "%s", kind_of(t));
    cr_assert_eq(t->step, 7);
    cr_assert_str_eq(t->expected, "gain");
    cr_assert_str_eq(t->actual, "even");
    verified_release(&v);
    close_folder();
}

Test(see, an_expectation_that_does_not_hold_is_told_with_both_values)
{
    open_folder();
    import(RULES("ledger"), "deja-replay: 1\ngame: ledger 1.4.0\nseed: 7\n"
                            "add n=5\nadd n=6\nsee: over=0 gold=12\nadd n=1\nsee: gold=99\n");
    verified v = verify_store(store, RULES("ledger"), NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_DIVERGED, "%s", kind_of(t));
    cr_assert_eq(t->step, 2);
    cr_assert_str_eq(t->command, "add n=6");
    cr_assert_str_eq(t->expected, "12");
    cr_assert_str_eq(t->actual, "11");
    cr_assert_str_eq(t->fields, "gold: 12 / 11");
    cr_assert_str_eq(t->why, "an expectation does not hold: gold=12");
    verified_release(&v);
    close_folder();
}

Test(see, an_expectation_at_step_0_and_behind_every_step_is_checked)
{
    char text[4096] = "deja-replay: 1\ngame: ledger 1.4.0\nseed: 7\nsee: steps=0\n";
    open_folder();
    for (int i = 1; i <= 60; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "roll\nsee: steps=%d\n", i);
    import(RULES("ledger"), text);
    verified v = verify_store(store, RULES("ledger"), NULL);
    cr_assert_eq(need(&v, 1)->kind, DEJA_MATCH, "%s", v.items[0].why);
    cr_assert_eq(v.items[0].compared, 61);
    verified_release(&v);
    close_folder();
}

Test(see, a_scenario_was_recorded_by_no_build_so_none_is_another)
{
    open_folder();
    import(RULES("ledger"), "deja-replay: 1\ngame: ledger 1.4.0\nseed: 7\n"
                            "add n=5\nsee: gold=5\nend: running steps=1\n");
    deja_verify_options options = test_options();
    options.same_build = 1;
    verified v = verify_store(store, RULES("ledger-305"), &options);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_MATCH, "%s: %s", kind_of(t), t->why);
    verified_release(&v);
    close_folder();
}

Test(see, a_scenario_that_crashes_is_crashed)
{
    open_folder();
    import(RULES("ledger"), "deja-replay: 1\ngame: ledger 1.4.0\nseed: 7\nroll\n* 39\n");
    verified v = verify_store(store, RULES("ledger-crash"), NULL);
    cr_assert_eq(need(&v, 1)->kind, DEJA_CRASHED, "%s", kind_of(v.items));
    cr_assert_eq(v.items[0].step, 33);
    verified_release(&v);
    close_folder();
}

Test(see, expectations_of_a_recorded_session_are_checked_as_well)
{
    open_folder();
    const script good = { .library = RULES("ledger"),
                          .commands = "add n=5\nroll\n* 9",
                          .mark = "see: gold=5",
                          .mark_step = 1 };
    record_script(store, &good);
    const script bad = { .library = RULES("ledger"),
                         .commands = "add n=5\nroll\n* 10",
                         .mark = "see: gold=6",
                         .mark_step = 1 };
    record_script(store, &bad);
    for (uint32_t isolate = DEJA_ISOLATE_RESTORE; isolate <= DEJA_ISOLATE_EXEC; isolate++) {
        deja_verify_options options = test_options();
        options.isolate = isolate;
        verified v = verify_store(store, RULES("ledger"), &options);
        const told *all = need(&v, 2);
        cr_assert_eq(all[0].kind, DEJA_MATCH, "%s", all[0].why);
        cr_assert_eq(all[1].kind, DEJA_DIVERGED);
        cr_assert_eq(all[1].step, 1);
        cr_assert_str_eq(all[1].fields, "gold: 6 / 5");
        verified_release(&v);
    }
    /* They speak of the recorded layout. */
    verified v = verify_store(store, RULES("ledger-wider"), NULL);
    const told *all = need(&v, 2);
    cr_assert_eq(all[0].kind, DEJA_MATCH, "%s", all[0].why);
    cr_assert_eq(all[1].kind, DEJA_DIVERGED);
    verified_release(&v);
    close_folder();
}
