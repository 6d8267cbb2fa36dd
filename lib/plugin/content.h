/* SPDX-License-Identifier: MIT */
/*
 * Packs of content: what they may be, how a session names them (schemas/digests.md), and which of
 * those that were given a session needs.
 */
#ifndef DEJA_PLUGIN_CONTENT_H
#define DEJA_PLUGIN_CONTENT_H

#include <deja/plugin.h>

#include "base/base.h"

enum { DEJA__DIGEST_SIZE = 16 };

/* Whether these packs can be some session's; NULL is none. Fails as deja_content_text() does. */
deja_code deja__content_check(const deja_content *content, deja_error *err);
/* The same packs in rising order of names, in which every start is given them. `packs` has room for
 * as many. */
deja_content deja__content_in_order(const deja_content *content, deja_content_pack *packs);
/* Appends "name=32 hex digits". */
void deja__content_print(deja_buffer *out, const char *name,
                         const unsigned char digest[DEJA__DIGEST_SIZE]);

/* Packs that were given, and their digests. */
typedef struct deja__catalog {
    deja_content given; /* borrowed */
    unsigned char (*digests)[DEJA__DIGEST_SIZE];
} deja__catalog;

/* NULL is no packs. Release it also where it failed. */
deja_code deja__catalog_open(deja__catalog *catalog, const deja_content *content, deja_error *err);
void deja__catalog_release(deja__catalog *catalog);
/* Appends the numbers (u32) of the packs that a session's content names, in their order; what is
 * missing or has another digest is told in `why`, which stays as it is where all are there. */
deja_code deja__catalog_choose(const deja__catalog *catalog, const char *content,
                               deja_buffer *numbers, deja_buffer *why, deja_error *err);

#endif
