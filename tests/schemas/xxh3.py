# SPDX-License-Identifier: MIT
"""XXH3 in plain Python, from its specification: 64 and 128 bits, the default secret.

Slow and short, and it shares nothing with the library that the store is written with. A seed is
taken for inputs of up to 240 bytes, which is all that a store uses one for.
"""

import struct

M32 = (1 << 32) - 1
M64 = (1 << 64) - 1
P32_1, P32_2, P32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
P64_1, P64_2, P64_3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P64_4, P64_5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
MX1, MX2 = 0x165667919E3779F9, 0x9FB21C651E98DF25

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)
SECRET_MIN = 136  # what inputs of middling size use of it


def u32(data, at):
    return struct.unpack_from("<I", data, at)[0]


def u64(data, at):
    return struct.unpack_from("<Q", data, at)[0]


def key(at):
    return u64(SECRET, at)


def swap32(x):
    return int.from_bytes(x.to_bytes(4, "little"), "big")


def swap64(x):
    return int.from_bytes(x.to_bytes(8, "little"), "big")


def rotl64(x, by):
    return (x << by | x >> (64 - by)) & M64


def rotl32(x, by):
    return (x << by | x >> (32 - by)) & M32


def fold(a, b):
    product = a * b
    return (product & M64) ^ (product >> 64)


def avalanche(x):
    x ^= x >> 37
    x = x * MX1 & M64
    return x ^ x >> 32


def avalanche64(x):
    x ^= x >> 33
    x = x * P64_2 & M64
    x ^= x >> 29
    x = x * P64_3 & M64
    return x ^ x >> 32


def mix16(data, at, secret_at, seed):
    low = u64(data, at) ^ (key(secret_at) + seed & M64)
    high = u64(data, at + 8) ^ (key(secret_at + 8) - seed & M64)
    return fold(low, high)


# ---- inputs of more than 240 bytes ----


def accumulate(acc, data, at, secret_at):
    for i in range(8):
        value = u64(data, at + 8 * i)
        keyed = value ^ key(secret_at + 8 * i)
        acc[i ^ 1] = acc[i ^ 1] + value & M64
        acc[i] = acc[i] + (keyed & M32) * (keyed >> 32) & M64


def scramble(acc):
    for i in range(8):
        acc[i] ^= acc[i] >> 47
        acc[i] ^= key(len(SECRET) - 64 + 8 * i)
        acc[i] = acc[i] * P32_1 & M64


