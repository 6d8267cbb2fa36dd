/* SPDX-License-Identifier: MIT */
/*
 * Two ways to record that people take: lines of JSON through gzip, and a row of SQLite for each
 * step. Each as its friends would write it: one buffer, one prepared statement, transactions of
 * thousands of rows, no sync but at the end. Neither keeps events, or looks at what it is handed.
 */
#ifndef DEJA_TESTS_BENCH_BASELINES_H
#define DEJA_TESTS_BENCH_BASELINES_H

#include <stdint.h>

#include "bench/game.h"

/* gzip at its default level 6. */
typedef struct json_lines {
    void *file;
    uint64_t step;
} json_lines;

void json_lines_open(json_lines *lines, const char *path);
void json_lines_add(json_lines *lines, const bench_take *take, uint32_t result, uint64_t hash);
void json_lines_close(json_lines *lines);

/* A transaction for each 4,096 rows; WAL mode, synchronous=NORMAL. */
typedef struct step_rows {
    void *db, *insert;
    int64_t step;
} step_rows;

void step_rows_open(step_rows *rows, const char *path);
void step_rows_add(step_rows *rows, const bench_take *take, uint32_t result, uint64_t hash);
void step_rows_close(step_rows *rows);

#endif
