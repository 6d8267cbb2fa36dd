/* SPDX-License-Identifier: MIT */
/*
 * The table of commands, and what is said of them.
 */
#ifndef DEJA_TOOL_COMMANDS_H
#define DEJA_TOOL_COMMANDS_H

#include "args.h"

/* Each in its cmd_NAME.c. */
extern const command_row command_record;
extern const command_row command_verify;
extern const command_row command_ls;
extern const command_row command_show;
extern const command_row command_export;
extern const command_row command_import;
extern const command_row command_info;
extern const command_row command_doctor;
extern const command_row command_help;
extern const command_row command_version;

/* NULL behind the last. */
const command_row *command_at(uint32_t place);
/* NULL, after having complained, where there is none of that name. */
const command_row *command_find(const char *name);

/* The commands, a line each. */
void help_print_all(void);
void help_print_command(const command_row *command);

#endif
