/* SPDX-License-Identifier: MIT */
#include "record/company.h"

#include <deja/deja.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LIBRARY DEJA_BUILD_DIR "/rules/matchgame_endless.so"
#define WORKER DEJA_BUILD_DIR "/deja-worker"

enum { PROCESSES_MAX = 64, VERIFIED_AT_ONCE = 32, REST_EACH = 1000 };

/* What the processes tell each other. */
typedef struct board {
    _Atomic uint64_t recorded;
    _Atomic uint64_t verified;
    _Atomic uint32_t passes; /* of verifiers over what there is */
    _Atomic bool is_over;    /* no recorder is left */
    _Atomic bool has_failed;
} board;

static board *on;

static void fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
static void fail(const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "company: process %ld: %s\n", (long)getpid(), text);
    fflush(stderr);
    on->has_failed = true;
    _exit(1);
}

static void need(deja_code code, const deja_error *err)
{
    if (code != DEJA_OK)
        fail("%s: %s", deja_code_name(code), err->message);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* ---- who records ---- */

typedef struct player {
    const company *all;
    deja_store *store;
    deja_plugin *plugin;
    const deja_rules_table *table;
    const deja_bot *bot;
    void *state, *command;
} player;

static player player_open(const company *all)
{
    player p = { .all = all };
    deja_error err = { 0 };
    need(deja_plugin_open(&p.plugin, LIBRARY, &err), &err);
    need(deja_store_open(&p.store, all->store, DEJA_STORE_WRITE, &err), &err);
    p.table = deja_plugin_table(p.plugin);
    p.bot = &p.table->bots[deja_plugin_bot_find(p.plugin, "random")];
    p.state = malloc((size_t)p.table->state.size);
    p.command = calloc(1, (size_t)p.table->command.size);
    if (!p.state || !p.command)
        fail("out of memory");
    return p;
}

static void player_close(player *p)
{
    deja_error err = { 0 };
    need(deja_store_close(p->store, &err), &err);
    deja_plugin_close(p->plugin);
    free(p->state);
    free(p->command);
}

static deja_id record_one(player *p, uint64_t seed)
{
    deja_recorder_options options = DEJA_RECORDER_OPTIONS_INIT;
    deja_recorder *recorder = NULL;
    deja_error err = { 0 };
    deja_luck luck;
    deja_id id;
    options.seed = seed;
    memset(p->state, 0, (size_t)p->table->state.size);
    p->table->start(p->state, p->table->config_default, seed, NULL);
    deja_luck_seed(&luck, seed, 1);
    need(deja_recorder_open(&recorder, p->store, p->plugin, p->state, &options, &err), &err);
    for (uint64_t i = 1; i <= p->all->steps; i++) {
        p->bot->pick(p->state, &luck, p->command, NULL);
        need(deja_recorder_step(recorder, p->state, p->command, NULL, NULL, &err), &err);
        if (i % REST_EACH == 0 && p->all->rest_us)
            usleep(p->all->rest_us);
    }
    need(deja_recorder_close(recorder, NULL, &id, &err), &err);
    need(deja_store_flush(p->store, &err), &err);
    return id;
}

static void read_back(const player *p, const deja_id *id)
{
    char digits[33];
    int64_t key = 0;
    uint64_t steps = 0;
    deja_reader *reader = NULL;
    deja_steps next;
    deja_error err = { 0 };
    for (int i = 0; i < 16; i++)
        snprintf(digits + 2 * i, 3, "%02x", id->bytes[i]);
    need(deja_store_find(p->store, digits, &key, &err), &err);
    need(deja_reader_open(&reader, p->store, key, 0, &err), &err);
    do {
        need(deja_reader_next(reader, &next, &err), &err);
        if (next.count != 0 && next.first != steps + 1)
            fail("%s: after step %" PRIu64 " comes step %" PRIu64, digits, steps, next.first);
        steps += next.count;
    } while (next.count != 0);
    deja_reader_close(reader);
    if (steps != p->all->steps)
        fail("%s: %" PRIu64 " steps of %" PRIu64, digits, steps, p->all->steps);
}

/* Until each verifier has had its turn, so that there was company, however slow the machine. */
static void record_all(const company *all, uint32_t number)
{
    const double until = now() + all->seconds;
    player p = player_open(all);
    for (uint64_t i = 0; i < all->sessions || now() < until || on->passes < all->verifiers; i++) {
        if (on->has_failed)
            fail("leaves as well");
        const deja_id id = record_one(&p, (uint64_t)number << 32 | i);
        read_back(&p, &id);
        on->recorded++;
    }
    player_close(&p);
}

/* ---- who verifies ---- */

typedef struct found {
    const company *all;
    int64_t *keys;
    uint64_t count;
    uint64_t unfinished;
} found;

static bool take_entry(void *user, const deja_entry *entry)
{
    found *f = user;
    const bool is_closed = entry->recording.ended == DEJA_ENDED_RUNNING;
    if (is_closed ? entry->session.steps != f->all->steps
                  : entry->session.steps > f->all->steps ||
                        entry->recording.ended != DEJA_ENDED_UNFINISHED)
        fail("a session of %" PRIu64 " steps, ended as %u", entry->session.steps,
             entry->recording.ended);
    int64_t *keys = realloc(f->keys, (size_t)(f->count + 1) * sizeof *keys);
    if (!keys)
        fail("out of memory");
    f->keys = keys;
    f->keys[f->count++] = entry->key;
    f->unfinished += !is_closed;
    return true;
}

static found find_all(const company *all)
{
    found f = { .all = all };
    deja_store *store = NULL;
    deja_error err = { 0 };
    need(deja_store_open(&store, all->store, DEJA_STORE_READ, &err), &err);
    need(deja_store_list(store, take_entry, &f, &err), &err);
    need(deja_store_close(store, &err), &err);
    return f;
}

static bool take_verdict(void *user, const deja_verdict *verdict)
{
    (void)user;
    if (verdict->kind != DEJA_MATCH)
        fail("a session of %" PRIu64 " steps: %s at step %" PRIu64 ": %s", verdict->steps,
             deja_verdict_name(verdict->kind), verdict->step, verdict->why ? verdict->why : "");
    return true;
}

static void verify_keys(const company *all, const int64_t *keys, uint64_t count)
{
    deja_verify_options options = DEJA_VERIFY_OPTIONS_INIT;
    deja_verify_summary summary = { 0 };
    deja_error err = { 0 };
    options.worker = WORKER;
    options.jobs = 1;
    options.verdict = take_verdict;
    need(deja_verify(all->store, keys, count, LIBRARY, &options, &summary, &err), &err);
    if (summary.kinds[DEJA_MATCH] != count)
        fail("%" PRIu64 " of %" PRIu64 " sessions match", summary.kinds[DEJA_MATCH], count);
}

/* A stretch of what there is, now here, now there: a pass is not to take longer and longer. */
static void verify_all(const company *all, uint32_t number)
{
    deja_luck luck;
    deja_luck_seed(&luck, number, 1);
    while (!on->is_over && !on->has_failed) {
        if (on->recorded == 0) {
            usleep(1000); /* the store may not be there yet */
            continue;
        }
        found f = find_all(all);
        const uint64_t count = f.count < VERIFIED_AT_ONCE ? f.count : VERIFIED_AT_ONCE;
        const uint64_t first = deja_luck_below(&luck, (uint32_t)(f.count - count + 1));
        verify_keys(all, f.keys + first, count);
        on->verified += count;
        on->passes++;
        free(f.keys);
    }
}

/* ---- all of them ---- */

typedef void work(const company *all, uint32_t number);

static pid_t start(work *what, const company *all, uint32_t number)
{
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child != 0)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    what(all, number);
    _exit(0);
}

