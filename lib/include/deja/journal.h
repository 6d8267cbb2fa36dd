/* SPDX-License-Identifier: 0BSD */
/**
 * @file deja/journal.h
 * Writing a journal: what a game logs while it runs, so that a crash leaves a session behind that
 * replays up to it.
 *
 * Copy this file and journal.c beside the game; they need the C library and nothing else, POSIX or
 * Windows. `deja import FILE` makes a session of what they wrote.
 *
 *     deja_journal_options options = DEJA_JOURNAL_OPTIONS_INIT;
 *     options.game = "mygame";
 *     options.seed = seed;
 *     options.start_hash = my_hash(&state);
 *     int code = deja_journal_open(&journal, "play.journal", &options);
 *     while (...) {
 *         deja_journal_begin(journal, &input, sizeof input);
 *         step(&state, &input);
 *         deja_journal_end(journal, 0, my_hash(&state));
 *     }
 *     deja_journal_close(journal, "won");
 *
 * The command is in the file before the game acts on it. A process that is killed, at whatever
 * instruction, loses no step of which end has returned, and not the command that it died in. What
 * a power cut loses is what the system had not written yet: at most what came since the last
 * deja_journal_sync().
 *
 * A step makes no system call and allocates nothing, but for the one that begins a segment (1 MiB,
 * by default: some 20,000 steps). That allocates the segment in full; where the disk is full, the
 * journal ends there, the call says so once and the game plays on.
 *
 * Failures are negative numbers, those of deja_code. A journal that failed stays failed, and its
 * calls answer the same number without doing anything; what is in the file stays good. A NULL
 * journal is fine: all calls answer DEJA_JOURNAL_EMISUSE and do nothing.
 *
 * One thread at a time. In a forked child all calls answer DEJA_JOURNAL_EMISUSE and write nothing.
 *
 * Normative: schemas/journal.md.
 */
#ifndef DEJA_JOURNAL_H
#define DEJA_JOURNAL_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) && !defined(_WIN32)
#define DEJA_JOURNAL_API __attribute__((visibility("default")))
#else
#define DEJA_JOURNAL_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct deja_journal deja_journal;

enum deja_journal_code {
    DEJA_JOURNAL_OK = 0,
    DEJA_JOURNAL_ENOMEM = -1,
    DEJA_JOURNAL_EIO = -2, /**< the system said no; errno, or GetLastError(), says why */
    DEJA_JOURNAL_ELIMIT =
        -12, /**< a command of more than 16 MiB, a mark of more than 1,000 bytes */
    DEJA_JOURNAL_EMISUSE = -13, /**< an option out of range, end without begin, a forked child */
};

/** Grows at its end; start from DEJA_JOURNAL_OPTIONS_INIT. All borrowed for the open call. */
typedef struct deja_journal_options {
    uint32_t struct_size;
    uint32_t segment_size; /**< bytes: a power of two, 65,536 to 268,435,456 */
    uint32_t trail_bits;   /**< 8, 16, 32 or 64 of each hash are kept when it is imported */
    uint32_t reserved;
    uint64_t
        trail_every; /**< K: steps 0, K, 2K... are hashed; the hash of others is not looked at */
    uint64_t start_hash; /**< of the state before the first step, if K is not UINT64_MAX */
    /** The headers of a replay text (schemas/replay.md), from "deja-replay: 1\n" to the last
     *  newline, with a "build:" line: for a game whose types are described. NULL: they are made of
     *  what follows, and commands are bytes that only the game knows. */
    const char *headers;
    const char *game;     /**< the game's id: names with dots between */
    const char *version;  /**< of the game, at most 65,536 bytes; NULL for none */
    const char *refusals; /**< names with spaces between, each once; NULL for none */
    const char *made;     /**< who plays, at most 65,536 bytes; NULL for nobody said */
    const void *config;   /**< the game's own bytes for how it was set up */
    size_t config_size;
    uint64_t seed;
} deja_journal_options;

#define DEJA_JOURNAL_OPTIONS_INIT                                                              \
    {                                                                                          \
        (uint32_t)sizeof(deja_journal_options), 1u << 20, 32, 0, 1, 0, NULL, NULL, NULL, NULL, \
            NULL, NULL, 0, 0                                                                   \
    }

/**
 * Creates a journal. Its file must not exist: no recording is ever written over.
 * @param[out] out owned by the caller, end it with deja_journal_close(); NULL on failure
 * @param path of the file, UTF-8; put it on a local disk
 * @return DEJA_JOURNAL_OK, EMISUSE, ENOMEM, or EIO: there is such a file, or no room for a segment
 */
DEJA_JOURNAL_API int deja_journal_open(deja_journal **out, const char *path,
                                       const deja_journal_options *options);

/** Logs a command, before the game acts on it. At most 16 MiB; none is fine. Those of steps 1 to
 *  16,384, and so on, have at most 256 MiB together, or import ends there. */
DEJA_JOURNAL_API int deja_journal_begin(deja_journal *journal, const void *command, size_t size);
/**
 * Ends the step: the game has acted.
 * @param result 0 accepted, else 1 + the place in the refusals (at most 4,096)
 * @param hash   of the state, as the game hashes it
 */
DEJA_JOURNAL_API int deja_journal_end(deja_journal *journal, uint32_t result, uint64_t hash);
/** The same, with the hash of what the command made happen (schemas/hashes.md). */
DEJA_JOURNAL_API int deja_journal_end_events(deja_journal *journal, uint32_t result, uint64_t hash,
                                             uint64_t event_hash);

/** A remark at the last step that ended: one line of UTF-8, at most 1,000 bytes, not beginning with
 *  "see: " (schemas/replay.md). */
DEJA_JOURNAL_API int deja_journal_mark(deja_journal *journal, const char *text);
/** The hash of a named part of the state after the last step that ended. The name: a letter or _,
 *  then letters, digits, _ and -, 63 characters at most. */
DEJA_JOURNAL_API int deja_journal_section(deja_journal *journal, const char *name, uint64_t hash);
/** Takes back all steps behind `step` (0: all of them): undo, or a frame that was predicted. The
 *  next step is step + 1. EMISUSE where there are not so many. */
DEJA_JOURNAL_API int deja_journal_rewind(deja_journal *journal, uint64_t step);

/** Steps that ended and were not taken back; 0 of NULL. */
DEJA_JOURNAL_API uint64_t deja_journal_steps(const deja_journal *journal);
/** Waits until everything so far is on the disk: what a power cut then cannot take. Milliseconds;
 *  between two levels, not between two steps. */
DEJA_JOURNAL_API int deja_journal_sync(deja_journal *journal);
/**
 * Ends the journal and writes it to the disk. The journal is gone, also on failure; what was logged
 * stays. A journal that is never closed is imported as unfinished.
 * @param outcome the name of how the game ended; NULL while it was still running. EMISUSE where it
 *                is no name, or "running", "unfinished" or "crashed", and the journal stays open
 * @return DEJA_JOURNAL_OK, or why it failed, be it long ago
 */
DEJA_JOURNAL_API int deja_journal_close(deja_journal *journal, const char *outcome);

#ifdef __cplusplus
}
#endif

#endif
