/* SPDX-License-Identifier: MIT */
/*
 * Dix-mille: who has exactly ten thousand points wins. Players throw five dice in turn, pick some
 * that score, and bank what they have run up or throw the rest on; a throw in which nothing scores
 * loses the run. The next player may go on with the run that was banked, and with its dice.
 *
 *   config   players:u8                     1 to 8, by default 2
 *            loaded:text[..4096]            faces 1 to 6 that are thrown first, before luck
 *   state    banked:i64[..8]                the points of each player
 *            running:i64 dice:u8            the run, and the dice it goes on with
 *            side:u8 phase:enum(keep|pick|bank|over)
 *            turn:u64                       how many turns are over
 *            roll:u8[..5]                   the throw to pick from, as it fell
 *            loaded:{thrown:u16 faces:text[..4096]}
 *            luck:rng
 *   command  kind(keep|fresh|pick{n:u8}|bank|roll)
 *   event    kind(rolled{side:u8 dice:u8[..5]}
 *            |busted{side:u8 lost:i64}
 *            |picked{side:u8 n:u8 dice:u8[..5] points:i64 running:i64}
 *            |banked{side:u8 points:i64 total:i64}
 *            |kept{side:u8 running:i64 dice:u8}|won{side:u8})
 *
 * Each phase asks a question. keep: go on with the run (`keep`) or begin anew (`fresh`)? pick:
 * which of the choices that the throw allows, counted from 0? bank: bank the run (`bank`) or throw
 * on (`roll`)? Where there is nothing to ask, the game throws by itself: at the start, after keep,
 * fresh and roll, and for the next player after a bust, who has no run to keep. So a command may
 * bring several throws, of several players. Those of the start are not told as events.
 *
 * Dice that are picked are out of the next throw; when all are, all five come back. What is banked
 * beyond the target comes back from it (dixmille_score.h), and banking leaves the run to the next
 * player, who may bank it once more with his own.
 *
 * Over is asked first, then whether it is this question that was asked (no_run_to_keep,
 * nothing_to_pick, nothing_picked), then whether there is this choice. Legal commands are listed
 * yes before no, and picks in the original's order.
 *
 * Players type a number to pick, else y or n; a command that was not asked for, which a refused one
 * may be, is its own word, as `bank` or `pick 3`.
 *
 * Bots, of which only the first draws from its luck:
 *   random                  any legal command, each as likely
 *   always_bank_never_keep  picks the most points, banks at once, and never keeps a run
 *   bank_when_one_dice      picks the most points, banks with one die left, and keeps runs that
 *                           have two or more
 * Both of the latter pick, before all else, the first choice that would win if it were banked alone
 * (the run is forgotten there), bank a run that wins, and neither keep nor bank one that would not
 * raise their points.
 *
 * A build that differs in one thing (fixtures/rules has some) sets DIXMILLE_VERSION or
 * DIXMILLE_APPLY and includes this file.
 */
#include "dixmille_people.h"

#ifndef DIXMILLE_VERSION
#define DIXMILLE_VERSION "1.0.0"
#endif
#ifndef DIXMILLE_APPLY
#define DIXMILLE_APPLY apply
#endif

/* ---- dice ---- */

/* Faces that were loaded come first. */
static uint8_t throw_die(dixmille *game, size_t loaded)
{
    if (game->loaded.thrown < loaded)
        return (uint8_t)(game->loaded.faces[game->loaded.thrown++] - '0');
    return (uint8_t)(deja_luck_below(&game->luck, FACES) + 1);
}

static void throw_dice(dixmille *game, deja_out *out)
{
    const size_t loaded = strlen(game->loaded.faces);
    game->roll_count = dice_of(game);
    for (uint32_t i = 0; i < game->roll_count; i++)
        game->roll[i] = throw_die(game, loaded);
    dixmille_event rolled = { .kind = ROLLED, .side = game->side, .dice_count = game->roll_count };
    memcpy(rolled.dice, game->roll, sizeof rolled.dice);
    deja_emit(out, &rolled);
}

/* ---- turns ---- */

static void begin_anew(dixmille *game)
{
    game->running = 0;
    game->dice = DICE;
}

static void pass_on(dixmille *game)
{
    const uint32_t next = side_of(game) + 1;
    game->side = (uint8_t)(next < game->player_count ? next : 0);
    game->turn++;
}

/* Throws until there is something to pick. Who has nothing loses the run, and so the next player is
 * not asked and throws at once. */
