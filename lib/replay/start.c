/* SPDX-License-Identifier: MIT */
/*
 * Starting a worker and ending it: a process, a greeting, a library, what that says of itself.
 */
#include "replay/link.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* A frame of a worker carries at most a value and what goes with it. */
#define FRAME_MAX (2 * DEJA__VALUE_SIZE_MAX + ((uint64_t)4 << 20))

deja_code deja__link_open(deja__link *link, const deja__link_how *how, deja_error *err)
{
    memset(link, 0, sizeof *link);
    link->how = *how;
    link->pid_descriptor = link->socket = link->errors = -1;
    link->in_descriptor = deja__shared_memory("deja-in", DEJA__IN_SIZE, &link->in, err);
    if (link->in_descriptor < 0)
        return DEJA_EIO;
    return deja__shared_memory_guard(link->in_descriptor, err);
}

/* The next frame while a worker starts. false: it ended. */
static bool await_frame(deja__link *link, deja__frame *frame, deja_span *bytes)
{
    for (;;) {
        switch (deja__inbox_next(&link->inbox, link->socket, frame, bytes)) {
        case DEJA__INBOX_FRAME:
            return true;
        case DEJA__INBOX_EMPTY:
            break;
        case DEJA__INBOX_CLOSED:
            deja__lost(link);
            return false;
        case DEJA__INBOX_BROKEN:
            deja__ended(link, DEJA__END_CUT);
            return false;
        case DEJA__INBOX_MEMORY:
            deja__ended_by_system(link, DEJA_ENOMEM, "out of memory");
            return false;
        }
        deja__sleep_for_sign(link, DEJA__LOOK_MS);
        deja__hear(link);
        if (deja__watch(link) == DEJA__LINK_ENDED)
            return false;
    }
}

/* Why a library was not taken, where its worker ended. */
static deja_code fail_loading(const deja__link *link, deja_error *err)
{
    deja_buffer how = { 0 };
    deja_code code = DEJA_EUNFIT;
    deja__link_print_end(link, &how);
    if (how.failed)
        code = deja__fail_memory(err);
    else if (link->end == DEJA__END_SYSTEM)
        code = deja__fail(err, link->system.code, "%s", link->system.message);
    else if (link->end == DEJA__END_CPU || link->end == DEJA__END_WALL)
        deja__fail(err, code, "hangs while it is loaded");
    else
        deja__fail(err, code, "%s while it is loaded: %s",
                   WIFEXITED(link->status) ? "ends its process" : "crashes", how.bytes);
    deja_buffer_release(&how);
    return code;
}

static deja_code greet(deja__link *link, deja_error *err)
{
    const char *program = link->how.worker ? link->how.worker : "/proc/self/exe";
    deja__frame frame;
    deja_span bytes;
    if (!await_frame(link, &frame, &bytes) || frame.kind != DEJA__FRAME_HELLO)
        return deja__fail(err, DEJA_EIO, "'%s' is not a worker program", program);
    if (frame.number != deja__protocol_stamp())
        return deja__fail(err, DEJA_EIO, "the worker '%s' is of another build of deja", program);
    const deja__open_request request = { link->taken, link->how.memory_mib, link->how.isolation,
                                         0 };
    const deja_span path = { link->how.library, strlen(link->how.library) };
    deja__wire_send(link->socket, DEJA__FRAME_OPEN, 0, (deja_span){ &request, sizeof request },
                    path);
    return DEJA_OK;
}

/* Takes INFO; the first time it is kept, later it must be of the same build. */
static deja_code take_info(deja__link *link, deja_span bytes, deja_error *err)
{
    deja_rules_info info = { 0 };
    deja_code code = deja__info_unpack(&info, bytes, err);
    if (code == DEJA_OK && link->info.game &&
        memcmp(info.build, link->info.build, sizeof info.build) != 0)
        code = deja__fail(err, DEJA_EUNFIT, "has changed while it was being used");
    if (code == DEJA_OK && !link->info.game) {
        info.path = strdup(link->how.library);
        if (!info.path)
            code = deja__fail_memory(err);
    }
    if (code == DEJA_OK && !link->info.game)
        link->info = info;
    else
        deja_rules_info_release(&info);
    return code;
}

deja_code deja__link_launch(deja__link *link, deja_error *err)
{
    const deja_code code = deja__spawn(link, err);
    if (code != DEJA_OK)
        return code;
    link->inbox.limit = FRAME_MAX;
    deja__shared_bring_in(link->in, link->out, true);
    atomic_store(&deja__out_control_of(link)->done, link->taken);
    atomic_store(&deja__out_control_of(link)->progress, UINT64_MAX);
    return DEJA_OK;
}

deja_code deja__link_start(deja__link *link, deja_error *err)
{
    deja__frame frame;
    deja_span bytes;
    deja_code code = link->pid ? DEJA_OK : deja__link_launch(link, err);
    if (code != DEJA_OK)
        return code;
    deja__forget_watch(link);
    code = greet(link, err);
    if (code == DEJA_OK && !await_frame(link, &frame, &bytes))
        code = fail_loading(link, err);
    else if (code == DEJA_OK && frame.kind == DEJA__FRAME_FAILED)
        code = deja__fail(err, (deja_code)frame.number < 0 ? (deja_code)frame.number : DEJA_EUNFIT,
                          "%.*s", (int)(bytes.size < 1000 ? bytes.size : 1000),
                          (const char *)bytes.bytes);
    else if (code == DEJA_OK && frame.kind != DEJA__FRAME_INFO)
        code = deja__fail(err, DEJA_EUNFIT, "says nothing of itself");
    else if (code == DEJA_OK)
        code = take_info(link, bytes, err);
    deja__forget_watch(link);
    if (code != DEJA_OK)
        deja__link_stop(link);
    return code;
}

static bool is_idle(const deja__link *link)
{
    return link->pid && link->end == DEJA__END_NONE && link->submitted == link->taken;
}

void deja__link_dismiss(deja__link *link)
{
    if (is_idle(link))
        shutdown(link->socket, SHUT_RDWR);
}

void deja__link_stop(deja__link *link)
{
    /* One that waits leaves by itself and runs the library's last code; any other is taken down. */
    if (is_idle(link)) {
        struct pollfd death = { link->pid_descriptor, POLLIN, 0 };
        deja__link_dismiss(link);
        poll(&death, link->pid_descriptor >= 0, DEJA__GOODBYE_MS);
    }
    deja__spawn_end(link);
    link->end = DEJA__END_NONE;
}

void deja__link_close(deja__link *link)
{
    if (!link->in && link->in_descriptor <= 0)
        return;
    deja__link_stop(link);
    munmap(link->in, DEJA__IN_SIZE);
    close(link->in_descriptor);
    deja_rules_info_release(&link->info);
    memset(link, 0, sizeof *link);
}
