/* SPDX-License-Identifier: MIT */
/*
 * The exported table: copied as far as both sides know it, and checked before any of it is used.
 *
 * The first four members say how to read the rest, so they are looked at alone. A library of a
 * newer minor has members behind ours, which it does without; one of an older minor lacks the last
 * of ours, which are zero in the copy. What names look like is checked here once, as they end up
 * in stores, texts and on terminals. That a pointer points somewhere cannot be checked: a library
 * that lies about that crashes here, in the process that was made to open it.
 */
#include "plugin/object.h"

#include <stdlib.h>

enum {
    COUNT_MAX = DEJA__NAMES_MAX, /* of refusals, outcomes, bots */
    TICK_RATE_MAX = 1000000,
    SEATS_MAX = 4096
};

/* ---- words ---- */

/* A name as fields have. At most one character more than is allowed is looked at. */
static bool is_name(const char *name)
{
    return deja__is_name(name, strnlen(name, DEJA__NAME_MAX + 1));
}

/* A name, or several with dots between them. */
static bool is_id(const char *id)
{
    const size_t size = strnlen(id, DEJA__NAME_MAX + 1);
    if (size > DEJA__NAME_MAX)
        return false;
    size_t start = 0;
    for (size_t i = 0; i <= size; i++) {
        if (i < size && id[i] != '.')
            continue;
        if (!deja__is_name(id + start, i - start))
            return false;
        start = i + 1;
    }
    return true;
}

/* One word for people: it stands between blanks in a replay text. */
static bool is_word(const char *word)
{
    const size_t size = strnlen(word, DEJA__NAME_MAX + 1);
    if (size == 0 || size > DEJA__NAME_MAX || !deja__is_utf8(word, size))
        return false;
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)word[i] <= 0x20 || word[i] == 0x7f)
            return false;
    return true;
}

/* ---- lists of names ---- */

