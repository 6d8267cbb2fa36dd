/* SPDX-License-Identifier: MIT */
#include "plugin/probe.h"

#include <stdlib.h>

enum { BAG = 4, TEXT = 16, LIST = 8 };

typedef struct probe {
    uint32_t at;
    uint32_t ended; /* not state: a breach is asked for once */
    unsigned char *bag;
} probe;

typedef struct command {
    uint32_t kind;
    uint8_t n;
    char text[TEXT];
    unsigned char *owned;
} command;

typedef struct total {
    uint32_t at;
} total;

typedef struct event {
    uint32_t kind;
    uint8_t n;
    total total;
    char text[TEXT];
    uint8_t list[LIST];
    uint32_t count;
} event;

typedef struct config {
    uint32_t first;
    uint8_t refuse;
} config;

enum { STEPPED, SAID, MANY };

static const char *const command_kinds[] = { "step", "say", "refused", "liar",  "noisy", "null",
                                             "long", "raw", "flood",   "stash", "over",  "odd" };
static const char *const event_kinds[] = { "stepped", "said", "many" };
static const char *const refusals[] = { "busy", "no_start" };
static const char *const outcomes[] = { "done" };

static int alive;
static deja_out *kept_out;

int probe_alive(void)
{
    return alive;
}

/* ---- descriptions ---- */

static void probe_fields(deja_fields *f, const void *value)
{
    const probe *game = value;
    deja_u32(f, "at", &game->at);
    deja_bytes(f, "bag", game->bag, BAG);
}

static void make_probe(void *value)
{
    probe *game = value;
    game->bag = calloc(1, BAG);
    alive++;
}

static void finish_probe(void *value)
{
    probe *game = value;
    free(game->bag);
    alive--;
}

static void command_fields(deja_fields *f, const void *value)
{
    const command *c = value;
    switch (deja_kind(f, &c->kind, command_kinds)) {
    case PROBE_STEP:
        deja_u8(f, "n", &c->n);
        break;
    case PROBE_SAY:
        deja_text(f, "text", c->text, TEXT);
        break;
    default:
        break;
    }
}

static void make_command(void *value)
{
    command *c = value;
    c->owned = malloc(1);
    alive++;
}

static void finish_command(void *value)
{
    command *c = value;
    free(c->owned);
    alive--;
}

static void total_fields(deja_fields *f, const total *value)
{
    deja_u32(f, "at", &value->at);
}

static void event_fields(deja_fields *f, const void *value)
{
    const event *e = value;
    switch (deja_kind(f, &e->kind, event_kinds)) {
    case STEPPED:
        deja_u8(f, "n", &e->n);
        deja_section(f, "total", &e->total, 0, total_fields);
        break;
    case SAID:
        deja_text(f, "text", e->text, TEXT);
        break;
    default:
        deja_list(f, "list", e->list, &e->count, LIST, deja_u8);
        break;
    }
}

static void config_fields(deja_fields *f, const void *value)
{
    const config *c = value;
    deja_u32(f, "first", &c->first);
    deja_u8(f, "refuse", &c->refuse);
}

/* ---- rules ---- */

static uint32_t start(void *state, const void *chosen, uint64_t seed, const deja_content *content)
{
    probe *game = state;
    const config *wanted = chosen;
    if (wanted->refuse == PROBE_WRONG_CONFIG)
        return 2;
    if (wanted->refuse)
        return wanted->refuse;
    game->at = wanted->first + (uint32_t)seed + (uint32_t)content->count;
    return 0;
}

static void emit_text(deja_out *out, const char *text)
{
    event said = { .kind = SAID };
    memcpy(said.text, text, strnlen(text, TEXT - 1));
    deja_emit(out, &said);
}

