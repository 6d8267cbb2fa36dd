/* SPDX-License-Identifier: MIT */
/*
 * Writing a journal: what is refused, and what survives a process that dies, forks, or has no disk.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "journals.h"
#include "support/demand.h"

/* ---- misuse ---- */

Test(write, an_option_out_of_range_makes_no_file)
{
    scene s;
    scene_open(&s);
    const deja_journal_options sound = s.options;
    deja_journal *journal = (deja_journal *)&s;
    static const char *const ids[] = { NULL, "", "a b", "1up", "game.", "..", "caf\xc3\xa9" };
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        s.options = sound;
        s.options.game = ids[i];
        cr_assert_eq(deja_journal_open(&journal, s.path, &s.options), DEJA_JOURNAL_EMISUSE);
        cr_assert_null(journal);
    }
    static const uint32_t sizes[] = { 0, 4096, 65535, 100000, 1u << 29 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        s.options = sound;
        s.options.segment_size = sizes[i];
        cr_assert_eq(deja_journal_open(&journal, s.path, &s.options), DEJA_JOURNAL_EMISUSE);
    }
    static const uint32_t widths[] = { 0, 1, 24, 128 };
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        s.options = sound;
        s.options.trail_bits = widths[i];
        cr_assert_eq(deja_journal_open(&journal, s.path, &s.options), DEJA_JOURNAL_EMISUSE);
    }
    static const char *const refusals[] = { "a  b", " a", "a ", "1", "a,b" };
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        s.options = sound;
        s.options.refusals = refusals[i];
        cr_assert_eq(deja_journal_open(&journal, s.path, &s.options), DEJA_JOURNAL_EMISUSE);
    }
    s.options = sound;
    s.options.trail_every = 0;
    cr_assert_eq(deja_journal_open(&journal, s.path, &s.options), DEJA_JOURNAL_EMISUSE);
    s.options = sound;
    s.options.version = "\xff";
    cr_assert_eq(deja_journal_open(&journal, s.path, &s.options), DEJA_JOURNAL_EMISUSE);
    s.options = sound;
    s.options.headers = "deja-replay: 1";
    cr_assert_eq(deja_journal_open(&journal, s.path, &s.options), DEJA_JOURNAL_EMISUSE);
    s.options = sound;
    s.options.struct_size = 4;
    cr_assert_eq(deja_journal_open(&journal, s.path, &s.options), DEJA_JOURNAL_EMISUSE);
    s.options.struct_size = sizeof s.options + 8;
    cr_assert_eq(deja_journal_open(&journal, s.path, &s.options), DEJA_JOURNAL_EMISUSE);
    cr_assert_eq(deja_journal_open(NULL, s.path, &sound), DEJA_JOURNAL_EMISUSE);
    cr_assert_eq(deja_journal_open(&journal, NULL, &sound), DEJA_JOURNAL_EMISUSE);
    cr_assert_eq(deja_journal_open(&journal, s.path, NULL), DEJA_JOURNAL_EMISUSE);
    cr_assert_neq(access(s.path, F_OK), 0);
    scene_close(&s);
}

/* A name more than import takes, or one twice. */
static void fill_names(char *names, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        names += sprintf(names, "%sr%u", i ? " " : "", i); /* lint: of a size that is known */
}

