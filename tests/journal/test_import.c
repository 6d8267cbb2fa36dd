/* SPDX-License-Identifier: MIT */
/*
 * What import makes of journals that their writers left, one way or another.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "journals.h"
#include "support/scratch.h"

static bool has_line(const char *text, const char *line)
{
    const size_t size = strlen(line);
    for (const char *at = text; (at = strstr(at, line)) != NULL; at++)
        if ((at == text || at[-1] == '\n') && (at[size] == '\n' || at[size] == 0))
            return true;
    return false;
}

/* Closes the scene's journal, or leaves it as a killed process would, and imports it. */
static char *end_and_import(scene *s, const char *outcome, bool closes, deja_journal_told *told)
{
    if (closes)
        cr_assert_eq(deja_journal_close(s->journal, outcome), DEJA_JOURNAL_OK);
    deja_buffer bytes = scene_bytes(s);
    char *text = imported(&bytes, told);
    deja_buffer_release(&bytes);
    if (!closes)
        deja_journal_close(s->journal, NULL);
    scene_close(s);
    return text;
}

static bool add_chars(void *user, const char *chars, uint64_t size)
{
    return deja_buffer_add(user, chars, size);
}

/* The text of what a recorder stores of the same steps. */
static char *recorded(uint64_t steps)
{
    char folder[64], path[128];
    deja_store *store;
    deja_recorder *recorder;
    deja_error err;
    deja_buffer text = { 0 };
    deja_recorder_options options = DEJA_RECORDER_OPTIONS_INIT;
    options.game = "counter";
    options.version = "1.0";
    options.seed = 7;
    options.start_hash = counter_hash(0);
    scratch_open(folder);
    snprintf(path, sizeof path, "%s/plays.deja", folder);
    cr_assert_eq(deja_store_open(&store, path, DEJA_STORE_WRITE, &err), DEJA_OK);
    cr_assert_eq(deja_recorder_open(&recorder, store, NULL, NULL, &options, &err), DEJA_OK, "%s",
                 err.message);
    for (uint64_t i = 1; i <= steps; i++) {
        const uint32_t command = counter_command(i);
        cr_assert_eq(deja_recorder_note(recorder, &command, sizeof command, counter_hash(i), &err),
                     DEJA_OK);
    }
    cr_assert_eq(deja_recorder_close(recorder, "won", NULL, &err), DEJA_OK, "%s", err.message);
    cr_assert_eq(deja_store_close(store, &err), DEJA_OK);
    uint64_t count;
    int64_t *keys = scratch_keys(path, &count);
    cr_assert_eq(deja_store_open(&store, path, DEJA_STORE_READ, &err), DEJA_OK);
    cr_assert_eq(deja_export(store, keys[0], 0, add_chars, &text, &err), DEJA_OK);
    deja_store_close(store, NULL);
    free(keys);
    scratch_close(folder);
    deja_buffer_char(&text, 0);
    return (char *)text.bytes;
}

/* Without the lines that say where it was made. */
static void drop_line(char *text, const char *keyword)
{
    char *at = strstr(text, keyword);
    char *end = at ? strchr(at, '\n') : NULL;
    if (end)
        memmove(at, end + 1, strlen(end));
}

Test(import, a_closed_journal_is_what_a_recorder_makes_of_the_same_steps)
{
    enum { STEPS = 20000 };
    scene s;
    deja_journal_told told;
    scene_open(&s);
    s.options.refusals = NULL;
    scene_start(&s);
    for (uint64_t i = 1; i <= STEPS; i++) {
        const uint32_t command = counter_command(i);
        deja_journal_begin(s.journal, &command, sizeof command);
        cr_assert_eq(deja_journal_end(s.journal, 0, counter_hash(i)), DEJA_JOURNAL_OK);
    }
    char *text = end_and_import(&s, "won", true, &told);
    char *other = recorded(STEPS);
    drop_line(other, "platform:");
    cr_assert_str_eq(text, other);
    cr_assert_eq(told.ended, DEJA_ENDED_OUTCOME);
    cr_assert_eq(told.steps, (uint64_t)STEPS);
    cr_assert_str_eq(told.why, "");
    free(text);
    free(other);
}

Test(import, a_journal_that_was_never_closed_is_unfinished_with_every_step_that_ended)
{
    scene s;
    deja_journal_told told;
    scene_open(&s);
    scene_start(&s);
    count_steps(s.journal, 1, 100);
    char *text = end_and_import(&s, NULL, false, &told);
    cr_assert(has_line(text, "end: unfinished steps=100"), "%s", text);
    cr_assert_eq(told.ended, DEJA_ENDED_UNFINISHED);
    cr_assert_str_eq(told.why, "");
    free(text);
}

