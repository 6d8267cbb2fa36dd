/* SPDX-License-Identifier: MIT */
/*
 * Games played by bots, each recorded as a game of people would be: through a recorder.
 *
 * The seat whose move it is (side, or 0) has the bot at that place of the list, which begins anew
 * where it is too short. Seat s draws from stream s + 1 of the game's seed and has memory of its
 * own, zero when the game starts; both are made when the seat is first seen.
 *
 * A bot named "random" that the game does not bring along picks among the legal commands, each as
 * likely. Commands that come from elsewhere (options->next) need no seat, and may be refused as
 * often as they like. A game ends with its outcome, where a bot has no command (random: where none
 * is legal), at max_steps, or at STEPS_MAX, which is for games that never end.
 *
 * Each game starts as a replay of it will: in the float environment of the first, and, where the
 * library is closed, from the library as it was loaded. What any other library keeps from one game
 * to the next is in the recordings, and verify will call them stale.
 */
#include <stdlib.h>

#include "base/nearest.h"
#include "plugin/game.h"
#include "record/floats.h"
#include "record/options.h"
#include "record/seats.h"
#include "store/valid.h"
#include "record/recorder.h"
#include "record/start.h"

enum { STUBBORN = 1000 /* refusals in a row that no bot may reach */ };
#define STEPS_MAX 10000000u /* of one game, where no other limit is said */
#define RANDOM_NAME "random"
#define INPUT_NAME "input"

typedef struct table {
    deja_plugin *plugin;
    const deja_rules_table *rules;
    const deja_bots_options *options;
    deja__asked asked; /* the same in each game */
    deja_buffer content;
    deja__game *game;
    deja_recorder *recorder;
    deja__form command_form;
    void *command;
    int32_t *bots; /* places in the table, or -1 for the one that picks among what is legal */
    uint32_t bot_count;
    char *made;
    deja_buffer saved;
    deja_buffer next;           /* a command that came from elsewhere */
    deja__float_control floats; /* of every game's start */
    bool restores;
    deja__seats seats;
} table;

/* ---- who plays ---- */

static const char *bot_name(const table *t, int32_t bot)
{
    return bot < 0 ? RANDOM_NAME : t->rules->bots[bot].name;
}

static deja_code unknown_bot(const table *t, const char *name, uint64_t size, deja_error *err)
{
    deja__nearest nearest = { 0 };
    for (uint32_t i = 0; i < t->rules->bot_count; i++)
        deja__nearest_try(&nearest, name, size, t->rules->bots[i].name);
    if (t->rules->legal)
        deja__nearest_try(&nearest, name, size, RANDOM_NAME);
    if (nearest.name)
        return deja__fail(err, DEJA_ENOTFOUND, "there is no bot '%.*s'; the nearest is '%s'",
                          (int)size, name, nearest.name);
    if (size == strlen(RANDOM_NAME) && memcmp(name, RANDOM_NAME, (size_t)size) == 0)
        return deja__fail(err, DEJA_ENOTFOUND,
                          "there is no bot 'random', and the game does not list its commands: "
                          "that needs 'legal' in the rules, or a bot of the game");
    return deja__fail(err, DEJA_ENOTFOUND, "there is no bot '%.*s'", (int)size, name);
}

static deja_code find_bot(const table *t, const char *name, uint64_t size, int32_t *bot,
                          deja_error *err)
{
    char word[DEJA__NAME_MAX + 1];
    if (!deja__is_name(name, size))
        return deja__fail(err, DEJA_EMISUSE, "bots are names with commas between, not '%.100s'",
                          t->options->bots ? t->options->bots : "");
    memcpy(word, name, (size_t)size);
    word[size] = 0;
    *bot = deja_plugin_bot_find(t->plugin, word);
    if (*bot >= 0 || (strcmp(word, RANDOM_NAME) == 0 && t->rules->legal))
        return DEJA_OK;
    return unknown_bot(t, name, size, err);
}

