/* SPDX-License-Identifier: MIT */
/*
 * What everything else stands on: failing with a message, little-endian bytes, printing into
 * buffers, hashes, limits. Depends on nothing but libc and xxHash.
 *
 * Inside the library a failing call is one line:
 *
 *     return deja__fail(err, DEJA_EFORMAT, "'%s' is not a name", name);
 */
#ifndef DEJA_BASE_BASE_H
#define DEJA_BASE_BASE_H

#include <deja/buffer.h>
#include <deja/error.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__)
#define DEJA__PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define DEJA__PRINTF(text, first)
#endif

/* ---- limits: nothing in a file or a library makes deja allocate more than these say ---- */

enum {
    DEJA__NAME_MAX = 63,               /* characters of a field's, kind's or refusal's name */
    DEJA__NAMES_MAX = 4096,            /* names of one enumeration or kind */
    DEJA__DEPTH_MAX = 32,              /* structs in structs */
    DEJA__LAYOUT_TEXT_MAX = 64 * 1024, /* bytes of one type's layout as text */
    DEJA__BLOCK_STEPS = 16384,         /* steps of one stored block; chains are kept at these */
    DEJA__TRAIL_LINE = 1024            /* steps of one trail line of a replay text */
};
#define DEJA__VALUE_SIZE_MAX ((uint64_t)1 << 30)   /* bytes of one canonical value */
#define DEJA__COMMAND_SIZE_MAX ((uint64_t)1 << 24) /* bytes of one canonical command */

/* ---- failing ---- */

/* Fills in *err (where there is one) with step DEJA_STEP_NONE; returns `code`. */
deja_code deja__fail(deja_error *err, deja_code code, const char *format, ...) DEJA__PRINTF(3, 4);
/* The same at a step. */
deja_code deja__fail_at(deja_error *err, deja_code code, uint64_t step, const char *format, ...)
    DEJA__PRINTF(4, 5);
/* Puts "context: " before the message that is there; returns err->code. */
deja_code deja__fail_within(deja_error *err, deja_code code, const char *format, ...)
    DEJA__PRINTF(3, 4);
deja_code deja__fail_memory(deja_error *err);

/* ---- printing ---- */

/* printf into a buffer. Never for floats: printf follows the locale. */
bool deja__print(deja_buffer *buffer, const char *format, ...) DEJA__PRINTF(2, 3);
/* So many lower-case hex digits of a number, or of bytes. */
bool deja__print_hex(deja_buffer *buffer, uint64_t number, uint32_t digits);
bool deja__print_hex_bytes(deja_buffer *buffer, const void *bytes, uint64_t size);
/* A JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD. */
bool deja__print_json(deja_buffer *buffer, const char *chars, uint64_t size);
/* The shortest decimal that reads back to the same float; nan, inf, -inf. Whatever the locale. */
bool deja__print_f64(deja_buffer *buffer, double number);
bool deja__print_f32(deja_buffer *buffer, float number);

/* ---- reading ---- */

/* A whole decimal: digits only, no sign, no leading zero. false: not one, or above `max`. */
bool deja__read_u64(const char *chars, uint64_t size, uint64_t max, uint64_t *number);
/* Exactly `digits` lower-case hex digits. */
bool deja__read_hex(const char *chars, uint32_t digits, uint64_t *number);
bool deja__read_hex_bytes(const char *chars, uint64_t size, void *bytes);
/* A decimal float as print_f64 writes it, also any that strtod takes in the C locale. */
bool deja__read_f64(const char *chars, uint64_t size, double *number);
/* Sound UTF-8 without NUL. */
bool deja__is_utf8(const void *bytes, uint64_t size);
/* [A-Za-z_][A-Za-z0-9_-]* of at most DEJA__NAME_MAX. */
bool deja__is_name(const char *chars, uint64_t size);

/* ---- spans of bytes ---- */

static inline deja_span deja__span(const deja_buffer *buffer)
{
    return (deja_span){ buffer->bytes, buffer->size };
}
static inline bool deja__same(deja_span a, deja_span b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.bytes, b.bytes, (size_t)a.size) == 0);
}

/* ---- little-endian bytes ---- */

static inline uint16_t deja__load16(const unsigned char *source)
{
    return (uint16_t)(source[0] | source[1] << 8);
}
static inline uint32_t deja__load32(const unsigned char *source)
{
    return (uint32_t)source[0] | (uint32_t)source[1] << 8 | (uint32_t)source[2] << 16 |
           (uint32_t)source[3] << 24;
}
static inline uint64_t deja__load64(const unsigned char *source)
{
    return (uint64_t)deja__load32(source) | (uint64_t)deja__load32(source + 4) << 32;
}
static inline void deja__store16(unsigned char *target, uint16_t value)
{
    target[0] = (unsigned char)value;
    target[1] = (unsigned char)(value >> 8);
}
static inline void deja__store32(unsigned char *target, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        target[i] = (unsigned char)(value >> (8 * i));
}
static inline void deja__store64(unsigned char *target, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        target[i] = (unsigned char)(value >> (8 * i));
}

/* A number that other sources of the library do not have, more or less. */
uint32_t deja__sources(void);

/* ---- hashes ---- */

/* XXH3-64 with seed 0. */
uint64_t deja__hash64(const void *bytes, uint64_t size);
/* The sum mod 2^64 of XXH3-64(block i, seed i) over blocks of 64 bytes from 0. */
uint64_t deja__hash_blocks(const void *bytes, uint64_t size);
/* XXH3-128 in its canonical (big-endian) bytes. */
void deja__hash128(const void *bytes, uint64_t size, unsigned char digest[16]);

/* chain(0) = XXH3-64(hash 0); see schemas/hashes.md. */
uint64_t deja__chain_start(uint64_t hash);
/* chain(n) = XXH3-64(chain(n-1), hash n, result n), as 8 + 8 + 4 little-endian bytes. */
uint64_t deja__chain_next(uint64_t chain, uint64_t hash, uint32_t result);
/* The event chain: start over no events; next over a step's event hash, as 8 + 8 bytes. */
uint64_t deja__event_chain_start(void);
uint64_t deja__event_chain_next(uint64_t chain, uint64_t event_hash);
/* A step's event hash: XXH3-64 of the u32 count and the events' canonical bytes for hashing, one
 * behind another. This one is of no events. */
uint64_t deja__event_hash_none(void);

/* The low `bits` (8, 16, 32 or 64) of a hash. */
static inline uint64_t deja__cut(uint64_t hash, uint32_t bits)
{
    return bits == 64 ? hash : hash & (((uint64_t)1 << bits) - 1);
}

#endif
