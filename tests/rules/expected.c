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

bool line_fits_fields(const line *l, const char *fields)
{
    const char *pattern = l->fields;
    char general[256];
    size_t size = 0;
    if (strcmp(pattern, fields) == 0)
        return true;
    for (const char *c = fields; *c && size + 2 < sizeof general; c++) {
        general[size++] = *c;
        if (*c == '[') {
            general[size++] = '*';
            c += strcspn(c, "]") - 1;
        }
    }
    general[size] = '\0';
    return strcmp(pattern, general) == 0;
}
