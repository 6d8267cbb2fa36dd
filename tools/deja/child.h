/* SPDX-License-Identifier: MIT */
/*
 * A process for code that may do anything, such as rules. Its stdin and stdout are /dev/null: what
 * rules print is no answer of ours, and what is typed is not theirs to read; stderr stays, for
 * people who debug. It gets no new privileges, ends with its parent, and tells what it does through
 * a pipe: a note's head, then its text.
 *
 * The parent reads notes until there are no more, and then asks how the child ended. An
 * interruption is handed on to the child, which ends when it can, or is ended.
 */
#ifndef DEJA_TOOL_CHILD_H
#define DEJA_TOOL_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct child {
    pid_t process;
    int notes;   /* the end of the pipe to read from */
    bool told;   /* to stop, or not to be told */
    bool killed; /* it was not well */
    /* Asked about ten times a second while it is waited for; false kills it. NULL: it is well. */
    bool (*is_well)(void *user);
    void *user;
} child;

/* Starts it; `work` is called there with its end of the pipe, and the process ends when it returns,
 * without the exit handlers of whatever it has loaded. false with errno. */
bool child_start(child *out, void (*work)(void *user, int notes), void *user);
/* The next bytes. False where no more come: the pipe is closed, or the child is gone. */
bool child_read(child *from, void *bytes, size_t size);
/* Waits for it: how it ended, as waitpid() tells it. */
int child_end(child *ended);
/* Says how in words that go on after "the rules": "crashed (Segmentation fault: SIGSEGV)". */
void child_say_end(int how, char *words, size_t size);

/* ---- in the child ---- */

/* Sends a note. A process that the rules have forked comes here as well: it ends. */
bool child_send(int notes, const void *head, size_t size, const char *text, size_t text_size);
/* Writes all of it to any descriptor. */
bool child_write(int descriptor, const void *bytes, size_t size);
/* The signal that told it to stop, or 0. It then has a few seconds... */
int child_stopped(void);
/* ...unless it says that it is ending, and may take its time. */
void child_is_ending(void);

#endif
