/* SPDX-License-Identifier: MIT */
/*
 * A game that is played and looked at by words.
 */
#include "games/told.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { STATE, COMMAND, EVENT, CONFIG };

static void must(deja_code code, const deja_error *err)
{
    cr_assert_eq(code, DEJA_OK, "%s", err->message);
}

static char *next_text(told *t)
{
    char *text = t->texts[t->turn++ % TOLD_TEXTS];
    text[0] = 0;
    return text;
}

static void append(char *text, const char *between, const void *bytes, size_t size)
{
    const size_t used = strlen(text);
    const size_t gap = used ? strlen(between) : 0;
    cr_assert_lt(used + gap + size, TOLD_TEXT_SIZE);
    memcpy(text + used, between, gap);
    memcpy(text + used + gap, bytes, size);
    text[used + gap + size] = 0;
}

static deja_buffer save(told *t, int type, const void *value)
{
    deja_buffer bytes = { 0 };
    deja_error err = { 0 };
    must(deja__codec_save(t->codecs[type], value, &bytes, &err), &err);
    return bytes;
}

static void append_value(told *t, char *text, const char *between, int type, const void *value)
{
    deja_buffer bytes = save(t, type, value), line = { 0 };
    deja_error err = { 0 };
    must(deja_value_print(t->layouts[type], bytes.bytes, bytes.size, &line, &err), &err);
    append(text, between, line.bytes, line.size);
    deja_buffer_release(&line);
    deja_buffer_release(&bytes);
}

static void load_text(told *t, int type, void *value, const char *text)
{
    deja_buffer bytes = { 0 };
    deja_error err = { 0 };
    must(deja_value_parse(t->layouts[type], text, strlen(text), &bytes, &err), &err);
    must(deja__codec_load(t->codecs[type], value, bytes.bytes, bytes.size, &err), &err);
    deja_buffer_release(&bytes);
}

told *told_open(const char *name, const char *settings, uint64_t seed)
{
    told *t = calloc(1, sizeof *t);
    deja_error err = { 0 };
    cr_assert_not_null(t);
    t->lib = library_open(name);
    const deja_type *types[] = { &t->lib.rules->state, &t->lib.rules->command, &t->lib.rules->event,
                                 &t->lib.rules->config };
    for (int i = 0; i < TOLD_TYPES; i++) {
        must(deja__describe(&t->layouts[i], types[i], &err), &err);
        must(deja__codec_create(&t->codecs[i], types[i], t->layouts[i], &err), &err);
    }
    t->state = deja__codec_value_create(t->codecs[STATE]);
    t->command = deja__codec_value_create(t->codecs[COMMAND]);
    cr_assert_str_eq(told_start(t, settings, seed), "ok");
    return t;
}

void told_close(told *t)
{
    deja__codec_value_destroy(t->codecs[STATE], t->state);
    deja__codec_value_destroy(t->codecs[COMMAND], t->command);
    for (int i = 0; i < TOLD_TYPES; i++) {
        deja__codec_destroy(t->codecs[i]);
        deja_layout_destroy(t->layouts[i]);
    }
    library_close(&t->lib);
    free(t);
}

/* Up to the next blank that lies in no braces. */
static size_t setting_size(const char *settings)
{
    size_t size = 0;
    uint32_t depth = 0;
    for (; settings[size] && (settings[size] != ' ' || depth != 0); size++) {
        depth += settings[size] == '{';
        depth -= settings[size] == '}';
    }
    return size;
}

const char *told_start(told *t, const char *settings, uint64_t seed)
{
    return told_start_with(t, settings, seed, NULL);
}

const char *told_start_with(told *t, const char *settings, uint64_t seed,
                            const deja_content *content)
{
    deja_error err = { 0 };
    void *config = deja__codec_value_create(t->codecs[CONFIG]);
    deja_buffer bytes = save(t, CONFIG, t->lib.rules->config_default);
    while (*settings) {
        const size_t size = setting_size(settings);
        deja_buffer changed = { 0 };
        must(deja_value_set(t->layouts[CONFIG], bytes.bytes, bytes.size, settings, size, &changed,
                            &err),
             &err);
        deja_buffer_release(&bytes);
        bytes = changed;
        settings += size + (settings[size] != 0);
    }
    must(deja__codec_load(t->codecs[CONFIG], config, bytes.bytes, bytes.size, &err), &err);
    deja_buffer_release(&bytes);
    deja__codec_value_destroy(t->codecs[STATE], t->state);
    t->state = deja__codec_value_create(t->codecs[STATE]);
    const uint32_t result = t->lib.rules->start(t->state, config, seed, content);
    deja__codec_value_destroy(t->codecs[CONFIG], config);
    return library_result(&t->lib, result);
}

const char *told_do(told *t, const char *command)
{
    const deja_rules_table *rules = t->lib.rules;
    char *text = next_text(t);
    load_text(t, COMMAND, t->command, command);
    deja_buffer before = told_save(t);
    const uint32_t checked = rules->check(t->state, t->command);
    deja_buffer after = told_save(t);
    cr_assert(before.size == after.size && memcmp(before.bytes, after.bytes, after.size) == 0,
              "check of '%s' changed the state", command);
    deja_buffer_release(&after);
    emitted_open(&t->events, rules->event.size);
    const uint32_t result = rules->apply(t->state, t->command, &t->events.out);
    cr_assert_eq(result, checked, "'%s'", command);
    if (result != 0) {
        after = told_save(t);
        cr_assert(before.size == after.size && memcmp(before.bytes, after.bytes, after.size) == 0,
                  "'%s' was refused and changed the state", command);
        cr_assert_eq(t->events.count, 0);
        deja_buffer_release(&after);
        snprintf(text, TOLD_TEXT_SIZE, "refused %s", library_result(&t->lib, result));
    }
    for (uint32_t i = 0; i < t->events.count; i++)
        append_value(t, text, "; ", EVENT, emitted_at(&t->events, i));
    deja_buffer_release(&before);
    return text;
}

const char *told_state(told *t)
{
    char *text = next_text(t);
    append_value(t, text, "", STATE, t->state);
    return text;
}

const char *told_at(told *t, const char *path)
{
    char *text = next_text(t);
    deja_buffer bytes = told_save(t), part = { 0 };
    deja_error err = { 0 };
    must(deja_value_at(t->layouts[STATE], bytes.bytes, bytes.size, path, strlen(path), &part, &err),
         &err);
    append(text, "", part.bytes, part.size);
    deja_buffer_release(&part);
    deja_buffer_release(&bytes);
    return text;
}

const char *told_legal(told *t)
{
    char *text = next_text(t);
    emitted_open(&t->listed, t->lib.rules->command.size);
    t->lib.rules->legal(t->state, &t->listed.out);
    for (uint32_t i = 0; i < t->listed.count; i++)
        append_value(t, text, ",", COMMAND, emitted_at(&t->listed, i));
    return text;
}

const char *told_outcome(told *t)
{
    return library_outcome(&t->lib, t->state);
}

uint64_t told_hash(told *t)
{
    uint64_t hash = 0;
    deja_error err = { 0 };
    must(deja__codec_hash(t->codecs[STATE], t->state, &hash, &err), &err);
    return hash;
}

deja_buffer told_save(told *t)
{
    return save(t, STATE, t->state);
}

void told_put(told *t, const char *state)
{
    load_text(t, STATE, t->state, state);
}
