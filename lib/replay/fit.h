/* SPDX-License-Identifier: MIT */
/*
 * How a recording fits a library: what has to be turned from one layout to the other, which results
 * mean the same, what cannot be compared, and what is to be said about it.
 *
 * Sessions of one recorded build share a fit, so a store of thousands costs one matching.
 */
#ifndef DEJA_REPLAY_FIT_H
#define DEJA_REPLAY_FIT_H

#include <deja/layout.h>
#include <deja/plugin.h>
#include <deja/replay.h>

#include "base/base.h"
#include "replay/packs.h"

/* Names with spaces between, taken apart. */
typedef struct deja__namelist {
    char *text;
    const char **items;
    uint32_t count;
} deja__namelist;

bool deja__namelist_split(deja__namelist *names, const char *text); /* false: no memory */
void deja__namelist_release(deja__namelist *names);
/* The place, or -1. */
int32_t deja__namelist_find(const deja__namelist *names, const char *name);
/* "ok", the name of a result, or "?". */
const char *deja__namelist_result(const deja__namelist *names, uint32_t result);

#define DEJA__RESULT_NONE UINT32_MAX /* a result that the recording has no name for */

typedef struct deja__fit {
    /* What it was made for. */
    char *game, *version, *refusals, *outcomes;
    char *layouts[4];
    bool partial;

    /* What came of it. */
    char *unfit;    /* why it does not fit at all; else NULL */
    bool ruled_out; /* that has nothing to do with the build: no build of this game would do */
    deja_layout *recorded[4];
    deja_layout *present[4];
    deja_match *matches[4]; /* NULL where the layouts are the same text */
    deja__namelist recorded_refusals, present_refusals;
    deja__namelist present_outcomes;
    uint32_t *results; /* by present result: the recorded one, or DEJA__RESULT_NONE */
    bool compares_state;
    bool compares_events;
    bool compares_outcome; /* the library tells of outcomes */
    bool recorded_tells;   /* the recording's build did */
    char *not_compared;    /* one line, or NULL */
    char **remarks;
    uint32_t remark_count;
    uint32_t holders;
} deja__fit;

/* Makes the fit of a recording to a library. Only memory is a failure; all else is in it. */
deja_code deja__fit_create(deja__fit **out, const deja_session *session,
                           const deja_recording *recording, const deja_rules_info *info,
                           bool partial, deja_error *err);
/* One holder less; the last one's call destroys it. NULL is fine. */
void deja__fit_drop(deja__fit *fit);
/* Whether it is also the fit of this one. */
bool deja__fit_serves(const deja__fit *fit, const deja_session *session,
                      const deja_recording *recording);

/* "state", "command", "event" or "config" (enum deja_type_index). */
const char *deja__type_word(uint32_t type);
/* Appends how the build that recorded and this one differ, on one line; nothing where they are the
 * same. */
void deja__same_build_print(const deja__fit *fit, const deja_recording *recording,
                            const deja_rules_info *info, deja_buffer *out);

/* A few fits, the last used first. One library's; used by one thread. */
enum { DEJA__FITS_MAX = 16 };
typedef struct deja__fits {
    const deja_rules_info *info;
    const deja__packs *packs; /* that sessions may name; NULL: none */
    bool partial;
    bool same_build; /* recordings of other builds do not fit */
    deja__fit *items[DEJA__FITS_MAX];
} deja__fits;

/* The caller holds it, and drops it. */
deja_code deja__fits_find(deja__fits *fits, deja__fit **out, const deja_session *session,
                          const deja_recording *recording, deja_error *err);
void deja__fits_release(deja__fits *fits);

#endif
