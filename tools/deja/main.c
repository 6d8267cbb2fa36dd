/* SPDX-License-Identifier: MIT */
/*
 * The deja command. Where there is no deja-worker it is also that: with DEJA_WORKER_ARGUMENT
 * first, everything is handed over before anything else is done.
 */
#include <deja/replay.h>
#include <string.h>

#include "commands.h"
#include "interrupt.h"
#include "output.h"

/* --json counts from the first word on, so that also what is wrong with the others is told so. */
static bool wants_json(const command_row *command, int argc, char **argv)
{
    bool known = false;
    for (const option_row *row = command->options; row->name; row++)
        known = known || row->id == OPTION_JSON;
    for (int i = 1; known && i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--json") == 0)
            return true;
    return false;
}

static int run_command(const command_row *command, int argc, char **argv)
{
    args given;
    if (wants_json(command, argc, argv))
        output_use_json();
    int status = args_parse(&given, command, argc, argv);
    if (status == STATUS_OK && args_has(&given, OPTION_HELP))
        help_print_command(command);
    else if (status == STATUS_OK)
        status = command->run(&given);
    args_release(&given);
    return interrupt_signal() ? 128 + interrupt_signal() : status;
}

/* `deja` alone. */
static int refuse_nothing(void)
{
    deja_buffer names = { 0 };
    const command_row *row;
    for (uint32_t i = 0; (row = command_at(i)) != NULL; i++) {
        deja_buffer_text(&names, i == 0 ? "" : ", ");
        deja_buffer_text(&names, row->name);
    }
    const char *list = names.failed ? "in 'deja help'" : (const char *)names.bytes;
    complain(STATUS_USAGE, "usage: deja COMMAND [OPTIONS] ...; the commands are %s", list);
    deja_buffer_release(&names);
    return STATUS_USAGE;
}

static int run(int argc, char **argv)
{
    if (argc < 2)
        return refuse_nothing();
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        help_print_all();
        return STATUS_OK;
    }
    if (strcmp(word, "--version") == 0)
        return command_version.run(NULL);
    if (word[0] == '-')
        return complain(STATUS_USAGE, "unknown option '%s'; options come behind the command",
                        text_typed(word));
    const command_row *command = command_find(word);
    return command ? run_command(command, argc - 1, argv + 1) : STATUS_USAGE;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], DEJA_WORKER_ARGUMENT) == 0)
        return deja_worker_main(argc, argv);
    output_prepare();
    interrupt_prepare();
    return output_finish(run(argc, argv));
}
