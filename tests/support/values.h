/* SPDX-License-Identifier: MIT */
/*
 * Values by their text, and what calls say of them, in one line each.
 */
#ifndef DEJA_TESTS_VALUES_H
#define DEJA_TESTS_VALUES_H

#include <deja/layout.h>

/* The value that a text is of; fails the test if it is none. The caller releases it. */
deja_buffer value_of(const deja_layout *layout, const char *text);

/* Fails the test unless reading `text` and printing it gives `printed`. */
void assert_reads_as(const char *layout, const char *text, const char *printed);
/* Fails the test unless reading `text` is refused with exactly this message, appending nothing. */
void assert_refused(const char *layout, const char *text, const char *message);

/* All differences of two values, as "path: expected / actual; path: ...". The caller releases. */
deja_buffer differences_of(const deja_layout *layout, deja_span expected, deja_span actual);

deja_span span_of(const deja_buffer *buffer);
bool same_bytes(const deja_buffer *a, const deja_buffer *b);

#endif
