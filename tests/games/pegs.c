/* SPDX-License-Identifier: MIT */
/*
 * Peg boards as bits, and peg's states and commands by their canonical bytes.
 */
#include "games/pegs.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "support/host.h"

uint32_t holes_of(uint32_t rows)
{
    return rows * (rows + 1) / 2;
}

void peg_set(const library *lib, void *state, uint32_t rows, uint64_t pegs)
{
    unsigned char bytes[5 + 64] = { (unsigned char)rows, (unsigned char)holes_of(rows) };
    for (uint32_t hole = 0; hole < holes_of(rows); hole++)
        bytes[5 + hole] = pegs >> hole & 1;
    host_load(&lib->rules->state, state, bytes, 5 + holes_of(rows));
}

void *peg_state(const library *lib, uint32_t rows, uint64_t pegs)
{
    void *state = host_create(&lib->rules->state);
    peg_set(lib, state, rows, pegs);
    return state;
}

uint64_t peg_bits(const library *lib, const void *state)
{
    unsigned char bytes[1024];
    uint64_t pegs = 0;
    const uint64_t size = host_save(&lib->rules->state, state, 1024, bytes, sizeof bytes);
    for (uint64_t i = 5; i < size; i++)
        pegs |= (uint64_t)bytes[i] << (i - 5);
    return pegs;
}

void *peg_remove(const library *lib, uint32_t hole)
{
    const unsigned char bytes[4] = { 0, 0, (unsigned char)hole, (unsigned char)(hole >> 8) };
    void *command = host_create(&lib->rules->command);
    host_load(&lib->rules->command, command, bytes, sizeof bytes);
    return command;
}

void *peg_jump(const library *lib, uint32_t from, uint32_t to)
{
    const unsigned char bytes[6] = { 1,
                                     0,
                                     (unsigned char)from,
                                     (unsigned char)(from >> 8),
                                     (unsigned char)to,
                                     (unsigned char)(to >> 8) };
    void *command = host_create(&lib->rules->command);
    host_load(&lib->rules->command, command, bytes, sizeof bytes);
    return command;
}

hop peg_apply(const library *lib, void *state, const void *command)
{
    static emitted all;
    unsigned char bytes[8] = { 0 };
    emitted_open(&all, lib->rules->event.size);
    const char *result = library_result(lib, lib->rules->apply(state, command, &all.out));
    cr_assert_str_eq(result, "ok");
    cr_assert_eq(all.count, 1);
    host_save(&lib->rules->event, emitted_at(&all, 0), 0, bytes, sizeof bytes);
    return (hop){ bytes[2] | (uint32_t)bytes[3] << 8, bytes[4] | (uint32_t)bytes[5] << 8,
                  bytes[6] | (uint32_t)bytes[7] << 8 };
}

const char *peg_check(const library *lib, const void *state, void *command)
{
    const char *result = library_result(lib, lib->rules->check(state, command));
    host_destroy(&lib->rules->command, command);
    return result;
}

uint32_t read_hops(const char *text, hop *hops)
{
    uint32_t count = 0;
    for (char *end = NULL; *text && *text != '-'; text = *end ? end + 1 : end) {
        hops[count].from = (uint32_t)strtoul(text, &end, 10);
        hops[count].over = (uint32_t)strtoul(end + 1, &end, 10);
        hops[count++].to = (uint32_t)strtoul(end + 1, &end, 10);
    }
    return count;
}
