/* SPDX-License-Identifier: MIT */
/*
 * Opening a session to replay it.
 */
#include "replay/replay.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- findings ---- */

bool deja__finding_is_same(const deja__finding *a, const deja__finding *b)
{
    if (a->kind != b->kind || a->step != b->step || a->step_last != b->step_last)
        return false;
    if (a->kind == DEJA__CRASH || a->kind == DEJA__HANG)
        return true;
    return a->actual == b->actual && a->actual_result == b->actual_result &&
           a->formless == b->formless;
}

void deja__copy_line(char *target, uint64_t size, const char *text)
{
    uint64_t length = strlen(text);
    if (length >= size)
        length = size - 1;
    /* Never half of a character. */
    while (text[length] && length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    memcpy(target, text, (size_t)length);
    target[length] = '\0';
}

/* A finding about the session as a whole; it then has no jobs. */
static void settle(deja__replay *replay, uint32_t kind, uint64_t step, const char *reason)
{
    deja__finding *finding = &replay->finding;
    finding->kind = kind;
    finding->step = finding->step_last = step;
    deja__copy_line(finding->reason, sizeof finding->reason, reason);
    deja_buffer_text(&replay->settled, reason);
    replay->all_fed = replay->end_fed = replay->over = true;
}

/* ---- the head ---- */

/* The float environment that a platform's words tell of. */
static uint32_t float_flags(const char *platform)
{
    static const struct {
        const char *word;
        uint32_t flag;
    } words[] = { { "round-up", DEJA__FLOAT_UP },
                  { "round-down", DEJA__FLOAT_DOWN },
                  { "round-zero", DEJA__FLOAT_ZERO },
                  { "ftz", DEJA__FLOAT_FTZ },
                  { "daz", DEJA__FLOAT_DAZ } };
    uint32_t flags = 0;
    while (*platform) {
        const size_t size = strcspn(platform, " ");
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
            if (strlen(words[i].word) == size && memcmp(words[i].word, platform, size) == 0)
                flags |= words[i].flag;
        platform += size + (platform[size] == ' ');
    }
    return flags;
}

/* Turns a recorded value into a present one, appended to the head. What stands in the way is a
 * finding. */
static deja_code add_turned(deja__replay *replay, const deja_match *match, deja_span value,
                            deja_span defaults, const char *what, deja_error *err)
{
    deja_error failure = { 0 };
    if (!match) {
        deja_buffer_add(&replay->head, value.bytes, value.size);
        return DEJA_OK;
    }
    const deja_code code =
        deja_match_to_present(match, value.bytes, value.size, defaults, &replay->head, &failure);
    if (code == DEJA_ENOMEM)
        return deja__fail_memory(err);
    if (code != DEJA_OK) {
        deja__fail_within(&failure, code, "its %s does not fit", what);
        settle(replay, DEJA__UNFIT, DEJA_STEP_NONE, failure.message);
    }
    return DEJA_OK;
}

static deja_code add_config(deja__replay *replay, const deja_rules_info *info, deja_error *err)
{
    const deja_span config = replay->session->config;
    const deja_span defaults = { info->config_default_size ? info->config_default : NULL,
                                 info->config_default_size };
    deja_error failure = { 0 };
    const deja_code code = deja_value_validate(replay->fit->recorded[DEJA_CONFIG], config.bytes,
                                               config.size, &failure);
    if (code == DEJA_ENOMEM)
        return deja__fail_memory(err);
    if (code != DEJA_OK) {
        deja__fail_within(&failure, code, "its config is none");
        settle(replay, DEJA__DAMAGE, DEJA_STEP_NONE, failure.message);
        return DEJA_OK;
    }
    return add_turned(replay, replay->fit->matches[DEJA_CONFIG], config, defaults, "config", err);
}

/* The state that a session began with, where it began in the middle. */
static deja_code add_start(deja__replay *replay, const deja_rules_info *info, deja_error *err)
{
    static const deja_span none = { NULL, 0 };
    const char *text = replay->session->start_layout;
    const deja_span start = replay->session->start;
    deja_layout *recorded = NULL;
    deja_layout *present = NULL;
    deja_match *match = NULL;
    deja_error failure = { 0 };
    deja_code code = deja_layout_parse(&recorded, text, strlen(text), &failure);
    if (code == DEJA_OK)
        code = deja_value_validate(recorded, start.bytes, start.size, &failure);
    if (code != DEJA_OK && code != DEJA_ENOMEM) {
        deja__fail_within(&failure, code, "the state that it starts from is none");
        settle(replay, DEJA__DAMAGE, DEJA_STEP_NONE, failure.message);
        code = DEJA_OK;
        goto done;
    }
    const bool same = strcmp(text, info->layouts[DEJA_STATE]) == 0;
    if (code == DEJA_OK && !same)
        code = deja_layout_parse(&present, info->layouts[DEJA_STATE],
                                 strlen(info->layouts[DEJA_STATE]), &failure);
    if (code == DEJA_OK && !same)
        code = deja_match_create(&match, recorded, present, &failure);
    if (code == DEJA_OK)
        code = add_turned(replay, match, start, none, "start state", err);
    else
        code = deja__fail_memory(err);

done:
    deja_match_destroy(match);
    deja_layout_destroy(present);
    deja_layout_destroy(recorded);
    return code;
}

static void add_layout(deja__replay *replay, uint32_t type, bool compares, uint32_t *size)
{
    const deja__fit *fit = replay->fit;
    const char *text = fit->matches[type] && compares ? fit->layouts[type] : "";
    *size = (uint32_t)strlen(text);
    deja_buffer_text(&replay->head, text);
}

static deja_code make_head(deja__replay *replay, const deja_rules_info *info,
                           const deja_buffer *packs, deja_error *err)
{
    const deja__fit *fit = replay->fit;
    deja_buffer *head = &replay->head;
    deja__head how = { .seed = replay->session->seed,
                       .every = replay->how.hash_all ? 1 : replay->every,
                       .trace_from = replay->how.trace_from,
                       .trace_to = replay->how.trace_to,
                       .flags = replay->how.draws ? DEJA__HEAD_DRAW : 0u,
                       .float_flags = float_flags(replay->recording->platform) };
    deja_buffer_extend(head, sizeof how);
    deja_code code = add_config(replay, info, err);
    if (code != DEJA_OK || replay->finding.kind)
        return code;
    how.config_size = head->size - sizeof how;
    if (replay->session->start_layout[0]) {
        how.flags |= DEJA__HEAD_FROM_STATE;
        code = add_start(replay, info, err);
        if (code != DEJA_OK || replay->finding.kind)
            return code;
    }
    how.start_size = head->size - sizeof how - how.config_size;
    if (replay->scenario || !fit->compares_state)
        how.flags |= DEJA__HEAD_NO_STATE;
    if (replay->scenario || !fit->compares_events)
        how.flags |= DEJA__HEAD_NO_EVENTS;
    add_layout(replay, DEJA_STATE, fit->compares_state, &how.state_layout_size);
    add_layout(replay, DEJA_EVENT, fit->compares_events, &how.event_layout_size);
    deja_buffer_add(head, packs->bytes, packs->size);
    how.packs_size = (uint32_t)packs->size;
    if (head->failed)
        return deja__fail_memory(err);
    memcpy(head->bytes, &how, sizeof how);
    return DEJA_OK;
}

/* ---- opening ---- */

/* Whether this library may play this session, and with which packs. What stands in the way is told
 * all at once. */
static deja_code admit(deja__replay *replay, const deja__fits *fits, deja_buffer *packs,
                       deja_error *err)
{
    static const deja__catalog none = { .digests = NULL };
    const deja__fit *fit = replay->fit;
    deja_buffer why = { 0 };
    if (fits->same_build && !replay->scenario && !fit->ruled_out)
        deja__same_build_print(fit, replay->recording, fits->info, &why);
    if (fit->unfit && why.size == 0 && !why.failed) {
        settle(replay, DEJA__UNFIT, DEJA_STEP_NONE, fit->unfit);
        return DEJA_OK;
    }
    const deja_code code = deja__catalog_choose(fits->packs ? &fits->packs->catalog : &none,
                                                replay->session->content, packs, &why, err);
    if (code == DEJA_OK && why.size)
        settle(replay, DEJA__UNFIT, DEJA_STEP_NONE, (const char *)why.bytes);
    deja_buffer_release(&why);
    return code;
}

static deja_code look_at(deja__replay *replay, deja__fits *fits, deja_error *err)
{
    replay->session = deja_reader_session(replay->reader);
    replay->recording = deja_reader_recording(replay->reader);
    replay->bits = replay->recording->trail_bits;
    replay->scenario = replay->bits == 0;
    replay->every = replay->recording->trail_every ? replay->recording->trail_every : 1;
    replay->crashed = replay->recording->ended == DEJA_ENDED_CRASHED && replay->session->steps > 0;
    deja_code code = deja__fits_find(fits, &replay->fit, replay->session, replay->recording, err);
    if (code != DEJA_OK)
        return code;
    deja_buffer packs = { 0 };
    code = admit(replay, fits, &packs, err);
    replay->event_chain = deja__event_chain_start();
    if (code == DEJA_OK && !replay->finding.kind)
        code = make_head(replay, fits->info, &packs, err);
    if (code == DEJA_OK && !replay->finding.kind)
        code = deja__wishes_read(replay, err);
    deja_buffer_release(&packs);
    return code;
}

/* Damage is a finding, all else a failure. */
static deja_code judge(deja__replay *replay, deja_code code, deja_error *failure, deja_error *err)
{
    if (code == DEJA_EDAMAGED) {
        settle(replay, DEJA__DAMAGE, failure->step, failure->message);
        return DEJA_OK;
    }
    if (code != DEJA_OK && err)
        *err = *failure;
    return code;
}

deja_code deja__replay_open(deja__replay **out, deja_store *store, int64_t key, deja__fits *fits,
                            const deja__replay_how *how, deja_error *err)
{
    deja_error failure = { 0 };
    *out = NULL;
    deja__replay *replay = calloc(1, sizeof *replay);
    if (!replay) {
        deja_reader_close(how->reader);
        return deja__fail_memory(err);
    }
    replay->how = *how;
    if (replay->how.before_count > DEJA__BEFORE_MAX)
        replay->how.before_count = DEJA__BEFORE_MAX;
    replay->key = key;
    replay->equal_step = replay->healed = replay->parted_last = DEJA_STEP_NONE;
    replay->reader = how->reader;
    replay->how.reader = NULL;
    deja_code code = DEJA_OK;
    if (!replay->reader)
        code = deja_reader_open(&replay->reader, store, key, 0, &failure);
    if (code == DEJA_OK)
        code = look_at(replay, fits, &failure);
    code = judge(replay, code, &failure, err);
    if (code != DEJA_OK) {
        deja__replay_close(replay);
        return code;
    }
    *out = replay;
    return DEJA_OK;
}

void deja__replay_close(deja__replay *replay)
{
    if (!replay)
        return;
    for (uint32_t i = 0; i < replay->wish_count; i++)
        free(replay->wishes[i].text);
    free(replay->wishes);
    deja_buffer_release(&replay->settled);
    deja_buffer_release(&replay->head);
    deja_buffer_release(&replay->turned);
    deja__fit_drop(replay->fit);
    deja_reader_close(replay->reader);
    free(replay);
}

const char *deja__settled(const deja__replay *replay)
{
    return replay->settled.size ? (const char *)replay->settled.bytes : replay->finding.reason;
}

bool deja__replay_is_done(const deja__replay *replay)
{
    return replay->flying == 0 && (replay->end_fed || replay->over);
}
