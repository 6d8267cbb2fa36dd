/* SPDX-License-Identifier: MIT */
/*
 * <deja/rules.hpp>, by two libraries in C++: what it writes and loads, held against a host of its
 * own and the real one, which must agree to the byte whatever the window.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

#include "fields/codec.h"
#include "support/host.h"
#include "support/library.h"

TestSuite(containers, .timeout = 120);

enum { BYTES = 1 << 20 };

/* A library in C++ with the host's side of its state. */
typedef struct subject {
    library lib;
    deja_layout *layout;
    deja__codec *codec;
    void *state;
    unsigned char *bytes, *other;
} subject;

static subject subject_open(const char *name)
{
    subject s = { .lib = library_open(name) };
    deja_error err = { 0 };
    deja_code code = deja__describe(&s.layout, &s.lib.rules->state, &err);
    cr_assert(code == DEJA_OK, "%s", err.message);
    code = deja__codec_create(&s.codec, &s.lib.rules->state, s.layout, &err);
    cr_assert(code == DEJA_OK, "%s", err.message);
    s.state = host_create(&s.lib.rules->state);
    s.bytes = malloc(BYTES);
    s.other = malloc(BYTES);
    cr_assert(s.bytes != NULL && s.other != NULL);
    return s;
}

static void subject_close(subject *s)
{
    host_destroy(&s->lib.rules->state, s->state);
    deja__codec_destroy(s->codec);
    deja_layout_destroy(s->layout);
    free(s->bytes);
    free(s->other);
    library_close(&s->lib);
}

/* ---- layouts ---- */

static void assert_layout(const deja_type *type, const char *expected)
{
    deja_layout *layout = NULL;
    deja_error err = { 0 };
    const deja_code code = deja__describe(&layout, type, &err);
    cr_assert(code == DEJA_OK, "%s", err.message);
    assert_text(deja_layout_text(layout), expected);
    deja_layout_destroy(layout);
}

#define LEAF "a:i16 numbers:i64[..6000] bytes:u8[..6000]?"
#define INNER "leaves:{" LEAF "}[..5] pair:{" LEAF "}[2] text:text[..6000]"

Test(containers, have_the_layouts_of_what_they_hold)
{
    library lib = library_open("rules/containers");
    assert_layout(&lib.rules->state,
                  "bytes:u8[..6000] shorts:u16[..6000] words:u32[..6000] signed_bytes:i8[..6000] "
                  "ints:i32[..6000] floats:f32[..6000] doubles:f64[..6000] flags:bool[5] "
                  "point:f64[3] names:text[..40][..6000] cube:u16[..5][..5][..5] maybe:f32? "
                  "nested:{" INNER "}? lists:map(text[..12] u32[..5])[..6000] "
                  "leaves:map(i32 {" LEAF "})[..5] words_seen:set(text[..12])[..6000] "
                  "numbers_seen:set(u64)[..6000] part:section({" INNER "}) text:text[..6000] "
                  "steps:u32");
    assert_layout(&lib.rules->command,
                  "kind(shake{seed:u64 size:u32}|spoil{how:enum(long_vector|long_text|nul_in_text|"
                  "bad_utf8|long_map|long_inner)})");
    library_close(&lib);
    lib = library_open("rules/swarm");
    assert_layout(&lib.rules->command, "kind(wait|send{bee:u16 flower:u16}|"
                                       "name{bee:u16 name:text[..15]}|crown{name:text[..15]})");
    library_close(&lib);
    lib = library_open("rules/shelf");
#define LABEL "kind(none|name{text:text[..15]}|price{coins:u32})"
    assert_layout(&lib.rules->state, "jars:map(text[..15] u16)[..40] opened:set(u16)[..40] "
                                     "label:" LABEL " notes:" LABEL "[..8]");
    assert_layout(&lib.rules->command,
                  "kind(put{jar:text[..15] grams:u16}|open{number:u16}|stick{label:" LABEL
                  "}|note{label:" LABEL "}|rest)");
    library_close(&lib);
}

/* ---- there and back ---- */

/* Two hosts and every kind of window write the same bytes, which load into an equal value, also
 * where another value was. */
