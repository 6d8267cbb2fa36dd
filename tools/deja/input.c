/* SPDX-License-Identifier: MIT */
/*
 * Frames as text, and the commands that a driver makes of them.
 */
#include "input.h"

#include <deja/driver.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "suggest.h"

enum {
    NAME_SIZE = 64,
    STEPS_MAX = 10000000, /* of a script: what a game may have without a limit of its own */
    FRAMES_MAX = 100000000,
    NS_PER_MS = 1000000
};
#define MS_MAX 1000000000000u /* 31 years */

typedef struct reading {
    input_script *out;
    deja_driver driver;
    char actions[DEJA_DRIVER_ACTIONS][NAME_SIZE];
    uint32_t action_count;
    uint32_t line;
    uint64_t frames;
    uint64_t now; /* ns: of the last frame */
    uint64_t length;
    char *why;
} reading;

static int fail(const reading *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int fail(const reading *r, const char *format, ...)
{
    va_list values;
    const int used = r->line == 0 ? snprintf(r->why, INPUT_TEXT_MAX, "record: --input: ")
                                  : snprintf(r->why, INPUT_TEXT_MAX,
                                             "record: --input: line %" PRIu32 ": ", r->line);
    va_start(values, format);
    vsnprintf(r->why + used, (size_t)(INPUT_TEXT_MAX - used), format, values);
    va_end(values);
    return STATUS_USAGE;
}

/* ---- what the game's commands are ---- */

/* Takes `word` off the beginning of a text. */
static bool take(const char **text, const char *word)
{
    const size_t size = strlen(word);
    const bool is_there = strncmp(*text, word, size) == 0;
    *text += is_there ? size : 0;
    return is_there;
}

/* "left|right|jump)": the names, up to the bracket. */
static bool take_actions(reading *r, const char **text)
{
    while (r->action_count < DEJA_DRIVER_ACTIONS) {
        const size_t size = strcspn(*text, "|)");
        if (size == 0 || size >= NAME_SIZE)
            return false;
        memcpy(r->actions[r->action_count], *text, size);
        r->actions[r->action_count++][size] = 0;
        *text += size;
        if (take(text, ")"))
            return true;
        if (!take(text, "|"))
            return false;
    }
    return false;
}

/* One field, the inputs of one player or of so many: NAME:{pressed:A held:A released:A}[N], where A
 * is flags(...), three times the same. Answers how many players there are, or 0. */
static uint32_t learn_players(reading *r, const char *layout)
{
    const size_t name = strcspn(layout, ":({ ");
    const char *at = layout + name;
    char *end;
    if (name == 0 || !take(&at, ":{pressed:"))
        return 0;
    const char *flags = at;
    if (!take(&at, "flags(") || !take_actions(r, &at))
        return 0;
    const size_t size = (size_t)(at - flags);
    if (!take(&at, " held:") || strncmp(at, flags, size) != 0)
        return 0;
    at += size;
    if (!take(&at, " released:") || strncmp(at, flags, size) != 0)
        return 0;
    at += size;
    if (!take(&at, "}"))
        return 0;
    if (!*at)
        return 1;
    if (!take(&at, "["))
        return 0;
    const unsigned long players = strtoul(at, &end, 10);
    return strcmp(end, "]") == 0 && players <= DEJA_DRIVER_PLAYERS ? (uint32_t)players : 0;
}

static int begin(reading *r, const deja_plugin *plugin)
{
    const deja_rules_table *table = deja_plugin_table(plugin);
    if (table->kind != DEJA_TICKS)
        return fail(r, "'%s' is a game of turns, and frames are for games of ticks", table->id);
    const uint32_t players =
        learn_players(r, deja_layout_text(deja_plugin_layout(plugin, DEJA_COMMAND)));
    if (players == 0)
        return fail(r,
                    "the command of '%s' is not the inputs of 1 to %d players alone, and frames "
                    "have nothing else ('deja info' tells the layout)",
                    table->id, DEJA_DRIVER_PLAYERS);
    deja_driver_init(&r->driver, table->tick_rate, players);
    r->out->size = (uint64_t)players * 12;
    return STATUS_OK;
}

/* ---- frames ---- */

static void put_number(deja_buffer *out, uint32_t number)
{
    unsigned char bytes[4];
    for (uint32_t i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(number >> 8 * i);
    deja_buffer_add(out, bytes, sizeof bytes);
}

static int take_frame(reading *r, uint64_t now)
{
    deja_input inputs[DEJA_DRIVER_PLAYERS];
    uint64_t dropped;
    deja_driver_frame(&r->driver, now, &dropped);
    r->out->dropped += dropped;
    r->length = r->frames ? now - r->now : 0;
    r->now = now;
    if (++r->frames > FRAMES_MAX)
        return fail(r, "these are more than %d frames", FRAMES_MAX);
    while (deja_driver_step(&r->driver, inputs) != 0) {
        for (uint32_t player = 0; player < r->driver.players; player++) {
            put_number(&r->out->commands, inputs[player].pressed);
            put_number(&r->out->commands, inputs[player].held);
            put_number(&r->out->commands, inputs[player].released);
        }
    }
    if (r->driver.steps > STEPS_MAX)
        return fail(r, "these are more than %d steps", STEPS_MAX);
    return STATUS_OK;
}

/* Milliseconds with at most six places behind the point; the end of `*text` is where it ends. */
static bool take_time(const char **text, uint64_t *ns)
{
    const char *at = *text;
    uint64_t ms = 0, part = 0;
    uint32_t scale = NS_PER_MS;
    if (*at < '0' || *at > '9')
        return false;
    for (; *at >= '0' && *at <= '9'; at++) {
        ms = ms * 10 + (uint64_t)(*at - '0');
        if (ms > MS_MAX)
            return false;
    }
    if (*at == '.') {
        if (at[1] < '0' || at[1] > '9')
            return false;
        for (at++; *at >= '0' && *at <= '9'; at++) {
            if (scale == 1)
                return false;
            scale /= 10;
            part += (uint64_t)(*at - '0') * scale;
        }
    }
    *text = at;
    *ns = ms * NS_PER_MS + part;
    return true;
}

static int find_action(const reading *r, const char *name, uint32_t *action)
{
    nearest search = nearest_begin(name);
    for (uint32_t i = 0; i < r->action_count; i++) {
        if (strcmp(r->actions[i], name) == 0) {
            *action = i;
            return STATUS_OK;
        }
        nearest_offer(&search, r->actions[i]);
    }
    return fail(r, "there is no action '%s'%s%s%s", text_typed(name),
                search.name ? "; did you mean '" : "", search.name ? search.name : "",
                search.name ? "'?" : "");
}

/* "1:+left@12.5" */
static int take_key(reading *r, const char *word, uint64_t now)
{
    char name[NAME_SIZE];
    uint64_t when = r->frames ? r->now : now;
    uint32_t player = 0, action = 0;
    const char *at = word;
    if (*at >= '0' && *at <= '9' && at[1] == ':') {
        player = (uint32_t)(*at - '0');
        at += 2;
    }
    const bool is_down = *at == '+';
    const size_t size = *at ? strcspn(at + 1, "@") : 0;
    if ((*at != '+' && *at != '-') || size == 0 || size >= NAME_SIZE)
        return fail(r,
                    "'%s' is no key: it is +ACTION or -ACTION, with PLAYER: in front and @MS "
                    "behind where wanted",
                    text_typed(word));
    memcpy(name, at + 1, size);
    name[size] = 0;
    at += 1 + size;
    if (*at == '@') {
        at++;
        if (!take_time(&at, &when) || *at)
            return fail(r, "'%s' does not end in a time in milliseconds", text_typed(word));
        if (when > now)
            return fail(r, "'%s' has not happened yet in this frame", text_typed(word));
    }
    if (player >= r->driver.players)
        return fail(r, "'%s': there is no player %" PRIu32 "; they are counted from 0",
                    text_typed(word), player);
    const int status = find_action(r, name, &action);
    if (status == STATUS_OK)
        (void)(is_down ? deja_driver_press : deja_driver_release)(&r->driver, when, player, action);
    if (r->driver.lost != 0)
        return fail(r, "more than %d keys wait for a step", DEJA_DRIVER_EVENTS);
    return status;
}

/* "* 20": so many frames more. */
static int repeat(reading *r, const char *count)
{
    char *end;
    const unsigned long long times = strtoull(count, &end, 10);
    if (*count < '0' || *count > '9' || *end || times > FRAMES_MAX)
        return fail(r, "'* %s' does not say how many frames more, at most %d", text_typed(count),
                    FRAMES_MAX);
    if (r->frames < 2)
        return fail(r, "two frames have to stand above a '*', to say how long one is");
    int status = STATUS_OK;
    for (unsigned long long i = 0; i < times && status == STATUS_OK; i++)
        status = take_frame(r, r->now + r->length);
    return status;
}

static int take_line(reading *r, char *line)
{
    char *rest = NULL;
    uint64_t now;
    int status = STATUS_OK;
    line[strcspn(line, "#")] = 0;
    char *word = strtok_r(line, " \t\r", &rest);
    if (!word)
        return STATUS_OK;
    if (strcmp(word, "*") == 0) {
        char *count = strtok_r(NULL, " \t\r", &rest);
        if (!count || strtok_r(NULL, " \t\r", &rest))
            return fail(r, "a '*' takes one number: how many frames more");
        return repeat(r, count);
    }
    const char *at = word;
    if (!take_time(&at, &now) || *at)
        return fail(r, "'%s' is no time in milliseconds, which every frame begins with",
                    text_typed(word));
    if (r->frames && now < r->now)
        return fail(r, "'%s' is before the frame above", text_typed(word));
    while (status == STATUS_OK && (word = strtok_r(NULL, " \t\r", &rest)) != NULL)
        status = take_key(r, word, now);
    return status == STATUS_OK ? take_frame(r, now) : status;
}

int input_read(input_script *out, const deja_plugin *plugin, deja_span text,
               char why[INPUT_TEXT_MAX])
{
    reading *r = calloc(1, sizeof *r);
    char *copy = malloc(text.size + 1);
    memset(out, 0, sizeof *out);
    int status = STATUS_TROUBLE;
    snprintf(why, INPUT_TEXT_MAX, "record: out of memory");
    if (r && copy) {
        r->out = out;
        r->why = why;
        memcpy(copy, text.size ? text.bytes : "", text.size);
        copy[text.size] = 0;
        status = begin(r, plugin);
        if (status == STATUS_OK && strlen(copy) != text.size)
            status = fail(r, "there is a NUL in it; frames are text");
        for (char *line = copy; status == STATUS_OK && line;) {
            char *next = strchr(line, '\n');
            if (next)
                *next++ = 0;
            r->line++;
            status = take_line(r, line);
            line = next;
        }
        r->line = 0;
        if (status == STATUS_OK && out->commands.failed) {
            snprintf(why, INPUT_TEXT_MAX, "record: out of memory");
            status = STATUS_TROUBLE;
        } else if (status == STATUS_OK && out->commands.size == 0) {
            status = fail(r, "no step falls due in these frames");
        }
    }
    free(copy);
    free(r);
    return status;
}

void input_release(input_script *script)
{
    deja_buffer_release(&script->commands);
}
