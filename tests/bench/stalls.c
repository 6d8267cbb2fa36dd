/* SPDX-License-Identifier: MIT */
/*
 * How long the call takes that records a step, in a game of one step each 300 ns.
 *
 *   idle    an empty call: the timer, and what the machine does meanwhile; the floor of the others
 *   note    deja_recorder_note(): the record call alone, as bytes and hash are at hand
 *   step    deja_recorder_step(): command, apply, events, hash and record in one call
 *
 * The timer's own time is in each figure. A game that was held up does not hurry afterwards: its
 * next step is due 300 ns after the late one. The three take turns; each percentile, and the
 * maximum, is the median of the rounds': a single round's maximum is the machine's more than ours.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/game.h"

enum { ROUNDS = 9, PACE = 300 /* ns */ };
enum kind { IDLE, NOTE, STEP, KINDS };
enum figure { P50, P99_9, P99_99, MAX, FIGURES };

/* ns; of P50 for a note, as a step applies and hashes besides */
enum goals { P50_MOST = 30, P99_9_MOST = 200, P99_99_MOST = 2000, MAX_MOST = 250000 };

static const char *const kind_names[KINDS] = { "idle", "note", "step" };

/* ---- the clock ---- */

static inline uint64_t ticks(void)
{
#if defined(__x86_64__)
    unsigned processor;
    return __builtin_ia32_rdtscp(&processor);
#elif defined(__aarch64__)
    uint64_t count;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(count));
    return count;
#else
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
#endif
}

static double ns_a_tick(void)
{
    const double start = bench_now();
    const uint64_t from = ticks();
    double took;
    do
        took = bench_now() - start;
    while (took < 0.05);
    return took * 1e9 / (double)(ticks() - from);
}

/* ---- one round ---- */

typedef struct round_of {
    bench_game *game;
    deja_recorder *recorder;
    uint32_t *took; /* ticks, of each call */
    uint64_t steps;
    uint64_t pace; /* ticks */
} round_of;

static __attribute__((noinline)) void call_nothing(void)
{
    __asm__ volatile("" ::: "memory");
}

static inline __attribute__((always_inline)) deja_code call(const round_of *r, enum kind kind,
                                                            uint64_t hash, deja_error *err)
{
    if (kind == STEP)
        return deja_recorder_step(r->recorder, r->game->state, &r->game->take, NULL, NULL, err);
    if (kind == NOTE)
        return deja_recorder_note(r->recorder, &r->game->take, sizeof r->game->take, hash, err);
    call_nothing();
    return DEJA_OK;
}

static inline __attribute__((always_inline)) void play(const round_of *r, enum kind kind)
{
    deja_error err = { 0 };
    uint64_t due = ticks() + r->pace;
    for (uint64_t i = 0; i < r->steps; i++) {
        uint64_t hash = 0;
        bench_game_pick(r->game);
        if (kind != STEP) {
            plain_apply(&r->game->plain, r->game->state, &r->game->take);
            hash = plain_hash(&r->game->plain, r->game->state);
        }
        uint64_t begin;
        do
            begin = ticks();
        while (begin < due);
        const deja_code code = call(r, kind, hash, &err);
        const uint64_t took = ticks() - begin;
        bench_check(code, &err);
        r->took[i] = took < UINT32_MAX ? (uint32_t)took : UINT32_MAX;
        due = begin + r->pace;
    }
}

static deja_recorder *open_notes(deja_store *store)
{
    deja_recorder *recorder = NULL;
    deja_recorder_options options = DEJA_RECORDER_OPTIONS_INIT;
    deja_error err = { 0 };
    options.game = "bench";
    options.seed = BENCH_SEED;
    options.trail_bits = 8;
    bench_check(deja_recorder_open(&recorder, store, NULL, NULL, &options, &err), &err);
    return recorder;
}

static void play_round(round_of *r, enum kind kind, const char *folder)
{
    char path[BENCH_PATH_SIZE];
    deja_store *store = NULL;
    deja_error err = { 0 };
    bench_path(path, folder, "stalls");
    bench_game_start(r->game);
    if (kind == IDLE) {
        play(r, IDLE);
        return;
    }
    bench_check(deja_store_open(&store, path, DEJA_STORE_WRITE, &err), &err);
    if (kind == NOTE) {
        r->recorder = open_notes(store);
        play(r, NOTE);
    } else {
        r->recorder = bench_game_record(r->game, store);
        play(r, STEP);
    }
    bench_check(deja_recorder_close(r->recorder, NULL, NULL, &err), &err);
    bench_check(deja_store_close(store, &err), &err);
    bench_remove(path);
}

/* ---- what came of it ---- */

static int by_size(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static uint32_t at_percent(const round_of *r, double percent)
{
    return r->took[(uint64_t)((double)(r->steps - 1) * percent / 100)];
}

static void take_figures(const round_of *r, double tick, double figures[FIGURES])
{
    qsort(r->took, (size_t)r->steps, sizeof *r->took, by_size);
    figures[P50] = at_percent(r, 50) * tick;
    figures[P99_9] = at_percent(r, 99.9) * tick;
    figures[P99_99] = at_percent(r, 99.99) * tick;
    figures[MAX] = at_percent(r, 100) * tick;
}

static void tell(enum kind kind, const double of[FIGURES])
{
    printf("%-8s p50 %.0f, p99.9 %.0f, p99.99 %.0f ns, max %.1f us a call", kind_names[kind],
           of[P50], of[P99_9], of[P99_99], of[MAX] / 1000);
    if (kind == IDLE) {
        printf(", medians of %d\n", ROUNDS);
        return;
    }
    printf(" (goal: at most ");
    if (kind == NOTE)
        printf("%d, ", P50_MOST);
    printf("%d, %d, %d)\n", P99_9_MOST, P99_99_MOST, MAX_MOST / 1000);
    if (kind == NOTE)
        bench_goal(of[P50] <= P50_MOST, "half of all notes are to take at most 30 ns");
    bench_goal(of[P99_9] <= P99_9_MOST, "999 of 1,000 %ss are to take at most 200 ns",
               kind_names[kind]);
    bench_goal(of[P99_99] <= P99_99_MOST, "9,999 of 10,000 %ss are to take at most 2,000 ns",
               kind_names[kind]);
    bench_goal(of[MAX] <= MAX_MOST, "no %s is to take more than 250 us", kind_names[kind]);
}

void bench_stalls(const char *folder, bool is_long)
{
    static double figures[KINDS][FIGURES][ROUNDS];
    const double tick = ns_a_tick();
    bench_game game;
    round_of r = { .game = &game, .steps = is_long ? 5000000 : 1000000 };
    r.pace = (uint64_t)(PACE / tick);
    r.took = malloc((size_t)r.steps * sizeof *r.took);
    if (!r.took)
        bench_fail("out of memory");
    memset(r.took, 1, (size_t)r.steps * sizeof *r.took); /* no call is to find a new page */
    bench_game_open(&game, "random", false);
    for (int round = 0; round < ROUNDS; round++) {
        for (enum kind kind = IDLE; kind < KINDS; kind++) {
            double of[FIGURES];
            play_round(&r, kind, folder);
            take_figures(&r, tick, of);
            for (int i = 0; i < FIGURES; i++)
                figures[kind][i][round] = of[i];
        }
    }
    for (enum kind kind = IDLE; kind < KINDS; kind++) {
        double of[FIGURES];
        for (int i = 0; i < FIGURES; i++)
            of[i] = bench_median(figures[kind][i], ROUNDS);
        tell(kind, of);
    }
    bench_game_close(&game);
    free(r.took);
}
