/* SPDX-License-Identifier: MIT */
/*
 * From values in memory to canonical bytes and hashes: the codec against the slow way (bytes and
 * layout alone), against another host, and against itself with every window.
 */
#include "fields/rig.h"
#include "support/host.h"

TestSuite(codec, .timeout = 60);

/* ---- writing ---- */

Test(codec, writes_what_the_slow_way_makes_of_the_bytes)
{
    for (int t = 0; t < 2; t++) {
        rig r = rig_open(rig_types[t]);
        for (uint32_t seed = 0; seed < rig_rounds[t]; seed++) {
            rig_fill(&r, seed);
            deja_buffer bytes = save(&r, r.value);
            deja_buffer hashed = save_hashed(&r, r.value);
            deja_error err = { 0 };
            const deja_code valid = deja_value_validate(r.layout, bytes.bytes, bytes.size, &err);
            cr_assert(eq(int, valid, DEJA_OK), "seed %u: %s", seed, err.message);

            deja_buffer slow = { 0 };
            uint64_t slow_hash = 0;
            deja_value_hashed_bytes(r.layout, bytes.bytes, bytes.size, &slow, NULL);
            deja_value_hash(r.layout, bytes.bytes, bytes.size, &slow_hash, NULL);
            assert_same(&hashed, &slow);
            const uint64_t fast_hash = hash(&r, r.value);
            cr_assert(eq(u64, fast_hash, slow_hash), "seed %u", seed);
            const uint64_t whole = deja__hash64(hashed.bytes, hashed.size);
            cr_assert(eq(u64, fast_hash, whole), "seed %u", seed);

            deja_buffer_release(&bytes);
            deja_buffer_release(&hashed);
            deja_buffer_release(&slow);
        }
        rig_close(&r);
    }
}

Test(codec, writes_what_another_host_writes)
{
    static unsigned char bytes[1 << 16];
    for (int t = 0; t < 2; t++) {
        rig r = rig_open(rig_types[t]);
        for (uint32_t seed = 0; seed < rig_rounds[t] / 10; seed++) {
            rig_fill(&r, seed);
            deja_buffer saved = save(&r, r.value);
            const uint64_t size =
                host_save(rig_types[t], r.value, seed % 5 * 40, bytes, sizeof bytes);
            cr_assert(eq(u64, saved.size, size));
            cr_assert(eq(int, memcmp(saved.bytes, bytes, size), 0), "seed %u", seed);
            deja_buffer_release(&saved);
        }
        rig_close(&r);
    }
}

Test(codec, writes_the_same_through_every_window)
{
    for (int t = 0; t < 2; t++) {
        rig r = rig_open(rig_types[t]);
        for (uint32_t seed = 0; seed < 25; seed++) {
            rig_fill(&r, seed);
            deja__codec_set_window(r.codec, UINT64_MAX);
            deja_buffer bytes = save(&r, r.value);
            deja_buffer hashed = save_hashed(&r, r.value);
            const uint64_t number = hash(&r, r.value);
            static const uint64_t ends[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 512, 1000, 4095, 4096 };
            for (uint64_t i = 0; i < 14 + 184; i++) {
                deja__codec_set_window(r.codec, i < 14 ? ends[i] : i + 2);
                deja_buffer again = save(&r, r.value);
                deja_buffer hashed_again = save_hashed(&r, r.value);
                const uint64_t number_again = hash(&r, r.value);
                assert_same(&again, &bytes);
                assert_same(&hashed_again, &hashed);
                cr_assert(eq(u64, number_again, number));
                deja_buffer_release(&again);
                deja_buffer_release(&hashed_again);
            }
            deja_buffer_release(&bytes);
            deja_buffer_release(&hashed);
        }
        rig_close(&r);
    }
}

Test(codec, appends_to_what_a_buffer_holds)
{
    rig r = rig_open(&all_command_type);
    deja_buffer bytes = { 0 };
    deja_buffer_text(&bytes, "before ");
    deja__codec_save(r.codec, r.value, &bytes, NULL);
    cr_assert(eq(u64, bytes.size, 9));
    cr_assert(eq(int, memcmp(bytes.bytes, "before \0\0\0", 10), 0));
    deja_buffer_release(&bytes);
    rig_close(&r);
}

Test(codec, changes_nothing_by_writing)
{
    rig r = rig_open(&all_kinds_type);
    all_kinds *copy = malloc(sizeof *copy);
    all_kinds_fill(r.value, 5);
    memcpy(copy, r.value, sizeof *copy);
    deja_buffer bytes = save(&r, r.value);
    hash(&r, r.value);
    cr_assert(eq(int, memcmp(copy, r.value, sizeof *copy), 0));
    deja_buffer_release(&bytes);
    free(copy);
    rig_close(&r);
}

