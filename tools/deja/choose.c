/* SPDX-License-Identifier: MIT */
/*
 * Choosing sessions.
 *
 * A shard is what falls to it by the session's id, which is a hash already: so a session stays in
 * its shard whatever else the store holds, each belongs to exactly one, and machines that share the
 * work need not talk to each other. Sessions that were never closed have no id, and fall to the
 * first.
 */
#include "choose.h"

#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "sessions.h"

/* A word's place, where it may be new; UINT32_MAX without memory. There are few: the last one asked
 * for is mostly the next. */
static uint32_t place_of(word_list *list, const char *word)
{
    for (uint32_t i = list->count; i-- > 0;)
        if (strcmp(list->words[i], word) == 0)
            return i;
    char **larger = realloc(list->words, (list->count + 1) * sizeof *larger);
    if (!larger)
        return UINT32_MAX;
    list->words = larger;
    larger[list->count] = strdup(word);
    return larger[list->count] ? list->count++ : UINT32_MAX;
}

static void release_words(word_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        free(list->words[i]);
    free(list->words);
}

static bool add(void *user, const deja_entry *entry)
{
    choice *out = user;
    if (out->count == out->capacity) {
        const uint64_t capacity = out->capacity ? out->capacity * 2 : 256;
        chosen *larger = realloc(out->sessions, capacity * sizeof *larger);
        out->failed = !larger;
        if (!larger)
            return false;
        out->sessions = larger;
        out->capacity = capacity;
    }
    const uint32_t game = place_of(&out->games, entry->session.game);
    const uint32_t content = place_of(&out->contents, entry->session.content);
    const chosen session = {
        entry->key, entry->session.id, entry->session.steps, game, content, 0
    };
    out->failed = game == UINT32_MAX || content == UINT32_MAX;
    out->sessions[out->count] = session;
    out->count += !out->failed;
    return !out->failed;
}

/* Moves what is named to the front, in the order of the names, and drops the rest. */
static int keep_named(choice *out, deja_store *store, const args *given)
{
    const char *name;
    uint64_t kept = 0;
    for (uint32_t i = 0; (name = args_value_at(given, OPTION_SESSION, i)) != NULL; i++) {
        int64_t key;
        const int status = store_find(store, name, &key);
        if (status != STATUS_OK)
            return status;
        uint64_t place = 0;
        while (place < out->count && out->sessions[place].key != key)
            place++;
        if (place < kept)
            continue; /* named before */
        if (place == out->count)
            return complain(STATUS_TROUBLE, "%s: the store changed while it was read",
                            text_typed(name));
        const chosen session = out->sessions[place];
        memmove(out->sessions + kept + 1, out->sessions + kept, (place - kept) * sizeof session);
        out->sessions[kept++] = session;
    }
    out->count = kept;
    return STATUS_OK;
}

static void keep_game(choice *out, const char *game)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < out->count; i++)
        if (choice_is_of(out, &out->sessions[i], game))
            out->sessions[kept++] = out->sessions[i];
    out->count = kept;
}

int shard_read(const args *given, uint64_t *part, uint64_t *parts)
{
    const char *text = args_value(given, OPTION_SHARD);
    *part = *parts = 1;
    if (!text)
        return STATUS_OK;
    const char *slash = strchr(text, '/');
    if (!slash || !number_read(text, slash, part) ||
        !number_read(slash + 1, text + strlen(text), parts) || *part == 0 || *part > *parts)
        return complain(STATUS_USAGE, "%s: --shard: '%s' is not a part of parts, as 1/4 to 4/4",
                        given->command->name, text_typed(text));
    return STATUS_OK;
}

static int mark_shard(choice *out, const args *given)
{
    uint64_t part;
    uint64_t parts;
    const int status = shard_read(given, &part, &parts);
    if (status != STATUS_OK)
        return status;
    for (uint64_t i = 0; i < out->count; i++) {
        uint64_t number = 0;
        for (uint32_t k = 8; k < 16; k++)
            number = number << 8 | out->sessions[i].id.bytes[k];
        out->sessions[i].left = number % parts != part - 1;
    }
    return STATUS_OK;
}

int choose_sessions(choice *out, deja_store *store, const args *given)
{
    const char *game = args_value(given, OPTION_GAME);
    deja_error err;
    int status = STATUS_OK;
    memset(out, 0, sizeof *out);
    if (deja_store_list(store, add, out, &err) < 0)
        return complain_of(NULL, &err);
    if (out->failed)
        return complain_memory();
    if (args_has(given, OPTION_SESSION))
        status = keep_named(out, store, given);
    if (status == STATUS_OK && game)
        keep_game(out, game);
    if (status == STATUS_OK)
        status = mark_shard(out, given);
    return status;
}

void choice_release(choice *out)
{
    release_words(&out->games);
    release_words(&out->contents);
    free(out->sessions);
    memset(out, 0, sizeof *out);
}

bool choice_is_of(const choice *from, const chosen *session, const char *game)
{
    return strcmp(from->games.words[session->game], game) == 0;
}
