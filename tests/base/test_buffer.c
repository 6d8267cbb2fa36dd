/* SPDX-License-Identifier: MIT */
/*
 * Buffers: they grow, end with a NUL, and a failure sticks.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <sys/resource.h>

#include "base/base.h"

TestSuite(buffer, .timeout = 10);

Test(buffer, is_empty_when_zero)
{
    deja_buffer buffer = { 0 };
    cr_assert(eq(u64, buffer.size, 0));
    deja_buffer_release(&buffer);
    deja_buffer_release(NULL);
}

Test(buffer, grows_and_always_ends_with_nul)
{
    deja_buffer buffer = { 0 };
    for (int i = 0; i < 1000; i++) {
        cr_assert(deja_buffer_char(&buffer, (char)('a' + i % 26)));
        cr_assert(eq(u64, strlen((char *)buffer.bytes), (uint64_t)i + 1));
    }
    cr_assert(eq(int, buffer.bytes[999], 'a' + 999 % 26));
    deja_buffer_release(&buffer);
    cr_assert(eq(u64, buffer.capacity, 0));
}

Test(buffer, extends_with_zeros)
{
    deja_buffer buffer = { 0 };
    deja_buffer_text(&buffer, "ab");
    unsigned char *hole = deja_buffer_extend(&buffer, 3);
    cr_assert(ne(ptr, hole, NULL));
    cr_assert(eq(int, memcmp(buffer.bytes, "ab\0\0\0", 6), 0));
    cr_assert(eq(u64, buffer.size, 5));
    deja_buffer_release(&buffer);
}

Test(buffer, takes_no_bytes_at_all)
{
    deja_buffer buffer = { 0 };
    cr_assert(deja_buffer_add(&buffer, NULL, 0));
    cr_assert(eq(u64, buffer.size, 0));
    cr_assert(eq(str, (char *)buffer.bytes, ""));
    deja_buffer_release(&buffer);
}

Test(buffer, remembers_that_it_got_no_memory)
{
    deja_buffer buffer = { 0 };
    deja_buffer_text(&buffer, "kept");
    cr_assert(not(deja_buffer_reserve(&buffer, UINT64_MAX - 10)));
    cr_assert(buffer.failed);
    cr_assert(not(deja_buffer_text(&buffer, "lost")));
    cr_assert(eq(str, (char *)buffer.bytes, "kept"));
    deja_buffer_clear(&buffer);
    cr_assert(deja_buffer_text(&buffer, "again"));
    cr_assert(eq(str, (char *)buffer.bytes, "again"));
    deja_buffer_release(&buffer);
}
