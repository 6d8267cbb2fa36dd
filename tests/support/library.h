/* SPDX-License-Identifier: MIT */
/*
 * A rules library as a test calls it: through the constant that it exports, without the host's
 * side of the header; and facts from a file of fixtures/vectors.
 */
#ifndef DEJA_TESTS_LIBRARY_H
#define DEJA_TESTS_LIBRARY_H

#include <deja/rules.h>
#include <stdio.h>

typedef struct library {
    void *handle;
    const deja_rules_table *rules;
} library;

/* Loads BUILD/NAME.so, where NAME is as "games/peg"; fails the test where that does not work. */
library library_open(const char *name);
void library_close(library *lib);

/* A result's name: "ok" or the refusal; an outcome's: "running" or the outcome. */
const char *library_result(const library *lib, uint32_t result);
const char *library_outcome(const library *lib, const void *state);
/* The bot's place; fails the test if there is none of this name. */
const deja_bot *library_bot(const library *lib, const char *name);

/* What apply and legal emit, copied: give its address as out. `item` is the size of one value. */
typedef struct emitted {
    deja_out out;
    uint64_t item;
    uint32_t count;
    _Alignas(16) unsigned char bytes[1u << 16]; /* whole items */
} emitted;

void emitted_open(emitted *all, uint64_t item);
const void *emitted_at(const emitted *all, uint32_t place);

/* What draw and write_notation write. */
typedef struct written {
    deja_page page;
    uint64_t size;
    char text[1u << 14];
} written;

const char *written_drawing(written *w, const library *lib, const void *state);
const char *written_command(written *w, const library *lib, const void *state, const void *command);

/* Two strings, the second expected. */
void assert_text(const char *got, const char *expected);

/* One line of a file of facts, as words that were parted by single blanks. */
typedef struct fact {
    char line[1024];
    char *words[32];
    uint32_t count;
} fact;

/* Opens fixtures/vectors/NAME; fails the test if it is not there. */
FILE *facts_open(const char *name);
/* The next line that is no comment and not empty; false at the end. */
bool facts_next(FILE *file, fact *next);

#endif
