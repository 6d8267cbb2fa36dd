/* SPDX-License-Identifier: MIT */
/*
 * The border between a library's values and canonical bytes, in both directions: nothing invalid
 * goes in, and nothing invalid comes out.
 */
#ifndef DEJA_PLUGIN_EMITTER_H
#define DEJA_PLUGIN_EMITTER_H

#include "fields/codec_inline.h"
#include "plugin/plugin.h"

/* One of a game's types, for bytes of others and for values of the library. */
typedef struct deja__form {
    deja__codec *codec;
    const deja_layout *layout;
    bool is_strict;  /* writing shows everything that can be wrong with a value */
    bool is_planned; /* loading refuses all that is not valid */
} deja__form;

deja_code deja__form_init(deja__form *form, const deja_plugin *plugin, uint32_t type,
                          deja_error *err);
void deja__form_release(deja__form *form);
/* Appends a value of the library's. DEJA_ERULES where it breaks its description. */
deja_code deja__form_save(const deja__form *form, const void *value, deja_buffer *out,
                          deja_error *err);
/* Loads bytes of somebody else's. DEJA_EFORMAT where they are not valid. */
deja_code deja__form_load(const deja__form *form, void *value, deja_span bytes, deja_error *err);

enum { DEJA__EMITTER_PREFIX = 4, DEJA__SLOT_EVENTS = 32 /* at most; there are ends for more */ };

/* Memory of somebody else for what a call emits, count and all, if it is simple and fits. It has a
 * size and no end: compilers would load `at` and an end behind it at once, and one load of what two
 * stores have just put there waits until both are done. */
typedef struct deja__slot {
    unsigned char *bytes; /* NULL: none, or not any more */
    unsigned char *at;
    uint32_t size;
} deja__slot;

/* What a library emits to: its events, or its legal commands. */
typedef struct deja__emitter {
    deja_out out; /* first: libraries hand it back */
    const deja__form *form;
    const char *what;
    bool is_open;    /* during the call that it was handed to */
    bool is_writing; /* a value is described: that must not emit */
    bool has_hashed; /* what is hashed differs from what is saved */
    bool is_simple;  /* it does not, and writing shows everything that can be wrong */
    uint32_t count;
    deja_buffer saved;  /* a prefix of 4 bytes, then the values */
    deja_buffer hashed; /* the same for hashing, where that differs */
    uint32_t *ends;     /* where each value ends, behind the prefix */
    uint32_t capacity;  /* of ends */
    deja__slot slot;
    uint32_t slots_failed;
    deja_code code; /* the first failure, and its words */
    deja_error error;
} deja__emitter;

/* `what` is what it is called in messages. Borrows both. Released also where it failed. */
deja_code deja__emitter_init(deja__emitter *emitter, const deja__form *form, const char *what,
                             bool is_hashed, deja_error *err);
void deja__emitter_release(deja__emitter *emitter);
/* Empties it, and forgets a failure: it was another session's. */
void deja__emitter_clear(deja__emitter *emitter);
/* Tells the first failure, and empties it. */
deja_code deja__emitter_fail(deja__emitter *emitter, deja_error *err);

/* No slot any more. */
void deja__emitter_leave(deja__emitter *emitter);
/* Around the call that it is handed to. What was emitted while it was not open stays a failure, so
 * that it is told. */
static inline void deja__emitter_open(deja__emitter *emitter)
{
    if (emitter->slot.bytes)
        deja__emitter_leave(emitter);
    emitter->count = 0;
    emitter->saved.size = DEJA__EMITTER_PREFIX;
    emitter->hashed.size = DEJA__EMITTER_PREFIX;
    emitter->is_open = true;
}

/* Puts the count in front. Tells the first failure, and is then empty. */
static inline deja_code deja__emitter_close(deja__emitter *emitter, deja_error *err)
{
    deja_buffer *first = emitter->has_hashed ? &emitter->hashed : &emitter->saved;
    emitter->is_open = false;
    deja__store32(first->bytes, emitter->count);
    emitter->saved.bytes[emitter->saved.size] = 0;
    return DEJA__LIKELY(emitter->code == DEJA_OK) ? DEJA_OK : deja__emitter_fail(emitter, err);
}

/* What was emitted, one behind another. Borrowed until it is opened or cleared. */
deja_span deja__emitter_bytes(const deja__emitter *emitter);
/* Opens it with a slot of `size` bytes, which must be larger than the prefix; borrowed until it is
 * opened again or left. false: it is of no use to this emitter, and nothing was opened. */
bool deja__emitter_open_slot(deja__emitter *emitter, unsigned char *bytes, uint32_t size);
/* Closes one that is still in its slot, which it leaves there for the next time: the bytes that are
 * in it, 0 for no events; or -1 where it must be closed as any other. */
static inline int32_t deja__emitter_close_slot(deja__emitter *emitter)
{
    const deja__slot *slot = &emitter->slot;
    if (!slot->bytes)
        return -1;
    emitter->is_open = false;
    deja__store32(slot->bytes, emitter->count);
    return emitter->count ? (int32_t)(slot->at - slot->bytes) : 0;
}

/* XXH3-64 of the count and the values for hashing; there must be one. */
static inline uint64_t deja__emitter_hash(const deja__emitter *emitter)
{
    const deja_buffer *bytes = emitter->has_hashed ? &emitter->hashed : &emitter->saved;
    return XXH3_64bits(bytes->bytes, (size_t)bytes->size);
}

#endif
