/* SPDX-License-Identifier: MIT */
/*
 * Steps that are made on a copy, too, show while they are recorded what no replay will reach.
 */
#include <criterion/criterion.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/reports.h"

static scene s;
static reports r;
static deja_rules_table honest;
static uint32_t applied; /* how often any apply of here was called */

static void close_scene(void)
{
    scene_close(&s);
}

TestSuite(self_check, .fini = close_scene, .timeout = 60);

static uint32_t count_and_apply(void *state, const void *command, deja_out *out)
{
    applied++;
    return honest.apply(state, command, out);
}

/* Records a ledger with another apply, which finds the honest one in `honest`. */
static deja_recorder *record_with(uint32_t (*apply)(void *, const void *, deja_out *))
{
    deja_rules_table table = honest = ledger_table();
    table.apply = apply;
    scene_open_with(&s, table);
    reports_listen(&r, &s);
    s.options.self_check = 1;
    applied = 0;
    return scene_record(&s);
}

static void add(deja_recorder *recorder, uint32_t steps)
{
    for (uint32_t i = 0; i < steps; i++)
        cr_assert_eq(scene_step(&s, recorder, LEDGER_ADD, 1), 0);
}

/* ---- honest rules ---- */

static deja_id play_all_kinds(deja_recorder *recorder)
{
    for (uint32_t i = 0; i < 20; i++) {
        scene_step(&s, recorder, LEDGER_ROLL, 0);
        scene_step(&s, recorder, LEDGER_SAY, 0);
        cr_assert_eq(scene_step(&s, recorder, LEDGER_ADD, -100000), LEDGER_POOR);
        scene_step(&s, recorder, LEDGER_ADD, 3);
    }
    scene_step(&s, recorder, LEDGER_FINISH, 0);
    return scene_end(&s, recorder, "rich");
}

Test(self_check, finds_nothing_in_rules_that_keep_their_contract_and_changes_nothing)
{
    const deja_id checked = play_all_kinds(record_with(count_and_apply));
    cr_assert_eq(applied, 2 * 81);
    cr_assert_str_eq(r.text, "");
    const ledger_config config = { 10 };
    memset(&s.state, 0, sizeof s.state);
    cr_assert_eq(s.table.start(&s.state, &config, 7, NULL), 0);
    s.options.self_check = 0;
    const deja_id unchecked = play_all_kinds(scene_record(&s));
    cr_assert_eq(memcmp(&checked, &unchecked, sizeof checked), 0);
    deja_id last;
    cr_assert_eq(scene_sessions(&s, &last), 1);
}

/* ---- rules that do not ---- */

/* Adds what happens to stand in memory: here, how often it was called. */
static uint32_t aim(void *state, const void *command, deja_out *out)
{
    const uint32_t answer = count_and_apply(state, command, out);
    const ledger_command *given = command;
    ledger *game = state;
    if (given->kind == LEDGER_SAY)
        game->gold += applied;
    return answer;
}

#define BY_FIELDS " by the state's fields: on a copy "

Test(self_check, tells_from_which_step_on_a_session_is_not_reproducible) /* B57 */
{
    deja_recorder *recorder = record_with(aim);
    add(recorder, 11);
    cr_assert_eq(r.count, 0);
    scene_step(&s, recorder, LEDGER_SAY, 0);
    cr_assert_eq(r.count, 1, "told at once");
    add(recorder, 100000 - 13);
    scene_step(&s, recorder, LEDGER_SAY, 0);
    cr_assert_eq(applied, 100000 + 12, "no copies after the first difference");
    reports_assert(&r, &s, recorder,
                   "12 not reproducible from step 12" BY_FIELDS "gold is 45, not 44; ", 1);
}

/* Luck that is not in the state: every 14th call it has other numbers. */
static uint32_t reseed(void *state, const void *command, deja_out *out)
{
    ledger *game = state;
    const uint32_t answer = count_and_apply(state, command, out);
    if (applied % 14 == 0)
        deja_luck_seed(&game->luck, applied, 0);
    return answer;
}

Test(self_check, names_a_luck_that_is_not_in_the_state)
{
    deja_recorder *recorder = record_with(reseed);
    add(recorder, 9);
    cr_assert_eq(r.count, 1);
    cr_assert(strstr(r.text, "7 not reproducible from step 7" BY_FIELDS "luck is "), "%s", r.text);
    cr_assert_eq(deja_recorder_findings(recorder), 1);
    scene_end(&s, recorder, NULL);
}

