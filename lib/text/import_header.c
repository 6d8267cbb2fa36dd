/* SPDX-License-Identifier: MIT */
/*
 * The headers of a replay text. They are kept as they come, in any order, and made sense of when
 * the first line comes that is none: values need their layouts first.
 *
 * What a scenario leaves out is taken from the rules, where the text has no `build:` line; a
 * recording has to have everything itself.
 */
#include "text/import.h"

#include "base/nearest.h"
#include "fields/values.h"
#include "store/valid.h"

static const char *const layout_names[] = { "state", "command", "event", "config", "start" };
enum { LAYOUTS = 5, START = 4 };

/* ---- keeping them ---- */

/* DEJA_EFORMAT where it is there already. */
static deja_code keep(deja__import *import, deja__line *kept, const char *what)
{
    if (kept->number != 0)
        return deja__import_fail(import, import->line.number,
                                 "a second '%s' line; the first is line %llu", what,
                                 (unsigned long long)kept->number);
    *kept = import->line;
    return DEJA_OK;
}

static deja_code keep_layout(deja__import *import)
{
    const uint64_t number = import->line.number;
    const char *which = "";
    uint64_t size = 0;
    char what[32] = "layout: ";
    char word[DEJA__WORD_SIZE];
    deja__line_word(&import->line, &which, &size);
    for (uint32_t i = 0; i < LAYOUTS; i++) {
        if (strlen(layout_names[i]) != size || memcmp(layout_names[i], which, (size_t)size) != 0)
            continue;
        memcpy(what + strlen(what), layout_names[i], (size_t)size + 1);
        return keep(import, &import->layouts[i], what);
    }
    const char *nearest = deja__nearest_of(which, size, layout_names, LAYOUTS);
    return deja__import_fail(import, number, "there is no layout of '%s'%s%s",
                             deja__word(which, size, word),
                             nearest ? "; the nearest is "
                                     : "; there are state, command, event, "
                                       "config and start",
                             nearest ? nearest : "");
}

deja_code deja__import_header(deja__import *import)
{
    char what[32];
    const deja__line *line = &import->line;
    const char *keyword = deja__keywords[line->key];
    if (import->settled)
        return deja__import_fail(import, line->number, "'%s:' belongs before the first command",
                                 keyword);
    if (line->key == DEJA__KEY_LAYOUT)
        return keep_layout(import);
    memcpy(what, keyword, strlen(keyword));
    memcpy(what + strlen(keyword), ":", 2);
    return keep(import, &import->headers[line->key], what);
}

/* ---- making sense of them ---- */

static bool has(const deja__import *import, enum deja__key key)
{
    return import->headers[key].number != 0;
}

static deja_code set_word(deja__import *import, enum deja__text_word word, const char *chars,
                          uint64_t size)
{
    deja_buffer *buffer = &import->draft.words[word];
    return deja_buffer_add(buffer, chars, size) ? DEJA_OK : deja__fail_memory(import->err);
}

/* A header that is there in the text, or else must be in the rules. Without either: why not. */
static deja_code missing(deja__import *import, const char *what)
{
    if (import->draft.recorded)
        return deja__import_fail(import, import->line.number,
                                 "there is no '%s' line, and a recording has one", what);
    return deja__fail(import->err, DEJA_EUNFIT,
                      "%s: a scenario without its '%s' line needs --rules", import->name, what);
}

/* The rest of a header's line as one text. */
static deja_code read_rest(deja__import *import, enum deja__key key, enum deja__text_word word)
{
    const deja__line *line = &import->headers[key];
    if (line->number == 0)
        return DEJA_OK;
    return deja__import_within(
        import, line->number,
        deja__rest_read(line->at, line->size, &import->draft.words[word], import->err));
}

static deja_code read_game(deja__import *import)
{
    const deja_text_rules *rules = import->rules;
    deja__line line = import->headers[DEJA__KEY_GAME];
    const char *id = "";
    uint64_t size = 0;
    if (line.number == 0 && (import->draft.recorded || !rules))
        return missing(import, "game:");
    if (line.number == 0) {
        id = rules->game;
        size = strlen(id);
    } else if (!deja__line_word(&line, &id, &size) || !deja__is_game_id(id, size)) {
        return deja__import_fail(import, line.number, "a game's id, and its version, belong here");
    }
    const bool fits = rules && strlen(rules->game) == size && memcmp(rules->game, id, size) == 0;
    if (rules && !fits)
        return deja__fail(import->err, DEJA_EUNFIT, "%s: the text is of '%.*s', the rules are '%s'",
                          import->name, (int)size, id, rules->game);
    deja_code code = set_word(import, DEJA__WORD_GAME, id, size);
    if (code < 0 || line.size != 0)
        return code < 0
                   ? code
                   : deja__import_within(import, line.number,
                                         deja__rest_read(line.at, line.size,
                                                         &import->draft.words[DEJA__WORD_VERSION],
                                                         import->err));
    if (import->draft.recorded || !rules)
        return DEJA_OK;
    return set_word(import, DEJA__WORD_VERSION, rules->version, strlen(rules->version));
}

