/* SPDX-License-Identifier: MIT */
/*
 * A worker's main: takes the place that its host has made, loads the library that it is told, says
 * what it found, and serves.
 *
 *     PROGRAM --deja-worker SOCKET IN OUT CONTENT HOST
 *
 * four descriptors by their numbers (CONTENT may be 0: none), and the host's process id.
 */
#include <deja/replay.h>

#include "replay/worker.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- what the library says of itself ---- */

static uint32_t functions_of(const deja_rules_table *table)
{
    uint32_t functions = 0;
    functions |= table->check ? DEJA_HAS_CHECK : 0u;
    functions |= table->legal ? DEJA_HAS_LEGAL : 0u;
    functions |= table->outcome ? DEJA_HAS_OUTCOME : 0u;
    functions |= table->side ? DEJA_HAS_SIDE : 0u;
    functions |= table->turn ? DEJA_HAS_TURN : 0u;
    functions |= table->draw ? DEJA_HAS_DRAW : 0u;
    functions |= table->write_notation && table->read_notation ? DEJA_HAS_NOTATION : 0u;
    functions |= table->neutral ? DEJA_HAS_NEUTRAL : 0u;
    return functions;
}

/* What AUTO comes to, and why. */
static uint32_t isolation_of(const deja_plugin *plugin, uint32_t threads, const char **why)
{
    if (threads > 1) {
        *why = "it starts threads while it is loaded";
        return DEJA_ISOLATE_EXEC;
    }
    if (!deja__plugin_can_restore(plugin, why))
        return DEJA_ISOLATE_FORK;
    *why = "closed: its writable memory is put back";
    return DEJA_ISOLATE_RESTORE;
}

static void pack_bot_names(deja_buffer *out, const deja_rules_table *table)
{
    deja_buffer names = { 0 };
    for (uint32_t i = 0; i < table->bot_count; i++) {
        if (i)
            deja_buffer_char(&names, ' ');
        deja_buffer_text(&names, table->bots[i].name);
    }
    deja__pack_bytes(out, names.bytes, names.size);
    out->failed |= names.failed;
    deja_buffer_release(&names);
}

static void pack_info(deja_buffer *out, const deja_plugin *plugin, uint32_t threads)
{
    const deja_rules_table *table = deja_plugin_table(plugin);
    const deja_span defaults = deja_plugin_config_default(plugin);
    const char *closed_why = NULL;
    const char *isolation_why;
    const bool closed = deja_plugin_is_closed(plugin, &closed_why);
    const uint32_t isolation = isolation_of(plugin, threads, &isolation_why);
    deja_buffer_add(out, deja_plugin_digest(plugin), 16);
    deja__pack_text(out, table->id);
    deja__pack_text(out, table->version);
    deja__pack_text(out, table->compiler ? table->compiler : "");
    for (uint32_t i = 0; i < 4; i++)
        deja__pack_text(out, deja_layout_text(deja_plugin_layout(plugin, i)));
    deja__pack_text(out, deja_plugin_refusals(plugin));
    deja__pack_text(out, deja_plugin_outcomes(plugin));
    pack_bot_names(out, table);
    deja__pack_bytes(out, defaults.bytes, defaults.size);
    deja__pack64(out, table->state.size);
    deja__pack32(out, table->abi_major);
    deja__pack32(out, table->abi_minor);
    deja__pack32(out, table->kind);
    deja__pack32(out, table->tick_rate);
    deja__pack32(out, functions_of(table));
    deja__pack32(out, closed);
    deja__pack_text(out, closed ? "" : closed_why);
    deja__pack32(out, isolation);
    deja__pack_text(out, isolation_why);
}

/* ---- taking a library ---- */

static bool fail(const deja__worker *worker, const deja_error *err)
{
    const deja_span message = { err->message, strlen(err->message) };
    deja__wire_send(worker->socket, DEJA__FRAME_FAILED, (uint32_t)err->code, message,
                    (deja_span){ NULL, 0 });
    return false;
}

