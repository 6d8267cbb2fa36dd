/* SPDX-License-Identifier: MIT */
/*
 * See options.h.
 */
#include "record/options.h"

deja_code deja__options_take(void *target, uint32_t target_size, const void *options,
                             deja_error *err)
{
    uint32_t size;
    if (!options)
        return deja__fail(err, DEJA_EMISUSE, "the options are missing");
    memcpy(&size, options, sizeof size);
    if (size < sizeof size)
        return deja__fail(err, DEJA_EMISUSE, "the options do not say their size; start from _INIT");
    const unsigned char *bytes = options;
    for (uint32_t i = target_size; i < size; i++)
        if (bytes[i] != 0)
            return deja__fail(err, DEJA_EMISUSE, "the options set what this deja does not know");
    memcpy(target, options, size < target_size ? size : target_size);
    return DEJA_OK;
}

deja_code deja__trail_check(uint32_t bits, uint64_t every, deja_error *err)
{
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
        return deja__fail(err, DEJA_EMISUSE, "a trail has 8, 16, 32 or 64 bits, not %u", bits);
    if (every == 0)
        return deja__fail(err, DEJA_EMISUSE, "a trail takes every Kth step, K from 1");
    return DEJA_OK;
}

bool deja__names_have(const char *names, const char *word)
{
    const size_t size = strlen(word);
    for (const char *at = names; size != 0 && *at;) {
        const size_t one = strcspn(at, " ");
        if (one == size && memcmp(at, word, size) == 0)
            return true;
        at += one;
        at += *at == ' ';
    }
    return false;
}
