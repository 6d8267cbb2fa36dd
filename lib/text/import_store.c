/* SPDX-License-Identifier: MIT */
/*
 * Writing a draft into the store. What is repeated is multiplied out here, a block at a time; the
 * draft was checked, so that all of it fits together.
 */
#include "text/import.h"

#include <stdlib.h>

/* Where the four streams are, and the block that is being filled. */
typedef struct feed {
    const deja__draft *draft;
    const unsigned char *command; /* the one at hand */
    uint64_t command_size;
    uint64_t entry, left; /* how often it still comes */
    uint64_t run, run_left;
    uint64_t hash, chain;
    uint64_t remark;
    uint64_t step; /* the last one that was taken */
    deja_buffer commands;
    uint32_t *ends;
    uint32_t *results;
    uint64_t *trail;
} feed;

static void *items(const deja_buffer *buffer)
{
    return buffer->bytes;
}

static uint64_t chain_at(const deja_buffer *chains, uint64_t place)
{
    return ((const uint64_t *)items(chains))[place];
}

/* The hash at a place of the trail. */
static uint64_t hash_at(const deja__draft *draft, uint64_t place)
{
    const uint32_t width = draft->trail_bits / 8;
    unsigned char bytes[8] = { 0 };
    if (width != 0)
        memcpy(bytes, draft->trail.bytes + place * width, width);
    return deja__load64(bytes);
}

/* ---- one block ---- */

static bool take_command(feed *f, uint32_t place)
{
    const deja__entry *entries = items(&f->draft->entries);
    if (f->left == 0) {
        const deja__entry *entry = &entries[f->entry++];
        f->left = entry->times;
        if (entry->size != DEJA__ENTRY_SAME) {
            f->command = f->command ? f->command + f->command_size : f->draft->command_bytes.bytes;
            f->command_size = entry->size;
        }
    }
    f->left--;
    if (!deja_buffer_add(&f->commands, f->command, f->command_size))
        return false;
    f->ends[place] = (uint32_t)f->commands.size;
    return true;
}

/* A scenario has no results: they are stored as accepted, and nobody looks at them. */
static uint32_t take_result(feed *f)
{
    const deja__run *runs = items(&f->draft->runs);
    if (!f->draft->recorded || f->step > deja__draft_results(f->draft))
        return 0;
    if (f->run_left == 0)
        f->run_left = runs[f->run++].times;
    f->run_left--;
    return runs[f->run - 1].result;
}

static deja_code add_block(feed *f, deja_writer *writer, deja_error *err)
{
    const deja__draft *draft = f->draft;
    const uint64_t rest = draft->steps - f->step;
    const uint64_t chains = draft->chains.size / sizeof(uint64_t);
    deja_steps steps = {
        .first = f->step + 1, .command_ends = f->ends, .results = f->results, .trail = f->trail
    };
    steps.count = rest < DEJA__BLOCK_STEPS ? (uint32_t)rest : DEJA__BLOCK_STEPS;
    deja_buffer_clear(&f->commands);
    for (uint32_t i = 0; i < steps.count; i++) {
        f->step++;
        if (!take_command(f, i))
            return deja__fail_memory(err);
        f->results[i] = take_result(f);
        if (draft->recorded && f->step <= deja__draft_results(draft) &&
            f->step % draft->trail_every == 0)
            f->trail[steps.trail_count++] = hash_at(draft, f->hash++);
    }
    steps.commands = f->commands.bytes;
    if (draft->recorded) {
        /* A block of nothing but the command that crashed has the chains of the one before. */
        const uint64_t place = f->chain < chains ? f->chain : chains - 1;
        steps.chain = chain_at(&draft->chains, place);
        steps.event_chain = chain_at(&draft->event_chains, place);
        f->chain++;
    }
    return deja_writer_add(writer, &steps, err);
}

