/* SPDX-License-Identifier: MIT */
/*
 * Dix-mille for people and bots: the dialogue of the original, what is typed, who answers how; and
 * states that no game comes to.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

#include "games/dice.h"
#include "support/host.h"

TestSuite(dixmille_people, .timeout = 60);

/* ---- the dialogue ---- */

static void assert_drawing(const library *lib, const void *state, const char *expected)
{
    static written page;
    assert_text(written_drawing(&page, lib, state), expected);
}

/* The original's players are called you and other there; and its dice run out where luck begins. */
Test(dixmille_people, are_asked_as_the_program_asks)
{
    library lib = library_open("games/dixmille");
    const char *result;
    void *state = dice_start(&lib, 2, "1155212346", 3, &result);
    assert_drawing(&lib, state,
                   "GAME:\n Dice: 5\nRunning points: 0\nYou:first (0)\nOthers:second (0)\n\n"
                   "CHOICES:\n  0 : ⚀(100) (100)\n  1 : ⚀(100)·⚀(100) (200)\n"
                   "  2 : ⚀(100)·⚀(100)·⚄(50) (250)\n  3 : ⚀(100)·⚀(100)·⚄(50)·⚄(50) (300)\n"
                   "  4 : ⚀(100)·⚄(50) (150)\n  5 : ⚀(100)·⚄(50)·⚄(50) (200)\n"
                   "  6 : ⚄(50) (50)\n  7 : ⚄(50)·⚄(50) (100)\n\nWhat is your choice?\n");
    assert_text(dice_apply(&lib, state, PICK, 1, NULL), "ok");
    assert_drawing(&lib, state,
                   "GAME:\n Dice: 3\nRunning points: 200\nYou:first (0)\nOthers:second (0)\n\n"
                   "Do you want to bank your points? [y/n]\n");
    assert_text(dice_apply(&lib, state, ROLL, 0, NULL), "ok");
    assert_drawing(&lib, state,
                   "GAME:\n Dice: 3\nRunning points: 200\nYou:first (0)\nOthers:second (0)\n\n"
                   "CHOICES:\n  0 : ⚀(100) (100)\n\nWhat is your choice?\n");
    host_destroy(&lib.rules->state, state);

    state = dice_start(&lib, 1, "12346", 3, &result);
    assert_drawing(&lib, state,
                   "GAME:\n Dice: 5\nRunning points: 0\nYou:first (0)\nOthers:\n\n"
                   "CHOICES:\n  0 : ⚀(100) (100)\n\nWhat is your choice?\n");
    host_destroy(&lib.rules->state, state);
    library_close(&lib);
}

Test(dixmille_people, see_whose_turn_it_is_and_in_the_end_the_points)
{
    library lib = library_open("games/dixmille");
    dice d = { .players = 3, .banked = { 50, -400, 9900 }, .running = 100, .dice = 5, .side = 1 };
    void *state = dice_state(&lib, &d);
    assert_drawing(&lib, state,
                   "GAME:\n Dice: 5\nRunning points: 100\nYou:second (-400)\n"
                   "Others:third (9900) - first (50)\n\n"
                   "Do you want to keep the previous player's run? [y/n]\n");
    d.side = 2;
    d.phase = ASKS_BANK;
    dice_write(&lib, state, &d);
    assert_text(dice_apply(&lib, state, BANK, 0, NULL), "ok");
    assert_drawing(&lib, state, "third: 10000\nfirst: 50\nsecond: -400\n");
    d.phase = ASKS_PICK;
    snprintf(d.roll, sizeof d.roll, "55555");
    dice_write(&lib, state, &d);
    static written page;
    cr_assert(strstr(written_drawing(&page, &lib, state), "  5 : ⚄(50)·⚄(50)·⚄⚄⚄(500) (600)\n") !=
              NULL);
    host_destroy(&lib.rules->state, state);
    library_close(&lib);
}

/* ---- what is typed ---- */

static void *state_in(const library *lib, uint32_t phase)
{
    const dice d = { .players = 2, .running = 300, .dice = 3, .phase = phase, .roll = "145" };
    return dice_state(lib, &d);
}

