/* SPDX-License-Identifier: MIT */
/*
 * Failing: the code comes back, the message is whole or cut, and context goes before it.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>

#include "base/base.h"

TestSuite(error, .timeout = 10);

Test(error, comes_back_as_the_code_that_was_given)
{
    deja_error err = { 0 };
    const deja_code code = deja__fail_at(&err, DEJA_EDAMAGED, 12, "block %d", 3);
    cr_assert(eq(i32, code, DEJA_EDAMAGED));
    cr_assert(eq(i32, err.code, DEJA_EDAMAGED));
    cr_assert(eq(u64, err.step, 12));
    cr_assert(eq(str, err.message, "block 3"));
    const deja_code quiet = deja__fail(NULL, DEJA_EIO, "nobody asks");
    cr_assert(eq(i32, quiet, DEJA_EIO));
}

Test(error, takes_context_before_its_message)
{
    deja_error err = { 0 };
    deja__fail(&err, DEJA_EIO, "no such file");
    deja__fail_within(&err, DEJA_EIO, "plays.deja");
    cr_assert(eq(str, err.message, "plays.deja: no such file"));
}

Test(error, cuts_what_is_too_long)
{
    deja_error err = { 0 };
    char long_text[3000];
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = 0;
    deja__fail(&err, DEJA_EIO, "%s", long_text);
    cr_assert(eq(u64, strlen(err.message), DEJA_ERROR_MESSAGE_SIZE - 1));
    deja__fail_within(&err, DEJA_EIO, "%s", long_text);
    cr_assert(eq(u64, strlen(err.message), DEJA_ERROR_MESSAGE_SIZE - 1));
}

Test(error, has_a_name_for_every_code)
{
    for (deja_code code = DEJA_EMISUSE; code <= DEJA_OK; code++) {
        const char *name = deja_code_name(code);
        cr_assert(ne(str, (char *)name, "unknown"), "code %d", code);
    }
    cr_assert(eq(str, (char *)deja_code_name(-1000), "unknown"));
}

Test(error, has_words_for_the_systems_usual_errors)
{
    cr_assert(eq(str, (char *)deja_system_text(ENOENT), "no such file"));
    cr_assert(eq(str, (char *)deja_system_text(ENOSPC), "no space left on the device"));
    cr_assert(eq(ptr, (char *)deja_system_text(0), NULL));
}
