/* SPDX-License-Identifier: MIT */
/*
 * How a worker is: what it says on stderr, whether it gets on, and how it ended.
 *
 * Hung: between two looks the worker has not finished a step, and the time it used (or that went
 * by) is beyond the limit. Time is counted from a look that saw it at this step, so never too
 * much: a host that was busy elsewhere counts nothing.
 */
#include "replay/link.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- stderr ---- */

void deja__hear(deja__link *link)
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

const char *deja__link_said(const deja__link *link)
{
    return link->said;
}

/* Its last line, with nothing in it that a terminal obeys. */
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

/* Takes the rows that it had finished, and not handed over, of the job that it was at. */
static void salvage(const deja__link *link)
{
    const uint64_t progress = atomic_load(&deja__out_control_of(link)->progress);
    const uint64_t number = progress >> DEJA__PROGRESS_BITS;
    const uint64_t how_far = progress & (((uint64_t)1 << DEJA__PROGRESS_BITS) - 1);
    if (number < link->taken || number >= link->submitted || how_far <= DEJA__PROGRESS_BEGUN)
        return;
    const uint32_t rows = (uint32_t)how_far - DEJA__PROGRESS_BEGUN;
    if (rows % DEJA__RECENT_ROWS)
        deja__hand_over(deja__recent_of(link->out), deja__answer_at(link->out, number), rows);
}

enum deja__link_event deja__ended(deja__link *link, uint32_t kind)
{
    if (link->end == DEJA__END_NONE) {
        link->end = kind;
        if (link->out)
            salvage(link);
        if (link->errors >= 0)
            deja__hear(link);
        tidy_said(link);
    }
    return DEJA__LINK_ENDED;
}

enum deja__link_event deja__ended_by_system(deja__link *link, deja_code code, const char *why)
{
    deja__fail(&link->system, code, "%s", why);
    return deja__ended(link, DEJA__END_SYSTEM);
}

/* Usually since it died, of which the system may tell a moment later. */
enum deja__link_event deja__lost(deja__link *link)
{
    struct pollfd death = { link->pid_descriptor, POLLIN, 0 };
    if (!deja__spawn_is_dead(link))
        poll(&death, link->pid_descriptor >= 0, DEJA__GOODBYE_MS);
    return deja__ended(link, deja__spawn_is_dead(link) ? DEJA__END_DIED : DEJA__END_CUT);
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
    else if (link->end == DEJA__END_WROTE)
        deja_buffer_text(out, "wrote over what it answers");
    else if (link->end == DEJA__END_SYSTEM)
        deja_buffer_text(out, link->system.message);
    else if (link->status == -1)
        deja_buffer_text(out, "ended, and nobody saw how");
    else if (WIFSIGNALED(link->status))
        print_signal(out, WTERMSIG(link->status));
    else
        deja__print(out, "called exit(%d)", WEXITSTATUS(link->status));
}

/* ---- watching ---- */

enum deja__link_event deja__watch(deja__link *link)
{
    const uint64_t progress =
        atomic_load_explicit(&deja__out_control_of(link)->progress, memory_order_relaxed);
    const uint64_t wall = deja__now_ms();
    const uint64_t cpu = deja__spawn_cpu_ms(link);
    const deja__link_how *how = &link->how;
    if (progress != link->seen_progress || link->seen_wall_ms == 0 || cpu < link->seen_cpu_ms) {
        link->seen_progress = progress;
        link->seen_cpu_ms = cpu;
        link->seen_wall_ms = wall;
    }
    if (how->hang_cpu_ms && cpu - link->seen_cpu_ms > how->hang_cpu_ms)
        return deja__ended(link, DEJA__END_CPU);
    if (how->hang_wall_ms && wall - link->seen_wall_ms > how->hang_wall_ms)
        return deja__ended(link, DEJA__END_WALL);
    return DEJA__LINK_TICK;
}

void deja__forget_watch(deja__link *link)
{
    link->seen_wall_ms = 0;
}

void deja__sleep_for_sign(const deja__link *link, uint32_t milliseconds)
{
    struct pollfd signs[3] = { { link->socket, POLLIN, 0 },
                               { link->errors, POLLIN, 0 },
                               { link->pid_descriptor, POLLIN, 0 } };
    poll(signs, link->pid_descriptor >= 0 ? 3 : 2, (int)milliseconds);
}
