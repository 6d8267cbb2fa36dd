/* SPDX-License-Identifier: MIT */
/*
 * From canonical bytes to values in memory: by description and by plan.
 */
#include "fields/codec_plan.h"
#include "fields/rig.h"
#include "support/host.h"

TestSuite(codec_load, .timeout = 60);

Test(codec_load, loads_what_it_saved)
{
    for (int t = 0; t < 2; t++) {
        rig r = rig_open(rig_types[t]);
        void *third = deja__codec_value_create(r.codec);
        for (uint32_t seed = 0; seed < rig_rounds[t]; seed++) {
            rig_fill(&r, seed);
            deja_buffer bytes = save(&r, r.value);
            deja_error err = { 0 };
            /* Over what was loaded before, and over the very value that was saved. */
            deja_code code = deja__codec_load(r.codec, r.other, bytes.bytes, bytes.size, &err);
            cr_assert(eq(int, code, DEJA_OK), "seed %u: %s", seed, err.message);
            code = deja__codec_load(r.codec, r.value, bytes.bytes, bytes.size, &err);
            cr_assert(eq(int, code, DEJA_OK), "seed %u: %s", seed, err.message);
            deja_buffer again = save(&r, r.other);
            assert_same(&again, &bytes);
            const uint64_t number = hash(&r, r.value);
            const uint64_t other_number = hash(&r, r.other);
            cr_assert(eq(u64, number, other_number));

            /* The same bytes make the same memory, but for what is on the heap. */
            const size_t flat = t == 0 ? offsetof(all_kinds, links) : sizeof(all_command);
            cr_assert(eq(int, memcmp(r.value, r.other, flat), 0), "seed %u", seed);
            if (seed % 16 == 0) {
                host_load(rig_types[t], third, bytes.bytes, bytes.size);
                deja_buffer hosted = save(&r, third);
                assert_same(&hosted, &bytes);
                deja_buffer_release(&hosted);
            }
            deja_buffer_release(&bytes);
            deja_buffer_release(&again);
        }
        deja__codec_value_destroy(r.codec, third);
        rig_close(&r);
    }
}

Test(codec_load, leaves_init_what_it_does_not_load)
{
    rig r = rig_open(&all_kinds_type);
    all_kinds_fill(r.value, 3);
    state_of(&r)->u8_count = 2;
    deja_buffer bytes = save(&r, r.value);
    all_kinds_fill(r.other, 4);
    deja__codec_load(r.codec, r.other, bytes.bytes, bytes.size, NULL);
    const all_kinds *loaded = r.other;
    cr_assert(eq(u32, loaded->cache[0], 7), "derived memory is as init made it");
    cr_assert(eq(u32, loaded->cache[1], 0));
    cr_assert(eq(u8, loaded->u8_list[39], 0), "what lies past a list's count is zero");
    deja_buffer_release(&bytes);
    rig_close(&r);
}

/* A value is as created if its bytes save as those of one that was. */
static void assert_as_created(const rig *r, void *value)
{
    void *fresh = deja__codec_value_create(r->codec);
    deja_buffer created = save(r, fresh);
    deja_buffer got = save(r, value);
    assert_same(&got, &created);
    deja_buffer_release(&created);
    deja_buffer_release(&got);
    deja__codec_value_destroy(r->codec, fresh);
}

Test(codec_load, refuses_bytes_that_end_early)
{
    for (int t = 0; t < 2; t++) {
        rig r = rig_open(rig_types[t]);
        for (uint32_t seed = 1; seed < 9; seed++) {
            rig_fill(&r, seed);
            deja_buffer bytes = save(&r, r.value);
            for (uint64_t size = 0; size < bytes.size; size += 1 + (size > 900 ? 97 : 0)) {
                /* Memory of just that size, so that a read behind it is seen. */
                unsigned char *cut = malloc(size + (size == 0));
                memcpy(cut, bytes.bytes, size);
                deja_error err = { 0 };
                const deja_code code = deja__codec_load(r.codec, r.other, cut, size, &err);
                cr_assert(eq(int, code, DEJA_EFORMAT), "%u of %u", (unsigned)size,
                          (unsigned)bytes.size);
                cr_assert(eq(int, strncmp(err.message, "the bytes end within ", 21), 0), "%s",
                          err.message);
                free(cut);
            }
            assert_as_created(&r, r.other);
            deja_buffer_release(&bytes);
        }
        rig_close(&r);
    }
}