static deja_code find_bots(table *t, deja_error *err)
{
    if (t->options->next) {
        t->made = strdup(INPUT_NAME);
        return t->made ? DEJA_OK : deja__fail_memory(err);
    }
    const char *names = t->options->bots ? t->options->bots : "";
    const size_t size = strlen(names);
    if (!deja__is_plain(names, strlen(names), DEJA__LINE_SIZE_MAX - 4))
        return deja__fail(err, DEJA_EMISUSE, "bots are names with commas between, %d bytes at most",
                          DEJA__LINE_SIZE_MAX - 4);
    t->bots = malloc((size + 1) * sizeof *t->bots);
    t->made = malloc(size + sizeof "bot ");
    if (!t->bots || !t->made)
        return deja__fail_memory(err);
    memcpy(t->made, "bot ", 4);
    memcpy(t->made + 4, names, size + 1);
    for (const char *at = names;; at++) {
        const size_t one = strcspn(at, ",");
        const deja_code code = find_bot(t, at, one, &t->bots[t->bot_count++], err);
        if (code < 0)
            return code;
        at += one;
        if (!*at)
            return DEJA_OK;
    }
}

/* ---- one move ---- */

/* Makes the command anew, as a bot may expect it. */
static void clear_command(table *t)
{
    const deja_type *type = &t->rules->command;
    if (type->size == 0)
        return;
    if (type->finish)
        type->finish(t->command);
    memset(t->command, 0, (size_t)type->size);
    if (type->init)
        type->init(t->command);
}

static deja_code pick_legal(table *t, deja_luck *luck, bool *chosen, deja_error *err)
{
    deja_span bytes;
    const uint32_t *ends;
    uint32_t count;
    deja_code code = deja__game_legal(t->game, &count, &bytes, &ends, err);
    *chosen = false;
    if (code < 0 || count == 0)
        return code;
    const uint32_t place = deja_luck_below(luck, count);
    const uint32_t start = place ? ends[place - 1] : 0;
    *chosen = true;
    const deja_span chosen_bytes = { (const unsigned char *)bytes.bytes + start,
                                     ends[place] - start };
    return deja__form_load(&t->command_form, t->command, chosen_bytes, err);
}

/* The next command from elsewhere, which has to be one of this game. */
static deja_code take_next(table *t, bool *chosen, deja_error *err)
{
    deja_buffer_clear(&t->next);
    *chosen = t->options->next(t->options->user, &t->next);
    if (!*chosen)
        return DEJA_OK;
    if (t->next.failed)
        return deja__fail_memory(err);
    const deja_code code = deja_value_validate(deja_plugin_layout(t->plugin, DEJA_COMMAND),
                                               t->next.bytes, t->next.size, err);
    const deja_span bytes = { t->next.bytes, t->next.size };
    return code < 0 ? code : deja__form_load(&t->command_form, t->command, bytes, err);
}

static deja_code pick(table *t, uint64_t seed, int32_t *bot, bool *chosen, deja_error *err)
{
    *bot = -1;
    if (t->options->next)
        return take_next(t, chosen, err);
    const void *state = deja__game_state(t->game);
    const uint32_t number = t->rules->side ? t->rules->side(state) : 0;
    deja__seat *s = NULL;
    *bot = t->bots[number % t->bot_count];
    const uint64_t memory_size = *bot < 0 ? 0 : t->rules->bots[*bot].memory_size;
    const deja_code code = deja__seat_take(&t->seats, seed, number, memory_size, &s, err);
    if (code < 0)
        return code;
    if (*bot < 0)
        return pick_legal(t, &s->luck, chosen, err);
    clear_command(t);
    *chosen = t->rules->bots[*bot].pick(state, &s->luck, t->command, s->memory) != 0;
    return DEJA_OK;
}

/* ---- one game ---- */

/* Hashing cannot tell whether a description makes the same calls for every value where their size
 * varies; saving can. */
