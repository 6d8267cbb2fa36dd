/* SPDX-License-Identifier: MIT */
/*
 * What verifying costs, held against a plain loop in the same run.
 *
 *   plain   applies every command and hashes state and events, all in memory (plain.h)
 *   verify  deja_verify() of the stored session: reading, checking, inflating, feeding a worker,
 *           comparing trail, results and chains. From call to return, a worker's start included.
 *
 * The two take turns; the medians are printed, and how many ns a step verify costs more. Then the
 * memory of a verify and of an export of ten times the steps, parent and worker.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/plain.h"
#include "fields/codec.h"
#include "plugin/plugin.h"

#define WORKER DEJA_BUILD_DIR "/deja-worker"
#define TOOL DEJA_BUILD_DIR "/deja"
#define ROUNDS 9

enum goals {
    OVER_PLAIN_MOST = 15,    /* ns a step */
    GROWTH_MOST = 20,        /* percent of memory for ten times the steps */
    MEMORY_MOST = 200 * 1024 /* KiB */
};

/* In a process of its own: a process that is forked counts its parent's memory as its own peak. */
static void record(const char *path, uint64_t steps)
{
    fflush(stdout);
    const pid_t child = fork();
    if (child > 0) {
        int status = 1;
        if (waitpid(child, &status, 0) != child || status != 0)
            exit(1);
        return;
    }
    deja_store *store = NULL;
    deja_plugin *plugin = NULL;
    deja_error err = { 0 };
    deja_bots_options options = DEJA_BOTS_OPTIONS_INIT;
    options.seed = 7;
    options.max_steps = steps;
    bench_check(deja_store_open(&store, path, DEJA_STORE_WRITE, &err), &err);
    bench_check(deja_plugin_open(&plugin, BENCH_LIBRARY, &err), &err);
    const double start = bench_now();
    bench_check(deja_record_bots(store, plugin, &options, &err), &err);
    const double took = bench_now() - start;
    deja_plugin_close(plugin);
    bench_check(deja_store_close(store, &err), &err);
    printf("record   %8.1f ns a step (bot, apply, hash, store), %llu steps\n",
           took * 1e9 / (double)steps, (unsigned long long)steps);
    exit(0);
}

/* ---- the plain loop ---- */

/* Returns a number that depends on every hash, so that none is left out. */
static uint64_t play_plainly(const deja_plugin *plugin, const unsigned char *commands,
                             uint64_t count, uint64_t seed, const void *config)
{
    const deja_rules_table *table = deja_plugin_table(plugin);
    struct plain plain = plain_open(table);
    uint64_t sum = 0;
    void *state = calloc(1, (size_t)table->state.size);
    if (!state)
        exit(1);
    table->start(state, config, seed, NULL);
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t result = plain_apply(&plain, state, commands + i * table->command.size);
        sum += plain_hash(&plain, state) + result;
        sum ^= plain_event_hash(&plain);
    }
    free(state);
    return sum;
}

/* All commands of the session, as structs in memory. */
static unsigned char *load_commands(deja_store *store, int64_t key, deja_plugin *plugin,
                                    uint64_t *count)
{
    const deja_type *type = deja__plugin_type(plugin, DEJA_COMMAND);
    deja__codec *codec = NULL;
    deja_reader *reader = NULL;
    deja_error err = { 0 };
    bench_check(deja__codec_create(&codec, type, deja_plugin_layout(plugin, DEJA_COMMAND), &err),
                &err);
    bench_check(deja_reader_open(&reader, store, key, 0, &err), &err);
    *count = deja_reader_session(reader)->steps;
    unsigned char *commands = calloc(*count, (size_t)type->size);
    if (!commands)
        exit(1);
    unsigned char *at = commands;
    for (;;) {
        deja_steps steps;
        bench_check(deja_reader_next(reader, &steps, &err), &err);
        if (steps.count == 0)
            break;
        uint32_t from = 0;
        for (uint32_t i = 0; i < steps.count; i++, at += type->size) {
            const uint32_t size = steps.command_ends[i] - from;
            bench_check(deja__codec_load(codec, at, steps.commands + from, size, &err), &err);
            from = steps.command_ends[i];
        }
    }
    deja_reader_close(reader);
    deja__codec_destroy(codec);
    return commands;
}

/* ---- verify ---- */

