/* SPDX-License-Identifier: MIT */
/*
 * The first way: a game is played as it would be anywhere, and each step is kept.
 *
 * All that is done beside is to look whether the state's description only reads: the bytes of the
 * struct before and after it was written. Padding is not touched by reading, so that is certain.
 * What a state owns elsewhere is seen by its fields only, which are written twice then.
 */
#include "check/check.h"

#define STATES_MAX ((uint64_t)1 << 27) /* bytes of a game's states that are kept: then it is over */
#define MADE_STREAM 0x6d616465u        /* of the seed, for what is made up */

static const deja_span nothing = { NULL, 0 };

deja_code deja__begin_game(deja__check *c, deja_error *err)
{
    const deja__player *player = c->player;
    deja_error said;
    uint32_t refusal;
    deja_code code;
    deja_luck_seed(&c->luck, player->seed, MADE_STREAM);
    deja__seats_clear(&c->seats);
    if (!deja__doing(c, "start", 0, nothing))
        return DEJA_OK;
    if (player->start.bytes)
        code = deja__game_load(c->main, player->start, &said);
    else
        code = deja__game_start(c->main, player->config, player->seed, player->content, &refusal,
                                &said);
    return deja__described(c, code, 0, nothing, &said, err);
}

/* ---- keeping a step ---- */

/* A description that writes: told with the field that it changes, if it is one. */
static deja_code tell_written(deja__check *c, uint64_t step, deja_span first, deja_error *err)
{
    static const char why[] = "writing the state's fields changes it";
    const deja__sight sight = { .clause = DEJA_CLAUSE_FIELDS_READ_ONLY,
                                .step = step,
                                .saved = DEJA_STEP_NONE };
    deja_error said;
    c->is_broken = true;
    const deja_code code = deja__save_in(c->main, &c->saved, &said);
    if (code != DEJA_OK)
        return deja__described(c, code, step, nothing, &said, err);
    return deja__finding_of(c, sight, DEJA_STATE, "", first, deja__span(&c->saved), why, err);
}

/* Appends the state to the track. */
static deja_code keep_state(deja__check *c, uint64_t step, deja_error *err)
{
    const void *state = deja__game_state(c->main);
    const uint64_t size = c->rules->state.size;
    const uint64_t before = c->track.states.size;
    deja_error said;
    deja_buffer_clear(&c->raw);
    if (!deja_buffer_add(&c->raw, state, size))
        return deja__fail_memory(err);
    deja_code code = deja__game_save(c->main, &c->track.states, &said);
    if (code == DEJA_OK && c->track.states.failed)
        return deja__fail_memory(err);
    code = deja__described(c, code, step, nothing, &said, err);
    if (code != DEJA_OK || c->is_broken)
        return code;
    const deja_span first = { c->track.states.bytes + before, c->track.states.size - before };
    bool is_same = memcmp(c->raw.bytes, state, (size_t)size) == 0;
    if (is_same && !c->is_plain) {
        code = deja__save_in(c->main, &c->saved, &said);
        code = deja__described(c, code, step, nothing, &said, err);
        if (code != DEJA_OK || c->is_broken)
            return code;
        is_same = deja__same(first, deja__span(&c->saved));
    }
    deja__counts(c, DEJA_CLAUSE_FIELDS_READ_ONLY);
    return is_same ? DEJA_OK : tell_written(c, step, first, err);
}

static deja_code keep_step(deja__check *c, uint64_t step, uint32_t result, deja_error *err)
{
    deja_error said;
    deja_span events;
    const uint32_t *ends;
    uint32_t outcome = 0;
    const uint32_t count = step ? deja__game_events(c->main, &events, &ends, err) : 0;
    if (count != 0)
        deja_buffer_add(&c->track.events, events.bytes, events.size);
    deja_code code = keep_state(c, step, err);
    if (code != DEJA_OK || c->is_broken)
        return code;
    code =
        deja__described(c, deja__game_outcome(c->main, &outcome, &said), step, nothing, &said, err);
    if (code != DEJA_OK || c->is_broken)
        return code;
    return deja__track_add(&c->track, count, result, outcome) ? DEJA_OK : deja__fail_memory(err);
}

/* ---- the next command ---- */

static deja_code choose_legal(deja__check *c, uint64_t step, deja_luck *luck, bool *chosen,
                              deja_error *err)
{
    deja_span all;
    const uint32_t *ends;
    uint32_t count = 0;
    deja_error said;
    *chosen = false;
    const deja_code code = deja__described(c, deja__game_legal(c->main, &count, &all, &ends, &said),
                                           step - 1, nothing, &said, err);
    if (code != DEJA_OK || c->is_broken || count == 0)
        return code;
    const uint32_t place = deja_luck_below(luck, count);
    const uint32_t start = place ? ends[place - 1] : 0;
    *chosen = true;
    deja_buffer_add(&c->chosen, (const unsigned char *)all.bytes + start, ends[place] - start);
    return DEJA_OK;
}

/* One that is legal, or any. */
static deja_code make_up(deja__check *c, uint64_t step, bool *chosen, deja_error *err)
{
    *chosen = false;
    if (c->rules->legal && deja_luck_below(&c->luck, 2) != 0) {
        const deja_code code = choose_legal(c, step, &c->luck, chosen, err);
        if (code != DEJA_OK || *chosen || c->is_broken)
            return code;
    }
    if (deja_luck_below(&c->luck, 2) != 0) {
        const deja_span made = deja__made_at(&c->made, deja_luck_below(&c->luck, c->made.count));
        deja_buffer_add(&c->chosen, made.bytes, made.size);
    } else {
        deja__made_random(c->layouts[DEJA_COMMAND], &c->luck, &c->chosen);
    }
    *chosen = true;
    return DEJA_OK;
}