Test(codec_load, refuses_bytes_that_are_left_over)
{
    for (int t = 0; t < 2; t++) {
        rig r = rig_open(rig_types[t]);
        rig_fill(&r, 1);
        deja_buffer bytes = save(&r, r.value);
        deja_buffer_text(&bytes, "abc");
        deja_error err = { 0 };
        const deja_code code = deja__codec_load(r.codec, r.other, bytes.bytes, bytes.size, &err);
        cr_assert(eq(int, code, DEJA_EFORMAT));
        cr_assert(eq(str, (char *)err.message, "3 bytes are left over behind the last field"));
        assert_as_created(&r, r.other);
        deja_buffer_release(&bytes);
        rig_close(&r);
    }
}

/* Loads bytes with the one at `offset` behind `marker` changed, and holds the message. */
static void assert_load_refused(const rig *r, deja_buffer *bytes, uint64_t offset,
                                unsigned char byte, const char *message)
{
    const unsigned char kept = bytes->bytes[offset];
    deja_error err = { 0 };
    bytes->bytes[offset] = byte;
    const deja_code code = deja__codec_load(r->codec, r->other, bytes->bytes, bytes->size, &err);
    cr_assert(eq(int, code, DEJA_EFORMAT), "%s", message);
    cr_assert(eq(str, (char *)err.message, (char *)message));
    bytes->bytes[offset] = kept;
}

Test(codec_load, names_what_it_cannot_load)
{
    rig r = rig_open(&all_command_type);
    all_command *c = r.value;
    c->kind = 2;
    deja_buffer bytes = save(&r, c);
    assert_load_refused(&r, &bytes, 0, ALL_COMMANDS, "the kind is 7, which has no name");
    assert_load_refused(&r, &bytes, 7, 1, "'mood' is 256, which has no name");
    assert_load_refused(&r, &bytes, 8, 3, "'mood32' is 3, which has no name");
    assert_load_refused(&r, &bytes, 10, 2, "'now' is a bool that is 2");
    assert_load_refused(&r, &bytes, 0, 1, "15 bytes are left over behind the last field");
    assert_load_refused(&r, &bytes, 0, 3, "the bytes end within 'depth'");
    deja_buffer_release(&bytes);
    c->kind = 3;
    bytes = save(&r, c);
    bytes.bytes[11] = 0x7f;
    assert_load_refused(&r, &bytes, 10, 0x81,
                        "'shade' is a NaN of other bits than the one there is");
    bytes.bytes[11] = 0;
    assert_load_refused(&r, &bytes, 20, 9, "'traits' has bit 3 set, which has no name");
    assert_load_refused(&r, &bytes, 26, 9, "'wet[2]' is a bool that is 9");
    deja_buffer_release(&bytes);
    rig_close(&r);
}

static void texts_fields(deja_fields *f, const void *value)
{
    const char *chars = value;
    deja_text(f, "fixed", chars, 8);
    deja_list(f, "list", (const int8_t *)chars + 8, (const uint32_t *)(const void *)(chars + 16), 8,
              deja_i8);
}

Test(codec_load, names_texts_and_lists_that_it_cannot_load)
{
    rig r = rig_open(&(deja_type){ 20, texts_fields, NULL, NULL });
    deja_buffer bytes = { 0 };
    deja_buffer_add(&bytes, "\2\0\0\0ab\3\0\0\0xyz", 13);
    const deja_code code = deja__codec_load(r.codec, r.other, bytes.bytes, bytes.size, NULL);
    cr_assert(eq(int, code, DEJA_OK));
    cr_assert(eq(int, memcmp(r.other, "ab\0\0\0\0\0\0xyz\0\0\0\0\0\3\0\0\0", 20), 0));
    assert_load_refused(&r, &bytes, 0, 8, "'fixed' has 8 bytes, its most is 7");
    assert_load_refused(&r, &bytes, 3, 1, "'fixed' has 16777218 bytes, its most is 7");
    assert_load_refused(&r, &bytes, 4, 0x80, "'fixed' is not UTF-8");
    assert_load_refused(&r, &bytes, 4, 0, "'fixed' is not UTF-8");
    assert_load_refused(&r, &bytes, 6, 9, "'list' has 9 values, its most is 8");
    assert_load_refused(&r, &bytes, 6, 8, "the bytes end within 'list'");
    deja_buffer_release(&bytes);
    rig_close(&r);
}

