/* SPDX-License-Identifier: MIT */
/*
 * The platform in words, in the float environment that there is.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fenv.h>
#include <gnu/libc-version.h>
#include <stdio.h>

#include "plugin/plugin.h"
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

TestSuite(platform, .timeout = 60);

/* The words behind the features: how numbers are rounded. */
static void assert_environment(const char *words)
{
    deja_buffer out = { 0 };
    deja_error err = { 0 };
    const deja_code code = deja__platform_text(&out, &err);
    cr_assert(eq(i32, code, DEJA_OK));
    const char *found = strstr((char *)out.bytes, " round-");
    cr_assert(ne(ptr, (void *)(uintptr_t)found, NULL), "%s", (char *)out.bytes);
    cr_assert(eq(str, (char *)found + 1, (char *)words));
    deja_buffer_release(&out);
}

Test(platform, begins_with_machine_and_libc)
{
    deja_buffer out = { 0 };
    char expected[64];
    const deja_code code = deja__platform_text(&out, NULL);
    cr_assert(eq(i32, code, DEJA_OK));
#if defined(__x86_64__)
    snprintf(expected, sizeof expected, "x86_64-linux-gnu glibc-%s ", gnu_get_libc_version());
#else
    snprintf(expected, sizeof expected, "aarch64-linux-gnu glibc-%s ", gnu_get_libc_version());
#endif
    cr_assert(zero(int, strncmp((char *)out.bytes, expected, strlen(expected))), "%s",
              (char *)out.bytes);
    const char *doubled = strstr((char *)out.bytes, "  ");
    cr_assert(zero(ptr, (void *)(uintptr_t)doubled));
    deja_buffer_release(&out);
}

Test(platform, tells_how_sums_are_rounded)
{
    static const struct {
        int mode;
        const char *words;
    } rows[] = { { FE_TONEAREST, "round-nearest" },
                 { FE_UPWARD, "round-up" },
                 { FE_DOWNWARD, "round-down" },
                 { FE_TOWARDZERO, "round-zero" } };
    for (size_t i = 0; i < 4; i++) {
        fesetround(rows[i].mode);
        assert_environment(rows[i].words);
    }
    fesetround(FE_TONEAREST);
}

#if defined(__x86_64__)
Test(platform, tells_what_becomes_of_the_smallest_numbers)
{
    const unsigned kept = _mm_getcsr();
    _mm_setcsr(kept | 0x8000u);
    assert_environment("round-nearest ftz");
    _mm_setcsr(kept | 0x40u);
    assert_environment("round-nearest daz");
    _mm_setcsr(kept | 0x8040u);
    assert_environment("round-nearest ftz daz");
    _mm_setcsr(kept);
    assert_environment("round-nearest");
}

Test(platform, tells_a_short_x87)
{
    uint16_t kept = 0;
    __asm__ volatile("fnstcw %0" : "=m"(kept));
    const uint16_t shorter = (uint16_t)((kept & ~0x300u) | 0x200u); /* 53 bits */
    __asm__ volatile("fldcw %0" : : "m"(shorter));
    assert_environment("round-nearest x87-short");
    __asm__ volatile("fldcw %0" : : "m"(kept));
    assert_environment("round-nearest");
}
#endif
