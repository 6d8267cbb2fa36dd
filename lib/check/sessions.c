/* SPDX-License-Identifier: MIT */
/*
 * A store's sessions of this game, to be walked along: their commands, config and start as the
 * present layouts have them, with the content that they name. What does not fit, or names content
 * that is not here, is left out and counted, and of the first it is told why.
 */
#include <stdlib.h>

#include "check/check.h"

#include <stdio.h>

typedef struct key_list {
    const char *game;
    deja_buffer keys; /* int64_t */
} key_list;

static bool take_key(void *user, const deja_entry *entry)
{
    key_list *list = user;
    if (strcmp(entry->session.game, list->game) != 0)
        return true;
    return deja_buffer_add(&list->keys, &entry->key, sizeof entry->key);
}

/* One session as it is to be played. */
typedef struct stored {
    deja_match *commands, *config, *start; /* NULL where there is nothing to turn */
    deja_buffer command_bytes, command_ends, config_bytes, start_bytes;
    deja_buffer packs; /* deja_content_pack each */
    char id[33];
} stored;

static void release(stored *s)
{
    deja_match_destroy(s->commands);
    deja_match_destroy(s->config);
    deja_match_destroy(s->start);
    deja_buffer_release(&s->command_bytes);
    deja_buffer_release(&s->command_ends);
    deja_buffer_release(&s->config_bytes);
    deja_buffer_release(&s->start_bytes);
    deja_buffer_release(&s->packs);
}

static deja_code match_with(deja_match **out, const char *text, const deja_layout *present,
                            deja_error *err)
{
    deja_layout *recorded = NULL;
    deja_code code = deja_layout_parse(&recorded, text, strlen(text), err);
    if (code == DEJA_OK)
        code = deja_match_create(out, recorded, present, err);
    deja_layout_destroy(recorded);
    return code;
}

/* Appends a stored value as the present layout has it; anything that is not one does not fit. */
static deja_code turn(const deja_match *match, deja_span value, deja_span defaults,
                      deja_buffer *out, deja_error *err)
{
    const deja_code code =
        deja_match_to_present(match, value.bytes, value.size, defaults, out, err);
    return code == DEJA_OK && out->failed ? deja__fail_memory(err) : code;
}

static deja_code take_commands(const deja__check *c, stored *s, deja_reader *reader,
                               deja_error *err)
{
    const deja_span none = { NULL, 0 };
    uint64_t left = c->options.max_steps;
    for (;;) {
        deja_steps steps;
        deja_code code = deja_reader_next(reader, &steps, err);
        if (code != DEJA_OK || steps.count == 0 || left == 0)
            return code;
        for (uint32_t i = 0; code == DEJA_OK && i < steps.count && left != 0; i++, left--) {
            const uint32_t start = i ? steps.command_ends[i - 1] : 0;
            const deja_span command = { steps.commands + start, steps.command_ends[i] - start };
            code = turn(s->commands, command, none, &s->command_bytes, err);
            deja_buffer_add(&s->command_ends, &s->command_bytes.size, sizeof(uint64_t));
        }
        if (code != DEJA_OK)
            return code;
        if (s->command_ends.failed)
            return deja__fail_memory(err);
    }
}

static deja_code take_content(const deja__check *c, stored *s, const char *names, deja_error *err)
{
    deja_buffer numbers = { 0 };
    deja_buffer why = { 0 };
    deja_code code = deja__catalog_choose(&c->catalog, names, &numbers, &why, err);
    if (code == DEJA_OK && why.size)
        code = deja__fail(err, DEJA_EUNFIT, "%s", (const char *)why.bytes);
    for (uint64_t at = 0; code == DEJA_OK && at < numbers.size; at += 4) {
        const deja_content_pack *pack = &c->catalog.given.packs[deja__load32(numbers.bytes + at)];
        if (!deja_buffer_add(&s->packs, pack, sizeof *pack))
            code = deja__fail_memory(err);
    }
    deja_buffer_release(&numbers);
    deja_buffer_release(&why);
    return code;
}

