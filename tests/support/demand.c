/* SPDX-License-Identifier: MIT */
/*
 * Assertions for helpers that also run in a child of a test.
 */
#include "support/demand.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool is_child;

void demand_in_child(void)
{
    is_child = true;
}

void demand_failed(const char *file, int line, const char *format, ...)
{
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (is_child) {
        fprintf(stderr, "%s:%d: %s\n", file, line, message);
        _exit(DEMAND_STATUS);
    }
    cr_assert(false, "%s:%d: %s", file, line, message);
    abort(); /* not reached: the test has ended */
}
