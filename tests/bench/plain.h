/* SPDX-License-Identifier: MIT */
/*
 * What a programmer would write by hand around a game's own description: a command applied, state
 * and events hashed, all in memory. No store, no worker.
 */
#ifndef DEJA_TESTS_BENCH_PLAIN_H
#define DEJA_TESTS_BENCH_PLAIN_H

#include <deja/rules.h>
#include <xxhash.h>

#include "bench/bench.h"

struct plain {
    deja_out out;
    const deja_rules_table *table;
    unsigned char *at; /* of the events' bytes so far */
    unsigned char events[4096];
};

static inline uint32_t plain_no_room(deja_fields *f, const deja_field *field)
{
    (void)f;
    bench_fail("field '%s' did not fit", field->name);
}

static inline void plain_emit(deja_out *out, const void *value)
{
    struct plain *plain = (struct plain *)out;
    deja_fields f = { plain->at, plain->events + sizeof plain->events, plain_no_room, DEJA_WRITING,
                      0 };
    plain->table->event.fields(&f, value);
    plain->at = f.at;
}

static inline void plain_touch(deja_out *out, const void *pointer, uint64_t size)
{
    (void)out;
    (void)pointer;
    (void)size;
}

static inline struct plain plain_open(const deja_rules_table *table)
{
    const struct plain plain = { { plain_emit, plain_touch }, table, NULL, { 0 } };
    return plain;
}

static inline uint32_t plain_apply(struct plain *plain, void *state, const void *command)
{
    plain->at = plain->events;
    return plain->table->apply(state, command, &plain->out);
}

static inline uint64_t plain_hash(const struct plain *plain, const void *state)
{
    unsigned char bytes[4096];
    deja_fields f = { bytes, bytes + sizeof bytes, plain_no_room, DEJA_WRITING, 0 };
    plain->table->state.fields(&f, state);
    return XXH3_64bits(bytes, (size_t)(f.at - bytes));
}

/* Of what the last command emitted. */
static inline uint64_t plain_event_hash(const struct plain *plain)
{
    return XXH3_64bits(plain->events, (size_t)(plain->at - plain->events));
}

#endif
