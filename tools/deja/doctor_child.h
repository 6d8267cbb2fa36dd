/* SPDX-License-Identifier: MIT */
/*
 * Checking rules in a process of their own, so that a crash is a finding and no end.
 *
 * Where the child is stands in memory that both have: before each call of the rules the child says
 * there which one, so that after a crash the parent knows. Findings come through the pipe as they
 * are found; how often each was found comes at the end, and not at all after a crash.
 */
#ifndef DEJA_TOOL_DOCTOR_CHILD_H
#define DEJA_TOOL_DOCTOR_CHILD_H

#include <deja/check.h>

#include "args.h"
#include "child.h"
#include "settings.h"

/* What to check. All borrowed. */
typedef struct doctor_order {
    const args *given; /* for --set and --bot */
    const char *rules; /* the library's path */
    const char *store; /* of sessions to walk along, or NULL */
    const char *bots;  /* or NULL for all */
    const deja_content *content;
    uint64_t seed, games, max_steps;
    uint32_t hang_cpu_ms, hang_wall_ms; /* of one call; 0: no limit */
} doctor_order;

enum { DOCTOR_COMMAND_MAX = 4096, DOCTOR_LAYOUT_MAX = 1 << 16 };

/* The ways that were played, handed from the first child to the second. */
enum { DOCTOR_WAYS_MAX = 1 << 26 };
typedef struct doctor_ways {
    uint64_t size; /* of those that fitted, whole */
    unsigned char bytes[DOCTOR_WAYS_MAX];
} doctor_ways;

/* What both have. */
typedef struct doctor_place {
    uint64_t calls; /* of the rules that were begun */
    uint64_t seed, game, step;
    char doing[16];
    char player[64];
    char game_id[64], version[64];
    uint64_t command_size; /* of a command that was too large to be kept: 0 */
    unsigned char command[DOCTOR_COMMAND_MAX];
    char layout[DOCTOR_LAYOUT_MAX + 1]; /* of commands */
    deja_check_summary summary;
} doctor_place;

/* A finding's texts, in this order, each ending with NUL; what is missing is empty, and marked. */
enum {
    TEXT_PLAYER,
    TEXT_SESSION,
    TEXT_COMMAND,
    TEXT_PATH,
    TEXT_EXPECTED,
    TEXT_ACTUAL,
    TEXT_WHY,
    TEXT_COUNT
};

enum doctor_note_kind {
    DOCTOR_FINDING = 1,
    DOCTOR_COUNTED = 2, /* how often the finding `number` was found */
    DOCTOR_END = 3      /* nothing more comes; text: why it failed, if it did */
};

typedef struct doctor_note {
    uint32_t kind;
    uint32_t text_size;
    int32_t status;   /* of DOCTOR_END */
    uint32_t missing; /* bit i: there is no text i */
    uint32_t clause, more_fields;
    uint64_t seed, game, step, saved;
    uint64_t number, count; /* of DOCTOR_COUNTED */
} doctor_note;

typedef struct doctor_child {
    child child;
    const doctor_order *order;
    doctor_place *place;
    doctor_ways *ways;   /* where the first puts what it plays */
    bool is_second;      /* holds what it plays against that, and does nothing else */
    uint64_t calls;      /* when it was last looked at */
    uint64_t since;      /* then, in ms */
    uint64_t cpu_since;  /* the CPU time that it had used then, in ms */
    bool hung_cpu, hung; /* it was killed for that */
} doctor_child;

enum { DOCTOR_TEXT_MAX = SETTINGS_TEXT_MAX };

/* Memory for the ways; NULL with errno. */
doctor_ways *doctor_ways_create(void);
void doctor_ways_destroy(doctor_ways *ways);
/* Starts it; false with errno. The second one is not where the first was: in another process, with
 * the library at other addresses. */
bool doctor_child_start(doctor_child *out, const doctor_order *order, doctor_ways *ways,
                        bool is_second);
/* The next note. False where no more comes. */
bool doctor_child_note(doctor_child *from, doctor_note *note, char text[DOCTOR_TEXT_MAX]);
/* Waits for it: how it ended, as waitpid() tells it. `place` stays until it is released. */
int doctor_child_end(doctor_child *ended);
void doctor_child_release(doctor_child *released);

#endif
