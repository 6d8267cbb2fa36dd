/* SPDX-License-Identifier: MIT */
/*
 * Every allocation of a run fails once: the call says so, and leaks nothing.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "check/checking.h"
#include "support/short_memory.h"

#ifdef SHORT_MEMORY

TestSuite(check_memory, .timeout = 120);

Test(check_memory, every_allocation_that_fails_is_told)
{
    static checking c;
    checking_open(&c, "rules/ledger-hidden");
    c.options.games = 1;
    c.options.max_steps = 9;
    c.options.tries = 60;
    checking_pass(&c); /* so that the loader has done what it does once */
    deja_code code = DEJA_ENOMEM;
    int64_t n = 1;
    for (; n < 20000; n++) {
        memory_start(n);
        code = checking_run(&c);
        const bool fired = memory_fired;
        const int64_t left = memory_end();
        cr_assert(eq(i64, left, 0), "allocation %d", (int)n);
        if (!fired)
            break;
        cr_assert(eq(i32, code, DEJA_ENOMEM), "allocation %d: %d", (int)n, code);
    }
    cr_assert(eq(i32, code, DEJA_OK));
    cr_assert(gt(i64, n, 50));
    checking_close(&c);
}

#endif
