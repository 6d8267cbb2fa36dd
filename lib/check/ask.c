/* SPDX-License-Identifier: MIT */
/*
 * What only reads: the questions that the table lets a host ask of a state.
 */
#include "check/check.h"

#include <stdio.h>
#include "fields/values.h"

static const deja_span nothing = { NULL, 0 };

static void drop(deja_page *page, const char *chars, uint64_t size)
{
    (void)page;
    (void)chars;
    (void)size;
}

static deja__sight sight_of(uint32_t clause, uint64_t step)
{
    return (deja__sight){ .clause = clause, .step = step, .saved = DEJA_STEP_NONE };
}

/* Whether the main state is what it was; where a question has changed it, the game is broken. */
static deja_code look_after(deja__check *c, uint64_t step, const char *question, deja_error *err)
{
    const deja_span before = deja__track_state(&c->track, step);
    deja_error said;
    char why[64];
    const deja_code code =
        deja__described(c, deja__save_in(c->main, &c->saved, &said), step, nothing, &said, err);
    if (code != DEJA_OK || c->is_broken)
        return code;
    deja__counts(c, DEJA_CLAUSE_ASKING_CHANGES_NOTHING);
    if (deja__same(before, deja__span(&c->saved)))
        return DEJA_OK;
    c->is_broken = true;
    snprintf(why, sizeof why, "asking for %s changes the state", question);
    return deja__finding_of(c, sight_of(DEJA_CLAUSE_ASKING_CHANGES_NOTHING, step), DEJA_STATE, "",
                            before, deja__span(&c->saved), why, err);
}

/* ---- legal ---- */

static deja_code keep_legal(deja__check *c, uint64_t step, deja_error *err)
{
    deja_span all;
    const uint32_t *ends;
    deja_error said;
    deja_buffer_clear(&c->legal);
    deja_buffer_clear(&c->legal_ends);
    const deja_code code =
        deja__described(c, deja__game_legal(c->main, &c->legal_count, &all, &ends, &said), step,
                        nothing, &said, err);
    if (code != DEJA_OK || c->is_broken)
        return code;
    deja_buffer_add(&c->legal, all.bytes, all.size);
    deja_buffer_add(&c->legal_ends, ends, c->legal_count * sizeof *ends);
    return c->legal.failed || c->legal_ends.failed ? deja__fail_memory(err) : DEJA_OK;
}

/* Whether the same commands are in two lists, in whatever order. */
static bool has_same_commands(const deja__check *c, deja_span one, deja_span two)
{
    const deja__node *root = c->layouts[DEJA_COMMAND]->root;
    uint64_t sums[2] = { 0, 0 };
    const deja_span lists[2] = { one, two };
    for (uint32_t i = 0; i < 2; i++) {
        const unsigned char *at = lists[i].bytes;
        const unsigned char *end = at + lists[i].size;
        while (at < end) {
            const uint64_t size = deja__value_size(root, at);
            sums[i] += deja__hash64(at, size);
            at += size;
        }
    }
    return one.size == two.size && sums[0] == sums[1];
}

static deja_code list_again(deja__check *c, uint64_t step, deja_error *err)
{
    deja_span all;
    const uint32_t *ends;
    uint32_t count;
    deja_error said;
    const deja_code code = deja__described(c, deja__game_legal(c->main, &count, &all, &ends, &said),
                                           step, nothing, &said, err);
    if (code != DEJA_OK || c->is_broken)
        return code;
    deja__counts(c, DEJA_CLAUSE_LEGAL_ORDER);
    c->is_ordered = deja__same(deja__span(&c->legal), all);
    if (c->is_ordered)
        return DEJA_OK;
    return deja__finding_in_row(c, sight_of(DEJA_CLAUSE_LEGAL_ORDER, step), DEJA_COMMAND, "legal",
                                deja__span(&c->legal), all,
                                "asked twice, the same state lists otherwise", err);
}

static deja_code ask_legal(deja__check *c, uint64_t step, deja_error *err)
{
    const bool is_over = c->rules->kind == DEJA_TURNS && deja__track_at(&c->track, step).outcome;
    deja_code code = keep_legal(c, step, err);
    if (code == DEJA_OK && !c->is_broken)
        code = list_again(c, step, err);
    if (code != DEJA_OK || c->is_broken || !is_over)
        return code;
    deja__counts(c, DEJA_CLAUSE_OVER_REFUSES);
    if (c->legal_count == 0)
        return DEJA_OK;
    return deja__finding_in_row(c, sight_of(DEJA_CLAUSE_OVER_REFUSES, step), DEJA_COMMAND, "legal",
                                nothing, deja__span(&c->legal),
                                "the game is over, and commands are listed as legal", err);
}

