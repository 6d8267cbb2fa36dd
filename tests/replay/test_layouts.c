/* SPDX-License-Identifier: MIT */
/*
 * Recordings held against builds of another layout, other names, another version, another game.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/replaying.h"

TestSuite(fits, .timeout = 300);

Test(fits, versions_that_differ_are_both_named) /* B70 */
{
    open_folder();
    record_ledger("roll\n* 9");
    verified v = verify_store(store, RULES("ledger-stdout"), NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_MATCH);
    cr_assert_str_eq(t->remarks, "recorded with version 1.4.0 of the rules, replayed with 1.5.0");
    verified_release(&v);
    close_folder();
}

Test(fits, a_command_put_before_others_is_found_by_its_name) /* B72 */
{
    open_folder();
    record_ledger("roll\n* 4\nmove i=1 d=1\nmove i=2 d=-1");
    verified v = verify_store(store, RULES("ledger-trade"), NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_MATCH, "%s", t->why);
    cr_assert(strstr(t->remarks, "command: added: trade"), "%s", t->remarks);
    verified_release(&v);
    /* The other way round, what is gone matters only where it was used. */
    const script with = { .library = RULES("ledger-trade"),
                          .commands = "roll\nmove i=1 d=1\ntrade a=1 b=2\nroll" };
    char other[128];
    snprintf(other, sizeof other, "%s/other.deja", folder);
    record_script(other, &with);
    v = verify_store(other, RULES("ledger"), NULL);
    t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_UNFIT, "%s: %s", kind_of(t), t->why);
    cr_assert_eq(t->step, 3);
    cr_assert(strstr(t->why, "trade"), "%s", t->why);
    cr_assert_eq(t->compared, 3);
    verified_release(&v);
    close_folder();
}

Test(fits, a_difference_before_a_command_that_is_gone_comes_first)
{
    static const char source[] =
        "#define LEDGER_FAULT fault\n#include \"ledger.h\"\n"
        "static void fault(ledger *l, const ledger_command *c, deja_out *o)"
        " { (void)c; (void)o; if (l->steps == 2) l->gold++; }\n";
    char library[256];
    open_folder();
    const script with = { .library = RULES("ledger-trade"),
                          .commands = "roll\n* 2\ntrade a=1 b=2\nroll" };
    record_script(store, &with);
    build_library(library, folder, "early", source, "cc", NULL);
    verified v = verify_store(store, library, NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_DIVERGED, "%s: %s", kind_of(t), t->why);
    cr_assert_eq(t->step, 2);
    verified_release(&v);
    close_folder();
}

Test(fits, wider_and_added_fields_leave_a_recording_as_it_is)
{
    open_folder();
    record_ledger("roll\n* 9\nmove i=1 d=3\nspawn\nend");
    static const struct {
        const char *library, *remark;
    } rows[] = { { RULES("ledger-wider"), "state: wider: pos[] (i32, is i64 now)" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        verified v = verify_store(store, rows[i].library, NULL);
        const told *t = need(&v, 1);
        cr_assert_eq(t->kind, DEJA_MATCH, "%s: %s", rows[i].library, t->why);
        cr_assert_eq(t->compared, 14);
        cr_assert(strstr(t->remarks, rows[i].remark), "%s", t->remarks);
        verified_release(&v);
    }
    close_folder();
}

Test(fits, a_difference_is_found_through_another_layout_as_well)
{
    static const char source[] =
        "#define LEDGER_PLACE int64_t\n#define LEDGER_FIELDS other\n"
        "#define LEDGER_LIST\n"
        "#define LEDGER_FAULT fault\n#include \"ledger.h\"\n"
        "static void fault(ledger *l, const ledger_command *c, deja_out *o)"
        " { (void)c; (void)o; if (l->steps == 7) l->pos[2] = BY; }\n"
        "static void other(deja_fields *f, const ledger *l) {"
        " deja_array(f, \"pos\", l->pos, PIECES, deja_i64);"
        " deja_u32(f, \"spawned\", &l->spawned); deja_u32(f, \"rng\", &l->rng);"
        " deja_list(f, \"mood\", l->list, &l->list_count, LIST_MAX, deja_u8);"
        " deja_i64(f, \"gold\", &l->gold);"
        " deja_u8(f, \"over\", &l->over); deja_u32(f, \"steps\", &l->steps); }\n";
    char library[256];
    open_folder();
    record_ledger("roll\n* 19");
    deja_verify_options options = test_options();
    options.baseline = RULES("ledger");
    build_library(library, folder, "moved", source, "cc", "-DBY=5");
    verified v = verify_store(store, library, &options);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_DIVERGED, "%s: %s", kind_of(t), t->why);
    cr_assert_eq(t->step, 7);
    cr_assert_str_eq(t->fields, "pos[2]: 0 / 5");
    verified_release(&v);
    /* A number that is too wide for the recorded field differs from every recorded one. */
    build_library(library, folder, "wide", source, "cc", "-DBY=5000000000");
    v = verify_store(store, library, &options);
    t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_DIVERGED, "%s: %s", kind_of(t), t->why);
    cr_assert_eq(t->step, 7);
    cr_assert(strstr(t->why, "no recorded form"), "%s", t->why);
    cr_assert(strstr(t->why, "pos"), "%s", t->why);
    cr_assert_str_eq(t->actual, "");
    verified_release(&v);
    close_folder();
}

