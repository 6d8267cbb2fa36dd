/* SPDX-License-Identifier: MIT */
/*
 * Commands, their options, and what was typed.
 *
 * A command is a row: its name, what it takes, what it does. From the row come the parser, the
 * usage line and the help text, so they cannot differ. To add a command: write cmd_NAME.c with its
 * row, and name the row in commands.c. To add an option: a row in the command's list, and its value
 * of enum option_id if it is new.
 */
#ifndef DEJA_TOOL_ARGS_H
#define DEJA_TOOL_ARGS_H

#include <stdbool.h>
#include <stdint.h>

enum option_id {
    OPTION_HELP,
    OPTION_STORE,
    OPTION_JSON,
    OPTION_BOT,
    OPTION_GAMES,
    OPTION_SEED,
    OPTION_SET,
    OPTION_MAX_STEPS,
    OPTION_TRAIL,
    OPTION_INPUT,
    OPTION_SESSION,
    OPTION_GAME,
    OPTION_JOBS,
    OPTION_SHARD,
    OPTION_BASELINE,
    OPTION_KEEP_GOING,
    OPTION_ALLOW_PARTIAL,
    OPTION_ALLOW_EMPTY,
    OPTION_ISOLATE,
    OPTION_CONFIRM,
    OPTION_HANG_CPU,
    OPTION_HANG_WALL,
    OPTION_BEFORE,
    OPTION_STEP,
    OPTION_STEPS,
    OPTION_RULES,
    OPTION_RECORDING,
    OPTION_OUTPUT,
    OPTION_CONTENT,
    OPTION_SAME_BUILD,
    OPTION_STORED,
    OPTION_SELF_CHECK
};

/* A row; a list of them ends with one without a name. */
typedef struct option_row {
    uint32_t id;          /* enum option_id */
    char letter;          /* its short form, or 0 */
    const char *name;     /* without the dashes */
    const char *argument; /* what its value is called in help; NULL for one without */
    const char *help;
    bool many; /* may be given more than once */
} option_row;

/* Rows that several commands have alike. */
#define ROW_HELP                                                \
    {                                                           \
        OPTION_HELP, 'h', "help", NULL, "show this text", false \
    }
#define ROW_JSON                                                            \
    {                                                                       \
        OPTION_JSON, 0, "json", NULL, "print one JSON object a line", false \
    }
#define ROW_STORE                                                                             \
    {                                                                                         \
        OPTION_STORE, 's', "store", "FILE", "the store ($DEJA_STORE, else plays.deja)", false \
    }
#define ROW_END                       \
    {                                 \
        0, 0, NULL, NULL, NULL, false \
    }

typedef struct args args;

/* An option that was given. */
typedef struct option_value {
    uint32_t id; /* enum option_id */
    const char *text;
} option_value;

typedef struct command_row {
    const char *name;
    const char *operands; /* as in the usage line */
    uint32_t operands_least;
    uint32_t operands_most;
    const char *summary;
    const char *notes; /* below the options; lines, or NULL */
    const option_row *options;
    int (*run)(const args *given); /* its status */
} command_row;

#define OPERANDS_ANY UINT32_MAX

/* What was typed behind a command's name. All borrowed from argv. */
struct args {
    const command_row *command;
    uint32_t value_count;
    option_value *values;
    uint32_t operand_count;
    const char **operands;
};

/* Takes argv apart, argv[0] being the command's name. STATUS_OK, or it has complained. Where help
 * is asked for, operands may be missing. Release in any case. */
int args_parse(args *out, const command_row *command, int argc, char **argv);
void args_release(args *given);

bool args_has(const args *given, uint32_t id);
/* The value, or NULL where it was not given. */
const char *args_value(const args *given, uint32_t id);
/* Value number `place` of one that may be repeated; NULL behind the last. */
const char *args_value_at(const args *given, uint32_t id, uint32_t place);
/* Its row's name, as "--games". */
const char *args_name(const args *given, uint32_t id);

/* These leave *out as it is where the option was not given; STATUS_OK, or they have complained. */
int args_number(const args *given, uint32_t id, uint64_t least, uint64_t most, uint64_t *out);
/* Seconds, with up to three digits behind a point; at most 2^32 - 1 milliseconds. */
int args_seconds(const args *given, uint32_t id, uint32_t *milliseconds);
/* One of some words, which end with NULL: its place. */
int args_choice(const args *given, uint32_t id, const char *const *words, uint32_t *place);

/* All of the text as a decimal number without sign, leading zeros and the like. */
bool number_read(const char *text, const char *end, uint64_t *out);

#endif
