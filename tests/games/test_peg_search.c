/* SPDX-License-Identifier: MIT */
/*
 * Every game of small peg boards, counted through the rules themselves, and peg's bots.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

#include "games/pegs.h"
#include "support/host.h"

TestSuite(peg_search, .timeout = 60);

enum { LINE_MAX_JUMPS = 16, HOLES = 15, BOARDS = 1 << HOLES };

/* ---- counting ---- */

typedef struct tally {
    uint64_t lengths[LINE_MAX_JUMPS]; /* sequences of so many jumps */
    uint64_t games;
    uint64_t left[HOLES + 1]; /* games by pegs left */
    uint64_t last[HOLES];     /* games that end with one peg, by its hole */
    uint64_t states;
    uint64_t ends[HOLES + 1]; /* boards without a jump, by pegs */
    bool seen[BOARDS];
} tally;

/* Goes through all games from here; the state is left as it was. */
static void count_from(const library *lib, void *state, uint32_t jumps, tally *t)
{
    static emitted commands[LINE_MAX_JUMPS];
    unsigned char kept[2048];
    emitted *all = &commands[jumps];
    const uint64_t pegs = peg_bits(lib, state);
    cr_assert(lib->rules->state.size <= sizeof kept);
    emitted_open(all, lib->rules->command.size);
    lib->rules->legal(state, &all->out);
    t->lengths[jumps]++;
    const bool is_new = !t->seen[pegs];
    t->seen[pegs] = true;
    t->states += is_new;
    if (all->count == 0) {
        const uint32_t left = (uint32_t)__builtin_popcountll(pegs);
        t->games++;
        t->left[left]++;
        t->ends[left] += is_new;
        if (left == 1)
            t->last[__builtin_ctzll(pegs)]++;
        cr_assert(lib->rules->outcome(state) == (left == 1 ? 1 : 2));
    }
    memcpy(kept, state, lib->rules->state.size);
    for (uint32_t i = 0; i < all->count; i++) {
        cr_assert(lib->rules->apply(state, emitted_at(all, i), NULL) == 0);
        count_from(lib, state, jumps + 1, t);
        memcpy(state, kept, lib->rules->state.size);
    }
}

static tally *count_start(const library *lib, uint32_t rows, uint32_t empty)
{
    tally *t = calloc(1, sizeof *t);
    cr_assert(ne(ptr, t, NULL));
    void *state = peg_state(lib, rows, ((UINT64_C(1) << holes_of(rows)) - 1) & ~(1u << empty));
    count_from(lib, state, 0, t);
    host_destroy(&lib->rules->state, state);
    return t;
}

static uint64_t number(const fact *f, uint32_t word)
{
    return strtoull(f->words[word], NULL, 10);
}

static void hold_against(const tally *t, const fact *f, uint64_t found[3])
{
    if (strcmp(f->words[0], "games") == 0)
        cr_assert(eq(u64, t->games, number(f, 1)));
    else if (strcmp(f->words[0], "states") == 0)
        cr_assert(eq(u64, t->states, number(f, 1)));
    else if (strcmp(f->words[0], "lengths") == 0)
        for (uint32_t i = 0; i < LINE_MAX_JUMPS; i++)
            cr_assert(eq(u64, t->lengths[i], i + 1 < f->count ? number(f, i + 1) : 0));
    else if (strcmp(f->words[0], "left") == 0)
        found[0] += number(f, 2) == t->left[number(f, 1)] ? number(f, 2) : UINT32_MAX;
    else if (strcmp(f->words[0], "last") == 0)
        found[1] += number(f, 2) == t->last[number(f, 1)] ? number(f, 2) : UINT32_MAX;
    else if (strcmp(f->words[0], "ends") == 0)
        found[2] += number(f, 2) == t->ends[number(f, 1)] ? number(f, 2) : UINT32_MAX;
}

/* What the lines named is all there is. */
static void assert_complete(const tally *t, const uint64_t found[3])
{
    uint64_t ends = 0;
    for (uint32_t left = 0; left <= HOLES; left++)
        ends += t->ends[left];
    cr_assert(eq(u64, found[0], t->games));
    cr_assert(eq(u64, found[1], t->left[1]));
    cr_assert(eq(u64, found[2], ends));
}

