/* SPDX-License-Identifier: MIT */
/*
 * Several processes, one store; and processes that are killed while they write.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "store/recipe.h"
#include "support/scratch.h"

static char folder[64];
static const char *path;

static void open_folder(void)
{
    scratch_open(folder);
    path = in_folder(folder, "shared.deja");
}

static void close_folder(void)
{
    scratch_close(folder);
}

TestSuite(processes, .init = open_folder, .fini = close_folder, .timeout = 120);

static void assert_sound(void)
{
    deja_store *store = open_store(path, DEJA_STORE_READ);
    deja_error err = { 0 };
    cr_assert_eq(deja_store_check(store, &err), DEJA_OK, "%s", err.message);
    close_store(store);
}

static void assert_child(pid_t child)
{
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0, "a child failed");
}

/* A child that records; whatever goes wrong is its exit status. */
static pid_t record_apart(uint64_t first, uint64_t count, uint64_t long_seed)
{
    const pid_t child = fork();
    if (child != 0)
        return child;
    deja_store *store = NULL;
    deja_error err = { 0 };
    deja_code code = deja_store_open(&store, path, DEJA_STORE_WRITE, &err);
    for (uint64_t i = 0; i < count && code == DEJA_OK; i++) {
        const recipe r = recipe_of(first + i);
        code = recipe_write(store, &r, NULL, NULL, &err);
        if (code == DEJA_OK && i % 10 == 9)
            code = deja_store_flush(store, &err);
        if (code == DEJA_OK && i == count / 2) {
            const recipe blocks = recipe_long(long_seed, 16384 + 100);
            code = recipe_write(store, &blocks, NULL, NULL, &err);
        }
    }
    const deja_code closed = deja_store_close(store, &err);
    if (code < 0 || closed < 0) {
        fprintf(stderr, "child: %s\n", err.message);
        fflush(stderr);
    }
    _exit(code < 0 || closed < 0);
}

Test(processes, four_that_make_and_fill_a_store_at_once_lose_nothing_and_double_nothing)
{
    pid_t children[4];
    /* Neighbours overlap by half: what both record is one session. */
    for (uint64_t i = 0; i < 4; i++)
        children[i] = record_apart(1000 + i * 30, 60, 7 + i / 2);
    for (int i = 0; i < 4; i++)
        assert_child(children[i]);
    cr_assert(eq(u32, count_sessions(path), 150 + 2));
    cr_assert(eq(u32, count_recordings(path), 150 + 2));
    assert_sound();
    char answer[32];
    sql(path,
        "SELECT (SELECT count(*) FROM layouts) || ' ' || (SELECT count(*) FROM builds) || ' '"
        "|| (SELECT count(*) FROM words)",
        answer, sizeof answer);
    cr_assert_str_eq(answer, "1 1 3", "interned once");
    cr_assert_eq(access(in_folder(folder, "shared.deja-wal"), F_OK), -1, "the last one tidies up");
}

/* What a child has been told is stored. */
typedef struct acknowledged {
    volatile uint64_t sessions;
    volatile uint64_t blocks;
} acknowledged;

static void record_until_killed(acknowledged *done, uint64_t round)
{
    deja_store *store = NULL;
    deja_writer *writer = NULL;
    recipe blocks = recipe_long(1000000 + round, (uint64_t)1 << 30);
    if (deja_store_open(&store, path, DEJA_STORE_WRITE, NULL) < 0 ||
        recipe_open(&writer, store, &blocks, NULL) < 0)
        _exit(1);
    for (uint64_t i = 0;; i++) {
        const recipe r = recipe_of(round * 10000 + i);
        if (recipe_write(store, &r, NULL, NULL, NULL) < 0 || deja_store_flush(store, NULL) < 0)
            _exit(1);
        done->sessions++;
        if (recipe_add(writer, &blocks, i * 16384, (i + 1) * 16384, NULL) < 0)
            _exit(1);
        done->blocks++;
    }
}

Test(processes, whatever_was_acknowledged_before_a_kill_is_there_afterwards)
{
    acknowledged *done =
        mmap(NULL, sizeof *done, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    uint64_t sessions = 0;
    uint64_t luck = 9;
    for (uint64_t round = 0; round < 6; round++) {
        memset((void *)done, 0, sizeof *done);
        const pid_t child = fork();
        if (child == 0)
            record_until_killed(done, round);
        while (done->blocks < 1)
            usleep(1000);
        usleep((useconds_t)(draw(&luck) % 60000));
        kill(child, SIGKILL);
        int status = 0;
        cr_assert_eq(waitpid(child, &status, 0), child);
        cr_assert(eq(int, status & 0x7f, SIGKILL));
        /* One more may have been committed, without a chance to say so. */
        const uint32_t now = count_sessions(path);
        cr_assert_geq(now, sessions + done->sessions + 1);
        cr_assert_leq(now, sessions + done->sessions + 2);
        sessions = now;
        char answer[32];
        sql(path,
            "SELECT max(steps) / 16384 FROM session_packs WHERE open AND id = (SELECT max(id)"
            "FROM session_packs WHERE open)",
            answer, sizeof answer);
        const uint64_t blocks = strtoull(answer, NULL, 10);
        cr_assert_geq(blocks, done->blocks);
        cr_assert_leq(blocks, done->blocks + 1);
        assert_sound();
    }
}
