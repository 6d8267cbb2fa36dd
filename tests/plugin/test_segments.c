/* SPDX-License-Identifier: MIT */
/*
 * Putting a library's memory back: sessions do not know of each other, and what had changed is
 * named.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "plugin/game.h"
#include "plugin/image.h"
#include "plugin/memory.h"

TestSuite(segments, .timeout = 60);

#define RULES DEJA_BUILD_DIR "/rules/"

enum { SPAWN = 5, STEPS = 5 };

typedef struct play {
    deja_plugin *plugin;
    deja__game *game;
} play;

static play open_rules(const char *path)
{
    play p = { 0 };
    deja_error err = { 0 };
    deja_code code = deja_plugin_open(&p.plugin, path, &err);
    cr_assert(eq(i32, code, DEJA_OK), "%s: %s", path, err.message);
    code = deja__game_open(&p.game, p.plugin, &err);
    cr_assert(eq(i32, code, DEJA_OK), "%s: %s", path, err.message);
    return p;
}

static void close_play(play *p)
{
    deja__game_close(p->game);
    deja_plugin_close(p->plugin);
}

/* A session in which something is spawned at each step; the hash of all states. */
static uint64_t play_session(play *p)
{
    uint64_t chain = 0;
    const char spawn[2] = { SPAWN, 0 };
    deja_code code = deja__game_start(p->game, (deja_span){ "", 0 }, 7, NULL, NULL, NULL);
    cr_assert(eq(i32, code, DEJA_OK));
    for (uint32_t step = 0; step < STEPS; step++) {
        uint32_t result = 99;
        uint64_t hash = 0;
        code = deja__game_apply(p->game, (deja_span){ spawn, sizeof spawn }, &result, NULL);
        cr_assert(eq(i32, code, DEJA_OK));
        cr_assert(zero(u32, result));
        code = deja__game_hash(p->game, &hash, NULL);
        cr_assert(eq(i32, code, DEJA_OK));
        chain = deja__chain_next(chain, hash, result);
    }
    return chain;
}

/* What restoring tells, as "name:size name:size ". */
static void note_change(void *user, const char *name, uint64_t size)
{
    char *all = user;
    snprintf(all + strlen(all), 512 - strlen(all), "%s:%llu ", name, (unsigned long long)size);
}

static void put_back(play *p, const char *changes)
{
    char all[512] = "";
    deja__game_drop(p->game);
    const uint32_t count = deja__plugin_restore(p->plugin, note_change, all);
    uint32_t expected = 0;
    for (const char *at = all; *at; at++)
        expected += *at == ' ' && at[1] != '(';
    cr_assert(eq(u32, count, expected));
    cr_assert(eq(str, all, (char *)changes));
    const uint32_t again = deja__plugin_restore(p->plugin, note_change, all);
    cr_assert(zero(u32, again));
}

/* ---- whole sessions ---- */

Test(segments, are_put_back_so_that_sessions_are_the_same)
{
    static const char *const names[] = { RULES "ledger-static.so",
                                         RULES "ledger-static-nodelete.so" };
    for (size_t i = 0; i < 2; i++) {
        play p = open_rules(names[i]);
        const uint64_t first = play_session(&p);
        cr_assert(ne(u64, play_session(&p), first)); /* what it would be otherwise */
        put_back(&p, "next_id:1 ");
        for (uint32_t round = 0; round < 1000; round++) {
            cr_assert(eq(u64, play_session(&p), first), "%s, round %u", names[i], round);
            put_back(&p, "next_id:1 ");
        }
        close_play(&p);
    }
}

Test(segments, are_left_alone_by_a_library_that_keeps_nothing)
{
    play p = open_rules(RULES "ledger.so");
    const uint64_t first = play_session(&p);
    cr_assert(eq(u64, play_session(&p), first));
    put_back(&p, "");
    close_play(&p);
}

