/* SPDX-License-Identifier: MIT */
/*
 * What is told of a difference: results, events, outcomes, chains, fields.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "replay/replaying.h"

TestSuite(differences, .timeout = 300);

/* ---- what differs ---- */

Test(differences, a_result_is_told_by_its_names) /* B51 */
{
    open_folder();
    record_ledger("roll\n* 19\nmove i=9 d=1\nmove i=1 d=1");
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

/* The tail of a source that has defined `refusals_too` and `other_apply`. */
#define OTHER_TABLE                                                                            \
    "extern DEJA_EXPORT const deja_rules_table deja_rules;\n"                                  \
    "const deja_rules_table deja_rules = { DEJA_ABI, .id = \"ledger\", .version = \"1.4.0\","  \
    " .state = { sizeof(ledger), state_fields, 0, 0 },"                                        \
    " .command = { sizeof(ledger_command), command_fields, 0, 0 },"                            \
    " .event = { sizeof(ledger_event), event_fields, 0, 0 }, .start = start,"                  \
    " .apply = other_apply, .outcome = outcome, .refusals = refusals_too, .refusal_count = 5," \
    " .outcomes = outcomes, .outcome_count = 3 };\n"

Test(differences, a_build_that_wants_a_choice_first_is_told_by_its_refusal) /* B51 */
{
    static const char source[] =
        "#include <deja/rules.h>\n#undef DEJA_RULES\n"
        "#define DEJA_RULES const deja_rules_table hidden\n#include \"ledger.h\"\n"
        "static const char *const refusals_too[] = { \"over\", \"no_such_piece\", \"too_far\","
        " \"too_much\", \"need_choice\" };\n"
        "static uint32_t other_apply(void *s, const void *c, deja_out *o)"
        " { return ((ledger *)s)->steps == 20 ? 5 : apply(s, c, o); }\n" OTHER_TABLE;
    char library[256];
    open_folder();
    record_ledger("roll\n* 19\nspawn\nmove i=1 d=1");
    build_library(library, folder, "chooses", source, "cc", NULL);
    verified v = verify_store(store, library, NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_DIVERGED, "%s: %s", kind_of(t), t->why);
    cr_assert_eq(t->step, 21);
    cr_assert_str_eq(t->command, "spawn");
    cr_assert_str_eq(t->expected, "ok");
    cr_assert_str_eq(t->actual, "need_choice");
    verified_release(&v);
    close_folder();
}

Test(differences, events_alone_are_told_as_events_and_exactly_with_a_baseline)
{
    open_folder();
    record_ledger("roll\n* 49");
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

Test(differences, events_that_differ_before_the_state_does_are_a_remark)
{
    char library[256];
    open_folder();
    record_ledger("roll\n* 19999");
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

Test(differences, the_outcome_is_compared_at_the_end)
{
    open_folder();
    record_ledger("add n=5\nend");
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

/* ---- trails and chains ---- */

Test(differences, a_changed_chain_is_a_stretch_and_a_changed_trail_contradicts_it)
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
    const script events = { .library = RULES("ledger"),
                            .commands = "roll\n* 9\nadd n=2",
                            .change_events = true };
    record_script(store, &events);
    verified v = verify_store(store, RULES("ledger"), NULL);
    const told *all = need(&v, 5);
    for (int i = 0; i < 5; i++)
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
    cr_assert_eq(all[4].step, 1);
    cr_assert_eq(all[4].step_last, 11);
    cr_assert(strstr(all[4].why, "events differ somewhere in steps 1 to 11"), "%s", all[4].why);
    verified_release(&v);
    close_folder();
}

/* ---- fields ---- */

Test(differences, a_field_that_no_rule_reads_is_named_alone) /* B17 */
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

Test(differences, many_fields_are_told_in_part_and_the_rest_counted)
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

Test(differences, a_baseline_that_is_another_build_says_so)
{
    char library[256];
    open_folder();
    record_ledger("roll\n* 59");
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
