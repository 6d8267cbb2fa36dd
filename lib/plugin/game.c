/* SPDX-License-Identifier: MIT */
/*
 * One game being played.
 *
 *     command's bytes -> check and load -> apply -> result
 *                                           └ emit -> events' bytes, one behind another
 *
 * A step costs little more than the library's apply: what is checked is checked once, and all
 * memory is kept from step to step. A state is made anew for each session, and everything that the
 * library made can be dropped, so that nothing refers to memory of its that is put back.
 *
 * Decided here: a refused command that emitted an event breaks the contract, as nothing has
 * happened then.
 */
#include "plugin/game.h"

#include <stdlib.h>

#include "plugin/content.h"
#include "plugin/emitter.h"

struct deja__game {
    deja_plugin *plugin;
    const deja_rules_table *table;
    deja__form forms[4];
    void *state; /* NULL until there is a start or a load */
    void *config;
    void *command;
    void *picked;
    uint64_t no_events;    /* the hash of none */
    uint32_t slots_failed; /* states that did not fit a step's memory for them */
    uint32_t answer;       /* of the last deja__game_apply_value() */
    deja__emitter events;
    deja__emitter legal;
};

/* ---- values ---- */

/* Makes a value where there is none yet. */
static deja_code make_value(const deja__form *of, void **value, deja_error *err)
{
    if (!*value)
        *value = deja__codec_value_create(of->codec);
    return *value ? DEJA_OK : deja__fail_memory(err);
}

static void drop_value(const deja__form *of, void **value)
{
    if (*value)
        deja__codec_value_destroy(of->codec, *value);
    *value = NULL;
}

/* ---- opening ---- */

deja_code deja__game_open(deja__game **out, deja_plugin *plugin, deja_error *err)
{
    *out = NULL;
    deja__game *game = calloc(1, sizeof *game);
    if (!game)
        return deja__fail_memory(err);
    deja_code code = DEJA_OK;
    game->plugin = plugin;
    game->table = deja_plugin_table(plugin);
    game->no_events = deja__event_hash_none();
    for (uint32_t i = 0; code == DEJA_OK && i < 4; i++)
        code = deja__form_init(&game->forms[i], plugin, i, err);
    if (code == DEJA_OK)
        code = deja__emitter_init(&game->events, &game->forms[DEJA_EVENT], "event", true, err);
    if (code == DEJA_OK)
        code = deja__emitter_init(&game->legal, &game->forms[DEJA_COMMAND], "legal command", false,
                                  err);
    if (code != DEJA_OK) {
        deja__game_close(game);
        return code;
    }
    *out = game;
    return DEJA_OK;
}

void deja__game_drop(deja__game *game)
{
    deja__emitter_clear(&game->events);
    drop_value(&game->forms[DEJA_STATE], &game->state);
    drop_value(&game->forms[DEJA_CONFIG], &game->config);
    drop_value(&game->forms[DEJA_COMMAND], &game->command);
    drop_value(&game->forms[DEJA_COMMAND], &game->picked);
}

void deja__game_close(deja__game *game)
{
    if (!game)
        return;
    deja__game_drop(game);
    deja__emitter_release(&game->events);
    deja__emitter_release(&game->legal);
    for (uint32_t i = 0; i < 4; i++)
        deja__form_release(&game->forms[i]);
    free(game);
}

/* ---- starting ---- */

static const char *refusal_name(const deja__game *game, uint32_t result)
{
    return game->table->refusals[result - 1];
}

/* What a function of the library answered: 0, or 1 + a place among `count` of something. */
static deja_code fail_answer(const char *function, uint32_t answer, uint32_t count,
                             const char *what, deja_error *err)
{
    return deja__fail(err, DEJA_ERULES, "%s answered %u, but there %s %u %s%s", function, answer,
                      count == 1 ? "is" : "are", count, what, count == 1 ? "" : "s");
}