/* A game that can go and cheer; LESS is one that has lost the names for cheering. */
static const char cheering[] =
    "#include <deja/rules.h>\n"
    "typedef struct { uint32_t n; uint16_t mood; } state;\n"
    "typedef struct { uint16_t kind; } one;\n"
    "#ifdef LESS\n"
    "static const char *const events[] = { \"went\" }, *const moods[] = { \"calm\" };\n"
    "#else\n"
    "static const char *const events[] = { \"went\", \"cheered\" },"
    " *const moods[] = { \"calm\", \"glad\" };\n"
    "#endif\n"
    "static const char *const commands[] = { \"go\", \"cheer\" };\n"
    "static void fields(deja_fields *f, const void *v) { const state *s = v;"
    " deja_u32(f, \"n\", &s->n); deja_enum(f, \"mood\", &s->mood, moods); }\n"
    "static void command(deja_fields *f, const void *v) { deja_kind(f, &((const one *)v)->kind,"
    " commands); }\n"
    "static void event(deja_fields *f, const void *v) { deja_kind(f, &((const one *)v)->kind,"
    " events); }\n"
    "static uint32_t start(void *s, const void *c, uint64_t seed, const deja_content *content)"
    " { (void)s; (void)c; (void)seed; (void)content; return 0; }\n"
    "static uint32_t apply(void *v, const void *c, deja_out *out) { state *s = v; one e = { 0 };"
    " s->n++;\n"
    "#ifndef LESS\n"
    " s->mood = e.kind = ((const one *)c)->kind;\n"
    "#endif\n"
    " (void)c; deja_emit(out, &e); return 0; }\n"
    "DEJA_RULES = { DEJA_ABI, .id = \"cheering\", .version = \"1\","
    " .state = { sizeof(state), fields, NULL, NULL }, .command = { sizeof(one), command, NULL,"
    " NULL }, .event = { sizeof(one), event, NULL, NULL }, .start = start, .apply = apply };\n";

Test(fits, a_name_that_is_gone_matters_only_where_it_was_used)
{
    char whole[256], less[256];
    open_folder();
    build_library(whole, folder, "whole", cheering, "cc", NULL);
    build_library(less, folder, "less", cheering, "cc", "-DLESS");
    const script unused = { .library = whole, .commands = "go\n* 4", .seed = 1 };
    record_script(store, &unused);
    verified v = verify_store(store, less, NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_MATCH, "%s: %s", kind_of(t), t->why);
    cr_assert_eq(t->compared, 6);
    cr_assert(strstr(t->remarks, "gone: mood=glad"), "%s", t->remarks);
    cr_assert(strstr(t->remarks, "cheered"), "%s", t->remarks);
    verified_release(&v);
    const script used = { .library = whole, .commands = "go\n* 2\ncheer\ngo", .seed = 1 };
    char other[128];
    snprintf(other, sizeof other, "%s/used.deja", folder);
    record_script(other, &used);
    deja_verify_options options = test_options();
    options.baseline = whole;
    v = verify_store(other, less, &options);
    t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_DIVERGED, "%s: %s", kind_of(t), t->why);
    cr_assert_eq(t->step, 4);
    cr_assert(strstr(t->fields, "mood: glad / calm"), "%s", t->fields);
    verified_release(&v);
    close_folder();
}

