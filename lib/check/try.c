/* SPDX-License-Identifier: MIT */
/*
 * Commands that are tried on copies of a state: those that are legal, those of the fixed row, and
 * random ones. A copy is asked, then applied to, and held against itself; a second copy is applied
 * to, and held against the first.
 *
 * A copy is the struct's memory where the type has neither init nor finish, with whatever it holds
 * beside its fields; else, and where it points into itself, it is saved and loaded.
 */
#include "check/check.h"

#include <stdio.h>

enum {
    ROOM_LEAST = 8,  /* commands of the row that are tried of each state */
    END_LEAST = 512, /* that are left for the state in which a game ends */
    RANDOM = 8,      /* of these at random */
    LEGAL_MOST = 128 /* of what a state lists */
};

/* One command that is being tried. */
typedef struct trial {
    deja__sight sight; /* with its step and command */
    deja_span state;   /* the bytes of what is copied */
    uint32_t checked;
    uint32_t result;
    bool is_listed;
    bool is_over;
} trial;

/* Whether memory may hold an address within itself: a copy would then be changed by way of the
 * other. */
static bool points_into_itself(const void *memory, uint64_t size)
{
    const uintptr_t start = (uintptr_t)memory;
    for (uint64_t at = 0; at + sizeof start <= size; at += sizeof start) {
        uintptr_t word;
        memcpy(&word, (const unsigned char *)memory + at, sizeof word);
        if (word - start < size)
            return true;
    }
    return false;
}

static deja_code copy_main(deja__check *c, deja__game *to, deja_span state, deja_error *err)
{
    const uint64_t size = c->rules->state.size;
    const void *source = deja__game_state(c->main);
    void *target = deja__game_state(to);
    if (!c->is_plain || !target || points_into_itself(source, size))
        return deja__game_load(to, state, err);
    memcpy(target, source, (size_t)size);
    return DEJA_OK;
}

/* Where the answers of two functions differ. */
static deja_code tell_answers(deja__check *c, const trial *t, uint32_t clause, uint32_t expected,
                              uint32_t actual, const char *why, deja_error *err)
{
    deja__sight sight = t->sight;
    sight.clause = clause;
    sight.path = "result";
    sight.expected = deja__answer(c, expected);
    sight.actual = deja__answer(c, actual);
    return deja__finding(c, &sight, err, "%s", why);
}

static deja_code tell_accepted(deja__check *c, const trial *t, deja_error *err)
{
    deja__sight sight = t->sight;
    sight.clause = DEJA_CLAUSE_OVER_REFUSES;
    sight.path = "result";
    sight.expected = "refused";
    sight.actual = deja__answer(c, 0);
    return deja__finding(c, &sight, err, "the game is over, and the command is accepted");
}

static deja_code tell_state(deja__check *c, const trial *t, uint32_t clause, deja_span now,
                            const char *why, deja_error *err)
{
    deja__sight sight = t->sight;
    sight.clause = clause;
    return deja__finding_of(c, sight, DEJA_STATE, "", t->state, now, why, err);
}

static deja_code save(deja__check *c, deja__game *game, const trial *t, deja_error *err)
{
    deja_error said;
    return deja__described(c, deja__save_in(game, &c->saved, &said), t->sight.step,
                           t->sight.command, &said, err);
}

/* ---- check ---- */

/* Asks a copy, which is another afterwards where check changes it. */
static deja_code ask_check(deja__check *c, trial *t, deja_error *err)
{
    const void *state = deja__game_state(c->copy);
    t->checked = c->rules->check(state, c->command);
    const uint32_t again = c->rules->check(state, c->command);
    deja_code code = save(c, c->copy, t, err);
    if (code != DEJA_OK || c->is_broken)
        return code;
    deja__counts(c, DEJA_CLAUSE_CHECK_CHANGES_NOTHING);
    if (!deja__same(t->state, deja__span(&c->saved))) {
        code = copy_main(c, c->copy, t->state, err);
        if (code == DEJA_OK)
            c->rules->check(deja__game_state(c->copy), c->command);
        if (code == DEJA_OK)
            code = save(c, c->copy, t, err);
        if (code == DEJA_OK && !c->is_broken)
            code = tell_state(c, t, DEJA_CLAUSE_CHECK_CHANGES_NOTHING, deja__span(&c->saved),
                              "check has changed the state", err);
        if (code == DEJA_OK)
            code = copy_main(c, c->copy, t->state, err);
    } else if (again != t->checked) {
        code = tell_answers(c, t, DEJA_CLAUSE_CHECK_IS_APPLY, t->checked, again,
                            "asked twice, check answers otherwise", err);
    }
    return code;
}