static void goes_there_and_back(subject *s, void *used)
{
    static const uint64_t windows[] = { 1, 5, 64, 500, 4096, BYTES };
    const deja_type *type = &s->lib.rules->state;
    deja_buffer saved = { 0 };
    deja_error err = { 0 };
    uint64_t hash = 0, expected = 0;
    const uint64_t size = host_save(type, s->state, 0, s->bytes, BYTES);
    for (uint32_t i = 0; i < sizeof windows / sizeof *windows; i++)
        cr_assert(host_save(type, s->state, windows[i], s->other, BYTES) == size &&
                      memcmp(s->bytes, s->other, size) == 0,
                  "a window of %u", (unsigned)windows[i]);

    deja_code code = deja__codec_save(s->codec, s->state, &saved, &err);
    cr_assert(code == DEJA_OK, "%s", err.message);
    cr_assert(saved.size == size && memcmp(saved.bytes, s->bytes, size) == 0);
    code = deja_value_validate(s->layout, saved.bytes, saved.size, &err);
    cr_assert(code == DEJA_OK, "%s", err.message);
    code = deja__codec_hash(s->codec, s->state, &hash, &err);
    cr_assert(code == DEJA_OK, "%s", err.message);
    code = deja_value_hash(s->layout, saved.bytes, saved.size, &expected, &err);
    cr_assert(code == DEJA_OK, "%s", err.message);
    cr_assert(eq(u64, hash, expected));

    code = deja__codec_load(s->codec, used, saved.bytes, saved.size, &err);
    cr_assert(code == DEJA_OK, "%s", err.message);
    cr_assert(host_save(type, used, 4096, s->other, BYTES) == size &&
              memcmp(s->bytes, s->other, size) == 0);
    host_load(type, used, s->bytes, size);
    cr_assert(host_save(type, used, 0, s->other, BYTES) == size &&
              memcmp(s->bytes, s->other, size) == 0);
    deja_buffer_release(&saved);
}

static void *shake(const subject *s, uint64_t seed, uint32_t size)
{
    unsigned char bytes[2 + 8 + 4] = { 0 };
    void *command = host_create(&s->lib.rules->command);
    memcpy(bytes + 2, &seed, 8);
    memcpy(bytes + 10, &size, 4);
    host_load(&s->lib.rules->command, command, bytes, sizeof bytes);
    return command;
}

Test(containers, of_any_contents_go_there_and_back)
{
    static const uint32_t sizes[] = { 0, 1, 2, 3, 8, 20, 60, 300, 1000, 6000 };
    subject s = subject_open("rules/containers");
    void *used = host_create(&s.lib.rules->state);
    cr_assert(s.lib.rules->start(s.state, NULL, 12, NULL) == 0);
    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (uint64_t seed = 0; seed < (sizes[i] < 100 ? 40 : 6); seed++) {
            void *command = shake(&s, seed, sizes[i]);
            cr_assert(s.lib.rules->apply(s.state, command, NULL) == 0);
            host_destroy(&s.lib.rules->command, command);
            goes_there_and_back(&s, used);
        }
    }
    host_destroy(&s.lib.rules->state, used);
    subject_close(&s);
}

Test(containers, of_a_game_go_there_and_back_at_every_step)
{
    subject s = subject_open("rules/swarm");
    const deja_rules_table *rules = s.lib.rules;
    void *used = host_create(&rules->state);
    for (uint64_t seed = 0; seed < 3; seed++) {
        deja_luck luck;
        uint32_t steps = 0;
        host_destroy(&rules->state, s.state);
        s.state = host_create(&rules->state);
        deja_luck_seed(&luck, seed, 1);
        cr_assert(rules->start(s.state, rules->config_default, seed, NULL) == 0);
        for (;; steps++) {
            void *command = host_create(&rules->command);
            const bool any = rules->bots[0].pick(s.state, &luck, command, NULL);
            if (any)
                rules->apply(s.state, command, NULL);
            host_destroy(&rules->command, command);
            goes_there_and_back(&s, used);
            if (!any)
                break;
        }
        assert_text(library_outcome(&s.lib, s.state), "full");
        cr_assert(steps > 30 && steps < 3000, "%u", steps);
    }
    host_destroy(&rules->state, used);
    subject_close(&s);
}

Test(containers, that_tell_alternatives_apart_go_there_and_back)
{
    subject s = subject_open("rules/shelf");
    const deja_rules_table *rules = s.lib.rules;
    void *used = host_create(&rules->state);
    deja_luck luck;
    deja_luck_seed(&luck, 4, 1);
    for (uint32_t step = 0; step < 400; step++) {
        void *command = host_create(&rules->command);
        cr_assert(rules->bots[0].pick(s.state, &luck, command, NULL) == 1);
        rules->apply(s.state, command, NULL);
        host_destroy(&rules->command, command);
        goes_there_and_back(&s, used);
    }
    host_destroy(&rules->state, used);
    subject_close(&s);
}

