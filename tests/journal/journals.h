/* SPDX-License-Identifier: MIT */
/*
 * Journals for tests: a game that counts, what is in a file, and what import makes of it.
 */
#ifndef DEJA_TESTS_JOURNALS_H
#define DEJA_TESTS_JOURNALS_H

#include <deja/deja.h>
#include <deja/journal.h>

/* A folder, and a journal in it that is open. */
typedef struct scene {
    char folder[64];
    char path[128];
    deja_journal_options options;
    deja_journal *journal;
} scene;

/* The options are those of a game "counter" of seed 7, with refusals "odd" and "late" and segments
 * of 64 KiB; the journal is not opened yet. */
void scene_open(scene *s);
void scene_start(scene *s);
void scene_close(scene *s);

/* Step i of the counting game: its command, its result, the hash after it. */
uint32_t counter_command(uint64_t i);
uint32_t counter_result(uint64_t i);
uint64_t counter_hash(uint64_t i);
/* Logs steps first to last. */
void count_steps(deja_journal *journal, uint64_t first, uint64_t last);

/* All of the scene's file. The caller releases it. */
deja_buffer scene_bytes(const scene *s);

/* Imports bytes into a store of their own and exports what it has then. The caller frees the text,
 * which is NULL where import failed; *code says why. */
char *import_text(const deja_buffer *bytes, deja_journal_told *told, deja_code *code,
                  char message[DEJA_ERROR_MESSAGE_SIZE]);
/* The same, which must succeed. */
char *imported(const deja_buffer *bytes, deja_journal_told *told);

#endif
