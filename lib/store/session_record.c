/* SPDX-License-Identifier: MIT */
/*
 * See session_record.h: numbers of a fixed width, then texts.
 */
#include "store/session_record.h"

enum { FIXED = 56, WORDS = 13, TEXTS = WORDS + 2 };

/* Where the words are kept, in the order of the bytes. */
static void words_of(deja_session *session, deja_recording *recording, const char **words[WORDS])
{
    const char **const all[WORDS] = {
        &session->game,           &recording->version,      &recording->state_layout,
        &session->command_layout, &recording->event_layout, &session->config_layout,
        &recording->refusals,     &recording->outcomes,     &recording->compiler,
        &recording->platform,     &recording->made,         &session->content,
        &session->start_layout,
    };
    memcpy(words, all, sizeof all);
}

static void put_text(deja_buffer *out, const void *bytes, uint64_t size)
{
    unsigned char number[4];
    deja__store32(number, (uint32_t)size);
    deja_buffer_add(out, number, sizeof number);
    deja_buffer_add(out, bytes, size);
    deja_buffer_char(out, 0);
}

deja_code deja__session_record_write(const deja_session *session, const deja_recording *recording,
                                     uint64_t start_hash, deja_buffer *out, deja_error *err)
{
    unsigned char fixed[FIXED] = { 0 };
    deja_session asked = *session;
    deja_recording came = *recording;
    const char **words[WORDS];
    if (session->config.size > UINT32_MAX || session->start.size > UINT32_MAX)
        return deja__fail(err, DEJA_ELIMIT, "a config or a start state has 4 GiB or more");
    deja__store64(fixed, start_hash);
    deja__store64(fixed + 8, recording->trail_every);
    deja__store64(fixed + 16, session->seed);
    deja__store64(fixed + 24, (uint64_t)recording->recorded_at);
    deja__store32(fixed + 32, recording->trail_bits);
    memcpy(fixed + 40, recording->build, 16);
    deja_buffer_add(out, fixed, sizeof fixed);
    words_of(&asked, &came, words);
    for (int i = 0; i < WORDS; i++)
        put_text(out, *words[i] ? *words[i] : "", *words[i] ? strlen(*words[i]) : 0);
    put_text(out, session->config.bytes, session->config.size);
    put_text(out, session->start.bytes, session->start.size);
    return out->failed ? deja__fail_memory(err) : DEJA_OK;
}

/* Takes the next text. */
static bool take(deja_span *rest, deja_span *text)
{
    const unsigned char *at = rest->bytes;
    if (rest->size < 5)
        return false;
    const uint64_t size = deja__load32(at);
    if (size > rest->size - 5 || at[4 + size] != 0)
        return false;
    *text = (deja_span){ at + 4, size };
    *rest = (deja_span){ at + 5 + size, rest->size - 5 - size };
    return true;
}

static bool read_fixed(deja_span *rest, deja_session *session, deja_recording *recording,
                       uint64_t *start_hash)
{
    const unsigned char *at = rest->bytes;
    if (rest->size < FIXED || deja__load32(at + 36) != 0)
        return false;
    *start_hash = deja__load64(at);
    recording->trail_every = deja__load64(at + 8);
    session->seed = deja__load64(at + 16);
    recording->recorded_at = (int64_t)deja__load64(at + 24);
    recording->trail_bits = deja__load32(at + 32);
    memcpy(recording->build, at + 40, 16);
    *rest = (deja_span){ at + FIXED, rest->size - FIXED };
    return recording->trail_every != 0 && recording->recorded_at >= 0;
}

deja_code deja__session_record_read(deja_span bytes, deja_session *session,
                                    deja_recording *recording, uint64_t *start_hash,
                                    deja_error *err)
{
    const char **words[WORDS];
    deja_span text;
    memset(session, 0, sizeof *session);
    memset(recording, 0, sizeof *recording);
    words_of(session, recording, words);
    bool sound = read_fixed(&bytes, session, recording, start_hash);
    for (int i = 0; i < TEXTS && sound; i++) {
        sound = take(&bytes, &text);
        if (!sound)
            break;
        if (i < WORDS) {
            *words[i] = text.bytes;
            sound = strlen(*words[i]) == text.size;
        } else if (i == WORDS) {
            session->config = text;
        } else {
            session->start = text;
        }
    }
    recording->outcome = "";
    if (!sound || bytes.size != 0)
        return deja__fail(err, DEJA_EDAMAGED, "a session's beginning is not sound");
    return DEJA_OK;
}
