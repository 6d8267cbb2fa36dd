/* SPDX-License-Identifier: MIT */
/*
 * See checking.h.
 */
#include "check/checking.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>

#define COPY(to, text) snprintf((to), sizeof(to), "%s", (text) ? (text) : "-")

static bool take(void *user, const deja_finding *f)
{
    checking *c = user;
    cr_assert(c->count < TOLD_MAX);
    told *t = &c->told[c->count++];
    *t = (told){
        .clause = f->clause, .seed = f->seed, .game = f->game, .step = f->step, .saved = f->saved
    };
    COPY(t->player, f->player);
    COPY(t->session, f->session);
    COPY(t->command, f->command);
    COPY(t->path, f->path);
    COPY(t->expected, f->expected);
    COPY(t->actual, f->actual);
    COPY(t->why, f->why);
    return c->count != c->most;
}

static void count(void *user, uint64_t finding, uint64_t number)
{
    checking *c = user;
    cr_assert(lt(u64, finding, c->count));
    c->told[finding].count = number;
}

static bool note(void *user, const deja_check_place *place)
{
    checking *c = user;
    c->places++;
    COPY(c->doing, place->doing);
    cr_assert(place->so_far == &c->summary);
    return c->places != c->last;
}

static void prepare(checking *c)
{
    const deja_check_options options = DEJA_CHECK_OPTIONS_INIT;
    c->options = options;
    c->options.found = take;
    c->options.counted = count;
    c->options.doing = note;
    c->options.user = c;
}

void checking_open(checking *c, const char *name)
{
    char path[512];
    memset(c, 0, sizeof *c);
    snprintf(path, sizeof path, "%s/%s.so", DEJA_BUILD_DIR, name);
    const deja_code code = deja_plugin_open(&c->plugin, path, &c->err);
    cr_assert(eq(i32, code, DEJA_OK), "%s: %s", path, c->err.message);
    prepare(c);
}

void checking_open_table(checking *c, const deja_rules_table *table)
{
    memset(c, 0, sizeof *c);
    const deja_code code = deja_plugin_from_table(&c->plugin, table, &c->err);
    cr_assert(eq(i32, code, DEJA_OK), "%s", c->err.message);
    prepare(c);
}

void checking_close(checking *c)
{
    deja_plugin_close(c->plugin);
}

deja_code checking_run(checking *c)
{
    c->count = 0;
    c->places = 0;
    return deja_check_rules(c->plugin, &c->options, &c->summary, &c->err);
}

void checking_pass(checking *c)
{
    const deja_code code = checking_run(c);
    cr_assert(eq(i32, code, DEJA_OK), "%s", c->err.message);
}
