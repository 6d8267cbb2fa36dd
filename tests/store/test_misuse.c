/* SPDX-License-Identifier: MIT */
/*
 * What a caller must not do: told in one line, and nothing of it is stored.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "store/recipe.h"
#include "support/scratch.h"

static char folder[64];
static const char *path;
static deja_store *store;

static void open_folder(void)
{
    scratch_open(folder);
    path = in_folder(folder, "misuse.deja");
    store = open_store(path, DEJA_STORE_WRITE);
}

static void close_folder(void)
{
    close_store(store);
    scratch_close(folder);
}

TestSuite(misuse, .init = open_folder, .fini = close_folder, .timeout = 60);

static deja_session session_of_two(void)
{
    return (deja_session){ .game = "g",
                           .command_layout = "kind(a{n:u8 flag:bool}|b)",
                           .config_layout = "rows:u8[..4]",
                           .config = { "\1\0\0\0\7", 5 } };
}

static deja_recording recording_of_two(void)
{
    return (deja_recording){ .trail_bits = 32, .trail_every = 1, .refusals = "no never" };
}

static void assert_open_refused(const deja_session *session, const deja_recording *recording,
                                deja_code expected, const char *words)
{
    deja_writer *writer = (deja_writer *)1;
    deja_error err = { 0 };
    const deja_code code = deja_writer_open(&writer, store, session, recording, 0, 0, &err);
    cr_assert_eq(code, expected, "%s: %s", words, err.message);
    cr_assert_null(writer);
    cr_assert_not_null(strstr(err.message, words), "'%s' is not in '%s'", words, err.message);
    cr_assert_null(strchr(err.message, '\n'));
}

Test(misuse, a_session_must_be_sound_to_be_written)
{
    deja_recording good = recording_of_two();
    deja_session s = session_of_two();
    static const char *const GAMES[] = { "", "two words", "-x", "a/b", NULL };
    for (int i = 0; i < 5; i++) {
        s.game = GAMES[i];
        assert_open_refused(&s, &good, DEJA_EMISUSE, "game");
    }
    s = session_of_two();
    s.command_layout = "kind(a{n:u8}";
    assert_open_refused(&s, &good, DEJA_EFORMAT, "the session's command layout");
    s = session_of_two();
    s.config_layout = "rows:u9";
    assert_open_refused(&s, &good, DEJA_EFORMAT, "the session's config layout");
    s = session_of_two();
    s.config.size = 4;
    assert_open_refused(&s, &good, DEJA_EFORMAT, "the config");
    s = session_of_two();
    static const char *const CONTENTS[] = {
        "maps",
        "maps=12",
        "b=00112233445566778899aabbccddeeff a=00112233445566778899aabbccddeeff",
        "maps=00112233445566778899aabbccddeefg",
        "maps=00112233445566778899aabbccddeeff ",
        "a=00112233445566778899aabbccddeeff a=00112233445566778899aabbccddeeff"
    };
    for (int i = 0; i < 6; i++) {
        s.content = CONTENTS[i];
        assert_open_refused(&s, &good, DEJA_EMISUSE, "content");
    }
}

Test(misuse, a_start_state_must_be_one)
{
    deja_recording good = recording_of_two();
    deja_session s = session_of_two();
    s.start = (deja_span){ "\1", 1 };
    assert_open_refused(&s, &good, DEJA_EMISUSE, "the start state has no layout");
    s.start_layout = "n:u16";
    assert_open_refused(&s, &good, DEJA_EFORMAT, "the start state");
    s.start_layout = "nonsense";
    assert_open_refused(&s, &good, DEJA_EFORMAT, "the start state");
    s.start_layout = "two\nlines";
    assert_open_refused(&s, &good, DEJA_EMISUSE, "the start state's layout");
}

Test(misuse, a_recording_must_be_sound_to_be_written)
{
    deja_session good = session_of_two();
    deja_recording r = recording_of_two();
    r.trail_bits = 12;
    assert_open_refused(&good, &r, DEJA_EMISUSE, "8, 16, 32 or 64 bits");
    r = recording_of_two();
    r.trail_every = 0;
    assert_open_refused(&good, &r, DEJA_EMISUSE, "Kth");
    r = recording_of_two();
    r.refusals = "one  two";
    assert_open_refused(&good, &r, DEJA_EMISUSE, "refusals");
    r = recording_of_two();
    r.outcomes = "won,lost";
    assert_open_refused(&good, &r, DEJA_EMISUSE, "outcomes");
    r = recording_of_two();
    r.platform = "two\nlines";
    assert_open_refused(&good, &r, DEJA_EMISUSE, "platform");
    r = recording_of_two();
    r.made = "\xff";
    assert_open_refused(&good, &r, DEJA_EMISUSE, "made");
    r = recording_of_two();
    char *many = malloc(70001);
    memset(many, 'x', 70000);
    many[70000] = '\0';
    r.state_layout = many;
    assert_open_refused(&good, &r, DEJA_EMISUSE, "state layout");
    free(many);
}

Test(misuse, missing_parts_are_told)
{
    const deja_session s = session_of_two();
    const deja_recording r = recording_of_two();
    deja_writer *writer = NULL;
    deja_reader *reader = NULL;
    deja_steps steps;
    deja_error err = { 0 };
    int64_t key;
    cr_assert_eq(deja_writer_open(NULL, store, &s, &r, 0, 0, &err), DEJA_EMISUSE);
    cr_assert_eq(deja_writer_open(&writer, NULL, &s, &r, 0, 0, &err), DEJA_EMISUSE);
    cr_assert_eq(deja_writer_open(&writer, store, NULL, &r, 0, 0, &err), DEJA_EMISUSE);
    cr_assert_eq(deja_writer_open(&writer, store, &s, NULL, 0, 0, &err), DEJA_EMISUSE);
    cr_assert_eq(deja_writer_add(NULL, &steps, &err), DEJA_EMISUSE);
    cr_assert_eq(deja_writer_mark(NULL, 0, "x", &err), DEJA_EMISUSE);
    cr_assert_eq(deja_writer_section(NULL, 0, "x", 0, &err), DEJA_EMISUSE);
    cr_assert_eq(deja_writer_close(NULL, 0, NULL, NULL, NULL, &err), DEJA_EMISUSE);
    deja_writer_abandon(NULL);
    cr_assert_eq(deja_store_list(NULL, NULL, NULL, &err), DEJA_EMISUSE);
    cr_assert_eq(deja_store_list(store, NULL, NULL, &err), DEJA_EMISUSE);
    cr_assert_eq(deja_store_find(store, NULL, &key, &err), DEJA_EMISUSE);
    cr_assert_eq(deja_reader_open(NULL, store, 1, 0, &err), DEJA_EMISUSE);
    cr_assert_eq(deja_reader_open(&reader, NULL, 1, 0, &err), DEJA_EMISUSE);
    cr_assert_eq(deja_reader_next(NULL, &steps, &err), DEJA_EMISUSE);
    cr_assert_eq(deja_reader_marks(NULL, NULL, NULL, &err), DEJA_EMISUSE);
    cr_assert_eq(deja_reader_sections(NULL, NULL, NULL, &err), DEJA_EMISUSE);
    cr_assert_null(deja_reader_session(NULL));
    cr_assert_null(deja_reader_recording(NULL));
    cr_assert_eq(deja_reader_recording_count(NULL), 0);
    cr_assert_eq(deja_reader_start_hash(NULL), 0);
    deja_reader_rewind(NULL);
    deja_reader_close(NULL);
}

Test(misuse, a_store_for_reading_is_not_written_to)
{
    const recipe r = recipe_of(1);
    deja_writer *writer = NULL;
    deja_error err = { 0 };
    deja_store *reading = open_store(path, DEJA_STORE_READ);
    cr_assert_eq(recipe_open(&writer, reading, &r, &err), DEJA_EMISUSE);
    cr_assert_not_null(strstr(err.message, "for reading only"), "%s", err.message);
    cr_assert_eq(deja_store_flush(reading, &err), DEJA_EMISUSE);
    close_store(reading);
}

/* ---- steps ---- */

