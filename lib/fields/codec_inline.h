/* SPDX-License-Identifier: MIT */
/*
 * What is done at every step, inline: loading a small flat value by its plan, and writing a small
 * one without the writer.
 *
 * Most states and events fit a window and ask nothing of the host. Such a value needs none of the
 * writer's levels and sinks: its description is lent some memory, and when it returns the bytes lie
 * there. One that does ask is answered with zeros, which every description has to bear, and written
 * again by the writer, which knows how. A type that has asked a few times is not tried any more.
 */
#ifndef DEJA_FIELDS_CODEC_INLINE_H
#define DEJA_FIELDS_CODEC_INLINE_H

#include "base/xxh3.h"
#include "fields/codec_plan.h"

typedef struct deja__attempt {
    deja_fields f; /* first: descriptions hand it back */
    bool asked;
} deja__attempt;

/* Answers 0, and remembers that it was asked. */
uint32_t deja__visit_attempt(deja_fields *f, const deja_field *field);

enum { DEJA__ATTEMPTS_MAX = 8 };

/* Writes a value's canonical bytes, which are also those for hashing, to `at`. Answers their end;
 * NULL where the writer is needed, or more room. `failed` counts that, until it is not tried. */
static inline unsigned char *deja__codec_attempt(const deja__codec *codec, const void *value,
                                                 unsigned char *at, unsigned char *end,
                                                 uint32_t *failed)
{
    deja__attempt attempt = { { at, end, deja__visit_attempt, DEJA_WRITING, DEJA_ABI_MINOR },
                              false };
    if (*failed == DEJA__ATTEMPTS_MAX)
        return NULL;
    codec->type.fields(&attempt.f, value);
    if (DEJA__LIKELY(!attempt.asked)) {
        const uint64_t size = (uint64_t)(attempt.f.at - at);
        /* Other calls than those that were learnt: the writer says so. */
        return codec->size == size || codec->size == DEJA__SIZE_ANY ? attempt.f.at : NULL;
    }
    ++*failed;
    return NULL;
}

/* The hash of a value for which the writer is not needed. false: it is. */
static inline bool deja__codec_hash_attempt(deja__codec *codec, const void *value, uint64_t *hash)
{
    unsigned char *window = codec->writer.window;
    const unsigned char *end = deja__codec_attempt(
        codec, value, window, window + codec->writer.window_size, &codec->attempts_failed);
    if (!end)
        return false;
    *hash = XXH3_64bits(window, (size_t)(end - window));
    return true;
}

/* Loads canonical bytes by the plan. false: there is none, or the bytes are not valid; the value is
 * to be loaded again, which tells why. */
static inline bool deja__codec_load_planned(const deja__codec *codec, void *value, deja_span bytes)
{
    return codec->plan && !codec->type.init &&
           deja__load_plan_run(codec->plan, value, bytes.bytes, bytes.size);
}

#endif
