/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/recipe.h"
#include "support/scratch.h"

enum { BLOCK = 16384 };

static char folder[64];
static const char *path;

static void open_folder(void)
{
    scratch_open(folder);
    path = in_folder(folder, "long.deja");
}

static void close_folder(void)
{
    scratch_close(folder);
}

TestSuite(long_session, .init = open_folder, .fini = close_folder, .timeout = 60);

static void assert_sound(void)
{
    deja_store *store = open_store(path, DEJA_STORE_READ);
    deja_error err = { 0 };
    cr_assert_eq(deja_store_check(store, &err), DEJA_OK, "%s", err.message);
    close_store(store);
}

static deja_writer *begin(deja_store *store, const recipe *r, uint64_t until)
{
    deja_writer *writer = NULL;
    deja_error err = { 0 };
    cr_assert_eq(recipe_open(&writer, store, r, &err), DEJA_OK, "%s", err.message);
    cr_assert_eq(recipe_add(writer, r, 0, until, &err), DEJA_OK, "%s", err.message);
    return writer;
}

static void go_on(deja_writer *writer, const recipe *r, uint64_t from, uint64_t until)
{
    deja_error err = { 0 };
    cr_assert_eq(recipe_add(writer, r, from, until, &err), DEJA_OK, "%s", err.message);
}

static bool finish(deja_writer *writer, const recipe *r)
{
    bool known = false;
    deja_error err = { 0 };
    cr_assert_eq(deja_writer_close(writer, r->ended, r->outcome, NULL, &known, &err), DEJA_OK, "%s",
                 err.message);
    return known;
}

static void assert_reads(const char *file, uint64_t steps, uint32_t ended, uint32_t marks)
{
    deja_store *store = open_store(file, DEJA_STORE_READ);
    deja_reader *reader = NULL;
    deja_steps block = { 0 };
    deja_error err = { 0 };
    uint64_t read = 0;
    cr_assert_eq(deja_reader_open(&reader, store, 1024, 0, &err), DEJA_OK, "%s", err.message);
    cr_assert(eq(u64, deja_reader_session(reader)->steps, steps));
    cr_assert(eq(u32, deja_reader_recording(reader)->ended, ended));
    while (deja_reader_next(reader, &block, &err) == DEJA_OK && block.count)
        read += block.count;
    cr_assert(eq(u64, read, steps), "%s", err.message);
    deja_reader_close(reader);
    close_store(store);
    char answer[32];
    char expected[32];
    sql(file, "SELECT count(*) FROM marks", answer, sizeof answer);
    snprintf(expected, sizeof expected, "%u", marks);
    cr_assert_str_eq(answer, expected);
}

Test(long_session, each_block_is_there_at_once_as_an_unfinished_session)
{
    recipe r = recipe_long(1, 3 * BLOCK + 5);
    r.marks = 4; /* at steps 0, a quarter, a half, three quarters */
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    deja_writer *writer = begin(store, &r, BLOCK);
    assert_reads(path, BLOCK, DEJA_ENDED_UNFINISHED, 2);
    go_on(writer, &r, BLOCK, 2 * BLOCK);
    assert_reads(path, 2 * BLOCK, DEJA_ENDED_UNFINISHED, 3);
    go_on(writer, &r, 2 * BLOCK, r.steps);
    cr_assert_not(finish(writer, &r));
    close_store(store);
    assert_reads(path, r.steps, DEJA_ENDED_OUTCOME, 4);
    assert_sound();
}

Test(long_session, an_abandoned_one_keeps_its_whole_blocks)
{
    const recipe r = recipe_long(1, 2 * BLOCK + 7);
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    deja_writer_abandon(begin(store, &r, r.steps));
    close_store(store);
    assert_reads(path, 2 * BLOCK, DEJA_ENDED_UNFINISHED, 0);
    assert_sound();
}

Test(long_session, an_abandoned_short_one_leaves_nothing)
{
    const recipe r = recipe_long(1, 100);
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    deja_writer_abandon(begin(store, &r, r.steps));
    close_store(store);
    cr_assert(eq(u32, count_sessions(path), 0));
}

Test(long_session, two_at_once_through_one_handle_do_not_mix)
{
    recipe a = recipe_long(1, 2 * BLOCK + 1);
    recipe b = recipe_long(2, 3 * BLOCK);
    recipe c = recipe_of(3);
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    deja_writer *first = begin(store, &a, BLOCK);
    deja_writer *second = begin(store, &b, BLOCK);
    put(store, &c);
    go_on(second, &b, BLOCK, 2 * BLOCK);
    go_on(first, &a, BLOCK, 2 * BLOCK);
    go_on(second, &b, 2 * BLOCK, b.steps);
    finish(second, &b);
    go_on(first, &a, 2 * BLOCK, a.steps);
    finish(first, &a);
    close_store(store);
    cr_assert(eq(u32, count_sessions(path), 3));
    assert_reads(path, a.steps, DEJA_ENDED_OUTCOME, 0);
    assert_sound();
}

