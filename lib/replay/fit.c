/* SPDX-License-Identifier: MIT */
/*
 * How a recording fits a library.
 *
 * Everything goes by name. Where a type's layout is the recorded one, byte for byte, nothing has to
 * be done for it. Else recorded commands and configs are turned into present ones, and present
 * states and events are hashed as the recorded layout has them: that works where every recorded
 * field is still there (the common layout is then the recorded one). Where it is not, that part is
 * not compared, and this is no pass unless the caller allows it.
 */
#include "replay/fit.h"

#include <stdlib.h>

/* ---- names ---- */

bool deja__namelist_split(deja__namelist *names, const char *text)
{
    const size_t size = strlen(text);
    uint32_t count = size ? 1 : 0;
    for (size_t i = 0; i < size; i++)
        count += text[i] == ' ';
    memset(names, 0, sizeof *names);
    names->text = malloc(size + 1);
    names->items = malloc((count + 1) * sizeof *names->items);
    if (!names->text || !names->items) {
        deja__namelist_release(names);
        return false;
    }
    memcpy(names->text, text, size + 1);
    for (char *at = names->text; names->count < count;) {
        names->items[names->count++] = at;
        char *space = strchr(at, ' ');
        if (!space)
            break;
        *space = '\0';
        at = space + 1;
    }
    return true;
}

void deja__namelist_release(deja__namelist *names)
{
    free(names->text);
    free(names->items);
    memset(names, 0, sizeof *names);
}

