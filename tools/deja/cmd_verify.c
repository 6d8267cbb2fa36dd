/* SPDX-License-Identifier: MIT */
/*
 * deja verify: replays recorded sessions against one or more builds.
 *
 * Each library says which game it is, and verifies the sessions of that game. Two libraries of one
 * game verify all of them each. A library for which there is nothing to do has verified nothing,
 * which is no pass.
 */
#include <deja/replay.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "choose.h"
#include "commands.h"
#include "content.h"
#include "find_rules.h"
#include "interrupt.h"
#include "output.h"
#include "own_folder.h"
#include "sessions.h"
#include "verify_tell.h"

typedef struct target {
    char *path;
    deja_rules_info info;
    bool usable; /* it told what it is */
    int64_t *keys;
    uint64_t key_count;
    uint64_t step_count;
    uint64_t matching; /* sessions of its game, those of other shards too */
} target;

typedef struct verifying {
    const args *given;
    target *targets;
    uint32_t target_count;
    char *baseline; /* path of the build that recorded, or NULL */
    char baseline_game[128];
    choice sessions;
    content_packs content;
    deja_verify_options options;
    telling tell;
    deja_verify_summary done; /* by the libraries before this one */
    uint64_t session_count;   /* to be done by all of them */
    uint64_t began;           /* ms */
    uint64_t told;
    const target *at; /* the library that is at work */
    bool summed_up;   /* all that was asked for was done: the counts say so */
} verifying;

/* ---- options ---- */

static int read_options(verifying *run)
{
    static const char *const ways[] = { "auto", "restore", "fork", "exec", NULL };
    static const char *const confirms[] = { "first", "all", NULL };
    const args *given = run->given;
    deja_verify_options *options = &run->options;
    uint64_t jobs = 0;
    uint64_t part;
    uint64_t parts;
    uint64_t before = options->before_count;

    options->keep_going = args_has(given, OPTION_KEEP_GOING);
    options->allow_partial = args_has(given, OPTION_ALLOW_PARTIAL);
    options->same_build = args_has(given, OPTION_SAME_BUILD);
    options->content = &run->content.content;
    int status = shard_read(given, &part, &parts);
    if (status == STATUS_OK)
        status = args_number(given, OPTION_JOBS, 1, 1024, &jobs);
    if (status == STATUS_OK)
        status = args_number(given, OPTION_BEFORE, 0, 100, &before);
    if (status == STATUS_OK)
        status = args_choice(given, OPTION_ISOLATE, ways, &options->isolate);
    if (status == STATUS_OK)
        status = args_choice(given, OPTION_CONFIRM, confirms, &options->confirm_all);
    if (status == STATUS_OK)
        status = args_seconds(given, OPTION_HANG_CPU, &options->hang_cpu_ms);
    if (status == STATUS_OK)
        status = args_seconds(given, OPTION_HANG_WALL, &options->hang_wall_ms);
    options->jobs = (uint32_t)jobs;
    options->before_count = (uint32_t)before;
    return status == STATUS_OK ? content_read(&run->content, given) : status;
}

static int find_targets(verifying *run)
{
    int status = STATUS_OK;
    run->targets = calloc(run->given->operand_count, sizeof *run->targets);
    if (!run->targets)
        return complain_memory();
    run->target_count = run->given->operand_count;
    for (uint32_t i = 0; i < run->target_count && status == STATUS_OK; i++)
        run->targets[i].path = find_rules(run->given->operands[i], &status);
    if (status == STATUS_OK && args_has(run->given, OPTION_BASELINE))
        run->baseline = find_rules(args_value(run->given, OPTION_BASELINE), &status);
    return status;
}

/* ---- choosing ---- */

/* A library that cannot be looked into is no reason to leave out the others. */
static int inspect_targets(verifying *run)
{
    int status = STATUS_OK;
    for (uint32_t i = 0; i < run->target_count && !interrupt_signal(); i++) {
        target *one = &run->targets[i];
        const int looked = inspect_rules(&one->info, one->path);
        one->usable = looked == STATUS_OK;
        status = status_worse(status, looked);
    }
    return status;
}

/* Fields are named with a build of the same game only. */
static int inspect_baseline(verifying *run)
{
    deja_rules_info info;
    if (!run->baseline)
        return STATUS_OK;
    const int status = inspect_rules(&info, run->baseline);
    if (status != STATUS_OK)
        return status;
    snprintf(run->baseline_game, sizeof run->baseline_game, "%s", info.game);
    deja_rules_info_release(&info);
    bool any = false;
    for (uint32_t i = 0; i < run->target_count; i++)
        any = any || !run->targets[i].usable ||
              strcmp(run->targets[i].info.game, run->baseline_game) == 0;
    return any ? STATUS_OK
               : complain(STATUS_USAGE, "%s: --baseline is of the game '%s', and none of RULES is",
                          text_typed(run->baseline), run->baseline_game);
}

/* Whether a session is this library's. One that is named but is nobody's goes to the first library,
 * which says why it does not fit. */
