/* SPDX-License-Identifier: MIT */
/*
 * A plan as it is run: see codec_plan.c, which makes it. Inline, as it is run once a step.
 */
#ifndef DEJA_FIELDS_CODEC_PLAN_H
#define DEJA_FIELDS_CODEC_PLAN_H

#include "fields/codec_parts.h"

enum deja__load_how {
    DEJA__COPY,
    DEJA__COPY1,
    DEJA__COPY2,
    DEJA__COPY4,
    DEJA__COPY8,
    DEJA__ENUM4,
    DEJA__CHECKED
};

typedef struct deja__load_op {
    uint32_t how;
    uint32_t source;
    uint32_t target;
    uint32_t count; /* bytes of a copy, values of DEJA__CHECKED, names of DEJA__ENUM4 */
    deja__scalar scalar;
} deja__load_op;

typedef struct deja__load_case {
    uint64_t size; /* of its canonical bytes, tag included */
    uint32_t first;
    uint32_t end; /* ops[first] up to here are its own */
    bool covers;  /* the ops write every byte of the value */
    bool same;    /* the value is its canonical bytes, nothing before or behind */
} deja__load_case;

struct deja__load_plan {
    uint64_t value_size;
    bool zeroes; /* a value that was just made is all zeros */
    bool tagged;
    uint32_t count;
    deja__load_case *alternatives;
    deja__load_op *ops;
    uint32_t op_count;
    uint32_t op_room;
};

/* ---- running ---- */

static inline bool deja__load_op_run(const deja__load_op *o, unsigned char *value,
                                     const unsigned char *bytes)
{
    unsigned char *target = value + o->target;
    const unsigned char *source = bytes + o->source;
    uint32_t place;
    switch (o->how) {
    case DEJA__COPY1:
        *target = *source;
        return true;
    case DEJA__COPY2:
        memcpy(target, source, 2);
        return true;
    case DEJA__COPY4:
        memcpy(target, source, 4);
        return true;
    case DEJA__COPY8:
        memcpy(target, source, 8);
        return true;
    case DEJA__COPY:
        memcpy(target, source, o->count);
        return true;
    case DEJA__ENUM4:
        place = deja__load16(source);
        memcpy(target, &place, 4);
        return place < o->count;
    default:
        return deja__scalars_load(&o->scalar, source, o->count, target) == o->count;
    }
}

/* Usual sizes are instructions, not calls. */
static inline void deja__copy_small(void *target, const void *source, uint64_t size)
{
    if (size == 4)
        memcpy(target, source, 4);
    else if (size == 8)
        memcpy(target, source, 8);
    else
        memcpy(target, source, (size_t)size);
}

/* Loads into a value that has just been made, or, of a type without init, into any. false: the
 * bytes are not valid, and the value may be half of each. */
static inline bool deja__load_plan_run(const deja__load_plan *plan, void *value,
                                       const unsigned char *bytes, uint64_t size)
{
    const deja__load_case *chosen = plan->alternatives;
    if (plan->tagged) {
        const uint32_t tag = size >= 2 ? deja__load16(bytes) : UINT32_MAX;
        if (tag >= plan->count)
            return false;
        chosen += tag;
    }
    if (size != chosen->size)
        return false;
    if (chosen->same) {
        deja__copy_small(value, bytes, size);
        return true;
    }
    if (plan->zeroes && !chosen->covers)
        memset(value, 0, (size_t)plan->value_size);
    for (uint32_t i = chosen->first; i < chosen->end; i++)
        if (!deja__load_op_run(&plan->ops[i], value, bytes))
            return false;
    return true;
}

#endif
