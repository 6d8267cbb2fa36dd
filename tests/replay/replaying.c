/* SPDX-License-Identifier: MIT */
/*
 * Verifying in a test: what was told, kept; and libraries that are built for one test.
 */
#include "replay/replaying.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "plugin/game.h"
#include "support/scratch.h"

/* ---- verifying ---- */

static void add(char *text, size_t size, const char *format, ...) DEJA__PRINTF(3, 4);
static void add(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

static void keep(told *t, const deja_verdict *v)
{
    memset(t, 0, sizeof *t);
    t->kind = v->kind;
    t->id = v->id;
    t->steps = v->steps;
    t->compared = v->compared;
    t->step = v->step;
    t->step_last = v->step_last;
    t->healed = v->healed_step;
    t->parted = v->parted_count;
    t->field_count = v->field_count;
    t->left_out = v->fields_left_out;
    t->before_count = v->before_count;
    memcpy(t->build, v->build, sizeof t->build);
    snprintf(t->game, sizeof t->game, "%s", v->game);
    snprintf(t->command, sizeof t->command, "%s", v->command ? v->command : "");
    snprintf(t->expected, sizeof t->expected, "%s", v->expected ? v->expected : "");
    snprintf(t->actual, sizeof t->actual, "%s", v->actual ? v->actual : "");
    snprintf(t->why, sizeof t->why, "%s", v->why ? v->why : "");
    for (uint32_t i = 0; i < v->field_count; i++)
        add(t->fields, sizeof t->fields, "%s%s: %s / %s", i ? "; " : "", v->fields[i].path,
            v->fields[i].expected ? v->fields[i].expected : "?",
            v->fields[i].actual ? v->fields[i].actual : "?");
    for (uint32_t i = 0; i < v->before_count; i++)
        add(t->before, sizeof t->before, "%s%llu %s %s %016llx", i ? "; " : "",
            (unsigned long long)v->before[i].step, v->before[i].command, v->before[i].result,
            (unsigned long long)v->before[i].hash);
    for (uint32_t i = 0; i < v->remark_count; i++)
        add(t->remarks, sizeof t->remarks, "%s%s", i ? "; " : "", v->remarks[i]);
}

static bool take_verdict(void *user, const deja_verdict *verdict)
{
    verified *v = user;
    if (v->count == v->capacity) {
        v->capacity = v->capacity ? v->capacity * 2 : 8;
        v->items = realloc(v->items, v->capacity * sizeof *v->items);
        cr_assert_not_null(v->items);
    }
    keep(&v->items[v->count++], verdict);
    return v->stop_after == 0 || v->count < v->stop_after;
}

static bool take_progress(void *user, const deja_verify_summary *so_far)
{
    verified *v = user;
    (void)so_far;
    v->progress_calls++;
    return true;
}

deja_verify_options test_options(void)
{
    deja_verify_options options = DEJA_VERIFY_OPTIONS_INIT;
    options.worker = WORKER;
    options.jobs = 1;
    return options;
}

static verified verify(const char *store, const int64_t *keys, uint64_t count, const char *library,
                       const deja_verify_options *given, verified v)
{
    deja_verify_options options = given ? *given : test_options();
    options.verdict = take_verdict;
    options.progress = take_progress;
    options.user = &v;
    v.code = deja_verify(store, keys, count, library, &options, &v.summary, &v.err);
    return v;
}

verified verify_keys(const char *store, const int64_t *keys, uint64_t count, const char *library,
                     const deja_verify_options *options)
{
    return verify(store, keys, count, library, options, (verified){ 0 });
}

verified verify_store(const char *store, const char *library, const deja_verify_options *options)
{
    uint64_t count;
    int64_t *keys = scratch_keys(store, &count);
    const verified v = verify(store, keys, count, library, options, (verified){ 0 });
    free(keys);
    return v;
}

void verified_release(verified *v)
{
    free(v->items);
    v->items = NULL;
}

const told *need(const verified *v, uint64_t count)
{
    cr_assert_eq(v->code, DEJA_OK, "%s", v->err.message);
    cr_assert_eq(v->count, count, "%llu verdicts", (unsigned long long)v->count);
    return v->items;
}

const char *kind_of(const told *t)
{
    return deja_verdict_name(t->kind);
}

/* ---- building ---- */

static int run(const char *command)
{
    const int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void build_library(char path[256], const char *folder, const char *name, const char *source,
                   const char *compiler, const char *flags)
{
    char file[256], command[2048];
    const bool cpp = strlen(name) > 2 && strcmp(name + strlen(name) - 2, "pp") == 0;
    snprintf(file, sizeof file, "%s/%s.%s", folder, name, cpp ? "cpp" : "c");
    snprintf(path, 256, "%s/%s.so", folder, name);
    FILE *out = fopen(file, "w");
    cr_assert_not_null(out);
    fputs(source, out);
    fclose(out);
    snprintf(command, sizeof command, "command -v %s > /dev/null", compiler);
    if (run(command) != 0)
        cr_skip_test("no %s", compiler);
    snprintf(command, sizeof command,
             "%s %s -O2 -g -fPIC -shared -fvisibility=hidden -ffp-contract=off -Wl,-z,now %s "
             "-I%s/lib/include -I%s/fixtures/rules -o %s %s",
             compiler, cpp ? "-std=c++17" : "-std=c11 -D_GNU_SOURCE", flags ? flags : "",
             DEJA_SOURCE_DIR, DEJA_SOURCE_DIR, path, file);
    cr_assert_eq(run(command), 0, "%s", command);
}

/* ---- processes ---- */

static uint32_t count_workers_now(void)
{
    DIR *folder = opendir("/proc");
    uint32_t count = 0;
    char host[16];
    snprintf(host, sizeof host, "%d", (int)getpid());
    for (const struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
        char path[300], line[512] = "";
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        snprintf(path, sizeof path, "/proc/%s/cmdline", entry->d_name);
        FILE *file = fopen(path, "r");
        if (!file)
            continue;
        const size_t size = fread(line, 1, sizeof line - 1, file);
        fclose(file);
        for (size_t i = 0; i + 1 < size; i++)
            if (!line[i])
                line[i] = ' ';
        /* deja --deja-worker 3 4 5 HOST */
        const char *last = strrchr(line, ' ');
        count += strstr(line, DEJA_WORKER_ARGUMENT) != NULL && last && strcmp(last + 1, host) == 0;
    }
    if (folder)
        closedir(folder);
    return count;
}

/* A fork that was killed with its worker takes a moment to go. */
uint32_t count_workers(void)
{
    uint32_t count = count_workers_now();
    for (int i = 0; i < 200 && count > 0; i++) {
        usleep(10000);
        count = count_workers_now();
    }
    return count;
}

/* ---- recording what a test wants recorded ---- */

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
    deja_store *store;
    recording r = { .s = s, .steps = { .first = 1 } };
    deja_buffer start = { 0 };
    uint32_t outcome = 0;
    uint64_t hash;
    const uint64_t count = count_commands(s->commands);
    must(deja_store_open(&store, path, DEJA_STORE_WRITE, &err), &err);
    must(deja_plugin_open(&r.plugin, s->library, &err), &err);
    must(deja__game_open(&r.game, r.plugin, &err), &err);
    const deja_rules_table *table = deja_plugin_table(r.plugin);
    const deja_span config = deja_plugin_config_default(r.plugin);
    must(deja__game_start(r.game, config, s->seed, NULL, NULL, &err), &err);
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
        .content = s->content ? s->content : "",
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
    must(deja_writer_open(&r.writer, store, &session, &recorded,
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
    must(deja_store_close(store, &err), &err);
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
