/* SPDX-License-Identifier: MIT */
/*
 * What every measurement needs: clocks, medians, and goals that are met or missed.
 *
 * A figure stands on a line of its own, with its goal beside it; a goal that was missed has a line
 * more, which begins with MISSED. Variants that are held against each other run in one process and
 * take turns, so that a slower minute of the machine is theirs alike.
 */
#ifndef DEJA_TESTS_BENCH_H
#define DEJA_TESTS_BENCH_H

#include <deja/deja.h>

#define BENCH_LIBRARY DEJA_BUILD_DIR "/rules/matchgame_endless.so"

enum { BENCH_PATH_SIZE = 512 };

/* Ends the program where something did not work. */
void bench_check(deja_code code, const deja_error *err);
void bench_fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Seconds of the clock, and of processor time that all threads of this process have used. */
double bench_now(void);
double bench_cpu(void);

/* Sorts the values. */
double bench_median(double *values, int count);

/* Says so where a goal was missed. */
void bench_goal(bool met, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* How many were. */
int bench_missed(void);

/* FOLDER/NAME. */
void bench_path(char path[BENCH_PATH_SIZE], const char *folder, const char *name);
/* Removes a store, with what may lie beside it. */
void bench_remove(const char *path);

/* The key of a store's only session, and its steps (may be NULL). */
int64_t bench_only_key(deja_store *store, uint64_t *steps);

/* ---- what there is to measure; `folder` is empty, on a disk, and left empty ---- */

/* What recording adds to a game's loop, beside two other ways to record (G1 to G3). */
void bench_record(const char *folder, bool is_long);
/* How long one call takes that records a step (G4, G5). */
void bench_stalls(const char *folder, bool is_long);
/* What verifying costs, held against a plain loop; and memory. */
void bench_verify(const char *folder);

#endif
