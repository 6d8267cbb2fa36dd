/* SPDX-License-Identifier: MIT */
/*
 * player STORE WITNESS HOW SEED SESSIONS STEPS
 *
 * A game that records itself and ends as it is told: a program of its own, so that it can end in
 * any way that a program can. It plays SESSIONS sessions of the ledger (fixtures/rules), of STEPS
 * steps each, with SEED, SEED + 1 and so on; equal arguments give equal sessions. HOW is
 *
 *   play      to the end of all of them
 *   leave     exit() in the midst of the last session
 *   return    main returns there
 *   forget    the first session is never closed; the others are, and so is the store
 *   abort, fault, quit, vanish
 *             in apply, at the last step of the last session: abort(), a store to no address,
 *             exit(), _exit()
 *   fork      a child tries every call in the midst of the last session, and all must fail
 *   starve    with HOW=starve:N, N KiB of memory are left when the store is opened
 *
 * The status is 0 where it ended as told, 1 where a call failed that should not have: the witness
 * says which. A call that fails for want of memory is no such call.
 */
#define LEDGER_VERSION "1.4.0"
#define LEDGER_FAULT die
#include "../../fixtures/rules/ledger.h"

#include <deja/recorder.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "player/witness.h"

#if defined(__SANITIZE_ADDRESS__)
#define LOOKS_FOR_LEAKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LOOKS_FOR_LEAKS 1
#endif
#endif

#ifdef LOOKS_FOR_LEAKS
/* Who ends in the midst of things releases nothing, and who is traced cannot be looked through. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return 1;
}
#endif

typedef struct game {
    const char *how;
    uint64_t seed, sessions, steps;
    deja_store *store;
    deja_plugin *plugin;
    witness *witness;
    bool starves;
} game;

/* How apply dies, once its time has come; NULL: not yet. */
static const char *death;

static void die(ledger *l, const ledger_command *command, deja_out *out)
{
    static volatile uintptr_t nowhere = 16; /* not a constant, or compilers take it out */
    (void)l;
    (void)command;
    (void)out;
    if (!death)
        return;
    if (strcmp(death, "abort") == 0)
        abort();
    if (strcmp(death, "fault") == 0)
        *(volatile int *)nowhere = 1;
    if (strcmp(death, "quit") == 0)
        exit(0);
    if (strcmp(death, "vanish") == 0)
        _exit(0);
}

/* ---- what is told ---- */

static bool went_well(game *g, deja_code code, const deja_error *err)
{
    if (code == DEJA_OK)
        return true;
    /* A file that cannot be mapped for want of memory is the system's no. */
    if (!(g->starves && (code == DEJA_ENOMEM || code == DEJA_EIO)) && g->witness->failed++ == 0)
        snprintf(g->witness->why, sizeof g->witness->why, "%s: %.200s", deja_code_name(code),
                 err->message);
    return false;
}

/* ---- one session ---- */

typedef struct play {
    deja_recorder *recorder;
    ledger state;
    deja_luck luck;
} play;

/* What the bot asks for, but not for the end; at last what is never refused. */
static ledger_command next_command(play *p)
{
    ledger_command command = neutral;
    if (death)
        return command;
    do
        pick_clumsy(&p->state, &p->luck, &command, NULL);
    while (command.kind == END);
    return command;
}

static bool begin(game *g, play *p, uint64_t place)
{
    deja_recorder_options options = DEJA_RECORDER_OPTIONS_INIT;
    deja_error err;
    memset(p, 0, sizeof *p);
    options.seed = g->seed + place;
    start(&p->state, NULL, options.seed, NULL);
    deja_luck_seed(&p->luck, options.seed, 1);
    const deja_code code =
        deja_recorder_open(&p->recorder, g->store, g->plugin, &p->state, &options, &err);
    g->witness->steps = 0;
    g->witness->begun += code == DEJA_OK;
    return went_well(g, code, &err);
}

static bool step(game *g, play *p)
{
    const ledger_command command = next_command(p);
    deja_error err;
    const deja_code code = deja_recorder_step(p->recorder, &p->state, &command, NULL, NULL, &err);
    g->witness->steps += code == DEJA_OK;
    return went_well(g, code, &err);
}