static deja_code check_state(table *t, uint64_t steps, deja_error *err)
{
    deja_error why;
    deja_buffer_clear(&t->saved);
    const deja_code code = deja__game_save(t->game, &t->saved, &why);
    return code < 0 ? deja__fail_at(err, code, steps, "the state: %.300s", why.message) : DEJA_OK;
}

/* Plays until the game ends; *outcome is its name, or NULL if it is still running. */
static deja_code play(table *t, uint64_t seed, const char **outcome, deja_error *err)
{
    const uint64_t most = t->options->max_steps ? t->options->max_steps : STEPS_MAX;
    uint32_t refusals = 0;
    for (uint64_t steps = 0;; steps++) {
        uint32_t ended, result;
        int32_t bot;
        bool chosen;
        deja_code code = deja__game_outcome(t->game, &ended, err);
        if (code == DEJA_OK && (ended || steps == most || (steps & (steps - 1)) == 0))
            code = check_state(t, steps, err); /* the last one, and 0, 1, 2, 4, 8...: seldom */
        if (code < 0)
            return code;
        if (ended)
            *outcome = t->rules->outcomes[ended - 1];
        if (ended || steps == most)
            return DEJA_OK;
        code = pick(t, seed, &bot, &chosen, err);
        if (code < 0 || !chosen)
            return code;
        code = deja_recorder_step(t->recorder, deja__game_state(t->game), t->command, NULL, &result,
                                  err);
        if (code < 0)
            return code;
        refusals = result ? refusals + 1 : 0;
        if (refusals == STUBBORN && !t->options->next)
            return deja__fail_at(err, DEJA_ERULES, steps + 1,
                                 "bot '%s' was refused %d times in a row ('%s')", bot_name(t, bot),
                                 STUBBORN, t->rules->refusals[result - 1]);
    }
}

/* Nothing of the game before is left. */
static void begin_anew(table *t)
{
    deja__seats_clear(&t->seats);
    deja__float_control_put(&t->floats);
    deja__game_drop(t->game);
    if (t->restores)
        deja__plugin_restore(t->plugin, NULL, NULL);
}

static deja_code play_and_record(table *t, uint64_t seed, bool *go_on, deja_error *err)
{
    deja_recorder_options options = DEJA_RECORDER_OPTIONS_INIT;
    const char *outcome = NULL;
    uint32_t refusal;
    deja_id id;
    bool known;
    deja_error closing;

    options.trail_bits = t->options->trail_bits;
    options.trail_every = t->options->trail_every;
    options.seed = seed;
    options.made = t->made;
    options.self_check = t->options->self_check;
    options.report = t->options->report;
    options.report_user = t->options->user;
    begin_anew(t);
    deja_code code =
        deja__game_start(t->game, t->asked.config, seed, t->options->content, &refusal, err);
    if (code == DEJA_OK)
        code =
            deja__recorder_start(t->recorder, deja__game_state(t->game), &t->asked, &options, err);
    if (code < 0)
        return code;
    code = play(t, seed, &outcome, err);
    const uint64_t steps = deja_recorder_steps(t->recorder);
    const deja_code closed = deja__recorder_finish(t->recorder, outcome, &id, &known, &closing);
    if (code == DEJA_OK && closed < 0) {
        code = closed;
        if (err)
            *err = closing;
    }
    if (code == DEJA_OK && t->options->finished)
        *go_on = t->options->finished(t->options->user, &id, seed, steps, known);
    return code;
}

/* ---- all of them ---- */

/* What needs no store. */
static deja_code open_players(table *t, deja_error *err)
{
    const deja_bots_options *options = t->options;
    deja_code code = deja__trail_check(options->trail_bits, options->trail_every, err);
    if (code < 0)
        return code;
    if (options->self_check > 1 || options->reserved != 0)
        return deja__fail(err, DEJA_EMISUSE, "self_check is 0 or 1, and reserved is 0");
    if (options->games == 0)
        return deja__fail(err, DEJA_EMISUSE, "there is no game to play (games is 0)");
    t->asked.config =
        options->config.size ? options->config : deja_plugin_config_default(t->plugin);
    code = deja_content_text(options->content, &t->content, err);
    t->asked.content = t->content.size ? (const char *)t->content.bytes : "";
    if (code == DEJA_OK)
        code = find_bots(t, err);
    return code < 0 ? code : deja__game_open(&t->game, t->plugin, err);
}

