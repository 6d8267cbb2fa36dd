/* SPDX-License-Identifier: MIT */
/*
 * fixtures/rules/expected.txt held against deja_verify: sessions of each base game, played by its
 * bot, must come out as the line of each library says.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "rules/expected.h"
#include "support/scratch.h"

TestSuite(verdicts, .timeout = 300);

enum { STEPS = 400, SESSIONS_MAX = 60 };

/* ---- what is due ---- */

/* When a line's WHEN comes true in a session, 0 for never; and when all is well again. */
typedef struct due {
    uint64_t step, heals, last;
    uint32_t accepted;
} due;

typedef struct search {
    const line *l;
    const library *base;
    uint32_t accepted;
    due found;
} search;

static bool look_at_step(void *user, const deja_trace_step *step)
{
    search *s = user;
    if (step->step == 0)
        return true;
    const char *result = library_result(s->base, step->result);
    const bool is_accepted = step->result == 0;
    s->accepted += is_accepted;
    s->found.last = step->step;
    const step_facts facts = {
        .game = s->base->rules->id,
        .accepted = s->accepted,
        .is_accepted = is_accepted,
        .result = result,
        .command = step->command.bytes,
        .state = step->state.bytes,
        .state_size = step->state.size,
        .events = step->events.bytes,
        .events_size = step->events.size,
    };
    if (!s->found.step && step_is(s->l->when, &facts)) {
        s->found.step = step->step;
        s->found.accepted = s->accepted;
    } else if (s->found.step && !s->found.heals && strcmp(s->l->ends, "-") != 0 &&
               s->accepted == s->found.accepted + (uint32_t)atoi(s->l->ends)) {
        s->found.heals = step->step;
    }
    return true;
}

static bool ended_as(deja_store *store, int64_t key, const char *outcome)
{
    deja_reader *reader = NULL;
    deja_error err = { 0 };
    cr_assert_eq(deja_reader_open(&reader, store, key, 0, &err), DEJA_OK, "%s", err.message);
    const deja_recording *recording = deja_reader_recording(reader);
    const bool is_so =
        recording->ended == DEJA_ENDED_OUTCOME && strcmp(recording->outcome, outcome) == 0;
    deja_reader_close(reader);
    return is_so;
}

static due find_due(deja_store *store, int64_t key, const char *path, const line *l,
                    const library *base)
{
    search s = { .l = l, .base = base };
    deja_trace_options options = DEJA_TRACE_OPTIONS_INIT;
    deja_error err = { 0 };
    options.worker = DEJA_BUILD_DIR "/deja";
    options.step = look_at_step;
    options.user = &s;
    cr_assert_eq(deja_trace(store, key, path, &options, &err), DEJA_OK, "%s", err.message);
    if (strcmp(l->when, "gain") == 0 && ended_as(store, key, "gain"))
        s.found.step = s.found.last;
    return s.found;
}

/* ---- what is told ---- */

typedef struct told {
    uint32_t kind;
    uint64_t step, step_last, healed;
    char why[256], fields[256];
} told;

typedef struct all_told {
    told items[SESSIONS_MAX];
    uint64_t count;
} all_told;

static bool keep(void *user, const deja_verdict *v)
{
    all_told *all = user;
    cr_assert_lt(all->count, SESSIONS_MAX);
    told *t = &all->items[all->count++];
    *t = (told){ v->kind, v->step, v->step_last, v->healed_step, "", "" };
    snprintf(t->why, sizeof t->why, "%s", v->why ? v->why : "");
    for (uint32_t i = 0; i < v->field_count; i++) {
        const size_t used = strlen(t->fields);
        snprintf(t->fields + used, sizeof t->fields - used, "%s%s", used ? "," : "",
                 v->fields[i].path);
    }
    return true;
}

static void hold_session(const line *l, uint64_t session, const due *d, const told *t)
{
    const char *name = deja_verdict_name(t->kind);
    const bool is_always = strcmp(l->when, "always") == 0;
    if (!d->step && !is_always) {
        cr_assert_eq(t->kind, DEJA_MATCH, "%s, session %u: %s at %u: %s", l->library,
                     (unsigned)session, name, (unsigned)t->step, t->why);
        return;
    }
    cr_assert_str_eq(name, l->verdict, "%s, session %u: %s, %s", l->library, (unsigned)session,
                     name, t->why);
    if (is_always)
        return;
    cr_assert_eq(t->step, d->step, "%s, session %u: at %u, due at %u", l->library,
                 (unsigned)session, (unsigned)t->step, (unsigned)d->step);
    /* What is unstable has no two sides to show. */
    if (strcmp(l->verdict, "diverged") != 0)
        return;
    cr_assert_eq(t->step_last, d->step);
    if (strcmp(l->part, "state") == 0)
        cr_assert(line_fits_fields(l, t->fields), "%s: %s", l->library, t->fields);
    else
        cr_assert(strstr(t->why, l->part), "%s: %s", l->library, t->why);
    if (strcmp(l->ends, "-") != 0)
        cr_assert_eq(t->healed, d->heals ? d->heals : DEJA_STEP_NONE, "%s, session %u: heals at %u",
                     l->library, (unsigned)session, (unsigned)t->healed);
}

