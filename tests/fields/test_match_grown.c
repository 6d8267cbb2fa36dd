/* SPDX-License-Identifier: MIT */
/*
 * What holds of any layout and any other that has grown out of it, or has also lost something:
 * layouts and values by chance.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "base/base.h"
#include "fields/layout.h"
#include "support/library.h"
#include "support/random_value.h"
#include "support/values.h"

TestSuite(match_grown, .timeout = 30);

typedef struct growth {
    deja_luck *luck;
    bool loses;
} growth;

static bool chance(growth *g, uint32_t percent)
{
    return deja_luck_percent(g->luck) < percent;
}

static void grow(growth *g, const deja__node *node, deja_buffer *out);

static const char *wider(growth *g, uint32_t kind)
{
    static const char *const words[] = { "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64" };
    const uint32_t place = kind - DEJA_U8;
    uint32_t result = place;
    if (chance(g, 30) && place % 4 != 3) {
        result = place + 1 + deja_luck_below(g->luck, 3 - place % 4);
        if (place < 4 && chance(g, 30))
            result += 4;
    }
    return g->loses && chance(g, 5) ? "f64" : words[result];
}

/* The places of a node's names, shuffled, some left out where it may lose. @return how many */
static uint32_t choose_names(growth *g, const deja__node *node, uint32_t count, uint32_t *places)
{
    uint32_t chosen = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!g->loses || !chance(g, 8))
            places[chosen++] = i;
    if (chosen == 0 && node->kind != DEJA_STRUCT)
        places[chosen++] = 0;
    if (chance(g, 40))
        deja_luck_shuffle(g->luck, places, chosen, sizeof *places);
    return chosen;
}

static void grow_names(growth *g, const deja__node *node, deja_buffer *out)
{
    uint32_t places[64];
    const uint32_t count = choose_names(g, node, node->name_count, places);
    const uint32_t new_at = chance(g, 30) ? deja_luck_below(g->luck, count + 1) : UINT32_MAX;
    deja_buffer_text(out, deja__kind_word(node->kind));
    for (uint32_t i = 0; i <= count; i++) {
        if (i == new_at)
            deja__print(out, "%snew", i ? "|" : "(");
        if (i == count)
            break;
        deja_buffer_char(out, i == 0 && i != new_at ? '(' : '|');
        deja_buffer_text(out, node->names[places[i]]);
        if (node->kind == DEJA_KIND && node->children[places[i]]->child_count != 0)
            grow(g, node->children[places[i]], out);
    }
    deja_buffer_char(out, ')');
}

static void grow_fields(growth *g, const deja__node *node, deja_buffer *out)
{
    static const char *const fresh[] = { "new:u8",        "new:text[..9]", "new:{a:u8}[..3]",
                                         "new:kind(a|b)", "new:u8?",       "new:f64[2]" };
    uint32_t places[64];
    const uint32_t count = choose_names(g, node, node->child_count, places);
    const uint32_t new_at =
        count == 0 || chance(g, 30) ? deja_luck_below(g->luck, count + 1) : UINT32_MAX;
    for (uint32_t i = 0; i <= count; i++) {
        if (i == new_at)
            deja__print(out, "%s%s", i ? " " : "", fresh[deja_luck_below(g->luck, 6)]);
        if (i == count)
            break;
        if (i != 0 || i == new_at)
            deja_buffer_char(out, ' ');
        deja_buffer_text(out, node->children[places[i]]->name);
        deja_buffer_char(out, ':');
        grow(g, node->children[places[i]], out);
    }
}

static void grow_items(growth *g, const deja__node *node, deja_buffer *out)
{
    const uint32_t more = chance(g, 30) ? deja_luck_below(g->luck, 4) : 0;
    static const char *const words[] = { "", "", "", "", "map(", "set(", "blocks(" };
    deja_buffer_text(out, words[node->shape]);
    grow(g, node->children[0], out);
    if (node->shape == DEJA_MAP) {
        deja_buffer_char(out, ' ');
        grow(g, node->children[1], out);
    }
    if (node->shape >= DEJA_MAP)
        deja_buffer_char(out, ')');
    if (node->shape == DEJA_GRID)
        deja__print(out, "[%u][%u]", (unsigned)(node->count / node->row), node->row);
    else if (node->shape == DEJA_ARRAY || node->shape == DEJA_BLOCKS)
        deja__print(out, "[%u]", (unsigned)node->count);
    else
        deja__print(out, "[..%u]", (unsigned)node->count + more);
}

static void grow(growth *g, const deja__node *node, deja_buffer *out)
{
    const uint32_t more = chance(g, 30) ? deja_luck_below(g->luck, 4) : 0;
    switch (node->kind) {
    case DEJA_STRUCT: {
        const bool section = chance(g, 10);
        deja_buffer_text(out, section ? "section({" : "{");
        grow_fields(g, node, out);
        deja_buffer_text(out, section ? "})" : "}");
        break;
    }
    case DEJA_KIND:
    case DEJA_ENUM:
    case DEJA_FLAGS:
        grow_names(g, node, out);
        break;
    case DEJA_OPTIONAL:
        grow(g, node->children[0], out);
        deja_buffer_char(out, '?');
        break;
    case DEJA_SECTION:
        deja_buffer_text(out, "section(");
        grow(g, node->children[0], out);
        deja_buffer_char(out, ')');
        break;
    case DEJA_ITEMS:
        grow_items(g, node, out);
        break;
    case DEJA_TEXT:
        deja__print(out, "text[..%u]", (unsigned)node->count + more);
        break;
    case DEJA_BYTES:
        deja__print(out, "bytes[%u]", (unsigned)node->count);
        break;
    default:
        deja_buffer_text(out, node->kind >= DEJA_U8 && node->kind <= DEJA_I64
                                  ? wider(g, node->kind)
                                  : deja__kind_word(node->kind));
        break;
    }
}

