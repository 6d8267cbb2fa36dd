/* SPDX-License-Identifier: MIT */
/*
 * Journals that a power cut, a bad disk or a stranger has had: import says what is wrong, and never
 * takes a step that was not logged.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "journal/format.h"
#include "journals.h"
#include "support/demand.h"

enum { STEPS = 12, PAGE = 4096 };

/* A journal of a few steps with a mark, a rewind and an end. */
static deja_buffer small_journal(void)
{
    scene s;
    scene_open(&s);
    scene_start(&s);
    count_steps(s.journal, 1, 8);
    deja_journal_mark(s.journal, "here");
    deja_journal_rewind(s.journal, 6);
    count_steps(s.journal, 7, STEPS);
    cr_assert_eq(deja_journal_close(s.journal, "won"), DEJA_JOURNAL_OK);
    deja_buffer bytes = scene_bytes(&s);
    scene_close(&s);
    return bytes;
}

/* What was taken must be a beginning of what was logged: the first `steps` steps, after a rewind or
 * before. */
static void demand_beginning(const deja_buffer *bytes, const char *what, uint64_t at)
{
    deja_journal_told told;
    deja_error err = { 0 };
    const deja_code code = deja_journal_import(NULL, "j", bytes->bytes, bytes->size, &told, &err);
    if (code != DEJA_OK) {
        demand(code == DEJA_EDAMAGED || code == DEJA_EFORMAT || code == DEJA_EVERSION,
               "%s %llu: %s", what, (unsigned long long)at, err.message);
        demand(at < PAGE, "%s %llu: refused, though its header is sound", what,
               (unsigned long long)at);
        return;
    }
    demand(told.steps <= STEPS, "%s %llu: %llu steps", what, (unsigned long long)at,
           (unsigned long long)told.steps);
    demand(told.steps == STEPS || told.ended != DEJA_ENDED_OUTCOME, "%s %llu: ended too early",
           what, (unsigned long long)at);
}

Test(damage, a_flipped_bit_costs_at_most_what_is_behind_it)
{
    deja_buffer bytes = small_journal();
    deja_journal_told told;
    char *whole = imported(&bytes, &told);
    for (uint64_t i = 0; i < bytes.size * 8; i++) {
        bytes.bytes[i / 8] ^= (unsigned char)(1u << i % 8);
        demand_beginning(&bytes, "bit", i / 8);
        /* What is still told as whole is the same, step by step. A text shows it; that takes its
         * time, so every 97th. */
        if (i % 97 == 0) {
            deja_code code;
            char message[DEJA_ERROR_MESSAGE_SIZE];
            char *text = import_text(&bytes, &told, &code, message);
            cr_assert(!text || told.steps < STEPS || told.ended != DEJA_ENDED_OUTCOME ||
                          strcmp(text, whole) == 0,
                      "bit %llu: other steps", (unsigned long long)i);
            free(text);
        }
        bytes.bytes[i / 8] ^= (unsigned char)(1u << i % 8);
    }
    free(whole);
    deja_buffer_release(&bytes);
}

Test(damage, a_cut_costs_at_most_what_is_behind_it)
{
    deja_buffer bytes = small_journal();
    const uint64_t size = bytes.size;
    uint64_t before = 0;
    for (uint64_t i = 0; i <= size; i++) {
        deja_journal_told told;
        unsigned char *copy = malloc(i ? i : 1);
        memcpy(copy, bytes.bytes, i);
        const deja_code code = deja_journal_import(NULL, "j", copy, i, &told, NULL);
        free(copy);
        cr_assert(code == DEJA_OK || i < PAGE, "cut at %llu", (unsigned long long)i);
        if (code != DEJA_OK)
            continue;
        /* Steps come one by one; the rewind takes two of eight. */
        cr_assert(told.steps + 2 >= before && told.steps <= before + 1, "cut at %llu: %llu steps",
                  (unsigned long long)i, (unsigned long long)told.steps);
        before = told.steps;
    }
    cr_assert_eq(before, (uint64_t)STEPS);
    deja_buffer_release(&bytes);
}

Test(damage, a_page_that_a_power_cut_took_ends_the_journal_and_is_told)
{
    scene s;
    deja_journal_told told;
    scene_open(&s);
    scene_start(&s);
    count_steps(s.journal, 1, 5000);
    cr_assert_eq(deja_journal_close(s.journal, NULL), DEJA_JOURNAL_OK);
    deja_buffer bytes = scene_bytes(&s);
    /* The third page of the second segment. */
    memset(bytes.bytes + PAGE + 65536 + 2 * PAGE, 0, PAGE);
    char *text = imported(&bytes, &told);
    cr_assert(told.steps > 1638 && told.steps < 2000, "%llu", (unsigned long long)told.steps);
    cr_assert_eq(told.ended, DEJA_ENDED_UNFINISHED);
    cr_assert_str_eq(told.why,
                     "steps are missing in the middle of it, and those behind are of no use");
    free(text);
    deja_buffer_release(&bytes);
    scene_close(&s);
}

