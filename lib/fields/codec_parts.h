/* SPDX-License-Identifier: MIT */
/*
 * What the files of the codec share, and their tests: the writer with its window, breaches, plans.
 *
 * A description is library code and cannot be stopped half-way: whatever is wrong, it is answered
 * until it returns. So the first thing that was wrong is kept as a breach (where, and in numbers),
 * everything goes on with zeros, and the result is thrown away at the end.
 */
#ifndef DEJA_FIELDS_CODEC_PARTS_H
#define DEJA_FIELDS_CODEC_PARTS_H

#include "fields/codec.h"
#include "fields/layout.h"
#include "fields/scalars.h"

enum { DEJA__WINDOW_SIZE = 4096 };

/* ---- breaches ---- */

enum deja__breach_what {
    DEJA__BREACH_NONE = 0,
    DEJA__BREACH_COUNT,     /* a list of `number` values where `limit` is the most */
    DEJA__BREACH_NAME,      /* an enumeration or tag `number`, which has no name */
    DEJA__BREACH_FLAG,      /* flags `number`, with bits that have no names */
    DEJA__BREACH_BOOL,      /* a bool or presence that is `number` */
    DEJA__BREACH_NAN,       /* loading: a NaN other than the one there is */
    DEJA__BREACH_NO_END,    /* text without a NUL within `limit` bytes */
    DEJA__BREACH_UTF8,      /* text that is not UTF-8 */
    DEJA__BREACH_TEXT_SIZE, /* text of `number` bytes where `limit` is the most */
    DEJA__BREACH_CUT,       /* loading: the bytes end within */
    DEJA__BREACH_LEFT,      /* loading: `number` bytes are left over */
    DEJA__BREACH_UNFILLED,  /* loading: a growable text was asked for and not taken, or not asked */
    DEJA__BREACH_UNKNOWN,   /* a call that no description made when it was described */
    DEJA__BREACH_CALLS,     /* `number` bytes of a value that always has `limit` */
    DEJA__BREACH_MEMORY
};

/* The first thing that was wrong. `offset` is the canonical byte where its bytes begin, so that
 * the layout tells the whole path; `name` is what the call said. */
typedef struct deja__breach {
    uint32_t what; /* enum deja__breach_what */
    const char *name;
    uint64_t offset;
    uint64_t number;
    uint64_t limit;
} deja__breach;

/* Keeps the first breach. */
static inline void deja__breach_note(deja__breach *breach, deja__breach next)
{
    if (breach->what == DEJA__BREACH_NONE)
        *breach = next;
}

/* What is wrong with a scalar that its conversion stopped at. */
deja__breach deja__breach_of_scalar(const deja__scalar *scalar, const char *name, uint64_t offset,
                                    uint32_t number);

/* Says it in words. `bytes` are the value's canonical bytes, at least up to the breach; NULL where
 * there are none: then it goes by its own name. */
deja_code deja__breach_report(const deja__breach *breach, const deja_layout *layout,
                              deja_span bytes, deja_code code, deja_error *err);

/* Appends the path ("units[3].hp") of what begins at this byte; nothing if nothing does. */
void deja__path_at(const deja_layout *layout, deja_span bytes, uint64_t offset, deja_buffer *path);

/* ---- writing ---- */

/* Where bytes go: level 0 is the value, each open section one more. A level's bytes lie in the
 * window from `start` on; they meet the hash state only once the window was full. */
typedef struct deja__level {
    unsigned char *start;
    void *state;    /* of XXH3; made when it is first needed, and kept */
    bool streaming; /* `state` has taken bytes */
} deja__level;

typedef struct deja__writer {
    deja_fields f;    /* first: descriptions hand it back */
    deja_buffer *out; /* where level 0 goes; NULL if it is hashed */
    bool whole;       /* saving: sections and blocks stand as themselves */
    uint32_t level;
    uint64_t window_size;
    unsigned char *base; /* where the window begins: below, or in `out` */
    uint64_t drained;    /* bytes that left the window */
    deja__breach breach;
    deja__level levels[DEJA__DEPTH_MAX + 1];
    unsigned char window[DEJA__WINDOW_SIZE];
} deja__writer;

bool deja__writer_init(deja__writer *writer);
void deja__writer_release(deja__writer *writer);

/* ---- plans ---- */

typedef struct deja__load_plan deja__load_plan;

/* Learns a plan and tries it against the visitor. *out is NULL where there is none. */
deja_code deja__load_plan_create(deja__load_plan **out, deja__codec *codec, deja_error *err);
void deja__load_plan_destroy(deja__load_plan *plan);

/* ---- the codec ---- */

#define DEJA__SIZE_ANY UINT64_MAX

struct deja__codec {
    deja_type type; /* `fields` is never NULL */
    const deja_layout *layout;
    deja__load_plan *plan;    /* or NULL */
    uint32_t attempts_failed; /* at writing without the writer: fields/codec_inline.h */
    uint64_t size;            /* of every value, saved or hashed; DEJA__SIZE_ANY where it varies */
    deja__writer writer;
};

/* Lends descriptions a smaller window, of 0 to DEJA__WINDOW_SIZE bytes. What is written does not
 * depend on it. */
void deja__codec_set_window(deja__codec *codec, uint64_t size);

/* Memory for a value of a type: zeroed and made by init; and the reverse. */
void *deja__type_value_create(const deja_type *type);
void deja__type_value_destroy(const deja_type *type, void *value);
/* Drops what a value owns, and makes it as created. */
void deja__type_value_reset(const deja_type *type, void *value);

/* One leaf of a value as the visitor loads it, for plans. */
typedef struct deja__loaded {
    deja__scalar scalar; /* or DEJA_KIND, or DEJA_BYTES with a value_size of 1 */
    uint64_t offset;     /* in the canonical bytes */
    const void *value;
    uint64_t count;
} deja__loaded;

/* Loads into a value that has just been made, by its description. Tells `log`, where there is one,
 * of each leaf. */
deja__breach deja__visit_load(const deja_type *type, void *value, deja_span bytes,
                              void (*log)(void *user, const deja__loaded *loaded), void *user);

#endif
