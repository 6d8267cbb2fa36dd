/* SPDX-License-Identifier: MIT */
/*
 * Telling of findings: equal ones once. Two are equal that break the same clause in the same words,
 * in the same field whatever its place in a list, with a command of the same kind, if commands have
 * kinds (but for what is lost in saving or differs elsewhere, which shows whatever the command);
 * whoever played and whenever it was.
 */
#include "check/check.h"

#include <stdio.h>
#include "fields/values.h"

/* ---- one finding ---- */

static deja_code print_command(const deja__check *c, deja_span command, deja_buffer *out,
                               deja_error *err)
{
    if (!command.bytes)
        return DEJA_OK;
    const deja_code code =
        deja_value_print(c->layouts[DEJA_COMMAND], command.bytes, command.size, out, err);
    deja_buffer_text(out, ""); /* so that no text is a string as well */
    return code == DEJA_OK && out->failed ? deja__fail_memory(err) : code;
}

/* What makes two findings the same; places in lists are left out. */
static void print_key(const deja__check *c, const deja__sight *sight, const char *command,
                      const char *why, deja_buffer *out)
{
    const bool has_kinds = c->layouts[DEJA_COMMAND]->root->kind == DEJA_KIND;
    if (!command || !has_kinds || sight->is_by_chance ||
        sight->clause == DEJA_CLAUSE_STATE_IN_FIELDS)
        command = "";
    deja__print(out, "%u %.*s %s ", sight->clause, (int)strcspn(command, " "), command, why);
    for (const char *at = sight->path ? sight->path : ""; *at; at++) {
        deja_buffer_char(out, *at);
        if (*at == '[')
            at += strcspn(at, "]") - 1;
    }
}

static deja_code tell(deja__check *c, const deja__sight *sight, const char *why,
                      const char *command, deja_error *err)
{
    const deja__player *player = c->player;
    deja_buffer key = { 0 };
    bool is_new = false;
    print_key(c, sight, command, why, &key);
    const bool counted =
        !key.failed && deja__known_count(c->known, (const char *)key.bytes, &is_new);
    deja_buffer_release(&key);
    if (!counted)
        return deja__fail_memory(err);
    c->summary->clauses[sight->clause].breaches++;
    if (!is_new)
        return DEJA_OK;
    c->summary->findings++;
    const deja_finding finding = {
        .clause = sight->clause,
        .more_fields = sight->more_fields,
        .player = player->name,
        .session = player->session,
        .seed = player->seed,
        .game = c->summary->games,
        .step = sight->step,
        .saved = sight->saved,
        .command = command,
        .path = sight->path,
        .expected = sight->path ? sight->expected : NULL,
        .actual = sight->path ? sight->actual : NULL,
        .why = why,
    };
    if (c->options.found && !c->options.found(c->options.user, &finding))
        c->stopped = true;
    return DEJA_OK;
}

deja_code deja__finding(deja__check *c, const deja__sight *sight, deja_error *err,
                        const char *format, ...)
{
    deja_buffer command = { 0 };
    char why[512];
    va_list list;
    va_start(list, format);
    vsnprintf(why, sizeof why, format, list);
    va_end(list);
    deja_code code = print_command(c, sight->command, &command, err);
    if (code == DEJA_OK)
        code = tell(c, sight, why, (const char *)command.bytes, err);
    deja_buffer_release(&command);
    return code;
}

/* ---- with fields ---- */

typedef struct first_field {
    deja_buffer path, expected, actual;
    uint32_t count;
} first_field;

static bool take_field(void *user, const deja_difference *difference)
{
    first_field *first = user;
    if (first->count++ == 0) {
        deja_buffer_text(&first->path, difference->path);
        deja_buffer_text(&first->expected, difference->expected);
        deja_buffer_text(&first->actual, difference->actual);
    }
    return true;
}

