/* SPDX-License-Identifier: MIT */
/*
 * What commands that play games take from the command line, held against the rules, in the child
 * that has loaded them: it has nobody to complain to, so what is wrong is put into a text.
 */
#ifndef DEJA_TOOL_SETTINGS_H
#define DEJA_TOOL_SETTINGS_H

#include <deja/plugin.h>

#include "args.h"

enum { SETTINGS_TEXT_MAX = 4096 };

/* Puts a failure into words, "WHAT: message (step n)"; returns `status`. */
int settings_fail(char text[SETTINGS_TEXT_MAX], int status, const char *what,
                  const deja_error *err);
/* Whether a failure of playing is about the rules; else it is about the store, which says so. */
bool settings_blame_rules(deja_code code);
/* Whether each bot of a list is one of the game's, or `also`, where that is not NULL. */
int settings_bots(const args *given, const char *bots, const char *also, const deja_plugin *plugin,
                  char text[SETTINGS_TEXT_MAX]);
/* The default config with each --set done to it, in *config; empty without any. */
int settings_config(const args *given, const deja_plugin *plugin, deja_buffer *config,
                    char text[SETTINGS_TEXT_MAX]);

#endif
