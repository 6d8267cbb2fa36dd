/* SPDX-License-Identifier: MIT */
/*
 * What becomes of a float environment that changes.
 *
 * A replay has the one of the session's start (the platform's words tell of it). What changes it
 * later (a driver, a library that the game calls) is not in the session, so the replay may part
 * from it and nobody could tell why: a mark at the step says so, and is told with the finding.
 */
#include "record/floats.h"

#include "plugin/plugin.h"
#include "record/recorder.h"

/* A program that changes it with every frame must not fill a store. */
enum { MARKS_MOST = 16 };

deja_code deja__recorder_take_platform(deja_recorder *recorder, deja_error *err)
{
    const uint32_t floats = deja__floats();
    recorder->floats = floats;
    recorder->float_marks = 0;
    if (recorder->platform.size != 0 && recorder->platform_floats == floats)
        return DEJA_OK;
    recorder->platform_floats = floats;
    deja_buffer_clear(&recorder->platform);
    return deja__platform_text(&recorder->platform, err);
}

void deja__recorder_mark_floats(deja_recorder *recorder)
{
    deja_buffer text = { 0 };
    recorder->floats = deja__floats();
    if (recorder->float_marks >= MARKS_MOST)
        return;
    recorder->float_marks++;
    deja_buffer_text(&text, "the float environment changed:");
    deja__platform_floats(&text);
    if (recorder->float_marks == MARKS_MOST)
        deja_buffer_text(&text, " (and no more of this is marked)");
    /* That it cannot be made is no reason to end the recording. */
    if (!text.failed)
        (void)deja__recorder_note(recorder, false, (const char *)text.bytes, 0, NULL);
    deja_buffer_release(&text);
}