/* Everything that was remarked up to the step. */
static deja_code add_remarks(feed *f, deja_writer *writer, deja_error *err)
{
    const deja__draft *draft = f->draft;
    const deja__remark *remarks = items(&draft->remarks);
    const uint64_t count = draft->remarks.size / sizeof *remarks;
    for (; f->remark < count && remarks[f->remark].step <= f->step; f->remark++) {
        const deja__remark *remark = &remarks[f->remark];
        const char *text = (const char *)draft->remark_text.bytes + remark->offset;
        const deja_code code =
            remark->is_section ? deja_writer_section(writer, remark->step, text, remark->hash, err)
                               : deja_writer_mark(writer, remark->step, text, err);
        if (code < 0)
            return code;
    }
    return DEJA_OK;
}

/* ---- the session ---- */

static void describe(const deja__draft *draft, deja_session *session, deja_recording *recording)
{
    memset(session, 0, sizeof *session);
    memset(recording, 0, sizeof *recording);
    session->game = deja__draft_word(draft, DEJA__WORD_GAME);
    session->command_layout = deja__draft_word(draft, DEJA__WORD_COMMAND);
    session->config_layout = deja__draft_word(draft, DEJA__WORD_CONFIG);
    session->config = (deja_span){ draft->config.bytes, draft->config.size };
    session->seed = draft->seed;
    session->content = deja__draft_word(draft, DEJA__WORD_CONTENT);
    session->start_layout = deja__draft_word(draft, DEJA__WORD_START);
    session->start = (deja_span){ draft->start.bytes, draft->start.size };
    recording->version = deja__draft_word(draft, DEJA__WORD_VERSION);
    recording->state_layout = deja__draft_word(draft, DEJA__WORD_STATE);
    recording->event_layout = deja__draft_word(draft, DEJA__WORD_EVENT);
    recording->refusals = deja__draft_word(draft, DEJA__WORD_REFUSALS);
    recording->outcomes = deja__draft_word(draft, DEJA__WORD_OUTCOMES);
    memcpy(recording->build, draft->build, sizeof recording->build);
    recording->compiler = deja__draft_word(draft, DEJA__WORD_COMPILER);
    recording->platform = deja__draft_word(draft, DEJA__WORD_PLATFORM);
    recording->made = deja__draft_word(draft, DEJA__WORD_MADE);
    recording->recorded_at = draft->recorded_at;
    recording->trail_bits = draft->trail_bits;
    recording->trail_every = draft->recorded ? draft->trail_every : UINT64_MAX;
}

/* The chain of step 0, where the text has it, or the hash of step 0 in full. */
static uint64_t start_chain(const deja__draft *draft)
{
    if (draft->recorded && deja__draft_results(draft) == 0)
        return chain_at(&draft->chains, 0);
    return draft->trail_bits == 64 ? deja__chain_start(hash_at(draft, 0)) : 0;
}

static deja_code write_steps(feed *f, deja_writer *writer, deja_error *err)
{
    f->ends = malloc(DEJA__BLOCK_STEPS * sizeof *f->ends);
    f->results = malloc(DEJA__BLOCK_STEPS * sizeof *f->results);
    f->trail = malloc(DEJA__BLOCK_STEPS * sizeof *f->trail);
    if (!f->ends || !f->results || !f->trail)
        return deja__fail_memory(err);
    deja_code code = add_remarks(f, writer, err);
    while (code == DEJA_OK && f->step < f->draft->steps) {
        code = add_block(f, writer, err);
        if (code == DEJA_OK)
            code = add_remarks(f, writer, err);
    }
    return code;
}

deja_code deja__draft_store(const deja__draft *draft, deja_store *store, deja_id *id, bool *known,
                            deja_error *err)
{
    deja_session session;
    deja_recording recording;
    deja_writer *writer = NULL;
    feed f = { .draft = draft, .hash = 1 };
    describe(draft, &session, &recording);
    deja_code code = deja_writer_open(&writer, store, &session, &recording, hash_at(draft, 0),
                                      start_chain(draft), err);
    if (code < 0)
        return code;
    code = write_steps(&f, writer, err);
    if (code < 0)
        deja_writer_abandon(writer);
    else
        code = deja_writer_close(
            writer, draft->ended,
            draft->ended == DEJA_ENDED_OUTCOME ? (const char *)draft->outcome.bytes : NULL, id,
            known, err);
    deja_buffer_release(&f.commands);
    free(f.ends);
    free(f.results);
    free(f.trail);
    return code;
}
