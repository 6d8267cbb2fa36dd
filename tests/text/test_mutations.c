/* SPDX-License-Identifier: MIT */
/*
 * Texts with one line changed in every way: import says which line, or takes what export then
 * writes as it is.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/texts.h"

TestSuite(text_mutations, .timeout = 240);

enum { TEXT_SIZE = 8192, LINES = 64 };

static int line_count(const char *chars)
{
    int lines = 0;
    for (; *chars; chars++)
        lines += *chars == '\n';
    return lines;
}

/* Where a line starts, and how long it is with its end. */
static const char *line_at(const char *chars, int line, size_t *size)
{
    while (line-- > 0)
        chars = strchr(chars, '\n') + 1;
    *size = (size_t)(strchr(chars, '\n') + 1 - chars);
    return chars;
}

static void assert_sound(desk *d, const char *chars, size_t size)
{
    deja_id id, again;
    deja_error err = { 0 };
    deja_code code = take(d, chars, size, &id, &err);
    if (code == DEJA_EUNFIT || code == DEJA_EVERSION)
        return;
    if (code != DEJA_OK) {
        unsigned line = 0;
        cr_assert_eq(code, DEJA_EFORMAT, "%s: %s\n%s", deja_code_name(code), err.message, chars);
        cr_assert_eq(sscanf(err.message, "t:%u:", &line), 1, "%s", err.message);
        cr_assert(line >= 1 && line <= (unsigned)line_count(chars) + 1, "%s", err.message);
        return;
    }
    text first = give(d, &id);
    code = take(d, first.chars, first.size, &again, &err);
    cr_assert_eq(code, DEJA_OK, "%s\n%s", err.message, first.chars);
    cr_assert_eq(memcmp(&id, &again, sizeof id), 0);
    text second = give(d, &again);
    cr_assert_str_eq(second.chars, first.chars);
    text_free(&first);
    text_free(&second);
}

/* The text with `count` lines from `line` on replaced. */
static void assert_replaced(desk *d, const char *chars, int line, int count, const char *by,
                            size_t by_size)
{
    char changed[TEXT_SIZE];
    size_t size, at = 0;
    const char *start = line_at(chars, line, &size);
    const char *rest = start;
    while (count-- > 0)
        rest = strchr(rest, '\n') + 1;
    memcpy(changed, chars, (size_t)(start - chars));
    at = (size_t)(start - chars);
    memcpy(changed + at, by, by_size);
    at += by_size;
    strcpy(changed + at, rest);
    assert_sound(d, changed, at + strlen(rest));
}

static void mutate_lines(const char *chars)
{
    desk d;
    const int lines = line_count(chars);
    desk_open(&d);
    for (int line = 0; line < lines; line++) {
        char two[TEXT_SIZE];
        size_t size, next_size;
        const char *start = line_at(chars, line, &size);
        assert_replaced(&d, chars, line, 1, "", 0);
        memcpy(two, start, size);
        memcpy(two + size, start, size);
        assert_replaced(&d, chars, line, 1, two, 2 * size);
        if (line + 1 == lines)
            continue;
        const char *next = line_at(chars, line + 1, &next_size);
        memcpy(two, next, next_size);
        memcpy(two + next_size, start, size);
        assert_replaced(&d, chars, line, 2, two, size + next_size);
    }
    desk_close(&d);
}

/* Every third byte is changed, every third is left out, and one put in before every third. */
static void mutate_bytes(const char *chars, uint64_t seed)
{
    static const char bytes[] = " \t\n\r#\"\\:=,*-+.{}[]0129afgZ_\x01\x7f\xc3\xff";
    char changed[TEXT_SIZE];
    deja_luck luck;
    desk d;
    const size_t size = strlen(chars);
    deja_luck_seed(&luck, seed, 0);
    desk_open(&d);
    for (size_t i = 0; i < size; i++) {
        const char byte = bytes[deja_luck_below(&luck, sizeof bytes - 1)];
        strcpy(changed, chars);
        if (i % 3 == 0) {
            changed[i] = byte;
            assert_sound(&d, changed, size);
        } else if (i % 3 == 1) {
            strcpy(changed + i, chars + i + 1);
            assert_sound(&d, changed, size - 1);
        } else {
            changed[i] = byte;
            strcpy(changed + i + 1, chars + i);
            assert_sound(&d, changed, size + 1);
        }
    }
    desk_close(&d);
}

/* The ends of texts are where parsers read too far. */
static void cut_everywhere(const char *chars)
{
    desk d;
    desk_open(&d);
    for (size_t size = 0; size < strlen(chars); size++) {
        char *exact = malloc(size + 1);
        memcpy(exact, chars, size);
        exact[size] = 0;
        assert_sound(&d, exact, size);
        free(exact);
    }
    desk_close(&d);
}

Test(text_mutations, lines_left_out_doubled_and_swapped)
{
    mutate_lines(sample_text);
    mutate_lines(scenario_text);
}

Test(text_mutations, bytes_changed_left_out_and_put_in)
{
    mutate_bytes(sample_text, 1);
    mutate_bytes(scenario_text, 2);
}

Test(text_mutations, texts_cut_off_anywhere)
{
    cut_everywhere(sample_text);
    cut_everywhere(scenario_text);
}