Test(segments, are_named_by_place_where_names_were_stripped)
{
    play p = open_rules(RULES "ledger-stripped.so");
    char all[512] = "";
    const uint64_t first = play_session(&p);
    deja__game_drop(p.game);
    const uint32_t count = deja__plugin_restore(p.plugin, note_change, all);
    cr_assert(eq(u32, count, 1));
    unsigned at = 0, into = 0, size = 0;
    const int fields = sscanf(all, "ledger-stripped.so+0x%x (.bss+0x%x):%u ", &at, &into, &size);
    cr_assert(eq(int, fields, 3), "%s", all);
    cr_assert(eq(u32, size, 1));
    cr_assert(eq(u64, play_session(&p), first));
    close_play(&p);
}

/* Mangled names are names, too. */
Test(segments, of_templates_are_put_back)
{
    play p = open_rules(RULES "ledger-template.so");
    const uint64_t first = play_session(&p);
    put_back(&p, "_ZN3idsIjE7next_idE:1 ");
    cr_assert(eq(u64, play_session(&p), first));
    close_play(&p);
}

Test(segments, that_count_coverage_go_on)
{
    play p = open_rules(RULES "ledger-coverage.so");
    const uint64_t first = play_session(&p);
    put_back(&p, "");
    cr_assert(ne(u64, play_session(&p), first));
    close_play(&p);
}

Test(segments, that_are_too_large_are_not_copied)
{
    play p = open_rules(RULES "ledger-large.so");
    const uint64_t first = play_session(&p);
    put_back(&p, "");
    cr_assert(ne(u64, play_session(&p), first));
    close_play(&p);
}

/* Describing ran the library; the first session starts from what was loaded. */
Test(segments, are_put_back_before_the_first_session)
{
    deja_plugin *plugin = NULL;
    char all[512] = "";
    const deja_code code = deja_plugin_open(&plugin, RULES "ledger-calls.so", NULL);
    cr_assert(eq(i32, code, DEJA_OK));
    const uint32_t before = deja__plugin_restore(plugin, note_change, all);
    cr_assert(zero(u32, before), "%s", all);
    deja__game *game = NULL;
    deja__game_open(&game, plugin, NULL);
    play p = { plugin, game };
    put_back(&p, "calls:1 ");
    close_play(&p);
}

/* ---- single bytes ---- */

/* Looks for a symbol of a file. */
struct wanted {
    const char *name;
    uint64_t address;
};

static void find_symbol(void *user, const deja__elf_name *symbol)
{
    struct wanted *wanted = user;
    if (strcmp(symbol->name, wanted->name) == 0)
        wanted->address = symbol->address;
}

/* Where a variable of a loaded library lies, static or not. */
static unsigned char *locate(const char *path, const image *file, const char *name)
{
    deja__elf elf;
    struct wanted wanted = { name, 0 };
    struct link_map *map = NULL;
    const deja_code code = deja__elf_open(&elf, (deja_span){ file->bytes, file->size }, NULL);
    cr_assert(eq(i32, code, DEJA_OK));
    deja__elf_symbols(&elf, find_symbol, &wanted);
    cr_assert(ne(u64, wanted.address, 0), "%s", name);
    void *handle = dlopen(path, RTLD_NOLOAD | RTLD_NOW);
    cr_assert(ne(ptr, handle, NULL));
    dlinfo(handle, RTLD_DI_LINKMAP, &map);
    unsigned char *found = (unsigned char *)(map->l_addr + wanted.address);
    dlclose(handle);
    return found;
}

Test(segments, tell_each_variable_once_and_what_has_no_name_by_runs)
{
    image file = image_read("rules/ledger-static.so");
    play p = open_rules(RULES "ledger-static.so");
    unsigned char *next_id = locate(RULES "ledger-static.so", &file, "next_id");
    next_id[0] = 1;
    next_id[3] = 1;
    put_back(&p, "next_id:4 ");
    cr_assert(zero(u8, next_id[0]));
    cr_assert(zero(u8, next_id[3]));
    next_id[2] = 9;
    put_back(&p, "next_id:1 ");

    /* A place that a symbol without a size stands for. */
    unsigned char *nameless = locate(RULES "ledger-static.so", &file, "__dso_handle");
    const unsigned char kept[8] = { nameless[0], nameless[1], nameless[2], nameless[3],
                                    nameless[4], nameless[5], nameless[6], nameless[7] };
    struct wanted wanted = { "__dso_handle", 0 };
    deja__elf elf;
    deja__elf_open(&elf, (deja_span){ file.bytes, file.size }, NULL);
    deja__elf_symbols(&elf, find_symbol, &wanted);
    char expected[128];
    snprintf(expected, sizeof expected, "ledger-static.so+0x%llx (.data+0x1):3 ",
             (unsigned long long)wanted.address + 1);
    nameless[1] ^= 0xff;
    nameless[3] ^= 0xff;
    put_back(&p, expected);
    cr_assert(zero(int, memcmp(nameless, kept, sizeof kept)));
    close_play(&p);
    image_release(&file);
}

