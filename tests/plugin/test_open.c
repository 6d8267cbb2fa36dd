/* SPDX-License-Identifier: MIT */
/*
 * Opening libraries: the sound, the broken, and those that changed meanwhile.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugin/image.h"
#include "plugin/plugin.h"

TestSuite(open, .timeout = 60);

#define RULES DEJA_BUILD_DIR "/rules/"

static deja_plugin *open_sound(const char *path)
{
    deja_plugin *plugin = NULL;
    deja_error err = { 0 };
    const deja_code code = deja_plugin_open(&plugin, path, &err);
    cr_assert(eq(i32, code, DEJA_OK), "%s: %s", path, err.message);
    return plugin;
}

static void assert_refused(const char *path, deja_code expected, const char *message)
{
    deja_plugin *plugin = (deja_plugin *)(uintptr_t)1;
    deja_error err = { 0 };
    const deja_code code = deja_plugin_open(&plugin, path, &err);
    cr_assert(eq(i32, code, expected), "%s: %s", path, err.message);
    cr_assert(eq(i32, err.code, expected), "%s: %s", path, err.message);
    cr_assert(zero(ptr, plugin));
    const size_t size = strlen(message);
    if (message[size - 1] == ' ') /* a beginning */
        err.message[size] = 0;
    cr_assert(eq(str, err.message, (char *)message), "%s", path);
}

static void assert_digest(const deja_plugin *plugin, const image *file)
{
    unsigned char expected[16];
    deja__hash128(file->bytes, file->size, expected);
    cr_assert(zero(int, memcmp(deja_plugin_digest(plugin), expected, sizeof expected)));
}

Test(open, describes_a_game)
{
    deja_plugin *plugin = open_sound(DEJA_BUILD_DIR "/games/matchgame.so");
    static const char *const layouts[] = { "rows:u8[..16] side:u8", "kind(take{row:u8 n:u8})",
                                           "kind(took{row:u8 n:u8})", "rows:u8[..16]" };
    for (uint32_t type = 0; type < 4; type++) {
        const char *text = deja_layout_text(deja_plugin_layout(plugin, type));
        cr_assert(eq(str, (char *)text, (char *)layouts[type]));
    }
    cr_assert(eq(str, (char *)deja_plugin_table(plugin)->id, "matchgame"));
    cr_assert(eq(str, (char *)deja_plugin_refusals(plugin),
                 "no_such_row no_such_number over no_sticks too_many_rows"));
    cr_assert(eq(str, (char *)deja_plugin_outcomes(plugin), "first_wins second_wins"));
    const deja_span config = deja_plugin_config_default(plugin);
    cr_assert(eq(u64, config.size, 8));
    cr_assert(zero(int, memcmp(config.bytes, "\4\0\0\0\7\5\3\1", 8)));
    image file = image_read("games/matchgame.so");
    assert_digest(plugin, &file);
    image_release(&file);
    deja_plugin_close(plugin);
}

Test(open, tells_files_that_are_none)
{
    char folder[64];
    char path[128];
    folder_open(folder);
    assert_refused("", DEJA_EIO, "no such file");
    assert_refused("/nowhere/at/all.so", DEJA_EIO, "no such file");
    assert_refused("/dev/null/x.so", DEJA_EIO, "no such file");
    assert_refused("libc.so.6", DEJA_EIO, "no such file"); /* a file here, not the system's */
    assert_refused(folder, DEJA_EIO, "is a folder, not a file");
    assert_refused("/dev/null", DEJA_EIO, "is not a plain file");
    snprintf(path, sizeof path, "%s/pipe", folder);
    cr_assert(zero(int, mkfifo(path, 0600)));
    assert_refused(path, DEJA_EIO, "is not a plain file");
    snprintf(path, sizeof path, "%s/loop", folder);
    cr_assert(zero(int, symlink("loop", path)));
    assert_refused(path, DEJA_EIO, "too many symbolic links");
    char *name = malloc(6000);
    memset(name, 'x', 5999);
    name[5999] = 0;
    assert_refused(name, DEJA_EIO, "the path is too long");
    free(name);
    snprintf(path, sizeof path, "%s/locked", folder);
    image file = image_read("rules/ledger.so");
    image_write(&file, folder, "locked");
    cr_assert(zero(int, chmod(path, 0)));
    if (geteuid() != 0)
        assert_refused(path, DEJA_EIO, "permission denied");
    file.size = 0;
    assert_refused(image_write(&file, folder, "empty"), DEJA_EUNFIT, "is not a shared library");
    image_release(&file);
    assert_refused(DEJA_SOURCE_DIR "/Makefile", DEJA_EUNFIT, "is not a shared library");
    assert_refused("/proc/self/exe", DEJA_EUNFIT, "is a program, not a shared library");
    folder_close(folder);
}

