/* SPDX-License-Identifier: MIT */
/*
 * Builds whose numbers differ: rounding, the C library, order, luck, what a compiler may assume.
 */
#include <criterion/criterion.h>
#include <fenv.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "replay/replaying.h"

TestSuite(numbers, .timeout = 300);

/* ---- floats ---- */

/* x = 3.9 x (1 - x), which makes every rounding show a step later. */
static const char logistic[] =
    "#include <deja/rules.h>\ntypedef struct { double x; } map; typedef struct { uint8_t k; }"
    " none;\nstatic void fields(deja_fields *f, const void *v)"
    " { deja_f64(f, \"x\", &((const map *)v)->x); }\n"
    "static const char *const kinds[] = { \"go\" };\n"
    "static void commands(deja_fields *f, const void *v)"
    " { (void)deja_kind(f, &((const none *)v)->k, kinds); }\n"
    "static uint32_t start(void *s, const void *c, uint64_t seed, const deja_content *t)"
    " { (void)c; (void)seed; (void)t; ((map *)s)->x = 0.3; return 0; }\n"
    "static uint32_t apply(void *s, const void *c, deja_out *o) { map *m = s; (void)c; (void)o;"
    " m->x = 3.9 * m->x - 3.9 * m->x * m->x; return 0; }\n"
    "DEJA_RULES = { DEJA_ABI, .id = \"logistic\", .version = \"1\","
    " .state = { sizeof(map), fields, 0, 0 }, .command = { sizeof(none), commands, 0, 0 },"
    " .start = start, .apply = apply };\n";

Test(numbers, one_rounding_less_is_found_and_told_so_that_it_shows) /* B10 */
{
    char a[256], b[256];
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("fma"))
        cr_skip_test("this processor does not fuse");
    open_folder();
    build_library(a, folder, "separate", logistic, "gcc", NULL);
    build_library(b, folder, "fused", logistic, "gcc", "-march=haswell -ffp-contract=fast");
    const script s = { .library = a, .commands = "go\n* 9" };
    record_script(store, &s);
    deja_verify_options options = test_options();
    options.baseline = a;
    verified v = verify_store(store, b, &options);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_DIVERGED);
    cr_assert_eq(t->step, 2);
    cr_assert_eq(t->field_count, 1);
    char expected[128], actual[128];
    cr_assert_eq(sscanf(t->fields, "x: %127s %*s / %127s", expected, actual), 2, "%s", t->fields);
    cr_assert_neq(strcmp(expected, actual), 0, "%s", t->fields);
    verified_release(&v);
    close_folder();
}

Test(numbers, the_float_environment_is_the_recorded_one)
{
    static const char source[] = "#define LEDGER_FAULT divide\n#include \"ledger.h\"\n"
                                 "static void divide(ledger *l, const ledger_command *c,"
                                 " deja_out *o) { (void)c; (void)o; volatile double a = 1, b = 3;"
                                 " double q = a / b; memcpy(l->pos, &q, sizeof q); }\n";
    char library[256];
    open_folder();
    build_library(library, folder, "divides", source, "cc", NULL);
    const script up = { .library = library, .commands = "nop", .platform = "x round-up" };
    record_script(store, &up);
    verified v = verify_store(store, library, NULL);
#if defined(__x86_64__)
    /* Recorded with rounding to nearest, in truth, but the platform says up. */
    cr_assert_eq(need(&v, 1)->kind, DEJA_DIVERGED);
    cr_assert_eq(v.items[0].step, 1);
#endif
    verified_release(&v);
    close_folder();
}

/* In a child: a host that plays, records, and has its way of rounding changed by somebody. */
static void record_rounding(const char *library)
{
    deja_error err = { 0 };
    deja_store *opened = NULL;
    deja_plugin *plugin = NULL;
    deja_recorder *recorder = NULL;
    deja_recorder_options options = DEJA_RECORDER_OPTIONS_INIT;
    double state = 0;
    const uint8_t go = 0;
    bool good = deja_store_open(&opened, store, DEJA_STORE_WRITE, &err) == DEJA_OK &&
                deja_plugin_open(&plugin, library, &err) == DEJA_OK &&
                deja_plugin_table(plugin)->start(&state, NULL, 0, NULL) == 0 &&
                deja_recorder_open(&recorder, opened, plugin, &state, &options, &err) == DEJA_OK;
    for (int step = 1; good && step <= 20; step++) {
        good = deja_recorder_step(recorder, &state, &go, NULL, NULL, &err) == DEJA_OK;
        if (step == 10)
            fesetround(FE_TOWARDZERO);
    }
    good = good && deja_recorder_close(recorder, NULL, NULL, &err) == DEJA_OK &&
           deja_store_close(opened, &err) == DEJA_OK;
    _exit(good ? 0 : 1);
}

