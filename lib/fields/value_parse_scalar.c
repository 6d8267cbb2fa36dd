/* SPDX-License-Identifier: MIT */
/*
 * Single scalars from text. Strict: one spelling for each number, nothing cut to fit, no integer
 * ever through a double; whoever types 2^64, 007 or +7 hears which field it was and what it takes.
 */
#include "fields/value_parse.h"

#include "base/nearest.h"

#include <float.h>
#include <stdio.h>

uint64_t deja__token_size(const deja__parser *p)
{
    const char *at = p->at;
    while (at < p->end && *at && !strchr(" \t,={}[]\"#", *at))
        at++;
    return (uint64_t)(at - p->at);
}

const char *deja__hint(const char *word, uint64_t size, const char *const *names, uint32_t count,
                       char hint[DEJA__HINT_SIZE])
{
    enum { LISTED = 8 };
    const char *nearest = deja__nearest_of(word, size, names, count);
    hint[0] = 0;
    if (nearest) {
        snprintf(hint, DEJA__HINT_SIZE, "; the nearest is '%s'", nearest);
        return hint;
    }
    size_t used = 0;
    for (uint32_t i = 0; i < count && count <= LISTED; i++) {
        const size_t room = DEJA__HINT_SIZE - used;
        const char *before = i > 0 ? ", " : count > 1 ? "; there are " : "; there is ";
        const int written = snprintf(hint + used, room, "%s%s", before, names[i]);
        if (written < 0 || (size_t)written >= room) {
            hint[0] = 0;
            return hint;
        }
        used += (size_t)written;
    }
    return hint;
}

/* A word, cut for a message. */
typedef struct shown {
    char text[DEJA__WORD_SIZE];
} shown;

static const char *show(const char *chars, uint64_t size, shown *word)
{
    return deja__word(chars, size, word->text);
}

static bool append_number(deja__parser *p, uint64_t number, uint64_t size)
{
    unsigned char bytes[8];
    deja__store_low(bytes, size, number);
    return deja__parse_append(p, bytes, size);
}

/* ---- integers ---- */

static bool all_digits(const char *chars, uint64_t size)
{
    for (uint64_t i = 0; i < size; i++)
        if (chars[i] < '0' || chars[i] > '9')
            return false;
    return size > 0;
}

static bool parse_integer(deja__parser *p, const deja__node *node, const char *token, uint64_t size,
                          const deja__path *path)
{
    shown word;
    const bool negative = token[0] == '-';
    const char *digits = token + (negative ? 1 : 0);
    const uint64_t digit_count = size - (negative ? 1 : 0);
    if (!all_digits(digits, digit_count) || (digits[0] == '0' && (digit_count > 1 || negative))) {
        p->code = deja__fail_value(p->err, DEJA_EFORMAT, path, "'%s' is not a whole number",
                                   show(token, size, &word));
        return false;
    }
    const uint32_t bits = 8 * (uint32_t)node->size_min;
    const uint64_t half = (uint64_t)1 << (bits - 1);
    const bool is_signed = deja__is_signed(node->kind);
    const uint64_t highest = is_signed ? half - 1 : half - 1 + half;
    const uint64_t lowest = is_signed ? half : 0; /* below zero */
    uint64_t number;
    if (!deja__read_u64(digits, digit_count, negative ? lowest : highest, &number)) {
        p->code = deja__fail_value(
            p->err, DEJA_EFORMAT, path, "'%s' is out of range: %s goes from %s%llu to %llu",
            show(token, size, &word), deja__kind_word(node->kind), lowest ? "-" : "",
            (unsigned long long)lowest, (unsigned long long)highest);
        return false;
    }
    return append_number(p, negative ? 0 - number : number, node->size_min);
}

/* ---- floats ---- */

