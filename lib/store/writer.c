/* SPDX-License-Identifier: MIT */
/*
 * See writer.h. What a caller hands in is checked here, before anything changes; the rest of the
 * way in trusts it.
 */
#include "store/writer.h"

#include "store/commands.h"
#include "store/gather.h"
#include "store/valid.h"

#include <stdlib.h>

/* ---- opening ---- */

void deja__writer_destroy(deja_writer *writer)
{
    if (!writer)
        return;
    deja__setting_release(writer->setting);
    deja__identity_destroy(writer->identity);
    deja_buffer *const buffers[] = {
        &writer->config,     &writer->start_layout, &writer->start_block,   &writer->commands,
        &writer->ends,       &writer->results,      &writer->trail,         &writer->marks,
        &writer->mark_texts, &writer->sections,     &writer->section_names,
    };
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        deja_buffer_release(buffers[i]);
    free(writer);
}

static deja_code take_config(deja_writer *writer, deja_span config, deja_error *err)
{
    if (config.size > DEJA__COMMAND_SIZE_MAX)
        return deja__fail(err, DEJA_ELIMIT, "the config has %llu bytes; the most are %llu",
                          (unsigned long long)config.size,
                          (unsigned long long)DEJA__COMMAND_SIZE_MAX);
    if (writer->setting->config) {
        const void *bytes = config.size ? config.bytes : "";
        const deja_code code =
            deja_value_validate(writer->setting->config, bytes, config.size, err);
        if (code < 0)
            return deja__fail_within(err, code, "the config");
    }
    return deja_buffer_add(&writer->config, config.bytes, config.size) ? DEJA_OK
                                                                       : deja__fail_memory(err);
}

/* Compressed at once: it may be large, and is not looked at again. */
static deja_code take_start(deja_writer *writer, const deja_session *session, deja_error *err)
{
    const char *text = session->start_layout ? session->start_layout : "";
    const deja_span start = session->start;
    deja_layout *layout = NULL;
    deja_span block;
    if (!*text && start.size)
        return deja__fail(err, DEJA_EMISUSE, "the start state has no layout");
    if (!*text)
        return DEJA_OK;
    if (!deja__is_plain(text, strlen(text), DEJA__LAYOUT_TEXT_MAX))
        return deja__fail(err, DEJA_EMISUSE, "the start state's layout is not sound");
    deja_code code = DEJA_OK;
    if (!deja__is_opaque(text))
        code = deja_layout_parse(&layout, text, strlen(text), err);
    if (code == DEJA_OK && layout)
        code = deja_value_validate(layout, start.bytes, start.size, err);
    deja_layout_destroy(layout);
    if (code == DEJA_OK)
        code = deja__pack(writer->store->packer, start, &block, err);
    if (code < 0)
        return deja__fail_within(err, code, "the start state");
    writer->start_size = start.size;
    if (!deja_buffer_text(&writer->start_layout, text) ||
        !deja_buffer_add(&writer->start_block, block.bytes, block.size))
        return deja__fail_memory(err);
    return DEJA_OK;
}

static bool add_hash(deja_writer *writer, uint64_t hash)
{
    unsigned char bytes[8];
    deja__store64(bytes, hash);
    return deja_buffer_add(&writer->trail, bytes, writer->setting->trail_bits / 8);
}

static deja_code fill(deja_writer *writer, const deja_session *session,
                      const deja_recording *recording, deja_error *err)
{
    deja_session plain = *session;
    deja_code code = deja__setting_get(&writer->store->gather->settings, session, recording,
                                       &writer->setting, err);
    if (code == DEJA_OK)
        code = take_config(writer, session->config, err);
    if (code == DEJA_OK)
        code = take_start(writer, session, err);
    if (code < 0)
        return code;
    plain.content = writer->setting->texts[DEJA__CONTENT];
    plain.start_layout = writer->start_layout.size ? (const char *)writer->start_layout.bytes : "";
    code = deja__identity_create(&writer->identity, &plain, err);
    if (code == DEJA_OK && !add_hash(writer, writer->start_hash))
        code = deja__fail_memory(err);
    return code;
}

deja_code deja_writer_open(deja_writer **out, deja_store *store, const deja_session *session,
                           const deja_recording *recording, uint64_t start_hash, uint64_t chain,
                           deja_error *err)
{
    if (!out || !store || !session || !recording)
        return deja__fail(err, DEJA_EMISUSE,
                          "a writer needs a store, a session, a recording, and "
                          "a place to go to");
    *out = NULL;
    if (!store->gather)
        return deja__store_fail(store, deja__fail(err, DEJA_EMISUSE, "is open for reading only"),
                                err);
    deja_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return deja__store_fail(store, deja__fail_memory(err), err);
    writer->store = store;
    writer->number = 1;
    writer->seed = session->seed;
    writer->recorded_at = recording->recorded_at;
    writer->start_hash = start_hash;
    writer->now.chain = chain;
    writer->now.event_chain = deja__event_chain_start();
    const deja_code code = fill(writer, session, recording, err);
    if (code < 0) {
        deja__writer_destroy(writer);
        return deja__store_fail(store, code, err);
    }
    *out = writer;
    return DEJA_OK;
}

