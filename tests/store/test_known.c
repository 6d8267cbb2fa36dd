/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>

#include "store/recipe.h"
#include "support/scratch.h"

static char folder[64];
static const char *path;

static void open_folder(void)
{
    scratch_open(folder);
    path = in_folder(folder, "known.deja");
}

static void close_folder(void)
{
    scratch_close(folder);
}

TestSuite(known, .init = open_folder, .fini = close_folder, .timeout = 60);

static void assert_counts(uint32_t sessions, uint32_t recordings)
{
    cr_assert(eq(u32, count_sessions(path), sessions));
    cr_assert(eq(u32, count_recordings(path), recordings));
    deja_store *store = open_store(path, DEJA_STORE_READ);
    deja_error err = { 0 };
    cr_assert_eq(deja_store_check(store, &err), DEJA_OK, "%s", err.message);
    close_store(store);
}

Test(known, the_same_again_adds_nothing_whether_it_waits_or_is_stored)
{
    const recipe r = recipe_of(1);
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    cr_assert_not(put_again(store, &r));
    cr_assert(put_again(store, &r), "it waits");
    cr_assert_eq(deja_store_flush(store, NULL), DEJA_OK);
    cr_assert(put_again(store, &r), "it is stored");
    close_store(store);
    store = open_store(path, DEJA_STORE_APPEND);
    cr_assert(put_again(store, &r), "it was there before");
    close_store(store);
    assert_counts(1, 1);
}

Test(known, who_played_and_when_makes_no_difference)
{
    recipe r = recipe_of(1);
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    put(store, &r);
    r.made = "somebody else";
    r.recorded_at += 1000;
    cr_assert(put_again(store, &r), "it waits");
    cr_assert_eq(deja_store_flush(store, NULL), DEJA_OK);
    cr_assert(put_again(store, &r), "it is stored");
    close_store(store);
    assert_counts(1, 1);
}

/* So many ways to be a new recording of an old session. */
static uint32_t vary(recipe *r, uint32_t way)
{
    switch (way) {
    case 0:
        r->build = 2;
        break;
    case 1:
        r->parts_from = r->steps;
        break;
    case 2:
        r->refused = 3;
        break;
    case 3:
        r->ended = DEJA_ENDED_RUNNING;
        break;
    case 4:
        r->outcome = "somebody_else_wins";
        break;
    case 5:
        r->trail_bits = 64;
        break;
    case 6:
        r->trail_every = 2;
        break;
    case 7:
        r->marks = 1;
        break;
    case 8:
        r->sections = 3;
        break;
    case 9:
        r->ended = DEJA_ENDED_CRASHED;
        break;
    default:
        return 0;
    }
    return 1;
}

Test(known, a_recording_that_differs_in_anything_that_counts_is_added_to_its_session)
{
    recipe r = recipe_of(1);
    uint32_t ways = 0;
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    put(store, &r);
    cr_assert_eq(deja_store_flush(store, NULL), DEJA_OK);
    for (; vary(&r, ways); r = recipe_of(1), ways++) {
        cr_assert_not(put_again(store, &r), "way %u", ways);
        cr_assert(put_again(store, &r), "way %u waits", ways);
        cr_assert_eq(deja_store_flush(store, NULL), DEJA_OK);
        cr_assert(put_again(store, &r), "way %u is stored", ways);
    }
    close_store(store);
    assert_counts(1, 1 + ways);
}

Test(known, recordings_that_wait_together_with_their_session_are_told_apart_too)
{
    recipe r = recipe_of(1);
    uint32_t ways = 0;
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    put(store, &r);
    for (; vary(&r, ways); r = recipe_of(1), ways++)
        cr_assert_not(put_again(store, &r), "way %u", ways);
    for (uint32_t way = 0; vary(&r, way); r = recipe_of(1), way++)
        cr_assert(put_again(store, &r), "way %u", way);
    close_store(store);
    assert_counts(1, 1 + ways);
}

Test(known, the_newest_recording_comes_first)
{
    recipe r = recipe_of(1);
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    for (unsigned char build = 1; build <= 4; build++) {
        r.build = build;
        put(store, &r);
        if (build == 2)
            cr_assert_eq(deja_store_flush(store, NULL), DEJA_OK);
    }
    close_store(store);
    store = open_store(path, DEJA_STORE_READ);
    for (uint32_t n = 0; n < 4; n++) {
        deja_reader *reader = NULL;
        cr_assert_eq(deja_reader_open(&reader, store, 1024, n, NULL), DEJA_OK);
        cr_assert(eq(u32, deja_reader_recording(reader)->build[0], 4 - n));
        cr_assert(eq(u32, deja_reader_recording_count(reader), 4));
        deja_reader_close(reader);
    }
    deja_reader *reader = NULL;
    deja_error err = { 0 };
    cr_assert_eq(deja_reader_open(&reader, store, 1024, 4, &err), DEJA_ENOTFOUND);
    cr_assert_null(reader);
    cr_assert_eq(deja_reader_open(&reader, store, 999999, 0, &err), DEJA_ENOTFOUND);
    cr_assert_eq(deja_reader_open(&reader, store, -1, 0, &err), DEJA_ENOTFOUND);
    close_store(store);
}

Test(known, a_whole_store_that_is_recorded_again_by_another_build_stores_no_command_twice)
{
    char parts[32];
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    for (uint64_t i = 0; i < 200; i++) {
        recipe r = recipe_of(i);
        put(store, &r);
    }
    cr_assert_eq(deja_store_flush(store, NULL), DEJA_OK);
    for (uint64_t i = 0; i < 200; i++) {
        recipe r = recipe_of(i);
        r.build = 2;
        cr_assert_not(put_again(store, &r));
    }
    close_store(store);
    assert_counts(200, 400);
    sql(path, "SELECT count(*) || ' ' || (SELECT count(*) FROM recording_packs) FROM command_parts",
        parts, sizeof parts);
    cr_assert_str_eq(parts, "1 2");
}

Test(known, two_handles_of_one_file_know_of_each_other)
{
    const recipe r = recipe_of(1);
    recipe other = recipe_of(2);
    deja_store *a = open_store(path, DEJA_STORE_WRITE);
    deja_store *b = open_store(path, DEJA_STORE_WRITE);
    put(b, &other);
    cr_assert_eq(deja_store_flush(b, NULL), DEJA_OK);
    put(a, &r);
    cr_assert_eq(deja_store_flush(a, NULL), DEJA_OK);
    cr_assert(put_again(b, &r), "stored by the other handle");
    /* Both wait; who comes second finds out when it is committed. */
    other = recipe_of(3);
    put(a, &other);
    put(b, &other);
    close_store(a);
    close_store(b);
    assert_counts(3, 3);
}
