/* SPDX-License-Identifier: MIT */
/*
 * How values of one layout become values of another: what match.c (which fields are the same),
 * match_plan.c (how to convert) and match_convert.c (converting) share.
 */
#ifndef DEJA_FIELDS_MATCH_H
#define DEJA_FIELDS_MATCH_H

#include "fields/values.h"

/* ---- names ---- */

/* The fields of a struct or the names of an enumeration, flags or a kind, sorted to be found. */
typedef struct deja__names deja__names;
deja__names *deja__names_create(const deja__node *node); /* NULL: out of memory */
void deja__names_destroy(deja__names *names);
#define DEJA__PLACE_NONE UINT32_MAX
uint32_t deja__names_find(const deja__names *names, const char *name);
/* How many names a node has, and the name at a place. */
uint32_t deja__name_count(const deja__node *node);
const char *deja__name_at(const deja__node *node, uint32_t place);

/* ---- types ---- */

/* Whether a field of the present type can stand for one of the recorded type: the same, or a wider
 * integer. Looks at these nodes alone, neither at names nor at what they hold. */
bool deja__type_fits(const deja__node *recorded, const deja__node *present);

/* A type in a word or two, for people: "u8", "text[..15]", "list", "struct". */
void deja__type_print(const deja__node *node, deja_buffer *out);

/* ---- plans ---- */

enum deja__plan_how {
    DEJA__COPY,   /* the bytes as they are */
    DEJA__NUMBER, /* an integer of another width */
    DEJA__NAMES,  /* an enumeration: places[] from source to target */
    DEJA__BITS,   /* flags: places[] */
    DEJA__TEXT,   /* may be too long */
    DEJA__FIELDS, /* a struct: places[] from target to source, children[] as the target's */
    DEJA__KINDS,  /* places[] from source to target, children[] for each of the source's */
    DEJA__MAYBE,  /* an optional: children[0] */
    DEJA__EACH,   /* a container: children[] as the node's */
    DEJA__REFUSE  /* cannot be: `why` */
};

typedef struct deja__plan deja__plan;
struct deja__plan {
    enum deja__plan_how how;
    const deja__node *source, *target; /* past sections */
    uint32_t *places;                  /* DEJA__PLACE_NONE: has no counterpart */
    deja__plan **children;             /* NULL where there is no counterpart */
    uint32_t child_count;
    bool sort; /* of a map or set: keys may come in another order */
    char *why;
};

enum deja__direction {
    DEJA__REDUCE,    /* to the common layout: what it does not have is dropped */
    DEJA__TO_PRESENT /* from recorded to present: nothing is dropped, what is new is filled in */
};

/* NULL: out of memory. Borrows both trees. */
deja__plan *deja__plan_create(const deja__node *source, const deja__node *target,
                              enum deja__direction direction, bool source_is_recorded);
void deja__plan_destroy(deja__plan *plan);

/* The size of the zero value: each byte of it is zero. Saturates above the largest value. */
uint64_t deja__zero_size(const deja__node *node);

/* The items of a container's default value, of which one goes with each converted item. */
typedef struct deja__pairing {
    const unsigned char *start, *at; /* NULL: there are none */
    uint64_t count, left;
} deja__pairing;
void deja__pairing_begin(deja__pairing *pairs, const deja__node *target,
                         const unsigned char *defaults);
/* The value of the next item of a list; NULL: there is none. */
const unsigned char *deja__pairing_next(deja__pairing *pairs, const deja__node *target);
/* The value of a map's key. Keys have to rise from call to call, but for those `from_start`. */
const unsigned char *deja__pairing_find(deja__pairing *pairs, const deja__node *target,
                                        const unsigned char *key, bool from_start);

/* Converts one valid value and appends it. `defaults`: a valid value of the target's, or NULL.
 * On failure `out` is as it was. */
deja_code deja__plan_run(const deja__plan *plan, enum deja__direction direction,
                         const unsigned char *bytes, const unsigned char *defaults,
                         deja_buffer *out, deja_error *err);

#endif
