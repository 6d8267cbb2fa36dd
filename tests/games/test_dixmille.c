/* SPDX-License-Identifier: MIT */
/*
 * Dix-mille's rules one by one: throws and their choices, points, refusals, loaded dice, bots.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

#include "games/dice.h"
#include "support/host.h"

TestSuite(dixmille, .timeout = 60);

/* Asked to pick from this throw; with points from which no single choice wins. */
static dice throw_of(const char *faces)
{
    dice d = { .players = 2, .banked = { -1000000, 0 }, .phase = ASKS_PICK };
    snprintf(d.roll, sizeof d.roll, "%s", strcmp(faces, "-") == 0 ? "" : faces);
    d.dice = (uint32_t)strlen(d.roll);
    deja_luck_seed(&d.luck, 1, 0);
    return d;
}

/* ---- against the original program ---- */

/* "111+5:1050" and so on is what each pick must bring. */
static void look_at_choice(const library *lib, const char *faces, uint32_t n, const char *choice)
{
    emitted *told = malloc(sizeof *told);
    char joined[16] = "";
    const dice before = throw_of(faces);
    void *state = dice_state(lib, &before);
    const int64_t points = atoll(strchr(choice, ':') + 1);
    for (; *choice != ':'; choice++)
        if (*choice != '+')
            strncat(joined, choice, 1);
    assert_text(dice_apply(lib, state, PICK, n, told), "ok");
    cr_assert(eq(u32, told->count, 1));
    const dice_event event = dice_told(lib, told, 0);
    cr_assert(event.kind == PICKED && event.n == n && event.side == 0);
    assert_text(event.faces, joined);
    cr_assert(eq(i64, event.points, points), "%s: %u", faces, n);
    cr_assert(eq(i64, event.total, points));
    dice after;
    dice_read(lib, state, &after);
    const uint32_t left = before.dice - (uint32_t)strlen(joined);
    cr_assert(eq(u32, after.dice, left ? left : 5));
    cr_assert(eq(i64, after.running, points));
    host_destroy(&lib->rules->state, state);
    free(told);
}

static void look_at_throw(const library *lib, const fact *f)
{
    const dice d = throw_of(f->words[1]);
    void *state = dice_state(lib, &d);
    uint32_t count = 0;
    const bool is_bust = strcmp(f->words[3], "-") == 0;
    for (char *choice = strtok(f->words[3], ","); choice && !is_bust; choice = strtok(NULL, ","))
        look_at_choice(lib, d.roll, count++, choice);
    cr_assert(eq(u32, dice_legal(lib, state), count), "%s", d.roll);
    if (!is_bust) {
        const deja_bot *bot = library_bot(lib, "bank_when_one_dice");
        unsigned char bytes[8];
        void *command = host_create(&lib->rules->command);
        cr_assert(eq(u32, bot->pick(state, NULL, command, NULL), 1));
        cr_assert(eq(u64, host_save(&lib->rules->command, command, 0, bytes, 8), 3));
        cr_assert(eq(u32, bytes[2], (uint32_t)atoi(f->words[2])), "%s", d.roll);
        host_destroy(&lib->rules->command, command);
    }
    host_destroy(&lib->rules->state, state);
}

static void each_fact(const char *name, const char *kind,
                      void (*look)(const library *lib, const fact *f), uint32_t expected)
{
    library lib = library_open("games/dixmille");
    FILE *file = facts_open(name);
    uint32_t count = 0;
    fact f;
    while (facts_next(file, &f)) {
        if (strcmp(f.words[0], kind) == 0) {
            look(&lib, &f);
            count++;
        }
    }
    fclose(file);
    library_close(&lib);
    cr_assert(eq(u32, count, expected));
}

Test(dixmille, finds_the_choices_of_a_throw_as_the_program_does)
{
    each_fact("dixmille-scoring.txt", "throw", look_at_throw, 231);
}

