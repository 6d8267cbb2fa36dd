/* SPDX-License-Identifier: MIT
 *
 * What tests/selftest/run shows to tests/run-criterion: a test that is right, and the ways to be
 * wrong that it must notice. None but `passing` is meant to pass.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <signal.h>
#include <stdlib.h>

static void *volatile kept;

Test(passing, one)
{
    cr_assert_eq(1, 1);
}

struct row {
    char text[16];
};

/* Criterion's own parameter handling must not count as a leak. */
ParameterizedTestParameters(passing, rows)
{
    static struct row rows[] = { { "one" }, { "two" } };

    return cr_make_param_array(struct row, rows, 2);
}

ParameterizedTest(struct row *row, passing, rows)
{
    cr_assert_neq(row->text[0], '\0');
}

/* A child that a test kills on purpose is no sanitizer's finding. */
Test(passing, expected_signal, .signal = SIGSEGV)
{
    raise(SIGSEGV);
}

Test(failing, one)
{
    cr_assert_eq(1, 2);
}

Test(leaking, one)
{
    kept = malloc(42);
    kept = NULL;
    cr_assert_eq(1, 1);
}

Test(overflowing, signed_sum)
{
    volatile int most = 2147483647;

    most = most + 1;
    cr_assert_eq(1, 1);
}
