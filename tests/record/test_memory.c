/* SPDX-License-Identifier: MIT */
/*
 * Every allocation of a recording fails once: the call says so, and leaks nothing.
 */
#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "record/reports.h"
#include "support/short_memory.h"

#ifdef SHORT_MEMORY

static scene s;

/* In memory, where there is such a folder: thousands of stores are made, and syncs take long. */
static void open_scene(void)
{
    if (access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 1);
    scene_open(&s);
}

static void close_scene(void)
{
    scene_close(&s);
}

TestSuite(record_memory, .init = open_scene, .fini = close_scene, .timeout = 120);

/* A whole session: a start in the middle, events, remarks. */
static deja_code play(deja_recorder *recorder, ledger *state, deja_error *err)
{
    deja_code code = DEJA_OK;
    for (int i = 0; i < 1500 && code == DEJA_OK; i++) {
        const ledger_command command = { i % 2 ? LEDGER_SAY : LEDGER_ADD, i, "fifteen letters" };
        code = deja_recorder_step(recorder, state, &command, NULL, NULL, err);
    }
    if (code == DEJA_OK)
        code = deja_recorder_mark(recorder, "here", err);
    if (code == DEJA_OK)
        code = deja_recorder_section(recorder, "gold", 1, err);
    return code;
}

static deja_code record_once(deja_error *err)
{
    deja_recorder *recorder = NULL;
    ledger state = { .gold = 3 };
    s.options.from_state = 1;
    s.options.journal_size = 4 << 20;
    deja_code code = deja_recorder_open(&recorder, s.store, s.plugin, &state, &s.options, err);
    if (code == DEJA_OK)
        code = play(recorder, &state, err);
    const deja_code closed = deja_recorder_close(recorder, NULL, NULL, code < 0 ? NULL : err);
    return code < 0 ? code : closed;
}

/* Steps on copies, and between two of them a change of each kind. */
static deja_code record_checked_once(deja_error *err)
{
    deja_recorder *recorder = NULL;
    ledger state = { .gold = 3 };
    const ledger_command command = { LEDGER_SAY, 0, "fifteen letters" };
    s.options.watch = s.options.self_check = 1;
    deja_code code = deja_recorder_open(&recorder, s.store, s.plugin, &state, &s.options, err);
    for (int i = 0; i < 4 && code == DEJA_OK; i++) {
        state.gold += i % 2;
        code = deja_recorder_step(recorder, &state, &command, NULL, NULL, err);
    }
    deja_out *out = NULL;
    if (code == DEJA_OK)
        code = deja_recorder_begin(recorder, &command, NULL, &out, err);
    state.gold++;
    if (code == DEJA_OK)
        code = deja_recorder_end(recorder, &state, 0, err);
    const deja_code closed = deja_recorder_close(recorder, NULL, NULL, code < 0 ? NULL : err);
    return code < 0 ? code : closed;
}

static deja_code record_bots_once(deja_error *err)
{
    deja_bots_options options = DEJA_BOTS_OPTIONS_INIT;
    options.bots = "random,counter";
    options.games = 2;
    options.max_steps = 10;
    return deja_record_bots(s.store, s.plugin, &options, err);
}

/* What a failure has cut short is kept, and the store keeps what it has read for the next time. So
 * each failure comes again and again: a leak would leave something every time. */
static deja_code fail_at(deja_code (*work)(deja_error *err), int64_t n, int64_t *left,
                         deja_error *err)
{
    deja_code code = DEJA_OK;
    *left = 1;
    for (int again = 0; again < 4 && *left > 0; again++) {
        memset(err, 0, sizeof *err);
        memory_start(n);
        code = work(err);
        *left = memory_end();
        cr_assert_eq(deja_store_flush(s.store, NULL), DEJA_OK);
    }
    return code;
}

static void fail_each(deja_code (*work)(deja_error *err))
{
    deja_error err = { 0 };
    int64_t left;
    for (int warm = 0; warm < 3; warm++)
        cr_assert_eq(fail_at(work, 0, &left, &err), DEJA_OK, "%s", err.message);
    for (int64_t n = 1;; n += 1 + n / 64) { /* the first ones all, then ever fewer */
        const deja_code code = fail_at(work, n, &left, &err);
        if (!memory_fired)
            break;
        /* One that worked waits in the store for its commit. */
        cr_assert(code == DEJA_OK || left <= 0, "allocation %lld: %lld blocks leak", (long long)n,
                  (long long)left);
        cr_assert(code == DEJA_OK || code == DEJA_ENOMEM, "allocation %lld: %s (%s)", (long long)n,
                  deja_code_name(code), err.message);
        cr_assert(code == DEJA_OK || err.message[0], "allocation %lld: no message", (long long)n);
    }
    cr_assert_eq(work(&err), DEJA_OK, "%s", err.message);
}

Test(record_memory, every_allocation_of_a_recording_may_fail)
{
    fail_each(record_once);
}

Test(record_memory, every_allocation_of_a_recording_that_is_checked_may_fail)
{
    fail_each(record_checked_once);
}

/* A check that could not be made is told of, and is not one that found nothing. */
Test(record_memory, a_check_that_gets_no_memory_is_given_up_aloud)
{
    uint32_t told = 0;
    s.options.watch = s.options.self_check = 1;
    for (int64_t n = 1;; n++) {
        reports r;
        reports_listen(&r, &s);
        deja_recorder *recorder = scene_record(&s);
        const ledger_command command = { LEDGER_ADD, 1, "" };
        deja_code code = DEJA_OK;
        memory_start(n);
        for (int i = 0; i < 3 && code == DEJA_OK; i++)
            code = deja_recorder_step(recorder, &s.state, &command, NULL, NULL, NULL);
        memory_end();
        cr_assert_eq(deja_recorder_findings(recorder), 0);
        (void)deja_recorder_close(recorder, NULL, NULL, NULL);
        if (!memory_fired)
            break;
        cr_assert(code == DEJA_ENOMEM || r.count == 1, "allocation %lld: %s", (long long)n, r.text);
        told += r.count;
    }
    cr_assert_gt(told, 3);
}

Test(record_memory, every_allocation_of_games_by_bots_may_fail)
{
    fail_each(record_bots_once);
}

#endif
