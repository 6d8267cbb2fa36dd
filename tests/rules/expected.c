/* SPDX-License-Identifier: MIT */
/*
 * See expected.h.
 */
#include "rules/expected.h"

#include <criterion/criterion.h>
#include <string.h>

bool expected_next(FILE *file, line *l)
{
    char text[256];
    while (fgets(text, sizeof text, file)) {
        if (text[0] == '#' || text[0] == '\n')
            continue;
        const int words = sscanf(text, "%63s %63s %15s %15s %31s %31s %15s", l->library, l->base,
                                 l->verdict, l->part, l->when, l->fields, l->ends);
        cr_assert(words == 7, "%s", text);
        return true;
    }
    return false;
}

FILE *expected_open(void)
{
    FILE *file = fopen(DEJA_SOURCE_DIR "/fixtures/rules/expected.txt", "r");
    cr_assert(file != NULL);
    return file;
}

void base_name(char *name, size_t size, const char *game)
{
    const bool is_fixture = strcmp(game, "ledger") == 0 || strcmp(game, "skirmish") == 0;
    snprintf(name, size, "%s/%s", is_fixture ? "rules" : "games", game);
}

/* The field at *fields with [*] for its places; *fields is then behind its comma. */
static void take_general(const char **fields, char *general, size_t size)
{
    size_t used = 0;
    const char *c = *fields;
    for (; *c && *c != ',' && used + 2 < size; c++) {
        general[used++] = *c;
        if (*c == '[') {
            general[used++] = '*';
            c += strcspn(c, "]") - 1;
        }
    }
    general[used] = '\0';
    *fields = *c ? c + 1 : c;
}

bool line_fits_fields(const line *l, const char *fields)
{
    char general[256];
    if (strcmp(l->fields, fields) == 0)
        return true;
    do {
        take_general(&fields, general, sizeof general);
        if (strcmp(l->fields, general) != 0)
            return false;
    } while (*fields);
    return true;
}
