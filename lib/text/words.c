/* SPDX-License-Identifier: MIT */
/*
 * Words of a replay text: keywords, names, and texts that were never written with a text format in
 * mind (a version, a platform, a mark). These stand as they are where nothing in them could be
 * mistaken, and in the quotes of the value grammar otherwise; the printer and the reader of values
 * do the quoting, so a text obeys one rule for what is escaped.
 */
#include "text/text.h"

#include "fields/value_parse.h"
#include "store/valid.h"

const char *const deja__keywords[DEJA__KEY_COUNT] = {
    [DEJA__KEY_REPLAY] = "deja-replay",
    [DEJA__KEY_GAME] = "game",
    [DEJA__KEY_LAYOUT] = "layout",
    [DEJA__KEY_REFUSALS] = "refusals",
    [DEJA__KEY_OUTCOMES] = "outcomes",
    [DEJA__KEY_BUILD] = "build",
    [DEJA__KEY_PLATFORM] = "platform",
    [DEJA__KEY_MADE] = "made",
    [DEJA__KEY_CONTENT] = "content",
    [DEJA__KEY_CONFIG] = "config",
    [DEJA__KEY_SEED] = "seed",
    [DEJA__KEY_START] = "start",
    [DEJA__KEY_SECTION] = "section",
    [DEJA__KEY_MARK] = "mark",
    [DEJA__KEY_SEE] = "see",
    [DEJA__KEY_END] = "end",
    [DEJA__KEY_RESULTS] = "results",
    [DEJA__KEY_TRAIL] = "trail",
    [DEJA__KEY_EVENTS] = "events",
    [DEJA__KEY_CHAIN] = "chain",
};

/* What the value grammar calls text. */
static const deja__node text_node = { .kind = DEJA_TEXT, .count = DEJA__MARK_MAX };
_Static_assert((int)DEJA__WORD_MAX == (int)DEJA__MARK_MAX, "one limit for both");

void deja__quoted_print(deja_buffer *out, const char *text, uint64_t size)
{
    deja_buffer value = { 0 };
    unsigned char *bytes = deja_buffer_extend(&value, 4 + size);
    if (bytes) {
        deja__store32(bytes, (uint32_t)size);
        memcpy(bytes + 4, text, (size_t)size);
        deja_buffer quoted = { 0 };
        deja__scalar_print(&text_node, bytes, &quoted);
        const bool bare = quoted.size == 0 || quoted.bytes[0] != '"';
        if (bare)
            deja_buffer_char(out, '"');
        deja_buffer_add(out, quoted.bytes, quoted.size);
        if (bare)
            deja_buffer_char(out, '"');
        out->failed = out->failed || quoted.failed;
        deja_buffer_release(&quoted);
    }
    out->failed = out->failed || value.failed;
    deja_buffer_release(&value);
}

/* Whether it is read back as it is: no blanks around it, no comment in it; `quoted` is the same
 * text in quotes, and would differ if anything in it had to be escaped. */
static bool stands_bare(const char *text, uint64_t size, const deja_buffer *quoted)
{
    if (size == 0 || text[0] == ' ' || text[size - 1] == ' ')
        return false;
    if (quoted->size != size + 2 || memcmp(quoted->bytes + 1, text, (size_t)size) != 0)
        return false;
    for (uint64_t i = 0; i < size; i++)
        if (text[i] == '#' && (i == 0 || text[i - 1] == ' '))
            return false;
    return true;
}

static void print_rest(deja_buffer *out, const char *text, uint64_t size)
{
    deja_buffer quoted = { 0 };
    deja__quoted_print(&quoted, text, size);
    if (quoted.failed)
        out->failed = true;
    else if (stands_bare(text, size, &quoted))
        deja_buffer_add(out, text, size);
    else
        deja_buffer_add(out, quoted.bytes, quoted.size);
    deja_buffer_release(&quoted);
}

void deja__rest_print(deja_buffer *out, const char *text)
{
    print_rest(out, text, strlen(text));
}

deja_code deja__quoted_read(const char *text, uint64_t size, deja_buffer *out, deja_error *err)
{
    deja_buffer value = { 0 };
    const deja_code code =
        deja__value_parse(&text_node, text, size, DEJA__FIELD, NULL, &value, err);
    if (code == DEJA_OK)
        deja_buffer_add(out, value.bytes + 4, value.size - 4);
    deja_buffer_release(&value);
    return code == DEJA_OK && out->failed ? deja__fail_memory(err) : code;
}

static deja_code read_bare(const char *text, uint64_t size, deja_buffer *out, deja_error *err)
{
    char word[DEJA__WORD_SIZE];
    deja_buffer printed = { 0 };
    print_rest(&printed, text, size);
    const bool failed = printed.failed;
    const bool same =
        !failed && printed.size == size && memcmp(printed.bytes, text, (size_t)size) == 0;
    deja_buffer_release(&printed);
    if (failed)
        return deja__fail_memory(err);
    if (!same)
        return deja__fail(err, DEJA_EFORMAT, "this must stand in quotes: '%s'",
                          deja__word(text, size, word));
    return deja_buffer_add(out, text, size) ? DEJA_OK : deja__fail_memory(err);
}

deja_code deja__rest_read(const char *text, uint64_t size, deja_buffer *out, deja_error *err)
{
    const uint64_t before = out->size;
    const bool quoted = size > 0 && text[0] == '"';
    const deja_code code =
        quoted ? deja__quoted_read(text, size, out, err) : read_bare(text, size, out, err);
    if (code < 0 || out->size == before)
        return code;
    if (deja__is_plain((const char *)out->bytes + before, out->size - before, DEJA__WORD_MAX))
        return DEJA_OK;
    deja__buffer_cut(out, before);
    return deja__fail(err, DEJA_EFORMAT,
                      "text of one line has no control character, and at most %d bytes",
                      DEJA__WORD_MAX);
}

bool deja__listed_next(const char **at, const char **name, uint64_t *size)
{
    if (!**at)
        return false;
    *name = *at;
    *size = strcspn(*at, " ");
    *at += *size;
    *at += **at == ' ';
    return true;
}

int64_t deja__listed_find(const char *names, const char *name, uint64_t size)
{
    const char *one;
    uint64_t one_size;
    for (int64_t place = 0; deja__listed_next(&names, &one, &one_size); place++)
        if (one_size == size && memcmp(one, name, (size_t)size) == 0)
            return place;
    return -1;
}
