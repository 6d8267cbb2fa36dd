/* SPDX-License-Identifier: MIT */
/*
 * Peg's rules and what people see of them.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

#include "games/pegs.h"
#include "support/host.h"

TestSuite(peg, .timeout = 60);

enum { ROWS_MOST = 32, HOLES_MOST = 528 };

/* The state that a board of so many rows starts with; NULL and why in *result where it does not. */
static void *start_rows(const library *lib, uint32_t rows, const char **result)
{
    const unsigned char bytes[1] = { (unsigned char)rows };
    void *state = host_create(&lib->rules->state);
    void *config = host_create(&lib->rules->config);
    host_load(&lib->rules->config, config, bytes, sizeof bytes);
    *result = library_result(lib, lib->rules->start(state, config, 7, NULL));
    host_destroy(&lib->rules->config, config);
    return state;
}

/* ---- against the original program ---- */

static void look_at_board(const library *lib, const fact *f)
{
    static emitted all;
    hop hops[128];
    const uint32_t rows = (uint32_t)atoi(f->words[1]);
    const uint64_t pegs = strtoull(f->words[2], NULL, 10);
    const uint32_t count = read_hops(f->words[3], hops);
    const bool is_full = pegs == (UINT64_C(1) << holes_of(rows)) - 1;
    void *state = peg_state(lib, rows, pegs);
    emitted_open(&all, lib->rules->command.size);
    lib->rules->legal(state, &all.out);
    /* On a full board the program goes on to remove one. */
    cr_assert(eq(u32, all.count, is_full ? holes_of(rows) : count), "%s %s", f->words[1],
              f->words[2]);
    for (uint32_t i = 0; i < all.count; i++) {
        peg_set(lib, state, rows, pegs);
        const hop got = peg_apply(lib, state, emitted_at(&all, i));
        if (is_full)
            cr_assert(eq(u32, got.from, i));
        else
            cr_assert(memcmp(&got, &hops[i], sizeof got) == 0, "%s %s: jump %u", f->words[1],
                      f->words[2], i);
    }
    host_destroy(&lib->rules->state, state);
}

/* On a board that is full but for one hole, every pair of holes is tried. */
static void look_at_jumps(const library *lib, const fact *f)
{
    hop hops[128];
    const uint32_t rows = (uint32_t)atoi(f->words[1]), holes = holes_of(rows);
    const uint32_t count = read_hops(f->words[2], hops);
    uint32_t found = 0;
    for (uint32_t to = 0; to < holes; to++) {
        const uint64_t full = (UINT64_C(1) << holes) - 1;
        void *state = peg_state(lib, rows, full & ~(UINT64_C(1) << to));
        for (uint32_t from = 0; from < holes; from++) {
            bool is_jump = false;
            for (uint32_t i = 0; i < count; i++)
                is_jump |= hops[i].from == from && hops[i].to == to;
            const char *result = peg_check(lib, state, peg_jump(lib, from, to));
            const bool is_over = strcmp(library_outcome(lib, state), "running") != 0;
            assert_text(result, is_jump      ? "ok"
                                : is_over    ? "over"
                                : from == to ? "no_peg"
                                             : "not_a_jump");
            found += is_jump;
        }
        host_destroy(&lib->rules->state, state);
    }
    cr_assert(eq(u32, found, count));
}

static void look_at_full(const library *lib, const fact *f)
{
    static written page;
    const char *result;
    void *state = start_rows(lib, (uint32_t)atoi(f->words[1]), &result);
    assert_text(result, "ok");
    for (char *c = f->words[2]; *c; c++)
        *c = *c == '/' ? '\n' : *c == '_' ? ' ' : *c;
    const char *drawing = written_drawing(&page, lib, state);
    const size_t size = strlen(f->words[2]);
    cr_assert(strncmp(drawing, f->words[2], size) == 0, "%s", drawing);
    assert_text(drawing + size, "\n");
    host_destroy(&lib->rules->state, state);
}

