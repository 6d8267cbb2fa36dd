/* SPDX-License-Identifier: MIT */
/*
 * A run: who plays, each game three ways over, and what is said at the end.
 */
#include "check/check.h"

#include <stdio.h>

#include <stdlib.h>

#include "record/options.h"

/* ---- clauses ---- */

static const struct clause {
    const char *name, *text, *not_checked;
} clauses[DEJA_CLAUSE_COUNT] = {
    { "same_again", "the same state and command always give the same events and new state",
      "no step was played" },
    { "all_or_nothing", "a refused command changes nothing, luck included",
      "no command was refused" },
    { "check_is_apply", "check gives apply's answer", "the rules have no check" },
    { "check_changes_nothing", "check changes nothing, luck included", "the rules have no check" },
    { "legal_accepted", "legal lists commands that check accepts", "no legal command was listed" },
    { "legal_order", "legal lists them always in the same order", "no legal command was listed" },
    { "over_refuses", "once the outcome is set, legal is empty and every command is refused",
      "no game came to an outcome" },
    { "state_in_fields", "saving and loading at any step changes nothing that follows",
      "no game was the same when it was played again" },
    { "fields_read_only", "a description only reads", "no state was described" },
    { "asking_changes_nothing", "legal, outcome, side, turn, draw and bots change nothing",
      "the rules answer no questions" },
    { "described", "values and answers are what the description and the table say",
      "nothing was described" },
};

const char *deja_clause_name(uint32_t clause)
{
    return clause < DEJA_CLAUSE_COUNT ? clauses[clause].name : NULL;
}

const char *deja_clause_text(uint32_t clause)
{
    return clause < DEJA_CLAUSE_COUNT ? clauses[clause].text : NULL;
}

bool deja_check_passed(const deja_check_summary *summary)
{
    return summary->findings == 0 && summary->steps != 0;
}

/* ---- what every file does ---- */

bool deja__doing(deja__check *c, const char *doing, uint64_t step, deja_span command)
{
    const deja_check_place place = { doing, c->player->name, c->player->seed, c->summary->games,
                                     step,  command,         c->summary };
    if (!c->stopped && c->options.doing && !c->options.doing(c->options.user, &place))
        c->stopped = true;
    return !c->stopped;
}

const char *deja__answer(const deja__check *c, uint32_t answer)
{
    if (answer == 0)
        return "ok";
    return answer <= c->rules->refusal_count ? c->rules->refusals[answer - 1] : "?";
}

deja_code deja__save_in(deja__game *game, deja_buffer *out, deja_error *err)
{
    deja_buffer_clear(out);
    const deja_code code = deja__game_save(game, out, err);
    return code == DEJA_OK && out->failed ? deja__fail_memory(err) : code;
}

void deja__restore(deja__check *c)
{
    deja__game_drop(c->main);
    deja__game_drop(c->copy);
    deja__game_drop(c->other);
    if (c->restores)
        deja__plugin_restore(c->plugin, NULL, NULL);
}

/* ---- one game ---- */

static deja_code play_game(deja__check *c, const deja__player *player, deja_error *err)
{
    c->player = player;
    c->is_broken = false;
    c->is_repeatable = c->is_saved = true;
    c->tries = c->options.tries;
    c->summary->games++;
    deja__restore(c);
    deja_code code = deja__play(c, err);
    if (code == DEJA_OK && (c->options.played || c->options.held.size))
        code = deja__hold_elsewhere(c, err);
    if (c->options.held.size)
        return code;
    if (code == DEJA_OK && c->track.is_whole && !c->stopped)
        code = deja__play_again(c, err);
    if (code == DEJA_OK && c->track.is_whole && !c->is_broken && !c->stopped && c->is_repeatable &&
        c->is_saved)
        code = deja__play_saved(c, err);
    return code;
}

/* ---- who plays ---- */

static deja_code play_all_of(deja__check *c, const char *name, int32_t bot, deja_error *err)
{
    deja__player player = {
        .name = name, .bot = bot, .config = c->options.config, .content = c->options.content
    };
    deja_code code = DEJA_OK;
    for (uint64_t i = 0; code == DEJA_OK && !c->stopped && i < c->options.games; i++) {
        player.seed = c->options.seed + i;
        code = play_game(c, &player, err);
    }
    return code;
}

static deja_code find_player(const deja__check *c, const char *name, int32_t *bot, deja_error *err)
{
    *bot = deja_plugin_bot_find(c->plugin, name);
    if (*bot >= 0)
        return DEJA_OK;
    *bot = strcmp(name, DEJA_CHECK_MADE) == 0 ? DEJA__PLAYS_MADE : DEJA__PLAYS_LEGAL;
    if (*bot == DEJA__PLAYS_MADE || (c->rules->legal && strcmp(name, "random") == 0))
        return DEJA_OK;
    return deja__fail(err, DEJA_ENOTFOUND, "there is no bot '%.63s'", name);
}

/* Calls play_all_of for each name of the list, or only looks whether there is such a player. */
static deja_code each_named(deja__check *c, bool plays, deja_error *err)
{
    deja_code code = DEJA_OK;
    for (const char *at = c->options.bots; code == DEJA_OK && at;) {
        char name[DEJA__NAME_MAX + 1];
        const size_t size = strcspn(at, ",");
        int32_t bot = 0;
        snprintf(name, sizeof name, "%.*s", (int)(size < sizeof name ? size : sizeof name - 1), at);
        code = find_player(c, name, &bot, err);
        if (code == DEJA_OK && plays)
            code = play_all_of(c, name, bot, err);
        at = at[size] ? at + size + 1 : NULL;
    }
    return code;
}

