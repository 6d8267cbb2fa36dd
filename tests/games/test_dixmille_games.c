/* SPDX-License-Identifier: MIT */
/*
 * Dix-mille played beside the original: its whole games and the facts of its flow, with the dice
 * that fell there, turn by turn, with every event, and with the bots in the strategies' seats.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

#include "games/dice.h"
#include "support/host.h"

TestSuite(dixmille_games, .timeout = 60);

/* A game of a file, as far as it has come. */
typedef struct table {
    const library *lib;
    char name[64], loaded[LOADED_MOST + 1];
    const deja_bot *bots[SEATS_MOST]; /* NULL for who answers as the file says */
    uint32_t players;
    void *state; /* NULL before the first turn */
    emitted told;
    uint32_t read;   /* events that were looked at */
    bool is_start;   /* the start throws without events */
    uint32_t thrown; /* dice so far */
    uint64_t turns;  /* that are over */
    uint32_t seat;
} table;

static dice now(const table *t)
{
    dice d;
    dice_read(t->lib, t->state, &d);
    return d;
}

/* The next event, which must be of this kind and of the player whose turn it is. */
static dice_event next_event(table *t, uint32_t kind)
{
    cr_assert(lt(u32, t->read, t->told.count), "%s, turn %u: no event of kind %u", t->name,
              (unsigned)t->turns, kind);
    const dice_event event = dice_told(t->lib, &t->told, t->read++);
    cr_assert(eq(u32, event.kind, kind), "%s, turn %u", t->name, (unsigned)t->turns);
    cr_assert(eq(u32, event.side, t->seat));
    return event;
}

/* Gives the command; who has a bot must have answered so by himself. */
static void give(table *t, uint32_t kind, uint32_t n)
{
    cr_assert(eq(u32, t->read, t->is_start ? 0 : t->told.count), "%s: an event too many", t->name);
    cr_assert(eq(u32, t->lib->rules->side(t->state), t->seat));
    cr_assert(eq(u64, t->lib->rules->turn(t->state), t->turns));
    const deja_bot *bot = t->bots[t->seat];
    if (bot) {
        deja_luck luck = { 1, 1, 0 };
        unsigned char wanted[8], got[8];
        void *command = dice_command(t->lib, kind, n), *own = host_create(&t->lib->rules->command);
        cr_assert(eq(u32, bot->pick(t->state, &luck, own, NULL), 1));
        const uint64_t size = host_save(&t->lib->rules->command, command, 0, wanted, 8);
        cr_assert(host_save(&t->lib->rules->command, own, 0, got, 8) == size &&
                      memcmp(wanted, got, size) == 0,
                  "%s, turn %u: %s has another answer", t->name, (unsigned)t->turns, bot->name);
        cr_assert(eq(u64, luck.draws, 0));
        host_destroy(&t->lib->rules->command, own);
        host_destroy(&t->lib->rules->command, command);
    }
    assert_text(dice_apply(t->lib, t->state, kind, n, &t->told), "ok");
    t->read = 0;
    t->is_start = false;
}

static void begin_game(table *t, const fact *f)
{
    snprintf(t->name, sizeof t->name, "%s", f->words[1]);
    t->players = f->count - 2;
    t->loaded[0] = '\0';
    t->thrown = t->seat = 0;
    t->turns = 0;
    for (uint32_t seat = 0; seat < t->players; seat++) {
        const char *strategy = f->words[2 + seat];
        const bool is_abnk = strcmp(strategy, "abnk") == 0, is_bwod = strcmp(strategy, "bwod") == 0;
        t->bots[seat] = is_abnk   ? library_bot(t->lib, "always_bank_never_keep")
                        : is_bwod ? library_bot(t->lib, "bank_when_one_dice")
                                  : NULL;
    }
}

static void look_at_turn(table *t, const fact *f)
{
    const char *result;
    if (!t->state) {
        t->state = dice_start(t->lib, t->players, t->loaded, 3, &result);
        assert_text(result, "ok");
        t->told.count = t->read = 0;
        t->is_start = true;
    } else {
        t->seat = (t->seat + 1) % t->players;
        t->turns++;
    }
    cr_assert(eq(u32, t->seat, (uint32_t)atoi(f->words[1])));
    if (strcmp(f->words[2], "-") == 0)
        return;
    const bool keeps = strcmp(f->words[2], "yes") == 0;
    cr_assert(eq(u32, now(t).phase, ASKS_KEEP));
    give(t, keeps ? KEEP : FRESH, 0);
    const dice d = now(t);
    if (keeps) {
        const dice_event kept = next_event(t, KEPT);
        cr_assert(eq(i64, kept.total, atoll(f->words[3])));
        cr_assert(eq(u32, kept.left, (uint32_t)atoi(f->words[4])));
    } else if (d.turn == t->turns) {
        cr_assert(eq(i64, d.running, 0));
        cr_assert(eq(u32, d.dice, 5));
    }
}

/* Without the plus signs. */
static void assert_sets(const char *faces, const char *joined)
{
    char plain[16] = "";
    for (size_t size = 0; *joined; joined++)
        if (*joined != '+')
            plain[size++] = *joined;
    assert_text(faces, plain);
}

