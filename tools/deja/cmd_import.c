/* SPDX-License-Identifier: MIT */
/*
 * deja import: replay texts into a store. Each text is taken whole or not at all, and one that is
 * wrong keeps no other out.
 */
#include <deja/replay.h>
#include <deja/text.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "files.h"
#include "find_rules.h"
#include "interrupt.h"
#include "json.h"
#include "output.h"
#include "sessions.h"

typedef struct importing {
    const args *given;
    deja_store *store; /* NULL until a text was sound */
    bool began;        /* all files were read */
    bool shut;         /* the store cannot be opened */
    deja_rules_info info;
    deja_text_rules rules;
    bool has_rules;
    uint64_t imported;
    uint64_t known;
} importing;

static int learn_rules(importing *state)
{
    int status = STATUS_OK;
    const char *word = args_value(state->given, OPTION_RULES);
    if (!word)
        return STATUS_OK;
    char *path = find_rules(word, &status);
    if (!path)
        return status;
    status = inspect_rules(&state->info, path);
    if (status == STATUS_OK) {
        state->has_rules = true;
        state->rules.game = state->info.game;
        state->rules.version = state->info.version;
        for (uint32_t i = 0; i < 4; i++)
            state->rules.layouts[i] = state->info.layouts[i];
        state->rules.refusals = state->info.refusals;
        state->rules.outcomes = state->info.outcomes;
        state->rules.config_default.bytes = state->info.config_default;
        state->rules.config_default.size = state->info.config_default_size;
    }
    free(path);
    return status;
}

static void tell(importing *state, const char *name, const deja_id *id, bool known)
{
    state->imported++;
    state->known += known;
    if (output_is_json()) {
        json_begin("session");
        json_text("id", hex_text(id->bytes, ID_DIGITS));
        json_text("file", name);
        json_bool("known", known);
        json_end();
    } else {
        out_line("%s  %s%s", hex_text(id->bytes, ID_SHORT), name, known ? "  (known)" : "");
    }
}

static int import_text(importing *state, const char *path, const deja_buffer *text)
{
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    const char *chars = (const char *)text->bytes;
    const deja_text_rules *rules = state->has_rules ? &state->rules : NULL;
    deja_id id;
    bool known = false;
    deja_error err;
    deja_code code = DEJA_OK;
    if (!state->store) {
        /* The first text that is sound makes the store; one that is not leaves none behind. */
        code = deja_import(NULL, name, chars, text->size, rules, NULL, NULL, &err);
        const int status =
            code == DEJA_OK ? store_open(&state->store, state->given, DEJA_STORE_WRITE) : STATUS_OK;
        if (status != STATUS_OK) {
            state->shut = true;
            return status;
        }
    }
    if (code == DEJA_OK)
        code = deja_import(state->store, name, chars, text->size, rules, &id, &known, &err);
    if (code == DEJA_OK) {
        tell(state, name, &id, known);
        return STATUS_OK;
    }
    /* Naming the rules cures what a scenario is missing. */
    const int status = code == DEJA_EUNFIT && !rules ? STATUS_USAGE : status_of(code);
    return complain(status, "%s", err.message);
}

/* All files are read before anything is stored of any: a wrong name is told first. */
static int import_all(importing *state, deja_buffer *texts)
{
    const args *given = state->given;
    int status = STATUS_OK;
    for (uint32_t i = 0; i < given->operand_count && status == STATUS_OK; i++)
        status = file_read(given->operands[i], &texts[i]);
    if (status == STATUS_OK)
        status = learn_rules(state);
    if (status != STATUS_OK)
        return status;
    state->began = true;
    for (uint32_t i = 0; i < given->operand_count && !state->shut && !interrupt_signal(); i++)
        status = status_worse(status, import_text(state, given->operands[i], &texts[i]));
    return store_close(state->store, status);
}

static void tell_summary(const importing *state)
{
    if (!output_is_json())
        return;
    json_begin("summary");
    json_number("files", state->given->operand_count);
    json_number("sessions", state->imported);
    json_number("known", state->known);
    json_end();
}

static int run(const args *given)
{
    importing state;
    memset(&state, 0, sizeof state);
    state.given = given;
    deja_buffer *texts = calloc(given->operand_count, sizeof *texts);
    if (!texts)
        return complain_memory();
    const int status = import_all(&state, texts);
    if (state.began && !state.shut)
        tell_summary(&state);
    for (uint32_t i = 0; i < given->operand_count; i++)
        deja_buffer_release(&texts[i]);
    free(texts);
    if (state.has_rules)
        deja_rules_info_release(&state.info);
    return status;
}

static const option_row options[] = {
    { OPTION_RULES, 'r', "rules", "RULES", "fill in what a scenario leaves out", false },
    ROW_STORE,
    ROW_JSON,
    ROW_HELP,
    ROW_END,
};

const command_row command_import = {
    .name = "import",
    .operands = "FILE...",
    .operands_least = 1,
    .operands_most = OPERANDS_ANY,
    .summary = "take replay texts into a store",
    .notes = "'-' is standard input. The store is created where there is none.",
    .options = options,
    .run = run,
};
