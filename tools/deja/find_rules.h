/* SPDX-License-Identifier: MIT */
/*
 * From what is typed as RULES to the library's path.
 */
#ifndef DEJA_TOOL_FIND_RULES_H
#define DEJA_TOOL_FIND_RULES_H

#include <deja/replay.h>

/* The path, which the caller frees; NULL after having complained, with the status in *status. */
char *find_rules(const char *word, int *status);
/* Looks into a library, in a worker. STATUS_OK, or it has complained; then there is nothing to
 * release. */
int inspect_rules(deja_rules_info *info, const char *path);

#endif