deja_code deja__finding_of(deja__check *c, deja__sight sight, uint32_t type, const char *before,
                           deja_span expected, deja_span actual, const char *why, deja_error *err)
{
    first_field first = { 0 };
    deja_buffer_text(&first.path, before);
    deja_code code =
        deja_value_compare(c->layouts[type], expected, actual, take_field, &first, err);
    if (code == DEJA_OK && (first.path.failed || first.expected.failed || first.actual.failed))
        code = deja__fail_memory(err);
    if (code == DEJA_OK && first.count != 0) {
        sight.path = (const char *)first.path.bytes;
        sight.expected = (const char *)first.expected.bytes;
        sight.actual = (const char *)first.actual.bytes;
        sight.more_fields = first.count - 1;
    }
    if (code == DEJA_OK)
        code = deja__finding(c, &sight, err, "%s", why);
    deja_buffer_release(&first.path);
    deja_buffer_release(&first.expected);
    deja_buffer_release(&first.actual);
    return code;
}

/* ---- with rows of values ---- */

/* Takes the next value off a row; an empty one where there is none, or (of a row from elsewhere) no
 * sound one. */
static deja_span take_value(const deja__node *root, deja_span *row)
{
    bool sound = true;
    const uint64_t size = row->size ? deja__value_extent(root, row->bytes, row->size, &sound) : 0;
    const deja_span value = { row->bytes, sound ? size : 0 };
    if (value.size == 0)
        return value;
    row->bytes = (const unsigned char *)row->bytes + value.size;
    row->size -= value.size;
    return value;
}

/* Both values as text; an empty one is not there. */
static deja_code tell_whole(deja__check *c, deja__sight sight, const deja_layout *layout,
                            deja_span expected, deja_span actual, const char *why, deja_error *err)
{
    const deja_span values[2] = { expected, actual };
    deja_buffer texts[2] = { { 0 }, { 0 } };
    deja_code code = DEJA_OK;
    for (uint32_t i = 0; code == DEJA_OK && i < 2; i++) {
        if (values[i].size)
            code = deja_value_print(layout, values[i].bytes, values[i].size, &texts[i], err);
        else
            deja_buffer_text(&texts[i], "-");
    }
    if (code == DEJA_OK && (texts[0].failed || texts[1].failed))
        code = deja__fail_memory(err);
    if (code == DEJA_OK) {
        sight.expected = (const char *)texts[0].bytes;
        sight.actual = (const char *)texts[1].bytes;
        code = deja__finding(c, &sight, err, "%s", why);
    }
    deja_buffer_release(&texts[0]);
    deja_buffer_release(&texts[1]);
    return code;
}

deja_code deja__finding_in_row(deja__check *c, deja__sight sight, uint32_t type, const char *row,
                               deja_span expected, deja_span actual, const char *why,
                               deja_error *err)
{
    const deja_layout *layout = c->layouts[type];
    char path[64];
    for (uint32_t place = 0;; place++) {
        snprintf(path, sizeof path, "%s[%u]", row, place);
        const deja_span one = take_value(layout->root, &expected);
        const deja_span two = take_value(layout->root, &actual);
        if (one.size == 0 || two.size == 0) {
            sight.path = path;
            return tell_whole(c, sight, layout, one, two, why, err);
        }
        if (deja__same(one, two))
            continue;
        /* Commands are told as a whole, and so are values of two kinds. */
        if (type == DEJA_COMMAND ||
            (layout->root->kind == DEJA_KIND && memcmp(one.bytes, two.bytes, 2) != 0)) {
            sight.path = path;
            return tell_whole(c, sight, layout, one, two, why, err);
        }
        snprintf(path, sizeof path, "%s[%u].", row, place);
        return deja__finding_of(c, sight, type, path, one, two, why, err);
    }
}

deja_code deja__described(deja__check *c, deja_code code, uint64_t step, deja_span command,
                          const deja_error *said, deja_error *err)
{
    const deja__sight sight = {
        .clause = DEJA_CLAUSE_DESCRIBED, .step = step, .saved = DEJA_STEP_NONE, .command = command
    };
    deja__counts(c, DEJA_CLAUSE_DESCRIBED);
    if (code == DEJA_OK)
        return DEJA_OK;
    if (code == DEJA_ERULES) {
        c->is_broken = true;
        return deja__finding(c, &sight, err, "%.400s", said->message);
    }
    if (err)
        *err = *said;
    return code;
}
