/* SPDX-License-Identifier: MIT */
/*
 * Recordings of other builds, where they are not to be compared.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/replaying.h"
#include "support/scratch.h"

TestSuite(same_build, .timeout = 120);

static const deja_content_pack seven[] = { { "numbers", "7", 1 } };
static const deja_content_pack eight[] = { { "numbers", "8", 1 } };
static const deja_content with_seven = { 1, seven };
static const deja_content with_eight = { 1, eight };

/* A garden of another version that plays as the garden does. */
#define GARDEN_1_1 \
    "#define GARDEN_VERSION \"1.1.0\"\n#include \"" DEJA_SOURCE_DIR "/lib/games/garden.c\"\n"

static void record_garden(const char *library, const deja_content *content)
{
    const script s = { .library = library, .commands = "plant\nright\nplant", .content = content };
    record_script(store, &s);
}

static verified verify_strictly(const char *library, const deja_content *content)
{
    deja_verify_options options = test_options();
    options.same_build = 1;
    options.content = content;
    return verify_store(store, library, &options);
}

/* The digest of a build in hex. */
static void digest_of(const char *library, char digest[33])
{
    deja_rules_info info;
    deja_error err = { 0 };
    cr_assert_eq(deja_inspect(&info, library, WORKER, &err), DEJA_OK, "%s", err.message);
    for (int i = 0; i < 16; i++)
        snprintf(digest + 2 * i, 3, "%02x", info.build[i]);
    deja_rules_info_release(&info);
}

static void assert_refused(const verified *v, const char *why)
{
    const told *t = need(v, 1);
    cr_assert_eq(t->kind, DEJA_UNFIT, "%s: %s", kind_of(t), t->why);
    cr_assert_str_eq(t->why, why);
    cr_assert_eq(t->compared, 0, "no step");
    cr_assert_eq(t->step, DEJA_STEP_NONE);
    cr_assert_str_eq(t->expected, "", "no hash");
    cr_assert_str_eq(t->actual, "");
    cr_assert_eq(v->summary.compared, 0);
}

Test(same_build, R05_a_record_of_another_build_is_refused_and_what_differs_is_named)
{
    char library[256], ours[33], theirs[33], why[1024];
    deja_buffer needed = { 0 }, given = { 0 };
    open_folder();
    build_library(library, folder, "newer", GARDEN_1_1, "cc", NULL);
    digest_of(GAMES("garden"), ours);
    digest_of(library, theirs);
    cr_assert_eq(deja_content_text(&with_seven, &needed, NULL), DEJA_OK);
    cr_assert_eq(deja_content_text(&with_eight, &given, NULL), DEJA_OK);
    record_garden(GAMES("garden"), &with_seven);

    /* The version. */
    verified v = verify_strictly(library, &with_seven);
    snprintf(why, sizeof why,
             "another build recorded it: version 1.0.0, here 1.1.0; build %s, here %s", ours,
             theirs);
    assert_refused(&v, why);
    verified_release(&v);
    /* The content. */
    v = verify_strictly(GAMES("garden"), &with_eight);
    snprintf(why, sizeof why, "it needs content %s, and %s was given", (char *)needed.bytes,
             (char *)given.bytes);
    assert_refused(&v, why);
    verified_release(&v);
    /* Both. */
    v = verify_strictly(library, &with_eight);
    snprintf(why, sizeof why,
             "another build recorded it: version 1.0.0, here 1.1.0; build %s, here %s; it needs "
             "content %s, and %s was given",
             ours, theirs, (char *)needed.bytes, (char *)given.bytes);
    assert_refused(&v, why);
    verified_release(&v);
    deja_buffer_release(&needed);
    deja_buffer_release(&given);
    close_folder();
}

Test(same_build, the_very_build_compares_as_ever)
{
    open_folder();
    record_garden(GAMES("garden"), NULL);
    verified v = verify_strictly(GAMES("garden"), NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_MATCH, "%s: %s", kind_of(t), t->why);
    cr_assert_eq(t->compared, 4);
    cr_assert_str_eq(t->remarks, "");
    verified_release(&v);
    close_folder();
}

Test(same_build, without_it_another_build_is_compared_and_a_remark_says_so) /* B70 */
{
    char library[256];
    open_folder();
    build_library(library, folder, "newer", GARDEN_1_1, "cc", NULL);
    record_garden(GAMES("garden"), NULL);
    verified v = verify_store(store, library, NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_MATCH, "%s: %s", kind_of(t), t->why);
    cr_assert_str_eq(t->remarks, "recorded with version 1.0.0 of the rules, replayed with 1.1.0");
    verified_release(&v);
    close_folder();
}

Test(same_build, layouts_and_names_that_differ_are_named_by_their_types)
{
    static const struct {
        const char *library, *differs;
    } builds[] = {
        { RULES("ledger-renamed"), "another layout of state; build " },
        { RULES("ledger-trade"), "another layout of command, event; build " },
        { RULES("ledger-305"), "build " },
    };
    open_folder();
    record_ledger("roll\nroll");
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++) {
        verified v = verify_strictly(builds[i].library, NULL);
        const told *t = need(&v, 1);
        char start[256];
        snprintf(start, sizeof start, "another build recorded it: version 1.4.0, here 1.5.0; %s",
                 builds[i].differs);
        cr_assert_eq(t->kind, DEJA_UNFIT, "%s: %s", kind_of(t), t->why);
        cr_assert_eq(strncmp(t->why, start, strlen(start)), 0, "%s", t->why);
        verified_release(&v);
    }
    close_folder();
    open_folder();
    const script s = { .library = GAMES("peg"), .commands = "" };
    record_script(store, &s);
    verified v = verify_strictly(RULES("peg-added"), NULL);
    const told *t = need(&v, 1);
    cr_assert(strstr(t->why, "; other refusals; other outcomes; build "), "%s", t->why);
    verified_release(&v);
    close_folder();
}

Test(same_build, another_game_is_another_game_first)
{
    open_folder();
    record_ledger("roll");
    verified v = verify_strictly(GAMES("peg"), NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_UNFIT);
    cr_assert_str_eq(t->why, "it is a session of 'ledger', and the library is 'peg'");
    verified_release(&v);
    close_folder();
}

Test(same_build, options_beyond_what_they_can_be_start_no_run)
{
    open_folder();
    record_ledger("roll");
    deja_verify_options options = test_options();
    options.same_build = 2;
    verified v = verify_store(store, RULES("ledger"), &options);
    cr_assert_eq(v.code, DEJA_EMISUSE);
    verified_release(&v);
    options = test_options();
    options.reserved = 1;
    v = verify_store(store, RULES("ledger"), &options);
    cr_assert_eq(v.code, DEJA_EMISUSE);
    verified_release(&v);
    close_folder();
}
