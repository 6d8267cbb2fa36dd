/* SPDX-License-Identifier: MIT */
/*
 * Many sessions: in the order asked for, the same at any number of jobs, counted right; stopping;
 * what does not work as a whole.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "replay/replaying.h"
#include "support/scratch.h"

TestSuite(order, .timeout = 300);

Test(order, verdicts_are_the_same_at_any_number_of_jobs)
{
    open_folder();
    scratch_record(store, GAMES("matchgame"), "random", 400, 1, 0, 32);
    verified runs[3];
    static const uint32_t jobs[3] = { 1, 2, 5 };
    for (int i = 0; i < 3; i++) {
        deja_verify_options options = test_options();
        options.jobs = jobs[i];
        options.baseline = i == 2 ? NULL : GAMES("matchgame");
        runs[i] = verify_store(store, RULES("matchgame-rare"), &options);
        need(&runs[i], 400);
    }
    cr_assert_gt(runs[0].summary.kinds[DEJA_DIVERGED], 0);
    cr_assert_gt(runs[0].summary.kinds[DEJA_MATCH], 0);
    for (uint64_t i = 0; i < 400; i++)
        cr_assert_eq(memcmp(&runs[0].items[i], &runs[1].items[i], sizeof(told)), 0);
    for (uint64_t i = 0; i < 400; i++) {
        cr_assert_eq(runs[0].items[i].kind, runs[2].items[i].kind);
        cr_assert_eq(runs[0].items[i].step, runs[2].items[i].step);
    }
    cr_assert_eq(memcmp(&runs[0].summary, &runs[1].summary, sizeof runs[0].summary), 0);
    for (int i = 0; i < 3; i++)
        verified_release(&runs[i]);
    close_folder();
}

Test(order, verdicts_come_as_the_sessions_were_asked_for)
{
    open_folder();
    scratch_record(store, GAMES("peg"), "random", 60, 1, 0, 32);
    uint64_t count;
    int64_t *keys = scratch_keys(store, &count);
    verified forward = verify_keys(store, keys, count, GAMES("peg"), NULL);
    need(&forward, 60);
    /* Backwards, and each one twice. */
    int64_t asked[120];
    for (int i = 0; i < 120; i++)
        asked[i] = keys[59 - i / 2];
    deja_verify_options options = test_options();
    options.jobs = 3;
    verified v = verify_keys(store, asked, 120, GAMES("peg"), &options);
    need(&v, 120);
    for (int i = 0; i < 120; i++)
        cr_assert_eq(memcmp(&v.items[i], &forward.items[59 - i / 2], sizeof(told)), 0);
    cr_assert_eq(v.summary.sessions, 120);
    cr_assert_eq(v.summary.steps, 2 * forward.summary.steps);
    cr_assert_eq(v.summary.compared, 2 * (forward.summary.steps + 60));
    verified_release(&v);
    verified_release(&forward);
    free(keys);
    close_folder();
}

Test(order, a_crash_in_one_session_leaves_those_on_their_way_as_they_are)
{
    open_folder();
    for (uint32_t i = 0; i < 40; i++) {
        const script s = { .library = RULES("ledger"),
                           .commands = i % 7 == 3 ? "roll\n* 34" : "roll\n* 9",
                           .seed = i };
        record_script(store, &s);
    }
    for (uint32_t jobs = 1; jobs <= 3; jobs++) {
        deja_verify_options options = test_options();
        options.jobs = jobs;
        options.confirm_all = jobs == 2;
        verified v = verify_store(store, RULES("ledger-abort"), &options);
        const told *all = need(&v, 40);
        for (uint32_t i = 0; i < 40; i++) {
            cr_assert_eq(all[i].kind, i % 7 == 3 ? DEJA_CRASHED : DEJA_MATCH, "%u: %s", i,
                         kind_of(&all[i]));
            cr_assert_eq(all[i].compared, i % 7 == 3 ? 33 : 11);
        }
        verified_release(&v);
    }
    close_folder();
}

Test(order, nobody_needs_to_listen)
{
    open_folder();
    scratch_record(store, GAMES("peg"), "random", 60, 1, 0, 32);
    uint64_t count;
    int64_t *keys = scratch_keys(store, &count);
    deja_verify_options options = test_options();
    deja_verify_summary summary;
    cr_assert_eq(deja_verify(store, keys, count, GAMES("peg"), &options, &summary, NULL), DEJA_OK);
    cr_assert_eq(summary.sessions, 60);
    cr_assert_eq(summary.kinds[DEJA_MATCH], 60);
    cr_assert_eq(deja_verify(store, keys, count, GAMES("peg"), &options, NULL, NULL), DEJA_OK);
    free(keys);
    close_folder();
}

static bool stop_at_seven(void *user, const deja_verdict *verdict)
{
    uint64_t *seen = user;
    (void)verdict;
    return ++*seen < 7;
}

static bool stop_at_once(void *user, const deja_verify_summary *so_far)
{
    (void)user;
    (void)so_far;
    return false;
}

