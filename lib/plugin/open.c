/* SPDX-License-Identifier: MIT */
/*
 * Opening a rules library, and what can be asked of it.
 *
 *     read the file, load it      nothing of it has run but its constructors
 *     copy its writable memory    so this is what it was loaded as
 *     look at its object          closed?
 *     find and check the table
 *     describe its four types     runs its code
 *     put its memory back         so that the first session starts from what was loaded, too
 *
 * For rules that are linked into the program, only the table and the types are looked at.
 */
#include "plugin/object.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "fields/layout.h"

struct deja_plugin {
    deja__objects objects; /* none for a table of the program's own */
    deja__segments *segments;
    deja_rules_table table;
    deja_layout *layouts[4];
    deja_buffer refusals, outcomes;
    deja_buffer config_default;
    deja_buffer not_closed; /* why; empty where it is */
    deja_buffer not_restored;
    unsigned char digest[16];
};

const deja_type *deja__plugin_type(const deja_plugin *plugin, uint32_t type)
{
    switch (type) {
    case DEJA_STATE:
        return &plugin->table.state;
    case DEJA_COMMAND:
        return &plugin->table.command;
    case DEJA_EVENT:
        return &plugin->table.event;
    case DEJA_CONFIG:
        return &plugin->table.config;
    default:
        return NULL;
    }
}

/* ---- describing ---- */

static deja_code describe_types(deja_plugin *plugin, deja_error *err)
{
    static const char *const words[] = { "state", "command", "event", "config" };
    for (uint32_t i = 0; i < 4; i++) {
        const deja_code code =
            deja__describe(&plugin->layouts[i], deja__plugin_type(plugin, i), err);
        if (code != DEJA_OK)
            return deja__fail_within(err, code, "%s", words[i]);
    }
    return DEJA_OK;
}

/* A value of the library's own, as canonical bytes that are sound. */
static deja_code save_constant(const deja_plugin *plugin, uint32_t type, const void *value,
                               deja_buffer *out, deja_error *err)
{
    deja__codec *codec = NULL;
    deja_code code =
        deja__codec_create(&codec, deja__plugin_type(plugin, type), plugin->layouts[type], err);
    if (code == DEJA_OK)
        code = deja__codec_save(codec, value, out, err);
    if (code == DEJA_OK && out->failed)
        code = deja__fail_memory(err);
    if (code == DEJA_OK)
        code = deja_value_validate(plugin->layouts[type], out->bytes, out->size, err);
    deja__codec_destroy(codec);
    if (code != DEJA_OK && code != DEJA_ENOMEM && err)
        err->code = DEJA_EUNFIT; /* whatever is wrong with it, the library is not fit */
    return code == DEJA_OK || code == DEJA_ENOMEM ? code : DEJA_EUNFIT;
}

/* The values that the table has: the default config, and the command that asks for nothing. */
static deja_code check_constants(deja_plugin *plugin, deja_error *err)
{
    deja_buffer neutral = { 0 };
    deja_code code = DEJA_OK;
    if (plugin->table.config.size) {
        code = save_constant(plugin, DEJA_CONFIG, plugin->table.config_default,
                             &plugin->config_default, err);
        if (code != DEJA_OK)
            return deja__fail_within(err, code, "its default config");
    }
    if (plugin->table.neutral) {
        code = save_constant(plugin, DEJA_COMMAND, plugin->table.neutral, &neutral, err);
        if (code != DEJA_OK)
            code = deja__fail_within(err, code, "its neutral command");
    }
    deja_buffer_release(&neutral);
    return code;
}

static void join_names(deja_buffer *out, const char *const *names, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            deja_buffer_char(out, ' ');
        deja_buffer_text(out, names[i]);
    }
    deja_buffer_text(out, ""); /* so that no names are a string as well */
}

static deja_code describe(deja_plugin *plugin, deja_error *err)
{
    join_names(&plugin->refusals, plugin->table.refusals, plugin->table.refusal_count);
    join_names(&plugin->outcomes, plugin->table.outcomes, plugin->table.outcome_count);
    if (plugin->refusals.failed || plugin->outcomes.failed)
        return deja__fail_memory(err);
    const deja_code code = describe_types(plugin, err);
    return code == DEJA_OK ? check_constants(plugin, err) : code;
}

/* ---- the exported constant ---- */

static deja_code find_table(const deja__objects *objects, const void **table, uint64_t *room,
                            deja_error *err)
{
    const deja__object *object = &objects->items[0];
    Dl_info info;
    void *entry = NULL;
    void *found = dlsym(objects->handle, DEJA_RULES_SYMBOL);
    /* dlsym also looks in what the library needs. */
    if (!found || !deja__object_holds(object, (uintptr_t)found, 0))
        return deja__fail(err, DEJA_EUNFIT, "is not a rules library: it exports no '%s'",
                          DEJA_RULES_SYMBOL);
    if (!dladdr1(found, &info, &entry, RTLD_DL_SYMENT) || !entry || info.dli_saddr != found)
        return deja__fail(err, DEJA_EUNFIT, "its '%s' has no size", DEJA_RULES_SYMBOL);
    const ElfW(Sym) *symbol = entry;
    if ((symbol->st_info & 15u) != STT_OBJECT)
        return deja__fail(err, DEJA_EUNFIT, "its '%s' is not a constant", DEJA_RULES_SYMBOL);
    if (!deja__object_holds(object, (uintptr_t)found, symbol->st_size))
        return deja__fail(err, DEJA_EUNFIT, "its '%s' ends outside of it", DEJA_RULES_SYMBOL);
    *table = found;
    *room = symbol->st_size;
    return DEJA_OK;
}

