/* SPDX-License-Identifier: MIT */
/*
 * What stands behind the commands: how it ended, and what was recorded of it.
 *
 *     end: running steps=59
 *     results: ok*1 no_such_row*58
 *     trail: 32 1 0 9f0c61d2 ...
 *     events: 59 0c5d1e7a93b2f846
 *     chain: 59 41d2a4b87e359f0c
 *
 * Lines of one keyword stand in the order of their steps. However many steps a line has is as good
 * as any other number; the counts in all must be right. Hashes and chains are taken as they are,
 * as only replaying can tell whether they are true; but where the trail has whole hashes, the chain
 * has to be theirs.
 */
#include "text/import.h"

#include "base/nearest.h"
#include "fields/values.h"

/* ---- the end ---- */

/* The name of how it ended: an outcome or one of the three words. */
static deja_code read_outcome(deja__import *import, const char *name, uint64_t size)
{
    deja__draft *draft = &import->draft;
    char word[DEJA__WORD_SIZE];
    const char *outcomes = deja__draft_word(draft, DEJA__WORD_OUTCOMES);
    const int64_t other = deja__listed_find(DEJA__NO_OUTCOMES, name, size);
    const bool described = draft->shapes[0].layout != NULL;
    if (other >= 0) {
        static const uint32_t ends[] = { DEJA_ENDED_RUNNING, DEJA_ENDED_UNFINISHED,
                                         DEJA_ENDED_CRASHED };
        draft->ended = ends[other];
        return DEJA_OK;
    }
    draft->ended = DEJA_ENDED_OUTCOME;
    if (described ? deja__listed_find(outcomes, name, size) >= 0 : deja__is_name(name, size))
        return deja_buffer_add(&draft->outcome, name, size) ? DEJA_OK
                                                            : deja__fail_memory(import->err);
    return deja__import_fail(import, import->line.number,
                             "'%s' is no outcome of this game, nor running, unfinished or crashed",
                             deja__word(name, size, word));
}

static deja_code read_end(deja__import *import)
{
    static const char steps_is[] = "steps=";
    const size_t prefix = strlen(steps_is);
    deja__draft *draft = &import->draft;
    deja__line line = import->line;
    const char *name, *steps;
    uint64_t name_size, steps_size, count;
    if (import->end_line != 0)
        return deja__import_fail(import, line.number,
                                 "a second 'end:' line; the first is line %llu",
                                 (unsigned long long)import->end_line);
    import->end_line = line.number;
    if (!deja__line_word(&line, &name, &name_size) ||
        !deja__line_word(&line, &steps, &steps_size) || steps_size < prefix ||
        memcmp(steps, steps_is, prefix) != 0 || line.size != 0 ||
        !deja__read_u64(steps + prefix, steps_size - prefix, UINT64_MAX, &count))
        return deja__import_fail(import, import->line.number,
                                 "how it ended, and steps= with their number, belong here");
    const deja_code code = read_outcome(import, name, name_size);
    if (code < 0)
        return code;
    if (count != draft->steps)
        return deja__import_fail(import, import->line.number,
                                 "the end says %llu steps, and there are %llu commands",
                                 (unsigned long long)count, (unsigned long long)draft->steps);
    if (draft->ended == DEJA_ENDED_CRASHED && draft->steps == 0)
        return deja__import_fail(import, import->line.number,
                                 "it crashed in its last command, and there is none");
    if (draft->ended == DEJA_ENDED_CRASHED && !draft->recorded)
        return deja__import_fail(import, import->line.number,
                                 "a scenario cannot have crashed; only a recording can");
    return DEJA_OK;
}

/* ---- results ---- */

/* `ok`, a refusal's name, or `.ok` for a refusal of the name ok. */
static bool find_result(const deja__draft *draft, const char *name, uint64_t size, uint32_t *result)
{
    const char *refusals = deja__draft_word(draft, DEJA__WORD_REFUSALS);
    if (size == 2 && memcmp(name, "ok", 2) == 0) {
        *result = 0;
        return true;
    }
    if (size == 3 && memcmp(name, ".ok", 3) == 0) {
        name++;
        size--;
    }
    const int64_t place = deja__listed_find(refusals, name, size);
    *result = (uint32_t)(place + 1);
    return place >= 0;
}

static deja_code add_run(deja__import *import, uint32_t result, uint64_t times)
{
    deja__draft *draft = &import->draft;
    const uint64_t most = deja__draft_results(draft);
    const deja__run run = { times, result };
    if (times > most - draft->results)
        return deja__import_fail(import, import->line.number,
                                 "more results than the %llu that there should be",
                                 (unsigned long long)most);
    draft->results += times;
    return deja_buffer_add(&draft->runs, &run, sizeof run) ? DEJA_OK
                                                           : deja__fail_memory(import->err);
}

