/* SPDX-License-Identifier: MIT */
/*
 * Rules that ask the world: the day, a race of threads, the person before the screen.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "replay/replaying.h"

TestSuite(world, .timeout = 120);

#if defined(__SANITIZE_ADDRESS__)
enum { is_sanitized = true };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
enum { is_sanitized = true };
#else
enum { is_sanitized = false };
#endif
#else
enum { is_sanitized = false };
#endif

/* ---- the day ---- */

Test(world, what_depends_on_the_day_is_found_on_another_one_and_by_the_very_build) /* B31 */
{
    static const char rules[] =
        "#define LEDGER_FAULT shop\n#include \"ledger.h\"\n#include <time.h>\n"
        "static void shop(ledger *l, const ledger_command *c, deja_out *o) { (void)c; (void)o;"
        " if (l->steps == 5) l->gold += time(0) / 86400 % 2; }\n";
    static const char clock[] =
        "#include <time.h>\n"
        "__attribute__((visibility(\"default\"))) time_t time(time_t *t)"
        " { struct timespec now; clock_gettime(CLOCK_REALTIME, &now);"
        " now.tv_sec += 86400; if (t) *t = now.tv_sec; return now.tv_sec; }\n";
    char library[256], tomorrow[256];
    if (is_sanitized)
        cr_skip_test("a sanitizer wants to be loaded first");
    open_folder();
    build_library(library, folder, "shops", rules, "cc", NULL);
    build_library(tomorrow, folder, "clock", clock, "cc", NULL);
    while (time(NULL) % 86400 > 86400 - 30) /* both are to be on one day */
        sleep(1);
    const script s = { .library = library, .commands = "roll\n* 19" };
    record_script(store, &s);
    verified v = verify_store(store, library, NULL);
    cr_assert_eq(need(&v, 1)->kind, DEJA_MATCH, "%s", v.items[0].why);
    verified_release(&v);
    setenv("LD_PRELOAD", tomorrow, 1);
    v = verify_store(store, library, NULL);
    unsetenv("LD_PRELOAD");
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_DIVERGED, "%s: %s", kind_of(t), t->why);
    cr_assert_eq(t->step, 5);
    cr_assert(strstr(t->remarks, "this is the very build that recorded it"), "%s", t->remarks);
    verified_release(&v);
    close_folder();
}

/* ---- threads ---- */

/* Two threads that wait for something a hundred times, and then change one number without a lock:
 * who got there first is in what comes out, on one processor, too. */
static const char race[] =
    "#define LEDGER_FAULT pay_all\n#include \"ledger.h\"\n#include <pthread.h>\n#include <time.h>\n"
    "static volatile uint64_t sum;\n"
    "static void *add(void *who) { const struct timespec moment = { 0, 1000 };"
    " for (int i = 0; i < 100; i++) { nanosleep(&moment, 0); sum = sum * 31 + *(uint64_t *)who; }"
    " return 0; }\n"
    "static void pay_all(ledger *l, const ledger_command *c, deja_out *o) { (void)o;"
    " pthread_t a, b; uint64_t one = 1, two = 2; if (c->kind != SPAWN) return; sum = 0;"
    " pthread_create(&a, 0, add, &one); pthread_create(&b, 0, add, &two); pthread_join(a, 0);"
    " pthread_join(b, 0); l->gold += (int64_t)(sum >> 1); }\n";

Test(world, a_race_of_threads_is_unstable_whoever_recorded) /* B35 */
{
    char library[256];
    open_folder();
    build_library(library, folder, "races", race, "cc", "-pthread");
    const char *const recorders[] = { library, RULES("ledger") };
    for (int i = 0; i < 2; i++) {
        const script s = { .library = recorders[i],
                           .commands = "roll\n* 7\nspawn\nroll\n* 9",
                           .seed = (uint64_t)i };
        record_script(store, &s);
    }
    deja_verify_options options = test_options();
    options.confirm_all = 1;
    verified v = verify_store(store, library, &options);
    const told *all = need(&v, 2);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(all[i].kind, DEJA_UNSTABLE, "%s: %s", kind_of(&all[i]), all[i].why);
        cr_assert_eq(all[i].step, 9);
        cr_assert(strstr(all[i].why, "two answers: 5 of 5 runs differ"), "%s", all[i].why);
    }
    verified_release(&v);
    close_folder();
}

