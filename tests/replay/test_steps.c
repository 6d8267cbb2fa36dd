/* SPDX-License-Identifier: MIT */
/*
 * Which step a difference is told at, and the steps before it.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "replay/replaying.h"

TestSuite(steps, .timeout = 300);

/* ---- the first ---- */

Test(steps, a_difference_at_the_last_step_is_found) /* B61 */
{
    static const struct {
        const char *commands;
        uint64_t steps;
    } rows[] = { { "end", 1 }, { "roll\nend", 2 }, { "roll\n* 998\nend", 1000 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        open_folder();
        record_ledger(rows[i].commands);
        verified v = verify_store(store, RULES("ledger-last"), NULL);
        const told *t = need(&v, 1);
        cr_assert_eq(t->kind, DEJA_DIVERGED);
        cr_assert_eq(t->step, rows[i].steps);
        cr_assert_eq(t->step_last, rows[i].steps);
        cr_assert_eq(t->steps, rows[i].steps);
        cr_assert_eq(t->compared, rows[i].steps + 1);
        cr_assert_str_eq(t->command, "end");
        verified_release(&v);
        close_folder();
    }
}

Test(steps, the_fields_are_those_behind_the_step_and_not_later_ones) /* B63 */
{
    char library[256];
    open_folder();
    record_ledger("roll\n* 199");
    build_fault(library, "drifts",
                "if (l->steps == 30) l->pos[0]++; if (l->steps > 30) l->gold++;");
    deja_verify_options options = test_options();
    options.baseline = RULES("ledger");
    verified v = verify_store(store, library, &options);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_DIVERGED);
    cr_assert_eq(t->step, 30);
    cr_assert_str_eq(t->fields, "pos[0]: 0 / 1");
    cr_assert_eq(strlen(t->expected), 16);
    cr_assert_eq(strlen(t->actual), 16);
    verified_release(&v);
    close_folder();
}

Test(steps, a_sparse_trail_tells_a_stretch_and_a_baseline_the_step) /* B65 */
{
    char library[256];
    open_folder();
    const script s = { .library = RULES("ledger"), .commands = "roll\n* 99", .trail_every = 8 };
    record_script(store, &s);
    build_fault(library, "at_29", "if (l->steps == 29) l->gold += 100;");
    verified v = verify_store(store, library, NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_DIVERGED);
    cr_assert_eq(t->step, 25);
    cr_assert_eq(t->step_last, 32);
    cr_assert_str_eq(t->command, "");
    cr_assert(strstr(t->why, "steps 25 to 32"), "%s", t->why);
    cr_assert(strstr(t->why, "every 8 steps"), "%s", t->why);
    cr_assert_eq(t->compared, 33);
    verified_release(&v);
    deja_verify_options options = test_options();
    options.baseline = RULES("ledger");
    v = verify_store(store, library, &options);
    t = need(&v, 1);
    cr_assert_eq(t->step, 29);
    cr_assert_eq(t->step_last, 29);
    cr_assert_str_eq(t->command, "roll");
    cr_assert(strstr(t->fields, "gold: "), "%s", t->fields);
    cr_assert_eq(t->field_count, 1);
    cr_assert_eq(t->before_count, 5);
    cr_assert(strncmp(t->before, "24 roll ok ", 11) == 0, "%s", t->before);
    verified_release(&v);
    close_folder();
}

Test(steps, a_result_that_differs_between_hashed_steps_says_from_where_it_may_come)
{
    open_folder();
    const script s = { .library = RULES("ledger"),
                       .commands = "roll\n* 19\nmove i=7 d=1\nroll\n* 9",
                       .trail_every = 8 };
    record_script(store, &s);
    verified v = verify_store(store, RULES("ledger-refusal"), NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_DIVERGED);
    cr_assert_eq(t->step, 17);
    cr_assert_eq(t->step_last, 21);
    cr_assert_str_eq(t->expected, "no_such_piece");
    verified_release(&v);
    close_folder();
}

