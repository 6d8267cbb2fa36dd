/* SPDX-License-Identifier: MIT */
/*
 * deja export: sessions as replay texts.
 */
#include <deja/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "files.h"
#include "interrupt.h"
#include "output.h"
#include "sessions.h"

typedef struct exporting {
    const args *given;
    deja_store *store;
    uint32_t recording;
    file_writer file;
    bool to_file;
} exporting;

static const file_kind replay_text = { "replay text", "deja-replay:" };

static bool take_text(void *user, const char *chars, uint64_t size)
{
    exporting *state = user;
    if (interrupt_signal())
        return false;
    if (state->to_file)
        return file_write(&state->file, chars, size);
    out_bytes(chars, size);
    return output_is_wanted();
}

/* One session, to a file or, where `path` is NULL, to stdout. */
static int export_one(exporting *state, const char *name, int64_t key, const char *path)
{
    deja_error err;
    int status = STATUS_OK;
    state->to_file = path != NULL;
    if (path)
        status = file_begin(&state->file, path, &replay_text);
    if (status != STATUS_OK)
        return status;
    const deja_code code = deja_export(state->store, key, state->recording, take_text, state, &err);
    if (code < 0 && (interrupt_signal() || (!path && !output_is_wanted()))) {
        if (path)
            file_abandon(&state->file);
        return STATUS_OK; /* nobody wants it any more; output_finish() knows the rest */
    }
    if (code < 0 && path && state->file.error != 0)
        return file_finish(&state->file); /* which says why */
    if (code < 0) {
        if (path)
            file_abandon(&state->file);
        return complain_of(name, &err);
    }
    return path ? file_finish(&state->file) : STATUS_OK;
}

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static int export_into(exporting *state, const char *name, int64_t key, const char *folder)
{
    char *path = NULL;
    deja_reader *reader = NULL;
    deja_error err;
    if (deja_reader_open(&reader, state->store, key, state->recording, &err) < 0)
        return complain_of(NULL, &err);
    const char *id = hex_text(deja_reader_session(reader)->id.bytes, ID_DIGITS);
    int status = STATUS_OK;
    if (asprintf(&path, "%s/%s.replay", folder, id) < 0)
        status = complain_memory();
    else
        status = export_one(state, name, key, path);
    if (status == STATUS_OK && !interrupt_signal())
        out_line("%s", path);
    free(path);
    deja_reader_close(reader);
    return status;
}

/* All names are looked up before the first text is written. */
static int export_all(exporting *state, int64_t *keys)
{
    const args *given = state->given;
    const char *target = args_value(given, OPTION_OUTPUT);
    const bool to_stdout = !target || strcmp(target, "-") == 0;
    int status = STATUS_OK;
    for (uint32_t i = 0; i < given->operand_count && status == STATUS_OK; i++)
        status = store_find(state->store, given->operands[i], &keys[i]);
    if (status != STATUS_OK)
        return status;
    for (uint32_t i = 0; i < given->operand_count && status == STATUS_OK; i++) {
        const char *name = given->operands[i];
        if (interrupt_signal())
            break;
        if (!to_stdout && is_folder(target))
            status = export_into(state, name, keys[i], target);
        else
            status = export_one(state, name, keys[i], to_stdout ? NULL : target);
    }
    return status;
}

static int check_target(const args *given)
{
    const char *target = args_value(given, OPTION_OUTPUT);
    if (target && !*target)
        return complain(STATUS_USAGE, "export: --output: the name is empty");
    if (given->operand_count > 1 && (!target || !is_folder(target)))
        return complain(STATUS_USAGE,
                        "export: a text holds one session; for %u name a folder that "
                        "is there with -o",
                        given->operand_count);
    return STATUS_OK;
}

static int run(const args *given)
{
    exporting state;
    uint64_t recording = 1;
    memset(&state, 0, sizeof state);
    state.given = given;
    int status = args_number(given, OPTION_RECORDING, 1, UINT32_MAX, &recording);
    state.recording = (uint32_t)(recording - 1);
    if (status == STATUS_OK)
        status = check_target(given);
    if (status == STATUS_OK)
        status = store_open(&state.store, given, DEJA_STORE_READ);
    if (status != STATUS_OK)
        return status;
    int64_t *keys = calloc(given->operand_count, sizeof *keys);
    status = keys ? export_all(&state, keys) : complain_memory();
    free(keys);
    return store_close(state.store, status);
}

static const option_row options[] = {
    { OPTION_OUTPUT, 'o', "output", "FILE", "to this file; or into this folder, as ID.replay",
      false },
    { OPTION_RECORDING, 0, "recording", "K", "recording K, 1 being the newest", false },
    ROW_STORE,
    ROW_HELP,
    ROW_END,
};

const command_row command_export = {
    .name = "export",
    .operands = "SESSION...",
    .operands_least = 1,
    .operands_most = OPERANDS_ANY,
    .summary = "write sessions as replay texts",
    .options = options,
    .run = run,
};
