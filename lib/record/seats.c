/* SPDX-License-Identifier: MIT */
/*
 * See seats.h.
 */
#include "record/seats.h"

#include <stdlib.h>

void deja__seats_clear(deja__seats *seats)
{
    for (uint32_t i = 0; i < DEJA__SEATS_MAX; i++)
        seats->all[i].seen = false;
}

void deja__seats_release(deja__seats *seats)
{
    for (uint32_t i = 0; i < DEJA__SEATS_MAX; i++)
        free(seats->all[i].memory);
}

static bool make_room(deja__seat *seat, uint64_t size)
{
    if (size > seat->memory_size) {
        free(seat->memory);
        seat->memory = malloc((size_t)size);
        seat->memory_size = seat->memory ? size : 0;
    }
    return size <= seat->memory_size;
}

deja_code deja__seat_take(deja__seats *seats, uint64_t seed, uint32_t number, uint64_t memory_size,
                          deja__seat **out, deja_error *err)
{
    if (number >= DEJA__SEATS_MAX)
        return deja__fail(err, DEJA_ERULES, "side answered %u; bots take seats 0 to %d", number,
                          DEJA__SEATS_MAX - 1);
    deja__seat *seat = *out = &seats->all[number];
    if (seat->seen)
        return DEJA_OK;
    if (!make_room(seat, memory_size))
        return deja__fail_memory(err);
    if (seat->memory)
        memset(seat->memory, 0, (size_t)seat->memory_size);
    deja_luck_seed(&seat->luck, seed, (uint64_t)number + 1);
    seat->seen = true;
    return DEJA_OK;
}
