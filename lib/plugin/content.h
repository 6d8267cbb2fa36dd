/* SPDX-License-Identifier: MIT */
/*
 * Packs of content: what they may be, and how a session names them (schemas/digests.md).
 */
#ifndef DEJA_PLUGIN_CONTENT_H
#define DEJA_PLUGIN_CONTENT_H

#include <deja/plugin.h>

#include "base/base.h"

enum { DEJA__DIGEST_SIZE = 16 };

/* Whether these packs can be some session's; NULL is none. Fails as deja_content_text() does. */
deja_code deja__content_check(const deja_content *content, deja_error *err);
/* Appends "name=32 hex digits". */
void deja__content_print(deja_buffer *out, const char *name,
                         const unsigned char digest[DEJA__DIGEST_SIZE]);

#endif
