/* SPDX-License-Identifier: MIT */
/*
 * One game being played.
 *
 *     command's bytes -> check and load -> apply -> result
 *                                           └ emit -> events' bytes, one behind another
 *
 * A step costs little more than the library's apply. An event is turned into canonical bytes at
 * once, as what it points to is gone when emit returns, into a buffer that keeps its memory:
 *
 *     | count, u32 | event 1 | event 2 | ...     hashed in one call, the count in front
 *                  ends:     ^         ^
 *
 * These bytes are both what is saved and what is hashed, but for events that have sections or
 * blocks in them: such events are written twice.
 *
 * Nothing invalid enters a library: commands that load by a plan are checked by it, all others by
 * the validator. Nothing invalid leaves it either: where writing does not show everything (text
 * that fits is copied unread, keys of maps are not compared), what was written is validated.
 *
 * Decided here: a refused command that emitted an event breaks the contract, as nothing has
 * happened then. Touches are taken and not used: states are always hashed in full, which is the
 * same number by definition.
 */
#include "plugin/game.h"

#include <stdlib.h>

#include "fields/layout.h"

enum {
    PREFIX_SIZE = 4,
    EMITTED_MAX = 1 << 20 /* values of one call; a loop without end must not take all memory */
};

/* A type's codec, and whether writing shows everything that can be wrong with a value. */
typedef struct form {
    deja__codec *codec;
    const deja_layout *layout;
    bool is_strict;
    bool is_planned; /* loading refuses all that is not valid */
} form;

/* What a library emits to: its events, or its legal commands. */
typedef struct emitter {
    deja_out out; /* first: libraries hand it back */
    const form *form;
    const char *what;
    bool is_open; /* during the call that it was handed to */
    bool has_hashed;
    uint32_t count;
    deja_buffer saved;  /* a prefix, then the values */
    deja_buffer hashed; /* the same for hashing, where that differs */
    uint32_t *ends;     /* where each value ends, behind the prefix */
    uint32_t capacity;  /* of ends */
    deja_code code;     /* the first failure, and its words */
    deja_error error;
} emitter;

struct deja__game {
    deja_plugin *plugin;
    const deja_rules_table *table;
    form forms[4];
    void *state; /* NULL until there is a start or a load */
    void *config;
    void *command;
    void *picked;
    uint64_t no_events; /* the hash of none */
    emitter events;
    emitter legal;
};

/* ---- values ---- */

/* Text that fits is written unread, and keys are not compared. */
static bool shows_all(const deja__node *node)
{
    if (node->kind == DEJA_TEXT || node->shape == DEJA_MAP || node->shape == DEJA_SET)
        return false;
    for (uint32_t i = 0; i < node->child_count; i++)
        if (!shows_all(node->children[i]))
            return false;
    return true;
}

/* The rules broke their contract; what the message says of it stays. */
static deja_code blame_rules(deja_error *err, deja_code code)
{
    if (code == DEJA_ENOMEM)
        return code;
    if (err)
        err->code = DEJA_ERULES;
    return DEJA_ERULES;
}

/* Appends a value of the library's, which may break its description. */
static deja_code save_value(const form *of, const void *value, deja_buffer *out, deja_error *err)
{
    const uint64_t before = out->size;
    deja_code code = deja__codec_save(of->codec, value, out, err);
    if (code == DEJA_OK && !of->is_strict) {
        code = deja_value_validate(of->layout, out->bytes + before, out->size - before, err);
        if (code != DEJA_OK)
            out->size = before;
    }
    return code == DEJA_OK ? DEJA_OK : blame_rules(err, code);
}

/* Loads bytes of somebody else's. */
static deja_code load_value(const form *of, void *value, deja_span bytes, deja_error *err)
{
    if (!of->is_planned) {
        const deja_code code = deja_value_validate(of->layout, bytes.bytes, bytes.size, err);
        if (code != DEJA_OK)
            return code;
    }
    return deja__codec_load(of->codec, value, bytes.bytes, bytes.size, err);
}

/* Makes a value where there is none yet. */
static deja_code make_value(const form *of, void **value, deja_error *err)
{
    if (!*value)
        *value = deja__codec_value_create(of->codec);
    return *value ? DEJA_OK : deja__fail_memory(err);
}

static void drop_value(const form *of, void **value)
{
    if (*value)
        deja__codec_value_destroy(of->codec, *value);
    *value = NULL;
}

/* ---- what is emitted ---- */

