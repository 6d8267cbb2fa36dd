/* SPDX-License-Identifier: MIT */
/*
 * Names of refusals and outcomes held against those of another build, and fits that are shared.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "replay/fit.h"
#include "replay/replaying.h"
#include "support/scratch.h"

TestSuite(fit_names, .timeout = 300);

/* The outcomes' remark of a store's sessions, all of which must match. */
static void hold_outcomes(const char *base, const char *library, const char *remark)
{
    open_folder();
    scratch_record(store, base, "random", 4, 1, 0, 32);
    verified v = verify_store(store, library, NULL);
    need(&v, 4);
    for (uint64_t i = 0; i < v.count; i++) {
        const told *t = &v.items[i];
        cr_assert_eq(t->kind, DEJA_MATCH, "%s: %s", library, t->why);
        const char *found = strstr(t->remarks, "outcomes: ");
        if (remark)
            cr_assert(found && strncmp(found, remark, strlen(remark)) == 0, "%s", t->remarks);
        else
            cr_assert_null(found, "%s", t->remarks);
    }
    verified_release(&v);
    close_folder();
}

Test(fit_names, an_outcome_that_was_added_is_named_and_the_recording_matches)
{
    hold_outcomes(GAMES("peg"), RULES("peg-added"), "outcomes: added: given_up");
    hold_outcomes(GAMES("dixmille"), RULES("dixmille-added"), "outcomes: added: drawn");
    hold_outcomes(GAMES("matchgame"), RULES("matchgame-added"), NULL);
}

Test(fit_names, outcomes_are_named_where_they_are_gone_and_where_both_builds_have_any)
{
    char state[] = "x:u8", command[] = "kind(go)", none[] = "-", version[] = "1", game[] = "g";
    char present[] = "won drawn", refusals[] = "";
    deja_rules_info info = { .game = game,
                             .version = version,
                             .refusals = refusals,
                             .outcomes = present,
                             .functions = DEJA_HAS_OUTCOME,
                             .layouts = { state, command, none, none } };
    const deja_session session = { .game = "g",
                                   .command_layout = "kind(go)",
                                   .config_layout = "-" };
    deja_recording recording = { .version = "1",
                                 .state_layout = "x:u8",
                                 .event_layout = "-",
                                 .refusals = "",
                                 .outcomes = "lost drawn" };
    deja__fit *fit;
    cr_assert_eq(deja__fit_create(&fit, &session, &recording, &info, false, NULL), DEJA_OK);
    cr_assert_eq(fit->remark_count, 2);
    cr_assert_str_eq(fit->remarks[0], "outcomes: added: won");
    cr_assert_str_eq(fit->remarks[1], "outcomes: gone: lost");
    deja__fit_drop(fit);
    recording.outcomes = ""; /* it told of none: what is added cannot be known */
    cr_assert_eq(deja__fit_create(&fit, &session, &recording, &info, false, NULL), DEJA_OK);
    cr_assert_eq(fit->remark_count, 0);
    deja__fit_drop(fit);
    recording.outcomes = "lost drawn";
    info.functions = 0;
    cr_assert_eq(deja__fit_create(&fit, &session, &recording, &info, false, NULL), DEJA_OK);
    cr_assert_eq(fit->remark_count, 0);
    deja__fit_drop(fit);
}

/* ---- lists of names ---- */

Test(fit_names, names_are_taken_apart_and_found)
{
    deja__namelist names;
    cr_assert(deja__namelist_split(&names, "over no_such_row too_far"));
    cr_assert_eq(names.count, 3);
    cr_assert_eq(deja__namelist_find(&names, "over"), 0);
    cr_assert_eq(deja__namelist_find(&names, "too_far"), 2);
    cr_assert_eq(deja__namelist_find(&names, "no_such"), -1);
    cr_assert_str_eq(deja__namelist_result(&names, 0), "ok");
    cr_assert_str_eq(deja__namelist_result(&names, 2), "no_such_row");
    cr_assert_str_eq(deja__namelist_result(&names, 4), "?");
    deja__namelist_release(&names);
    cr_assert(deja__namelist_split(&names, ""));
    cr_assert_eq(names.count, 0);
    cr_assert_eq(deja__namelist_find(&names, ""), -1);
    deja__namelist_release(&names);
}

Test(fit_names, one_fit_serves_all_sessions_of_a_build_and_old_ones_are_dropped)
{
    char no_text[] = "", game[] = "g", version[] = "1", refusals[] = "a b";
    char state[] = "x:u8", command[] = "kind(go)", event[] = "-", config[] = "-";
    deja_rules_info info = { .game = game,
                             .version = version,
                             .refusals = refusals,
                             .outcomes = no_text,
                             .layouts = { state, command, event, config } };
    deja__fits fits = { .info = &info };
    deja_session session = { .game = "g", .command_layout = "kind(go)", .config_layout = "-" };
    deja_recording recording = { .version = "1",
                                 .state_layout = "x:u8",
                                 .event_layout = "-",
                                 .refusals = "b a c",
                                 .outcomes = "" };
    deja__fit *first, *again;
    cr_assert_eq(deja__fits_find(&fits, &first, &session, &recording, NULL), DEJA_OK);
    cr_assert_eq(deja__fits_find(&fits, &again, &session, &recording, NULL), DEJA_OK);
    cr_assert_eq(first, again);
    cr_assert_null(first->unfit);
    cr_assert_eq(first->results[1], 2); /* a */
    cr_assert_eq(first->results[2], 1); /* b */
    cr_assert_eq(first->remark_count, 1);
    cr_assert_str_eq(first->remarks[0], "refusals: gone: c");
    deja__fit_drop(again);
    char other[8];
    recording.version = other;
    for (int i = 0; i < 40; i++) {
        deja__fit *fit;
        snprintf(other, sizeof other, "v%d", i);
        cr_assert_eq(deja__fits_find(&fits, &fit, &session, &recording, NULL), DEJA_OK);
        cr_assert_eq(fit->remark_count, 2);
        deja__fit_drop(fit);
    }
    /* It fell out of the row, and is still held. */
    cr_assert_str_eq(first->version, "1");
    deja__fit_drop(first);
    deja__fits_release(&fits);
}
