/* SPDX-License-Identifier: MIT */
/*
 * A session's id. Normative: schemas/identity.md.
 *
 *     "deja-session" and a byte 1
 *     string   game
 *     string   command layout
 *     string   config layout
 *     string   content ("" or "name=digest name=digest", names rising)
 *     string   config's canonical bytes
 *     u64      seed
 *     string   start layout, "" where it began at the start
 *     string   start state's canonical bytes, ""
 *     for each command:  string  its canonical bytes
 *     u64      number of commands
 *
 * string: u32 size, then the bytes. All little-endian. The id is the XXH3-128 of these in canonical
 * (big-endian) bytes; the count comes last so that it can be worked out while steps arrive.
 */
#ifndef DEJA_STORE_IDENTITY_H
#define DEJA_STORE_IDENTITY_H

#include <deja/store.h>

#include "base/base.h"

typedef struct deja__identity deja__identity;

deja_code deja__identity_create(deja__identity **out, const deja_session *session, deja_error *err);
void deja__identity_destroy(deja__identity *identity);
/* Commands one behind another in `commands`, each ending where `ends` says. */
void deja__identity_add(deja__identity *identity, const unsigned char *commands,
                        const uint32_t *ends, uint32_t count);
/* Makes `target` (a created one, of any session) the same as `source`. */
void deja__identity_copy(deja__identity *target, const deja__identity *source);
/* The id of what was added so far; more may follow. */
void deja__identity_get(const deja__identity *identity, deja_id *id);

#endif
