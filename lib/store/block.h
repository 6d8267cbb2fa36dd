/* SPDX-License-Identifier: MIT */
/*
 * A block: bytes as a blob holds them, with their raw size beside. Normative: schemas/store.md.
 *
 * The blob is a zlib stream, or, where that would not be smaller, the bytes as they are; it is raw
 * when its size is the raw size, as in SQLite's archives, so sqlar_uncompress(data, size) reads it.
 */
#ifndef DEJA_STORE_BLOCK_H
#define DEJA_STORE_BLOCK_H

#include <deja/buffer.h>

#include "base/base.h"

/* Compressors that are kept, for making them costs more than a small block. */
typedef struct deja__packer deja__packer;
typedef struct deja__unpacker deja__unpacker;

/* The most bytes of a block, raw or not: SQLite takes blobs of up to 10^9. */
#define DEJA__BLOCK_BYTES_MAX ((uint64_t)900000000)

deja_code deja__packer_create(deja__packer **out, deja_error *err);
void deja__packer_destroy(deja__packer *packer);
/* The smallest of: Huffman codes alone, level 6, raw. Borrowed until the next call, or from
 * `bytes`. */
deja_code deja__pack(deja__packer *packer, deja_span bytes, deja_span *block, deja_error *err);

deja_code deja__unpacker_create(deja__unpacker **out, deja_error *err);
void deja__unpacker_destroy(deja__unpacker *unpacker);
/* Appends the `size` bytes of a block. Never takes more memory than deflate could have made of so
 * many bytes. DEJA_EDAMAGED where they are not such a block. */
deja_code deja__unpack(deja__unpacker *unpacker, deja_span block, int64_t size, deja_buffer *out,
                       deja_error *err);

#endif
