/* SPDX-License-Identifier: MIT */
/*
 * What commands have in common that look at a store's sessions.
 */
#ifndef DEJA_TOOL_SESSIONS_H
#define DEJA_TOOL_SESSIONS_H

#include <deja/layout.h>
#include <deja/store.h>

#include "args.h"

enum { ID_DIGITS = 32, ID_SHORT = 12 };

/* The first `digits` of an id, or of a build's digest. */
const char *hex_text(const unsigned char bytes[16], uint32_t digits);
/* 2026-11-30 06:28:09, in UTC; "-" for 0. */
const char *time_text(int64_t seconds);

/* -s, else $DEJA_STORE, else plays.deja. */
const char *store_path(const args *given);
/* Opens it; STATUS_OK, or it has complained. */
int store_open(deja_store **out, const args *given, uint32_t mode);
/* Whether this can be the beginning of an id; STATUS_OK, or it has complained. */
int prefix_check(const char *prefix);
/* The key of the session that somebody names; STATUS_OK, or it has complained. */
int store_find(deja_store *store, const char *prefix, int64_t *key);
/* Closes it: `status`, or worse where that fails. */
int store_close(deja_store *store, int status);

/* ---- values as text ---- */

/* A layout that is read again only where another is asked for. All zero to begin with. */
typedef struct layout_cache {
    char *text;
    deja_layout *layout; /* NULL for the bytes of a game without described types */
} layout_cache;

/* STATUS_OK, or it has complained: a layout in a store that is none is damage. */
int layout_use(layout_cache *cache, const char *text);
void layout_release(layout_cache *cache);
/* Sets `out` to the value as text, or as JSON; checks the bytes first. False, with *err. */
bool value_text(const layout_cache *cache, deja_span value, deja_buffer *out, deja_error *err);
bool value_json(const layout_cache *cache, deja_span value, deja_buffer *out, deja_error *err);

/* ---- telling of sessions ---- */

/* Whether this is a text that says what to play, of which nothing was recorded yet: then it has no
 * results, hashes and build. */
bool is_scenario(const deja_recording *recording);
/* "running", "unfinished", "crashed" or "outcome". */
const char *ended_name(uint32_t ended);
/* The same, or the outcome's own name. */
const char *ended_text(const deja_recording *recording);
/* "ok", or the name of the refusal; "?" where the list has none of that number. */
const char *result_text(const char *refusals, uint32_t result);
/* A line of JSON: {"type":"session",...}. */
int session_json(const deja_session *session, const deja_recording *recording,
                 uint32_t recording_count, layout_cache *config);

#endif
