/* SPDX-License-Identifier: MIT */
#include "support/locale.h"

#include <criterion/criterion.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char SOURCE[] =
    "comment_char %\nescape_char /\n"
    "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \"\"\ngrouping -1\nEND LC_NUMERIC\n"
    "LC_CTYPE\ncopy \"POSIX\"\nEND LC_CTYPE\n";

void locale_with_commas(const char *folder)
{
    char path[128], command[512], number[16];
    snprintf(path, sizeof path, "%s/commas", folder);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(SOURCE, file);
    fclose(file);
    snprintf(command, sizeof command, "localedef -c -i %s -f UTF-8 %s/commas.UTF-8 >/dev/null 2>&1",
             path, folder);
    (void)!system(command); /* it warns of what is missing, and says 1 */
    setenv("LOCPATH", folder, 1);
    setlocale(LC_NUMERIC, "commas.UTF-8");
    snprintf(number, sizeof number, "%.1f", 1.5);
    if (strcmp(number, "1,5") == 0)
        return;
    const char *ci = getenv("CI");
    cr_assert(!ci || strcmp(ci, "true") != 0, "no locale could be made (package locales)");
    cr_skip_test("no locale could be made (package locales)");
}
