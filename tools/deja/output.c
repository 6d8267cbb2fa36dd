/* SPDX-License-Identifier: MIT */
/*
 * stdout and stderr.
 *
 * stdout is gathered in a buffer of our own rather than stdio's, for two questions that stdio does
 * not answer well: did every byte arrive, and if not, was it because the reader went away (that is
 * his right, and no trouble) or because the disk is full (that is trouble, and the status says it).
 */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "interrupt.h"
#include "json.h"

enum { GATHER_SIZE = 64 * 1024 };

static struct {
    deja_buffer gathered;
    int error; /* of the write that failed */
    bool json;
    bool coloured;
    bool progress; /* a progress line stands on the terminal */
} output;

/* ---- statuses ---- */

/* Signals are not in the list: they come first. */
static size_t status_rank(int status)
{
    static const int order[] = { STATUS_USAGE,  STATUS_TROUBLE, STATUS_FINDING,
                                 STATUS_BROKEN, STATUS_UNKNOWN, STATUS_OK };
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (status == order[i])
            return i + 1;
    return 0;
}

int status_worse(int one, int other)
{
    return status_rank(other) < status_rank(one) ? other : one;
}

int status_of(deja_code code)
{
    switch (code) {
    case DEJA_OK:
        return STATUS_OK;
    case DEJA_EUNFIT:
        return STATUS_UNKNOWN;
    case DEJA_ERULES:
        return STATUS_BROKEN;
    case DEJA_EREFUSED:
    case DEJA_ENOTFOUND:
    case DEJA_EAMBIGUOUS:
    case DEJA_EMISUSE:
        return STATUS_USAGE;
    default:
        return STATUS_TROUBLE;
    }
}

const char *system_text(int error)
{
    const char *text = deja_system_text(error);
    return text ? text : strerror(error);
}

/* ---- starting and ending ---- */

/* 0, or the error that ended it. */
static int write_all(int descriptor, const void *bytes, uint64_t size)
{
    const unsigned char *at = bytes;
    while (size != 0) {
        const ssize_t wrote = write(descriptor, at, size);
        if (wrote < 0 && errno != EINTR)
            return errno;
        at += wrote > 0 ? wrote : 0;
        size -= wrote > 0 ? (uint64_t)wrote : 0;
    }
    return 0;
}

static bool terminal_takes_colour(int descriptor)
{
    const char *no_colour = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    return isatty(descriptor) && !(no_colour && *no_colour) && term && strcmp(term, "dumb") != 0;
}

void output_prepare(void)
{
    for (int descriptor = 0; descriptor <= 2; descriptor++) {
        /* A closed stdout stays one that cannot be written to. */
        if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) {
            const int opened = open("/dev/null", descriptor == 2 ? O_WRONLY : O_RDONLY);
            if (opened >= 0 && opened != descriptor) {
                dup2(opened, descriptor);
                close(opened);
            }
        }
    }
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    output.coloured = terminal_takes_colour(STDOUT_FILENO);
}

void output_use_json(void)
{
    output.json = true;
    output.coloured = false;
}

bool output_is_json(void)
{
    return output.json;
}

bool output_is_wanted(void)
{
    return output.error == 0 && !interrupt_signal();
}

void output_fail_memory(void)
{
    if (output.error == 0)
        output.error = ENOMEM;
}

int output_finish(int status)
{
    progress_erase();
    if (output.json)
        json_finish(status);
    if (output.gathered.failed)
        output_fail_memory();
    out_flush();
    deja_buffer_release(&output.gathered);
    if (output.error == 0 || output.error == EPIPE)
        return status;
    output.json = false;
    return status_worse(status,
                        complain(STATUS_TROUBLE, "standard output: %s", system_text(output.error)));
}

/* ---- stdout ---- */

void out_flush(void)
{
    if (output.gathered.size == 0)
        return;
    progress_erase();
    if (output.error == 0)
        output.error = write_all(STDOUT_FILENO, output.gathered.bytes, output.gathered.size);
    output.gathered.size = 0;
}

void out_bytes(const char *bytes, uint64_t size)
{
    deja_buffer_add(&output.gathered, bytes, size);
    if (output.gathered.size >= GATHER_SIZE)
        out_flush();
}

/* Formats into a buffer of its own; the text is escaped as a whole, the formats have no need of
 * anything that is. */
static void format_escaped(deja_buffer *out, const char *format, va_list arguments)
    TOOL_PRINTF(2, 0);
