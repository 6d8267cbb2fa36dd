/* SPDX-License-Identifier: MIT */
/*
 * See block.h. Huffman codes alone are best for near-random play; level 6 finds what repeats, but
 * where nothing does it takes 15 times as long to find that out (130 ns a step). So level 1 goes
 * first: where even that comes near the codes alone, level 6 is tried as well. Small blocks are
 * tried without asking.
 *
 * Which zlib made a stream shows in its bytes, so nothing is ever compared or hashed as an identity
 * after compression.
 */
#include "store/block.h"

#include <stdlib.h>
#include <zlib.h>

enum { SMALL = 2048 };

struct deja__packer {
    z_stream stream;
    deja_buffer outputs[2];
};

struct deja__unpacker {
    z_stream stream;
};

deja_code deja__packer_create(deja__packer **out, deja_error *err)
{
    *out = NULL;
    deja__packer *packer = calloc(1, sizeof *packer);
    if (!packer)
        return deja__fail_memory(err);
    if (deflateInit(&packer->stream, 6) != Z_OK) {
        free(packer);
        return deja__fail_memory(err);
    }
    *out = packer;
    return DEJA_OK;
}

void deja__packer_destroy(deja__packer *packer)
{
    if (!packer)
        return;
    deflateEnd(&packer->stream);
    deja_buffer_release(&packer->outputs[0]);
    deja_buffer_release(&packer->outputs[1]);
    free(packer);
}

/* Deflates into `output`, where the stream is smaller than `most` bytes; its size, else `most`. */
static uint64_t deflate_to(z_stream *stream, deja_span bytes, int level, int strategy,
                           uint64_t most, deja_buffer *output)
{
    deja_buffer_clear(output);
    if (most < 2 || !deja_buffer_reserve(output, most - 1))
        return most;
    deflateReset(stream);
    deflateParams(stream, level, strategy);
    /* zlib promises not to write here; its type does not. */
    stream->next_in = (unsigned char *)(uintptr_t)bytes.bytes;
    stream->avail_in = (uInt)bytes.size;
    stream->next_out = output->bytes;
    stream->avail_out = (uInt)(most - 1);
    return deflate(stream, Z_FINISH) == Z_STREAM_END ? most - 1 - stream->avail_out : most;
}

deja_code deja__pack(deja__packer *packer, deja_span bytes, deja_span *block, deja_error *err)
{
    z_stream *stream = &packer->stream;
    deja_buffer *codes = &packer->outputs[0];
    deja_buffer *other = &packer->outputs[1];
    *block = bytes;
    if (bytes.size > DEJA__BLOCK_BYTES_MAX)
        return deja__fail(err, DEJA_ELIMIT, "%llu bytes in a row; a store takes %llu",
                          (unsigned long long)bytes.size,
                          (unsigned long long)DEJA__BLOCK_BYTES_MAX);
    uint64_t best = deflate_to(stream, bytes, 6, Z_HUFFMAN_ONLY, bytes.size, codes);
    if (best < bytes.size)
        *block = (deja_span){ codes->bytes, best };
    const uint64_t near = best + best / 16;
    if (bytes.size <= SMALL ||
        deflate_to(stream, bytes, 1, Z_DEFAULT_STRATEGY, near, other) < near) {
        const uint64_t size = deflate_to(stream, bytes, 6, Z_DEFAULT_STRATEGY, best, other);
        if (size < best)
            *block = (deja_span){ other->bytes, size };
    }
    if (codes->failed || other->failed)
        return deja__fail_memory(err);
    return DEJA_OK;
}

deja_code deja__unpacker_create(deja__unpacker **out, deja_error *err)
{
    *out = NULL;
    deja__unpacker *unpacker = calloc(1, sizeof *unpacker);
    if (!unpacker)
        return deja__fail_memory(err);
    if (inflateInit(&unpacker->stream) != Z_OK) {
        free(unpacker);
        return deja__fail_memory(err);
    }
    *out = unpacker;
    return DEJA_OK;
}

void deja__unpacker_destroy(deja__unpacker *unpacker)
{
    if (!unpacker)
        return;
    inflateEnd(&unpacker->stream);
    free(unpacker);
}

deja_code deja__unpack(deja__unpacker *unpacker, deja_span block, int64_t size, deja_buffer *out,
                       deja_error *err)
{
    /* Deflate's best is 258 bytes for 2 bits. */
    if (size < 0 || (uint64_t)size > DEJA__BLOCK_BYTES_MAX || (uint64_t)size < block.size ||
        (uint64_t)size / 1032 > block.size)
        return deja__fail(err, DEJA_EDAMAGED, "a block of %llu bytes cannot be %lld bytes",
                          (unsigned long long)block.size, (long long)size);
    if ((uint64_t)size == block.size)
        return deja_buffer_add(out, block.bytes, block.size) ? DEJA_OK : deja__fail_memory(err);
    if (!deja_buffer_reserve(out, (uint64_t)size))
        return deja__fail_memory(err);
    z_stream *stream = &unpacker->stream;
    inflateReset(stream);
    stream->next_in = (unsigned char *)(uintptr_t)block.bytes;
    stream->avail_in = (uInt)block.size;
    stream->next_out = out->bytes + out->size;
    stream->avail_out = (uInt)size;
    const int result = inflate(stream, Z_FINISH);
    if (result == Z_MEM_ERROR)
        return deja__fail_memory(err);
    if (result != Z_STREAM_END || stream->avail_out || stream->avail_in)
        return deja__fail(err, DEJA_EDAMAGED, "a block does not inflate to its %lld bytes",
                          (long long)size);
    out->size += (uint64_t)size;
    out->bytes[out->size] = 0;
    return DEJA_OK;
}
