/* SPDX-License-Identifier: MIT */
/*
 * Locks that tell a journal whose owner lives from one that a dead process left.
 *
 *     byte 0    held by the recorder while it lives
 *     byte 1    held, with byte 0, by who folds what a dead one left
 *
 * They belong to the open file, not to the process: closing the same file elsewhere in the process
 * does not drop them, and the recorder's threads and readers see each other's. A forked child would
 * inherit the open file and hold the lock after its parent's death, so children close theirs.
 */
#ifndef DEJA_JOURNAL_LOCK_H
#define DEJA_JOURNAL_LOCK_H

#include <stdbool.h>

/* Takes the first `bytes` bytes; false: somebody has them, or there are no locks here. */
bool deja__journal_lock(int descriptor, int bytes);
/* Whether somebody else has that byte. *unknown: there are no locks here. */
bool deja__journal_is_locked(int descriptor, int byte, bool *unknown);

/* From here on a forked child closes this one at once, until it is forgotten. false: no memory. */
bool deja__journal_keep_from_children(int descriptor);
void deja__journal_forget(int descriptor);

#endif