Test(codec, fails_where_the_buffer_has_failed)
{
    rig r = rig_open(&all_command_type);
    deja_buffer bytes = { .failed = true };
    const deja_code code = deja__codec_save(r.codec, r.value, &bytes, NULL);
    cr_assert(eq(int, code, DEJA_ENOMEM));
    rig_close(&r);
}

/* ---- values without fields ---- */

Test(codec, knows_a_type_without_fields)
{
    rig r = rig_open(&(deja_type){ 0, NULL, NULL, NULL });
    deja_buffer bytes = save(&r, r.value);
    cr_assert(eq(u64, bytes.size, 0));
    const uint64_t number = hash(&r, r.value);
    cr_assert(eq(u64, number, 0x2d06800538d394c2u), "XXH3-64 of nothing");
    deja_error err = { 0 };
    const deja_code loaded = deja__codec_load(r.codec, r.value, NULL, 0, &err);
    cr_assert(eq(int, loaded, DEJA_OK));
    const deja_code more = deja__codec_load(r.codec, r.value, "x", 1, &err);
    cr_assert(eq(int, more, DEJA_EFORMAT));
    cr_assert(eq(str, (char *)err.message, "1 bytes are left over behind the last field"));
    deja_buffer_release(&bytes);
    deja__codec_destroy(NULL);
    deja__codec_value_destroy(r.codec, NULL);
    rig_close(&r);
}

/* ---- sections as deep as they go ---- */

static uint32_t level;
static uint32_t level_most = 15;

static void level_fields(deja_fields *f, const uint8_t *x)
{
    deja_u8(f, "x", x);
    if (++level < level_most)
        deja_section(f, "in", x + 1, 0, level_fields);
    deja_u8(f, "y", x + 20);
    level--;
}

static void deep_fields(deja_fields *f, const void *value)
{
    deja_section(f, "top", (const uint8_t *)value, 0, level_fields);
}

Test(codec, hashes_sections_in_sections_as_deep_as_they_go)
{
    const deja_type type = { 40, deep_fields, NULL, NULL };
    rig r = rig_open(&type);
    for (uint32_t seed = 1; seed < 200; seed++) {
        for (uint32_t i = 0; i < 40; i++)
            ((uint8_t *)r.value)[i] = (uint8_t)(seed * (i + 3));
        deja__codec_set_window(r.codec, seed % 50);
        deja_buffer bytes = save(&r, r.value);
        uint64_t slow = 0;
        deja_value_hash(r.layout, bytes.bytes, bytes.size, &slow, NULL);
        const uint64_t fast = hash(&r, r.value);
        cr_assert(eq(u64, fast, slow));
        deja_buffer_release(&bytes);
    }
    rig_close(&r);

    level_most = 17;
    deja_layout *layout;
    const deja_code code = deja__describe(&layout, &type, NULL);
    cr_assert(eq(int, code, DEJA_EUNFIT));
}

/* ---- breaches ---- */

/* Each makes one thing wrong with a value that is right. */
typedef void breaker(all_kinds *v);

#define BREAK(name, ...)           \
    static void name(all_kinds *v) \
    {                              \
        __VA_ARGS__                \
    }

/* A bool that holds what no bool may, without the compiler's knowing. */
static void spoil(bool *flag, unsigned char byte)
{
    memcpy(flag, &byte, 1);
}

BREAK(bad_bool, spoil(&v->flag, 2);)
BREAK(bad_bool_array, spoil(&v->bools[3], 255);)
BREAK(bad_bool_grid, spoil(&v->fog[1][2], 3);)
BREAK(bad_bool_list, v->bool_count = 6; spoil(&v->bool_list[5], 2);)
BREAK(bad_bool_block, spoil(&v->block_bools[66], 2);)
BREAK(bad_enum, v->mood8 = 3;)
BREAK(bad_enum_wide, v->mood32 = UINT32_MAX;)
BREAK(bad_enum_array, v->mood_array[2] = 77;)
BREAK(bad_enum_grid, v->mood_grid[1][0] = 3;)
BREAK(bad_flags, v->traits16 = 0x28;)
BREAK(bad_flags_wide, v->traits32 = 0x80000000u;)
BREAK(bad_action, v->inputs[1].released = 8;)
BREAK(bad_ghost, v->ghost_count = 3; v->ghosts[2].pressed = 0x80000001u;)
BREAK(bad_flags_list, v->trait_count = 4; v->trait_list[3] = 8;)
BREAK(bad_count, v->u8_count = 41;)
BREAK(bad_float_count, v->f32_count = UINT32_MAX;)
BREAK(bad_enum_count, v->mood_count = 9;)
BREAK(bad_unit_count, v->army.unit_count = 5;)
BREAK(bad_items, v->heap.count = 5001;)
BREAK(bad_map, v->price_count = 5;)
BREAK(bad_text, memset(v->name, 'x', sizeof v->name);)
BREAK(bad_optional, spoil(&v->has_offer, 7);)
BREAK(bad_optional_text, v->has_note = true; memset(v->note, 'y', sizeof v->note);)
BREAK(bad_growing, v->story.size = 5001;)
BREAK(bad_growing_utf8, v->line_count = 2; v->lines[1].size = 2;
      memcpy(v->lines[1].chars, "\xc3(", 2);)
