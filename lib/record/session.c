/* SPDX-License-Identifier: MIT */
/*
 * How a recorded session begins and ends.
 *
 * Whatever happened, closing keeps what was recorded: a session that was not ended as it should is
 * stored as unfinished or crashed, and the caller is told why.
 */
#include "record/recorder.h"

#include <stdlib.h>
#include <time.h>

#include "plugin/plugin.h"
#include "record/options.h"
#include "store/session_record.h"
#include "store/valid.h"

#define SEGMENT (1u << 21)   /* bytes, of a journal */
#define BYTES_LAYOUT "bytes" /* the layouts of a game without described types */

/* The layouts, names and build of what is recorded. */
static void describe(const deja_recorder *recorder, const deja__asked *asked,
                     const deja_recorder_options *options, deja_session *session,
                     deja_recording *recording)
{
    memset(session, 0, sizeof *session);
    memset(recording, 0, sizeof *recording);
    const deja_plugin *plugin = recorder->plugin;
    if (plugin) {
        session->game = recorder->table->id;
        session->command_layout = deja_layout_text(deja_plugin_layout(plugin, DEJA_COMMAND));
        session->config_layout = deja_layout_text(deja_plugin_layout(plugin, DEJA_CONFIG));
        recording->version = recorder->table->version;
        recording->state_layout = deja_layout_text(deja_plugin_layout(plugin, DEJA_STATE));
        recording->event_layout = deja_layout_text(deja_plugin_layout(plugin, DEJA_EVENT));
        recording->refusals = deja_plugin_refusals(plugin);
        recording->outcomes = deja_plugin_outcomes(plugin);
        recording->compiler = recorder->table->compiler ? recorder->table->compiler : "";
        memcpy(recording->build, deja_plugin_digest(plugin), sizeof recording->build);
    } else {
        session->game = options->game;
        session->command_layout = session->config_layout = BYTES_LAYOUT;
        recording->version = options->version ? options->version : "";
        recording->state_layout = recording->event_layout = BYTES_LAYOUT;
        recording->refusals = recording->outcomes = recording->compiler = "";
    }
    session->config = asked->config;
    session->seed = options->seed;
    session->content = asked->content;
    session->start_layout = options->from_state ? recording->state_layout : "";
    session->start = (deja_span){ recorder->start.bytes, recorder->start.size };
    recording->platform = (const char *)recorder->platform.bytes;
    recording->made = options->made ? options->made : "";
    recording->trail_bits = options->trail_bits;
    recording->trail_every = options->trail_every;
    recording->recorded_at = (int64_t)time(NULL);
}

/* The start state: its hash, and its bytes where the session begins with it. */
static deja_code take_state(deja_recorder *recorder, const void *state,
                            const deja_recorder_options *options, uint64_t *hash, deja_error *err)
{
    deja_buffer_clear(&recorder->start);
    if (!recorder->plugin) {
        *hash = options->start_hash;
        return DEJA_OK;
    }
    deja_code code = deja__codec_hash(recorder->state.codec, state, hash, err);
    if (code == DEJA_OK && options->from_state)
        code = deja__form_save(&recorder->state, state, &recorder->start, err);
    return code < 0 ? deja__fail_within(err, code, "the state") : DEJA_OK;
}

