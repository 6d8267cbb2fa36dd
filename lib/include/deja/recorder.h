/* SPDX-License-Identifier: MIT */
/**
 * @file deja/recorder.h
 * Recording a session while a game plays it.
 *
 *     deja_recorder_options options = DEJA_RECORDER_OPTIONS_INIT;
 *     options.config = &config;
 *     options.seed = seed;
 *     deja_recorder_open(&recorder, store, plugin, &state, &options, &err);
 *     while (...)
 *         deja_recorder_step(recorder, &state, &command, out, &result, &err);
 *     deja_recorder_close(recorder, "first_wins", NULL, &err);
 *
 * The recorder keeps its own copy of what it needs; the state and the commands stay the game's. Of
 * packs of content it keeps names and digests, which open works out: about a tenth of a second for
 * 1 GiB. A replay is to be given the same packs, so name every one that rules could read. A
 * recorder that failed stays failed and says so in each call; the game may play on.
 *
 * A float environment that changes while the game is recorded (which way is rounded, what becomes
 * of denormals) is marked at its step, as a replay has the one of the start.
 *
 * Each step is in a journal when its call returns (schemas/journal.md), a file that is mapped
 * beside the store, and the command before apply runs. A thread folds the journal into the store,
 * so a step makes no system call, allocates nothing and waits for nobody. A process that dies, at
 * whatever instruction, loses no step that returned, and not the command that it died in: who
 * writes to the store next folds what it left, and who reads it meanwhile sees it as it will be.
 * What a power cut takes is what was not on the disk yet: at most what came since the last block
 * of 16,384 steps but one, or deja_recorder_sync(). Earlier sessions it never harms.
 *
 * Memory and room on the disk are taken by open, journal_size of each, and by the store. Where the
 * store takes nothing (a full disk, a lock) the steps stay in the journal; where that is full as
 * well the recording ends there, says so once, and the game plays on.
 *
 * One thread at a time; a forked child's calls fail with DEJA_EMISUSE and write nothing. The thread
 * has all signals blocked, and a store handle of its own.
 */
#ifndef DEJA_RECORDER_H
#define DEJA_RECORDER_H

#include <deja/plugin.h>
#include <deja/store.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct deja_recorder deja_recorder;

/** Grows at its end; start from DEJA_RECORDER_OPTIONS_INIT. All borrowed for the open call. */
typedef struct deja_recorder_options {
    uint32_t struct_size;
    uint32_t trail_bits;  /**< 8, 16, 32 or 64 of each hash are kept */
    uint64_t trail_every; /**< hash every Kth step */
    const void *config;   /**< the game's config; NULL for its default */
    uint64_t seed;
    const deja_content *content; /**< the packs that start was given, all of them; NULL for none */
    const char *made;            /**< who played, as "bot random"; NULL for nobody said */
    uint32_t from_state; /**< 1: the session begins in the middle, with the state given to open */
    uint32_t reserved;
    const char *game;    /**< only without a plugin: the game's id */
    const char *version; /**< only without a plugin: its version */
    uint64_t start_hash; /**< only without a plugin: the game's own hash of its start state */
    const char *journal_folder; /**< where the journal is to be; NULL: beside the store, where the
                                     next writer and readers find what a crash left. Elsewhere it
                                     is imported by hand (deja_journal_import()) */
    uint64_t journal_size;      /**< bytes that are allocated at once: 4 MiB and more */
    uint64_t journal_most;      /**< bytes that it may grow to where commands are so large that two
                                     blocks of 16,384 steps do not fit; 2 GiB at most */

    uint64_t watch; /**< look before every Kth step whether the state is another; 0: never. This and
                         self_check need a plugin: see "looking for faults" below */
    uint32_t wait;  /**< 1: a step waits where the store does not keep up, as suits a game without
                        people; 0: the recording ends there */
    uint32_t self_check; /**< 1: make each step on a copy, too */
    /**
     * Told what the recorder has to say beside its answers, each thing once: what watch and
     * self_check find, and what else does not stop the game, but should be known. It stands in the
     * recording, too, as a mark at the same step. NULL: nobody listens.
     * @param step the last step that is finished
     * @param text one line of UTF-8, at most 1,000 bytes; borrowed for the call
     *
     * Called within a call of the recorder and on its thread; it must not call the recorder.
     */
    void (*report)(void *user, uint64_t step, const char *text);
    void *report_user; /**< handed to report */
} deja_recorder_options;

#define DEJA_RECORDER_OPTIONS_INIT                                                                \
    {                                                                                             \
        (uint32_t)sizeof(deja_recorder_options), 32, 1, NULL, 0, NULL, NULL, 0, 0, NULL, NULL, 0, \
            NULL, 8u << 20, 64u << 20, 0, 0, 0, NULL, NULL                                        \
    }

