/* SPDX-License-Identifier: MIT */
/*
 * Jobs to a worker and answers from it, and watching that it gets on.
 *
 * Hung: between two looks the worker has not finished a step, and the time it used (or that went
 * by) is beyond the limit. Time is counted from a look that saw it at this step, so never too
 * much: a host that was busy elsewhere counts nothing.
 */
#include "replay/link.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    LOOK_MS = 20,    /* how often to look whether it gets on */
    GOODBYE_MS = 100 /* for a worker that is not needed any more to leave by itself */
};

/* A frame of a worker carries at most a value and what goes with it. */
#define FRAME_MAX (2 * DEJA__VALUE_SIZE_MAX + ((uint64_t)4 << 20))

static deja__in_control *in_control(const deja__link *link)
{
    return (deja__in_control *)(void *)link->in;
}

static deja__out_control *out_control(const deja__link *link)
{
    return (deja__out_control *)(void *)link->out;
}

/* ---- stderr ---- */

/* Keeps the last of what it says. */
static void hear(deja__link *link)
{
    char chunk[4096];
    for (;;) {
        const ssize_t got = read(link->errors, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return;
        const uint32_t most = DEJA__SAID_SIZE - 1;
        const uint32_t more = got < (ssize_t)most ? (uint32_t)got : most;
        const uint32_t kept = link->said_size + more > most ? most - more : link->said_size;
        memmove(link->said, link->said + link->said_size - kept, kept);
        memcpy(link->said + kept, chunk + (size_t)got - more, more);
        link->said_size = kept + more;
    }
}

/* Its last line, with nothing in it that a terminal obeys. */
const char *deja__link_said(const deja__link *const_link)
{
    return const_link->said;
}

static void tidy_said(deja__link *link)
{
    uint32_t end = link->said_size;
    while (end > 0 && strchr("\n\r\t ", link->said[end - 1]))
        end--;
    uint32_t begin = end;
    while (begin > 0 && link->said[begin - 1] != '\n')
        begin--;
    memmove(link->said, link->said + begin, end - begin);
    link->said_size = end - begin;
    link->said[link->said_size] = '\0';
    for (uint32_t i = 0; i < link->said_size; i++)
        if ((unsigned char)link->said[i] < 0x20 || link->said[i] == 0x7f)
            link->said[i] = ' ';
    if (!deja__is_utf8(link->said, link->said_size))
        for (uint32_t i = 0; i < link->said_size; i++)
            if ((unsigned char)link->said[i] > 0x7e)
                link->said[i] = '?';
}

/* ---- how it ended ---- */

static enum deja__link_event ended(deja__link *link, uint32_t kind)
{
    if (link->end == DEJA__END_NONE) {
        link->end = kind;
        if (link->errors >= 0)
            hear(link);
        tidy_said(link);
    }
    return DEJA__LINK_ENDED;
}

static enum deja__link_event ended_by_system(deja__link *link, deja_code code, const char *why)
{
    deja__fail(&link->system, code, "%s", why);
    return ended(link, DEJA__END_SYSTEM);
}

/* The connection is closed: usually since it died, of which the system may tell a moment later. */
static enum deja__link_event lost(deja__link *link)
{
    struct pollfd death = { link->pid_descriptor, POLLIN, 0 };
    if (!deja__spawn_is_dead(link))
        poll(&death, link->pid_descriptor >= 0, GOODBYE_MS);
    return ended(link, deja__spawn_is_dead(link) ? DEJA__END_DIED : DEJA__END_CUT);
}

static void print_signal(deja_buffer *out, int number)
{
    static const struct {
        int number;
        const char *name;
    } names[] = { { SIGSEGV, "SIGSEGV" }, { SIGABRT, "SIGABRT" }, { SIGBUS, "SIGBUS" },
                  { SIGFPE, "SIGFPE" },   { SIGILL, "SIGILL" },   { SIGTRAP, "SIGTRAP" },
                  { SIGKILL, "SIGKILL" }, { SIGTERM, "SIGTERM" }, { SIGSYS, "SIGSYS" },
                  { SIGPIPE, "SIGPIPE" }, { SIGALRM, "SIGALRM" }, { SIGHUP, "SIGHUP" },
                  { SIGINT, "SIGINT" },   { SIGQUIT, "SIGQUIT" }, { SIGXCPU, "SIGXCPU" },
                  { SIGXFSZ, "SIGXFSZ" }, { SIGUSR1, "SIGUSR1" }, { SIGUSR2, "SIGUSR2" } };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].number == number) {
            deja_buffer_text(out, names[i].name);
            return;
        }
    deja__print(out, "signal %d", number);
}

