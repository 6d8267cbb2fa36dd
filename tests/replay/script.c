/* SPDX-License-Identifier: MIT */
/*
 * Recording what a test wants recorded.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "plugin/game.h"
#include "replay/replaying.h"

enum { STEPS_MAX = 40000 };

/* Everything that is written, by hand, so that each number can be falsified. */
typedef struct recording {
    const script *s;
    deja_plugin *plugin;
    deja__game *game;
    deja_writer *writer;
    deja_buffer commands;
    uint32_t ends[DEJA__BLOCK_STEPS];
    uint32_t results[DEJA__BLOCK_STEPS];
    uint64_t trail[DEJA__BLOCK_STEPS];
    deja_steps steps;
    uint64_t step, chain, event_chain;
} recording;

static void must(deja_code code, const deja_error *err)
{
    if (code == DEJA_OK)
        return;
    fprintf(stderr, "recording a script: %s\n", err->message);
    _exit(1);
}

static void flush_block(recording *r)
{
    deja_error err = { 0 };
    r->steps.commands = r->commands.bytes;
    r->steps.command_ends = r->ends;
    r->steps.results = r->results;
    r->steps.trail = r->trail;
    r->steps.chain = r->chain ^ (r->s->change_chain ? 1 : 0);
    r->steps.event_chain = r->event_chain ^ (r->s->change_events ? 1 : 0);
    must(deja_writer_add(r->writer, &r->steps, &err), &err);
    deja_buffer_clear(&r->commands);
    r->steps.first += r->steps.count;
    r->steps.count = r->steps.trail_count = 0;
}

static void play_one(recording *r, deja_span command, bool crashes, bool write)
{
    const script *s = r->s;
    const uint64_t every = s->trail_every ? s->trail_every : 1;
    deja_error err = { 0 };
    uint32_t result = 0;
    uint64_t hash = 0;
    r->step++;
    if (!crashes) {
        must(deja__game_apply(r->game, command, &result, &err), &err);
        must(deja__game_hash(r->game, &hash, &err), &err);
    }
    if (!write)
        return;
    deja_buffer_add(&r->commands, command.bytes, command.size);
    r->ends[r->steps.count] = (uint32_t)r->commands.size;
    r->results[r->steps.count] = s->change_result_at == r->step ? result + 1 : result;
    r->steps.count++;
    if (!crashes) {
        r->event_chain = deja__event_chain_next(r->event_chain, deja__game_event_hash(r->game));
        if (r->step % every == 0) {
            r->chain = deja__chain_next(r->chain, hash, result);
            r->trail[r->steps.trail_count++] = deja__cut(
                hash ^ (s->change_trail_at == r->step ? 1 : 0), s->trail_bits ? s->trail_bits : 32);
        }
    }
    if (r->steps.count == DEJA__BLOCK_STEPS)
        flush_block(r);
}

/* "move i=1 d=2\n" with "* N" for N more of the line above. */
static void play_script(recording *r, uint64_t from, uint64_t to, bool write)
{
    const deja_layout *layout = deja_plugin_layout(r->plugin, DEJA_COMMAND);
    deja_buffer command = { 0 };
    uint64_t place = 0;
    for (const char *at = r->s->commands; *at;) {
        const size_t size = strcspn(at, "\n");
        uint64_t times = 1;
        if (*at == '*') {
            times = strtoull(at + 2, NULL, 10);
        } else {
            deja_error err = { 0 };
            deja_buffer_clear(&command);
            must(deja_value_parse(layout, at, size, &command, &err), &err);
        }
        for (; times > 0; times--, place++)
            if (place >= from && place < to)
                play_one(r, (deja_span){ command.bytes, command.size },
                         write && r->s->crash && place + 1 == to, write);
        at += size + (at[size] == '\n');
    }
    deja_buffer_release(&command);
}

static uint64_t count_commands(const char *commands)
{
    uint64_t count = 0;
    for (const char *at = commands; *at;) {
        const size_t size = strcspn(at, "\n");
        count += *at == '*' ? strtoull(at + 2, NULL, 10) : 1;
        at += size + (at[size] == '\n');
    }
    return count;
}

