/* SPDX-License-Identifier: MIT */
#include "store/setting.h"

#include "store/valid.h"

#include <stdlib.h>

/* ---- checking ---- */

static const char *const WHAT[DEJA__SETTING_TEXTS] = {
    "game",     "version",  "state layout", "command layout", "event layout", "config layout",
    "refusals", "outcomes", "content",      "compiler",       "platform",     "made",
};

static bool is_sound(uint32_t which, const char *text)
{
    const uint64_t size = strlen(text);
    switch (which) {
    case DEJA__GAME:
        return deja__is_game_id(text, size);
    case DEJA__REFUSALS:
    case DEJA__OUTCOMES:
        return size <= DEJA__WORD_MAX * 4 && deja__is_names(text, size, NULL);
    case DEJA__CONTENT:
        return deja__is_content(text, size);
    case DEJA__STATE:
    case DEJA__COMMAND:
    case DEJA__EVENT:
    case DEJA__CONFIG:
        return deja__is_plain(text, size, DEJA__LAYOUT_TEXT_MAX);
    default:
        return deja__is_plain(text, size, DEJA__WORD_MAX);
    }
}

static deja_code check(const char *const *texts, const deja_recording *recording, deja_error *err)
{
    const uint32_t bits = recording->trail_bits;
    for (uint32_t i = 0; i < DEJA__SETTING_TEXTS; i++)
        if (!is_sound(i, texts[i]))
            return deja__fail(err, DEJA_EMISUSE, "the session's %s is not sound", WHAT[i]);
    if (bits != 0 && bits != 8 && bits != 16 && bits != 32 && bits != 64)
        return deja__fail(err, DEJA_EMISUSE, "a trail has 8, 16, 32 or 64 bits, not %u", bits);
    if (recording->trail_every == 0)
        return deja__fail(err, DEJA_EMISUSE,
                          "a trail has every step's hash, or every Kth, not "
                          "every 0th");
    return DEJA_OK;
}

/* ---- making one ---- */

void deja__setting_release(deja__setting *setting)
{
    if (!setting || --setting->holders)
        return;
    for (uint32_t i = 0; i < DEJA__SETTING_TEXTS; i++)
        free(setting->texts[i]);
    deja_layout_destroy(setting->command);
    deja_layout_destroy(setting->config);
    free(setting);
}

void deja__settings_release(deja__settings *settings)
{
    for (uint32_t i = 0; i < DEJA__SETTINGS_KEPT; i++)
        deja__setting_release(settings->kept[i]);
}

static deja_code parse(deja_layout **out, const char *text, const char *what, deja_error *err)
{
    if (deja__is_opaque(text))
        return DEJA_OK;
    const deja_code code = deja_layout_parse(out, text, strlen(text), err);
    return code < 0 ? deja__fail_within(err, code, "the session's %s", what) : DEJA_OK;
}

static deja_code create(deja__setting **out, const char *const *texts,
                        const deja_recording *recording, deja_error *err)
{
    deja__setting *setting = calloc(1, sizeof *setting);
    if (!setting)
        return deja__fail_memory(err);
    deja_code code = DEJA_OK;
    setting->holders = 1;
    for (uint32_t i = 0; i < DEJA__SETTING_TEXTS && code == DEJA_OK; i++) {
        setting->texts[i] = strdup(texts[i]);
        if (!setting->texts[i])
            code = deja__fail_memory(err);
    }
    memcpy(setting->build, recording->build, sizeof setting->build);
    setting->trail_bits = recording->trail_bits;
    setting->trail_every = recording->trail_every;
    if (code == DEJA_OK) {
        deja__is_names(texts[DEJA__REFUSALS], strlen(texts[DEJA__REFUSALS]),
                       &setting->refusal_count);
        code = parse(&setting->command, texts[DEJA__COMMAND], WHAT[DEJA__COMMAND], err);
    }
    if (code == DEJA_OK)
        code = parse(&setting->config, texts[DEJA__CONFIG], WHAT[DEJA__CONFIG], err);
    if (code < 0) {
        deja__setting_release(setting);
        return code;
    }
    *out = setting;
    return DEJA_OK;
}

/* ---- sharing ---- */

static bool is_same(const deja__setting *setting, const char *const *texts,
                    const deja_recording *recording)
{
    if (setting->trail_bits != recording->trail_bits ||
        setting->trail_every != recording->trail_every ||
        memcmp(setting->build, recording->build, sizeof setting->build) != 0)
        return false;
    for (uint32_t i = 0; i < DEJA__SETTING_TEXTS; i++)
        if (strcmp(setting->texts[i], texts[i]) != 0)
            return false;
    return true;
}

deja_code deja__setting_get(deja__settings *settings, const deja_session *session,
                            const deja_recording *recording, deja__setting **out, deja_error *err)
{
    const char *texts[DEJA__SETTING_TEXTS] = {
        [DEJA__GAME] = session->game,
        [DEJA__VERSION] = recording->version,
        [DEJA__STATE] = recording->state_layout,
        [DEJA__COMMAND] = session->command_layout,
        [DEJA__EVENT] = recording->event_layout,
        [DEJA__CONFIG] = session->config_layout,
        [DEJA__REFUSALS] = recording->refusals,
        [DEJA__OUTCOMES] = recording->outcomes,
        [DEJA__CONTENT] = session->content,
        [DEJA__COMPILER] = recording->compiler,
        [DEJA__PLATFORM] = recording->platform,
        [DEJA__MADE] = recording->made,
    };
    for (uint32_t i = 0; i < DEJA__SETTING_TEXTS; i++)
        if (!texts[i])
            texts[i] = "";
    for (uint32_t i = 0; i < DEJA__SETTINGS_KEPT; i++)
        if (settings->kept[i] && is_same(settings->kept[i], texts, recording)) {
            *out = settings->kept[i];
            (*out)->holders++;
            return DEJA_OK;
        }
    deja_code code = check(texts, recording, err);
    if (code == DEJA_OK)
        code = create(out, texts, recording, err);
    if (code < 0)
        return code;
    deja__setting_release(settings->kept[settings->next]);
    settings->kept[settings->next] = *out;
    settings->next = (settings->next + 1) % DEJA__SETTINGS_KEPT;
    (*out)->holders++;
    return DEJA_OK;
}

deja_code deja__setting_intern(deja_store *store, const deja__setting *setting,
                               deja__setting_ids *ids, deja_error *err)
{
    char *const *texts = setting->texts;
    const char *columns[DEJA__LAYOUT_TEXTS];
    for (uint32_t i = 0; i < DEJA__LAYOUT_TEXTS; i++)
        columns[i] = texts[i];
    deja_code code = deja__intern_layouts(store, columns, &ids->layouts, err);
    if (code == DEJA_OK)
        code = deja__intern_word(store, texts[DEJA__CONTENT], &ids->content, err);
    if (code == DEJA_OK)
        code = deja__intern_build(store, setting->build, texts[DEJA__COMPILER], &ids->build, err);
    if (code == DEJA_OK)
        code = deja__intern_word(store, texts[DEJA__PLATFORM], &ids->platform, err);
    if (code == DEJA_OK)
        code = deja__intern_word(store, texts[DEJA__MADE], &ids->made, err);
    return code;
}
