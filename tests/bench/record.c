/* SPDX-License-Identifier: MIT */
/*
 * What recording adds to a game's loop.
 *
 *   plain   a bot picks, the rules apply: the loop of a game that records nothing
 *   record  the same with deja_recorder_step() in the place of apply, 8 bits a hash
 *   json    the same, and a line of JSON through gzip for each step (baselines.h)
 *   rows    the same, and a row of SQLite for each step
 *
 * The three hash the state; record hashes events as well. One session each time, from a new file to
 * a closed one. Wall time is that of the loop, which is what its players feel. Processor time is
 * that of all threads, opening and closing included: what is left for later is in it.
 *
 * All variants take turns; a figure is the median over the rounds of what a round's variant cost
 * more than the same round's plain loop.
 *
 * Two loops: `quick` is the Matchgame with its random bot, about 20 ns a step; in `slow` the bot
 * thinks, and no step is below 300 ns.
 */
#include <stdio.h>

#include "bench/baselines.h"
#include "bench/game.h"

enum { ROUNDS = 9, SLOW_STEP = 300 /* ns, at least, for the first goal */ };
enum variant { PLAIN, RECORD, JSON, ROWS, VARIANTS };

/* Each as it is met by a goal: hundredths, nanoseconds, times. */
enum goals { SLOW_MOST = 103, WALL_MOST = 10, CPU_MOST = 30, JSON_LEAST = 30, ROWS_LEAST = 12 };

typedef struct cost {
    double wall, cpu; /* ns a step */
} cost;

typedef struct sinks {
    deja_store *store;
    deja_recorder *recorder;
    deja_error why; /* the recording ended early */
    json_lines lines;
    step_rows rows;
} sinks;

static void open_sink(sinks *to, enum variant variant, bench_game *game, const char *path)
{
    deja_error err = { 0 };
    if (variant == RECORD) {
        bench_check(deja_store_open(&to->store, path, DEJA_STORE_WRITE, &err), &err);
        to->recorder = bench_game_record(game, to->store);
    } else if (variant == JSON) {
        json_lines_open(&to->lines, path);
    } else if (variant == ROWS) {
        step_rows_open(&to->rows, path);
    }
}

static void close_sink(sinks *to, enum variant variant)
{
    deja_error err = { 0 };
    if (variant == RECORD) {
        const deja_code code = deja_recorder_close(to->recorder, NULL, NULL, &err);
        if (to->why.code == DEJA_OK)
            bench_check(code, &err);
        bench_check(deja_store_close(to->store, &err), &err);
    } else if (variant == JSON) {
        json_lines_close(&to->lines);
    } else if (variant == ROWS) {
        step_rows_close(&to->rows);
    }
}

/* Inlined with a variant that is known, so that no loop has a branch of another's.
 * @return the steps that were recorded */
static inline __attribute__((always_inline)) uint64_t play(sinks *to, enum variant variant,
                                                           bench_game *game, uint64_t steps)
{
    for (uint64_t i = 0; i < steps; i++) {
        bench_game_pick(game);
        if (variant == RECORD) {
            if (deja_recorder_step(to->recorder, game->state, &game->take, NULL, NULL, &to->why) <
                0)
                return i;
            continue;
        }
        const uint32_t result = plain_apply(&game->plain, game->state, &game->take);
        if (variant == JSON)
            json_lines_add(&to->lines, &game->take, result, plain_hash(&game->plain, game->state));
        if (variant == ROWS)
            step_rows_add(&to->rows, &game->take, result, plain_hash(&game->plain, game->state));
    }
    return steps;
}

static uint64_t play_variant(sinks *to, enum variant variant, bench_game *game, uint64_t steps)
{
    switch (variant) {
    case RECORD:
        return play(to, RECORD, game, steps);
    case JSON:
        return play(to, JSON, game, steps);
    case ROWS:
        return play(to, ROWS, game, steps);
    default:
        return play(to, PLAIN, game, steps);
    }
}

/* So that nothing is measured which did not keep its steps. */
static void check_stored(const char *path, uint64_t steps)
{
    deja_store *store = NULL;
    deja_error err = { 0 };
    uint64_t stored = 0;
    bench_check(deja_store_open(&store, path, DEJA_STORE_READ, &err), &err);
    bench_only_key(store, &stored);
    bench_check(deja_store_close(store, &err), &err);
    if (stored != steps)
        bench_fail("%llu steps are stored of %llu", (unsigned long long)stored,
                   (unsigned long long)steps);
}

