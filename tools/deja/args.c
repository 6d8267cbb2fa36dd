/* SPDX-License-Identifier: MIT */
/*
 * Options, on top of getopt_long: it splits -abc, --name=value and --, and this file holds the rest
 * to stricter rules.
 *
 *   - getopt_long takes any beginning of a long name that is not ambiguous, so a later option would
 *     break somebody's script: the spelled name is compared with the whole one.
 *   - An option that has one value and is given twice is refused, not overruled.
 *   - Operands may stand anywhere, whatever POSIXLY_CORRECT says: the leading '-' of the short
 *     options has them handed out in their order.
 */
#include "args.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suggest.h"
#include "output.h"

enum { OPERAND = 1, LONG_FIRST = 256, ROWS_MAX = 32 };

typedef struct parser {
    args *out;
    char **argv;
    uint32_t row_count;
    struct option longs[ROWS_MAX + 1];
    char letters[2 * ROWS_MAX + 3];
} parser;

static void prepare(parser *state)
{
    const option_row *rows = state->out->command->options;
    char *letter = state->letters;
    *letter++ = '-';
    *letter++ = ':';
    for (uint32_t i = 0; i < ROWS_MAX && rows[i].name; i++) {
        const int takes = rows[i].argument ? required_argument : no_argument;
        const struct option one = { rows[i].name, takes, NULL, LONG_FIRST + (int)i };
        state->longs[i] = one;
        if (rows[i].letter) {
            *letter++ = rows[i].letter;
            if (rows[i].argument)
                *letter++ = ':';
        }
        state->row_count = i + 1;
    }
    *letter = '\0';
}

/* The row of what getopt_long hands out; NULL for none. */
static const option_row *row_of(const parser *state, int got)
{
    const option_row *rows = state->out->command->options;
    for (uint32_t i = 0; i < state->row_count; i++)
        if (got == LONG_FIRST + (int)i || (rows[i].letter && got == rows[i].letter))
            return &rows[i];
    return NULL;
}

/* ---- complaints ---- */

static int refuse_unknown(const parser *state, const char *spelled)
{
    const char *command = state->out->command->name;
    char name[64] = "";
    if (strncmp(spelled, "--", 2) == 0) {
        const size_t size = strcspn(spelled + 2, "=");
        snprintf(name, sizeof name, "%.*s", size < sizeof name ? (int)size : 63, spelled + 2);
    }
    nearest search = nearest_begin(name);
    for (uint32_t i = 0; i < state->row_count; i++)
        nearest_offer(&search, state->longs[i].name);
    if (search.name)
        return complain(STATUS_USAGE, "%s: unknown option '--%s'; did you mean '--%s'?", command,
                        name, search.name);
    return complain(STATUS_USAGE, "%s: unknown option '%s'; see 'deja help %s'", command,
                    text_typed(spelled), command);
}

static int refuse_letter(const parser *state, int letter)
{
    const char spelled[3] = { '-', (char)letter, '\0' };
    return refuse_unknown(state, spelled);
}

/* ---- parsing ---- */

static int add_value(parser *state, const option_row *row, const char *text)
{
    args *out = state->out;
    if (!row->many && args_has(out, row->id))
        return complain(STATUS_USAGE, "%s: option '--%s' was given twice", out->command->name,
                        row->name);
    out->values[out->value_count].id = row->id;
    out->values[out->value_count].text = text ? text : "";
    out->value_count++;
    return STATUS_OK;
}

/* What getopt_long made of the word at argv[at]. */
static int take(parser *state, int got, int at)
{
    const char *word = state->argv[at];
    const bool is_long = got >= LONG_FIRST ||
                         ((got == '?' || got == ':') && optopt >= LONG_FIRST) ||
                         (got == '?' && optopt == 0);
    const option_row *row = row_of(state, got == '?' || got == ':' ? optopt : got);

    if (got == OPERAND) {
        state->out->operands[state->out->operand_count++] = optarg;
        return STATUS_OK;
    }
    if (!row)
        return is_long ? refuse_unknown(state, word) : refuse_letter(state, optopt);
    if (is_long && (strlen(row->name) != strcspn(word + 2, "=") ||
                    strncmp(word + 2, row->name, strlen(row->name)) != 0))
        return refuse_unknown(state, word);
    if (got == ':')
        return complain(STATUS_USAGE, "%s: option '--%s' needs a value: %s",
                        state->out->command->name, row->name, row->argument);
    if (got == '?')
        return complain(STATUS_USAGE, "%s: option '--%s' takes no value", state->out->command->name,
                        row->name);
    return add_value(state, row, optarg);
}

static int check_operands(const args *out)
{
    const command_row *command = out->command;
    if (out->operand_count < command->operands_least)
        return complain(STATUS_USAGE, "%s: %s is missing; see 'deja help %s'", command->name,
                        command->operands, command->name);
    if (out->operand_count > command->operands_most)
        return complain(STATUS_USAGE, "%s: '%s' is one operand too many; see 'deja help %s'",
                        command->name, text_typed(out->operands[command->operands_most]),
                        command->name);
    return STATUS_OK;
}