Test(long_session, one_that_is_known_takes_its_blocks_back)
{
    recipe r = recipe_long(1, 2 * BLOCK + 9);
    r.marks = 3;
    r.sections = 4000;
    r.start = true;
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    cr_assert_not(put_again(store, &r));
    cr_assert(put_again(store, &r));
    close_store(store);
    cr_assert(eq(u32, count_recordings(path), 1));
    char answer[64];
    sql(path,
        "SELECT (SELECT count(*) FROM command_parts) || ' ' || (SELECT count(*) FROM result_parts)"
        "|| ' ' || (SELECT count(*) FROM starts) || ' ' || (SELECT count(*) FROM marks)",
        answer, sizeof answer);
    cr_assert_str_eq(answer, "3 3 1 3");
    assert_sound();
}

Test(long_session, a_new_recording_of_a_known_one_moves_to_its_session)
{
    recipe r = recipe_long(1, 2 * BLOCK + 9);
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    cr_assert_not(put_again(store, &r));
    r.build = 2;
    r.marks = 3;
    cr_assert_not(put_again(store, &r));
    cr_assert(put_again(store, &r));
    r.parts_from = 32000; /* the last step but one that is hashed */
    cr_assert_not(put_again(store, &r));
    close_store(store);
    cr_assert(eq(u32, count_sessions(path), 1));
    cr_assert(eq(u32, count_recordings(path), 3));
    char answer[64];
    sql(path,
        "SELECT (SELECT count(*) FROM command_parts) || ' ' || (SELECT count(*) FROM result_parts)",
        answer, sizeof answer);
    cr_assert_str_eq(answer, "3 9");
    assert_sound();
}

Test(long_session, two_writers_of_the_same_session_leave_one)
{
    const recipe r = recipe_long(1, 2 * BLOCK);
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    deja_writer *first = begin(store, &r, r.steps);
    deja_writer *second = begin(store, &r, r.steps);
    cr_assert_not(finish(second, &r), "the first one is open, and may still go on");
    cr_assert(finish(first, &r));
    close_store(store);
    cr_assert(eq(u32, count_sessions(path), 1));
    cr_assert(eq(u32, count_recordings(path), 1));
    assert_sound();
}

Test(long_session, what_a_killed_process_left_is_sound_and_goes_on_being_written_beside)
{
    const recipe r = recipe_long(1, 3 * BLOCK);
    const pid_t child = fork();
    if (child == 0) {
        deja_store *store = NULL;
        deja_writer *writer = NULL;
        if (deja_store_open(&store, path, DEJA_STORE_WRITE, NULL) < 0 ||
            recipe_open(&writer, store, &r, NULL) < 0 ||
            recipe_add(writer, &r, 0, 2 * BLOCK, NULL) < 0)
            _exit(1);
        kill(getpid(), SIGKILL);
    }
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    const int signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    cr_assert(eq(int, signal_number, SIGKILL));
    assert_reads(path, 2 * BLOCK, DEJA_ENDED_UNFINISHED, 0);
    /* The same session whole, and its beginning as a session of its own. */
    deja_store *store = open_store(path, DEJA_STORE_APPEND);
    cr_assert_not(put_again(store, &r));
    recipe beginning = recipe_long(1, 2 * BLOCK);
    cr_assert_not(put_again(store, &beginning), "what is open is nobody's to add to");
    close_store(store);
    cr_assert(eq(u32, count_sessions(path), 3));
    assert_sound();
    /* The beginning's id stands there twice: found is the one that was closed. */
    store = open_store(path, DEJA_STORE_READ);
    deja_reader *reader = NULL;
    int64_t key = 0;
    char prefix[33];
    cr_assert_eq(deja_reader_open(&reader, store, 1024, 0, NULL), DEJA_OK);
    for (int i = 0; i < 16; i++)
        snprintf(prefix + 2 * i, 3, "%02x", deja_reader_session(reader)->id.bytes[i]);
    deja_reader_close(reader);
    cr_assert_eq(deja_store_find(store, prefix, &key, NULL), DEJA_OK);
    cr_assert(ne(i64, key, 1024));
    close_store(store);
}

Test(long_session, a_crash_in_the_last_step_of_a_block_is_kept)
{
    for (uint64_t every = 1; every <= 3; every++) {
        recipe r = recipe_long(every, BLOCK);
        r.trail_every = every;
        r.ended = DEJA_ENDED_CRASHED;
        r.outcome = NULL;
        deja_store *store = open_store(path, DEJA_STORE_WRITE);
        finish(begin(store, &r, r.steps), &r);
        close_store(store);
        assert_reads(path, BLOCK, DEJA_ENDED_CRASHED, 0);
        assert_sound();
        cr_assert_eq(remove(path), 0);
    }
}

Test(long_session, a_reader_of_one_that_is_taken_back_is_told_so)
{
    const recipe r = recipe_long(1, 2 * BLOCK + 1);
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    put(store, &r);
    deja_writer *writer = begin(store, &r, 2 * BLOCK);
    deja_store *other = open_store(path, DEJA_STORE_READ);
    deja_reader *reader = NULL;
    deja_steps steps;
    deja_error err = { 0 };
    cr_assert_eq(deja_reader_open(&reader, other, 2048, 0, &err), DEJA_OK, "%s", err.message);
    cr_assert_eq(deja_reader_next(reader, &steps, &err), DEJA_OK);
    go_on(writer, &r, 2 * BLOCK, r.steps);
    cr_assert(finish(writer, &r));
    cr_assert_eq(deja_reader_next(reader, &steps, &err), DEJA_ENOTFOUND, "%s", err.message);
    deja_reader_close(reader);
    close_store(other);
    close_store(store);
    assert_sound();
}