def long_accumulators(data):
    acc = [P32_3, P64_1, P64_2, P64_3, P64_4, P32_2, P64_5, P32_1]
    size = len(data)
    stripes = (len(SECRET) - 64) // 8
    block = 64 * stripes
    blocks = (size - 1) // block
    for b in range(blocks):
        for s in range(stripes):
            accumulate(acc, data, b * block + 64 * s, 8 * s)
        scramble(acc)
    for s in range((size - 1 - block * blocks) // 64):
        accumulate(acc, data, blocks * block + 64 * s, 8 * s)
    accumulate(acc, data, size - 64, len(SECRET) - 64 - 7)
    return acc


def merge(acc, secret_at, start):
    result = start
    for i in range(4):
        result += fold(
            acc[2 * i] ^ key(secret_at + 16 * i), acc[2 * i + 1] ^ key(secret_at + 16 * i + 8)
        )
    return avalanche(result & M64)


# ---- 64 bits ----


def xxh3_64(data, seed=0):
    size = len(data)
    if size == 0:
        return avalanche64(seed ^ key(56) ^ key(64))
    if size < 4:
        return avalanche64(spread_tiny(data) ^ ((u32(SECRET, 0) ^ u32(SECRET, 4)) + seed & M64))
    if size <= 8:
        seed ^= swap32(seed & M32) << 32
        value = u32(data, size - 4) + (u32(data, 0) << 32)
        value ^= (key(8) ^ key(16)) - seed & M64
        value ^= rotl64(value, 49) ^ rotl64(value, 24)
        value = value * MX2 & M64
        value ^= (value >> 35) + size
        value = value * MX2 & M64
        return value ^ value >> 28
    if size <= 16:
        low = u64(data, 0) ^ ((key(24) ^ key(32)) + seed & M64)
        high = u64(data, size - 8) ^ ((key(40) ^ key(48)) - seed & M64)
        return avalanche(size + swap64(low) + high + fold(low, high) & M64)
    acc = size * P64_1 & M64
    if size <= 128:
        for i in range((size - 1) // 32, -1, -1):
            acc += mix16(data, 16 * i, 32 * i, seed)
            acc += mix16(data, size - 16 * (i + 1), 32 * i + 16, seed)
        return avalanche(acc & M64)
    if size <= 240:
        for i in range(8):
            acc += mix16(data, 16 * i, 16 * i, seed)
        acc = avalanche(acc & M64)
        for i in range(8, size // 16):
            acc += mix16(data, 16 * i, 16 * (i - 8) + 3, seed)
        acc += mix16(data, size - 16, SECRET_MIN - 17, seed)
        return avalanche(acc & M64)
    assert seed == 0
    return merge(long_accumulators(data), 11, size * P64_1 & M64)


def spread_tiny(data):
    size = len(data)
    return data[0] << 16 | data[size >> 1] << 24 | data[size - 1] | size << 8


# ---- 128 bits ----


def mix32(acc, data, first, second, secret_at):
    low, high = acc
    low = low + mix16(data, first, secret_at, 0) & M64
    low ^= u64(data, second) + u64(data, second + 8) & M64
    high = high + mix16(data, second, secret_at + 16, 0) & M64
    high ^= u64(data, first) + u64(data, first + 8) & M64
    return low, high


def finish_mixed(acc, size):
    low, high = acc
    mixed = low * P64_1 + high * P64_4 + size * P64_2 & M64
    return avalanche(low + high & M64), -avalanche(mixed) & M64


def halves(data):
    """The low and the high 64 bits."""
    size = len(data)
    if size == 0:
        return avalanche64(key(64) ^ key(72)), avalanche64(key(80) ^ key(88))
    if size < 4:
        low = spread_tiny(data)
        high = rotl32(swap32(low), 13)
        return (
            avalanche64(low ^ u32(SECRET, 0) ^ u32(SECRET, 4)),
            avalanche64(high ^ u32(SECRET, 8) ^ u32(SECRET, 12)),
        )
    if size <= 8:
        value = u32(data, 0) + (u32(data, size - 4) << 32)
        product = (value ^ key(16) ^ key(24)) * (P64_1 + (size << 2))
        low, high = product & M64, product >> 64 & M64
        high = high + (low << 1) & M64
        low ^= high >> 3
        low ^= low >> 35
        low = low * MX2 & M64
        return low ^ low >> 28, avalanche(high)
    if size <= 16:
        first, last = u64(data, 0), u64(data, size - 8)
        product = (first ^ last ^ key(32) ^ key(40)) * P64_1
        low, high = product & M64, product >> 64
        low = low + (size - 1 << 54) & M64
        last ^= key(48) ^ key(56)
        high = high + last + (last & M32) * (P32_2 - 1) & M64
        low ^= swap64(high)
        product = low * P64_2
        return avalanche(product & M64), avalanche((product >> 64) + high * P64_2 & M64)
    acc = (size * P64_1 & M64, 0)
    if size <= 128:
        for i in range((size - 1) // 32, -1, -1):
            acc = mix32(acc, data, 16 * i, size - 16 * (i + 1), 32 * i)
        return finish_mixed(acc, size)
    if size <= 240:
        for i in range(4):
            acc = mix32(acc, data, 32 * i, 32 * i + 16, 32 * i)
        acc = avalanche(acc[0]), avalanche(acc[1])
        for i in range(4, size // 32):
            acc = mix32(acc, data, 32 * i, 32 * i + 16, 3 + 32 * (i - 4))
        acc = mix32(acc, data, size - 16, size - 32, SECRET_MIN - 17 - 16)
        return finish_mixed(acc, size)
    acc = long_accumulators(data)
    return (
        merge(acc, 11, size * P64_1 & M64),
        merge(acc, len(SECRET) - 64 - 11, ~(size * P64_2) & M64),
    )


def xxh3_128(data):
    """The canonical bytes: big-endian."""
    low, high = halves(data)
    return high.to_bytes(8, "big") + low.to_bytes(8, "big")
