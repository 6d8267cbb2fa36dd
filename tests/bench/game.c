/* SPDX-License-Identifier: MIT */
#include "bench/game.h"

#include <stdlib.h>
#include <string.h>

void bench_game_open(bench_game *game, const char *bot, bool is_wide)
{
    static const bench_rows usual = { { 7, 5, 3, 1 }, 4 };
    static const bench_rows wide = { { 3, 2, 1, 3, 2, 1 }, 6 };
    deja_error err = { 0 };
    memset(game, 0, sizeof *game);
    bench_check(deja_plugin_open(&game->plugin, BENCH_LIBRARY, &err), &err);
    game->table = deja_plugin_table(game->plugin);
    const int32_t place = deja_plugin_bot_find(game->plugin, bot);
    if (place < 0 || game->table->command.size != sizeof game->take)
        bench_fail("%s is not the game that is meant", BENCH_LIBRARY);
    game->config = is_wide ? wide : usual;
    game->bot = &game->table->bots[place];
    game->plain = plain_open(game->table);
    game->state = malloc((size_t)game->table->state.size);
    if (!game->state)
        bench_fail("out of memory");
}

void bench_game_close(bench_game *game)
{
    free(game->state);
    deja_plugin_close(game->plugin);
}

void bench_game_start(bench_game *game)
{
    memset(game->state, 0, (size_t)game->table->state.size);
    if (game->table->start(game->state, &game->config, BENCH_SEED, NULL) != 0)
        bench_fail("the game does not start");
    deja_luck_seed(&game->luck, BENCH_SEED, 1);
}

deja_recorder *bench_game_record(bench_game *game, deja_store *store)
{
    deja_recorder *recorder = NULL;
    deja_recorder_options options = DEJA_RECORDER_OPTIONS_INIT;
    deja_error err = { 0 };
    options.config = &game->config;
    options.seed = BENCH_SEED;
    options.trail_bits = 8;
    bench_check(deja_recorder_open(&recorder, store, game->plugin, game->state, &options, &err),
                &err);
    return recorder;
}