static void format_escaped(deja_buffer *out, const char *format, va_list arguments)
{
    char small[512];
    va_list again;
    va_copy(again, arguments);
    const int size = vsnprintf(small, sizeof small, format, arguments);
    if (size >= 0 && (size_t)size < sizeof small) {
        text_escape(out, small, (uint64_t)size);
    } else if (size >= 0) {
        char *large = malloc((size_t)size + 1);
        if (large) {
            vsnprintf(large, (size_t)size + 1, format, again);
            text_escape(out, large, (uint64_t)size);
        } else {
            out->failed = true;
        }
        free(large);
    }
    va_end(again);
}

void out_print(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    format_escaped(&output.gathered, format, arguments);
    va_end(arguments);
}

/* Columns are padded, and the last one may be empty. */
void out_end(void)
{
    deja_buffer *out = &output.gathered;
    while (out->size != 0 && out->bytes[out->size - 1] == ' ')
        out->size--;
    out_bytes("\n", 1);
}

void out_line(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    format_escaped(&output.gathered, format, arguments);
    va_end(arguments);
    out_end();
}

void out_block(const char *prefix, const char *text)
{
    while (*text) {
        const size_t size = strcspn(text, "\n");
        const size_t margin = strlen(prefix);
        const bool bare = size == 0 && margin != 0 && prefix[margin - 1] == ' ';
        out_print("%.*s", (int)(bare ? margin - 1 : margin), prefix);
        text_escape(&output.gathered, text, size);
        out_end();
        text += size + (text[size] == '\n');
    }
}

void out_coloured(enum colour colour, const char *word)
{
    static const char *const codes[] = { "", "\033[1;31m", "\033[32m", "\033[2m" };
    const bool coloured = output.coloured && colour != COLOUR_NONE;
    if (coloured)
        deja_buffer_text(&output.gathered, codes[colour]);
    out_print("%s", word);
    if (coloured)
        deja_buffer_text(&output.gathered, "\033[0m");
}

/* ---- stderr ---- */

/* One write, so that lines of several processes stay whole. Nobody can be told of a failure. */
static void write_line(deja_buffer *line)
{
    deja_buffer_char(line, '\n');
    progress_erase();
    out_flush();
    write_all(STDERR_FILENO, line->bytes, line->failed ? 0 : line->size);
    deja_buffer_release(line);
}

static void say(int status, const char *format, va_list arguments) TOOL_PRINTF(2, 0);
static void say(int status, const char *format, va_list arguments)
{
    deja_buffer line = { 0 };
    deja_buffer_text(&line, "deja: ");
    const uint64_t start = line.size;
    format_escaped(&line, format, arguments);
    if (output.json && status != STATUS_OK && !line.failed) {
        json_begin("error");
        json_number("status", (uint64_t)status);
        json_text("message", (const char *)line.bytes + start);
        json_end();
    }
    write_line(&line);
}

int complain(int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(status, format, arguments);
    va_end(arguments);
    return status;
}

int complain_of(const char *what, const deja_error *err)
{
    return complain(status_of(err->code), "%s%s%s", what ? text_typed(what) : "", what ? ": " : "",
                    err->message);
}

int complain_memory(void)
{
    return complain(STATUS_TROUBLE, "out of memory");
}

void remark(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(STATUS_OK, format, arguments);
    va_end(arguments);
}

/* ---- progress ---- */

bool progress_is_shown(void)
{
    const char *term = getenv("TERM");
    const char *ci = getenv("CI");
    return isatty(STDERR_FILENO) && term && *term && strcmp(term, "dumb") != 0 && !(ci && *ci);
}

uint64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)(now.tv_nsec / 1000000);
}

uint64_t progress_seconds_left(uint64_t ms, uint64_t done, uint64_t all)
{
    const double left = done && all > done ? (double)ms * (double)(all - done) / (double)done : 0;
    return left > 0 ? (uint64_t)(left / 1000) + 1 : 0;
}

void progress_show(const char *format, ...)
{
    deja_buffer line = { 0 };
    va_list arguments;
    va_start(arguments, format);
    deja_buffer_text(&line, "\r");
    format_escaped(&line, format, arguments);
    deja_buffer_text(&line, "\033[K");
    va_end(arguments);
    if (!line.failed)
        output.progress = write(STDERR_FILENO, line.bytes, line.size) > 0;
    deja_buffer_release(&line);
}

void progress_erase(void)
{
    if (output.progress)
        write_all(STDERR_FILENO, "\r\033[K", 4);
    output.progress = false;
}
