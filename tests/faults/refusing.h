/* SPDX-License-Identifier: MIT */
/*
 * A recording on a disk that says no for a while.
 */
#ifndef DEJA_TESTS_REFUSING_H
#define DEJA_TESTS_REFUSING_H

#include "faults/played.h"

/* What is stored before, what is played while the disk says no, what is played after. */
enum { REFUSING_BEFORE = 2, REFUSING_DURING = 3, REFUSING_AFTER = 5 };

typedef struct refusing {
    const char *path;
    char where[160]; /* said where a test fails */
    /* From here on the disk says no, and from here on it does not; both may be called again. */
    void (*spoil)(void *user);
    void (*mend)(void *user);
    void *user;
    bool mended_early; /* before the store is closed, and not behind it */

    bool refused;                 /* some call of the recording failed */
    bool stored[REFUSING_DURING]; /* a session was said to be stored */
    bool kept[REFUSING_DURING];   /* no step of it was refused, so it waits at least */
} refusing;

/* Stores the earlier sessions in a new store, for the next call. */
void refusing_prepare(const char *path);
/* Plays on. Fails the test unless the game comes to its end, each failure says which store and why,
 * the earlier sessions and those that were said to be stored are there, those that waited are when
 * the disk is well again, and then recording works. */
void refusing_play(refusing *r);

#endif