/* Whatever bytes load are canonical, and whatever is valid loads. */
static void mutate_and_load(const rig *r, uint32_t loads, uint64_t *seed, uint32_t *loaded)
{
    deja_buffer bytes = save(r, r->value);
    for (uint32_t i = 0; i < loads; i++) {
        const uint64_t size = bytes.size - (all_below(seed, 8) == 0 ? all_below(seed, 3) : 0);
        unsigned char *changed = malloc(size + 1);
        memcpy(changed, bytes.bytes, size);
        for (uint32_t k = 1 + all_below(seed, 3); k > 0 && size != 0; k--) {
            const uint64_t at = all_below(seed, (uint32_t)size);
            changed[at] = all_below(seed, 2)
                              ? (unsigned char)all_draw(seed)
                              : (unsigned char)(changed[at] ^ 1u << all_below(seed, 8));
        }
        deja_error err = { 0 };
        const deja_code valid = deja_value_validate(r->layout, changed, size, NULL);
        const deja_code code = deja__codec_load(r->codec, r->other, changed, size, &err);
        if (code == DEJA_OK) {
            deja_buffer again = save(r, r->other);
            const deja_buffer expected = { .bytes = changed, .size = size };
            assert_same(&again, &expected);
            deja_buffer_release(&again);
            *loaded += 1;
        } else {
            cr_assert(eq(int, code, DEJA_EFORMAT));
            cr_assert(ne(int, valid, DEJA_OK), "%s", err.message);
        }
        free(changed);
    }
    deja_buffer_release(&bytes);
}

Test(codec_load, loads_changed_bytes_as_they_are_or_not_at_all)
{
    static const uint32_t loads[] = { 60, 30 };
    static const uint32_t values[] = { 120, 2000 };
    uint64_t seed = 1;
    for (int t = 0; t < 2; t++) {
        rig r = rig_open(rig_types[t]);
        uint32_t loaded = 0;
        for (uint32_t i = 0; i < values[t]; i++) {
            rig_fill(&r, i);
            mutate_and_load(&r, loads[t], &seed, &loaded);
        }
        cr_assert(gt(u32, loaded, values[t]));
        cr_assert(lt(u32, loaded, values[t] * loads[t]));
        rig_close(&r);
    }
}

/* ---- plans ---- */

/* Both ways of loading, over the same bytes, valid or not. */
static void assert_ways_agree(const rig *r, const unsigned char *bytes, uint64_t size)
{
    deja__type_value_reset(&r->type, r->value);
    deja__type_value_reset(&r->type, r->other);
    const deja_span span = { bytes, size };
    const deja__breach breach = deja__visit_load(&r->type, r->value, span, NULL, NULL);
    const bool planned = deja__load_plan_run(r->codec->plan, r->other, bytes, size);
    cr_assert(eq(int, planned, breach.what == DEJA__BREACH_NONE));
    if (planned)
        cr_assert(eq(int, memcmp(r->value, r->other, r->type.size), 0));
}

Test(codec_load, loads_by_plan_as_by_description)
{
    rig r = rig_open(&all_command_type);
    cr_assert(deja__codec_is_planned(r.codec));
    uint64_t seed = 2;
    for (uint32_t i = 0; i < 20000; i++) {
        all_command_fill(r.value, i);
        deja_buffer bytes = save(&r, r.value);
        assert_ways_agree(&r, bytes.bytes, bytes.size);
        bytes.bytes[all_below(&seed, (uint32_t)bytes.size)] ^= (unsigned char)all_draw(&seed);
        assert_ways_agree(&r, bytes.bytes, bytes.size - all_below(&seed, 2));
        deja_buffer_release(&bytes);
    }
    rig_close(&r);
}

/* Flat types of other shapes than a union of structs. */
typedef struct flat {
    uint8_t kind;
    bool flag;
    int16_t small;
    float ratio;
    double wide;
    deja_luck luck;
    all_point ring[2];
    struct {
        uint8_t a;
        uint32_t b;
    } holes[40];
    uint8_t block[100];
    all_point part;
    uint8_t mood;
} flat;

static void hole_fields(deja_fields *f, const void *hole)
{
    const unsigned char *bytes = hole;
    deja_u8(f, "a", bytes);
    deja_u32(f, "b", (const uint32_t *)(const void *)(bytes + 4));
}

static void flat_fields(deja_fields *f, const void *value)
{
    const flat *v = value;
    deja_bool(f, "flag", &v->flag);
    deja_i16(f, "small", &v->small);
    deja_f64(f, "wide", &v->wide);
    deja_f32(f, "ratio", &v->ratio);
    deja_rng(f, "luck", &v->luck);
    deja_struct_grid(f, "ring", v->ring, 1, 2, all_point_fields);
    deja_struct_array(f, "holes", v->holes, 40, hole_fields);
    deja_blocks(f, "block", v->block, 100, deja_u8);
    deja_section(f, "part", &v->part, 0, all_point_fields);
    deja_enum(f, "mood", &v->mood, all_moods);
    deja_derived(f, "kind", &v->kind, 1);
}

