/* SPDX-License-Identifier: MIT */
#include "store/valid.h"

bool deja__is_plain(const char *text, uint64_t size, uint64_t most)
{
    if (size > most || !deja__is_utf8(text, size))
        return false;
    for (uint64_t i = 0; i < size; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 127)
            return false;
    return true;
}

bool deja__is_content(const char *text, uint64_t size)
{
    const char *name = text;
    const char *end = text + size;
    const char *before = NULL;
    uint64_t before_size = 0;
    if (size > DEJA__WORD_MAX)
        return false;
    while (name < end) {
        const char *equals = memchr(name, '=', (size_t)(end - name));
        unsigned char digest[16];
        if (!equals || !deja__is_name(name, (uint64_t)(equals - name)) || end - equals < 33 ||
            !deja__read_hex_bytes(equals + 1, 16, digest))
            return false;
        const uint64_t name_size = (uint64_t)(equals - name);
        if (before) {
            const uint64_t shorter = name_size < before_size ? name_size : before_size;
            const int order = memcmp(before, name, (size_t)shorter);
            if (order > 0 || (order == 0 && before_size >= name_size))
                return false;
        }
        before = name;
        before_size = name_size;
        name = equals + 33;
        if (name == end)
            return true;
        if (*name++ != ' ' || name == end)
            return false;
    }
    return size == 0;
}

bool deja__is_names(const char *text, uint64_t size, uint32_t *count)
{
    uint32_t found = 0;
    const char *end = text + size;
    for (const char *name = text; name < end;) {
        const char *space = memchr(name, ' ', (size_t)(end - name));
        const char *stop = space ? space : end;
        if (!deja__is_name(name, (uint64_t)(stop - name)) || found == DEJA__NAMES_MAX ||
            (space && space + 1 == end))
            return false;
        found++;
        name = space ? space + 1 : end;
    }
    if (count)
        *count = found;
    return true;
}

bool deja__is_game_id(const char *text, uint64_t size)
{
    const char *end = text + size;
    if (size > DEJA__NAME_MAX)
        return false;
    for (const char *at = text;; at++) {
        const char *dot = at < end ? memchr(at, '.', (size_t)(end - at)) : NULL;
        if (!deja__is_name(at, (uint64_t)((dot ? dot : end) - at)))
            return false;
        if (!dot)
            return true;
        at = dot;
    }
}

bool deja__is_opaque(const char *layout)
{
    return strcmp(layout, "bytes") == 0;
}
