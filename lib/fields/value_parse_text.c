/* SPDX-License-Identifier: MIT */
/*
 * Text from text: bare where it is plain, else in quotes with escapes.
 */
#include "fields/value_parse.h"

bool deja__parse_append(deja__parser *p, const void *bytes, uint64_t size)
{
    if (deja_buffer_add(p->out, bytes, size))
        return true;
    p->code = deja__fail_memory(p->err);
    return false;
}

static bool refuse_text(deja__parser *p, const deja__path *path, const char *why)
{
    p->code = deja__fail_value(p->err, DEJA_EFORMAT, path, "%s", why);
    return false;
}

/* The character of \uXXXX, of which p->at is behind the u. */
static bool parse_escape(deja__parser *p, const deja__path *path)
{
    uint32_t c = 0;
    for (uint32_t i = 0; i < 4; i++) {
        const char digit = p->at < p->end ? *p->at : 0;
        const char *place = digit ? strchr("0123456789abcdef0123456789ABCDEF", digit) : NULL;
        if (!place)
            return refuse_text(p, path, "\\u takes four hex digits");
        c = c << 4 | ((uint32_t)(place - "0123456789abcdef0123456789ABCDEF") & 15);
        p->at++;
    }
    if (c == 0 || (c >= 0xd800 && c < 0xe000))
        return refuse_text(p, path, "\\u names no character that text may have");
    unsigned char bytes[3];
    if (c < 0x80) {
        bytes[0] = (unsigned char)c;
        return deja__parse_append(p, bytes, 1);
    }
    if (c < 0x800) {
        bytes[0] = (unsigned char)(0xc0 | c >> 6);
        bytes[1] = (unsigned char)(0x80 | (c & 0x3f));
        return deja__parse_append(p, bytes, 2);
    }
    bytes[0] = (unsigned char)(0xe0 | c >> 12);
    bytes[1] = (unsigned char)(0x80 | (c >> 6 & 0x3f));
    bytes[2] = (unsigned char)(0x80 | (c & 0x3f));
    return deja__parse_append(p, bytes, 3);
}

/* What stands in quotes; p->at is behind the first. */
static bool parse_quoted(deja__parser *p, const deja__path *path)
{
    for (;;) {
        const char *start = p->at;
        while (p->at < p->end && *p->at != '"' && *p->at != '\\' && (unsigned char)*p->at >= 0x20)
            p->at++;
        if (!deja__parse_append(p, start, (uint64_t)(p->at - start)))
            return false;
        if (p->at == p->end)
            return refuse_text(p, path, "the closing quote is missing");
        if (*p->at == '"') {
            p->at++;
            return true;
        }
        if (*p->at != '\\')
            return refuse_text(p, path, "a control character in quotes: write \\n, \\t or \\u00XX");
        p->at++;
        const char escape = p->at < p->end ? *p->at++ : 0;
        const char *place = escape ? strchr("\"\\ntr", escape) : NULL;
        if (escape == 'u') {
            if (!parse_escape(p, path))
                return false;
        } else if (!place) {
            return refuse_text(p, path, "a backslash takes \", \\, n, t, r or u behind it");
        } else if (!deja__parse_append(p, &"\"\\\n\t\r"[place - "\"\\ntr"], 1)) {
            return false;
        }
    }
}

static bool parse_bare(deja__parser *p, const deja__path *path)
{
    const uint64_t size = deja__token_size(p);
    if (size == 0)
        return refuse_text(p, path, "text is missing; empty text is \"\"");
    if (size == 1 && *p->at == '-')
        return refuse_text(p, path, "the text - must stand in quotes");
    for (uint64_t i = 0; i < size; i++)
        if (p->at[i] <= 0x20 || p->at[i] >= 0x7f || p->at[i] == '\\')
            return refuse_text(p, path,
                               "text with other than plain characters must stand in quotes");
    if (!deja__parse_append(p, p->at, size))
        return false;
    p->at += size;
    return true;
}

bool deja__parse_text(deja__parser *p, const deja__node *node, const deja__path *path)
{
    const uint64_t start = p->out->size;
    if (!deja__parse_append(p, "\0\0\0\0", 4))
        return false;
    const bool quoted = p->at < p->end && *p->at == '"';
    p->at += quoted ? 1 : 0;
    if (!(quoted ? parse_quoted(p, path) : parse_bare(p, path)))
        return false;
    unsigned char *bytes = p->out->bytes + start;
    const uint64_t size = p->out->size - start - 4;
    if (size > node->count) {
        p->code =
            deja__fail_value(p->err, DEJA_EFORMAT, path, "%llu bytes of text, the most is %llu",
                             (unsigned long long)size, (unsigned long long)node->count);
        return false;
    }
    if (!deja__is_utf8(bytes + 4, size))
        return refuse_text(p, path, "text that is not UTF-8");
    deja__store32(bytes, (uint32_t)size);
    return true;
}
