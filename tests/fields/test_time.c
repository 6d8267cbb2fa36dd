/* SPDX-License-Identifier: MIT */
/*
 * Timers and inputs: structs that the header describes, so that whatever is made of a struct is
 * made of them. Their bytes by the inline way and by the slow one are held together with those of
 * all other kinds (all_kinds.h); here is what people and other builds see.
 */
#include "fields/mistakes.h"
#include "fields/codec_parts.h"
#include "support/library.h"
#include "support/values.h"

TestSuite(fields_time, .timeout = 30);

typedef struct season {
    deja_countdown can;
    deja_every rain;
    deja_input players[2];
} season;

static const char *const actions[] = { "left", "right" };

static void player_fields(deja_fields *f, const deja_input *input)
{
    deja_input_fields(f, input, actions);
}

static void season_fields(deja_fields *f, const void *value)
{
    const season *s = value;
    deja_struct(f, "can", &s->can, deja_countdown_fields);
    deja_struct(f, "rain", &s->rain, deja_every_fields);
    deja_struct_array(f, "players", s->players, 2, player_fields);
}

#define ACTIONS "flags(left|right)"
#define SEASON                                               \
    "can:{wait:u32 left:u32} rain:{period:u32 counted:u32} " \
    "players:{pressed:" ACTIONS " held:" ACTIONS " released:" ACTIONS "}[2]"

static const season some = { { 5, 2 }, { 10, 7 }, { { 1, 3, 0 }, { 0, 0, 2 } } };

#define SOME                                             \
    "can={wait=5 left=2} rain={period=10 counted=7} "    \
    "players={pressed=left held=left+right released=-}," \
    "{pressed=- held=- released=right}"

static deja_buffer save_season(const season *s, deja_layout **layout, uint64_t window)
{
    const deja_type type = { sizeof(season), season_fields, NULL, NULL };
    deja__codec *codec = NULL;
    deja_buffer bytes = { 0 };
    deja_error err = { 0 };
    cr_assert(deja__describe(layout, &type, &err) == DEJA_OK, "%s", err.message);
    cr_assert(deja__codec_create(&codec, &type, *layout, &err) == DEJA_OK, "%s", err.message);
    deja__codec_set_window(codec, window);
    cr_assert(deja__codec_save(codec, s, &bytes, &err) == DEJA_OK, "%s", err.message);
    deja__codec_destroy(codec);
    return bytes;
}

Test(fields_time, are_structs_in_a_layout)
{
    assert_layout(TYPE(season, season_fields), SEASON);
}

Test(fields_time, have_bytes_and_text)
{
    static const unsigned char expected[] = { 5, 0, 0, 0, 2, 0, 0, 0, 10, 0, 0, 0, 7, 0,
                                              0, 0, 1, 0, 0, 0, 3, 0, 0,  0, 0, 0, 0, 0,
                                              0, 0, 0, 0, 0, 0, 0, 0, 2,  0, 0, 0 };
    static const uint64_t windows[] = { 0, 11, 12, 13, 23, 24, 4096 };
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        deja_layout *layout = NULL;
        deja_buffer text = { 0 };
        deja_buffer bytes = save_season(&some, &layout, windows[i]);
        cr_assert(eq(u64, bytes.size, sizeof expected));
        cr_assert(memcmp(bytes.bytes, expected, sizeof expected) == 0);
        cr_assert(deja_value_print(layout, bytes.bytes, bytes.size, &text, NULL) == DEJA_OK);
        assert_text((char *)text.bytes, SOME);
        deja_buffer_release(&text);
        deja_buffer_release(&bytes);
        deja_layout_destroy(layout);
    }
    assert_reads_as(SEASON, SOME, SOME);
    assert_refused(SEASON,
                   "can={wait=5 left=2} rain={period=10 counted=7} "
                   "players={pressed=jump held=- released=-},{pressed=- held=- released=-}",
                   "players[0].pressed: there is no 'jump'; there are left, right");
}

Test(fields_time, are_objects_in_json)
{
    deja_layout *layout = NULL;
    deja_buffer json = { 0 };
    deja_buffer bytes = save_season(&some, &layout, 4096);
    cr_assert(deja_value_print_json(layout, bytes.bytes, bytes.size, &json, NULL) == DEJA_OK);
    assert_text((char *)json.bytes,
                "{\"can\":{\"wait\":5,\"left\":2},\"rain\":{\"period\":10,\"counted\":7},"
                "\"players\":[{\"pressed\":[\"left\"],\"held\":[\"left\",\"right\"],"
                "\"released\":[]},{\"pressed\":[],\"held\":[],\"released\":[\"right\"]}]}");
    deja_buffer_release(&json);
    deja_buffer_release(&bytes);
    deja_layout_destroy(layout);
}