static deja_code read_build(deja__import *import)
{
    deja__line line = import->headers[DEJA__KEY_BUILD];
    const char *digest;
    uint64_t size;
    import->draft.recorded = line.number != 0;
    if (line.number == 0)
        return DEJA_OK;
    if (!deja__line_word(&line, &digest, &size) || size != 32 ||
        !deja__read_hex_bytes(digest, 16, import->draft.build))
        return deja__import_fail(import, line.number,
                                 "a build's digest, 32 lower-case hex digits, belongs here");
    if (line.size == 0)
        return DEJA_OK;
    return deja__import_within(import, line.number,
                               deja__rest_read(line.at, line.size,
                                               &import->draft.words[DEJA__WORD_COMPILER],
                                               import->err));
}

/* One of the four layouts, or the start's, which is the state's unless it is said. */
static deja_code read_layout(deja__import *import, uint32_t which)
{
    const deja__line *line = &import->layouts[which];
    const enum deja__text_word word = (enum deja__text_word)(DEJA__WORD_STATE + which);
    deja__draft *draft = &import->draft;
    deja__shape *shape = which == START ? &draft->start_shape : &draft->shapes[which];
    const char *text = line->at;
    uint64_t size = line->size;
    if (line->number == 0 && which == START) {
        text = deja__draft_word(draft, DEJA__WORD_STATE);
        size = strlen(text);
    } else if (line->number == 0) {
        char what[32] = "layout: ";
        memcpy(what + strlen(what), layout_names[which], strlen(layout_names[which]) + 1);
        if (draft->recorded || !import->rules)
            return missing(import, what);
        text = import->rules->layouts[which];
        size = strlen(text);
    }
    const deja_code code = deja__shape_open(shape, text, size, import->err);
    if (code < 0)
        return line->number ? deja__import_within(import, line->number, code) : code;
    /* The one text of the layout, whatever this one was like. */
    if (shape->layout) {
        text = deja_layout_text(shape->layout);
        size = strlen(text);
    }
    return set_word(import, word, text, size);
}

static deja_code read_layouts(deja__import *import)
{
    deja__draft *draft = &import->draft;
    for (uint32_t i = 0; i < LAYOUTS; i++) {
        if (i == START && !has(import, DEJA__KEY_START)) {
            if (import->layouts[START].number)
                return deja__import_fail(import, import->layouts[START].number,
                                         "the layout of a start that is not there");
            break;
        }
        const deja_code code = read_layout(import, i);
        if (code < 0)
            return code;
        if (i < START && (draft->shapes[i].layout == NULL) != (draft->shapes[0].layout == NULL))
            return deja__import_fail(import, import->layouts[i].number,
                                     "all four layouts are bytes, or none is");
    }
    if (has(import, DEJA__KEY_START) && !draft->shapes[0].layout)
        return deja__import_fail(import, import->headers[DEJA__KEY_START].number,
                                 "a game without layouts has no start state");
    return DEJA_OK;
}

/* ---- lists of names ---- */

static deja_code check_names(deja__import *import, uint64_t number, const char *names,
                             uint64_t size)
{
    char word[DEJA__WORD_SIZE];
    uint32_t count = 0;
    for (const char *at = names, *end = names + size; at < end; at++) {
        const char *start = at;
        while (at < end && *at != ' ')
            at++;
        const uint64_t one = (uint64_t)(at - start);
        if (!deja__is_name(start, one))
            return deja__import_fail(import, number, "'%s' is not a name",
                                     deja__word(start, one, word));
        if (++count > DEJA__NAMES_MAX)
            return deja__import_fail(import, number, "more than %d names", DEJA__NAMES_MAX);
    }
    return DEJA_OK;
}

