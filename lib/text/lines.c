/* SPDX-License-Identifier: MIT */
/*
 * See lines.h.
 *
 * A comment goes from a # at the start of a line or behind a blank, outside of quotes, to the end
 * of the line. A # elsewhere is left for the reader of what it stands in, who refuses it.
 *
 * A keyword is a name and a colon before a blank or the end of the line. No command looks so: it
 * begins with a name, a name and an equals sign, hex digits or a dash.
 */
#include "text/lines.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

bool deja__lines_open(deja__lines *lines, const char *text, uint64_t size, uint64_t *number)
{
    lines->at = text;
    lines->end = text + size;
    lines->number = 0;
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        lines->at += 3;
    if (deja__is_utf8(lines->at, (uint64_t)(lines->end - lines->at)))
        return true;
    /* No character spans a line's end, so the first line that is not sound by itself is it. */
    *number = 1;
    for (const char *at = lines->at; at < lines->end; ++*number) {
        const char *stop = memchr(at, '\n', (size_t)(lines->end - at));
        const char *line_end = stop ? stop : lines->end;
        if (!deja__is_utf8(at, (uint64_t)(line_end - at)))
            break;
        at = stop ? stop + 1 : lines->end;
    }
    return false;
}

static const char *comment_start(const char *at, const char *end)
{
    const char *start = at;
    bool quoted = false;
    for (; at < end; at++) {
        if (quoted && *at == '\\' && at + 1 < end)
            at++;
        else if (*at == '"')
            quoted = !quoted;
        else if (*at == '#' && !quoted && (at == start || is_blank(at[-1])))
            return at;
    }
    return end;
}

/* Finds the keyword and takes it off. */
static void take_keyword(deja__line *line)
{
    uint64_t size = 0;
    line->key = DEJA__KEY_COMMAND;
    line->word = line->at;
    line->word_size = 0;
    if (line->at[0] == '*') {
        line->key = DEJA__KEY_REPEAT;
        size = 1;
    } else {
        while (size < line->size && line->at[size] != ':' && !is_blank(line->at[size]) &&
               line->at[size] != '=')
            size++;
        if (size == line->size || line->at[size] != ':' || !deja__is_name(line->at, size) ||
            (size + 1 < line->size && !is_blank(line->at[size + 1])))
            return;
        line->key = DEJA__KEY_UNKNOWN;
        for (uint32_t i = 0; i < DEJA__KEY_COUNT; i++)
            if (strlen(deja__keywords[i]) == size &&
                memcmp(deja__keywords[i], line->at, (size_t)size) == 0)
                line->key = (enum deja__key)i;
        line->word_size = size++;
    }
    while (size < line->size && is_blank(line->at[size]))
        size++;
    line->at += size;
    line->size -= size;
}

bool deja__lines_next(deja__lines *lines, deja__line *line)
{
    while (lines->at < lines->end) {
        const char *at = lines->at;
        const char *stop = memchr(at, '\n', (size_t)(lines->end - at));
        const char *end = stop ? stop : lines->end;
        lines->at = stop ? stop + 1 : lines->end;
        lines->number++;
        if (end > at && end[-1] == '\r')
            end--;
        while (at < end && is_blank(*at))
            at++;
        end = comment_start(at, end);
        while (end > at && is_blank(end[-1]))
            end--;
        line->number = lines->number;
        if (at == end)
            continue;
        line->at = at;
        line->size = (uint64_t)(end - at);
        take_keyword(line);
        return true;
    }
    line->number = lines->number;
    return false;
}

bool deja__line_word(deja__line *line, const char **word, uint64_t *size)
{
    uint64_t end = 0;
    if (line->size == 0)
        return false;
    while (end < line->size && !is_blank(line->at[end]))
        end++;
    *word = line->at;
    *size = end;
    while (end < line->size && is_blank(line->at[end]))
        end++;
    line->at += end;
    line->size -= end;
    return true;
}
