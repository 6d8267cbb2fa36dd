/* SPDX-License-Identifier: MIT */
/*
 * A folder for one test, and sessions in a store in it.
 */
#ifndef DEJA_TESTS_SCRATCH_H
#define DEJA_TESTS_SCRATCH_H

#include <deja/deja.h>

/* Makes a new folder under the system's temporary one, and its path in `path`. */
void scratch_open(char path[64]);
/* Removes it with all that is in it. */
void scratch_close(const char *path);

/* Records games by bots in a child process (so that the library never enters this one), into
 * FOLDER/NAME. `set` is a config setting as for --set, or NULL. Fails the test on any error. */
void scratch_record(const char *store, const char *library, const char *bots, uint64_t games,
                    uint64_t seed, uint64_t max_steps, uint32_t trail_bits);

/* The keys of all sessions of a store, in its order; the caller frees. */
int64_t *scratch_keys(const char *store, uint64_t *count);

#endif
