/* SPDX-License-Identifier: MIT */
/*
 * The garden's numbers as people write them down: the content `garden`. A part of garden.c; static,
 * as a rules library exports one constant and nothing else.
 *
 *     // A long row, and little luck.
 *     (
 *         plots: 8,
 *         seeds: 12,
 *         grow_percent: 60,
 *     )
 *
 * A key, a colon and a whole number, as often as wanted and in any order, but none of them twice;
 * what is not there stays as it was. The brackets and the commas may be left out. Blanks, tabs and
 * ends of lines may stand anywhere between words, and `//` begins a comment up to the end of its
 * line. Everything else is no such text, a number above 4,294,967,295 too.
 */
#ifndef DEJA_GAMES_GARDEN_NUMBERS_H
#define DEJA_GAMES_GARDEN_NUMBERS_H

#include <deja/rules.h>

enum garden_number { NUMBER_PLOTS = 0, NUMBER_SEEDS, NUMBER_GROW_PERCENT, NUMBERS };

static const char *const number_keys[NUMBERS] = { "plots", "seeds", "grow_percent" };

typedef struct garden_numbers {
    bool given[NUMBERS];
    uint32_t values[NUMBERS];
} garden_numbers;

/* What is left of the text. */
typedef struct number_text {
    const char *at;
    const char *end;
} number_text;

/* To the next word. */
static void skip_to_word(number_text *text)
{
    while (text->at < text->end) {
        const char here = *text->at;
        if (here == '/' && text->end - text->at > 1 && text->at[1] == '/')
            while (text->at < text->end && *text->at != '\n')
                text->at++;
        else if (here == ' ' || here == '\t' || here == '\r' || here == '\n')
            text->at++;
        else
            return;
    }
}

/* Takes one character, if it is the next word, and goes on to the one behind it. */
static bool take_sign(number_text *text, char sign)
{
    skip_to_word(text);
    if (text->at == text->end || *text->at != sign)
        return false;
    text->at++;
    skip_to_word(text);
    return true;
}

/* The place of the key that is there; NUMBERS for none. */
static uint32_t take_key(number_text *text)
{
    const char *start = text->at;
    while (text->at < text->end && ((*text->at >= 'a' && *text->at <= 'z') || *text->at == '_'))
        text->at++;
    const size_t size = (size_t)(text->at - start);
    for (uint32_t key = 0; key < NUMBERS; key++)
        if (strlen(number_keys[key]) == size && memcmp(number_keys[key], start, size) == 0)
            return key;
    return NUMBERS;
}

static bool take_number(number_text *text, uint32_t *number)
{
    const char *start = text->at;
    uint64_t value = 0;
    for (; text->at < text->end && *text->at >= '0' && *text->at <= '9'; text->at++) {
        value = value * 10 + (uint64_t)(*text->at - '0');
        if (value > UINT32_MAX)
            return false;
    }
    *number = (uint32_t)value;
    return text->at > start;
}

/* Reads the text; false where it is none. */
static bool read_numbers(const void *bytes, uint64_t size, garden_numbers *numbers)
{
    const char *chars = size ? bytes : "";
    number_text text = { chars, chars + size };
    memset(numbers, 0, sizeof *numbers);
    const bool bracketed = take_sign(&text, '(');
    while (text.at < text.end && *text.at != ')') {
        const uint32_t key = take_key(&text);
        if (key == NUMBERS || numbers->given[key] || !take_sign(&text, ':') ||
            !take_number(&text, &numbers->values[key]))
            return false;
        numbers->given[key] = true;
        /* A word ends somewhere: 8seeds is none. */
        const char *behind = text.at;
        if (!take_sign(&text, ',') && text.at == behind && text.at < text.end && *text.at != ')')
            return false;
    }
    if (bracketed && !take_sign(&text, ')'))
        return false;
    return text.at == text.end;
}

#endif