static void assert_written(const library *lib, uint32_t phase, uint32_t kind, uint32_t n,
                           const char *expected)
{
    static written page;
    unsigned char asked[4], got[4];
    void *state = state_in(lib, phase), *command = dice_command(lib, kind, n);
    void *read = host_create(&lib->rules->command);
    assert_text(written_command(&page, lib, state, command), expected);
    cr_assert(eq(u32, lib->rules->read_notation(state, expected, read), 1), "'%s'", expected);
    const uint64_t size = host_save(&lib->rules->command, command, 0, asked, sizeof asked);
    cr_assert(host_save(&lib->rules->command, read, 0, got, sizeof got) == size &&
                  memcmp(asked, got, size) == 0,
              "'%s'", expected);
    host_destroy(&lib->rules->command, read);
    host_destroy(&lib->rules->command, command);
    host_destroy(&lib->rules->state, state);
}

Test(dixmille_people, read_every_command_that_is_written)
{
    static const char *const words[] = { "keep", "fresh", NULL, "bank", "roll" };
    library lib = library_open("games/dixmille");
    for (uint32_t phase = ASKS_KEEP; phase <= IS_OVER; phase++) {
        for (uint32_t n = 0; n < 256; n++) {
            char text[16];
            snprintf(text, sizeof text, phase == ASKS_PICK ? "%u" : "pick %u", n);
            assert_written(&lib, phase, PICK, n, text);
        }
        assert_written(&lib, phase, KEEP, 0, phase == ASKS_KEEP ? "y" : words[KEEP]);
        assert_written(&lib, phase, FRESH, 0, phase == ASKS_KEEP ? "n" : words[FRESH]);
        assert_written(&lib, phase, BANK, 0, phase == ASKS_BANK ? "y" : words[BANK]);
        assert_written(&lib, phase, ROLL, 0, phase == ASKS_BANK ? "n" : words[ROLL]);
    }
    library_close(&lib);
}

static void assert_read(const library *lib, uint32_t phase, const char *text, const char *expected)
{
    static written page;
    void *state = state_in(lib, phase), *command = dice_command(lib, PICK, 77);
    const uint32_t read = lib->rules->read_notation(state, text, command);
    cr_assert(read == (expected ? 1 : 0), "'%s'", text);
    host_destroy(&lib->rules->state, state);
    state = state_in(lib, IS_OVER); /* where each is its own word */
    assert_text(written_command(&page, lib, state, command), expected ? expected : "pick 77");
    host_destroy(&lib->rules->command, command);
    host_destroy(&lib->rules->state, state);
}

Test(dixmille_people, may_type_as_in_the_original_and_nothing_else)
{
    static const char *const bad[] = { "",    " ",     "yy",     "yess", "nope",       "y n",
                                       "-1",  "pick",  "256",    "a",    "+1",         "1x",
                                       "0x1", "banks", "pick x", "\x80", "99999999999" };
    library lib = library_open("games/dixmille");
    for (uint32_t phase = ASKS_KEEP; phase <= IS_OVER; phase++)
        for (uint32_t i = 0; i < sizeof bad / sizeof *bad; i++)
            assert_read(&lib, phase, bad[i], NULL);
    static const char *const yes[] = { "y", "Y", "ye", "YES", " yEs\t" };
    for (uint32_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        assert_read(&lib, ASKS_KEEP, yes[i], "keep");
        assert_read(&lib, ASKS_BANK, yes[i], "bank");
        assert_read(&lib, ASKS_PICK, yes[i], NULL);
        assert_read(&lib, IS_OVER, yes[i], NULL);
    }
    assert_read(&lib, ASKS_KEEP, "No", "fresh");
    assert_read(&lib, ASKS_BANK, " n", "roll");
    assert_read(&lib, ASKS_PICK, "n", NULL);
    assert_read(&lib, ASKS_PICK, " 07 ", "pick 7");
    assert_read(&lib, ASKS_BANK, "7", NULL);
    assert_read(&lib, ASKS_BANK, "Pick 7", "pick 7");
    assert_read(&lib, ASKS_BANK, "PICK7", "pick 7");
    assert_read(&lib, ASKS_PICK, "Bank", "bank");
    assert_read(&lib, IS_OVER, "fresh", "fresh");
    library_close(&lib);
}

