/* SPDX-License-Identifier: MIT */
/*
 * Sessions are kept apart, whatever a library keeps; and builds that do not give one answer are
 * told as such, and never as a match or a difference.
 */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

#include "replay/replaying.h"
#include "support/scratch.h"

TestSuite(apart, .timeout = 300);

static void record_spawns(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const script s = { .library = RULES("ledger"),
                           .commands = "roll\n* 4\nspawn\n* 9\nroll",
                           .seed = i };
        record_script(store, &s);
    }
}

/* ---- kept state ---- */

Test(apart, what_a_library_keeps_does_not_reach_the_next_session) /* B04 */
{
    static const struct {
        const char *library, *variable;
    } rows[] = {
        { RULES("ledger-static"), "next_id" },   { RULES("ledger-static-nodelete"), "next_id" },
        { RULES("ledger-template"), "next_id" }, { RULES("ledger-stripped"), ".bss" },
        { RULES("ledger-heap"), "next_id" },     { RULES("ledger-vector"), "ids" },
        { RULES("ledger-tls"), NULL },           { RULES("ledger-thread"), NULL },
        { RULES("ledger-constructor"), NULL }
    };
    open_folder();
    record_spawns(4);
    uint64_t count;
    int64_t *keys = scratch_keys(store, &count);
    int64_t backwards[4] = { keys[3], keys[2], keys[1], keys[0] };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        verified v = verify_keys(store, keys, 4, rows[i].library, NULL);
        verified w = verify_keys(store, backwards, 4, rows[i].library, NULL);
        const told *all = need(&v, 4);
        const told *other = need(&w, 4);
        for (int k = 0; k < 4; k++) {
            cr_assert_eq(all[k].kind, DEJA_MATCH, "%s: %s", rows[i].library, all[k].why);
            cr_assert_eq(other[k].kind, DEJA_MATCH);
            if (rows[i].variable)
                cr_assert(strstr(all[k].remarks, "keeps state outside the state: ") &&
                              strstr(all[k].remarks, rows[i].variable),
                          "%s: %s", rows[i].library, all[k].remarks);
        }
        verified_release(&v);
        verified_release(&w);
    }
    free(keys);
    close_folder();
}

Test(apart, each_way_to_keep_sessions_apart_gives_the_same_verdicts)
{
    open_folder();
    record_spawns(3);
    for (uint32_t isolate = DEJA_ISOLATE_AUTO; isolate <= DEJA_ISOLATE_EXEC; isolate++) {
        deja_verify_options options = test_options();
        options.isolate = isolate;
        verified v = verify_store(store, RULES("ledger-static"), &options);
        const told *all = need(&v, 3);
        for (int k = 0; k < 3; k++)
            cr_assert_eq(all[k].kind, DEJA_MATCH, "%u: %s", isolate, all[k].why);
        verified_release(&v);
    }
    close_folder();
}

/* The static of a session that ran behind others: what a game that was never restarted records. */
static const char behind_source[] =
    "#define LEDGER_VERSION \"1.4.0\"\n#define LEDGER_SPAWN number\n"
    "#include \"ledger.h\"\nstatic uint32_t next_id = NEXT;\n"
    "static uint32_t number(ledger *l) { (void)l; return ++next_id; }\n";

Test(apart, a_session_recorded_behind_others_is_stale_and_the_variable_named)
{
    char fresh[256], late[256];
    open_folder();
    build_library(fresh, folder, "fresh", behind_source, "cc", "-DNEXT=0");
    build_library(late, folder, "late", behind_source, "cc", "-DNEXT=100");
    const script s = { .library = late, .commands = "roll\n* 4\nspawn\nroll" };
    record_script(store, &s);
    verified v = verify_store(store, fresh, NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_STALE, "%s: %s", kind_of(t), t->why);
    cr_assert_eq(t->step, 6);
    cr_assert(strstr(t->why, "next_id"), "%s", t->why);
    verified_release(&v);
    close_folder();
}

