/* SPDX-License-Identifier: MIT */
/*
 * Everything that the command says: answers on stdout, everything else on stderr.
 */
#ifndef DEJA_TOOL_OUTPUT_H
#define DEJA_TOOL_OUTPUT_H

#include <deja/buffer.h>
#include <deja/error.h>
#include <stdbool.h>
#include <stdint.h>

#define TOOL_PRINTF(text, first) __attribute__((format(printf, text, first)))

/* What the command's exit status says; 128 + the signal's number where one ended it. */
enum status {
    STATUS_OK = 0,        /* all that was asked was compared and agrees */
    STATUS_FINDING = 1,   /* diverged */
    STATUS_BROKEN = 3,    /* the rules crashed or hung */
    STATUS_UNKNOWN = 125, /* no verdict with this build */
    STATUS_TROUBLE = 128, /* with the world: files, disk, locks, damage */
    STATUS_USAGE = 129    /* another command line would cure it */
};

/* Of two statuses the one that is to be told. */
int status_worse(int one, int other);
/* What a library call's failure comes to. */
int status_of(deja_code code);
/* What errno says, in the words that the library has for it. */
const char *system_text(int error);

/* ---- starting and ending ---- */

/* Descriptors 0 to 2 that are closed are opened on nothing, so that no file gets their numbers; a
 * pipe that closes and a file that may not grow are seen as errors of write. */
void output_prepare(void);
/* --json was asked for: complaints are told on stdout as well, as JSON. */
void output_use_json(void);
bool output_is_json(void);
/* Writes out what is left. The status to end with: trouble where stdout did not take everything,
 * unless its reader has gone, who then has what he wanted. */
int output_finish(int status);
/* Something could not be put together. */
void output_fail_memory(void);
/* Whether somebody still reads, and did not interrupt: listings stop otherwise. */
bool output_is_wanted(void);

/* ---- stdout ---- */

/* Formats, and appends with whatever could move a cursor, end a line or turn text round escaped.
 * Only out_end() ends a line, so nothing that a file or a library holds can forge one. It leaves no
 * blanks at the end. */
void out_print(const char *format, ...) TOOL_PRINTF(1, 2);
void out_end(void);
/* Both. */
void out_line(const char *format, ...) TOOL_PRINTF(1, 2);
/* Text of several lines, each behind a prefix. */
void out_block(const char *prefix, const char *text);
/* Bytes as they are: JSON, replay texts. */
void out_bytes(const char *bytes, uint64_t size);
/* Hands on what is gathered; it goes by itself where much is. */
void out_flush(void);

enum colour { COLOUR_NONE, COLOUR_BAD, COLOUR_GOOD, COLOUR_FAINT };
/* A word of our own in a colour, where the terminal has any. */
void out_coloured(enum colour colour, const char *word);

/* ---- stderr ---- */

/* One line, "deja: ..."; returns `status`, so that a failing branch is one statement. */
int complain(int status, const char *format, ...) TOOL_PRINTF(2, 3);
/* The same for what a library call said about `what`; NULL where it says itself what it is about,
 * as a store does. */
int complain_of(const char *what, const deja_error *err);
int complain_memory(void);
/* One line that is no failure. */
void remark(const char *format, ...) TOOL_PRINTF(1, 2);

/* Whether progress may be shown: on a terminal that can rub it out, and not in a CI system. */
bool progress_is_shown(void);
/* A clock that only goes on, and what is left of some work at the pace it had. */
uint64_t clock_ms(void);
uint64_t progress_seconds_left(uint64_t ms, uint64_t done, uint64_t all);
/* Shows a line in place of the last one; it is rubbed out before anything else is said. */
void progress_show(const char *format, ...) TOOL_PRINTF(1, 2);
void progress_erase(void);

/* ---- text ---- */

/* Appends text so that it is safe on a terminal and stays in its line. */
void text_escape(deja_buffer *out, const char *text, uint64_t size);
/* The size of the sound UTF-8 character at `at`, its code in *code; 0 where there is none. */
uint32_t text_character(const char *at, uint64_t size, uint32_t *code);
/* Whether a character steers a terminal or the direction of text rather than being seen. */
bool text_is_steering(uint32_t code);
/* What somebody typed (a word, a name, a path), as part of a message: where it is long, its
 * beginning and its end. In one of a few places that take turns, or as it is. */
const char *text_typed(const char *word);
/* Appends a word as a shell reads it. */
void text_quote(deja_buffer *out, const char *word);
/* 4,034: a number for people, in one of a few places that take turns. */
const char *text_count(uint64_t number);

#endif
