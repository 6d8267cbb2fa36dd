/* SPDX-License-Identifier: MIT */
/**
 * @file deja/store.h
 * A store: one SQLite file of sessions and recordings. Nothing here runs a game's code.
 *
 * Normative: schemas/store.sql, schemas/store.md, schemas/identity.md.
 *
 * A session is what was asked; a recording is what came of it under one build. Reading never
 * writes. Writing goes through a writer, one for each session; finished sessions are gathered and
 * committed many at a time (deja_store_flush()). What is not committed dies with the process.
 *
 * A store handle is used by one thread at a time; several handles of one file are fine.
 */
#ifndef DEJA_STORE_H
#define DEJA_STORE_H

#include <deja/buffer.h>
#include <deja/error.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct deja_store deja_store;
typedef struct deja_reader deja_reader;
typedef struct deja_writer deja_writer;

enum deja_store_mode {
    DEJA_STORE_READ = 0,  /**< never creates or changes the file */
    DEJA_STORE_WRITE = 1, /**< creates it where there is none */
    DEJA_STORE_APPEND = 2 /**< writes, but does not create */
};

/** A session's id: XXH3-128 of what was asked, in canonical (big-endian) bytes. */
typedef struct deja_id {
    unsigned char bytes[16];
} deja_id;

/** How a recording ended. */
enum deja_ended {
    DEJA_ENDED_RUNNING = 0,    /**< closed while the game was still running */
    DEJA_ENDED_UNFINISHED = 1, /**< never closed */
    DEJA_ENDED_CRASHED = 2,    /**< in the last command, which has no result and no hash */
    DEJA_ENDED_OUTCOME = 3     /**< with the outcome that is named */
};

/** What was asked. Strings and spans are borrowed: from the caller when writing, for the call when
 *  listing, until the reader is closed when reading. */
typedef struct deja_session {
    deja_id id; /**< set by the store */
    const char *game;
    const char *command_layout;
    const char *config_layout;
    deja_span config; /**< canonical bytes */
    uint64_t seed;
    const char *content;      /**< "name=32 hex digits" with spaces between, in order; "" */
    const char *start_layout; /**< the state's layout where it began in the middle, else "" */
    deja_span start;          /**< then the state's canonical bytes */
    uint64_t steps;           /**< set by the store */
} deja_session;

/** What came of it under one build on one platform. */
typedef struct deja_recording {
    const char *version; /**< of the rules */
    const char *state_layout;
    const char *event_layout;
    const char *refusals; /**< names with spaces between; results count from 1 in this list */
    const char *outcomes;
    unsigned char build[16]; /**< content digest */
    const char *compiler;
    const char *platform;
    const char *made;     /**< as "bot random,depth6"; "" */
    uint32_t trail_bits;  /**< 8, 16, 32 or 64; 0: a scenario, of which nothing was recorded */
    uint64_t trail_every; /**< K: steps 0, K, 2K... are hashed; at least 1 */
    uint32_t ended;       /**< enum deja_ended; set by deja_writer_close() */
    const char *outcome;  /**< its name where ended is DEJA_ENDED_OUTCOME, else "" */
    uint64_t chain;       /**< after the last hashed step; set by the store */
    uint64_t event_chain; /**< after the last step; set by the store */
    int64_t recorded_at;  /**< seconds since 1970, 0 if not known: never exported */
} deja_recording;

/** Steps one behind another, at most 16,384: steps 1..16384, 16385..32768 and so on. A command that
 *  crashed is the last of all; its result is 0, and it has no hash, even where one is due. */
typedef struct deja_steps {
    uint64_t first; /**< the step of the first command, from 1 */
    uint32_t count;
    const unsigned char *commands; /**< canonical bytes, one behind another */
    const uint32_t *command_ends;  /**< where each one ends in `commands` */
    const uint32_t *results;       /**< 0, or 1 + the place in the recording's refusals */
    const uint64_t *trail;         /**< cut hashes of the hashed steps among these */
    uint32_t trail_count;
    uint64_t chain;       /**< after the last hashed step of these, or before them */
    uint64_t event_chain; /**< after the last of these */
} deja_steps;

/** What was found beside a store when it was opened: journals of recorders that died. */
typedef struct deja_store_told {
    uint32_t
        journals; /**< that were taken in: into the store, or where it is only read, beside it */
    /** Journals that could not be taken in, which stay where they are, or are damaged: what is
     *  good of
     *  them is taken in, and who writes keeps the file with .damaged behind its name. */
    uint32_t left;
    uint64_t sessions; /**< that they had, with those that the store knew */
    char why[512];     /**< of the last one that was left; else "" */
} deja_store_told;

/**
 * Opens a store. What recorders that died have left in journals beside it is taken in: written into
 * it and the journal removed, or, by who only reads, shown as it will be. What cannot be taken in
 * is told by deja_store_told_of() and hinders nobody.
 * @param[out] out owned by the caller, release with deja_store_close(); NULL on failure
 * @return DEJA_OK; DEJA_EIO (no such file, a folder, no permission, disk full); DEJA_EFORMAT (not a
 *         deja store: what it is is said); DEJA_EVERSION (made by a newer deja); DEJA_EDAMAGED;
 *         DEJA_EBUSY; DEJA_ENOMEM
 */
DEJA_API deja_code deja_store_open(deja_store **out, const char *path, uint32_t mode,
                                   deja_error *err);
/** Commits what is gathered, leaves one file (DELETE mode), closes. NULL is fine. The handle is
 *  gone also on failure; the message then says how many sessions could not be stored. Close its
 *  readers and writers first. */
