/* SPDX-License-Identifier: MIT */
/*
 * Import: see import.h for the idea. This file owns the loop over the lines.
 */
#include "text/import.h"

#include "base/nearest.h"
#include "fields/values.h"

#include <stdio.h>

/* ---- failing ---- */

deja_code deja__import_within(deja__import *import, uint64_t line, deja_code code)
{
    if (code == DEJA_OK || code == DEJA_ENOMEM)
        return code;
    deja__fail_within(import->err, DEJA_EFORMAT, "%s:%llu", import->name,
                      (unsigned long long)(line ? line : 1));
    if (import->err)
        import->err->code = DEJA_EFORMAT;
    return DEJA_EFORMAT;
}

deja_code deja__import_fail(deja__import *import, uint64_t line, const char *format, ...)
{
    char message[DEJA_ERROR_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments); /* lint: no stream */
    va_end(arguments);
    deja__fail(import->err, DEJA_EFORMAT, "%s", message);
    return deja__import_within(import, line, DEJA_EFORMAT);
}

void deja__import_clean_name(const char *name, char clean[DEJA__IMPORT_NAME_SIZE])
{
    size_t size = 0;
    for (; name[size] && size < DEJA__IMPORT_NAME_SIZE - 1; size++)
        clean[size] = (unsigned char)name[size] < 0x20 || name[size] == 0x7f ? '?' : name[size];
    clean[size] = 0;
    /* It may have been cut within a character, or never have been text. */
    if (!deja__is_utf8(clean, size))
        for (size_t i = 0; i < size; i++)
            clean[i] = (unsigned char)clean[i] < 0x80 ? clean[i] : '?';
}

/* ---- lines ---- */

static deja_code unknown_keyword(deja__import *import)
{
    const deja__line *line = &import->line;
    char word[DEJA__WORD_SIZE];
    const char *nearest =
        deja__nearest_of(line->word, line->word_size, deja__keywords, DEJA__KEY_COUNT);
    return deja__import_fail(import, line->number, "there is no keyword '%s:'%s%s%s",
                             deja__word(line->word, line->word_size, word),
                             nearest ? "; the nearest is '" : "", nearest ? nearest : "",
                             nearest ? ":'" : "");
}

static deja_code read_line(deja__import *import)
{
    deja_code code = DEJA_OK;
    const enum deja__key key = import->line.key;
    if (key == DEJA__KEY_UNKNOWN)
        return unknown_keyword(import);
    if (key < DEJA__KEY_SECTION)
        return deja__import_header(import);
    if (!import->settled)
        code = deja__import_settle(import);
    if (code < 0)
        return code;
    return key >= DEJA__KEY_END && key < DEJA__KEY_COUNT ? deja__import_tail(import)
                                                         : deja__import_body(import);
}

/* The first line says what this is. */
static deja_code read_first(deja__import *import, const char *text, uint64_t size)
{
    uint64_t version;
    const bool any = deja__lines_next(&import->lines, &import->line);
    const deja__line *line = &import->line;
    if (any && line->key == DEJA__KEY_REPLAY) {
        if (!deja__read_u64(line->at, line->size, UINT64_MAX, &version) || version == 0)
            return deja__import_fail(import, line->number, "the format's version belongs here: %d",
                                     DEJA__REPLAY_VERSION);
        if (version > DEJA__REPLAY_VERSION)
            return deja__fail(import->err, DEJA_EVERSION,
                              "%s:%llu: a replay text of version %llu; this deja reads version %d",
                              import->name, (unsigned long long)line->number,
                              (unsigned long long)version, DEJA__REPLAY_VERSION);
        import->headers[DEJA__KEY_REPLAY] = *line;
        return DEJA_OK;
    }
    if (size >= 15 && memcmp(text, "SQLite format 3", 15) == 0)
        return deja__import_fail(import, 1,
                                 "this is a SQLite file and not a replay text; a store "
                                 "is opened, not imported");
    return deja__import_fail(import, any ? line->number : 1,
                             "not a replay text: these begin with 'deja-replay: %d'",
                             DEJA__REPLAY_VERSION);
}

static deja_code begin_text(deja__import *import, const char *text, uint64_t size)
{
    uint64_t number = 0;
    const bool sound = deja__lines_open(&import->lines, text, size, &number);
    deja_code code = DEJA_OK;
    /* A file of another kind is told by how it begins, sound or not. */
    if (sound || size < 12 || memcmp(text, "deja-replay:", 12) != 0)
        code = read_first(import, text, size);
    if (code == DEJA_OK && !sound)
        return deja__import_fail(import, number, "a byte that is not UTF-8, or a NUL");
    return code;
}

deja_code deja__import_headers(deja__import *import, const char *text, uint64_t size)
{
    deja_code code = begin_text(import, text, size);
    while (code == DEJA_OK && deja__lines_next(&import->lines, &import->line)) {
        if (import->line.key >= DEJA__KEY_SECTION)
            return deja__import_fail(import, import->line.number, "only headers belong here");
        code = deja__import_header(import);
    }
    return code == DEJA_OK ? deja__import_settle(import) : code;
}

static deja_code read_text(deja__import *import, const char *text, uint64_t size)
{
    deja_code code = begin_text(import, text, size);
    while (code == DEJA_OK && deja__lines_next(&import->lines, &import->line))
        code = read_line(import);
    if (code == DEJA_OK && !import->settled)
        code = deja__import_settle(import);
    if (code == DEJA_OK)
        code = deja__import_finish(import);
    return code;
}

/* ---- all of it ---- */

void deja__draft_release(deja__draft *draft)
{
    for (uint32_t i = 0; i < DEJA__WORD_COUNT; i++)
        deja_buffer_release(&draft->words[i]);
    for (uint32_t i = 0; i < 4; i++)
        deja__shape_close(&draft->shapes[i]);
    deja__shape_close(&draft->start_shape);
    deja_buffer_release(&draft->config);
    deja_buffer_release(&draft->start);
    deja_buffer_release(&draft->command_bytes);
    deja_buffer_release(&draft->entries);
    deja_buffer_release(&draft->remarks);
    deja_buffer_release(&draft->remark_text);
    deja_buffer_release(&draft->outcome);
    deja_buffer_release(&draft->runs);
    deja_buffer_release(&draft->trail);
    deja_buffer_release(&draft->chains);
    deja_buffer_release(&draft->event_chains);
}

deja_code deja_import(deja_store *store, const char *name, const char *text, uint64_t size,
                      const deja_text_rules *rules, deja_id *id, bool *known, deja_error *err)
{
    char clean[DEJA__IMPORT_NAME_SIZE];
    if (!name || (!text && size != 0))
        return deja__fail(err, DEJA_EMISUSE, "import needs a name and a text");
    deja__import_clean_name(name, clean);
    deja__import import = { .name = clean, .rules = rules, .err = err, .size = size };
    deja_code code = read_text(&import, text ? text : "", size);
    if (code == DEJA_OK && store)
        code = deja__draft_store(&import.draft, store, id, known, err);
    deja__draft_release(&import.draft);
    return code;
}
