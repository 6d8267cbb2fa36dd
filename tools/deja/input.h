/* SPDX-License-Identifier: MIT */
/*
 * Frames as text: what players pressed and let go of, and when, for games of ticks.
 *
 *     # a comment; times are milliseconds
 *     0                      the first frame: from here on steps are counted
 *     16.6 +right            in this frame right was found pressed
 *     33.3 1:+left -right    and here; players are counted from 0, and 0 need not be named
 *     50 -right@41.5         with the time at which it happened
 *     * 20                   20 frames more, each as long as the one above, without a key
 *
 * What has no time of its own happened right behind the frame before. A driver (<deja/driver.h>)
 * makes steps of it, so that each step of a game is a command: the inputs of all players.
 */
#ifndef DEJA_TOOL_INPUT_H
#define DEJA_TOOL_INPUT_H

#include <deja/plugin.h>

typedef struct input_script {
    deja_buffer commands; /* canonical bytes, one behind another */
    uint64_t size;        /* of one */
    uint64_t dropped;     /* steps for which a frame was too long */
} input_script;

enum { INPUT_TEXT_MAX = 512 };

/* Makes the commands of a game. STATUS_OK, or why not in `why`. Released in either case. */
int input_read(input_script *out, const deja_plugin *plugin, deja_span text,
               char why[INPUT_TEXT_MAX]);
void input_release(input_script *script);

#endif