static deja_code read_names(deja__import *import, enum deja__key key, enum deja__text_word word,
                            const char *of_rules)
{
    const deja__line *line = &import->headers[key];
    if (line->number == 0) {
        const bool take = !import->draft.recorded && import->rules;
        return take ? set_word(import, word, of_rules, strlen(of_rules)) : DEJA_OK;
    }
    deja_code code = check_names(import, line->number, line->at, line->size);
    if (code == DEJA_OK)
        code = set_word(import, word, line->at, line->size);
    if (code < 0)
        return code;
    const char *names = deja__draft_word(&import->draft, word);
    const char *at = names;
    const char *name;
    uint64_t size;
    for (int64_t i = 0; deja__listed_next(&at, &name, &size); i++) {
        if (deja__listed_find(names, name, size) != i)
            return deja__import_fail(import, line->number, "'%.*s' is there twice", (int)size,
                                     name);
        if (key == DEJA__KEY_OUTCOMES && deja__listed_find(DEJA__NO_OUTCOMES, name, size) >= 0)
            return deja__import_fail(import, line->number, "'%.*s' is not for an outcome",
                                     (int)size, name);
    }
    return DEJA_OK;
}

static deja_code check_content(deja__import *import)
{
    const char *content = deja__draft_word(&import->draft, DEJA__WORD_CONTENT);
    if (deja__is_content(content, strlen(content)))
        return DEJA_OK;
    return deja__import_fail(import, import->headers[DEJA__KEY_CONTENT].number,
                             "content is name=digest (32 lower-case hex digits), one blank "
                             "between, rising by name");
}

/* ---- values ---- */

static deja_code read_config(deja__import *import)
{
    const deja__line *line = &import->headers[DEJA__KEY_CONFIG];
    const deja_text_rules *rules = import->rules;
    deja__draft *draft = &import->draft;
    if (line->number != 0)
        return deja__import_within(
            import, line->number,
            deja__shape_parse(&draft->shapes[DEJA__WORD_CONFIG - DEJA__WORD_STATE], line->at,
                              line->size, &draft->config, import->err));
    if (draft->recorded || !rules)
        return missing(import, "config:");
    /* The default is of the rules' layout, which the text may not share. */
    if (strcmp(rules->layouts[DEJA__WORD_CONFIG - DEJA__WORD_STATE],
               deja__draft_word(draft, DEJA__WORD_CONFIG)) != 0)
        return deja__import_fail(import, import->line.number,
                                 "there is no 'config:' line, and the rules' is of another layout");
    return deja_buffer_add(&draft->config, rules->config_default.bytes, rules->config_default.size)
               ? DEJA_OK
               : deja__fail_memory(import->err);
}

static deja_code read_seed(deja__import *import)
{
    const deja__line *line = &import->headers[DEJA__KEY_SEED];
    char word[DEJA__WORD_SIZE];
    if (line->number == 0)
        return deja__import_fail(import, import->line.number, "there is no 'seed:' line");
    if (!deja__read_u64(line->at, line->size, UINT64_MAX, &import->draft.seed))
        return deja__import_fail(import, line->number,
                                 "'%s' is not a seed: a whole number from 0 to "
                                 "18446744073709551615",
                                 deja__word(line->at, line->size, word));
    return DEJA_OK;
}

static deja_code read_start(deja__import *import)
{
    const deja__line *line = &import->headers[DEJA__KEY_START];
    deja__draft *draft = &import->draft;
    draft->has_start = line->number != 0;
    if (line->number == 0)
        return DEJA_OK;
    return deja__import_within(
        import, line->number,
        deja__shape_parse(&draft->start_shape, line->at, line->size, &draft->start, import->err));
}

deja_code deja__import_settle(deja__import *import)
{
    import->settled = true;
    const deja_text_rules *rules = import->rules;
    deja_code code = read_build(import);
    if (code == DEJA_OK)
        code = read_game(import);
    if (code == DEJA_OK)
        code = read_layouts(import);
    if (code == DEJA_OK)
        code = read_names(import, DEJA__KEY_REFUSALS, DEJA__WORD_REFUSALS,
                          rules ? rules->refusals : "");
    if (code == DEJA_OK)
        code = read_names(import, DEJA__KEY_OUTCOMES, DEJA__WORD_OUTCOMES,
                          rules ? rules->outcomes : "");
    if (code == DEJA_OK)
        code = read_rest(import, DEJA__KEY_PLATFORM, DEJA__WORD_PLATFORM);
    if (code == DEJA_OK)
        code = read_rest(import, DEJA__KEY_MADE, DEJA__WORD_MADE);
    if (code == DEJA_OK)
        code = read_rest(import, DEJA__KEY_CONTENT, DEJA__WORD_CONTENT);
    if (code == DEJA_OK)
        code = check_content(import);
    if (code == DEJA_OK)
        code = read_config(import);
    if (code == DEJA_OK)
        code = read_seed(import);
    if (code == DEJA_OK)
        code = read_start(import);
    return code;
}
