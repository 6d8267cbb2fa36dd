/* SPDX-License-Identifier: MIT */
/*
 * fixtures/rules/expected.txt, line by line; its head says what the words mean.
 */
#ifndef DEJA_TESTS_EXPECTED_H
#define DEJA_TESTS_EXPECTED_H

#include <deja/deja.h>

#include "rules/play.h"

typedef struct line {
    char library[64], base[64], verdict[16], part[16], when[32], fields[32], ends[16];
} line;

/* Fails the test if it is not there. */
FILE *expected_open(void);
/* false at the end. */
bool expected_next(FILE *file, line *l);
/* A base game as library_open() takes it: "games/peg", "rules/ledger". */
void base_name(char *name, size_t size, const char *game);
/* Whether these are the line's FIELDS: pegs[12] is pegs[*] where the line says so,
 * and so are several in a row. */
bool line_fits_fields(const line *l, const char *fields);

#endif