void deja__link_print_end(const deja__link *link, deja_buffer *out)
{
    if (link->end == DEJA__END_CPU)
        deja__print(out, "one step used more than %u ms of processor time", link->how.hang_cpu_ms);
    else if (link->end == DEJA__END_WALL)
        deja__print(out, "there was no step for %u ms", link->how.hang_wall_ms);
    else if (link->end == DEJA__END_CUT)
        deja_buffer_text(out, "closed its connection");
    else if (link->end == DEJA__END_SYSTEM)
        deja_buffer_text(out, link->system.message);
    else if (link->status == -1)
        deja_buffer_text(out, "ended, and nobody saw how");
    else if (WIFSIGNALED(link->status))
        print_signal(out, WTERMSIG(link->status));
    else
        deja__print(out, "called exit(%d)", WEXITSTATUS(link->status));
}

/* ---- what it sends ---- */

/* Deals with all that has come. TICK: nothing that matters here. */
static enum deja__link_event receive(deja__link *link)
{
    deja__frame frame;
    deja_span bytes;
    for (;;) {
        switch (deja__inbox_next(&link->inbox, link->socket, &frame, &bytes)) {
        case DEJA__INBOX_EMPTY:
            return DEJA__LINK_TICK;
        case DEJA__INBOX_CLOSED:
            return lost(link);
        case DEJA__INBOX_BROKEN:
            return ended(link, DEJA__END_CUT);
        case DEJA__INBOX_MEMORY:
            return ended_by_system(link, DEJA_ENOMEM, "out of memory");
        case DEJA__INBOX_FRAME:
            break;
        }
        switch (frame.kind) {
        case DEJA__FRAME_KICK:
            break;
        case DEJA__FRAME_STATE:
        case DEJA__FRAME_STEP:
            if (link->message && !link->message(link->user, frame.kind, bytes))
                return ended(link, DEJA__END_CUT);
            break;
        case DEJA__FRAME_CHILD:
            link->status = (int)frame.number;
            return ended(link, DEJA__END_DIED);
        case DEJA__FRAME_FAILED:
            return ended_by_system(link, DEJA_EIO, "a worker cannot fork");
        default:
            return ended(link, DEJA__END_CUT);
        }
    }
}

/* ---- watching ---- */

/* Whether it got on since the last look, or still has time. */
static enum deja__link_event watch(deja__link *link)
{
    const uint64_t progress =
        atomic_load_explicit(&out_control(link)->progress, memory_order_relaxed);
    const uint64_t wall = deja__now_ms();
    const uint64_t cpu = deja__spawn_cpu_ms(link);
    const deja__link_how *how = &link->how;
    if (progress != link->seen_progress || link->seen_wall_ms == 0 || cpu < link->seen_cpu_ms) {
        link->seen_progress = progress;
        link->seen_cpu_ms = cpu;
        link->seen_wall_ms = wall;
    }
    if (how->hang_cpu_ms && cpu - link->seen_cpu_ms > how->hang_cpu_ms)
        return ended(link, DEJA__END_CPU);
    if (how->hang_wall_ms && wall - link->seen_wall_ms > how->hang_wall_ms)
        return ended(link, DEJA__END_WALL);
    return DEJA__LINK_TICK;
}

/* A worker without work does not hang. */
static void forget_watch(deja__link *link)
{
    link->seen_wall_ms = 0;
}

/* Sleeps until there is something to see, at most so long. */
static void sleep_for_sign(const deja__link *link, uint32_t milliseconds)
{
    struct pollfd signs[3] = { { link->socket, POLLIN, 0 },
                               { link->errors, POLLIN, 0 },
                               { link->pid_descriptor, POLLIN, 0 } };
    poll(signs, link->pid_descriptor >= 0 ? 3 : 2, (int)milliseconds);
}

/* ---- jobs ---- */

deja__job *deja__link_slot(deja__link *link)
{
    return link->submitted - link->taken == DEJA__SLOTS ? NULL :
                                                          deja__job_at(link->in, link->submitted);
}

void deja__link_submit(deja__link *link)
{
    if (link->submitted == link->taken)
        forget_watch(link);
    link->submitted++;
    atomic_store(&in_control(link)->submitted, link->submitted);
    if (link->pid && atomic_load(&out_control(link)->worker_waits))
        deja__wire_kick(link->socket);
}

void deja__link_cancel(deja__link *link, uint64_t session)
{
    atomic_store(&in_control(link)->cancelled, session);
}