static deja_code check_options(const deja_recorder *recorder, const void *state,
                               const deja_recorder_options *options, deja_error *err)
{
    const deja_code code = deja__trail_check(options->trail_bits, options->trail_every, err);
    if (code < 0)
        return code;
    if (options->from_state > 1 || options->reserved != 0)
        return deja__fail(err, DEJA_EMISUSE, "from_state is 0 or 1, and reserved is 0");
    if (options->self_check > 1)
        return deja__fail(err, DEJA_EMISUSE, "self_check is 0 or 1");
    if (options->made && !deja__is_plain(options->made, strlen(options->made), DEJA__LINE_SIZE_MAX))
        return deja__fail(err, DEJA_EMISUSE, "'made' is one line of UTF-8 of at most %d bytes",
                          DEJA__LINE_SIZE_MAX);
    if (recorder->plugin) {
        if (options->game || options->version || options->start_hash)
            return deja__fail(err, DEJA_EMISUSE,
                              "game, version and start_hash are for games without a plugin");
        return state ? DEJA_OK : deja__fail(err, DEJA_EMISUSE, "the start state is missing");
    }
    if (options->watch || options->self_check)
        return deja__fail(err, DEJA_EMISUSE,
                          "watch and self_check need a plugin that describes the state");
    if (state || options->config || options->from_state)
        return deja__fail(err, DEJA_EMISUSE, "state and config need a plugin that describes them");
    if (!options->game)
        return deja__fail(err, DEJA_EMISUSE, "without a plugin the game's id has to be said");
    if (options->version &&
        !deja__is_plain(options->version, strlen(options->version), DEJA__LINE_SIZE_MAX))
        return deja__fail(err, DEJA_EMISUSE, "'version' is one line of UTF-8 of at most %d bytes",
                          DEJA__LINE_SIZE_MAX);
    return DEJA_OK;
}

deja_code deja__recorder_start(deja_recorder *recorder, const void *state, const deja__asked *asked,
                               const deja_recorder_options *options, deja_error *err)
{
    deja_session session;
    deja_recording recording;
    uint64_t hash;
    deja_code code = check_options(recorder, state, options, err);
    if (code == DEJA_OK)
        code = deja__recorder_take_platform(recorder, err);
    if (code == DEJA_OK)
        code = take_state(recorder, state, options, &hash, err);
    if (code == DEJA_OK)
        code = deja__watch_start(recorder, state, options->watch, options->self_check == 1, err);
    if (code < 0)
        return code;
    describe(recorder, asked, options, &session, &recording);
    deja_buffer_clear(&recorder->bytes);
    code = deja__session_record_write(&session, &recording, hash, &recorder->bytes, err);
    const deja_span bytes = { recorder->bytes.bytes, recorder->bytes.size };
    if (code == DEJA_OK)
        code = deja__ring_session(recorder->ring, bytes, err);
    /* Whether the store takes such a session is to be known now. */
    if (code == DEJA_OK)
        code = deja__folder_catch_up(recorder->folder, DEJA__FOLD_OR_DROP, err);
    if (code < 0)
        return code;
    recorder->trail_bits = options->trail_bits;
    recorder->trail_every = recorder->until_hash = options->trail_every;
    if (recorder->plugin)
        deja__events_clear(&recorder->events);
    deja_buffer_clear(&recorder->later);
    recorder->marks = recorder->rewind_floor = recorder->block_bytes = 0;
    recorder->report = options->report;
    recorder->report_user = options->report_user;
    recorder->failed = DEJA_OK;
    recorder->inside = recorder->keep_begun = false;
    recorder->running = true;
    return DEJA_OK;
}

/* The last command did not return as it should: a mark says why. One that cannot be made is no
 * reason to keep nothing. */
static void mark_breach(deja_recorder *recorder)
{
    deja_buffer text = { 0 };
    deja__print(&text, "broken off: %.900s", recorder->failure.message);
    deja__line_clean(&text);
    if (!text.failed)
        (void)deja__recorder_note(recorder, false, (const char *)text.bytes, 0, NULL);
    deja_buffer_release(&text);
}

/* How the session ended, which may not be as the caller says. */
static deja_code judge(deja_recorder *recorder, const char **outcome, uint32_t *ended,
                       deja_error *err)
{
    const char *wanted = *outcome;
    *outcome = NULL;
    *ended = DEJA_ENDED_UNFINISHED;
    if (recorder->failed < 0) {
        if (recorder->keep_begun)
            *ended = DEJA_ENDED_CRASHED;
        return deja__recorder_say_failed(recorder, err);
    }
    if (recorder->inside) {
        *ended = DEJA_ENDED_CRASHED;
        return deja__fail_at(err, DEJA_EMISUSE, deja__recorder_step(recorder) + 1,
                             "closed within step %llu, which is kept as one that did not return",
                             (unsigned long long)deja__recorder_step(recorder) + 1);
    }
    if (!wanted) {
        *ended = DEJA_ENDED_RUNNING;
        return DEJA_OK;
    }
    const bool known = recorder->plugin
                           ? deja__names_have(deja_plugin_outcomes(recorder->plugin), wanted)
                           : deja__is_name(wanted, strlen(wanted));
    if (!known || deja__names_have("running unfinished crashed", wanted))
        return deja__fail(err, DEJA_EMISUSE,
                          "'%.63s' is no outcome of this game; stored as unfinished", wanted);
    *outcome = wanted;
    *ended = DEJA_ENDED_OUTCOME;
    return DEJA_OK;
}

