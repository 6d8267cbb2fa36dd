/* SPDX-License-Identifier: MIT */
#include "faults/kept.h"

#include <stdlib.h>
#include <string.h>

#include "support/demand.h"

static uint64_t add_number(uint64_t sum, uint64_t number)
{
    sum = (sum ^ number) * UINT64_C(0x9e3779b97f4a7c15);
    return sum ^ sum >> 31;
}

static uint64_t sum_of(const unsigned char *bytes, uint64_t size)
{
    uint64_t sum = size;
    for (uint64_t i = 0; i < size; i++)
        sum = add_number(sum, bytes[i]);
    return sum;
}

typedef struct reading {
    kept_all *out;
    deja_store *store;
    const char *where;
} reading;

static bool count_mark(void *user, uint64_t step, const char *text)
{
    kept_one *one = user;
    (void)step;
    (void)text;
    one->marks++;
    return true;
}

static void read_steps(const reading *r, deja_reader *reader, kept_one *one)
{
    const uint64_t hashed = kept_done(one);
    deja_steps block;
    deja_error err = { 0 };
    uint64_t step = 0;
    one->sums = calloc(one->steps + 1, sizeof *one->sums);
    one->commands = calloc(one->steps + 1, sizeof *one->commands);
    demand(one->sums && one->commands, "no memory");
    one->sums[0] = deja_reader_start_hash(reader);
    for (;;) {
        demand(deja_reader_next(reader, &block, &err) == DEJA_OK, "%s: %s", r->where, err.message);
        if (block.count == 0)
            break;
        for (uint32_t i = 0; i < block.count; i++) {
            const uint32_t from = i ? block.command_ends[i - 1] : 0;
            demand(step < one->steps, "%s: more steps than it says", r->where);
            step++;
            one->commands[step] = sum_of(block.commands + from, block.command_ends[i] - from);
            one->sums[step] = add_number(one->sums[step - 1], one->commands[step]);
            one->sums[step] = add_number(one->sums[step], block.results[i]);
            if (step <= hashed)
                one->sums[step] = add_number(one->sums[step], block.trail[i]);
        }
    }
    demand(step == one->steps, "%s: %llu steps, and says %llu", r->where, (unsigned long long)step,
           (unsigned long long)one->steps);
}

static bool read_entry(void *user, const deja_entry *entry)
{
    reading *r = user;
    deja_error err = { 0 };
    deja_reader *reader = NULL;
    if (strcmp(entry->session.game, "ledger") != 0)
        return true;
    demand(entry->recording_count == 1, "%s: a session with %u recordings", r->where,
           entry->recording_count);
    r->out->all = realloc(r->out->all, (r->out->count + 1) * sizeof *r->out->all);
    demand(r->out->all, "no memory");
    kept_one *one = &r->out->all[r->out->count++];
    *one = (kept_one){ .key = entry->key, .seed = entry->session.seed };
    one->steps = entry->session.steps;
    one->ended = entry->recording.ended;
    demand(deja_reader_open(&reader, r->store, entry->key, 0, &err) == DEJA_OK, "%s: %s", r->where,
           err.message);
    read_steps(r, reader, one);
    demand(deja_reader_marks(reader, count_mark, one, &err) == DEJA_OK, "%s: %s", r->where,
           err.message);
    deja_reader_close(reader);
    return true;
}

void kept_read(kept_all *out, deja_store *store, const char *where)
{
    reading r = { out, store, where };
    deja_error err = { 0 };
    *out = (kept_all){ 0 };
    demand(deja_store_list(store, read_entry, &r, &err) == DEJA_OK, "%s: %s", where, err.message);
    demand(deja_store_check(store, &err) == DEJA_OK, "%s: %s", where, err.message);
}

void kept_read_at(kept_all *out, const char *path, const char *where)
{
    deja_store *store = NULL;
    deja_error err = { 0 };
    demand(deja_store_open(&store, path, DEJA_STORE_READ, &err) == DEJA_OK, "%s: %s", where,
           err.message);
    kept_read(out, store, where);
    deja_store_close(store, NULL);
}

void kept_release(kept_all *k)
{
    for (uint64_t i = 0; i < k->count; i++) {
        free(k->all[i].sums);
        free(k->all[i].commands);
    }
    free(k->all);
    *k = (kept_all){ 0 };
}

const kept_one *kept_of(const kept_all *k, uint64_t seed)
{
    const kept_one *found = NULL;
    for (uint64_t i = 0; i < k->count; i++)
        if (k->all[i].seed == seed) {
            demand(!found, "two sessions with seed %llu", (unsigned long long)seed);
            found = &k->all[i];
        }
    return found;
}

uint64_t kept_done(const kept_one *one)
{
    return one->steps - (one->ended == DEJA_ENDED_CRASHED);
}

bool kept_begins(const kept_one *one, const kept_one *whole)
{
    const uint64_t done = kept_done(one);
    if (one->steps > whole->steps || one->sums[done] != whole->sums[done])
        return false;
    return done == one->steps || one->commands[one->steps] == whole->commands[one->steps];
}

bool kept_same(const kept_one *a, const kept_one *b)
{
    return a->ended == b->ended && a->steps == b->steps && a->marks == b->marks &&
           memcmp(a->sums, b->sums, (a->steps + 1) * sizeof *a->sums) == 0;
}
