/* SPDX-License-Identifier: MIT */
/*
 * Games that bots play.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/scene.h"
#include "store/handle.h"

TestSuite(bots, .timeout = 120);

enum { TOLD_MAX = 64 };

/* What `finished` was told. */
typedef struct told {
    uint64_t count, stop_at, known;
    deja_id ids[TOLD_MAX];
    uint64_t seeds[TOLD_MAX], steps[TOLD_MAX];
} told;

static bool tell(void *user, const deja_id *id, uint64_t seed, uint64_t steps, bool known)
{
    told *t = user;
    if (t->count < TOLD_MAX) {
        t->ids[t->count] = *id;
        t->seeds[t->count] = seed;
        t->steps[t->count] = steps;
    }
    t->known += known;
    return ++t->count != t->stop_at;
}

static deja_bots_options bots(const char *names, told *t)
{
    deja_bots_options options = DEJA_BOTS_OPTIONS_INIT;
    memset(t, 0, sizeof *t);
    options.bots = names;
    options.finished = tell;
    options.user = t;
    return options;
}

static void play(scene *s, const deja_bots_options *options)
{
    const deja_code code = deja_record_bots(s->store, s->plugin, options, &s->err);
    cr_assert_eq(code, DEJA_OK, "%s", s->err.message);
}

static void assert_commands(scene *s, const deja_id *id, const char *commands)
{
    held *h = scene_read(s, id);
    cr_assert_str_eq(h->commands, commands);
    free(h);
}

Test(bots, names_go_to_seats_in_order_and_repeat)
{
    scene s;
    told t;
    scene_open(&s);
    deja_bots_options o = bots("adder,counter", &t);
    o.max_steps = 6;
    play(&s, &o);
    assert_commands(&s, &t.ids[0], "add n=1; add n=1; add n=1; add n=2; add n=1; add n=3; ");
    o = bots("counter", &t);
    o.max_steps = 4;
    play(&s, &o);
    /* Each seat has memory of its own. */
    assert_commands(&s, &t.ids[0], "add n=1; add n=1; add n=2; add n=2; ");
    held *h = scene_read(&s, &t.ids[0]);
    cr_assert_str_eq(h->made, "bot counter");
    cr_assert_eq(h->ended, DEJA_ENDED_RUNNING);
    free(h);
    scene_close(&s);
}

Test(bots, every_game_has_its_seed_and_fresh_memory)
{
    scene s;
    told t;
    scene_open(&s);
    deja_bots_options o = bots("counter", &t);
    o.max_steps = 2;
    o.games = 4;
    o.seed = UINT64_MAX - 1;
    play(&s, &o);
    const uint64_t seeds[] = { UINT64_MAX - 1, UINT64_MAX, 0, 1 };
    cr_assert_eq(t.count, 4);
    cr_assert_eq(memcmp(t.seeds, seeds, sizeof seeds), 0);
    for (int i = 0; i < 4; i++) {
        held *h = scene_read(&s, &t.ids[i]);
        cr_assert_eq(h->seed, seeds[i]);
        cr_assert_str_eq(h->commands, "add n=1; add n=1; ");
        cr_assert_eq(t.steps[i], 2);
        free(h);
    }
    scene_close(&s);
}

Test(bots, seat_s_draws_from_stream_s_plus_1_of_the_seed)
{
    scene s;
    told t;
    char expected[128];
    deja_luck seats[2];
    scene_open(&s);
    deja_bots_options o = bots("gambler", &t);
    o.max_steps = 4;
    o.seed = 99;
    play(&s, &o);
    int32_t n[4];
    deja_luck_seed(&seats[0], 99, 1);
    deja_luck_seed(&seats[1], 99, 2);
    for (int i = 0; i < 4; i++)
        n[i] = (int32_t)deja_luck_below(&seats[i % 2], 100);
    snprintf(expected, sizeof expected, "add n=%d; add n=%d; add n=%d; add n=%d; ", n[0], n[1],
             n[2], n[3]);
    assert_commands(&s, &t.ids[0], expected);
    scene_close(&s);
}

