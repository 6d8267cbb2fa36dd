/* SPDX-License-Identifier: MIT */
/*
 * Frames on a socket, and values packed into them.
 *
 * An inbox grows as bytes arrive, so a size that somebody made up allocates nothing.
 */
#include "replay/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

enum { CHUNK = 64 * 1024 };

/* ---- sending ---- */

static bool send_all(int socket, const void *bytes, uint64_t size)
{
    const unsigned char *at = bytes;
    while (size > 0) {
        const ssize_t sent = send(socket, at, (size_t)size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        at += sent;
        size -= (uint64_t)sent;
    }
    return true;
}

bool deja__wire_send(int socket, uint32_t kind, uint32_t number, deja_span a, deja_span b)
{
    const deja__frame frame = { kind, number, a.size + b.size };
    return send_all(socket, &frame, sizeof frame) && send_all(socket, a.bytes, a.size) &&
           send_all(socket, b.bytes, b.size);
}

void deja__wire_kick(int socket)
{
    /* A stream takes sixteen bytes whole or, where there is no room, not at all; and where there is
     * no room, the other side has enough to wake it. */
    const deja__frame frame = { DEJA__FRAME_KICK, 0, 0 };
    while (send(socket, &frame, sizeof frame, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno == EINTR) {
    }
}

/* ---- receiving ---- */

bool deja__wire_receive(int socket, void *bytes, uint64_t size)
{
    unsigned char *at = bytes;
    while (size > 0) {
        const ssize_t got = recv(socket, at, (size_t)size, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        size -= (uint64_t)got;
    }
    return true;
}

/* Appends what there is to a frame that needs `need` bytes in all. */
static enum deja__inbox_state receive_some(deja__inbox *inbox, int socket, uint64_t need)
{
    const uint64_t rest = need - inbox->bytes.size;
    const uint64_t size = rest < CHUNK ? rest : CHUNK;
    unsigned char *room = deja_buffer_extend(&inbox->bytes, size);
    if (!room)
        return DEJA__INBOX_MEMORY;
    ssize_t got;
    do
        got = recv(socket, room, (size_t)size, MSG_DONTWAIT);
    while (got < 0 && errno == EINTR);
    inbox->bytes.size -= size - (got > 0 ? (uint64_t)got : 0);
    if (got > 0)
        return DEJA__INBOX_FRAME;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return DEJA__INBOX_EMPTY;
    return DEJA__INBOX_CLOSED;
}

enum deja__inbox_state deja__inbox_next(deja__inbox *inbox, int socket, deja__frame *frame,
                                        deja_span *bytes)
{
    deja_buffer *have = &inbox->bytes;
    /* A frame that was handed out is still there, whole. */
    if (have->size >= sizeof *frame) {
        memcpy(frame, have->bytes, sizeof *frame);
        if (have->size == sizeof *frame + frame->size)
            deja_buffer_clear(have);
    }
    for (;;) {
        uint64_t need = sizeof *frame;
        if (have->size >= need) {
            memcpy(frame, have->bytes, sizeof *frame);
            if (frame->kind < DEJA__FRAME_HELLO || frame->kind > DEJA__FRAME_CHILD ||
                frame->size > inbox->limit)
                return DEJA__INBOX_BROKEN;
            need += frame->size;
            if (have->size == need) {
                bytes->bytes = have->bytes + sizeof *frame;
                bytes->size = frame->size;
                return DEJA__INBOX_FRAME;
            }
        }
        const enum deja__inbox_state state = receive_some(inbox, socket, need);
        if (state != DEJA__INBOX_FRAME)
            return state;
    }
}

void deja__inbox_release(deja__inbox *inbox)
{
    deja_buffer_release(&inbox->bytes);
}

/* Takes so many bytes from the front. */
static bool split(deja_span *rest, uint64_t size, deja_span *part)
{
    if (rest->size < size)
        return false;
    *part = (deja_span){ rest->bytes, size };
    *rest = (deja_span){ (const unsigned char *)rest->bytes + size, rest->size - size };
    return true;
}

bool deja__traced_unpack(deja__traced *step, deja_span bytes)
{
    deja__step_frame *frame = &step->frame;
    deja_span part;
    uint32_t before = 0;
    if (!split(&bytes, sizeof *frame, &part))
        return false;
    memcpy(frame, part.bytes, sizeof *frame);
    const uint64_t drawing = frame->drawing_size == DEJA__NO_DRAWING ? 0 : frame->drawing_size;
    if (!split(&bytes, frame->state_size, &step->state) ||
        !split(&bytes, frame->events_size, &step->events) ||
        !split(&bytes, (uint64_t)frame->event_count * 4, &part) ||
        !split(&bytes, drawing, &step->drawing) || bytes.size != 0)
        return false;
    step->ends = part.bytes;
    for (uint32_t i = 0; i < frame->event_count; i++) {
        uint32_t end;
        memcpy(&end, step->ends + (uint64_t)i * 4, sizeof end);
        if (end < before || end > frame->events_size)
            return false;
        before = end;
    }
    return true;
}

/* ---- packing ---- */

void deja__pack32(deja_buffer *out, uint32_t value)
{
    unsigned char bytes[4];
    deja__store32(bytes, value);
    deja_buffer_add(out, bytes, sizeof bytes);
}

void deja__pack64(deja_buffer *out, uint64_t value)
{
    unsigned char bytes[8];
    deja__store64(bytes, value);
    deja_buffer_add(out, bytes, sizeof bytes);
}

void deja__pack_bytes(deja_buffer *out, const void *bytes, uint64_t size)
{
    deja__pack64(out, size);
    deja_buffer_add(out, bytes, size);
}

void deja__pack_text(deja_buffer *out, const char *text)
{
    deja__pack_bytes(out, text, strlen(text));
}

static const unsigned char *take(deja__unpacking *in, uint64_t size)
{
    if (in->failed || (uint64_t)(in->end - in->at) < size) {
        in->failed = true;
        return NULL;
    }
    const unsigned char *bytes = in->at;
    in->at += size;
    return bytes;
}

uint32_t deja__unpack32(deja__unpacking *in)
{
    const unsigned char *bytes = take(in, 4);
    return bytes ? deja__load32(bytes) : 0;
}

uint64_t deja__unpack64(deja__unpacking *in)
{
    const unsigned char *bytes = take(in, 8);
    return bytes ? deja__load64(bytes) : 0;
}

deja_span deja__unpack_bytes(deja__unpacking *in)
{
    deja_span span = { NULL, deja__unpack64(in) };
    span.bytes = take(in, span.size);
    if (in->failed)
        span.size = 0;
    return span;
}

char *deja__unpack_text(deja__unpacking *in)
{
    const deja_span span = deja__unpack_bytes(in);
    char *text = in->failed ? NULL : malloc((size_t)span.size + 1);
    if (!text) {
        in->failed = true;
        return NULL;
    }
    if (span.size)
        memcpy(text, span.bytes, (size_t)span.size);
    text[span.size] = '\0';
    return text;
}