static deja_code each_player(deja__check *c, deja_error *err)
{
    deja_code code = DEJA_OK;
    if (c->options.bots)
        return each_named(c, true, err);
    for (uint32_t i = 0; code == DEJA_OK && i < c->rules->bot_count; i++)
        code = play_all_of(c, c->rules->bots[i].name, (int32_t)i, err);
    if (code == DEJA_OK && c->rules->legal && deja_plugin_bot_find(c->plugin, "random") < 0)
        code = play_all_of(c, "random", DEJA__PLAYS_LEGAL, err);
    return code == DEJA_OK ? play_all_of(c, DEJA_CHECK_MADE, DEJA__PLAYS_MADE, err) : code;
}

/* ---- a run ---- */

static deja_code open_check(deja__check *c, deja_error *err)
{
    deja_code code = deja__game_open(&c->main, c->plugin, err);
    if (code == DEJA_OK)
        code = deja__game_open(&c->copy, c->plugin, err);
    if (code == DEJA_OK)
        code = deja__game_open(&c->other, c->plugin, err);
    if (code == DEJA_OK)
        code = deja__form_init(&c->command_form, c->plugin, DEJA_COMMAND, err);
    if (code == DEJA_OK)
        code = deja__made_init(&c->made, c->layouts[DEJA_COMMAND], err);
    if (code != DEJA_OK)
        return code;
    c->command = deja__codec_value_create(c->command_form.codec);
    c->known = deja__known_create();
    return c->command && c->known ? DEJA_OK : deja__fail_memory(err);
}

static void close_check(deja__check *c)
{
    if (c->command)
        deja__codec_value_destroy(c->command_form.codec, c->command);
    deja__form_release(&c->command_form);
    deja__game_close(c->main);
    deja__game_close(c->copy);
    deja__game_close(c->other);
    deja__made_release(&c->made);
    deja__track_release(&c->track);
    deja__seats_release(&c->seats);
    deja_buffer_release(&c->saved);
    deja_buffer_release(&c->chosen);
    deja_buffer_release(&c->raw);
    deja_buffer_release(&c->legal);
    deja_buffer_release(&c->legal_ends);
    deja__known_destroy(c->known);
    deja__catalog_release(&c->catalog);
    free(c);
}

/* Why a clause has no checks: as a rule its own reason, unless a description spoilt everything. */
static void say_not_checked(deja_check_summary *summary, bool is_ticks)
{
    for (uint32_t i = 0; i < DEJA_CLAUSE_COUNT; i++) {
        deja_check_clause *clause = &summary->clauses[i];
        clause->not_checked = clause->checks != 0 ? NULL : clauses[i].not_checked;
        if (i == DEJA_CLAUSE_OVER_REFUSES && clause->checks == 0 && is_ticks)
            clause->not_checked = "a game of ticks may go on after its outcome";
        if (clause->checks == 0 && summary->clauses[DEJA_CLAUSE_FIELDS_READ_ONLY].breaches != 0)
            clause->not_checked = "a description that writes spoils it";
        else if (clause->checks == 0 && summary->clauses[DEJA_CLAUSE_DESCRIBED].breaches != 0)
            clause->not_checked = "values that break their description spoil it";
    }
}

static deja_code run(deja__check *c, deja_error *err)
{
    const deja_span none = { NULL, 0 };
    c->rules = deja_plugin_table(c->plugin);
    for (uint32_t i = 0; i < 4; i++)
        c->layouts[i] = deja_plugin_layout(c->plugin, i);
    c->is_plain = !c->rules->state.init && !c->rules->state.finish;
    c->restores = deja__plugin_can_restore(c->plugin, NULL);
    c->held = c->options.held;
    if (!c->options.config.size)
        c->options.config = deja_plugin_config_default(c->plugin);
    else if (!c->options.config.bytes)
        c->options.config = none;
    deja_code code = each_named(c, false, err);
    if (code == DEJA_OK)
        code = deja__catalog_open(&c->catalog, c->options.content, err);
    if (code == DEJA_OK)
        code = open_check(c, err);
    if (code == DEJA_OK)
        code = each_player(c, err);
    if (code == DEJA_OK && c->options.store && !c->stopped)
        code = deja__each_session(c, play_game, err);
    if (c->known && c->options.counted)
        deja__known_tell(c->known, c->options.counted, c->options.user);
    return code;
}

deja_code deja_check_rules(deja_plugin *plugin, const deja_check_options *options,
                           deja_check_summary *summary, deja_error *err)
{
    const deja_check_options usual = DEJA_CHECK_OPTIONS_INIT;
    deja_check_summary unused;
    if (!summary)
        summary = &unused;
    memset(summary, 0, sizeof *summary);
    if (!plugin)
        return deja__fail(err, DEJA_EMISUSE, "there are no rules to check");
    deja__check *c = calloc(1, sizeof *c);
    if (!c)
        return deja__fail_memory(err);
    c->plugin = plugin;
    c->options = usual;
    c->summary = summary;
    deja_code code = deja__options_take(&c->options, sizeof c->options, options, err);
    if (code == DEJA_OK)
        code = run(c, err);
    say_not_checked(summary, deja_plugin_table(plugin)->kind == DEJA_TICKS);
    close_check(c);
    return code;
}
