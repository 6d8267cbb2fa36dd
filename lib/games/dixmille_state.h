/* SPDX-License-Identifier: MIT */
/*
 * Dix-mille's state, commands and events, and their descriptions. A part of dixmille.c.
 */
#ifndef DEJA_GAMES_DIXMILLE_STATE_H
#define DEJA_GAMES_DIXMILLE_STATE_H

#include "dixmille_score.h"

enum { PLAYERS_MAX = 8, LOADED_MAX = 4096 };

/* Which question the player has to answer. */
enum { ASKED_KEEP = 0, ASKED_PICK, ASKED_BANK, FINISHED };

typedef struct loaded_dice {
    uint16_t thrown; /* so many of them */
    char faces[LOADED_MAX + 1];
} loaded_dice;

typedef struct dixmille {
    int64_t banked[PLAYERS_MAX];
    uint32_t player_count;
    int64_t running;
    uint8_t dice; /* to throw next; while a throw is picked from, those in it */
    uint8_t side; /* whose turn it is; in the end the winner */
    uint8_t phase;
    uint64_t turn;      /* turns that are over */
    uint8_t roll[DICE]; /* as they fell; none but while it is to be picked from */
    uint32_t roll_count;
    loaded_dice loaded;
    deja_luck luck;
} dixmille;

typedef struct dixmille_config {
    uint8_t players;
    char loaded[LOADED_MAX + 1];
} dixmille_config;

typedef struct dixmille_command {
    uint16_t kind;
    uint8_t n; /* of pick */
} dixmille_command;

typedef struct dixmille_event {
    uint16_t kind;
    uint8_t side;
    uint8_t n;          /* of picked: the choice */
    uint8_t left;       /* of kept: dice to throw */
    uint8_t dice[DICE]; /* of rolled and picked: their faces */
    uint32_t dice_count;
    int64_t points;
    int64_t total;
} dixmille_event;

enum { KEEP = 0, FRESH, PICK, BANK, ROLL };
enum { ROLLED = 0, BUSTED, PICKED, BANKED, KEPT, WON };
enum {
    ACCEPTED = 0,
    OVER,
    NO_RUN_TO_KEEP,
    NOTHING_TO_PICK,
    NOTHING_PICKED,
    NO_SUCH_CHOICE,
    NO_PLAYERS,
    TOO_MANY_PLAYERS,
    NOT_A_FACE
};

static const char *const phases[] = { "keep", "pick", "bank", "over" };
static const char *const command_kinds[] = { "keep", "fresh", "pick", "bank", "roll" };
static const char *const event_kinds[] = { "rolled", "busted", "picked", "banked", "kept", "won" };
static const char *const refusals[] = {
    "over",           "no_run_to_keep", "nothing_to_pick",  "nothing_picked",
    "no_such_choice", "no_players",     "too_many_players", "not_a_face"
};
static const char *const outcomes[] = {
    "first_wins", "second_wins", "third_wins",   "fourth_wins",
    "fifth_wins", "sixth_wins",  "seventh_wins", "eighth_wins"
};

/* ---- descriptions ---- */

static void loaded_fields(deja_fields *f, const loaded_dice *loaded)
{
    deja_u16(f, "thrown", &loaded->thrown);
    deja_text(f, "faces", loaded->faces, sizeof loaded->faces);
}

static void state_fields(deja_fields *f, const void *value)
{
    const dixmille *game = value;
    deja_list(f, "banked", game->banked, &game->player_count, PLAYERS_MAX, deja_i64);
    deja_i64(f, "running", &game->running);
    deja_u8(f, "dice", &game->dice);
    deja_u8(f, "side", &game->side);
    deja_enum(f, "phase", &game->phase, phases);
    deja_u64(f, "turn", &game->turn);
    deja_list(f, "roll", game->roll, &game->roll_count, DICE, deja_u8);
    deja_struct(f, "loaded", &game->loaded, loaded_fields);
    deja_rng(f, "luck", &game->luck);
}

static void config_fields(deja_fields *f, const void *value)
{
    const dixmille_config *config = value;
    deja_u8(f, "players", &config->players);
    deja_text(f, "loaded", config->loaded, sizeof config->loaded);
}

static void command_fields(deja_fields *f, const void *value)
{
    const dixmille_command *command = value;
    if (deja_kind(f, &command->kind, command_kinds) == PICK)
        deja_u8(f, "n", &command->n);
}

/* What each kind of event carries. */
static void event_data(deja_fields *f, const dixmille_event *event, uint32_t kind)
{
    deja_u8(f, "side", &event->side);
    switch (kind) {
    case ROLLED:
        deja_list(f, "dice", event->dice, &event->dice_count, DICE, deja_u8);
        break;
    case BUSTED:
        deja_i64(f, "lost", &event->points);
        break;
    case PICKED:
        deja_u8(f, "n", &event->n);
        deja_list(f, "dice", event->dice, &event->dice_count, DICE, deja_u8);
        deja_i64(f, "points", &event->points);
        deja_i64(f, "running", &event->total);
        break;
    case BANKED:
        deja_i64(f, "points", &event->points);
        deja_i64(f, "total", &event->total);
        break;
    case KEPT:
        deja_i64(f, "running", &event->total);
        deja_u8(f, "dice", &event->left);
        break;
    default:
        break;
    }
}

static void event_fields(deja_fields *f, const void *value)
{
    const dixmille_event *event = value;
    event_data(f, event, deja_kind(f, &event->kind, event_kinds));
}

/* ---- a state that was loaded may say anything ---- */

static uint32_t side_of(const dixmille *game)
{
    return game->side < game->player_count ? game->side : 0;
}

static uint32_t dice_of(const dixmille *game)
{
    return game->dice < DICE ? game->dice : DICE;
}

/* The points of the player who comes so many places behind the one whose turn it is. */
static int64_t banked_by(const dixmille *game, uint32_t places)
{
    return game->player_count ? game->banked[(side_of(game) + places) % game->player_count] : 0;
}

/* ---- the choices ---- */

static choices choices_of(const dixmille *game)
{
    return find_choices(game->roll, game->phase == ASKED_PICK ? game->roll_count : 0);
}

#endif