static uint32_t tire(void *state, const void *command, deja_out *out)
{
    return ++applied >= 6 ? LEDGER_BUSY : honest.apply(state, command, out);
}

Test(self_check, names_the_answers_where_these_differ)
{
    deja_recorder *recorder = record_with(tire);
    add(recorder, 3);
    reports_assert(&r, &s, recorder,
                   "3 not reproducible from step 3" BY_FIELDS "apply answers 'busy', not 'ok'; ",
                   1);
}

static uint32_t waver(void *state, const void *command, deja_out *out)
{
    (void)state;
    (void)command;
    (void)out;
    return ++applied < 4 ? LEDGER_POOR : LEDGER_BUSY;
}

Test(self_check, sees_a_refusal_that_is_another_though_nothing_changes)
{
    deja_recorder *recorder = record_with(waver);
    for (uint32_t i = 0; i < 3; i++)
        scene_step(&s, recorder, LEDGER_ADD, 1);
    reports_assert(&r, &s, recorder,
                   "2 not reproducible from step 2" BY_FIELDS "apply answers 'busy', not 'poor'; ",
                   1);
}

static uint32_t mumble(void *state, const void *command, deja_out *out)
{
    const ledger_event said = { 1, 0, 0, "again" };
    const uint32_t answer = count_and_apply(state, command, out);
    if (applied == 4)
        deja_emit(out, &said);
    return answer;
}

Test(self_check, sees_events_that_differ_alone)
{
    deja_recorder *recorder = record_with(mumble);
    add(recorder, 3);
    reports_assert(&r, &s, recorder,
                   "2 not reproducible from step 2" BY_FIELDS "the events differ; ", 1);
}

static uint32_t swell(void *state, const void *command, deja_out *out)
{
    const uint32_t answer = count_and_apply(state, command, out);
    if (applied == 4)
        ((ledger *)state)->roll_count = 5;
    return answer;
}

Test(self_check, tells_of_a_contract_that_only_the_copy_breaks)
{
    deja_recorder *recorder = record_with(swell);
    add(recorder, 3);
    reports_assert(&r, &s, recorder,
                   "2 not reproducible from step 2" BY_FIELDS
                   "the rules break their contract: 'rolls' has 5 values, its most is 4; ",
                   1);
}

Test(self_check, leaves_the_game_alone_after_its_finding)
{
    deja_recorder *recorder = record_with(swell);
    add(recorder, 2);
    applied = 3; /* the next call is the fourth, and the game's */
    const ledger_command command = { LEDGER_ADD, 1, "" };
    const deja_code code = deja_recorder_step(recorder, &s.state, &command, NULL, NULL, &s.err);
    scene_assert_failed(&s, code, DEJA_ERULES, "the state: 'rolls' has 5 values, its most is 4");
    cr_assert_eq(r.count, 1);
    cr_assert_eq(deja_recorder_close(recorder, NULL, NULL, NULL), DEJA_ERULES);
}

/* ---- a game's own apply ---- */

static void step_myself(deja_recorder *recorder, uint32_t kind)
{
    const ledger_command command = { (uint16_t)kind, 1, "" };
    deja_out *out = NULL;
    cr_assert_eq(deja_recorder_begin(recorder, &command, NULL, &out, &s.err), DEJA_OK);
    const uint32_t result = s.table.apply(&s.state, &command, out);
    cr_assert_eq(deja_recorder_end(recorder, &s.state, result, &s.err), DEJA_OK);
}

Test(self_check, of_a_games_own_apply_goes_from_what_the_step_before_left)
{
    deja_recorder *recorder = record_with(aim);
    for (uint32_t i = 0; i < 4; i++)
        step_myself(recorder, LEDGER_ADD);
    step_myself(recorder, LEDGER_SAY);
    step_myself(recorder, LEDGER_SAY);
    reports_assert(&r, &s, recorder,
                   "5 not reproducible from step 5 by what step 4 left: on a copy gold is 24, "
                   "not 23; ",
                   1);
}

Test(self_check, of_a_games_own_apply_finds_what_was_changed_outside_of_it)
{
    deja_recorder *recorder = record_with(count_and_apply);
    step_myself(recorder, LEDGER_ROLL);
    step_myself(recorder, LEDGER_ADD);
    const int64_t gold = s.state.gold;
    s.state.gold += 100;
    step_myself(recorder, LEDGER_ADD);
    char expected[200];
    snprintf(expected, sizeof expected,
             "3 not reproducible from step 3 by what step 2 left: on a copy gold is %lld, not "
             "%lld; ",
             (long long)gold + 1, (long long)gold + 101);
    reports_assert(&r, &s, recorder, expected, 1);
}

