/* SPDX-License-Identifier: MIT */
/*
 * Printing and reading what has one spelling everywhere: hex, JSON strings, floats, numbers, names.
 *
 * Floats: the shortest decimal that reads back. printf and strtod follow the locale of the thread,
 * which is the host program's; so both run here under a C locale that is put in place for the call.
 */
#include "base/base.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool deja__print_hex(deja_buffer *buffer, uint64_t number, uint32_t digits)
{
    char text[16];
    if (digits > sizeof text)
        digits = sizeof text;
    for (uint32_t i = digits; i-- > 0; number >>= 4)
        text[i] = "0123456789abcdef"[number & 15];
    return deja_buffer_add(buffer, text, digits);
}

bool deja__print_hex_bytes(deja_buffer *buffer, const void *bytes, uint64_t size)
{
    const unsigned char *source = bytes;
    if (!deja_buffer_reserve(buffer, size * 2))
        return false;
    for (uint64_t i = 0; i < size; i++)
        deja__print_hex(buffer, source[i], 2);
    return !buffer->failed;
}

/* ---- UTF-8 ---- */

/* The size of the sound character at `at`, or 0. */
static uint32_t utf8_size(const unsigned char *at, const unsigned char *end)
{
    const uint64_t room = (uint64_t)(end - at);
    if (at[0] < 0x80)
        return 1;
    if (at[0] < 0xc2 || at[0] > 0xf4)
        return 0;
    const uint32_t size = at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    if (room < size)
        return 0;
    for (uint32_t i = 1; i < size; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
        (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f))
        return 0;
    return size;
}

bool deja__is_utf8(const void *bytes, uint64_t size)
{
    const unsigned char *at = bytes;
    const unsigned char *end = at + size;
    while (at < end) {
        const uint32_t one = *at ? utf8_size(at, end) : 0;
        if (!one)
            return false;
        at += one;
    }
    return true;
}

bool deja__print_json(deja_buffer *buffer, const char *chars, uint64_t size)
{
    const unsigned char *at = (const unsigned char *)chars;
    const unsigned char *end = at + size;
    deja_buffer_char(buffer, '"');
    while (at < end) {
        const uint32_t one = utf8_size(at, end);
        if (one == 0)
            deja_buffer_text(buffer, "\xef\xbf\xbd");
        else if (one > 1)
            deja_buffer_add(buffer, at, one);
        else if (*at == '"' || *at == '\\')
            deja__print(buffer, "\\%c", *at);
        else if (*at == '\n')
            deja_buffer_text(buffer, "\\n");
        else if (*at == '\t')
            deja_buffer_text(buffer, "\\t");
        else if (*at < 0x20 || *at == 0x7f)
            deja__print(buffer, "\\u%04x", *at);
        else
            deja_buffer_char(buffer, (char)*at);
        at += one ? one : 1;
    }
    return deja_buffer_char(buffer, '"');
}

/* ---- floats ---- */

/* snprintf and strtod as they are in the C locale. false where there is none to be had. */
static bool in_c_locale(locale_t *old, locale_t *plain)
{
    *plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (*plain == (locale_t)0)
        return false;
    *old = uselocale(*plain);
    return true;
}

static void out_of_c_locale(locale_t old, locale_t plain)
{
    uselocale(old);
    freelocale(plain);
}

static bool print_shortest(deja_buffer *buffer, double number, bool narrow)
{
    if (isnan(number))
        return deja_buffer_text(buffer, "nan");
    if (isinf(number))
        return deja_buffer_text(buffer, number < 0 ? "-inf" : "inf");
    locale_t old, plain;
    if (!in_c_locale(&old, &plain)) {
        buffer->failed = true;
        return false;
    }
    char text[40];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (narrow ? (double)strtof(text, NULL) == number : strtod(text, NULL) == number)
            break;
    }
    out_of_c_locale(old, plain);
    deja_buffer_text(buffer, text);
    if (!strpbrk(text, ".e"))
        deja_buffer_text(buffer, ".0");
    return !buffer->failed;
}

bool deja__print_f64(deja_buffer *buffer, double number)
{
    return print_shortest(buffer, number, false);
}

bool deja__print_f32(deja_buffer *buffer, float number)
{
    return print_shortest(buffer, (double)number, true);
}

bool deja__read_f64(const char *chars, uint64_t size, double *number)
{
    char text[400];
    if (size == 0 || size >= sizeof text)
        return false;
    memcpy(text, chars, (size_t)size);
    text[size] = 0;
    if (strcmp(text, "nan") == 0 || strcmp(text, "inf") == 0 || strcmp(text, "-inf") == 0) {
        *number = text[0] == 'n' ? (double)NAN : text[0] == 'i' ? HUGE_VAL : -HUGE_VAL;
        return true;
    }
    if (strspn(text, "0123456789+-.eE") != size)
        return false;
    locale_t old, plain;
    if (!in_c_locale(&old, &plain))
        return false;
    char *end = NULL;
    *number = strtod(text, &end);
    out_of_c_locale(old, plain);
    return end == text + size && end != text && !isinf(*number);
}

/* ---- numbers and names ---- */

bool deja__read_u64(const char *chars, uint64_t size, uint64_t max, uint64_t *number)
{
    if (size == 0 || size > 20 || (chars[0] == '0' && size > 1))
        return false;
    uint64_t value = 0;
    for (uint64_t i = 0; i < size; i++) {
        if (chars[i] < '0' || chars[i] > '9')
            return false;
        const uint64_t digit = (uint64_t)(chars[i] - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *number = value;
    return value <= max;
}

static int hex_digit(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if (digit >= 'a' && digit <= 'f')
        return digit - 'a' + 10;
    return -1;
}

bool deja__read_hex(const char *chars, uint32_t digits, uint64_t *number)
{
    uint64_t value = 0;
    if (digits == 0 || digits > 16)
        return false;
    for (uint32_t i = 0; i < digits; i++) {
        const int digit = hex_digit(chars[i]);
        if (digit < 0)
            return false;
        value = value << 4 | (uint64_t)digit;
    }
    *number = value;
    return true;
}

bool deja__read_hex_bytes(const char *chars, uint64_t size, void *bytes)
{
    unsigned char *target = bytes;
    for (uint64_t i = 0; i < size; i++) {
        uint64_t byte;
        if (!deja__read_hex(chars + 2 * i, 2, &byte))
            return false;
        target[i] = (unsigned char)byte;
    }
    return true;
}

bool deja__is_name(const char *chars, uint64_t size)
{
    if (size == 0 || size > DEJA__NAME_MAX)
        return false;
    for (uint64_t i = 0; i < size; i++) {
        const char c = chars[i];
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        const bool later = (c >= '0' && c <= '9') || c == '-';
        if (!letter && !(later && i > 0))
            return false;
    }
    return true;
}
