/* SPDX-License-Identifier: MIT */
/**
 * @file deja/plugin.h
 * A rules library, loaded into this process and described.
 *
 * Opening runs the library's code: its constructors, its inits and its descriptions. Do it where a
 * crash or a hang does no harm; deja_inspect() (deja/replay.h) does it in a worker.
 */
#ifndef DEJA_PLUGIN_H
#define DEJA_PLUGIN_H

#include <deja/buffer.h>
#include <deja/error.h>
#include <deja/layout.h>
#include <deja/rules.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct deja_plugin deja_plugin;

/** Which of a game's four types. */
enum deja_type_index { DEJA_STATE = 0, DEJA_COMMAND = 1, DEJA_EVENT = 2, DEJA_CONFIG = 3 };

/**
 * Loads a rules library, checks its table and describes its types.
 * @param[out] out owned by the caller, release with deja_plugin_close(); NULL on failure
 * @param path     of the shared object, as open() takes it (a bare name is a file here, never one
 *                 of the system's libraries)
 * @return DEJA_OK; DEJA_EIO no such file, or it cannot be read; DEJA_EUNFIT not a library, no
 *         `deja_rules` in it, another ABI, a table or a description that is unsound; DEJA_ENOMEM
 */
DEJA_API deja_code deja_plugin_open(deja_plugin **out, const char *path, deja_error *err);
/**
 * The same for rules that are linked into this program.
 * @param table borrowed until the plugin is closed
 */
DEJA_API deja_code deja_plugin_from_table(deja_plugin **out, const deja_rules_table *table,
                                          deja_error *err);
DEJA_API void deja_plugin_close(deja_plugin *plugin);

/** The table: a copy whose later members are zero where the library is older. Borrowed until the
 *  plugin is closed, as everything below. */
DEJA_API const deja_rules_table *deja_plugin_table(const deja_plugin *plugin);
/** The layout of one of its types (enum deja_type_index). */
DEJA_API const deja_layout *deja_plugin_layout(const deja_plugin *plugin, uint32_t type);
/** The names of its refusals and of its outcomes, with spaces between: as stored. */
DEJA_API const char *deja_plugin_refusals(const deja_plugin *plugin);
DEJA_API const char *deja_plugin_outcomes(const deja_plugin *plugin);
/** The content digest of the build: XXH3-128 of the file, and of the libraries that it brought
 *  along (libc and its kin are the platform's). All zero for a table in a program whose file cannot
 *  be read. */
DEJA_API const unsigned char *deja_plugin_digest(const deja_plugin *plugin);
/** The default config's canonical bytes. */
DEJA_API deja_span deja_plugin_config_default(const deja_plugin *plugin);
/**
 * Whether the object itself shows that it can keep nothing between sessions but in its writable
 * segments: needs no library but libc, imports nothing outside a fixed list of memory and string
 * functions, has no thread-local storage, no constructors and no unique symbols.
 * @param[out] why one line of why not; may be NULL; borrowed
 */
DEJA_API bool deja_plugin_is_closed(const deja_plugin *plugin, const char **why);
/** The seat of the bot of that name, or -1. */
DEJA_API int32_t deja_plugin_bot_find(const deja_plugin *plugin, const char *name);

/* ---- content ---- */

/** Packs of one session, and bytes of all of them together. */
#define DEJA_CONTENT_PACKS_MAX 256
#define DEJA_CONTENT_SIZE_MAX ((uint64_t)1 << 30)

/**
 * What a session says of its content: "name=32 hex digits" with spaces between, names rising
 * (schemas/digests.md); nothing for none. Runs no code of a library. Any thread.
 * @param content NULL for none; in any order
 * @param[in,out] out takes the text at its end; where this fails, nothing
 * @return DEJA_OK; DEJA_EMISUSE: a name that is none (they are made as field names are), or is
 *         there twice, or bytes that are missing; DEJA_ELIMIT: too many packs, or too large;
 *         DEJA_ENOMEM
 */
DEJA_API deja_code deja_content_text(const deja_content *content, deja_buffer *out,
                                     deja_error *err);

#ifdef __cplusplus
}
#endif

#endif