static double verify(const char *path, int64_t key)
{
    deja_verify_options options = DEJA_VERIFY_OPTIONS_INIT;
    deja_verify_summary summary = { 0 };
    deja_error err = { 0 };
    options.worker = WORKER;
    options.jobs = 1;
    const double start = bench_now();
    bench_check(deja_verify(path, &key, 1, BENCH_LIBRARY, &options, &summary, &err), &err);
    const double took = bench_now() - start;
    if (summary.kinds[DEJA_MATCH] != 1) {
        bench_fail("the session does not match");
    }
    return took;
}

static void compare(const char *path)
{
    deja_store *store = NULL;
    deja_plugin *plugin = NULL;
    deja_error err = { 0 };
    bench_check(deja_store_open(&store, path, DEJA_STORE_READ, &err), &err);
    bench_check(deja_plugin_open(&plugin, BENCH_LIBRARY, &err), &err);
    const int64_t key = bench_only_key(store, NULL);
    uint64_t count = 0;
    unsigned char *commands = load_commands(store, key, plugin, &count);
    const void *config = deja_plugin_table(plugin)->config_default;
    double plain[ROUNDS], whole[ROUNDS];
    uint64_t kept = 0;
    for (int i = 0; i < ROUNDS; i++) {
        const double start = bench_now();
        kept += play_plainly(plugin, commands, count, 7, config);
        plain[i] = bench_now() - start;
        whole[i] = verify(path, key);
    }
    const double plain_ns = bench_median(plain, ROUNDS) * 1e9 / (double)count;
    const double whole_ns = bench_median(whole, ROUNDS) * 1e9 / (double)count;
    printf("plain    %8.1f ns a step, median of %d\n", plain_ns, ROUNDS);
    printf("verify   %8.1f ns a step, median of %d: %+.1f over plain\n", whole_ns, ROUNDS,
           whole_ns - plain_ns);
    bench_goal(whole_ns - plain_ns <= OVER_PLAIN_MOST, "verify is to cost at most 15 ns more");
    if (kept == 1) /* it is a sum of hashes; so that none is left out */
        printf("a rare sum\n");
    free(commands);
    deja_plugin_close(plugin);
    deja_store_close(store, NULL);
}

/* ---- memory ---- */

/* Peak resident KiB of the command, or of its worker where that is larger. */
static long peak_of(char *const arguments[])
{
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        execv(TOOL, arguments);
        _exit(127);
    }
    int status = 1;
    struct rusage usage;
    if (child < 0 || wait4(child, &status, 0, &usage) < 0 || status != 0) {
        bench_fail("%s ended with status %d", arguments[1], status);
    }
    return usage.ru_maxrss;
}

static long peak_of_verify(char *path)
{
    char *const arguments[] = { "deja", "verify", "-s", path, "--jobs", "1", BENCH_LIBRARY, NULL };
    return peak_of(arguments);
}

static long peak_of_export(char *path)
{
    deja_store *store = NULL;
    deja_reader *reader = NULL;
    deja_error err = { 0 };
    char id[33];
    bench_check(deja_store_open(&store, path, DEJA_STORE_READ, &err), &err);
    bench_check(deja_reader_open(&reader, store, bench_only_key(store, NULL), 0, &err), &err);
    for (int i = 0; i < 16; i++)
        snprintf(id + 2 * i, 3, "%02x", deja_reader_session(reader)->id.bytes[i]);
    deja_reader_close(reader);
    deja_store_close(store, NULL);
    char *const arguments[] = { "deja", "export", "-s", path, "-o", "/dev/null", id, NULL };
    return peak_of(arguments);
}

static void compare_memory(const char *what, long small, long large)
{
    printf("memory   %s: %ld KiB for 500,000 steps, %ld KiB for 5,000,000 (largest process)\n",
           what, small, large);
    bench_goal(large <= small + small * GROWTH_MOST / 100,
               "ten times the steps are to need at most 20 %% more memory");
    bench_goal(large <= MEMORY_MOST, "5,000,000 steps are to need at most 200 MiB");
}

void bench_verify(const char *folder)
{
    char small[BENCH_PATH_SIZE], large[BENCH_PATH_SIZE], million[BENCH_PATH_SIZE];
    bench_path(million, folder, "million.deja");
    bench_path(small, folder, "small.deja");
    bench_path(large, folder, "large.deja");
    record(small, 500000);
    record(large, 5000000);
    compare_memory("verify", peak_of_verify(small), peak_of_verify(large));
    compare_memory("export", peak_of_export(small), peak_of_export(large));
    record(million, 1000000);
    compare(million);
    bench_remove(million);
    bench_remove(small);
    bench_remove(large);
}
