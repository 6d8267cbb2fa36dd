/* SPDX-License-Identifier: MIT */
#include "journals.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/scratch.h"

/* ---- scenes ---- */

void scene_open(scene *s)
{
    memset(s, 0, sizeof *s);
    scratch_open(s->folder);
    snprintf(s->path, sizeof s->path, "%s/play.journal", s->folder);
    s->options = (deja_journal_options)DEJA_JOURNAL_OPTIONS_INIT;
    s->options.segment_size = 1u << 16;
    s->options.game = "counter";
    s->options.version = "1.0";
    s->options.refusals = "odd late";
    s->options.seed = 7;
    s->options.start_hash = counter_hash(0);
}

void scene_start(scene *s)
{
    cr_assert_eq(deja_journal_open(&s->journal, s->path, &s->options), DEJA_JOURNAL_OK);
}

void scene_close(scene *s)
{
    scratch_close(s->folder);
}

uint32_t counter_command(uint64_t i)
{
    return (uint32_t)(i * 2654435761u);
}

uint32_t counter_result(uint64_t i)
{
    return (uint32_t)(i % 3);
}

uint64_t counter_hash(uint64_t i)
{
    return (i + 1) * UINT64_C(0xd6e8feb86659fd93);
}

void count_steps(deja_journal *journal, uint64_t first, uint64_t last)
{
    for (uint64_t i = first; i <= last; i++) {
        const uint32_t command = counter_command(i);
        cr_assert_eq(deja_journal_begin(journal, &command, sizeof command), DEJA_JOURNAL_OK);
        cr_assert_eq(deja_journal_end(journal, counter_result(i), counter_hash(i)),
                     DEJA_JOURNAL_OK);
    }
}

deja_buffer scene_bytes(const scene *s)
{
    deja_buffer bytes = { 0 };
    struct stat about;
    FILE *file = fopen(s->path, "rb");
    cr_assert(file && fstat(fileno(file), &about) == 0);
    unsigned char *room = deja_buffer_extend(&bytes, (uint64_t)about.st_size);
    cr_assert_eq(fread(room, 1, (size_t)about.st_size, file), (size_t)about.st_size);
    fclose(file);
    return bytes;
}

/* ---- import ---- */

static bool add_chars(void *user, const char *chars, uint64_t size)
{
    return deja_buffer_add(user, chars, size);
}

static char *export_only(const char *path)
{
    uint64_t count;
    int64_t *keys = scratch_keys(path, &count);
    deja_store *store;
    deja_buffer text = { 0 };
    deja_error err;
    cr_assert_eq(count, 1u);
    cr_assert_eq(deja_store_open(&store, path, DEJA_STORE_READ, &err), DEJA_OK, "%s", err.message);
    cr_assert_eq(deja_store_check(store, &err), DEJA_OK, "%s", err.message);
    cr_assert_eq(deja_export(store, keys[0], 0, add_chars, &text, &err), DEJA_OK, "%s",
                 err.message);
    deja_store_close(store, NULL);
    free(keys);
    deja_buffer_char(&text, 0);
    return (char *)text.bytes;
}

char *import_text(const deja_buffer *bytes, deja_journal_told *told, deja_code *code,
                  char message[DEJA_ERROR_MESSAGE_SIZE])
{
    char folder[64], path[128];
    deja_store *store;
    deja_error err = { 0 };
    scratch_open(folder);
    snprintf(path, sizeof path, "%s/plays.deja", folder);
    cr_assert_eq(deja_store_open(&store, path, DEJA_STORE_WRITE, &err), DEJA_OK, "%s", err.message);
    *code = deja_journal_import(store, "play.journal", bytes->bytes, bytes->size, told, &err);
    snprintf(message, DEJA_ERROR_MESSAGE_SIZE, "%s", *code < 0 ? err.message : "");
    cr_assert_eq(deja_store_close(store, &err), DEJA_OK, "%s", err.message);
    char *text = *code == DEJA_OK ? export_only(path) : NULL;
    scratch_close(folder);
    return text;
}

char *imported(const deja_buffer *bytes, deja_journal_told *told)
{
    deja_code code;
    char message[DEJA_ERROR_MESSAGE_SIZE];
    char *text = import_text(bytes, told, &code, message);
    cr_assert_eq(code, DEJA_OK, "%s", message);
    return text;
}
