/* SPDX-License-Identifier: MIT */
/*
 * The commands in the order in which people meet them, and help, which is printed from their rows.
 */
#include "commands.h"

#include <stdio.h>
#include <string.h>

#include "output.h"
#include "suggest.h"

static const command_row *const commands[] = {
    &command_record, &command_verify, &command_ls,     &command_show, &command_export,
    &command_import, &command_info,   &command_doctor, &command_help, &command_version,
};

const command_row *command_at(uint32_t place)
{
    return place < sizeof commands / sizeof *commands ? commands[place] : NULL;
}

const command_row *command_find(const char *name)
{
    nearest search = nearest_begin(name);
    const command_row *row;
    for (uint32_t i = 0; (row = command_at(i)) != NULL; i++) {
        if (strcmp(row->name, name) == 0)
            return row;
        nearest_offer(&search, row->name);
    }
    if (search.name)
        complain(STATUS_USAGE, "unknown command '%s'; did you mean '%s'?", text_typed(name),
                 search.name);
    else
        complain(STATUS_USAGE, "unknown command '%s'; see 'deja help'", text_typed(name));
    return NULL;
}

/* ---- help ---- */

void help_print_all(void)
{
    const command_row *row;
    out_line("usage: deja COMMAND [OPTIONS] ...");
    out_end();
    out_line(
        "Finds the first step at which two builds of a game disagree, and says what differed.");
    out_end();
    for (uint32_t i = 0; (row = command_at(i)) != NULL; i++)
        out_line("  %-9s %s", row->name, row->summary);
    out_end();
    out_line("'deja help COMMAND' tells of one of them.");
    out_end();
    out_line(
        "RULES is a path of a rules library (it has a slash or ends in .so), or the name of a");
    out_line("game in the folders of $DEJA_RULES or among the installed ones. SESSION is the");
    out_line("beginning of a session's id, as 'deja ls' shows it.");
    out_end();
    out_line(
        "status: 0 all that was asked agrees; 1 a finding; 3 the rules crashed or hung; 125 no");
    out_line(
        "verdict with this build; 128 trouble with files or the system; 129 not a command line");
    out_line("that makes sense; 130, 143 interrupted.");
}

static void print_option(const option_row *row, int width)
{
    char left[64];
    char letter[8] = "    ";
    if (row->letter)
        snprintf(letter, sizeof letter, "-%c, ", row->letter);
    snprintf(left, sizeof left, "%s--%s%s%s", letter, row->name, row->argument ? " " : "",
             row->argument ? row->argument : "");
    out_line("  %-*s  %s%s", width, left, row->help, row->many ? " (repeatable)" : "");
}

void help_print_command(const command_row *command)
{
    int width = 0;
    out_line("usage: deja %s [OPTIONS]%s%s", command->name, *command->operands ? " " : "",
             command->operands);
    out_end();
    out_line("%s", command->summary);
    out_end();
    for (const option_row *row = command->options; row->name; row++) {
        const size_t argument = row->argument ? strlen(row->argument) + 1 : 0;
        const int size = (int)(6 + strlen(row->name) + argument);
        width = size > width ? size : width;
    }
    for (const option_row *row = command->options; row->name; row++)
        print_option(row, width);
    if (command->notes) {
        out_end();
        out_block("", command->notes);
    }
}
