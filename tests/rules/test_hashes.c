/* SPDX-License-Identifier: MIT */
/*
 * Each fixture and each game hashed in two ways, step by step: by what is compiled into the
 * library, and the slow way by nobody but the host, from canonical bytes and layout alone.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "plugin/game.h"
#include "rules/expected.h"
#include "support/demand.h"

TestSuite(hashes, .timeout = 120);

/* Those that break do so at step 33. In a game of ticks little happens in as few. */
enum { STEPS = 32, TICKS = 600 };

static uint64_t slow_state_hash(const deja_plugin *plugin, const deja_buffer *state)
{
    uint64_t hash = 0;
    const deja_layout *layout = deja_plugin_layout(plugin, DEJA_STATE);
    demand(deja_value_validate(layout, state->bytes, state->size, NULL) == DEJA_OK, "no state");
    demand(deja_value_hash(layout, state->bytes, state->size, &hash, NULL) == DEJA_OK, "no hash");
    return hash;
}

/* The number of events, then of each its canonical bytes for hashing. */
static uint64_t slow_event_hash(const deja_plugin *plugin, deja__game *game, uint32_t *count)
{
    const deja_layout *layout = deja_plugin_layout(plugin, DEJA_EVENT);
    deja_buffer bytes = { 0 };
    deja_span events;
    const uint32_t *ends;
    *count = deja__game_events(game, &events, &ends, NULL);
    unsigned char number[4];
    deja__store32(number, *count);
    deja_buffer_add(&bytes, number, sizeof number);
    for (uint32_t i = 0; i < *count; i++) {
        const uint32_t from = i ? ends[i - 1] : 0;
        demand(deja_value_hashed_bytes(layout, (const unsigned char *)events.bytes + from,
                                       ends[i] - from, &bytes, NULL) == DEJA_OK,
               "no event");
    }
    const uint64_t hash = deja__hash64(bytes.bytes, bytes.size);
    deja_buffer_release(&bytes);
    return hash;
}

/* A state's bytes loaded into another game are that state. */
static void hold_loaded(deja__game *copy, const deja_buffer *state, uint64_t hash)
{
    uint64_t loaded = 0;
    const deja_span bytes = { state->bytes, state->size };
    demand(deja__game_load(copy, bytes, NULL) == DEJA_OK, "does not load");
    demand(deja__game_hash(copy, &loaded, NULL) == DEJA_OK && loaded == hash, "loaded, is another");
}

static void hold_step(const deja_plugin *plugin, deja__game *game, deja__game *copy,
                      deja_buffer *state)
{
    uint64_t hash = 0;
    deja_buffer_clear(state);
    demand(deja__game_hash(game, &hash, NULL) == DEJA_OK, "does not hash");
    demand(deja__game_save(game, state, NULL) == DEJA_OK, "does not save");
    demand(slow_state_hash(plugin, state) == hash, "the slow way gives another hash");
    hold_loaded(copy, state, hash);
}

/* In a child: some of these keep threads, memory or state. Its status is how it ended. */
static void play_in_child(const char *path)
{
    deja_plugin *plugin = NULL;
    deja__game *game = NULL, *copy = NULL;
    deja_buffer state = { 0 }, command = { 0 };
    deja_error err = { 0 };
    deja_luck luck;
    uint32_t refusal, result, count, events = 0;
    demand_in_child();
    demand(dup2(open("/dev/null", O_WRONLY), 1) == 1, "no /dev/null"); /* some of them print */
    demand(deja_plugin_open(&plugin, path, &err) == DEJA_OK, "does not open");
    demand(deja__game_open(&game, plugin, &err) == DEJA_OK &&
               deja__game_open(&copy, plugin, &err) == DEJA_OK,
           "no game");
    const deja_rules_table *table = deja_plugin_table(plugin);
    void *memory = calloc(1, table->bots[0].memory_size + 1);
    const deja_span config = deja_plugin_config_default(plugin);
    demand(deja__game_start(game, config, 5, NULL, &refusal, &err) == DEJA_OK, "does not start");
    hold_step(plugin, game, copy, &state);
    deja_luck_seed(&luck, 5, 1);
    const uint32_t steps = table->kind == DEJA_TICKS ? TICKS : STEPS;
    for (uint32_t step = 1; step <= steps; step++) {
        bool chosen = false;
        deja_buffer_clear(&command);
        demand(deja__game_pick(game, 0, &luck, memory, &command, &chosen, &err) == DEJA_OK,
               "no command");
        if (!chosen)
            break;
        const deja_span bytes = { command.bytes, command.size };
        demand(deja__game_apply(game, bytes, &result, &err) == DEJA_OK, "does not apply");
        demand(slow_event_hash(plugin, game, &count) == deja__game_event_hash(game),
               "the slow way gives another event hash");
        events += count;
        hold_step(plugin, game, copy, &state);
    }
    demand(events > 0, "no event");
    free(memory);
    deja_buffer_release(&state);
    deja_buffer_release(&command);
    deja__game_close(copy);
    deja__game_close(game);
    deja_plugin_close(plugin);
    _exit(0);
}

static void hold(const char *folder, const char *name)
{
    char path[512];
    int status = -1;
    snprintf(path, sizeof path, "%s/%s/%s.so", DEJA_BUILD_DIR, folder, name);
    fflush(NULL);
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0)
        play_in_child(path);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0, "%s: status %x", name, (unsigned)status);
}

Test(hashes, of_each_fixture_are_the_same_in_the_slow_way)
{
    FILE *file = expected_open();
    uint32_t count = 0;
    line l;
    while (expected_next(file, &l)) {
        if (strcmp(l.part, "load") == 0)
            continue;
        hold("rules", l.library);
        count++;
    }
    fclose(file);
    cr_assert_gt(count, 38);
}

Test(hashes, of_each_game_are_the_same_in_the_slow_way)
{
    static const char *const rules[] = { "ledger", "matchgame_endless", "swarm", "containers",
                                         "shelf",  "skirmish" };
    for (uint32_t i = 0; i < sizeof rules / sizeof *rules; i++)
        hold("rules", rules[i]);
    hold("games", "matchgame");
    hold("games", "peg");
    hold("games", "garden");
    hold("games", "bee");
}
