/* SPDX-License-Identifier: MIT */
/*
 * A folder for one test, and sessions in a store in it.
 */
#include "support/scratch.h"

#include <criterion/criterion.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void scratch_open(char path[64])
{
    const char *temporary = getenv("TMPDIR");
    snprintf(path, 64, "%s/deja-test-XXXXXX",
             temporary && *temporary && strlen(temporary) < 40 ? temporary : "/tmp");
    cr_assert_not_null(mkdtemp(path), "no temporary folder");
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status;
    (void)kind;
    (void)walk;
    return remove(path);
}

void scratch_close(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static deja_code record(const char *path, const char *library, const deja_bots_options *options,
                        deja_error *err)
{
    deja_store *store = NULL;
    deja_plugin *plugin = NULL;
    deja_code code = deja_store_open(&store, path, DEJA_STORE_WRITE, err);
    if (code == DEJA_OK)
        code = deja_plugin_open(&plugin, library, err);
    if (code == DEJA_OK)
        code = deja_record_bots(store, plugin, options, err);
    deja_plugin_close(plugin);
    const deja_code closed = deja_store_close(store, code == DEJA_OK ? err : NULL);
    return code == DEJA_OK ? closed : code;
}

void scratch_record(const char *store, const char *library, const char *bots, uint64_t games,
                    uint64_t seed, uint64_t max_steps, uint32_t trail_bits)
{
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        deja_bots_options options = DEJA_BOTS_OPTIONS_INIT;
        deja_error err = { 0 };
        options.bots = bots;
        options.games = games;
        options.seed = seed;
        options.max_steps = max_steps;
        options.trail_bits = trail_bits;
        const deja_code code = record(store, library, &options, &err);
        if (code != DEJA_OK)
            fprintf(stderr, "recording failed: %s\n", err.message);
        _exit(code == DEJA_OK ? 0 : 1);
    }
    int status = -1;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0, "recording %s did not work", library);
}

struct keys {
    int64_t *list;
    uint64_t count;
};

static bool add_key(void *user, const deja_entry *entry)
{
    struct keys *keys = user;
    int64_t *list = realloc(keys->list, (keys->count + 1) * sizeof *list);
    if (!list)
        return false;
    keys->list = list;
    keys->list[keys->count++] = entry->key;
    return true;
}

int64_t *scratch_keys(const char *path, uint64_t *count)
{
    struct keys keys = { NULL, 0 };
    deja_store *store = NULL;
    deja_error err = { 0 };
    cr_assert_eq(deja_store_open(&store, path, DEJA_STORE_READ, &err), DEJA_OK, "%s", err.message);
    cr_assert_eq(deja_store_list(store, add_key, &keys, &err), DEJA_OK, "%s", err.message);
    deja_store_close(store, NULL);
    *count = keys.count;
    return keys.list;
}
