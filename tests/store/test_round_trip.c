/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "store/recipe.h"
#include "support/scratch.h"

static char folder[64];

static void open_folder(void)
{
    scratch_open(folder);
}

static void close_folder(void)
{
    scratch_close(folder);
}

TestSuite(round_trip, .init = open_folder, .fini = close_folder, .timeout = 60);

/* Holds what a reader answers for a recipe against a second store, which holds nothing else. */
static void assert_same_alone(const char *path, const recipe *r)
{
    const char *alone = in_folder(folder, "alone.deja");
    deja_buffer both = { 0 };
    deja_buffer one = { 0 };
    deja_error err = { 0 };
    remove(alone);
    deja_store *store = open_store(alone, DEJA_STORE_WRITE);
    put(store, r);
    close_store(store);
    cr_assert_eq(dump_file(path, &both, &err), DEJA_OK, "%s", err.message);
    cr_assert_eq(dump_file(alone, &one, &err), DEJA_OK, "%s", err.message);
    /* From the reader's first line on; keys differ. */
    const char *from = strstr((const char *)one.bytes, "\nrecording ") + 1;
    from = strchr(strchr(from, '\n') + 1, '\n') + 1;
    char *until = strstr((char *)one.bytes, "found ");
    cr_assert_not_null(until);
    *until = '\0';
    cr_assert_not_null(strstr((const char *)both.bytes, from), "seed %" PRIu64 " reads otherwise",
                       r->seed);
    deja_buffer_release(&both);
    deja_buffer_release(&one);
}

Test(round_trip, sessions_of_every_kind_read_as_they_were_written_whatever_lies_beside_them)
{
    const char *path = in_folder(folder, "all.deja");
    recipe recipes[64];
    uint32_t count = 0;
    for (uint32_t i = 0; i < 24; i++) {
        recipe r = recipe_of(i);
        r.trail_bits = 8u << i % 4;
        r.trail_every = 1 + i % 5;
        r.refused = i % 3 ? i % 7 : 0;
        r.config = i % 3;
        r.marks = i % 4;
        r.sections = i % 6;
        r.opaque = i % 8 == 5;
        r.start = i % 9 == 4;
        r.made = i % 2 ? "bot random" : "";
        r.content = i % 5 == 1 ? "maps=00112233445566778899aabbccddeeff" : "";
        r.recorded_at += i * 10000;
        if (i % 6 == 0)
            r.ended = DEJA_ENDED_RUNNING;
        if (i % 6 == 1)
            r.ended = DEJA_ENDED_CRASHED;
        if (i % 6 == 2)
            r.ended = DEJA_ENDED_UNFINISHED;
        recipes[count++] = r;
    }
    recipes[count] = recipe_of(100);
    recipes[count++].steps = 0;
    recipes[count] = recipe_of(101);
    recipes[count++].trail_every = UINT64_MAX;
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    for (uint32_t i = 0; i < count; i++) {
        put(store, &recipes[i]);
        if (i % 7 == 6)
            cr_assert_eq(deja_store_flush(store, NULL), DEJA_OK);
    }
    close_store(store);
    cr_assert(eq(u32, count_sessions(path), count));
    for (uint32_t i = 0; i < count; i++)
        assert_same_alone(path, &recipes[i]);
    store = open_store(path, DEJA_STORE_READ);
    deja_error err = { 0 };
    cr_assert_eq(deja_store_check(store, &err), DEJA_OK, "%s", err.message);
    close_store(store);
}

Test(round_trip, sessions_of_one_block_and_around_it_read_as_they_were_written)
{
    static const uint64_t STEPS[] = { 16383, 16384, 16385, 32768, 32769 };
    const char *path = in_folder(folder, "blocks.deja");
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    for (int i = 0; i < 5; i++) {
        recipe r = recipe_long(200 + (uint64_t)i, STEPS[i]);
        r.refused = 300;
        r.marks = 4;
        r.sections = 5000;
        put(store, &r);
    }
    for (int i = 0; i < 5; i++) {
        recipe r = recipe_long(300 + (uint64_t)i, STEPS[i]);
        r.trail_every = 1;
        r.trail_bits = 64;
        r.ended = DEJA_ENDED_CRASHED;
        put(store, &r);
    }
    close_store(store);
    cr_assert(eq(u32, count_sessions(path), 10));
    for (int i = 0; i < 5; i++) {
        recipe r = recipe_long(200 + (uint64_t)i, STEPS[i]);
        r.refused = 300;
        r.marks = 4;
        r.sections = 5000;
        assert_same_alone(path, &r);
    }
    store = open_store(path, DEJA_STORE_READ);
    deja_error err = { 0 };
    cr_assert_eq(deja_store_check(store, &err), DEJA_OK, "%s", err.message);
    close_store(store);
}

