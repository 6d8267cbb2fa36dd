/* SPDX-License-Identifier: MIT */
/*
 * Assertions for helpers that also run in a child of a test, where Criterion's own cannot: it would
 * take their message for another test's.
 */
#ifndef DEJA_TESTS_DEMAND_H
#define DEJA_TESTS_DEMAND_H

/* demand(condition, "format"...): what must hold. Where it does not, the test fails; in a child the
 * process ends, with DEMAND_STATUS. */
#define demand(condition, ...) \
    ((condition) ? (void)0 : demand_failed(__FILE__, __LINE__, __VA_ARGS__))

enum { DEMAND_STATUS = 98 };

/* Called by a child, once, before anything else. */
void demand_in_child(void);

void demand_failed(const char *file, int line, const char *format, ...)
    __attribute__((noreturn, format(printf, 3, 4)));

#endif