static deja_code read_results(deja__import *import)
{
    deja__line line = import->line;
    const char *one;
    uint64_t size, times;
    uint32_t result;
    char word[DEJA__WORD_SIZE];
    while (deja__line_word(&line, &one, &size)) {
        const char *star = memchr(one, '*', (size_t)size);
        const uint64_t name_size = star ? (uint64_t)(star - one) : size;
        if (!star || !deja__read_u64(star + 1, size - name_size - 1, UINT64_MAX, &times) ||
            times == 0)
            return deja__import_fail(import, line.number,
                                     "'%s' is no result and how often it came, as ok*57",
                                     deja__word(one, size, word));
        if (!find_result(&import->draft, one, name_size, &result))
            return deja__import_fail(import, line.number, "'%s' is no refusal of this game, nor ok",
                                     deja__word(one, name_size, word));
        const deja_code code = add_run(import, result, times);
        if (code < 0)
            return code;
    }
    return DEJA_OK;
}

/* ---- trail and chains ---- */

/* Width, K and the step of the line's first hash. */
static deja_code read_trail_start(deja__import *import, deja__line *line)
{
    deja__draft *draft = &import->draft;
    const char *words[3];
    uint64_t sizes[3], bits, every, first;
    for (uint32_t i = 0; i < 3; i++)
        if (!deja__line_word(line, &words[i], &sizes[i]))
            sizes[i] = 0;
    if (!deja__read_u64(words[0], sizes[0], 64, &bits) ||
        (bits != 8 && bits != 16 && bits != 32 && bits != 64) ||
        !deja__read_u64(words[1], sizes[1], UINT64_MAX, &every) || every == 0 ||
        !deja__read_u64(words[2], sizes[2], UINT64_MAX, &first))
        return deja__import_fail(import, line->number,
                                 "a trail's width (8, 16, 32, 64), every how manieth step, and the "
                                 "step of its first hash, belong here");
    if (draft->trail_bits != 0 && (draft->trail_bits != bits || draft->trail_every != every))
        return deja__import_fail(import, line->number, "the trail above is %u bits, every %llu",
                                 draft->trail_bits, (unsigned long long)draft->trail_every);
    draft->trail_bits = (uint32_t)bits;
    draft->trail_every = every;
    if (draft->trail_count > deja__draft_results(draft) / every ||
        first != draft->trail_count * every)
        return deja__import_fail(import, line->number, "the trail's next step is not %llu",
                                 (unsigned long long)first);
    return DEJA_OK;
}

static deja_code read_trail(deja__import *import)
{
    deja__draft *draft = &import->draft;
    deja__line line = import->line;
    unsigned char bytes[8];
    const char *digits;
    uint64_t size, hash;
    char word[DEJA__WORD_SIZE];
    const deja_code code = read_trail_start(import, &line);
    if (code < 0)
        return code;
    const uint32_t width = draft->trail_bits / 8;
    const uint64_t most = deja__draft_results(draft) / draft->trail_every + 1;
    if (line.size == 0)
        return deja__import_fail(import, line.number, "there is no hash in this line");
    while (deja__line_word(&line, &digits, &size)) {
        if (size != 2 * width || !deja__read_hex(digits, 2 * width, &hash))
            return deja__import_fail(import, line.number, "'%s' is not %u lower-case hex digits",
                                     deja__word(digits, size, word), 2 * width);
        if (draft->trail_count == most)
            return deja__import_fail(import, line.number,
                                     "more hashes than the %llu that there should be",
                                     (unsigned long long)most);
        deja__store64(bytes, hash);
        draft->trail_count++;
        if (!deja_buffer_add(&draft->trail, bytes, width))
            return deja__fail_memory(import->err);
    }
    return DEJA_OK;
}

/* How many chains there are, and of which steps: each multiple of a block, and the last. */
static uint64_t chain_count(const deja__draft *draft)
{
    const uint64_t results = deja__draft_results(draft);
    return results == 0 ? 1 : (results - 1) / DEJA__BLOCK_STEPS + 1;
}

static uint64_t chain_step(const deja__draft *draft, uint64_t place)
{
    const uint64_t results = deja__draft_results(draft);
    return place + 1 < chain_count(draft) ? (place + 1) * DEJA__BLOCK_STEPS : results;
}