/* ---- bots ---- */

static void assert_answer(const library *lib, const char *name, const dice *d, const char *expected)
{
    static written page;
    const deja_bot *bot = library_bot(lib, name);
    void *state = dice_state(lib, d), *command = host_create(&lib->rules->command);
    cr_assert(eq(u32, bot->pick(state, NULL, command, NULL), 1));
    host_destroy(&lib->rules->state, state);
    state = state_in(lib, IS_OVER);
    assert_text(written_command(&page, lib, state, command), expected);
    host_destroy(&lib->rules->command, command);
    host_destroy(&lib->rules->state, state);
}

Test(dixmille_people, are_played_by_bots_with_the_originals_wrapper)
{
    static const char *const abnk = "always_bank_never_keep", *const bwod = "bank_when_one_dice";
    library lib = library_open("games/dixmille");
    dice d = { .players = 1, .banked = { 100 }, .running = 300, .dice = 2, .phase = ASKS_BANK };
    assert_answer(&lib, abnk, &d, "bank");
    assert_answer(&lib, bwod, &d, "roll");
    d.dice = 1;
    assert_answer(&lib, bwod, &d, "bank");
    d.phase = ASKS_KEEP;
    assert_answer(&lib, abnk, &d, "fresh");
    assert_answer(&lib, bwod, &d, "fresh");
    d.dice = 2;
    assert_answer(&lib, bwod, &d, "keep");
    d.banked[0] = 9850; /* back to the same: 10,150 is 9,850 */
    assert_answer(&lib, bwod, &d, "fresh");
    d.phase = ASKS_BANK;
    d.dice = 1;
    assert_answer(&lib, abnk, &d, "roll");
    assert_answer(&lib, bwod, &d, "roll");
    d.banked[0] = 9700; /* wins, with any number of dice */
    d.dice = 4;
    assert_answer(&lib, bwod, &d, "bank");

    /* 9,900 and a run of 50: a Five would win, but the One is taken that would without the run */
    d = (dice){ .players = 1,
                .banked = { 9900 },
                .running = 50,
                .dice = 4,
                .phase = ASKS_PICK,
                .roll = "1552" };
    assert_answer(&lib, abnk, &d, "pick 0");
    d.banked[0] = 9850; /* of 1 1 5 5 a One and a Five win, and all four bring more */
    snprintf(d.roll, sizeof d.roll, "1155");
    assert_answer(&lib, abnk, &d, "pick 4");
    d.banked[0] = 0;
    assert_answer(&lib, abnk, &d, "pick 3");
    library_close(&lib);
}

Test(dixmille_people, are_played_by_chance_with_every_answer_as_likely)
{
    library lib = library_open("games/dixmille");
    const deja_bot *bot = library_bot(&lib, "random");
    const dice d = { .players = 2, .dice = 5, .phase = ASKS_PICK, .roll = "11115" };
    void *state = dice_state(&lib, &d), *command = host_create(&lib.rules->command);
    uint32_t seen[15] = { 0 };
    deja_luck luck;
    deja_luck_seed(&luck, 5, 1);
    for (uint32_t i = 0; i < 15000; i++) {
        unsigned char bytes[4];
        cr_assert(eq(u32, bot->pick(state, &luck, command, NULL), 1));
        host_save(&lib.rules->command, command, 0, bytes, sizeof bytes);
        cr_assert(bytes[0] == PICK && bytes[2] < 15);
        seen[bytes[2]]++;
    }
    for (uint32_t n = 0; n < 15; n++)
        cr_assert(seen[n] > 850 && seen[n] < 1150, "choice %u: %u times", n, seen[n]);
    host_destroy(&lib.rules->command, command);
    host_destroy(&lib.rules->state, state);
    library_close(&lib);
}

/* ---- states ---- */

static uint64_t bytes_of(const library *lib, const void *state, unsigned char bytes[STATE_BYTES])
{
    return host_save(&lib->rules->state, state, 0, bytes, STATE_BYTES);
}