Test(import, a_journal_left_within_a_step_crashed_in_it_and_has_its_command)
{
    scene s;
    deja_journal_told told;
    scene_open(&s);
    scene_start(&s);
    count_steps(s.journal, 1, 10);
    cr_assert_eq(deja_journal_begin(s.journal, "\xca\xfe", 2), DEJA_JOURNAL_OK);
    char *text = end_and_import(&s, NULL, false, &told);
    cr_assert(has_line(text, "end: crashed steps=11"), "%s", text);
    cr_assert(has_line(text, "cafe"), "%s", text);
    cr_assert_eq(told.ended, DEJA_ENDED_CRASHED);
    free(text);
}

Test(import, a_journal_closed_within_a_step_crashed_in_it_too)
{
    scene s;
    deja_journal_told told;
    scene_open(&s);
    scene_start(&s);
    count_steps(s.journal, 1, 3);
    cr_assert_eq(deja_journal_begin(s.journal, NULL, 0), DEJA_JOURNAL_OK);
    char *text = end_and_import(&s, NULL, true, &told);
    cr_assert(has_line(text, "end: crashed steps=4"), "%s", text);
    free(text);
}

Test(import, a_journal_of_no_steps_is_a_session_of_no_steps)
{
    scene s;
    deja_journal_told told;
    scene_open(&s);
    scene_start(&s);
    char *text = end_and_import(&s, NULL, true, &told);
    cr_assert(has_line(text, "end: running steps=0"), "%s", text);
    free(text);
}

Test(import, results_are_refusals_by_their_names)
{
    scene s;
    deja_journal_told told;
    scene_open(&s);
    scene_start(&s);
    count_steps(s.journal, 1, 5);
    char *text = end_and_import(&s, NULL, true, &told);
    cr_assert(has_line(text, "refusals: odd late"), "%s", text);
    cr_assert(has_line(text, "results: odd*1 late*1 ok*1 odd*1 late*1"), "%s", text);
    free(text);
}

Test(import, marks_and_sections_stand_behind_their_steps)
{
    scene s;
    deja_journal_told told;
    scene_open(&s);
    scene_start(&s);
    cr_assert_eq(deja_journal_mark(s.journal, "level \"one\""), DEJA_JOURNAL_OK);
    count_steps(s.journal, 1, 2);
    cr_assert_eq(deja_journal_section(s.journal, "units", 0x1234), DEJA_JOURNAL_OK);
    cr_assert_eq(deja_journal_mark(s.journal, "boss \xc3\xa9"), DEJA_JOURNAL_OK);
    count_steps(s.journal, 3, 3);
    char *text = end_and_import(&s, NULL, true, &told);
    cr_assert(strstr(text, "seed: 7\nmark: \"level \\\"one\\\"\"\n"), "%s", text);
    cr_assert(strstr(text, "\nsection: units 0000000000001234\nmark: \"boss \xc3\xa9\"\n"), "%s",
              text);
    cr_assert_eq(told.left_out, 0u);
    free(text);
}

Test(import, steps_that_were_taken_back_are_gone_and_a_mark_says_how_many)
{
    scene s;
    deja_journal_told told;
    scene_open(&s);
    scene_start(&s);
    count_steps(s.journal, 1, 5);
    cr_assert_eq(deja_journal_mark(s.journal, "gone"), DEJA_JOURNAL_OK);
    cr_assert_eq(deja_journal_rewind(s.journal, 3), DEJA_JOURNAL_OK);
    cr_assert_eq(deja_journal_steps(s.journal), 3u);
    count_steps(s.journal, 4, 6);
    cr_assert_eq(deja_journal_steps(s.journal), 6u);
    char *text = end_and_import(&s, "won", true, &told);
    cr_assert_eq(told.taken_back, 2u);
    cr_assert(!strstr(text, "gone"), "%s", text);
    cr_assert(strstr(text, "mark: \"2 steps taken back here\"\n"), "%s", text);
    drop_line(text, "mark:");

    /* What is left is what was never taken back. */
    scene plain;
    scene_open(&plain);
    scene_start(&plain);
    count_steps(plain.journal, 1, 6);
    char *other = end_and_import(&plain, "won", true, &told);
    cr_assert_str_eq(text, other);
    free(text);
    free(other);
}

Test(import, a_rewind_over_blocks_and_segments_leaves_what_stands)
{
    scene s, plain;
    deja_journal_told told;
    scene_open(&s);
    scene_start(&s);
    count_steps(s.journal, 1, 40000);
    cr_assert_eq(deja_journal_rewind(s.journal, 0), DEJA_JOURNAL_OK);
    count_steps(s.journal, 1, 17000);
    char *text = end_and_import(&s, NULL, true, &told);
    drop_line(text, "mark:");
    scene_open(&plain);
    scene_start(&plain);
    count_steps(plain.journal, 1, 17000);
    char *other = end_and_import(&plain, NULL, true, &told);
    cr_assert_str_eq(text, other);
    free(text);
    free(other);
}