/* ---- all of it ---- */

deja_code deja__ask_state(deja__check *c, uint64_t step, deja_error *err)
{
    const deja_rules_table *rules = c->rules;
    const void *state = deja__game_state(c->main);
    deja_page page = { drop };
    deja_code code = DEJA_OK;
    c->is_ordered = true;
    c->legal_count = 0;
    if (!deja__doing(c, "ask", step, nothing))
        return DEJA_OK;
    if (rules->legal) {
        code = ask_legal(c, step, err);
        if (code == DEJA_OK && !c->is_broken)
            code = look_after(c, step, "the legal commands", err);
    }
    if (rules->outcome && code == DEJA_OK && !c->is_broken) {
        rules->outcome(state);
        code = look_after(c, step, "the outcome", err);
    }
    if (rules->side && code == DEJA_OK && !c->is_broken) {
        rules->side(state);
        code = look_after(c, step, "the side", err);
    }
    if (rules->turn && code == DEJA_OK && !c->is_broken) {
        rules->turn(state);
        code = look_after(c, step, "the turn", err);
    }
    if (rules->draw && code == DEJA_OK && !c->is_broken) {
        rules->draw(state, &page);
        code = look_after(c, step, "a drawing", err);
    }
    return code;
}

/* ---- of a loaded state ---- */

static deja_code tell_answer(deja__check *c, uint64_t step, const char *path, uint64_t expected,
                             uint64_t actual, deja_error *err)
{
    deja__sight sight = sight_of(DEJA_CLAUSE_STATE_IN_FIELDS, step);
    char numbers[2][24];
    if (expected == actual)
        return DEJA_OK;
    snprintf(numbers[0], sizeof *numbers, "%llu", (unsigned long long)expected);
    snprintf(numbers[1], sizeof *numbers, "%llu", (unsigned long long)actual);
    sight.saved = step;
    sight.path = path;
    sight.expected = numbers[0];
    sight.actual = numbers[1];
    c->is_saved = false;
    return deja__finding(c, &sight, err, "the saved and loaded state answers otherwise");
}

static deja_code list_loaded(deja__check *c, uint64_t step, deja_error *err)
{
    const deja_span mine = deja__span(&c->legal);
    deja__sight sight = sight_of(DEJA_CLAUSE_LEGAL_ORDER, step);
    deja_span all;
    const uint32_t *ends;
    uint32_t count;
    deja_error said;
    const deja_code code = deja__described(c, deja__game_legal(c->copy, &count, &all, &ends, &said),
                                           step, nothing, &said, err);
    if (code != DEJA_OK || c->is_broken)
        return code;
    deja__counts(c, DEJA_CLAUSE_LEGAL_ORDER);
    if (deja__same(mine, all))
        return DEJA_OK;
    sight.saved = step;
    if (!has_same_commands(c, mine, all)) {
        sight.clause = DEJA_CLAUSE_STATE_IN_FIELDS;
        c->is_saved = false;
    }
    return deja__finding_in_row(c, sight, DEJA_COMMAND, "legal", mine, all,
                                "the saved and loaded state lists otherwise", err);
}

deja_code deja__ask_loaded(deja__check *c, uint64_t step, deja_error *err)
{
    const deja_rules_table *rules = c->rules;
    const void *main = deja__game_state(c->main);
    const void *loaded = deja__game_state(c->copy);
    deja_code code = DEJA_OK;
    if (rules->legal && c->is_ordered)
        code = list_loaded(c, step, err);
    if (code == DEJA_OK && rules->outcome)
        code = tell_answer(c, step, "outcome", rules->outcome(main), rules->outcome(loaded), err);
    if (code == DEJA_OK && rules->side)
        code = tell_answer(c, step, "side", rules->side(main), rules->side(loaded), err);
    if (code == DEJA_OK && rules->turn)
        code = tell_answer(c, step, "turn", rules->turn(main), rules->turn(loaded), err);
    return code;
}