Test(fields_time, differ_by_what_differs_in_them)
{
    season other = some;
    deja_layout *layout = NULL, *same = NULL;
    other.can.left = 3;
    other.rain.counted = 8;
    other.players[1].held = 2;
    deja_buffer a = save_season(&some, &layout, 4096), b = save_season(&other, &same, 4096);
    deja_buffer all = differences_of(layout, span_of(&a), span_of(&b));
    assert_text((char *)all.bytes,
                "can.left: 2 / 3; rain.counted: 7 / 8; players[1].held: - / right");
    deja_buffer_release(&all);
    deja_buffer_release(&a);
    deja_buffer_release(&b);
    deja_layout_destroy(layout);
    deja_layout_destroy(same);
}

/* A build that has more actions, in another order, takes recorded inputs by their names. */
Test(fields_time, are_decoded_by_the_names_of_the_actions)
{
#define MORE "flags(jump|right|left)"
    static const char newer[] = "can:{wait:u32 left:u32} rain:{period:u32 counted:u32} "
                                "players:{pressed:" MORE " held:" MORE " released:" MORE "}[2]";
    deja_layout *old = NULL, *new = NULL;
    deja_match *match = NULL;
    deja_buffer text = { 0 };
    deja_error err = { 0 };
    deja_buffer recorded = save_season(&some, &old, 4096), present = { 0 };
    cr_assert(deja_layout_parse(&new, newer, strlen(newer), &err) == DEJA_OK, "%s", err.message);
    cr_assert(deja_match_create(&match, old, new, &err) == DEJA_OK, "%s", err.message);
    cr_assert(deja_match_is_whole(match));
    cr_assert(deja_match_to_present(match, recorded.bytes, recorded.size, (deja_span){ NULL, 0 },
                                    &present, &err) == DEJA_OK,
              "%s", err.message);
    cr_assert(deja_value_print(new, present.bytes, present.size, &text, NULL) == DEJA_OK);
    assert_text((char *)text.bytes, "can={wait=5 left=2} rain={period=10 counted=7} "
                                    "players={pressed=left held=right+left released=-},"
                                    "{pressed=- held=- released=right}");
    deja_buffer_release(&text);
    deja_buffer_release(&present);
    deja_buffer_release(&recorded);
    deja_match_destroy(match);
    deja_layout_destroy(old);
    deja_layout_destroy(new);
}

/* ---- how many actions ---- */

static const char *const many[] = { "a0",  "a1",  "a2",  "a3",  "a4",  "a5",  "a6",  "a7",  "a8",
                                    "a9",  "a10", "a11", "a12", "a13", "a14", "a15", "a16", "a17",
                                    "a18", "a19", "a20", "a21", "a22", "a23", "a24", "a25", "a26",
                                    "a27", "a28", "a29", "a30", "a31", "a32" };

static void most_fields(deja_fields *f, const void *value)
{
    deja__input(f, value, many, 32);
}

static void too_many_fields(deja_fields *f, const void *value)
{
    deja_input_fields(f, (const deja_input *)value, many);
}

Test(fields_time, may_have_all_of_32_actions_and_no_more)
{
    const deja_type type = { sizeof(deja_input), most_fields, NULL, NULL };
    const deja_input all = { 1, UINT32_MAX, 0x80000000u };
    deja_layout *layout = NULL;
    deja__codec *codec = NULL;
    deja_buffer bytes = { 0 };
    deja_error err = { 0 };
    cr_assert(deja__describe(&layout, &type, &err) == DEJA_OK, "%s", err.message);
    cr_assert(deja__codec_create(&codec, &type, layout, &err) == DEJA_OK, "%s", err.message);
    cr_assert(deja__codec_save(codec, &all, &bytes, &err) == DEJA_OK, "%s", err.message);
    cr_assert(bytes.size == 12 && memcmp(bytes.bytes, &all, 12) == 0);
    cr_assert(deja_value_validate(layout, bytes.bytes, bytes.size, &err) == DEJA_OK);
    deja_buffer_release(&bytes);
    deja__codec_destroy(codec);
    deja_layout_destroy(layout);

    assert_unfit(TYPE(deja_input, too_many_fields),
                 "'pressed' has 33 names, which its 4 bytes cannot tell apart");
}
