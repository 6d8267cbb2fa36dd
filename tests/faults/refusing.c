/* SPDX-License-Identifier: MIT */
#include "faults/refusing.h"

#include <string.h>

#include "support/demand.h"

static const uint64_t during[REFUSING_DURING] = { 3, 20, 4 }; /* a long one within */

/* ---- what is said ---- */

static void hold_message(const refusing *r, deja_code code, const char *message)
{
    static const char *const reasons[] = { "full", "I/O error", "unable to", "no space" };
    demand(code == DEJA_EIO, "%s: %s: %s", r->where, deja_code_name(code), message);
    demand(strstr(message, r->path), "%s: does not say which store: %s", r->where, message);
    bool says_why = false;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        says_why |= strstr(message, reasons[i]) != NULL;
    demand(says_why, "%s: does not say why: %s", r->where, message);
}

static bool went_well(refusing *r, deja_code code, const deja_error *err)
{
    if (code == DEJA_OK)
        return true;
    r->refused = true;
    hold_message(r, code, err->message);
    return false;
}

/* ---- playing ---- */

static void play(refusing *r, deja_store *store)
{
    for (int i = 0; i < REFUSING_DURING; i++) {
        deja_error err = { 0 };
        const played p = played_record(store, during[i]);
        const bool well = p.opened == DEJA_OK && p.stepped == DEJA_OK && p.closed == DEJA_OK;
        if (!well)
            went_well(r, p.first.code, &p.first);
        r->kept[i] = p.taken == played_steps(during[i]) && p.stepped == DEJA_OK;
        r->stored[i] = went_well(r, deja_store_flush(store, &err), &err) && well;
    }
}

static void hold_found(const refusing *r, const found *f)
{
    found_whole(f, REFUSING_BEFORE, r->where);
    for (int i = 0; i < REFUSING_DURING; i++)
        demand(f->of[during[i]].whole || !r->stored[i], "%s: session %llu was said to be stored",
               r->where, (unsigned long long)during[i]);
}

/* The store that could be opened, to its end. */
static void finish(refusing *r, deja_store *store)
{
    deja_error err = { 0 };
    found all;
    if (!r->mended_early) {
        went_well(r, deja_store_close(store, &err), &err);
        r->mend(r->user);
        return;
    }
    r->mend(r->user);
    demand(deja_store_flush(store, &err) == DEJA_OK, "%s: %s", r->where, err.message);
    found_at(r->path, r->where, &all);
    hold_found(r, &all);
    for (int i = 0; i < REFUSING_DURING; i++)
        demand(all.of[during[i]].whole || !r->kept[i], "%s: session %llu waited, and is gone",
               r->where, (unsigned long long)during[i]);
    demand(deja_store_close(store, &err) == DEJA_OK, "%s: %s", r->where, err.message);
}

static void hold_after(const refusing *r)
{
    deja_store *store = NULL;
    deja_error err = { 0 };
    found all;
    const deja_code code = deja_store_open(&store, r->path, DEJA_STORE_WRITE, &err);
    demand(code == DEJA_OK, "%s: then: %s", r->where, err.message);
    found_in(store, r->where, &all);
    hold_found(r, &all);
    played_must(store, REFUSING_AFTER);
    demand(deja_store_close(store, &err) == DEJA_OK, "%s: then: %s", r->where, err.message);
    found_at(r->path, r->where, &all);
    hold_found(r, &all);
    demand(all.of[REFUSING_AFTER].whole, "%s: nothing more is recorded", r->where);
}

void refusing_prepare(const char *path)
{
    deja_store *store = NULL;
    deja_error err = { 0 };
    demand(deja_store_open(&store, path, DEJA_STORE_WRITE, &err) == DEJA_OK, "%s", err.message);
    for (uint64_t seed = 1; seed <= REFUSING_BEFORE; seed++)
        played_must(store, seed);
    demand(deja_store_close(store, &err) == DEJA_OK, "%s", err.message);
}

void refusing_play(refusing *r)
{
    deja_store *store = NULL;
    deja_error err = { 0 };
    r->spoil(r->user);
    if (went_well(r, deja_store_open(&store, r->path, DEJA_STORE_WRITE, &err), &err)) {
        play(r, store);
        finish(r, store);
    } else {
        r->mend(r->user);
    }
    hold_after(r);
}
