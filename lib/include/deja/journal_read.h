/* SPDX-License-Identifier: MIT */
/**
 * @file deja/journal_read.h
 * Taking the journals that games wrote (deja/journal.h) into a store.
 *
 * Runs no game's code. Whatever is in the bytes, what is before the first thing that is wrong with
 * them is taken, and what is wrong is said.
 */
#ifndef DEJA_JOURNAL_READ_PUBLIC_H
#define DEJA_JOURNAL_READ_PUBLIC_H

#include <deja/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What became of a journal. */
typedef struct deja_journal_told {
    deja_id id;
    bool known;          /**< the store had this very session and recording */
    uint32_t ended;      /**< enum deja_ended */
    uint64_t steps;      /**< of the session */
    uint64_t taken_back; /**< steps that were rewound */
    uint64_t left_out;   /**< marks and sections that a store does not take */
    uint64_t
        sessions;  /**< that it holds: of a recorder's any number, and the rest is of the last */
    char why[128]; /**< what it stops at, where that is not its end; else "" */
} deja_journal_told;

/** Whether bytes begin as a journal does. */
DEJA_API bool deja_is_journal(const void *bytes, uint64_t size);

/**
 * Makes a session of a journal that a game wrote, and sessions of one that a recorder wrote.
 * @param store NULL: the journal is looked at, and nothing is stored
 * @param name  of the journal, for messages
 * @param bytes of the whole file
 * @param[out] told what came of it; id and known only where it was stored
 * @return DEJA_OK; DEJA_EFORMAT (no journal, or headers that make no sense); DEJA_EVERSION;
 *         DEJA_EDAMAGED (its header); what storing answers. On failure nothing of it is stored.
 */
DEJA_API deja_code deja_journal_import(deja_store *store, const char *name, const void *bytes,
                                       uint64_t size, deja_journal_told *told, deja_error *err);

#ifdef __cplusplus
}
#endif

#endif
