/* SPDX-License-Identifier: MIT */
/*
 * Bytes that grow by doubling. A failure sticks, so that a caller appends freely and asks once.
 */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>

void deja_buffer_release(deja_buffer *buffer)
{
    if (!buffer)
        return;
    free(buffer->bytes);
    memset(buffer, 0, sizeof *buffer);
}

void deja_buffer_clear(deja_buffer *buffer)
{
    buffer->size = 0;
    buffer->failed = false;
}

bool deja_buffer_reserve(deja_buffer *buffer, uint64_t size)
{
    if (buffer->failed)
        return false;
    if (size < buffer->capacity - buffer->size) /* room for the NUL, too */
        return true;
    uint64_t capacity = buffer->capacity ? buffer->capacity : 64;
    if (size > UINT64_MAX / 4 - buffer->size) {
        buffer->failed = true;
        return false;
    }
    while (capacity <= buffer->size + size)
        capacity *= 2;
    unsigned char *bytes = realloc(buffer->bytes, (size_t)capacity);
    if (!bytes) {
        buffer->failed = true;
        return false;
    }
    buffer->bytes = bytes;
    buffer->capacity = capacity;
    return true;
}

unsigned char *deja_buffer_extend(deja_buffer *buffer, uint64_t size)
{
    if (!deja_buffer_reserve(buffer, size))
        return NULL;
    unsigned char *start = buffer->bytes + buffer->size;
    memset(start, 0, (size_t)size + 1);
    buffer->size += size;
    return start;
}

bool deja_buffer_add(deja_buffer *buffer, const void *bytes, uint64_t size)
{
    if (!deja_buffer_reserve(buffer, size))
        return false;
    if (size)
        memcpy(buffer->bytes + buffer->size, bytes, (size_t)size);
    buffer->size += size;
    buffer->bytes[buffer->size] = 0;
    return true;
}

bool deja_buffer_text(deja_buffer *buffer, const char *text)
{
    return deja_buffer_add(buffer, text, strlen(text));
}

bool deja_buffer_char(deja_buffer *buffer, char character)
{
    return deja_buffer_add(buffer, &character, 1);
}

bool deja__print(deja_buffer *buffer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (size < 0 || !deja_buffer_reserve(buffer, (uint64_t)size)) {
        buffer->failed = true;
        return false;
    }
    va_start(arguments, format);
    vsnprintf((char *)buffer->bytes + buffer->size, (size_t)size + 1, format, arguments);
    va_end(arguments);
    buffer->size += (uint64_t)size;
    return true;
}
