/* SPDX-License-Identifier: MIT */
/*
 * bench [--report-only]: what verifying costs, held against a plain loop in the same run.
 *
 *   plain   applies every command and hashes state and events, all in memory: what a programmer
 *           would write by hand around the game's own description. No store, no worker.
 *   verify  deja_verify() of the stored session: reading, checking, inflating, feeding a worker,
 *           comparing trail, results and chains. From call to return, a worker's start included.
 *
 * The two take turns; the medians are printed, and how many ns a step verify costs more. Then the
 * memory of a verify and of an export of ten times the steps, parent and worker.
 *
 * The status is 1 where a goal was missed (enum goals), but with --report-only.
 */
#include <deja/deja.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "fields/codec.h"
#include "plugin/plugin.h"

#define LIBRARY DEJA_BUILD_DIR "/rules/matchgame_endless.so"
#define WORKER DEJA_BUILD_DIR "/deja-worker"
#define TOOL DEJA_BUILD_DIR "/deja"
#define ROUNDS 9

enum goals {
    OVER_PLAIN_MOST = 15,    /* ns a step */
    GROWTH_MOST = 20,        /* percent of memory for ten times the steps */
    MEMORY_MOST = 200 * 1024 /* KiB */
};

static int missed;

static void check(deja_code code, const deja_error *err)
{
    if (code != DEJA_OK) {
        fprintf(stderr, "bench: %s\n", err->message);
        exit(1);
    }
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_size);
    return values[count / 2];
}

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
    check(deja_store_open(&store, path, DEJA_STORE_WRITE, &err), &err);
    check(deja_plugin_open(&plugin, LIBRARY, &err), &err);
    const double start = now();
    check(deja_record_bots(store, plugin, &options, &err), &err);
    const double took = now() - start;
    deja_plugin_close(plugin);
    check(deja_store_close(store, &err), &err);
    printf("record   %8.1f ns a step (bot, apply, hash, store), %llu steps\n",
           took * 1e9 / (double)steps, (unsigned long long)steps);
    exit(0);
}

static bool take_key(void *user, const deja_entry *entry)
{
    *(int64_t *)user = entry->key;
    return true;
}

static int64_t only_key(deja_store *store)
{
    int64_t key = 0;
    deja_error err = { 0 };
    check(deja_store_list(store, take_key, &key, &err), &err);
    return key;
}

/* ---- the plain loop ---- */

struct plain {
    deja_out out;
    const deja_type *event;
    unsigned char *at; /* of the events' bytes so far */
    unsigned char events[4096];
};

static uint32_t no_room(deja_fields *f, const deja_field *field)
{
    (void)f;
    fprintf(stderr, "bench: field '%s' did not fit\n", field->name);
    exit(1);
}

static void emit(deja_out *out, const void *value)
{
    struct plain *plain = (struct plain *)out;
    deja_fields f = { plain->at, plain->events + sizeof plain->events, no_room, DEJA_WRITING, 0 };
    plain->event->fields(&f, value);
    plain->at = f.at;
}

static void touch(deja_out *out, const void *pointer, uint64_t size)
{
    (void)out;
    (void)pointer;
    (void)size;
}