Test(order, a_verdict_or_progress_that_says_stop_ends_it_without_an_error)
{
    open_folder();
    scratch_record(store, GAMES("peg"), "random", 60, 1, 0, 32);
    const script s = { .library = RULES("ledger"), .commands = "roll\n* 59" };
    char slow[128];
    snprintf(slow, sizeof slow, "%s/slow.deja", folder);
    record_script(slow, &s);
    uint64_t count, seen = 0;
    int64_t *keys = scratch_keys(store, &count);
    deja_verify_options options = test_options();
    deja_verify_summary summary;
    deja_error err = { 0 };
    options.jobs = 2;
    options.verdict = stop_at_seven;
    options.user = &seen;
    cr_assert_eq(deja_verify(store, keys, count, GAMES("peg"), &options, &summary, &err), DEJA_OK);
    cr_assert_eq(seen, 7);
    cr_assert_eq(summary.sessions, 7);
    free(keys);
    keys = scratch_keys(slow, &count);
    options = test_options();
    options.progress = stop_at_once;
    cr_assert_eq(deja_verify(slow, keys, count, RULES("ledger-sleeps"), &options, &summary, &err),
                 DEJA_OK);
    cr_assert_eq(summary.sessions, 0);
    free(keys);
    close_folder();
}

Test(order, nothing_asked_for_is_nothing_told_but_the_library_is_looked_at)
{
    open_folder();
    const script s = { .library = RULES("ledger"), .commands = "roll" };
    record_script(store, &s);
    verified v = verify_keys(store, NULL, 0, RULES("ledger"), NULL);
    cr_assert_eq(v.code, DEJA_OK);
    cr_assert_eq(v.summary.sessions, 0);
    verified_release(&v);
    v = verify_keys(store, NULL, 0, RULES("abi2"), NULL);
    cr_assert_eq(v.code, DEJA_EUNFIT);
    verified_release(&v);
    close_folder();
}

Test(order, what_cannot_be_verified_at_all_is_an_error)
{
    open_folder();
    const script s = { .library = RULES("ledger"), .commands = "roll" };
    record_script(store, &s);
    const int64_t none = 4711;
    verified v = verify_keys(store, &none, 1, RULES("ledger"), NULL);
    cr_assert_lt(v.code, 0);
    cr_assert_neq(v.err.message[0], '\0');
    verified_release(&v);
    v = verify_keys(store, NULL, 1, RULES("ledger"), NULL);
    cr_assert_eq(v.code, DEJA_EMISUSE);
    verified_release(&v);
    char missing[160];
    snprintf(missing, sizeof missing, "%s/none.deja", folder);
    v = verify_keys(missing, NULL, 0, RULES("ledger"), NULL);
    cr_assert_eq(v.code, DEJA_EIO);
    verified_release(&v);
    deja_verify_options options = test_options();
    options.isolate = 17;
    v = verify_keys(store, NULL, 0, RULES("ledger"), &options);
    cr_assert_eq(v.code, DEJA_EMISUSE);
    verified_release(&v);
    /* Options of an older caller, which knows fewer. */
    options = test_options();
    options.struct_size = offsetof(deja_verify_options, before_count);
    uint64_t count;
    int64_t *keys = scratch_keys(store, &count);
    deja_verify_summary summary;
    cr_assert_eq(deja_verify(store, keys, count, RULES("ledger"), &options, &summary, NULL),
                 DEJA_OK);
    cr_assert_eq(summary.kinds[DEJA_MATCH], 1);
    free(keys);
    close_folder();
}

/* Waits for the first crash to come, and writes to the library before it does. */
static void change_when_counted(const char *library, uint32_t *count)
{
    for (int i = 0; i < 6000 && __atomic_load_n(count, __ATOMIC_SEQ_CST) == 0; i++)
        usleep(10000);
    FILE *file = fopen(library, "a");
    if (file) {
        fputc(0, file);
        fclose(file);
    }
    __atomic_store_n(count, 1000, __ATOMIC_SEQ_CST);
    _exit(0);
}

Test(order, the_library_must_stay_the_same)
{
    static const char source[] =
        COUNTED "#define LEDGER_FAULT fault\n#include \"ledger.h\"\n#include <stdlib.h>\n"
                "#include <unistd.h>\n"
                "static void fault(ledger *l, const ledger_command *c, deja_out *o)"
                " { (void)c; (void)o; if (l->steps != 5) return; counted();"
                " while (__atomic_load_n(count_there(), __ATOMIC_SEQ_CST) < 1000) usleep(1000);"
                " abort(); }\n";
    char library[256], flag[64];
    open_folder();
    uint32_t *count = open_count(flag);
    build_library(library, folder, "l", source, "cc", flag);
    for (uint64_t seed = 0; seed < 2; seed++) {
        const script s = { .library = RULES("ledger"), .commands = "roll\n* 9", .seed = seed };
        record_script(store, &s);
    }
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        change_when_counted(library, count);
    verified v = verify_store(store, library, NULL);
    cr_assert_eq(v.code, DEJA_EUNFIT, "%d", v.code);
    cr_assert(strstr(v.err.message, "has changed while it was being used"), "%s", v.err.message);
    verified_release(&v);
    cr_assert_eq(waitpid(child, NULL, 0), child);
    close_count(count);
    close_folder();
}

Test(order, every_kind_of_verdict_has_its_name)
{
    static const char *const names[] = { "match",    "diverged", "crashed", "hung",
                                         "unstable", "stale",    "unfit",   "damaged" };
    for (uint32_t i = 0; i < DEJA_VERDICT_COUNT; i++)
        cr_assert_str_eq(deja_verdict_name(i), names[i]);
    cr_assert_str_eq(deja_verdict_name(DEJA_VERDICT_COUNT), "unknown");
}