static bool is_for(const verifying *run, const target *one, const chosen *session)
{
    const target *first = NULL;
    if (choice_is_of(&run->sessions, session, one->info.game))
        return true;
    for (uint32_t i = 0; i < run->target_count; i++) {
        if (!run->targets[i].usable)
            continue;
        first = first ? first : &run->targets[i];
        if (choice_is_of(&run->sessions, session, run->targets[i].info.game))
            return false;
    }
    return args_has(run->given, OPTION_SESSION) && one == first;
}

static int share_out(verifying *run)
{
    for (uint32_t i = 0; i < run->target_count; i++) {
        target *one = &run->targets[i];
        if (!one->usable)
            continue;
        one->keys = calloc(run->sessions.count + 1, sizeof *one->keys);
        if (!one->keys)
            return complain_memory();
        for (uint64_t k = 0; k < run->sessions.count; k++) {
            const chosen *session = &run->sessions.sessions[k];
            if (!is_for(run, one, session))
                continue;
            one->matching++;
            content_note_session(&run->content, run->sessions.contents.words[session->content]);
            if (session->left)
                continue;
            one->keys[one->key_count++] = session->key;
            one->step_count += session->steps;
        }
        run->session_count += one->key_count;
    }
    return STATUS_OK;
}

/* Comparing nothing is no pass. */
static int check_selection(const verifying *run)
{
    const char *store = text_typed(store_path(run->given));
    int status = STATUS_OK;
    if (args_has(run->given, OPTION_ALLOW_EMPTY))
        return STATUS_OK;
    for (uint32_t i = 0; i < run->target_count; i++) {
        const target *one = &run->targets[i];
        if (one->usable && one->matching == 0)
            status = complain(STATUS_TROUBLE,
                              "%s: no session of its game '%s' was selected from %s, so it has "
                              "verified nothing; --allow-empty lets that pass",
                              text_typed(one->path), one->info.game, store);
    }
    if (status == STATUS_OK && run->session_count == 0 && args_has(run->given, OPTION_SHARD))
        status = complain(STATUS_TROUBLE,
                          "%s: no session falls to shard %s; --allow-empty lets that pass", store,
                          text_typed(args_value(run->given, OPTION_SHARD)));
    else if (status == STATUS_OK && run->session_count == 0)
        status = complain(STATUS_TROUBLE,
                          "%s: no session was selected; --allow-empty lets that pass", store);
    return status;
}

static int choose(verifying *run)
{
    deja_store *store;
    int status = store_open(&store, run->given, DEJA_STORE_READ);
    if (status != STATUS_OK)
        return status;
    status = choose_sessions(&run->sessions, store, run->given);
    return store_close(store, status);
}

/* ---- verifying ---- */

/* A session that is damaged where its recording begins cannot tell whose it is; the list can. */
static void name_session(const verifying *run, deja_verdict *verdict)
{
    if ((verdict->game && *verdict->game) || run->told >= run->at->key_count)
        return;
    for (uint64_t i = 0; i < run->sessions.count; i++) {
        const chosen *session = &run->sessions.sessions[i];
        if (session->key == run->at->keys[run->told]) {
            verdict->id = session->id;
            verdict->game = run->sessions.games.words[session->game];
            verdict->steps = session->steps;
            return;
        }
    }
}

static bool take_verdict(void *user, const deja_verdict *told)
{
    verifying *run = user;
    deja_verdict verdict = *told;
    name_session(run, &verdict);
    run->told++;
    tell_verdict(&run->tell, &verdict);
    return !interrupt_signal();
}

static uint64_t count_findings(const deja_verify_summary *summary)
{
    return summary->sessions - summary->kinds[DEJA_MATCH];
}

static bool take_progress(void *user, const deja_verify_summary *so_far)
{
    const verifying *run = user;
    if (!progress_is_shown())
        return !interrupt_signal();
    const uint64_t ms = clock_ms() - run->began;
    const uint64_t done = run->done.sessions + so_far->sessions;
    const uint64_t steps = run->done.steps + so_far->steps;
    const uint64_t left = progress_seconds_left(ms, done, run->session_count);
    progress_show("verifying: %s of %s sessions, %s steps a second, %s s left, %s findings",
                  text_count(done), text_count(run->session_count),
                  text_count(ms ? steps * 1000 / ms : 0), text_count(left),
                  text_count(count_findings(&run->done) + count_findings(so_far)));
    return !interrupt_signal();
}

static void add_up(deja_verify_summary *sum, const deja_verify_summary *more)
{
    sum->sessions += more->sessions;
    sum->steps += more->steps;
    sum->compared += more->compared;
    for (uint32_t i = 0; i < DEJA_VERDICT_COUNT; i++)
        sum->kinds[i] += more->kinds[i];
}

static int verify_target(verifying *run, const target *one)
{
    deja_verify_summary summary;
    deja_error err;
    memset(&summary, 0, sizeof summary);
    run->told = 0;
    run->at = one;
    run->options.baseline =
        run->baseline && strcmp(run->baseline_game, one->info.game) == 0 ? run->baseline : NULL;
    const deja_code code = deja_verify(store_path(run->given), one->keys, one->key_count, one->path,
                                       &run->options, &summary, &err);
    add_up(&run->done, &summary);
    if (interrupt_signal())
        return STATUS_OK;
    if (code < 0)
        return complain_of(one->path, &err);
    if (run->told != one->key_count)
        return complain(STATUS_TROUBLE, "%s: %s of %s sessions have no verdict",
                        text_typed(one->path), text_count(one->key_count - run->told),
                        text_count(one->key_count));
    return STATUS_OK;
}

