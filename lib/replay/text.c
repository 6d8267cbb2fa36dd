/* SPDX-License-Identifier: MIT */
/*
 * The commands around a finding, as text; and on the way, whether the session is whole to its end.
 *
 * A finding in an early block must not hide damage in a later one: what is stored counts as damaged
 * before anything in it counts as different. So a session with a finding is read through.
 */
#include "replay/lane.h"

#include <stdlib.h>

static void find_damage(deja__replay *replay, const deja_error *failure)
{
    deja__finding *finding = &replay->finding;
    memset(finding, 0, sizeof *finding);
    finding->kind = DEJA__DAMAGE;
    finding->step = finding->step_last = failure->step;
    deja__copy_line(finding->reason, sizeof finding->reason, failure->message);
}

/* A command as the recorded layout writes it. */
static deja_code print_command(const deja__replay *replay, const deja_steps *block, uint64_t step,
                               char **out, deja_error *err)
{
    const uint32_t at = (uint32_t)(step - block->first);
    const uint32_t begin = at ? block->command_ends[at - 1] : 0;
    deja_buffer text = { 0 };
    deja_error failure = { 0 };
    deja_code code = deja_value_print(replay->fit->recorded[DEJA_COMMAND], block->commands + begin,
                                      block->command_ends[at] - begin, &text, &failure);
    if (code != DEJA_OK && code != DEJA_ENOMEM) {
        deja_buffer_clear(&text);
        code = deja_buffer_text(&text, "(not a command)") ? DEJA_OK : DEJA_ENOMEM;
    }
    if (code == DEJA_OK && !text.failed) {
        free(*out);
        *out = (char *)text.bytes;
        return DEJA_OK;
    }
    deja_buffer_release(&text);
    return deja__fail_memory(err);
}

static deja_code keep_commands(const deja__replay *replay, const deja_steps *block, uint64_t step,
                               deja__commands *commands, deja_error *err)
{
    const uint64_t last = block->first + block->count - 1;
    deja_code code = DEJA_OK;
    if (step >= block->first && step <= last)
        code = print_command(replay, block, step, &commands->at_step, err);
    for (uint32_t i = 0; i < replay->before_count && code == DEJA_OK; i++) {
        const uint64_t before = replay->before[i].step;
        if (before >= block->first && before <= last)
            code = print_command(replay, block, before, &commands->before[i], err);
    }
    return code;
}

deja_code deja__commands_read(deja__replay *replay, uint64_t step, deja__commands *commands,
                              deja_error *err)
{
    deja_error failure = { 0 };
    deja_steps block;
    deja_code code;
    deja_reader_rewind(replay->reader);
    for (;;) {
        code = deja_reader_next(replay->reader, &block, &failure);
        if (code != DEJA_OK || block.count == 0)
            break;
        if (replay->fit->recorded[DEJA_COMMAND]) {
            code = keep_commands(replay, &block, step, commands, err);
            if (code != DEJA_OK)
                return code;
        }
    }
    if (code == DEJA_EDAMAGED) {
        find_damage(replay, &failure);
        return DEJA_OK;
    }
    if (code != DEJA_OK && err)
        *err = failure;
    return code;
}

void deja__commands_release(deja__commands *commands)
{
    free(commands->at_step);
    for (uint32_t i = 0; i < DEJA__BEFORE_MAX; i++)
        free(commands->before[i]);
    memset(commands, 0, sizeof *commands);
}
