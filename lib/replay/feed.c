/* SPDX-License-Identifier: MIT */
/*
 * A session's commands into jobs, and what is expected of each.
 *
 * A job ends where a stored block does, before its bytes are too many, and behind a step at which
 * people expect something. So the chains of a block are always held behind a job, and the state
 * that an expectation is about is the one behind a job, too.
 *
 * What is expected is copied out of the reader's block, which the next one replaces: the host
 * decodes the next block and compares the one before while the worker is at the one between.
 */
#include "replay/replay.h"

#include <stdlib.h>

/* ---- blocks ---- */

static void find_damage(deja__replay *replay, uint64_t step, const char *reason)
{
    deja__finding *finding = &replay->finding;
    memset(finding, 0, sizeof *finding);
    finding->kind = DEJA__DAMAGE;
    finding->step = finding->step_last = step;
    deja__copy_line(finding->reason, sizeof finding->reason, reason);
    replay->stopped = replay->all_fed = true;
}

/* How many steps from `first` on, `count` of them, are hashed. */
static uint64_t hashed_count(const deja__replay *replay, uint64_t first, uint64_t count)
{
    return (first + count - 1) / replay->every - (first - 1) / replay->every;
}

/* Whether a block is what it should be, as far as the following rests on it. */
static bool is_sound(const deja__replay *replay, const deja_steps *block)
{
    uint64_t finished = block->count;
    uint32_t before = 0;
    if (block->first != replay->fed + 1 || block->count > DEJA__BLOCK_STEPS ||
        block->count > replay->session->steps - replay->fed)
        return false;
    if (replay->crashed && replay->fed + block->count == replay->session->steps)
        finished--;
    if (!replay->scenario &&
        block->trail_count < (finished ? hashed_count(replay, block->first, finished) : 0))
        return false;
    for (uint32_t i = 0; i < block->count; before = block->command_ends[i++])
        if (block->command_ends[i] < before ||
            block->command_ends[i] - before > DEJA__COMMAND_SIZE_MAX)
            return false;
    return true;
}

/* Reads the next block. Behind the last one it makes sure that there is nothing more. */
static deja_code read_block(deja__replay *replay, deja_error *err)
{
    deja_error failure = { 0 };
    const deja_code code = deja_reader_next(replay->reader, &replay->block, &failure);
    replay->block_at = 0;
    replay->feed_trail = 0;
    replay->has_block = false;
    if (code == DEJA_EDAMAGED) {
        find_damage(replay, failure.step, failure.message);
        return DEJA_OK;
    }
    if (code != DEJA_OK) {
        if (err)
            *err = failure;
        return code;
    }
    const bool at_end = replay->fed == replay->session->steps;
    if (at_end != (replay->block.count == 0) || (!at_end && !is_sound(replay, &replay->block))) {
        find_damage(replay, replay->fed + 1, "its steps are not as many as it says");
        return DEJA_OK;
    }
    replay->has_block = !at_end;
    replay->all_fed |= at_end;
    return DEJA_OK;
}

/* ---- commands ---- */

/* The next command as the library has it. false: it has no such; a finding for later. */
static bool next_command(deja__replay *replay, deja_span *command, deja_code *code, deja_error *err)
{
    const deja_steps *block = &replay->block;
    const uint32_t at = replay->block_at;
    const uint32_t begin = at ? block->command_ends[at - 1] : 0;
    *command = (deja_span){ block->commands + begin, block->command_ends[at] - begin };
    const deja_match *match = replay->fit->matches[DEJA_COMMAND];
    if (!match)
        return true;
    deja_error failure = { 0 };
    deja_buffer_clear(&replay->turned);
    const deja_code turned = deja_match_to_present(
        match, command->bytes, command->size, (deja_span){ NULL, 0 }, &replay->turned, &failure);
    *command = (deja_span){ replay->turned.bytes, replay->turned.size };
    if (turned == DEJA_OK && command->size <= DEJA__COMMAND_SIZE_MAX)
        return true;
    if (turned == DEJA_ENOMEM) {
        *code = deja__fail_memory(err);
        return false;
    }
    deja__finding *unfed = &replay->unfed;
    unfed->kind = DEJA__UNFIT;
    unfed->step = unfed->step_last = replay->fed + 1;
    deja__fail_within(&failure, turned, "its command does not fit");
    deja__copy_line(unfed->reason, sizeof unfed->reason,
                    turned == DEJA_OK ? "its command is too large" : failure.message);
    replay->all_fed = true;
    return false;
}

static void expect_step(deja__replay *replay, deja__expected *expected, uint32_t row)
{
    const deja_steps *block = &replay->block;
    const uint64_t step = replay->fed;
    const bool tries = replay->crashed && step == replay->session->steps;
    expected->tries_crash |= tries;
    if (replay->scenario || tries)
        return;
    expected->results[row] = block->results[replay->block_at];
    if (step % replay->every == 0)
        expected->trail[expected->trail_count++] = block->trail[replay->feed_trail++];
}

/* Whether people expect something behind the step that was fed last. */
static bool is_wished_for(deja__replay *replay)
{
    bool found = false;
    for (; replay->feed_wish < replay->wish_count &&
           replay->wishes[replay->feed_wish].step <= replay->fed;
         replay->feed_wish++)
        found |= replay->wishes[replay->feed_wish].step == replay->fed;
    return found;
}