DEJA_API deja_code deja_store_close(deja_store *store, deja_error *err);
/** Commits the finished sessions that are gathered. Happens by itself every 16,384 steps or 1,024
 *  sessions. What cannot be committed (DEJA_EIO, DEJA_EBUSY) stays gathered: flush again. */
DEJA_API deja_code deja_store_flush(deja_store *store, deja_error *err);
/** What came of the journals beside it when it was opened. */
DEJA_API void deja_store_told_of(const deja_store *store, deja_store_told *told);
/** How many finished sessions are gathered and not committed yet; 0 of one that is only read. */
DEJA_API uint64_t deja_store_gathered(const deja_store *store);
/** What whoever records should be told once of where the store lies, as one line that begins with
 *  its path: that it is on a network file system, where there is no write-ahead log, so that each
 *  commit waits for its disk. NULL where there is nothing to tell, and of one that is only read.
 *  Borrowed until the store is closed. */
DEJA_API const char *deja_store_remark(const deja_store *store);

/** One session in a list, with its newest recording. Borrowed for the call. */
typedef struct deja_entry {
    int64_t key; /**< the session's, for deja_reader_open() */
    deja_session session;
    uint32_t recording_count;
    deja_recording recording;
} deja_entry;

/**
 * Tells of each session, in the order in which they were stored. Reads the tables through, so a row
 * that vanished is noticed (DEJA_EDAMAGED).
 * @param visit a return of false ends it
 */
DEJA_API deja_code deja_store_list(deja_store *store,
                                   bool (*visit)(void *user, const deja_entry *entry), void *user,
                                   deja_error *err);
/**
 * The session whose id begins with `prefix` (1 to 32 hex digits, either case).
 * @return DEJA_OK; DEJA_ENOTFOUND; DEJA_EAMBIGUOUS (the message names two); DEJA_EFORMAT; ...
 */
DEJA_API deja_code deja_store_find(deja_store *store, const char *prefix, int64_t *key,
                                   deja_error *err);
/** Reads every row and every block of every table and checks it. */
DEJA_API deja_code deja_store_check(deja_store *store, deja_error *err);

/* ---- reading one session ---- */

/**
 * @param key       from deja_entry or deja_store_find()
 * @param recording 0 for the newest, 1 for the one before, ...
 */
DEJA_API deja_code deja_reader_open(deja_reader **out, deja_store *store, int64_t key,
                                    uint32_t recording, deja_error *err);
DEJA_API void deja_reader_close(deja_reader *reader);
/** Borrowed until the reader is closed. */
DEJA_API const deja_session *deja_reader_session(const deja_reader *reader);
DEJA_API const deja_recording *deja_reader_recording(const deja_reader *reader);
DEJA_API uint32_t deja_reader_recording_count(const deja_reader *reader);
/** The cut hash of step 0. */
DEJA_API uint64_t deja_reader_start_hash(const deja_reader *reader);
/** The next steps; count 0 at the end. Borrowed until the next call. Damage names the steps. */
DEJA_API deja_code deja_reader_next(deja_reader *reader, deja_steps *steps, deja_error *err);
/** Back to step 1. */
DEJA_API void deja_reader_rewind(deja_reader *reader);
/** The marks, in order of their steps; a return of false ends it. */
DEJA_API deja_code deja_reader_marks(deja_reader *reader,
                                     bool (*visit)(void *user, uint64_t step, const char *text),
                                     void *user, deja_error *err);
/** The named section hashes, in order of steps, then as they came. */
DEJA_API deja_code deja_reader_sections(deja_reader *reader,
                                        bool (*visit)(void *user, uint64_t step, const char *name,
                                                      uint64_t hash),
                                        void *user, deja_error *err);

/* ---- writing one session ---- */

/**
 * @param start_hash the cut hash of step 0
 * @param chain      chain(0)
 */
DEJA_API deja_code deja_writer_open(deja_writer **out, deja_store *store,
                                    const deja_session *session, const deja_recording *recording,
                                    uint64_t start_hash, uint64_t chain, deja_error *err);
/** Adds steps: whole blocks as deja_steps says; only the last may be shorter. A block that is
 *  finished is committed, with the session as unfinished so far. On failure none of these steps was
 *  taken, and they may be added again. */
DEJA_API deja_code deja_writer_add(deja_writer *writer, const deja_steps *steps, deja_error *err);
DEJA_API deja_code deja_writer_mark(deja_writer *writer, uint64_t step, const char *text,
                                    deja_error *err);
DEJA_API deja_code deja_writer_section(deja_writer *writer, uint64_t step, const char *name,
                                       uint64_t hash, deja_error *err);
/**
 * Ends the session. The writer is gone, also on failure. Where it is the commit that failed
 * (DEJA_EIO, DEJA_EBUSY), the session stays gathered for the next flush.
 * @param outcome  the outcome's name where ended is DEJA_ENDED_OUTCOME, else NULL
 * @param[out] id  may be NULL
 * @param[out] known whether the store already held this session with an equal recording (then
 *                 nothing was added); may be NULL
 */
DEJA_API deja_code deja_writer_close(deja_writer *writer, uint32_t ended, const char *outcome,
                                     deja_id *id, bool *known, deja_error *err);
/** Drops it: nothing of it is kept but blocks that are committed, as an unfinished session. */
DEJA_API void deja_writer_abandon(deja_writer *writer);

#ifdef __cplusplus
}
#endif

#endif
