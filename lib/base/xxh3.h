/* SPDX-License-Identifier: MIT */
/*
 * XXH3, compiled in from its header, for the baseline processor: the library's dispatching variant
 * leaves wide registers dirty, which slows all SSE code of the process, the rules' too; and a call
 * into a shared library costs a small state as much as its hash.
 */
#ifndef DEJA_BASE_XXH3_H
#define DEJA_BASE_XXH3_H

#define XXH_INLINE_ALL
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wcast-qual"
#pragma GCC diagnostic ignored "-Wcast-align"
#pragma GCC diagnostic ignored "-Wundef"
#endif
#include <xxhash.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#endif
