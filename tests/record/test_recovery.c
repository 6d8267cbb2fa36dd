/* SPDX-License-Identifier: MIT */
/*
 * What a recorder leaves behind whose process dies: nobody closes anything, and who comes next
 * finds every step that returned.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/scene.h"

TestSuite(recovery, .timeout = 60);

enum { BLOCK = 16384 };

typedef void life(scene *s, deja_recorder *recorder);

static const char *path_of(const scene *s, const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", s->folder, name);
    return path;
}

static void open_store(scene *s, uint32_t mode)
{
    const deja_code code = deja_store_open(&s->store, path_of(s, "plays.deja"), mode, &s->err);
    cr_assert_eq(code, DEJA_OK, "%s", s->err.message);
}

static void shut_store(scene *s)
{
    const deja_code code = deja_store_close(s->store, &s->err);
    cr_assert_eq(code, DEJA_OK, "%s", s->err.message);
    s->store = NULL;
}

/* A process records, and ends without closing anything. Leaves the scene without a store. */
static void live_and_die(scene *s, life *live)
{
    int status = -1;
    if (s->store)
        shut_store(s);
    fflush(NULL);
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        open_store(s, DEJA_STORE_WRITE);
        live(s, scene_record(s));
        _exit(0);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
}

static uint32_t count_journals(const scene *s)
{
    uint32_t count = 0;
    DIR *dir = opendir(s->folder);
    cr_assert_not_null(dir);
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        const size_t size = strlen(entry->d_name);
        count += size > 8 && strcmp(entry->d_name + size - 8, ".journal") == 0;
    }
    closedir(dir);
    return count;
}

static bool held_equal(const held *a, const held *b)
{
    return a->steps == b->steps && a->trail_count == b->trail_count && a->chain == b->chain &&
           a->event_chain == b->event_chain && a->ended == b->ended && a->seed == b->seed &&
           memcmp(a->results, b->results, sizeof a->results) == 0 &&
           memcmp(a->trail, b->trail, sizeof a->trail) == 0 &&
           strcmp(a->commands, b->commands) == 0 && strcmp(a->marks, b->marks) == 0 &&
           strcmp(a->sections, b->sections) == 0 && strcmp(a->start, b->start) == 0 &&
           strcmp(a->config, b->config) == 0;
}

/* Whoever only reads sees the session that a writer then makes of it; the caller frees. */
static held *found_by_all(scene *s)
{
    deja_store_told told;
    deja_id read, written;
    cr_assert_eq(count_journals(s), 1);
    open_store(s, DEJA_STORE_READ);
    const uint64_t sessions = scene_sessions(s, &read);
    cr_assert_eq(sessions, 1);
    held *before = scene_read(s, &read);
    deja_store_told_of(s->store, &told);
    cr_assert_eq(told.journals, 1);
    cr_assert_eq(told.left, 0, "%s", told.why);
    shut_store(s);
    cr_assert_eq(count_journals(s), 1, "who reads removes nothing");
    open_store(s, DEJA_STORE_APPEND);
    deja_store_told_of(s->store, &told);
    cr_assert_eq(told.journals, 1);
    cr_assert_eq(told.left, 0, "%s", told.why);
    cr_assert_eq(count_journals(s), 0);
    const uint64_t stored = scene_sessions(s, &written);
    cr_assert_eq(stored, 1);
    cr_assert_arr_eq(read.bytes, written.bytes, 16);
    held *after = scene_read(s, &written);
    cr_assert(held_equal(before, after));
    free(after);
    return before;
}

/* ---- how many steps there were ---- */

static int64_t wanted;

static void play_wanted(scene *s, deja_recorder *recorder)
{
    for (int64_t i = 0; i < wanted; i++)
        scene_step(s, recorder, i % 3 ? LEDGER_ADD : LEDGER_ROLL, (int32_t)(i % 100));
}

/* The same, closed as a game is that lives. */
static held *recorded_whole(void)
{
    scene s;
    scene_open(&s);
    deja_recorder *recorder = scene_record(&s);
    play_wanted(&s, recorder);
    const deja_id id = scene_end(&s, recorder, NULL);
    held *h = scene_read(&s, &id);
    scene_close(&s);
    return h;
}

