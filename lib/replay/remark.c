/* SPDX-License-Identifier: MIT */
/*
 * Remarks: what holds beside a verdict of any kind.
 */
#include "replay/lane.h"

#include <stdlib.h>

/* The marks last before a finding: the recorder puts there what it noticed. */
enum { MARKS_MAX = 3 };

typedef struct marks {
    uint64_t until;
    uint32_t count;
    uint64_t steps[MARKS_MAX];
    char *texts[MARKS_MAX];
    bool failed;
} marks;

static bool keep_mark(void *user, uint64_t step, const char *text)
{
    marks *m = user;
    if (step > m->until)
        return false;
    if (strncmp(text, "see: ", 5) == 0)
        return true;
    char *copy = strdup(text);
    if (!copy) {
        m->failed = true;
        return false;
    }
    if (m->count == MARKS_MAX) {
        free(m->texts[0]);
        memmove(m->texts, m->texts + 1, (MARKS_MAX - 1) * sizeof m->texts[0]);
        memmove(m->steps, m->steps + 1, (MARKS_MAX - 1) * sizeof m->steps[0]);
        m->count--;
    }
    m->steps[m->count] = step;
    m->texts[m->count++] = copy;
    return true;
}

deja_code deja__remark_on_marks(deja__box *box, const deja__replay *replay, deja_error *err)
{
    marks m = { .until = replay->finding.step_last };
    deja_code code = deja_reader_marks(replay->reader, keep_mark, &m, err);
    if (code == DEJA_EDAMAGED)
        code = DEJA_OK; /* they were read when it was opened, so this cannot be news */
    for (uint32_t i = 0; i < m.count; i++) {
        deja__box_remark(box, "marked at step %llu: %s", (unsigned long long)m.steps[i],
                         m.texts[i]);
        free(m.texts[i]);
    }
    return code == DEJA_OK && m.failed ? deja__fail_memory(err) : code;
}

static bool count_section(void *user, uint64_t step, const char *name, uint64_t hash)
{
    uint64_t *count = user;
    (void)step;
    (void)name;
    (void)hash;
    ++*count;
    return true;
}

/* Named hashes come from the game that recorded; the rules know nothing of the names. */
static void remark_on_sections(deja__box *box, const deja__replay *replay)
{
    uint64_t count = 0;
    if (deja_reader_sections(replay->reader, count_section, &count, NULL) == DEJA_OK && count)
        deja__box_remark(box, "%llu section %s not compared", (unsigned long long)count,
                         count == 1 ? "hash was" : "hashes were");
}

static void remark_on_match(deja__box *box, const deja__replay *replay)
{
    const deja_recording *recording = replay->recording;
    if (replay->session->steps == 0)
        deja__box_remark(box, "it has no commands: step 0 alone was compared");
    if (replay->crash_gone)
        deja__box_remark(box,
                         "the last command crashed when it was recorded, and does not any more");
    if (!replay->outcome_compared && !replay->fit->compares_outcome &&
        (recording->ended == DEJA_ENDED_OUTCOME ||
         (recording->ended == DEJA_ENDED_RUNNING && replay->fit->recorded_tells)))
        deja__box_remark(box, "the outcome was not compared: this build tells of none");
    if (recording->ended == DEJA_ENDED_RUNNING && replay->outcome && !replay->outcome_compared)
        deja__box_remark(box, "the outcome was not compared: the recorded build told of none");
    if (recording->ended == DEJA_ENDED_UNFINISHED && !replay->scenario)
        deja__box_remark(box, "the recording was never closed, so no outcome was compared");
    remark_on_sections(box, replay);
    if (replay->compare_wish < replay->wish_count)
        deja__box_remark(box, "%u expectations were not checked",
                         replay->wish_count - replay->compare_wish);
}

void deja__remark(const deja__lane *lane, deja__box *box, const deja__replay *replay)
{
    const deja__fit *fit = replay->fit;
    for (uint32_t i = 0; fit && i < fit->remark_count; i++)
        deja__box_remark(box, "%s", fit->remarks[i]);
    if (replay->kept_count)
        deja__box_remark(box, "keeps state outside the state: %s", replay->kept);
    if (replay->events.kind && replay->finding.kind != DEJA__EVENTS &&
        replay->finding.kind != DEJA__DAMAGE && replay->events.step_last < replay->finding.step)
        deja__box_remark(box, "events differ already in steps %llu to %llu",
                         (unsigned long long)replay->events.step,
                         (unsigned long long)replay->events.step_last);
    if (replay->contradicted)
        deja__box_remark(box, "the recording contradicts itself: its chain is not that of its "
                              "results and hashes");
    if (replay->said[0])
        deja__box_remark(box, "it said: %s", replay->said);
    const uint32_t isolation = lane->verify->options.isolate;
    if (isolation == DEJA_ISOLATE_RESTORE && lane->link.info.isolation != isolation)
        deja__box_remark(box, "memory was put back between sessions although %s",
                         lane->link.info.isolation_why);
    if (replay->finding.kind == DEJA__NOTHING)
        remark_on_match(box, replay);
}

bool deja__is_recorders_build(const deja__lane *lane, const deja__replay *replay)
{
    static const unsigned char unknown[16];
    const unsigned char *build = replay->recording->build;
    return memcmp(build, unknown, sizeof unknown) != 0 &&
           memcmp(build, lane->link.info.build, sizeof unknown) == 0;
}

void deja__remark_on_build(const deja__lane *lane, deja__box *box, const deja__replay *replay)
{
    const deja_recording *recording = replay->recording;
    if (deja__is_recorders_build(lane, replay))
        deja__box_remark(box, "this is the very build that recorded it%s%s",
                         recording->platform[0] ? ", on " : "", recording->platform);
}
