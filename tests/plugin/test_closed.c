/* SPDX-License-Identifier: MIT */
/*
 * What an object shows about where it can keep things between sessions.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>

#include "plugin/image.h"
#include "plugin/plugin.h"

TestSuite(closed, .timeout = 60);

#define RULES DEJA_BUILD_DIR "/rules/"

/* Opens it, and holds why it is not closed, and why it can't be put back, against what is expected;
 * NULL where it is. A text that ends in a blank is a beginning. */
static void assert_shown(const char *path, const char *open, const char *kept)
{
    deja_plugin *plugin = NULL;
    deja_error err = { 0 };
    const deja_code code = deja_plugin_open(&plugin, path, &err);
    cr_assert(eq(i32, code, DEJA_OK), "%s: %s", path, err.message);
    const char *expected[] = { open, kept };
    const char *why[2] = { "", "" };
    const bool is[] = { deja_plugin_is_closed(plugin, &why[0]),
                        deja__plugin_can_restore(plugin, &why[1]) };
    for (size_t i = 0; i < 2; i++) {
        cr_assert(eq(int, is[i], expected[i] == NULL), "%s: %s", path, why[i] ? why[i] : "yes");
        cr_assert(eq(int, why[i] == NULL, is[i]), "%s", path);
        if (!why[i])
            continue;
        char text[256];
        snprintf(text, sizeof text, "%s", why[i]);
        const size_t size = strlen(expected[i]);
        if (expected[i][size - 1] == ' ')
            text[size] = 0;
        cr_assert(eq(str, text, (char *)expected[i]), "%s", path);
    }
    deja_plugin_close(plugin);
}

Test(closed, is_what_can_keep_nothing_but_in_its_segments)
{
    static const char *const closed[] = { "ledger",          "ledger-static",
                                          "ledger-stripped", "ledger-static-nodelete",
                                          "ledger-hang",     "ledger-crash" };
    for (size_t i = 0; i < sizeof closed / sizeof *closed; i++) {
        char path[512];
        snprintf(path, sizeof path, RULES "%s.so", closed[i]);
        assert_shown(path, NULL, NULL);
    }
}

Test(closed, is_not_what_shows_something_else)
{
    static const struct {
        const char *name;
        const char *why;
    } rows[] = {
        { "eats-memory", "it imports 'malloc'" },
        { "ledger-pid", "it imports 'getpid'" },
        { "ledger-exit", "it imports 'exit'" },
        { "ledger-tls", "it has thread-local storage" },
        { "ledger-template", "it " }, /* needs libstdc++ where the linker was told so */
        { "ledger-constructor", "it has the constructor 'set_up'" },
        { "ledger-replaced", "its own 'random' is replaced by that of libc.so.6" },
        { "swarm", "it needs libstdc++.so.6" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[512];
        snprintf(path, sizeof path, RULES "%s.so", rows[i].name);
        assert_shown(path, rows[i].why, rows[i].why);
    }
}

Test(closed, but_too_large_is_not_put_back)
{
    assert_shown(RULES "ledger-large.so", NULL,
                 "its writable data take 5120 KiB, and 4096 is the most");
}

/* What is not put back could be state. */
Test(closed, but_counting_coverage_is_not_put_back)
{
    assert_shown(RULES "ledger-coverage.so", NULL,
                 "it counts coverage, which goes on from session to session");
}

Test(closed, is_not_what_holds_heap_memory_when_loaded)
{
    assert_shown(RULES "ledger-vector.so", "it needs libstdc++.so.6", "its data held ");
}

/* ---- what the compilers themselves add ---- */

/* A name that nothing in the library defines, in place of one of these. */
static void assert_import(const char *name, const char *why)
{
    char folder[64];
    image file = image_read("rules/ledger.so");
    folder_open(folder);
    image_replace(&file, "__cxa_finalize", name, strlen(name));
    assert_shown(image_write(&file, folder, "game.so"), why, why);
    image_release(&file);
    folder_close(folder);
}

Test(closed, goes_by_what_is_bound)
{
    assert_import("rand", "it imports 'rand'");
    assert_import("no_such_name", NULL); /* weak: bound to nothing */
}

Test(closed, knows_an_init_function_that_is_not_the_compilers)
{
    char folder[64];
    image file = image_read("rules/ledger.so");
    folder_open(folder);
    image_dynamic(&file, DT_INIT, 0)->d_un.d_val = image_dynamic(&file, DT_FINI, 0)->d_un.d_val;
    assert_shown(image_write(&file, folder, "game.so"), "it has an init function of its own",
                 "it has an init function of its own");
    image_release(&file);
    folder_close(folder);
}

/* Without names, a single entry is taken for the compilers' own. */
Test(closed, counts_the_constructors_of_what_was_stripped)
{
    char folder[64];
    image file = image_read("rules/ledger-constructor.so");
    folder_open(folder);
    image_header(&file)->e_shoff = file.size;
    assert_shown(image_write(&file, folder, "two.so"), "it has constructors",
                 "it has constructors");
    image_release(&file);
    file = image_read("rules/ledger.so");
    image_header(&file)->e_shoff = file.size;
    assert_shown(image_write(&file, folder, "one.so"), NULL, NULL);
    image_release(&file);
    folder_close(folder);
}
