/* SPDX-License-Identifier: MIT */
/*
 * Whether steps may be added to a writer: all that is known of them without their layouts.
 */
#include "store/writer.h"

static deja_code check_place(const deja_writer *writer, const deja_steps *steps, deja_error *err)
{
    if (steps->first != writer->now.steps + 1)
        return deja__fail(err, DEJA_EMISUSE, "step %llu comes next, not %llu",
                          (unsigned long long)writer->now.steps + 1,
                          (unsigned long long)steps->first);
    if (steps->count > DEJA__BLOCK_STEPS)
        return deja__fail(err, DEJA_EMISUSE, "%u steps at once; the most are %d", steps->count,
                          DEJA__BLOCK_STEPS);
    if (writer->tail)
        return deja__fail(err, DEJA_EMISUSE,
                          "only the last steps may be fewer than %d, or end "
                          "without a hash",
                          DEJA__BLOCK_STEPS);
    if (writer->now.parts + 1 >= (uint64_t)DEJA__PARTS_MAX)
        return deja__fail(err, DEJA_ELIMIT, "a session has at most %lld steps",
                          (long long)DEJA__PARTS_MAX * DEJA__BLOCK_STEPS);
    return DEJA_OK;
}

static deja_code check_commands(const deja_steps *steps, deja_error *err)
{
    uint32_t start = 0;
    for (uint32_t i = 0; i < steps->count; i++) {
        if (steps->command_ends[i] < start ||
            steps->command_ends[i] - start > DEJA__COMMAND_SIZE_MAX)
            return deja__fail_at(err, DEJA_EMISUSE, steps->first + i,
                                 "step %llu: its command does not end where it could",
                                 (unsigned long long)steps->first + i);
        start = steps->command_ends[i];
    }
    return DEJA_OK;
}

static deja_code check_results(const deja_writer *writer, const deja_steps *steps, deja_error *err)
{
    const uint32_t most = writer->setting->refusal_count;
    for (uint32_t i = 0; i < steps->count; i++)
        if (steps->results[i] > most)
            return deja__fail_at(err, DEJA_EMISUSE, steps->first + i,
                                 "step %llu: its result is %u, and there are %u refusals",
                                 (unsigned long long)steps->first + i, steps->results[i], most);
    return DEJA_OK;
}

/* Every hash that is due, or all but the last step's. */
static deja_code check_trail(const deja_writer *writer, const deja_steps *steps, bool *hashless,
                             deja_error *err)
{
    const uint64_t every = writer->setting->trail_every;
    const uint64_t last = steps->first - 1 + steps->count;
    const uint64_t due = last / every - (steps->first - 1) / every;
    *hashless = due > 0 && last % every == 0 && steps->trail_count == due - 1;
    if (steps->trail_count == due || *hashless)
        return DEJA_OK;
    return deja__fail(err, DEJA_EMISUSE, "%llu hashes are due in steps %llu to %llu, not %u",
                      (unsigned long long)due, (unsigned long long)steps->first,
                      (unsigned long long)last, steps->trail_count);
}

deja_code deja__steps_check(const deja_writer *writer, const deja_steps *steps, bool *hashless,
                            deja_error *err)
{
    deja_code code = check_place(writer, steps, err);
    if (code == DEJA_OK && steps->count)
        code = check_commands(steps, err);
    if (code == DEJA_OK)
        code = check_results(writer, steps, err);
    if (code == DEJA_OK)
        code = check_trail(writer, steps, hashless, err);
    return code;
}