static int verify_all(verifying *run)
{
    int status = choose(run);
    if (status != STATUS_OK)
        return status;
    status = inspect_targets(run);
    int prepared = inspect_baseline(run);
    if (prepared == STATUS_OK)
        prepared = share_out(run);
    if (prepared != STATUS_OK || interrupt_signal())
        return status_worse(status, prepared);

    bool any = false;
    for (uint32_t i = 0; i < run->target_count; i++)
        any = any || run->targets[i].usable;
    if (!any)
        return status;
    status = status_worse(status, check_selection(run));
    if (status != STATUS_OK && run->session_count == 0)
        return status;
    content_tell_unused(&run->content, run->given);
    run->began = clock_ms();
    for (uint32_t i = 0; i < run->target_count && !interrupt_signal(); i++)
        if (run->targets[i].usable && run->targets[i].key_count != 0)
            status = status_worse(status, verify_target(run, &run->targets[i]));
    progress_erase();
    if (interrupt_signal())
        return complain(128 + interrupt_signal(),
                        "verify: interrupted: %s of %s sessions have a verdict",
                        text_count(run->done.sessions), text_count(run->session_count));
    status = status_worse(status, run->tell.status);
    run->summed_up = true;
    return status;
}

static void release(verifying *run)
{
    for (uint32_t i = 0; i < run->target_count; i++) {
        if (run->targets[i].usable)
            deja_rules_info_release(&run->targets[i].info);
        free(run->targets[i].keys);
        free(run->targets[i].path);
    }
    free(run->targets);
    free(run->baseline);
    choice_release(&run->sessions);
    content_release(&run->content);
    telling_release(&run->tell);
}

static int run(const args *given)
{
    const deja_verify_options defaults = DEJA_VERIFY_OPTIONS_INIT;
    verifying state;
    memset(&state, 0, sizeof state);
    state.given = given;
    state.tell.given = given;
    state.tell.store = store_path(given);
    state.options = defaults;
    state.options.verdict = take_verdict;
    state.options.progress = take_progress;
    state.options.user = &state;
    state.options.worker = worker_program();
    int status = read_options(&state);
    if (status == STATUS_OK)
        status = find_targets(&state);
    if (status == STATUS_OK)
        status = verify_all(&state);
    /* A program is told how far it came in any case; people have the line that says why not. */
    if (state.summed_up || output_is_json())
        tell_summary(&state.tell, &state.done);
    release(&state);
    return status;
}

static const option_row options[] = {
    { OPTION_SESSION, 'n', "session", "SESSION", "only this one", true },
    { OPTION_GAME, 0, "game", "GAME", "only sessions of this game", false },
    { OPTION_JOBS, 'j', "jobs", "N", "workers at once; one a core if not given", false },
    { OPTION_SHARD, 0, "shard", "I/N", "only part I of N", false },
    { OPTION_BASELINE, 0, "baseline", "RULES",
      "the build that recorded, to name the fields that differ", false },
    ROW_CONTENT,
    { OPTION_SAME_BUILD, 0, "same-build", NULL,
      "refuse what another build recorded, and say what differs", false },
    { OPTION_KEEP_GOING, 'k', "keep-going", NULL,
      "replay past the first divergence, and say where it heals", false },
    { OPTION_ALLOW_PARTIAL, 0, "allow-partial", NULL,
      "let a layout that lost fields be compared as far as it goes", false },
    { OPTION_ALLOW_EMPTY, 0, "allow-empty", NULL, "let it pass that there is nothing to verify",
      false },
    { OPTION_ISOLATE, 0, "isolate", "WAY", "how sessions are kept apart: auto, restore, fork, exec",
      false },
    { OPTION_CONFIRM, 0, "confirm", "first|all",
      "look again at the first finding of a group, or all", false },
    { OPTION_HANG_CPU, 0, "hang-cpu", "SECONDS", "a step of more CPU time hangs; 10, 0: no limit",
      false },
    { OPTION_HANG_WALL, 0, "hang-wall", "SECONDS", "so long without a step hangs; 60, 0: no limit",
      false },
    { OPTION_BEFORE, 0, "before", "N", "tell of N steps before a finding; 5", false },
    ROW_STORE,
    ROW_JSON,
    ROW_HELP,
    ROW_END,
};

const command_row command_verify = {
    .name = "verify",
    .operands = "RULES...",
    .operands_least = 1,
    .operands_most = OPERANDS_ANY,
    .summary = "replay recorded sessions, and compare every step",
    .notes =
        "Each of RULES replays the sessions of its game.\n"
        "A session gets the content that it was recorded with, by name and digest; without it\n"
        "there is no verdict.\n"
        "Parts of --shard are chosen by the sessions' ids: each session is in one of them.",
    .options = options,
    .run = run,
};