static void look_at_sum(const library *lib, const fact *f)
{
    const dice d = { .players = 1,
                     .banked = { atoll(f->words[1]) },
                     .running = atoll(f->words[2]),
                     .dice = 3,
                     .phase = ASKS_BANK };
    void *state = dice_state(lib, &d);
    dice after;
    assert_text(dice_apply(lib, state, BANK, 0, NULL), "ok");
    dice_read(lib, state, &after);
    cr_assert(eq(i64, after.banked[0], atoll(f->words[3])), "%s %s", f->words[1], f->words[2]);
    assert_text(library_outcome(lib, state), after.banked[0] == 10000 ? "first_wins" : "running");
    host_destroy(&lib->rules->state, state);
}

Test(dixmille, adds_points_as_the_program_does)
{
    each_fact("dixmille-points.txt", "add", look_at_sum, 64);
}

/* ---- every throw there is, by another way: all rows of sets, in the order of a dictionary ---- */

typedef struct row {
    uint32_t sets[5], size, faces[7], points;
} row;

typedef struct every {
    struct {
        uint32_t face, dice, points;
    } sets[20];
    row rows[512];
    uint32_t set_count, row_count;
} every;

static void read_sets(every *e)
{
    FILE *file = facts_open("dixmille-scoring.txt");
    fact f;
    while (facts_next(file, &f)) {
        if (strcmp(f.words[0], "set") == 0) {
            e->sets[e->set_count].face = (uint32_t)(f.words[1][0] - '0');
            e->sets[e->set_count].dice = (uint32_t)strlen(f.words[1]);
            e->sets[e->set_count++].points = (uint32_t)atoi(f.words[2]);
        }
    }
    fclose(file);
    cr_assert(eq(u32, e->set_count, 20));
}

/* Numbers of five digits to the base of 21, 0 for an end, count in that order. */
static void list_rows(every *e)
{
    for (uint32_t number = 0; number < 21 * 21 * 21 * 21 * 21; number++) {
        row r = { .size = 0 };
        uint32_t used = 0;
        bool is_row = true;
        for (uint32_t place = 0, divisor = 21 * 21 * 21 * 21; place < 5; place++, divisor /= 21) {
            const uint32_t digit = number / divisor % 21;
            is_row &= digit == 0 || r.size == place;
            is_row &= digit == 0 || place == 0 || digit > r.sets[place - 1];
            if (!is_row || digit == 0)
                continue;
            r.sets[r.size++] = digit - 1;
            used += e->sets[digit - 1].dice;
            r.faces[e->sets[digit - 1].face] += e->sets[digit - 1].dice;
            r.points += e->sets[digit - 1].points;
        }
        if (is_row && r.size && used <= 5)
            e->rows[e->row_count++] = r;
    }
}

static void look_at_faces(const library *lib, const every *e, const char *faces)
{
    uint32_t of[7] = { 0 }, n = 0;
    for (const char *face = faces; *face; face++)
        of[*face - '0']++;
    for (uint32_t i = 0; i < e->row_count; i++) {
        const row *r = &e->rows[i];
        bool fits = true;
        for (uint32_t face = 1; face <= 6; face++)
            fits &= r->faces[face] <= of[face];
        if (!fits)
            continue;
        char choice[40];
        size_t size = 0;
        for (uint32_t k = 0; k < r->size; k++)
            for (uint32_t die = 0; die < e->sets[r->sets[k]].dice; die++)
                choice[size++] = (char)('0' + e->sets[r->sets[k]].face);
        snprintf(choice + size, sizeof choice - size, ":%u", r->points);
        look_at_choice(lib, faces, n++, choice);
    }
    const dice d = throw_of(faces);
    void *state = dice_state(lib, &d);
    cr_assert(eq(u32, dice_legal(lib, state), n), "%s", faces);
    host_destroy(&lib->rules->state, state);
}

Test(dixmille, finds_the_choices_of_every_throw_in_order)
{
    static every e;
    library lib = library_open("games/dixmille");
    uint32_t throws = 0;
    read_sets(&e);
    list_rows(&e);
    for (uint32_t number = 0; number < 100000; number++) {
        char faces[8];
        bool is_throw = true;
        snprintf(faces, sizeof faces, "%05u", number);
        const char *first = faces + strspn(faces, "0");
        for (const char *face = first; *face; face++)
            is_throw &= *face >= '1' && *face <= '6' && (face == first || *face <= face[-1]);
        if (is_throw) {
            look_at_faces(&lib, &e, first);
            throws++;
        }
    }
    cr_assert(eq(u32, throws, 462));
    library_close(&lib);
}

