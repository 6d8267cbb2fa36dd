/* SPDX-License-Identifier: MIT */
/*
 * The Matchgame's rules and what people see of them.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "games/matchgame.h"
#include "support/host.h"

TestSuite(matchgame, .timeout = 60);

/* ---- the rules ---- */

static const char *result_of(const library *lib, void *state, move m)
{
    void *command = command_of(lib, m);
    const uint32_t checked = lib->rules->check(state, command);
    const uint32_t result = lib->rules->apply(state, command, NULL);
    cr_assert(eq(u32, checked, result));
    host_destroy(&lib->rules->command, command);
    return library_result(lib, result);
}

Test(matchgame, starts_with_the_rows_of_its_config)
{
    library lib = library_open("games/matchgame");
    void *state = host_create(&lib.rules->state);
    const uint32_t result = lib.rules->start(state, lib.rules->config_default, 99, NULL);
    cr_assert(eq(u32, result, 0));
    uint8_t side = 9;
    const heap h = heap_of(&lib, state, &side);
    cr_assert(h.count == 4 && memcmp(h.rows, "\7\5\3\1", 4) == 0 && side == 0);
    host_destroy(&lib.rules->state, state);
    library_close(&lib);
}

static const char *start_with(const library *lib, heap h)
{
    unsigned char bytes[4 + ROWS] = { (unsigned char)h.count };
    void *state = host_create(&lib->rules->state);
    void *config = host_create(&lib->rules->config);
    memcpy(bytes + 4, h.rows, h.count);
    host_load(&lib->rules->config, config, bytes, 4 + h.count);
    const uint32_t result = lib->rules->start(state, config, 0, NULL);
    if (result == 0) {
        const heap got = heap_of(lib, state, NULL);
        cr_assert(got.count == h.count && memcmp(got.rows, h.rows, h.count) == 0);
    }
    host_destroy(&lib->rules->config, config);
    host_destroy(&lib->rules->state, state);
    return library_result(lib, result);
}

Test(matchgame, starts_only_with_a_stick)
{
    library lib = library_open("games/matchgame");
    heap full = { { 0 }, ROWS };
    memset(full.rows, 255, sizeof full.rows);
    assert_text(start_with(&lib, (heap){ { 0 }, 0 }), "no_sticks");
    assert_text(start_with(&lib, (heap){ { 0, 0, 0 }, 3 }), "no_sticks");
    assert_text(start_with(&lib, (heap){ { 0, 1, 0 }, 3 }), "ok");
    assert_text(start_with(&lib, full), "ok");
    library_close(&lib);
}

Test(matchgame, refuses_a_config_of_more_rows_than_fit)
{
    library lib = library_open("games/matchgame");
    struct {
        uint8_t rows[ROWS];
        uint32_t count;
    } config = { { 1 }, ROWS + 1 };
    cr_assert(eq(sz, lib.rules->config.size, sizeof config));
    void *state = host_create(&lib.rules->state);
    const char *result = library_result(&lib, lib.rules->start(state, &config, 0, NULL));
    assert_text(result, "too_many_rows");
    host_destroy(&lib.rules->state, state);
    library_close(&lib);
}

Test(matchgame, says_why_it_refuses)
{
    library lib = library_open("games/matchgame");
    void *state = state_of(&lib, (heap){ { 2, 0 }, 2 }, 0);
    assert_text(result_of(&lib, state, (move){ 2, 1 }), "no_such_row");
    assert_text(result_of(&lib, state, (move){ 255, 0 }), "no_such_row");
    assert_text(result_of(&lib, state, (move){ 0, 0 }), "no_such_number");
    assert_text(result_of(&lib, state, (move){ 0, 3 }), "no_such_number");
    assert_text(result_of(&lib, state, (move){ 1, 1 }), "no_such_number");
    assert_text(result_of(&lib, state, (move){ 0, 2 }), "ok");
    assert_text(result_of(&lib, state, (move){ 0, 1 }), "over");
    assert_text(result_of(&lib, state, (move){ 9, 9 }), "over");
    host_destroy(&lib.rules->state, state);
    library_close(&lib);
}

