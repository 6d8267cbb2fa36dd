/* SPDX-License-Identifier: MIT */
/*
 * Rules that crash, exit, hang, eat memory or write where they should not: what is told of them,
 * and that the sessions around are replayed all the same (B101, B109).
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "replay/replaying.h"
#include "support/scratch.h"

TestSuite(broken, .timeout = 300);

/* Sessions of the ledger, of which only number `long_one` (from 0) gets to step 33. */
static void record_sessions(uint32_t count, uint32_t long_one)
{
    for (uint32_t i = 0; i < count; i++) {
        const script s = { .library = RULES("ledger"),
                           .commands = i == long_one ? "roll\n* 19\nmove i=1 d=2\n* 19\nnop"
                                                     : "roll\n* 19\nmove i=1 d=2",
                           .seed = i + 1 };
        record_script(store, &s);
    }
}

/* Five sessions, the second of which breaks at step 33. */
static void hold_broken(const char *library, uint32_t kind, const char *why,
                        const deja_verify_options *options)
{
    open_folder();
    record_sessions(5, 1);
    verified v = verify_store(store, library, options);
    const told *all = need(&v, 5);
    for (uint64_t i = 0; i < 5; i++)
        cr_assert_eq(all[i].kind, i == 1 ? kind : DEJA_MATCH, "%s: session %d is %s: %s", library,
                     (int)i, kind_of(&all[i]), all[i].why);
    cr_assert_eq(all[1].step, 33);
    cr_assert_eq(all[1].step_last, 33);
    cr_assert_str_eq(all[1].command, "move i=1 d=2");
    cr_assert(strstr(all[1].why, why), "%s: %s", library, all[1].why);
    cr_assert_eq(all[1].before_count, 5);
    cr_assert_eq(v.summary.sessions, 5);
    cr_assert_eq(v.summary.kinds[DEJA_MATCH], 4);
    cr_assert_eq(v.summary.kinds[kind], 1);
    verified_release(&v);
    close_folder();
}

Test(broken, a_crash_is_told_by_its_signal_and_the_rest_is_replayed)
{
    hold_broken(RULES("ledger-crash"), DEJA_CRASHED, "SIGSEGV", NULL);
    hold_broken(RULES("ledger-abort"), DEJA_CRASHED, "SIGABRT", NULL);
    hold_broken(RULES("stack"), DEJA_CRASHED, "SIGSEGV", NULL);
}

Test(broken, an_exit_is_a_crash_whatever_its_status)
{
    hold_broken(RULES("ledger-exit"), DEJA_CRASHED, "called exit(0)", NULL);
}

Test(broken, each_way_to_keep_sessions_apart_tells_the_same_of_a_crash)
{
    for (uint32_t isolate = DEJA_ISOLATE_RESTORE; isolate <= DEJA_ISOLATE_EXEC; isolate++) {
        deja_verify_options options = test_options();
        options.isolate = isolate;
        hold_broken(RULES("ledger-crash"), DEJA_CRASHED, "SIGSEGV", &options);
        hold_broken(RULES("ledger-exit"), DEJA_CRASHED, "called exit(0)", &options);
    }
}

Test(broken, a_description_that_does_not_hold_is_a_crash_with_its_reason)
{
    hold_broken(RULES("breach-count"), DEJA_CRASHED, "'list' has 5 values, its most is 4", NULL);
    hold_broken(RULES("breach-calls"), DEJA_CRASHED, "makes different calls for different values",
                NULL);
    hold_broken(RULES("breach-calls-list"), DEJA_CRASHED,
                "makes different calls for different values", NULL);
}

Test(broken, memory_is_limited)
{
    deja_verify_options options = test_options();
    options.memory_mib = 256;
#if defined(__SANITIZE_ADDRESS__)
    cr_skip_test("a sanitizer's shadow cannot be limited");
#endif
    /* It writes where it got none: what a process asked for before it died nobody can tell. */
    hold_broken(RULES("eats-memory"), DEJA_CRASHED, "SIGSEGV", &options);
}