Test(bots, random_is_any_legal_command_and_plays_to_the_end)
{
    scene s;
    told t;
    scene_open(&s);
    deja_bots_options o = bots("random", &t);
    o.games = 20;
    play(&s, &o);
    cr_assert_eq(t.count, 20);
    for (int i = 0; i < 20; i++) {
        held *h = scene_read(&s, &t.ids[i]);
        cr_assert_eq(h->ended, DEJA_ENDED_OUTCOME);
        cr_assert_str_eq(h->outcome, "rich");
        for (uint64_t k = 0; k < h->steps; k++)
            cr_assert_eq(h->results[k], 0);
        cr_assert_eq(h->steps, t.steps[i]);
        free(h);
    }
    /* The same once more is nothing new. */
    o = bots("random", &t);
    o.games = 20;
    play(&s, &o);
    cr_assert_eq(t.known, 20);
    const uint64_t sessions = scene_sessions(&s, NULL);
    cr_assert_eq(sessions, 20);
    scene_close(&s);
}

Test(bots, a_bot_without_a_command_ends_the_game)
{
    scene s;
    told t;
    scene_open(&s);
    deja_bots_options o = bots("quitter", &t);
    play(&s, &o);
    cr_assert_eq(t.steps[0], 3);
    held *h = scene_read(&s, &t.ids[0]);
    cr_assert_eq(h->ended, DEJA_ENDED_RUNNING);
    free(h);
    scene_close(&s);
}

Test(bots, refused_commands_are_recorded_and_a_thousand_in_a_row_end_it)
{
    scene s;
    told t;
    deja_id last;
    scene_open(&s);
    deja_bots_options o = bots("adder,miser", &t);
    o.games = 3;
    o.seed = 5;
    const deja_code code = deja_record_bots(s.store, s.plugin, &o, &s.err);
    scene_assert_failed(&s, code, DEJA_ERULES,
                        "seed 5: bot 'miser' was refused 1000 times in a row ('poor')");
    cr_assert_eq(t.count, 0);
    const uint64_t sessions = scene_sessions(&s, &last);
    cr_assert_eq(sessions, 1);
    held *h = scene_read(&s, &last);
    cr_assert_eq(h->steps, 1001);
    cr_assert_eq(h->results[0], 0);
    cr_assert_eq(h->results[1000], LEDGER_POOR);
    free(h);
    scene_close(&s);
}

Test(bots, a_config_is_taken_and_the_game_may_refuse_it)
{
    scene s;
    told t;
    const unsigned char rich[8] = { 50 };
    const unsigned char poor[8] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
    scene_open(&s);
    deja_bots_options o = bots("adder", &t);
    o.max_steps = 1;
    o.config = (deja_span){ rich, 8 };
    play(&s, &o);
    held *h = scene_read(&s, &t.ids[0]);
    cr_assert_str_eq(h->config, "gold=50");
    free(h);
    o.config = (deja_span){ poor, 8 };
    deja_code code = deja_record_bots(s.store, s.plugin, &o, &s.err);
    cr_assert_eq(code, DEJA_EREFUSED);
    cr_assert_not_null(strstr(s.err.message, "poor"));
    o.config = (deja_span){ poor, 7 };
    code = deja_record_bots(s.store, s.plugin, &o, &s.err);
    cr_assert_eq(code, DEJA_EFORMAT);
    const uint64_t sessions = scene_sessions(&s, NULL);
    cr_assert_eq(sessions, 1);
    scene_close(&s);
}

Test(bots, who_is_told_may_end_it)
{
    scene s;
    told t;
    scene_open(&s);
    deja_bots_options o = bots("adder", &t);
    o.max_steps = 1;
    o.games = 10;
    t.stop_at = 3;
    play(&s, &o);
    cr_assert_eq(t.count, 3);
    const uint64_t sessions = scene_sessions(&s, NULL);
    cr_assert_eq(sessions, 3);
    scene_close(&s);
}

Test(bots, names_that_nobody_has)
{
    scene s;
    told t;
    scene_open(&s);
    deja_bots_options o = bots("adder,countre", &t);
    deja_code code = deja_record_bots(s.store, s.plugin, &o, &s.err);
    scene_assert_failed(&s, code, DEJA_ENOTFOUND,
                        "there is no bot 'countre'; the nearest is 'counter'");
    o.bots = "rnadom";
    code = deja_record_bots(s.store, s.plugin, &o, &s.err);
    scene_assert_failed(&s, code, DEJA_ENOTFOUND,
                        "there is no bot 'rnadom'; the nearest is 'random'");
    o.bots = "nobody";
    code = deja_record_bots(s.store, s.plugin, &o, &s.err);
    scene_assert_failed(&s, code, DEJA_ENOTFOUND, "there is no bot 'nobody'");
    o.bots = "adder,,counter";
    code = deja_record_bots(s.store, s.plugin, &o, &s.err);
    scene_assert_failed(&s, code, DEJA_EMISUSE,
                        "bots are names with commas between, not 'adder,,counter'");
    o.bots = NULL;
    code = deja_record_bots(s.store, s.plugin, &o, &s.err);
    scene_assert_failed(&s, code, DEJA_EMISUSE, "bots are names with commas between, not ''");
    scene_close(&s);
}

