/* SPDX-License-Identifier: MIT */
/*
 * All sessions, and one by the beginning of its id. Both are answered from the catalog, whose
 * tables were read through.
 */
#include "store/journals.h"
#include "store/reader.h"

#include <stdio.h>

/* What an entry borrows, so that whoever is told of it may use the store meanwhile. */
typedef struct listing {
    deja_entry entry;
    char outcome[DEJA__NAME_MAX + 1];
    deja_buffer config;
    deja_buffer start_layout;
    deja_buffer start;
} listing;

static deja_code fill(deja_store *store, deja__session_pack *pack, uint32_t place, listing *l,
                      deja_error *err)
{
    deja_entry *entry = &l->entry;
    const deja__recording_pack *recording;
    deja_span config;
    uint32_t at = 0;
    uint32_t recording_place = 0;
    entry->key = pack->id * DEJA__PACK_MAX + place;
    deja__session_fill(&entry->session, pack, place);
    entry->recording_count = 0;
    while ((recording = deja__catalog_recording(store->catalog, pack, place, &at,
                                                &recording_place)) != NULL)
        if (entry->recording_count++ == 0)
            deja__recording_fill(&entry->recording, recording, recording_place, l->outcome);
    const deja_code code = deja__session_config(store, pack, place, &config, err);
    if (code < 0)
        return code;
    deja_buffer_clear(&l->config);
    if (!deja_buffer_add(&l->config, config.bytes, config.size))
        return deja__fail_memory(err);
    entry->session.config.bytes = l->config.bytes;
    entry->session.config.size = l->config.size;
    if (!pack->start)
        return DEJA_OK;
    return deja__start_read(store, pack->id, &l->start_layout, &l->start, &entry->session, err);
}

typedef struct told {
    bool (*visit)(void *user, const deja_entry *entry);
    void *user;
    deja_store *beside; /* whose side is told of; NULL: it is the file */
    bool more;
} told;

/* Whether a session of the side is to be told of, under its key. */
static deja_code take_from_side(told *t, listing *l, bool *shown, deja_error *err)
{
    bool stored = false;
    const deja_code code = deja__side_is_stored(t->beside, &l->entry.session.id, &stored, err);
    *shown = !stored;
    l->entry.key = deja__side_key(&l->entry.session.id);
    return code;
}

static deja_code tell_one(deja_store *store, deja__session_pack *pack, uint32_t place, told *t,
                          listing *l, deja_error *err)
{
    bool shown = true;
    deja_code code = fill(store, pack, place, l, err);
    if (code == DEJA_OK && t->beside)
        code = take_from_side(t, l, &shown, err);
    if (code < 0) {
        char word[13];
        return deja__fail_within(err, code, "session %s",
                                 deja__id_word(&l->entry.session.id, word));
    }
    if (shown)
        t->more = t->visit(t->user, &l->entry);
    return DEJA_OK;
}

static deja_code tell_all(deja_store *store, told *t, listing *l, deja_error *err)
{
    const deja__catalog *c = store->catalog;
    deja_code code = deja__catalog_look(store, err);
    /* Packs may come and go while one is told of; their ids only rise. */
    for (int64_t id = 0; code == DEJA_OK && t->more;) {
        deja__session_pack *pack = deja__catalog_session_pack_after(c, id);
        if (!pack)
            break;
        id = pack->id;
        if (deja__side_hides(store, pack))
            continue;
        for (uint32_t place = 0; pack && place < pack->count && t->more && code == DEJA_OK;
             place++) {
            code = tell_one(store, pack, place, t, l, err);
            pack = deja__catalog_session_pack(c, id);
        }
    }
    return code;
}

deja_code deja_store_list(deja_store *store, bool (*visit)(void *user, const deja_entry *entry),
                          void *user, deja_error *err)
{
    if (!store || !visit)
        return deja__fail(err, DEJA_EMISUSE, "a list needs a store, and somebody to tell it to");
    listing l = { 0 };
    told t = { visit, user, NULL, true };
    deja_code code = tell_all(store, &t, &l, err);
    t.beside = store;
    if (code == DEJA_OK && store->side)
        code = tell_all(store->side->store, &t, &l, err);
    deja_buffer_release(&l.config);
    deja_buffer_release(&l.start_layout);
    deja_buffer_release(&l.start);
    return deja__store_fail(store, code, err);
}

