/* SPDX-License-Identifier: MIT */
/*
 * A reader, and filling in the public structures from packs.
 */
#ifndef DEJA_STORE_READER_H
#define DEJA_STORE_READER_H

#include "store/part.h"
#include "store/valid.h"

struct deja_reader {
    deja_store *store;
    deja_session session;
    deja_recording recording;
    char outcome[DEJA__NAME_MAX + 1];
    deja_buffer config;
    deja_buffer start_layout;
    deja_buffer start;
    int64_t session_pack;
    int64_t recording_pack;
    uint32_t session_place;
    uint32_t recording_place;
    uint32_t recording_count;
    uint64_t start_hash;
    uint64_t at;     /* steps that were read */
    uint64_t before; /* steps of its pack's part before its own */
    deja__part *commands;
    deja__part *results;
    uint64_t results_before; /* in `results`: of others before its own */
    uint64_t trail_before;
    uint64_t trail_count;
    deja_buffer ends; /* numbers that do not stand in a part as steps show them */
    deja_buffer result_numbers;
    deja_buffer trail_numbers;
};

/* The saved state that a pack begins with, into buffers that the session then borrows. */
deja_code deja__start_read(deja_store *store, int64_t pack, deja_buffer *layout, deja_buffer *state,
                           deja_session *session, deja_error *err);
/* All but the config and the start state. */
void deja__session_fill(deja_session *session, const deja__session_pack *pack, uint32_t place);
/* `outcome` has DEJA__NAME_MAX + 1 bytes; the recording borrows it. */
void deja__recording_fill(deja_recording *recording, const deja__recording_pack *pack,
                          uint32_t place, char *outcome);

#endif
