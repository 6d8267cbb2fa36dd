/* SPDX-License-Identifier: MIT */
/*
 * The two chains' steps, in registers: what deja__chain_next() and deja__event_chain_next() answer,
 * for loops that do nothing else.
 *
 * The functions write 20 or 16 bytes and hash them, and the loads of a hash straddle the stores
 * just before, which stalls: each chain then takes three times as long as it has to. XXH3 of so few
 * bytes is one or two multiplications of words that are at hand here anyway. The constants are
 * XXH3's own (the first words of its default secret, and its primes); a test holds both ways
 * against each other.
 */
#ifndef DEJA_BASE_CHAIN_H
#define DEJA_BASE_CHAIN_H

#include "base/base.h"

#if defined(__SIZEOF_INT128__)

__extension__ typedef unsigned __int128 deja__u128;

static inline uint64_t deja__chain_fold(uint64_t a, uint64_t b)
{
    const deja__u128 product = (deja__u128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t deja__chain_spread(uint64_t hash)
{
    hash ^= hash >> 37;
    hash *= UINT64_C(0x165667919e3779f9);
    return hash ^ hash >> 32;
}

/* XXH3-64 of 20 bytes: words 0 and 1, then those that end with the last byte. */
static inline uint64_t deja__chain_step(uint64_t chain, uint64_t hash, uint32_t result)
{
    const uint64_t low = chain >> 32 | hash << 32;
    const uint64_t high = hash >> 32 | (uint64_t)result << 32;
    const uint64_t front =
        deja__chain_fold(chain ^ UINT64_C(0xbe4ba423396cfeb8), hash ^ UINT64_C(0x1cad21f72c81017c));
    const uint64_t back =
        deja__chain_fold(low ^ UINT64_C(0xdb979083e96dd4de), high ^ UINT64_C(0x1f67b3b7a4a44072));
    return deja__chain_spread(UINT64_C(20) * UINT64_C(0x9e3779b185ebca87) + front + back);
}

/* XXH3-64 of 16 bytes. */
static inline uint64_t deja__event_chain_step(uint64_t chain, uint64_t event_hash)
{
    const uint64_t low = chain ^ UINT64_C(0x6782737bea4239b9);
    const uint64_t high = event_hash ^ UINT64_C(0xaf56bc3b0996523a);
    return deja__chain_spread(UINT64_C(16) + __builtin_bswap64(low) + high +
                              deja__chain_fold(low, high));
}

#else

static inline uint64_t deja__chain_step(uint64_t chain, uint64_t hash, uint32_t result)
{
    return deja__chain_next(chain, hash, result);
}

static inline uint64_t deja__event_chain_step(uint64_t chain, uint64_t event_hash)
{
    return deja__event_chain_next(chain, event_hash);
}

#endif

#endif
