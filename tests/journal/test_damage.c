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
    bytes.bytes[8] = 2;
    assert_refused(&bytes, DEJA_EVERSION,
                   "play.journal: a journal of version 2; this deja reads version 1");
    bytes.bytes[8] = 1;
    bytes.bytes[70] ^= 1;
    assert_refused(&bytes, DEJA_EDAMAGED,
                   "play.journal: its header is damaged: its check does not fit");
    deja_buffer_release(&bytes);
}
