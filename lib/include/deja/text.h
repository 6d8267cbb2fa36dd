/* SPDX-License-Identifier: MIT */
/**
 * @file deja/text.h
 * The replay text: a session with one recording, as people review it. Normative: schemas/replay.md.
 *
 * Neither way runs a game's code. Two exports of one recording are the same bytes anywhere.
 */
#ifndef DEJA_TEXT_H
#define DEJA_TEXT_H

#include <deja/layout.h>
#include <deja/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Writes a session and one of its recordings as a replay text.
 * @param recording 0 for the newest, 1 for the one before, ...
 * @param write     takes the text piece by piece; a return of false ends it (DEJA_EIO)
 */
DEJA_API deja_code deja_export(deja_store *store, int64_t key, uint32_t recording,
                               bool (*write)(void *user, const char *chars, uint64_t size),
                               void *user, deja_error *err);

/** What a game's build says of itself: for texts that leave it out. Borrowed. */
typedef struct deja_text_rules {
    const char *game;
    const char *version;
    const char *layouts[4]; /**< enum deja_type_index */
    const char *refusals;
    const char *outcomes;
    deja_span config_default;
} deja_text_rules;

/** An expectation of a text, at a step: `see: side=1`. Borrowed for the call. */
typedef struct deja_see {
    uint64_t step;
    const char *fields; /**< fields of the state with their values */
    uint64_t line;
} deja_see;

/**
 * Reads a replay text and stores it.
 * @param store NULL: the text is checked, and nothing is stored; id and known are left alone
 * @param name  of the text, for messages ("FILE:12: ...")
 * @param rules fills in what a scenario leaves out; NULL if there are none at hand (then a scenario
 *              is DEJA_EUNFIT: "needs --rules")
 * @param[out] id, known as deja_writer_close()
 * @return DEJA_OK; DEJA_EFORMAT (the message names the line and what is wrong with it); what
 *         storing answers. On failure nothing of it is stored.
 */
DEJA_API deja_code deja_import(deja_store *store, const char *name, const char *text, uint64_t size,
                               const deja_text_rules *rules, deja_id *id, bool *known,
                               deja_error *err);

#ifdef __cplusplus
}
#endif

#endif