/* ---- start ---- */

Test(dixmille, starts_with_1_to_8_players_two_unless_told_otherwise)
{
    library lib = library_open("games/dixmille");
    for (uint32_t players = 0; players < 256; players++) {
        const char *result;
        dice d;
        void *state = dice_start(&lib, players, "", players, &result);
        assert_text(result, players == 0 ? "no_players" : players > 8 ? "too_many_players" : "ok");
        if (!state)
            continue;
        dice_read(&lib, state, &d);
        cr_assert(d.players == players && d.running == 0 && d.dice == 5 && d.phase == ASKS_PICK);
        cr_assert(eq(u64, d.side, d.turn % players));
        cr_assert(ge(u64, d.luck.draws, 5 * (d.turn + 1)));
        host_destroy(&lib.rules->state, state);
    }
    void *state = host_create(&lib.rules->state);
    dice d;
    cr_assert(eq(u32, lib.rules->start(state, lib.rules->config_default, 0, NULL), 0));
    dice_read(&lib, state, &d);
    cr_assert(eq(u32, d.players, 2));
    host_destroy(&lib.rules->state, state);
    library_close(&lib);
}

Test(dixmille, throws_loaded_dice_first_and_then_luck)
{
    static char many[LOADED_MOST + 1];
    static const char *const bad[] = { "7", "0", "123461a", "12346 12346", "-", "1234\xc3\xa9" };
    library lib = library_open("games/dixmille");
    const char *result;
    dice d, luck;
    for (uint32_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_assert(dice_start(&lib, 2, bad[i], 1, &result) == NULL);
        assert_text(result, "not_a_face");
    }
    /* two of three players have nothing to pick */
    void *state = dice_start(&lib, 3, "2234664432123", 1, &result);
    dice_read(&lib, state, &d);
    cr_assert(d.side == 2 && d.turn == 2 && d.thrown == 13 && d.luck.draws == 2);
    cr_assert(strncmp(d.roll, "123", 3) == 0);
    host_destroy(&lib.rules->state, state);
    /* what luck throws behind them is what it throws without */
    void *plain = dice_start(&lib, 3, "", 1, &result);
    dice_read(&lib, plain, &luck);
    cr_assert(strncmp(d.roll + 3, luck.roll, 2) == 0);
    host_destroy(&lib.rules->state, plain);

    memset(many, '2', LOADED_MOST); /* 20,000 points a throw, 819 times, and one die is left */
    state = dice_start(&lib, 1, many, 1, &result);
    for (uint32_t i = 0; i < 819; i++) {
        assert_text(dice_apply(&lib, state, PICK, 2, NULL), "ok");
        assert_text(dice_apply(&lib, state, i < 818 ? ROLL : BANK, 0, NULL), "ok");
    }
    dice_read(&lib, state, &d);
    cr_assert(d.running == 819 * 20000 && d.banked[0] == 20000 - 819 * 20000);
    cr_assert(d.thrown == 4095 && d.luck.draws == 0 && d.turn == 1);
    assert_text(dice_apply(&lib, state, FRESH, 0, NULL), "ok");
    dice_read(&lib, state, &d);
    cr_assert(d.thrown == 4096 && d.luck.draws >= 4);
    host_destroy(&lib.rules->state, state);
    library_close(&lib);
}

/* ---- commands ---- */

