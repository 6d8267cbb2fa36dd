/* SPDX-License-Identifier: MIT */
/*
 * The Matchgame's bots and lists against what the original program answers, and against reckonings
 * that leave nothing out.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

#include "games/matchgame.h"
#include "support/host.h"

TestSuite(matchgame_bots, .timeout = 60);

/* ---- the file of facts ---- */

static heap read_heap(const char *text)
{
    heap h = { { 0 }, 0 };
    for (char *end = NULL; *text; text = *end ? end + 1 : end)
        h.rows[h.count++] = (uint8_t)strtoul(text, &end, 10);
    return h;
}

/* Reads ROW:NUMBER,ROW:NUMBER... @return how many */
static uint32_t read_moves(const char *text, move *moves)
{
    uint32_t count = 0;
    for (char *end = NULL; *text && *text != '-'; text = *end ? end + 1 : end) {
        moves[count].row = (uint32_t)strtoul(text, &end, 10);
        moves[count++].n = (uint32_t)strtoul(end + 1, &end, 10);
    }
    return count;
}

/* Calls `look` for each fact whose first word is `kind`; there must be some. */
static void each_fact(const char *kind, void (*look)(const library *lib, const fact *f))
{
    library lib = library_open("games/matchgame");
    FILE *file = facts_open("matchgame.txt");
    fact f;
    uint32_t count = 0;
    while (facts_next(file, &f)) {
        if (strcmp(f.words[0], kind) == 0) {
            look(&lib, &f);
            count++;
        }
    }
    fclose(file);
    library_close(&lib);
    cr_assert(gt(u32, count, 0));
}

static void look_at_moves(const library *lib, const fact *f)
{
    static emitted all;
    move moves[64];
    const uint32_t count = read_moves(f->words[2], moves);
    void *state = state_of(lib, read_heap(f->words[1]), 1);
    emitted_open(&all, lib->rules->command.size);
    lib->rules->legal(state, &all.out);
    cr_assert(eq(u32, all.count, count));
    for (uint32_t i = 0; i < count; i++) {
        const move m = move_of(lib, emitted_at(&all, i));
        assert_move(m, moves[i], f->words[2]);
    }
    host_destroy(&lib->rules->state, state);
}

Test(matchgame_bots, lists_its_moves_from_the_last_row_and_the_largest_number_down)
{
    each_fact("moves", look_at_moves);
}

static void look_at_valid(const library *lib, const fact *f)
{
    const long row = atol(f->words[2]), n = atol(f->words[3]);
    if (row < 0 || n < 0) /* which a command can not say */
        return;
    void *state = state_of(lib, read_heap(f->words[1]), 0);
    void *command = command_of(lib, (move){ (uint32_t)row, (uint32_t)n });
    const bool is_valid = lib->rules->check(state, command) == 0;
    cr_assert(is_valid == (strcmp(f->words[4], "yes") == 0), "%s", f->line);
    host_destroy(&lib->rules->command, command);
    host_destroy(&lib->rules->state, state);
}

Test(matchgame_bots, accepts_what_the_program_calls_valid)
{
    each_fact("valid", look_at_valid);
}

static void look_at_pick(const library *lib, const fact *f)
{
    move expected;
    if (strcmp(f->words[2], "6") != 0)
        return;
    read_moves(f->words[3], &expected);
    const heap h = read_heap(f->words[1]);
    const move got = pick(lib, "depth6", &h);
    assert_move(got, expected, f->words[1]);
}

static void look_at_position(const library *lib, const fact *f)
{
    const heap h = read_heap(f->words[1]);
    move wins[256], expected = { 0, 0 };
    read_moves(f->words[5], &expected);
    const move six = pick(lib, "depth6", &h);
    assert_move(six, expected, f->words[1]);

    const uint32_t count = read_moves(f->words[7], wins);
    const move perfect = pick(lib, "perfect", &h);
    if (count > 0)
        assert_move(perfect, wins[0], f->words[1]);
    else
        cr_assert(perfect.n <= 1, "%s: took %u", f->words[1], perfect.n);
}

Test(matchgame_bots, bots_answer_as_the_program_does)
{
    each_fact("pick", look_at_pick);
    each_fact("position", look_at_position);
}

/* ---- depth6 against the plain search ---- */

/* Every board of `rows` rows of up to `most` sticks is a number in base most + 1. For each depth a
 * bit of its byte: whether the plain search thinks that leaving it wins. */
typedef struct search {
    unsigned char *wins;
    uint32_t rows, base, boards;
} search;

static heap heap_at(const search *s, uint32_t board)
{
    heap h = { { 0 }, s->rows };
    for (uint32_t row = 0; row < s->rows; row++, board /= s->base)
        h.rows[row] = (uint8_t)(board % s->base);
    return h;
}

/* The numbers of the boards that a move leads to, last row and largest number first. */
static uint32_t leads_to(const search *s, uint32_t board, uint32_t *targets, move *moves)
{
    const heap h = heap_at(s, board);
    uint32_t count = 0, place = s->boards;
    for (uint32_t row = s->rows; row-- > 0;) {
        place /= s->base;
        for (uint32_t n = h.rows[row]; n > 0; n--) {
            moves[count] = (move){ row, n };
            targets[count++] = board - n * place;
        }
    }
    return count;
}