/* ---- apply ---- */

/* What was answered, beside what was promised. */
static deja_code judge_answer(deja__check *c, const trial *t, deja_error *err)
{
    deja_code code = DEJA_OK;
    if (c->rules->check) {
        deja__counts(c, DEJA_CLAUSE_CHECK_IS_APPLY);
        if (t->checked != t->result)
            code = tell_answers(c, t, DEJA_CLAUSE_CHECK_IS_APPLY, t->result, t->checked,
                                "check answers otherwise than apply", err);
    }
    if (code == DEJA_OK && t->is_over) {
        deja__counts(c, DEJA_CLAUSE_OVER_REFUSES);
        if (t->result == 0)
            code = tell_accepted(c, t, err);
    }
    if (code == DEJA_OK && t->is_listed) {
        deja__counts(c, DEJA_CLAUSE_LEGAL_ACCEPTED);
        const bool is_refused = c->rules->check && t->checked != 0;
        if (is_refused || t->result != 0)
            code = tell_answers(c, t, DEJA_CLAUSE_LEGAL_ACCEPTED, 0,
                                is_refused ? t->checked : t->result,
                                is_refused ? "legal lists it, and check refuses it"
                                           : "legal lists it, and apply refuses it",
                                err);
    }
    return code;
}

/* Applies to the second copy, and holds it against the first, whose state is in `saved`. */
static deja_code apply_twice(deja__check *c, const trial *t, deja_error *err)
{
    static const char why[] = "the same state and command, applied twice";
    deja__sight sight = t->sight;
    deja_span events[2];
    const uint32_t *ends;
    deja_error said;
    deja_buffer other = { 0 };
    uint32_t result = 0;
    deja_code code = copy_main(c, c->other, t->state, err);
    if (code == DEJA_OK)
        code = deja__apply(c, c->other, sight.step, sight.command, &result, err);
    if (code == DEJA_OK && !c->is_broken)
        code = deja__described(c, deja__save_in(c->other, &other, &said), sight.step, sight.command,
                               &said, err);
    if (code == DEJA_OK && !c->is_broken) {
        const uint32_t counts[2] = { deja__game_events(c->copy, &events[0], &ends, err),
                                     deja__game_events(c->other, &events[1], &ends, err) };
        sight.clause = DEJA_CLAUSE_SAME_AGAIN;
        deja__counts(c, DEJA_CLAUSE_SAME_AGAIN);
        c->is_repeatable = false;
        if (result != t->result)
            code = tell_answers(c, t, DEJA_CLAUSE_SAME_AGAIN, t->result, result, why, err);
        else if (!deja__same(deja__span(&c->saved), deja__span(&other)))
            code = deja__finding_of(c, sight, DEJA_STATE, "", deja__span(&c->saved),
                                    deja__span(&other), why, err);
        else if (counts[0] != counts[1] || !deja__same(events[0], events[1]))
            code = deja__finding_in_row(c, sight, DEJA_EVENT, "events", events[0], events[1], why,
                                        err);
        else
            c->is_repeatable = true;
    }
    deja_buffer_release(&other);
    return code;
}

static deja_code apply_to_copy(deja__check *c, trial *t, deja_error *err)
{
    char why[96];
    deja_code code = deja__apply(c, c->copy, t->sight.step, t->sight.command, &t->result, err);
    if (code == DEJA_OK && !c->is_broken)
        code = save(c, c->copy, t, err);
    if (code == DEJA_OK && !c->is_broken && t->result != 0) {
        deja__counts(c, DEJA_CLAUSE_ALL_OR_NOTHING);
        snprintf(why, sizeof why, "refused as %s, and the state has changed",
                 deja__answer(c, t->result));
        if (!deja__same(t->state, deja__span(&c->saved)))
            code = tell_state(c, t, DEJA_CLAUSE_ALL_OR_NOTHING, deja__span(&c->saved), why, err);
    }
    return code;
}

/* ---- one command ---- */

