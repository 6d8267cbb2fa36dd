/* SPDX-License-Identifier: MIT */
/*
 * Verdicts: their names, and one with all that it points to.
 */
#include "replay/verdict.h"

#include <stdio.h>
#include <stdlib.h>

const char *deja_verdict_name(uint32_t kind)
{
    static const char *const names[DEJA_VERDICT_COUNT] = { "match", "diverged", "crashed",
                                                           "hung",  "unstable", "stale",
                                                           "unfit", "damaged" };
    return kind < DEJA_VERDICT_COUNT ? names[kind] : "unknown";
}

deja__box *deja__box_create(void)
{
    deja__box *box = calloc(1, sizeof *box);
    if (!box)
        return NULL;
    box->verdict.step = box->verdict.step_last = DEJA_STEP_NONE;
    box->verdict.healed_step = DEJA_STEP_NONE;
    box->verdict.fields = box->fields;
    box->verdict.game = "";
    return box;
}

void deja__box_destroy(deja__box *box)
{
    if (!box)
        return;
    for (uint32_t i = 0; i < box->piece_count; i++)
        free(box->pieces[i]);
    free(box->pieces);
    free(box->steps);
    free(box->remarks);
    free(box);
}

/* Takes a piece, also on failure. */
static const char *keep(deja__box *box, void *piece)
{
    if (box->piece_count == box->piece_capacity && piece && !box->failed) {
        const uint32_t capacity = box->piece_capacity ? box->piece_capacity * 2 : 16;
        void **pieces = realloc(box->pieces, capacity * sizeof *pieces);
        if (pieces) {
            box->pieces = pieces;
            box->piece_capacity = capacity;
        }
    }
    if (!piece || box->failed || box->piece_count == box->piece_capacity) {
        free(piece);
        box->failed = true;
        return NULL;
    }
    box->pieces[box->piece_count++] = piece;
    return piece;
}

const char *deja__box_text(deja__box *box, const char *text)
{
    return keep(box, strdup(text));
}

DEJA__PRINTF(2, 0)
static const char *print(deja__box *box, const char *format, va_list arguments)
{
    char *text = NULL;
    return keep(box, vasprintf(&text, format, arguments) < 0 ? NULL : text);
}

const char *deja__box_print(deja__box *box, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = print(box, format, arguments);
    va_end(arguments);
    return text;
}

const char *deja__box_hex(deja__box *box, uint64_t number, uint32_t digits)
{
    return deja__box_print(box, "%0*llx", (int)digits, (unsigned long long)number);
}

void deja__box_remark(deja__box *box, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = print(box, format, arguments);
    va_end(arguments);
    const char **remarks = realloc(box->remarks, (box->verdict.remark_count + 1) * sizeof *remarks);
    if (!remarks || !text) {
        box->failed = true;
        box->remarks = remarks ? remarks : box->remarks;
        return;
    }
    remarks[box->verdict.remark_count++] = text;
    box->remarks = remarks;
    box->verdict.remarks = remarks;
}

void deja__box_field(deja__box *box, const char *path, const char *expected, const char *actual)
{
    if (box->verdict.field_count == DEJA__FIELDS_MAX) {
        box->verdict.fields_left_out++;
        return;
    }
    deja_verdict_field *field = &box->fields[box->verdict.field_count++];
    field->path = deja__box_text(box, path);
    field->expected = expected ? deja__box_text(box, expected) : NULL;
    field->actual = actual ? deja__box_text(box, actual) : NULL;
}

deja_verdict_step *deja__box_steps(deja__box *box, uint32_t count)
{
    box->steps = calloc(count + 1, sizeof *box->steps);
    if (!box->steps) {
        box->failed = true;
        return NULL;
    }
    box->verdict.before = box->steps;
    box->verdict.before_count = count;
    return box->steps;
}