Test(apart, a_build_that_keeps_state_and_changes_elsewhere_diverged)
{
    static const char source[] =
        "#define LEDGER_SPAWN number\n#define LEDGER_FAULT fault\n"
        "#include \"ledger.h\"\nstatic uint32_t next_id;\n"
        "static uint32_t number(ledger *l) { (void)l; return ++next_id; }\n"
        "static void fault(ledger *l, const ledger_command *c, deja_out *o)"
        " { (void)c; (void)o; if (l->steps == 12) l->gold++; }\n";
    char library[256];
    open_folder();
    record_spawns(1);
    build_library(library, folder, "both", source, "cc", NULL);
    verified v = verify_store(store, library, NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_DIVERGED, "%s: %s", kind_of(t), t->why);
    cr_assert_eq(t->step, 12);
    cr_assert(strstr(t->remarks, "keeps state outside the state: next_id"), "%s", t->remarks);
    verified_release(&v);
    close_folder();
}

Test(apart, memory_that_is_put_back_against_advice_is_remarked_on)
{
    open_folder();
    record_spawns(2);
    deja_verify_options options = test_options();
    options.isolate = DEJA_ISOLATE_RESTORE;
    verified v = verify_store(store, RULES("ledger-tls"), &options);
    const told *all = need(&v, 2);
    cr_assert_eq(all[0].kind, DEJA_MATCH);
    cr_assert(strstr(all[0].remarks, "memory was put back between sessions although"), "%s",
              all[0].remarks);
    /* Thread-local memory is not put back, so this one's answer depends on the one before. */
    cr_assert_eq(all[1].kind, DEJA_STALE, "%s: %s", kind_of(&all[1]), all[1].why);
    verified_release(&v);
    close_folder();
}

/* ---- two answers ---- */

Test(apart, a_state_that_depends_on_the_process_is_unstable)
{
    static const char *const libraries[] = { RULES("ledger-pid"), RULES("ledger-address") };
    open_folder();
    const script s = { .library = RULES("ledger"), .commands = "roll\n* 59" };
    record_script(store, &s);
    for (int i = 0; i < 2; i++) {
        verified v = verify_store(store, libraries[i], NULL);
        const told *t = need(&v, 1);
        cr_assert_eq(t->kind, DEJA_UNSTABLE, "%s: %s", libraries[i], kind_of(t));
        cr_assert_eq(t->step, 33);
        cr_assert(strstr(t->why, "two answers: 5 of 5 runs differ"), "%s", t->why);
        verified_release(&v);
    }
    close_folder();
}

/* Whoever recorded, the game as it is or the very build that looks elsewhere. */
Test(apart, R10_what_came_from_the_clock_or_from_other_luck_is_unstable_and_the_command_named)
{
    static const char *const libraries[] = { RULES("ledger-clock"), RULES("ledger-rand") };
    for (int i = 0; i < 4; i++) {
        open_folder();
        const script s = { .library = i < 2 ? RULES("ledger") : libraries[i % 2],
                           .commands = "roll\n* 31\nadd n=7\nroll\n* 20" };
        record_script(store, &s);
        verified v = verify_store(store, libraries[i % 2], NULL);
        const told *t = need(&v, 1);
        cr_assert_eq(t->kind, DEJA_UNSTABLE, "%s: %s", libraries[i % 2], kind_of(t));
        cr_assert_eq(t->step, 33);
        cr_assert_str_eq(t->command, "add n=7");
        cr_assert(strstr(t->why, "two answers: 5 of 5 runs differ"), "%s", t->why);
        verified_release(&v);
        close_folder();
    }
}

Test(apart, what_depends_on_addresses_is_unstable_also_where_those_are_not_random) /* B21 */
{
    open_folder();
    const script s = { .library = RULES("ledger"), .commands = "roll\n* 59" };
    record_script(store, &s);
    const int before = personality(0xffffffff);
    cr_assert_neq(personality((unsigned long)(before | ADDR_NO_RANDOMIZE)), -1);
    verified v = verify_store(store, RULES("ledger-address"), NULL);
    cr_assert_eq(personality(0xffffffff), before | ADDR_NO_RANDOMIZE, "the host's is as it was");
    personality((unsigned long)before);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_UNSTABLE, "%s: %s", kind_of(t), t->why);
    cr_assert_eq(t->step, 33);
    verified_release(&v);
    close_folder();
}