static uint32_t float_bits(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* Rounding twice, to double and then to float, is wrong where the double lies in the middle of two
 * floats and the decimal does not. Then the float whose decimal this is wins. */
static uint32_t narrow(double number, const char *token, uint64_t size)
{
    const float rounded = (float)number;
    const uint32_t bits = float_bits(rounded);
    if ((double)rounded == number)
        return bits;
    const bool away = (number < 0 ? -number : number) > (double)(rounded < 0 ? -rounded : rounded);
    const uint32_t other_bits = away ? bits + 1 : bits - 1;
    float other;
    memcpy(&other, &other_bits, sizeof other);
    if ((double)rounded - number != number - (double)other)
        return bits;
    deja_buffer text = { 0 };
    deja__print_f32(&text, other);
    const bool is_other = text.size == size && memcmp(text.bytes, token, (size_t)size) == 0;
    deja_buffer_release(&text);
    return is_other ? other_bits : bits;
}

static bool parse_float(deja__parser *p, const deja__node *node, const char *token, uint64_t size,
                        const deja__path *path)
{
    shown word;
    const double f32_limit = (double)FLT_MAX;
    double number = 0;
    bool fits = token[0] != '+' && deja__read_f64(token, size, &number);
    const bool finite = number - number == 0;
    if (node->kind == DEJA_F32 && finite && (number > f32_limit || number < -f32_limit))
        fits = false;
    if (!fits) {
        p->code = deja__fail_value(p->err, DEJA_EFORMAT, path, "'%s' is no number that %s holds",
                                   show(token, size, &word), deja__kind_word(node->kind));
        return false;
    }
    if (number != number)
        return node->kind == DEJA_F32 ? append_number(p, 0x7fc00000, 4)
                                      : append_number(p, 0x7ff8000000000000, 8);
    if (node->kind == DEJA_F32)
        return append_number(p, finite ? narrow(number, token, size) : float_bits((float)number),
                             4);
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return append_number(p, bits, 8);
}

/* ---- names ---- */

static bool find_name(const deja__node *node, const char *word, uint64_t size, uint32_t *place)
{
    for (uint32_t i = 0; i < node->name_count; i++) {
        if (strlen(node->names[i]) == size && memcmp(node->names[i], word, (size_t)size) == 0) {
            *place = i;
            return true;
        }
    }
    return false;
}

static bool unknown_name(deja__parser *p, const deja__node *node, const char *word, uint64_t size,
                         const deja__path *path)
{
    shown cut;
    char hint[DEJA__HINT_SIZE];
    p->code = deja__fail_value(
        p->err, DEJA_EFORMAT, path, "there is no '%s'%s", show(word, size, &cut),
        deja__hint(word, size, (const char *const *)node->names, node->name_count, hint));
    return false;
}

static bool parse_enum(deja__parser *p, const deja__node *node, const char *token, uint64_t size,
                       const deja__path *path)
{
    uint32_t place;
    if (!find_name(node, token, size, &place))
        return unknown_name(p, node, token, size, path);
    return append_number(p, place, 2);
}

static bool parse_flags(deja__parser *p, const deja__node *node, const char *token, uint64_t size,
                        const deja__path *path)
{
    shown word;
    uint32_t bits = 0;
    const char *end = token + size;
    if (size == 1 && token[0] == '-')
        return append_number(p, 0, 4);
    for (const char *at = token;; at++) {
        const char *start = at;
        uint32_t place;
        while (at < end && *at != '+')
            at++;
        if (!find_name(node, start, (uint64_t)(at - start), &place))
            return unknown_name(p, node, start, (uint64_t)(at - start), path);
        if (bits >> place & 1) {
            p->code = deja__fail_value(p->err, DEJA_EFORMAT, path, "'%s' is there twice",
                                       show(start, (uint64_t)(at - start), &word));
            return false;
        }
        bits |= (uint32_t)1 << place;
        if (at == end)
            return append_number(p, bits, 4);
    }
}

static bool parse_bool(deja__parser *p, const char *token, uint64_t size, const deja__path *path)
{
    shown word;
    if (size == 4 && memcmp(token, "true", 4) == 0)
        return append_number(p, 1, 1);
    if (size == 5 && memcmp(token, "false", 5) == 0)
        return append_number(p, 0, 1);
    p->code = deja__fail_value(p->err, DEJA_EFORMAT, path, "'%s' is neither true nor false",
                               show(token, size, &word));
    return false;
}

/* ---- bytes and luck ---- */

static bool parse_bytes(deja__parser *p, const deja__node *node, const char *token, uint64_t size,
                        const deja__path *path)
{
    const uint64_t start = p->out->size;
    if (size == 2 * node->count) {
        unsigned char *bytes = deja_buffer_extend(p->out, node->count);
        if (!bytes) {
            p->code = deja__fail_memory(p->err);
            return false;
        }
        if (deja__read_hex_bytes(token, node->count, bytes))
            return true;
        deja__buffer_cut(p->out, start);
    }
    shown word;
    p->code = deja__fail_value(p->err, DEJA_EFORMAT, path, "'%s' is not %llu lower-case hex digits",
                               show(token, size, &word), 2 * (unsigned long long)node->count);
    return false;
}

static bool parse_rng(deja__parser *p, const char *token, uint64_t size, const deja__path *path)
{
    uint64_t words[3];
    bool sound = size == 50 && token[16] == '.' && token[33] == '.';
    for (uint32_t i = 0; i < 3 && sound; i++)
        sound = deja__read_hex(token + 17 * (size_t)i, 16, &words[i]);
    if (!sound) {
        shown word;
        p->code = deja__fail_value(p->err, DEJA_EFORMAT, path,
                                   "'%s' is not luck: three times 16 hex digits, joined by dots",
                                   show(token, size, &word));
        return false;
    }
    for (uint32_t i = 0; i < 3; i++)
        if (!append_number(p, words[i], 8))
            return false;
    return true;
}

/* ---- any of them ---- */

bool deja__parse_scalar(deja__parser *p, const deja__node *node, const deja__path *path)
{
    if (node->kind == DEJA_TEXT)
        return deja__parse_text(p, node, path);
    const char *token = p->at;
    const uint64_t size = deja__token_size(p);
    if (size == 0) {
        const char *wanted = deja__kind_word(node->kind);
        p->code =
            p->at < p->end && *p->at == '"'
                ? deja__fail_value(p->err, DEJA_EFORMAT, path, "text where %s belongs", wanted)
                : deja__fail_value(p->err, DEJA_EFORMAT, path, "a value is missing (%s)", wanted);
        return false;
    }
    p->at += size;
    switch (node->kind) {
    case DEJA_BOOL:
        return parse_bool(p, token, size, path);
    case DEJA_F32:
    case DEJA_F64:
        return parse_float(p, node, token, size, path);
    case DEJA_ENUM:
        return parse_enum(p, node, token, size, path);
    case DEJA_FLAGS:
        return parse_flags(p, node, token, size, path);
    case DEJA_BYTES:
        return parse_bytes(p, node, token, size, path);
    case DEJA_RNG:
        return parse_rng(p, token, size, path);
    default:
        return parse_integer(p, node, token, size, path);
    }
}