static uint32_t misbehave(probe *game, uint32_t kind, deja_out *out)
{
    event one = { .kind = MANY };
    switch (kind) {
    case PROBE_LIAR:
        return 7;
    case PROBE_NOISY:
        emit_text(out, "no");
        return 1;
    case PROBE_NULL:
        deja_emit(out, NULL);
        return 0;
    case PROBE_LONG:
        deja_emit(out, &one);
        one.count = LIST + 1;
        deja_emit(out, &one);
        deja_emit(out, &one);
        return 0;
    case PROBE_RAW:
        emit_text(out, "\xff\xfe");
        return 0;
    case PROBE_FLOOD:
        for (uint32_t i = 0; i < 1u << 21; i++)
            deja_emit(out, &one);
        return 0;
    case PROBE_STASH:
        kept_out = out;
        return 0;
    default:
        game->ended = kind == PROBE_OVER ? 1 : PROBE_ANSWER_9;
        return 0;
    }
}

void probe_emit_late(void)
{
    emit_text(kept_out, "late");
}

static uint32_t apply(void *state, const void *wanted, deja_out *out)
{
    probe *game = state;
    const command *c = wanted;
    if (c->kind == PROBE_REFUSED)
        return 1;
    if (c->kind > PROBE_REFUSED)
        return misbehave(game, c->kind, out);
    game->bag[game->at % BAG]++;
    game->at++;
    if (c->kind == PROBE_SAY)
        emit_text(out, c->text);
    for (uint8_t n = 0; c->kind == PROBE_STEP && n < c->n; n++) {
        const event stepped = { .kind = STEPPED, .n = n, .total = { game->at } };
        deja_emit(out, &stepped);
        deja_touch(out, game->bag, BAG);
    }
    return 0;
}

static void legal(const void *state, deja_out *out)
{
    const probe *game = state;
    command one = { .kind = PROBE_STEP };
    for (uint32_t n = 0; n < game->at % 8; n++) {
        one.n = (uint8_t)n;
        deja_emit(out, &one);
    }
}

static uint32_t outcome(const void *state)
{
    return ((const probe *)state)->ended;
}

/* ---- bots ---- */

static uint32_t pick_honest(const void *state, deja_luck *luck, void *chosen, void *memory)
{
    command *c = chosen;
    uint32_t *turns = memory;
    (void)state;
    if (c->n != 0 || !c->owned)
        return 5; /* it was promised a command that is zero, and made */
    c->kind = PROBE_STEP;
    c->n = (uint8_t)deja_luck_below(luck, 6);
    return ++*turns <= 3;
}

static uint32_t pick_liar(const void *state, deja_luck *luck, void *chosen, void *memory)
{
    (void)state;
    (void)luck;
    (void)chosen;
    (void)memory;
    return 2;
}

static uint32_t pick_raw(const void *state, deja_luck *luck, void *chosen, void *memory)
{
    command *c = chosen;
    (void)state;
    (void)luck;
    (void)memory;
    c->kind = PROBE_SAY;
    c->text[0] = (char)0xff;
    return 1;
}

static const deja_bot bots[] = {
    { "honest", pick_honest, sizeof(uint32_t) },
    { "liar", pick_liar, 0 },
    { "raw", pick_raw, 0 },
};

static const config defaults = { 10, 0 };

deja_rules_table probe_table(void)
{
    const deja_rules_table table = {
        DEJA_ABI,
        .id = "probe",
        .version = "1.0",
        .state = { sizeof(probe), probe_fields, make_probe, finish_probe },
        .command = { sizeof(command), command_fields, make_command, finish_command },
        .event = { sizeof(event), event_fields, NULL, NULL },
        .config = { sizeof(config), config_fields, NULL, NULL },
        .config_default = &defaults,
        .start = start,
        .apply = apply,
        .legal = legal,
        .outcome = outcome,
        .refusals = refusals,
        .refusal_count = 2,
        .outcomes = outcomes,
        .outcome_count = 1,
        .bots = bots,
        .bot_count = 3,
    };
    return table;
}