static bool ended_well(pid_t child)
{
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static bool is_one_file(const char *path)
{
    static const char *const beside[] = { "-wal", "-shm", "-journal" };
    char name[512];
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        snprintf(name, sizeof name, "%s%s", path, beside[i]);
        if (access(name, F_OK) == 0) {
            fprintf(stderr, "company: %s is left\n", name);
            return false;
        }
    }
    return true;
}

static void check_all(const company *all, uint32_t number)
{
    deja_store *store = NULL;
    deja_error err = { 0 };
    (void)number;
    found f = find_all(all);
    if (f.count != on->recorded || f.unfinished != 0)
        fail("%" PRIu64 " sessions in the store, %" PRIu64 " of them unfinished; %" PRIu64
             " were recorded",
             f.count, f.unfinished, on->recorded);
    verify_keys(all, f.keys, f.count);
    free(f.keys);
    /* The last recorder could not tidy up where somebody was reading: who comes next does. */
    need(deja_store_open(&store, all->store, DEJA_STORE_APPEND, &err), &err);
    need(deja_store_check(store, &err), &err);
    need(deja_store_close(store, &err), &err);
}

bool company_works(const company *all, company_told *told)
{
    pid_t recorders[PROCESSES_MAX], verifiers[PROCESSES_MAX];
    bool well = true;
    on = mmap(NULL, sizeof *on, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (on == MAP_FAILED || all->recorders > PROCESSES_MAX || all->verifiers > PROCESSES_MAX)
        return false;
    for (uint32_t i = 0; i < all->recorders; i++)
        recorders[i] = start(record_all, all, i);
    for (uint32_t i = 0; i < all->verifiers; i++)
        verifiers[i] = start(verify_all, all, i);
    for (uint32_t i = 0; i < all->recorders; i++)
        well = ended_well(recorders[i]) && well;
    on->is_over = true;
    for (uint32_t i = 0; i < all->verifiers; i++)
        well = ended_well(verifiers[i]) && well;
    well = well && ended_well(start(check_all, all, 0)) && is_one_file(all->store);
    told->recorded = on->recorded;
    told->verified = on->verified;
    munmap(on, sizeof *on);
    return well;
}