/* ---- one session, looked at closely ---- */

static bool keep_key(void *user, const deja_entry *entry)
{
    *(int64_t *)user = entry->key;
    return true;
}

static deja_reader *read_only_one(deja_store *store)
{
    deja_reader *reader = NULL;
    deja_error err = { 0 };
    int64_t key = 0;
    cr_assert_eq(deja_store_list(store, keep_key, &key, &err), DEJA_OK, "%s", err.message);
    cr_assert_eq(deja_reader_open(&reader, store, key, 0, &err), DEJA_OK, "%s", err.message);
    return reader;
}

Test(round_trip, a_reader_tells_what_was_asked_and_what_came_of_it)
{
    const char *path = in_folder(folder, "one.deja");
    recipe r = recipe_of(9);
    r.start = true;
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    const deja_id id = put(store, &r);
    close_store(store);
    store = open_store(path, DEJA_STORE_READ);
    deja_reader *reader = read_only_one(store);
    const deja_session *session = deja_reader_session(reader);
    const deja_recording *recording = deja_reader_recording(reader);
    cr_assert_arr_eq(session->id.bytes, id.bytes, 16);
    cr_assert_str_eq(session->game, "matchgame");
    cr_assert(eq(u64, session->seed, 9));
    cr_assert(eq(u64, session->steps, r.steps));
    cr_assert(eq(u64, session->config.size, 8));
    cr_assert_str_eq(session->start_layout, "rows:u8[..16] side:u8");
    cr_assert(eq(u64, session->start.size, 7));
    cr_assert_str_eq(recording->version, "1.0.0");
    cr_assert_str_eq(recording->outcome, "first_wins");
    cr_assert(eq(u32, recording->ended, DEJA_ENDED_OUTCOME));
    cr_assert(eq(u64, (uint64_t)recording->recorded_at, 1700000000));
    cr_assert(eq(u32, deja_reader_recording_count(reader), 1));
    deja_steps steps;
    cr_assert_eq(deja_reader_next(reader, &steps, NULL), DEJA_OK);
    cr_assert(eq(u32, steps.count, (uint32_t)r.steps));
    cr_assert(eq(u64, steps.chain, recording->chain));
    cr_assert_eq(deja_reader_next(reader, &steps, NULL), DEJA_OK);
    cr_assert(eq(u32, steps.count, 0));
    cr_assert(eq(u64, steps.first, r.steps + 1));
    deja_reader_rewind(reader);
    cr_assert_eq(deja_reader_next(reader, &steps, NULL), DEJA_OK);
    cr_assert(eq(u64, steps.first, 1));
    deja_reader_close(reader);
    close_store(store);
}

Test(round_trip, the_trail_is_cut_to_its_width_and_results_keep_theirs)
{
    const char *path = in_folder(folder, "cut.deja");
    deja_session session = { .game = "g", .command_layout = "-", .config_layout = "-" };
    deja_recording recording = { .trail_bits = 8, .trail_every = 2, .refusals = "a b c" };
    const uint32_t ends[4] = { 0, 0, 0, 0 };
    const uint32_t results[4] = { 0, 3, 1, 0 };
    const uint64_t trail[2] = { 0x1234, 0xff56 };
    deja_steps steps = { 1, 4, NULL, ends, results, trail, 2, 77, 88 };
    deja_writer *writer = NULL;
    deja_error err = { 0 };
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    cr_assert_eq(deja_writer_open(&writer, store, &session, &recording, 0xabcd, 1, &err), DEJA_OK,
                 "%s", err.message);
    cr_assert_eq(deja_writer_add(writer, &steps, &err), DEJA_OK, "%s", err.message);
    cr_assert_eq(deja_writer_close(writer, DEJA_ENDED_RUNNING, NULL, NULL, NULL, &err), DEJA_OK);
    close_store(store);
    store = open_store(path, DEJA_STORE_READ);
    deja_reader *reader = read_only_one(store);
    cr_assert(eq(u64, deja_reader_start_hash(reader), 0xcd));
    memset(&steps, 0, sizeof steps);
    cr_assert_eq(deja_reader_next(reader, &steps, &err), DEJA_OK, "%s", err.message);
    cr_assert(eq(u32, steps.trail_count, 2));
    cr_assert(eq(u64, steps.trail[0], 0x34));
    cr_assert(eq(u64, steps.trail[1], 0x56));
    cr_assert_arr_eq(steps.results, results, sizeof results);
    cr_assert(eq(u64, steps.chain, 77));
    cr_assert(eq(u64, steps.event_chain, 88));
    deja_reader_close(reader);
    close_store(store);
}