/* ---- steps ---- */

/* Encodes the commands, and sees whether they come back. */
static deja_code encode(deja_writer *writer, const deja_steps *steps, deja_error *err)
{
    deja_buffer *encoded = &writer->store->gather->encoded;
    const deja_layout *layout = writer->setting->command;
    const deja_span values = { steps->commands, steps->command_ends[steps->count - 1] };
    deja_buffer_clear(encoded);
    deja_code code =
        deja__commands_encode(layout, values, steps->command_ends, steps->count, encoded, err);
    const deja_span bytes = { encoded->bytes, encoded->size };
    if (code == DEJA_OK)
        code = deja__commands_try(layout, values, steps->command_ends, steps->count, bytes, err);
    if (code == DEJA_OK && bytes.size > DEJA__BLOCK_BYTES_MAX)
        code = deja__fail(err, DEJA_ELIMIT, "they are too large for one part");
    if (code < 0)
        return deja__fail_within(err, code, "the commands of steps %llu to %llu",
                                 (unsigned long long)steps->first,
                                 (unsigned long long)(steps->first - 1 + steps->count));
    return DEJA_OK;
}

/* Keeps steps here; all or nothing. */
static deja_code keep(deja_writer *writer, const deja_steps *steps, deja_error *err)
{
    const uint64_t size = steps->command_ends[steps->count - 1];
    const uint64_t numbers = sizeof(uint32_t) * (uint64_t)steps->count;
    if (!deja_buffer_reserve(&writer->commands, size) ||
        !deja_buffer_reserve(&writer->ends, numbers) ||
        !deja_buffer_reserve(&writer->results, numbers)) {
        writer->commands.failed = writer->ends.failed = writer->results.failed = false;
        return deja__fail_memory(err);
    }
    deja_buffer_add(&writer->commands, steps->commands, size);
    deja_buffer_add(&writer->ends, steps->command_ends, numbers);
    deja_buffer_add(&writer->results, steps->results, numbers);
    deja__identity_add(writer->identity, steps->commands, steps->command_ends, steps->count);
    writer->tail = steps->count;
    writer->now.steps += steps->count;
    writer->now.chain = steps->chain;
    writer->now.event_chain = steps->event_chain;
    return DEJA_OK;
}

/* Commits them; all or nothing, too. */
static deja_code commit(deja_writer *writer, const deja_steps *steps, deja_error *err)
{
    deja__gather *gather = writer->store->gather;
    const deja_span encoded = { gather->encoded.bytes, gather->encoded.size };
    const deja__progress before = writer->now;
    deja__identity_copy(gather->spare, writer->identity);
    deja__identity_add(gather->spare, steps->commands, steps->command_ends, steps->count);
    deja__identity_get(gather->spare, &writer->now.id);
    writer->now.steps += steps->count;
    writer->now.chain = steps->chain;
    writer->now.event_chain = steps->event_chain;
    const deja_code code = deja__long_commit(writer, steps, encoded, err);
    if (code < 0) {
        writer->now = before;
        return code;
    }
    deja__identity_copy(writer->identity, gather->spare);
    deja_buffer_clear(&writer->trail);
    return DEJA_OK;
}

deja_code deja_writer_add(deja_writer *writer, const deja_steps *steps, deja_error *err)
{
    if (!writer || !steps)
        return deja__fail(err, DEJA_EMISUSE, "adding steps needs a writer, and steps");
    bool hashless = false;
    deja_code code = deja__steps_check(writer, steps, &hashless, err);
    if (code < 0 || steps->count == 0)
        return deja__store_fail(writer->store, code, err);
    code = encode(writer, steps, err);
    const uint64_t trail_before = writer->trail.size;
    for (uint32_t i = 0; i < steps->trail_count && code == DEJA_OK; i++)
        if (!add_hash(writer, steps->trail[i]))
            code = deja__fail_memory(err);
    if (code == DEJA_OK)
        code = steps->count == DEJA__BLOCK_STEPS && !hashless ? commit(writer, steps, err)
                                                              : keep(writer, steps, err);
    if (code < 0) {
        writer->trail.size = trail_before;
        writer->trail.failed = false;
        return deja__store_fail(writer->store, code, err);
    }
    writer->hashless = hashless;
    writer->last_result = steps->results[steps->count - 1];
    return DEJA_OK;
}

/* ---- notes ---- */