int32_t deja__namelist_find(const deja__namelist *names, const char *name)
{
    for (uint32_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return (int32_t)i;
    return -1;
}

const char *deja__namelist_result(const deja__namelist *names, uint32_t result)
{
    if (result == 0)
        return "ok";
    return result <= names->count ? names->items[result - 1] : "?";
}

/* ---- what is to be said ---- */

/* Adds a line; takes the buffer. */
static bool add_remark(deja__fit *fit, deja_buffer *line)
{
    char **remarks = realloc(fit->remarks, (fit->remark_count + 1) * sizeof *remarks);
    if (remarks)
        fit->remarks = remarks;
    if (!remarks || line->failed || !line->bytes) {
        deja_buffer_release(line);
        return false;
    }
    fit->remarks[fit->remark_count++] = (char *)line->bytes;
    return true;
}

static bool remark_on_version(deja__fit *fit, const deja_rules_info *info)
{
    if (strcmp(fit->version, info->version) == 0)
        return true;
    deja_buffer line = { 0 };
    deja__print(&line, "recorded with version %s of the rules, replayed with %s",
                fit->version[0] ? fit->version : "(none)", info->version);
    return add_remark(fit, &line);
}

/* Says which names one list has and the other has not. */
static bool remark_on_names(deja__fit *fit, const char *what, const deja__namelist *these,
                            const deja__namelist *those, const char *how)
{
    deja_buffer line = { 0 };
    for (uint32_t i = 0; i < these->count; i++) {
        if (deja__namelist_find(those, these->items[i]) >= 0)
            continue;
        if (line.size == 0)
            deja__print(&line, "%s: %s: ", what, how);
        else
            deja_buffer_text(&line, ", ");
        deja_buffer_text(&line, these->items[i]);
    }
    return line.size == 0 && !line.failed ? true : add_remark(fit, &line);
}

/* ---- results ---- */

/* Where one of the two tells of no outcomes at all, that is said when they are compared. */
static bool remark_on_outcomes(deja__fit *fit)
{
    deja__namelist recorded;
    const deja__namelist *present = &fit->present_outcomes;
    if (!fit->recorded_tells || !fit->compares_outcome)
        return true;
    if (!deja__namelist_split(&recorded, fit->outcomes))
        return false;
    const bool is_done = remark_on_names(fit, "outcomes", present, &recorded, "added") &&
                         remark_on_names(fit, "outcomes", &recorded, present, "gone");
    deja__namelist_release(&recorded);
    return is_done;
}

static bool match_results(deja__fit *fit, const deja_rules_info *info)
{
    if (!deja__namelist_split(&fit->recorded_refusals, fit->refusals) ||
        !deja__namelist_split(&fit->present_refusals, info->refusals) ||
        !deja__namelist_split(&fit->present_outcomes, info->outcomes))
        return false;
    const deja__namelist *present = &fit->present_refusals;
    fit->results = malloc((present->count + 1) * sizeof *fit->results);
    if (!fit->results)
        return false;
    fit->results[0] = 0;
    for (uint32_t i = 0; i < present->count; i++) {
        const int32_t place = deja__namelist_find(&fit->recorded_refusals, present->items[i]);
        fit->results[i + 1] = place < 0 ? DEJA__RESULT_NONE : (uint32_t)place + 1;
    }
    return remark_on_names(fit, "refusals", present, &fit->recorded_refusals, "added") &&
           remark_on_names(fit, "refusals", &fit->recorded_refusals, present, "gone") &&
           remark_on_outcomes(fit);
}

/* ---- layouts ---- */

const char *deja__type_word(uint32_t type)
{
    static const char *const words[4] = { "state", "command", "event", "config" };
    return words[type];
}

static deja_code parse_recorded(deja__fit *fit, uint32_t type, deja_error *err)
{
    const char *text = fit->layouts[type];
    return deja_layout_parse(&fit->recorded[type], text, strlen(text), err);
}

/* What can't be had from the library's layout of a type: a line for `unfit` or `not_compared`. */
static char *print_missing(const deja__fit *fit, uint32_t type)
{
    deja_buffer line = { 0 };
    deja__print(&line, "the recorded %s is not all there (%s)", deja__type_word(type),
                deja_match_remark(fit->matches[type]));
    if (line.failed)
        deja_buffer_release(&line);
    return (char *)line.bytes;
}

/* Notes that a type's values cannot be compared: no pass, unless that is allowed. */
static deja_code leave_out(deja__fit *fit, uint32_t type, deja_error *err)
{
    char *line = print_missing(fit, type);
    char **place = fit->partial ? &fit->not_compared : &fit->unfit;
    if (!line)
        return deja__fail_memory(err);
    if (*place) {
        free(line);
        return DEJA_OK;
    }
    *place = line;
    return DEJA_OK;
}

static deja_code match_type(deja__fit *fit, uint32_t type, const deja_rules_info *info,
                            deja_error *err)
{
    const char *text = info->layouts[type];
    deja_code code = parse_recorded(fit, type, err);
    if (code != DEJA_OK || strcmp(text, fit->layouts[type]) == 0)
        return code;
    code = deja_layout_parse(&fit->present[type], text, strlen(text), err);
    if (code == DEJA_OK)
        code = deja_match_create(&fit->matches[type], fit->recorded[type], fit->present[type], err);
    if (code != DEJA_OK)
        return code;
    deja_buffer line = { 0 };
    deja__print(&line, "%s: %s", deja__type_word(type), deja_match_remark(fit->matches[type]));
    if (!add_remark(fit, &line))
        return deja__fail_memory(err);
    if (type == DEJA_COMMAND || type == DEJA_CONFIG)
        return DEJA_OK; /* each value is turned by itself, and says if it cannot be */
    const deja_layout *common = deja_match_common(fit->matches[type]);
    const bool all_there =
        common && strcmp(deja_layout_text(common), deja_layout_text(fit->recorded[type])) == 0;
    if (all_there)
        return DEJA_OK;
    if (type == DEJA_STATE)
        fit->compares_state = false;
    else
        fit->compares_events = false;
    return leave_out(fit, type, err);
}

static deja_code match_layouts(deja__fit *fit, const deja_rules_info *info, deja_error *err)
{
    for (uint32_t i = 0; i < 4; i++) {
        deja_error failure = { 0 };
        const deja_code code = match_type(fit, i, info, &failure);
        if (code == DEJA_ENOMEM)
            return deja__fail_memory(err);
        if (code == DEJA_OK || fit->unfit)
            continue;
        deja_buffer line = { 0 };
        deja__print(&line, "the recorded %s layout cannot be read: %s", deja__type_word(i),
                    failure.message);
        if (line.failed)
            return deja__fail_memory(err);
        fit->unfit = (char *)line.bytes;
    }
    return DEJA_OK;
}

/* ---- all of it ---- */

static bool keep(char **copy, const char *text)
{
    *copy = strdup(text);
    return *copy != NULL;
}

static bool keep_texts(deja__fit *fit, const deja_session *session, const deja_recording *recording)
{
    return keep(&fit->game, session->game) && keep(&fit->version, recording->version) &&
           keep(&fit->refusals, recording->refusals) && keep(&fit->outcomes, recording->outcomes) &&
           keep(&fit->layouts[DEJA_STATE], recording->state_layout) &&
           keep(&fit->layouts[DEJA_COMMAND], session->command_layout) &&
           keep(&fit->layouts[DEJA_EVENT], recording->event_layout) &&
           keep(&fit->layouts[DEJA_CONFIG], session->config_layout);
}

/* What rules a library out before its layouts are looked at. */
static bool rule_out(deja__fit *fit, const deja_rules_info *info)
{
    deja_buffer line = { 0 };
    if (strcmp(fit->game, info->game) != 0)
        deja__print(&line, "it is a session of '%s', and the library is '%s'", fit->game,
                    info->game);
    else if (strcmp(fit->layouts[DEJA_COMMAND], "bytes") == 0)
        deja_buffer_text(&line, "it was recorded without a description of its types, so only the "
                                "game itself can replay it");
    fit->unfit = (char *)line.bytes;
    fit->ruled_out = line.size > 0;
    return !line.failed;
}

deja_code deja__fit_create(deja__fit **out, const deja_session *session,
                           const deja_recording *recording, const deja_rules_info *info,
                           bool partial, deja_error *err)
{
    deja_code code = DEJA_OK;
    *out = NULL;
    deja__fit *fit = calloc(1, sizeof *fit);
    if (!fit)
        return deja__fail_memory(err);
    fit->holders = 1;
    fit->partial = partial;
    fit->compares_state = fit->compares_events = true;
    fit->compares_outcome = info->functions & DEJA_HAS_OUTCOME;
    fit->recorded_tells = recording->outcomes[0] != '\0';
    if (!keep_texts(fit, session, recording) || !rule_out(fit, info))
        code = deja__fail_memory(err);
    else if (!fit->unfit && (!remark_on_version(fit, info) || !match_results(fit, info)))
        code = deja__fail_memory(err);
    else if (!fit->unfit)
        code = match_layouts(fit, info, err);
    if (code != DEJA_OK) {
        deja__fit_drop(fit);
        return code;
    }
    *out = fit;
    return DEJA_OK;
}

void deja__fit_drop(deja__fit *fit)
{
    if (!fit || --fit->holders > 0)
        return;
    free(fit->game);
    free(fit->version);
    free(fit->refusals);
    free(fit->outcomes);
    for (int i = 0; i < 4; i++) {
        free(fit->layouts[i]);
        deja_match_destroy(fit->matches[i]);
        deja_layout_destroy(fit->recorded[i]);
        deja_layout_destroy(fit->present[i]);
    }
    free(fit->unfit);
    free(fit->not_compared);
    deja__namelist_release(&fit->recorded_refusals);
    deja__namelist_release(&fit->present_refusals);
    deja__namelist_release(&fit->present_outcomes);
    free(fit->results);
    for (uint32_t i = 0; i < fit->remark_count; i++)
        free(fit->remarks[i]);
    free(fit->remarks);
    free(fit);
}

bool deja__fit_serves(const deja__fit *fit, const deja_session *session,
                      const deja_recording *recording)
{
    return strcmp(fit->game, session->game) == 0 && strcmp(fit->version, recording->version) == 0 &&
           strcmp(fit->refusals, recording->refusals) == 0 &&
           strcmp(fit->outcomes, recording->outcomes) == 0 &&
           strcmp(fit->layouts[DEJA_STATE], recording->state_layout) == 0 &&
           strcmp(fit->layouts[DEJA_COMMAND], session->command_layout) == 0 &&
           strcmp(fit->layouts[DEJA_EVENT], recording->event_layout) == 0 &&
           strcmp(fit->layouts[DEJA_CONFIG], session->config_layout) == 0;
}

/* ---- a few of them ---- */

deja_code deja__fits_find(deja__fits *fits, deja__fit **out, const deja_session *session,
                          const deja_recording *recording, deja_error *err)
{
    uint32_t place = 0;
    while (place < DEJA__FITS_MAX && fits->items[place] &&
           !deja__fit_serves(fits->items[place], session, recording))
        place++;
    deja__fit *found = place < DEJA__FITS_MAX ? fits->items[place] : NULL;
    if (!found) {
        const deja_code code =
            deja__fit_create(&found, session, recording, fits->info, fits->partial, err);
        if (code != DEJA_OK)
            return code;
        if (place == DEJA__FITS_MAX)
            deja__fit_drop(fits->items[--place]);
    }
    memmove(fits->items + 1, fits->items, place * sizeof fits->items[0]);
    fits->items[0] = found;
    found->holders++;
    *out = found;
    return DEJA_OK;
}

void deja__fits_release(deja__fits *fits)
{
    for (uint32_t i = 0; i < DEJA__FITS_MAX; i++) {
        deja__fit_drop(fits->items[i]);
        fits->items[i] = NULL;
    }
}
