/* SPDX-License-Identifier: MIT */
/*
 * The detector against stored values that were changed behind their checksums: sessions are read
 * from one store and written to another with one value changed, so that every check fits again.
 *
 * A changed trail value or result is diverged at exactly that step; a changed chain within its
 * stretch of steps.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "replay/replaying.h"
#include "support/scratch.h"

TestSuite(planted, .timeout = 60);

enum plant { TRAIL, RESULT, CHAIN, EVENTS, PLANTS };

struct planted {
    enum plant plant;
    uint64_t step; /* of the changed value; of a chain the first step of its stretch */
    uint64_t last; /* of a chain the last step of its stretch */
};

static uint64_t draw(uint64_t *luck, uint64_t limit)
{
    *luck = *luck * 6364136223846793005u + 1442695040888963407u;
    return (*luck >> 33) % limit;
}

/* Which value to change in a session of so many steps. */
static struct planted choose(uint64_t *luck, uint64_t steps, enum plant plant)
{
    struct planted planted = { plant, 0, 0 };
    if (plant == TRAIL)
        planted.step = draw(luck, steps + 1);
    else
        planted.step = 1 + draw(luck, steps);
    planted.last = planted.step;
    if (plant == CHAIN || plant == EVENTS) {
        const uint64_t block = (planted.step - 1) / DEJA__BLOCK_STEPS;
        planted.step = block * DEJA__BLOCK_STEPS + 1;
        planted.last = (block + 1) * DEJA__BLOCK_STEPS;
        if (planted.last > steps)
            planted.last = steps;
    }
    return planted;
}

/* Changes one of a batch of steps, in copies that the caller gave. */
static void change(const struct planted *planted, deja_steps *steps, uint32_t *results,
                   uint64_t *trail, uint64_t *luck)
{
    memcpy(results, steps->results, steps->count * sizeof *results);
    memcpy(trail, steps->trail, steps->trail_count * sizeof *trail);
    steps->results = results;
    steps->trail = trail;
    const bool here = planted->step >= steps->first && planted->step < steps->first + steps->count;
    if (!here)
        return;
    const uint64_t at = planted->step - steps->first;
    if (planted->plant == TRAIL)
        trail[at] ^= (uint64_t)1 << draw(luck, 32);
    else if (planted->plant == RESULT)
        results[at] = results[at] ? 0 : 1 + (uint32_t)draw(luck, 3);
    else if (planted->plant == CHAIN)
        steps->chain ^= (uint64_t)1 << draw(luck, 64);
    else
        steps->event_chain ^= (uint64_t)1 << draw(luck, 64);
}

static void copy_session(deja_store *from, deja_store *to, int64_t key, enum plant plant,
                         struct planted *planted, uint64_t *luck)
{
    static uint32_t results[DEJA__BLOCK_STEPS];
    static uint64_t trail[DEJA__BLOCK_STEPS + 1];
    deja_reader *reader = NULL;
    deja_writer *writer = NULL;
    deja_error err = { 0 };
    cr_assert_eq(deja_reader_open(&reader, from, key, 0, &err), DEJA_OK, "%s", err.message);
    const deja_session *session = deja_reader_session(reader);
    const deja_recording *recording = deja_reader_recording(reader);
    cr_assert_gt(session->steps, 0);
    *planted = choose(luck, session->steps, plant);
    uint64_t start = deja_reader_start_hash(reader);
    if (plant == TRAIL && planted->step == 0)
        start ^= (uint64_t)1 << draw(luck, 32);
    cr_assert_eq(deja_writer_open(&writer, to, session, recording, start, 0, &err), DEJA_OK, "%s",
                 err.message);
    for (;;) {
        deja_steps steps;
        cr_assert_eq(deja_reader_next(reader, &steps, &err), DEJA_OK, "%s", err.message);
        if (steps.count == 0)
            break;
        change(planted, &steps, results, trail, luck);
        cr_assert_eq(deja_writer_add(writer, &steps, &err), DEJA_OK, "%s", err.message);
    }
    cr_assert_eq(deja_writer_close(writer, recording->ended, recording->outcome, NULL, NULL, &err),
                 DEJA_OK, "%s", err.message);
    deja_reader_close(reader);
}

