/* SPDX-License-Identifier: MIT */
/*
 * deja info: what a rules library says of itself, and what its object shows. Looked into in a
 * worker, since loading it runs its code.
 */
#include <deja/plugin.h>
#include <deja/replay.h>
#include <deja/rules.h>
#include <inttypes.h>
#include <stdlib.h>

#include "commands.h"
#include "find_rules.h"
#include "json.h"
#include "output.h"
#include "sessions.h"

static const char *const types[4] = { "state", "command", "event", "config" };
static const char *const functions[] = { "check", "legal", "outcome",  "side",
                                         "turn",  "draw",  "notation", "neutral" };

static const char *isolation_name(uint32_t isolation)
{
    static const char *const names[] = { "auto", "restore", "fork", "exec" };
    return isolation < sizeof names / sizeof *names ? names[isolation] : "?";
}

/* The optional functions that it has, with blanks between. */
static void list_functions(const deja_rules_info *info, deja_buffer *out)
{
    for (uint32_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (!(info->functions & 1u << i))
            continue;
        deja_buffer_text(out, out->size ? " " : "");
        deja_buffer_text(out, functions[i]);
    }
}

static void tell_json(const deja_rules_info *info, const char *config, const char *has)
{
    json_begin("rules");
    json_text("path", info->path);
    json_text("game", info->game);
    json_text("version", info->version);
    json_text("kind", info->kind == DEJA_TICKS ? "ticks" : "turns");
    if (info->kind == DEJA_TICKS)
        json_number("tick_rate", info->tick_rate);
    json_bytes("build", info->build, sizeof info->build);
    json_text("compiler", info->compiler);
    json_open("abi", '{');
    json_number("major", info->abi_major);
    json_number("minor", info->abi_minor);
    json_close('}');
    json_open("layouts", '{');
    for (uint32_t i = 0; i < 4; i++)
        json_text(types[i], info->layouts[i]);
    json_close('}');
    json_decimal("state_size", info->state_size);
    json_text("config_default", config);
    json_words("refusals", info->refusals);
    json_words("outcomes", info->outcomes);
    json_words("bots", info->bots);
    json_words("functions", has);
    json_bool("closed", info->closed != 0);
    json_text("closed_why", info->closed ? NULL : info->closed_why);
    json_text("isolation", isolation_name(info->isolation));
    json_text("isolation_why", info->isolation_why);
    json_end();
    json_begin("summary");
    json_number("rules", 1);
    json_end();
}

static void tell_part(const char *name, const char *text)
{
    out_line("%-9s  %s", name, text && *text ? text : "-");
}

static void tell_lines(const deja_rules_info *info, const char *config, const char *has)
{
    out_line("%-9s  %s %s", "game", info->game, info->version);
    tell_part("path", info->path);
    out_line("%-9s  %s %s", "build", hex_text(info->build, ID_DIGITS), info->compiler);
    out_line("%-9s  %" PRIu32 ".%" PRIu32, "ABI", info->abi_major, info->abi_minor);
    if (info->kind == DEJA_TICKS)
        out_line("%-9s  ticks, %" PRIu32 " a second", "kind", info->tick_rate);
    else
        tell_part("kind", "turns");
    for (uint32_t i = 0; i < 4; i++)
        tell_part(types[i], info->layouts[i]);
    tell_part("default", config);
    tell_part("refusals", info->refusals);
    tell_part("outcomes", info->outcomes);
    tell_part("bots", info->bots);
    tell_part("functions", has);
    out_line("%-9s  %s bytes in memory", "state is", text_count(info->state_size));
    out_line("%-9s  %s%s", "closed",
             info->closed ? "yes" : "no: ", info->closed ? "" : info->closed_why);
    out_line("%-9s  %s%s%s%s", "isolation", isolation_name(info->isolation),
             info->isolation_why && *info->isolation_why ? " (" : "",
             info->isolation_why ? info->isolation_why : "",
             info->isolation_why && *info->isolation_why ? ")" : "");
}

static int tell(const deja_rules_info *info)
{
    layout_cache config = { 0 };
    deja_buffer text = { 0 };
    deja_buffer has = { 0 };
    deja_error err;
    const deja_span bytes = { info->config_default, info->config_default_size };
    int status = layout_use(&config, info->layouts[DEJA_CONFIG]);
    if (status == STATUS_OK && !value_text(&config, bytes, &text, &err))
        status = complain(STATUS_UNKNOWN, "%s: its default config: %s", info->path, err.message);
    deja_buffer_text(&has, "");
    list_functions(info, &has);
    if (status == STATUS_OK && (text.failed || has.failed))
        status = complain_memory();
    if (status == STATUS_OK && output_is_json())
        tell_json(info, (const char *)text.bytes, (const char *)has.bytes);
    else if (status == STATUS_OK)
        tell_lines(info, (const char *)text.bytes, (const char *)has.bytes);
    layout_release(&config);
    deja_buffer_release(&text);
    deja_buffer_release(&has);
    return status;
}

static int run(const args *given)
{
    deja_rules_info info;
    int status;
    char *path = find_rules(given->operands[0], &status);
    if (!path)
        return status;
    status = inspect_rules(&info, path);
    if (status == STATUS_OK) {
        status = tell(&info);
        deja_rules_info_release(&info);
    }
    free(path);
    return status;
}

static const option_row options[] = { ROW_JSON, ROW_HELP, ROW_END };

const command_row command_info = {
    .name = "info",
    .operands = "RULES",
    .operands_least = 1,
    .operands_most = 1,
    .summary = "tell what a rules library is, and how sessions are kept apart in it",
    .options = options,
    .run = run,
};
