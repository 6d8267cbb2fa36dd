/* SPDX-License-Identifier: MIT */
#include "record/ledger.h"

#include <string.h>

static const char *const command_names[] = { "add",  "roll",  "say", "finish",
                                             "liar", "noisy", "raw", "swollen" };
static const char *const event_names[] = { "gained", "said" };
static const char *const refusals[] = { "poor", "busy", "over" };
static const char *const outcomes[] = { "rich", "poor_end" };
static const ledger_config config_default = { 0 };

static void state_fields(deja_fields *f, const void *value)
{
    const ledger *state = value;
    deja_i64(f, "gold", &state->gold);
    deja_u8(f, "side", &state->side);
    deja_bool(f, "over", &state->over);
    deja_list(f, "rolls", state->rolls, &state->roll_count, 4, deja_u8);
    deja_rng(f, "luck", &state->luck);
}

static void command_fields(deja_fields *f, const void *value)
{
    const ledger_command *command = value;
    switch (deja_kind(f, &command->kind, command_names)) {
    case LEDGER_ADD:
        deja_i32(f, "n", &command->n);
        break;
    case LEDGER_SAY:
        deja_text(f, "text", command->text, sizeof command->text);
        break;
    default:
        break;
    }
}

static void gold_fields(deja_fields *f, const int64_t *gold)
{
    deja_i64(f, "gold", gold);
}

static void event_fields(deja_fields *f, const void *value)
{
    const ledger_event *event = value;
    if (deja_kind(f, &event->kind, event_names) == 0) {
        deja_i32(f, "n", &event->n);
        deja_section(f, "all", &event->gold, 0, gold_fields);
    } else {
        deja_text(f, "text", event->text, sizeof event->text);
    }
}

static void config_fields(deja_fields *f, const void *value)
{
    const ledger_config *config = value;
    deja_i64(f, "gold", &config->gold);
}

static uint32_t start(void *state, const void *config, uint64_t seed, const deja_content *content)
{
    const ledger_config *wanted = config;
    const deja_content_pack *gift = deja_content_find(content, "gift");
    ledger *game = state;
    if (wanted->gold < 0)
        return LEDGER_POOR;
    game->gold = wanted->gold + (gift && gift->size ? *(const uint8_t *)gift->bytes : 0);
    deja_luck_seed(&game->luck, seed, 0);
    return 0;
}

static void gain(ledger *game, int32_t n, deja_out *out)
{
    ledger_event event = { 0, n, 0, "" };
    game->gold += n;
    event.gold = game->gold;
    deja_emit(out, &event);
    deja_touch(out, &game->gold, sizeof game->gold);
}

static void say(const char *text, deja_out *out)
{
    ledger_event event = { 1, 0, 0, "" };
    strcpy(event.text, text);
    deja_emit(out, &event);
}

static uint32_t roll(ledger *game, deja_out *out)
{
    const uint8_t rolled = (uint8_t)deja_luck_below(&game->luck, 10);
    if (game->roll_count < 4)
        game->rolls[game->roll_count++] = rolled;
    gain(game, rolled, out);
    return 0;
}

static uint32_t act(ledger *game, const ledger_command *command, deja_out *out)
{
    switch (command->kind) {
    case LEDGER_ADD:
        if (game->gold + command->n < 0)
            return LEDGER_POOR;
        gain(game, command->n, out);
        return 0;
    case LEDGER_ROLL:
        return roll(game, out);
    case LEDGER_SAY:
        say(command->text, out);
        return 0;
    case LEDGER_FINISH:
        game->over = true;
        return 0;
    case LEDGER_LIAR:
        return 9;
    case LEDGER_NOISY:
        say("busy", out);
        return LEDGER_BUSY;
    case LEDGER_RAW:
        say("\xff", out);
        return 0;
    default:
        game->roll_count = 5;
        return 0;
    }
}

