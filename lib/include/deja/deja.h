/* SPDX-License-Identifier: MIT */
/**
 * @file deja/deja.h
 * Everything the library offers. What is not reachable from here, rules.hpp and driver.h is no
 * API.
 *
 * Rules that hold for every call:
 *   - Failure is a negative deja_code; details go to an optional `deja_error *`, the last
 *     parameter. A call that succeeds leaves it as it was.
 *   - `**out` comes first and is owned by the caller; a returned pointer is borrowed from the
 *     object it came from.
 *   - `_open` pairs with `_close`, `_create` with `_destroy`. Every release accepts NULL.
 *   - A handle is used by one thread at a time unless its type says more.
 *   - Option structs begin with their size and grow at their end; start from `_INIT`.
 *   - Strings are UTF-8. Nothing is printed, and nothing is read from the environment or the
 *     locale.
 */
#ifndef DEJA_DEJA_H
#define DEJA_DEJA_H

#include <deja/buffer.h>
#include <deja/check.h>
#include <deja/error.h>
#include <deja/journal_read.h>
#include <deja/layout.h>
#include <deja/plugin.h>
#include <deja/recorder.h>
#include <deja/replay.h>
#include <deja/rules.h>
#include <deja/store.h>
#include <deja/text.h>

#endif
