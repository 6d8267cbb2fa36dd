/* SPDX-License-Identifier: MIT */
/*
 * Option structs that grow, and the words that callers hand in.
 */
#ifndef DEJA_RECORD_OPTIONS_H
#define DEJA_RECORD_OPTIONS_H

#include <deja/recorder.h>

#include "base/base.h"

/* Copies what the caller knows of an option struct over the defaults in `target`, whose first
 * member is its size. DEJA_EMISUSE: it has no size, or sets what this library does not know. */
deja_code deja__options_take(void *target, uint32_t target_size, const void *options,
                             deja_error *err);
/* Trail width and K. */
deja_code deja__trail_check(uint32_t bits, uint64_t every, deja_error *err);

/* Whether a word is in a list of names with spaces between. */
bool deja__names_have(const char *names, const char *word);

#endif