static void each_fact(const char *kind, void (*look)(const library *lib, const fact *f))
{
    library lib = library_open("games/peg");
    FILE *file = facts_open("peg-moves.txt");
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

Test(peg, lists_jumps_as_the_program_does)
{
    each_fact("board", look_at_board);
}

Test(peg, accepts_every_jump_of_the_shape_and_no_other)
{
    each_fact("jumps", look_at_jumps);
}

Test(peg, draws_full_boards_as_the_program_does)
{
    each_fact("full", look_at_full);
}

Test(peg, plays_whole_games_as_the_program_does)
{
    static emitted all;
    library lib = library_open("games/peg");
    FILE *file = facts_open("peg-games.txt");
    void *state = NULL;
    uint64_t left = 0, turn = 0;
    fact f;
    for (bool more = true; more;) {
        more = facts_next(file, &f);
        const bool is_step = more && strcmp(f.words[0], "step") == 0;
        if (!is_step && state) { /* the game before has ended */
            cr_assert(eq(u64, __builtin_popcountll(peg_bits(&lib, state)), left));
            assert_text(library_outcome(&lib, state), left == 1 ? "solved" : "stuck");
            host_destroy(&lib.rules->state, state);
            state = NULL;
        }
        if (is_step) {
            hop expected;
            read_hops(f.words[3], &expected);
            assert_text(library_outcome(&lib, state), "running");
            emitted_open(&all, lib.rules->command.size);
            lib.rules->legal(state, &all.out);
            cr_assert(eq(u32, all.count, (uint32_t)atoi(f.words[1])));
            const hop got = peg_apply(&lib, state, emitted_at(&all, (uint32_t)atoi(f.words[2])));
            cr_assert(memcmp(&got, &expected, sizeof got) == 0, "%s", f.words[3]);
            cr_assert(eq(u64, peg_bits(&lib, state), strtoull(f.words[4], NULL, 10)));
            cr_assert(eq(u64, lib.rules->turn(state), ++turn));
        } else if (more) {
            const char *result;
            state = start_rows(&lib, (uint32_t)atoi(f.words[1]), &result);
            void *command = peg_remove(&lib, (uint32_t)atoi(f.words[2]));
            peg_apply(&lib, state, command);
            host_destroy(&lib.rules->command, command);
            left = strtoull(f.words[3], NULL, 10);
            turn = 1;
        }
    }
    fclose(file);
    library_close(&lib);
}

/* ---- the rules ---- */

Test(peg, starts_with_every_hole_filled_on_1_to_32_rows)
{
    library lib = library_open("games/peg");
    for (uint32_t rows = 0; rows < 256; rows++) {
        static emitted all;
        const char *result;
        void *state = start_rows(&lib, rows, &result);
        assert_text(result, rows == 0 ? "no_rows" : rows > ROWS_MOST ? "too_many_rows" : "ok");
        if (strcmp(result, "ok") == 0) {
            assert_text(library_outcome(&lib, state), "running");
            cr_assert(eq(u64, lib.rules->turn(state), 0));
            cr_assert(eq(u32, lib.rules->side(state), 0));
            emitted_open(&all, lib.rules->command.size);
            lib.rules->legal(state, &all.out);
            cr_assert(eq(u32, all.count, holes_of(rows)));
        }
        host_destroy(&lib.rules->state, state);
    }
    library_close(&lib);
}

Test(peg, starts_with_five_rows_unless_told_otherwise)
{
    library lib = library_open("games/peg");
    void *state = host_create(&lib.rules->state);
    cr_assert(eq(u32, lib.rules->start(state, lib.rules->config_default, 0, NULL), 0));
    cr_assert(eq(u64, peg_bits(&lib, state), (1 << 15) - 1));
    host_destroy(&lib.rules->state, state);
    library_close(&lib);
}

#define HOLE(letter) (UINT64_C(1) << ((letter) - 'a'))

Test(peg, says_why_it_refuses)
{
    library lib = library_open("games/peg");
    const char *result;
    void *state = start_rows(&lib, 5, &result);
    assert_text(peg_check(&lib, state, peg_jump(&lib, 3, 0)), "not_started");
    assert_text(peg_check(&lib, state, peg_jump(&lib, 900, 0)), "not_started");
    assert_text(peg_check(&lib, state, peg_remove(&lib, 15)), "no_such_hole");
    assert_text(peg_check(&lib, state, peg_remove(&lib, 14)), "ok");

    /* a is empty, and so are d and m */
    peg_set(&lib, state, 5, 0x7fff & ~(HOLE('a') | HOLE('d') | HOLE('m')));
    assert_text(peg_check(&lib, state, peg_remove(&lib, 3)), "already_started");
    assert_text(peg_check(&lib, state, peg_remove(&lib, 99)), "already_started");
    assert_text(peg_check(&lib, state, peg_jump(&lib, 15, 0)), "no_such_hole");
    assert_text(peg_check(&lib, state, peg_jump(&lib, 0, 15)), "no_such_hole");
    assert_text(peg_check(&lib, state, peg_jump(&lib, 3, 0)), "no_peg");
    assert_text(peg_check(&lib, state, peg_jump(&lib, 1, 0)), "not_a_jump");
    assert_text(peg_check(&lib, state, peg_jump(&lib, 4, 0)), "not_a_jump");
    assert_text(peg_check(&lib, state, peg_jump(&lib, 6, 1)), "nothing_to_jump");
    assert_text(peg_check(&lib, state, peg_jump(&lib, 4, 11)), "occupied");
    assert_text(peg_check(&lib, state, peg_jump(&lib, 5, 0)), "ok");

    peg_set(&lib, state, 5, HOLE('a') | HOLE('o'));
    assert_text(peg_check(&lib, state, peg_jump(&lib, 5, 0)), "over");
    assert_text(peg_check(&lib, state, peg_jump(&lib, 77, 77)), "over");
    assert_text(peg_check(&lib, state, peg_remove(&lib, 0)), "over");
    host_destroy(&lib.rules->state, state);
    library_close(&lib);
}

Test(peg, is_solved_with_one_peg_and_stuck_with_any_other_number)
{
    library lib = library_open("games/peg");
    void *state = peg_state(&lib, 5, HOLE('h'));
    assert_text(library_outcome(&lib, state), "solved");
    peg_set(&lib, state, 5, HOLE('a') | HOLE('o'));
    assert_text(library_outcome(&lib, state), "stuck");
    peg_set(&lib, state, 5, HOLE('a') | HOLE('b'));
    assert_text(library_outcome(&lib, state), "running");
    peg_set(&lib, state, 1, 0);
    assert_text(library_outcome(&lib, state), "stuck");
    for (uint32_t hole = 0; hole < 3; hole++) {
        peg_set(&lib, state, 2, 7u & ~(1u << hole));
        assert_text(library_outcome(&lib, state), "stuck");
    }
    host_destroy(&lib.rules->state, state);
    library_close(&lib);
}

Test(peg, takes_a_state_whose_rows_do_not_fit_its_holes_for_no_board)
{
    static const struct {
        unsigned char rows, holes;
    } wrong[] = { { 200, 15 }, { 255, 0 }, { 6, 15 }, { 0, 15 }, { 33, 15 }, { 5, 14 } };
    static emitted all;
    static written page;
    library lib = library_open("games/peg");
    void *state = host_create(&lib.rules->state);
    for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        unsigned char bytes[5 + 64] = { wrong[i].rows, wrong[i].holes };
        host_load(&lib.rules->state, state, bytes, 5u + wrong[i].holes);
        emitted_open(&all, lib.rules->command.size);
        lib.rules->legal(state, &all.out);
        cr_assert(eq(u32, all.count, 0));
        cr_assert(strcmp(peg_check(&lib, state, peg_remove(&lib, 1)), "ok") != 0);
        cr_assert(strcmp(peg_check(&lib, state, peg_jump(&lib, 3, 0)), "ok") != 0);
        assert_text(written_drawing(&page, &lib, state), "");
    }
    host_destroy(&lib.rules->state, state);
    library_close(&lib);
}