Test(recovery, no_step_is_lost_whatever_their_number)
{
    static const int64_t COUNTS[] = { 0,         1,         100,           BLOCK - 1,     BLOCK,
                                      BLOCK + 1, 2 * BLOCK, 2 * BLOCK + 1, HELD_STEPS - 1 };
    for (size_t i = 0; i < sizeof COUNTS / sizeof *COUNTS; i++) {
        scene s;
        wanted = COUNTS[i];
        scene_open(&s);
        live_and_die(&s, play_wanted);
        held *h = found_by_all(&s);
        held *whole = recorded_whole();
        cr_assert_eq(h->steps, (uint64_t)wanted);
        cr_assert_eq(h->ended, DEJA_ENDED_UNFINISHED);
        h->ended = whole->ended;
        cr_assert(held_equal(h, whole), "%lld steps", (long long)wanted);
        free(whole);
        free(h);
        scene_close(&s);
    }
}

/* So many that segments are used again, and the store has most of it. */
static void play_long(scene *s, deja_recorder *recorder)
{
    play_wanted(s, recorder);
    scene_step(s, recorder, LEDGER_ADD, 77);
}

Test(recovery, a_session_of_which_the_journal_has_only_the_end_goes_on_in_the_store)
{
    scene s;
    deja_id id;
    wanted = 400000;
    scene_open(&s);
    s.options.journal_size = 4 << 20;
    s.options.wait = 1;
    live_and_die(&s, play_long);
    struct stat journal;
    cr_assert_eq(count_journals(&s), 1);
    for (int mode = DEJA_STORE_READ; mode <= DEJA_STORE_APPEND; mode += 2) {
        open_store(&s, (uint32_t)mode);
        const uint64_t sessions = scene_sessions(&s, &id);
        cr_assert_eq(sessions, 1, "an open session and its end are one");
        deja_reader *reader = NULL;
        int64_t key;
        char text[33];
        for (int i = 0; i < 16; i++)
            snprintf(text + 2 * i, 3, "%02x", id.bytes[i]);
        cr_assert_eq(deja_store_find(s.store, text, &key, &s.err), DEJA_OK, "%s", s.err.message);
        cr_assert_eq(deja_reader_open(&reader, s.store, key, 0, &s.err), DEJA_OK);
        cr_assert_eq(deja_reader_session(reader)->steps, (uint64_t)wanted + 1);
        deja_steps steps;
        uint64_t seen = 0;
        do {
            cr_assert_eq(deja_reader_next(reader, &steps, &s.err), DEJA_OK, "%s", s.err.message);
            seen += steps.count;
        } while (steps.count);
        cr_assert_eq(seen, (uint64_t)wanted + 1);
        deja_reader_close(reader);
        shut_store(&s);
    }
    cr_assert_eq(count_journals(&s), 0);
    cr_assert_neq(stat(path_of(&s, "plays.deja-wal"), &journal), 0, "a store is one file");
    open_store(&s, DEJA_STORE_READ);
    scene_close(&s);
}

/* ---- how it ended ---- */

static uint32_t apply_and_die(void *state, const void *command, deja_out *out)
{
    const ledger_command *c = command;
    (void)state;
    (void)out;
    if (c->kind == LEDGER_ADD && c->n == 3)
        _exit(3);
    return 0;
}

static void play_three(scene *s, deja_recorder *recorder)
{
    for (int32_t n = 1; n <= 3; n++)
        scene_step(s, recorder, LEDGER_ADD, n);
}

Test(recovery, a_command_that_the_process_died_in_is_the_last_one)
{
    scene s;
    deja_rules_table table = ledger_table();
    table.apply = apply_and_die;
    scene_open_with(&s, table);
    live_and_die(&s, play_three);
    held *h = found_by_all(&s);
    cr_assert_eq(h->steps, 3);
    cr_assert_eq(h->ended, DEJA_ENDED_CRASHED);
    cr_assert_str_eq(h->commands, "add n=1; add n=2; add n=3; ");
    free(h);
    scene_close(&s);
}

static void play_and_begin(scene *s, deja_recorder *recorder)
{
    const ledger_command command = { LEDGER_ADD, 9, "" };
    deja_out *out;
    scene_step(s, recorder, LEDGER_ADD, 1);
    cr_assert_eq(deja_recorder_mark(recorder, "before it", &s->err), DEJA_OK);
    cr_assert_eq(deja_recorder_begin(recorder, &command, NULL, &out, &s->err), DEJA_OK);
}