/* ---- each line ---- */

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

static void hold_line(const line *l, const char *store_path, const char *base_path,
                      const library *base, uint64_t most)
{
    char path[512];
    all_told all = { .count = 0 };
    uint64_t count = 0, parted = 0;
    deja_error err = { 0 };
    deja_store *store = NULL;
    deja_verify_summary summary;
    deja_verify_options options = DEJA_VERIFY_OPTIONS_INIT;
    int64_t *keys = scratch_keys(store_path, &count);
    options.worker = DEJA_BUILD_DIR "/deja";
    options.jobs = 1;
    options.baseline = base_path;
    options.keep_going = strcmp(l->ends, "-") != 0;
    options.hang_cpu_ms = 200;
    options.hang_wall_ms = 1000;
    options.memory_mib = 256;
    options.verdict = keep;
    options.user = &all;
    /* A limit for each of many sessions takes its time. */
    count = strcmp(l->verdict, "hung") == 0 ? 1 : count < most ? count : most;
    snprintf(path, sizeof path, "%s/rules/%s.so", DEJA_BUILD_DIR, l->library);
    const deja_code code = deja_verify(store_path, keys, count, path, &options, &summary, &err);
    if (strcmp(l->part, "load") == 0) {
        cr_assert_eq(code, DEJA_EUNFIT, "%s: %s", l->library, err.message);
        free(keys);
        return;
    }
    cr_assert_eq(code, DEJA_OK, "%s: %s", l->library, err.message);
    cr_assert_eq(all.count, count);
    cr_assert_eq(deja_store_open(&store, store_path, DEJA_STORE_READ, &err), DEJA_OK);
    for (uint64_t i = 0; i < count; i++) {
        const due d = find_due(store, keys[i], base_path, l, base);
        parted += d.step != 0;
        hold_session(l, i, &d, &all.items[i]);
    }
    cr_assert(parted > 0 || strcmp(l->when, "never") == 0 || strcmp(l->when, "always") == 0,
              "%s: %s came true in no session", l->library, l->when);
    deja_store_close(store, NULL);
    free(keys);
}

/* All lines of a base game whose verdict is among these. */
static void hold_base(const char *game, const char *verdicts, uint64_t sessions)
{
    char folder[64], store[128], clumsy[128], base_path[512], name[80];
    base_name(name, sizeof name, game);
    snprintf(base_path, sizeof base_path, "%s/%s.so", DEJA_BUILD_DIR, name);
    scratch_open(folder);
    snprintf(store, sizeof store, "%s/plays.deja", folder);
    snprintf(clumsy, sizeof clumsy, "%s/clumsy.deja", folder);
    scratch_record(store, base_path, "random", sessions, 1, STEPS, 32);
    if (strcmp(game, "ledger") == 0)
        scratch_record(clumsy, base_path, "clumsy", sessions, 1, STEPS, 32);
    library base = library_open(name);
    FILE *file = expected_open();
    uint32_t lines = 0;
    line l;
    while (expected_next(file, &l)) {
        if (strcmp(l.base, game) != 0 || !strstr(verdicts, l.verdict) ||
            (is_sanitized && strcmp(l.library, "eats-memory") == 0))
            continue;
        hold_line(&l, strcmp(l.when, "no-such-piece") == 0 ? clumsy : store, base_path, &base,
                  sessions);
        lines++;
    }
    cr_assert_gt(lines, 0);
    fclose(file);
    library_close(&base);
    scratch_close(folder);
}

Test(verdicts, of_the_other_builds_of_matchgame_are_those_listed)
{
    hold_base("matchgame", "diverged match", SESSIONS_MAX);
}

Test(verdicts, of_the_other_builds_of_peg_are_those_listed)
{
    hold_base("peg", "diverged match", SESSIONS_MAX);
}

Test(verdicts, of_the_other_builds_of_the_garden_are_those_listed)
{
    hold_base("garden", "diverged match", SESSIONS_MAX);
}

Test(verdicts, of_the_other_builds_of_dixmille_are_those_listed)
{
    hold_base("dixmille", "diverged match", SESSIONS_MAX);
}

Test(verdicts, of_the_other_builds_of_the_skirmish_are_those_listed)
{
    hold_base("skirmish", "diverged match", SESSIONS_MAX);
}

Test(verdicts, of_ledgers_that_differ_are_those_listed)
{
    hold_base("ledger", "diverged unstable", 8);
}

Test(verdicts, of_ledgers_that_match_are_those_listed)
{
    hold_base("ledger", "match", 4);
}

Test(verdicts, of_ledgers_that_do_not_fit_are_those_listed)
{
    hold_base("ledger", "unfit", 2);
}

Test(verdicts, of_ledgers_that_break_are_those_listed)
{
    hold_base("ledger", "crashed hung", 2);
}
