/* SPDX-License-Identifier: MIT */
/*
 * An allocator that can be told to fail, for one source of a test binary to include.
 *
 * The allocator of the whole program goes through here: while a countdown runs, the allocation that
 * brings it to zero gets nothing. Sanitizers bring an allocator of their own; then SHORT_MEMORY is
 * not defined, and there is nothing to test with.
 */
#ifndef DEJA_TESTS_SHORT_MEMORY_H
#define DEJA_TESTS_SHORT_MEMORY_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define SHORT_MEMORY 1
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#undef SHORT_MEMORY
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
#undef SHORT_MEMORY
#endif

#ifdef SHORT_MEMORY

/* Threads that the library starts count, too. */
static _Atomic int64_t memory_countdown; /* 0: nothing fails */
static _Atomic bool memory_fired;
static _Atomic int64_t memory_living; /* blocks that were made and not freed, while counting */
static _Atomic bool memory_counting;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static bool memory_fails(void)
{
    int64_t left = memory_countdown;
    while (left && !atomic_compare_exchange_weak(&memory_countdown, &left, left - 1)) {
    }
    if (left != 1)
        return false;
    memory_fired = true;
    errno = ENOMEM;
    return true;
}

static void *memory_counted(void *memory)
{
    memory_living += memory_counting && memory;
    return memory;
}

void *malloc(size_t size)
{
    return memory_fails() ? NULL : memory_counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return memory_fails() ? NULL : memory_counted(__libc_calloc(count, size));
}

void *realloc(void *memory, size_t size)
{
    if (memory_fails())
        return NULL;
    void *moved = __libc_realloc(memory, size);
    memory_living += memory_counting && moved && !memory;
    return moved;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memory_fails() ? NULL : memory_counted(__libc_memalign(alignment, size));
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    void *memory = aligned_alloc(alignment, size);
    if (memory)
        *out = memory;
    return memory ? 0 : ENOMEM;
}

void free(void *memory)
{
    memory_living -= memory_counting && memory;
    __libc_free(memory);
}

/* Begins a run in which the nth allocation fails; 0: none. */
static void memory_start(int64_t n)
{
    memory_living = 0;
    memory_fired = false;
    memory_counting = true;
    memory_countdown = n;
}

/* Ends it. @return how many blocks are left of it */
static int64_t memory_end(void)
{
    memory_countdown = 0;
    memory_counting = false;
    return memory_living;
}

#endif

#endif