Test(write, what_import_would_refuse_as_a_whole_is_refused_before_a_step_is_logged)
{
    enum { MOST = 65536, NAMES = 4096 };
    scene s;
    scene_open(&s);
    const deja_journal_options sound = s.options;
    char *large = malloc(MOST + 2);
    char *names = malloc((NAMES + 1) * 8);
    memset(large, 'x', MOST + 1);
    large[MOST + 1] = 0;
    fill_names(names, NAMES + 1);
    const char *const refused[][4] = { { large, NULL, NULL, NULL },
                                       { NULL, large, NULL, NULL },
                                       { NULL, NULL, names, NULL },
                                       { NULL, NULL, "a b a", NULL },
                                       { NULL, NULL, NULL, "junk\n" },
                                       { NULL, NULL, NULL, "" },
                                       { NULL, NULL, NULL, "deja-replay: 1\ngame: g\n" } };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        s.options = sound;
        s.options.version = refused[i][0];
        s.options.made = refused[i][1];
        s.options.refusals = refused[i][2];
        s.options.headers = refused[i][3];
        cr_assert_eq(deja_journal_open(&s.journal, s.path, &s.options), DEJA_JOURNAL_EMISUSE, "%zu",
                     i);
    }
    /* Just as much as import takes. */
    deja_journal_told told;
    s.options = sound;
    large[MOST] = 0;
    fill_names(names, NAMES);
    s.options.version = s.options.made = large;
    s.options.refusals = names;
    scene_start(&s);
    count_steps(s.journal, 1, 3);
    cr_assert_eq(deja_journal_close(s.journal, NULL), DEJA_JOURNAL_OK);
    deja_buffer bytes = scene_bytes(&s);
    free(imported(&bytes, &told));
    cr_assert_eq(told.steps, 3u);
    deja_buffer_release(&bytes);
    free(names);
    free(large);
    scene_close(&s);
}

Test(write, a_file_that_is_there_is_never_written_over)
{
    scene s;
    scene_open(&s);
    scene_start(&s);
    deja_journal *second = NULL;
    errno = 0;
    cr_assert_eq(deja_journal_open(&second, s.path, &s.options), DEJA_JOURNAL_EIO);
    cr_assert_eq(errno, EEXIST);
    cr_assert_null(second);
    count_steps(s.journal, 1, 3);
    cr_assert_eq(deja_journal_close(s.journal, NULL), DEJA_JOURNAL_OK);
    scene_close(&s);
}

Test(write, a_folder_that_is_not_there_is_the_systems_no)
{
    scene s;
    scene_open(&s);
    strcat(s.path, "/x/y"); /* lint: a path of a test, with room */
    cr_assert_eq(deja_journal_open(&s.journal, s.path, &s.options), DEJA_JOURNAL_EIO);
    scene_close(&s);
}

Test(write, calls_in_the_wrong_order_do_nothing)
{
    scene s;
    deja_journal_told told;
    scene_open(&s);
    scene_start(&s);
    cr_assert_eq(deja_journal_end(s.journal, 0, 1), DEJA_JOURNAL_EMISUSE);
    cr_assert_eq(deja_journal_begin(s.journal, NULL, 3), DEJA_JOURNAL_EMISUSE);
    cr_assert_eq(deja_journal_begin(s.journal, "a", 1), DEJA_JOURNAL_OK);
    cr_assert_eq(deja_journal_begin(s.journal, "b", 1), DEJA_JOURNAL_EMISUSE);
    cr_assert_eq(deja_journal_mark(s.journal, "within"), DEJA_JOURNAL_EMISUSE);
    cr_assert_eq(deja_journal_rewind(s.journal, 0), DEJA_JOURNAL_EMISUSE);
    cr_assert_eq(deja_journal_end(s.journal, 3, 1), DEJA_JOURNAL_EMISUSE); /* of two refusals */
    cr_assert_eq(deja_journal_end(s.journal, 2, 1), DEJA_JOURNAL_OK);
    cr_assert_eq(deja_journal_rewind(s.journal, 2), DEJA_JOURNAL_EMISUSE);
    cr_assert_eq(deja_journal_mark(s.journal, "two\nlines"), DEJA_JOURNAL_EMISUSE);
    cr_assert_eq(deja_journal_mark(s.journal, "\xc3"), DEJA_JOURNAL_EMISUSE);
    cr_assert_eq(deja_journal_mark(s.journal, ""), DEJA_JOURNAL_EMISUSE);
    cr_assert_eq(deja_journal_section(s.journal, "two words", 1), DEJA_JOURNAL_EMISUSE);
    cr_assert_eq(deja_journal_mark(s.journal, "see: n=1"), DEJA_JOURNAL_EMISUSE);
    cr_assert_eq(deja_journal_close(s.journal, "not a name"), DEJA_JOURNAL_EMISUSE);
    cr_assert_eq(deja_journal_close(s.journal, "running"), DEJA_JOURNAL_EMISUSE);
    cr_assert_eq(deja_journal_close(s.journal, "unfinished"), DEJA_JOURNAL_EMISUSE);
    cr_assert_eq(deja_journal_close(s.journal, "crashed"), DEJA_JOURNAL_EMISUSE);
    char large[1002];
    memset(large, 'x', sizeof large);
    large[1001] = 0;
    cr_assert_eq(deja_journal_mark(s.journal, large), DEJA_JOURNAL_ELIMIT);
    cr_assert_eq(deja_journal_begin(s.journal, large, ((size_t)16 << 20) + 1), DEJA_JOURNAL_ELIMIT);
    cr_assert_eq(deja_journal_close(s.journal, NULL), DEJA_JOURNAL_OK);
    deja_buffer bytes = scene_bytes(&s);
    free(imported(&bytes, &told));
    cr_assert_eq(told.steps, 1u);
    cr_assert_eq(told.left_out, 0u);
    deja_buffer_release(&bytes);
    scene_close(&s);
}

