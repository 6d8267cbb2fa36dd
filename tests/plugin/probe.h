/* SPDX-License-Identifier: MIT */
/*
 * A game that is linked into the tests and keeps its contract, or breaks it in the one way that a
 * command asks for. Its state owns memory on the heap, its commands load without a plan, and its
 * events have a section, so that they hash to something else than what is saved.
 *
 *   state    at:u32 bag:bytes[4]
 *   command  kind(step{n:u8}|say{text:text[..15]}|<one for each breach>)
 *   event    kind(stepped{n:u8 total:section({at:u32})}|said{text:text[..15]}|many{list:u8[..8]})
 *   config   first:u32 refuse:u8
 */
#ifndef DEJA_TESTS_PLUGIN_PROBE_H
#define DEJA_TESTS_PLUGIN_PROBE_H

#include <deja/rules.h>

enum probe_command {
    PROBE_STEP,    /* accepted; emits stepped, n times */
    PROBE_SAY,     /* accepted; emits said, with the text */
    PROBE_REFUSED, /* refused as "busy" */
    PROBE_LIAR,    /* answers 7 */
    PROBE_NOISY,   /* refused, and emits */
    PROBE_NULL,    /* emits NULL */
    PROBE_LONG,    /* emits many with 9 in a list of 8 */
    PROBE_RAW,     /* emits said with text that is not UTF-8 */
    PROBE_FLOOD,   /* emits for ever, or nearly */
    PROBE_STASH,   /* accepted; keeps its out: see probe_emit_late */
    PROBE_OVER,    /* accepted; the outcome is "done" from now on */
    PROBE_ODD,     /* accepted; the outcome is number 9 from now on */
    PROBE_COMMANDS
};

enum { PROBE_WRONG_CONFIG = 1, PROBE_ANSWER_9 = 9 };

/* A copy of the table, to change. */
deja_rules_table probe_table(void);
/* Emits to the out that PROBE_STASH has kept. */
void probe_emit_late(void);
/* How many states, and commands, were made and not finished. */
int probe_alive(void);

#endif