/* 1: there is an answer; 0: not yet; -1: that number is nonsense. */
static int look(const deja__link *link)
{
    const uint64_t done = atomic_load(&out_control(link)->done);
    if (done < link->taken || done > link->submitted)
        return -1;
    return done > link->taken;
}

/* What was sent before an answer was finished is there when the answer is. */
static bool sends_something(const deja__link *link)
{
    const uint32_t flags = deja__job_at(link->in, link->taken)->flags;
    return flags & (DEJA__JOB_CAPTURE | DEJA__JOB_TRACE);
}

/* Waits for a sign, and looks whether the worker is well. */
static void attend(deja__link *link, uint32_t milliseconds)
{
    atomic_store(&in_control(link)->host_waits, 1);
    if (look(link) == 0)
        sleep_for_sign(link, milliseconds < LOOK_MS ? milliseconds : LOOK_MS);
    atomic_store(&in_control(link)->host_waits, 0);
    hear(link);
    receive(link);
    if (link->end == DEJA__END_NONE && deja__spawn_is_dead(link))
        ended(link, DEJA__END_DIED);
    if (link->end == DEJA__END_NONE && link->submitted > link->taken)
        watch(link);
}

enum deja__link_event deja__link_wait(deja__link *link, uint32_t milliseconds)
{
    uint64_t until = 0;
    for (;;) {
        const int there = look(link);
        if (there < 0)
            return ended(link, DEJA__END_CUT);
        if (there > 0) {
            if (sends_something(link) && link->end == DEJA__END_NONE)
                receive(link);
            return DEJA__LINK_ANSWER;
        }
        /* Answers that were finished before it died count. */
        if (link->end != DEJA__END_NONE)
            return DEJA__LINK_ENDED;
        const uint64_t now = deja__now_ms();
        if (until && now >= until)
            return DEJA__LINK_TICK;
        if (!until)
            until = now + milliseconds + 1;
        attend(link, (uint32_t)(until - now));
    }
}

const deja__answer *deja__link_answer(const deja__link *link)
{
    return deja__answer_at(link->out, link->taken);
}

int64_t deja__link_rows(const deja__link *link)
{
    const uint64_t progress = atomic_load(&out_control(link)->progress);
    const uint64_t how_far = progress & (((uint64_t)1 << DEJA__PROGRESS_BITS) - 1);
    const uint32_t count = deja__job_at(link->in, link->taken)->count;
    if (progress >> DEJA__PROGRESS_BITS != link->taken || how_far < DEJA__PROGRESS_BEGUN)
        return -1;
    return how_far - DEJA__PROGRESS_BEGUN < count ? (int64_t)how_far - DEJA__PROGRESS_BEGUN : count;
}

void deja__link_take(deja__link *link)
{
    link->taken++;
}

/* ---- the worker ---- */

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
            lost(link);
            return false;
        case DEJA__INBOX_BROKEN:
            ended(link, DEJA__END_CUT);
            return false;
        case DEJA__INBOX_MEMORY:
            ended_by_system(link, DEJA_ENOMEM, "out of memory");
            return false;
        }
        sleep_for_sign(link, LOOK_MS);
        hear(link);
        if (watch(link) == DEJA__LINK_ENDED)
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
    if (frame.number != DEJA__PROTOCOL_STAMP)
        return deja__fail(err, DEJA_EIO, "the worker '%s' is of another build of deja", program);
    const deja__open_request request = { link->taken, link->how.memory_mib, link->how.isolation, 0 };
    const deja_span path = { link->how.library, strlen(link->how.library) };
    deja__wire_send(link->socket, DEJA__FRAME_OPEN, 0, (deja_span){ &request, sizeof request }, path);
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

deja_code deja__link_start(deja__link *link, deja_error *err)
{
    deja__frame frame;
    deja_span bytes;
    deja_code code = deja__spawn(link, err);
    if (code != DEJA_OK)
        return code;
    link->inbox.limit = FRAME_MAX;
    atomic_store(&out_control(link)->done, link->taken);
    atomic_store(&out_control(link)->progress, link->taken << DEJA__PROGRESS_BITS);
    forget_watch(link);
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
    forget_watch(link);
    if (code != DEJA_OK)
        deja__link_stop(link);
    return code;
}

void deja__link_stop(deja__link *link)
{
    /* One that waits leaves by itself and runs the library's last code; any other is taken down. */
    if (link->pid && link->end == DEJA__END_NONE && link->submitted == link->taken) {
        struct pollfd death = { link->pid_descriptor, POLLIN, 0 };
        shutdown(link->socket, SHUT_RDWR);
        poll(&death, link->pid_descriptor >= 0, GOODBYE_MS);
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