Test(recovery, a_step_that_began_and_did_not_end_is_one_that_crashed)
{
    scene s;
    scene_open(&s);
    live_and_die(&s, play_and_begin);
    held *h = found_by_all(&s);
    cr_assert_eq(h->ended, DEJA_ENDED_CRASHED);
    cr_assert_str_eq(h->commands, "add n=1; add n=9; ");
    cr_assert_str_eq(h->marks, "1 before it; ");
    free(h);
    scene_close(&s);
}

static void play_and_break(scene *s, deja_recorder *recorder)
{
    const ledger_command command = { LEDGER_LIAR, 0, "" };
    scene_step(s, recorder, LEDGER_ADD, 1);
    (void)deja_recorder_step(recorder, &s->state, &command, NULL, NULL, NULL);
}

Test(recovery, a_broken_contract_is_kept_as_the_command_that_broke_it)
{
    scene s;
    scene_open(&s);
    live_and_die(&s, play_and_break);
    held *h = found_by_all(&s);
    cr_assert_eq(h->ended, DEJA_ENDED_CRASHED);
    cr_assert_str_eq(h->commands, "add n=1; liar; ");
    free(h);
    scene_close(&s);
}

/* ---- beside the steps ---- */

static void play_with_notes(scene *s, deja_recorder *recorder)
{
    scene_step(s, recorder, LEDGER_ADD, 1);
    cr_assert_eq(deja_recorder_mark(recorder, "one", &s->err), DEJA_OK);
    scene_step(s, recorder, LEDGER_ADD, 2);
    cr_assert_eq(deja_recorder_section(recorder, "gold", 0xabc, &s->err), DEJA_OK);
    cr_assert_eq(deja_recorder_mark(recorder, "two", &s->err), DEJA_OK);
    s->state.gold -= 2;
    cr_assert_eq(deja_recorder_rewind(recorder, 1, &s->err), DEJA_OK);
    scene_step(s, recorder, LEDGER_ADD, 5);
    cr_assert_eq(deja_recorder_mark(recorder, "again two", &s->err), DEJA_OK);
}

Test(recovery, marks_sections_and_rewinds_are_as_in_a_session_that_was_closed)
{
    scene s;
    scene_open(&s);
    live_and_die(&s, play_with_notes);
    held *h = found_by_all(&s);
    cr_assert_str_eq(h->commands, "add n=1; add n=5; ");
    cr_assert_str_eq(h->marks, "1 one; 1 1 step taken back here; 2 again two; ");
    cr_assert_str_eq(h->sections, "");
    free(h);
    scene_close(&s);
}

static void play_from_the_middle(scene *s, deja_recorder *recorder)
{
    scene_step(s, recorder, LEDGER_ADD, 1);
}

Test(recovery, a_session_that_began_in_the_middle_keeps_its_start)
{
    scene s;
    scene_open(&s);
    s.options.from_state = 1;
    s.state.gold = 99;
    live_and_die(&s, play_from_the_middle);
    held *h = found_by_all(&s);
    cr_assert_not_null(strstr(h->start, "gold=99"), "%s", h->start);
    free(h);
    scene_close(&s);
}

/* ---- many in one journal ---- */

static bool stop_at_the_30th(void *user, const deja_id *id, uint64_t seed, uint64_t steps,
                             bool known)
{
    (void)user;
    (void)id;
    (void)steps;
    (void)known;
    if (seed == 129)
        _exit(0);
    return true;
}

static void let_bots_play(scene *s, deja_recorder *recorder)
{
    deja_bots_options options = DEJA_BOTS_OPTIONS_INIT;
    cr_assert_eq(deja_recorder_close(recorder, NULL, NULL, &s->err), DEJA_OK);
    options.bots = "adder";
    options.games = 50;
    options.seed = 100;
    options.max_steps = 1000;
    options.finished = stop_at_the_30th;
    (void)deja_record_bots(s->store, s->plugin, &options, &s->err);
}

Test(recovery, finished_sessions_that_were_not_committed_are_there_too)
{
    scene s;
    deja_id last;
    scene_open(&s);
    live_and_die(&s, let_bots_play);
    for (int mode = DEJA_STORE_READ; mode <= DEJA_STORE_APPEND; mode += 2) {
        open_store(&s, (uint32_t)mode);
        const uint64_t sessions = scene_sessions(&s, &last);
        cr_assert_eq(sessions, 31);
        held *h = scene_read(&s, &last);
        cr_assert_eq(h->seed, 129);
        cr_assert_eq(h->ended, DEJA_ENDED_RUNNING);
        free(h);
        shut_store(&s);
    }
    open_store(&s, DEJA_STORE_READ);
    scene_close(&s);
}

