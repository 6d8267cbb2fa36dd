/* SPDX-License-Identifier: MIT */
/*
 * Every allocation fails once: the call says so, leaks nothing, and loses nothing that was stored.
 *
 * The allocator of this whole program goes through here; while a countdown runs, the one that
 * brings it to zero gets nothing. Sanitizers bring an allocator of their own, so there is no such
 * test under them.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/recipe.h"
#include "support/scratch.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
#define SANITIZED 1
#endif

#ifndef SANITIZED

static int64_t countdown; /* 0: nothing fails */
static bool fired;
static int64_t living;
static bool counting;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static bool fails(void)
{
    if (countdown == 0 || --countdown != 0)
        return false;
    fired = true;
    errno = ENOMEM;
    return true;
}

static void *counted(void *memory)
{
    living += counting && memory;
    return memory;
}

void *malloc(size_t size)
{
    return fails() ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : counted(__libc_calloc(count, size));
}

void *realloc(void *memory, size_t size)
{
    if (fails())
        return NULL;
    void *moved = __libc_realloc(memory, size);
    living += counting && moved && !memory;
    return moved;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : counted(__libc_memalign(alignment, size));
}

void free(void *memory)
{
    living -= counting && memory;
    __libc_free(memory);
}

static char folder[64];
static const char *path;

static void open_folder(void)
{
    scratch_open(folder);
    path = in_folder(folder, "memory.deja");
    recipe recipes[] = { recipe_of(1),          recipe_of(2), recipe_of(5),
                         recipe_long(4, 16390), recipe_of(8), recipe_of(1) };
    recipes[1].marks = 2;
    recipes[1].sections = 6;
    recipes[1].config = 1;
    recipes[2].start = true;
    recipes[4].opaque = true;
    recipes[5].build = 2;
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++)
        put(store, &recipes[i]);
    close_store(store);
}

static void close_folder(void)
{
    scratch_close(folder);
}

TestSuite(memory, .init = open_folder, .fini = close_folder, .timeout = 120);

/* Runs `work` with the nth allocation failing, for all n, every `stride`th after the first 60. */
static void fail_each(deja_code (*work)(deja_error *err), int64_t stride)
{
    deja_error err = { 0 };
    cr_assert_eq(work(&err), DEJA_OK, "%s", err.message);
    cr_assert_eq(work(&err), DEJA_OK, "%s", err.message);
    for (int64_t n = 1;; n += n < 60 ? 1 : stride) {
        living = 0;
        counting = true;
        fired = false;
        countdown = n;
        const deja_code code = work(&err);
        countdown = 0;
        counting = false;
        const int64_t left = living;
        if (!fired) {
            cr_assert_gt(n, 100);
            break;
        }
        /* SQLite does without some of its memory. */
        if (code != DEJA_OK)
            cr_assert_eq(code, DEJA_ENOMEM, "allocation %ld: %s %s", (long)n, deja_code_name(code),
                         err.message);
        cr_assert_eq(left, 0, "allocation %ld: %ld pieces of memory leaked", (long)n, (long)left);
    }
}

static deja_code read_all(deja_error *err)
{
    deja_buffer out = { 0 };
    const deja_code code = dump_file(path, &out, err);
    deja_buffer_release(&out);
    return code;
}

Test(memory, reading_fails_cleanly_at_each_allocation)
{
    fail_each(read_all, 17);
}

static deja_code check(deja_error *err)
{
    deja_store *store = NULL;
    deja_code code = deja_store_open(&store, path, DEJA_STORE_READ, err);
    if (code == DEJA_OK)
        code = deja_store_check(store, err);
    deja_store_close(store, NULL);
    return code;
}

Test(memory, checking_fails_cleanly_at_each_allocation)
{
    fail_each(check, 17);
}

static uint64_t seed = 500;

static deja_code write_some(deja_error *err)
{
    deja_store *store = NULL;
    recipe r = recipe_of(seed++);
    recipe blocks = recipe_long(seed++, 16384 + 10);
    recipe start = recipe_of(seed++);
    r.marks = 2;
    r.sections = 5;
    start.start = true;
    deja_code code = deja_store_open(&store, path, DEJA_STORE_WRITE, err);
    if (code == DEJA_OK)
        code = recipe_write(store, &r, NULL, NULL, err);
    if (code == DEJA_OK)
        code = recipe_write(store, &start, NULL, NULL, err);
    if (code == DEJA_OK)
        code = recipe_write(store, &blocks, NULL, NULL, err);
    if (code == DEJA_OK)
        code = recipe_write(store, &r, NULL, NULL, err);
    deja_error closing = { 0 };
    const deja_code closed = deja_store_close(store, &closing);
    if (code == DEJA_OK && closed < 0) {
        *err = closing;
        code = closed;
    }
    return code;
}

Test(memory, writing_fails_cleanly_at_each_allocation_and_harms_nothing)
{
    deja_error err = { 0 };
    const uint32_t before = count_sessions(path);
    fail_each(write_some, 61);
    cr_assert_gt(count_sessions(path), before);
    deja_store *store = open_store(path, DEJA_STORE_READ);
    cr_assert_eq(deja_store_check(store, &err), DEJA_OK, "%s", err.message);
    close_store(store);
}

/* A handle goes on after a call that got no memory. */
Test(memory, what_failed_can_be_tried_again_with_the_same_handle)
{
    deja_error err = { 0 };
    deja_store *store = open_store(path, DEJA_STORE_WRITE);
    recipe blocks = recipe_long(900, 16384);
    deja_writer *writer = NULL;
    cr_assert_eq(recipe_open(&writer, store, &blocks, &err), DEJA_OK);
    for (int64_t n = 1;; n++) {
        recipe r = recipe_of(1000 + (uint64_t)n);
        put(store, &r);
        fired = false;
        countdown = n;
        const deja_code code = deja_store_flush(store, &err);
        countdown = 0;
        if (!fired)
            break;
        cr_assert(code == DEJA_OK || code == DEJA_ENOMEM, "%s", err.message);
        cr_assert_eq(deja_store_flush(store, &err), DEJA_OK, "%s", err.message);
    }
    for (int64_t n = 1;; n++) {
        fired = false;
        countdown = n;
        const deja_code code = recipe_add(writer, &blocks, 0, 16384, &err);
        countdown = 0;
        if (code == DEJA_OK)
            break;
        cr_assert(fired);
        cr_assert_eq(code, DEJA_ENOMEM, "%s", err.message);
    }
    cr_assert_eq(deja_writer_close(writer, blocks.ended, blocks.outcome, NULL, NULL, &err), DEJA_OK,
                 "%s", err.message);
    cr_assert_eq(deja_store_check(store, &err), DEJA_OK, "%s", err.message);
    close_store(store);
}

#endif