BREAK(bad_kind, v->effect.kind = 4;)
BREAK(bad_inner_kind, v->army.unit_count = 3; v->army.units[2].effect_count = 2;
      v->army.units[2].effects[1].kind = 2; v->army.units[2].effects[1].u.curse.word[0] = 0;
      v->army.units[2].effects[1].u.curse.inner.kind = 99;)
BREAK(bad_section_bool, spoil(&v->army.store.open, 2);)
BREAK(bad_map_value, v->ware_count = 3; memcpy(v->wares[1].key, "oak", 4);
      memcpy(v->wares[2].key, "pine", 5); spoil(&v->wares[2].sold, 2);)
BREAK(bad_target, v->army.unit_count = 2; spoil(&v->army.units[1].has_target, 4);)

static const struct {
    breaker *breaks;
    const char *message;
    bool passes; /* through a window with room for it; only the validator of bytes sees it then */
} broken[] = {
    { bad_bool, "'flag' is a bool that is 2", false },
    { bad_bool_array, "'bools[3]' is a bool that is 255", true },
    { bad_bool_grid, "'fog[1][2]' is a bool that is 3", true },
    { bad_bool_list, "'bool_list[5]' is a bool that is 2", true },
    { bad_bool_block, "'block_bools[66]' is a bool that is 2", false },
    { bad_enum, "'mood8' is 3, which has no name", false },
    { bad_enum_wide, "'mood32' is 4294967295, which has no name", false },
    { bad_enum_array, "'mood_array[2]' is 77, which has no name", false },
    { bad_enum_grid, "'mood_grid[1][0]' is 3, which has no name", false },
    { bad_flags, "'traits16' has bit 3 set, which has no name", false },
    { bad_flags_wide, "'traits32' has bit 31 set, which has no name", false },
    { bad_action, "'inputs[1].released' has bit 3 set, which has no name", false },
    { bad_ghost, "'ghosts[2].pressed' has bit 31 set, which has no name", false },
    { bad_flags_list, "'trait_list[3]' has bit 3 set, which has no name", false },
    { bad_count, "'u8_list' has 41 values, its most is 40", false },
    { bad_float_count, "'f32_list' has 4294967295 values, its most is 9", false },
    { bad_enum_count, "'mood_list' has 9 values, its most is 8", false },
    { bad_unit_count, "'army.units' has 5 values, its most is 4", false },
    { bad_items, "'heap' has 5001 values, its most is 5000", false },
    { bad_map, "'prices' has 5 values, its most is 4", false },
    { bad_text, "'name' has no end within its 20 bytes", false },
    { bad_optional, "'offer' is a bool that is 7", false },
    { bad_optional_text, "'note' has no end within its 9 bytes", false },
    { bad_growing, "'story' has 5001 bytes, its most is 5000", false },
    { bad_growing_utf8, "'lines[1]' is not UTF-8", false },
    { bad_kind, "'effect' is 4, which has no name", false },
    { bad_inner_kind, "'army.units[2].effects[1].inner' is 99, which has no name", false },
    { bad_section_bool, "'army.store.open' is a bool that is 2", false },
    { bad_map_value, "'wares[pine].sold' is a bool that is 2", false },
    { bad_target, "'army.units[1].target' is a bool that is 4", false },
};

