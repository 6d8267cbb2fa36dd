/* SPDX-License-Identifier: MIT */
/*
 * A recorder that can be used for one session after another: what it needs of a plugin (codecs, the
 * ring) is made once. deja_recorder_open() and deja_recorder_close() are one session of such a one;
 * deja_record_bots() plays many.
 *
 * recorder.c has the steps, session.c how a session begins and ends, notes.c what is beside the
 * steps, floats.c what becomes of a float environment that changes, watch.c and self_check.c what
 * is looked at beside, report.c how that is told, folder.c how it all gets into the store.
 */
#ifndef DEJA_RECORD_RECORDER_H
#define DEJA_RECORD_RECORDER_H

#include <deja/recorder.h>

#include "base/base.h"
#include "record/events.h"
#include "record/folder.h"
#include "record/watch.h"

/* Bytes of a mark, and of what is told of the players and the version. */
enum { DEJA__LINE_SIZE_MAX = 1000 };

struct deja_recorder {
    deja_store *store;
    deja_plugin *plugin; /* NULL: notes only */
    const deja_rules_table *table;
    deja__form state, command, event;
    deja__events events;
    deja__folder *folder;
    deja__ring *ring;  /* the folder's */
    deja_buffer bytes; /* of a command, or of a session's beginning */
    deja_buffer later; /* marks and sections made within a step: see notes.c */
    deja_buffer platform;
    uint32_t platform_floats; /* what the float environment was when that was made */
    deja_buffer start;        /* the state's bytes of a session that begins in the middle */

    bool running;          /* a session is */
    uint64_t marks;        /* of it, so far */
    uint64_t block_bytes;  /* of the commands of the block at hand, with those taken back */
    uint64_t rewind_floor; /* steps up to this one may be in the store */
    uint64_t trail_every;
    uint64_t until_hash; /* steps to the next one that is hashed */
    uint32_t trail_bits;
    uint32_t floats; /* the float environment, when last looked at */
    uint32_t float_marks;
    bool inside;      /* a step began and has not ended */
    deja_code failed; /* DEJA_OK, or why nothing more is recorded */
    bool keep_begun;  /* the command that was begun belongs to the session */
    uint64_t failed_step;
    deja_error failure;
    deja__watch *watch; /* NULL: neither watch nor self_check is asked for */
    void (*report)(void *user, uint64_t step, const char *text); /* NULL: nobody listens */
    void *report_user;
};

/* Borrows store and plugin (NULL: a game without described types). */
deja_code deja__recorder_create(deja_recorder **out, deja_store *store, deja_plugin *plugin,
                                const deja__folder_options *options, deja_error *err);
/* What the store does not take stays in the journal, and why is answered. NULL is fine.
 * @param[out] id of the last session, where the store has it; may be NULL */
deja_code deja__recorder_destroy(deja_recorder *recorder, deja_id *id, deja_error *err);

/* What stands in place of options->config and options->content: as it is stored. */
typedef struct deja__asked {
    deja_span config;    /* canonical bytes */
    const char *content; /* as deja_content_text() has it */
} deja__asked;

/* Begins a session. */
deja_code deja__recorder_start(deja_recorder *recorder, const void *state, const deja__asked *asked,
                               const deja_recorder_options *options, deja_error *err);
/* Ends it, as deja_recorder_close() does; another may be started then, if this answers DEJA_OK.
 * @param[out] id    zero where the store has not taken it
 * @param[out] known whether it had it already */
deja_code deja__recorder_finish(deja_recorder *recorder, const char *outcome, deja_id *id,
                                bool *known, deja_error *err);

/* ---- between the files ---- */

/* The platform in words, anew where the float environment is another than when it was made; and
 * from here on that is the environment that is expected. */
deja_code deja__recorder_take_platform(deja_recorder *recorder, deja_error *err);
/* Marks that the float environment has changed by the last step that is finished. */
void deja__recorder_mark_floats(deja_recorder *recorder);

/* Whether this is a forked child, which does not record. */
bool deja__recorder_in_child(const deja_recorder *recorder);
/* Steps that are finished. */
uint64_t deja__recorder_step(const deja_recorder *recorder);
deja_code deja__recorder_say_child(deja_error *err);
/* Says why the recorder failed. */
deja_code deja__recorder_say_failed(const deja_recorder *recorder, deja_error *err);
/* Whether there is a recorder, of this process, that has not failed; or else why not. */
deja_code deja__recorder_usable(const deja_recorder *recorder, deja_error *err);
/* The recorder fails for good, for the reason in recorder->failure. */
deja_code deja__recorder_give_up(deja_recorder *recorder, deja_code code, deja_error *err);
/* notes.c: a mark or a section at the step at hand; what is noted within a step waits for its end.
 * DEJA_ELIMIT: a session takes no more marks. */
deja_code deja__recorder_note(deja_recorder *recorder, bool is_section, const char *text,
                              uint64_t hash, deja_error *err);
/* The step has ended: what waited is logged. */
deja_code deja__recorder_notes_flush(deja_recorder *recorder, deja_error *err);
/* Makes one line of a text as marks are, whatever is in it. */
void deja__line_clean(deja_buffer *text);
/* Marks a text at a step and tells the host; empties it. */
void deja__recorder_report(deja_recorder *recorder, uint64_t step, deja_buffer *text);

#endif
