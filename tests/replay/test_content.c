/* SPDX-License-Identifier: MIT */
/*
 * Content: a session gets the packs that it was recorded with, or has no verdict.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/replaying.h"
#include "support/scratch.h"

TestSuite(content, .timeout = 120);

static const deja_content_pack five[] = { { "balance", "5", 1 } };
static const deja_content_pack six[] = { { "balance", "6", 1 } };
static const deja_content with_five = { 1, five };
static const deja_content with_six = { 1, six };

/* As a session names it. */
static const char *name_of(const deja_content *content)
{
    static char texts[3][256];
    static int turn;
    deja_buffer text = { 0 };
    turn = (turn + 1) % 3;
    cr_assert_eq(deja_content_text(content, &text, NULL), DEJA_OK);
    snprintf(texts[turn], sizeof texts[turn], "%s", (char *)text.bytes);
    deja_buffer_release(&text);
    return texts[turn];
}

static void record_with(const char *library, const deja_content *content, uint64_t seed)
{
    const script s = {
        .library = library, .commands = "roll\nadd n=1\nadd n=2", .seed = seed, .content = content
    };
    record_script(store, &s);
}

static verified verify_with(const char *library, const deja_content *content)
{
    deja_verify_options options = test_options();
    options.content = content;
    return verify_store(store, library, &options);
}

/* Fails the test unless the only session is unfit for this reason, and nothing of it was played. */
static void assert_unfit(const deja_content *given, const char *why)
{
    verified v = verify_with(RULES("ledger-balance"), given);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_UNFIT, "%s: %s", kind_of(t), t->why);
    cr_assert_str_eq(t->why, why);
    cr_assert_eq(t->compared, 0);
    cr_assert_eq(t->step, DEJA_STEP_NONE);
    verified_release(&v);
}

Test(content, that_is_missing_or_another_is_unfit_and_both_digests_are_named) /* B08 */
{
    char why[512];
    open_folder();
    record_with(RULES("ledger-balance"), &with_five, 5);
    snprintf(why, sizeof why, "it needs content %s, and %s was given", name_of(&with_five),
             name_of(&with_six));
    assert_unfit(&with_six, why);
    snprintf(why, sizeof why, "it needs content %s, and none of that name was given",
             name_of(&with_five));
    assert_unfit(NULL, why);
    verified v = verify_with(RULES("ledger-balance"), &with_five);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_MATCH, "%s: %s", kind_of(t), t->why);
    cr_assert_eq(t->compared, 4);
    verified_release(&v);
    close_folder();
}

Test(content, of_several_packs_all_that_do_not_fit_are_named)
{
    static const deja_content_pack packs[] = { { "balance", "5", 1 },
                                               { "maps", "hills", 5 },
                                               { "names", "", 0 } };
    static const deja_content_pack others[] = { { "names", "x", 1 }, { "balance", "5", 1 } };
    const deja_content all = { 3, packs };
    const deja_content given = { 2, others };
    char why[1024];
    open_folder();
    record_with(RULES("ledger-balance"), &all, 5);
    snprintf(why, sizeof why,
             "it needs content %s, and none of that name was given; it needs content %s, and %s "
             "was given",
             name_of(&(deja_content){ 1, packs + 1 }), name_of(&(deja_content){ 1, packs + 2 }),
             name_of(&(deja_content){ 1, others }));
    assert_unfit(&given, why);
    close_folder();
}

/* A reason that is longer than a finding keeps. */
Test(content, a_reason_is_told_whole_however_many_packs_are_missing)
{
    enum { PACKS = 9 };
    static char names[PACKS][16];
    deja_content_pack packs[PACKS];
    open_folder();
    for (int i = 0; i < PACKS; i++) {
        snprintf(names[i], sizeof names[i], "pack%d", i);
        packs[i] = (deja_content_pack){ names[i], "x", 1 };
    }
    record_with(RULES("ledger-balance"), &(deja_content){ PACKS, packs }, 5);
    verified v = verify_with(RULES("ledger-balance"), NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_UNFIT);
    for (int i = 0; i < PACKS; i++)
        cr_assert(strstr(t->why, names[i]), "%s: %s", names[i], t->why);
    verified_release(&v);
    close_folder();
}

/* Its start state tells what it was given. */
static const char counts_packs[] =
    "#define LEDGER_START look\n#include \"ledger.h\"\n"
    "static void look(ledger *l, const deja_content *content)"
    " { l->spawned = (uint32_t)content->count;"
    "   for (uint64_t i = 0; i < content->count; i++) {"
    "     const unsigned char *bytes = (const unsigned char *)content->packs[i].bytes;"
    "     for (uint64_t k = 0; k < content->packs[i].size; k++)"
    "       l->gold = l->gold * 31 + bytes[k]; } }\n";

