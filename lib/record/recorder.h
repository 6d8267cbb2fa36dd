/* SPDX-License-Identifier: MIT */
/*
 * A recorder that can be used for one session after another: what it needs of a plugin (codecs, the
 * ring) is made once. deja_recorder_open() and deja_recorder_close() are one session of such a one;
 * deja_record_bots() plays many.
 *
 * recorder.c has the steps, session.c how a session begins and ends, floats.c what becomes of a
 * float environment that changes.
 */
#ifndef DEJA_RECORD_RECORDER_H
#define DEJA_RECORD_RECORDER_H

#include <deja/recorder.h>
#include <sys/types.h>

#include "base/base.h"
#include "record/events.h"
#include "record/ring.h"

/* Bytes of a mark, and of what is told of the players and the version. */
enum { DEJA__LINE_SIZE_MAX = 1000 };

struct deja_recorder {
    deja_store *store;
    deja_plugin *plugin; /* NULL: notes only */
    const deja_rules_table *table;
    deja__form state, command, event;
    deja__events events;
    deja__ring ring;
    deja_buffer platform;
    uint32_t platform_floats; /* what the float environment was when that was made */
    deja_buffer start;        /* the state's bytes of a session that begins in the middle */

    deja_writer *writer; /* NULL between sessions */
    uint64_t trail_every;
    uint64_t until_hash; /* steps to the next one that is hashed */
    uint32_t trail_bits;
    uint32_t floats; /* the float environment, when last looked at */
    uint32_t float_marks;
    uint32_t forks; /* what the counter was at the start */
    pid_t pid;
    bool inside;      /* a step began and has not ended */
    deja_code failed; /* DEJA_OK, or why nothing more is recorded */
    bool keep_begun;  /* the command that was begun belongs to the session */
    uint64_t failed_step;
    deja_error failure;
};

/* Borrows store and plugin (NULL: a game without described types). */
deja_code deja__recorder_create(deja_recorder **out, deja_store *store, deja_plugin *plugin,
                                deja_error *err);
void deja__recorder_destroy(deja_recorder *recorder); /* NULL is fine */

/* What stands in place of options->config and options->content: as it is stored. */
typedef struct deja__asked {
    deja_span config;    /* canonical bytes */
    const char *content; /* as deja_content_text() has it */
} deja__asked;

/* Begins a session. */
deja_code deja__recorder_start(deja_recorder *recorder, const void *state, const deja__asked *asked,
                               const deja_recorder_options *options, deja_error *err);
/* Ends it, as deja_recorder_close() does; another may be started then, if this answers DEJA_OK. */
deja_code deja__recorder_finish(deja_recorder *recorder, const char *outcome, deja_id *id,
                                bool *known, deja_error *err);

/* ---- between the files ---- */

/* The platform in words, anew where the float environment is another than when it was made; and
 * from here on that is the environment that is expected. */
deja_code deja__recorder_take_platform(deja_recorder *recorder, deja_error *err);
/* Marks that the float environment has changed by the last step that is finished. */
void deja__recorder_mark_floats(deja_recorder *recorder);

/* This process and its forks so far: what the next two go by. */
void deja__recorder_note_process(deja_recorder *recorder);
bool deja__recorder_in_child(const deja_recorder *recorder);
/* Steps that are finished. */
uint64_t deja__recorder_step(const deja_recorder *recorder);
deja_code deja__recorder_say_child(deja_error *err);
/* Says why the recorder failed. */
deja_code deja__recorder_say_failed(const deja_recorder *recorder, deja_error *err);
/* Hands what is in the ring to the writer; with `begun` the command that did not return, too. */
deja_code deja__recorder_flush(deja_recorder *recorder, bool begun, deja_error *err);

#endif
