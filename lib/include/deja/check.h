/* SPDX-License-Identifier: MIT */
/**
 * @file deja/check.h
 * The contract that rules keep (<deja/rules.h>), checked for any rules library by playing it.
 *
 * In a game's own tests, with the rules linked into the test or opened as a library:
 *
 *     static bool show(void *user, const deja_finding *f)
 *     {
 *         fprintf(stderr, "%s: step %llu: %s: %s\n", deja_clause_name(f->clause),
 *                 (unsigned long long)f->step, f->command ? f->command : "-", f->why);
 *         return true;
 *     }
 *     ...
 *     deja_check_options options = DEJA_CHECK_OPTIONS_INIT;
 *     deja_check_summary summary;
 *     options.found = show;
 *     deja_plugin_from_table(&plugin, &deja_rules, &err);
 *     assert(deja_check_rules(plugin, &options, &summary, &err) == DEJA_OK);
 *     assert(deja_check_passed(&summary));
 *
 * Each game is played by one of its bots, or by commands that are made up from the layout of
 * commands (refused ones and those out of any range among them), and then played again from the
 * start. On the second way commands are tried on copies of each state, each state is saved and
 * loaded, and everything is held against the first way.
 *
 * The rules run in this process: what they do to it (a crash, a loop without end) is done. `deja
 * doctor` runs the same in a process of its own.
 */
#ifndef DEJA_CHECK_H
#define DEJA_CHECK_H

#include <deja/plugin.h>
#include <deja/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The clauses of the contract. Numbers and names stay; later ones are added at the end. */
enum deja_clause {
    DEJA_CLAUSE_SAME_AGAIN = 0,            /**< the same events and the same new state, always */
    DEJA_CLAUSE_ALL_OR_NOTHING = 1,        /**< a refused command changes nothing, tells nothing */
    DEJA_CLAUSE_CHECK_IS_APPLY = 2,        /**< check gives apply's answer */
    DEJA_CLAUSE_CHECK_CHANGES_NOTHING = 3, /**< luck included */
    DEJA_CLAUSE_LEGAL_ACCEPTED = 4,        /**< legal lists what check and apply accept */
    DEJA_CLAUSE_LEGAL_ORDER = 5,           /**< always in the same order */
    DEJA_CLAUSE_OVER_REFUSES = 6,          /**< turns: after the end nothing is legal or accepted */
    DEJA_CLAUSE_STATE_IN_FIELDS = 7,       /**< saving and loading changes nothing that follows */
    DEJA_CLAUSE_FIELDS_READ_ONLY = 8,      /**< a description only reads */
    DEJA_CLAUSE_ASKING_CHANGES_NOTHING = 9, /**< legal, outcome, side, turn, draw, a bot's pick */
    DEJA_CLAUSE_DESCRIBED = 10,             /**< values keep to their descriptions, answers to the
                                                 names there are */
    DEJA_CLAUSE_COUNT = 11
};
/** Its name, as "all_or_nothing"; what it asks, in a line. NULL past the end. */
DEJA_API const char *deja_clause_name(uint32_t clause);
DEJA_API const char *deja_clause_text(uint32_t clause);

/** The player that takes commands made up from the layout. */
#define DEJA_CHECK_MADE "made"

/** A clause that was broken. All borrowed for the call. */
typedef struct deja_finding {
    uint32_t clause;      /**< enum deja_clause */
    uint32_t more_fields; /**< fields that differ beside `path` */
    const char *player;   /**< the bot that played, DEJA_CHECK_MADE, or "session" */
    const char *session;  /**< the stored session's id in hex, or NULL */
    uint64_t seed;
    uint64_t game; /**< which of all games that were played, from 1 */
    /** The step: of a command that was tried, not played, the one that it would be; of what was
     *  asked of a state, the step after which that was. */
    uint64_t step;
    uint64_t saved;       /**< after which step the state was saved that went on differently; or
                               DEJA_STEP_NONE */
    const char *command;  /**< as text; NULL where it is about a state */
    const char *path;     /**< of the state, or as "events[0].id", "legal[2]", "result"; or NULL */
    const char *expected; /**< NULL where there is no path */
    const char *actual;
    const char *why; /**< one line */
} deja_finding;

/** What was checked of one clause. */
typedef struct deja_check_clause {
    uint64_t checks;         /**< 0: the clause could not be checked */
    uint64_t breaches;       /**< how many of these failed */
    const char *not_checked; /**< why there are none; NULL where there are. Static */
} deja_check_clause;

