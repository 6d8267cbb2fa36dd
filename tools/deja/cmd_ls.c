/* SPDX-License-Identifier: MIT */
/*
 * deja ls: the sessions of a store, in the order in which they were stored.
 *
 * The list is read twice, first for the columns' widths: a store may hold more sessions than one
 * would want in memory.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "commands.h"
#include "json.h"
#include "output.h"
#include "sessions.h"
#include "suggest.h"

enum { GAME, STEPS, ENDED, SEED, COLUMNS };

typedef struct listing {
    const char *game;   /* NULL for every one */
    const char *prefix; /* likewise */
    int widths[COLUMNS];
    uint64_t stored;
    uint64_t shown;
    uint64_t steps;
    nearest search;
    char suggestion[64];
    layout_cache config;
    int status;
} listing;

static bool is_asked_for(listing *list, const deja_entry *entry)
{
    const char *id = hex_text(entry->session.id.bytes, ID_DIGITS);
    if (list->game && strcmp(list->game, entry->session.game) != 0) {
        if (nearest_offer(&list->search, entry->session.game))
            snprintf(list->suggestion, sizeof list->suggestion, "%s", entry->session.game);
        return false;
    }
    return !list->prefix || strncasecmp(list->prefix, id, strlen(list->prefix)) == 0;
}

static void widen(listing *list, uint32_t column, const char *text)
{
    const int size = (int)strlen(text);
    if (list->widths[column] < size)
        list->widths[column] = size;
}

static void print_row(const listing *list, const char *const columns[COLUMNS], const char *id,
                      const char *recorded, const char *build, const char *made)
{
    out_line("%-12s  %-*s  %*s  %-*s  %*s  %-19s  %-12s  %s", id, list->widths[GAME], columns[GAME],
             list->widths[STEPS], columns[STEPS], list->widths[ENDED], columns[ENDED],
             list->widths[SEED], columns[SEED], recorded, build, made);
}

static void fill_columns(const deja_entry *entry, const char *columns[COLUMNS], char seed[32])
{
    snprintf(seed, 32, "%llu", (unsigned long long)entry->session.seed);
    columns[GAME] = entry->session.game;
    columns[STEPS] = text_count(entry->session.steps);
    columns[ENDED] = ended_text(&entry->recording);
    columns[SEED] = seed;
}

/* The first time through: what there is, and how wide it is. */
static bool look(void *user, const deja_entry *entry)
{
    listing *list = user;
    const char *columns[COLUMNS];
    char seed[32];
    list->stored++;
    if (!is_asked_for(list, entry))
        return true;
    list->shown++;
    list->steps += entry->session.steps;
    fill_columns(entry, columns, seed);
    for (uint32_t i = 0; i < COLUMNS; i++)
        widen(list, i, columns[i]);
    return true;
}

static bool print(void *user, const deja_entry *entry)
{
    listing *list = user;
    const char *columns[COLUMNS];
    char seed[32];
    if (!is_asked_for(list, entry))
        return true;
    if (output_is_json()) {
        list->status =
            session_json(&entry->session, &entry->recording, entry->recording_count, &list->config);
    } else {
        fill_columns(entry, columns, seed);
        print_row(list, columns, hex_text(entry->session.id.bytes, ID_SHORT),
                  time_text(entry->recording.recorded_at),
                  is_scenario(&entry->recording) ? "-" : hex_text(entry->recording.build, ID_SHORT),
                  *entry->recording.made ? entry->recording.made : "-");
    }
    return list->status == STATUS_OK && output_is_wanted();
}

/* Nothing is no answer to a name that is not there. */
static int refuse_empty(const listing *list, const char *path)
{
    if (list->game && *list->suggestion)
        return complain(STATUS_USAGE, "%s: no session of '%s'; did you mean '%s'?", path,
                        text_typed(list->game), list->suggestion);
    if (list->game)
        return complain(STATUS_USAGE, "%s: no session of '%s'", path, text_typed(list->game));
    return complain(STATUS_USAGE, "%s: no session begins with '%s'", path, list->prefix);
}

static int run(const args *given)
{
    static const char *const titles[COLUMNS] = { "game", "steps", "ended", "seed" };
    listing list = { .game = args_value(given, OPTION_GAME),
                     .prefix = args_value(given, OPTION_SESSION) };
    const char *path = text_typed(store_path(given));
    deja_store *store;
    deja_error err;

    list.search = nearest_begin(list.game ? list.game : "");
    int status = list.prefix ? prefix_check(list.prefix) : STATUS_OK;
    if (status == STATUS_OK)
        status = store_open(&store, given, DEJA_STORE_READ);
    if (status != STATUS_OK)
        return status;
    for (uint32_t i = 0; i < COLUMNS; i++)
        widen(&list, i, titles[i]);
    if (deja_store_list(store, look, &list, &err) < 0) {
        status = complain_of(NULL, &err);
    } else if (list.shown == 0 && (list.game || list.prefix)) {
        status = refuse_empty(&list, path);
    } else {
        if (list.shown == 0)
            remark("%s: holds no sessions yet", path);
        else if (!output_is_json())
            print_row(&list, titles, "session", "recorded (UTC)", "build", "made");
        if (deja_store_list(store, print, &list, &err) < 0)
            status = complain_of(NULL, &err);
        else
            status = list.status;
    }
    if (output_is_json() && status == STATUS_OK) {
        json_begin("summary");
        json_number("sessions", list.shown);
        json_number("steps", list.steps);
        json_end();
    }
    layout_release(&list.config);
    return store_close(store, status);
}

static const option_row options[] = {
    { OPTION_SESSION, 'n', "session", "PREFIX", "only sessions whose ids begin so", false },
    { OPTION_GAME, 0, "game", "GAME", "only sessions of this game", false },
    ROW_STORE,
    ROW_JSON,
    ROW_HELP,
    ROW_END,
};

const command_row command_ls = {
    .name = "ls",
    .operands = "",
    .summary = "list the sessions of a store",
    .options = options,
    .run = run,
};