static deja_code need_state(const deja__game *game, deja_error *err)
{
    return game->state ? DEJA_OK : deja__fail(err, DEJA_EMISUSE, "the game has not been started");
}

/* An empty state in place of the one before. */
static deja_code renew_state(deja__game *game, deja_error *err)
{
    deja__emitter_clear(&game->events);
    drop_value(&game->forms[DEJA_STATE], &game->state);
    return make_value(&game->forms[DEJA_STATE], &game->state, err);
}

deja_code deja__game_start(deja__game *game, deja_span config, uint64_t seed,
                           const deja_content *content, uint32_t *refusal, deja_error *err)
{
    deja_content_pack packs[DEJA_CONTENT_PACKS_MAX];
    deja_content ordered = { 0, NULL };
    const deja__form *of_config = &game->forms[DEJA_CONFIG];
    if (refusal)
        *refusal = 0;
    deja_code code = deja__content_check(content, err);
    if (code == DEJA_OK && content)
        ordered = deja__content_in_order(content, packs);
    if (code == DEJA_OK)
        code = renew_state(game, err);
    if (code == DEJA_OK)
        code = make_value(of_config, &game->config, err);
    if (code == DEJA_OK) {
        code = deja__form_load(of_config, game->config, config, err);
        if (code != DEJA_OK)
            code = deja__fail_within(err, code, "config");
    }
    if (code == DEJA_OK) {
        const uint32_t answer = game->table->start(game->state, game->config, seed, &ordered);
        if (answer > game->table->refusal_count)
            code = fail_answer("start", answer, game->table->refusal_count, "refusal", err);
        else if (answer)
            code =
                deja__fail(err, DEJA_EREFUSED, "refused to start: %s", refusal_name(game, answer));
        if (code == DEJA_EREFUSED && refusal)
            *refusal = answer;
    }
    if (code != DEJA_OK)
        drop_value(&game->forms[DEJA_STATE], &game->state);
    return code;
}

deja_code deja__game_load(deja__game *game, deja_span state, deja_error *err)
{
    deja_code code = renew_state(game, err);
    if (code == DEJA_OK)
        code = deja__form_load(&game->forms[DEJA_STATE], game->state, state, err);
    if (code != DEJA_OK)
        drop_value(&game->forms[DEJA_STATE], &game->state);
    return code;
}

/* ---- steps ---- */

/* What the library has emitted where it must not, by a description or outcome, comes to light. */
static inline deja_code find_late(deja__game *game, deja_code code, deja_error *err)
{
    if (DEJA__LIKELY(code != DEJA_OK || game->events.code == DEJA_OK))
        return code;
    return deja__emitter_fail(&game->events, err);
}

static deja_code fail_applied(const deja__game *game, uint32_t answer, deja_error *err)
{
    if (answer > game->table->refusal_count)
        return fail_answer("apply", answer, game->table->refusal_count, "refusal", err);
    return deja__fail(err, DEJA_ERULES, "apply refused (%s), and emitted an event",
                      refusal_name(game, answer));
}

deja_code deja__game_apply_value(deja__game *game, const void *command, uint32_t *result,
                                 deja_error *err)
{
    deja__emitter *e = &game->events;
    if (!game->state)
        return need_state(game, err);
    deja__emitter_open(e);
    const uint32_t answer = game->table->apply(game->state, command, &e->out);
    const deja_code code = deja__emitter_close(e, err);
    game->answer = answer;
    if (code != DEJA_OK)
        return code;
    if (answer > game->table->refusal_count || (answer && e->count)) {
        deja__emitter_clear(e);
        return fail_applied(game, answer, err);
    }
    *result = answer;
    return DEJA_OK;
}

uint32_t deja__game_answer(const deja__game *game)
{
    return game->answer;
}

static deja_code load_command(deja__game *game, deja_span command, deja_error *err)
{
    const deja__form *of_command = &game->forms[DEJA_COMMAND];
    deja_code code = make_value(of_command, &game->command, err);
    if (code == DEJA_OK)
        code = deja__form_load(of_command, game->command, command, err);
    return code == DEJA_OK ? DEJA_OK : deja__fail_within(err, code, "command");
}

