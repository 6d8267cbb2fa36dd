/* SPDX-License-Identifier: MIT */
/*
 * A journal of a game whose types are described: imported, it replays as any other session does.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "journals.h"
#include "plugin/game.h"
#include "support/scratch.h"

#define LIBRARY DEJA_BUILD_DIR "/games/matchgame.so"

/* The headers of a replay text, as somebody who has the rules at hand writes them. */
static char *headers_of(const deja_plugin *plugin, uint64_t seed)
{
    static const char *const words[] = { "state", "command", "event", "config" };
    const deja_rules_table *table = deja_plugin_table(plugin);
    deja_buffer text = { 0 };
    deja_buffer config = { 0 };
    deja_error err;
    const deja_span defaults = deja_plugin_config_default(plugin);
    cr_assert_eq(deja_value_print(deja_plugin_layout(plugin, DEJA_CONFIG), defaults.bytes,
                                  defaults.size, &config, &err),
                 DEJA_OK);
    deja__print(&text, "deja-replay: 1\ngame: %s %s\n", table->id, table->version);
    for (uint32_t i = 0; i < 4; i++)
        deja__print(&text, "layout: %s %s\n", words[i],
                    deja_layout_text(deja_plugin_layout(plugin, i)));
    deja__print(&text, "refusals: %s\noutcomes: %s\nbuild: ", deja_plugin_refusals(plugin),
                deja_plugin_outcomes(plugin));
    for (int i = 0; i < 16; i++)
        deja__print(&text, "%02x", deja_plugin_digest(plugin)[i]);
    deja__print(&text, "\nmade: people\nconfig: %.*s\nseed: %llu\n", (int)config.size,
                (const char *)config.bytes, (unsigned long long)seed);
    deja_buffer_release(&config);
    return (char *)text.bytes;
}

/* Plays legal commands, the first one each time, up to the end; the last one is left within. */
static void play(deja__game *game, deja_journal *journal, uint32_t leave_in)
{
    deja_error err;
    for (uint32_t n = 1;; n++) {
        uint32_t count, result;
        deja_span all;
        const uint32_t *ends;
        cr_assert_eq(deja__game_legal(game, &count, &all, &ends, &err), DEJA_OK);
        if (count == 0)
            return;
        unsigned char command[64];
        const uint32_t size = ends[0];
        memcpy(command, all.bytes, size);
        cr_assert_eq(deja_journal_begin(journal, command, size), DEJA_JOURNAL_OK);
        if (n == leave_in)
            return;
        uint64_t hash;
        cr_assert_eq(deja__game_apply(game, (deja_span){ command, size }, &result, &err), DEJA_OK);
        cr_assert_eq(deja__game_hash(game, &hash, &err), DEJA_OK);
        cr_assert_eq(deja_journal_end_events(journal, result, hash, deja__game_event_hash(game)),
                     DEJA_JOURNAL_OK);
    }
}

static bool take_verdict(void *user, const deja_verdict *verdict)
{
    *(uint64_t *)user = verdict->compared;
    cr_assert_eq(verdict->kind, DEJA_MATCH, "%s", verdict->why ? verdict->why : "");
    return true;
}

/* Logs a game, imports it, verifies it; answers how many steps were compared. */
static uint64_t log_and_verify(const char *outcome, uint32_t leave_in, deja_journal_told *told)
{
    scene s;
    char path[160];
    deja_plugin *plugin;
    deja__game *game;
    deja_store *store;
    deja_error err;
    uint32_t refusal;
    uint64_t compared = 0;
    static const uint64_t seed = 11;
    scene_open(&s);
    cr_assert_eq(deja_plugin_open(&plugin, LIBRARY, &err), DEJA_OK, "%s", err.message);
    cr_assert_eq(deja__game_open(&game, plugin, &err), DEJA_OK);
    cr_assert_eq(
        deja__game_start(game, deja_plugin_config_default(plugin), seed, NULL, &refusal, &err),
        DEJA_OK);
    char *headers = headers_of(plugin, seed);
    s.options.headers = headers;
    cr_assert_eq(deja__game_hash(game, &s.options.start_hash, &err), DEJA_OK);
    scene_start(&s);
    play(game, s.journal, leave_in);
    cr_assert_eq(deja_journal_close(s.journal, outcome), DEJA_JOURNAL_OK);
    free(headers);
    deja__game_close(game);
    deja_plugin_close(plugin);

    deja_buffer bytes = scene_bytes(&s);
    snprintf(path, sizeof path, "%s/plays.deja", s.folder);
    cr_assert_eq(deja_store_open(&store, path, DEJA_STORE_WRITE, &err), DEJA_OK);
    cr_assert_eq(deja_journal_import(store, "j", bytes.bytes, bytes.size, told, &err), DEJA_OK,
                 "%s", err.message);
    cr_assert_eq(deja_store_close(store, &err), DEJA_OK);
    deja_buffer_release(&bytes);

    uint64_t count;
    int64_t *keys = scratch_keys(path, &count);
    deja_verify_options options = DEJA_VERIFY_OPTIONS_INIT;
    deja_verify_summary summary = { 0 };
    options.worker = DEJA_BUILD_DIR "/deja";
    options.jobs = 1;
    options.verdict = take_verdict;
    options.user = &compared;
    cr_assert_eq(deja_verify(path, keys, count, LIBRARY, &options, &summary, &err), DEJA_OK, "%s",
                 err.message);
    cr_assert_eq(summary.kinds[DEJA_MATCH], 1u);
    free(keys);
    scene_close(&s);
    return compared;
}

Test(described, a_logged_game_verifies_as_a_match)
{
    deja_journal_told told;
    const uint64_t compared = log_and_verify("first_wins", 0, &told);
    cr_assert_str_eq(told.why, "");
    cr_assert_eq(told.ended, DEJA_ENDED_OUTCOME);
    cr_assert_eq(compared, told.steps + 1);
}

Test(described, a_game_that_crashed_is_compared_up_to_the_step_before)
{
    deja_journal_told told;
    const uint64_t compared = log_and_verify(NULL, 4, &told);
    cr_assert_eq(told.ended, DEJA_ENDED_CRASHED);
    cr_assert_eq(told.steps, 4u);
    cr_assert_eq(compared, 4u);
}

Test(described, a_command_that_its_layout_has_no_value_for_ends_the_session_before_it)
{
    scene s;
    deja_journal_told told;
    deja_plugin *plugin;
    deja_error err;
    scene_open(&s);
    cr_assert_eq(deja_plugin_open(&plugin, LIBRARY, &err), DEJA_OK);
    char *headers = headers_of(plugin, 1);
    s.options.headers = headers;
    scene_start(&s);
    cr_assert_eq(deja_journal_begin(s.journal, "\0\0\0\1", 4), DEJA_JOURNAL_OK);
    cr_assert_eq(deja_journal_end(s.journal, 0, 1), DEJA_JOURNAL_OK);
    cr_assert_eq(deja_journal_begin(s.journal, "what", 4), DEJA_JOURNAL_OK);
    cr_assert_eq(deja_journal_end(s.journal, 0, 1), DEJA_JOURNAL_OK);
    cr_assert_eq(deja_journal_close(s.journal, "nobody_wins"), DEJA_JOURNAL_OK);
    deja_buffer bytes = scene_bytes(&s);
    free(imported(&bytes, &told));
    cr_assert_eq(told.steps, 1u);
    cr_assert_str_eq(told.why, "a command that its layout has no value for");
    deja_buffer_release(&bytes);
    free(headers);
    deja_plugin_close(plugin);
    scene_close(&s);
}