Test(open, tells_libraries_that_are_unfit)
{
    assert_refused(RULES "abi2.so", DEJA_EUNFIT, "was built for ABI 2.0, this deja knows 1.0");
    assert_refused(RULES "noconstant.so", DEJA_EUNFIT,
                   "is not a rules library: it exports no 'deja_rules'");
    assert_refused(RULES "constant-is-a-function.so", DEJA_EUNFIT,
                   "its 'deja_rules' is not a constant");
    assert_refused(RULES "short-table.so", DEJA_EUNFIT,
                   "its table says it has 4096 bytes, and has ");
    assert_refused(RULES "unknown-kind.so", DEJA_EUNFIT, "state: ");
    deja_plugin *plugin = NULL;
    deja_error err = { 0 };
    const deja_code codes[] = { deja_plugin_open(&plugin, NULL, &err),
                                deja_plugin_open(NULL, RULES "ledger.so", &err) };
    cr_assert(eq(i32, codes[0], DEJA_EMISUSE));
    cr_assert(eq(i32, codes[1], DEJA_EMISUSE));
}

/* The loader's words, in one line and without the path that the caller knows. */
Test(open, tells_what_the_loader_says)
{
    char folder[64];
    image file = image_read("rules/ledger-pid.so");
    folder_open(folder);
    image_replace(&file, "libc.so.6", "libx.so.6", 9);
    assert_refused(image_write(&file, folder, "a.so"), DEJA_EUNFIT,
                   "does not load: libx.so.6: cannot open shared object file: "
                   "No such file or directory");
    image_release(&file);
    file = image_read("rules/ledger-pid.so");
    image_replace(&file, "getpid", "getpix", 6);
    assert_refused(image_write(&file, folder, "b.so"), DEJA_EUNFIT,
                   "does not load: undefined symbol: getpix, version ");
    image_release(&file);
    folder_close(folder);
}

Test(open, takes_a_bare_name_for_a_file_here)
{
    char folder[64];
    image file = image_read("rules/ledger.so");
    folder_open(folder);
    image_write(&file, folder, "libm.so.6");
    cr_assert(zero(int, chdir(folder)));
    deja_plugin *plugin = open_sound("libm.so.6");
    cr_assert(eq(str, (char *)deja_plugin_table(plugin)->id, "ledger"));
    assert_digest(plugin, &file);
    deja_plugin_close(plugin);
    image_release(&file);
    folder_close(folder);
}

Test(open, can_be_done_again_and_again)
{
    for (uint32_t round = 0; round < 50; round++) {
        deja_plugin *plugin = open_sound(RULES "ledger.so");
        const bool can_restore = deja__plugin_can_restore(plugin, NULL);
        cr_assert(can_restore);
        deja_plugin_close(plugin);
    }
}

/* Only the first opening sees the library as it was loaded. */
Test(open, of_what_is_open_already_can_not_be_put_back)
{
    const char *why = NULL;
    deja_plugin *first = open_sound(RULES "ledger-static.so");
    deja_plugin *second = open_sound(RULES "ledger-static.so");
    cr_assert(zero(int, memcmp(deja_plugin_digest(first), deja_plugin_digest(second), 16)));
    const bool of_first = deja__plugin_can_restore(first, &why);
    cr_assert(of_first);
    cr_assert(zero(ptr, (void *)(uintptr_t)why));
    const bool of_second = deja__plugin_can_restore(second, &why);
    cr_assert(not(of_second));
    cr_assert(eq(str, (char *)why, "it was in this process before it was opened"));
    deja_plugin_close(first);
    deja_plugin_close(second);
}

