/* SPDX-License-Identifier: MIT */
/*
 * A run of the kit, and what it told.
 */
#ifndef DEJA_TESTS_CHECKING_H
#define DEJA_TESTS_CHECKING_H

#include <deja/deja.h>

enum { TOLD_MAX = 32 };

/* A finding, copied. */
typedef struct told {
    uint32_t clause;
    uint64_t seed, game, step, saved, count;
    char player[64], session[40], command[128], path[64], expected[64], actual[64], why[160];
} told;

typedef struct checking {
    deja_plugin *plugin;
    deja_check_options options; /* as _INIT has them, and telling into this */
    deja_check_summary summary;
    deja_error err;
    uint32_t count; /* of findings */
    told told[TOLD_MAX];
    uint32_t most;   /* end it after so many findings */
    uint64_t places; /* calls that were announced */
    uint64_t last;   /* end it after so many */
    char doing[16];  /* the last one */
} checking;

/* Opens BUILD/NAME.so, as "games/peg"; fails the test where that does not work. */
void checking_open(checking *c, const char *name);
/* The same for rules of the program. */
void checking_open_table(checking *c, const deja_rules_table *table);
void checking_close(checking *c);
/* Runs it anew. */
deja_code checking_run(checking *c);
/* Runs it, fails the test where that fails. */
void checking_pass(checking *c);

#endif