Test(round_trip, a_scenario_has_commands_and_no_hashes)
{
    const char *path = in_folder(folder, "scenario.deja");
    recipe short_one = recipe_of(1);
    recipe long_one = recipe_long(2, 16390);
    recipe recorded = recipe_of(1);
    short_one.trail_bits = long_one.trail_bits = 0;
    short_one.trail_every = long_one.trail_every = UINT64_MAX;
    short_one.refused = 0;
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    put(store, &short_one);
    put(store, &long_one);
    cr_assert_not(put_again(store, &recorded), "the same session, recorded");
    cr_assert(put_again(store, &short_one));
    cr_assert(put_again(store, &long_one));
    close_store(store);
    deja_error err = { 0 };
    deja_reader *reader = NULL;
    deja_steps steps;
    dump_hash(path);
    store = open_store(path, DEJA_STORE_READ);
    cr_assert_eq(deja_store_check(store, &err), DEJA_OK, "%s", err.message);
    cr_assert_eq(deja_reader_open(&reader, store, 1024, 0, &err), DEJA_OK, "%s", err.message);
    cr_assert(eq(u64, deja_reader_start_hash(reader), 0));
    cr_assert_eq(deja_reader_next(reader, &steps, &err), DEJA_OK);
    cr_assert(eq(u32, steps.count, 16384));
    cr_assert(eq(u32, steps.trail_count, 0));
    deja_reader_close(reader);
    close_store(store);
}

Test(round_trip, a_thousand_and_more_short_sessions_share_packs_and_each_is_found)
{
    const char *path = in_folder(folder, "many.deja");
    enum { MANY = 2500 };
    static deja_id ids[MANY];
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    for (uint64_t i = 0; i < MANY; i++) {
        recipe r = recipe_of(i);
        r.steps = i % 5;
        r.config = (uint32_t)(i / 600);
        ids[i] = put(store, &r);
    }
    close_store(store);
    char answer[32];
    sql(path, "SELECT count(*) FROM session_packs", answer, sizeof answer);
    cr_assert_str_eq(answer, "3");
    store = open_store(path, DEJA_STORE_READ);
    deja_error err = { 0 };
    cr_assert_eq(deja_store_check(store, &err), DEJA_OK, "%s", err.message);
    for (uint64_t i = 0; i < MANY; i += 7) {
        deja_reader *reader = NULL;
        char prefix[33];
        int64_t key = 0;
        for (int k = 0; k < 16; k++)
            snprintf(prefix + 2 * k, 3, "%02X", ids[i].bytes[k]);
        prefix[20 + i % 12] = '\0';
        cr_assert_eq(deja_store_find(store, prefix, &key, &err), DEJA_OK, "%s", err.message);
        cr_assert_eq(deja_reader_open(&reader, store, key, 0, &err), DEJA_OK, "%s", err.message);
        cr_assert_arr_eq(deja_reader_session(reader)->id.bytes, ids[i].bytes, 16);
        cr_assert(eq(u64, deja_reader_session(reader)->seed, i));
        deja_reader_close(reader);
    }
    close_store(store);
}

