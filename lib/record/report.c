/* SPDX-License-Identifier: MIT */
/*
 * What a recorder has to say beside its answers: once in the recording, as a mark, and once to the
 * host.
 */
#include "fields/values.h"
#include "record/recorder.h"

void deja__line_clean(deja_buffer *text)
{
    if (text->size > DEJA__LINE_SIZE_MAX)
        deja__buffer_cut(text, DEJA__LINE_SIZE_MAX);
    for (uint64_t i = 0; i < text->size; i++)
        if (text->bytes[i] < 0x20 || text->bytes[i] == 0x7f)
            text->bytes[i] = '?';
    /* It may have been cut within a character, here or before. */
    while (!deja__is_utf8(text->bytes, text->size))
        deja__buffer_cut(text, text->size - 1);
}

void deja__recorder_report(deja_recorder *recorder, uint64_t step, deja_buffer *text)
{
    if (text->failed || text->size == 0) {
        deja_buffer_clear(text);
        if (recorder->report)
            recorder->report(recorder->report_user, step, "a remark for which there is no memory");
        return;
    }
    deja__line_clean(text);
    const char *line = (const char *)text->bytes;
    /* That it cannot be marked is no reason to end the recording. */
    (void)deja__recorder_note(recorder, false, line, 0, NULL);
    if (recorder->report)
        recorder->report(recorder->report_user, step, line);
    deja_buffer_clear(text);
}