static cost measure(enum variant variant, bench_game *game, uint64_t steps, const char *folder)
{
    char path[BENCH_PATH_SIZE];
    sinks to = { 0 };
    bench_path(path, folder, "recorded");
    bench_game_start(game);
    const double cpu = bench_cpu();
    open_sink(&to, variant, game, path);
    const double wall = bench_now();
    const uint64_t played = play_variant(&to, variant, game, steps);
    const double took = bench_now() - wall;
    close_sink(&to, variant);
    const double ns = 1e9 / (double)(played ? played : 1);
    const cost whole = { took * ns, (bench_cpu() - cpu) * ns };
    bench_goal(played == steps, "the recording ended at step %llu of %llu: %s",
               (unsigned long long)played + 1, (unsigned long long)steps, to.why.message);
    if (variant == RECORD)
        check_stored(path, played);
    bench_remove(path);
    return whole;
}

/* ---- the loops ---- */

typedef struct rounds {
    double plain[ROUNDS];                                 /* wall, ns a step */
    double ratio[ROUNDS];                                 /* of record's wall to plain's */
    double wall[VARIANTS][ROUNDS], cpu[VARIANTS][ROUNDS]; /* over plain, ns a step */
} rounds;

static void play_rounds(rounds *all, bench_game *game, const uint64_t steps[VARIANTS],
                        const char *folder)
{
    for (int round = 0; round < ROUNDS; round++) {
        const cost plain = measure(PLAIN, game, steps[PLAIN], folder);
        all->plain[round] = plain.wall;
        for (enum variant variant = RECORD; variant < VARIANTS; variant++) {
            if (steps[variant] == 0)
                continue;
            const cost its = measure(variant, game, steps[variant], folder);
            all->wall[variant][round] = its.wall - plain.wall;
            all->cpu[variant][round] = its.cpu - plain.cpu;
            if (variant == RECORD)
                all->ratio[round] = its.wall / plain.wall;
        }
    }
}

static void measure_slow(const char *folder, uint64_t steps)
{
    const uint64_t each[VARIANTS] = { steps, steps, 0, 0 };
    bench_game game;
    rounds all;
    bench_game_open(&game, "depth6", true);
    play_rounds(&all, &game, each, folder);
    bench_game_close(&game);
    const double plain = bench_median(all.plain, ROUNDS);
    const double ratio = bench_median(all.ratio, ROUNDS);
    printf("slow     %8.1f ns a step plain; recorded %.3f times that (goal: at most 1.03), "
           "%+.1f ns, median of %d\n",
           plain, ratio, bench_median(all.wall[RECORD], ROUNDS), ROUNDS);
    if (plain < SLOW_STEP)
        printf("note     a step of this loop is to be 300 ns at least\n");
    bench_goal(ratio * 100 <= SLOW_MOST, "recording is to add at most 3 %% to a loop of 300 ns");
}

static void tell_fewer(const char *what, double baseline, double record, int least)
{
    const double times = baseline / (record > 0.1 ? record : 0.1);
    printf("%-8s %8.1f ns of processor time a step over plain: %.1f times record's (goal: at "
           "least %d)\n",
           what, baseline, times, least);
    bench_goal(times >= least, "recording is to take %d times less processor time than %s", least,
               what);
}

static void measure_quick(const char *folder, uint64_t steps)
{
    const uint64_t each[VARIANTS] = { steps, steps, steps / 8, steps / 4 };
    bench_game game;
    rounds all;
    bench_game_open(&game, "random", false);
    play_rounds(&all, &game, each, folder);
    bench_game_close(&game);
    const double wall = bench_median(all.wall[RECORD], ROUNDS);
    const double cpu = bench_median(all.cpu[RECORD], ROUNDS);
    printf("quick    %8.1f ns a step plain, median of %d\n", bench_median(all.plain, ROUNDS),
           ROUNDS);
    printf("record   %+8.1f ns of wall time a step over plain (goal: at most %d)\n", wall,
           WALL_MOST);
    bench_goal(wall <= WALL_MOST, "recording is to add at most 10 ns to a step");
    printf("record   %8.1f ns of processor time a step over plain (goal: at most %d)\n", cpu,
           CPU_MOST);
    bench_goal(cpu <= CPU_MOST, "recording is to take at most 30 ns of processor time a step");
    tell_fewer("json", bench_median(all.cpu[JSON], ROUNDS), cpu, JSON_LEAST);
    tell_fewer("rows", bench_median(all.cpu[ROWS], ROUNDS), cpu, ROWS_LEAST);
}

void bench_record(const char *folder, bool is_long)
{
    measure_slow(folder, is_long ? 1000000 : 400000);
    measure_quick(folder, is_long ? 4000000 : 1000000);
    printf("killed   steps that a kill -9 loses are counted by the tests; what it costs to lose "
           "none is in these figures\n");
}
