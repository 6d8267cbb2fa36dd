/* SPDX-License-Identifier: 0BSD */
/*
 * A whole game that records what people play: reads "roll" and "bank", a line each, until the game
 * is over or nothing more comes, and stores the session in plays.deja.
 *
 *     ./recording SEED
 */
#include <deja/deja.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "mygame.c" /* the rules, linked in; a larger game has a header for its types */

static int fail(const char *what, const deja_error *err)
{
    fprintf(stderr, "%s: %s\n", what, err->message);
    return 1;
}

static int play(deja_recorder *recorder, pig *game, deja_error *err)
{
    char line[32];
    while (!outcome(game) && fgets(line, sizeof line, stdin)) {
        const pig_command command = { line[0] == 'b' ? BANK : ROLL };
        uint32_t refusal = 0;
        if (deja_recorder_step(recorder, game, &command, NULL, &refusal, err) < 0)
            return fail("recorder", err);
        if (refusal)
            printf("%s\n", refusals[refusal - 1]);
        else
            printf("%" PRIu32 " : %" PRIu32 ", and %" PRIu32 " to bank\n", game->banked[0],
                   game->banked[1], game->sum);
    }
    return 0;
}

int main(int argc, char **argv)
{
    deja_recorder_options options = DEJA_RECORDER_OPTIONS_INIT;
    deja_store *store = NULL;
    deja_plugin *plugin = NULL;
    deja_recorder *recorder = NULL;
    deja_error err;
    pig game = { 0 };

    options.config = &usual;
    options.seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    options.made = "people";
    start(&game, &usual, options.seed, NULL);
    if (deja_store_open(&store, "plays.deja", DEJA_STORE_WRITE, &err) < 0)
        return fail("store", &err); /* its message has the path */
    int status = 0;
    if (deja_plugin_from_table(&plugin, &deja_rules, &err) < 0 ||
        deja_recorder_open(&recorder, store, plugin, &game, &options, &err) < 0)
        status = fail("recorder", &err);
    else
        status = play(recorder, &game, &err);

    const uint32_t ended = outcome(&game);
    if (deja_recorder_close(recorder, ended ? outcomes[ended - 1] : NULL, NULL, &err) < 0)
        status = fail("recorder", &err);
    deja_plugin_close(plugin);
    /* Here the session is committed; a game that goes on calls deja_store_flush() instead. */
    if (deja_store_close(store, &err) < 0)
        status = fail("store", &err);
    return status;
}
