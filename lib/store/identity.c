/* SPDX-License-Identifier: MIT */
/*
 * Working out a session's id while its commands arrive. Normative: schemas/identity.md.
 *
 * A command is a few bytes, and an update of XXH3 costs more than that; so sizes and bytes are
 * gathered in a window and handed on a window at a time. What the count and the window still lack
 * is added to a copy of the hash's state, so that asking for the id ends nothing.
 */
#include "store/identity.h"

#include "base/xxh3.h"

#include <stdlib.h>

#define WINDOW 2048

struct deja__identity {
    XXH3_state_t hash; /* first: it asks for its alignment */
    uint64_t count;
    uint32_t used;
    unsigned char window[WINDOW];
};

static void drain(deja__identity *identity)
{
    XXH3_128bits_update(&identity->hash, identity->window, identity->used);
    identity->used = 0;
}

static void put(deja__identity *identity, const void *bytes, uint64_t size)
{
    if (size > WINDOW - identity->used)
        drain(identity);
    if (size > WINDOW) {
        XXH3_128bits_update(&identity->hash, bytes, (size_t)size);
    } else if (size) {
        memcpy(identity->window + identity->used, bytes, (size_t)size);
        identity->used += (uint32_t)size;
    }
}

static void put_u32(deja__identity *identity, uint32_t number)
{
    unsigned char bytes[4];
    deja__store32(bytes, number);
    put(identity, bytes, sizeof bytes);
}

static void put_u64(deja__identity *identity, uint64_t number)
{
    unsigned char bytes[8];
    deja__store64(bytes, number);
    put(identity, bytes, sizeof bytes);
}

static void put_bytes(deja__identity *identity, deja_span span)
{
    put_u32(identity, (uint32_t)span.size);
    put(identity, span.bytes, span.size);
}

static void put_text(deja__identity *identity, const char *text)
{
    const deja_span span = { text, text ? strlen(text) : 0 };
    put_bytes(identity, span);
}

deja_code deja__identity_create(deja__identity **out, const deja_session *session, deja_error *err)
{
    *out = NULL;
    if (session->config.size > UINT32_MAX || session->start.size > UINT32_MAX)
        return deja__fail(err, DEJA_ELIMIT, "a config or a start state has 4 GiB or more");
    deja__identity *identity = aligned_alloc(64, (sizeof(deja__identity) + 63) / 64 * 64);
    if (!identity)
        return deja__fail_memory(err);
    XXH3_128bits_reset(&identity->hash);
    identity->count = 0;
    identity->used = 0;
    put(identity, "deja-session\1", 13);
    put_text(identity, session->game);
    put_text(identity, session->command_layout);
    put_text(identity, session->config_layout);
    put_text(identity, session->content);
    put_bytes(identity, session->config);
    put_u64(identity, session->seed);
    put_text(identity, session->start_layout);
    put_bytes(identity, session->start);
    *out = identity;
    return DEJA_OK;
}

void deja__identity_destroy(deja__identity *identity)
{
    free(identity);
}

void deja__identity_add(deja__identity *identity, const unsigned char *commands,
                        const uint32_t *ends, uint32_t count)
{
    uint32_t start = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t size = ends[i] - start;
        put_u32(identity, size);
        put(identity, commands + start, size);
        start = ends[i];
    }
    identity->count += count;
}

void deja__identity_copy(deja__identity *target, const deja__identity *source)
{
    *target = *source;
}

void deja__identity_get(const deja__identity *identity, deja_id *id)
{
    deja__identity whole = *identity;
    XXH128_canonical_t canonical;
    put_u64(&whole, whole.count);
    drain(&whole);
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&whole.hash));
    memcpy(id->bytes, canonical.digest, sizeof id->bytes);
}
