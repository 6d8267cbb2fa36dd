/* SPDX-License-Identifier: MIT */
/*
 * Text on its way out.
 *
 * What a store, a replay text or a library holds may come from a stranger, so nothing of it reaches
 * a terminal that steers it: control characters (the C1 ones too), the marks that turn text round,
 * characters without a width, line ends of every kind, and bytes that are no UTF-8. A backslash
 * stays as it is: values print their own escapes already, and a path is to be copied.
 */
#include "output.h"

#include <stdio.h>
#include <string.h>

uint32_t text_character(const char *at, uint64_t size, uint32_t *code)
{
    static const uint32_t least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char *bytes = (const unsigned char *)at;
    if (size == 0)
        return 0;
    *code = bytes[0];
    if (bytes[0] < 0x80)
        return 1;
    const uint32_t count = bytes[0] >= 0xf0 ? 4 : bytes[0] >= 0xe0 ? 3 : 2;
    if (bytes[0] < 0xc2 || bytes[0] > 0xf4 || count > size)
        return 0;
    *code = bytes[0] & (0x7fu >> count);
    for (uint32_t i = 1; i < count; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (bytes[i] & 0x3fu);
    }
    if (*code < least[count] || *code > 0x10ffff || (*code >= 0xd800 && *code <= 0xdfff))
        return 0;
    return count;
}

bool text_is_steering(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0xad || code == 0x61c ||
           (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2060 && code <= 0x206f) || code == 0xfeff ||
           (code >= 0xfff9 && code <= 0xfffb) || (code >= 0xe0000 && code <= 0xe007f);
}

static void escape_one(deja_buffer *out, uint32_t code, uint32_t count)
{
    char text[16];
    if (count == 1 && code == '\n')
        snprintf(text, sizeof text, "\\n");
    else if (count == 1 && code == '\t')
        snprintf(text, sizeof text, "\\t");
    else if (code > 0xffff)
        snprintf(text, sizeof text, "\\U%08x", (unsigned)code);
    else if (count > 1)
        snprintf(text, sizeof text, "\\u%04x", (unsigned)code);
    else
        snprintf(text, sizeof text, "\\x%02x", (unsigned)code);
    deja_buffer_text(out, text);
}

void text_escape(deja_buffer *out, const char *text, uint64_t size)
{
    while (size != 0) {
        uint32_t code;
        const uint32_t count = text_character(text, size, &code);
        if (count == 0)
            escape_one(out, (unsigned char)*text, 1);
        else if (text_is_steering(code))
            escape_one(out, code, count);
        else
            deja_buffer_add(out, text, count);
        text += count ? count : 1;
        size -= count ? count : 1;
    }
}

/* Moves to where a character begins: what is cut within one would be shown as broken. */
static size_t character_start(const char *word, size_t at, int direction)
{
    while (at != 0 && ((unsigned char)word[at] & 0xc0) == 0x80)
        at = direction < 0 ? at - 1 : at + 1;
    return at;
}

const char *text_typed(const char *word)
{
    enum { PLACES = 8, WHOLE = 160, FRONT = 100, BACK = 50 };
    static char places[PLACES][WHOLE];
    static uint32_t turn;
    const size_t size = strlen(word);
    if (size < WHOLE)
        return word;
    char *place = places[turn++ % PLACES];
    const size_t front = character_start(word, FRONT, -1);
    const size_t back = character_start(word, size - BACK, 1);
    snprintf(place, WHOLE, "%.*s...%.*s", (int)front, word, BACK, word + back);
    return place;
}

void text_quote(deja_buffer *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./+,:@%=";
    if (*word && word[strspn(word, plain)] == '\0') {
        deja_buffer_text(out, word);
        return;
    }
    deja_buffer_char(out, '\'');
    for (; *word; word++)
        if (*word == '\'')
            deja_buffer_text(out, "'\\''");
        else
            deja_buffer_char(out, *word);
    deja_buffer_char(out, '\'');
}

const char *text_count(uint64_t number)
{
    enum { PLACES = 8, DIGITS = 32 };
    static char places[PLACES][DIGITS];
    static uint32_t turn;
    char *place = places[turn++ % PLACES];
    char *at = place + DIGITS - 1;
    uint32_t digits = 0;

    *at = '\0';
    do {
        if (digits != 0 && digits % 3 == 0)
            *--at = ',';
        *--at = (char)('0' + number % 10);
        number /= 10;
        digits++;
    } while (number != 0);
    return at;
}
