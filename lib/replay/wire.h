/* SPDX-License-Identifier: MIT */
/*
 * Frames on a socket, and values packed into them. See protocol.h.
 */
#ifndef DEJA_REPLAY_WIRE_H
#define DEJA_REPLAY_WIRE_H

#include "replay/protocol.h"

/* ---- sending; raises no SIGPIPE ---- */

/* Sends a frame whose bytes are in two parts (either may be empty), and waits until it is gone.
 * false: nobody is there to take it. */
bool deja__wire_send(int socket, uint32_t kind, uint32_t number, deja_span a, deja_span b);
/* Sends a KICK unless that would wait. */
void deja__wire_kick(int socket);

/* ---- receiving ---- */

/* Waits for all of these bytes. false: the other side is gone. */
bool deja__wire_receive(int socket, void *bytes, uint64_t size);

/* Takes what there is from a socket and puts frames together. */
typedef struct deja__inbox {
    deja_buffer bytes; /* of a frame that is not whole yet, head included */
    uint64_t limit;    /* bytes that a frame may have */
} deja__inbox;

enum deja__inbox_state {
    DEJA__INBOX_EMPTY = 0, /* nothing more for now */
    DEJA__INBOX_FRAME = 1,
    DEJA__INBOX_CLOSED = 2, /* the other side is gone */
    DEJA__INBOX_BROKEN = 3, /* what came is no frame, or one beyond the limit */
    DEJA__INBOX_MEMORY = 4
};

/* The next whole frame, without waiting; borrowed until the next call. */
enum deja__inbox_state deja__inbox_next(deja__inbox *inbox, int socket, deja__frame *frame,
                                        deja_span *bytes);
void deja__inbox_release(deja__inbox *inbox);

/* A traced step, taken apart; borrowed from the bytes. */
typedef struct deja__traced {
    deja__step_frame frame;
    deja_span state;
    deja_span events;
    const unsigned char *ends; /* u32 each, at any address */
    deja_span drawing;
} deja__traced;

/* false: it is not what it should be. */
bool deja__traced_unpack(deja__traced *step, deja_span bytes);

/* ---- packing ---- */

void deja__pack32(deja_buffer *out, uint32_t value);
void deja__pack64(deja_buffer *out, uint64_t value);
void deja__pack_bytes(deja_buffer *out, const void *bytes, uint64_t size);
void deja__pack_text(deja_buffer *out, const char *text);

/* Reading what was packed; `failed` once it does not fit, and then everything is zero. */
typedef struct deja__unpacking {
    const unsigned char *at;
    const unsigned char *end;
    bool failed;
} deja__unpacking;

uint32_t deja__unpack32(deja__unpacking *in);
uint64_t deja__unpack64(deja__unpacking *in);
deja_span deja__unpack_bytes(deja__unpacking *in);
/* A copy that ends with NUL; the caller's. NULL: it failed (also where there is no memory). */
char *deja__unpack_text(deja__unpacking *in);

#endif
