/* SPDX-License-Identifier: MIT */
/*
 * One store, and others at work on it: recorders, readers, verifiers, and who holds its lock.
 */
#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/company.h"
#include "record/scene.h"
#include "support/scratch.h"

TestSuite(company, .timeout = 300);

static void assert_works(company all)
{
    char folder[64], path[128];
    company_told told = { 0 };
    scratch_open(folder);
    snprintf(path, sizeof path, "%s/shared.deja", folder);
    all.store = path;
    const bool works = company_works(&all, &told);
    scratch_close(folder);
    cr_assert(works, "what was seen is on stderr");
    cr_assert_geq(told.recorded, all.recorders * all.sessions);
    cr_assert(all.verifiers == 0 || told.verified != 0);
}

/* B86 */
Test(company, eight_recorders_of_one_new_store_keep_2000_steps_each_without_a_gap)
{
    assert_works((company){ .recorders = 8, .sessions = 1, .steps = 2000 });
}

Test(company, sessions_of_several_blocks_are_recorded_and_verified_at_once)
{
    assert_works((company){
        .recorders = 4, .verifiers = 2, .sessions = 3, .steps = 40000, .rest_us = 1000 });
}

Test(company, recorders_that_come_and_go_disturb_no_verifier)
{
    assert_works(
        (company){ .recorders = 3, .verifiers = 3, .sessions = 20, .steps = 500, .rest_us = 1 });
}

/* ---- who does not give back the lock ---- */

Test(company, a_lock_that_is_not_given_back_is_an_error_with_the_path_and_the_steps_are_kept)
{
    enum { STEPS = 2000 };
    scene s;
    sqlite3 *other = NULL;
    char path[128];
    deja_id id;
    scene_open(&s);
    snprintf(path, sizeof path, "%s/plays.deja", s.folder);
    deja_recorder *recorder = scene_record(&s);
    cr_assert_eq(sqlite3_open(path, &other), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    for (int i = 0; i < STEPS; i++)
        scene_step(&s, recorder, LEDGER_ADD, 1); /* no step waits, or fails */
    cr_assert_eq(deja_recorder_close(recorder, NULL, NULL, &s.err), DEJA_EBUSY);
    cr_assert_not_null(strstr(s.err.message, path), "%s", s.err.message);
    cr_assert_not_null(strstr(s.err.message, "another program is writing to it"), "%s",
                       s.err.message);
    cr_assert_not_null(strstr(s.err.message, "is kept in "), "%s", s.err.message);
    cr_assert_eq(sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(other);
    /* Who comes next takes it in. */
    cr_assert_eq(deja_store_close(s.store, &s.err), DEJA_OK, "%s", s.err.message);
    cr_assert_eq(deja_store_open(&s.store, path, DEJA_STORE_APPEND, &s.err), DEJA_OK);
    cr_assert_eq(scene_sessions(&s, &id), 1);
    held *h = scene_read(&s, &id);
    cr_assert_eq(h->steps, STEPS);
    cr_assert_eq(h->ended, DEJA_ENDED_RUNNING);
    free(h);
    scene_close(&s);
}