/* ---- by the beginning of its id ---- */

/* Up to 32 hex digits as bytes, the rest zero. */
static bool read_prefix(const char *prefix, unsigned char *bytes, size_t *digits)
{
    *digits = 0;
    memset(bytes, 0, 16);
    for (const char *c = prefix; *c; c++, ++*digits) {
        unsigned value;
        if (*c >= '0' && *c <= '9')
            value = (unsigned)(*c - '0');
        else if (*c >= 'a' && *c <= 'f')
            value = (unsigned)(*c - 'a') + 10;
        else if (*c >= 'A' && *c <= 'F')
            value = (unsigned)(*c - 'A') + 10;
        else
            return false;
        if (*digits == 32)
            return false;
        bytes[*digits / 2] |= (unsigned char)(*digits % 2 ? value : value << 4);
    }
    return *digits > 0;
}

static bool begins(const unsigned char *digest, const unsigned char *prefix, size_t digits)
{
    if (memcmp(digest, prefix, digits / 2) != 0)
        return false;
    return digits % 2 == 0 || (digest[digits / 2] & 0xf0) == prefix[digits / 2];
}

typedef struct search {
    unsigned char prefix[16];
    size_t digits;
    const unsigned char *found;
    const unsigned char *other; /* another id that also begins so */
    bool open;
    bool beside; /* it is the side that is looked through */
    int64_t key;
} search;

/* One id may stand there twice: what a killed writer left may be all of a session that came again.
 * Then it is the one that was closed, or else the later one. */
static void look_through(search *s, const deja__session_pack *pack)
{
    for (uint32_t place = 0; place < pack->count; place++) {
        const unsigned char *digest = pack->digests + 16 * (size_t)place;
        if (!begins(digest, s->prefix, s->digits))
            continue;
        if (s->found && memcmp(s->found, digest, 16) != 0) {
            s->other = digest;
            continue;
        }
        if (s->found && !s->open && (pack->open || s->beside))
            continue;
        s->found = digest;
        s->open = pack->open;
        deja_id id;
        deja__session_id(pack, place, &id);
        s->key = s->beside ? deja__side_key(&id) : pack->id * DEJA__PACK_MAX + place;
    }
}

static deja_code look_through_all(search *s, deja_store *store, deja_error *err)
{
    const deja_code code = deja__catalog_look(store, err);
    for (uint32_t i = 0; code == DEJA_OK && i < store->catalog->counts[DEJA__SESSION_PACKS]; i++)
        if (!deja__side_hides(store, store->catalog->session_packs[i]))
            look_through(s, store->catalog->session_packs[i]);
    return code;
}

deja_code deja_store_find(deja_store *store, const char *prefix, int64_t *key, deja_error *err)
{
    search s = { 0 };
    if (!store || !prefix || !key)
        return deja__fail(err, DEJA_EMISUSE,
                          "finding needs a store, a prefix, and a place for "
                          "the key");
    if (!read_prefix(prefix, s.prefix, &s.digits))
        return deja__store_fail(
            store,
            deja__fail(err, DEJA_EFORMAT, "an id begins with 1 to 32 hex digits, not '%s'",
                       deja__is_plain(prefix, strlen(prefix), 64) ? prefix : "..."),
            err);
    deja_code code = look_through_all(&s, store, err);
    s.beside = true;
    if (code == DEJA_OK && store->side)
        code = look_through_all(&s, store->side->store, err);
    if (code == DEJA_OK && !s.found)
        code = deja__fail(err, DEJA_ENOTFOUND, "there is no session '%s'", prefix);
    if (code == DEJA_OK && s.other) {
        char digits[2][33];
        const unsigned char *ids[2] = { s.found, s.other };
        for (int i = 0; i < 2; i++)
            for (int k = 0; k < 16; k++)
                snprintf(digits[i] + 2 * k, 3, "%02x", ids[i][k]);
        code = deja__fail(err, DEJA_EAMBIGUOUS, "'%s' begins both %s and %s", prefix, digits[0],
                          digits[1]);
    }
    if (code == DEJA_OK)
        *key = s.key;
    return deja__store_fail(store, code, err);
}