deja_code deja__game_apply(deja__game *game, deja_span command, uint32_t *result, deja_error *err)
{
    const deja_code code = load_command(game, command, err);
    return code == DEJA_OK ? deja__game_apply_value(game, game->command, result, err) : code;
}

static inline deja_code step_state(deja__game *game, deja__stepped *stepped, deja_error *err)
{
    deja__codec *codec = game->forms[DEJA_STATE].codec;
    const unsigned char *end =
        deja__codec_attempt(codec, game->state, stepped->state,
                            stepped->state + DEJA__STEPPED_STATE, &game->slots_failed);
    stepped->state_size = end ? (uint16_t)(end - stepped->state) : 0;
    if (DEJA__LIKELY(stepped->state_size != 0))
        return DEJA_OK;
    return deja__codec_hash(codec, game->state, &stepped->hash, err);
}

/* Any step: one with large values, one that breaks the contract, the first of all. */
static deja_code step_slowly(deja__game *game, deja_span command, deja__stepped *stepped,
                             deja_error *err)
{
    deja__emitter_leave(&game->events);
    const deja_code code = deja__game_apply(game, command, &stepped->result, err);
    if (code != DEJA_OK)
        return code;
    stepped->events_size = 0;
    stepped->event_hash = deja__game_event_hash(game);
    return find_late(game, step_state(game, stepped, err), err);
}

/* What came of an apply whose events went past their slot, or that broke the contract. */
static deja_code close_slowly(deja__game *game, uint32_t answer, deja__stepped *stepped,
                              deja_error *err)
{
    deja__emitter *e = &game->events;
    deja_code code = DEJA_OK;
    if (e->is_open)
        code = deja__emitter_close(e, err);
    if (code == DEJA_OK && (answer > game->table->refusal_count || (answer && e->count))) {
        deja__emitter_clear(e);
        code = fail_applied(game, answer, err);
    }
    if (code == DEJA_OK)
        stepped->event_hash = deja__game_event_hash(game);
    deja__emitter_leave(e);
    return code;
}

deja_code deja__game_step(deja__game *game, deja_span command, deja__stepped *stepped,
                          deja_error *err)
{
    deja__emitter *e = &game->events;
    if (!game->state || !game->command ||
        !deja__codec_load_planned(game->forms[DEJA_COMMAND].codec, game->command, command) ||
        !deja__emitter_open_slot(e, stepped->events, DEJA__STEPPED_EVENTS))
        return step_slowly(game, command, stepped, err);
    const uint32_t answer = game->table->apply(game->state, game->command, &e->out);
    const int32_t size = deja__emitter_close_slot(e);
    stepped->result = answer;
    stepped->events_size = size > 0 ? (uint16_t)size : 0;
    stepped->event_hash = game->no_events;
    if (size < 0 || answer > game->table->refusal_count || (answer && size)) {
        const deja_code code = close_slowly(game, answer, stepped, err);
        if (code != DEJA_OK)
            return code;
    }
    return find_late(game, step_state(game, stepped, err), err);
}

uint64_t deja__stepped_hash(const deja__stepped *stepped)
{
    const uint32_t size = stepped->state_size;
    if (size == 0)
        return stepped->hash;
    return XXH3_64bits(stepped->state, size < DEJA__STEPPED_STATE ? size : DEJA__STEPPED_STATE);
}

uint64_t deja__stepped_event_hash(const deja__stepped *stepped)
{
    const uint32_t size = stepped->events_size;
    if (size == 0)
        return stepped->event_hash;
    return XXH3_64bits(stepped->events, size < DEJA__STEPPED_EVENTS ? size : DEJA__STEPPED_EVENTS);
}