static deja_writer *writer_of_two(void)
{
    const deja_session s = session_of_two();
    const deja_recording r = recording_of_two();
    deja_writer *writer = NULL;
    deja_error err = { 0 };
    cr_assert_eq(deja_writer_open(&writer, store, &s, &r, 0, 0, &err), DEJA_OK, "%s", err.message);
    return writer;
}

static const unsigned char COMMANDS[] = { 0, 0, 9, 1, 1, 0 };
static const uint32_t ENDS[] = { 4, 6 };
static const uint32_t RESULTS[] = { 0, 2 };
static const uint64_t TRAIL[] = { 1, 2, 3 };

static deja_steps two_steps(void)
{
    return (deja_steps){ 1, 2, COMMANDS, ENDS, RESULTS, TRAIL, 2, 0, 0 };
}

static void assert_steps_refused(deja_writer *writer, const deja_steps *steps, deja_code expected,
                                 const char *words)
{
    deja_error err = { 0 };
    const deja_code code = deja_writer_add(writer, steps, &err);
    cr_assert_eq(code, expected, "%s: %s %s", words, deja_code_name(code), err.message);
    cr_assert_not_null(strstr(err.message, words), "'%s' is not in '%s'", words, err.message);
}

Test(misuse, steps_that_do_not_fit_are_refused_and_the_writer_goes_on)
{
    deja_writer *writer = writer_of_two();
    deja_steps s = two_steps();
    s.first = 2;
    assert_steps_refused(writer, &s, DEJA_EMISUSE, "step 1 comes next, not 2");
    s = two_steps();
    s.count = 16385;
    assert_steps_refused(writer, &s, DEJA_EMISUSE, "16385 steps at once");
    s = two_steps();
    s.trail_count = 3;
    assert_steps_refused(writer, &s, DEJA_EMISUSE, "2 hashes are due");
    s = two_steps();
    s.trail_count = 0;
    assert_steps_refused(writer, &s, DEJA_EMISUSE, "2 hashes are due");
    const uint32_t results[] = { 3, 0 };
    s = two_steps();
    s.results = results;
    assert_steps_refused(writer, &s, DEJA_EMISUSE, "step 1: its result is 3, and there are 2");
    const uint32_t ends[] = { 4, 3 };
    s = two_steps();
    s.command_ends = ends;
    assert_steps_refused(writer, &s, DEJA_EMISUSE, "step 2: its command does not end");
    static const unsigned char bad[][6] = { { 0, 0, 9, 2, 1, 0 }, /* a flag of 2 */
                                            { 0, 0, 9, 1, 2, 0 }, /* no such command */
                                            { 0, 0, 9, 1, 1, 1 } };
    for (int i = 0; i < 3; i++) {
        s = two_steps();
        s.commands = bad[i];
        assert_steps_refused(writer, &s, DEJA_EFORMAT, "the commands of steps 1 to 2");
    }
    const uint32_t split[] = { 3, 6 };
    s = two_steps();
    s.command_ends = split;
    assert_steps_refused(writer, &s, DEJA_EFORMAT, "the commands of steps 1 to 2");
    s = two_steps();
    deja_error err = { 0 };
    cr_assert_eq(deja_writer_add(writer, &s, &err), DEJA_OK, "%s", err.message);
    s.count = 0;
    s.first = 3;
    s.trail_count = 0;
    assert_steps_refused(writer, &s, DEJA_EMISUSE, "only the last steps may be fewer");
    cr_assert_eq(deja_writer_close(writer, DEJA_ENDED_RUNNING, NULL, NULL, NULL, &err), DEJA_OK);
}