Test(numbers, rounding_that_changed_while_it_was_recorded_is_told_with_the_difference) /* B12 */
{
#if !defined(__x86_64__)
    cr_skip_test("not seen by the recorder on this machine");
#endif
    char library[256];
    int status = -1;
    open_folder();
    build_library(library, folder, "logistic", logistic, "cc", NULL);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        record_rounding(library);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
    verified v = verify_store(store, library, NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_DIVERGED, "%s: %s", kind_of(t), t->why);
    cr_assert(t->step == 11 || t->step == 12, "%llu", (unsigned long long)t->step);
    cr_assert(strstr(t->remarks, "marked at step 10: the float environment changed: round-zero"),
              "%s", t->remarks);
    verified_release(&v);
    close_folder();
}

Test(numbers, another_sine_is_found_at_the_only_step_that_asks_for_one) /* B14 */
{
    static const char source[] =
        "#define LEDGER_FAULT turn\n#include \"ledger.h\"\n#include <math.h>\n"
        "static double series(double x) { double sum = x, term = x;"
        " for (int i = 1; i < 9; i++) { term *= -x * x / (2 * i * (2 * i + 1)); sum += term; }"
        " return sum; }\n"
        "static void turn(ledger *l, const ledger_command *c, deja_out *o) { (void)o;"
        " if (c->kind != SPAWN) return; double x = 2 + (double)(l->gold % 2);"
        " x = SINE(x); (void)series; memcpy(l->pos, &x, sizeof x); }\n";
    char a[256], b[256];
    open_folder();
    build_library(a, folder, "library", source, "cc", "-DSINE=sin -Wl,--no-as-needed -lm");
    build_library(b, folder, "series", source, "cc", "-DSINE=series");
    const script s = { .library = a, .commands = "roll\n* 35\nspawn\nroll\n* 42" };
    record_script(store, &s);
    verified v = verify_store(store, a, NULL);
    cr_assert_eq(need(&v, 1)->kind, DEJA_MATCH);
    verified_release(&v);
    deja_verify_options options = test_options();
    options.baseline = a;
    v = verify_store(store, b, &options);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_DIVERGED, "%s: %s", kind_of(t), t->why);
    cr_assert_eq(t->steps, 80);
    cr_assert_eq(t->step, 37);
    cr_assert_eq(t->step_last, 37);
    cr_assert_str_eq(t->command, "spawn");
    cr_assert_eq(t->compared, 38); /* step 0 and 36 equal ones, and this */
    cr_assert(strstr(t->before, "36 roll ok "), "%s", t->before);
    cr_assert(strstr(t->fields, "pos[0]: "), "%s", t->fields);
    verified_release(&v);
    close_folder();
}

/* ---- order ---- */

Test(numbers, a_table_of_another_size_is_found_where_it_is_first_walked) /* B19 */
{
    static const char source[] =
        "#define LEDGER_FAULT pay_all\n#include \"ledger.h\"\n"
        "static const char *const names[] = { \"ale\", \"bread\", \"cloth\", \"dye\", \"flax\","
        " \"hides\", \"iron\", \"salt\" };\n"
        "static uint32_t hash(const char *c) { uint32_t h = 2166136261u;"
        " for (; *c; c++) h = (h ^ (uint8_t)*c) * 16777619u; return h; }\n"
        "static void pay_all(ledger *l, const ledger_command *c, deja_out *o) { (void)o;"
        " if (c->kind != SPAWN) return; for (uint32_t bucket = 0; bucket < BUCKETS; bucket++)"
        " for (uint32_t i = 0; i < 8; i++) if (hash(names[i]) % BUCKETS == bucket) {"
        " l->rng = l->rng * 1664525u + 1013904223u;"
        " l->pos[i % 4] += (int32_t)((l->rng >> 16) % 10) << i / 4 * 8; } }\n";
    char a[256], b[256];
    open_folder();
    build_library(a, folder, "sixteen", source, "cc", "-DBUCKETS=16");
    build_library(b, folder, "seventeen", source, "cc", "-DBUCKETS=17");
    const script s = { .library = a, .commands = "roll\n* 7\nspawn\nroll\n* 9\nspawn" };
    record_script(store, &s);
    verified v = verify_store(store, b, NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_DIVERGED, "%s: %s", kind_of(t), t->why);
    cr_assert_eq(t->step, 9);
    cr_assert_str_eq(t->command, "spawn");
    verified_release(&v);
    close_folder();
}

