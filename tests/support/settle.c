/* SPDX-License-Identifier: MIT */
/*
 * Criterion forks a process for each test while a thread of its own (nanomsg's) starts up. gcc's
 * AddressSanitizer does not hold its allocator still over a fork, so a child may find it locked by
 * a thread that it does not have, and waits for ever. By the first suite that thread has had a
 * moment to come to rest.
 */
#include <criterion/criterion.h>
#include <criterion/hooks.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
ReportHook(PRE_SUITE)(struct criterion_suite_set *set)
{
    static bool is_settled;
    (void)set;
    if (!is_settled)
        usleep(200000);
    is_settled = true;
}
#endif