static bool finish(game *g, play *p)
{
    deja_error err;
    bool well = went_well(g, deja_recorder_close(p->recorder, NULL, NULL, &err), &err);
    well = went_well(g, deja_store_flush(g->store, &err), &err) && well;
    g->witness->closed += well;
    return well;
}

/* ---- a child ---- */

static void try_all_in_child(game *g, play *p)
{
    const ledger_command command = next_command(p);
    ledger state = p->state;
    deja_error err;
    deja_out *events = NULL;
    int wrong = 0;
    wrong += deja_recorder_step(p->recorder, &state, &command, NULL, NULL, &err) != DEJA_EMISUSE;
    wrong += deja_recorder_begin(p->recorder, &command, NULL, &events, &err) != DEJA_EMISUSE;
    wrong += deja_recorder_end(p->recorder, &state, 0, &err) != DEJA_EMISUSE;
    wrong += deja_recorder_mark(p->recorder, "child", &err) != DEJA_EMISUSE;
    wrong += deja_recorder_section(p->recorder, "child", 1, &err) != DEJA_EMISUSE;
    wrong += deja_recorder_close(p->recorder, NULL, NULL, &err) != DEJA_EMISUSE;
    _exit(wrong);
    (void)g;
}

static void fork_here(game *g, play *p)
{
    int status = -1;
    const pid_t child = fork();
    if (child == 0)
        try_all_in_child(g, p);
    if (waitpid(child, &status, 0) != child || status != 0) {
        g->witness->failed++;
        snprintf(g->witness->why, sizeof g->witness->why, "the child: status %#x", status);
    }
}

/* ---- all of them ---- */

static bool is(const game *g, const char *how)
{
    return strcmp(g->how, how) == 0;
}

/* @return false: nothing more is to be played */
static bool play_one(game *g, uint64_t place)
{
    play p;
    const bool last = place + 1 == g->sessions;
    if (!begin(g, &p, place))
        return g->starves;
    for (uint64_t i = 1; i <= g->steps; i++) {
        if (last && i == g->steps)
            death = g->how;
        if (!step(g, &p))
            break;
        if (!last || i != g->steps / 2)
            continue;
        if (is(g, "leave"))
            exit(0);
        if (is(g, "return"))
            return false;
        if (is(g, "fork"))
            fork_here(g, &p);
    }
    if (is(g, "forget") && place == 0)
        return true;
    return finish(g, &p) || g->starves;
}

/* So much memory is left; less, where the system counts in pages. */
static void starve(uint64_t kib)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lu", &pages) != 1)
        exit(2);
    fclose(file);
    const rlim_t most = pages * (rlim_t)sysconf(_SC_PAGESIZE) + kib * 1024;
    setrlimit(RLIMIT_AS, &(struct rlimit){ most, most });
}

static int play_all(game *g, const char *path)
{
    deja_error err;
    if (strncmp(g->how, "starve:", 7) == 0) {
        g->starves = true;
        starve(strtoull(g->how + 7, NULL, 10));
    }
    if (!went_well(g, deja_plugin_from_table(&g->plugin, &deja_rules, &err), &err) ||
        !went_well(g, deja_store_open(&g->store, path, DEJA_STORE_WRITE, &err), &err))
        return g->witness->failed != 0;
    g->witness->opened = 1;
    bool more = true;
    for (uint64_t place = 0; place < g->sessions && more; place++)
        more = play_one(g, place);
    if (is(g, "return"))
        return 0;
    went_well(g, deja_store_close(g->store, &err), &err);
    deja_plugin_close(g->plugin);
    return g->witness->failed != 0;
}

int main(int argc, char **argv)
{
    if (argc != 7) {
        fprintf(stderr, "usage: player STORE WITNESS HOW SEED SESSIONS STEPS\n");
        return 2;
    }
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    game g = { .how = argv[3] };
    g.seed = strtoull(argv[4], NULL, 10);
    g.sessions = strtoull(argv[5], NULL, 10);
    g.steps = strtoull(argv[6], NULL, 10);
    const int file = open(argv[2], O_RDWR);
    void *shared = mmap(NULL, sizeof *g.witness, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (shared == MAP_FAILED) {
        perror(argv[2]);
        return 2;
    }
    g.witness = shared;
    return play_all(&g, argv[1]);
}