/* ---- luck ---- */

Test(numbers, two_draws_in_one_call_are_found_by_another_compiler) /* B25 */
{
    static const char source[] =
        "#define LEDGER_FAULT drop\n#include \"ledger.h\"\n"
        "static uint32_t draw(ledger *l) { l->rng = l->rng * 1664525u + 1013904223u;"
        " return l->rng >> 22; }\n"
        "static void put(ledger *l, uint32_t a, uint32_t b) { l->pos[0] = (int32_t)a;"
        " l->pos[1] = (int32_t)b; }\n"
        "static void drop(ledger *l, const ledger_command *c, deja_out *o)"
        " { (void)o; if (c->kind == SPAWN) put(l, draw(l), draw(l)); }\n";
    char a[256], b[256];
    open_folder();
    build_library(a, folder, "left", source, "gcc", NULL);
    build_library(b, folder, "right", source, "clang", NULL);
    const script s = { .library = a, .commands = "roll\n* 13\nspawn\nroll" };
    record_script(store, &s);
    deja_verify_options options = test_options();
    options.baseline = a;
    verified v = verify_store(store, b, &options);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_DIVERGED);
    cr_assert_eq(t->step, 15);
    cr_assert_eq(t->field_count, 2);
    cr_assert(strstr(t->fields, "pos[0]: ") && strstr(t->fields, "pos[1]: "), "%s", t->fields);
    verified_release(&v);
    close_folder();
}

Test(numbers, another_way_to_make_a_range_of_a_draw_is_found_at_the_first_it_rejects) /* B27 */
{
    char library[256];
    open_folder();
    const script s = { .library = RULES("ledger"), .commands = "roll\n* 59", .seed = 10528 };
    record_script(store, &s);
    build_fault(library, "rejects",
                "if (c->kind != ROLL || l->rng >> 16 < 65530) return;"
                " l->gold -= (l->rng >> 16) % 10;"
                " do l->rng = l->rng * 1664525u + 1013904223u; while (l->rng >> 16 >= 65530);"
                " l->gold += (l->rng >> 16) % 10;");
    verified v = verify_store(store, library, NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_DIVERGED, "%s: %s", kind_of(t), t->why);
    cr_assert_eq(t->step, 41);
    verified_release(&v);
    close_folder();
}

/* ---- what a compiler may assume ---- */

Test(numbers, an_overflow_that_one_compiler_assumes_away_is_found_where_it_happens) /* B39 */
{
    static const char source[] =
        "#define LEDGER_FAULT put\n#include \"ledger.h\"\n"
        "static void put(ledger *l, const ledger_command *c, deja_out *o) { (void)o;"
        " if (c->kind != ADD) return; int g = l->pos[0], n = c->n * 2000;"
        " if (g + n < g) g = -1; else g += n; l->pos[0] = g; }\n";
    char a[256], b[256];
    open_folder();
    build_library(a, folder, "as_written", source, "clang", "-O0");
    build_library(b, folder, "optimised", source, "clang", "-O2");
    const script s = { .library = a, .commands = "add n=60000\n* 19" };
    record_script(store, &s);
    deja_verify_options options = test_options();
    options.baseline = a;
    verified v = verify_store(store, b, &options);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_DIVERGED, "%s: %s", kind_of(t), t->why);
    cr_assert_eq(t->step, 18);
    cr_assert_str_eq(t->command, "add n=60000");
    cr_assert(strncmp(t->fields, "pos[0]: -1 / -", 14) == 0, "%s", t->fields);
    verified_release(&v);
    close_folder();
}