static deja_code add_note(deja_buffer *notes, deja_buffer *texts, uint64_t step, const char *text,
                          uint64_t hash, deja_error *err)
{
    const uint64_t size = strlen(text);
    const deja__note note = { .step = step, .text = texts->size, .hash = hash };
    if (!deja_buffer_reserve(texts, size + 1) || !deja_buffer_reserve(notes, sizeof note)) {
        texts->failed = notes->failed = false;
        return deja__fail_memory(err);
    }
    deja_buffer_add(texts, text, size + 1);
    deja_buffer_add(notes, &note, sizeof note);
    return DEJA_OK;
}

deja_code deja_writer_mark(deja_writer *writer, uint64_t step, const char *text, deja_error *err)
{
    if (!writer || !text)
        return deja__fail(err, DEJA_EMISUSE, "a mark needs a writer, and a text");
    deja_code code = DEJA_OK;
    if (strlen(text) > DEJA__MARK_MAX || !deja__is_utf8(text, strlen(text)))
        code = deja__fail(err, DEJA_EMISUSE, "a mark is UTF-8 of at most %d bytes", DEJA__MARK_MAX);
    else if ((uint64_t)writer->now.marks + writer->marks.size / sizeof(deja__note) >=
             (uint64_t)DEJA__PARTS_MAX)
        code = deja__fail(err, DEJA_ELIMIT, "a session has at most %d marks", DEJA__PARTS_MAX);
    if (code == DEJA_OK)
        code = add_note(&writer->marks, &writer->mark_texts, step, text, 0, err);
    return deja__store_fail(writer->store, code, err);
}

deja_code deja_writer_section(deja_writer *writer, uint64_t step, const char *name, uint64_t hash,
                              deja_error *err)
{
    if (!writer || !name)
        return deja__fail(err, DEJA_EMISUSE, "a section needs a writer, and a name");
    deja_code code = DEJA_OK;
    if (!deja__is_name(name, strlen(name)))
        code = deja__fail(err, DEJA_EMISUSE,
                          "a section's name is [A-Za-z_][A-Za-z0-9_-]*, at most "
                          "%d characters",
                          DEJA__NAME_MAX);
    if (code == DEJA_OK)
        code = add_note(&writer->sections, &writer->section_names, step, name, hash, err);
    return deja__store_fail(writer->store, code, err);
}

/* ---- its end ---- */

static bool is_reserved(const char *outcome)
{
    return strcmp(outcome, "running") == 0 || strcmp(outcome, "unfinished") == 0 ||
           strcmp(outcome, "crashed") == 0;
}

static deja_code end(deja_writer *writer, uint32_t ended, const char *outcome, deja_error *err)
{
    const bool crashed = ended == DEJA_ENDED_CRASHED;
    if (ended > DEJA_ENDED_OUTCOME)
        return deja__fail(err, DEJA_EMISUSE, "a session does not end as %u", ended);
    if ((ended == DEJA_ENDED_OUTCOME) != (outcome && *outcome))
        return deja__fail(err, DEJA_EMISUSE,
                          "an outcome is named where there is one, and only "
                          "there");
    if (ended == DEJA_ENDED_OUTCOME &&
        (!deja__is_name(outcome, strlen(outcome)) || is_reserved(outcome)))
        return deja__fail(err, DEJA_EMISUSE, "an outcome is named as games name theirs");
    const uint64_t every = writer->setting->trail_every;
    const bool due = writer->now.steps && writer->now.steps % every == 0;
    if (writer->hashless != (crashed && due))
        return deja__fail(err, DEJA_EMISUSE,
                          crashed ? "the command that crashed has a hash"
                                  : "the last step has no hash");
    if (crashed && (writer->now.steps == 0 || writer->last_result))
        return deja__fail(err, DEJA_EMISUSE, "a session crashed in a command without a result");
    writer->ended = ended;
    if (ended == DEJA_ENDED_OUTCOME)
        memcpy(writer->outcome, outcome, strlen(outcome) + 1);
    deja__identity_get(writer->identity, &writer->now.id);
    return DEJA_OK;
}

deja_code deja_writer_close(deja_writer *writer, uint32_t ended, const char *outcome, deja_id *id,
                            bool *known, deja_error *err)
{
    if (!writer)
        return deja__fail(err, DEJA_EMISUSE, "there is no writer");
    deja_store *store = writer->store;
    bool found = false;
    bool taken = false;
    deja_code code = end(writer, ended, outcome, err);
    if (code < 0) {
        deja__writer_destroy(writer);
        return deja__store_fail(store, code, err);
    }
    if (id)
        *id = writer->now.id;
    /* Where this cannot be told now, it is found out when the session is committed. */
    if (deja__gather_knows(store, writer, &found, NULL) < 0)
        found = false;
    if (known)
        *known = found;
    /* A long one has rows to take back. */
    if (found && !writer->now.session_pack) {
        deja__writer_destroy(writer);
        return DEJA_OK;
    }
    code = deja__gather_add(store, writer, &taken, err);
    if (!taken)
        deja__writer_destroy(writer);
    return deja__store_fail(store, code, err);
}

void deja_writer_abandon(deja_writer *writer)
{
    deja__writer_destroy(writer);
}
