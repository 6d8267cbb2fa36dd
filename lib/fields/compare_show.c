/* SPDX-License-Identifier: MIT */
/*
 * What of two long texts is shown: a window that holds their first difference.
 */
#include "fields/compare.h"

static uint64_t common_prefix(const deja_buffer *a, const deja_buffer *b)
{
    uint64_t at = 0;
    while (at < a->size && at < b->size && a->bytes[at] == b->bytes[at])
        at++;
    return at;
}

/* The start of the character that byte `at` belongs to. */
static uint64_t character_start(const deja_buffer *text, uint64_t at)
{
    while (at > 0 && at < text->size && (text->bytes[at] & 0xc0) == 0x80)
        at--;
    return at;
}

static void cut(deja_buffer *text, uint64_t start)
{
    uint64_t end = text->size;
    if (end - start > DEJA__SHOWN_MAX)
        end = character_start(text, start + DEJA__SHOWN_MAX);
    const bool more = end < text->size;
    if (start > 0) {
        /* A start is far enough from the front to leave room for the dots. */
        memmove(text->bytes + 3, text->bytes + start, (size_t)(end - start));
        memcpy(text->bytes, "...", 3);
        end = end - start + 3;
    }
    deja__buffer_cut(text, end);
    if (more)
        deja_buffer_text(text, "...");
}

void deja__cut_pair(deja_buffer *expected, deja_buffer *actual)
{
    enum { BEFORE = 60 }; /* bytes that are shown before the difference */
    if (expected->size <= DEJA__SHOWN_MAX && actual->size <= DEJA__SHOWN_MAX)
        return;
    const uint64_t same = common_prefix(expected, actual);
    uint64_t start = 0;
    if (same > DEJA__SHOWN_MAX / 2)
        start = character_start(expected->size > same ? expected : actual, same - BEFORE);
    cut(expected, start);
    cut(actual, start);
}

void deja__print_bits(const deja__node *node, const unsigned char *at, deja_buffer *out)
{
    deja_buffer_text(out, " (0x");
    deja__print_hex(out, deja__load_unsigned(at, node->size_min), 2 * (uint32_t)node->size_min);
    deja_buffer_char(out, ')');
}

deja__run deja__find_differences(const unsigned char *a, const unsigned char *b, uint64_t count,
                                 uint64_t size)
{
    deja__run run = { 0, 0, 0 };
    for (uint64_t i = 0; i < count; i++) {
        if (memcmp(a + i * size, b + i * size, (size_t)size) == 0)
            continue;
        if (run.differing++ == 0)
            run.first = i;
        run.last = i;
    }
    return run;
}