Test(broken, what_is_written_to_stdout_harms_nothing)
{
    static const char *const libraries[] = { RULES("ledger-stdout"),
                                             RULES("ledger-closes-stdout") };
    open_folder();
    record_sessions(3, 1);
    for (int i = 0; i < 2; i++) {
        verified v = verify_store(store, libraries[i], NULL);
        const told *all = need(&v, 3);
        for (int k = 0; k < 3; k++)
            cr_assert_eq(all[k].kind, DEJA_MATCH, "%s", all[k].why);
        verified_release(&v);
    }
    close_folder();
}

Test(broken, a_library_that_closes_every_descriptor_ends_its_own_worker)
{
    static const char source[] =
        "#define LEDGER_FAULT close_all\n#include \"ledger.h\"\n"
        "#include <unistd.h>\n"
        "static void close_all(ledger *l, const ledger_command *c,"
        " deja_out *o) { (void)c; (void)o;"
        " if (l->steps == 33) for (int i = 0; i < 4096; i++) close(i); }\n";
    char library[256];
    open_folder();
    record_sessions(3, 1);
    build_library(library, folder, "closes", source, "cc", NULL);
    deja_verify_options options = test_options();
    options.isolate = DEJA_ISOLATE_EXEC;
    verified v = verify_store(store, library, &options);
    const told *all = need(&v, 3);
    cr_assert_eq(all[0].kind, DEJA_MATCH);
    cr_assert_eq(all[2].kind, DEJA_MATCH);
    /* Its answers come through memory, so it may as well get to its end. */
    cr_assert(all[1].kind == DEJA_MATCH || all[1].kind == DEJA_CRASHED, "%s", kind_of(&all[1]));
    verified_release(&v);
    close_folder();
}

Test(broken, the_last_words_of_a_worker_are_a_remark)
{
    static const char source[] =
        "#define LEDGER_FAULT complain\n#include \"ledger.h\"\n"
        "#include <stdio.h>\n#include <stdlib.h>\n"
        "static void complain(ledger *l, const ledger_command *c,"
        " deja_out *o) { (void)c; (void)o; if (l->steps != 33) return;"
        " for (int i = 0; i < 20000; i++) fprintf(stderr, \"line %d\\n\", i);"
        " fprintf(stderr, \"rules.c:7: \\033[31mno gold\\n\"); abort(); }\n";
    char library[256];
    open_folder();
    record_sessions(2, 0);
    build_library(library, folder, "complains", source, "cc", NULL);
    verified v = verify_store(store, library, NULL);
    const told *all = need(&v, 2);
    cr_assert_eq(all[0].kind, DEJA_CRASHED);
    /* Its last line whole; what would move a terminal's cursor is made harmless. */
    cr_assert(strstr(all[0].remarks, "it said: "), "%s", all[0].remarks);
    cr_assert(strstr(all[0].remarks, "rules.c:7:  [31mno gold"), "%s", all[0].remarks);
    cr_assert(!strchr(all[0].remarks, '\033'));
    cr_assert_eq(all[1].kind, DEJA_MATCH);
    verified_release(&v);
    close_folder();
}

/* ---- hangs ---- */

static deja_verify_options short_limits(void)
{
    deja_verify_options options = test_options();
    options.hang_cpu_ms = 200;
    options.hang_wall_ms = 30000;
    return options;
}

Test(broken, a_step_that_never_ends_is_hung_and_the_others_are_replayed)
{
    const deja_verify_options options = short_limits();
    hold_broken(RULES("ledger-hang"), DEJA_HUNG, "more than 200 ms of processor time", &options);
}

Test(broken, a_step_that_sleeps_is_hung_by_the_clock)
{
    deja_verify_options options = short_limits();
    options.hang_wall_ms = 1500;
    hold_broken(RULES("ledger-sleeps"), DEJA_HUNG, "no step for 1500 ms", &options);
}

Test(broken, a_hang_in_a_fork_is_found_as_well)
{
    deja_verify_options options = short_limits();
    options.isolate = DEJA_ISOLATE_FORK;
    hold_broken(RULES("ledger-hang"), DEJA_HUNG, "processor time", &options);
}