static void record_in_child(const char *path, const script *s)
{
    deja_error err = { 0 };
    deja_store *opened;
    recording r = { .s = s, .steps = { .first = 1 } };
    deja_buffer start = { 0 };
    uint32_t outcome = 0;
    uint64_t hash;
    const uint64_t count = count_commands(s->commands);
    must(deja_store_open(&opened, path, DEJA_STORE_WRITE, &err), &err);
    must(deja_plugin_open(&r.plugin, s->library, &err), &err);
    must(deja__game_open(&r.game, r.plugin, &err), &err);
    const deja_rules_table *table = deja_plugin_table(r.plugin);
    const deja_span config = deja_plugin_config_default(r.plugin);
    must(deja__game_start(r.game, config, s->seed, s->content, NULL, &err), &err);
    deja_buffer content = { 0 };
    must(deja_content_text(s->content, &content, &err), &err);
    if (s->from_step) {
        play_script(&r, 0, s->from_step, false);
        must(deja__game_save(r.game, &start, &err), &err);
        r.step = 0;
    }
    deja_buffer platform = { 0 };
    deja__print(&platform, "%s", s->platform ? s->platform : "a machine");
    const deja_session session = {
        .game = table->id,
        .command_layout = deja_layout_text(deja_plugin_layout(r.plugin, DEJA_COMMAND)),
        .config_layout = deja_layout_text(deja_plugin_layout(r.plugin, DEJA_CONFIG)),
        .config = config,
        .seed = s->seed,
        .content = content.size ? (const char *)content.bytes : "",
        .start_layout =
            s->from_step ? deja_layout_text(deja_plugin_layout(r.plugin, DEJA_STATE)) : "",
        .start = { start.bytes, start.size },
    };
    deja_recording recorded = {
        .version = s->version ? s->version : table->version,
        .state_layout = deja_layout_text(deja_plugin_layout(r.plugin, DEJA_STATE)),
        .event_layout = deja_layout_text(deja_plugin_layout(r.plugin, DEJA_EVENT)),
        .refusals = deja_plugin_refusals(r.plugin),
        .outcomes = deja_plugin_outcomes(r.plugin),
        .compiler = table->compiler,
        .platform = (const char *)platform.bytes,
        .made = s->made ? s->made : "",
        .trail_bits = s->trail_bits ? s->trail_bits : 32,
        .trail_every = s->trail_every ? s->trail_every : 1,
    };
    memcpy(recorded.build, deja_plugin_digest(r.plugin), sizeof recorded.build);
    must(deja__game_hash(r.game, &hash, &err), &err);
    r.chain = deja__chain_start(hash);
    r.event_chain = deja__event_chain_start();
    must(deja_writer_open(&r.writer, opened, &session, &recorded,
                          deja__cut(hash, recorded.trail_bits), r.chain, &err),
         &err);
    play_script(&r, s->from_step, count, true);
    if (r.steps.count)
        flush_block(&r);
    if (s->mark)
        must(deja_writer_mark(r.writer, s->mark_step, s->mark, &err), &err);
    uint32_t ended = s->crash ? DEJA_ENDED_CRASHED : s->ended;
    if (!s->crash)
        must(deja__game_outcome(r.game, &outcome, &err), &err);
    if (ended == DEJA_ENDED_RUNNING && outcome)
        ended = DEJA_ENDED_OUTCOME;
    const char *name = ended == DEJA_ENDED_OUTCOME ? table->outcomes[outcome - 1] : NULL;
    must(deja_writer_close(r.writer, ended, name, NULL, NULL, &err), &err);
    must(deja_store_close(opened, &err), &err);
}

void record_script(const char *path, const script *s)
{
    fflush(NULL);
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        record_in_child(path, s);
        _exit(0);
    }
    int status = -1;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0, "recording a script with %s did not work", s->library);
}

void record_ledger(const char *commands)
{
    const script s = { .library = RULES("ledger"), .commands = commands, .seed = 5 };
    record_script(store, &s);
}