Test(peg_search, counts_every_game_as_published)
{
    library lib = library_open("games/peg");
    FILE *file = facts_open("peg-counts.txt");
    tally *t = NULL;
    uint64_t found[3] = { 0, 0, 0 };
    uint32_t starts = 0;
    fact f;
    while (facts_next(file, &f)) {
        if (strcmp(f.words[0], "start") == 0) {
            if (t)
                assert_complete(t, found);
            free(t);
            memset(found, 0, sizeof found);
            t = count_start(&lib, (uint32_t)number(&f, 1), (uint32_t)number(&f, 2));
            starts++;
        } else {
            hold_against(t, &f, found);
        }
    }
    assert_complete(t, found);
    cr_assert(starts == 4 && t->games == 568630 && t->left[1] == 29760);
    free(t);
    fclose(file);
    library_close(&lib);
}

Test(peg_search, counts_the_same_from_holes_that_mirror_each_other)
{
    static const uint32_t same[][3] = { { 3, 0, 3 }, { 3, 0, 5 }, { 4, 0, 6 }, { 4, 0, 9 } };
    library lib = library_open("games/peg");
    for (uint32_t i = 0; i < sizeof same / sizeof *same; i++) {
        tally *a = count_start(&lib, same[i][0], same[i][1]);
        tally *b = count_start(&lib, same[i][0], same[i][2]);
        cr_assert(eq(u64, a->games, b->games));
        cr_assert(memcmp(a->lengths, b->lengths, sizeof a->lengths) == 0);
        cr_assert(memcmp(a->left, b->left, sizeof a->left) == 0);
        free(a);
        free(b);
    }
    library_close(&lib);
}

/* ---- the solver ---- */

/* Jumps of a board, worked out here once more: holes in rows of 1, 2, 3... */
typedef struct shape {
    uint32_t rows, holes, count;
    hop hops[128];
} shape;

static bool place_hole(const shape *s, int row, int place, uint32_t *hole)
{
    if (row < 0 || row >= (int)s->rows || place < 0 || place > row)
        return false;
    *hole = holes_of((uint32_t)row) + (uint32_t)place;
    return true;
}

static shape shape_of(uint32_t rows)
{
    static const int ways[6][2] = {
        { 0, 1 }, { 0, -1 }, { 1, 0 }, { -1, 0 }, { 1, 1 }, { -1, -1 }
    };
    shape s = { .rows = rows, .holes = holes_of(rows) };
    for (int row = 0; row < (int)rows; row++) {
        for (int place = 0; place <= row; place++) {
            for (uint32_t way = 0; way < 6; way++) {
                hop h;
                const int down = ways[way][0], right = ways[way][1];
                if (place_hole(&s, row, place, &h.from) &&
                    place_hole(&s, row + down, place + right, &h.over) &&
                    place_hole(&s, row + 2 * down, place + 2 * right, &h.to))
                    s.hops[s.count++] = h;
            }
        }
    }
    return s;
}

/* Every board from which one peg can be reached, by going back from the boards of one peg. A bit
 * a board. */
static unsigned char *solvable_boards(const shape *s)
{
    const uint32_t boards = 1u << s->holes;
    unsigned char *solvable = calloc(boards, 1);
    uint32_t *found = malloc(boards * sizeof *found), count = 0;
    cr_assert(solvable != NULL && found != NULL);
    for (uint32_t hole = 0; hole < s->holes; hole++)
        solvable[found[count++] = 1u << hole] = 1;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < s->count; k++) {
            const uint32_t from = 1u << s->hops[k].from, over = 1u << s->hops[k].over;
            const uint32_t to = 1u << s->hops[k].to;
            if ((found[i] & (from | over | to)) != to)
                continue;
            const uint32_t before = found[i] ^ (from | over | to);
            if (!solvable[before])
                solvable[found[count++] = before] = 1;
        }
    }
    free(found);
    return solvable;
}

/* Plays on with the solver; @return the outcome's name. */
static const char *solve(const library *lib, void *state, void *memory)
{
    const deja_bot *bot = library_bot(lib, "solver");
    void *command = host_create(&lib->rules->command);
    deja_luck luck;
    deja_luck_seed(&luck, 1, 1);
    while (bot->pick(state, &luck, command, memory))
        peg_apply(lib, state, command);
    cr_assert(eq(u64, luck.draws, 0));
    host_destroy(&lib->rules->command, command);
    return library_outcome(lib, state);
}