/* ---- for people ---- */

Test(peg, draws_empty_holes_and_large_boards)
{
    static written page;
    library lib = library_open("games/peg");
    const char *result;
    void *state = peg_state(&lib, 3, HOLE('a') | HOLE('f'));
    assert_text(written_drawing(&page, &lib, state), "   a0\n  b- c-\nd- e- f0\n");
    host_destroy(&lib.rules->state, state);
    state = start_rows(&lib, 7, &result);
    assert_text(written_drawing(&page, &lib, state), "             a0\n"
                                                     "           b0  c0\n"
                                                     "         d0  e0  f0\n"
                                                     "       g0  h0  i0  j0\n"
                                                     "     k0  l0  m0  n0  o0\n"
                                                     "   p0  q0  r0  s0  t0  u0\n"
                                                     " v0  w0  x0  y0  z0 aa0 ab0\n");
    host_destroy(&lib.rules->state, state);
    library_close(&lib);
}

/* The command must come back as it was. */
static void reads_back(const library *lib, const void *state, void *asked)
{
    static written page;
    unsigned char expected[8], got[8];
    void *read = host_create(&lib->rules->command);
    const char *text = written_command(&page, lib, state, asked);
    cr_assert(lib->rules->read_notation(state, text, read) == 1, "'%s'", text);
    const uint64_t size = host_save(&lib->rules->command, asked, 0, expected, sizeof expected);
    cr_assert(host_save(&lib->rules->command, read, 0, got, sizeof got) == size, "'%s'", text);
    cr_assert(memcmp(expected, got, size) == 0, "'%s'", text);
    host_destroy(&lib->rules->command, asked);
    host_destroy(&lib->rules->command, read);
}

