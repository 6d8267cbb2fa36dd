/* SPDX-License-Identifier: MIT */
/*
 * A second host for descriptions, as small as can be: it writes and loads canonical bytes by what
 * <deja/rules.h> says, knows no layout, and fails the test where a description breaks a promise. It
 * owes nothing to lib/fields, so that the two can be held against each other.
 */
#ifndef DEJA_TESTS_HOST_H
#define DEJA_TESTS_HOST_H

#include <deja/rules.h>

/* Memory for one value, made by the type's init; and its end. */
void *host_create(const deja_type *type);
void host_destroy(const deja_type *type, void *value);

/* Writes the canonical bytes, lending windows of so many bytes (0: every call asks).
 * @return their size */
uint64_t host_save(const deja_type *type, const void *value, uint64_t window, unsigned char *bytes,
                   uint64_t capacity);

/* Loads canonical bytes that must be the value's, whole. */
void host_load(const deja_type *type, void *value, const unsigned char *bytes, uint64_t size);

/* The names that a description gives while the value is written with windows of 0 bytes, as
 * "rows side"; nested ones in { }, and items without names as *. */
void host_names(const deja_type *type, const void *value, char *names, uint64_t capacity);

#endif