/* ---- the steps before ---- */

Test(steps, the_steps_before_are_told_however_early_it_was) /* B67 */
{
    char library[256];
    open_folder();
    record_ledger("roll\n* 3\nmove i=1 d=-1\nmove i=9 d=1\nroll\n* 3\nspawn\n* 39989");
    build_fault(library, "at_10", "if (l->steps == 9) l->gold++;");
    deja_verify_options options = test_options();
    options.before_count = 5;
    verified v = verify_store(store, library, &options);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_DIVERGED);
    cr_assert_eq(t->step, 10);
    cr_assert_eq(t->steps, 40000);
    cr_assert_eq(t->before_count, 5);
    static const char *const parts[] = { "5 move i=1 d=-1 ok ", "6 move i=9 d=1 no_such_piece ",
                                         "7 roll ok ", "8 roll ok ", "9 roll ok " };
    const char *at = t->before;
    for (int i = 0; i < 5; i++) {
        cr_assert(strncmp(at, parts[i], strlen(parts[i])) == 0, "%s", at);
        at = strstr(at, "; ") ? strstr(at, "; ") + 2 : at + strlen(at);
    }
    verified_release(&v);
    options.before_count = 0;
    v = verify_store(store, library, &options);
    cr_assert_eq(need(&v, 1)->before_count, 0);
    verified_release(&v);
    options.before_count = 4000000;
    v = verify_store(store, library, &options);
    cr_assert_eq(need(&v, 1)->before_count, 9);
    verified_release(&v);
    close_folder();
}

Test(steps, the_steps_before_may_lie_in_the_block_before)
{
    char library[256];
    open_folder();
    record_ledger("roll\n* 19999");
    build_fault(library, "late", "if (l->steps == 16386) l->gold++;");
    verified v = verify_store(store, library, NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->step, 16386);
    cr_assert_eq(t->before_count, 5);
    cr_assert(strncmp(t->before, "16381 roll ok ", 14) == 0, "%s", t->before);
    verified_release(&v);
    close_folder();
}

/* ---- healing ---- */

Test(steps, a_difference_that_heals_is_told_where_it_begins) /* B69 */
{
    open_folder();
    record_ledger("roll\n* 399");
    verified v = verify_store(store, RULES("ledger-305"), NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_DIVERGED);
    cr_assert_eq(t->step, 305);
    cr_assert_eq(t->healed, DEJA_STEP_NONE);
    verified_release(&v);
    deja_verify_options options = test_options();
    options.keep_going = 1;
    v = verify_store(store, RULES("ledger-305"), &options);
    t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_DIVERGED);
    cr_assert_eq(t->step, 305);
    cr_assert_eq(t->healed, 307);
    cr_assert_eq(t->parted, 2);
    cr_assert_eq(t->compared, 401);
    verified_release(&v);
    close_folder();
}

Test(steps, what_never_agrees_again_does_not_heal)
{
    char library[256];
    open_folder();
    record_ledger("roll\n* 99");
    deja_verify_options options = test_options();
    options.keep_going = 1;
    build_fault(library, "stays", "if (l->steps == 40) l->gold++;");
    verified v = verify_store(store, library, &options);
    const told *t = need(&v, 1);
    cr_assert_eq(t->step, 40);
    cr_assert_eq(t->healed, DEJA_STEP_NONE);
    cr_assert_eq(t->parted, 61);
    verified_release(&v);
    /* Twice apart: it agrees for good only from the last time on. */
    build_fault(library, "twice",
                "if (l->steps == 40 || l->steps == 60) l->gold++;"
                "if (l->steps == 41 || l->steps == 63) l->gold--;");
    v = verify_store(store, library, &options);
    t = need(&v, 1);
    cr_assert_eq(t->step, 40);
    cr_assert_eq(t->healed, 63);
    cr_assert_eq(t->parted, 4);
    verified_release(&v);
    close_folder();
}