/* A file that took the place of one that is still loaded would run under the wrong digest. */
Test(open, never_runs_an_older_build_under_a_newer_digest)
{
    char folder[64];
    char path[128];
    image file = image_read("rules/ledger-static-nodelete.so");
    folder_open(folder);
    snprintf(path, sizeof path, "%s", image_write(&file, folder, "game.so"));
    deja_plugin_close(open_sound(path));
    deja_plugin_close(open_sound(path)); /* loaded still, but the same */
    image newer = image_read("rules/ledger-305.so");
    image_write(&newer, folder, "game.so");
    assert_refused(path, DEJA_EUNFIT, "an older build of it is still loaded in this process");
    image_release(&newer);
    image_release(&file);
    folder_close(folder);
}

/* ---- libraries that bring others along ---- */

/* A ledger that needs libhelper.so, which lies beside it. */
static image read_needy(void)
{
    static const char strings[] = "$ORIGIN\0libhelper.so";
    image file = image_read("rules/ledger.so");
    const uint64_t at =
        image_replace(&file, "_ITM_deregisterTMCloneTable", strings, sizeof strings - 1);
    ElfW(Dyn) *entry = image_dynamic(&file, DT_NULL, 0);
    entry->d_tag = DT_NEEDED;
    entry->d_un.d_val = at + 8;
    entry = image_dynamic(&file, DT_NULL, 0);
    entry->d_tag = DT_RUNPATH;
    entry->d_un.d_val = at;
    return file;
}

Test(open, hashes_what_a_library_brings_along)
{
    char folder[64];
    char path[128];
    const char *why = NULL;
    image file = read_needy();
    image helper = image_read("rules/ledger-static.so");
    folder_open(folder);
    image_write(&helper, folder, "libhelper.so");
    snprintf(path, sizeof path, "%s", image_write(&file, folder, "game.so"));
    deja_plugin *plugin = open_sound(path);

    /* Its own digest, then the size and name of the other's file, and its digest. */
    unsigned char all[16 + 4 + 12 + 16] = { 0 };
    unsigned char expected[16];
    deja__hash128(file.bytes, file.size, all);
    all[16] = 12;
    memcpy(all + 20, "libhelper.so", 12);
    deja__hash128(helper.bytes, helper.size, all + 32);
    deja__hash128(all, sizeof all, expected);
    cr_assert(zero(int, memcmp(deja_plugin_digest(plugin), expected, sizeof expected)));

    const bool closed = deja_plugin_is_closed(plugin, &why);
    cr_assert(not(closed));
    cr_assert(eq(str, (char *)why, "it needs libhelper.so"));
    deja_plugin_close(plugin);

    /* The same where the helper was in the process before. */
    snprintf(path, sizeof path, "%s/libhelper.so", folder);
    deja_plugin *early = open_sound(path);
    snprintf(path, sizeof path, "%s/game.so", folder);
    plugin = open_sound(path);
    cr_assert(zero(int, memcmp(deja_plugin_digest(plugin), expected, sizeof expected)));
    deja_plugin_close(plugin);
    deja_plugin_close(early);
    image_release(&file);
    image_release(&helper);
    folder_close(folder);
}

Test(open, wants_the_constant_in_the_library_itself)
{
    char folder[64];
    char path[128];
    image file = read_needy();
    image helper = image_read("rules/ledger.so");
    folder_open(folder);
    image_write(&helper, folder, "libhelper.so");
    image_replace(&file, "deja_rules", "deja_xules", 10);
    snprintf(path, sizeof path, "%s", image_write(&file, folder, "game.so"));
    assert_refused(path, DEJA_EUNFIT, "is not a rules library: it exports no 'deja_rules'");
    image_release(&file);
    image_release(&helper);
    folder_close(folder);
}
