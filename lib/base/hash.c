/* SPDX-License-Identifier: MIT */
/*
 * The hashes that stored recordings rest on: XXH3, whose output is fixed since xxHash 0.8.0, over
 * little-endian bytes. Normative: schemas/hashes.md.
 */
#include "base/base.h"
#include "base/xxh3.h"

uint64_t deja__hash64(const void *bytes, uint64_t size)
{
    return XXH3_64bits(bytes, (size_t)size);
}

uint64_t deja__hash_blocks(const void *bytes, uint64_t size)
{
    const unsigned char *source = bytes;
    uint64_t sum = 0;
    for (uint64_t i = 0; i * 64 < size; i++) {
        const uint64_t rest = size - i * 64;
        sum += XXH3_64bits_withSeed(source + i * 64, rest < 64 ? (size_t)rest : 64, i);
    }
    return sum;
}

void deja__hash128(const void *bytes, uint64_t size, unsigned char digest[16])
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes, (size_t)size));
    memcpy(digest, canonical.digest, 16);
}

uint64_t deja__chain_start(uint64_t hash)
{
    unsigned char bytes[8];
    deja__store64(bytes, hash);
    return XXH3_64bits(bytes, sizeof bytes);
}

uint64_t deja__chain_next(uint64_t chain, uint64_t hash, uint32_t result)
{
    unsigned char bytes[20];
    deja__store64(bytes, chain);
    deja__store64(bytes + 8, hash);
    deja__store32(bytes + 16, result);
    return XXH3_64bits(bytes, sizeof bytes);
}

uint64_t deja__event_hash_none(void)
{
    return XXH3_64bits("\0\0\0", 4);
}

uint64_t deja__event_chain_start(void)
{
    return deja__chain_start(deja__event_hash_none());
}

uint64_t deja__event_chain_next(uint64_t chain, uint64_t event_hash)
{
    unsigned char bytes[16];
    deja__store64(bytes, chain);
    deja__store64(bytes + 8, event_hash);
    return XXH3_64bits(bytes, sizeof bytes);
}