Test(broken, limits_are_for_one_step_and_can_be_off)
{
    /* Each step takes some 30 ms; twenty of them much more than the limit of one. */
    static const char slow[] = "#define LEDGER_FAULT work\n#include \"ledger.h\"\n"
                               "#include <time.h>\n"
                               "static void work(ledger *l, const ledger_command *c, deja_out *o)"
                               " { (void)l; (void)c; (void)o; clock_t t = clock();"
                               " while (clock() - t < CLOCKS_PER_SEC / 30) {} }\n";
    static const char once[] = "#define LEDGER_FAULT work\n#include \"ledger.h\"\n"
                               "#include <time.h>\n"
                               "static void work(ledger *l, const ledger_command *c, deja_out *o)"
                               " { (void)c; (void)o; clock_t t = clock(); if (l->steps == 3)"
                               " while (clock() - t < CLOCKS_PER_SEC / 2) {} }\n";
    char library[256];
    open_folder();
    const script s = { .library = RULES("ledger"), .commands = "roll\n* 19" };
    record_script(store, &s);
    deja_verify_options options = short_limits();
    options.hang_wall_ms = 0;
    build_library(library, folder, "slow", slow, "cc", NULL);
    verified v = verify_store(store, library, &options);
    cr_assert_eq(need(&v, 1)->kind, DEJA_MATCH, "%s", v.items[0].why);
    verified_release(&v);
    build_library(library, folder, "once", once, "cc", NULL);
    v = verify_store(store, library, &options);
    cr_assert_eq(need(&v, 1)->kind, DEJA_HUNG);
    cr_assert_eq(v.items[0].step, 3);
    verified_release(&v);
    options.hang_cpu_ms = 0;
    v = verify_store(store, library, &options);
    cr_assert_eq(need(&v, 1)->kind, DEJA_MATCH, "%s", v.items[0].why);
    verified_release(&v);
    close_folder();
}

/* ---- loading ---- */

static void hold_unloadable(const char *body, const char *message)
{
    char library[256], source[512];
    open_folder();
    record_sessions(1, 1);
    snprintf(source, sizeof source,
             "#include \"ledger.h\"\n#include <stdlib.h>\n__attribute__((constructor))"
             " static void set_up(void) { %s }\n",
             body);
    build_library(library, folder, "loads", source, "cc", NULL);
    const deja_verify_options options = short_limits();
    verified v = verify_store(store, library, &options);
    cr_assert_eq(v.code, DEJA_EUNFIT, "%s: %d", body, v.code);
    cr_assert(strstr(v.err.message, message), "%s", v.err.message);
    cr_assert_eq(v.count, 0);
    verified_release(&v);
    close_folder();
}

Test(broken, a_library_that_crashes_or_hangs_while_it_is_loaded_is_unfit)
{
    hold_unloadable("abort();", "crashes while it is loaded: SIGABRT");
    hold_unloadable("exit(3);", "ends its process while it is loaded: called exit(3)");
    hold_unloadable("for (volatile int i = 1; i; ) {}", "hangs while it is loaded");
}

Test(broken, libraries_that_are_none_are_refused_with_their_reason)
{
    static const struct {
        const char *library;
        deja_code code;
        const char *message;
    } rows[] = { { RULES("noconstant"), DEJA_EUNFIT, "exports no 'deja_rules'" },
                 { RULES("abi2"), DEJA_EUNFIT, "ABI 2" },
                 { RULES("unknown-kind"), DEJA_EUNFIT, "kind 40" },
                 { DEJA_SOURCE_DIR "/LICENSE", DEJA_EUNFIT, "is not a shared library" },
                 { DEJA_BUILD_DIR "/there-is-none.so", DEJA_EIO, "no such file" } };
    open_folder();
    record_sessions(1, 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        verified v = verify_store(store, rows[i].library, NULL);
        cr_assert_eq(v.code, rows[i].code, "%s: %d", rows[i].library, v.code);
        cr_assert(strstr(v.err.message, rows[i].message), "%s", v.err.message);
        verified_release(&v);
    }
    close_folder();
}

