/* SPDX-License-Identifier: MIT */
/*
 * Stores and sessions as commands see them. Strings are handed out of a few places that take turns,
 * enough for one line of output.
 */
#include "sessions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "json.h"
#include "output.h"

enum { PLACES = 4, PLACE_SIZE = 72 };

static char *next_place(void)
{
    static char places[PLACES][PLACE_SIZE];
    static uint32_t turn;
    return places[turn++ % PLACES];
}

const char *hex_text(const unsigned char bytes[16], uint32_t digits)
{
    char *place = next_place();
    for (uint32_t i = 0; i < digits && i < ID_DIGITS; i++)
        place[i] = "0123456789abcdef"[i % 2 ? bytes[i / 2] & 15 : bytes[i / 2] >> 4];
    place[digits < ID_DIGITS ? digits : ID_DIGITS] = '\0';
    return place;
}

const char *time_text(int64_t seconds)
{
    char *place = next_place();
    struct tm parts;
    const time_t moment = (time_t)seconds;
    if (seconds == 0 || !gmtime_r(&moment, &parts) ||
        strftime(place, PLACE_SIZE, "%Y-%m-%d %H:%M:%S", &parts) == 0)
        snprintf(place, PLACE_SIZE, "-");
    return place;
}

/* ---- the store ---- */

const char *store_path(const args *given)
{
    const char *path = args_value(given, OPTION_STORE);
    if (!path) {
        path = getenv("DEJA_STORE");
        if (!path || !*path)
            path = "plays.deja";
    }
    return path;
}

/* Of recordings that were cut short: what was done with them, or why nothing was. Who only reads
 * sees them as they are. */
static void remark_on_journals(const deja_store *store, uint32_t mode)
{
    deja_store_told told;
    deja_store_told_of(store, &told);
    if (told.journals && mode != DEJA_STORE_READ)
        remark("took in %s session%s of %s recording%s that %s cut short",
               text_count(told.sessions), told.sessions == 1 ? "" : "s", text_count(told.journals),
               told.journals == 1 ? "" : "s", told.journals == 1 ? "was" : "were");
    if (told.left)
        remark("%s (%s such file%s)", told.why, text_count(told.left), told.left == 1 ? "" : "s");
}

int store_open(deja_store **out, const args *given, uint32_t mode)
{
    const char *path = store_path(given);
    struct stat about;
    deja_error err;
    *out = NULL;
    if (!*path)
        return complain(STATUS_USAGE, "%s: --store: the name is empty", given->command->name);
    if (mode == DEJA_STORE_READ && stat(path, &about) != 0 && errno == ENOENT)
        return complain(STATUS_TROUBLE,
                        "%s: no such file; record a session first with 'deja record', or name a "
                        "store with -s",
                        text_typed(path));
    if (deja_store_open(out, path, mode, &err) < 0)
        return complain_of(NULL, &err);
    if (deja_store_remark(*out))
        remark("%s", deja_store_remark(*out));
    remark_on_journals(*out, mode);
    return STATUS_OK;
}

int prefix_check(const char *prefix)
{
    const size_t digits = strspn(prefix, "0123456789abcdefABCDEF");
    if (digits == 0 || digits > ID_DIGITS || prefix[digits] != '\0')
        return complain(STATUS_USAGE,
                        "'%s' is not the beginning of a session's id, which is 32 hex digits; see "
                        "'deja ls'",
                        text_typed(prefix));
    return STATUS_OK;
}

int store_find(deja_store *store, const char *prefix, int64_t *key)
{
    deja_error err;
    const int status = prefix_check(prefix);
    if (status != STATUS_OK)
        return status;
    if (deja_store_find(store, prefix, key, &err) < 0)
        return complain_of(NULL, &err);
    return STATUS_OK;
}

int store_close(deja_store *store, int status)
{
    deja_error err;
    if (deja_store_close(store, &err) < 0)
        return status_worse(status, complain_of(NULL, &err));
    return status;
}

/* ---- values as text ---- */

int layout_use(layout_cache *cache, const char *text)
{
    deja_error err;
    if (cache->text && strcmp(cache->text, text) == 0)
        return STATUS_OK;
    layout_release(cache);
    if (strcmp(text, "bytes") != 0 &&
        deja_layout_parse(&cache->layout, text, strlen(text), &err) < 0)
        return complain(STATUS_TROUBLE, "a layout is damaged: %s", err.message);
    cache->text = strdup(text);
    return cache->text ? STATUS_OK : complain_memory();
}