/* Returns a number that depends on every hash, so that none is left out. */
static uint64_t play_plainly(const deja_plugin *plugin, const unsigned char *commands,
                             uint64_t count, uint64_t seed, const void *config)
{
    const deja_rules_table *table = deja_plugin_table(plugin);
    struct plain plain = { { emit, touch }, &table->event, NULL, { 0 } };
    unsigned char bytes[4096];
    uint64_t sum = 0;
    void *state = calloc(1, (size_t)table->state.size);
    if (!state)
        exit(1);
    table->start(state, config, seed, NULL);
    for (uint64_t i = 0; i < count; i++) {
        plain.at = plain.events;
        const uint32_t result = table->apply(state, commands + i * table->command.size, &plain.out);
        deja_fields f = { bytes, bytes + sizeof bytes, no_room, DEJA_WRITING, 0 };
        table->state.fields(&f, state);
        sum += XXH3_64bits(bytes, (size_t)(f.at - bytes)) + result;
        sum ^= XXH3_64bits(plain.events, (size_t)(plain.at - plain.events));
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
    check(deja__codec_create(&codec, type, deja_plugin_layout(plugin, DEJA_COMMAND), &err), &err);
    check(deja_reader_open(&reader, store, key, 0, &err), &err);
    *count = deja_reader_session(reader)->steps;
    unsigned char *commands = calloc(*count, (size_t)type->size);
    if (!commands)
        exit(1);
    unsigned char *at = commands;
    for (;;) {
        deja_steps steps;
        check(deja_reader_next(reader, &steps, &err), &err);
        if (steps.count == 0)
            break;
        uint32_t from = 0;
        for (uint32_t i = 0; i < steps.count; i++, at += type->size) {
            const uint32_t size = steps.command_ends[i] - from;
            check(deja__codec_load(codec, at, steps.commands + from, size, &err), &err);
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
    const double start = now();
    check(deja_verify(path, &key, 1, LIBRARY, &options, &summary, &err), &err);
    const double took = now() - start;
    if (summary.kinds[DEJA_MATCH] != 1) {
        fprintf(stderr, "bench: the session does not match\n");
        exit(1);
    }
    return took;
}

/* Says so where a goal was missed. */
static void demand_goal(bool met, const char *goal)
{
    if (met)
        return;
    missed++;
    printf("MISSED   %s\n", goal);
}

static void compare(const char *path)
{
    deja_store *store = NULL;
    deja_plugin *plugin = NULL;
    deja_error err = { 0 };
    check(deja_store_open(&store, path, DEJA_STORE_READ, &err), &err);
    check(deja_plugin_open(&plugin, LIBRARY, &err), &err);
    const int64_t key = only_key(store);
    uint64_t count = 0;
    unsigned char *commands = load_commands(store, key, plugin, &count);
    const void *config = deja_plugin_table(plugin)->config_default;
    double plain[ROUNDS], whole[ROUNDS];
    uint64_t kept = 0;
    for (int i = 0; i < ROUNDS; i++) {
        const double start = now();
        kept += play_plainly(plugin, commands, count, 7, config);
        plain[i] = now() - start;
        whole[i] = verify(path, key);
    }
    const double plain_ns = median(plain, ROUNDS) * 1e9 / (double)count;
    const double whole_ns = median(whole, ROUNDS) * 1e9 / (double)count;
    printf("plain    %8.1f ns a step, median of %d\n", plain_ns, ROUNDS);
    printf("verify   %8.1f ns a step, median of %d: %+.1f over plain\n", whole_ns, ROUNDS,
           whole_ns - plain_ns);
    demand_goal(whole_ns - plain_ns <= OVER_PLAIN_MOST, "verify is to cost at most 15 ns more");
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
        fprintf(stderr, "bench: %s ended with status %d\n", arguments[1], status);
        exit(1);
    }
    return usage.ru_maxrss;
}

static long peak_of_verify(char *path)
{
    char *const arguments[] = { "deja", "verify", "-s", path, "--jobs", "1", LIBRARY, NULL };
    return peak_of(arguments);
}

static long peak_of_export(char *path)
{
    deja_store *store = NULL;
    deja_reader *reader = NULL;
    deja_error err = { 0 };
    char id[33];
    check(deja_store_open(&store, path, DEJA_STORE_READ, &err), &err);
    check(deja_reader_open(&reader, store, only_key(store), 0, &err), &err);
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
    demand_goal(large <= small + small * GROWTH_MOST / 100,
                "ten times the steps are to need at most 20 % more memory");
    demand_goal(large <= MEMORY_MOST, "5,000,000 steps are to need at most 200 MiB");
}

int main(int argc, char **argv)
{
    const bool report_only = argc > 1 && strcmp(argv[1], "--report-only") == 0;
    char folder[] = "/tmp/deja-bench-XXXXXX", small[64], large[64], million[64];
    if (!mkdtemp(folder))
        return 1;
    snprintf(million, sizeof million, "%s/million.deja", folder);
    snprintf(small, sizeof small, "%s/small.deja", folder);
    snprintf(large, sizeof large, "%s/large.deja", folder);
    record(small, 500000);
    record(large, 5000000);
    compare_memory("verify", peak_of_verify(small), peak_of_verify(large));
    compare_memory("export", peak_of_export(small), peak_of_export(large));
    record(million, 1000000);
    compare(million);
    unlink(million);
    unlink(small);
    unlink(large);
    rmdir(folder);
    return missed != 0 && !report_only;
}