/* Nobody waits for bots, so they wait. */
static const deja__folder_options FOLDING = { NULL, { 1u << 18, 2, 1024 }, false, true };

static deja_code open_table(table *t, deja_store *store, deja_error *err)
{
    deja_code code = open_players(t, err);
    if (code == DEJA_OK)
        code = deja__recorder_create(&t->recorder, store, t->plugin, &FOLDING, err);
    if (code == DEJA_OK)
        code = deja__form_init(&t->command_form, t->plugin, DEJA_COMMAND, err);
    if (code < 0)
        return code;
    t->command = deja__codec_value_create(t->command_form.codec);
    t->restores = deja__plugin_can_restore(t->plugin, NULL);
    return t->command ? DEJA_OK : deja__fail_memory(err);
}

static deja_code close_table(table *t, deja_error *err)
{
    /* Games that were told of are kept, whatever came after them. */
    const deja_code code = deja__recorder_destroy(t->recorder, NULL, err);
    if (t->command)
        deja__codec_value_destroy(t->command_form.codec, t->command);
    deja__form_release(&t->command_form);
    deja__game_close(t->game);
    deja__seats_release(&t->seats);
    free(t->bots);
    free(t->made);
    deja_buffer_release(&t->saved);
    deja_buffer_release(&t->content);
    deja_buffer_release(&t->next);
    free(t);
    return code;
}

static deja_code create_table(table **out, deja_plugin *plugin, deja_bots_options *taken,
                              const deja_bots_options *options, deja_error *err)
{
    const deja_code code = deja__options_take(taken, sizeof *taken, options, err);
    *out = NULL;
    if (code < 0)
        return code;
    *out = calloc(1, sizeof **out);
    if (!*out)
        return deja__fail_memory(err);
    (*out)->plugin = plugin;
    (*out)->rules = deja_plugin_table(plugin);
    (*out)->options = taken;
    return DEJA_OK;
}

deja_code deja_bots_check(deja_plugin *plugin, const deja_bots_options *options, deja_error *err)
{
    deja_bots_options taken = DEJA_BOTS_OPTIONS_INIT;
    table *t;
    if (!plugin)
        return deja__fail(err, DEJA_EMISUSE, "bots need rules");
    deja_code code = create_table(&t, plugin, &taken, options, err);
    if (code < 0)
        return code;
    code = open_players(t, err);
    if (code == DEJA_OK) {
        const deja__beginning first = { t->asked.config, taken.seed, taken.content };
        uint64_t hash = 0;
        code = deja__start_check(t->game, plugin, &first, &hash, err);
        if (code == DEJA_OK && taken.start_hash)
            *taken.start_hash = hash;
    }
    (void)close_table(t, NULL);
    return code;
}

deja_code deja_record_bots(deja_store *store, deja_plugin *plugin, const deja_bots_options *options,
                           deja_error *err)
{
    deja_bots_options taken = DEJA_BOTS_OPTIONS_INIT;
    table *t;
    if (!store || !plugin)
        return deja__fail(err, DEJA_EMISUSE, "bots need a store and rules");
    deja_code code = create_table(&t, plugin, &taken, options, err);
    if (code < 0)
        return code;
    t->floats = deja__float_control_take();
    code = open_table(t, store, err);
    bool go_on = true;
    for (uint64_t i = 0; code == DEJA_OK && go_on && i < taken.games; i++) {
        code = play_and_record(t, taken.seed + i, &go_on, err);
        if (code < 0 && taken.games > 1)
            deja__fail_within(err, code, "seed %llu", (unsigned long long)(taken.seed + i));
    }
    deja__float_control_put(&t->floats);
    const deja_code flushed = close_table(t, code < 0 ? NULL : err);
    return code < 0 ? code : flushed;
}
