/* SPDX-License-Identifier: MIT */
/*
 * Writing JSON. Lines are put together in one buffer that lives as long as the process; a comma is
 * due wherever the last character neither opened something nor was a colon.
 *
 * Characters that steer a terminal are escaped in JSON's own way, so a stream that somebody looks
 * at is as safe as the other output, and any reader gets the same text back.
 */
#include "json.h"

#include <deja/buffer.h>
#include <stdio.h>
#include <string.h>

#include "output.h"

static deja_buffer line;
static bool begun;
static bool summed_up; /* the last line was a summary */

static void add(const char *text)
{
    deja_buffer_text(&line, text);
}

static void add_name(const char *name)
{
    const char last = line.size ? (char)line.bytes[line.size - 1] : '{';
    if (last != '{' && last != '[')
        add(",");
    if (name) {
        add("\"");
        add(name);
        add("\":");
    }
}

/* A character as JSON has it in text: two units where it lies beyond the first 65,536. */
static void add_unit(uint32_t code)
{
    char text[16];
    if (code > 0xffff)
        snprintf(text, sizeof text, "\\u%04x\\u%04x", (unsigned)(0xd800 + ((code - 0x10000) >> 10)),
                 (unsigned)(0xdc00 + ((code - 0x10000) & 0x3ff)));
    else
        snprintf(text, sizeof text, "\\u%04x", (unsigned)code);
    add(text);
}

/* `within`: the text is JSON already, whose quotes and backslashes stand for themselves. */
static void add_characters(const char *text, uint64_t size, bool within)
{
    while (size != 0) {
        uint32_t code;
        const uint32_t count = text_character(text, size, &code);
        if (count == 0)
            add_unit(0xfffd);
        else if (!within && code == '\n')
            add("\\n");
        else if (!within && (code == '"' || code == '\\'))
            add(code == '"' ? "\\\"" : "\\\\");
        else if (text_is_steering(code))
            add_unit(code);
        else
            deja_buffer_add(&line, text, count);
        text += count ? count : 1;
        size -= count ? count : 1;
    }
}

static void start_line(const char *type)
{
    deja_buffer_clear(&line);
    add("{\"type\":");
    add("\"");
    add(type);
    add("\"");
}

void json_begin(const char *type)
{
    if (!begun) {
        begun = true;
        start_line("deja");
        json_number("schema", JSON_SCHEMA);
        json_end();
    }
    start_line(type);
    summed_up = strcmp(type, "summary") == 0;
}

void json_finish(int status)
{
    if (summed_up || (!begun && status == STATUS_OK))
        return;
    json_begin("summary");
    json_number("status", (uint64_t)status);
    json_end();
}

void json_end(void)
{
    add("}\n");
    /* Nothing is better than half a line; the loss shows as one in output_finish(). */
    if (line.failed)
        output_fail_memory();
    else
        out_bytes((const char *)line.bytes, line.size);
    deja_buffer_clear(&line);
}

void json_text(const char *name, const char *text)
{
    if (!text) {
        json_null(name);
        return;
    }
    add_name(name);
    add("\"");
    add_characters(text, strlen(text), false);
    add("\"");
}

void json_number(const char *name, uint64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    add_name(name);
    add(text);
}

void json_bool(const char *name, bool value)
{
    add_name(name);
    add(value ? "true" : "false");
}

void json_null(const char *name)
{
    add_name(name);
    add("null");
}

void json_decimal(const char *name, uint64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    json_text(name, text);
}

void json_hex(const char *name, uint64_t number, uint32_t digits)
{
    char text[32];
    snprintf(text, sizeof text, "%0*llx", (int)digits, (unsigned long long)number);
    json_text(name, text);
}

void json_bytes(const char *name, const void *bytes, uint64_t size)
{
    const unsigned char *source = bytes;
    add_name(name);
    add("\"");
    for (uint64_t i = 0; i < size; i++) {
        const char text[3] = { "0123456789abcdef"[source[i] >> 4],
                               "0123456789abcdef"[source[i] & 15], '\0' };
        add(text);
    }
    add("\"");
}

void json_value(const char *name, const void *chars, uint64_t size)
{
    add_name(name);
    add_characters(chars, size, true);
}

void json_open(const char *name, char bracket)
{
    add_name(name);
    deja_buffer_char(&line, bracket);
}

void json_close(char bracket)
{
    deja_buffer_char(&line, bracket);
}

void json_words(const char *name, const char *words)
{
    json_open(name, '[');
    while (words && *words) {
        const size_t size = strcspn(words, " ");
        if (size != 0) {
            add_name(NULL);
            add("\"");
            add_characters(words, size, false);
            add("\"");
        }
        words += size + (words[size] == ' ');
    }
    json_close(']');
}
