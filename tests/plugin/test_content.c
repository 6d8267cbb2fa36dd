/* SPDX-License-Identifier: MIT */
/*
 * What packs of content may be, and how a session names them. The digests are those of
 * schemas/digests.md.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <deja/plugin.h>
#include <stdio.h>
#include <string.h>

#include "plugin/game.h"

#define GARDEN "garden=0be55a1d974ccb93977700180d59a44a"
#define FORECAST "forecast=99aa06d3014798d86001c324468d497f"

static void assert_text(const deja_content *content, const char *expected)
{
    deja_buffer text = { 0 };
    deja_error err = { 0 };
    const deja_code code = deja_content_text(content, &text, &err);
    cr_assert(eq(i32, code, DEJA_OK), "%s", err.message);
    cr_assert(eq(u64, text.size, strlen(expected)));
    cr_assert(eq(str, text.size ? (char *)text.bytes : (char *)"", (char *)expected));
    deja_buffer_release(&text);
}

static void assert_refused(const deja_content *content, deja_code expected, const char *message)
{
    deja_buffer text = { 0 };
    deja_error err = { 0 };
    const deja_code code = deja_content_text(content, &text, &err);
    cr_assert(eq(i32, code, expected), "%s", err.message);
    cr_assert(eq(str, err.message, (char *)message));
    cr_assert(eq(u64, text.size, 0));
    deja_buffer_release(&text);
}

Test(content, a_session_names_its_packs_in_rising_order)
{
    static const deja_content_pack packs[] = { { "garden", "plots: 8\n", 9 },
                                               { "forecast", NULL, 0 } };
    const deja_content both = { 2, packs };
    const deja_content one = { 1, packs };
    const deja_content none = { 0, NULL };
    assert_text(&both, FORECAST " " GARDEN);
    assert_text(&one, GARDEN);
    assert_text(&none, "");
    assert_text(NULL, "");
}

/* ---- what start is given ---- */

static char given[64];

static uint32_t note_names(void *state, const void *config, uint64_t seed,
                           const deja_content *content)
{
    (void)state, (void)config, (void)seed;
    given[0] = '\0';
    for (uint64_t i = 0; i < content->count; i++) {
        strcat(given, content->packs[i].name);
        strcat(given, "=");
        strncat(given, content->packs[i].bytes, (size_t)content->packs[i].size);
        strcat(given, " ");
    }
    return 0;
}

static uint32_t accept(void *state, const void *command, deja_out *out)
{
    (void)state, (void)command, (void)out;
    return 0;
}

static void one_fields(deja_fields *f, const void *value)
{
    deja_u8(f, "one", value);
}

Test(content, every_start_is_given_the_packs_in_rising_order)
{
    static const uint8_t usual;
    static const deja_rules_table rules = {
        DEJA_ABI,
        .id = "noting",
        .version = "1.0.0",
        .state = { 1, one_fields, 0, 0 },
        .command = { 1, one_fields, 0, 0 },
        .config = { 1, one_fields, 0, 0 },
        .config_default = &usual,
        .start = note_names,
        .apply = accept,
    };
    static const deja_content_pack packs[] = { { "b", "22", 2 }, { "c", "3", 1 }, { "a", "1", 1 } };
    const deja_content all = { 3, packs };
    deja_plugin *plugin = NULL;
    deja__game *game = NULL;
    cr_assert(eq(i32, deja_plugin_from_table(&plugin, &rules, NULL), DEJA_OK));
    cr_assert(eq(i32, deja__game_open(&game, plugin, NULL), DEJA_OK));
    const deja_span config = deja_plugin_config_default(plugin);
    cr_assert(eq(i32, deja__game_start(game, config, 1, &all, NULL, NULL), DEJA_OK));
    cr_assert(eq(str, given, "a=1 b=22 c=3 "));
    cr_assert(eq(i32, deja__game_start(game, config, 1, NULL, NULL, NULL), DEJA_OK));
    cr_assert(eq(str, given, ""));
    deja__game_close(game);
    deja_plugin_close(plugin);
}

Test(content, the_text_goes_behind_what_is_there)
{
    static const deja_content_pack packs[] = { { "garden", "plots: 8\n", 9 } };
    const deja_content content = { 1, packs };
    deja_buffer text = { 0 };
    deja_buffer_text(&text, "with ");
    cr_assert(eq(i32, deja_content_text(&content, &text, NULL), DEJA_OK));
    cr_assert(eq(str, (char *)text.bytes, "with " GARDEN));
    deja_buffer_release(&text);
}

Test(content, a_name_is_made_as_a_fields_is)
{
    static const char *const names[] = { "", "9maps", "-maps", "maps!", "ma ps", "maps=", NULL };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const deja_content_pack pack = { names[i], "", 0 };
        const deja_content content = { 1, &pack };
        char message[200];
        snprintf(message, sizeof message,
                 "'%s' is no name for content: that is a letter or _, then letters, digits, _ and "
                 "-, 63 at most",
                 names[i] ? names[i] : "");
        assert_refused(&content, DEJA_EMISUSE, message);
    }
    char longest[65] = "a23456789_123456789_123456789_123456789_123456789_123456789_123";
    const deja_content_pack pack = { longest, "", 0 };
    const deja_content content = { 1, &pack };
    deja_buffer text = { 0 };
    cr_assert(eq(i32, deja_content_text(&content, &text, NULL), DEJA_OK));
    deja_buffer_release(&text);
    strcat(longest, "4");
    cr_assert(eq(i32, deja_content_text(&content, &text, NULL), DEJA_EMISUSE));
}

Test(content, a_name_stands_once_and_bytes_are_there)
{
    static const deja_content_pack twice[] = { { "a", "x", 1 }, { "b", "x", 1 }, { "a", "y", 1 } };
    static const deja_content_pack hollow[] = { { "a", "x", 1 }, { "b", NULL, 1 } };
    assert_refused(&(deja_content){ 3, twice }, DEJA_EMISUSE, "content 'a' is there twice");
    assert_refused(&(deja_content){ 2, hollow }, DEJA_EMISUSE,
                   "the bytes of content 'b' are missing");
    assert_refused(&(deja_content){ 1, NULL }, DEJA_EMISUSE, "the packs of content are missing");
}

Test(content, too_many_packs_and_too_many_bytes_are_refused_before_they_are_read)
{
    static char names[DEJA_CONTENT_PACKS_MAX + 1][8];
    static deja_content_pack packs[DEJA_CONTENT_PACKS_MAX + 1];
    deja_buffer text = { 0 };
    for (int i = 0; i <= DEJA_CONTENT_PACKS_MAX; i++) {
        snprintf(names[i], sizeof names[i], "p%d", i);
        packs[i] = (deja_content_pack){ names[i], "x", 1 };
    }
    const deja_content most = { DEJA_CONTENT_PACKS_MAX, packs };
    cr_assert(eq(i32, deja_content_text(&most, &text, NULL), DEJA_OK));
    deja_buffer_release(&text);
    assert_refused(&(deja_content){ DEJA_CONTENT_PACKS_MAX + 1, packs }, DEJA_ELIMIT,
                   "there are 257 packs of content; the most are 256");
    /* The sizes are not true, which only those who read would notice. */
    packs[0].size = DEJA_CONTENT_SIZE_MAX;
    assert_refused(&(deja_content){ 2, packs }, DEJA_ELIMIT,
                   "with 'p1' content is larger than 1073741824 bytes, which is the most");
    packs[1].size = UINT64_MAX;
    assert_refused(&(deja_content){ 2, packs }, DEJA_ELIMIT,
                   "with 'p1' content is larger than 1073741824 bytes, which is the most");
}
