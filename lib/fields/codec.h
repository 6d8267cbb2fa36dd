/* SPDX-License-Identifier: MIT */
/*
 * The fast way between a library's values in memory and canonical bytes: the host's side of
 * <deja/rules.h>. Runs library code, so only recorders, workers and a game's own tests use it.
 *
 * Writing lends the description a window of 4,096 bytes. What does not fit is asked for: the host
 * drains the window into the sink (a buffer when saving, a streaming XXH3 when hashing; large
 * arrays are hashed where they lie), and sections and blocks nest.
 *
 * Loading a small flat value (each scalar at a fixed offset of its struct, as commands are) goes by
 * a plan that describing it has shown: copies from byte offsets to struct offsets. The plan is
 * checked against the visitor for every alternative when the codec is made, and not used where the
 * two differ.
 */
#ifndef DEJA_FIELDS_CODEC_H
#define DEJA_FIELDS_CODEC_H

#include <deja/layout.h>
#include <deja/rules.h>

#include "base/base.h"

/* Learns a type's layout by loading made-up values until every alternative of every kind was seen.
 * Breaches (a name twice, a struct not closed, calls that depend on values, a kind this deja does
 * not know) are DEJA_EUNFIT, and the message names the field. */
deja_code deja__describe(deja_layout **out, const deja_type *type, deja_error *err);

typedef struct deja__codec deja__codec;

/* Borrows both until it is destroyed. `layout` is what deja__describe told of the type. */
deja_code deja__codec_create(deja__codec **out, const deja_type *type, const deja_layout *layout,
                             deja_error *err);
void deja__codec_destroy(deja__codec *codec);
/* Memory for one value: zeroed and made by init. release finishes and frees it; NULL is fine. */
void *deja__codec_value_create(const deja__codec *codec);
void deja__codec_value_destroy(const deja__codec *codec, void *value);

/* Appends the canonical bytes. DEJA_ERULES: the value breaks its description ("'list' has 9 values,
 * its most is 8"). */
deja_code deja__codec_save(deja__codec *codec, const void *value, deja_buffer *out,
                           deja_error *err);
/* Appends the canonical bytes for hashing. */
deja_code deja__codec_save_hashed(deja__codec *codec, const void *value, deja_buffer *out,
                                  deja_error *err);
/* The state hash. */
deja_code deja__codec_hash(deja__codec *codec, const void *value, uint64_t *hash, deja_error *err);
/* Loads canonical bytes into a value that was created (or loaded before). The bytes must be valid
 * for the layout: validate what comes from outside first. On failure the value is as created. */
deja_code deja__codec_load(deja__codec *codec, void *value, const void *bytes, uint64_t size,
                           deja_error *err);
/* Whether loading goes by a plan. */
bool deja__codec_is_planned(const deja__codec *codec);

#endif