static void flat_init(void *value)
{
    flat *v = value;
    v->kind = 9;
    v->mood = 2;
}

Test(codec_load, plans_flat_structs_too)
{
    rig r = rig_open(&(deja_type){ sizeof(flat), flat_fields, flat_init, NULL });
    cr_assert(deja__codec_is_planned(r.codec));
    uint64_t seed = 3;
    for (uint32_t i = 0; i < 500; i++) {
        flat *v = r.value;
        all_noise(&seed, v, sizeof *v);
        all_bools(&seed, &v->flag, 1);
        all_floats(&seed, &v->ratio, 4, 1);
        all_floats(&seed, &v->wide, 8, 1);
        v->mood = (uint8_t)all_below(&seed, 3);
        deja_buffer bytes = save(&r, v);
        assert_ways_agree(&r, bytes.bytes, bytes.size);
        deja__codec_load(r.codec, r.other, bytes.bytes, bytes.size, NULL);
        cr_assert(eq(u8, ((flat *)r.other)->kind, 9), "init's, as no field loads it");
        deja_buffer_release(&bytes);
    }
    rig_close(&r);
}

/* What no plan may stand for. */
typedef struct odd {
    uint32_t a;
    uint32_t sum;
    char text[8];
    uint8_t list[4];
    uint32_t count;
    bool there;
    uint32_t kind;
} odd;

static void sums_fields(deja_fields *f, const void *value)
{
    const odd *v = value;
    odd *loaded = deja_loading(f, v);
    deja_u32(f, "a", &v->a);
    if (loaded)
        loaded->sum = v->a + 1;
}

static void temporary_fields(deja_fields *f, const void *value)
{
    const odd *v = value;
    odd *loaded = deja_loading(f, v);
    uint32_t a = v->a ^ 5;
    deja_u32(f, "a", &a);
    if (loaded)
        loaded->a = a ^ 5;
}

static void text_fields(deja_fields *f, const void *value)
{
    const odd *v = value;
    deja_text(f, "text", v->text, sizeof v->text);
}

static void list_fields(deja_fields *f, const void *value)
{
    const odd *v = value;
    deja_list(f, "list", v->list, &v->count, 4, deja_u8);
}

static void optional_fields(deja_fields *f, const void *value)
{
    const odd *v = value;
    if (deja_optional(f, "a", &v->there))
        deja_u32(f, NULL, &v->a);
}

static void inner_kind(deja_fields *f, const odd *v)
{
    (void)deja_kind(f, &v->kind, all_moods);
}

static void kind_fields(deja_fields *f, const void *value)
{
    deja_struct(f, "inner", (const odd *)value, inner_kind);
}

static void owning_fields(deja_fields *f, const void *value)
{
    const odd *v = value;
    deja_u32(f, "a", &v->a);
}

static void odd_finish(void *value)
{
    (void)value;
}

Test(codec_load, has_no_plan_for_what_a_plan_would_get_wrong)
{
    const deja_type odd_types[] = {
        { sizeof(odd), sums_fields, NULL, NULL },
        { sizeof(odd), temporary_fields, NULL, NULL },
        { sizeof(odd), text_fields, NULL, NULL },
        { sizeof(odd), list_fields, NULL, NULL },
        { sizeof(odd), optional_fields, NULL, NULL },
        { sizeof(odd), kind_fields, NULL, NULL },
        { sizeof(odd), owning_fields, NULL, odd_finish },
    };
    for (size_t i = 0; i < sizeof odd_types / sizeof *odd_types; i++) {
        rig r = rig_open(&odd_types[i]);
        cr_assert(not(deja__codec_is_planned(r.codec)), "type %u", (unsigned)i);
        odd *v = r.value;
        v->a = 77;
        v->there = true;
        v->count = 2;
        deja_buffer bytes = save(&r, v);
        const deja_code code = deja__codec_load(r.codec, r.other, bytes.bytes, bytes.size, NULL);
        cr_assert(eq(int, code, DEJA_OK));
        deja_buffer again = save(&r, r.other);
        assert_same(&again, &bytes);
        if (i == 0)
            cr_assert(eq(u32, ((odd *)r.other)->sum, 78));
        deja_buffer_release(&bytes);
        deja_buffer_release(&again);
        rig_close(&r);
    }
    rig r = rig_open(&all_kinds_type);
    cr_assert(not(deja__codec_is_planned(r.codec)));
    rig_close(&r);
}