static deja_code read_chain(deja__import *import, deja_buffer *chains)
{
    deja__draft *draft = &import->draft;
    deja__line line = import->line;
    const char *words[2];
    uint64_t sizes[2], step, chain;
    const uint64_t place = chains->size / sizeof chain;
    if (!deja__line_word(&line, &words[0], &sizes[0]) ||
        !deja__line_word(&line, &words[1], &sizes[1]) || line.size != 0 ||
        !deja__read_u64(words[0], sizes[0], UINT64_MAX, &step) || sizes[1] != 16 ||
        !deja__read_hex(words[1], 16, &chain))
        return deja__import_fail(import, import->line.number,
                                 "a step, and 16 lower-case hex digits, belong here");
    if (chains == &draft->chains)
        import->chain_line = line.number;
    if (place == chain_count(draft))
        return deja__import_fail(import, import->line.number,
                                 "one line too many: the last step is "
                                 "there already");
    if (step != chain_step(draft, place))
        return deja__import_fail(
            import, import->line.number, "the chain's next step is %llu, not %llu",
            (unsigned long long)chain_step(draft, place), (unsigned long long)step);
    if (chains == &draft->event_chains && step == 0 && chain != deja__event_chain_start())
        return deja__import_fail(import, import->line.number,
                                 "the chain of no events is another number");
    return deja_buffer_add(chains, &chain, sizeof chain) ? DEJA_OK : deja__fail_memory(import->err);
}

/* Whole hashes and the results make the chain. */
static deja_code check_chain(deja__import *import)
{
    const deja__draft *draft = &import->draft;
    const void *runs = draft->runs.bytes;
    const void *chains = draft->chains.bytes;
    const deja__run *run = runs;
    uint64_t run_end = 0; /* the last step of the run at hand, once there is one */
    uint64_t hash = 1;
    if (draft->trail_bits != 64)
        return DEJA_OK;
    uint64_t chain = deja__chain_start(deja__load64(draft->trail.bytes));
    for (uint64_t place = 0; place < chain_count(draft); place++) {
        for (; hash < draft->trail_count && hash * draft->trail_every <= chain_step(draft, place);
             hash++) {
            while (run_end < hash * draft->trail_every)
                run_end += run++->times;
            chain = deja__chain_next(chain, deja__load64(draft->trail.bytes + 8 * hash),
                                     run[-1].result);
        }
        if (chain != ((const uint64_t *)chains)[place])
            return deja__import_fail(import, import->chain_line,
                                     "the chain of step %llu is not that of the hashes and results",
                                     (unsigned long long)chain_step(draft, place));
    }
    return DEJA_OK;
}

/* ---- all of them ---- */

deja_code deja__import_tail(deja__import *import)
{
    const deja__line *line = &import->line;
    if (line->key == DEJA__KEY_END)
        return read_end(import);
    if (!import->draft.recorded)
        return deja__import_fail(import, line->number,
                                 "'%s:' is of a recording, and there is no 'build:' line",
                                 deja__keywords[line->key]);
    if (import->end_line == 0)
        return deja__import_fail(import, line->number, "'%s:' belongs behind 'end:'",
                                 deja__keywords[line->key]);
    switch (line->key) {
    case DEJA__KEY_RESULTS:
        return read_results(import);
    case DEJA__KEY_TRAIL:
        return read_trail(import);
    case DEJA__KEY_EVENTS:
        return read_chain(import, &import->draft.event_chains);
    default:
        return read_chain(import, &import->draft.chains);
    }
}

deja_code deja__import_finish(deja__import *import)
{
    deja__draft *draft = &import->draft;
    const uint64_t last = import->line.number;
    if (!draft->recorded) {
        if (import->end_line == 0)
            draft->ended = DEJA_ENDED_UNFINISHED;
        return DEJA_OK;
    }
    if (import->end_line == 0)
        return deja__import_fail(import, last, "there is no 'end:' line, and a recording has one");
    if (draft->results != deja__draft_results(draft))
        return deja__import_fail(import, last, "there are %llu results, and should be %llu",
                                 (unsigned long long)draft->results,
                                 (unsigned long long)deja__draft_results(draft));
    if (draft->trail_bits == 0)
        return deja__import_fail(import, last,
                                 "there is no 'trail:' line, and a recording has one");
    if (draft->trail_count != deja__draft_results(draft) / draft->trail_every + 1)
        return deja__import_fail(
            import, last, "the trail has %llu hashes, and should have %llu",
            (unsigned long long)draft->trail_count,
            (unsigned long long)(deja__draft_results(draft) / draft->trail_every + 1));
    const uint64_t events = draft->event_chains.size / sizeof(uint64_t);
    const uint64_t chains = draft->chains.size / sizeof(uint64_t);
    const bool is_event = events != chain_count(draft);
    if (is_event || chains != chain_count(draft))
        return deja__import_fail(import, last, "there is no '%s:' line of step %llu",
                                 is_event ? "events" : "chain",
                                 (unsigned long long)chain_step(draft, is_event ? events : chains));
    return check_chain(import);
}