Test(fits, what_is_gone_is_unfit_and_never_a_match_by_itself)
{
    static const char *const libraries[] = { RULES("ledger-removed"), RULES("ledger-renamed"),
                                             RULES("ledger-narrower") };
    static const char *const reasons[] = { "gone: spawned", "gone: gold", "retyped: pos[]" };
    open_folder();
    record_ledger("roll\n* 9");
    for (int i = 0; i < 3; i++) {
        verified v = verify_store(store, libraries[i], NULL);
        const told *t = need(&v, 1);
        cr_assert_eq(t->kind, DEJA_UNFIT, "%s: %s", libraries[i], kind_of(t));
        cr_assert(strstr(t->why, reasons[i]), "%s", t->why);
        cr_assert_eq(t->compared, 0);
        cr_assert_eq(t->step, DEJA_STEP_NONE);
        verified_release(&v);
    }
    close_folder();
}

Test(fits, a_partial_comparison_looks_at_results_and_says_what_it_left_out)
{
    static const char source[] =
        "#define LEDGER_FIELDS less\n#define LEDGER_REFUSAL refuse\n"
        "#include \"ledger.h\"\n"
        "static uint32_t refuse(uint32_t r) { return r == TOO_MUCH ? TOO_FAR :"
        " r; }\n"
        "static void less(deja_fields *f, const ledger *l) {"
        " deja_u32(f, \"rng\", &l->rng); deja_i64(f, \"gold\", &l->gold);"
        " deja_array(f, \"pos\", l->pos, PIECES, deja_i32);"
        " deja_u8(f, \"over\", &l->over);"
        " deja_u32(f, \"steps\", &l->steps); }\n";
    char library[256];
    open_folder();
    record_ledger("roll\n* 9\nadd n=1000001\nend");
    deja_verify_options options = test_options();
    options.allow_partial = 1;
    verified v = verify_store(store, RULES("ledger-removed"), &options);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_MATCH, "%s: %s", kind_of(t), t->why);
    cr_assert(strstr(t->why, "the recorded state is not all there"), "%s", t->why);
    cr_assert_eq(t->compared, 12);
    verified_release(&v);
    build_library(library, folder, "less", source, "cc", NULL);
    v = verify_store(store, library, &options);
    t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_DIVERGED, "%s: %s", kind_of(t), t->why);
    cr_assert_eq(t->step, 11);
    cr_assert_str_eq(t->expected, "too_much");
    cr_assert_str_eq(t->actual, "too_far");
    verified_release(&v);
    close_folder();
}

Test(fits, another_game_is_unfit)
{
    open_folder();
    record_ledger("roll");
    verified v = verify_store(store, GAMES("peg"), NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_UNFIT);
    cr_assert_str_eq(t->why, "it is a session of 'ledger', and the library is 'peg'");
    verified_release(&v);
    close_folder();
}

Test(fits, a_config_that_start_refuses_diverged_at_step_0)
{
    static const char source[] =
        "#include <deja/rules.h>\ntypedef struct { uint32_t x; uint8_t k; } s_;\n"
        "static void fields(deja_fields *f, const void *v)"
        " { deja_u32(f, \"x\", &((const s_ *)v)->x); }\n"
        "static const char *const kinds[] = { \"go\" };\n"
        "static void commands(deja_fields *f, const void *v)"
        " { (void)deja_kind(f, &((const s_ *)v)->k, kinds); }\n"
        "static const char *const names[] = { \"too_large\" };\nstatic const s_ usual = { 5, 0 };\n"
        "static uint32_t start(void *s, const void *c, uint64_t seed, const deja_content *t)"
        " { (void)seed; (void)t; *(s_ *)s = *(const s_ *)c; return usual.x > MOST; }\n"
        "static uint32_t apply(void *s, const void *c, deja_out *o)"
        " { (void)s; (void)c; (void)o; return 0; }\n"
        "DEJA_RULES = { DEJA_ABI, .id = \"game\", .version = \"1\","
        " .state = { sizeof(s_), fields, 0, 0 }, .command = { sizeof(s_), commands, 0, 0 },"
        " .config = { sizeof(s_), fields, 0, 0 }, .config_default = &usual,"
        " .start = start, .apply = apply, .refusals = names, .refusal_count = 1 };\n";
    char a[256], b[256];
    open_folder();
    build_library(a, folder, "any", source, "cc", "-DMOST=10");
    build_library(b, folder, "few", source, "cc", "-DMOST=3");
    const script s = { .library = a, .commands = "go" };
    record_script(store, &s);
    verified v = verify_store(store, b, NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_DIVERGED, "%s: %s", kind_of(t), t->why);
    cr_assert_eq(t->step, 0);
    cr_assert_str_eq(t->actual, "too_large");
    cr_assert_eq(strlen(t->expected), 8);
    cr_assert_str_eq(t->why, "start refuses the recorded config");
    verified_release(&v);
    close_folder();
}