/* Alternatives of a kind may not be wrapped: print them bare. */
static deja_layout *grown(growth *g, const deja_layout *layout)
{
    for (;;) {
        deja_buffer text = { 0 };
        deja_layout *result = NULL;
        if (layout->root->kind == DEJA_STRUCT)
            grow_fields(g, layout->root, &text);
        else
            grow_names(g, layout->root, &text);
        deja_layout_parse(&result, (char *)text.bytes, text.size, NULL);
        deja_buffer_release(&text);
        if (result)
            return result;
    }
}

static void assert_valid(const deja_layout *layout, const deja_buffer *value)
{
    deja_error err = { 0 };
    const deja_code code = deja_value_validate(layout, value->bytes, value->size, &err);
    cr_assert(eq(i32, code, DEJA_OK), "%s: %s", deja_layout_text(layout), err.message);
}

Test(match_grown, a_layout_that_grew_takes_every_recorded_value_and_gives_it_back)
{
    deja_luck luck;
    deja_luck_seed(&luck, 9, 0);
    growth g = { &luck, false };
    uint32_t fitting = 0, unfit = 0;
    for (uint32_t round = 0; round < 1500; round++) {
        deja_layout *old = random_layout(&luck);
        deja_layout *new = grown(&g, old);
        deja_match *match = NULL;
        deja_error err = { 0 };
        cr_assert(eq(i32, deja_match_create(&match, old, new, &err), DEJA_OK));
        cr_assert(deja_match_is_whole(match), "%s\n%s\n%s", deja_layout_text(old),
                  deja_layout_text(new), deja_match_remark(match));
        assert_text(deja_layout_text(deja_match_common(match)), deja_layout_text(old));
        for (uint32_t i = 0; i < 4; i++) {
            deja_buffer recorded = { 0 }, present = { 0 }, again = { 0 }, defaults = { 0 };
            random_value(&luck, old, &recorded);
            random_value(&luck, new, &defaults);
            const deja_span fill = i % 2 ? span_of(&defaults) : (deja_span){ 0 };
            deja_code code =
                deja_match_to_present(match, recorded.bytes, recorded.size, fill, &present, &err);
            cr_assert(eq(i32, code, DEJA_OK), "%s", err.message);
            assert_valid(new, &present);
            code = deja_match_to_recorded(match, present.bytes, present.size, &again, &err);
            cr_assert(eq(i32, code, DEJA_OK), "%s", err.message);
            cr_assert(same_bytes(&again, &recorded));
            deja_buffer_clear(&again);
            code = deja_match_to_recorded(match, defaults.bytes, defaults.size, &again, &err);
            cr_assert(code == DEJA_OK || code == DEJA_EUNFIT, "%s", err.message);
            if (code == DEJA_OK)
                assert_valid(old, &again);
            fitting += code == DEJA_OK;
            unfit += code != DEJA_OK;
            deja_buffer_release(&recorded);
            deja_buffer_release(&present);
            deja_buffer_release(&again);
            deja_buffer_release(&defaults);
        }
        deja_match_destroy(match);
        deja_layout_destroy(old);
        deja_layout_destroy(new);
    }
    cr_assert(fitting > 500 && unfit > 500, "%u %u", fitting, unfit);
}

Test(match_grown, what_is_left_of_a_layout_that_lost_is_valid_and_whole)
{
    deja_luck luck;
    deja_luck_seed(&luck, 10, 0);
    growth g = { &luck, true };
    uint32_t compared = 0, nothing = 0;
    for (uint32_t round = 0; round < 1500; round++) {
        deja_layout *old = random_layout(&luck);
        deja_layout *new = grown(&g, old);
        deja_match *match = NULL, *second = NULL;
        deja_error err = { 0 };
        cr_assert(eq(i32, deja_match_create(&match, old, new, &err), DEJA_OK));
        const deja_layout *common = deja_match_common(match);
        nothing += common == NULL;
        cr_assert(deja_match_is_whole(match) ==
                  (common && strcmp(deja_layout_text(common), deja_layout_text(old)) == 0 &&
                   !strstr(deja_match_remark(match), "gone")));
        if (common)
            cr_assert(eq(i32, deja_match_create(&second, common, new, &err), DEJA_OK));
        for (uint32_t i = 0; i < 4 && common; i++) {
            deja_buffer recorded = { 0 }, present = { 0 }, a = { 0 }, b = { 0 };
            random_value(&luck, old, &recorded);
            random_value(&luck, new, &present);
            deja_code code =
                deja_match_to_common(match, true, recorded.bytes, recorded.size, &a, &err);
            cr_assert(eq(i32, code, DEJA_OK), "%s", err.message);
            assert_valid(common, &a);
            deja_buffer_clear(&a);
            code = deja_match_to_common(match, false, present.bytes, present.size, &a, &err);
            cr_assert(code == DEJA_OK || code == DEJA_EUNFIT, "%s", err.message);
            if (code == DEJA_OK) {
                assert_valid(common, &a);
                compared++;
            }
            if (deja_match_is_whole(second)) {
                const deja_code other =
                    deja_match_to_recorded(second, present.bytes, present.size, &b, &err);
                cr_assert(eq(i32, other, code));
                cr_assert(same_bytes(&a, &b));
            }
            deja_buffer_release(&recorded);
            deja_buffer_release(&present);
            deja_buffer_release(&a);
            deja_buffer_release(&b);
        }
        deja_match_destroy(match);
        deja_match_destroy(second);
        deja_layout_destroy(old);
        deja_layout_destroy(new);
    }
    cr_assert(compared > 500 && nothing > 5, "%u %u", compared, nothing);
}
