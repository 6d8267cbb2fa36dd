/* SPDX-License-Identifier: MIT */
/*
 * Paths for messages, single scalars, and the order of keys.
 */
#include "fields/values.h"

#include <stdio.h>

/* ---- paths ---- */

bool deja__path_print(const deja__path *path, deja_buffer *out)
{
    if (!path)
        return !out->failed;
    deja__path_print(path->above, out); /* as deep as layouts nest */
    if (path->name) {
        if (path->above)
            deja_buffer_char(out, '.');
        return deja_buffer_text(out, path->name);
    }
    deja_buffer_char(out, '[');
    if (path->key) {
        deja__scalar_print(path->items->children[0], path->key, out);
    } else if (path->items->shape == DEJA_GRID) {
        deja__unsigned_print(path->index / path->items->row, out);
        deja_buffer_text(out, "][");
        deja__unsigned_print(path->index % path->items->row, out);
    } else {
        deja__unsigned_print(path->index, out);
    }
    return deja_buffer_char(out, ']');
}

deja_code deja__fail_value(deja_error *err, deja_code code, const deja__path *path,
                           const char *format, ...)
{
    enum { PATH_SHOWN = 300 };
    if (!err)
        return code;
    char message[640];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);

    deja_buffer where = { 0 };
    if (!path || !deja__path_print(path, &where)) {
        deja__fail(err, code, "%s", message);
    } else {
        char word[DEJA__WORD_SIZE];
        const bool short_enough = where.size <= PATH_SHOWN;
        deja__fail(err, code, "%s: %s",
                   short_enough ? (const char *)where.bytes
                                : deja__word((const char *)where.bytes, where.size, word),
                   message);
    }
    deja_buffer_release(&where);
    return code;
}

const char *deja__word(const char *chars, uint64_t size, char word[DEJA__WORD_SIZE])
{
    const bool sound = deja__is_utf8(chars, size);
    const uint64_t room = DEJA__WORD_SIZE - 4;
    uint64_t shown = size < room ? size : room;
    while (shown < size && sound && shown > 0 && ((unsigned char)chars[shown] & 0xc0) == 0x80)
        shown--;
    for (uint64_t i = 0; i < shown; i++) {
        const unsigned char byte = (unsigned char)chars[i];
        const bool plain = (byte >= 0x20 && byte < 0x7f) || (byte >= 0x80 && sound);
        word[i] = plain ? chars[i] : '?';
    }
    memcpy(word + shown, shown < size ? "..." : "", shown < size ? 4 : 1);
    return word;
}

/* ---- single scalars ---- */

uint64_t deja__load_unsigned(const unsigned char *at, uint64_t size)
{
    switch (size) {
    case 1:
        return at[0];
    case 2:
        return deja__load16(at);
    case 4:
        return deja__load32(at);
    default:
        return deja__load64(at);
    }
}

int64_t deja__load_signed(const unsigned char *at, uint64_t size)
{
    switch (size) {
    case 1:
        return (int8_t)at[0];
    case 2:
        return (int16_t)deja__load16(at);
    case 4:
        return (int32_t)deja__load32(at);
    default:
        return (int64_t)deja__load64(at);
    }
}

void deja__store_low(unsigned char *at, uint64_t size, uint64_t value)
{
    for (uint64_t i = 0; i < size; i++)
        at[i] = (unsigned char)(value >> (8 * i));
}

bool deja__scalar_is_valid(const deja__node *node, const unsigned char *at)
{
    switch (node->kind) {
    case DEJA_BOOL:
        return at[0] <= 1;
    case DEJA_ENUM:
        return deja__load16(at) < node->name_count;
    case DEJA_FLAGS:
        return node->name_count == 32 || deja__load32(at) >> node->name_count == 0;
    case DEJA_F32: {
        const uint32_t bits = deja__load32(at);
        return (bits & 0x7fffffff) <= 0x7f800000 || bits == 0x7fc00000;
    }
    case DEJA_F64: {
        const uint64_t bits = deja__load64(at);
        return (bits & 0x7fffffffffffffff) <= 0x7ff0000000000000 || bits == 0x7ff8000000000000;
    }
    default:
        return true;
    }
}

/* ---- keys ---- */

int deja__key_compare(const deja__node *key, const unsigned char *a, const unsigned char *b)
{
    if (key->kind == DEJA_TEXT) {
        const uint32_t a_size = deja__load32(a);
        const uint32_t b_size = deja__load32(b);
        const int order = memcmp(a + 4, b + 4, a_size < b_size ? a_size : b_size);
        return order ? order : (a_size > b_size) - (a_size < b_size);
    }
    if (key->kind == DEJA_BYTES)
        return memcmp(a, b, (size_t)key->count);
    if (deja__is_signed(key->kind)) {
        const int64_t left = deja__load_signed(a, key->size_min);
        const int64_t right = deja__load_signed(b, key->size_min);
        return (left > right) - (left < right);
    }
    const uint64_t left = deja__load_unsigned(a, key->size_min);
    const uint64_t right = deja__load_unsigned(b, key->size_min);
    return (left > right) - (left < right);
}
