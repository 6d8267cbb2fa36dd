/* SPDX-License-Identifier: MIT */
/*
 * Sessions that are made up from a few numbers, for writing into stores; and everything that a
 * store answers, as one text, for comparing.
 */
#ifndef DEJA_TESTS_RECIPE_H
#define DEJA_TESTS_RECIPE_H

#include <deja/store.h>

/* Equal recipes make equal sessions, step for step. */
typedef struct recipe {
    uint64_t seed;
    uint64_t steps;
    uint32_t trail_bits;
    uint64_t trail_every;
    uint32_t refused; /* each so manieth step is refused; 0: none */
    uint32_t ended;
    const char *outcome; /* "" but for DEJA_ENDED_OUTCOME */
    uint64_t parts_from; /* from this step on, hashes are other ones; 0: never */
    unsigned char build;
    const char *made;
    const char *content;
    uint32_t config;   /* which */
    bool opaque;       /* a game that described nothing */
    bool plain;        /* every command is the same */
    bool start;        /* it begins in the middle */
    uint32_t marks;    /* so many */
    uint32_t sections; /* each so manieth step; 0: none */
    int64_t recorded_at;
} recipe;

/* A short game that ends with an outcome. */
recipe recipe_of(uint64_t seed);
/* So many steps that take little room: one block and more are quick to write. */
recipe recipe_long(uint64_t seed, uint64_t steps);

/* A writer for it, and its steps up to `until`, one block after another. */
deja_code recipe_open(deja_writer **out, deja_store *store, const recipe *r, deja_error *err);
deja_code recipe_add(deja_writer *writer, const recipe *r, uint64_t from, uint64_t until,
                     deja_error *err);
/* All of it. */
deja_code recipe_write(deja_store *store, const recipe *r, deja_id *id, bool *known,
                       deja_error *err);

/* Fails the test unless that works. */
deja_store *open_store(const char *path, uint32_t mode);
void close_store(deja_store *store);
deja_id put(deja_store *store, const recipe *r);
bool put_again(deja_store *store, const recipe *r); /* whether it was known */

/* Appends all that a store tells: every session with every recording, its steps, marks, sections.
 * Marks that differ stop nobody; the first code that is not DEJA_OK does. */
deja_code dump_store(deja_store *store, deja_buffer *out, deja_error *err);
/* The same of a file, opened for reading. */
deja_code dump_file(const char *path, deja_buffer *out, deja_error *err);
/* Its hash; fails the test on any error. */
uint64_t dump_hash(const char *path);

/* How many sessions, and recordings. */
uint32_t count_sessions(const char *path);
uint32_t count_recordings(const char *path);

/* A folder for a test, and FOLDER/NAME in one of a few buffers that are used in turn. */
const char *in_folder(const char *folder, const char *name);

/* Runs SQL on a file with the stock library, nothing of ours between; the first column of the first
 * row, as text; fails the test on any error. */
void sql(const char *path, const char *text, char *answer, size_t size);

/* Goes on as a user without rights, where this is root; and back. false: that cannot be. */
bool become_nobody(void);
void become_yourself(void);

/* A number after another, the same for the same start. */
uint64_t draw(uint64_t *luck);

#endif
