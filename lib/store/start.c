/* SPDX-License-Identifier: MIT */
/*
 * The saved states that sessions begin in, where they began in the middle.
 */
#include "store/reader.h"

typedef struct start_reading {
    deja_store *store;
    deja_buffer *layout;
    deja_buffer *state;
} start_reading;

static deja_code take_start(void *user, const deja__row *row, deja_error *err)
{
    const start_reading *r = user;
    const deja_span block = { row->cells[2].bytes, row->cells[2].size };
    if (!deja__is_plain(row->cells[0].bytes, row->cells[0].size, DEJA__LAYOUT_TEXT_MAX) ||
        row->cells[0].size == 0)
        return deja__fail(err, DEJA_EDAMAGED, "the layout of its start state is not sound");
    if (!deja_buffer_add(r->layout, row->cells[0].bytes, row->cells[0].size))
        return deja__fail_memory(err);
    return deja__unpack(r->store->unpacker, block, row->cells[1].number, r->state, err);
}

/* Whoever loads the state trusts it. */
static deja_code validate_start(const deja_session *session, deja_error *err)
{
    deja_layout *layout = NULL;
    const char *text = session->start_layout;
    if (deja__is_opaque(text))
        return DEJA_OK;
    deja_code code = deja_layout_parse(&layout, text, strlen(text), err);
    if (code == DEJA_OK)
        code = deja_value_validate(layout, session->start.bytes, session->start.size, err);
    deja_layout_destroy(layout);
    if (code != DEJA_EFORMAT && code != DEJA_ELIMIT)
        return code;
    deja__fail_within(err, code, "its start state");
    if (err)
        err->code = DEJA_EDAMAGED;
    return DEJA_EDAMAGED;
}

deja_code deja__start_read(deja_store *store, int64_t pack, deja_buffer *layout, deja_buffer *state,
                           deja_session *session, deja_error *err)
{
    start_reading r = { store, layout, state };
    deja__tally found = { 0 };
    deja_buffer_clear(layout);
    deja_buffer_clear(state);
    const deja_code code =
        deja__rows_read(store, DEJA__STARTS, pack, pack, take_start, &r, &found, err);
    if (code < 0)
        return code;
    if (found.rows == 0)
        return deja__fail(err, DEJA_EDAMAGED,
                          "it starts from a saved state that is not in the store");
    session->start_layout = (const char *)layout->bytes;
    session->start.bytes = state->bytes;
    session->start.size = state->size;
    return validate_start(session, err);
}
