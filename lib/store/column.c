/* SPDX-License-Identifier: MIT */
#include "store/column.h"

bool deja__column_read(deja__column *column, const void *bytes, uint64_t size, uint32_t width,
                       uint32_t rise, uint32_t count)
{
    column->bytes = bytes;
    column->width = width;
    column->rise = rise;
    column->once = size == width;
    return column->once || size == (uint64_t)width * count;
}

/* Compilers make one load of this. */
static uint64_t load64(const unsigned char *bytes)
{
    return (uint64_t)bytes[0] << 56 | (uint64_t)bytes[1] << 48 | (uint64_t)bytes[2] << 40 |
           (uint64_t)bytes[3] << 32 | (uint64_t)bytes[4] << 24 | (uint64_t)bytes[5] << 16 |
           (uint64_t)bytes[6] << 8 | bytes[7];
}

uint64_t deja__column_at(const deja__column *column, uint32_t place)
{
    const unsigned char *bytes = column->bytes + (column->once ? 0 : column->width * place);
    const uint64_t number =
        column->width == 8 ? load64(bytes) : (uint64_t)(bytes[0] << 8 | bytes[1]);
    return column->once && column->rise ? number + place : number;
}

/* A rising column must not pass the largest signed number: SQL would count on in floats. */
static bool stands_once(const uint64_t *numbers, uint32_t count, uint32_t rise)
{
    for (uint32_t i = 1; i < count; i++)
        if (numbers[i] != numbers[i - 1] + rise || (rise && numbers[i] == (uint64_t)1 << 63))
            return false;
    return true;
}

bool deja__column_write(deja_buffer *out, const uint64_t *numbers, uint32_t count, uint32_t width,
                        uint32_t rise)
{
    const uint32_t written = stands_once(numbers, count, rise) ? 1 : count;
    unsigned char *bytes = deja_buffer_extend(out, (uint64_t)width * written);
    if (!bytes)
        return false;
    for (uint32_t i = 0; i < written; i++)
        for (uint32_t k = 0; k < width; k++)
            bytes[i * width + k] = (unsigned char)(numbers[i] >> (8 * (width - 1 - k)));
    return true;
}
