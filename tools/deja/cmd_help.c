/* SPDX-License-Identifier: MIT */
/*
 * deja help [COMMAND]
 */
#include <stddef.h>

#include "commands.h"
#include "output.h"

static int run(const args *given)
{
    if (given->operand_count == 0) {
        help_print_all();
        return STATUS_OK;
    }
    const command_row *command = command_find(given->operands[0]);
    if (!command)
        return STATUS_USAGE;
    help_print_command(command);
    return STATUS_OK;
}

static const option_row options[] = { ROW_HELP, ROW_END };

const command_row command_help = {
    .name = "help",
    .operands = "[COMMAND]",
    .operands_most = 1,
    .summary = "tell of the commands, or of one of them",
    .options = options,
    .run = run,
};