Test(content, each_session_gets_exactly_the_packs_that_it_names)
{
    static const deja_content_pack packs[] = { { "a", "one", 3 },
                                               { "b", "", 0 },
                                               { "c", "three", 5 } };
    char library[256];
    open_folder();
    build_library(library, folder, "counts", counts_packs, "cc", NULL);
    record_with(library, NULL, 1);
    for (uint64_t count = 1; count <= 3; count++)
        record_with(library, &(deja_content){ count, packs }, count);
    record_with(library, &(deja_content){ 1, packs + 2 }, 4);
    verified v = verify_with(library, &(deja_content){ 3, packs });
    const told *all = need(&v, 5);
    for (int i = 0; i < 5; i++)
        cr_assert_eq(all[i].kind, DEJA_MATCH, "%d: %s: %s", i, kind_of(&all[i]), all[i].why);
    verified_release(&v);
    close_folder();
}

Test(content, each_pack_begins_at_a_multiple_of_16_so_that_rules_may_read_structs)
{
    static const char source[] = "#define LEDGER_START look\n#include \"ledger.h\"\n"
                                 "static void look(ledger *l, const deja_content *content)"
                                 " { for (uint64_t i = 0; i < content->count; i++)"
                                 "   l->gold += (uintptr_t)content->packs[i].bytes % 16 != 0; }\n";
    static const deja_content_pack packs[] = { { "a", "x", 1 },
                                               { "b", "0123456789abcdefg", 17 },
                                               { "c", "xyz", 3 } };
    const deja_content content = { 3, packs };
    char library[256];
    open_folder();
    build_library(library, folder, "aligned", source, "cc", NULL);
    record_with(RULES("ledger"), &content, 5);
    verified v = verify_with(library, &content);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_MATCH, "%s: %s", kind_of(t), t->why);
    verified_release(&v);
    close_folder();
}

Test(content, reaches_workers_of_every_kind_and_second_looks)
{
    char library[256];
    open_folder();
    build_library(library, folder, "counts", counts_packs, "cc", NULL);
    for (uint64_t seed = 0; seed < 4; seed++)
        record_with(library, &with_five, seed);
    for (uint32_t way = DEJA_ISOLATE_RESTORE; way <= DEJA_ISOLATE_EXEC; way++) {
        deja_verify_options options = test_options();
        options.isolate = way;
        options.jobs = 2;
        options.content = &with_five;
        verified v = verify_store(store, library, &options);
        need(&v, 4);
        cr_assert_eq(v.summary.kinds[DEJA_MATCH], 4, "way %u", way);
        verified_release(&v);
    }
    /* The baseline and a second look have them, too: else the sides would part at step 0. */
    char other[256];
    char source[2048];
    snprintf(source, sizeof source, "#define LEDGER_FAULT more\n%s%s", counts_packs,
             "static void more(ledger *l, const ledger_command *c, deja_out *o)"
             " { (void)c; (void)o; if (l->steps == 2) l->gold++; }\n");
    build_library(other, folder, "more", source, "cc", NULL);
    deja_verify_options options = test_options();
    options.content = &with_five;
    options.baseline = library;
    verified v = verify_store(store, other, &options);
    const told *t = need(&v, 4);
    cr_assert_eq(t->kind, DEJA_DIVERGED, "%s: %s", kind_of(t), t->why);
    cr_assert_eq(t->step, 2);
    cr_assert_eq(t->field_count, 1, "%s", t->fields);
    cr_assert_eq(strncmp(t->fields, "gold: ", 6), 0, "%s", t->fields);
    verified_release(&v);
    close_folder();
}

Test(content, rules_that_write_to_a_pack_die_of_it_and_no_other_session_sees_it)
{
    static const char scribbles[] =
        "#define LEDGER_START scribble\n#include \"ledger.h\"\n"
        "static void scribble(ledger *l, const deja_content *content)"
        " { const deja_content_pack *p = deja_content_find(content, \"balance\");"
        "   l->gold = *(const char *)p->bytes;"
        "   if (l->rng == 1) *(volatile char *)(uintptr_t)p->bytes = 'x'; }\n";
    char library[256];
    open_folder();
    build_library(library, folder, "scribbles", scribbles, "cc", NULL);
    /* Recorded where memory can be written to. */
    char bytes[2][2] = { "5", "5" };
    for (uint64_t seed = 0; seed < 3; seed++) {
        const deja_content_pack pack = { "balance", seed == 1 ? bytes[1] : bytes[0], 1 };
        record_with(seed == 1 ? RULES("ledger") : library, &(deja_content){ 1, &pack }, seed);
    }
    deja_verify_options options = test_options();
    options.content = &with_five;
    options.isolate = DEJA_ISOLATE_RESTORE;
    verified v = verify_store(store, library, &options);
    const told *all = need(&v, 3);
    cr_assert_eq(all[0].kind, DEJA_MATCH, "%s: %s", kind_of(&all[0]), all[0].why);
    cr_assert_eq(all[1].kind, DEJA_CRASHED, "%s: %s", kind_of(&all[1]), all[1].why);
    cr_assert_eq(all[1].step, 0);
    cr_assert_eq(all[2].kind, DEJA_MATCH, "%s: %s", kind_of(&all[2]), all[2].why);
    verified_release(&v);
    close_folder();
}