/* A bot's; picking must not change the state. */
static deja_code pick(deja__check *c, uint64_t step, bool *chosen, deja_error *err)
{
    const int32_t bot = c->player->bot;
    const uint32_t number = c->rules->side ? c->rules->side(deja__game_state(c->main)) : 0;
    const uint64_t memory_size = bot < 0 ? 0 : c->rules->bots[bot].memory_size;
    deja__seat *seat = NULL;
    deja_error said;
    *chosen = false;
    deja_code code = deja__seat_take(&c->seats, c->player->seed, number, memory_size, &seat, &said);
    if (code == DEJA_OK && bot < 0)
        return choose_legal(c, step, &seat->luck, chosen, err);
    if (code == DEJA_OK)
        code = deja__game_pick(c->main, (uint32_t)bot, &seat->luck, seat->memory, &c->chosen,
                               chosen, &said);
    code = deja__described(c, code, step - 1, nothing, &said, err);
    if (code != DEJA_OK || c->is_broken)
        return code;
    code =
        deja__described(c, deja__save_in(c->main, &c->saved, &said), step - 1, nothing, &said, err);
    if (code != DEJA_OK || c->is_broken)
        return code;
    deja__counts(c, DEJA_CLAUSE_ASKING_CHANGES_NOTHING);
    const deja_span before = deja__track_state(&c->track, step - 1);
    if (deja__same(before, deja__span(&c->saved)))
        return DEJA_OK;
    c->is_broken = true;
    const deja__sight sight = { .clause = DEJA_CLAUSE_ASKING_CHANGES_NOTHING,
                                .step = step - 1,
                                .saved = DEJA_STEP_NONE };
    return deja__finding_of(c, sight, DEJA_STATE, "", before, deja__span(&c->saved),
                            "the bot's pick changes the state", err);
}

static deja_code choose(deja__check *c, uint64_t step, bool *chosen, deja_error *err)
{
    const deja__player *player = c->player;
    deja_buffer_clear(&c->chosen);
    if (player->bot == DEJA__PLAYS_MADE)
        return make_up(c, step, chosen, err);
    if (player->bot != DEJA__PLAYS_SESSION)
        return pick(c, step, chosen, err);
    *chosen = step <= player->ends->size / sizeof(uint64_t);
    if (*chosen) {
        const deja__made row = { .bytes = *player->commands, .ends = *player->ends };
        const deja_span command = deja__made_at(&row, (uint32_t)(step - 1));
        deja_buffer_add(&c->chosen, command.bytes, command.size);
    }
    return DEJA_OK;
}

/* ---- steps ---- */

deja_code deja__apply(deja__check *c, deja__game *game, uint64_t step, deja_span command,
                      uint32_t *result, deja_error *err)
{
    deja_error said;
    const deja__sight sight = { .clause = DEJA_CLAUSE_ALL_OR_NOTHING,
                                .step = step,
                                .saved = DEJA_STEP_NONE,
                                .command = command };
    deja_code code = deja__form_load(&c->command_form, c->command, command, err);
    if (code != DEJA_OK)
        return code;
    code = deja__game_apply_value(game, c->command, result, &said);
    const uint32_t answer = deja__game_answer(game);
    if (code == DEJA_ERULES && answer != 0 && answer <= c->rules->refusal_count) {
        *result = answer;
        deja__counts(c, DEJA_CLAUSE_ALL_OR_NOTHING);
        return deja__finding(c, &sight, err, "refused as %s, and has emitted an event",
                             deja__answer(c, answer));
    }
    return deja__described(c, code, step, command, &said, err);
}

/* *goes_on is false where the game is over. */
static deja_code play_step(deja__check *c, uint64_t step, bool *goes_on, deja_error *err)
{
    bool chosen = false;
    uint32_t result = 0;
    *goes_on = false;
    if (!deja__doing(c, "pick", step, nothing))
        return DEJA_OK;
    deja_code code = choose(c, step, &chosen, err);
    if (code != DEJA_OK || c->is_broken || !chosen)
        return code;
    if (c->chosen.failed)
        return deja__fail_memory(err);
    if (!deja__doing(c, "apply", step, deja__span(&c->chosen)))
        return DEJA_OK;
    code = deja__apply(c, c->main, step, deja__span(&c->chosen), &result, err);
    if (code != DEJA_OK || c->is_broken)
        return code;
    deja_buffer_add(&c->track.commands, c->chosen.bytes, c->chosen.size);
    code = keep_step(c, step, result, err);
    *goes_on = code == DEJA_OK && !c->is_broken;
    c->summary->steps += *goes_on;
    return code;
}

deja_code deja__play(deja__check *c, deja_error *err)
{
    bool goes_on = true;
    deja__track_clear(&c->track);
    deja_code code = deja__begin_game(c, err);
    if (code == DEJA_OK && !c->is_broken && !c->stopped)
        code = keep_step(c, 0, 0, err);
    for (uint64_t step = 1; code == DEJA_OK && goes_on && !c->is_broken && !c->stopped; step++) {
        const bool is_over = deja__track_at(&c->track, step - 1).outcome != 0 &&
                             c->player->bot != DEJA__PLAYS_SESSION;
        if (is_over || step > c->options.max_steps || c->track.states.size > STATES_MAX)
            break;
        code = play_step(c, step, &goes_on, err);
    }
    c->track.is_whole = code == DEJA_OK && !c->is_broken && !c->stopped;
    return code;
}
