/* SPDX-License-Identifier: MIT */
/*
 * Verdicts held against the truth: for every build in fixtures/rules that can be run beside its
 * base game, both play the same commands in this process, and what they answer is compared field by
 * field, without the replayer and without a hash. The first step at which they part must be the
 * verdict's.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "plugin/game.h"
#include "replay/replaying.h"
#include "support/scratch.h"

TestSuite(side_by_side, .timeout = 120);

/* One build being played. */
struct side {
    deja_plugin *plugin;
    deja__game *game;
    deja_match *state, *command, *event, *config; /* from the base's layouts to this one's */
    deja_buffer value, seen;
    uint32_t result;
};

/* How two builds came apart: the first step of each kind, or DEJA_STEP_NONE. */
struct parting {
    uint64_t state_or_result;
    uint64_t events;
    bool outcome;
    uint64_t steps;
};

static void side_open(struct side *side, const char *library, const deja_plugin *base)
{
    deja_error err = { 0 };
    memset(side, 0, sizeof *side);
    cr_assert_eq(deja_plugin_open(&side->plugin, library, &err), DEJA_OK, "%s", err.message);
    cr_assert_eq(deja__game_open(&side->game, side->plugin, &err), DEJA_OK, "%s", err.message);
    const deja_plugin *from = base ? base : side->plugin;
    deja_match **matches[] = { &side->state, &side->command, &side->event, &side->config };
    for (uint32_t type = 0; type < 4; type++)
        cr_assert_eq(deja_match_create(matches[type], deja_plugin_layout(from, type),
                                       deja_plugin_layout(side->plugin, type), &err),
                     DEJA_OK, "%s", err.message);
}

static void side_close(struct side *side)
{
    deja_match_destroy(side->state);
    deja_match_destroy(side->command);
    deja_match_destroy(side->event);
    deja_match_destroy(side->config);
    deja__game_close(side->game);
    deja_plugin_close(side->plugin);
    deja_buffer_release(&side->value);
    deja_buffer_release(&side->seen);
}

static const char *result_name(const struct side *side)
{
    return side->result ? deja_plugin_table(side->plugin)->refusals[side->result - 1] : "ok";
}

static const char *outcome_name(const struct side *side)
{
    uint32_t outcome = 0;
    cr_assert_eq(deja__game_outcome(side->game, &outcome, NULL), DEJA_OK);
    return outcome ? deja_plugin_table(side->plugin)->outcomes[outcome - 1] : "running";
}

/* The state as the base has it. */
static void see_state(struct side *side)
{
    deja_buffer_clear(&side->value);
    deja_buffer_clear(&side->seen);
    cr_assert_eq(deja__game_save(side->game, &side->value, NULL), DEJA_OK);
    if (deja_match_to_recorded(side->state, side->value.bytes, side->value.size, &side->seen,
                               NULL) != DEJA_OK)
        deja_buffer_text(&side->seen, "a value that the base cannot have");
}

/* The events as the base has them, but those of kinds that it does not know. */
static void see_events(struct side *side)
{
    deja_span bytes;
    const uint32_t *ends;
    const uint32_t count = deja__game_events(side->game, &bytes, &ends, NULL);
    deja_buffer_clear(&side->seen);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t from = i ? ends[i - 1] : 0;
        deja_match_to_recorded(side->event, (const unsigned char *)bytes.bytes + from,
                               ends[i] - from, &side->seen, NULL);
    }
}

static bool seen_equal(const struct side *a, const struct side *b)
{
    return a->seen.size == b->seen.size &&
           (a->seen.size == 0 || memcmp(a->seen.bytes, b->seen.bytes, a->seen.size) == 0);
}

static void side_start(struct side *side, const deja_session *session)
{
    uint32_t refusal = 0;
    deja_error err = { 0 };
    deja_buffer_clear(&side->value);
    cr_assert_eq(deja_match_to_present(side->config, session->config.bytes, session->config.size,
                                       deja_plugin_config_default(side->plugin), &side->value,
                                       &err),
                 DEJA_OK, "%s", err.message);
    const deja_span config = { side->value.bytes, side->value.size };
    cr_assert_eq(deja__game_start(side->game, config, session->seed, NULL, &refusal, &err), DEJA_OK,
                 "%s", err.message);
}

static void side_apply(struct side *side, deja_span command)
{
    deja_error err = { 0 };
    const deja_span none = { NULL, 0 };
    deja_buffer_clear(&side->value);
    cr_assert_eq(
        deja_match_to_present(side->command, command.bytes, command.size, none, &side->value, &err),
        DEJA_OK, "%s", err.message);
    const deja_span present = { side->value.bytes, side->value.size };
    cr_assert_eq(deja__game_apply(side->game, present, &side->result, &err), DEJA_OK, "%s",
                 err.message);
}

static void compare_step(struct side *a, struct side *b, uint64_t step, struct parting *parting)
{
    if (step > 0) {
        see_events(a);
        see_events(b);
        if (!seen_equal(a, b) && parting->events == DEJA_STEP_NONE)
            parting->events = step;
    }
    see_state(a);
    see_state(b);
    const bool differ = !seen_equal(a, b) || strcmp(result_name(a), result_name(b)) != 0;
    if (differ && parting->state_or_result == DEJA_STEP_NONE)
        parting->state_or_result = step;
}