static deja_code prepare(const deja__check *c, stored *s, deja_reader *reader, deja_error *err)
{
    const deja_span none = { NULL, 0 };
    const deja_session *session = deja_reader_session(reader);
    deja_buffer id = { 0 };
    deja__print_hex_bytes(&id, session->id.bytes, sizeof session->id.bytes);
    snprintf(s->id, sizeof s->id, "%s", id.failed ? "" : (const char *)id.bytes);
    deja_buffer_release(&id);
    deja_code code = take_content(c, s, session->content, err);
    if (code == DEJA_OK)
        code = match_with(&s->commands, session->command_layout, c->layouts[DEJA_COMMAND], err);
    if (code == DEJA_OK)
        code = match_with(&s->config, session->config_layout, c->layouts[DEJA_CONFIG], err);
    if (code == DEJA_OK)
        code = turn(s->config, session->config, deja_plugin_config_default(c->plugin),
                    &s->config_bytes, err);
    if (code == DEJA_OK && *session->start_layout) {
        code = match_with(&s->start, session->start_layout, c->layouts[DEJA_STATE], err);
        if (code == DEJA_OK)
            code = turn(s->start, session->start, none, &s->start_bytes, err);
    }
    return code == DEJA_OK ? take_commands(c, s, reader, err) : code;
}

/* Whether a failure says that this session cannot be played with these rules, and no more. */
static bool is_unfit(deja_code code)
{
    return code == DEJA_EUNFIT || code == DEJA_EFORMAT || code == DEJA_EREFUSED;
}

static deja_code play_one(deja__check *c, deja_reader *reader,
                          deja_code (*play)(deja__check *c, const deja__player *player,
                                            deja_error *err),
                          deja_error *err)
{
    stored s = { 0 };
    deja_error said;
    deja_code code = prepare(c, &s, reader, &said);
    if (code == DEJA_OK) {
        const deja_content content = { s.packs.size / sizeof(deja_content_pack),
                                       (const void *)s.packs.bytes };
        const deja__player player = { .name = "session",
                                      .session = s.id,
                                      .bot = DEJA__PLAYS_SESSION,
                                      .seed = deja_reader_session(reader)->seed,
                                      .config = deja__span(&s.config_bytes),
                                      .content = &content,
                                      .start = deja__span(&s.start_bytes),
                                      .commands = &s.command_bytes,
                                      .ends = &s.command_ends };
        c->summary->sessions++;
        code = play(c, &player, &said);
        c->summary->sessions -= is_unfit(code);
    }
    release(&s);
    if (is_unfit(code)) {
        if (c->summary->left_out++ == 0)
            snprintf(c->summary->left_out_why, sizeof c->summary->left_out_why, "%s", said.message);
        return DEJA_OK;
    }
    if (code < 0 && err)
        *err = said;
    return code;
}

deja_code deja__each_session(deja__check *c,
                             deja_code (*play)(deja__check *c, const deja__player *player,
                                               deja_error *err),
                             deja_error *err)
{
    key_list list = { .game = c->rules->id };
    deja_code code = deja_store_list(c->options.store, take_key, &list, err);
    if (code == DEJA_OK && list.keys.failed)
        code = deja__fail_memory(err);
    for (uint64_t at = 0; code == DEJA_OK && !c->stopped && at < list.keys.size;
         at += sizeof(int64_t)) {
        deja_reader *reader = NULL;
        int64_t key;
        memcpy(&key, list.keys.bytes + at, sizeof key);
        code = deja_reader_open(&reader, c->options.store, key, 0, err);
        if (code == DEJA_OK)
            code = play_one(c, reader, play, err);
        deja_reader_close(reader);
    }
    deja_buffer_release(&list.keys);
    return code;
}