/* ---- who else is there ---- */

Test(recovery, a_journal_whose_recorder_lives_is_left_to_it)
{
    scene s;
    deja_store *other = NULL;
    deja_store_told told;
    scene_open(&s);
    deja_recorder *recorder = scene_record(&s);
    scene_step(&s, recorder, LEDGER_ADD, 1);
    for (uint32_t mode = DEJA_STORE_READ; mode <= DEJA_STORE_APPEND; mode += 2) {
        const char *path = path_of(&s, "plays.deja");
        cr_assert_eq(deja_store_open(&other, path, mode, &s.err), DEJA_OK);
        deja_store_told_of(other, &told);
        cr_assert_eq(told.journals + told.left, 0);
        cr_assert_eq(deja_store_close(other, &s.err), DEJA_OK);
    }
    cr_assert_eq(count_journals(&s), 1);
    scene_step(&s, recorder, LEDGER_ADD, 2);
    const deja_id id = scene_end(&s, recorder, NULL);
    held *h = scene_read(&s, &id);
    cr_assert_eq(h->steps, 2);
    free(h);
    cr_assert_eq(count_journals(&s), 0);
    scene_close(&s);
}

static pid_t *survivors; /* shared memory */

static void play_beside_a_child(scene *s, deja_recorder *recorder)
{
    const pid_t child = fork();
    if (child == 0) {
        for (;;)
            pause(); /* it lives on, and must not hold the journal */
    }
    scene_step(s, recorder, LEDGER_ADD, 1);
    survivors[0] = child;
}

Test(recovery, a_child_that_outlives_the_recorder_does_not_hold_its_journal)
{
    scene s;
    survivors =
        mmap(NULL, sizeof *survivors, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    scene_open(&s);
    live_and_die(&s, play_beside_a_child);
    cr_assert_gt(*survivors, 0);
    open_store(&s, DEJA_STORE_APPEND);
    const uint64_t sessions = scene_sessions(&s, NULL);
    kill(*survivors, SIGKILL);
    cr_assert_eq(sessions, 1);
    cr_assert_eq(count_journals(&s), 0);
    munmap(survivors, sizeof *survivors);
    scene_close(&s);
}

static void play_one(scene *s, deja_recorder *recorder)
{
    scene_step(s, recorder, LEDGER_ADD, 1);
}

Test(recovery, what_is_folded_twice_is_known_the_second_time)
{
    scene s;
    deja_store_told told;
    char command[512];
    scene_open(&s);
    live_and_die(&s, play_one);
    snprintf(command, sizeof command,
             "cd %s && for j in *.journal; do cp $j kept; done && mkdir x && mv kept x", s.folder);
    cr_assert_eq(system(command), 0);
    held *h = found_by_all(&s);
    shut_store(&s);
    snprintf(command, sizeof command, "cd %s && mv x/kept plays.deja-0123456789abcdef.journal",
             s.folder);
    cr_assert_eq(system(command), 0);
    open_store(&s, DEJA_STORE_APPEND);
    deja_store_told_of(s.store, &told);
    cr_assert_eq(told.journals, 1, "%s", told.why);
    const uint64_t sessions = scene_sessions(&s, NULL);
    cr_assert_eq(sessions, 1);
    free(h);
    scene_close(&s);
}

Test(recovery, what_is_no_journal_is_told_and_stays)
{
    scene s;
    deja_store_told told;
    scene_open(&s);
    shut_store(&s);
    FILE *file = fopen(path_of(&s, "plays.deja-0123456789abcdef.journal"), "w");
    cr_assert_not_null(file);
    fputs("something else", file);
    fclose(file);
    for (int mode = DEJA_STORE_READ; mode <= DEJA_STORE_APPEND; mode += 2) {
        open_store(&s, (uint32_t)mode);
        deja_store_told_of(s.store, &told);
        cr_assert_eq(told.left, 1);
        cr_assert_str_eq(told.why, "plays.deja-0123456789abcdef.journal: not a journal");
        shut_store(&s);
    }
    cr_assert_eq(count_journals(&s), 1);
    open_store(&s, DEJA_STORE_READ);
    scene_close(&s);
}
