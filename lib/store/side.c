/* SPDX-License-Identifier: MIT */
/*
 * The side of a store that is read: sessions that are still in journals. See journals.h.
 */
#include "store/journals.h"

#include <stdlib.h>

deja_code deja__side_create(deja_store *store, deja_error *err)
{
    deja__side *side = calloc(1, sizeof *side);
    if (!side)
        return deja__fail_memory(err);
    const deja_code code = deja__store_open_memory(&side->store, store->name, err);
    if (code < 0) {
        free(side);
        return code;
    }
    store->side = side;
    return DEJA_OK;
}

void deja__side_destroy(deja__side *side)
{
    if (!side)
        return;
    deja__store_let_go(side->store);
    free(side->hidden);
    free(side);
}

deja_code deja__side_hide(deja_store *store, int64_t pack, deja_error *err)
{
    deja__side *side = store->side;
    int64_t *hidden =
        deja__grow(side->hidden, sizeof *hidden, side->hidden_count, &side->hidden_capacity);
    if (!hidden)
        return deja__fail_memory(err);
    side->hidden = hidden;
    hidden[side->hidden_count++] = pack;
    return DEJA_OK;
}

bool deja__side_hides(const deja_store *store, const deja__session_pack *pack)
{
    if (!store->side || !pack->open)
        return false;
    for (uint32_t i = 0; i < store->side->hidden_count; i++)
        if (store->side->hidden[i] == pack->id)
            return true;
    return false;
}

int64_t deja__side_key(const deja_id *id)
{
    return -(int64_t)(deja__load64(id->bytes) >> 2) - 1;
}

/* The session of such a key in one store; 0: it is not there. */
static int64_t find_in(const deja_store *store, int64_t key)
{
    const deja__catalog *c = store->catalog;
    for (uint32_t i = 0; i < c->counts[DEJA__SESSION_PACKS]; i++) {
        const deja__session_pack *pack = c->session_packs[i];
        for (uint32_t place = 0; place < pack->count; place++) {
            deja_id id;
            deja__session_id(pack, place, &id);
            if (!pack->open && deja__side_key(&id) == key)
                return pack->id * DEJA__PACK_MAX + place;
        }
    }
    return 0;
}

deja_code deja__side_find(deja_store *store, int64_t key, deja_store **where, int64_t *found,
                          deja_error *err)
{
    deja_code code = deja__catalog_look(store, err);
    *where = store;
    *found = code == DEJA_OK ? find_in(store, key) : 0;
    if (code < 0 || *found || !store->side)
        return code;
    *where = store->side->store;
    code = deja__catalog_look(*where, err);
    *found = code == DEJA_OK ? find_in(*where, key) : 0;
    return code;
}

deja_code deja__side_is_stored(deja_store *store, const deja_id *id, bool *stored, deja_error *err)
{
    int64_t key = 0;
    const deja_code code = deja__catalog_key_of(store->catalog, id, &key, err);
    *stored = key != 0;
    return code;
}
