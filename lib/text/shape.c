/* SPDX-License-Identifier: MIT */
/*
 * Values of a replay text: by a layout, or, for a game whose types nobody described, as one word of
 * hex digits ("-" where there are no bytes).
 */
#include "text/text.h"

deja_code deja__shape_open(deja__shape *shape, const char *layout, uint64_t size, deja_error *err)
{
    shape->layout = NULL;
    if (size == strlen(DEJA__BYTES_LAYOUT) && memcmp(layout, DEJA__BYTES_LAYOUT, (size_t)size) == 0)
        return DEJA_OK;
    return deja_layout_parse(&shape->layout, layout, size, err);
}

void deja__shape_close(deja__shape *shape)
{
    deja_layout_destroy(shape->layout);
    shape->layout = NULL;
}

deja_code deja__shape_print(const deja__shape *shape, const void *bytes, uint64_t size,
                            deja_buffer *out, deja_error *err)
{
    if (shape->layout)
        return deja_value_print(shape->layout, bytes, size, out, err);
    if (size == 0)
        deja_buffer_char(out, '-');
    else
        deja__print_hex_bytes(out, bytes, size);
    return out->failed ? deja__fail_memory(err) : DEJA_OK;
}

deja_code deja__shape_parse(const deja__shape *shape, const char *text, uint64_t size,
                            deja_buffer *out, deja_error *err)
{
    if (shape->layout)
        return deja_value_parse(shape->layout, text, size, out, err);
    if (size == 1 && text[0] == '-')
        return DEJA_OK;
    unsigned char *bytes = size % 2 == 0 ? deja_buffer_extend(out, size / 2) : NULL;
    if (out->failed)
        return deja__fail_memory(err);
    if (bytes && size != 0 && deja__read_hex_bytes(text, size / 2, bytes))
        return DEJA_OK;
    if (bytes)
        out->size -= size / 2;
    return deja__fail(err, DEJA_EFORMAT,
                      "one word of lower-case hex digits, two a byte, or - for "
                      "none, belongs here");
}