/* The journal is told. Where it has no room, the session has no end there, and is unfinished. */
static void log_end(deja_recorder *recorder, uint32_t ended, const char *outcome)
{
    if (recorder->ring->begun)
        deja__ring_break(recorder->ring);
    (void)deja__recorder_notes_flush(recorder, NULL);
    if (recorder->keep_begun)
        mark_breach(recorder);
    (void)deja__ring_log(recorder->ring, DEJA__JOURNAL_END, ended == DEJA_ENDED_UNFINISHED, outcome,
                         0, NULL);
}

/* The end in the journal. Answers what the caller is told of it; DEJA_EMISUSE and *child in a
 * forked one, which does nothing. */
static deja_code end_session(deja_recorder *recorder, const char *outcome, bool *child,
                             deja_error *err)
{
    uint32_t ended;
    recorder->running = false;
    *child = deja__recorder_in_child(recorder);
    if (*child)
        return deja__recorder_say_child(err);
    deja__watch_stop(recorder->watch);
    const deja_code told = judge(recorder, &outcome, &ended, err);
    log_end(recorder, ended, outcome);
    return told;
}

deja_code deja__recorder_finish(deja_recorder *recorder, const char *outcome, deja_id *id,
                                bool *known, deja_error *err)
{
    deja_error trouble;
    bool child;
    memset(id, 0, sizeof *id);
    *known = false;
    const deja_code told = end_session(recorder, outcome, &child, err);
    if (child)
        return told;
    const deja_code code = deja__folder_catch_up(recorder->folder, DEJA__FOLD_FINISH, &trouble);
    const deja__fold *fold = recorder->folder->fold;
    if (fold->sessions == recorder->ring->session) {
        *id = fold->id;
        *known = fold->known;
    }
    if (code < 0 && err)
        *err = trouble;
    return code < 0 ? code : told;
}

/* ---- making one ---- */

static deja_code make_forms(deja_recorder *recorder, deja_error *err)
{
    const deja_plugin *plugin = recorder->plugin;
    deja_code code = deja__form_init(&recorder->state, plugin, DEJA_STATE, err);
    if (code == DEJA_OK)
        code = deja__form_init(&recorder->command, plugin, DEJA_COMMAND, err);
    if (code == DEJA_OK)
        code = deja__form_init(&recorder->event, plugin, DEJA_EVENT, err);
    return code < 0 ? code : deja__events_init(&recorder->events, &recorder->event, err);
}

deja_code deja__recorder_create(deja_recorder **out, deja_store *store, deja_plugin *plugin,
                                const deja__folder_options *options, deja_error *err)
{
    *out = NULL;
    if (!store)
        return deja__fail(err, DEJA_EMISUSE, "there is no store to record into");
    deja_recorder *recorder = calloc(1, sizeof *recorder);
    if (!recorder)
        return deja__fail_memory(err);
    recorder->store = store;
    recorder->plugin = plugin;
    recorder->table = plugin ? deja_plugin_table(plugin) : NULL;
    deja_code code = plugin ? make_forms(recorder, err) : DEJA_OK;
    if (code == DEJA_OK)
        code = deja__folder_open(&recorder->folder, store, options, err);
    if (code == DEJA_OK)
        recorder->ring = recorder->folder->ring;
    if (code < 0) {
        (void)deja__recorder_destroy(recorder, NULL, NULL);
        return code;
    }
    *out = recorder;
    return DEJA_OK;
}