Test(damage, an_old_page_of_a_step_that_ran_is_no_crash)
{
    scene s;
    deja_journal_told told;
    scene_open(&s);
    scene_start(&s);
    count_steps(s.journal, 1, 300);
    deja_buffer bytes = scene_bytes(&s);
    /* Step 12 as it was before it ended, and nothing behind it up to the end of its page. */
    const uint64_t at = PAGE + 64 + 11 * 40;
    memset(bytes.bytes + at + 4, 0, 4);
    memset(bytes.bytes + at + 13, 0, 19);
    deja_buffer whole = { 0 };
    deja_buffer_add(&whole, bytes.bytes, bytes.size);
    memset(bytes.bytes + at + 40, 0, 2 * PAGE - at - 40);
    for (int i = 0; i < 2; i++) {
        char *text = imported(i ? &whole : &bytes, &told);
        cr_assert_eq(told.steps, 11u);
        cr_assert_eq(told.ended, DEJA_ENDED_UNFINISHED);
        cr_assert_str_eq(told.why,
                         "steps are missing in the middle of it, and those behind are of no use");
        free(text);
    }
    /* With nothing behind it at all it is one. */
    memset(bytes.bytes + at + 40, 0, (size_t)(bytes.size - at - 40));
    free(imported(&bytes, &told));
    cr_assert_eq(told.steps, 12u);
    cr_assert_eq(told.ended, DEJA_ENDED_CRASHED);
    deja_buffer_release(&bytes);
    deja_buffer_release(&whole);
    deja_journal_close(s.journal, NULL);
    scene_close(&s);
}

Test(damage, a_first_segment_that_is_gone_is_told_where_there_are_others)
{
    scene s;
    deja_journal_told told;
    scene_open(&s);
    scene_start(&s);
    count_steps(s.journal, 1, 5000);
    cr_assert_eq(deja_journal_close(s.journal, NULL), DEJA_JOURNAL_OK);
    deja_buffer bytes = scene_bytes(&s);
    memset(bytes.bytes + PAGE, 0, PAGE);
    free(imported(&bytes, &told));
    cr_assert_eq(told.steps, 0u);
    cr_assert_str_eq(told.why,
                     "steps are missing in the middle of it, and those behind are of no use");
    deja_buffer_release(&bytes);
    scene_close(&s);
}

/* The marks of the record at a place, made anew. */
static void mark_anew(deja_buffer *bytes, uint64_t place)
{
    unsigned char *at = bytes->bytes + place;
    uint64_t sum = deja__journal_mix(0, deja__load64(bytes->bytes + 16));
    sum = deja__journal_mix(sum, place);
    sum = deja__journal_mix(sum, deja__load32(at + 8) | (uint64_t)at[12] << 32);
    sum = deja__journal_mix_bytes(sum, at + 32, deja__load32(at + 8));
    deja__store32(at, deja__journal_mark(sum));
    sum = deja__journal_mix(sum, deja__load64(at + 16));
    sum = deja__journal_mix(sum, deja__load64(at + 24));
    sum = deja__journal_mix(sum, deja__load32(at + 12));
    deja__store32(at + 4, deja__journal_mark(sum));
}

Test(damage, what_has_no_use_yet_is_refused_where_it_is_not_zero)
{
    scene s;
    deja_journal_told told;
    const uint64_t mark = PAGE + 64 + 2 * 40;
    static const int places[] = { 13, 14, 15, 16, 23, 24, 31 };
    scene_open(&s);
    scene_start(&s);
    count_steps(s.journal, 1, 2);
    cr_assert_eq(deja_journal_mark(s.journal, "here"), DEJA_JOURNAL_OK);
    count_steps(s.journal, 3, 3);
    cr_assert_eq(deja_journal_close(s.journal, NULL), DEJA_JOURNAL_OK);
    deja_buffer bytes = scene_bytes(&s);
    mark_anew(&bytes, mark);
    free(imported(&bytes, &told));
    cr_assert_eq(told.steps, 3u);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        bytes.bytes[mark + (uint64_t)places[i]] = 1;
        mark_anew(&bytes, mark);
        free(imported(&bytes, &told));
        cr_assert_eq(told.steps, 2u, "byte %d", places[i]);
        cr_assert_str_eq(told.why, "its last record was not written whole");
        bytes.bytes[mark + (uint64_t)places[i]] = 0;
    }
    mark_anew(&bytes, mark);
    bytes.bytes[PAGE + 40] = 1; /* of the segment */
    deja__store64(bytes.bytes + PAGE + 56, deja__journal_mix_bytes(0, bytes.bytes + PAGE, 56));
    free(imported(&bytes, &told));
    cr_assert_eq(told.steps, 0u);
    deja_buffer_release(&bytes);
    scene_close(&s);
}

Test(damage, records_of_another_journal_are_not_taken_for_this_ones)
{
    deja_buffer a = small_journal(), b = small_journal();
    deja_journal_told told;
    /* The segment of the one behind the header of the other. */
    memcpy(a.bytes + PAGE, b.bytes + PAGE, (size_t)(a.size - PAGE));
    char *text = imported(&a, &told);
    cr_assert_eq(told.steps, 0u);
    free(text);
    deja_buffer_release(&a);
    deja_buffer_release(&b);
}

static void assert_refused(const deja_buffer *bytes, deja_code expected, const char *words)
{
    deja_journal_told told;
    deja_code code;
    char message[DEJA_ERROR_MESSAGE_SIZE];
    char *text = import_text(bytes, &told, &code, message);
    cr_assert_null(text);
    cr_assert_eq(code, expected, "%s", message);
    cr_assert_str_eq(message, words);
}

Test(damage, what_is_no_journal_is_refused_in_words)
{
    deja_buffer bytes = { 0 };
    assert_refused(&bytes, DEJA_EFORMAT, "play.journal: not a journal");
    deja_buffer_text(&bytes, "dejajrnl");
    assert_refused(&bytes, DEJA_EDAMAGED, "play.journal: its header is damaged: it is cut short");
    deja_buffer_release(&bytes);
    bytes = small_journal();
    bytes.bytes[8] = 3;
    assert_refused(&bytes, DEJA_EVERSION,
                   "play.journal: a journal of version 3; this deja reads up to version 2");
    bytes.bytes[8] = 1;
    bytes.bytes[70] ^= 1;
    assert_refused(&bytes, DEJA_EDAMAGED,
                   "play.journal: its header is damaged: its check does not fit");
    deja_buffer_release(&bytes);
}