Test(broken, a_worker_program_that_is_none_is_said)
{
    static const char *const programs[] = { "/bin/true", "/bin/cat", "/no/such/program" };
    open_folder();
    record_sessions(1, 1);
    for (int i = 0; i < 3; i++) {
        deja_verify_options options = short_limits();
        options.worker = programs[i];
        verified v = verify_store(store, RULES("ledger"), &options);
        cr_assert_eq(v.code, DEJA_EIO, "%s: %s", programs[i], v.err.message);
        cr_assert(strstr(v.err.message, programs[i]), "%s", v.err.message);
        verified_release(&v);
    }
    close_folder();
}

/* ---- sessions that crashed when they were recorded ---- */

Test(broken, a_recorded_crash_is_tried_again)
{
    open_folder();
    const script s = { .library = RULES("ledger"), .commands = "roll\n* 32", .crash = true };
    record_script(store, &s);
    verified v = verify_store(store, RULES("ledger-crash"), NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_CRASHED, "%s: %s", kind_of(t), t->why);
    cr_assert_eq(t->step, 33);
    cr_assert_eq(t->compared, 33);
    cr_assert(strstr(t->why, "as when it was recorded"), "%s", t->why);
    verified_release(&v);
    v = verify_store(store, RULES("ledger"), NULL);
    t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_MATCH, "%s: %s", kind_of(t), t->why);
    cr_assert_eq(t->compared, 33);
    cr_assert(strstr(t->remarks, "does not any more"), "%s", t->remarks);
    verified_release(&v);
    close_folder();
}

Test(broken, a_difference_before_a_crash_comes_first)
{
    static const char source[] = "#define LEDGER_FAULT fall\n#include \"ledger.h\"\n"
                                 "static void fall(ledger *l, const ledger_command *c,"
                                 " deja_out *o) { (void)c; (void)o; if (l->steps == 10) l->gold++;"
                                 " if (l->steps == 20) *(volatile int *)0 = 1; }\n";
    char library[256];
    open_folder();
    record_sessions(1, 0);
    build_library(library, folder, "falls", source, "cc", NULL);
    verified v = verify_store(store, library, NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_DIVERGED, "%s: %s", kind_of(t), t->why);
    cr_assert_eq(t->step, 10);
    verified_release(&v);
    close_folder();
}

Test(broken, a_crash_when_the_state_is_dropped_is_told_at_the_last_step)
{
    static const char source[] =
        "#include <deja/rules.h>\n#include <stdlib.h>\n#undef DEJA_RULES\n"
        "#define DEJA_RULES const deja_rules_table hidden\n#include \"ledger.h\"\n"
        "static void fall(void *v) { if (((ledger *)v)->steps == 41) abort(); }\n"
        "extern DEJA_EXPORT const deja_rules_table deja_rules;\n"
        "const deja_rules_table deja_rules = { DEJA_ABI, \"ledger\", \"1.4.0\","
        " { sizeof(ledger), state_fields, NULL, fall },"
        " { sizeof(ledger_command), command_fields, NULL, NULL },"
        " { sizeof(ledger_event), event_fields, NULL, NULL }, { 0, NULL, NULL, NULL }, NULL,"
        " start, apply, check, legal, outcome, NULL, NULL, NULL, NULL, NULL, &neutral, refusals,"
        " outcomes, bots, sizeof refusals / sizeof *refusals, sizeof outcomes / sizeof *outcomes,"
        " 0, DEJA_TURNS, 0, 1 };\n";
    char library[256];
    open_folder();
    record_sessions(2, 0);
    build_library(library, folder, "drops", source, "cc", NULL);
    verified v = verify_store(store, library, NULL);
    const told *all = need(&v, 2);
    cr_assert_eq(all[0].kind, DEJA_CRASHED, "%s: %s", kind_of(&all[0]), all[0].why);
    cr_assert_eq(all[0].step, 41);
    cr_assert(strstr(all[0].why, "when the step was done"), "%s", all[0].why);
    cr_assert_eq(all[1].kind, DEJA_MATCH);
    verified_release(&v);
    close_folder();
}
