/* SPDX-License-Identifier: MIT */
/*
 * The platform as words. Normative: schemas/digests.md.
 *
 * Only what may change what a game computes: the C library (its mathematics), the processor
 * features that it and compilers choose code by, and the float environment, which is found out by
 * computing in it rather than by reading control registers, so that it holds on every machine.
 */
#include "plugin/plugin.h"

#include <float.h>
#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

#if defined(__x86_64__)
#define MACHINE "x86_64"
#elif defined(__i386__)
#define MACHINE "i386"
#elif defined(__aarch64__)
#define MACHINE "aarch64"
#elif defined(__arm__)
#define MACHINE "arm"
#elif defined(__riscv)
#define MACHINE "riscv64"
#elif defined(__powerpc64__)
#define MACHINE "powerpc64"
#elif defined(__s390x__)
#define MACHINE "s390x"
#else
#define MACHINE "unknown"
#endif

static void print_system(deja_buffer *out)
{
    deja_buffer_text(out, MACHINE);
#if defined(__GLIBC__)
    deja_buffer_text(out, "-linux-gnu glibc-");
    deja_buffer_text(out, gnu_get_libc_version());
#elif defined(__linux__)
    deja_buffer_text(out, "-linux-musl musl");
#else
    deja_buffer_text(out, "-unknown unknown");
#endif
}

static void print_features(deja_buffer *out)
{
#if defined(__x86_64__) || defined(__i386__)
    /* The compiler's own test looks at what the system saves of a processor's registers, too. */
    __builtin_cpu_init();
    if (__builtin_cpu_supports("sse4.2"))
        deja_buffer_text(out, " sse4.2");
    if (__builtin_cpu_supports("avx"))
        deja_buffer_text(out, " avx");
    if (__builtin_cpu_supports("avx2"))
        deja_buffer_text(out, " avx2");
    if (__builtin_cpu_supports("fma"))
        deja_buffer_text(out, " fma");
    if (__builtin_cpu_supports("fma4"))
        deja_buffer_text(out, " fma4");
    if (__builtin_cpu_supports("avx512f"))
        deja_buffer_text(out, " avx512f");
#else
    (void)out;
#endif
}

/* Every operand is volatile: nothing of this may be computed by the compiler. */
void deja__platform_floats(deja_buffer *out)
{
    const volatile double one = 1.0;
    const volatile double little = DBL_EPSILON * 0.75; /* nearer to the next number than to one */
    const volatile double half = 0.5;
    const volatile double smallest_normal = DBL_MIN;
    const volatile uint64_t denormal_bits = 1;
    const volatile double large = 4503599627370496.0;
    const volatile double up = one + little;
    const volatile double down = -one - little;
    if (up > one && down < -one)
        deja_buffer_text(out, " round-nearest");
    else if (up > one)
        deja_buffer_text(out, " round-up");
    else if (down < -one)
        deja_buffer_text(out, " round-down");
    else
        deja_buffer_text(out, " round-zero");

    const volatile double flushed = smallest_normal * half;
    uint64_t bits = denormal_bits;
    double smallest;
    memcpy(&smallest, &bits, sizeof smallest);
    const volatile double denormal = smallest;
    const volatile double ignored = denormal * large;
    memcpy(&bits, (const void *)(uintptr_t)&flushed, sizeof bits);
    if (bits == 0)
        deja_buffer_text(out, " ftz");
    memcpy(&bits, (const void *)(uintptr_t)&ignored, sizeof bits);
    if (bits == 0)
        deja_buffer_text(out, " daz");
#if defined(__x86_64__) || defined(__i386__)
    /* The old unit can be told to round to fewer bits than its 64. */
    const volatile long double wide = 1.0L;
    const volatile long double step = LDBL_EPSILON;
    const volatile long double next = wide + step;
    if (next == wide)
        deja_buffer_text(out, " x87-short");
#endif
}

deja_code deja__platform_text(deja_buffer *out, deja_error *err)
{
    print_system(out);
    print_features(out);
    deja__platform_floats(out);
    return out->failed ? deja__fail_memory(err) : DEJA_OK;
}