Test(segments, of_what_a_library_brought_along_are_put_back)
{
    static const char strings[] = "$ORIGIN\0libhelper.so";
    char folder[64];
    char path[128];
    char helper_path[128];
    image helper = image_read("rules/ledger-static.so");
    image file = image_read("rules/ledger.so");
    folder_open(folder);
    const uint64_t at =
        image_replace(&file, "_ITM_deregisterTMCloneTable", strings, sizeof strings - 1);
    ElfW(Dyn) *entry = image_dynamic(&file, DT_NULL, 0);
    entry->d_tag = DT_NEEDED;
    entry->d_un.d_val = at + 8;
    entry = image_dynamic(&file, DT_NULL, 0);
    entry->d_tag = DT_RUNPATH;
    entry->d_un.d_val = at;
    snprintf(helper_path, sizeof helper_path, "%s", image_write(&helper, folder, "libhelper.so"));
    snprintf(path, sizeof path, "%s", image_write(&file, folder, "game.so"));
    play p = open_rules(path);
    unsigned char *next_id = locate(helper_path, &helper, "next_id");
    next_id[1] = 5;
    put_back(&p, "libhelper.so:next_id:1 ");
    cr_assert(zero(u8, next_id[1]));
    close_play(&p);
    image_release(&helper);
    image_release(&file);
    folder_close(folder);
}

/* ---- memory ---- */

Test(segments, are_compared_and_copied_byte_for_byte)
{
    unsigned char a[260];
    unsigned char b[260];
    for (uint64_t start = 0; start < 9; start++) {
        for (uint64_t size = 0; size < 200; size++) {
            for (uint64_t i = 0; i < sizeof a; i++)
                a[i] = b[i] = (unsigned char)(i * 7);
            const uint64_t place = size ? (size * 31) % size : 0;
            const bool same = deja__memory_is_equal(a + start, b + start, size);
            cr_assert(same);
            cr_assert(eq(u64, deja__memory_difference(a + start, b + start, 0, size), size));
            b[start + size] ^= 1; /* behind the end */
            const bool still = deja__memory_is_equal(a + start, b + start, size);
            cr_assert(still);
            for (uint64_t i = 0; size && i < 3; i++) {
                const uint64_t changed = i == 0 ? 0 : (i == 1 ? size - 1 : place);
                b[start + changed] ^= 0x80;
                const bool equal = deja__memory_is_equal(a + start, b + start, size);
                cr_assert(not(equal), "%llu of %llu", (unsigned long long)changed,
                          (unsigned long long)size);
                cr_assert(eq(u64, deja__memory_difference(a + start, b + start, 0, size), changed));
                deja__memory_put(b + start, a + start, size);
                cr_assert(zero(int, memcmp(a + start, b + start, size)));
            }
            cr_assert(eq(u8, b[start + size], a[start + size] ^ 1u));
        }
    }
}

Test(segments, that_hold_heap_addresses_are_known)
{
    static uint64_t variable;
    uint64_t count = 99;
    void *small = malloc(10);
    void *large = malloc(1 << 22);
    const uintptr_t words[] = { 0,
                                1,
                                (uintptr_t)small,
                                (uintptr_t)&variable,
                                (uintptr_t)&count,
                                (uintptr_t)large + 1000,
                                (uintptr_t)&free,
                                UINTPTR_MAX,
                                (uintptr_t)small + 9 };
    const deja_code code = deja__memory_heap_words(words, sizeof words, &count, NULL);
    cr_assert(eq(i32, code, DEJA_OK));
    cr_assert(eq(u64, count, 3));
    free(small);
    free(large);
}
