/* SPDX-License-Identifier: MIT */
#include "record/scene.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "support/scratch.h"

void scene_open_with(scene *s, deja_rules_table table)
{
    static const ledger_config config = { 10 };
    char path[128];
    memset(s, 0, sizeof *s);
    scratch_open(s->folder);
    snprintf(path, sizeof path, "%s/plays.deja", s->folder);
    s->table = table;
    deja_code code = deja_store_open(&s->store, path, DEJA_STORE_WRITE, &s->err);
    cr_assert_eq(code, DEJA_OK, "%s", s->err.message);
    code = deja_plugin_from_table(&s->plugin, &s->table, &s->err);
    cr_assert_eq(code, DEJA_OK, "%s", s->err.message);
    cr_assert_eq(s->table.start(&s->state, &config, 7, NULL), 0);
    s->options = (deja_recorder_options)DEJA_RECORDER_OPTIONS_INIT;
    s->options.config = &config;
    s->options.seed = 7;
}

void scene_open(scene *s)
{
    scene_open_with(s, ledger_table());
}

void scene_close(scene *s)
{
    deja_plugin_close(s->plugin);
    const deja_code code = deja_store_close(s->store, &s->err);
    cr_assert_eq(code, DEJA_OK, "%s", s->err.message);
    scratch_close(s->folder);
}

deja_recorder *scene_record(scene *s)
{
    deja_recorder *recorder = NULL;
    const deja_code code =
        deja_recorder_open(&recorder, s->store, s->plugin, &s->state, &s->options, &s->err);
    cr_assert_eq(code, DEJA_OK, "%s", s->err.message);
    return recorder;
}

uint32_t scene_step(scene *s, deja_recorder *recorder, uint32_t kind, int32_t n)
{
    const ledger_command command = { (uint16_t)kind, n, "hello" };
    uint32_t result = UINT32_MAX;
    const deja_code code =
        deja_recorder_step(recorder, &s->state, &command, NULL, &result, &s->err);
    cr_assert_eq(code, DEJA_OK, "%s", s->err.message);
    return result;
}

deja_id scene_end(scene *s, deja_recorder *recorder, const char *outcome)
{
    deja_id id;
    const deja_code code = deja_recorder_close(recorder, outcome, &id, &s->err);
    cr_assert_eq(code, DEJA_OK, "%s", s->err.message);
    return id;
}

void scene_assert_failed(const scene *s, deja_code code, deja_code expected, const char *message)
{
    cr_assert_eq(code, expected, "%s, not: %s", deja_code_name(code), message);
    cr_assert_str_eq(s->err.message, message);
    cr_assert_eq(s->err.code, expected);
}

/* ---- reading ---- */

static void append(char *text, size_t room, const char *more)
{
    if (strlen(text) + strlen(more) < room)
        strcat(text, more);
}

static bool add_mark(void *user, uint64_t step, const char *text)
{
    held *h = user;
    char one[1200];
    snprintf(one, sizeof one, "%llu %s; ", (unsigned long long)step, text);
    append(h->marks, sizeof h->marks, one);
    return true;
}

static bool add_section(void *user, uint64_t step, const char *name, uint64_t hash)
{
    held *h = user;
    char one[128];
    snprintf(one, sizeof one, "%llu %s %llx; ", (unsigned long long)step, name,
             (unsigned long long)hash);
    append(h->sections, sizeof h->sections, one);
    return true;
}

static void print_value(const char *layout, const void *bytes, uint64_t size, char *text,
                        size_t room)
{
    deja_layout *parsed = NULL;
    deja_buffer out = { 0 };
    if (strcmp(layout, "bytes") == 0) {
        deja__print_hex_bytes(&out, bytes, size);
    } else {
        deja_code code = deja_layout_parse(&parsed, layout, strlen(layout), NULL);
        if (code == DEJA_OK)
            code = deja_value_print(parsed, bytes, size, &out, NULL);
        cr_assert_eq(code, DEJA_OK);
    }
    if (out.size)
        append(text, room, (const char *)out.bytes);
    deja_buffer_release(&out);
    deja_layout_destroy(parsed);
}

static void read_steps(deja_reader *reader, held *h)
{
    const deja_session *session = deja_reader_session(reader);
    deja_steps steps;
    deja_error err = { 0 };
    h->trail[h->trail_count++] = deja_reader_start_hash(reader);
    for (;;) {
        const deja_code code = deja_reader_next(reader, &steps, &err);
        cr_assert_eq(code, DEJA_OK, "%s", err.message);
        if (steps.count == 0)
            return;
        cr_assert_eq(steps.first, h->steps + 1);
        for (uint32_t i = 0; i < steps.count; i++) {
            const uint32_t start = i ? steps.command_ends[i - 1] : 0;
            h->results[h->steps++] = steps.results[i];
            if (h->steps > 50)
                continue;
            print_value(session->command_layout, steps.commands + start,
                        steps.command_ends[i] - start, h->commands, sizeof h->commands);
            append(h->commands, sizeof h->commands, "; ");
        }
        for (uint32_t i = 0; i < steps.trail_count; i++)
            h->trail[h->trail_count++] = steps.trail[i];
        h->chain = steps.chain;
        h->event_chain = steps.event_chain;
    }
}