static deja_code try_one(deja__check *c, uint64_t step, deja_span command, bool is_listed,
                         deja_error *err)
{
    trial t = { .sight = { .step = step + 1, .saved = DEJA_STEP_NONE, .command = command },
                .state = deja__track_state(&c->track, step),
                .is_listed = is_listed,
                .is_over =
                    c->rules->kind == DEJA_TURNS && deja__track_at(&c->track, step).outcome != 0 };
    const bool was_repeatable = c->is_repeatable;
    if (c->is_broken || c->tries == 0 || !deja__doing(c, "try", step + 1, command))
        return DEJA_OK;
    c->tries--;
    c->summary->tried++;
    deja_code code = copy_main(c, c->copy, t.state, err);
    if (code == DEJA_OK)
        code = deja__form_load(&c->command_form, c->command, command, err);
    if (code == DEJA_OK && c->rules->check)
        code = ask_check(c, &t, err);
    if (code == DEJA_OK && !c->is_broken)
        code = apply_to_copy(c, &t, err);
    if (code == DEJA_OK && !c->is_broken)
        code = judge_answer(c, &t, err);
    if (code == DEJA_OK && !c->is_broken)
        code = apply_twice(c, &t, err);
    c->is_repeatable = c->is_repeatable && was_repeatable;
    return code;
}

/* ---- all of a state ---- */

static deja_code try_legal(deja__check *c, uint64_t step, deja_error *err)
{
    const uint32_t most = c->legal_count < LEGAL_MOST ? c->legal_count : LEGAL_MOST;
    deja_code code = DEJA_OK;
    for (uint32_t i = 0; code == DEJA_OK && i < most; i++) {
        /* Of a long list another part at each step. */
        const uint32_t place = (uint32_t)((i + step * most) % c->legal_count);
        uint32_t bounds[2] = { 0, 0 };
        if (place == 0)
            memcpy(&bounds[1], c->legal_ends.bytes, sizeof *bounds);
        else
            memcpy(bounds, c->legal_ends.bytes + (place - 1) * sizeof *bounds, sizeof bounds);
        const deja_span command = { c->legal.bytes + bounds[0], bounds[1] - bounds[0] };
        code = try_one(c, step, command, true, err);
    }
    return code;
}

static deja_code try_row(deja__check *c, uint64_t step, uint64_t room, deja_error *err)
{
    deja_code code = DEJA_OK;
    for (uint64_t i = 0; code == DEJA_OK && i < c->made.count && i < room; i++) {
        const uint32_t place = (uint32_t)((i + step * room) % c->made.count);
        code = try_one(c, step, deja__made_at(&c->made, place), false, err);
    }
    return code;
}

static deja_code try_random(deja__check *c, uint64_t step, deja_error *err)
{
    deja_code code = DEJA_OK;
    for (uint32_t i = 0; code == DEJA_OK && i < RANDOM; i++) {
        deja_buffer_clear(&c->chosen);
        deja__made_random(c->layouts[DEJA_COMMAND], &c->luck, &c->chosen);
        code = c->chosen.failed ? deja__fail_memory(err)
                                : try_one(c, step, deja__span(&c->chosen), false, err);
    }
    return code;
}

/* What was played, once more: all of it where the game is over, which it must not be taken in. */
static deja_code try_played(deja__check *c, uint64_t step, deja_error *err)
{
    const deja__track *track = &c->track;
    deja_code code = DEJA_OK;
    if (step < track->last)
        return try_one(c, step, deja__track_command(track, step + 1), false, err);
    for (uint64_t i = 1; code == DEJA_OK && i <= track->last; i++)
        if (deja__track_at(track, step).outcome != 0)
            code = try_one(c, step, deja__track_command(track, i), false, err);
    return code;
}

/* Of what is left to be tried: a game that ends is to be asked there, too, however long it was. */
static uint64_t kept_for_end(const deja__check *c)
{
    const uint64_t quarter = c->options.tries / 4;
    const uint64_t kept = quarter < END_LEAST ? quarter : END_LEAST;
    return kept < c->tries ? kept : c->tries;
}

deja_code deja__try_all(deja__check *c, uint64_t step, deja_error *err)
{
    const bool is_end = deja__track_at(&c->track, step).outcome != 0;
    const bool has_end = deja__track_at(&c->track, c->track.last).outcome != 0;
    const uint64_t kept = has_end && !is_end ? kept_for_end(c) : 0;
    c->tries -= kept;
    uint64_t room = c->tries / (c->track.last - step + 1);
    if (room < ROOM_LEAST)
        room = ROOM_LEAST;
    if (room > c->made.count || step == 0 || is_end)
        room = c->made.count;
    deja_code code = try_legal(c, step, err);
    if (code == DEJA_OK)
        code = try_row(c, step, room, err);
    if (code == DEJA_OK)
        code = try_random(c, step, err);
    if (code == DEJA_OK)
        code = try_played(c, step, err);
    c->tries += kept;
    return code;
}
