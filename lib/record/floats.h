/* SPDX-License-Identifier: MIT */
/*
 * The float environment as bits: which way is rounded, to how many bits, and what becomes of
 * denormals. Read from the processor's control words, which takes some nanoseconds and no call;
 * what they have beside (which exceptions happened, which trap) changes no result and is left out.
 */
#ifndef DEJA_RECORD_FLOATS_H
#define DEJA_RECORD_FLOATS_H

#include <stdint.h>

/* 0 on machines that this does not know: a change is then not seen. */
static inline uint32_t deja__floats(void)
{
#if defined(__x86_64__)
    unsigned short old_unit;
    __asm__ volatile("fnstcw %0" : "=m"(old_unit));
    /* rounding, ftz, daz; and of the x87 unit rounding and precision */
    return (__builtin_ia32_stmxcsr() & 0xe040u) | (old_unit & 0x0f00u) << 16;
#elif defined(__aarch64__)
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    return (uint32_t)control & 0x03c80000u; /* rounding, flushing, one NaN for all */
#else
    return 0;
#endif
}

/* The whole of the control words, to be put back. */
typedef struct deja__float_control {
    uint64_t word;
    uint16_t old_unit;
} deja__float_control;

static inline deja__float_control deja__float_control_take(void)
{
    deja__float_control taken = { 0, 0 };
#if defined(__x86_64__)
    taken.word = __builtin_ia32_stmxcsr();
    __asm__ volatile("fnstcw %0" : "=m"(taken.old_unit));
#elif defined(__aarch64__)
    __asm__ volatile("mrs %0, fpcr" : "=r"(taken.word));
#endif
    return taken;
}

static inline void deja__float_control_put(const deja__float_control *control)
{
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr((uint32_t)control->word);
    __asm__ volatile("fldcw %0" : : "m"(control->old_unit));
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(control->word));
#else
    (void)control;
#endif
}

#endif
