/* SPDX-License-Identifier: MIT */
/*
 * XXH3 piece by piece, for what never lies in one place: ids and row checks. Compiled in from its
 * header for the baseline processor, for the reason that base/hash.c gives.
 */
#ifndef DEJA_STORE_XXH3_H
#define DEJA_STORE_XXH3_H

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