static void read_all(deja_reader *reader, held *h)
{
    const deja_session *session = deja_reader_session(reader);
    const deja_recording *recording = deja_reader_recording(reader);
    h->chain = recording->chain;
    h->event_chain = recording->event_chain;
    h->ended = recording->ended;
    h->seed = session->seed;
    snprintf(h->outcome, sizeof h->outcome, "%s", recording->outcome);
    snprintf(h->made, sizeof h->made, "%s", recording->made);
    snprintf(h->content, sizeof h->content, "%s", session->content);
    print_value(session->config_layout, session->config.bytes, session->config.size, h->config,
                sizeof h->config);
    if (*session->start_layout)
        print_value(session->start_layout, session->start.bytes, session->start.size, h->start,
                    sizeof h->start);
    read_steps(reader, h);
    cr_assert_eq(h->chain, recording->chain);
    cr_assert_eq(h->event_chain, recording->event_chain);
    cr_assert_eq(h->steps, session->steps);
    deja_error err = { 0 };
    deja_code code = deja_reader_marks(reader, add_mark, h, &err);
    if (code == DEJA_OK)
        code = deja_reader_sections(reader, add_section, h, &err);
    cr_assert_eq(code, DEJA_OK, "%s", err.message);
}

held *scene_read(scene *s, const deja_id *id)
{
    char prefix[33];
    int64_t key = 0;
    deja_reader *reader = NULL;
    held *h = calloc(1, sizeof *h);
    cr_assert_not_null(h);
    for (int i = 0; i < 16; i++)
        snprintf(prefix + 2 * i, 3, "%02x", id->bytes[i]);
    deja_code code = deja_store_gathered(s->store) ? deja_store_flush(s->store, &s->err) : DEJA_OK;
    if (code == DEJA_OK)
        code = deja_store_find(s->store, prefix, &key, &s->err);
    if (code == DEJA_OK)
        code = deja_reader_open(&reader, s->store, key, 0, &s->err);
    cr_assert_eq(code, DEJA_OK, "%s", s->err.message);
    read_all(reader, h);
    deja_reader_close(reader);
    return h;
}

struct counted {
    uint64_t count;
    deja_id last;
};

static bool count_one(void *user, const deja_entry *entry)
{
    struct counted *counted = user;
    counted->count++;
    counted->last = entry->session.id;
    return true;
}

uint64_t scene_sessions(scene *s, deja_id *last)
{
    struct counted counted = { 0 };
    deja_code code = deja_store_gathered(s->store) ? deja_store_flush(s->store, &s->err) : DEJA_OK;
    if (code == DEJA_OK)
        code = deja_store_list(s->store, count_one, &counted, &s->err);
    cr_assert_eq(code, DEJA_OK, "%s", s->err.message);
    if (last)
        *last = counted.last;
    return counted.count;
}

/* ---- by hand ---- */

uint64_t ledger_hash(const ledger *state)
{
    unsigned char bytes[64];
    size_t size = 10;
    deja__store64(bytes, (uint64_t)state->gold);
    bytes[8] = state->side;
    bytes[9] = state->over;
    deja__store32(bytes + size, state->roll_count);
    memcpy(bytes + size + 4, state->rolls, state->roll_count);
    size += 4 + state->roll_count;
    deja__store64(bytes + size, state->luck.state);
    deja__store64(bytes + size + 8, state->luck.increment);
    deja__store64(bytes + size + 16, state->luck.draws);
    return deja__hash64(bytes, size + 24);
}

uint64_t ledger_gained_hash(int32_t n, int64_t gold)
{
    unsigned char bytes[18], section[8];
    deja__store64(section, (uint64_t)gold);
    deja__store32(bytes, 1);
    deja__store16(bytes + 4, 0);
    deja__store32(bytes + 6, (uint32_t)n);
    deja__store64(bytes + 10, deja__hash64(section, sizeof section));
    return deja__hash64(bytes, sizeof bytes);
}

uint64_t ledger_said_hash(const char *text)
{
    unsigned char bytes[64];
    deja__store32(bytes, 1);
    deja__store16(bytes + 4, 1);
    deja__store32(bytes + 6, (uint32_t)strlen(text));
    memcpy(bytes + 10, text, strlen(text));
    return deja__hash64(bytes, 10 + strlen(text));
}
