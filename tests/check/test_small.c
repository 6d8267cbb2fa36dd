/* SPDX-License-Identifier: MIT */
/*
 * Rules of a few lines, linked into the test: commands without kinds, a long list of legal ones,
 * and a state that owns memory.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

#include "check/checking.h"

TestSuite(check_small, .timeout = 60);

enum { LEGAL = 200, LONG = 900 };

typedef struct walk {
    uint32_t steps;
    uint32_t *owned; /* of the rules that own memory */
} walk;

typedef struct stride {
    uint16_t length;
} stride;

static const char *const refusals[] = { "too_long" };
static const char *const outcomes[] = { "arrived" };
static const uint32_t usual = 0;

static void walk_fields(deja_fields *f, const void *value)
{
    deja_u32(f, "steps", &((const walk *)value)->steps);
}

static void stride_fields(deja_fields *f, const void *value)
{
    deja_u16(f, "length", &((const stride *)value)->length);
}

static void config_fields(deja_fields *f, const void *value)
{
    deja_u32(f, "unused", value);
}

static uint32_t start(void *state, const void *config, uint64_t seed, const deja_content *content)
{
    (void)state, (void)config, (void)seed, (void)content;
    return 0;
}

static uint32_t arrived(const void *state)
{
    return ((const walk *)state)->steps >= LONG;
}

/* Goes on after the end. */
static uint32_t step(void *state, const void *command, deja_out *out)
{
    (void)out;
    if (((const stride *)command)->length >= LEGAL)
        return 1;
    ((walk *)state)->steps++;
    return 0;
}

static void legal(const void *state, deja_out *out)
{
    for (stride next = { 0 }; next.length < LEGAL && !arrived(state); next.length++)
        deja_emit(out, &next);
}

static const deja_rules_table endless = {
    DEJA_ABI,
    .id = "walk",
    .version = "1.0.0",
    .state = { sizeof(walk), walk_fields, 0, 0 },
    .command = { sizeof(stride), stride_fields, 0, 0 },
    .config = { sizeof usual, config_fields, 0, 0 },
    .config_default = &usual,
    .start = start,
    .apply = step,
    .legal = legal,
    .outcome = arrived,
    .refusals = refusals,
    .outcomes = outcomes,
    .refusal_count = 1,
    .outcome_count = 1,
};

Test(check_small, a_long_game_is_tried_where_it_ends_as_well_and_one_finding_stands_for_all_values)
{
    static checking c;
    checking_open_table(&c, &endless);
    c.options.games = 1;
    c.options.bots = "random";
    c.options.max_steps = 2 * LONG;
    checking_pass(&c);
    cr_assert(eq(u32, c.count, 1));
    cr_assert(eq(u32, c.told[0].clause, DEJA_CLAUSE_OVER_REFUSES));
    cr_assert(eq(u64, c.told[0].step, LONG + 1));
    cr_assert(gt(u64, c.told[0].count, 1));
    cr_assert(le(u64, c.summary.tried, c.options.tries));
    checking_close(&c);
}

/* ---- memory that a state owns ---- */

static void own(void *value)
{
    walk *w = value;
    w->steps = 0;
    w->owned = calloc(1, sizeof *w->owned);
}

static void disown(void *value)
{
    free(((walk *)value)->owned);
}

/* Counts how often it is called, out of the struct's sight. */
static void counting_fields(deja_fields *f, const void *value)
{
    const walk *w = value;
    deja_u32(f, "steps", &w->steps);
    deja_u32(f, "owned", w->owned);
    if (f->doing == DEJA_WRITING)
        ++*w->owned;
}

Test(check_small, a_description_that_writes_to_memory_which_the_state_owns_is_told)
{
    static checking c;
    deja_rules_table rules = endless;
    rules.state = (deja_type){ sizeof(walk), counting_fields, own, disown };
    checking_open_table(&c, &rules);
    c.options.games = 1;
    checking_pass(&c);
    cr_assert(eq(u32, c.count, 1));
    cr_assert(eq(u32, c.told[0].clause, DEJA_CLAUSE_FIELDS_READ_ONLY));
    cr_assert(eq(u64, c.told[0].step, 0));
    cr_assert(eq(str, c.told[0].path, "owned"));
    checking_close(&c);
}
