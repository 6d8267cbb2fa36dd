/* SPDX-License-Identifier: MIT */
/*
 * Every allocation of an import and of an export fails once: the call says so, and leaks nothing.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "support/short_memory.h"
#include "text/texts.h"

#ifdef SHORT_MEMORY

static desk d;

static void open_desk(void)
{
    desk_open(&d);
}

static void close_desk(void)
{
    desk_close(&d);
}

TestSuite(text_memory, .init = open_desk, .fini = close_desk, .timeout = 120);

static const char *import_text;

static deja_code import_once(deja_error *err)
{
    deja_id id;
    return take(&d, import_text, strlen(import_text), &id, err);
}

static bool swallow(void *user, const char *chars, uint64_t size)
{
    (void)chars;
    *(uint64_t *)user += size;
    return true;
}

static bool take_key(void *user, const deja_entry *entry)
{
    *(int64_t *)user = entry->key;
    return true;
}

static deja_code export_once(deja_error *err)
{
    int64_t key = 0;
    uint64_t size = 0;
    deja_code code = deja_store_list(d.store, take_key, &key, err);
    if (code == DEJA_OK)
        code = deja_export(d.store, key, 0, swallow, &size, err);
    return code;
}

/* Runs `work` with the nth allocation failing, for all n. What the store keeps for the next time it
 * has kept since the runs before. */
static void fail_each(deja_code (*work)(deja_error *err))
{
    deja_error err = { 0 };
    for (int warm = 0; warm < 3; warm++) {
        cr_assert_eq(work(&err), DEJA_OK, "%s", err.message);
        cr_assert_eq(deja_store_flush(d.store, &err), DEJA_OK, "%s", err.message);
    }
    for (int64_t n = 1;; n++) {
        memset(&err, 0, sizeof err);
        memory_start(n);
        const deja_code code = work(&err);
        const int64_t left = memory_end();
        if (!memory_fired)
            break;
        /* One that worked waits in the store for its commit. */
        cr_assert(code == DEJA_OK || left <= 0, "allocation %lld: %lld blocks leak", (long long)n,
                  (long long)left);
        /* Some are not needed: a cache, what only makes a message better. */
        cr_assert(code == DEJA_OK || code == DEJA_ENOMEM, "allocation %lld: %s (%s)", (long long)n,
                  deja_code_name(code), err.message);
        cr_assert(code == DEJA_OK || err.message[0], "allocation %lld: no message", (long long)n);
    }
    cr_assert_eq(work(&err), DEJA_OK, "%s", err.message);
}

Test(text_memory, every_allocation_of_an_import_and_an_export_may_fail)
{
    import_text = sample_text;
    fail_each(import_once);
    fail_each(export_once);
}

Test(text_memory, those_of_a_scenario_too)
{
    import_text = scenario_text;
    fail_each(import_once);
    fail_each(export_once);
}

#endif
