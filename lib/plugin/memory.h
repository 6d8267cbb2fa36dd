/* SPDX-License-Identifier: MIT */
/*
 * Raw memory of loaded libraries, and the names of what lies in it: what segments.c is built from.
 */
#ifndef DEJA_PLUGIN_MEMORY_H
#define DEJA_PLUGIN_MEMORY_H

#include "plugin/object.h"

/* ---- bytes, whatever an address sanitizer thinks of the gaps between variables ---- */

bool deja__memory_is_equal(const void *a, const void *b, uint64_t size);
/* Makes target equal to source, writing only words that differ. */
void deja__memory_put(void *target, const void *source, uint64_t size);
/* The first place from `at` on where they differ, or `size`. */
uint64_t deja__memory_difference(const void *a, const void *b, uint64_t at, uint64_t size);

/* How many of the pointers that may lie in these bytes point into the heap, or into other memory
 * that is mapped without a file and is not part of a loaded object. */
deja_code deja__memory_heap_words(const void *bytes, uint64_t size, uint64_t *count,
                                  deja_error *err);

/* ---- names ---- */

typedef struct deja__symbols deja__symbols;

/* A variable, or a section, of a loaded object. */
typedef struct deja__place {
    uintptr_t address;
    uint64_t size;
    uint64_t name; /* offset in the names */
} deja__place;

deja__symbols *deja__symbols_create(void);
void deja__symbols_destroy(deja__symbols *names); /* NULL is fine */
/* Notes the variables that lie in writable segments, and the writable sections, of an object. */
void deja__symbols_add(deja__symbols *names, const deja__object *object);
/* Sorts them, when all are there. DEJA_ENOMEM where one could not be noted. */
deja_code deja__symbols_finish(deja__symbols *names, deja_error *err);

/* The variable that an address lies in, or NULL. *end is where it ends, or else where the next
 * variable starts. */
const deja__place *deja__symbol_at(const deja__symbols *names, uintptr_t address, uintptr_t *end);
/* Writes what people call the place: "next_id", "helper.so:next_id", or by section where there is
 * no name, "game.so+0x4028 (.bss+0x8)". */
void deja__symbols_print(const deja__symbols *names, const deja__place *variable, uintptr_t address,
                         char *text, size_t size);

/* Whether a symbol or a section is a coverage counter: these outlive sessions. */
bool deja__is_coverage(const char *name);

#endif
