/* SPDX-License-Identifier: MIT */
#include "faults/played.h"

#include <string.h>

#include "support/demand.h"

enum { BLOCK = 16384, LOOK_EVERY = 61 }; /* and once in so many of these in a long session */

static void (*look)(void);
static void (*tell_synced)(uint64_t seed, uint64_t step);

/* ---- the game ---- */

static uint64_t scatter(uint64_t seed, uint64_t i)
{
    uint64_t z = (seed << 32) + i + UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint64_t played_steps(uint64_t seed)
{
    return seed % 10 ? 1 + scatter(seed, 0) % 300 : 6 * BLOCK + 77;
}

uint64_t played_command(uint64_t seed, uint64_t i, unsigned char bytes[16])
{
    const uint64_t value = scatter(seed, i);
    const uint64_t size = seed % 10 ? value % 17 : 1;
    for (uint64_t k = 0; k < size; k++)
        bytes[k] = (unsigned char)(value >> 8 * (k % 8));
    return size;
}

uint64_t played_hash(uint64_t seed, uint64_t i)
{
    return scatter(~seed, i);
}

const char *played_outcome(uint64_t seed)
{
    return seed % 3 ? "won" : NULL;
}

/* ---- recording ---- */

void played_look(void (*wanted)(void), void (*synced)(uint64_t seed, uint64_t step))
{
    look = wanted;
    tell_synced = synced;
}

/* Every other time the steps are synced. */
static void interrupt(deja_recorder *recorder, uint64_t seed, uint64_t i)
{
    const uint64_t every = seed % 10 ? LOOK_EVERY : 150 * LOOK_EVERY;
    deja_error err;
    if (!look || i % every != 0)
        return;
    if (i / every % 2 == 0) {
        demand(deja_recorder_sync(recorder, &err) == DEJA_OK, "%s", err.message);
        tell_synced(seed, i);
    }
    look();
}

static void note(played *p, deja_code *place, deja_code code, const deja_error *err)
{
    if (code == DEJA_OK)
        return;
    if (p->opened == DEJA_OK && p->stepped == DEJA_OK && p->closed == DEJA_OK)
        p->first = *err;
    if (*place == DEJA_OK)
        *place = code;
}

played played_record(deja_store *store, uint64_t seed)
{
    played p = { 0 };
    deja_recorder_options options = DEJA_RECORDER_OPTIONS_INIT;
    deja_recorder *recorder = NULL;
    deja_error err = { 0 };
    options.game = "counter";
    options.seed = seed;
    options.start_hash = played_hash(seed, 0);
    options.journal_size = 4u << 20; /* so that it is soon used again */
    note(&p, &p.opened, deja_recorder_open(&recorder, store, NULL, NULL, &options, &err), &err);
    for (uint64_t i = 1; recorder && i <= played_steps(seed); i++) {
        unsigned char bytes[16];
        const uint64_t size = played_command(seed, i, bytes);
        const deja_code code =
            deja_recorder_note(recorder, bytes, size, played_hash(seed, i), &err);
        note(&p, &p.stepped, code, &err);
        p.taken += code == DEJA_OK;
        interrupt(recorder, seed, i);
    }
    note(&p, &p.closed, deja_recorder_close(recorder, played_outcome(seed), NULL, &err), &err);
    return p;
}

void played_must(deja_store *store, uint64_t seed)
{
    const played p = played_record(store, seed);
    demand(p.opened == DEJA_OK && p.stepped == DEJA_OK && p.closed == DEJA_OK, "seed %llu: %s",
           (unsigned long long)seed, p.first.message);
}

/* ---- reading ---- */

typedef struct looking {
    deja_store *store;
    const char *where;
    found *out;
} looking;

#define hold(condition, what)                                                             \
    demand(condition, "%s: seed %llu, step %llu: %s", l->where, (unsigned long long)seed, \
           (unsigned long long)step, what)

static uint64_t hold_steps(const looking *l, deja_reader *reader, uint64_t seed)
{
    deja_steps steps;
    deja_error err = { 0 };
    uint64_t step = 0;
    hold(deja_reader_start_hash(reader) == (uint32_t)played_hash(seed, 0), "another start");
    for (;;) {
        const deja_code code = deja_reader_next(reader, &steps, &err);
        hold(code == DEJA_OK, err.message);
        if (steps.count == 0)
            return step;
        hold(steps.first == step + 1 && steps.trail_count == steps.count, "steps are missing");
        for (uint32_t i = 0; i < steps.count; i++) {
            unsigned char bytes[16];
            const uint32_t from = i ? steps.command_ends[i - 1] : 0;
            const uint64_t size = played_command(seed, ++step, bytes);
            hold(steps.command_ends[i] - from == size &&
                     memcmp(steps.commands + from, bytes, size) == 0,
                 "another command");
            hold(steps.results[i] == 0, "another result");
            hold(steps.trail[i] == (uint32_t)played_hash(seed, step), "another hash");
        }
    }
}

static void hold_session(const looking *l, deja_reader *reader)
{
    const deja_session *session = deja_reader_session(reader);
    const deja_recording *recording = deja_reader_recording(reader);
    const uint64_t seed = session->seed;
    const char *outcome = played_outcome(seed);
    const uint64_t step = hold_steps(l, reader, seed);
    hold(seed < PLAYED_SEEDS && strcmp(session->game, "counter") == 0, "nobody played that");
    hold(step == session->steps && step <= played_steps(seed), "more steps than were played");
    struct found_one *one = &l->out->of[seed];
    hold(!one->there, "a second session");
    one->there = true;
    one->steps = step;
    one->whole = recording->ended != DEJA_ENDED_UNFINISHED;
    if (!one->whole)
        return;
    hold(step == played_steps(seed), "closed before its end");
    hold(recording->ended == (outcome ? DEJA_ENDED_OUTCOME : DEJA_ENDED_RUNNING), "another end");
    hold(strcmp(recording->outcome, outcome ? outcome : "") == 0, "another outcome");
}

static bool hold_entry(void *user, const deja_entry *entry)
{
    looking *l = user;
    const uint64_t seed = entry->session.seed, step = 0;
    deja_error err = { 0 };
    deja_reader *reader = NULL;
    hold(entry->recording_count == 1, "a second recording");
    hold(deja_reader_open(&reader, l->store, entry->key, 0, &err) == DEJA_OK, err.message);
    hold_session(l, reader);
    deja_reader_close(reader);
    l->out->sessions++;
    return true;
}

void found_in(deja_store *store, const char *where, found *out)
{
    looking l = { store, where, out };
    deja_error err = { 0 };
    memset(out, 0, sizeof *out);
    demand(deja_store_list(store, hold_entry, &l, &err) == DEJA_OK, "%s: %s", where, err.message);
    demand(deja_store_check(store, &err) == DEJA_OK, "%s: %s", where, err.message);
}

void found_at(const char *path, const char *where, found *out)
{
    deja_store *store = NULL;
    deja_error err = { 0 };
    demand(deja_store_open(&store, path, DEJA_STORE_READ, &err) == DEJA_OK, "%s: %s", where,
           err.message);
    found_in(store, where, out);
    deja_store_close(store, NULL);
}

void found_whole(const found *f, uint64_t last, const char *where)
{
    for (uint64_t seed = 1; seed <= last; seed++)
        demand(f->of[seed].whole, "%s: of session %llu only %llu of %llu steps are there", where,
               (unsigned long long)seed, (unsigned long long)f->of[seed].steps,
               (unsigned long long)played_steps(seed));
}
