/* SPDX-License-Identifier: MIT */
/*
 * What workers and recorders need of a plugin beyond <deja/plugin.h>.
 */
#ifndef DEJA_PLUGIN_PLUGIN_H
#define DEJA_PLUGIN_PLUGIN_H

#include <deja/plugin.h>

#include "base/base.h"
#include "fields/codec.h"

/* The type with its description. Borrowed. */
const deja_type *deja__plugin_type(const deja_plugin *plugin, uint32_t type);

/*
 * The library as it was loaded: a copy of the writable segments of every object that opening
 * brought in (libc and its kin left out), taken straight after it was loaded and before any of its
 * code ran but its constructors.
 *
 * deja__plugin_can_restore is false, with a reason, where the copy holds heap addresses, is larger
 * than 4 MiB, or the library is not closed: then fork for each session.
 */
bool deja__plugin_can_restore(const deja_plugin *plugin, const char **why);
/* Puts the segments back. `changed`, where not NULL, is called for each run of bytes that differed:
 * its address, and "object+0xoffset" or the variable's name where .symtab or .dynsym tells.
 * Returns the number of such runs. */
uint32_t deja__plugin_restore(deja_plugin *plugin,
                              void (*changed)(void *user, const char *name, uint64_t size),
                              void *user);

/* The platform as stored: "x86_64-linux-gnu glibc-2.36 sse4.2 avx2 ... round-nearest". */
deja_code deja__platform_text(deja_buffer *out, deja_error *err);
/* Its last words alone, each with a space before it: the float environment that there is now. */
void deja__platform_floats(deja_buffer *out);

#endif