Test(round_trip, settings_that_take_turns_still_share_packs)
{
    const char *path = in_folder(folder, "turns.deja");
    char answer[32];
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    for (uint64_t i = 0; i < 90; i++) {
        recipe r = recipe_of(i);
        r.made = i % 3 == 0 ? "a" : i % 3 == 1 ? "b" : "c";
        put(store, &r);
    }
    close_store(store);
    sql(path, "SELECT count(*) FROM session_packs", answer, sizeof answer);
    cr_assert_str_eq(answer, "3");
    cr_assert(eq(u32, count_sessions(path), 90));
}

Test(round_trip, readers_of_many_sessions_may_be_open_at_once)
{
    const char *path = in_folder(folder, "open.deja");
    enum { MANY = 40 };
    deja_reader *readers[MANY];
    deja_error err = { 0 };
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    for (uint64_t i = 0; i < MANY; i++) {
        recipe r = recipe_of(i);
        r.config = (uint32_t)i;
        r.opaque = i % 4 == 3; /* packs of other parts between */
        put(store, &r);
        cr_assert_eq(deja_store_flush(store, NULL), DEJA_OK);
    }
    close_store(store);
    store = open_store(path, DEJA_STORE_READ);
    for (int64_t i = 0; i < MANY; i++)
        cr_assert_eq(deja_reader_open(&readers[i], store, (i + 1) * 1024, 0, &err), DEJA_OK, "%s",
                     err.message);
    for (uint64_t i = 0; i < MANY; i++) {
        deja_steps steps;
        cr_assert(eq(u64, deja_reader_session(readers[i])->seed, i));
        cr_assert_eq(deja_reader_next(readers[i], &steps, &err), DEJA_OK, "%s", err.message);
        cr_assert(eq(u64, steps.count, recipe_of(i).steps));
        deja_reader_close(readers[i]);
    }
    close_store(store);
}

static bool stop_at_two(void *user, const deja_entry *entry)
{
    (void)entry;
    return ++*(uint32_t *)user < 2;
}

Test(round_trip, a_visitor_that_has_seen_enough_ends_a_list)
{
    const char *path = in_folder(folder, "enough.deja");
    uint32_t seen = 0;
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    for (uint64_t i = 0; i < 5; i++) {
        recipe r = recipe_of(i);
        put(store, &r);
    }
    cr_assert_eq(deja_store_flush(store, NULL), DEJA_OK);
    cr_assert_eq(deja_store_list(store, stop_at_two, &seen, NULL), DEJA_OK);
    cr_assert(eq(u32, seen, 2));
    close_store(store);
}

Test(round_trip, an_empty_store_lists_nothing_and_finds_nothing)
{
    const char *path = in_folder(folder, "empty.deja");
    uint32_t seen = 0;
    int64_t key = 0;
    deja_error err = { 0 };
    close_store(open_store(path, DEJA_STORE_WRITE));
    deja_store *store = open_store(path, DEJA_STORE_READ);
    cr_assert_eq(deja_store_list(store, stop_at_two, &seen, NULL), DEJA_OK);
    cr_assert(eq(u32, seen, 0));
    cr_assert_eq(deja_store_find(store, "a", &key, &err), DEJA_ENOTFOUND);
    cr_assert_eq(deja_store_check(store, &err), DEJA_OK, "%s", err.message);
    close_store(store);
}

Test(round_trip, a_prefix_of_two_sessions_is_ambiguous_and_both_are_named)
{
    const char *path = in_folder(folder, "prefix.deja");
    int64_t key = 0;
    deja_error err = { 0 };
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    for (uint64_t i = 0; i < 40; i++) {
        recipe r = recipe_of(i);
        put(store, &r);
    }
    cr_assert_eq(deja_store_flush(store, NULL), DEJA_OK);
    uint32_t ambiguous = 0;
    for (int digit = 0; digit < 16; digit++) {
        const char prefix[2] = { "0123456789abcdef"[digit], '\0' };
        if (deja_store_find(store, prefix, &key, &err) == DEJA_EAMBIGUOUS) {
            cr_assert_not_null(strstr(err.message, " begins both "));
            ambiguous++;
        }
    }
    cr_assert_gt(ambiguous, 4);
    static const char *const BAD[] = { "", "xyz", "12 ", "0x12",
                                       "000000000000000000000000000000000" };
    for (int i = 0; i < 5; i++)
        cr_assert_eq(deja_store_find(store, BAD[i], &key, &err), DEJA_EFORMAT, "'%s'", BAD[i]);
    close_store(store);
}
