/* SPDX-License-Identifier: MIT */
/*
 * What was not compared is said, and is never taken for a match by itself.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "replay/replaying.h"

TestSuite(left_out, .timeout = 300);

static char library[256];

static void record(const char *rules, const char *commands)
{
    const script s = { .library = rules, .commands = commands, .seed = 5 };
    record_script(store, &s);
}

static void build_silent(void)
{
    build_library(library, folder, "silent", "#define LEDGER_SILENT\n#include \"ledger.h\"\n", "cc",
                  NULL);
}

Test(left_out, an_outcome_that_this_build_cannot_tell_is_unfit)
{
    open_folder();
    build_silent();
    record(RULES("ledger"), "add n=3\nend");
    verified v = verify_store(store, library, NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_UNFIT, "%s: %s", kind_of(t), t->why);
    cr_assert(strstr(t->why, "tells of no outcomes, and 'gain' was recorded"), "%s", t->why);
    verified_release(&v);
    deja_verify_options options = test_options();
    options.allow_partial = 1;
    v = verify_store(store, library, &options);
    t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_MATCH, "%s: %s", kind_of(t), t->why);
    cr_assert(strstr(t->remarks, "the outcome was not compared"), "%s", t->remarks);
    verified_release(&v);
    close_folder();
}

Test(left_out, that_a_game_runs_on_is_not_compared_with_a_build_that_cannot_tell)
{
    open_folder();
    build_silent();
    record(RULES("ledger"), "add n=3\nroll");
    verified v = verify_store(store, library, NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_UNFIT, "%s: %s", kind_of(t), t->why);
    cr_assert(strstr(t->why, "tells of no outcomes, and 'running' was recorded"), "%s", t->why);
    verified_release(&v);
    deja_verify_options options = test_options();
    options.allow_partial = 1;
    v = verify_store(store, library, &options);
    t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_MATCH, "%s: %s", kind_of(t), t->why);
    cr_assert(strstr(t->remarks, "the outcome was not compared"), "%s", t->remarks);
    verified_release(&v);
    close_folder();
}

Test(left_out, an_outcome_that_the_recorded_build_could_not_tell_is_a_remark)
{
    open_folder();
    build_silent();
    record(library, "add n=3\nend");
    verified v = verify_store(store, RULES("ledger"), NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_MATCH, "%s: %s", kind_of(t), t->why);
    cr_assert(strstr(t->remarks, "the recorded build told of none"), "%s", t->remarks);
    verified_release(&v);
    close_folder();
}

Test(left_out, a_game_that_runs_on_in_a_build_that_tells_of_outcomes_is_compared)
{
    static const char source[] =
        "#define LEDGER_OUTCOME soon\n#include \"ledger.h\"\n"
        "static uint32_t soon(const ledger *l, uint32_t o) { return l->steps > 1 ? 1 : o; }\n";
    open_folder();
    build_library(library, folder, "early", source, "cc", NULL);
    record(RULES("ledger"), "add n=3\nroll");
    verified v = verify_store(store, library, NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_DIVERGED, "%s: %s", kind_of(t), t->why);
    cr_assert_str_eq(t->expected, "running");
    verified_release(&v);
    close_folder();
}

/* A ledger whose rng is of another sign, which no value of the old type fits, and whose events tell
 * other points. */
static const char retyped[] =
    "#define LEDGER_FIELDS other\n#define LEDGER_FAULT fault\n#include \"ledger.h\"\n"
    "static void fault(ledger *l, const ledger_command *c, deja_out *o) { (void)c;"
    " if (l->steps == 2) { const ledger_event e = { 0 }; deja_emit(o, &e); } }\n"
    "static void other(deja_fields *f, const ledger *l) {"
    " deja_i32(f, \"rng\", (const int32_t *)&l->rng); deja_i64(f, \"gold\", &l->gold);"
    " deja_array(f, \"pos\", l->pos, PIECES, deja_i32); deja_u8(f, \"over\", &l->over);"
    " deja_u32(f, \"steps\", &l->steps); deja_u32(f, \"spawned\", &l->spawned); }\n";

Test(left_out, events_that_differ_are_not_said_to_stand_beside_states_that_were_not_compared)
{
    open_folder();
    build_library(library, folder, "retyped", retyped, "cc", NULL);
    record(RULES("ledger"), "roll\n* 5");
    deja_verify_options options = test_options();
    options.allow_partial = 1;
    verified v = verify_store(store, library, &options);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_DIVERGED, "%s: %s", kind_of(t), t->why);
    cr_assert(strstr(t->why, "; results agree"), "%s", t->why);
    verified_release(&v);
    close_folder();
}

Test(left_out, a_closed_library_too_large_to_be_put_back_is_stale_where_it_goes_on_from_before)
{
    static const char source[] = "#define LEDGER_SPAWN third\n#include \"ledger.h\"\n"
                                 "static uint32_t third(ledger *l) { return 2 + ++l->spawned; }\n";
    open_folder();
    build_library(library, folder, "third", source, "cc", NULL);
    record(library, "spawn\nspawn");
    verified v = verify_store(store, RULES("ledger-large"), NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_STALE, "%s: %s", kind_of(t), t->why);
    verified_release(&v);
    close_folder();
}
