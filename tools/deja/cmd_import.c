/* SPDX-License-Identifier: MIT */
/*
 * deja import: replay texts and journals into a store. Each text is taken whole or not at all, a
 * journal as far as it is good, and one that is wrong keeps no other out.
 */
#include <deja/journal_read.h>
#include <deja/replay.h>
#include <deja/text.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "files.h"
#include "find_rules.h"
#include "interrupt.h"
#include "json.h"
#include "output.h"
#include "sessions.h"

/* A file, as it was read. */
typedef struct source {
    deja_buffer bytes;
    bool in_writing; /* some process held a lock on it */
    long writer;     /* that process; 0 where the system does not say */
} source;

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

/* @param told of a journal, else NULL */
static void tell(importing *state, const char *name, const deja_id *id, bool known,
                 const deja_journal_told *told)
{
    state->imported++;
    state->known += known;
    if (output_is_json()) {
        json_begin("session");
        json_text("id", hex_text(id->bytes, ID_DIGITS));
        json_text("file", name);
        json_bool("known", known);
        if (told) {
            json_number("steps", told->steps);
            json_text("ended", ended_name(told->ended));
        }
        json_end();
    } else {
        out_line("%s  %s%s", hex_text(id->bytes, ID_SHORT), name, known ? "  (known)" : "");
    }
}

/* One file, whichever kind it is. Without a store it is looked at only. */
static deja_code take(importing *state, deja_store *store, const char *name,
                      const deja_buffer *file, deja_journal_told *told, deja_error *err)
{
    const deja_text_rules *rules = state->has_rules ? &state->rules : NULL;
    if (deja_is_journal(file->bytes, file->size))
        return deja_journal_import(store, name, file->bytes, file->size, told, err);
    return deja_import(store, name, (const char *)file->bytes, file->size, rules, &told->id,
                       &told->known, err);
}

/* Whether a file is being written: a journal's writer holds a lock on it while it lives. A pipe is
 * not opened: its other end would lose its reader. */
static void learn_writer(source *from, const char *path)
{
    struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };
    struct stat about;
    if (strcmp(path, "-") == 0 || stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return;
    from->in_writing = fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type == F_WRLCK;
    from->writer = from->in_writing && lock.l_pid > 0 ? (long)lock.l_pid : 0;
    close(descriptor);
}

static void remark_on_writer(const char *name, const source *from)
{
    if (from->writer)
        remark("%s: is still being written by process %ld; taken as it is now", text_typed(name),
               from->writer);
    else
        remark("%s: is still being written; taken as it is now", text_typed(name));
}

/* What is not as its game would have it. */
static void remark_on_journal(const char *name, const source *from, const deja_journal_told *told)
{
    const bool is_stopped = !from->in_writing;
    if (from->in_writing)
        remark_on_writer(name, from);
    if (told->why[0])
        remark("%s: complete up to step %llu; then %s", text_typed(name),
               (unsigned long long)told->steps, told->why);
    else if (is_stopped && told->ended == DEJA_ENDED_UNFINISHED)
        remark("%s: recording stopped early, complete up to step %llu", text_typed(name),
               (unsigned long long)told->steps);
    if (is_stopped && told->ended == DEJA_ENDED_CRASHED)
        remark("%s: recording stopped in step %llu, whose command is kept", text_typed(name),
               (unsigned long long)told->steps);
    if (told->sessions > 1)
        remark("%s: holds %s sessions; all are taken, and this is the last", text_typed(name),
               text_count(told->sessions));
    if (told->left_out)
        remark("%s: %llu mark%s left out that a store does not take", text_typed(name),
               (unsigned long long)told->left_out, told->left_out == 1 ? " is" : "s are");
}

static int import_file(importing *state, const char *path, const source *from)
{
    const deja_buffer *file = &from->bytes;
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    const bool is_journal = deja_is_journal(file->bytes, file->size);
    deja_journal_told told;
    deja_error err;
    deja_code code = DEJA_OK;
    memset(&told, 0, sizeof told);
    if (!state->store) {
        /* The first one that is sound makes the store; one that is not leaves none behind. */
        code = take(state, NULL, name, file, &told, &err);
        const int status =
            code == DEJA_OK ? store_open(&state->store, state->given, DEJA_STORE_WRITE) : STATUS_OK;
        if (status != STATUS_OK) {
            state->shut = true;
            return status;
        }
    }
    if (code == DEJA_OK)
        code = take(state, state->store, name, file, &told, &err);
    if (code == DEJA_OK) {
        tell(state, name, &told.id, told.known, is_journal ? &told : NULL);
        if (is_journal)
            remark_on_journal(name, from, &told);
        return STATUS_OK;
    }
    /* Naming the rules cures what a scenario is missing. */
    const int status = code == DEJA_EUNFIT && !state->has_rules ? STATUS_USAGE : status_of(code);
    return complain(status, "%s", err.message);
}

/* All files are read before anything is stored of any: a wrong name is told first. */
static int import_all(importing *state, source *files)
{
    const args *given = state->given;
    int status = STATUS_OK;
    for (uint32_t i = 0; i < given->operand_count && status == STATUS_OK; i++) {
        learn_writer(&files[i], given->operands[i]);
        status = file_read(given->operands[i], &files[i].bytes);
    }
    if (status == STATUS_OK)
        status = learn_rules(state);
    if (status != STATUS_OK)
        return status;
    state->began = true;
    for (uint32_t i = 0; i < given->operand_count && !state->shut && !interrupt_signal(); i++)
        status = status_worse(status, import_file(state, given->operands[i], &files[i]));
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
    source *files = calloc(given->operand_count, sizeof *files);
    if (!files)
        return complain_memory();
    const int status = import_all(&state, files);
    if (state.began && !state.shut)
        tell_summary(&state);
    for (uint32_t i = 0; i < given->operand_count; i++)
        deja_buffer_release(&files[i].bytes);
    free(files);
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
    .summary = "take replay texts and journals into a store",
    .notes = "'-' is standard input. The store is created where there is none.",
    .options = options,
    .run = run,
};
