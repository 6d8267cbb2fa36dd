/* SPDX-License-Identifier: MIT */
/*
 * One column: its forms, then its planes.
 *
 *   forms     two bits for each plane, the lowest plane in the lowest bits; ceil(planes / 4) bytes
 *             0  all bytes are zero        nothing follows
 *             1  all bytes are the same    that byte follows
 *             2  any bytes                 one byte for each item follows
 *   planes    in their order
 *
 * A plane has the first form that is true of it, so there is one way to write a column.
 */
#include "fields/columns_parts.h"

enum { ZERO = 0, SAME = 1, ANY = 2 };

static uint32_t form_of(const unsigned char *plane, uint64_t items)
{
    if (memcmp(plane, plane + 1, (size_t)items - 1) != 0)
        return ANY;
    return plane[0] == 0 ? ZERO : SAME;
}

bool deja__column_put(deja_buffer *out, const unsigned char *planes, uint32_t width, uint64_t items)
{
    unsigned char forms[DEJA__COLUMN_WIDTH_MAX / 4] = { 0 };
    if (items == 0)
        return true;
    for (uint32_t p = 0; p < width; p++)
        forms[p / 4] |= (unsigned char)(form_of(planes + p * items, items) << (p % 4 * 2));
    deja_buffer_add(out, forms, (width + 3) / 4);
    for (uint32_t p = 0; p < width; p++) {
        const uint32_t form = (uint32_t)forms[p / 4] >> (p % 4 * 2) & 3;
        deja_buffer_add(out, planes + p * items, form == ANY ? items : form);
    }
    return !out->failed;
}

const char *deja__column_take(deja__column_source *source, uint32_t width, uint64_t items,
                              deja__plane *planes)
{
    static const unsigned char zero[1];
    const unsigned char *forms = source->at;
    const uint32_t form_bytes = (width + 3) / 4;
    if (items == 0) {
        for (uint32_t p = 0; p < width; p++)
            planes[p] = (deja__plane){ zero, 0 };
        return NULL;
    }
    if ((uint64_t)(source->end - source->at) < form_bytes)
        return "the columns end early";
    source->at += form_bytes;
    for (uint32_t p = 0; p < 4 * form_bytes; p++) {
        const uint32_t form = (uint32_t)forms[p / 4] >> (p % 4 * 2) & 3;
        const uint64_t size = form == ANY ? items : form;
        if (form > ANY || (p >= width && form != ZERO))
            return "a column has a form that there is not";
        if (form == ZERO) {
            if (p < width)
                planes[p] = (deja__plane){ zero, 0 };
            continue;
        }
        if ((uint64_t)(source->end - source->at) < size)
            return "the columns end early";
        if (form != form_of(source->at, size))
            return "a column has a form that is not its shortest";
        planes[p] = (deja__plane){ source->at, form == ANY ? 1 : 0 };
        source->at += size;
    }
    return NULL;
}

/* ---- messages ---- */

deja_code deja__columns_damaged(deja_error *err, const char *why)
{
    return deja__fail(err, DEJA_EDAMAGED, "%s", why);
}

deja_code deja__columns_left_over(deja_error *err, const deja__column_source *source)
{
    return deja__fail(err, DEJA_EDAMAGED, "%llu bytes of columns are left over",
                      (unsigned long long)(source->end - source->at));
}

deja_code deja__columns_too_many(deja_error *err, uint64_t most)
{
    return deja__fail(err, DEJA_ELIMIT, "the columns hold more than %llu bytes of values",
                      (unsigned long long)most);
}

deja_code deja__columns_misfit(deja_error *err, uint64_t count)
{
    return deja__fail(err, DEJA_EMISUSE, "the bytes are not %llu values of this layout",
                      (unsigned long long)count);
}