/**
 * Begins a session.
 * @param[out] out owned by the caller, release with deja_recorder_close(); NULL on failure
 * @param store    open for writing; must outlive the recorder
 * @param plugin   the rules; NULL for a game without described types, which then uses
 *                 deja_recorder_note() with its own bytes and hashes (layouts are "bytes")
 * @param state    the start state, as start made it (or where from_state says so, any); NULL
 *                 without a plugin
 * @return DEJA_OK, DEJA_EMISUSE (an option out of range, a pack without a sound name), DEJA_ELIMIT
 *         (packs: deja_content_text()), DEJA_ERULES (the state breaks its description), DEJA_EIO,
 *         DEJA_EBUSY, DEJA_ENOMEM
 */
DEJA_API deja_code deja_recorder_open(deja_recorder **out, deja_store *store, deja_plugin *plugin,
                                      const void *state, const deja_recorder_options *options,
                                      deja_error *err);
/**
 * One step: logs the command, applies it, hashes, logs the rest.
 * @param out         takes the events as well; NULL if the game has no use for them
 * @param[out] result apply's answer; may be NULL
 */
DEJA_API deja_code deja_recorder_step(deja_recorder *recorder, void *state, const void *command,
                                      deja_out *out, uint32_t *result, deja_error *err);
/**
 * The same around a game's own apply: begin logs the command and answers where to emit events to;
 * end takes what apply answered and hashes the state.
 * @param[out] events what to hand to apply as its `out`; borrowed until end
 */
DEJA_API deja_code deja_recorder_begin(deja_recorder *recorder, const void *command, deja_out *out,
                                       deja_out **events, deja_error *err);
DEJA_API deja_code deja_recorder_end(deja_recorder *recorder, const void *state, uint32_t result,
                                     deja_error *err);
/** A step of a game without described types: its own bytes for the command, its own state hash
 *  afterwards. `bytes` may be empty; 16 MiB at most. It is logged when the game has acted, so a
 *  crash within the step loses its command. */
DEJA_API deja_code deja_recorder_note(deja_recorder *recorder, const void *bytes, uint64_t size,
                                      uint64_t hash, deja_error *err);
/** The hash of a named part of the state after the last step (a name as fields have). */
DEJA_API deja_code deja_recorder_section(deja_recorder *recorder, const char *name, uint64_t hash,
                                         deja_error *err);
/** A remark at the last step: one line, UTF-8, at most 1,000 bytes, not beginning with "see: "
 *  (that is an expectation: schemas/replay.md). */
DEJA_API deja_code deja_recorder_mark(deja_recorder *recorder, const char *text, deja_error *err);
/**
 * Takes back all steps behind `step` (0: all of them), with their marks and sections: undo, or a
 * frame that was predicted. The game puts its state back to what it was after that step; the next
 * step is step + 1. A mark there says how many were taken back.
 * @return DEJA_OK; DEJA_EMISUSE (there are not so many steps, or one runs); DEJA_ELIMIT: that one
 *         is in the store for good. The last 16,383 steps can always be taken back. Where it fails
 *         nothing has changed.
 */
DEJA_API deja_code deja_recorder_rewind(deja_recorder *recorder, uint64_t step, deja_error *err);
/** Waits until all steps so far are on the disk, where a power cut does not take them. That takes
 *  milliseconds: between two levels, not between two steps. */
DEJA_API deja_code deja_recorder_sync(deja_recorder *recorder, deja_error *err);
/** Steps so far, without those that were taken back. */
DEJA_API uint64_t deja_recorder_steps(const deja_recorder *recorder);
/**
 * Ends the session and waits until it is in the store; the recorder is gone, also on failure. NULL
 * is fine. What was recorded is kept whatever happened: where the recorder had failed, or the
 * outcome is none of the game's, as unfinished; where the rules broke their contract, or a step had
 * begun, as crashed in that command. Where the store does not take it (DEJA_EIO, DEJA_EBUSY), it
 * stays in the journal, which the message names and the next writer folds.
 * @param outcome the name of how the game ended, or NULL where it is still running
 * @param[out] id the session's id; may be NULL; zero where it is not in the store
 */
DEJA_API deja_code deja_recorder_close(deja_recorder *recorder, const char *outcome, deja_id *id,
                                       deja_error *err);