Test(write, no_journal_is_fine_everywhere)
{
    cr_assert_eq(deja_journal_begin(NULL, "a", 1), DEJA_JOURNAL_EMISUSE);
    cr_assert_eq(deja_journal_end(NULL, 0, 0), DEJA_JOURNAL_EMISUSE);
    cr_assert_eq(deja_journal_end_events(NULL, 0, 0, 0), DEJA_JOURNAL_EMISUSE);
    cr_assert_eq(deja_journal_mark(NULL, "m"), DEJA_JOURNAL_EMISUSE);
    cr_assert_eq(deja_journal_section(NULL, "s", 1), DEJA_JOURNAL_EMISUSE);
    cr_assert_eq(deja_journal_rewind(NULL, 0), DEJA_JOURNAL_EMISUSE);
    cr_assert_eq(deja_journal_steps(NULL), 0u);
    cr_assert_eq(deja_journal_sync(NULL), DEJA_JOURNAL_EMISUSE);
    cr_assert_eq(deja_journal_close(NULL, NULL), DEJA_JOURNAL_EMISUSE);
}

/* ---- processes ---- */

static int wait_for(pid_t child)
{
    int status = -1;
    cr_assert_eq(waitpid(child, &status, 0), child);
    return status;
}

/* Plays until it is killed, and tells a witness of each step that returned. */
static void play_for_ever(const scene *s, int witness)
{
    deja_journal *journal = NULL;
    demand(deja_journal_open(&journal, s->path, &s->options) == DEJA_JOURNAL_OK, "open");
    for (uint64_t i = 1;; i++) {
        const uint32_t command = counter_command(i);
        demand(deja_journal_begin(journal, &command, sizeof command) == DEJA_JOURNAL_OK, "begin");
        demand(deja_journal_end(journal, counter_result(i), counter_hash(i)) == DEJA_JOURNAL_OK,
               "end");
        demand(write(witness, &i, sizeof i) == (ssize_t)sizeof i, "witness");
    }
}

/* The last step that the witness heard of. */
static uint64_t hear_out(int ear)
{
    uint64_t last = 0, step;
    while (read(ear, &step, sizeof step) == (ssize_t)sizeof step)
        last = step;
    return last;
}