/* ---- what it does not take for a difference ---- */

Test(self_check, takes_a_state_that_was_changed_outside_apply_as_it_is)
{
    deja_recorder *recorder = record_with(count_and_apply);
    add(recorder, 2);
    s.state.gold = 500;
    add(recorder, 2);
    reports_assert(&r, &s, recorder, "", 0);
}

Test(self_check, tells_its_finding_beside_those_of_watch)
{
    s.options.watch = 0;
    deja_recorder *recorder = record_with(aim);
    deja_recorder_close(recorder, NULL, NULL, NULL);
    memset(&r, 0, sizeof r);
    s.options.watch = 1;
    applied = 0;
    recorder = scene_record(&s);
    add(recorder, 2);
    s.state.gold = 20;
    scene_step(&s, recorder, LEDGER_SAY, 0);
    reports_assert(&r, &s, recorder,
                   "2 changed outside apply: gold 12 -> 20; "
                   "3 not reproducible from step 3" BY_FIELDS "gold is 26, not 25; ",
                   2);
}

/* Adds a half, rounded, and changes how it is rounded. */
static uint32_t round_and_turn(void *state, const void *command, deja_out *out)
{
    const volatile double half = 2.5;
    const uint32_t answer = count_and_apply(state, command, out);
    ((ledger *)state)->gold += (int64_t)nearbyint(half);
    fesetround(fegetround() == FE_UPWARD ? FE_TONEAREST : FE_UPWARD);
    return answer;
}

Test(self_check, rounds_as_the_step_did_and_leaves_that_as_the_step_left_it)
{
    deja_recorder *recorder = record_with(round_and_turn);
    add(recorder, 1);
    cr_assert_eq(fegetround(), FE_UPWARD);
    add(recorder, 1);
    cr_assert_eq(fegetround(), FE_TONEAREST);
    cr_assert_eq(s.state.gold, 10 + 2 + 2 + 3);
    cr_assert_eq(r.count, 0, "%s", r.text);
    scene_end(&s, recorder, NULL);
}

/* Changes it in every other call: in those of the game. */
static uint32_t turn_now_and_then(void *state, const void *command, deja_out *out)
{
    const uint32_t answer = count_and_apply(state, command, out);
    if (applied % 2)
        fesetround(FE_UPWARD);
    return answer;
}

Test(self_check, does_not_let_the_copy_decide_how_the_game_rounds)
{
    deja_recorder *recorder = record_with(turn_now_and_then);
    add(recorder, 1);
    cr_assert_eq(applied, 2);
    cr_assert_eq(fegetround(), FE_UPWARD);
    fesetround(FE_TONEAREST);
    scene_end(&s, recorder, NULL);
}

/* ---- options ---- */

Test(self_check, is_on_or_off)
{
    scene_open(&s);
    deja_recorder *recorder = NULL;
    s.options.self_check = 2;
    scene_assert_failed(
        &s, deja_recorder_open(&recorder, s.store, s.plugin, &s.state, &s.options, &s.err),
        DEJA_EMISUSE, "self_check is 0 or 1");
    deja_bots_options bots = DEJA_BOTS_OPTIONS_INIT;
    bots.self_check = 2;
    scene_assert_failed(&s, deja_record_bots(s.store, s.plugin, &bots, &s.err), DEJA_EMISUSE,
                        "self_check is 0 or 1, and reserved is 0");
}

/* ---- games by bots ---- */

Test(self_check, of_games_by_bots_begins_anew_in_each)
{
    deja_id id;
    deja_bots_options bots = DEJA_BOTS_OPTIONS_INIT;
    scene_end(&s, record_with(reseed), NULL);
    bots.bots = "adder";
    bots.games = 3;
    bots.max_steps = 10;
    bots.seed = 1;
    bots.self_check = 1;
    bots.report = reports_take;
    bots.user = &r;
    const deja_code code = deja_record_bots(s.store, s.plugin, &bots, &s.err);
    cr_assert_eq(code, DEJA_OK, "%s", s.err.message);
    cr_assert_eq(r.count, 3, "%s", r.text);
    scene_sessions(&s, &id);
    held *h = scene_read(&s, &id);
    cr_assert_not_null(strstr(r.text, h->marks), "'%s' is not in '%s'", h->marks, r.text);
    cr_assert_eq(strncmp(strchr(h->marks, ' '), " not reproducible from step ", 28), 0);
    free(h);
}
