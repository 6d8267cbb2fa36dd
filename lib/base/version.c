/* SPDX-License-Identifier: MIT */
/*
 * Which version of the library runs: a program may be built against another.
 */
#include "base/base.h"

const char *deja_version(void)
{
    return DEJA_VERSION;
}