static void look_at_throw(table *t, const fact *f)
{
    const uint32_t choices = (uint32_t)atoi(f->words[2]);
    t->thrown += (uint32_t)strlen(f->words[1]);
    if (!t->is_start)
        assert_text(next_event(t, ROLLED).faces, f->words[1]);
    if (choices == 0)
        return;
    dice d = now(t);
    assert_text(d.roll, f->words[1]);
    cr_assert(eq(u32, d.dice, (uint32_t)strlen(f->words[1])));
    cr_assert(eq(u32, d.thrown, t->thrown));
    cr_assert(eq(u64, d.luck.draws, 0));
    cr_assert(eq(u32, dice_legal(t->lib, t->state), choices));
    if (strcmp(f->words[0], "cheat") == 0) {
        assert_text(dice_apply(t->lib, t->state, PICK, choices, &t->told), "no_such_choice");
        return;
    }
    const uint32_t n = (uint32_t)atoi(f->words[3]);
    const int64_t running = atoll(f->words[5]);
    give(t, PICK, n);
    const dice_event picked = next_event(t, PICKED);
    cr_assert(eq(u32, picked.n, n));
    assert_sets(picked.faces, f->words[4]);
    cr_assert(eq(i64, picked.total, running));
    cr_assert(eq(i64, picked.points, running - d.running));
    d = now(t);
    cr_assert(eq(i64, d.running, running));
    cr_assert(eq(u32, d.dice, (uint32_t)atoi(f->words[6])));
    assert_text(d.roll, "");
    cr_assert(eq(u32, d.phase, ASKS_BANK));
    const bool banks = strcmp(f->words[7], "yes") == 0;
    give(t, banks ? BANK : ROLL, 0);
    if (banks)
        cr_assert(eq(i64, next_event(t, BANKED).points, running));
}

static void look_at_end_of_turn(table *t, const fact *f)
{
    const dice d = now(t);
    if (strcmp(f->words[1], "bust") == 0 && !t->is_start)
        next_event(t, BUSTED);
    if (strcmp(f->words[1], "bank") == 0)
        cr_assert(eq(i64, dice_told(t->lib, &t->told, 0).total, atoll(f->words[2 + t->seat])));
    for (uint32_t seat = 0; seat < t->players; seat++)
        cr_assert(eq(i64, d.banked[seat], atoll(f->words[2 + seat])), "%s, turn %u", t->name,
                  (unsigned)t->turns);
}

static void look_at_stop(table *t, const fact *f)
{
    const dice d = now(t);
    const bool is_won = strcmp(f->words[1], "won") == 0;
    const bool is_luck = strcmp(f->words[1], "dice_exhausted") == 0;
    cr_assert(eq(i64, d.running, atoll(f->words[2])), "%s", t->name);
    cr_assert(eq(u32, d.dice, (uint32_t)atoi(f->words[3])));
    cr_assert(eq(u32, d.side, (uint32_t)atoi(f->words[4])));
    cr_assert(eq(u32, d.thrown, is_luck ? (uint32_t)strlen(t->loaded) : t->thrown));
    cr_assert(eq(u64, d.luck.draws, is_luck ? t->thrown + 5 - d.thrown : 0), "%s", t->name);
    for (uint32_t seat = 0; seat < t->players; seat++)
        cr_assert(eq(i64, d.banked[seat], atoll(f->words[5 + seat])));
    if (is_won) {
        static const char *const outcomes[] = { "first_wins", "second_wins", "third_wins",
                                                "fourth_wins", "fifth_wins" };
        next_event(t, WON);
        assert_text(library_outcome(t->lib, t->state), outcomes[d.side]);
        cr_assert(eq(u32, d.phase, IS_OVER));
    } else {
        assert_text(library_outcome(t->lib, t->state), "running");
    }
    host_destroy(&t->lib->rules->state, t->state);
    t->state = NULL;
}

static uint32_t play_file(const char *name)
{
    static table t;
    library lib = library_open("games/dixmille");
    FILE *file = facts_open(name);
    uint32_t games = 0;
    fact f;
    t.lib = &lib;
    while (facts_next(file, &f)) {
        const char *word = f.words[0];
        if (strcmp(word, "game") == 0)
            begin_game(&t, &f);
        else if (strcmp(word, "dice") == 0)
            strcat(t.loaded, f.words[1]);
        else if (strcmp(word, "turn") == 0)
            look_at_turn(&t, &f);
        else if (strcmp(word, "throw") == 0 || strcmp(word, "cheat") == 0)
            look_at_throw(&t, &f);
        else if (strcmp(word, "done") == 0)
            look_at_end_of_turn(&t, &f);
        else {
            assert_text(word, "stop");
            look_at_stop(&t, &f);
            games++;
        }
    }
    fclose(file);
    library_close(&lib);
    return games;
}

Test(dixmille_games, flow_as_the_program_does_in_every_known_case)
{
    cr_assert(eq(u32, play_file("dixmille-flow.txt"), 16));
}

Test(dixmille_games, are_played_as_the_program_does_by_its_strategies_and_others)
{
    cr_assert(eq(u32, play_file("dixmille-games.txt"), 7));
}
