/* SPDX-License-Identifier: MIT */
/*
 * Frames between host and worker, packed values, chains in registers.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/chain.h"
#include "replay/wire.h"

TestSuite(wire, .timeout = 300);

Test(wire, frames_come_out_as_they_went_in_however_they_are_cut)
{
    unsigned char sent[3000];
    for (size_t i = 0; i < sizeof sent; i++)
        sent[i] = (unsigned char)(i * 7);
    for (size_t step = 1; step < 40; step += 3) {
        int pair[2], stream[2];
        cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
        cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, stream), 0);
        const deja_span none = { NULL, 0 };
        cr_assert(deja__wire_send(pair[0], DEJA__FRAME_STATE, 5, (deja_span){ sent, 1000 },
                                  (deja_span){ sent + 1000, 2000 }));
        deja__wire_kick(pair[0]);
        cr_assert(deja__wire_send(pair[0], DEJA__FRAME_CHILD, 9, none, none));
        close(pair[0]);
        unsigned char all[4096];
        size_t size = 0;
        for (ssize_t got; (got = read(pair[1], all + size, sizeof all - size)) > 0;)
            size += (size_t)got;
        cr_assert_eq(size, 3 * sizeof(deja__frame) + 3000);
        deja__inbox inbox = { .limit = 5000 };
        deja__frame frame;
        deja_span bytes;
        uint32_t count = 0;
        for (size_t at = 0; at < size; at += step) {
            const size_t part = size - at < step ? size - at : step;
            cr_assert_eq(write(stream[0], all + at, part), (ssize_t)part);
            enum deja__inbox_state state;
            while ((state = deja__inbox_next(&inbox, stream[1], &frame, &bytes)) ==
                   DEJA__INBOX_FRAME) {
                if (count == 0) {
                    cr_assert_eq(frame.kind, DEJA__FRAME_STATE);
                    cr_assert_eq(frame.number, 5);
                    cr_assert_eq(bytes.size, 3000);
                    cr_assert_eq(memcmp(bytes.bytes, sent, 3000), 0);
                } else {
                    cr_assert_eq(frame.kind, count == 1 ? DEJA__FRAME_KICK : DEJA__FRAME_CHILD);
                    cr_assert_eq(bytes.size, 0);
                }
                count++;
            }
            cr_assert_eq(state, DEJA__INBOX_EMPTY);
        }
        cr_assert_eq(count, 3);
        close(stream[0]);
        cr_assert_eq(deja__inbox_next(&inbox, stream[1], &frame, &bytes), DEJA__INBOX_CLOSED);
        deja__inbox_release(&inbox);
        close(stream[1]);
        close(pair[1]);
    }
}

Test(wire, nonsense_on_the_wire_is_broken_and_allocates_nothing)
{
    static const deja__frame bad[] = { { 0, 0, 0 },
                                       { 77, 0, 0 },
                                       { DEJA__FRAME_STATE, 0, 5001 },
                                       { DEJA__FRAME_STATE, 0, UINT64_MAX } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int pair[2];
        deja__inbox inbox = { .limit = 5000 };
        deja__frame frame;
        deja_span bytes;
        cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
        cr_assert_eq(write(pair[0], &bad[i], sizeof bad[i]), (ssize_t)sizeof bad[i]);
        cr_assert_eq(deja__inbox_next(&inbox, pair[1], &frame, &bytes), DEJA__INBOX_BROKEN);
        cr_assert_lt(inbox.bytes.capacity, 5000);
        deja__inbox_release(&inbox);
        close(pair[0]);
        close(pair[1]);
    }
}

Test(wire, sending_to_nobody_raises_no_signal)
{
    int pair[2];
    const deja_span none = { NULL, 0 };
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    close(pair[1]);
    cr_assert(!deja__wire_send(pair[0], DEJA__FRAME_KICK, 0, none, none));
    deja__wire_kick(pair[0]);
    close(pair[0]);
}

Test(wire, packed_values_are_read_back_and_short_ones_refused)
{
    deja_buffer out = { 0 };
    deja__pack32(&out, 0xdeadbeef);
    deja__pack64(&out, UINT64_MAX - 1);
    deja__pack_text(&out, "peg");
    deja__pack_bytes(&out, "\0\1", 2);
    for (uint64_t size = 0; size <= out.size; size++) {
        deja__unpacking in = { out.bytes, out.bytes + size, false };
        const uint32_t a = deja__unpack32(&in);
        const uint64_t b = deja__unpack64(&in);
        char *text = deja__unpack_text(&in);
        const deja_span bytes = deja__unpack_bytes(&in);
        cr_assert_eq(in.failed, size < out.size);
        if (!in.failed) {
            cr_assert_eq(a, 0xdeadbeef);
            cr_assert_eq(b, UINT64_MAX - 1);
            cr_assert_str_eq(text, "peg");
            cr_assert_eq(bytes.size, 2);
        }
        free(text);
    }
    deja_buffer_release(&out);
}

Test(wire, a_traced_step_that_does_not_add_up_is_refused)
{
    const uint32_t ends[2] = { 3, 5 };
    deja__step_frame frame = {
        .step = 9, .state_size = 4, .events_size = 5, .event_count = 2, .drawing_size = 3
    };
    deja_buffer all = { 0 };
    deja__traced traced;
    deja_buffer_add(&all, &frame, sizeof frame);
    deja_buffer_add(&all, "stateventsdra", 4 + 5);
    deja_buffer_add(&all, ends, sizeof ends);
    deja_buffer_add(&all, "xyz", 3);
    cr_assert(deja__traced_unpack(&traced, (deja_span){ all.bytes, all.size }));
    cr_assert_eq(traced.state.size, 4);
    cr_assert_eq(traced.events.size, 5);
    cr_assert_eq(memcmp(traced.drawing.bytes, "xyz", 3), 0);
    for (uint64_t size = 0; size < all.size; size++)
        cr_assert(!deja__traced_unpack(&traced, (deja_span){ all.bytes, size }));
    deja__step_frame wrong = frame;
    wrong.event_count = UINT32_MAX;
    memcpy(all.bytes, &wrong, sizeof wrong);
    cr_assert(!deja__traced_unpack(&traced, (deja_span){ all.bytes, all.size }));
    wrong = frame;
    wrong.state_size = UINT64_MAX;
    memcpy(all.bytes, &wrong, sizeof wrong);
    cr_assert(!deja__traced_unpack(&traced, (deja_span){ all.bytes, all.size }));
    memcpy(all.bytes, &frame, sizeof frame);
    all.bytes[sizeof frame + 9 + 4] = 200; /* the second event ends behind the last byte */
    cr_assert(!deja__traced_unpack(&traced, (deja_span){ all.bytes, all.size }));
    deja_buffer_release(&all);
}

Test(wire, chains_in_registers_are_those_of_the_library)
{
    uint64_t luck = 20261130, chain = 0, event_chain = 1;
    for (int i = 0; i < 100000; i++) {
        luck = luck * 6364136223846793005u + 1442695040888963407u;
        const uint64_t hash = i % 5 ? luck ^ luck >> 29 : (uint64_t)0 - (uint64_t)(i % 3);
        const uint32_t result = i % 7 ? (uint32_t)(luck >> 60) : UINT32_MAX;
        cr_assert_eq(deja__chain_step(chain, hash, result), deja__chain_next(chain, hash, result));
        cr_assert_eq(deja__event_chain_step(event_chain, hash),
                     deja__event_chain_next(event_chain, hash));
        chain = deja__chain_step(chain, hash, result);
        event_chain = deja__event_chain_step(event_chain, hash);
    }
}
