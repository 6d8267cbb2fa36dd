/* SPDX-License-Identifier: MIT */
/*
 * Writing a small value without the writer, for what is done at every step.
 *
 * Most states and events fit a window and ask nothing of the host. Such a value needs none of the
 * writer's levels and sinks: its description is lent some memory, and when it returns the bytes lie
 * there. One that does ask is answered with zeros, which every description has to bear, and written
 * again by the writer, which knows how. A type that has asked a few times is not tried any more.
 */
#ifndef DEJA_FIELDS_CODEC_INLINE_H
#define DEJA_FIELDS_CODEC_INLINE_H

#include "fields/codec_parts.h"

typedef struct deja__attempt {
    deja_fields f; /* first: descriptions hand it back */
    bool asked;
} deja__attempt;

/* Answers 0, and remembers that it was asked. */
uint32_t deja__visit_attempt(deja_fields *f, const deja_field *field);

enum { DEJA__ATTEMPTS_MAX = 8 };

/* Writes a value's canonical bytes, which are also those for hashing, to `at`. Answers their end;
 * NULL where the writer is needed. */
static inline unsigned char *deja__codec_attempt(deja__codec *codec, const void *value,
                                                 unsigned char *at, unsigned char *end)
{
    deja__attempt attempt = { { at, end, deja__visit_attempt, DEJA_WRITING, DEJA_ABI_MINOR },
                              false };
    if (codec->attempts_failed == DEJA__ATTEMPTS_MAX)
        return NULL;
    codec->type.fields(&attempt.f, value);
    if (DEJA__LIKELY(!attempt.asked))
        return attempt.f.at;
    codec->attempts_failed++;
    return NULL;
}

#endif