Test(peg_search, the_solver_solves_every_start_that_can_be_solved)
{
    library lib = library_open("games/peg");
    for (uint32_t rows = 1; rows <= 6; rows++) {
        const shape s = shape_of(rows);
        unsigned char *solvable = solvable_boards(&s);
        void *memory = calloc(1, library_bot(&lib, "solver")->memory_size);
        void *state = peg_state(&lib, rows, 1);
        const uint32_t full = (1u << s.holes) - 1;
        bool any = false;
        for (uint32_t hole = 0; hole < s.holes; hole++) {
            const bool is_solvable = solvable[full & ~(1u << hole)];
            any |= is_solvable;
            peg_set(&lib, state, rows, full & ~(1u << hole));
            assert_text(solve(&lib, state, memory), is_solvable ? "solved" : "stuck");
        }
        memset(memory, 0, library_bot(&lib, "solver")->memory_size);
        peg_set(&lib, state, rows, full);
        assert_text(solve(&lib, state, memory), any ? "solved" : "stuck");
        cr_assert(any == (rows >= 4));
        host_destroy(&lib.rules->state, state);
        free(memory);
        free(solvable);
    }
    library_close(&lib);
}

Test(peg_search, the_solver_solves_what_can_be_solved_in_mid_game)
{
    library lib = library_open("games/peg");
    const shape s = shape_of(5);
    unsigned char *solvable = solvable_boards(&s);
    void *memory = calloc(1, library_bot(&lib, "solver")->memory_size);
    void *state = peg_state(&lib, 5, 1);
    for (uint32_t board = 1; board < BOARDS - 1; board += 7) {
        peg_set(&lib, state, 5, board);
        assert_text(solve(&lib, state, memory), solvable[board] ? "solved" : "stuck");
    }
    host_destroy(&lib.rules->state, state);
    free(memory);
    free(solvable);
    library_close(&lib);
}

Test(peg_search, the_solver_plays_the_first_legal_command_on_larger_boards)
{
    static emitted all;
    library lib = library_open("games/peg");
    const deja_bot *bot = library_bot(&lib, "solver");
    void *memory = calloc(1, bot->memory_size);
    void *command = host_create(&lib.rules->command);
    void *state = peg_state(&lib, 7, (UINT64_C(1) << 28) - 1);
    deja_luck luck;
    deja_luck_seed(&luck, 1, 1);
    while (bot->pick(state, &luck, command, memory)) {
        emitted_open(&all, lib.rules->command.size);
        lib.rules->legal(state, &all.out);
        cr_assert(memcmp(command, emitted_at(&all, 0), lib.rules->command.size) == 0);
        peg_apply(&lib, state, command);
    }
    assert_text(library_outcome(&lib, state), "stuck");
    host_destroy(&lib.rules->state, state);
    host_destroy(&lib.rules->command, command);
    free(memory);
    library_close(&lib);
}

Test(peg_search, random_takes_each_legal_command_as_often_as_the_others)
{
    enum { DRAWS = 15000 };
    library lib = library_open("games/peg");
    const deja_bot *bot = library_bot(&lib, "random");
    static const uint64_t boards[] = { 0x7fff, 0x7fff & ~(UINT64_C(1) << 12) };
    static const uint32_t counts[] = { 15, 4 };
    void *command = host_create(&lib.rules->command);
    void *state = peg_state(&lib, 5, 1);
    deja_luck luck;
    deja_luck_seed(&luck, 3, 1);
    for (uint32_t b = 0; b < 2; b++) {
        uint32_t seen[HOLES] = { 0 };
        for (uint32_t i = 0; i < DRAWS; i++) {
            peg_set(&lib, state, 5, boards[b]);
            cr_assert(eq(u32, bot->pick(state, &luck, command, NULL), 1));
            seen[peg_apply(&lib, state, command).from]++;
        }
        uint32_t kinds = 0;
        for (uint32_t hole = 0; hole < HOLES; hole++) {
            kinds += seen[hole] != 0;
            cr_assert(seen[hole] == 0 || (seen[hole] > DRAWS / counts[b] * 85 / 100 &&
                                          seen[hole] < DRAWS / counts[b] * 115 / 100));
        }
        cr_assert(eq(u32, kinds, counts[b]));
    }
    cr_assert(eq(u64, luck.draws, 2 * DRAWS));
    host_destroy(&lib.rules->state, state);
    host_destroy(&lib.rules->command, command);
    library_close(&lib);
}