Test(world, an_answer_that_the_recorders_own_build_gives_now_and_then_is_unstable)
{
    /* Wrong in the first three processes that ask, and right in every later one. */
    static const char source[] =
        COUNTED "#define LEDGER_FAULT fault\n#include \"ledger.h\"\n"
                "static void fault(ledger *l, const ledger_command *c, deja_out *o)"
                " { (void)c; (void)o; if (l->steps != 9) return;"
                " const uint32_t n = counted(); if (n >= 1 && n <= 3) l->gold++; }\n";
    char library[256], flag[64];
    open_folder();
    uint32_t *count = open_count(flag);
    build_library(library, folder, "moody", source, "cc", flag);
    const script s = { .library = library, .commands = "roll\n* 19" };
    record_script(store, &s);
    verified v = verify_store(store, library, NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_UNSTABLE, "%s: %s", kind_of(t), t->why);
    cr_assert_eq(t->step, 9);
    cr_assert(strstr(t->why, "3 of 5 runs"), "%s", t->why);
    verified_release(&v);
    close_count(count);
    close_folder();
}

/* ---- a person ---- */

/* In a child whose input never comes and whose output is kept. */
static void verify_with_input(const char *library, const char *output)
{
    int input[2];
    const int file = open(output, O_CREAT | O_WRONLY | O_APPEND, 0600);
    if (file < 0 || pipe(input) != 0 || dup2(input[0], 0) < 0 || dup2(file, 1) < 0 ||
        dup2(file, 2) < 0)
        _exit(2);
    alarm(5);
    const verified v = verify_store(store, library, NULL);
    const bool good = v.code == DEJA_OK && v.count == 1 && v.items[0].kind == DEJA_DIVERGED &&
                      v.items[0].step == 21;
    _exit(good ? 0 : 1);
}

Test(world, rules_that_ask_a_person_get_no_answer_and_nobody_sees_the_question) /* B51 */
{
    char library[256], output[128], line[256] = "";
    int status = -1;
    open_folder();
    record_ledger("roll\n* 19\nspawn\nmove i=1 d=1");
    build_fault(library, "asks",
                "if (c->kind != SPAWN) return; char word[64]; printf(\"Which piece? \");"
                " fflush(stdout); l->pos[0] = fgets(word, sizeof word, stdin) ? word[0] : -1;");
    snprintf(output, sizeof output, "%s/output", folder);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        verify_with_input(library, output);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0, "%#x", status);
    FILE *file = fopen(output, "r");
    cr_assert_not_null(file);
    cr_assert_null(fgets(line, sizeof line, file), "%s", line);
    fclose(file);
    close_folder();
}

/* ---- files ---- */

static bool has_landlock(void)
{
#if defined(SYS_landlock_create_ruleset)
    return syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, 1u) >= 1;
#else
    return false;
#endif
}

Test(world, rules_write_no_files_where_the_kernel_sees_to_that)
{
    static const char rules[] =
        "#define LEDGER_FAULT scribble\n#include \"ledger.h\"\n#include <stdio.h>\n"
        "static void scribble(ledger *l, const ledger_command *c, deja_out *o) { (void)c; (void)o;"
        " FILE *f = l->steps == 5 ? fopen(PLACE, \"w\") : NULL; if (f) fclose(f);"
        " if (l->steps == 6) remove(STORE); }\n";
    char library[256], flags[512], place[128];
    if (!has_landlock())
        cr_skip_test("a kernel without Landlock");
    open_folder();
    record_ledger("roll\n* 9");
    snprintf(place, sizeof place, "%s/soiled", folder);
    snprintf(flags, sizeof flags, "-DPLACE='\"%s\"' -DSTORE='\"%s\"'", place, store);
    build_library(library, folder, "scribbler", rules, "cc", flags);
    const uint32_t ways[] = { DEJA_ISOLATE_AUTO, DEJA_ISOLATE_EXEC };
    for (size_t i = 0; i < 2; i++) {
        deja_verify_options options = test_options();
        options.isolate = ways[i];
        verified v = verify_store(store, library, &options);
        cr_assert_eq(need(&v, 1)->kind, DEJA_MATCH, "%s", v.items[0].why);
        verified_release(&v);
        cr_assert_neq(access(place, F_OK), 0);
        cr_assert_eq(access(store, F_OK), 0);
    }
    close_folder();
}
