/* SPDX-License-Identifier: MIT */
/*
 * From saved states on to the end: what a state keeps beside its fields may show only steps later.
 * What a start has put into the library's own variables is not there for who loads a state, so
 * these are put back first, where they can be.
 *
 * The first state that goes on otherwise ends a game's: it says which saves are good. So this is
 * also done where a step from a state right before it has shown that something is missing.
 *
 * A game of n steps has n (n + 1) / 2 steps that follow its states. Where that is more than is to
 * be done, every second state is taken, or every third...
 */
#include "check/check.h"

#define BYTES_MAX ((uint64_t)1 << 28) /* of states that are compared in one game */

static deja_code play_from(deja__check *c, uint64_t saved, bool *differs, deja_error *err)
{
    deja__sight sight = { .clause = DEJA_CLAUSE_STATE_IN_FIELDS, .saved = saved };
    deja_error said;
    deja__restore(c);
    deja_code code =
        deja__described(c, deja__game_load(c->copy, deja__track_state(&c->track, saved), &said),
                        saved, (deja_span){ NULL, 0 }, &said, err);
    c->summary->saves++;
    for (uint64_t step = saved + 1; code == DEJA_OK && step <= c->track.last; step++) {
        uint32_t result = 0;
        if (c->is_broken)
            break;
        sight.step = step;
        sight.command = deja__track_command(&c->track, step);
        if (!deja__doing(c, "play on", step, sight.command))
            break;
        code = deja__apply(c, c->copy, step, sight.command, &result, err);
        if (code == DEJA_OK && !c->is_broken)
            code = deja__hold(c, c->copy, result, sight,
                              "a state that was saved and loaded earlier goes on otherwise; "
                              "those saved before it do not",
                              differs, err);
        if (*differs || c->is_broken)
            break;
    }
    return code;
}

deja_code deja__play_saved(deja__check *c, deja_error *err)
{
    const uint64_t last = c->track.last;
    const uint64_t steps = last * (last + 1) / 2;
    const uint64_t size = c->track.states.size / (last + 1) + 1;
    const uint64_t most = c->options.tries < BYTES_MAX / size ? c->options.tries : BYTES_MAX / size;
    const uint64_t stride = most ? (steps + most - 1) / most : 0;
    bool differs = false;
    deja_code code = DEJA_OK;
    for (uint64_t saved = 0; code == DEJA_OK && stride && saved < last; saved += stride) {
        if (differs || c->is_broken || c->stopped)
            break;
        code = play_from(c, saved, &differs, err);
    }
    return code;
}