Test(write, a_killed_process_loses_no_step_that_returned, .timeout = 120)
{
    enum { KILLS = 60 };
    for (unsigned n = 0; n < KILLS; n++) {
        scene s;
        int ends[2];
        deja_journal_told told;
        scene_open(&s);
        cr_assert_eq(pipe(ends), 0);
        const pid_t child = fork();
        if (child == 0) {
            demand_in_child();
            close(ends[0]);
            play_for_ever(&s, ends[1]);
        }
        close(ends[1]);
        uint64_t first;
        cr_assert_eq(read(ends[0], &first, sizeof first), (ssize_t)sizeof first);
        usleep(n * 37 % 4000);
        kill(child, SIGKILL);
        const uint64_t heard = hear_out(ends[0]);
        close(ends[0]);
        cr_assert(WIFSIGNALED(wait_for(child)));
        deja_buffer bytes = scene_bytes(&s);
        cr_assert_eq(deja_journal_import(NULL, "j", bytes.bytes, bytes.size, &told, NULL), DEJA_OK);
        cr_assert_str_eq(told.why, "");
        const uint64_t done = told.steps - (told.ended == DEJA_ENDED_CRASHED);
        cr_assert(done == heard || done == heard + 1 || (heard == 0 && done == first),
                  "heard of %llu, found %llu", (unsigned long long)heard,
                  (unsigned long long)told.steps);
        deja_buffer_release(&bytes);
        scene_close(&s);
    }
}

Test(write, abort_within_a_step_leaves_its_command)
{
    scene s;
    deja_journal_told told;
    scene_open(&s);
    const pid_t child = fork();
    if (child == 0) {
        deja_journal *journal = NULL;
        const struct rlimit none = { 0, 0 };
        setrlimit(RLIMIT_CORE, &none);
        signal(SIGABRT, SIG_DFL);
        if (deja_journal_open(&journal, s.path, &s.options) == DEJA_JOURNAL_OK) {
            deja_journal_begin(journal, "x", 1);
            deja_journal_end(journal, 0, 1);
            deja_journal_begin(journal, "y", 1);
        }
        abort();
    }
    cr_assert(WIFSIGNALED(wait_for(child)));
    deja_buffer bytes = scene_bytes(&s);
    free(imported(&bytes, &told));
    cr_assert_eq(told.steps, 2u);
    cr_assert_eq(told.ended, DEJA_ENDED_CRASHED);
    deja_buffer_release(&bytes);
    scene_close(&s);
}

Test(write, a_forked_child_writes_nothing_and_its_parent_goes_on)
{
    scene s;
    deja_journal_told told;
    scene_open(&s);
    scene_start(&s);
    count_steps(s.journal, 1, 2);
    const pid_t child = fork();
    if (child == 0) {
        demand_in_child();
        demand(deja_journal_begin(s.journal, "z", 1) == DEJA_JOURNAL_EMISUSE, "begin");
        demand(deja_journal_mark(s.journal, "z") == DEJA_JOURNAL_EMISUSE, "mark");
        demand(deja_journal_rewind(s.journal, 0) == DEJA_JOURNAL_EMISUSE, "rewind");
        demand(deja_journal_sync(s.journal) == DEJA_JOURNAL_EMISUSE, "sync");
        demand(deja_journal_close(s.journal, "z") == DEJA_JOURNAL_EMISUSE, "close");
        _exit(0);
    }
    cr_assert_eq(wait_for(child), 0);
    count_steps(s.journal, 3, 4);
    cr_assert_eq(deja_journal_close(s.journal, "won"), DEJA_JOURNAL_OK);
    deja_buffer bytes = scene_bytes(&s);
    char *text = imported(&bytes, &told);
    cr_assert_eq(told.steps, 4u);
    cr_assert(strstr(text, "end: won steps=4\n"));
    free(text);
    deja_buffer_release(&bytes);
    scene_close(&s);
}

#if !defined(__SANITIZE_ADDRESS__) && defined(SECCOMP_MODE_STRICT)
Test(write, a_step_makes_no_system_call)
{
    scene s;
    scene_open(&s);
    s.options.segment_size = 1u << 20;
    const pid_t child = fork();
    if (child == 0) {
        deja_journal *journal = NULL;
        bool sound = deja_journal_open(&journal, s.path, &s.options) == DEJA_JOURNAL_OK;
        /* From here on any call but read, write and exit kills. */
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
            _exit(2);
        for (uint64_t i = 1; i <= 10000; i++) {
            const uint32_t command = counter_command(i);
            sound &= deja_journal_begin(journal, &command, sizeof command) == DEJA_JOURNAL_OK;
            sound &= deja_journal_end(journal, 0, i) == DEJA_JOURNAL_OK;
        }
        sound &= deja_journal_mark(journal, "m") == DEJA_JOURNAL_OK;
        sound &= deja_journal_section(journal, "s", 1) == DEJA_JOURNAL_OK;
        sound &= deja_journal_rewind(journal, 9000) == DEJA_JOURNAL_OK;
        syscall(SYS_exit, sound ? 0 : 1);
    }
    const int status = wait_for(child);
    if (status != 2 << 8) /* a system without seccomp */
        cr_assert_eq(status, 0);
    scene_close(&s);
}
#endif