static void play_on(dixmille *game, deja_out *out)
{
    throw_dice(game, out);
    while (!scores(game->roll, game->roll_count)) {
        const dixmille_event busted = { .kind = BUSTED,
                                        .side = game->side,
                                        .points = game->running };
        deja_emit(out, &busted);
        begin_anew(game);
        pass_on(game);
        throw_dice(game, out);
    }
    game->phase = ASKED_PICK;
}

static uint32_t start(void *state, const void *config, uint64_t seed, const deja_content *content)
{
    const dixmille_config *wanted = config;
    dixmille *game = state;
    const size_t loaded = strlen(wanted->loaded);
    (void)content;
    if (wanted->players == 0)
        return NO_PLAYERS;
    if (wanted->players > PLAYERS_MAX)
        return TOO_MANY_PLAYERS;
    for (size_t i = 0; i < loaded; i++)
        if (wanted->loaded[i] < '1' || wanted->loaded[i] > '0' + FACES)
            return NOT_A_FACE;
    game->player_count = wanted->players;
    memcpy(game->loaded.faces, wanted->loaded, loaded);
    deja_luck_seed(&game->luck, seed, 0);
    begin_anew(game);
    play_on(game, NULL);
    return ACCEPTED;
}

/* ---- commands ---- */

static uint32_t check(const void *state, const void *command)
{
    static const uint8_t refused_as[] = { NO_RUN_TO_KEEP, NO_RUN_TO_KEEP, NOTHING_TO_PICK,
                                          NOTHING_PICKED, NOTHING_PICKED };
    const dixmille *game = state;
    const dixmille_command *asked = command;
    if (game->phase == FINISHED)
        return OVER;
    if (!is_asked(game, asked->kind))
        return refused_as[asked->kind % (ROLL + 1)];
    if (asked->kind == PICK && asked->n >= choices_of(game).count)
        return NO_SUCH_CHOICE;
    return ACCEPTED;
}

static void pick(dixmille *game, uint8_t n, deja_out *out)
{
    const choices found = choices_of(game);
    const choice *c = &found.items[n];
    dixmille_event picked = { .kind = PICKED, .side = game->side, .n = n, .points = c->points };
    for (uint32_t i = 0; i < c->set_count; i++) {
        const set s = sets[c->sets[i]];
        memset(picked.dice + picked.dice_count, s.face, s.dice);
        picked.dice_count += s.dice;
    }
    const uint32_t left = game->roll_count - c->dice;
    game->dice = (uint8_t)(left ? left : DICE);
    game->running = plain_sum(game->running, c->points);
    game->roll_count = 0;
    game->phase = ASKED_BANK;
    picked.total = game->running;
    deja_emit(out, &picked);
}

/* The run stays, for the next player to keep; and the winner is the one whose turn it is. */
static void bank(dixmille *game, deja_out *out)
{
    const int64_t total = add_points(banked_by(game, 0), game->running);
    const dixmille_event banked = {
        .kind = BANKED, .side = game->side, .points = game->running, .total = total
    };
    const dixmille_event won = { .kind = WON, .side = game->side };
    deja_emit(out, &banked);
    if (game->player_count)
        game->banked[side_of(game)] = total;
    if (total == TARGET) {
        game->phase = FINISHED;
        deja_emit(out, &won);
    } else {
        game->phase = ASKED_KEEP;
        pass_on(game);
    }
}

static uint32_t apply(void *state, const void *command, deja_out *out)
{
    dixmille *game = state;
    const dixmille_command *asked = command;
    const uint32_t refusal = check(state, command);
    if (refusal)
        return refusal;
    if (asked->kind == PICK) {
        pick(game, asked->n, out);
    } else if (asked->kind == BANK) {
        bank(game, out);
    } else {
        const dixmille_event kept = {
            .kind = KEPT, .side = game->side, .left = game->dice, .total = game->running
        };
        if (asked->kind == KEEP)
            deja_emit(out, &kept);
        if (asked->kind == FRESH)
            begin_anew(game);
        play_on(game, out);
    }
    return ACCEPTED;
}

/* How many commands are legal; the one at each place is command_at(). */
static uint32_t legal_count(const dixmille *game)
{
    if (game->phase == ASKED_PICK)
        return choices_of(game).count;
    return game->phase == FINISHED ? 0 : 2;
}