static search search_boards(uint32_t rows, uint32_t most, uint32_t depth)
{
    search s = { NULL, rows, most + 1, 1 };
    uint32_t targets[256];
    move moves[256];
    for (uint32_t row = 0; row < rows; row++)
        s.boards *= s.base;
    s.wins = calloc(s.boards, 1);
    cr_assert(ne(ptr, s.wins, NULL));
    for (uint32_t d = 1; d <= depth; d++) {
        for (uint32_t board = 0; board < s.boards; board++) {
            const heap h = heap_at(&s, board);
            uint32_t sum = 0;
            for (uint32_t row = 0; row < rows; row++)
                sum += h.rows[row];
            bool answered = false;
            const uint32_t count = leads_to(&s, board, targets, moves);
            for (uint32_t i = 0; i < count && !answered; i++)
                answered = s.wins[targets[i]] >> (d - 1) & 1;
            if (sum == 1 || !answered)
                s.wins[board] = (unsigned char)(s.wins[board] | 1u << d);
        }
    }
    return s;
}

static void compare_depth6(const library *lib, uint32_t rows, uint32_t most)
{
    search s = search_boards(rows, most, 6);
    uint32_t targets[256];
    move moves[256];
    for (uint32_t board = 1; board < s.boards; board++) {
        const uint32_t count = leads_to(&s, board, targets, moves);
        uint32_t i = 0;
        while (i + 1 < count && !(s.wins[targets[i]] >> 6 & 1))
            i++;
        const heap h = heap_at(&s, board);
        const move got = pick(lib, "depth6", &h);
        cr_assert(got.row == moves[i].row && got.n == moves[i].n,
                  "board %u of %u rows: took %u:%u, not %u:%u", board, rows, got.row, got.n,
                  moves[i].row, moves[i].n);
    }
    free(s.wins);
}

Test(matchgame_bots, depth6_answers_as_a_search_that_leaves_nothing_out)
{
    library lib = library_open("games/matchgame");
    compare_depth6(&lib, 1, 60);
    compare_depth6(&lib, 2, 30);
    compare_depth6(&lib, 3, 12);
    compare_depth6(&lib, 4, 7);
    compare_depth6(&lib, 5, 4);
    compare_depth6(&lib, 6, 3);
    compare_depth6(&lib, 8, 2);
    compare_depth6(&lib, 11, 1);
    library_close(&lib);
}

Test(matchgame_bots, depth6_answers_at_once_on_the_largest_board)
{
    library lib = library_open("games/matchgame");
    heap h = { { 0 }, ROWS };
    memset(h.rows, 255, sizeof h.rows);
    const move got = pick(&lib, "depth6", &h);
    const move last = { 0, 1 };
    assert_move(got, last, "16 rows of 255");
    library_close(&lib);
}

/* ---- perfect ---- */

/* Which boards the side to move wins, by going back from the end. */
static bool *solve_boards(const search *s)
{
    bool *wins = calloc(s->boards, sizeof *wins);
    uint32_t targets[256];
    move moves[256];
    cr_assert(ne(ptr, wins, NULL));
    wins[0] = true; /* the other has just taken the last stick */
    for (uint32_t board = 1; board < s->boards; board++) {
        const uint32_t count = leads_to(s, board, targets, moves);
        for (uint32_t i = 0; i < count; i++)
            wins[board] |= !wins[targets[i]];
    }
    return wins;
}

Test(matchgame_bots, perfect_never_lets_go_of_a_win)
{
    static const uint32_t shapes[][2] = { { 1, 40 }, { 2, 20 }, { 3, 9 }, { 4, 7 }, { 6, 3 } };
    library lib = library_open("games/matchgame");
    for (uint32_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        search s = search_boards(shapes[i][0], shapes[i][1], 0);
        bool *wins = solve_boards(&s);
        for (uint32_t board = 1; board < s.boards; board++) {
            uint32_t place = 1;
            const heap h = heap_at(&s, board);
            const move got = pick(&lib, "perfect", &h);
            for (uint32_t row = 0; row < got.row; row++)
                place *= s.base;
            cr_assert(got.n >= 1 && got.n <= h.rows[got.row]);
            if (wins[board])
                cr_assert(not(wins[board - got.n * place]), "board %u of %u rows", board, s.rows);
        }
        free(wins);
        free(s.wins);
    }
    library_close(&lib);
}

Test(matchgame_bots, random_takes_each_legal_move_as_often_as_the_others)
{
    enum { DRAWS = 32000 };
    library lib = library_open("games/matchgame");
    const heap h = { { 7, 0, 5, 3, 1 }, 5 };
    uint32_t seen[5][8] = { { 0 } };
    deja_luck luck;
    deja_luck_seed(&luck, 7, 1);
    void *state = state_of(&lib, h, 0);
    void *command = host_create(&lib.rules->command);
    for (uint32_t i = 0; i < DRAWS; i++) {
        cr_assert(eq(u32, library_bot(&lib, "random")->pick(state, &luck, command, NULL), 1));
        const move m = move_of(&lib, command);
        cr_assert(m.row < 5 && m.n <= h.rows[m.row] && m.n > 0);
        seen[m.row][m.n]++;
    }
    cr_assert(eq(u64, luck.draws, DRAWS));
    for (uint32_t row = 0; row < h.count; row++)
        for (uint32_t n = 1; n <= h.rows[row]; n++)
            cr_assert(seen[row][n] > DRAWS / 16 * 9 / 10 && seen[row][n] < DRAWS / 16 * 11 / 10);
    host_destroy(&lib.rules->command, command);
    host_destroy(&lib.rules->state, state);
    library_close(&lib);
}

Test(matchgame_bots, bots_have_no_move_when_nothing_is_left)
{
    library lib = library_open("games/matchgame");
    const heap none = { { 0, 0, 0 }, 3 };
    static const char *const names[] = { "random", "depth6", "perfect" };
    for (uint32_t i = 0; i < 3; i++) {
        const move got = pick(&lib, names[i], &none);
        cr_assert(eq(u32, got.n, 0));
    }
    library_close(&lib);
}