void layout_release(layout_cache *cache)
{
    deja_layout_destroy(cache->layout);
    free(cache->text);
    memset(cache, 0, sizeof *cache);
}

static void hex_value(deja_span value, deja_buffer *out)
{
    const unsigned char *bytes = value.bytes;
    for (uint64_t i = 0; i < value.size; i++) {
        deja_buffer_char(out, "0123456789abcdef"[bytes[i] >> 4]);
        deja_buffer_char(out, "0123456789abcdef"[bytes[i] & 15]);
    }
}

bool value_text(const layout_cache *cache, deja_span value, deja_buffer *out, deja_error *err)
{
    deja_buffer_clear(out);
    if (!cache->layout) {
        if (value.size == 0)
            deja_buffer_char(out, '-');
        hex_value(value, out);
        return !out->failed;
    }
    return deja_value_validate(cache->layout, value.bytes, value.size, err) == DEJA_OK &&
           deja_value_print(cache->layout, value.bytes, value.size, out, err) == DEJA_OK;
}

bool value_json(const layout_cache *cache, deja_span value, deja_buffer *out, deja_error *err)
{
    deja_buffer_clear(out);
    if (!cache->layout) {
        deja_buffer_char(out, '"');
        hex_value(value, out);
        return deja_buffer_char(out, '"');
    }
    return deja_value_validate(cache->layout, value.bytes, value.size, err) == DEJA_OK &&
           deja_value_print_json(cache->layout, value.bytes, value.size, out, err) == DEJA_OK;
}

/* ---- telling of sessions ---- */

bool is_scenario(const deja_recording *recording)
{
    return recording->trail_bits == 0;
}

const char *ended_name(uint32_t ended)
{
    static const char *const names[] = { "running", "unfinished", "crashed", "outcome" };
    return ended < sizeof names / sizeof *names ? names[ended] : "?";
}

const char *ended_text(const deja_recording *recording)
{
    return recording->ended == DEJA_ENDED_OUTCOME ? recording->outcome
                                                  : ended_name(recording->ended);
}

const char *result_text(const char *refusals, uint32_t result)
{
    if (result == 0)
        return "ok";
    while (--result != 0 && *refusals) {
        refusals += strcspn(refusals, " ");
        refusals += *refusals == ' ';
    }
    const size_t size = strcspn(refusals, " ");
    if (size == 0 || size >= PLACE_SIZE)
        return "?";
    char *place = next_place();
    memcpy(place, refusals, size);
    place[size] = '\0';
    return place;
}

int session_json(const deja_session *session, const deja_recording *recording,
                 uint32_t recording_count, layout_cache *config)
{
    deja_buffer text = { 0 };
    deja_error err;
    int status = layout_use(config, session->config_layout);
    if (status == STATUS_OK && !value_text(config, session->config, &text, &err))
        status = complain(STATUS_TROUBLE, "%s: its config is damaged: %s",
                          hex_text(session->id.bytes, ID_SHORT), err.message);
    if (status == STATUS_OK) {
        json_begin("session");
        json_text("id", hex_text(session->id.bytes, ID_DIGITS));
        json_text("game", session->game);
        json_number("steps", session->steps);
        json_decimal("seed", session->seed);
        json_text("config", text.failed ? NULL : (const char *)text.bytes);
        json_text("content", session->content);
        json_bool("from_state", *session->start_layout != '\0');
        json_number("recordings", recording_count);
        json_text("ended", ended_name(recording->ended));
        json_text("outcome", recording->ended == DEJA_ENDED_OUTCOME ? recording->outcome : NULL);
        json_text("version", recording->version);
        json_bool("scenario", is_scenario(recording));
        json_text("build", is_scenario(recording) ? NULL : hex_text(recording->build, ID_DIGITS));
        json_text("compiler", recording->compiler);
        json_text("platform", recording->platform);
        json_text("made", recording->made);
        json_open("trail", '{');
        json_number("bits", recording->trail_bits);
        json_decimal("every", recording->trail_every);
        json_close('}');
        json_hex("chain", recording->chain, 16);
        json_hex("event_chain", recording->event_chain, 16);
        json_text("recorded", recording->recorded_at ? time_text(recording->recorded_at) : NULL);
        json_end();
    }
    deja_buffer_release(&text);
    return status;
}
