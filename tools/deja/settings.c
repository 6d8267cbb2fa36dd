/* SPDX-License-Identifier: MIT */
/*
 * See settings.h.
 */
#include "settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "output.h"
#include "suggest.h"

int settings_fail(char text[SETTINGS_TEXT_MAX], int status, const char *what, const deja_error *err)
{
    char step[40] = "";
    if (err->step != DEJA_STEP_NONE)
        snprintf(step, sizeof step, " (step %" PRIu64 ")", err->step);
    snprintf(text, SETTINGS_TEXT_MAX, "%s%s%s%s", what ? text_typed(what) : "", what ? ": " : "",
             err->message, step);
    return status;
}

bool settings_blame_rules(deja_code code)
{
    return code == DEJA_EUNFIT || code == DEJA_ERULES || code == DEJA_EREFUSED ||
           code == DEJA_ENOTFOUND || code == DEJA_EMISUSE;
}

int settings_bots(const args *given, const char *bots, const char *also, const deja_plugin *plugin,
                  char text[SETTINGS_TEXT_MAX])
{
    const deja_rules_table *table = deja_plugin_table(plugin);
    for (const char *at = bots;; at++) {
        char name[64];
        const size_t size = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)(size < sizeof name ? size : sizeof name - 1), at);
        const bool plays_legal = table->legal && strcmp(name, "random") == 0;
        if (also && strcmp(name, also) == 0) {
            at += size;
            if (!*at)
                return STATUS_OK;
            continue;
        }
        if (deja_plugin_bot_find(plugin, name) < 0 && strcmp(name, "random") == 0 && !plays_legal) {
            snprintf(text, SETTINGS_TEXT_MAX,
                     "%s: the bot 'random' picks among the legal commands, and '%s' does not "
                     "list them: that needs 'legal' in the rules, or --bot with a bot of the game%s"
                     "%s",
                     given->command->name, table->id,
                     table->bot_count ? ", as " : ", which has none",
                     table->bot_count ? table->bots[0].name : "");
            return STATUS_USAGE;
        }
        if (deja_plugin_bot_find(plugin, name) < 0 && !plays_legal) {
            nearest search = nearest_begin(name);
            for (uint32_t i = 0; i < table->bot_count; i++)
                nearest_offer(&search, table->bots[i].name);
            snprintf(text, SETTINGS_TEXT_MAX, "%s: --bot: '%s' is no bot of '%s'%s%s%s",
                     given->command->name, name, table->id, search.name ? "; did you mean '" : "",
                     search.name ? search.name : "; see 'deja info'", search.name ? "'?" : "");
            return STATUS_USAGE;
        }
        at += size;
        if (!*at)
            return STATUS_OK;
    }
}

/* What is wrong with a list of settings as such. */
static int check_settings(const args *given, const deja_plugin *plugin,
                          char text[SETTINGS_TEXT_MAX])
{
    const char *command = given->command->name;
    const char *setting;
    for (uint32_t i = 0; (setting = args_value_at(given, OPTION_SET, i)) != NULL; i++) {
        const deja_rules_table *table = deja_plugin_table(plugin);
        const size_t size = strcspn(setting, "=");
        if (table->config.size == 0) {
            snprintf(text, SETTINGS_TEXT_MAX, "%s: --set: '%s' has no config", command, table->id);
            return STATUS_USAGE;
        }
        if (size == 0) {
            snprintf(text, SETTINGS_TEXT_MAX,
                     "%s: --set: '%.200s' names no field: it takes KEY=VALUE, and 'deja info' "
                     "tells the keys",
                     command, setting);
            return STATUS_USAGE;
        }
        for (uint32_t k = 0; k < i; k++) {
            const char *before = args_value_at(given, OPTION_SET, k);
            if (strcspn(before, "=") != size || memcmp(before, setting, size) != 0)
                continue;
            snprintf(text, SETTINGS_TEXT_MAX, "%s: --set: '%.*s' was given twice", command,
                     (int)(size < 200 ? size : 200), setting);
            return STATUS_USAGE;
        }
    }
    return STATUS_OK;
}

/* The default config with each --set done to it, in *config; empty without any. */
int settings_config(const args *given, const deja_plugin *plugin, deja_buffer *config,
                    char text[SETTINGS_TEXT_MAX])
{
    const char *setting;
    char what[32];
    const int status = check_settings(given, plugin, text);
    if (status != STATUS_OK)
        return status;
    for (uint32_t i = 0; (setting = args_value_at(given, OPTION_SET, i)) != NULL; i++) {
        const deja_span before = deja_plugin_config_default(plugin);
        deja_buffer changed = { 0 };
        deja_error err;
        const deja_code code = deja_value_set(
            deja_plugin_layout(plugin, DEJA_CONFIG), i == 0 ? before.bytes : config->bytes,
            i == 0 ? before.size : config->size, setting, strlen(setting), &changed, &err);
        if (code < 0) {
            deja_buffer_release(&changed);
            snprintf(what, sizeof what, "%s: --set", given->command->name);
            return settings_fail(text, code == DEJA_EFORMAT ? STATUS_USAGE : status_of(code), what,
                                 &err);
        }
        deja_buffer_release(config);
        *config = changed;
    }
    return STATUS_OK;
}
