/* SPDX-License-Identifier: MIT */
/*
 * Maps and sets in C, which an author keeps and walks: whatever order they were filled in, they are
 * hashed in that of their keys; a walk in another order is no value.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "fields/codec.h"

TestSuite(keyed, .timeout = 10);

enum { MOST = 6 };

typedef struct entry {
    uint16_t key;
    uint32_t value;
} entry;

typedef struct shop {
    entry prices[MOST];
    uint16_t sold[MOST];
    uint32_t price_count, sold_count;
} shop;

static void shop_fields(deja_fields *f, const void *value)
{
    const shop *s = value;
    shop *loading = deja_loading(f, s);
    const deja_opened prices = deja_map_open(f, "prices", s->price_count, MOST);
    if (loading)
        loading->price_count = prices.count;
    for (uint32_t i = 0; i < prices.count; i++) {
        deja_u16(f, NULL, &s->prices[i].key);
        deja_u32(f, NULL, &s->prices[i].value);
    }
    deja_close(f, prices);
    const deja_opened sold = deja_set_open(f, "sold", s->sold_count, MOST);
    if (loading)
        loading->sold_count = sold.count;
    for (uint32_t i = 0; i < sold.count; i++)
        deja_u16(f, NULL, &s->sold[i]);
    deja_close(f, sold);
}

static const deja_type type = { sizeof(shop), shop_fields, NULL, NULL };

typedef struct rig {
    deja_layout *layout;
    deja__codec *codec;
    deja_error err;
} rig;

static rig rig_open(void)
{
    rig r = { .layout = NULL };
    deja_code code = deja__describe(&r.layout, &type, &r.err);
    cr_assert(eq(int, code, DEJA_OK), "%s", r.err.message);
    code = deja__codec_create(&r.codec, &type, r.layout, &r.err);
    cr_assert(eq(int, code, DEJA_OK), "%s", r.err.message);
    return r;
}

static void rig_close(rig *r)
{
    deja__codec_destroy(r->codec);
    deja_layout_destroy(r->layout);
}

static uint64_t hash(rig *r, const shop *s)
{
    uint64_t number = 0;
    const deja_code code = deja__codec_hash(r->codec, s, &number, &r->err);
    cr_assert(eq(int, code, DEJA_OK), "%s", r->err.message);
    return number;
}

/* What the border says of the shop as it is walked: NULL, or the message. */
static const char *refused(rig *r, const shop *s)
{
    deja_buffer bytes = { 0 };
    deja_code code = deja__codec_save(r->codec, s, &bytes, &r->err);
    cr_assert(eq(int, code, DEJA_OK), "%s", r->err.message);
    code = deja_value_validate(r->layout, bytes.bytes, bytes.size, &r->err);
    deja_buffer_release(&bytes);
    return code == DEJA_OK ? NULL : r->err.message;
}

/* In the order of the keys, as a map has it. */
static void put(shop *s, uint16_t key, uint32_t value)
{
    uint32_t at = s->price_count++;
    for (; at > 0 && s->prices[at - 1].key > key; at--)
        s->prices[at] = s->prices[at - 1];
    s->prices[at] = (entry){ key, value };
}

static void sell(shop *s, uint16_t key)
{
    uint32_t at = s->sold_count++;
    for (; at > 0 && s->sold[at - 1] > key; at--)
        s->sold[at] = s->sold[at - 1];
    s->sold[at] = key;
}

Test(keyed, X07_filled_in_two_orders_have_one_hash)
{
    static const uint16_t keys[2][5] = { { 3, 40000, 256, 1, 77 }, { 77, 1, 3, 256, 40000 } };
    rig r = rig_open();
    shop shops[2] = { { .price_count = 0 }, { .price_count = 0 } };
    for (uint32_t i = 0; i < 2; i++) {
        for (uint32_t k = 0; k < 5; k++) {
            put(&shops[i], keys[i][k], keys[i][k] * 2u);
            sell(&shops[i], keys[i][k]);
        }
        cr_assert(refused(&r, &shops[i]) == NULL, "%s", r.err.message);
    }
    cr_assert(eq(u64, hash(&r, &shops[0]), hash(&r, &shops[1])));
    shops[1].prices[2].value++;
    cr_assert(ne(u64, hash(&r, &shops[0]), hash(&r, &shops[1])));
    rig_close(&r);
}

Test(keyed, X07_walked_as_they_were_filled_are_no_values_and_have_another_hash)
{
    rig r = rig_open();
    const shop ordered = { { { 1, 10 }, { 5, 50 } }, { 2, 6 }, 2, 2 };
    const shop map = { { { 5, 50 }, { 1, 10 } }, { 2, 6 }, 2, 2 };
    const shop set = { { { 1, 10 }, { 5, 50 } }, { 6, 2 }, 2, 2 };
    const shop twice = { { { 1, 10 }, { 1, 10 } }, { 2, 6 }, 2, 2 };
    cr_assert(refused(&r, &ordered) == NULL, "%s", r.err.message);
    cr_assert(ne(u64, hash(&r, &map), hash(&r, &ordered)));
    cr_assert(ne(u64, hash(&r, &set), hash(&r, &ordered)));
    cr_assert(eq(str, (char *)refused(&r, &map), "prices[1]: its key does not rise"));
    cr_assert(eq(str, (char *)refused(&r, &set), "sold[1]: its key does not rise"));
    cr_assert(eq(str, (char *)refused(&r, &twice), "prices[1]: its key does not rise"));
    rig_close(&r);
}
