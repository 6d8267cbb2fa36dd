/* SPDX-License-Identifier: MIT */
/*
 * fixtures/rules/doctor.txt held against the libraries: each breach is named with its clause, step,
 * command and field, and each neighbour passes.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "check/checking.h"

TestSuite(planted, .timeout = 60);

typedef struct line {
    char library[32], clause[32], step[8], saved[8], command[16], path[32], expected[32],
        actual[32];
} line;

/* Whether a word of the file stands for this one. */
static bool fits(const char *word, const char *said)
{
    return strcmp(word, "*") == 0 || strcmp(word, said) == 0;
}

static bool fits_number(const char *word, uint64_t said)
{
    char number[24] = "-";
    if (said != DEJA_STEP_NONE)
        snprintf(number, sizeof number, "%llu", (unsigned long long)said);
    return fits(word, number);
}

static void hold(const line *l, checking *c)
{
    if (strcmp(l->clause, "-") == 0) {
        cr_assert(c->count == 0, "%s: %s: step %u: %s", l->library,
                  deja_clause_name(c->told[0].clause), (unsigned)c->told[0].step, c->told[0].why);
        cr_assert(deja_check_passed(&c->summary), "%s", l->library);
        return;
    }
    cr_assert(c->count != 0, "%s: nothing was found", l->library);
    cr_assert(not(deja_check_passed(&c->summary)));
    for (uint32_t i = 0; i < c->count; i++)
        cr_assert(strcmp(deja_clause_name(c->told[i].clause), l->clause) == 0, "%s: %s: %s",
                  l->library, deja_clause_name(c->told[i].clause), c->told[i].why);
    told *first = &c->told[0];
    first->command[strcspn(first->command, " ")] = '\0';
    cr_assert(fits_number(l->step, first->step), "%s: step %u", l->library, (unsigned)first->step);
    cr_assert(fits_number(l->saved, first->saved), "%s: saved", l->library);
    cr_assert(fits(l->command, first->command), "%s: %s", l->library, first->command);
    cr_assert(fits(l->path, first->path), "%s: %s", l->library, first->path);
    cr_assert(fits(l->expected, first->expected), "%s: %s", l->library, first->expected);
    cr_assert(fits(l->actual, first->actual), "%s: %s", l->library, first->actual);
    cr_assert(eq(u64, first->seed, 1));
    cr_assert(eq(u64, first->game, 1));
}

Test(planted, each_breach_is_named_and_each_neighbour_passes)
{
    static checking c;
    FILE *file = fopen(DEJA_SOURCE_DIR "/fixtures/rules/doctor.txt", "r");
    char text[256], name[64];
    uint32_t count = 0;
    cr_assert(file != NULL);
    while (fgets(text, sizeof text, file)) {
        line l;
        if (text[0] == '#')
            continue;
        const int words = sscanf(text, "%31s %31s %7s %7s %15s %31s %31s %31s", l.library, l.clause,
                                 l.step, l.saved, l.command, l.path, l.expected, l.actual);
        cr_assert(eq(int, words, 8), "%s", text);
        snprintf(name, sizeof name, "rules/%s", l.library);
        checking_open(&c, name);
        checking_pass(&c);
        hold(&l, &c);
        checking_close(&c);
        count++;
    }
    fclose(file);
    cr_assert(ge(u32, count, 24));
}

Test(planted, every_shipped_game_passes_and_every_clause_that_it_has_is_checked)
{
    static const struct {
        const char *name, *not_checked;
    } games[] = { { "games/matchgame", "" },
                  { "games/peg", "" },
                  { "games/dixmille", "" },
                  { "games/garden", "" },
                  { "games/bee", "all_or_nothing legal_accepted legal_order over_refuses " } };
    static checking c;
    for (uint32_t i = 0; i < sizeof games / sizeof *games; i++) {
        char not_checked[256] = "";
        checking_open(&c, games[i].name);
        c.options.games = 4;
        checking_pass(&c);
        cr_assert(deja_check_passed(&c.summary), "%s: %s: %s", games[i].name,
                  deja_clause_name(c.told[0].clause), c.told[0].why);
        for (uint32_t k = 0; k < DEJA_CLAUSE_COUNT; k++) {
            const deja_check_clause *clause = &c.summary.clauses[k];
            const bool is_checked = clause->checks != 0;
            cr_assert(is_checked == (clause->not_checked == NULL));
            if (clause->checks == 0) {
                strcat(not_checked, deja_clause_name(k));
                strcat(not_checked, " ");
            }
        }
        cr_assert(strcmp(not_checked, games[i].not_checked) == 0, "%s: %s", games[i].name,
                  not_checked);
        checking_close(&c);
    }
}

Test(planted, a_description_that_breaks_is_told_with_its_step_and_ends_its_game)
{
    static checking c;
    checking_open(&c, "rules/breach-count");
    checking_pass(&c);
    cr_assert(eq(u32, c.count, 1));
    cr_assert(eq(u32, c.told[0].clause, DEJA_CLAUSE_DESCRIBED));
    cr_assert(eq(u64, c.told[0].step, 33));
    cr_assert(strcmp(c.told[0].why, "'list' has 5 values, its most is 4") == 0, "%s",
              c.told[0].why);
    checking_close(&c);
}
