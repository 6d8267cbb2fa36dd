/* SPDX-License-Identifier: MIT */
/*
 * Random layouts, and random values of any layout: for properties that must hold of all of them.
 * The same luck gives the same ones.
 */
#ifndef DEJA_TESTS_RANDOM_VALUE_H
#define DEJA_TESTS_RANDOM_VALUE_H

#include <deja/layout.h>
#include <deja/rules.h>

struct deja__node;

/* A layout in which every type, shape and nesting comes up; fails the test if it does not parse.
 * The caller destroys it. */
deja_layout *random_layout(deja_luck *luck);

/* Appends the canonical bytes of a valid value, with a liking for the ends of ranges, for empty
 * lists and for text that needs quotes. */
void random_value(deja_luck *luck, const deja_layout *layout, deja_buffer *out);
void random_node_value(deja_luck *luck, const struct deja__node *node, deja_buffer *out);

/* Parses a layout; fails the test if it is not one. */
deja_layout *parse_layout(const char *text);

#endif