Test(import, a_command_larger_than_a_segment_comes_back_whole)
{
    enum { SIZE = 300001 };
    scene s;
    deja_journal_told told;
    unsigned char *large = malloc(SIZE);
    for (uint32_t i = 0; i < SIZE; i++)
        large[i] = (unsigned char)(i * 7 + i / 256);
    scene_open(&s);
    scene_start(&s);
    count_steps(s.journal, 1, 20);
    cr_assert_eq(deja_journal_begin(s.journal, large, SIZE), DEJA_JOURNAL_OK);
    cr_assert_eq(deja_journal_end(s.journal, 0, 5), DEJA_JOURNAL_OK);
    count_steps(s.journal, 22, 30);
    char *text = end_and_import(&s, NULL, true, &told);
    cr_assert_eq(told.steps, 30u);
    char *hex = malloc(2 * SIZE + 1);
    for (uint32_t i = 0; i < SIZE; i++)
        snprintf(hex + 2 * (size_t)i, 3, "%02x", large[i]);
    cr_assert(has_line(text, hex));
    free(hex);
    free(large);
    free(text);
}

Test(import, only_every_kth_hash_is_kept_where_the_options_say_so)
{
    scene s;
    deja_journal_told told;
    scene_open(&s);
    s.options.trail_bits = 8;
    s.options.trail_every = 4;
    scene_start(&s);
    count_steps(s.journal, 1, 10);
    char *text = end_and_import(&s, NULL, true, &told);
    char line[64];
    snprintf(line, sizeof line, "trail: 8 4 0 %02x %02x %02x", (unsigned)(counter_hash(0) & 255),
             (unsigned)(counter_hash(4) & 255), (unsigned)(counter_hash(8) & 255));
    cr_assert(has_line(text, line), "%s\nin\n%s", line, text);
    free(text);
}

Test(import, what_comes_behind_the_end_is_not_read)
{
    scene s;
    deja_journal_told told;
    scene_open(&s);
    scene_start(&s);
    count_steps(s.journal, 1, 4);
    cr_assert_eq(deja_journal_close(s.journal, "won"), DEJA_JOURNAL_OK);
    deja_buffer bytes = scene_bytes(&s);
    deja_buffer_text(&bytes, "and what somebody wrote behind it");
    char *text = imported(&bytes, &told);
    cr_assert(has_line(text, "end: won steps=4"), "%s", text);
    cr_assert_str_eq(told.why, "");
    deja_buffer_release(&bytes);
    free(text);
    scene_close(&s);
}

Test(import, importing_twice_stores_once)
{
    scene s;
    deja_journal_told told;
    deja_store *store;
    deja_error err;
    char path[160];
    scene_open(&s);
    scene_start(&s);
    count_steps(s.journal, 1, 4);
    cr_assert_eq(deja_journal_close(s.journal, "won"), DEJA_JOURNAL_OK);
    deja_buffer bytes = scene_bytes(&s);
    snprintf(path, sizeof path, "%s/plays.deja", s.folder);
    cr_assert_eq(deja_store_open(&store, path, DEJA_STORE_WRITE, &err), DEJA_OK);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(deja_journal_import(store, "j", bytes.bytes, bytes.size, &told, &err),
                     DEJA_OK);
        cr_assert_eq(told.known, i == 1);
    }
    deja_store_close(store, NULL);
    deja_buffer_release(&bytes);
    scene_close(&s);
}

Test(import, without_a_store_it_is_looked_at_only)
{
    scene s;
    deja_journal_told told;
    deja_error err;
    scene_open(&s);
    scene_start(&s);
    count_steps(s.journal, 1, 4);
    cr_assert_eq(deja_journal_close(s.journal, NULL), DEJA_JOURNAL_OK);
    deja_buffer bytes = scene_bytes(&s);
    cr_assert(deja_is_journal(bytes.bytes, bytes.size));
    cr_assert_eq(deja_journal_import(NULL, "j", bytes.bytes, bytes.size, &told, &err), DEJA_OK);
    cr_assert_eq(told.steps, 4u);
    cr_assert_eq(deja_journal_import(NULL, "j", bytes.bytes, bytes.size, NULL, &err), DEJA_OK);
    cr_assert_eq(deja_journal_import(NULL, NULL, bytes.bytes, bytes.size, NULL, &err),
                 DEJA_EMISUSE);
    deja_buffer_release(&bytes);
    scene_close(&s);
}
