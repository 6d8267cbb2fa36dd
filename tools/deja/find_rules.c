/* SPDX-License-Identifier: MIT */
/*
 * RULES is a path where it has a slash or ends in .so. Anything else is the name of a game, looked
 * up as NAME.so in the folders of $DEJA_RULES, then among the games that came with deja: beside a
 * binary that was not installed, else in ../lib/deja/games from the binary (so that an installation
 * may be moved), else where this build was to be installed. Never in the current folder: what lies
 * there by chance is not to be run. That is why an empty entry of $DEJA_RULES means nothing.
 */
#include "find_rules.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interrupt.h"
#include "output.h"
#include "own_folder.h"
#include "suggest.h"

#ifndef DEJA_GAMES_DIR
#define DEJA_GAMES_DIR "/usr/local/lib/deja/games"
#endif

enum { PLACES_MAX = 64, PATH_SIZE = 4096 };

typedef struct places {
    char *paths[PLACES_MAX];
    uint32_t count;
    bool failed;
} places;

static void add_place(places *out, const char *text, size_t size)
{
    if (size == 0 || out->count == PLACES_MAX)
        return;
    out->paths[out->count] = strndup(text, size);
    if (out->paths[out->count])
        out->count++;
    else
        out->failed = true;
}

static void list_places(places *out)
{
    char folder[PATH_SIZE];
    char place[PATH_SIZE + 32];
    const char *listed = getenv("DEJA_RULES");
    while (listed && *listed) {
        const size_t size = strcspn(listed, ":");
        add_place(out, listed, size);
        listed += size + (listed[size] == ':');
    }
    if (own_folder(folder, sizeof folder)) {
        snprintf(place, sizeof place, "%s/games", folder);
        if (is_folder(place)) {
            add_place(out, place, strlen(place));
            return;
        }
        snprintf(place, sizeof place, "%s/../lib/deja/games", folder);
        if (is_folder(place))
            add_place(out, place, strlen(place));
    }
    add_place(out, DEJA_GAMES_DIR, strlen(DEJA_GAMES_DIR));
}

/* FOLDER/NAME.so where there is such a file; else NULL. */
static char *look_in(const char *folder, const char *name)
{
    struct stat about;
    char *path = NULL;
    if (asprintf(&path, "%s/%s.so", folder, name) < 0)
        return NULL;
    if (stat(path, &about) == 0 && S_ISREG(about.st_mode))
        return path;
    free(path);
    return NULL;
}

/* The name of a game there that is nearer than any before, in `best`. */
static void suggest_from(const char *folder, nearest *search, char *best, size_t best_size)
{
    DIR *handle = opendir(folder);
    const struct dirent *entry;
    while (handle && (entry = readdir(handle)) != NULL) {
        char name[256];
        const size_t size = strlen(entry->d_name);
        if (size < 4 || size >= sizeof name || strcmp(entry->d_name + size - 3, ".so") != 0)
            continue;
        memcpy(name, entry->d_name, size - 3);
        name[size - 3] = '\0';
        if (nearest_offer(search, name))
            snprintf(best, best_size, "%s", name);
    }
    if (handle)
        closedir(handle);
}

static int refuse_name(const char *name, const places *searched)
{
    char best[256] = "";
    deja_buffer list = { 0 };
    nearest search = nearest_begin(name);
    for (uint32_t i = 0; i < searched->count; i++) {
        deja_buffer_text(&list, i == 0 ? "" : ", ");
        deja_buffer_text(&list, searched->paths[i]);
        suggest_from(searched->paths[i], &search, best, sizeof best);
    }
    const char *where = list.failed || list.size == 0 ? "the rules path" : (char *)list.bytes;
    if (*best)
        complain(STATUS_USAGE, "%s: no such game in %s; did you mean '%s'?", text_typed(name),
                 where, best);
    else
        complain(STATUS_USAGE,
                 "%s: no such game in %s; set $DEJA_RULES, or give a path, which has a slash or "
                 "ends in .so",
                 text_typed(name), where);
    deja_buffer_release(&list);
    return STATUS_USAGE;
}

char *find_rules(const char *word, int *status)
{
    const size_t size = strlen(word);
    places searched = { .count = 0 };
    char *found = NULL;
    *status = STATUS_OK;

    if (strncmp(word, "exec:", 5) == 0) {
        *status = complain(STATUS_USAGE,
                           "%s: this version of deja runs rules libraries only, no programs",
                           text_typed(word));
        return NULL;
    }
    if (size == 0) {
        *status = complain(STATUS_USAGE, "the name of the rules is empty");
        return NULL;
    }
    if (strchr(word, '/') || (size > 3 && strcmp(word + size - 3, ".so") == 0)) {
        found = strdup(word);
    } else {
        list_places(&searched);
        for (uint32_t i = 0; !found && i < searched.count; i++)
            found = look_in(searched.paths[i], word);
        if (!found && !searched.failed)
            *status = refuse_name(word, &searched);
    }
    if (!found && *status == STATUS_OK)
        *status = complain_memory();
    for (uint32_t i = 0; i < searched.count; i++)
        free(searched.paths[i]);
    return found;
}

int inspect_rules(deja_rules_info *info, const char *path)
{
    deja_error err;
    interrupt_ends_at_once(true);
    const deja_code code = deja_inspect(info, path, worker_program(), &err);
    interrupt_ends_at_once(false);
    return code < 0 ? complain_of(path, &err) : STATUS_OK;
}