/* ---- no room ---- */

Test(write, a_full_disk_ends_the_journal_once_and_what_was_logged_is_good)
{
    scene s;
    deja_journal_told told;
    scene_open(&s);
    const pid_t child = fork();
    if (child == 0) {
        demand_in_child();
        /* Room for the header and two segments. */
        const struct rlimit room = { 4096 + 2 * 65536, 4096 + 2 * 65536 };
        signal(SIGXFSZ, SIG_IGN);
        demand(setrlimit(RLIMIT_FSIZE, &room) == 0, "limit");
        deja_journal *journal = NULL;
        demand(deja_journal_open(&journal, s.path, &s.options) == DEJA_JOURNAL_OK, "open");
        uint64_t i = 0;
        int code = DEJA_JOURNAL_OK;
        while (code == DEJA_JOURNAL_OK && i < 100000) {
            const uint32_t command = counter_command(++i);
            code = deja_journal_begin(journal, &command, sizeof command);
            if (code == DEJA_JOURNAL_OK)
                code = deja_journal_end(journal, counter_result(i), counter_hash(i));
        }
        demand(code == DEJA_JOURNAL_EIO, "%d at step %d", code, (int)i);
        demand(deja_journal_begin(journal, "a", 1) == DEJA_JOURNAL_EIO, "stays failed");
        demand(deja_journal_steps(journal) == i - 1, "steps");
        demand(deja_journal_close(journal, "won") == DEJA_JOURNAL_EIO, "close says so");
        _exit(0);
    }
    cr_assert_eq(wait_for(child), 0);
    deja_buffer bytes = scene_bytes(&s);
    free(imported(&bytes, &told));
    cr_assert_eq(told.steps, 2u * ((65536 - 64) / 40));
    cr_assert_eq(told.ended, DEJA_ENDED_UNFINISHED);
    cr_assert_str_eq(told.why, "");
    deja_buffer_release(&bytes);
    scene_close(&s);
}

Test(write, where_there_is_no_room_at_all_no_file_stays)
{
    scene s;
    scene_open(&s);
    const pid_t child = fork();
    if (child == 0) {
        demand_in_child();
        const struct rlimit room = { 4096, 4096 };
        signal(SIGXFSZ, SIG_IGN);
        demand(setrlimit(RLIMIT_FSIZE, &room) == 0, "limit");
        deja_journal *journal = NULL;
        demand(deja_journal_open(&journal, s.path, &s.options) == DEJA_JOURNAL_EIO, "open");
        demand(journal == NULL, "journal");
        _exit(0);
    }
    cr_assert_eq(wait_for(child), 0);
    cr_assert_neq(access(s.path, F_OK), 0);
    scene_close(&s);
}

Test(write, what_was_synced_is_in_the_file)
{
    scene s;
    scene_open(&s);
    scene_start(&s);
    count_steps(s.journal, 1, 3000);
    cr_assert_eq(deja_journal_sync(s.journal), DEJA_JOURNAL_OK);
    deja_buffer bytes = scene_bytes(&s);
    deja_journal_told told;
    cr_assert_eq(deja_journal_import(NULL, "j", bytes.bytes, bytes.size, &told, NULL), DEJA_OK);
    cr_assert_eq(told.steps, 3000u);
    deja_buffer_release(&bytes);
    cr_assert_eq(deja_journal_close(s.journal, NULL), DEJA_JOURNAL_OK);
    scene_close(&s);
}
