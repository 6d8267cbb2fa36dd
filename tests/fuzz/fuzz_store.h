/* SPDX-License-Identifier: MIT */
/*
 * A store for a fuzzer's whole run, in a folder of its own, and one session of it as a text. What
 * goes wrong with either is a finding.
 */
#ifndef DEJA_FUZZ_STORE_H
#define DEJA_FUZZ_STORE_H

#include <deja/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char fuzz_folder[] = "/tmp/deja-fuzz-XXXXXX";
static char fuzz_path[64];
static deja_store *fuzz_store;

static inline void fuzz_store_close(void)
{
    deja_store_close(fuzz_store, NULL);
    unlink(fuzz_path);
    rmdir(fuzz_folder);
}

/* The first time; it is closed and removed at the end of the process. */
static inline deja_store *fuzz_store_open(void)
{
    if (fuzz_store)
        return fuzz_store;
    if (!mkdtemp(fuzz_folder))
        abort();
    snprintf(fuzz_path, sizeof fuzz_path, "%s/plays.deja", fuzz_folder);
    if (deja_store_open(&fuzz_store, fuzz_path, DEJA_STORE_WRITE, NULL) != DEJA_OK)
        abort();
    atexit(fuzz_store_close);
    return fuzz_store;
}

static inline bool fuzz_append(void *user, const char *chars, uint64_t size)
{
    return deja_buffer_add(user, chars, size);
}

static inline void fuzz_export(const deja_id *id, deja_buffer *text)
{
    char prefix[33];
    int64_t key;
    for (int i = 0; i < 16; i++)
        snprintf(prefix + 2 * i, 3, "%02x", id->bytes[i]);
    if (deja_store_flush(fuzz_store, NULL) != DEJA_OK ||
        deja_store_find(fuzz_store, prefix, &key, NULL) != DEJA_OK ||
        deja_export(fuzz_store, key, 0, fuzz_append, text, NULL) != DEJA_OK)
        abort();
}

#endif