static uint32_t apply(void *state, const void *command, deja_out *out)
{
    ledger *game = state;
    if (game->over)
        return LEDGER_OVER;
    const uint32_t result = act(game, command, out);
    if (result == 0)
        game->side ^= 1;
    return result;
}

static void legal(const void *state, deja_out *out)
{
    const ledger *game = state;
    ledger_command command = { LEDGER_ADD, 1, "" };
    if (game->over)
        return;
    deja_emit(out, &command);
    command.kind = LEDGER_ROLL;
    deja_emit(out, &command);
    command.kind = LEDGER_FINISH;
    if (game->gold > 20)
        deja_emit(out, &command);
}

static uint32_t outcome(const void *state)
{
    const ledger *game = state;
    return !game->over ? 0 : game->gold > 10 ? 1 : 2;
}

static uint32_t side(const void *state)
{
    return ((const ledger *)state)->side;
}

/* ---- bots ---- */

static uint32_t adder(const void *state, deja_luck *luck, void *command, void *memory)
{
    ledger_command *chosen = command;
    (void)state;
    (void)luck;
    (void)memory;
    chosen->kind = LEDGER_ADD;
    chosen->n = chosen->n + 1; /* it is handed over zeroed */
    return 1;
}

static uint32_t miser(const void *state, deja_luck *luck, void *command, void *memory)
{
    const ledger *game = state;
    ledger_command *chosen = command;
    (void)luck;
    (void)memory;
    chosen->kind = LEDGER_ADD;
    chosen->n = (int32_t)-game->gold - 1;
    return 1;
}

static uint32_t counter(const void *state, deja_luck *luck, void *command, void *memory)
{
    uint32_t *asked = memory;
    ledger_command *chosen = command;
    (void)state;
    (void)luck;
    chosen->kind = LEDGER_ADD;
    chosen->n = (int32_t)++ * asked;
    return 1;
}

static uint32_t quitter(const void *state, deja_luck *luck, void *command, void *memory)
{
    adder(state, luck, command, memory);
    return ((const ledger *)state)->gold < 3;
}

static uint32_t gambler(const void *state, deja_luck *luck, void *command, void *memory)
{
    ledger_command *chosen = command;
    (void)state;
    (void)memory;
    chosen->kind = LEDGER_ADD;
    chosen->n = (int32_t)deja_luck_below(luck, 100);
    return 1;
}

static uint32_t talker(const void *state, deja_luck *luck, void *command, void *memory)
{
    ledger_command *chosen = command;
    (void)state;
    (void)luck;
    (void)memory;
    chosen->kind = LEDGER_SAY;
    memset(chosen->text, 'x', sizeof chosen->text);
    return 1;
}

static const deja_bot bots[] = {
    { "adder", adder, 0 },     { "miser", miser, 0 },     { "counter", counter, sizeof(uint32_t) },
    { "quitter", quitter, 0 }, { "gambler", gambler, 0 }, { "talker", talker, 0 },
};

deja_rules_table ledger_table(void)
{
    const deja_rules_table table = {
        DEJA_ABI,
        .id = "ledger",
        .version = "1.0.0",
        .state = { sizeof(ledger), state_fields, NULL, NULL },
        .command = { sizeof(ledger_command), command_fields, NULL, NULL },
        .event = { sizeof(ledger_event), event_fields, NULL, NULL },
        .config = { sizeof(ledger_config), config_fields, NULL, NULL },
        .config_default = &config_default,
        .start = start,
        .apply = apply,
        .legal = legal,
        .outcome = outcome,
        .side = side,
        .refusals = refusals,
        .refusal_count = 3,
        .outcomes = outcomes,
        .outcome_count = 2,
        .bots = bots,
        .bot_count = 6,
    };
    return table;
}

deja_rules_table ledger_table_without_legal(void)
{
    deja_rules_table table = ledger_table();
    table.legal = NULL;
    return table;
}
