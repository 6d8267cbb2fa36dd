/* SPDX-License-Identifier: MIT */
#include "store/commands.h"

#include "fields/columns.h"

static deja_code encode_opaque(deja_span values, const uint32_t *ends, uint32_t count,
                               deja_buffer *out, deja_error *err)
{
    unsigned char *sizes = deja_buffer_extend(out, 4 * (uint64_t)count);
    if (!sizes)
        return deja__fail_memory(err);
    uint32_t start = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t size = ends[i] - start;
        for (uint32_t k = 0; k < 4; k++)
            sizes[(uint64_t)k * count + i] = (unsigned char)(size >> (8 * k));
        start = ends[i];
    }
    return deja_buffer_add(out, values.bytes, values.size) ? DEJA_OK : deja__fail_memory(err);
}

deja_code deja__commands_encode(const deja_layout *layout, deja_span values, const uint32_t *ends,
                                uint32_t count, deja_buffer *out, deja_error *err)
{
    if (values.size > DEJA__VALUES_MAX)
        return deja__fail(err, DEJA_ELIMIT, "%llu bytes of values in a row; a store takes %llu",
                          (unsigned long long)values.size, (unsigned long long)DEJA__VALUES_MAX);
    if (!layout)
        return encode_opaque(values, ends, count, out, err);
    const deja_code code = deja__columns_encode(layout, values, count, out, err);
    if (code != DEJA_EMISUSE)
        return code;
    if (err)
        err->code = DEJA_EFORMAT;
    return DEJA_EFORMAT;
}

static deja_code decode_opaque(deja_span bytes, uint32_t count, deja_buffer *values,
                               deja_buffer *ends, deja_error *err)
{
    const unsigned char *sizes = bytes.bytes;
    const uint64_t rest = bytes.size - 4 * (uint64_t)count; /* looked at only where it is one */
    uint64_t end = 0;
    if (bytes.size < 4 * (uint64_t)count || rest > DEJA__VALUES_MAX)
        return deja__fail(err, DEJA_EDAMAGED, "the sizes of values are not there");
    if (!deja_buffer_reserve(ends, 4 * (uint64_t)count) || !deja_buffer_reserve(values, rest)) {
        ends->failed = false;
        values->failed = false;
        return deja__fail_memory(err);
    }
    const uint64_t before = ends->size;
    for (uint32_t i = 0; i < count && end <= rest; i++) {
        uint32_t size = 0;
        for (uint32_t k = 0; k < 4; k++)
            size |= (uint32_t)sizes[(uint64_t)k * count + i] << (8 * k);
        end += size;
        const uint32_t known = (uint32_t)(values->size + end);
        deja_buffer_add(ends, &known, sizeof known);
    }
    if (end != rest) {
        ends->size = before;
        return deja__fail(err, DEJA_EDAMAGED,
                          "values have %llu bytes, and not the %llu of their "
                          "sizes",
                          (unsigned long long)rest, (unsigned long long)end);
    }
    deja_buffer_add(values, sizes + 4 * (uint64_t)count, rest);
    return DEJA_OK;
}

deja_code deja__commands_decode(const deja_layout *layout, deja_span bytes, uint32_t count,
                                deja_buffer *values, deja_buffer *ends, deja_error *err)
{
    if (!layout)
        return decode_opaque(bytes, count, values, ends, err);
    return deja__columns_decode(layout, bytes, count, DEJA__VALUES_MAX, values, ends, err);
}

deja_code deja__commands_try(const deja_layout *layout, deja_span values, const uint32_t *ends,
                             uint32_t count, deja_span encoded, deja_error *err)
{
    if (!layout)
        return DEJA_OK; /* any bytes are valid */
    deja_buffer found = { 0 };
    deja_buffer found_ends = { 0 };
    deja_code code =
        deja__columns_decode(layout, encoded, count, DEJA__VALUES_MAX, &found, &found_ends, err);
    if (code == DEJA_OK &&
        (found.size != values.size ||
         (found.size && memcmp(found.bytes, values.bytes, (size_t)found.size) != 0) ||
         (count && memcmp(found_ends.bytes, ends, 4 * (size_t)count) != 0)))
        code = deja__fail(err, DEJA_EFORMAT, "they do not come back as they were given");
    deja_buffer_release(&found);
    deja_buffer_release(&found_ends);
    if (code == DEJA_EDAMAGED || code == DEJA_EFORMAT) {
        deja__fail_within(err, code, "they are not valid for their layout");
        if (err)
            err->code = DEJA_EFORMAT;
        return DEJA_EFORMAT;
    }
    return code;
}