static int compare_strings(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* `name_at` gives name number i of a list. */
static deja_code check_names(const void *list, uint32_t count,
                             const char *(*name_at)(const void *list, uint32_t i), const char *what,
                             deja_error *err)
{
    deja_code code = DEJA_OK;
    if (count > COUNT_MAX)
        return deja__fail(err, DEJA_EUNFIT, "has %u %ss, and %d is the most", count, what,
                          COUNT_MAX);
    if (count == 0)
        return DEJA_OK;
    if (!list)
        return deja__fail(err, DEJA_EUNFIT, "says it has %u %ss, and has no list of them", count,
                          what);
    const char **sorted = malloc(count * sizeof *sorted);
    if (!sorted)
        return deja__fail_memory(err);
    for (uint32_t i = 0; code == DEJA_OK && i < count; i++) {
        sorted[i] = name_at(list, i);
        if (!sorted[i])
            code = deja__fail(err, DEJA_EUNFIT, "%s %u of %u has no name", what, i + 1, count);
        else if (!is_name(sorted[i]))
            code = deja__fail(err, DEJA_EUNFIT, "'%.64s' is not a name for %s %u", sorted[i], what,
                              i + 1);
    }
    if (code == DEJA_OK)
        qsort(sorted, count, sizeof *sorted, compare_strings);
    for (uint32_t i = 1; code == DEJA_OK && i < count; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0)
            code = deja__fail(err, DEJA_EUNFIT, "two %ss have the name '%s'", what, sorted[i]);
    free(sorted);
    return code;
}

static const char *string_at(const void *list, uint32_t i)
{
    return ((const char *const *)list)[i];
}

static const char *bot_name_at(const void *list, uint32_t i)
{
    return ((const deja_bot *)list)[i].name;
}

/* Words that say how a recording ended where the game itself did not. */
static deja_code check_outcomes(const deja_rules_table *table, deja_error *err)
{
    static const char *const taken[] = { "running", "unfinished", "crashed" };
    for (uint32_t i = 0; i < table->outcome_count; i++)
        for (size_t k = 0; k < sizeof taken / sizeof *taken; k++)
            if (strcmp(table->outcomes[i], taken[k]) == 0)
                return deja__fail(err, DEJA_EUNFIT,
                                  "no outcome may be called '%s': that is what deja says of a "
                                  "game without one",
                                  taken[k]);
    return DEJA_OK;
}

static deja_code check_bots(const deja_rules_table *table, deja_error *err)
{
    for (uint32_t i = 0; i < table->bot_count; i++) {
        if (!table->bots[i].pick)
            return deja__fail(err, DEJA_EUNFIT, "bot '%s' has no pick", table->bots[i].name);
        if (table->bots[i].memory_size > DEJA__VALUE_SIZE_MAX)
            return deja__fail(err, DEJA_EUNFIT, "bot '%s' wants more than 1 GiB of memory",
                              table->bots[i].name);
    }
    return DEJA_OK;
}

/* ---- the rest ---- */

static deja_code check_words(const deja_rules_table *table, deja_error *err)
{
    if (!table->id)
        return deja__fail(err, DEJA_EUNFIT, "has no id");
    if (!is_id(table->id))
        return deja__fail(err, DEJA_EUNFIT, "'%.64s' is not an id", table->id);
    if (!table->version)
        return deja__fail(err, DEJA_EUNFIT, "has no version");
    if (!is_word(table->version))
        return deja__fail(err, DEJA_EUNFIT, "its version is not one word of at most %d characters",
                          DEJA__NAME_MAX);
    if (!is_word(table->compiler))
        return deja__fail(err, DEJA_EUNFIT, "its compiler is not one word of at most %d characters",
                          DEJA__NAME_MAX);
    return DEJA_OK;
}

static deja_code check_type(const deja_type *type, const char *what, deja_error *err)
{
    if (type->size > DEJA__VALUE_SIZE_MAX)
        return deja__fail(err, DEJA_EUNFIT, "its %s is larger than 1 GiB", what);
    if (type->size && !type->fields)
        return deja__fail(err, DEJA_EUNFIT, "its %s has no description", what);
    if (!type->size && type->fields)
        return deja__fail(err, DEJA_EUNFIT, "its %s has a description, but no size", what);
    return DEJA_OK;
}

static deja_code check_types(const deja_rules_table *table, deja_error *err)
{
    deja_code code = check_type(&table->state, "state", err);
    if (code == DEJA_OK)
        code = check_type(&table->command, "command", err);
    if (code == DEJA_OK)
        code = check_type(&table->event, "event", err);
    if (code == DEJA_OK)
        code = check_type(&table->config, "config", err);
    if (code != DEJA_OK)
        return code;
    if (!table->state.size)
        return deja__fail(err, DEJA_EUNFIT, "has no state");
    if (!table->command.size)
        return deja__fail(err, DEJA_EUNFIT, "has no command");
    if (table->config.size && !table->config_default)
        return deja__fail(err, DEJA_EUNFIT, "has a config, but no default for it");
    if (!table->start)
        return deja__fail(err, DEJA_EUNFIT, "has no start");
    if (!table->apply)
        return deja__fail(err, DEJA_EUNFIT, "has no apply");
    return DEJA_OK;
}

static deja_code check_kind(const deja_rules_table *table, deja_error *err)
{
    if (table->kind != DEJA_TURNS && table->kind != DEJA_TICKS)
        return deja__fail(err, DEJA_EUNFIT, "is of kind %u, which this deja does not know",
                          table->kind);
    if (table->kind == DEJA_TICKS && (table->tick_rate == 0 || table->tick_rate > TICK_RATE_MAX))
        return deja__fail(err, DEJA_EUNFIT,
                          "its tick rate is %u, and must be one of 1 to %d steps a second",
                          table->tick_rate, TICK_RATE_MAX);
    if (table->kind == DEJA_TURNS && table->tick_rate != 0)
        return deja__fail(err, DEJA_EUNFIT, "is a game of turns, and has a tick rate");
    if (table->seat_count > SEATS_MAX)
        return deja__fail(err, DEJA_EUNFIT, "has %u seats, and %d is the most", table->seat_count,
                          SEATS_MAX);
    return DEJA_OK;
}

/* ---- all of it ---- */

/* The first members: what is needed to read the others. */
typedef struct beginning {
    uint32_t abi_major, abi_minor;
    uint64_t size;
} beginning;
_Static_assert(offsetof(deja_rules_table, size) == offsetof(beginning, size), "see rules.h");

static deja_code check_beginning(const void *source, uint64_t room, beginning *first,
                                 deja_error *err)
{
    if (room < sizeof *first)
        return deja__fail(err, DEJA_EUNFIT, "'deja_rules' is too small for a table");
    memcpy(first, source, sizeof *first);
    if (first->abi_major != DEJA_ABI_MAJOR)
        return deja__fail(err, DEJA_EUNFIT, "was built for ABI %u.%u, this deja knows %u.%u",
                          first->abi_major, first->abi_minor, DEJA_ABI_MAJOR, DEJA_ABI_MINOR);
    if (first->size > room)
        return deja__fail(err, DEJA_EUNFIT, "its table says it has %llu bytes, and has %llu",
                          (unsigned long long)first->size, (unsigned long long)room);
    if (first->size < offsetof(deja_rules_table, check))
        return deja__fail(err, DEJA_EUNFIT,
                          "its table has %llu bytes, too few for what every game must have",
                          (unsigned long long)first->size);
    return DEJA_OK;
}

deja_code deja__table_copy(deja_rules_table *table, const void *source, uint64_t room,
                           deja_error *err)
{
    beginning first;
    memset(table, 0, sizeof *table);
    deja_code code = check_beginning(source, room, &first, err);
    if (code != DEJA_OK)
        return code;
    memcpy(table, source, first.size < sizeof *table ? (size_t)first.size : sizeof *table);
    if (!table->compiler)
        table->compiler = "unknown";
    code = check_words(table, err);
    if (code == DEJA_OK)
        code = check_types(table, err);
    if (code == DEJA_OK)
        code = check_kind(table, err);
    if (code == DEJA_OK)
        code = check_names(table->refusals, table->refusal_count, string_at, "refusal", err);
    if (code == DEJA_OK)
        code = check_names(table->outcomes, table->outcome_count, string_at, "outcome", err);
    if (code == DEJA_OK)
        code = check_names(table->bots, table->bot_count, bot_name_at, "bot", err);
    if (code == DEJA_OK)
        code = check_outcomes(table, err);
    if (code == DEJA_OK)
        code = check_bots(table, err);
    return code;
}