Test(codec, names_what_breaks_a_description)
{
    static const uint64_t windows[] = { 0, 1, 33, 4096 };
    rig r = rig_open(&all_kinds_type);
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        for (size_t w = 0; w < 4; w++) {
            char *message = (char *)broken[i].message;
            deja__type_value_reset(&all_kinds_type, r.value);
            all_kinds_fill(r.value, i);
            broken[i].breaks(state_of(&r));
            deja__codec_set_window(r.codec, windows[w]);
            if (broken[i].passes && windows[w] == 33)
                continue; /* whether it has room there is chance */
            if (broken[i].passes && windows[w] == DEJA__WINDOW_SIZE) {
                deja_buffer bytes = save(&r, r.value);
                const deja_code valid =
                    deja_value_validate(r.layout, bytes.bytes, bytes.size, NULL);
                cr_assert(eq(int, valid, DEJA_EFORMAT), "%s", message);
                deja_buffer_release(&bytes);
                continue;
            }

            deja_buffer out = { 0 };
            deja_buffer_text(&out, "kept");
            deja_error err = { 0 };
            deja_code code = deja__codec_save(r.codec, r.value, &out, &err);
            cr_assert(eq(int, code, DEJA_ERULES), "%s", message);
            cr_assert(eq(str, (char *)err.message, message));
            err = (deja_error){ 0 };
            code = deja__codec_save_hashed(r.codec, r.value, &out, &err);
            cr_assert(eq(int, code, DEJA_ERULES), "%s", message);
            cr_assert(eq(str, (char *)err.message, message));
            cr_assert(eq(u64, out.size, 4));
            cr_assert(eq(str, (char *)out.bytes, "kept"));

            err = (deja_error){ 0 };
            uint64_t number;
            code = deja__codec_hash(r.codec, r.value, &number, &err);
            cr_assert(eq(int, code, DEJA_ERULES), "%s", message);
            cr_assert(eq(int, err.code, DEJA_ERULES), "%s", message);
            cr_assert(eq(str, (char *)err.message, message));
            code = deja__codec_hash(r.codec, r.value, &number, NULL);
            cr_assert(eq(int, code, DEJA_ERULES), "%s", message);
            deja_buffer_release(&out);
        }
    }
    /* Nothing of it is left behind. */
    deja__type_value_reset(&all_kinds_type, r.value);
    all_kinds_fill(r.value, 1);
    deja_buffer bytes = save(&r, r.value);
    deja_buffer_release(&bytes);
    rig_close(&r);
}

Test(codec, names_a_broken_kind_at_the_top)
{
    rig r = rig_open(&all_command_type);
    all_command *c = r.value;
    c->kind = ALL_COMMANDS;
    deja_buffer out = { 0 };
    deja_error err = { 0 };
    const deja_code code = deja__codec_save(r.codec, c, &out, &err);
    cr_assert(eq(int, code, DEJA_ERULES));
    cr_assert(eq(str, (char *)err.message, "the kind is 7, which has no name"));
    deja_buffer_release(&out);
    rig_close(&r);
}

/* Text that is no UTF-8 goes through the window unseen: the validator of bytes is for that. But
 * where it has to be asked for, it is told of. */
Test(codec, names_text_that_is_not_utf8_where_it_sees_it)
{
    rig r = rig_open(&all_kinds_type);
    all_kinds_fill(r.value, 1);
    memcpy(state_of(&r)->name, "\xff", 2);
    deja_buffer bytes = save(&r, r.value);
    const deja_code valid = deja_value_validate(r.layout, bytes.bytes, bytes.size, NULL);
    cr_assert(eq(int, valid, DEJA_EFORMAT));
    deja_buffer_release(&bytes);
    deja__codec_set_window(r.codec, 0);
    deja_error err = { 0 };
    const deja_code code = deja__codec_save(r.codec, r.value, &bytes, &err);
    cr_assert(eq(int, code, DEJA_ERULES));
    cr_assert(eq(str, (char *)err.message, "'name' is not UTF-8"));
    deja_buffer_release(&bytes);
    rig_close(&r);
}

/* ---- the slow way by itself ---- */

Test(codec, hashes_no_bytes_that_are_no_value)
{
    rig r = rig_open(&all_kinds_type);
    rig_fill(&r, 4);
    deja_buffer bytes = save(&r, r.value);
    deja_buffer out = { 0 };
    deja_buffer_text(&out, "kept");
    for (uint64_t size = 0; size <= bytes.size + 1; size += 1 + size / 40) {
        uint64_t number;
        deja_error err = { 0 };
        if (size == bytes.size)
            continue;
        const deja_code hashed = deja_value_hashed_bytes(r.layout, bytes.bytes, size, &out, &err);
        cr_assert(eq(int, hashed, DEJA_EFORMAT), "%u", (unsigned)size);
        cr_assert(eq(str, (char *)err.message, "the bytes are no value of the layout"));
        const deja_code code = deja_value_hash(r.layout, bytes.bytes, size, &number, NULL);
        cr_assert(eq(int, code, DEJA_EFORMAT));
        cr_assert(eq(str, (char *)out.bytes, "kept"));
        cr_assert(eq(u64, out.size, 4));
    }
    deja_buffer_release(&bytes);
    deja_buffer_release(&out);
    rig_close(&r);
}