Test(bots, random_needs_a_list_of_what_is_legal)
{
    scene s;
    told t;
    scene_open_with(&s, ledger_table_without_legal());
    deja_bots_options o = bots("random", &t);
    const deja_code code = deja_record_bots(s.store, s.plugin, &o, &s.err);
    scene_assert_failed(&s, code, DEJA_ENOTFOUND,
                        "there is no bot 'random', and the game does not list its commands: that "
                        "needs 'legal' in the rules, or a bot of the game");
    scene_close(&s);
}

Test(bots, whether_they_could_begin_is_told_without_a_store)
{
    scene s;
    told t;
    scene_open(&s);
    deja_bots_options o = bots("adder", &t);
    uint64_t hash = 0;
    o.start_hash = &hash;
    cr_assert_eq(deja_bots_check(s.plugin, &o, &s.err), DEJA_OK, "%s", s.err.message);
    ledger expected = { 0 };
    deja_luck_seed(&expected.luck, o.seed, 0);
    cr_assert_eq(hash, ledger_hash(&expected));
    o.bots = "nobody";
    deja_code code = deja_bots_check(s.plugin, &o, &s.err);
    scene_assert_failed(&s, code, DEJA_ENOTFOUND, "there is no bot 'nobody'");
    o.bots = "adder";
    o.games = 0;
    code = deja_bots_check(s.plugin, &o, &s.err);
    scene_assert_failed(&s, code, DEJA_EMISUSE, "there is no game to play (games is 0)");
    code = deja_bots_check(s.plugin, NULL, &s.err);
    scene_assert_failed(&s, code, DEJA_EMISUSE, "the options are missing");
    code = deja_bots_check(NULL, &o, &s.err);
    scene_assert_failed(&s, code, DEJA_EMISUSE, "bots need rules");
    cr_assert_eq(t.count, 0);
    cr_assert_eq(scene_sessions(&s, NULL), 0);
    scene_close(&s);
}

Test(bots, a_start_that_is_refused_is_told_without_a_store)
{
    scene s;
    told t;
    scene_open(&s);
    deja_bots_options o = bots("adder", &t);
    deja_buffer config = { 0 };
    const deja_layout *layout = deja_plugin_layout(s.plugin, DEJA_CONFIG);
    const deja_span usual = deja_plugin_config_default(s.plugin);
    cr_assert_eq(deja_value_set(layout, usual.bytes, usual.size, "gold=-1", 7, &config, &s.err),
                 DEJA_OK, "%s", s.err.message);
    o.config = (deja_span){ config.bytes, config.size };
    const deja_code checked = deja_bots_check(s.plugin, &o, &s.err);
    deja_error err;
    cr_assert_eq(deja_record_bots(s.store, s.plugin, &o, &err), checked);
    cr_assert_eq(checked, DEJA_EREFUSED, "%s", s.err.message);
    deja_buffer_release(&config);
    scene_close(&s);
}

static int64_t calls;

static uint32_t counting_start(void *state, const void *config, uint64_t seed,
                               const deja_content *content)
{
    const uint32_t refusal = ledger_table().start(state, config, seed, content);
    ((ledger *)state)->gold = ++calls;
    return refusal;
}

static void counting_fields(deja_fields *f, const void *value)
{
    const ledger *state = value;
    ledger_table().state.fields(f, value);
    if (f->doing == DEJA_WRITING)
        ((ledger *)(uintptr_t)state)->gold = ++calls;
}

Test(bots, a_start_that_is_another_the_second_time_is_told_without_a_store)
{
    scene s;
    told t;
    deja_rules_table table = ledger_table();
    table.start = counting_start;
    scene_open_with(&s, table);
    const deja_bots_options o = bots("adder", &t);
    cr_assert_eq(deja_bots_check(s.plugin, &o, &s.err), DEJA_ERULES);
    cr_assert_not_null(strstr(s.err.message, "the start state differs when the game is started "
                                             "twice"));
    cr_assert_eq(s.err.step, 0);
    scene_close(&s);

    table = ledger_table();
    table.state.fields = counting_fields;
    scene_open_with(&s, table);
    cr_assert_eq(deja_bots_check(s.plugin, &o, &s.err), DEJA_ERULES);
    cr_assert_not_null(strstr(s.err.message, "the start state's hash changes when it is taken "
                                             "twice"));
    scene_close(&s);
}

