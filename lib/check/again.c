/* SPDX-License-Identifier: MIT */
/*
 * The second way: the same commands from the start, and everything that a state can be asked on the
 * way.
 */
#include "check/check.h"

static const deja_span nothing = { NULL, 0 };

/* ---- holding a step against the track ---- */

static deja_code hold_result(deja__check *c, uint32_t result, deja__sight sight, const char *why,
                             bool *differs, deja_error *err)
{
    const uint32_t expected = deja__track_at(&c->track, sight.step).result;
    *differs = expected != result;
    if (!*differs)
        return DEJA_OK;
    sight.path = "result";
    sight.expected = deja__answer(c, expected);
    sight.actual = deja__answer(c, result);
    return deja__finding(c, &sight, err, "%s", why);
}

static deja_code hold_state(deja__check *c, deja__game *game, deja__sight sight, const char *why,
                            bool *differs, deja_error *err)
{
    const deja_span expected = deja__track_state(&c->track, sight.step);
    deja_error said;
    const deja_code code = deja__described(c, deja__save_in(game, &c->saved, &said), sight.step,
                                           sight.command, &said, err);
    if (code != DEJA_OK || c->is_broken)
        return code;
    *differs = !deja__same(expected, deja__span(&c->saved));
    return *differs ? deja__finding_of(c, sight, DEJA_STATE, "", expected, deja__span(&c->saved),
                                       why, err)
                    : DEJA_OK;
}

static deja_code hold_events(deja__check *c, deja__game *game, deja__sight sight, const char *why,
                             bool *differs, deja_error *err)
{
    const deja_span expected = deja__track_events(&c->track, sight.step);
    deja_span events;
    const uint32_t *ends;
    const uint32_t count = deja__game_events(game, &events, &ends, err);
    *differs =
        count != deja__track_at(&c->track, sight.step).event_count || !deja__same(expected, events);
    return *differs
               ? deja__finding_in_row(c, sight, DEJA_EVENT, "events", expected, events, why, err)
               : DEJA_OK;
}

deja_code deja__hold(deja__check *c, deja__game *game, uint32_t result, deja__sight sight,
                     const char *why, bool *differs, deja_error *err)
{
    deja__counts(c, sight.clause);
    deja_code code = hold_result(c, result, sight, why, differs, err);
    if (code == DEJA_OK && !*differs)
        code = hold_state(c, game, sight, why, differs, err);
    if (code == DEJA_OK && !*differs && !c->is_broken && sight.step != 0)
        code = hold_events(c, game, sight, why, differs, err);
    return code;
}

/* ---- one state ---- */

/* Saves the main state, loads it, and asks what comes of it. */
static deja_code look_at_loaded(deja__check *c, uint64_t step, deja_error *err)
{
    const deja__sight sight = { .clause = DEJA_CLAUSE_STATE_IN_FIELDS,
                                .step = step,
                                .saved = step };
    const deja_span state = deja__track_state(&c->track, step);
    deja_error said;
    bool differs = false;
    if (!deja__doing(c, "load", step, nothing))
        return DEJA_OK;
    deja_code code =
        deja__described(c, deja__game_load(c->copy, state, &said), step, nothing, &said, err);
    if (code != DEJA_OK || c->is_broken)
        return code;
    /* What counts as a check is a step that follows; but a state that is another at once is one. */
    code = hold_state(c, c->copy, sight, "the saved and loaded state is another", &differs, err);
    if (differs)
        deja__counts(c, sight.clause);
    if (code == DEJA_OK && !c->is_broken && !differs)
        code = deja__ask_loaded(c, step, err);
    c->is_saved = c->is_saved && !differs;
    return code;
}

/* The step from a state that was saved and loaded. */
static deja_code step_loaded(deja__check *c, uint64_t step, deja_error *err)
{
    const deja__sight sight = { .clause = DEJA_CLAUSE_STATE_IN_FIELDS,
                                .step = step,
                                .saved = step - 1,
                                .command = deja__track_command(&c->track, step) };
    uint32_t result = 0;
    bool differs = false;
    deja_code code = deja__game_load(c->copy, deja__track_state(&c->track, step - 1), err);
    if (code == DEJA_OK)
        code = deja__apply(c, c->copy, step, sight.command, &result, err);
    if (code == DEJA_OK && !c->is_broken)
        code = deja__hold(c, c->copy, result, sight, "a saved and loaded state goes on otherwise",
                          &differs, err);
    return code;
}

static deja_code step_main(deja__check *c, uint64_t step, bool *differs, deja_error *err)
{
    const deja__sight sight = { .clause = DEJA_CLAUSE_SAME_AGAIN,
                                .step = step,
                                .saved = DEJA_STEP_NONE,
                                .command = deja__track_command(&c->track, step) };
    uint32_t result = 0;
    *differs = false;
    if (!deja__doing(c, "apply", step, sight.command))
        return DEJA_OK;
    deja_code code = deja__apply(c, c->main, step, sight.command, &result, err);
    if (code == DEJA_OK && !c->is_broken)
        code = deja__hold(c, c->main, result, sight, "the same game, played again", differs, err);
    c->is_repeatable = c->is_repeatable && !*differs;
    return code;
}

/* The start, which is made by the seed alone. */
static deja_code start_again(deja__check *c, deja_error *err)
{
    const deja__sight sight = { .clause = DEJA_CLAUSE_SAME_AGAIN,
                                .step = 0,
                                .saved = DEJA_STEP_NONE };
    bool differs = false;
    deja_code code = deja__begin_game(c, err);
    if (code == DEJA_OK && !c->is_broken && !c->stopped)
        code = deja__hold(c, c->main, 0, sight, "the same game, started again", &differs, err);
    if (differs)
        c->is_repeatable = false;
    return code;
}

/* ---- all of it ---- */

deja_code deja__play_again(deja__check *c, deja_error *err)
{
    deja_code code = start_again(c, err);
    bool differs = !c->is_repeatable; /* then what follows would be held against another game */
    for (uint64_t step = 0; code == DEJA_OK && !differs && step <= c->track.last; step++) {
        if (c->is_broken || c->stopped)
            break;
        code = deja__ask_state(c, step, err);
        if (code == DEJA_OK && !c->is_broken && !c->stopped && c->is_repeatable)
            code = look_at_loaded(c, step, err);
        if (code == DEJA_OK && !c->is_broken && !c->stopped)
            code = deja__try_all(c, step, err);
        if (code != DEJA_OK || c->is_broken || c->stopped || step == c->track.last)
            continue;
        code = step_main(c, step + 1, &differs, err);
        if (code == DEJA_OK && !c->is_broken && !c->stopped && c->is_repeatable)
            code = step_loaded(c, step + 1, err);
    }
    return code;
}