static struct parting play_both(struct side *a, struct side *b, deja_reader *reader)
{
    struct parting parting = { DEJA_STEP_NONE, DEJA_STEP_NONE, false, 0 };
    const deja_session *session = deja_reader_session(reader);
    deja_steps steps;
    a->result = b->result = 0;
    side_start(a, session);
    side_start(b, session);
    compare_step(a, b, 0, &parting);
    while (deja_reader_next(reader, &steps, NULL) == DEJA_OK && steps.count) {
        for (uint32_t i = 0; i < steps.count; i++) {
            const uint32_t from = i ? steps.command_ends[i - 1] : 0;
            const deja_span command = { steps.commands + from, steps.command_ends[i] - from };
            side_apply(a, command);
            side_apply(b, command);
            compare_step(a, b, steps.first + i, &parting);
        }
    }
    parting.outcome = strcmp(outcome_name(a), outcome_name(b)) != 0;
    parting.steps = session->steps;
    return parting;
}

struct truth {
    struct parting *partings;
    uint64_t count;
    const char *library;
};

static bool hold_against(void *user, const deja_verdict *verdict)
{
    struct truth *truth = user;
    const struct parting *parting = &truth->partings[truth->count++];
    const char *why = verdict->why ? verdict->why : "";
    if (parting->state_or_result != DEJA_STEP_NONE) {
        cr_assert_eq(verdict->kind, DEJA_DIVERGED, "%s: session %" PRIu64 " is %s (%s)",
                     truth->library, truth->count, deja_verdict_name(verdict->kind), why);
        cr_assert_eq(verdict->step, parting->state_or_result,
                     "%s: session %" PRIu64 " at step %" PRIu64 ", in truth %" PRIu64,
                     truth->library, truth->count, verdict->step, parting->state_or_result);
    } else if (parting->events != DEJA_STEP_NONE) {
        cr_assert_eq(verdict->kind, DEJA_DIVERGED, "%s: events differ: %s", truth->library, why);
        cr_assert_leq(verdict->step, parting->events);
        cr_assert_geq(verdict->step_last, parting->events);
    } else if (parting->outcome) {
        cr_assert_eq(verdict->kind, DEJA_DIVERGED, "%s: outcome differs", truth->library);
        cr_assert_eq(verdict->step, parting->steps);
    } else {
        cr_assert_eq(verdict->kind, DEJA_MATCH, "%s: session %" PRIu64 " is %s at %" PRIu64 " (%s)",
                     truth->library, truth->count, deja_verdict_name(verdict->kind), verdict->step,
                     why);
    }
    return true;
}

static void hold(const char *base, const char *library, uint64_t games, const char *bots,
                 uint64_t max_steps)
{
    deja_store *opened = NULL;
    deja_error err = { 0 };
    struct side a, b;
    open_folder();
    scratch_record(store, base, bots, games, 1000, max_steps, 32);
    uint64_t count = 0;
    int64_t *keys = scratch_keys(store, &count);
    struct truth truth = { calloc(count, sizeof(struct parting)), 0, library };
    cr_assert_not_null(truth.partings);
    side_open(&a, base, NULL);
    side_open(&b, library, a.plugin);
    cr_assert_eq(deja_store_open(&opened, store, DEJA_STORE_READ, &err), DEJA_OK);
    for (uint64_t i = 0; i < count; i++) {
        deja_reader *reader = NULL;
        cr_assert_eq(deja_reader_open(&reader, opened, keys[i], 0, &err), DEJA_OK, "%s",
                     err.message);
        truth.partings[i] = play_both(&a, &b, reader);
        deja_reader_close(reader);
    }
    deja_store_close(opened, NULL);
    side_close(&a);
    side_close(&b);

    deja_verify_options options = DEJA_VERIFY_OPTIONS_INIT;
    deja_verify_summary summary;
    options.worker = WORKER;
    options.verdict = hold_against;
    options.user = &truth;
    const deja_code code = deja_verify(store, keys, count, library, &options, &summary, &err);
    cr_assert_eq(code, DEJA_OK, "%s", err.message);
    cr_assert_eq(truth.count, count);
    free(keys);
    free(truth.partings);
    close_folder();
}

Test(side_by_side, the_other_builds_of_matchgame)
{
    static const char *const builds[] = { GAMES("matchgame"), RULES("matchgame-older"),
                                          RULES("matchgame-rare"), RULES("matchgame-heals"),
                                          RULES("matchgame-added") };
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++)
        hold(GAMES("matchgame"), builds[i], 120, "random", 0);
}

Test(side_by_side, the_other_builds_of_peg)
{
    static const char *const builds[] = { GAMES("peg"), RULES("peg-older"), RULES("peg-rare"),
                                          RULES("peg-heals"), RULES("peg-added") };
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++)
        hold(GAMES("peg"), builds[i], 120, "random", 0);
}

Test(side_by_side, the_other_builds_of_the_ledger)
{
    static const char *const builds[] = { RULES("ledger"),         RULES("ledger-305"),
                                          RULES("ledger-last"),    RULES("ledger-events"),
                                          RULES("ledger-refusal"), RULES("ledger-outcome"),
                                          RULES("ledger-wider"),   RULES("ledger-trade") };
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++)
        hold(RULES("ledger"), builds[i], 20, "random", 400);
}

Test(side_by_side, the_other_builds_of_the_skirmish)
{
    static const char *const builds[] = { RULES("skirmish"), RULES("skirmish-older"),
                                          RULES("skirmish-order"), RULES("skirmish-added") };
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++) {
        hold(RULES("skirmish"), builds[i], 60, "random", 400);
        hold(RULES("skirmish"), builds[i], 30, "rush,hold", 400);
    }
}
