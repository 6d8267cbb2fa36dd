/* SPDX-License-Identifier: MIT */
/*
 * SIGINT and SIGTERM: noted, and looked at where work can stop.
 */
#ifndef DEJA_TOOL_INTERRUPT_H
#define DEJA_TOOL_INTERRUPT_H

#include <stdbool.h>
#include <sys/types.h>

/* Signals that were ignored when deja was started stay so. */
void interrupt_prepare(void);
/* The signal that came, or 0. */
int interrupt_signal(void);
/* While this is so, a signal ends the process at once: for calls that may take long, write nothing,
 * and cannot be told to stop. */
void interrupt_ends_at_once(bool at_once);
/* A process that a second signal is to kill; 0 for none. */
void interrupt_take_along(pid_t process);

#endif
