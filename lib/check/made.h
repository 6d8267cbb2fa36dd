/* SPDX-License-Identifier: MIT */
/*
 * Commands that are made up from their layout: a fixed row of them, which holds each kind and the
 * ends of each number's range, and any number of random ones. All are valid bytes of the layout;
 * what the rules think of them is for the rules to say.
 *
 *     kind(take{row:u8 n:u8})     take row=0 n=0, take row=1 n=0, ... take row=255 n=0,
 *                                 take row=0 n=1, ... take row=0 n=255
 */
#ifndef DEJA_CHECK_MADE_H
#define DEJA_CHECK_MADE_H

#include <deja/layout.h>
#include <deja/rules.h>

#include "base/base.h"

/* The fixed row. All zero before; released also where it failed. */
typedef struct deja__made {
    deja_buffer bytes; /* one behind another */
    deja_buffer ends;  /* uint64_t each */
    uint32_t count;
} deja__made;

deja_code deja__made_init(deja__made *made, const deja_layout *layout, deja_error *err);
void deja__made_release(deja__made *made);
deja_span deja__made_at(const deja__made *made, uint32_t place);

/* Appends a random one: mostly of small numbers. */
void deja__made_random(const deja_layout *layout, deja_luck *luck, deja_buffer *out);

#endif