static dixmille_command command_at(const dixmille *game, uint32_t place)
{
    const uint32_t first = game->phase == ASKED_KEEP ? KEEP : BANK;
    if (game->phase == ASKED_PICK)
        return (dixmille_command){ PICK, (uint8_t)place };
    return (dixmille_command){ (uint16_t)(first + place), 0 };
}

static void legal(const void *state, deja_out *out)
{
    const uint32_t count = legal_count(state);
    for (uint32_t place = 0; place < count; place++) {
        const dixmille_command command = command_at(state, place);
        deja_emit(out, &command);
    }
}

static uint32_t outcome(const void *state)
{
    const dixmille *game = state;
    return game->phase == FINISHED ? side_of(game) + 1 : 0;
}

static uint32_t side(const void *state)
{
    return side_of(state);
}

static uint64_t turn(const void *state)
{
    const dixmille *game = state;
    return game->turn;
}

/* ---- bots ---- */

static uint32_t pick_random(const void *state, deja_luck *luck, void *command, void *memory)
{
    dixmille_command *asked = command;
    const uint32_t count = legal_count(state);
    (void)memory;
    if (count != 0)
        *asked = command_at(state, deja_luck_below(luck, count));
    return count != 0;
}

/* The first choice that wins by itself, whatever the run: the original leaves that out. Else the
 * first of those with the most points. */
static uint8_t best_choice(const dixmille *game)
{
    const choices found = choices_of(game);
    uint32_t best = 0;
    for (uint32_t n = 0; n < found.count; n++)
        if (add_points(banked_by(game, 0), found.items[n].points) == TARGET)
            return (uint8_t)n;
    for (uint32_t n = 1; n < found.count; n++)
        if (found.items[n].points > found.items[best].points)
            best = n;
    return (uint8_t)best;
}

/* Whether banking the run would win or, as long as it raises the points, the bot wants to. */
static bool wants_to_bank(const dixmille *game, bool wants)
{
    const int64_t total = add_points(banked_by(game, 0), game->running);
    return total > banked_by(game, 0) && (total == TARGET || wants);
}

static bool wants_to_keep(const dixmille *game, bool wants)
{
    return add_points(banked_by(game, 0), game->running) > banked_by(game, 0) && wants;
}

static uint32_t answer(const dixmille *game, bool banks, bool keeps, dixmille_command *asked)
{
    if (legal_count(game) == 0)
        return 0;
    if (game->phase == ASKED_PICK)
        *asked = (dixmille_command){ PICK, best_choice(game) };
    else if (game->phase == ASKED_BANK)
        asked->kind = wants_to_bank(game, banks) ? BANK : ROLL;
    else
        asked->kind = wants_to_keep(game, keeps) ? KEEP : FRESH;
    return 1;
}

static uint32_t pick_always_bank(const void *state, deja_luck *luck, void *command, void *memory)
{
    (void)luck;
    (void)memory;
    return answer(state, true, false, command);
}

static uint32_t pick_one_dice(const void *state, deja_luck *luck, void *command, void *memory)
{
    const dixmille *game = state;
    (void)luck;
    (void)memory;
    return answer(game, game->dice == 1, game->dice > 1, command);
}

static const deja_bot bots[] = {
    { "random", pick_random, 0 },
    { "always_bank_never_keep", pick_always_bank, 0 },
    { "bank_when_one_dice", pick_one_dice, 0 },
};

static const dixmille_config defaults = { 2, "" };

/* clang-format off */
DEJA_RULES = {
    DEJA_ABI,
    .id = "dixmille",
    .version = DIXMILLE_VERSION,
    .state = { sizeof(dixmille), state_fields, NULL, NULL },
    .command = { sizeof(dixmille_command), command_fields, NULL, NULL },
    .event = { sizeof(dixmille_event), event_fields, NULL, NULL },
    .config = { sizeof(dixmille_config), config_fields, NULL, NULL },
    .config_default = &defaults,
    .start = start,
    .apply = DIXMILLE_APPLY,
    .check = check,
    .legal = legal,
    .outcome = outcome,
    .side = side,
    .turn = turn,
    .draw = draw,
    .write_notation = write_notation,
    .read_notation = read_notation,
    .refusals = refusals,
    .refusal_count = sizeof refusals / sizeof *refusals,
    .outcomes = outcomes,
    .outcome_count = sizeof outcomes / sizeof *outcomes,
    .bots = bots,
    .bot_count = sizeof bots / sizeof *bots,
    .kind = DEJA_TURNS,
    .seat_count = 0,
};
/* clang-format on */
