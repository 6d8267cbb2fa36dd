/* SPDX-License-Identifier: MIT */
/*
 * Content while recording: a session names what its start was given. The digests are those of
 * schemas/digests.md.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "record/scene.h"

TestSuite(content, .timeout = 60);

#define GARDEN "garden=0be55a1d974ccb93977700180d59a44a"
#define FORECAST "forecast=99aa06d3014798d86001c324468d497f"

static const deja_content_pack garden_and_forecast[] = { { "garden", "plots: 8\n", 9 },
                                                         { "forecast", NULL, 0 } };

static void assert_content(scene *s, const deja_id *id, const char *expected)
{
    held *h = scene_read(s, id);
    cr_assert_str_eq(h->content, expected);
    free(h);
}

Test(content, a_recorder_keeps_names_and_digests_of_all_packs)
{
    scene s;
    scene_open(&s);
    deja_recorder *recorder = scene_record(&s);
    const deja_id without = scene_end(&s, recorder, NULL);
    const deja_content content = { 2, garden_and_forecast };
    s.options.content = &content;
    recorder = scene_record(&s);
    const deja_id with = scene_end(&s, recorder, NULL);
    cr_assert_neq(memcmp(&without, &with, sizeof with), 0, "it is not what was asked before");
    assert_content(&s, &without, "");
    assert_content(&s, &with, FORECAST " " GARDEN);
    scene_close(&s);
}

Test(content, the_order_in_which_packs_are_given_does_not_matter)
{
    static const deja_content_pack turned[] = { { "forecast", NULL, 0 },
                                                { "garden", "plots: 8\n", 9 } };
    const deja_content orders[] = { { 2, garden_and_forecast }, { 2, turned } };
    scene s;
    deja_id ids[2];
    scene_open(&s);
    for (int i = 0; i < 2; i++) {
        s.options.content = &orders[i];
        deja_recorder *recorder = scene_record(&s);
        ids[i] = scene_end(&s, recorder, NULL);
    }
    cr_assert_eq(memcmp(&ids[0], &ids[1], sizeof ids[0]), 0);
    cr_assert_eq(scene_sessions(&s, NULL), 1);
    scene_close(&s);
}

Test(content, a_game_without_described_types_has_content_as_well)
{
    scene s;
    scene_open(&s);
    const deja_content content = { 1, garden_and_forecast };
    deja_recorder_options options = DEJA_RECORDER_OPTIONS_INIT;
    deja_recorder *recorder = NULL;
    deja_id id;
    options.game = "raw.game";
    options.content = &content;
    deja_code code = deja_recorder_open(&recorder, s.store, NULL, NULL, &options, &s.err);
    cr_assert_eq(code, DEJA_OK, "%s", s.err.message);
    code = deja_recorder_close(recorder, NULL, &id, &s.err);
    cr_assert_eq(code, DEJA_OK, "%s", s.err.message);
    assert_content(&s, &id, GARDEN);
    scene_close(&s);
}

Test(content, packs_that_no_session_can_name_open_nothing)
{
    static const deja_content_pack twice[] = { { "maps", "", 0 }, { "maps", "", 0 } };
    const deja_content content = { 2, twice };
    scene s;
    scene_open(&s);
    s.options.content = &content;
    deja_recorder *recorder = (deja_recorder *)&s;
    deja_code code = deja_recorder_open(&recorder, s.store, s.plugin, &s.state, &s.options, &s.err);
    scene_assert_failed(&s, code, DEJA_EMISUSE, "content 'maps' is there twice");
    cr_assert_null(recorder);
    deja_bots_options bots = DEJA_BOTS_OPTIONS_INIT;
    bots.content = &content;
    code = deja_bots_check(s.plugin, &bots, &s.err);
    scene_assert_failed(&s, code, DEJA_EMISUSE, "content 'maps' is there twice");
    code = deja_record_bots(s.store, s.plugin, &bots, &s.err);
    scene_assert_failed(&s, code, DEJA_EMISUSE, "content 'maps' is there twice");
    cr_assert_eq(scene_sessions(&s, NULL), 0);
    scene_close(&s);
}

typedef struct finished {
    deja_id ids[3];
    uint32_t count;
} finished;

static bool keep_id(void *user, const deja_id *id, uint64_t seed, uint64_t steps, bool known)
{
    finished *f = user;
    (void)seed;
    (void)steps;
    (void)known;
    f->ids[f->count++] = *id;
    return true;
}

Test(content, every_game_of_bots_starts_with_the_packs_that_its_session_names)
{
    static const deja_content_pack packs[] = { { "forecast", NULL, 0 }, { "gift", "\x28", 1 } };
    const deja_content content = { 2, packs };
    scene s;
    finished f = { .count = 0 };
    scene_open(&s);
    deja_bots_options bots = DEJA_BOTS_OPTIONS_INIT;
    bots.bots = "quitter"; /* who has nothing to do where there is gold */
    bots.games = 3;
    bots.content = &content;
    bots.finished = keep_id;
    bots.user = &f;
    deja_code code = deja_bots_check(s.plugin, &bots, &s.err);
    cr_assert_eq(code, DEJA_OK, "%s", s.err.message);
    code = deja_record_bots(s.store, s.plugin, &bots, &s.err);
    cr_assert_eq(code, DEJA_OK, "%s", s.err.message);
    cr_assert_eq(f.count, 3);
    for (uint32_t i = 0; i < f.count; i++) {
        ledger expected = { .gold = 40 };
        deja_luck_seed(&expected.luck, i, 0);
        held *h = scene_read(&s, &f.ids[i]);
        cr_assert_eq(h->steps, 0);
        cr_assert_eq(h->trail[0], ledger_hash(&expected) & UINT32_MAX);
        cr_assert_eq(strncmp(h->content, FORECAST " gift=", sizeof FORECAST + 5), 0, "%s",
                     h->content);
        free(h);
    }
    scene_close(&s);
}
