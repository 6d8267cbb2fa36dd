/* SPDX-License-Identifier: MIT */
/*
 * Which step a difference is told at, and what is told of it.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "replay/replaying.h"
#include "support/scratch.h"

TestSuite(steps, .timeout = 300);

static char folder[64], store[128];

static void open_folder(void)
{
    scratch_open(folder);
    snprintf(store, sizeof store, "%s/plays.deja", folder);
}

static void close_folder(void)
{
    cr_assert_eq(count_workers(), 0, "a worker was left behind");
    scratch_close(folder);
}

/* A ledger whose state changes by `body` behind each accepted command: l, c. */
static void build_fault(char library[256], const char *name, const char *body)
{
    char source[2048];
    snprintf(source, sizeof source,
             "#define LEDGER_VERSION \"1.4.0\"\n#define LEDGER_FAULT fault\n#include \"ledger.h\"\n"
             "static void fault(ledger *l, const ledger_command *c, deja_out *o)"
             " { (void)l; (void)c; (void)o; %s }\n",
             body);
    build_library(library, folder, name, source, "cc", NULL);
}

static void record(const char *commands)
{
    const script s = { .library = RULES("ledger"), .commands = commands, .seed = 5 };
    record_script(store, &s);
}

/* ---- the step ---- */

Test(steps, a_difference_at_the_last_step_is_found) /* B61 */
{
    static const struct {
        const char *commands;
        uint64_t steps;
    } rows[] = { { "end", 1 }, { "roll\nend", 2 }, { "roll\n* 998\nend", 1000 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        open_folder();
        record(rows[i].commands);
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
    record("roll\n* 199");
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

Test(steps, the_steps_before_are_told_however_early_it_was) /* B67 */
{
    char library[256];
    open_folder();
    record("roll\n* 3\nmove i=1 d=-1\nmove i=9 d=1\nroll\n* 3\nspawn\n* 39989");
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
    record("roll\n* 19999");
    build_fault(library, "late", "if (l->steps == 16386) l->gold++;");
    verified v = verify_store(store, library, NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->step, 16386);
    cr_assert_eq(t->before_count, 5);
    cr_assert(strncmp(t->before, "16381 roll ok ", 14) == 0, "%s", t->before);
    verified_release(&v);
    close_folder();
}

Test(steps, a_difference_that_heals_is_told_where_it_begins) /* B69 */
{
    open_folder();
    record("roll\n* 399");
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
    record("roll\n* 99");
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

/* ---- what differs ---- */

Test(steps, a_result_is_told_by_its_names) /* B51 */
{
    open_folder();
    record("roll\n* 19\nmove i=9 d=1\nmove i=1 d=1");
    verified v = verify_store(store, RULES("ledger-refusal"), NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_DIVERGED);
    cr_assert_eq(t->step, 21);
    cr_assert_str_eq(t->command, "move i=9 d=1");
    cr_assert_str_eq(t->expected, "no_such_piece");
    cr_assert_neq(strcmp(t->actual, t->expected), 0);
    cr_assert_str_eq(t->why, "the result differs");
    verified_release(&v);
    close_folder();
}

Test(steps, events_alone_are_told_as_events_and_exactly_with_a_baseline)
{
    open_folder();
    record("roll\n* 49");
    verified v = verify_store(store, RULES("ledger-events"), NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_DIVERGED);
    cr_assert_eq(t->step, 1);
    cr_assert_eq(t->step_last, 50);
    cr_assert(strstr(t->why, "events differ somewhere in steps 1 to 50"), "%s", t->why);
    verified_release(&v);
    deja_verify_options options = test_options();
    options.baseline = RULES("ledger");
    v = verify_store(store, RULES("ledger-events"), &options);
    t = need(&v, 1);
    cr_assert_eq(t->step, 33);
    cr_assert_eq(t->step_last, 33);
    cr_assert_str_eq(t->fields, "events[1]: (none) / rested");
    cr_assert_eq(t->before_count, 5);
    verified_release(&v);
    close_folder();
}

Test(steps, events_that_differ_before_the_state_does_are_a_remark)
{
    char library[256];
    open_folder();
    record("roll\n* 19999");
    build_fault(library, "both",
                "if (l->steps == 33) { ledger_event e; memset(&e, 0, sizeof e); e.kind = RESTED;"
                " deja_emit(o, &e); } if (l->steps == 16390) l->gold++;");
    verified v = verify_store(store, library, NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->step, 16390);
    cr_assert(strstr(t->remarks, "events differ already in steps 1 to 16384"), "%s", t->remarks);
    verified_release(&v);
    close_folder();
}

Test(steps, the_outcome_is_compared_at_the_end)
{
    open_folder();
    record("add n=5\nend");
    const script running = { .library = RULES("ledger"), .commands = "add n=5" };
    record_script(store, &running);
    const script unfinished = { .library = RULES("ledger"),
                                .commands = "add n=5\nend\nnop",
                                .ended = DEJA_ENDED_UNFINISHED };
    record_script(store, &unfinished);
    verified v = verify_store(store, RULES("ledger-outcome"), NULL);
    const told *all = need(&v, 3);
    cr_assert_eq(all[0].kind, DEJA_DIVERGED);
    cr_assert_eq(all[0].step, 2);
    cr_assert_str_eq(all[0].expected, "gain");
    cr_assert_str_eq(all[0].actual, "even");
    cr_assert_str_eq(all[0].why, "the outcome differs");
    cr_assert_eq(all[1].kind, DEJA_MATCH);
    cr_assert_eq(all[2].kind, DEJA_MATCH, "%s", all[2].why);
    cr_assert(strstr(all[2].remarks, "never closed"), "%s", all[2].remarks);
    verified_release(&v);
    close_folder();
}

Test(steps, a_session_without_commands_compares_step_0) /* B79 */
{
    char library[256];
    open_folder();
    record("");
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

/* ---- trails and chains ---- */

Test(steps, a_changed_chain_is_a_stretch_and_a_changed_trail_contradicts_it)
{
    open_folder();
    /* What a hash of 8 bits happens to miss is in the chain, too. */
    const script chain = {
        .library = RULES("ledger"), .commands = "roll\n* 9", .change_chain = true, .trail_bits = 8
    };
    record_script(store, &chain);
    const script trail = { .library = RULES("ledger"),
                           .commands = "roll\n* 9\nnop",
                           .change_trail_at = 7 };
    record_script(store, &trail);
    const script result = { .library = RULES("ledger"),
                            .commands = "roll\n* 9\nspawn",
                            .change_result_at = 4 };
    record_script(store, &result);
    const script full = { .library = RULES("ledger"),
                          .commands = "roll\n* 9\nadd n=1",
                          .change_chain = true,
                          .trail_bits = 64 };
    record_script(store, &full);
    verified v = verify_store(store, RULES("ledger"), NULL);
    const told *all = need(&v, 4);
    for (int i = 0; i < 4; i++)
        cr_assert_eq(all[i].kind, DEJA_DIVERGED, "%d: %s", i, kind_of(&all[i]));
    cr_assert_eq(all[0].step, 1);
    cr_assert_eq(all[0].step_last, 10);
    cr_assert(strstr(all[0].why, "all hashes of 8 bits agree"), "%s", all[0].why);
    cr_assert_eq(all[1].step, 7);
    cr_assert_eq(all[1].step_last, 7);
    cr_assert(strstr(all[1].remarks, "contradicts itself"), "%s", all[1].remarks);
    cr_assert(strstr(all[1].remarks, "the very build that recorded it"), "%s", all[1].remarks);
    cr_assert_eq(all[2].step, 4);
    cr_assert_str_eq(all[2].expected, "over");
    cr_assert_str_eq(all[2].actual, "ok");
    cr_assert(strstr(all[3].remarks, "contradicts itself"), "%s", all[3].remarks);
    verified_release(&v);
    close_folder();
}

/* ---- builds ---- */

Test(steps, one_rounding_less_is_found_and_told_so_that_it_shows) /* B10 */
{
    static const char source[] =
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
    char a[256], b[256];
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("fma"))
        cr_skip_test("this processor does not fuse");
    open_folder();
    build_library(a, folder, "separate", source, "gcc", NULL);
    build_library(b, folder, "fused", source, "gcc", "-march=haswell -ffp-contract=fast");
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

Test(steps, two_draws_in_one_call_are_found_by_another_compiler) /* B25 */
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

Test(steps, a_field_that_no_rule_reads_is_named_alone) /* B17 */
{
    char a[256], b[256];
    open_folder();
    build_fault(a, "bright", "if (c->kind == NOP) l->pos[3] = 1;");
    build_fault(b, "dark", "(void)c;");
    const script s = { .library = a, .commands = "nop\nroll\n* 9" };
    record_script(store, &s);
    deja_verify_options options = test_options();
    options.baseline = a;
    verified v = verify_store(store, b, &options);
    const told *t = need(&v, 1);
    cr_assert_eq(t->step, 1);
    cr_assert_str_eq(t->fields, "pos[3]: 1 / 0");
    verified_release(&v);
    close_folder();
}

Test(steps, many_fields_are_told_in_part_and_the_rest_counted)
{
    static const char source[] =
        "#include <deja/rules.h>\ntypedef struct { uint32_t n; } item;\n"
        "typedef struct { item x[100]; uint8_t k; } wide;\n"
        "static void one(deja_fields *f, const item *i) { deja_u32(f, \"n\", &i->n); }\n"
        "static void fields(deja_fields *f, const void *v)"
        " { deja_struct_array(f, \"x\", ((const wide *)v)->x, 100, one); }\n"
        "static const char *const kinds[] = { \"go\" };\n"
        "static void commands(deja_fields *f, const void *v)"
        " { (void)deja_kind(f, &((const wide *)v)->k, kinds); }\n"
        "static uint32_t start(void *s, const void *c, uint64_t seed, const deja_content *t)"
        " { (void)s; (void)c; (void)seed; (void)t; return 0; }\n"
        "static uint32_t apply(void *s, const void *c, deja_out *o) { (void)c; (void)o;"
        " for (int i = 0; i < 100; i++) ((wide *)s)->x[i].n += ADD; return 0; }\n"
        "DEJA_RULES = { DEJA_ABI, .id = \"wide\", .version = \"1\","
        " .state = { sizeof(wide), fields, 0, 0 }, .command = { sizeof(wide), commands, 0, 0 },"
        " .start = start, .apply = apply };\n";
    char a[256], b[256];
    open_folder();
    build_library(a, folder, "one", source, "cc", "-DADD=1");
    build_library(b, folder, "two", source, "cc", "-DADD=2");
    const script s = { .library = a, .commands = "go\n* 9" };
    record_script(store, &s);
    deja_verify_options options = test_options();
    options.baseline = a;
    verified v = verify_store(store, b, &options);
    const told *t = need(&v, 1);
    cr_assert_eq(t->step, 1);
    cr_assert_eq(t->field_count, 32);
    cr_assert_eq(t->left_out, 68);
    verified_release(&v);
    close_folder();
}

Test(steps, a_baseline_that_is_another_build_says_so)
{
    char library[256];
    open_folder();
    record("roll\n* 59");
    build_fault(library, "at_50", "if (l->steps == 50) l->gold++;");
    deja_verify_options options = test_options();
    /* It reproduces the recording, but did not make it. */
    char twin[256];
    build_fault(twin, "twin", "(void)l;");
    options.baseline = twin;
    verified v = verify_store(store, library, &options);
    const told *t = need(&v, 1);
    cr_assert_eq(t->step, 50);
    cr_assert(strstr(t->remarks, "not the build that recorded it"), "%s", t->remarks);
    cr_assert(strstr(t->fields, "gold: "), "%s", t->fields);
    verified_release(&v);
    /* This one does not reproduce it. */
    build_fault(twin, "other", "if (l->steps == 20) l->pos[2]++;");
    v = verify_store(store, library, &options);
    t = need(&v, 1);
    cr_assert_eq(t->step, 50);
    cr_assert_eq(t->field_count, 0);
    cr_assert(strstr(t->remarks, "does not reproduce it either: it differs at step 20"), "%s",
              t->remarks);
    verified_release(&v);
    options.baseline = RULES("ledger-crash");
    v = verify_store(store, library, &options);
    cr_assert(strstr(need(&v, 1)->remarks, "does not get through it"), "%s", v.items[0].remarks);
    verified_release(&v);
    options.baseline = GAMES("peg");
    v = verify_store(store, library, &options);
    cr_assert(strstr(need(&v, 1)->remarks, "the baseline does not fit"), "%s", v.items[0].remarks);
    verified_release(&v);
    options.baseline = DEJA_BUILD_DIR "/none.so";
    v = verify_store(store, library, &options);
    cr_assert_eq(v.code, DEJA_EIO);
    cr_assert(strstr(v.err.message, "the baseline '"), "%s", v.err.message);
    verified_release(&v);
    close_folder();
}

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

Test(steps, the_float_environment_is_the_recorded_one)
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

/* ---- sizes ---- */

Test(steps, large_configs_and_commands_go_over_in_parts)
{
    static const char source[] =
        "#include <deja/rules.h>\nenum { N = 3000000 };\n"
        "typedef struct { uint8_t x[N]; } large;\ntypedef struct { uint32_t sum; uint8_t last; } "
        "s_;\n"
        "typedef struct { uint8_t kind; uint8_t x[N]; } order;\n"
        "static large usual;\n"
        "static void config_fields(deja_fields *f, const void *v)"
        " { deja_bytes(f, \"x\", ((const large *)v)->x, N); }\n"
        "static void fields(deja_fields *f, const void *v) { const s_ *s = v;"
        " deja_u32(f, \"sum\", &s->sum); deja_u8(f, \"last\", &s->last); }\n"
        "static const char *const kinds[] = { \"go\", \"put\" };\n"
        "static void commands(deja_fields *f, const void *v) { const order *o = v;"
        " if (deja_kind(f, &o->kind, kinds) == 1) deja_bytes(f, \"x\", o->x, N); }\n"
        "static uint32_t start(void *s, const void *c, uint64_t seed, const deja_content *t)"
        " { (void)seed; (void)t; ((s_ *)s)->sum = N - ((const large *)c)->x[7]; return 0; }\n"
        "static uint32_t apply(void *v, const void *c, deja_out *out) { s_ *s = v; const order *o "
        "= c;"
        " (void)out; for (uint32_t i = 0; o->kind == 1 && i < N; i++) s->sum += o->x[i] * i;"
        " s->last = o->x[N - 1]; return 0; }\n"
        "DEJA_RULES = { DEJA_ABI, .id = \"large\", .version = \"1\","
        " .state = { sizeof(s_), fields, 0, 0 }, .command = { sizeof(order), commands, 0, 0 },"
        " .config = { sizeof(large), config_fields, 0, 0 }, .config_default = &usual,"
        " .start = start, .apply = apply };\n";
    char library[256];
    open_folder();
    build_library(library, folder, "large", source, "cc", NULL);
    const size_t digits = 6000000;
    char *commands = malloc(digits + 64);
    cr_assert_not_null(commands);
    strcpy(commands, "go\nput x=");
    memset(commands + strlen(commands), 'a', digits);
    strcpy(commands + strlen("go\nput x=") + digits, "\ngo\n* 3");
    const script s = { .library = library, .commands = commands };
    record_script(store, &s);
    free(commands);
    for (uint32_t isolate = DEJA_ISOLATE_RESTORE; isolate <= DEJA_ISOLATE_EXEC; isolate++) {
        deja_verify_options options = test_options();
        options.isolate = isolate;
        verified v = verify_store(store, library, &options);
        const told *t = need(&v, 1);
        cr_assert_eq(t->kind, DEJA_MATCH, "%s: %s", kind_of(t), t->why);
        cr_assert_eq(t->compared, 7);
        verified_release(&v);
    }
    close_folder();
}

Test(steps, memory_stays_flat_however_long_a_session_is) /* B91 */
{
    static const char *const lengths[] = { "roll\n* 99999", "roll\n* 999999" };
    long peaks[2];
    for (int i = 0; i < 2; i++) {
        open_folder();
        record(lengths[i]);
        fflush(NULL);
        /* In a process of its own, whose peak nothing else has raised. */
        int ends[2];
        cr_assert_eq(pipe(ends), 0);
        const pid_t child = fork();
        if (child == 0) {
            verified v = verify_store(store, RULES("ledger"), NULL);
            struct rusage self, workers;
            getrusage(RUSAGE_SELF, &self);
            getrusage(RUSAGE_CHILDREN, &workers);
            const long peak = self.ru_maxrss + workers.ru_maxrss;
            const bool good = v.code == DEJA_OK && v.count == 1 && v.items[0].kind == DEJA_MATCH;
            (void)!write(ends[1], &peak, sizeof peak);
            _exit(good ? 0 : 1);
        }
        int status = -1;
        cr_assert_eq(read(ends[0], &peaks[i], sizeof peaks[i]), (ssize_t)sizeof peaks[i]);
        cr_assert_eq(waitpid(child, &status, 0), child);
        cr_assert_eq(status, 0);
        close_folder();
    }
#if !defined(__SANITIZE_ADDRESS__)
    cr_assert_leq(peaks[1], peaks[0] + peaks[0] / 5, "%ld KiB, then %ld", peaks[0], peaks[1]);
    cr_assert_leq(peaks[1], 200 * 1024);
#endif
}
