/* SPDX-License-Identifier: MIT */
/*
 * Which version of the library runs: a program may be built against another. And of which sources
 * it was built: two processes that share memory must be of the same.
 */
#include "base/base.h"

#ifndef DEJA_SOURCES
#define DEJA_SOURCES 0u /* not built by the Makefile */
#endif

const char *deja_version(void)
{
    return DEJA_VERSION;
}

uint32_t deja__sources(void)
{
    return DEJA_SOURCES;
}