Test(misuse, an_end_that_does_not_fit_is_refused)
{
    static const struct {
        uint32_t ended;
        char outcome[16];
        uint32_t trail;
        const char *words;
    } ENDINGS[] = {
        { 4, "", 2, "does not end as 4" },
        { DEJA_ENDED_OUTCOME, "", 2, "an outcome is named" },
        { DEJA_ENDED_RUNNING, "won", 2, "an outcome is named" },
        { DEJA_ENDED_OUTCOME, "two words", 2, "as games name theirs" },
        { DEJA_ENDED_OUTCOME, "crashed", 2, "as games name theirs" },
        { DEJA_ENDED_RUNNING, "", 1, "the last step has no hash" },
        { DEJA_ENDED_CRASHED, "", 2, "the command that crashed has a hash" },
        { DEJA_ENDED_CRASHED, "", 1, "in a command without a result" },
    };
    for (size_t i = 0; i < sizeof ENDINGS / sizeof *ENDINGS; i++) {
        deja_writer *writer = writer_of_two();
        deja_steps s = two_steps();
        deja_error err = { 0 };
        s.trail_count = ENDINGS[i].trail;
        cr_assert_eq(deja_writer_add(writer, &s, &err), DEJA_OK, "%s", err.message);
        cr_assert_eq(
            deja_writer_close(writer, ENDINGS[i].ended, ENDINGS[i].outcome, NULL, NULL, &err),
            DEJA_EMISUSE, "%zu", i);
        cr_assert_not_null(strstr(err.message, ENDINGS[i].words), "%s", err.message);
    }
    deja_writer *writer = writer_of_two();
    cr_assert_eq(deja_writer_close(writer, DEJA_ENDED_CRASHED, NULL, NULL, NULL, NULL),
                 DEJA_EMISUSE, "no command crashed");
    cr_assert_eq(deja_store_flush(store, NULL), DEJA_OK);
    cr_assert(eq(u32, count_sessions(path), 0));
}

Test(misuse, notes_that_are_none_are_refused)
{
    deja_writer *writer = writer_of_two();
    deja_error err = { 0 };
    cr_assert_eq(deja_writer_mark(writer, 0, "\xff", &err), DEJA_EMISUSE);
    char *many = malloc(70001);
    memset(many, 'x', 70000);
    many[70000] = '\0';
    cr_assert_eq(deja_writer_mark(writer, 0, many, &err), DEJA_EMISUSE);
    cr_assert_eq(deja_writer_mark(writer, 0, NULL, &err), DEJA_EMISUSE);
    cr_assert_eq(deja_writer_section(writer, 0, many, 1, &err), DEJA_EMISUSE);
    cr_assert_eq(deja_writer_section(writer, 0, "two words", 1, &err), DEJA_EMISUSE);
    cr_assert_eq(deja_writer_section(writer, 0, NULL, 1, &err), DEJA_EMISUSE);
    free(many);
    deja_writer_abandon(writer);
}