static deja_code check_emitted(const emitter *e, const void *value, deja_error *err)
{
    if (!e->is_open)
        return deja__fail(err, DEJA_ERULES, "emitted to an out of a call that is over");
    if (!value)
        return deja__fail(err, DEJA_ERULES, "emitted NULL");
    if (e->count == EMITTED_MAX || e->saved.size > DEJA__VALUE_SIZE_MAX)
        return deja__fail(err, DEJA_ERULES, "more than can be meant, at %llu bytes",
                          (unsigned long long)e->saved.size);
    return DEJA_OK;
}

/* Room for one more end. */
static deja_code grow_ends(emitter *e, deja_error *err)
{
    const uint32_t capacity = e->capacity ? e->capacity * 2 : 64;
    uint32_t *ends = realloc(e->ends, capacity * sizeof *ends);
    if (!ends)
        return deja__fail_memory(err);
    e->ends = ends;
    e->capacity = capacity;
    return DEJA_OK;
}

static void emit(deja_out *out, const void *value)
{
    emitter *e = (emitter *)(void *)out;
    deja_error *err = &e->error;
    if (e->code != DEJA_OK)
        return;
    deja_code code = check_emitted(e, value, err);
    if (code == DEJA_OK && e->count == e->capacity)
        code = grow_ends(e, err);
    if (code == DEJA_OK)
        code = save_value(e->form, value, &e->saved, err);
    if (code == DEJA_OK && e->has_hashed)
        code = deja__codec_save_hashed(e->form->codec, value, &e->hashed, err);
    if (DEJA__LIKELY(code == DEJA_OK)) {
        e->ends[e->count++] = (uint32_t)(e->saved.size - PREFIX_SIZE);
        return;
    }
    e->code = code;
    deja__fail_within(err, code, "%s %u", e->what, e->count + 1);
}

static void touch(deja_out *out, const void *pointer, uint64_t size)
{
    (void)out;
    (void)pointer;
    (void)size;
}

static deja_code emitter_init(emitter *e, const form *of, const char *what, bool is_hashed,
                              deja_error *err)
{
    e->out = (deja_out){ emit, touch };
    e->form = of;
    e->what = what;
    e->has_hashed = is_hashed && !of->layout->root->plain;
    if (!deja_buffer_extend(&e->saved, PREFIX_SIZE) || !deja_buffer_extend(&e->hashed, PREFIX_SIZE))
        return deja__fail_memory(err);
    return grow_ends(e, err);
}

static void emitter_release(emitter *e)
{
    deja_buffer_release(&e->saved);
    deja_buffer_release(&e->hashed);
    free(e->ends);
}

static void emitter_empty(emitter *e)
{
    e->count = 0;
    e->saved.size = PREFIX_SIZE;
    e->hashed.size = PREFIX_SIZE;
}

/* Forgets a failure, too: it was another session's. */
static void emitter_clear(emitter *e)
{
    emitter_empty(e);
    e->code = DEJA_OK;
    e->saved.failed = false;
    e->hashed.failed = false;
}

/* What was emitted while it was not open stays a failure, so that it is told. */
static void emitter_open(emitter *e)
{
    emitter_empty(e);
    e->is_open = true;
}

/* Puts the count in front. */
static deja_code emitter_close(emitter *e, deja_error *err)
{
    const deja_code code = e->code;
    e->is_open = false;
    deja__store32(e->has_hashed ? e->hashed.bytes : e->saved.bytes, e->count);
    if (DEJA__LIKELY(code == DEJA_OK))
        return DEJA_OK;
    if (err)
        *err = e->error;
    emitter_clear(e);
    return code;
}

static deja_span emitted_bytes(const emitter *e)
{
    return (deja_span){ e->saved.bytes + PREFIX_SIZE, e->saved.size - PREFIX_SIZE };
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
    for (uint32_t i = 0; code == DEJA_OK && i < 4; i++) {
        form *one = &game->forms[i];
        one->layout = deja_plugin_layout(plugin, i);
        one->is_strict = shows_all(one->layout->root);
        code = deja__codec_create(&one->codec, deja__plugin_type(plugin, i), one->layout, err);
        one->is_planned = code == DEJA_OK && deja__codec_is_planned(one->codec);
    }
    if (code == DEJA_OK)
        code = emitter_init(&game->events, &game->forms[DEJA_EVENT], "event", true, err);
    if (code == DEJA_OK)
        code = emitter_init(&game->legal, &game->forms[DEJA_COMMAND], "legal command", false, err);
    if (code != DEJA_OK) {
        deja__game_close(game);
        return code;
    }
    *out = game;
    return DEJA_OK;
}

