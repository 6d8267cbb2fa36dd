/* SPDX-License-Identifier: MIT */
/*
 * What a journal's session begins with, as bytes: all that a store keeps of a session and a
 * recording but their steps. Normative: schemas/journal.md.
 */
#ifndef DEJA_STORE_SESSION_RECORD_H
#define DEJA_STORE_SESSION_RECORD_H

#include <deja/store.h>

#include "base/base.h"

/* Appends them. @param start_hash the full hash of the start state */
deja_code deja__session_record_write(const deja_session *session, const deja_recording *recording,
                                     uint64_t start_hash, deja_buffer *out, deja_error *err);
/* Texts and spans are borrowed from `bytes`. DEJA_EDAMAGED: they are not such bytes. */
deja_code deja__session_record_read(deja_span bytes, deja_session *session,
                                    deja_recording *recording, uint64_t *start_hash,
                                    deja_error *err);

#endif
