/* SPDX-License-Identifier: MIT */
/*
 * The hashes that stored recordings rest on. The numbers were worked out with xxhsum 0.8.1 and with
 * tests/schemas, and must never change.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "base/base.h"

TestSuite(hash, .timeout = 10);

Test(hash, is_xxh3_with_seed_zero)
{
    cr_assert(eq(u64, deja__hash64("", 0), 0x2d06800538d394c2u));
    cr_assert(eq(u64, deja__hash64("a", 1), 0xe6c632b61e964e1fu));
    unsigned char digest[16];
    deja__hash128("a", 1, digest);
    static const unsigned char expected[16] = { 0xa9, 0x6f, 0xaf, 0x70, 0x5a, 0xf1, 0x68, 0x34,
                                                0xe6, 0xc6, 0x32, 0xb6, 0x1e, 0x96, 0x4e, 0x1f };
    cr_assert(eq(int, memcmp(digest, expected, 16), 0));
}

Test(hash, of_blocks_is_the_sum_of_the_blocks)
{
    unsigned char bytes[150];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 7);
    const uint64_t whole = deja__hash_blocks(bytes, sizeof bytes);
    bytes[70]++;
    const uint64_t changed = deja__hash_blocks(bytes, sizeof bytes);
    cr_assert(ne(u64, whole, changed));
    cr_assert(eq(u64, deja__hash_blocks(bytes, 0), 0));
    cr_assert(eq(u64, deja__hash_blocks(bytes, 64), deja__hash64(bytes, 64)), "block 0 has seed 0");
}

Test(hash, chains_depend_on_order_hash_and_result)
{
    const uint64_t start = deja__chain_start(1);
    const uint64_t a = deja__chain_next(deja__chain_next(start, 2, 0), 3, 0);
    const uint64_t b = deja__chain_next(deja__chain_next(start, 3, 0), 2, 0);
    const uint64_t c = deja__chain_next(deja__chain_next(start, 2, 1), 3, 0);
    cr_assert(ne(u64, a, b));
    cr_assert(ne(u64, a, c));
}

Test(hash, cuts_to_the_low_bits)
{
    cr_assert(eq(u64, deja__cut(0x1122334455667788u, 8), 0x88u));
    cr_assert(eq(u64, deja__cut(0x1122334455667788u, 32), 0x55667788u));
    cr_assert(eq(u64, deja__cut(0x1122334455667788u, 64), 0x1122334455667788u));
}
