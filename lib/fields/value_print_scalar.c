/* SPDX-License-Identifier: MIT */
/*
 * Single scalars as text; the grammar is in schemas/layout.md.
 *
 * Text stands bare where it cannot be read as anything else, and quoted otherwise. In quotes it is
 * UTF-8 as it is, but for characters that end a line, move a cursor or turn the reading direction:
 * these are \u escapes, so that a printed line is one line and shows what it says.
 */
#include "fields/values.h"

void deja__unsigned_print(uint64_t number, deja_buffer *out)
{
    char digits[20];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    deja_buffer_add(out, digits + at, sizeof digits - at);
}

static void print_signed(int64_t number, deja_buffer *out)
{
    if (number < 0)
        deja_buffer_char(out, '-');
    deja__unsigned_print(number < 0 ? 0 - (uint64_t)number : (uint64_t)number, out);
}

/* ---- text ---- */

static bool is_bare(const unsigned char *chars, uint32_t size)
{
    if (size == 0 || (size == 1 && chars[0] == '-'))
        return false;
    for (uint32_t i = 0; i < size; i++)
        if (chars[i] <= 0x20 || chars[i] >= 0x7f || strchr("\"\\,={}[]#", chars[i]))
            return false;
    return chars[size - 1] != ':'; /* a line's first word that ends in a colon is a keyword */
}

/* The character at `at`, which is sound UTF-8, and its size. */
static uint32_t decode(const unsigned char *at, uint32_t *size)
{
    if (at[0] < 0x80) {
        *size = 1;
        return at[0];
    }
    if (at[0] < 0xe0) {
        *size = 2;
        return (at[0] & 0x1fu) << 6 | (at[1] & 0x3fu);
    }
    if (at[0] < 0xf0) {
        *size = 3;
        return (at[0] & 0x0fu) << 12 | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu);
    }
    *size = 4;
    return (at[0] & 0x07u) << 18 | (at[1] & 0x3fu) << 12 | (at[2] & 0x3fu) << 6 | (at[3] & 0x3fu);
}

/* Controls, the ends of lines and paragraphs, and what turns the direction of reading. */
static bool is_escaped(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

static void print_quoted(const unsigned char *chars, uint32_t size, deja_buffer *out)
{
    deja_buffer_char(out, '"');
    for (uint32_t i = 0, step; i < size; i += step) {
        const uint32_t c = decode(chars + i, &step);
        if (c == '"' || c == '\\') {
            deja_buffer_char(out, '\\');
            deja_buffer_char(out, (char)c);
        } else if (c == '\n' || c == '\t' || c == '\r') {
            deja_buffer_text(out, c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r");
        } else if (is_escaped(c)) {
            deja_buffer_text(out, "\\u");
            deja__print_hex(out, c, 4);
        } else {
            deja_buffer_add(out, chars + i, step);
        }
    }
    deja_buffer_char(out, '"');
}

/* ---- the rest ---- */

static void print_flags(const deja__node *node, uint32_t bits, deja_buffer *out)
{
    if (bits == 0)
        deja_buffer_char(out, '-');
    for (uint32_t i = 0, before = 0; i < node->name_count; i++) {
        if (!(bits >> i & 1))
            continue;
        if (before++)
            deja_buffer_char(out, '+');
        deja_buffer_text(out, node->names[i]);
    }
}

static void print_float(const deja__node *node, const unsigned char *at, deja_buffer *out)
{
    if (node->kind == DEJA_F32) {
        const uint32_t bits = deja__load32(at);
        float number;
        memcpy(&number, &bits, sizeof number);
        deja__print_f32(out, number);
    } else {
        const uint64_t bits = deja__load64(at);
        double number;
        memcpy(&number, &bits, sizeof number);
        deja__print_f64(out, number);
    }
}

void deja__scalar_print(const deja__node *node, const unsigned char *at, deja_buffer *out)
{
    switch (node->kind) {
    case DEJA_BOOL:
        deja_buffer_text(out, at[0] ? "true" : "false");
        break;
    case DEJA_I8:
    case DEJA_I16:
    case DEJA_I32:
    case DEJA_I64:
        print_signed(deja__load_signed(at, node->size_min), out);
        break;
    case DEJA_F32:
    case DEJA_F64:
        print_float(node, at, out);
        break;
    case DEJA_ENUM:
        deja_buffer_text(out, node->names[deja__load16(at)]);
        break;
    case DEJA_FLAGS:
        print_flags(node, deja__load32(at), out);
        break;
    case DEJA_TEXT:
        if (is_bare(at + 4, deja__load32(at)))
            deja_buffer_add(out, at + 4, deja__load32(at));
        else
            print_quoted(at + 4, deja__load32(at), out);
        break;
    case DEJA_BYTES:
        deja__print_hex_bytes(out, at, node->count);
        break;
    case DEJA_RNG:
        for (uint32_t i = 0; i < 3; i++) {
            if (i != 0)
                deja_buffer_char(out, '.');
            deja__print_hex(out, deja__load64(at + 8 * (size_t)i), 16);
        }
        break;
    default:
        deja__unsigned_print(deja__load_unsigned(at, node->size_min), out);
        break;
    }
}
