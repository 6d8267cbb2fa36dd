/* SPDX-License-Identifier: MIT */
/*
 * What the texts of a store must look like: asked of callers when they write, and of rows when they
 * are read, so that a stranger's store holds nothing that a writer could not have put there.
 */
#ifndef DEJA_STORE_VALID_H
#define DEJA_STORE_VALID_H

#include <deja/store.h>

#include "base/base.h"

enum {
    DEJA__WORD_MAX = 64 * 1024, /* bytes of a platform, a content, a list of names, ... */
    DEJA__MARK_MAX = 64 * 1024  /* bytes of a mark */
};

/* UTF-8 without control characters, at most `most` bytes. */
bool deja__is_plain(const char *text, uint64_t size, uint64_t most);
/* "" or "name=32 hex digits", with spaces between, names rising. */
bool deja__is_content(const char *text, uint64_t size);
/* "" or names with single spaces between; *count may be NULL. */
bool deja__is_names(const char *text, uint64_t size, uint32_t *count);
/* A game's id: names with dots between them. */
bool deja__is_game_id(const char *text, uint64_t size);
/* The layout of a game that described nothing: its values are any bytes. */
bool deja__is_opaque(const char *layout);

#endif