struct seen {
    struct planted *planted;
    uint64_t count;
};

static bool look(void *user, const deja_verdict *verdict)
{
    struct seen *seen = user;
    const struct planted *planted = &seen->planted[seen->count++];
    cr_assert_eq(verdict->kind, DEJA_DIVERGED, "session %" PRIu64 ": %s, not diverged (%s)",
                 seen->count, deja_verdict_name(verdict->kind), verdict->why ? verdict->why : "");
    if (planted->plant == TRAIL || planted->plant == RESULT) {
        cr_assert_eq(verdict->step, planted->step,
                     "session %" PRIu64 ": step %" PRIu64 ", planted at %" PRIu64, seen->count,
                     verdict->step, planted->step);
        cr_assert_eq(verdict->step_last, planted->step);
    } else {
        cr_assert_geq(verdict->step, planted->step);
        cr_assert_leq(verdict->step_last, planted->last);
    }
    return true;
}

static void plant_and_verify(const char *library, uint64_t games, uint64_t max_steps,
                             enum plant from, enum plant until)
{
    char honest[128], changed[128];
    scratch_open(folder);
    snprintf(honest, sizeof honest, "%s/honest.deja", folder);
    snprintf(changed, sizeof changed, "%s/changed.deja", folder);
    scratch_record(honest, library, "random", games, 11, max_steps, 32);

    uint64_t count = 0, luck = 20261130;
    int64_t *keys = scratch_keys(honest, &count);
    cr_assert_eq(count, games);
    struct planted *planted = calloc(count, sizeof *planted);
    cr_assert_not_null(planted);
    deja_store *source = NULL, *target = NULL;
    deja_error err = { 0 };
    cr_assert_eq(deja_store_open(&source, honest, DEJA_STORE_READ, &err), DEJA_OK);
    cr_assert_eq(deja_store_open(&target, changed, DEJA_STORE_WRITE, &err), DEJA_OK);
    for (uint64_t i = 0; i < count; i++) {
        const enum plant plant = (enum plant)(from + i % (until - from + 1));
        copy_session(source, target, keys[i], plant, &planted[i], &luck);
    }
    deja_store_close(source, NULL);
    cr_assert_eq(deja_store_close(target, &err), DEJA_OK, "%s", err.message);
    free(keys);

    keys = scratch_keys(changed, &count);
    cr_assert_eq(count, games);
    struct seen seen = { planted, 0 };
    deja_verify_options options = DEJA_VERIFY_OPTIONS_INIT;
    deja_verify_summary summary = { 0 };
    options.worker = DEJA_BUILD_DIR "/deja";
    options.verdict = look;
    options.user = &seen;
    const deja_code code = deja_verify(changed, keys, count, library, &options, &summary, &err);
    cr_assert_eq(code, DEJA_OK, "%s", err.message);
    cr_assert_eq(seen.count, games);
    cr_assert_eq(summary.kinds[DEJA_DIVERGED], games);
    free(planted);
    free(keys);
    scratch_close(folder);
}

Test(planted, a_changed_trail_value_or_result_is_found_at_its_step)
{
    plant_and_verify(DEJA_BUILD_DIR "/games/matchgame.so", 150, 0, TRAIL, RESULT);
    plant_and_verify(DEJA_BUILD_DIR "/games/peg.so", 80, 0, TRAIL, RESULT);
}

Test(planted, a_changed_chain_is_found_within_its_stretch)
{
    plant_and_verify(DEJA_BUILD_DIR "/games/matchgame.so", 50, 0, CHAIN, EVENTS);
}

Test(planted, any_change_in_a_long_session_is_found_in_its_place)
{
    plant_and_verify(DEJA_BUILD_DIR "/rules/matchgame_endless.so", 24, 40000, TRAIL, EVENTS);
}
