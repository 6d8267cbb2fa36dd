/* SPDX-License-Identifier: MIT */
/*
 * What stands between the headers and the end: commands and how often they repeat, and what was
 * remarked behind them.
 */
#include "text/import.h"

#include "fields/values.h"

/* Steps of one text, so that no line of a few bytes means hours of work. */
#define STEPS_MAX ((uint64_t)1 << 34)
/* A text comes from a stranger: what a few bytes of it stand for takes seconds, not hours. */
#define STEPS_EASY ((uint64_t)1 << 27)
#define STEPS_A_BYTE 256u

/* ---- commands ---- */

/* So many more commands of this size: whether each block stays within its limit. */
static bool fits_blocks(deja__draft *draft, uint64_t size, uint64_t times)
{
    const uint64_t in_block = draft->steps % DEJA__BLOCK_STEPS;
    const uint64_t room = DEJA__BLOCK_STEPS - in_block;
    const uint64_t first = times < room ? times : room;
    const uint64_t rest = times - first;
    const uint64_t most = rest < DEJA__BLOCK_STEPS ? rest : DEJA__BLOCK_STEPS;
    draft->block_bytes = (in_block ? draft->block_bytes : 0) + size * first;
    if (draft->block_bytes > DEJA__DRAFT_BLOCK_BYTES || size * most > DEJA__DRAFT_BLOCK_BYTES)
        return false;
    if (rest)
        draft->block_bytes = size * ((rest - 1) % DEJA__BLOCK_STEPS + 1);
    return true;
}

static uint64_t steps_max(const deja__import *import)
{
    if (import->size <= STEPS_EASY / STEPS_A_BYTE)
        return STEPS_EASY;
    return import->size < STEPS_MAX / STEPS_A_BYTE ? import->size * STEPS_A_BYTE : STEPS_MAX;
}

static deja_code add_entry(deja__import *import, uint64_t size, uint32_t entry_size, uint64_t times)
{
    deja__draft *draft = &import->draft;
    const uint64_t most = steps_max(import);
    if (times > most - draft->steps)
        return deja__import_fail(import, import->line.number,
                                 "more than %llu steps, the most for a text of %llu bytes",
                                 (unsigned long long)most, (unsigned long long)import->size);
    if (!fits_blocks(draft, size, times))
        return deja__import_fail(import, import->line.number,
                                 "the commands of one block of %d steps have more than %llu bytes",
                                 DEJA__BLOCK_STEPS, (unsigned long long)DEJA__DRAFT_BLOCK_BYTES);
    draft->steps += times;
    while (times > 0) {
        const deja__entry entry = { entry_size, times < UINT32_MAX ? (uint32_t)times : UINT32_MAX };
        if (!deja_buffer_add(&draft->entries, &entry, sizeof entry))
            return deja__fail_memory(import->err);
        times -= entry.times;
        entry_size = DEJA__ENTRY_SAME;
    }
    return DEJA_OK;
}

static deja_code read_command(deja__import *import)
{
    deja__draft *draft = &import->draft;
    const uint64_t before = draft->command_bytes.size;
    const deja_code code =
        deja__shape_parse(&draft->shapes[DEJA__WORD_COMMAND - DEJA__WORD_STATE], import->line.at,
                          import->line.size, &draft->command_bytes, import->err);
    if (code < 0)
        return deja__import_within(import, import->line.number, code);
    const uint64_t size = draft->command_bytes.size - before;
    if (size > DEJA__COMMAND_SIZE_MAX)
        return deja__import_fail(
            import, import->line.number, "the command has %llu bytes; the most are %llu",
            (unsigned long long)size, (unsigned long long)DEJA__COMMAND_SIZE_MAX);
    draft->last_size = size;
    return add_entry(import, size, (uint32_t)size, 1);
}

static deja_code read_repeat(deja__import *import)
{
    const deja__line *line = &import->line;
    deja__draft *draft = &import->draft;
    char word[DEJA__WORD_SIZE];
    uint64_t times;
    if (draft->steps == 0)
        return deja__import_fail(import, line->number, "there is no command above to repeat");
    if (!deja__read_u64(line->at, line->size, STEPS_MAX, &times) || times == 0)
        return deja__import_fail(import, line->number,
                                 "'%s' is not how often a command is repeated: a whole number "
                                 "from 1 to %llu",
                                 deja__word(line->at, line->size, word),
                                 (unsigned long long)STEPS_MAX);
    return add_entry(import, draft->last_size, DEJA__ENTRY_SAME, times);
}