/* ---- where sessions begin ---- */

Test(steps, a_session_without_commands_compares_step_0) /* B79 */
{
    char library[256];
    open_folder();
    record_ledger("");
    verified v = verify_store(store, RULES("ledger"), NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_MATCH, "%s", t->why);
    cr_assert_eq(t->compared, 1);
    cr_assert_eq(t->steps, 0);
    cr_assert(strstr(t->remarks, "step 0 alone"), "%s", t->remarks);
    verified_release(&v);
    build_library(library, folder, "starts",
                  "#define start honest\n#include <deja/rules.h>\n#undef DEJA_RULES\n"
                  "#define DEJA_RULES const deja_rules_table hidden\n#include \"ledger.h\"\n"
                  "#undef start\n"
                  "static uint32_t other(void *s, const void *c, uint64_t seed,"
                  " const deja_content *t) { ledger *l = s; honest(s, c, seed, t); l->gold = 7;"
                  " return 0; }\n"
                  "extern DEJA_EXPORT const deja_rules_table deja_rules;\n"
                  "const deja_rules_table deja_rules = { DEJA_ABI, \"ledger\", \"1.4.0\","
                  " { sizeof(ledger), state_fields, NULL, NULL },"
                  " { sizeof(ledger_command), command_fields, NULL, NULL },"
                  " { sizeof(ledger_event), event_fields, NULL, NULL }, { 0, NULL, NULL, NULL },"
                  " NULL, other, apply, check, legal, outcome, NULL, NULL, NULL, NULL, NULL,"
                  " &neutral, refusals, outcomes, bots, 4, 3, 0, DEJA_TURNS, 0, 1 };\n",
                  "cc", NULL);
    deja_verify_options options = test_options();
    options.baseline = RULES("ledger");
    v = verify_store(store, library, &options);
    t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_DIVERGED);
    cr_assert_eq(t->step, 0);
    cr_assert_str_eq(t->command, "");
    cr_assert_str_eq(t->fields, "gold: 0 / 7");
    cr_assert(strstr(t->why, "before any command"), "%s", t->why);
    verified_release(&v);
    close_folder();
}

Test(steps, a_session_from_the_middle_starts_from_its_state) /* B53 */
{
    open_folder();
    const script s = { .library = RULES("ledger"),
                       .commands = "roll\n* 299\nspawn\n* 199\nroll\n* 99",
                       .from_step = 500 };
    record_script(store, &s);
    verified v = verify_store(store, RULES("ledger"), NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_MATCH, "%s", t->why);
    cr_assert_eq(t->steps, 100);
    cr_assert_eq(t->compared, 101);
    verified_release(&v);
    v = verify_store(store, RULES("ledger-wider"), NULL);
    cr_assert_eq(need(&v, 1)->kind, DEJA_MATCH, "%s", v.items[0].why);
    verified_release(&v);
    v = verify_store(store, RULES("ledger-removed"), NULL);
    cr_assert_eq(need(&v, 1)->kind, DEJA_UNFIT);
    verified_release(&v);
    close_folder();
}

/* ---- marks ---- */

Test(steps, marks_before_a_difference_are_told_with_it) /* B12 */
{
    char library[256];
    open_folder();
    const script s = { .library = RULES("ledger"),
                       .commands = "roll\n* 19",
                       .mark = "rounding changed",
                       .mark_step = 9 };
    record_script(store, &s);
    build_fault(library, "at_12", "if (l->steps == 12) l->gold++;");
    verified v = verify_store(store, library, NULL);
    cr_assert(strstr(need(&v, 1)->remarks, "marked at step 9: rounding changed"), "%s",
              v.items[0].remarks);
    verified_release(&v);
    v = verify_store(store, RULES("ledger"), NULL);
    cr_assert_str_eq(need(&v, 1)->remarks, "");
    verified_release(&v);
    close_folder();
}
