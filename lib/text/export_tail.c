/* SPDX-License-Identifier: MIT */
/*
 * What stands behind the commands of an exported text.
 */
#include "text/export.h"

static void print_end(deja__export *e)
{
    static const char *const names[] = { "running", "unfinished", "crashed" };
    const uint32_t ended = e->recording->ended;
    if (!deja__export_is_recorded(e) && ended == DEJA_ENDED_UNFINISHED)
        return;
    deja__print(&e->out, "end: %s steps=%llu\n",
                ended == DEJA_ENDED_OUTCOME ? e->recording->outcome : names[ended],
                (unsigned long long)e->session->steps);
}

/* A run of results that is being counted; lines begin anew at every 1,024th step. */
typedef struct result_line {
    const char *refusals;
    uint64_t times;
    uint32_t result;
    bool open;
} result_line;

static deja_code print_run(deja__export *e, result_line *line)
{
    const char *at = line->refusals;
    const char *name = "ok";
    uint64_t size = 2;
    if (line->times == 0)
        return DEJA_OK;
    for (uint32_t i = 0; i < line->result; i++)
        if (!deja__listed_next(&at, &name, &size))
            return deja__fail(e->err, DEJA_EDAMAGED, "a result is refusal %u, which has no name",
                              line->result);
    deja_buffer_text(&e->out, line->open ? " " : "results: ");
    if (line->result != 0 && size == 2 && memcmp(name, "ok", 2) == 0)
        deja_buffer_char(&e->out, '.');
    deja_buffer_add(&e->out, name, size);
    deja__print(&e->out, "*%llu", (unsigned long long)line->times);
    line->open = true;
    line->times = 0;
    return DEJA_OK;
}

static deja_code end_result_line(deja__export *e, result_line *line)
{
    const deja_code code = print_run(e, line);
    if (line->open)
        deja_buffer_char(&e->out, '\n');
    line->open = false;
    return code < 0 ? code : deja__export_give(e, DEJA__PIECE_SIZE);
}

static deja_code print_results(deja__export *e)
{
    result_line line = { .refusals = e->recording->refusals };
    const uint64_t most = deja__export_results(e);
    deja_steps steps;
    deja_reader_rewind(e->reader);
    for (;;) {
        deja_code code = deja_reader_next(e->reader, &steps, e->err);
        if (code < 0)
            return code;
        if (steps.count == 0)
            return end_result_line(e, &line);
        for (uint32_t i = 0; i < steps.count && steps.first + i <= most; i++) {
            if (line.times != 0 && line.result != steps.results[i])
                code = print_run(e, &line);
            line.result = steps.results[i];
            line.times++;
            if (code == DEJA_OK && (steps.first + i) % DEJA__RESULT_LINE == 0)
                code = end_result_line(e, &line);
            if (code < 0)
                return code;
        }
    }
}

/* One hash, in the line of its step. */
static deja_code print_hash(deja__export *e, uint64_t step, uint64_t hash)
{
    const deja_recording *recording = e->recording;
    const uint64_t every = recording->trail_every;
    const bool first = step == 0 || (step - every) / DEJA__TRAIL_LINE != step / DEJA__TRAIL_LINE;
    if (first) {
        if (step != 0)
            deja_buffer_char(&e->out, '\n');
        deja__print(&e->out, "trail: %u %llu %llu", recording->trail_bits,
                    (unsigned long long)every, (unsigned long long)step);
    }
    deja_buffer_char(&e->out, ' ');
    deja__print_hex(&e->out, hash, recording->trail_bits / 4);
    return first ? deja__export_give(e, DEJA__PIECE_SIZE) : DEJA_OK;
}

static deja_code print_trail(deja__export *e)
{
    deja_steps steps;
    uint64_t step = 0;
    deja_reader_rewind(e->reader);
    deja_code code = print_hash(e, 0, deja_reader_start_hash(e->reader));
    while (code == DEJA_OK) {
        code = deja_reader_next(e->reader, &steps, e->err);
        if (code < 0 || steps.count == 0)
            break;
        for (uint32_t i = 0; i < steps.trail_count && code == DEJA_OK; i++) {
            step += e->recording->trail_every;
            code = print_hash(e, step, steps.trail[i]);
        }
    }
    deja_buffer_char(&e->out, '\n');
    return code;
}

deja_code deja__export_tail(deja__export *e)
{
    print_end(e);
    if (!deja__export_is_recorded(e))
        return DEJA_OK;
    deja_code code = print_results(e);
    if (code == DEJA_OK)
        code = print_trail(e);
    deja_buffer_add(&e->out, e->event_chains.bytes, e->event_chains.size);
    deja_buffer_add(&e->out, e->chains.bytes, e->chains.size);
    if (code == DEJA_OK && (e->chains.failed || e->event_chains.failed))
        code = deja__fail_memory(e->err);
    return code;
}