/* ---- remarks ---- */

static deja_code add_remark(deja__import *import, uint64_t offset, bool is_section, uint64_t hash)
{
    deja__draft *draft = &import->draft;
    const deja__remark remark = { draft->steps, hash, offset, is_section };
    draft->marks += is_section ? 0 : 1;
    if (draft->marks > DEJA__DRAFT_MARKS)
        return deja__import_fail(import, import->line.number, "more than %llu marks",
                                 (unsigned long long)DEJA__DRAFT_MARKS);
    deja_buffer_char(&draft->remark_text, 0);
    deja_buffer_add(&draft->remarks, &remark, sizeof remark);
    return draft->remarks.failed || draft->remark_text.failed ? deja__fail_memory(import->err)
                                                              : DEJA_OK;
}

static deja_code read_mark(deja__import *import)
{
    const deja__line *line = &import->line;
    deja__draft *draft = &import->draft;
    const uint64_t offset = draft->remark_text.size;
    const size_t prefix = strlen(DEJA__SEE_PREFIX);
    if (line->size == 0 || line->at[0] != '"')
        return deja__import_fail(import, line->number, "a mark is text in quotes");
    const deja_code code =
        deja__quoted_read(line->at, line->size, &draft->remark_text, import->err);
    if (code < 0)
        return deja__import_within(import, line->number, code);
    const char *text = (const char *)draft->remark_text.bytes + offset;
    const uint64_t size = draft->remark_text.size - offset;
    if (size >= prefix && memcmp(text, DEJA__SEE_PREFIX, prefix) == 0) {
        /* Only what is no expectation may look like one. */
        deja_buffer read = { 0 };
        const deja_code see =
            deja__see_read(&draft->shapes[0], text + prefix, size - prefix, &read, NULL);
        deja_buffer_release(&read);
        if (see == DEJA_ENOMEM)
            return deja__fail_memory(import->err);
        if (see == DEJA_OK)
            return deja__import_fail(import, line->number,
                                     "write an expectation as a line of its own: see: ...");
    }
    return add_remark(import, offset, false, 0);
}

static deja_code read_see(deja__import *import)
{
    const deja__line *line = &import->line;
    deja_buffer *text = &import->draft.remark_text;
    const uint64_t offset = text->size;
    deja_buffer_text(text, DEJA__SEE_PREFIX);
    const deja_code code =
        deja__see_read(&import->draft.shapes[0], line->at, line->size, text, import->err);
    if (code < 0)
        return deja__import_within(import, line->number, code);
    return add_remark(import, offset, false, 0);
}

static deja_code read_section(deja__import *import)
{
    deja__line line = import->line;
    deja_buffer *text = &import->draft.remark_text;
    const uint64_t offset = text->size;
    const char *name, *digits;
    uint64_t size, digit_count, hash;
    if (!deja__line_word(&line, &name, &size) || !deja__is_name(name, size) ||
        !deja__line_word(&line, &digits, &digit_count) || digit_count != 16 ||
        !deja__read_hex(digits, 16, &hash) || line.size != 0)
        return deja__import_fail(import, import->line.number,
                                 "a section's name and 16 lower-case hex digits belong here");
    deja_buffer_add(text, name, size);
    return add_remark(import, offset, true, hash);
}

deja_code deja__import_body(deja__import *import)
{
    if (import->end_line != 0)
        return deja__import_fail(import, import->line.number,
                                 "behind 'end:' come results, trail, events and chain, no more");
    switch (import->line.key) {
    case DEJA__KEY_COMMAND:
        return read_command(import);
    case DEJA__KEY_REPEAT:
        return read_repeat(import);
    case DEJA__KEY_MARK:
        return read_mark(import);
    case DEJA__KEY_SEE:
        return read_see(import);
    default:
        return read_section(import);
    }
}