/* ---- order ---- */

/* put{jar grams}, the jar's name being one letter */
static void put_jar(subject *s, char jar, uint8_t grams)
{
    const unsigned char bytes[] = { 0, 0, 1, 0, 0, 0, (unsigned char)jar, grams, 0 };
    void *command = host_create(&s->lib.rules->command);
    host_load(&s->lib.rules->command, command, bytes, sizeof bytes);
    cr_assert(s->lib.rules->apply(s->state, command, NULL) == 0);
    host_destroy(&s->lib.rules->command, command);
}

/* What a shelf is hashed to that was filled with these jars; *is_value: whether it is one. */
static uint64_t fill_shelf(const char *name, const char *jars, bool *is_value)
{
    subject s = subject_open(name);
    uint64_t hash = 0;
    for (const char *jar = jars; *jar; jar++)
        put_jar(&s, *jar, (uint8_t)*jar);
    cr_assert(deja__codec_hash(s.codec, s.state, &hash, NULL) == DEJA_OK);
    const uint64_t size = host_save(&s.lib.rules->state, s.state, 0, s.bytes, BYTES);
    *is_value = deja_value_validate(s.layout, s.bytes, size, NULL) == DEJA_OK;
    subject_close(&s);
    return hash;
}

Test(containers, X07_filled_in_two_orders_have_one_hash)
{
    bool is_value;
    const uint64_t hash = fill_shelf("rules/shelf", "qazwsx", &is_value);
    cr_assert(is_value);
    cr_assert(eq(u64, fill_shelf("rules/shelf", "xswzaq", &is_value), hash));
    cr_assert(eq(u64, fill_shelf("rules/shelf", "aqswxz", &is_value), hash));
    cr_assert(ne(u64, fill_shelf("rules/shelf", "aqswxy", &is_value), hash));

    /* One that is walked as it was filled is the same where that is the order of the keys, and no
     * value where it is not. */
    cr_assert(eq(u64, fill_shelf("rules/shelf-unordered", "aqswxz", &is_value), hash));
    cr_assert(is_value);
    cr_assert(ne(u64, fill_shelf("rules/shelf-unordered", "qazwsx", &is_value), hash));
    cr_assert(not(is_value));
}

/* ---- what is wrong is named ---- */

static void spoiled(uint32_t how, const char *message)
{
    subject s = subject_open("rules/containers");
    const unsigned char bytes[4] = { 1, 0, (unsigned char)how, 0 };
    void *command = host_create(&s.lib.rules->command);
    deja_buffer saved = { 0 };
    deja_error err = { 0 };
    host_load(&s.lib.rules->command, command, bytes, sizeof bytes);
    cr_assert(s.lib.rules->start(s.state, NULL, 3, NULL) == 0);
    cr_assert(s.lib.rules->apply(s.state, command, NULL) == 0);
    const deja_code code = deja__codec_save(s.codec, s.state, &saved, &err);
    if (code == DEJA_OK) { /* some things only the validator sees */
        const deja_code valid = deja_value_validate(s.layout, saved.bytes, saved.size, &err);
        cr_assert(eq(i32, valid, DEJA_EFORMAT));
    } else {
        cr_assert(eq(i32, code, DEJA_ERULES));
    }
    cr_assert(strstr(err.message, message) != NULL, "%s", err.message);
    deja_buffer_release(&saved);
    host_destroy(&s.lib.rules->command, command);
    subject_close(&s);
}

Test(containers, that_hold_more_than_their_most_are_named)
{
    spoiled(0, "words");
    spoiled(1, "text");
    spoiled(4, "leaves");
    spoiled(5, "part.leaves");
}

Test(containers, of_text_that_is_none_are_named)
{
    spoiled(2, "text");
    spoiled(3, "text");
}

Test(containers, name_their_fields_alike_whatever_they_hold)
{
    static char small[1 << 14], large[1 << 14];
    subject s = subject_open("rules/swarm");
    const deja_rules_table *rules = s.lib.rules;
    host_names(&rules->state, s.state, small, sizeof small);
    assert_text(small, "place flowers { } bees { } home { honey seasons by_bee { } emptied { } } "
                       "queen days { } day luck");
    cr_assert(rules->start(s.state, rules->config_default, 1, NULL) == 0);
    host_names(&rules->state, s.state, large, sizeof large);
    cr_assert(strncmp(large, "place flowers { at { x y } drops { * ", 36) == 0, "%s", large);
    subject_close(&s);
}