/* As many commands at once as go into a job, where they go as they are and nothing is special about
 * any of them. false: one by one. */
static bool feed_many(deja__replay *replay, deja__job *job, deja__expected *expected)
{
    const deja_steps *block = &replay->block;
    const uint32_t at = replay->block_at;
    const uint32_t rest = block->count - at;
    const uint32_t count = rest < DEJA__JOB_ROWS ? rest : DEJA__JOB_ROWS;
    const uint32_t begin = at ? block->command_ends[at - 1] : 0;
    const uint64_t size = block->command_ends[at + count - 1] - begin;
    if (replay->fit->matches[DEJA_COMMAND] || replay->feed_wish < replay->wish_count ||
        replay->crashed || replay->scenario || size > DEJA__JOB_BYTES - job->head_size)
        return false;
    const uint64_t trail = hashed_count(replay, replay->fed + 1, count);
    memcpy(job->bytes + job->head_size, block->commands + begin, (size_t)size);
    for (uint32_t i = 0; i < count; i++)
        job->ends[i] = block->command_ends[at + i] - begin;
    memcpy(expected->results, block->results + at, count * sizeof expected->results[0]);
    memcpy(expected->trail, block->trail + replay->feed_trail,
           (size_t)trail * sizeof expected->trail[0]);
    job->count = count;
    job->command_size = size;
    expected->trail_count = (uint32_t)trail;
    replay->feed_trail += trail;
    replay->fed += count;
    replay->block_at += count;
    return true;
}

static deja_code feed_commands(deja__replay *replay, deja__job *job, deja__expected *expected,
                               deja_error *err)
{
    deja_code code = DEJA_OK;
    unsigned char *commands = job->bytes + job->head_size;
    const bool fed = feed_many(replay, job, expected);
    while (!fed && job->count < DEJA__JOB_ROWS && !expected->captures &&
           replay->block_at < replay->block.count &&
           job->head_size + job->command_size < DEJA__JOB_BYTES) {
        deja_span command;
        if (!next_command(replay, &command, &code, err))
            break;
        if (command.size)
            memcpy(commands + job->command_size, command.bytes, (size_t)command.size);
        job->command_size += command.size;
        job->ends[job->count] = (uint32_t)job->command_size;
        replay->fed++;
        expect_step(replay, expected, job->count);
        job->count++;
        replay->block_at++;
        expected->captures = is_wished_for(replay);
    }
    expected->count = job->count;
    return code;
}

/* ---- jobs ---- */

/* As much of the head as goes into a job. */
static void feed_head(deja__replay *replay, deja__job *job, deja__expected *expected)
{
    const uint64_t rest = replay->head.size - replay->head_at;
    job->head_size = rest < DEJA__JOB_BYTES ? rest : DEJA__JOB_BYTES;
    memcpy(job->bytes, replay->head.bytes + replay->head_at, (size_t)job->head_size);
    replay->head_at += job->head_size;
    if (replay->head_at < replay->head.size)
        return;
    job->flags |= DEJA__JOB_BEGIN;
    replay->begun = true;
    deja_buffer_release(&replay->head);
    expected->begins = true;
    expected->start_hash = deja_reader_start_hash(replay->reader);
    expected->captures = is_wished_for(replay);
}

/* What is known behind a block's last step, and whether it is to be the last. */
static void close_block(deja__replay *replay, deja__expected *expected)
{
    expected->ends_block = !replay->scenario;
    expected->chain = replay->block.chain;
    expected->event_chain = replay->block.event_chain;
    replay->has_block = false;
    if (replay->fed >= replay->how.limit)
        replay->all_fed = true;
}

static deja_code feed_steps(deja__replay *replay, deja__job *job, deja__expected *expected,
                            deja_error *err)
{
    deja_code code = DEJA_OK;
    if (!replay->has_block && !replay->all_fed)
        code = read_block(replay, err);
    if (code == DEJA_OK && replay->has_block)
        code = feed_commands(replay, job, expected, err);
    if (code != DEJA_OK || !replay->has_block || replay->block_at < replay->block.count)
        return code;
    close_block(replay, expected);
    /* So that the last commands and the end go in one job. */
    if (replay->fed == replay->session->steps && !replay->all_fed)
        code = read_block(replay, err);
    return code;
}

bool deja__replay_has_job(const deja__replay *replay)
{
    return !replay->over && !replay->end_fed;
}

deja_code deja__replay_feed(deja__replay *replay, deja__job *job, deja__expected *expected,
                            deja_error *err)
{
    deja_code code = DEJA_OK;
    job->session = replay->number;
    job->first = replay->fed + 1;
    job->head_size = job->command_size = 0;
    job->flags = job->count = 0;
    memset(expected, 0, offsetof(deja__expected, results));
    expected->replay = replay;
    expected->first = job->first;
    if (!replay->stopped && !replay->begun)
        feed_head(replay, job, expected);
    if (!replay->stopped && replay->begun && !expected->captures)
        code = feed_steps(replay, job, expected, err);
    if (code != DEJA_OK)
        return code;
    if (replay->stopped || replay->all_fed) {
        job->flags |= DEJA__JOB_END;
        expected->ends = replay->end_fed = true;
    }
    if (expected->captures)
        job->flags |= DEJA__JOB_CAPTURE;
    if (replay->how.traces)
        job->flags |= DEJA__JOB_TRACE;
    replay->flying++;
    return DEJA_OK;
}