Test(dixmille, says_why_it_refuses)
{
    static const struct {
        uint32_t phase;
        const char *keep, *fresh, *pick, *bank, *roll;
    } rows[] = {
        { ASKS_KEEP, "ok", "ok", "nothing_to_pick", "nothing_picked", "nothing_picked" },
        { ASKS_PICK, "no_run_to_keep", "no_run_to_keep", "ok", "nothing_picked", "nothing_picked" },
        { ASKS_BANK, "no_run_to_keep", "no_run_to_keep", "nothing_to_pick", "ok", "ok" },
        { IS_OVER, "over", "over", "over", "over", "over" },
    };
    library lib = library_open("games/dixmille");
    for (uint32_t i = 0; i < 4; i++) {
        const dice d = {
            .players = 2, .running = 300, .dice = 3, .phase = rows[i].phase, .roll = "145"
        };
        void *state = dice_state(&lib, &d);
        assert_text(dice_check(&lib, state, KEEP, 0), rows[i].keep);
        assert_text(dice_check(&lib, state, FRESH, 0), rows[i].fresh);
        assert_text(dice_check(&lib, state, PICK, 2), rows[i].pick);
        assert_text(dice_check(&lib, state, BANK, 0), rows[i].bank);
        assert_text(dice_check(&lib, state, ROLL, 0), rows[i].roll);
        const char *beyond = rows[i].phase == ASKS_PICK ? "no_such_choice" : rows[i].pick;
        assert_text(dice_check(&lib, state, PICK, 3), beyond);
        assert_text(dice_check(&lib, state, PICK, 255), beyond);
        cr_assert(eq(u32, dice_legal(&lib, state), i == 3 ? 0 : i == 1 ? 3 : 2));
        host_destroy(&lib.rules->state, state);
    }
    library_close(&lib);
}

Test(dixmille, tells_of_each_throw_of_one_command_whoever_throws)
{
    static emitted told;
    library lib = library_open("games/dixmille");
    const char *result;
    /* the first throws the rest and busts, the second has nothing, and the first throws again */
    void *state = dice_start(&lib, 2,
                             "12346"
                             "2346"
                             "22346"
                             "55234",
                             1, &result);
    assert_text(dice_apply(&lib, state, PICK, 0, NULL), "ok");
    assert_text(dice_apply(&lib, state, ROLL, 0, &told), "ok");
    static const dice_event expected[] = {
        { ROLLED, 0, 0, 0, "2346", 0, 0 },  { BUSTED, 0, 0, 0, "", 100, 0 },
        { ROLLED, 1, 0, 0, "22346", 0, 0 }, { BUSTED, 1, 0, 0, "", 0, 0 },
        { ROLLED, 0, 0, 0, "55234", 0, 0 },
    };
    cr_assert(eq(u32, told.count, 5));
    for (uint32_t i = 0; i < 5; i++) {
        const dice_event got = dice_told(&lib, &told, i);
        cr_assert(got.kind == expected[i].kind && got.side == expected[i].side &&
                      got.points == expected[i].points,
                  "event %u", i);
        assert_text(got.faces, expected[i].faces);
    }
    cr_assert(eq(u64, lib.rules->turn(state), 2));
    host_destroy(&lib.rules->state, state);
    library_close(&lib);
}

Test(dixmille, names_the_winner_among_any_number_of_players)
{
    static const char *const wins[] = {
        "first_wins", "second_wins", "third_wins",   "fourth_wins",
        "fifth_wins", "sixth_wins",  "seventh_wins", "eighth_wins"
    };
    static emitted told;
    library lib = library_open("games/dixmille");
    for (uint32_t side = 0; side < 8; side++) {
        dice d = { .players = 8, .running = 450, .dice = 2, .side = side, .phase = ASKS_BANK };
        d.banked[side] = 9550;
        void *state = dice_state(&lib, &d);
        assert_text(dice_apply(&lib, state, BANK, 0, &told), "ok");
        cr_assert(eq(u32, told.count, 2));
        cr_assert(eq(u32, dice_told(&lib, &told, 1).kind, WON));
        cr_assert(eq(u32, dice_told(&lib, &told, 1).side, side));
        assert_text(library_outcome(&lib, state), wins[side]);
        cr_assert(eq(u32, lib.rules->side(state), side));
        dice_read(&lib, state, &d);
        cr_assert(d.turn == 0 && d.running == 450 && d.dice == 2 && d.banked[side] == 10000);
        host_destroy(&lib.rules->state, state);
    }
    library_close(&lib);
}
