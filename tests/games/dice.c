/* SPDX-License-Identifier: MIT */
/*
 * See dice.h.
 */
#include "games/dice.h"

#include "support/demand.h"
#include "support/host.h"

/* ---- canonical bytes, little-endian ---- */

typedef struct cursor {
    unsigned char *bytes;
    uint64_t at;
} cursor;

static void put(cursor *c, uint64_t number, uint32_t width)
{
    for (uint32_t i = 0; i < width; i++)
        c->bytes[c->at++] = (unsigned char)(number >> 8 * i);
}

static uint64_t take(cursor *c, uint32_t width)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < width; i++)
        number |= (uint64_t)c->bytes[c->at++] << 8 * i;
    return number;
}

static void put_text(cursor *c, const char *text)
{
    put(c, strlen(text), 4);
    for (; *text; text++)
        put(c, (unsigned char)*text, 1);
}

static void take_text(cursor *c, char *text, uint64_t capacity)
{
    const uint64_t size = take(c, 4);
    demand(size < capacity, "a text of %u bytes", (unsigned)size);
    memcpy(text, c->bytes + c->at, size);
    text[size] = '\0';
    c->at += size;
}

/* Faces, as digits. */
static void put_faces(cursor *c, const char *faces)
{
    put(c, strlen(faces), 4);
    for (; *faces; faces++)
        put(c, (unsigned char)(*faces - '0'), 1);
}

static void take_faces(cursor *c, char faces[6])
{
    take_text(c, faces, 6);
    for (; *faces; faces++)
        *faces = (char)(*faces + '0');
}

/* ---- states ---- */

void dice_read(const library *lib, const void *state, dice *d)
{
    unsigned char bytes[STATE_BYTES];
    cursor c = { bytes, 0 };
    memset(d, 0, sizeof *d);
    const uint64_t size = host_save(&lib->rules->state, state, 0, bytes, sizeof bytes);
    d->players = (uint32_t)take(&c, 4);
    for (uint32_t i = 0; i < d->players; i++)
        d->banked[i] = (int64_t)take(&c, 8);
    d->running = (int64_t)take(&c, 8);
    d->dice = (uint32_t)take(&c, 1);
    d->side = (uint32_t)take(&c, 1);
    d->phase = (uint32_t)take(&c, 2);
    d->turn = take(&c, 8);
    take_faces(&c, d->roll);
    d->thrown = (uint32_t)take(&c, 2);
    take_text(&c, d->loaded, sizeof d->loaded);
    d->luck.state = take(&c, 8);
    d->luck.increment = take(&c, 8);
    d->luck.draws = take(&c, 8);
    demand(c.at == size, "%u bytes of %u", (unsigned)c.at, (unsigned)size);
}

void dice_write(const library *lib, void *state, const dice *d)
{
    unsigned char bytes[STATE_BYTES];
    cursor c = { bytes, 0 };
    put(&c, d->players, 4);
    for (uint32_t i = 0; i < d->players; i++)
        put(&c, (uint64_t)d->banked[i], 8);
    put(&c, (uint64_t)d->running, 8);
    put(&c, d->dice, 1);
    put(&c, d->side, 1);
    put(&c, d->phase, 2);
    put(&c, d->turn, 8);
    put_faces(&c, d->roll);
    put(&c, d->thrown, 2);
    put_text(&c, d->loaded);
    put(&c, d->luck.state, 8);
    put(&c, d->luck.increment, 8);
    put(&c, d->luck.draws, 8);
    host_load(&lib->rules->state, state, bytes, c.at);
}

void *dice_state(const library *lib, const dice *d)
{
    void *state = host_create(&lib->rules->state);
    dice_write(lib, state, d);
    return state;
}

void *dice_start(const library *lib, uint32_t players, const char *loaded, uint64_t seed,
                 const char **result)
{
    unsigned char bytes[STATE_BYTES];
    cursor c = { bytes, 0 };
    void *state = host_create(&lib->rules->state);
    void *config = host_create(&lib->rules->config);
    put(&c, players, 1);
    put_text(&c, loaded);
    host_load(&lib->rules->config, config, bytes, c.at);
    *result = library_result(lib, lib->rules->start(state, config, seed, NULL));
    host_destroy(&lib->rules->config, config);
    if (strcmp(*result, "ok") == 0)
        return state;
    host_destroy(&lib->rules->state, state);
    return NULL;
}

/* ---- commands and events ---- */

void *dice_command(const library *lib, uint32_t kind, uint32_t n)
{
    unsigned char bytes[4];
    cursor c = { bytes, 0 };
    void *command = host_create(&lib->rules->command);
    put(&c, kind, 2);
    if (kind == PICK)
        put(&c, n, 1);
    host_load(&lib->rules->command, command, bytes, c.at);
    return command;
}

const char *dice_check(const library *lib, const void *state, uint32_t kind, uint32_t n)
{
    void *command = dice_command(lib, kind, n);
    const uint32_t result = lib->rules->check(state, command);
    host_destroy(&lib->rules->command, command);
    return library_result(lib, result);
}

const char *dice_apply(const library *lib, void *state, uint32_t kind, uint32_t n, emitted *all)
{
    void *command = dice_command(lib, kind, n);
    if (all)
        emitted_open(all, lib->rules->event.size);
    const uint32_t result = lib->rules->apply(state, command, all ? &all->out : NULL);
    host_destroy(&lib->rules->command, command);
    return library_result(lib, result);
}

uint32_t dice_legal(const library *lib, const void *state)
{
    static emitted all;
    emitted_open(&all, lib->rules->command.size);
    lib->rules->legal(state, &all.out);
    return all.count;
}

dice_event dice_told(const library *lib, const emitted *all, uint32_t place)
{
    unsigned char bytes[64];
    cursor c = { bytes, 0 };
    dice_event event;
    memset(&event, 0, sizeof event);
    const uint64_t size =
        host_save(&lib->rules->event, emitted_at(all, place), 0, bytes, sizeof bytes);
    event.kind = (uint32_t)take(&c, 2);
    event.side = (uint32_t)take(&c, 1);
    if (event.kind == PICKED)
        event.n = (uint32_t)take(&c, 1);
    if (event.kind == ROLLED || event.kind == PICKED)
        take_faces(&c, event.faces);
    if (event.kind == BUSTED || event.kind == PICKED || event.kind == BANKED)
        event.points = (int64_t)take(&c, 8);
    if (event.kind == PICKED || event.kind == BANKED || event.kind == KEPT)
        event.total = (int64_t)take(&c, 8);
    if (event.kind == KEPT)
        event.left = (uint32_t)take(&c, 1);
    demand(c.at == size, "an event of %u bytes", (unsigned)size);
    return event;
}