/* ---- opening ---- */

static deja_code look_at_objects(deja_plugin *plugin, deja_error *err)
{
    deja_buffer *why = &plugin->not_restored;
    deja_code code = deja__segments_copy(&plugin->segments, &plugin->objects, err);
    if (code == DEJA_OK)
        code = deja__digest_objects(&plugin->objects, plugin->digest, err);
    if (code == DEJA_OK)
        code = deja__closed_check(&plugin->objects, &plugin->not_closed, err);
    if (code != DEJA_OK)
        return code;
    if (!plugin->objects.items[0].is_new)
        deja_buffer_text(why, "it was in this process before it was opened");
    else
        deja__segments_check(plugin->segments, why);
    if (why->size == 0)
        deja_buffer_add(why, plugin->not_closed.bytes, plugin->not_closed.size);
    deja__objects_forget_files(&plugin->objects);
    return why->failed ? deja__fail_memory(err) : DEJA_OK;
}

deja_code deja_plugin_open(deja_plugin **out, const char *path, deja_error *err)
{
    const void *table = NULL;
    uint64_t room = 0;
    if (out)
        *out = NULL;
    if (!out || !path)
        return deja__fail(err, DEJA_EMISUSE, "deja_plugin_open: a NULL argument");
    deja_plugin *plugin = calloc(1, sizeof *plugin);
    if (!plugin)
        return deja__fail_memory(err);
    deja_code code = deja__objects_load(&plugin->objects, path, err);
    if (code == DEJA_OK)
        code = look_at_objects(plugin, err);
    if (code == DEJA_OK)
        code = find_table(&plugin->objects, &table, &room, err);
    if (code == DEJA_OK)
        code = deja__table_copy(&plugin->table, table, room, err);
    if (code == DEJA_OK)
        code = describe(plugin, err);
    if (code != DEJA_OK) {
        deja_plugin_close(plugin);
        return code;
    }
    if (plugin->not_restored.size == 0)
        deja__segments_restore(plugin->segments, NULL, NULL);
    *out = plugin;
    return DEJA_OK;
}

deja_code deja_plugin_from_table(deja_plugin **out, const deja_rules_table *table, deja_error *err)
{
    static const char part[] = "its rules are part of the program";
    if (out)
        *out = NULL;
    if (!out || !table)
        return deja__fail(err, DEJA_EMISUSE, "deja_plugin_from_table: a NULL argument");
    deja_plugin *plugin = calloc(1, sizeof *plugin);
    if (!plugin)
        return deja__fail_memory(err);
    deja_code code = deja__table_copy(&plugin->table, table, UINT64_MAX, err);
    if (code == DEJA_OK)
        code = describe(plugin, err);
    if (code == DEJA_OK && (!deja_buffer_text(&plugin->not_closed, part) ||
                            !deja_buffer_text(&plugin->not_restored, part)))
        code = deja__fail_memory(err);
    if (code != DEJA_OK) {
        deja_plugin_close(plugin);
        return code;
    }
    deja__digest_of_address(table, plugin->digest);
    *out = plugin;
    return DEJA_OK;
}

void deja_plugin_close(deja_plugin *plugin)
{
    if (!plugin)
        return;
    for (uint32_t i = 0; i < 4; i++)
        deja_layout_destroy(plugin->layouts[i]);
    deja_buffer_release(&plugin->refusals);
    deja_buffer_release(&plugin->outcomes);
    deja_buffer_release(&plugin->config_default);
    deja_buffer_release(&plugin->not_closed);
    deja_buffer_release(&plugin->not_restored);
    deja__segments_destroy(plugin->segments);
    deja__objects_release(&plugin->objects);
    free(plugin);
}

/* ---- asking ---- */

const deja_rules_table *deja_plugin_table(const deja_plugin *plugin)
{
    return &plugin->table;
}

const deja_layout *deja_plugin_layout(const deja_plugin *plugin, uint32_t type)
{
    return type < 4 ? plugin->layouts[type] : NULL;
}

const char *deja_plugin_refusals(const deja_plugin *plugin)
{
    return (const char *)plugin->refusals.bytes;
}

const char *deja_plugin_outcomes(const deja_plugin *plugin)
{
    return (const char *)plugin->outcomes.bytes;
}

const unsigned char *deja_plugin_digest(const deja_plugin *plugin)
{
    return plugin->digest;
}

deja_span deja_plugin_config_default(const deja_plugin *plugin)
{
    return (deja_span){ plugin->config_default.bytes, plugin->config_default.size };
}

bool deja_plugin_is_closed(const deja_plugin *plugin, const char **why)
{
    if (why)
        *why = plugin->not_closed.size ? (const char *)plugin->not_closed.bytes : NULL;
    return plugin->not_closed.size == 0;
}

int32_t deja_plugin_bot_find(const deja_plugin *plugin, const char *name)
{
    for (uint32_t i = 0; name && i < plugin->table.bot_count; i++)
        if (strcmp(plugin->table.bots[i].name, name) == 0)
            return (int32_t)i;
    return -1;
}

bool deja__plugin_can_restore(const deja_plugin *plugin, const char **why)
{
    if (why)
        *why = plugin->not_restored.size ? (const char *)plugin->not_restored.bytes : NULL;
    return plugin->not_restored.size == 0;
}

uint32_t deja__plugin_restore(deja_plugin *plugin,
                              void (*changed)(void *user, const char *name, uint64_t size),
                              void *user)
{
    return plugin->segments ? deja__segments_restore(plugin->segments, changed, user) : 0;
}