Test(content, cannot_be_made_writable_by_rules_that_try)
{
    static const char opens[] =
        "#define LEDGER_START unlock\n#include \"ledger.h\"\n#include <sys/mman.h>\n"
        "static void unlock(ledger *l, const deja_content *content)"
        " { const deja_content_pack *p = deja_content_find(content, \"balance\");"
        "   void *page = (void *)((uintptr_t)p->bytes & ~(uintptr_t)4095);"
        "   l->gold = mprotect(page, 4096, PROT_READ | PROT_WRITE) != 0;"
        "   l->spawned = (uint32_t)*(const char *)p->bytes; }\n";
    char library[256];
    open_folder();
    build_library(library, folder, "opens", opens, "cc", NULL);
    const script s = { .library = RULES("ledger"), .commands = "roll", .content = &with_five };
    record_script(store, &s);
    deja_verify_options options = test_options();
    options.content = &with_five;
    options.baseline = RULES("ledger");
    verified v = verify_store(store, library, &options);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_DIVERGED, "%s: %s", kind_of(t), t->why);
    cr_assert_str_eq(t->fields, "gold: 0 / 1; spawned: 0 / 53");
    verified_release(&v);
    close_folder();
}

Test(content, a_session_from_the_middle_needs_it_and_start_is_not_called)
{
    const script s = { .library = RULES("ledger-balance"),
                       .commands = "add n=1\nadd n=1\nadd n=1",
                       .content = &with_five,
                       .from_step = 1 };
    char why[512];
    open_folder();
    record_script(store, &s);
    verified v = verify_with(RULES("ledger-balance"), &with_five);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_MATCH, "%s: %s", kind_of(t), t->why);
    verified_release(&v);
    snprintf(why, sizeof why, "it needs content %s, and none of that name was given",
             name_of(&with_five));
    assert_unfit(NULL, why);
    close_folder();
}

Test(content, packs_that_are_none_start_no_run)
{
    static const deja_content_pack twice[] = { { "a", "", 0 }, { "a", "", 0 } };
    open_folder();
    record_with(RULES("ledger-balance"), &with_five, 5);
    verified v = verify_with(RULES("ledger-balance"), &(deja_content){ 2, twice });
    cr_assert_eq(v.code, DEJA_EMISUSE);
    cr_assert_str_eq(v.err.message, "content 'a' is there twice");
    cr_assert_eq(v.count, 0);
    verified_release(&v);
    close_folder();
}

/* ---- traces ---- */

typedef struct traced {
    uint64_t steps;
    uint64_t last_hash;
} traced;

static bool take_step(void *user, const deja_trace_step *step)
{
    traced *t = user;
    t->steps++;
    t->last_hash = step->hash;
    return true;
}

Test(content, a_trace_is_given_it_or_says_what_is_missing)
{
    deja_store *opened = NULL;
    deja_error err = { 0 };
    traced t = { 0, 0 };
    char why[512];
    uint64_t count;
    open_folder();
    record_with(RULES("ledger-balance"), &with_five, 5);
    int64_t *keys = scratch_keys(store, &count);
    cr_assert_eq(deja_store_open(&opened, store, DEJA_STORE_READ, &err), DEJA_OK);
    deja_trace_options options = DEJA_TRACE_OPTIONS_INIT;
    options.worker = WORKER;
    options.step = take_step;
    options.user = &t;
    options.content = &with_six;
    deja_code code = deja_trace(opened, keys[0], RULES("ledger-balance"), &options, &err);
    snprintf(why, sizeof why, "it needs content %s, and %s was given", name_of(&with_five),
             name_of(&with_six));
    cr_assert_eq(code, DEJA_EUNFIT);
    cr_assert_str_eq(err.message, why);
    cr_assert_eq(t.steps, 0);
    options.content = &with_five;
    code = deja_trace(opened, keys[0], RULES("ledger-balance"), &options, &err);
    cr_assert_eq(code, DEJA_OK, "%s", err.message);
    cr_assert_eq(t.steps, 4);
    deja_store_close(opened, NULL);
    free(keys);
    close_folder();
}
