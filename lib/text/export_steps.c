/* SPDX-License-Identifier: MIT */
/*
 * The commands of an exported text, and what was remarked behind them.
 */
#include "text/export.h"

/* A mark or a section, behind a step. */
typedef struct remark {
    uint64_t step;
    uint64_t hash;   /* of a section */
    uint64_t offset; /* in `text`, ending with NUL */
} remark;

/* ---- what was remarked ---- */

static bool add_remark(deja__export *e, deja_buffer *list, uint64_t step, const char *text,
                       uint64_t hash)
{
    const remark added = { step, hash, e->text.size };
    deja_buffer_add(&e->text, text, strlen(text) + 1);
    deja_buffer_add(list, &added, sizeof added);
    return !e->text.failed && !list->failed;
}

static bool take_mark(void *user, uint64_t step, const char *text)
{
    deja__export *e = user;
    return add_remark(e, &e->marks, step, text, 0);
}

static bool take_section(void *user, uint64_t step, const char *name, uint64_t hash)
{
    deja__export *e = user;
    return add_remark(e, &e->sections, step, name, hash);
}

deja_code deja__export_remarks(deja__export *e)
{
    deja_code code = deja_reader_marks(e->reader, take_mark, e, e->err);
    if (code == DEJA_OK)
        code = deja_reader_sections(e->reader, take_section, e, e->err);
    if (code == DEJA_OK && (e->text.failed || e->marks.failed || e->sections.failed))
        code = deja__fail_memory(e->err);
    return code;
}

static const remark *next_remark(const deja_buffer *list, uint64_t place)
{
    const void *items = list->bytes;
    return place < list->size / sizeof(remark) ? (const remark *)items + place : NULL;
}

static bool is_due(const deja_buffer *list, uint64_t place, uint64_t step)
{
    const remark *next = next_remark(list, place);
    return next && next->step <= step;
}

/* An expectation is a line of its own if that is what it would be read as. */
static deja_code print_mark(deja__export *e, const char *text)
{
    const size_t prefix = strlen(DEJA__SEE_PREFIX);
    deja_buffer see = { 0 };
    deja_code code = DEJA_EFORMAT;
    if (strncmp(text, DEJA__SEE_PREFIX, prefix) == 0)
        code = deja__see_read(&e->state, text + prefix, strlen(text + prefix), &see, NULL);
    if (code == DEJA_OK) {
        deja_buffer_text(&e->out, DEJA__SEE_PREFIX);
        deja_buffer_add(&e->out, see.bytes, see.size);
    } else {
        deja_buffer_text(&e->out, "mark: ");
        deja__quoted_print(&e->out, text, strlen(text));
    }
    deja_buffer_char(&e->out, '\n');
    deja_buffer_release(&see);
    return code == DEJA_ENOMEM ? deja__fail_memory(e->err) : DEJA_OK;
}

/* What was remarked behind this step: sections first. */
static deja_code print_remarks(deja__export *e, uint64_t step)
{
    deja_code code = DEJA_OK;
    for (; code == DEJA_OK && is_due(&e->sections, e->section, step); e->section++) {
        const remark *section = next_remark(&e->sections, e->section);
        deja__print(&e->out, "section: %s ", (const char *)e->text.bytes + section->offset);
        deja__print_hex(&e->out, section->hash, 16);
        deja_buffer_char(&e->out, '\n');
        code = deja__export_give(e, DEJA__PIECE_SIZE);
    }
    for (; code == DEJA_OK && is_due(&e->marks, e->mark, step); e->mark++) {
        code = print_mark(e, (const char *)e->text.bytes + next_remark(&e->marks, e->mark)->offset);
        if (code == DEJA_OK)
            code = deja__export_give(e, DEJA__PIECE_SIZE);
    }
    return code;
}

/* ---- commands ---- */

static deja_span command_at(const deja_steps *steps, uint32_t place)
{
    const uint32_t start = place ? steps->command_ends[place - 1] : 0;
    return (deja_span){ steps->commands ? steps->commands + start : NULL,
                        steps->command_ends[place] - start };
}

/* The command above, and how often it came once more since it was printed. */
typedef struct repeats {
    deja_buffer command;
    uint64_t times;
    bool any;
} repeats;

static bool is_same(const repeats *above, deja_span command)
{
    return above->any && above->command.size == command.size &&
           (command.size == 0 ||
            memcmp(above->command.bytes, command.bytes, (size_t)command.size) == 0);
}

static void print_repeats(deja__export *e, repeats *above)
{
    if (above->times != 0)
        deja__print(&e->out, "* %llu\n", (unsigned long long)above->times);
    above->times = 0;
}

static deja_code print_command(deja__export *e, repeats *above, deja_span command)
{
    if (is_same(above, command)) {
        above->times++;
        return DEJA_OK;
    }
    print_repeats(e, above);
    above->any = true;
    deja_buffer_clear(&above->command);
    if (!deja_buffer_add(&above->command, command.bytes, command.size))
        return deja__fail_memory(e->err);
    const deja_code code =
        deja__shape_print(&e->command, command.bytes, command.size, &e->out, e->err);
    deja_buffer_char(&e->out, '\n');
    return code < 0 ? code : deja__export_give(e, DEJA__PIECE_SIZE);
}

static void print_chain(deja_buffer *lines, const char *keyword, uint64_t step, uint64_t chain)
{
    deja__print(lines, "%s: %llu ", keyword, (unsigned long long)step);
    deja__print_hex(lines, chain, 16);
    deja_buffer_char(lines, '\n');
}

/* A block of the one command that crashed has no chains of its own. */
static void note_chains(deja__export *e, const deja_steps *steps)
{
    const uint64_t last = steps->first + steps->count - 1;
    const uint64_t results = deja__export_results(e);
    if (steps->first > results)
        return;
    const uint64_t step = last < results ? last : results;
    print_chain(&e->event_chains, "events", step, steps->event_chain);
    print_chain(&e->chains, "chain", step, steps->chain);
}

static deja_code print_block(deja__export *e, repeats *above, const deja_steps *steps)
{
    for (uint32_t i = 0; i < steps->count; i++) {
        const uint64_t step = steps->first + i;
        deja_code code = print_command(e, above, command_at(steps, i));
        if (code == DEJA_OK &&
            (is_due(&e->sections, e->section, step) || is_due(&e->marks, e->mark, step))) {
            print_repeats(e, above);
            code = print_remarks(e, step);
        }
        if (code < 0)
            return code;
    }
    note_chains(e, steps);
    return DEJA_OK;
}

deja_code deja__export_steps(deja__export *e)
{
    repeats above = { 0 };
    deja_steps steps;
    deja_code code = print_remarks(e, 0);
    while (code == DEJA_OK) {
        code = deja_reader_next(e->reader, &steps, e->err);
        if (code < 0 || steps.count == 0)
            break;
        code = print_block(e, &above, &steps);
    }
    print_repeats(e, &above);
    deja_buffer_release(&above.command);
    if (e->chains.size == 0) {
        print_chain(&e->event_chains, "events", 0, e->recording->event_chain);
        print_chain(&e->chains, "chain", 0, e->recording->chain);
    }
    return code;
}