/** Grows at its end. */
typedef struct deja_check_summary {
    uint64_t games;
    uint64_t sessions; /**< of these, from the store */
    uint64_t left_out; /**< sessions of the game that could not be played, as of other content */
    uint64_t steps;    /**< played, counted once */
    uint64_t tried;    /**< commands that were tried on copies */
    uint64_t saves;    /**< states that were saved, loaded, and played on to the end */
    uint64_t findings; /**< different ones */
    deja_check_clause clauses[DEJA_CLAUSE_COUNT];
    char left_out_why[DEJA_ERROR_MESSAGE_SIZE]; /**< of the first of them; "" where none was */
} deja_check_summary;

/** What is about to be called: where a crash will have been. Borrowed for the call. */
typedef struct deja_check_place {
    const char *doing; /**< "start", "pick", "ask", "try", "apply", "load" or "play on" */
    const char *player;
    uint64_t seed;
    uint64_t game;
    uint64_t step;
    deja_span command; /**< canonical bytes; empty where there is none */
    const deja_check_summary *so_far;
} deja_check_place;

/** Grows at its end; start from DEJA_CHECK_OPTIONS_INIT. All borrowed for the call. */
typedef struct deja_check_options {
    uint32_t struct_size;
    uint32_t reserved;
    /** Who plays, names with commas between, each for all seats of games of its own; NULL: every
     *  bot of the game, "random" where it lists its commands, and DEJA_CHECK_MADE. */
    const char *bots;
    deja_span config;   /**< canonical bytes; empty for the default */
    uint64_t seed;      /**< of each player's first game; game k has seed + k - 1 mod 2^64 */
    uint64_t games;     /**< of each player; 0: only those of the store */
    uint64_t max_steps; /**< of one game */
    uint64_t tries;     /**< commands that are tried in one game on copies, and steps that are
                             played on from saved states: so much work, whatever the clock says */
    deja_store *store;  /**< its sessions of this game are walked along as well; or NULL */
    /** Told of each finding as it is found, of equal ones once. false ends the run. May be NULL. */
    bool (*found)(void *user, const deja_finding *finding);
    /** At the end, for each finding in order from 0: how often it was found. May be NULL. */
    void (*counted)(void *user, uint64_t finding, uint64_t count);
    /** Before the rules are called; false ends the run. May be NULL. */
    bool (*doing)(void *user, const deja_check_place *place);
    void *user;
    /** Told of each game's first way, as bytes for `held`; false ends the run. May be NULL. */
    bool (*played)(void *user, deja_span way);
    /** The ways of a run with the same options in another process, one behind another, or empty.
     *  Games are then only played and held against these (DEJA_CLAUSE_SAME_AGAIN): addresses,
     *  process numbers and the like differ there. As far as they go, and no longer than a player
     *  picks the same commands. */
    deja_span held;
    /** What games start with, all of it, and what stored sessions choose from: each gets the packs
     *  that it names, and is left out where one is missing or another. NULL: none. */
    const deja_content *content;
} deja_check_options;

#define DEJA_CHECK_OPTIONS_INIT                                                                   \
    {                                                                                             \
        (uint32_t)sizeof(deja_check_options), 0, NULL, { NULL, 0 }, 1, 8, 300, 50000, NULL, NULL, \
            NULL, NULL, NULL, NULL, { NULL, 0 }, NULL                                             \
    }

/**
 * Plays games of a rules library and checks each clause. The same options give the same findings
 * in the same order. A closed library's variables are put back before each game, so play no other
 * game with the same plugin meanwhile.
 * @param[out] summary also where it fails: what was checked until then
 * @return DEJA_OK, whatever was found; DEJA_ENOTFOUND (no such bot); DEJA_EREFUSED (the rules do
 *         not start with this config and seed); DEJA_EFORMAT (a config or ways that are none);
 *         DEJA_EMISUSE; DEJA_ELIMIT (more packs or larger ones than there may be); DEJA_ENOMEM;
 *         what reading the store answers
 */
DEJA_API deja_code deja_check_rules(deja_plugin *plugin, const deja_check_options *options,
                                    deja_check_summary *summary, deja_error *err);
/** Whether something was checked, and nothing was found. */
DEJA_API bool deja_check_passed(const deja_check_summary *summary);

#ifdef __cplusplus
}
#endif

#endif