Test(apart, a_start_that_depends_on_the_process_is_unstable_at_step_0) /* B15, B23 */
{
    static const char source[] =
        "#include <deja/rules.h>\n#include <unistd.h>\ntypedef struct { uint32_t x; uint8_t k; }"
        " s_;\nstatic void fields(deja_fields *f, const void *v)"
        " { deja_u32(f, \"x\", &((const s_ *)v)->x); }\n"
        "static const char *const kinds[] = { \"go\" };\n"
        "static void commands(deja_fields *f, const void *v)"
        " { (void)deja_kind(f, &((const s_ *)v)->k, kinds); }\n"
        "static uint32_t start(void *s, const void *c, uint64_t seed, const deja_content *t)"
        " { (void)c; (void)seed; (void)t; ((s_ *)s)->x = (uint32_t)getpid(); return 0; }\n"
        "static uint32_t apply(void *s, const void *c, deja_out *o)"
        " { (void)s; (void)c; (void)o; return 0; }\n"
        "DEJA_RULES = { DEJA_ABI, .id = \"pid\", .version = \"1\","
        " .state = { sizeof(s_), fields, 0, 0 }, .command = { sizeof(s_), commands, 0, 0 },"
        " .start = start, .apply = apply };\n";
    char library[256];
    open_folder();
    build_library(library, folder, "pid", source, "cc", NULL);
    const script s = { .library = library, .commands = "go\n* 3" };
    record_script(store, &s);
    verified v = verify_store(store, library, NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_UNSTABLE, "%s: %s", kind_of(t), t->why);
    cr_assert_eq(t->step, 0);
    cr_assert(strstr(t->why, "fresh runs of the same library"), "%s", t->why);
    verified_release(&v);
    close_folder();
}

Test(apart, what_differs_now_and_then_is_never_a_plain_difference)
{
    /* Wrong in the first process that looks, and right in every later one. */
    static const char source[] = COUNTED
        "#define LEDGER_VERSION \"1.4.0\"\n#define LEDGER_FAULT fault\n#include \"ledger.h\"\n"
        "static void fault(ledger *l, const ledger_command *c, deja_out *o)"
        " { (void)c; (void)o; if (l->steps == 9 && counted() == 0) l->gold++; }\n";
    char library[256], flag[64];
    open_folder();
    uint32_t *count = open_count(flag);
    build_library(library, folder, "moody", source, "cc", flag);
    const script s = { .library = RULES("ledger"), .commands = "roll\n* 59" };
    record_script(store, &s);
    verified v = verify_store(store, library, NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_UNSTABLE, "%s: %s", kind_of(t), t->why);
    cr_assert_eq(t->step, 9);
    cr_assert(strstr(t->why, "1 of 5 runs"), "%s", t->why);
    verified_release(&v);
    close_count(count);
    close_folder();
}

Test(apart, a_crash_that_does_not_come_again_is_unstable)
{
    static const char source[] =
        COUNTED "#define LEDGER_FAULT fault\n#include \"ledger.h\"\n#include <stdlib.h>\n"
                "static void fault(ledger *l, const ledger_command *c, deja_out *o)"
                " { (void)c; (void)o; if (l->steps == 9 && counted() == 0) abort(); }\n";
    char library[256], flag[64];
    open_folder();
    uint32_t *count = open_count(flag);
    build_library(library, folder, "shy", source, "cc", flag);
    const script s = { .library = RULES("ledger"), .commands = "roll\n* 59" };
    record_script(store, &s);
    verified v = verify_store(store, library, NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_UNSTABLE, "%s: %s", kind_of(t), t->why);
    cr_assert_eq(t->step, 9);
    verified_release(&v);
    close_count(count);
    close_folder();
}