Test(matchgame, is_lost_by_who_takes_the_last_stick)
{
    library lib = library_open("games/matchgame");
    for (uint8_t side = 0; side < 2; side++) {
        void *state = state_of(&lib, (heap){ { 1, 1 }, 2 }, side);
        assert_text(library_outcome(&lib, state), "running");
        cr_assert(eq(u32, lib.rules->side(state), side));
        result_of(&lib, state, (move){ 1, 1 });
        cr_assert(eq(u32, lib.rules->side(state), 1u - side));
        result_of(&lib, state, (move){ 0, 1 });
        assert_text(library_outcome(&lib, state), side == 0 ? "first_wins" : "second_wins");
        host_destroy(&lib.rules->state, state);
    }
    library_close(&lib);
}

Test(matchgame, tells_what_was_taken)
{
    static emitted all;
    library lib = library_open("games/matchgame");
    void *state = state_of(&lib, (heap){ { 7, 5 }, 2 }, 0);
    void *command = command_of(&lib, (move){ 1, 3 });
    unsigned char bytes[8];
    emitted_open(&all, lib.rules->event.size);
    lib.rules->apply(state, command, &all.out);
    cr_assert(eq(u32, all.count, 1));
    const uint64_t size = host_save(&lib.rules->event, emitted_at(&all, 0), 0, bytes, sizeof bytes);
    cr_assert(size == 4 && memcmp(bytes, "\0\0\1\3", 4) == 0);
    host_destroy(&lib.rules->command, command);
    host_destroy(&lib.rules->state, state);
    library_close(&lib);
}

/* ---- for people ---- */

Test(matchgame, draws_its_rows_and_says_whose_move_it_is)
{
    static written page;
    static const struct {
        heap h;
        uint8_t side;
        const char *drawing;
    } rows[] = {
        { { { 7, 5, 3, 1 }, 4 }, 0, "|||||||\n|||||\n|||\n|\nfirst to move\n" },
        { { { 1, 0, 2 }, 3 }, 1, "|\n\n||\nsecond to move\n" },
        { { { 0, 0 }, 2 }, 0, "\n\nfirst wins\n" },
        { { { 0 }, 1 }, 1, "\nsecond wins\n" },
    };
    library lib = library_open("games/matchgame");
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        void *state = state_of(&lib, rows[i].h, rows[i].side);
        assert_text(written_drawing(&page, &lib, state), rows[i].drawing);
        host_destroy(&lib.rules->state, state);
    }
    library_close(&lib);
}

Test(matchgame, reads_every_move_that_it_writes)
{
    static written page;
    library lib = library_open("games/matchgame");
    void *state = state_of(&lib, (heap){ { 3 }, 1 }, 0);
    void *command = host_create(&lib.rules->command);
    for (uint32_t row = 0; row < 256; row++) {
        for (uint32_t n = 0; n < 256; n++) {
            void *asked = command_of(&lib, (move){ row, n });
            const char *text = written_command(&page, &lib, state, asked);
            const uint32_t read = lib.rules->read_notation(state, text, command);
            cr_assert(read == 1, "%s", text);
            const move got = move_of(&lib, command), expected = { row, n };
            assert_move(got, expected, text);
            host_destroy(&lib.rules->command, asked);
        }
    }
    host_destroy(&lib.rules->command, command);
    host_destroy(&lib.rules->state, state);
    library_close(&lib);
}

Test(matchgame, reads_moves_as_people_type_them_and_nothing_else)
{
    static const char *const good[] = { "b 3", "b3", " B  3 ", "\tb\t3", "b 03", "#1 3" };
    static const char *const bad[] = { "",     " ",     "b",     "3",
                                       "b -3", "b 3 4", "b 256", "bb3",
                                       "b 3x", "#1",    "# 3",   "#256 1",
                                       "1 3",  "{ 1",   "b +3",  "b 99999999999" };
    library lib = library_open("games/matchgame");
    void *state = state_of(&lib, (heap){ { 3, 3 }, 2 }, 0);
    void *command = command_of(&lib, (move){ 200, 200 });
    const move expected = { 1, 3 }, untouched = { 200, 200 };
    for (uint32_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_assert(lib.rules->read_notation(state, bad[i], command) == 0, "'%s'", bad[i]);
        const move got = move_of(&lib, command);
        assert_move(got, untouched, bad[i]);
    }
    for (uint32_t i = 0; i < sizeof good / sizeof *good; i++) {
        cr_assert(lib.rules->read_notation(state, good[i], command) == 1, "'%s'", good[i]);
        const move got = move_of(&lib, command);
        assert_move(got, expected, good[i]);
    }
    static written page;
    assert_text(written_command(&page, &lib, state, command), "b 3");
    host_destroy(&lib.rules->command, command);
    host_destroy(&lib.rules->state, state);
    library_close(&lib);
}