/* Receives OPEN: what is asked, and the library's path. */
static char *receive_open(const deja__worker *worker, deja__open_request *request)
{
    deja__frame frame;
    if (!deja__wire_receive(worker->socket, &frame, sizeof frame) ||
        frame.kind != DEJA__FRAME_OPEN || frame.size < sizeof *request ||
        !deja__wire_receive(worker->socket, request, sizeof *request))
        return NULL;
    const size_t size = (size_t)(frame.size - sizeof *request);
    char *path = malloc(size + 1);
    if (path && !deja__wire_receive(worker->socket, path, size)) {
        free(path);
        path = NULL;
    }
    if (path)
        path[size] = '\0';
    return path;
}

static bool take_library(deja__worker *worker)
{
    deja_error err = { 0 };
    deja__open_request request = { 0 };
    deja_buffer info = { 0 };
    bool sent = false;
    char *path = receive_open(worker, &request);
    if (!path)
        return false;
    deja__guard_memory(request.memory_mib);
    deja_code code = deja_plugin_open(&worker->plugin, path, &err);
    if (code == DEJA_OK) {
        deja__guard_files();
        const uint32_t threads = deja__guard_threads();
        worker->isolation = request.isolation;
        if (request.isolation == DEJA_ISOLATE_AUTO)
            worker->isolation = isolation_of(worker->plugin, threads, &(const char *){ NULL });
        worker->next = request.first_job;
        worker->may_fork = !deja_plugin_is_closed(worker->plugin, NULL);
        pack_info(&info, worker->plugin, threads);
        code = info.failed ? deja__fail_memory(&err)
                           : deja__stage_open(&worker->stage, worker->plugin, worker->socket,
                                              worker->isolation != DEJA__ISOLATE_NONE, &err);
    }
    if (code != DEJA_OK) {
        fail(worker, &err);
        goto done;
    }
    const deja_span bytes = { info.bytes, info.size };
    sent = deja__wire_send(worker->socket, DEJA__FRAME_INFO, 0, bytes, (deja_span){ NULL, 0 });

done:
    free(path);
    deja_buffer_release(&info);
    return sent;
}

/* ---- main ---- */

static bool read_number(const char *text, int *number)
{
    uint64_t value;
    if (!deja__read_u64(text, strlen(text), INT32_MAX, &value))
        return false;
    *number = (int)value;
    return true;
}

static bool map(deja__worker *worker, int in, int out, int content)
{
    void *memory = mmap(NULL, DEJA__IN_SIZE, PROT_READ, MAP_SHARED, in, 0);
    if (memory == MAP_FAILED)
        return false;
    worker->in = memory;
    memory = mmap(NULL, DEJA__OUT_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, out, 0);
    if (memory == MAP_FAILED)
        return false;
    worker->out = memory;
    return content == 0 || deja__shelf_open(&worker->stage.shelf, content);
}

static int serve(deja__worker *worker)
{
    /* A fork would not have them. */
    if (worker->isolation != DEJA_ISOLATE_FORK)
        deja__shared_bring_in(worker->in, worker->out, false);
    return deja__worker_serve(worker);
}

int deja_worker_main(int argc, char **argv)
{
    enum { NO_WORKER = 125 };
    deja__worker worker = { 0 };
    static const deja_span nothing = { NULL, 0 };
    int in, out, content, host;
    if (argc != 7 || strcmp(argv[1], DEJA_WORKER_ARGUMENT) != 0 ||
        !read_number(argv[2], &worker.socket) || !read_number(argv[3], &in) ||
        !read_number(argv[4], &out) || !read_number(argv[5], &content) ||
        !read_number(argv[6], &host) || !map(&worker, in, out, content))
        return NO_WORKER;
    worker.host = host;
    if (!deja__guard_begin(worker.host, &worker.socket))
        return NO_WORKER;
    int status = NO_WORKER;
    if (deja__wire_send(worker.socket, DEJA__FRAME_HELLO, deja__protocol_stamp(), nothing,
                        nothing) &&
        take_library(&worker))
        status = serve(&worker);
    deja__stage_release(&worker.stage);
    deja_plugin_close(worker.plugin);
    return status;
}