void deja__game_drop(deja__game *game)
{
    emitter_clear(&game->events);
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
    emitter_release(&game->events);
    emitter_release(&game->legal);
    for (uint32_t i = 0; i < 4; i++)
        deja__codec_destroy(game->forms[i].codec);
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
    emitter_clear(&game->events);
    drop_value(&game->forms[DEJA_STATE], &game->state);
    return make_value(&game->forms[DEJA_STATE], &game->state, err);
}

deja_code deja__game_start(deja__game *game, deja_span config, uint64_t seed,
                           const deja_content *content, uint32_t *refusal, deja_error *err)
{
    static const deja_content none = { 0, NULL };
    const form *of_config = &game->forms[DEJA_CONFIG];
    if (refusal)
        *refusal = 0;
    deja_code code = renew_state(game, err);
    if (code == DEJA_OK)
        code = make_value(of_config, &game->config, err);
    if (code == DEJA_OK) {
        code = load_value(of_config, game->config, config, err);
        if (code != DEJA_OK)
            code = deja__fail_within(err, code, "config");
    }
    if (code == DEJA_OK) {
        const uint32_t answer =
            game->table->start(game->state, game->config, seed, content ? content : &none);
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
        code = load_value(&game->forms[DEJA_STATE], game->state, state, err);
    if (code != DEJA_OK)
        drop_value(&game->forms[DEJA_STATE], &game->state);
    return code;
}

/* ---- steps ---- */

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
    emitter *e = &game->events;
    if (!game->state)
        return need_state(game, err);
    emitter_open(e);
    const uint32_t answer = game->table->apply(game->state, command, &e->out);
    const deja_code code = emitter_close(e, err);
    if (code != DEJA_OK)
        return code;
    if (answer > game->table->refusal_count || (answer && e->count)) {
        emitter_clear(e);
        return fail_applied(game, answer, err);
    }
    *result = answer;
    return DEJA_OK;
}

deja_code deja__game_apply(deja__game *game, deja_span command, uint32_t *result, deja_error *err)
{
    const form *of_command = &game->forms[DEJA_COMMAND];
    deja_code code = make_value(of_command, &game->command, err);
    if (code == DEJA_OK)
        code = load_value(of_command, game->command, command, err);
    if (code != DEJA_OK)
        return deja__fail_within(err, code, "command");
    return deja__game_apply_value(game, game->command, result, err);
}

deja_code deja__game_hash(deja__game *game, uint64_t *hash, deja_error *err)
{
    if (!game->state)
        return need_state(game, err);
    return deja__codec_hash(game->forms[DEJA_STATE].codec, game->state, hash, err);
}

deja_code deja__game_save(deja__game *game, deja_buffer *out, deja_error *err)
{
    if (!game->state)
        return need_state(game, err);
    return save_value(&game->forms[DEJA_STATE], game->state, out, err);
}

uint64_t deja__game_event_hash(const deja__game *game)
{
    const emitter *e = &game->events;
    const deja_buffer *bytes = e->has_hashed ? &e->hashed : &e->saved;
    return e->count ? deja__hash64(bytes->bytes, bytes->size) : game->no_events;
}

uint32_t deja__game_events(deja__game *game, deja_span *bytes, const uint32_t **ends,
                           deja_error *err)
{
    (void)err; /* they were written when they were emitted */
    *bytes = emitted_bytes(&game->events);
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
    return DEJA_OK;
}

void *deja__game_state(deja__game *game)
{
    return game->state;
}

/* ---- what could be done ---- */

deja_code deja__game_legal(deja__game *game, uint32_t *count, deja_span *bytes,
                           const uint32_t **ends, deja_error *err)
{
    emitter *e = &game->legal;
    if (!game->state)
        return need_state(game, err);
    emitter_open(e);
    if (game->table->legal)
        game->table->legal(game->state, &e->out);
    const deja_code code = emitter_close(e, err);
    *count = e->count;
    *bytes = emitted_bytes(e);
    *ends = e->ends;
    return code;
}

deja_code deja__game_pick(deja__game *game, uint32_t bot, deja_luck *luck, void *memory,
                          deja_buffer *command, bool *chosen, deja_error *err)
{
    const form *of_command = &game->forms[DEJA_COMMAND];
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
    code = save_value(of_command, game->picked, command, err);
    if (code != DEJA_OK)
        return deja__fail_within(err, code, "bot %s", one->name);
    *chosen = true;
    return DEJA_OK;
}
