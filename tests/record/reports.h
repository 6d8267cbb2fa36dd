/* SPDX-License-Identifier: MIT */
/*
 * What a recorder tells its host, kept as text.
 */
#ifndef DEJA_TESTS_REPORTS_H
#define DEJA_TESTS_REPORTS_H

#include "record/scene.h"

/* "step text; ", one behind another: as held.marks has the marks. Those that do not fit are only
 * counted. */
typedef struct reports {
    char text[HELD_TEXT];
    uint32_t count;
} reports;

/* What takes it; `user` is a reports. */
void reports_take(void *user, uint64_t step, const char *text);
/* Empties it, and has the scene's recorders tell it. */
void reports_listen(reports *r, scene *s);
/* Fails the test unless it was told exactly this, the recording has the same marks, and the
 * recorder has counted `findings`. Ends the recording. */
void reports_assert(const reports *r, scene *s, deja_recorder *recorder, const char *expected,
                    uint64_t findings);

#endif