/* ---- processes ---- */

Test(apart, a_library_that_forks_in_apply_leaves_nothing_behind)
{
    static const char source[] =
        "#define LEDGER_FAULT fault\n#include \"ledger.h\"\n#include <unistd.h>\n"
        "#include <signal.h>\n"
        "static void fault(ledger *l, const ledger_command *c, deja_out *o)"
        " { (void)c; (void)o; if (l->steps == 5) (void)!fork();"
        " if (l->steps == 6 && fork() == 0) { setsid(); setpgid(0, 0); signal(SIGTERM, SIG_IGN);"
        " for (;;) pause(); } }\n";
    char library[256];
    open_folder();
    record_spawns(3);
    build_library(library, folder, "forks", source, "cc", NULL);
    for (uint32_t isolate = DEJA_ISOLATE_RESTORE; isolate <= DEJA_ISOLATE_EXEC; isolate++) {
        deja_verify_options options = test_options();
        options.isolate = isolate;
        verified v = verify_store(store, library, &options);
        const told *all = need(&v, 3);
        for (int i = 0; i < 3; i++)
            cr_assert_eq(all[i].kind, DEJA_MATCH, "%s: %s", kind_of(&all[i]), all[i].why);
        verified_release(&v);
        usleep(20000); /* what was killed is not gone at once */
        cr_assert_eq(count_workers(), 0, "isolation %u", isolate);
    }
    close_folder();
}

Test(apart, workers_end_with_their_host)
{
    open_folder();
    const script s = { .library = RULES("ledger"), .commands = "roll\n* 59" };
    record_script(store, &s);
    fflush(NULL);
    int ready[2];
    cr_assert_eq(pipe(ready), 0);
    const pid_t host = fork();
    if (host == 0) {
        deja_verify_options options = test_options();
        (void)!write(ready[1], "x", 1);
        verify_store(store, RULES("ledger-sleeps"), &options);
        _exit(0);
    }
    char byte;
    cr_assert_eq(read(ready[0], &byte, 1), 1);
    bool seen = false;
    for (int i = 0; i < 3000 && !seen; i++) {
        usleep(10000);
        seen = count_workers_of(host) > 0;
    }
    cr_assert(seen, "no worker came up");
    kill(host, SIGKILL);
    bool gone = false;
    for (int i = 0; i < 3000 && !gone; i++) {
        usleep(10000);
        gone = count_workers_of(host) == 0;
    }
    cr_assert(gone, "a worker outlived its host");
    close_folder();
}

Test(apart, what_a_session_leaves_to_its_process_is_not_the_next_ones_fault)
{
    /* A timer that kills whoever is there some time after the session is over. */
    static const char source[] =
        "#define LEDGER_FAULT fault\n#include \"ledger.h\"\n#include <sys/time.h>\n"
        "static void fault(ledger *l, const ledger_command *c, deja_out *o)"
        " { (void)c; (void)o; struct itimerval t = { { 0, 0 }, { 0, 30000 } };"
        " if (l->steps == 1 && l->rng == 7) setitimer(ITIMER_REAL, &t, 0); }\n";
    char library[256];
    open_folder();
    build_library(library, folder, "timer", source, "cc", NULL);
    const script first = { .library = RULES("ledger"), .commands = "nop\n* 3", .seed = 7 };
    record_script(store, &first);
    const script second = { .library = RULES("ledger"), .commands = "roll\n* 9", .seed = 8 };
    record_script(store, &second);
    for (uint32_t isolate = DEJA_ISOLATE_FORK; isolate <= DEJA_ISOLATE_EXEC; isolate++) {
        deja_verify_options options = test_options();
        options.isolate = isolate;
        verified v = verify_store(store, library, &options);
        const told *all = need(&v, 2);
        cr_assert_eq(all[0].kind, DEJA_MATCH, "%s", all[0].why);
        cr_assert_eq(all[1].kind, DEJA_MATCH, "%s", all[1].why);
        verified_release(&v);
    }
    close_folder();
}
