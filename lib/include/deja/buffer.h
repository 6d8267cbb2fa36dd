/* SPDX-License-Identifier: MIT */
/**
 * @file deja/buffer.h
 * Bytes that grow. What the library prints, saves or lists, it appends to a buffer of the caller's.
 *
 *     deja_buffer out = {0};
 *     ...
 *     deja_buffer_release(&out);
 */
#ifndef DEJA_BUFFER_H
#define DEJA_BUFFER_H

#include <deja/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Frozen. All zero is an empty buffer. An append that gets no memory sets `failed`, and every later
 * append then does nothing: check once, at the end. There is always a NUL behind the last byte of a
 * buffer that was appended to, which `size` does not count.
 */
typedef struct deja_buffer {
    unsigned char *bytes;
    uint64_t size;
    uint64_t capacity;
    bool failed;
} deja_buffer;

/** Drops the contents; the buffer is empty and usable. NULL is fine. */
DEJA_API void deja_buffer_release(deja_buffer *buffer);
/** Empties it, keeps the memory, forgets a failure. */
DEJA_API void deja_buffer_clear(deja_buffer *buffer);
/** Appends bytes. @return false once it has failed */
DEJA_API bool deja_buffer_add(deja_buffer *buffer, const void *bytes, uint64_t size);
/** Appends a string, without its NUL. */
DEJA_API bool deja_buffer_text(deja_buffer *buffer, const char *text);
/** Appends one character. */
DEJA_API bool deja_buffer_char(deja_buffer *buffer, char character);
/** Appends `size` zero bytes and hands them out; NULL once it has failed. Valid until the next
 *  append. */
DEJA_API unsigned char *deja_buffer_extend(deja_buffer *buffer, uint64_t size);
/** Makes sure that `size` more bytes fit without moving. */
DEJA_API bool deja_buffer_reserve(deja_buffer *buffer, uint64_t size);

/** Bytes of somebody else: borrowed as long as the text at hand says. */
typedef struct deja_span {
    const void *bytes;
    uint64_t size;
} deja_span;

#ifdef __cplusplus
}
#endif

#endif
