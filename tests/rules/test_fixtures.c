/* SPDX-License-Identifier: MIT */
/*
 * fixtures/rules/expected.txt held against the libraries: each is played beside its base game, and
 * must part from it at the step, in the fields and for as long as its line says.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <deja/plugin.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rules/expected.h"

TestSuite(fixtures, .timeout = 120);

enum { STEPS = 400 };

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

static play play_of(const line *l, char base[80], char other[80])
{
    base_name(base, 80, l->base);
    snprintf(other, 80, "rules/%s", l->library);
    return (play){ .base = base,
                   .other = other,
                   .when = l->when,
                   .most = STEPS,
                   .sessions = 1,
                   .bot = strcmp(l->when, "no-such-piece") == 0 ? "clumsy" : "random" };
}

static void hold_session(const line *l, const played *p, uint64_t seed)
{
    cr_assert(eq(u32, p->parted, p->due), "%s, seed %u: parts at step %u, %s at %u", l->library,
              (unsigned)seed, p->parted, l->when, p->due);
    if (!p->due)
        return;
    cr_assert(strcmp(p->part, l->part) == 0, "%s: %s differs", l->library, p->part);
    if (strcmp(l->fields, "-") != 0)
        cr_assert(line_fits_fields(l, p->fields), "%s: %s", l->library, p->fields);
    else
        cr_assert(strcmp(p->fields, "") == 0, "%s: %s", l->library, p->fields);
    if (strcmp(l->ends, "-") != 0)
        cr_assert(p->differed_for == (uint32_t)atoi(l->ends) ||
                      p->accepted == p->due_accepted + p->differed_for - 1,
                  "%s: for %u", l->library, p->differed_for);
}

static bool has_finished(int status)
{
    return WIFEXITED(status) && WEXITSTATUS(status) == PLAY_FINISHED;
}

/* Plays so many sessions of a library that can be played to the end. @return how many parted */
static uint32_t hold_playable(const line *l, uint32_t sessions)
{
    char base[80], other[80];
    play p = play_of(l, base, other);
    uint32_t parted = 0;
    for (p.seed = 1; p.seed <= sessions; p.seed++) {
        played result;
        const int status = play_both(&p, &result);
        cr_assert(has_finished(status), "%s: status %x, %s", l->library, (unsigned)status,
                  result.why);
        hold_session(l, &result, p.seed);
        parted += result.parted != 0;
    }
    return parted;
}

static bool is_one_of(const line *l, const char *verdicts)
{
    return strstr(verdicts, l->verdict) != NULL;
}

static void hold_base(const char *base, const char *verdicts, uint32_t sessions)
{
    FILE *file = expected_open();
    line l;
    while (expected_next(file, &l)) {
        if (strcmp(l.base, base) != 0 || !is_one_of(&l, verdicts))
            continue;
        const uint32_t parted = hold_playable(&l, sessions);
        cr_assert(is_one_of(&l, "match") == (parted == 0), "%s: %u", l.library, parted);
        /* The older builds are there to be caught, the rare ones to be missed. */
        if (strstr(l.library, "-older"))
            cr_assert(parted > sessions * 3 / 4, "%s: %u", l.library, parted);
        if (strstr(l.library, "-rare"))
            cr_assert(parted < sessions / 3, "%s: %u", l.library, parted);
    }
    fclose(file);
}

Test(fixtures, of_matchgame_part_where_they_should)
{
    hold_base("matchgame", "diverged match", 60);
}

Test(fixtures, of_peg_part_where_they_should)
{
    hold_base("peg", "diverged match", 60);
}

Test(fixtures, of_the_garden_part_where_they_should)
{
    hold_base("garden", "diverged match", 60);
}

Test(fixtures, of_dixmille_part_where_they_should)
{
    hold_base("dixmille", "diverged match", 60);
}

Test(fixtures, of_the_skirmish_part_where_they_should)
{
    hold_base("skirmish", "diverged match", 60);
}

Test(fixtures, of_the_ledger_part_where_they_should)
{
    hold_base("ledger", "diverged unstable", 12);
}

Test(fixtures, of_the_ledger_that_match_do_nothing_else)
{
    hold_base("ledger", "match", 4);
}

/* ---- what goes wrong ---- */

static bool died_of(int status, int number)
{
    return WIFSIGNALED(status) && WTERMSIG(status) == number;
}

