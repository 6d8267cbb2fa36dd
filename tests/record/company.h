/* SPDX-License-Identifier: MIT */
/*
 * Many processes and one store: some record, each session after session, some verify what they find
 * there meanwhile.
 *
 * A recorder plays an endless game with a bot, flushes each session when it is closed, and reads it
 * back: every step, none missing, none twice. A verifier replays what the store has at that moment,
 * sessions that are still being recorded too. When the last recorder has gone the store must have
 * each session that any of them closed, with all its steps, and nothing else; all match, all rows
 * are sound, and whoever closes the store next leaves one file.
 */
#ifndef DEJA_TESTS_COMPANY_H
#define DEJA_TESTS_COMPANY_H

#include <stdbool.h>
#include <stdint.h>

typedef struct company {
    const char *store; /* its path; nothing is there yet */
    uint32_t recorders;
    uint32_t verifiers;
    uint64_t
        sessions;     /* that each recorder records at least; and until verifiers had a turn, and */
    uint32_t seconds; /* so much time has passed */
    uint64_t steps;   /* of each session */
    uint32_t rest_us; /* after each 1,000 steps of one, as a game that is played by people */
} company;

typedef struct company_told {
    uint64_t recorded; /* sessions */
    uint64_t verified; /* sessions, while others were recorded */
} company_told;

/* Whether all of that holds; where it does not, stderr has what was seen. */
bool company_works(const company *all, company_told *told);

#endif