Test(peg, reads_every_command_that_it_writes)
{
    library lib = library_open("games/peg");
    static const uint32_t strange[] = { 528, 701, 702, 9999, 32768, 65535 };
    for (uint32_t rows = 1; rows <= ROWS_MOST; rows += rows < 8 ? 1 : 8) {
        const char *result;
        void *state = start_rows(&lib, rows, &result);
        assert_text(result, "ok");
        for (uint32_t hole = 0; hole < HOLES_MOST; hole++) {
            reads_back(&lib, state, peg_remove(&lib, hole));
            reads_back(&lib, state, peg_jump(&lib, hole, (hole * 7 + 3) % HOLES_MOST));
            reads_back(&lib, state, peg_jump(&lib, hole, hole));
        }
        for (uint32_t i = 0; i < sizeof strange / sizeof *strange; i++) {
            reads_back(&lib, state, peg_remove(&lib, strange[i]));
            reads_back(&lib, state, peg_jump(&lib, 0, strange[i]));
            reads_back(&lib, state, peg_jump(&lib, strange[i], 0));
        }
        host_destroy(&lib.rules->state, state);
    }
    library_close(&lib);
}

static void assert_read(const library *lib, uint32_t rows, const char *text, const char *expected)
{
    static written page;
    const char *result;
    void *state = start_rows(lib, rows, &result);
    void *command = peg_jump(lib, 9, 9);
    const uint32_t read = lib->rules->read_notation(state, text, command);
    cr_assert(read == (expected ? 1 : 0), "'%s'", text);
    assert_text(written_command(&page, lib, state, command), expected ? expected : "j j");
    host_destroy(&lib->rules->command, command);
    host_destroy(&lib->rules->state, state);
}

Test(peg, reads_holes_as_people_type_them_and_nothing_else)
{
    static const char *const bad[] = {
        "",    " ",   "1",   "a d g",  "adg", "a1",  "#",
        "# 1", "a ;", "#1x", "#65536", "-a",  "a-d", "#99999999999"
    };
    library lib = library_open("games/peg");
    for (uint32_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_read(&lib, 5, bad[i], NULL);
    assert_read(&lib, 5, "e", "e");
    assert_read(&lib, 5, " E ", "e");
    assert_read(&lib, 5, "a d", "a d");
    assert_read(&lib, 5, "ad", "a d");
    assert_read(&lib, 5, "  A\t D ", "a d");
    assert_read(&lib, 5, "z", "#25");
    assert_read(&lib, 5, "#4", "e");
    assert_read(&lib, 5, "#0 #3", "a d");
    assert_read(&lib, 7, "ab", "ab");
    assert_read(&lib, 7, "AB m", "ab m");
    assert_read(&lib, 7, "m aa", "m aa");
    assert_read(&lib, 7, "ac", "#28");
    assert_read(&lib, 7, "crxp", "#65535");
    assert_read(&lib, 7, "crxq", NULL);
    assert_read(&lib, 7, "aaaaa", NULL);
    assert_read(&lib, 7, "a#1", NULL);
    library_close(&lib);
}