/* ---- looking for faults ----
 *
 * A session that does not replay is best found while it is played: the game is then where it goes
 * wrong. Nothing that is found ends the recording or changes what a step answers; it is told to
 * options.report, marked in the recording, and counted.
 *
 * watch = K: what changes the state between two steps (a renderer, a cheat, a game that was loaded)
 * is in no command, so no replay has it. The state's canonical bytes are kept at the end of step 0
 * and of every Kth, and held against those at the beginning of the next:
 *
 *     changed outside apply: gold 12 -> 15
 *
 * What goes on from step to step is so found within K steps. What happens once is found where it
 * falls before such a step: always with 1, else by chance. The first 16 of a session are told. It
 * costs two savings of the state for every K steps.
 *
 * self_check = 1: each step is made once more, after the game's, on a copy that is loaded from the
 * bytes that the state had before; result, events and state have to be the same. They are not where
 * apply reads what is no field: a member that is not described, memory that nobody set, luck or a
 * count outside of the state. A replay goes another way then; at the latest one that starts from a
 * saved state.
 *
 *     not reproducible from step 12 by the state's fields: on a copy gold is 8, not 14
 *
 * The first such step is told; then no more copies are made. Until then apply runs twice a step, so
 * what it keeps outside of the state sees each command twice, and such a game goes another way than
 * it would have gone unchecked. What is the same both times is not seen (a variable that start has
 * set, the number of the process): deja doctor and verify see that.
 *
 * With a game's own apply, begin is not given the state. There self_check starts from what the last
 * end was given, which is what a replay has: what was changed in between is found as well, and told
 * as "not reproducible from step 12 by what step 11 left". watch needs deja_recorder_watch().
 */

/**
 * Looks at once, where watch keeps the state of the last step, and does nothing elsewhere.
 * deja_recorder_step() does so by itself; a game with its own apply calls it before begin. Called
 * behind several parts of a frame it shows which of them changed the state.
 * @return DEJA_OK, whatever it finds; DEJA_EMISUSE (no recorder, no state, within a step); or why
 *         the recorder failed
 */
DEJA_API deja_code deja_recorder_watch(deja_recorder *recorder, const void *state, deja_error *err);
/** How often this session's watch and self_check found something, whether it was told or not. */
DEJA_API uint64_t deja_recorder_findings(const deja_recorder *recorder);

/* ---- bots ---- */

/** Grows at its end; start from DEJA_BOTS_OPTIONS_INIT. All borrowed for the call. */
typedef struct deja_bots_options {
    uint32_t struct_size;
    uint32_t trail_bits;
    uint64_t trail_every;
    const char *bots; /**< names with commas between, to the seats in order, over and over */
    deja_span config; /**< canonical bytes; empty for the default (a type without fields, too) */
    uint64_t seed;    /**< of the first game; game k has seed + k - 1 mod 2^64 */
    uint64_t games;
    uint64_t max_steps; /**< of one game; 0 for 10,000,000 */
    /** Told of each finished game; a return of false ends it. */
    bool (*finished)(void *user, const deja_id *id, uint64_t seed, uint64_t steps, bool known);
    void *user;
    /** Where the commands come from instead of bots, or NULL: appends the canonical bytes of the
     *  next one; false where there is no more. It is recorded that "input" played. */
    bool (*next)(void *user, deja_buffer *command);
    /** Packs that each game's start is handed, and each session names; NULL for none. */
    const deja_content *content;
    /** Where deja_bots_check() puts the first start state's hash, to be held against the one of
     *  another process; or NULL. */
    uint64_t *start_hash;
    uint32_t self_check; /**< as a recorder's: 1: make each step on a copy, too */
    uint32_t reserved;
    /** As a recorder's, of the game that is being played; or NULL. */
    void (*report)(void *user, uint64_t step, const char *text);
} deja_bots_options;

#define DEJA_BOTS_OPTIONS_INIT                                                                  \
    {                                                                                           \
        (uint32_t)sizeof(deja_bots_options), 32, 1, "random", { NULL, 0 }, 0, 1, 0, NULL, NULL, \
            NULL, NULL, NULL, 0, 0, NULL                                                        \
    }

/**
 * Whether deja_record_bots() could begin: the options, the bots' names, and that the first game
 * starts with this config and seed, twice the same. Writes nothing, so a store need not be made for
 * it; runs `start` and puts a closed library's variables back, so it is best called in a process of
 * its own.
 * @return DEJA_OK; DEJA_ERULES, where the two start states or their hashes differ: no recording
 *         would ever match; or what deja_record_bots() would return
 */
DEJA_API deja_code deja_bots_check(deja_plugin *plugin, const deja_bots_options *options,
                                   deja_error *err);
/**
 * Plays games with bots and records them. The bot named "random" is the game's own, or else picks
 * among the legal commands. Seat s draws from stream s + 1 of the game's seed. Each game starts in
 * the float environment that there is at the call, and a closed library's variables are put back
 * before it, so play no other game with the same plugin meanwhile.
 * @return DEJA_OK; DEJA_ENOTFOUND (no such bot: the message has the nearest); DEJA_EREFUSED; ...
 */
DEJA_API deja_code deja_record_bots(deja_store *store, deja_plugin *plugin,
                                    const deja_bots_options *options, deja_error *err);

#ifdef __cplusplus
}
#endif

#endif
