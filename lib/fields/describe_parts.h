/* SPDX-License-Identifier: MIT */
/*
 * Describing, in four files: describe.c runs the description and answers its calls with made-up
 * values; describe_check.c judges a call by itself; describe_node.c makes a node of it;
 * describe_tree.c holds it against the tree that earlier calls made, or grows that.
 *
 * Where a description is at is a stack of frames, one for each container that it is inside of. Of
 * a tree that is still growing, `fixed` in a struct says that it was once seen to its end: from
 * then on its fields are what every later look must find. (Checking the tree gives the member its
 * real meaning.)
 */
#ifndef DEJA_FIELDS_DESCRIBE_PARTS_H
#define DEJA_FIELDS_DESCRIBE_PARTS_H

#include <setjmp.h>

#include "fields/codec.h"
#include "fields/layout.h"

/* A container that the description is inside of. */
typedef struct deja__frame {
    deja__node *node;   /* a struct, kind, section, optional, or items */
    deja__node *within; /* whose children come next: the node, or the alternative of a kind */
    uint32_t position;  /* which of these is next */
    uint32_t opened;    /* the kind that closes it; 0 if no call does */
    bool implied;       /* the struct of an item whose fields have names: ends with the item */
    bool tagged;        /* a kind's tag was named */
    uint32_t place;     /* of the alternative */
    uint32_t answered;  /* items: how many the description was told of */
    uint32_t done;      /* items: how many it has described */
} deja__frame;

/* Memory that a call named, as addresses. */
typedef struct deja__range {
    uintptr_t start;
    uintptr_t end;
    const char *outer; /* the name of what it is in, or NULL */
    const char *name;
} deja__range;

typedef struct deja__describer {
    deja_fields f; /* first: descriptions hand it back */
    const deja_type *type;
    void *value;
    deja_error *err;
    deja_code code; /* the first failure; then every call is answered so that it soon returns */

    deja__node *root;
    uint32_t node_count;
    uint32_t learnt_count; /* structs that were seen to their end */
    deja__frame frames[DEJA__DEPTH_MAX + 1];
    uint32_t frame_count;

    /* How this pass answers. */
    bool learning;  /* one item in every list, every optional present, kinds by what is missing */
    uint32_t pass;  /* of those that check */
    uint32_t items; /* in a list */
    bool present;
    uint32_t number; /* what scalars are: 0, 1, or 2 for either by chance */
    uint64_t seed;

    uint64_t fill;   /* bytes of a growable text that are to be asked for next */
    uint32_t opened; /* calls that opened and are not closed, after a failure, too */
    uint32_t call_count;
    jmp_buf leave; /* out of a description that does not end */

    deja__range *ranges;
    uint32_t range_count;
    uint32_t range_room;
} deja__describer;

/* Keeps the first failure, as DEJA_EUNFIT, with the place: "... in 'units'". */
void deja__describe_fail(deja__describer *d, const char *format, ...) DEJA__PRINTF(2, 3);
void deja__describe_fail_memory(deja__describer *d);

/* ---- nodes ---- */

static inline bool deja__describe_is_struct(const deja__node *node)
{
    return node->kind == DEJA_STRUCT || node->kind == DEJA_KIND;
}

/* A node; NULL once it failed. */
deja__node *deja__describe_create(deja__describer *d, uint32_t kind);
/* Takes a child, which may be NULL. @return it, or NULL */
deja__node *deja__describe_add(deja__describer *d, deja__node *parent, deja__node *child);
/* The names of an enumeration, flags or a kind; and whether a call has the same. */
bool deja__describe_add_names(deja__describer *d, deja__node *node, const deja_field *field);
bool deja__describe_has_names(const deja__node *node, const deja_field *field);
/* The type that one call names, as far as the call tells; and whether it is one named before. */
deja__node *deja__describe_node(deja__describer *d, const deja_field *field);
bool deja__describe_is_same(const deja__node *node, const deja_field *field);
/* Fails where it is not. */
void deja__describe_fail_other(deja__describer *d, const deja__node *expected,
                               const deja_field *field);

/* ---- calls ---- */

/* Finds or makes the node of a call that is no tag and no close; NULL once it failed. The caller
 * then either enters it or is done with it. */
deja__node *deja__describe_place(deja__describer *d, const deja_field *field);
/* Goes into a node whose `answered` items, or one value, come next. */
void deja__describe_enter(deja__describer *d, deja__node *node, const deja_field *field,
                          uint32_t answered);
/* Tells that the value of the call just placed is whole. */
void deja__describe_done(deja__describer *d);
/* The kind that a tag was named for, NULL once it failed; the caller chooses an alternative. */
deja__node *deja__describe_tag(deja__describer *d, const deja_field *field);
void deja__describe_choose(deja__describer *d, uint32_t place);
void deja__describe_close(deja__describer *d, uint32_t kind);

/* Whether a call says something that can be; not yet whether it belongs where it is. */
bool deja__describe_check_call(deja__describer *d, const deja_field *field);
/* Whether the memory that a call names lies in the value. */
bool deja__describe_is_inside(const deja__describer *d, const deja_field *field);
/* Keeps the memory that a call names; at the end, none of it may be named twice. */
bool deja__describe_note_range(deja__describer *d, const deja_field *field);
void deja__describe_check_ranges(deja__describer *d);

/* The root's frame, and its end. */
void deja__describe_begin(deja__describer *d);
void deja__describe_end(deja__describer *d);

/* Whether every alternative of each kind in it was seen to its end. */
bool deja__describe_is_whole(const deja__node *node);

/* The nearest name for what a call names: its own, or that of what it is in. */
const char *deja__describe_name(const deja__describer *d, const deja_field *field);
/* The name of what a call is in, or NULL. */
const char *deja__describe_outer_name(const deja__describer *d);

#endif