int args_parse(args *out, const command_row *command, int argc, char **argv)
{
    parser state = { .out = out, .argv = argv };
    memset(out, 0, sizeof *out);
    out->command = command;
    /* One word may hold several options, but none of them twice. */
    out->values = calloc((size_t)argc + ROWS_MAX, sizeof *out->values);
    out->operands = calloc((size_t)argc + 1, sizeof *out->operands);
    if (!out->values || !out->operands)
        return complain_memory();
    prepare(&state);

    optind = 0; /* getopt's own way to start anew */
    opterr = 0;
    for (;;) {
        const int at = optind ? optind : 1;
        optopt = 0;
        const int got = getopt_long(argc, argv, state.letters, state.longs, NULL);
        if (got < 0)
            break;
        const int status = take(&state, got, at);
        if (status != STATUS_OK)
            return status;
    }
    for (int i = optind; i < argc; i++)
        out->operands[out->operand_count++] = argv[i];
    return args_has(out, OPTION_HELP) ? STATUS_OK : check_operands(out);
}

void args_release(args *given)
{
    free(given->values);
    free(given->operands);
    memset(given, 0, sizeof *given);
}

/* ---- asking ---- */

const char *args_value_at(const args *given, uint32_t id, uint32_t place)
{
    for (uint32_t i = 0; i < given->value_count; i++)
        if (given->values[i].id == id && place-- == 0)
            return given->values[i].text;
    return NULL;
}

const char *args_value(const args *given, uint32_t id)
{
    return args_value_at(given, id, 0);
}

bool args_has(const args *given, uint32_t id)
{
    return args_value(given, id) != NULL;
}

const char *args_name(const args *given, uint32_t id)
{
    const option_row *row = given->command->options;
    while (row->name && row->id != id)
        row++;
    return row->name ? row->name : "?";
}

bool number_read(const char *text, const char *end, uint64_t *out)
{
    uint64_t number = 0;
    if (text == end || (*text == '0' && text + 1 != end))
        return false;
    for (; text != end; text++) {
        if (*text < '0' || *text > '9')
            return false;
        const uint64_t digit = (uint64_t)(*text - '0');
        if (number > (UINT64_MAX - digit) / 10)
            return false;
        number = number * 10 + digit;
    }
    *out = number;
    return true;
}

int args_number(const args *given, uint32_t id, uint64_t least, uint64_t most, uint64_t *out)
{
    const char *text = args_value(given, id);
    uint64_t number;
    if (!text)
        return STATUS_OK;
    if (!number_read(text, text + strlen(text), &number) || number < least || number > most)
        return complain(STATUS_USAGE, "%s: --%s: '%s' is no whole number from %llu to %llu",
                        given->command->name, args_name(given, id), text_typed(text),
                        (unsigned long long)least, (unsigned long long)most);
    *out = number;
    return STATUS_OK;
}

int args_seconds(const args *given, uint32_t id, uint32_t *milliseconds)
{
    const char *text = args_value(given, id);
    uint64_t whole;
    uint64_t parts = 0;
    if (!text)
        return STATUS_OK;

    const char *point = text + strcspn(text, ".");
    bool sound = number_read(text, point, &whole) && whole <= UINT32_MAX / 1000 - 1;
    if (*point == '.') {
        const size_t digits = strlen(point + 1);
        sound = sound && digits >= 1 && digits <= 3 && strspn(point + 1, "0123456789") == digits;
        for (size_t i = 1; i <= 3; i++)
            parts = parts * 10 + (uint64_t)(sound && i <= digits ? point[i] - '0' : 0);
    }
    if (!sound)
        return complain(STATUS_USAGE, "%s: --%s: '%s' is no number of seconds, as 10 or 0.5",
                        given->command->name, args_name(given, id), text_typed(text));
    *milliseconds = (uint32_t)(whole * 1000 + parts);
    return STATUS_OK;
}

int args_choice(const args *given, uint32_t id, const char *const *words, uint32_t *place)
{
    const char *text = args_value(given, id);
    if (!text)
        return STATUS_OK;
    deja_buffer all = { 0 };
    for (uint32_t i = 0; words[i]; i++) {
        if (strcmp(text, words[i]) == 0) {
            *place = i;
            deja_buffer_release(&all);
            return STATUS_OK;
        }
        deja_buffer_text(&all, i == 0 ? "" : words[i + 1] ? ", " : " or ");
        deja_buffer_text(&all, words[i]);
    }
    const int status = complain(STATUS_USAGE, "%s: --%s: '%s' is none of %s", given->command->name,
                                args_name(given, id), text_typed(text),
                                all.failed ? "its words" : (const char *)all.bytes);
    deja_buffer_release(&all);
    return status;
}