/* A game goes on alike whether it is saved and loaded at each step or at none. */
Test(dixmille_people, may_save_and_load_at_any_step)
{
    static const char faces[] = "66234"
                                "1155212346"
                                "22346"
                                "2234611111"
                                "12346"
                                "55";
    library lib = library_open("games/dixmille");
    const deja_bot *bot = library_bot(&lib, "random");
    for (uint32_t players = 1; players <= 8; players++) {
        const char *result;
        deja_luck luck;
        void *state = dice_start(&lib, players, faces, players, &result);
        void *other = dice_start(&lib, players, faces, players, &result);
        void *command = host_create(&lib.rules->command);
        deja_luck_seed(&luck, players, 1);
        for (uint32_t step = 0; step < 300 && bot->pick(state, &luck, command, NULL); step++) {
            unsigned char bytes[STATE_BYTES], same[STATE_BYTES];
            const uint64_t size = bytes_of(&lib, other, bytes);
            cr_assert(bytes_of(&lib, state, same) == size && memcmp(bytes, same, size) == 0);
            host_destroy(&lib.rules->state, other);
            other = host_create(&lib.rules->state);
            memset(other, 0xa5, lib.rules->state.size); /* what is not state may hold anything */
            host_load(&lib.rules->state, other, bytes, size);
            cr_assert(lib.rules->apply(state, command, NULL) == 0);
            cr_assert(lib.rules->apply(other, command, NULL) == 0);
        }
        host_destroy(&lib.rules->command, command);
        host_destroy(&lib.rules->state, other);
        host_destroy(&lib.rules->state, state);
    }
    library_close(&lib);
}

/* Whatever a state says that was loaded, each command ends, alike each time. */
Test(dixmille_people, may_load_states_that_no_game_comes_to)
{
    static const char *const rolls[] = { "", "1", "22", "11111", "55551" };
    static const int64_t points[] = { 0, 10000, INT64_MAX, INT64_MIN, -1, 20000 };
    static written page;
    library lib = library_open("games/dixmille");
    deja_luck luck;
    deja_luck_seed(&luck, 99, 0);
    for (uint32_t i = 0; i < 4000; i++) {
        dice d = { .players = deja_luck_below(&luck, 9),
                   .dice = deja_luck_below(&luck, 256),
                   .side = deja_luck_below(&luck, 256),
                   .phase = deja_luck_below(&luck, 4),
                   .thrown = deja_luck_below(&luck, 65536),
                   .turn = UINT64_MAX };
        for (uint32_t seat = 0; seat < d.players; seat++)
            d.banked[seat] = points[deja_luck_below(&luck, 6)];
        d.running = points[deja_luck_below(&luck, 6)];
        snprintf(d.roll, sizeof d.roll, "%s", rolls[deja_luck_below(&luck, 5)]);
        if (d.roll[0] && deja_luck_below(&luck, 2))
            d.roll[0] = (char)('0' + deja_luck_below(&luck, 70)); /* no face, perhaps */
        memcpy(d.loaded,
               "x\x7f"
               "12",
               deja_luck_below(&luck, 5));
        d.thrown = deja_luck_below(&luck, 2) ? 0 : d.thrown;
        deja_luck_seed(&d.luck, i, 0);
        const uint32_t kind = deja_luck_below(&luck, 5), n = deja_luck_below(&luck, 16);
        unsigned char first[STATE_BYTES], second[STATE_BYTES];
        void *a = dice_state(&lib, &d), *b = host_create(&lib.rules->state);
        memset(b, 0x5a, lib.rules->state.size);
        dice_write(&lib, b, &d);
        const char *checked = dice_check(&lib, a, kind, n);
        written_drawing(&page, &lib, a);
        dice_legal(&lib, a);
        assert_text(dice_apply(&lib, a, kind, n, NULL), checked);
        assert_text(dice_apply(&lib, b, kind, n, NULL), checked);
        const uint64_t size = bytes_of(&lib, a, first);
        cr_assert(bytes_of(&lib, b, second) == size && memcmp(first, second, size) == 0);
        library_outcome(&lib, a);
        host_destroy(&lib.rules->state, a);
        host_destroy(&lib.rules->state, b);
    }
    library_close(&lib);
}