/* Whether the child ended as the library should make it. */
static bool is_crash_of(const line *l, int status)
{
    if (strcmp(l->library, "ledger-exit") == 0)
        return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (strcmp(l->library, "ledger-abort") == 0)
        return died_of(status, SIGABRT);
    if (strncmp(l->library, "breach-", 7) == 0) /* the tests' own host ends there */
        return !has_finished(status);
    return died_of(status, SIGSEGV);
}

Test(fixtures, that_crash_or_hang_do_so_at_their_step)
{
    FILE *file = expected_open();
    line l;
    while (expected_next(file, &l)) {
        char base[80], other[80];
        play p = play_of(&l, base, other);
        played result;
        p.seed = 7;
        p.most = 33;
        p.quiet = true;
        if (is_sanitized && strcmp(l.library, "eats-memory") == 0)
            continue; /* the sanitizer's own memory is more than the limit */
        if (strcmp(l.verdict, "crashed") == 0)
            cr_assert(is_crash_of(&l, play_both(&p, &result)), "%s", l.library);
        else if (strcmp(l.verdict, "hung") == 0)
            cr_assert(play_stuck(&p, &result), "%s came back", l.library);
        else
            continue;
        cr_assert(result.done == 32 && result.parted == 0, "%s: %u steps", l.library, result.done);
    }
    fclose(file);
}

/* In a child: to open some of them is to run them. */
static deja_code open_code(const char *name, char message[256])
{
    char path[512];
    deja_plugin *plugin = NULL;
    deja_error err = { 0 };
    snprintf(path, sizeof path, "%s/rules/%s.so", DEJA_BUILD_DIR, name);
    const deja_code code = deja_plugin_open(&plugin, path, &err);
    snprintf(message, 256, "%.200s", err.message);
    deja_plugin_close(plugin);
    return code;
}

Test(fixtures, that_do_not_fit_are_refused)
{
    FILE *file = expected_open();
    uint32_t count = 0;
    line l;
    while (expected_next(file, &l)) {
        char base[80], other[80], message[256];
        const play p = play_of(&l, base, other);
        if (strcmp(l.part, "load") == 0) {
            const deja_code code = open_code(l.library, message);
            cr_assert(code == DEJA_EUNFIT, "%s: %s", l.library, message);
            count++;
        } else if (strcmp(l.part, "layout") == 0) {
            played result;
            cr_assert(eq(int, play_both(&p, &result), 0));
            cr_assert(result.why[0] != '\0' && result.done == 0, "%s", l.library);
            count++;
        }
    }
    fclose(file);
    cr_assert(eq(u32, count, 9));
}

/* ---- what is kept between sessions ---- */

/* Whether the third session of a process differs from the base game. */
static bool leaks(const char *name, bool reopen)
{
    char other[80];
    snprintf(other, sizeof other, "rules/%s", name);
    const play p = { "rules/ledger", other, "random", "never", 1, 60, 3, reopen, false };
    played result;
    const int status = play_both(&p, &result);
    cr_assert(has_finished(status), "%s: %x", name, (unsigned)status);
    if (result.parted)
        assert_text(result.fields, "gold");
    return result.parted != 0;
}

Test(fixtures, that_keep_something_show_it_in_the_next_session)
{
    static const char *const kept[] = {
        "ledger-static", "ledger-static-nodelete", "ledger-tls",
        "ledger-heap",   "ledger-vector",          "ledger-template"
    };
    for (uint32_t i = 0; i < sizeof kept / sizeof *kept; i++)
        cr_assert(leaks(kept[i], false), "%s", kept[i]);
    cr_assert(not(leaks("ledger", false)));
    cr_assert(not(leaks("ledger-wider", false)));
}

Test(fixtures, that_cannot_be_unloaded_keep_it_even_then)
{
    cr_assert(not(leaks("ledger-static", true)));
    cr_assert(leaks("ledger-static-nodelete", true));
#ifndef __clang__ /* which makes the variable weak, where gcc makes it unique */
    cr_assert(leaks("ledger-template", true));
#endif
}

/* ---- the list ---- */

Test(fixtures, are_all_listed_with_a_source)
{
    FILE *file = expected_open();
    uint32_t count = 0;
    line l;
    for (; expected_next(file, &l); count++) {
        char c[512], cpp[520];
        snprintf(c, sizeof c, "%s/fixtures/rules/%s.c", DEJA_SOURCE_DIR, l.library);
        snprintf(cpp, sizeof cpp, "%spp", c);
        cr_assert(access(c, R_OK) == 0 || access(cpp, R_OK) == 0, "%s has no source", l.library);
    }
    fclose(file);
    cr_assert(gt(u32, count, 40));
}