Test(bots, options_out_of_range)
{
    scene s;
    told t;
    scene_open(&s);
    deja_bots_options o = bots("adder", &t);
    deja_code code = deja_record_bots(NULL, s.plugin, &o, &s.err);
    scene_assert_failed(&s, code, DEJA_EMISUSE, "bots need a store and rules");
    code = deja_record_bots(s.store, NULL, &o, &s.err);
    scene_assert_failed(&s, code, DEJA_EMISUSE, "bots need a store and rules");
    code = deja_record_bots(s.store, s.plugin, NULL, &s.err);
    scene_assert_failed(&s, code, DEJA_EMISUSE, "the options are missing");
    o.games = 0;
    code = deja_record_bots(s.store, s.plugin, &o, &s.err);
    scene_assert_failed(&s, code, DEJA_EMISUSE, "there is no game to play (games is 0)");
    o.games = 1;
    o.trail_bits = 1;
    code = deja_record_bots(s.store, s.plugin, &o, &s.err);
    scene_assert_failed(&s, code, DEJA_EMISUSE, "a trail has 8, 16, 32 or 64 bits, not 1");
    scene_close(&s);
}

Test(bots, a_bot_that_hands_over_no_command_is_a_breach)
{
    scene s;
    told t;
    scene_open(&s);
    deja_bots_options o = bots("talker", &t);
    const deja_code code = deja_record_bots(s.store, s.plugin, &o, &s.err);
    cr_assert_eq(code, DEJA_ERULES);
    cr_assert_not_null(strstr(s.err.message, "the command"), "%s", s.err.message);
    scene_close(&s);
}

static int count_commit(void *user)
{
    ++*(uint32_t *)user;
    return 0;
}

/* A transaction for each would cost more than the games. */
Test(bots, many_short_games_are_kept_in_few_transactions)
{
    scene s;
    told t;
    uint32_t commits = 0;
    scene_open(&s);
    sqlite3_commit_hook(s.store->db, count_commit, &commits);
    deja_bots_options o = bots("adder", &t);
    o.games = 3000;
    o.max_steps = 20;
    play(&s, &o);
    const uint64_t sessions = scene_sessions(&s, NULL);
    cr_assert_eq(sessions, 3000);
    cr_assert_geq(commits, 1);
    cr_assert_leq(commits, 30, "%u transactions", commits);
    scene_close(&s);
}

/* ---- commands from elsewhere ---- */

typedef struct source {
    told t;
    const unsigned char *bytes;
    uint64_t size, each, at, stop;
} source;

static bool give(void *user, deja_buffer *command)
{
    source *from = user;
    if (from->at == from->stop)
        return false;
    deja_buffer_add(command, from->bytes + from->at % from->size, from->each);
    from->at += from->each;
    return true;
}

/* add n=5 and n=-99, which is refused for want of gold. */
static const unsigned char some_commands[] = { 0, 0, 5, 0, 0, 0, 0, 0, 0x9d, 0xff, 0xff, 0xff };

static deja_bots_options input(source *from, uint64_t each, uint64_t stop)
{
    deja_bots_options options = bots("nobody", &from->t);
    from->bytes = some_commands;
    from->size = sizeof some_commands;
    from->each = each;
    from->at = 0;
    from->stop = stop;
    options.next = give;
    options.user = from;
    return options;
}

Test(bots, commands_may_come_from_elsewhere)
{
    scene s;
    source from;
    scene_open(&s);
    deja_bots_options o = input(&from, 6, 12);
    play(&s, &o);
    cr_assert_eq(from.t.count, 1);
    assert_commands(&s, &from.t.ids[0], "add n=5; add n=-99; ");
    held *h = scene_read(&s, &from.t.ids[0]);
    cr_assert_str_eq(h->made, "input");
    cr_assert_eq(h->ended, DEJA_ENDED_RUNNING);
    cr_assert(h->results[0] == 0 && h->results[1] == 1);
    free(h);
    scene_close(&s);
}

Test(bots, commands_from_elsewhere_have_to_be_the_games)
{
    scene s;
    source from;
    scene_open(&s);
    deja_bots_options o = input(&from, 5, 10); /* ends early */
    const deja_code code = deja_record_bots(s.store, s.plugin, &o, &s.err);
    scene_assert_failed(&s, code, DEJA_EFORMAT, "n: the bytes end here");
    scene_close(&s);
}