deja_code deja__recorder_destroy(deja_recorder *recorder, deja_id *id, deja_error *err)
{
    if (!recorder)
        return DEJA_OK;
    deja__watch_destroy(recorder->watch);
    const deja_code code = deja__folder_close(recorder->folder, id, err);
    deja__events_release(&recorder->events);
    deja__form_release(&recorder->state);
    deja__form_release(&recorder->command);
    deja__form_release(&recorder->event);
    deja_buffer_release(&recorder->bytes);
    deja_buffer_release(&recorder->later);
    deja_buffer_release(&recorder->platform);
    deja_buffer_release(&recorder->start);
    free(recorder);
    return code;
}

/* The config in memory as canonical bytes. */
static deja_code save_config(const deja_plugin *plugin, const void *config, deja_buffer *out,
                             deja_error *err)
{
    deja__form form = { 0 };
    deja_code code = deja__form_init(&form, plugin, DEJA_CONFIG, err);
    if (code == DEJA_OK)
        code = deja__form_save(&form, config, out, err);
    deja__form_release(&form);
    return code < 0 ? deja__fail_within(err, code, "the config") : DEJA_OK;
}

static deja_code take_journal(const deja_recorder_options *options, deja__folder_options *folding,
                              deja_error *err)
{
    const uint64_t segment = SEGMENT;
    if (options->wait > 1)
        return deja__fail(err, DEJA_EMISUSE, "wait is 0 or 1");
    if (options->journal_size < 2 * segment || options->journal_most < options->journal_size ||
        options->journal_most > DEJA__RING_SLOTS_MAX * segment)
        return deja__fail(err, DEJA_EMISUSE,
                          "a journal has %llu bytes or more to begin with, and at most %llu",
                          (unsigned long long)(2 * segment),
                          (unsigned long long)(DEJA__RING_SLOTS_MAX * segment));
    folding->folder = options->journal_folder;
    folding->size =
        (deja__ring_size){ SEGMENT, (uint32_t)((options->journal_size + segment - 1) / segment),
                           (uint32_t)((options->journal_most + segment - 1) / segment) };
    folding->threaded = true;
    folding->waits = options->wait != 0;
    return DEJA_OK;
}

deja_code deja_recorder_open(deja_recorder **out, deja_store *store, deja_plugin *plugin,
                             const void *state, const deja_recorder_options *options,
                             deja_error *err)
{
    deja_recorder *recorder = NULL;
    deja_recorder_options taken = DEJA_RECORDER_OPTIONS_INIT;
    deja_buffer saved = { 0 };
    deja_buffer content = { 0 };
    deja__asked asked = { { NULL, 0 }, "" };
    deja__folder_options folding;
    *out = NULL;
    deja_code code = deja__options_take(&taken, sizeof taken, options, err);
    if (code == DEJA_OK)
        code = deja_content_text(taken.content, &content, err);
    if (content.size)
        asked.content = (const char *)content.bytes;
    if (code == DEJA_OK)
        code = take_journal(&taken, &folding, err);
    if (code == DEJA_OK)
        code = deja__recorder_create(&recorder, store, plugin, &folding, err);
    if (code == DEJA_OK && plugin && taken.config) {
        code = save_config(plugin, taken.config, &saved, err);
        asked.config = (deja_span){ saved.bytes, saved.size };
    } else if (plugin) {
        asked.config = deja_plugin_config_default(plugin);
    }
    if (code == DEJA_OK)
        code = deja__recorder_start(recorder, state, &asked, &taken, err);
    deja_buffer_release(&saved);
    deja_buffer_release(&content);
    if (code < 0)
        (void)deja__recorder_destroy(recorder, NULL, NULL);
    else
        *out = recorder;
    return code;
}

deja_code deja_recorder_close(deja_recorder *recorder, const char *outcome, deja_id *id,
                              deja_error *err)
{
    if (!recorder)
        return DEJA_OK;
    deja_error why;
    bool child;
    if (id)
        memset(id, 0, sizeof *id);
    const deja_code told = end_session(recorder, outcome, &child, err);
    const deja_code left = deja__recorder_destroy(recorder, id, &why);
    if (left < 0 && err)
        *err = why;
    return left < 0 ? left : told;
}
