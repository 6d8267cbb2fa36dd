/* SPDX-License-Identifier: MIT */
/*
 * The Matchgame's states and commands, made and read by their canonical bytes.
 */
#include "games/matchgame.h"

#include <criterion/criterion.h>

#include "support/host.h"

void *state_of(const library *lib, heap h, uint8_t side)
{
    unsigned char bytes[4 + ROWS + 1] = { (unsigned char)h.count };
    void *state = host_create(&lib->rules->state);
    memcpy(bytes + 4, h.rows, h.count);
    bytes[4 + h.count] = side;
    host_load(&lib->rules->state, state, bytes, 4 + h.count + 1);
    return state;
}

heap heap_of(const library *lib, const void *state, uint8_t *side)
{
    unsigned char bytes[64];
    heap h = { { 0 }, 0 };
    const uint64_t size = host_save(&lib->rules->state, state, 0, bytes, sizeof bytes);
    h.count = bytes[0];
    memcpy(h.rows, bytes + 4, h.count);
    if (side)
        *side = bytes[size - 1];
    return h;
}

void *command_of(const library *lib, move m)
{
    const unsigned char bytes[4] = { 0, 0, (unsigned char)m.row, (unsigned char)m.n };
    void *command = host_create(&lib->rules->command);
    host_load(&lib->rules->command, command, bytes, sizeof bytes);
    return command;
}

move move_of(const library *lib, const void *command)
{
    unsigned char bytes[4];
    const uint64_t size = host_save(&lib->rules->command, command, 0, bytes, sizeof bytes);
    cr_assert(size == 4);
    return (move){ bytes[2], bytes[3] };
}

move pick(const library *lib, const char *bot, const heap *h)
{
    deja_luck luck;
    deja_luck_seed(&luck, 1, 1);
    void *state = state_of(lib, *h, 0);
    void *command = host_create(&lib->rules->command);
    const uint32_t any = library_bot(lib, bot)->pick(state, &luck, command, NULL);
    const move m = any ? move_of(lib, command) : (move){ 0, 0 };
    host_destroy(&lib->rules->command, command);
    host_destroy(&lib->rules->state, state);
    return m;
}

void assert_move(move got, move expected, const char *where)
{
    cr_assert(got.row == expected.row && got.n == expected.n, "%s: took %u:%u, not %u:%u", where,
              got.row, got.n, expected.row, expected.n);
}
