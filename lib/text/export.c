/* SPDX-License-Identifier: MIT */
/*
 * The headers of an exported text, and the order of its parts. See export.h.
 */
#include "text/export.h"

/* ---- out ---- */

deja_code deja__export_give(deja__export *e, uint64_t least)
{
    if (e->out.failed)
        return deja__fail_memory(e->err);
    if (e->out.size < least || e->out.size == 0)
        return DEJA_OK;
    if (!e->write(e->user, (const char *)e->out.bytes, e->out.size))
        return deja__fail(e->err, DEJA_EIO, "the text could not be written");
    deja_buffer_clear(&e->out);
    return DEJA_OK;
}

/* A line that is there only if there is something to say. */
static void print_names(deja__export *e, const char *keyword, const char *names)
{
    if (*names)
        deja__print(&e->out, "%s: %s\n", keyword, names);
}

static void print_rest(deja__export *e, const char *keyword, const char *text)
{
    if (!*text)
        return;
    deja__print(&e->out, "%s: ", keyword);
    deja__rest_print(&e->out, text);
    deja_buffer_char(&e->out, '\n');
}

static deja_code print_value(deja__export *e, const char *keyword, const deja__shape *shape,
                             deja_span value)
{
    deja__print(&e->out, "%s: ", keyword);
    const deja_code code = deja__shape_print(shape, value.bytes, value.size, &e->out, e->err);
    deja_buffer_char(&e->out, '\n');
    return code;
}

/* ---- headers ---- */

static void print_game(deja__export *e)
{
    deja__print(&e->out, "deja-replay: %d\ngame: %s", DEJA__REPLAY_VERSION, e->session->game);
    if (*e->recording->version) {
        deja_buffer_char(&e->out, ' ');
        deja__rest_print(&e->out, e->recording->version);
    }
    deja__print(&e->out, "\nlayout: state %s\n", e->recording->state_layout);
    deja__print(&e->out, "layout: command %s\n", e->session->command_layout);
    deja__print(&e->out, "layout: event %s\n", e->recording->event_layout);
    deja__print(&e->out, "layout: config %s\n", e->session->config_layout);
    if (*e->session->start_layout &&
        strcmp(e->session->start_layout, e->recording->state_layout) != 0)
        deja__print(&e->out, "layout: start %s\n", e->session->start_layout);
}

static void print_build(deja__export *e)
{
    deja_buffer_text(&e->out, "build: ");
    deja__print_hex_bytes(&e->out, e->recording->build, sizeof e->recording->build);
    if (*e->recording->compiler) {
        deja_buffer_char(&e->out, ' ');
        deja__rest_print(&e->out, e->recording->compiler);
    }
    deja_buffer_char(&e->out, '\n');
}

static deja_code print_headers(deja__export *e)
{
    print_game(e);
    print_names(e, "refusals", e->recording->refusals);
    print_names(e, "outcomes", e->recording->outcomes);
    if (deja__export_is_recorded(e))
        print_build(e);
    print_rest(e, "platform", e->recording->platform);
    print_rest(e, "made", e->recording->made);
    print_rest(e, "content", e->session->content);
    deja_code code = print_value(e, "config", &e->config, e->session->config);
    if (code < 0)
        return code;
    deja__print(&e->out, "seed: %llu\n", (unsigned long long)e->session->seed);
    if (*e->session->start_layout)
        code = print_value(e, "start", &e->start, e->session->start);
    return code < 0 ? code : deja__export_give(e, DEJA__PIECE_SIZE);
}

/* ---- all of it ---- */

static deja_code open_shapes(deja__export *e)
{
    const struct {
        deja__shape *shape;
        const char *layout;
    } shapes[] = {
        { &e->state, e->recording->state_layout },
        { &e->command, e->session->command_layout },
        { &e->config, e->session->config_layout },
        { &e->start, e->session->start_layout },
    };
    for (uint32_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const size_t size = strlen(shapes[i].layout);
        if (size == 0 && shapes[i].shape == &e->start)
            continue;
        const deja_code code = deja__shape_open(shapes[i].shape, shapes[i].layout, size, e->err);
        if (code < 0)
            return code;
    }
    return DEJA_OK;
}

static deja_code print_all(deja__export *e)
{
    e->session = deja_reader_session(e->reader);
    e->recording = deja_reader_recording(e->reader);
    deja_code code = open_shapes(e);
    if (code == DEJA_OK)
        code = deja__export_remarks(e);
    if (code == DEJA_OK)
        code = print_headers(e);
    if (code == DEJA_OK)
        code = deja__export_steps(e);
    if (code == DEJA_OK)
        code = deja__export_tail(e);
    return code < 0 ? code : deja__export_give(e, 0);
}

static void release(deja__export *e)
{
    deja_reader_close(e->reader);
    deja__shape_close(&e->state);
    deja__shape_close(&e->command);
    deja__shape_close(&e->config);
    deja__shape_close(&e->start);
    deja_buffer_release(&e->marks);
    deja_buffer_release(&e->sections);
    deja_buffer_release(&e->text);
    deja_buffer_release(&e->chains);
    deja_buffer_release(&e->event_chains);
    deja_buffer_release(&e->out);
}

deja_code deja_export(deja_store *store, int64_t key, uint32_t recording,
                      bool (*write)(void *user, const char *chars, uint64_t size), void *user,
                      deja_error *err)
{
    if (!store || !write)
        return deja__fail(err, DEJA_EMISUSE, "export needs a store, and a call that writes");
    deja__export e = { .write = write, .user = user, .err = err };
    deja_code code = deja_reader_open(&e.reader, store, key, recording, err);
    if (code == DEJA_OK)
        code = print_all(&e);
    release(&e);
    return code;
}