deja_code deja__game_hash(deja__game *game, uint64_t *hash, deja_error *err)
{
    if (!game->state)
        return need_state(game, err);
    const deja_code code = deja__codec_hash(game->forms[DEJA_STATE].codec, game->state, hash, err);
    return find_late(game, code, err);
}

deja_code deja__game_save(deja__game *game, deja_buffer *out, deja_error *err)
{
    if (!game->state)
        return need_state(game, err);
    const deja__form *form = &game->forms[DEJA_STATE];
    const uint64_t before = out->size;
    deja_error why;
    deja_code code = deja__form_save(form, game->state, out, err);
    if (code != DEJA_OK || !form->is_strict)
        return code;
    /* Writing noticed all that can be wrong with a field; so it is the calls. */
    code = deja_value_validate(form->layout, out->bytes + before, out->size - before, &why);
    if (code == DEJA_OK || code == DEJA_ENOMEM)
        return code == DEJA_OK ? DEJA_OK : deja__fail_memory(err);
    out->size = before;
    return deja__fail(err, DEJA_ERULES,
                      "the description makes different calls for different values: %.300s",
                      why.message);
}

uint64_t deja__game_event_hash(const deja__game *game)
{
    return game->events.count ? deja__emitter_hash(&game->events) : game->no_events;
}

uint32_t deja__game_events(deja__game *game, deja_span *bytes, const uint32_t **ends,
                           deja_error *err)
{
    (void)err; /* they were written when they were emitted */
    *bytes = deja__emitter_bytes(&game->events);
    *ends = game->events.ends;
    return game->events.count;
}

deja_code deja__game_outcome(deja__game *game, uint32_t *outcome, deja_error *err)
{
    const deja_rules_table *table = game->table;
    if (!game->state)
        return need_state(game, err);
    *outcome = table->outcome ? table->outcome(game->state) : 0;
    if (*outcome > table->outcome_count)
        return fail_answer("outcome", *outcome, table->outcome_count, "outcome", err);
    return find_late(game, DEJA_OK, err);
}

void *deja__game_state(deja__game *game)
{
    return game->state;
}

/* ---- what could be done ---- */

deja_code deja__game_legal(deja__game *game, uint32_t *count, deja_span *bytes,
                           const uint32_t **ends, deja_error *err)
{
    deja__emitter *e = &game->legal;
    if (!game->state)
        return need_state(game, err);
    deja__emitter_open(e);
    if (game->table->legal)
        game->table->legal(game->state, &e->out);
    const deja_code code = deja__emitter_close(e, err);
    *count = e->count;
    *bytes = deja__emitter_bytes(e);
    *ends = e->ends;
    return code;
}

deja_code deja__game_pick(deja__game *game, uint32_t bot, deja_luck *luck, void *memory,
                          deja_buffer *command, bool *chosen, deja_error *err)
{
    const deja__form *of_command = &game->forms[DEJA_COMMAND];
    const deja_type *type = deja__plugin_type(game->plugin, DEJA_COMMAND);
    *chosen = false;
    if (!game->state)
        return need_state(game, err);
    if (bot >= game->table->bot_count)
        return deja__fail(err, DEJA_EMISUSE, "there is no bot %u", bot);
    if (game->picked && !type->init && !type->finish)
        memset(game->picked, 0, (size_t)type->size);
    else
        drop_value(of_command, &game->picked);
    deja_code code = make_value(of_command, &game->picked, err);
    if (code != DEJA_OK)
        return code;
    const deja_bot *one = &game->table->bots[bot];
    const uint32_t answer = one->pick(game->state, luck, game->picked, memory);
    if (answer > 1)
        return deja__fail(err, DEJA_ERULES, "bot %s: pick answered %u, neither 0 nor 1", one->name,
                          answer);
    if (answer == 0)
        return DEJA_OK;
    code = deja__form_save(of_command, game->picked, command, err);
    if (code != DEJA_OK)
        return deja__fail_within(err, code, "bot %s", one->name);
    *chosen = true;
    return DEJA_OK;
}
