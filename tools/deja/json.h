/* SPDX-License-Identifier: MIT */
/*
 * JSON, one object a line. The first line of an output, {"type":"deja","schema":1}, comes first.
 *
 *     json_begin("session");
 *     json_text("game", game);
 *     json_number("steps", steps);
 *     json_end();
 *
 * Values within an array have no name: NULL. Numbers are those that every reader keeps exactly
 * (counts); whatever may need 64 bits is text.
 */
#ifndef DEJA_TOOL_JSON_H
#define DEJA_TOOL_JSON_H

#include <stdbool.h>
#include <stdint.h>

enum { JSON_SCHEMA = 1 };

void json_begin(const char *type);
void json_end(void);
/* The last line of all: where a command came to no summary of its own, one that has the status. */
void json_finish(int status);

/* NULL becomes null. */
void json_text(const char *name, const char *text);
void json_number(const char *name, uint64_t number);
void json_bool(const char *name, bool value);
void json_null(const char *name);
/* A 64-bit number, and so many hex digits of one, and bytes in hex: as text. */
void json_decimal(const char *name, uint64_t number);
void json_hex(const char *name, uint64_t number, uint32_t digits);
void json_bytes(const char *name, const void *bytes, uint64_t size);
/* JSON that the library has written. */
void json_value(const char *name, const void *chars, uint64_t size);
void json_open(const char *name, char bracket);
void json_close(char bracket);
/* The words of a text, which have blanks between them, as an array. */
void json_words(const char *name, const char *words);

#endif
