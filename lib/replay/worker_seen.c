/* SPDX-License-Identifier: MIT */
/*
 * Values as a recorded layout has them: the way that is taken only where a library's layout is not
 * the recorded one. The value is saved, turned into the recorded form, and hashed by walking its
 * bytes, so it works without any help from the library.
 */
#include "replay/worker.h"

#include <stdlib.h>

/* ---- making ready ---- */

void deja__seen_release(deja__seen *seen)
{
    deja_match_destroy(seen->match);
    deja_layout_destroy(seen->recorded);
    free(seen->added);
    deja_buffer_release(&seen->bytes);
    deja_buffer_release(&seen->form);
    memset(seen, 0, sizeof *seen);
}

/* Which names of a kind the recorded layout does not have. */
static deja_code find_added(deja__seen *seen, const deja_layout *present, deja_error *err)
{
    const uint32_t count = deja_layout_kind_count(present);
    const uint32_t recorded_count = deja_layout_kind_count(seen->recorded);
    if (count == 0)
        return DEJA_OK;
    seen->added = calloc(count, sizeof *seen->added);
    if (!seen->added)
        return deja__fail_memory(err);
    for (uint32_t i = 0; i < count; i++) {
        seen->added[i] = true;
        for (uint32_t k = 0; k < recorded_count && seen->added[i]; k++)
            seen->added[i] = strcmp(deja_layout_kind_name(present, i),
                                    deja_layout_kind_name(seen->recorded, k)) != 0;
    }
    return DEJA_OK;
}

deja_code deja__seen_prepare(deja__seen *seen, deja_span text, const deja_layout *present,
                             deja_error *err)
{
    if (seen->recorded && text.size == strlen(deja_layout_text(seen->recorded)) &&
        memcmp(text.bytes, deja_layout_text(seen->recorded), (size_t)text.size) == 0)
        return DEJA_OK;
    deja__seen_release(seen);
    if (text.size == 0)
        return DEJA_OK;
    deja_code code = deja_layout_parse(&seen->recorded, text.bytes, text.size, err);
    if (code == DEJA_OK)
        code = deja_match_create(&seen->match, seen->recorded, present, err);
    if (code == DEJA_OK)
        code = find_added(seen, present, err);
    if (code != DEJA_OK)
        deja__seen_release(seen);
    return code;
}

/* ---- hashing ---- */

/* One value's recorded form, in seen->form until the next. */
static deja_code find_form(deja__seen *seen, const void *bytes, uint64_t size, deja_error *err)
{
    deja_buffer_clear(&seen->form);
    return deja_match_to_recorded(seen->match, bytes, size, &seen->form, err);
}

deja_code deja__seen_state_hash(deja__seen *seen, deja__game *game, uint64_t *hash, deja_error *err)
{
    deja_buffer_clear(&seen->bytes);
    deja_code code = deja__game_save(game, &seen->bytes, err);
    if (code == DEJA_OK)
        code = find_form(seen, seen->bytes.bytes, seen->bytes.size, err);
    if (code == DEJA_OK)
        code = deja_value_hash(seen->recorded, seen->form.bytes, seen->form.size, hash, err);
    return code;
}

deja_code deja__seen_event_hash(deja__seen *seen, deja__game *game, uint64_t *hash, deja_error *err)
{
    deja_span events;
    const uint32_t *ends;
    const uint32_t count = deja__game_events(game, &events, &ends, err);
    deja_buffer *hashed = &seen->bytes;
    deja_code code = DEJA_OK;
    uint32_t kept = 0;
    deja_buffer_clear(hashed);
    deja_buffer_extend(hashed, 4);
    for (uint32_t i = 0, begin = 0; i < count && code == DEJA_OK; begin = ends[i++]) {
        const unsigned char *event = (const unsigned char *)events.bytes + begin;
        if (seen->added && seen->added[deja__load16(event)])
            continue;
        code = find_form(seen, event, ends[i] - begin, err);
        if (code == DEJA_OK)
            code = deja_value_hashed_bytes(seen->recorded, seen->form.bytes, seen->form.size,
                                           hashed, err);
        kept++;
    }
    if (code == DEJA_OK && hashed->failed)
        code = deja__fail_memory(err);
    if (code == DEJA_OK) {
        deja__store32(hashed->bytes, kept);
        *hash = deja__hash64(hashed->bytes, hashed->size);
    }
    return code;
}
