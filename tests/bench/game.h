/* SPDX-License-Identifier: MIT */
/*
 * A game that never ends and the bot that plays it, for loops whose every step counts: what is
 * measured is a program's own loop around its rules, so nothing here is more than it would write.
 */
#ifndef DEJA_TESTS_BENCH_GAME_H
#define DEJA_TESTS_BENCH_GAME_H

#include <deja/rules.h>

#include "bench/bench.h"
#include "bench/plain.h"

#define BENCH_SEED 7

/* A matchgame's config. */
typedef struct bench_rows {
    uint8_t rows[16];
    uint32_t count;
} bench_rows;

/* Its command. */
typedef struct bench_take {
    uint16_t kind;
    uint8_t row;
    uint8_t n;
} bench_take;

typedef struct bench_game {
    deja_plugin *plugin;
    const deja_rules_table *table;
    const deja_bot *bot;
    bench_rows config;
    deja_luck luck; /* the bot's */
    void *state;
    bench_take take; /* the command that was picked last */
    struct plain plain;
} bench_game;

/* Opens the library; its bot of that name plays, on the usual board or on one of more rows, where a
 * bot that looks ahead has more to think about. */
void bench_game_open(bench_game *game, const char *bot, bool is_wide);
void bench_game_close(bench_game *game);
/* Begins anew, always the same game. */
void bench_game_start(bench_game *game);
/* A recorder of the game as it stands: 8 bits of each step's hash are kept. */
deja_recorder *bench_game_record(bench_game *game, deja_store *store);

static inline void bench_game_pick(bench_game *game)
{
    if (!game->bot->pick(game->state, &game->luck, &game->take, NULL))
        bench_fail("the bot has no command");
}

#endif
