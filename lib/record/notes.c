/* SPDX-License-Identifier: MIT */
/*
 * Marks, section hashes and rewinds of a session that is being recorded.
 *
 * A note belongs to the last step that is done, so one that is made while a step runs (by apply, or
 * between begin and end) waits until that is done. What waits is, one after another: a byte, 1 for
 * a section, its hash, its text and a NUL.
 */
#include "record/recorder.h"

#include "record/options.h"
#include "store/valid.h"

#define MARKS_MAX (((uint64_t)1 << 20) - 1) /* of a session: schemas/store.md */
#define SEE_PREFIX "see: "                  /* marks that are expectations: schemas/replay.md */

/* ---- notes ---- */

static deja_code log_note(deja_recorder *recorder, bool is_section, const char *text, uint64_t hash,
                          deja_error *err)
{
    return deja__ring_log(recorder->ring, is_section ? DEJA__JOURNAL_SECTION : DEJA__JOURNAL_MARK,
                          0, text, hash, err);
}

deja_code deja__recorder_note(deja_recorder *recorder, bool is_section, const char *text,
                              uint64_t hash, deja_error *err)
{
    unsigned char head[9] = { is_section };
    if (!is_section && recorder->marks >= MARKS_MAX)
        return deja__fail(err, DEJA_ELIMIT, "a session has at most %llu marks",
                          (unsigned long long)MARKS_MAX);
    recorder->marks += !is_section;
    if (!recorder->ring->begun)
        return log_note(recorder, is_section, text, hash, err);
    deja__store64(head + 1, hash);
    deja_buffer_add(&recorder->later, head, sizeof head);
    deja_buffer_add(&recorder->later, text, strlen(text) + 1);
    if (!recorder->later.failed)
        return DEJA_OK;
    deja_buffer_release(&recorder->later);
    return deja__fail_memory(err);
}

deja_code deja__recorder_notes_flush(deja_recorder *recorder, deja_error *err)
{
    deja_code code = DEJA_OK;
    for (uint64_t at = 0; at < recorder->later.size && code == DEJA_OK;) {
        const unsigned char *head = recorder->later.bytes + at;
        const char *text = (const char *)head + 9;
        code = log_note(recorder, head[0] != 0, text, deja__load64(head + 1), err);
        at += 9 + strlen(text) + 1;
    }
    deja_buffer_clear(&recorder->later);
    return code;
}

/* ---- the public functions ---- */

deja_code deja_recorder_section(deja_recorder *recorder, const char *name, uint64_t hash,
                                deja_error *err)
{
    const deja_code code = deja__recorder_usable(recorder, err);
    if (code < 0)
        return code;
    if (!name || !deja__is_name(name, strlen(name)))
        return deja__fail(err, DEJA_EMISUSE, "a section has a name as fields have");
    return deja__recorder_note(recorder, true, name, hash, err);
}

deja_code deja_recorder_mark(deja_recorder *recorder, const char *text, deja_error *err)
{
    const deja_code code = deja__recorder_usable(recorder, err);
    if (code < 0)
        return code;
    if (!text || !deja__is_plain(text, strlen(text), DEJA__LINE_SIZE_MAX))
        return deja__fail(err, DEJA_EMISUSE, "a mark is one line of UTF-8 of at most %d bytes",
                          DEJA__LINE_SIZE_MAX);
    if (strncmp(text, SEE_PREFIX, strlen(SEE_PREFIX)) == 0)
        return deja__fail(err, DEJA_EMISUSE, "a mark does not begin with '%s'", SEE_PREFIX);
    return deja__recorder_note(recorder, false, text, 0, err);
}

deja_code deja_recorder_rewind(deja_recorder *recorder, uint64_t step, deja_error *err)
{
    deja_code code = deja__recorder_usable(recorder, err);
    if (code < 0)
        return code;
    const uint64_t steps = deja__recorder_step(recorder);
    if (recorder->ring->begun)
        return deja__fail(err, DEJA_EMISUSE, "a step runs, and cannot be taken back");
    if (step > steps)
        return deja__fail(err, DEJA_EMISUSE, "there are %llu steps, and none to go back to %llu",
                          (unsigned long long)steps, (unsigned long long)step);
    if (step == steps)
        return DEJA_OK;
    if (recorder->rewind_floor && step <= recorder->rewind_floor)
        return deja__fail(err, DEJA_ELIMIT,
                          "step %llu is in the store for good; the first that can be gone back to "
                          "is %llu",
                          (unsigned long long)step, (unsigned long long)recorder->rewind_floor + 1);
    code = deja__ring_log(recorder->ring, DEJA__JOURNAL_REWIND, 0, NULL, step, err);
    if (code < 0)
        return code;
    recorder->marks++; /* the one that says so */
    recorder->until_hash = recorder->trail_every - step % recorder->trail_every;
    if (recorder->watch)
        deja__watch_rewind(recorder->watch);
    return DEJA_OK;
}

deja_code deja_recorder_sync(deja_recorder *recorder, deja_error *err)
{
    const deja_code code = deja__recorder_usable(recorder, err);
    return code < 0 ? code : deja__ring_sync(recorder->ring, err);
}
