/* SPDX-License-Identifier: MIT */
/*
 * Replay texts in and out of a store, in one line each.
 */
#ifndef DEJA_TESTS_TEXTS_H
#define DEJA_TESTS_TEXTS_H

#include <deja/deja.h>

/* A store in a folder of its own. */
typedef struct desk {
    char folder[64];
    char path[128];
    deja_store *store;
} desk;

void desk_open(desk *d);
/* Closes the store and removes the folder; fails the test if closing does. */
void desk_close(desk *d);
/* How many sessions it holds. */
uint64_t desk_sessions(desk *d);

/* Text that grows; the caller frees bytes. */
typedef struct text {
    char *chars; /* ends with NUL; never NULL */
    size_t size;
} text;

text text_of(const char *chars);
void text_free(text *t);
/* Puts `by` in place of the only `what` in `chars`; fails the test if there are more, or none. */
text text_with(const char *chars, const char *what, const char *by);

/* Imports; on success the session's id. */
deja_code take(desk *d, const char *chars, size_t size, deja_id *id, deja_error *err);
/* Exports the newest recording of a session; fails the test if that fails. */
text give(desk *d, const deja_id *id);
/* Imports and exports; fails the test if either fails. */
text through(const char *chars);

/* Fails the test unless importing leaves `expected`. */
void assert_becomes(const char *chars, const char *expected);
/* What a suite that calls the next one begins and ends with. */
void refusals_open(void);
void refusals_close(void);
/* Fails the test unless importing is DEJA_EFORMAT with exactly this message ("t:12: ..."; with an
 * asterisk at its end, one that begins so), and nothing is stored. */
void assert_text_refused(const char *chars, const char *message);

/* A recording with everything that one may have, as export writes it. */
extern const char *const sample_text;
/* A scenario with all that it may have, and one with as little as it may have. */
extern const char *const scenario_text;
extern const char *const bare_scenario_text;

#endif
