/* SPDX-License-Identifier: MIT */
/*
 * What every rules library promises, held against the games that ship: over random games with
 * legal and with made-up commands.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <elf.h>
#include <stdlib.h>

#include "support/host.h"
#include "support/library.h"

TestSuite(contract, .timeout = 60);

enum { BYTES = 8192, GAMES = 60 };

static const char *const names[] = { "games/matchgame", "games/peg", "games/garden",
                                     "games/dixmille" };
enum { NAMES = sizeof names / sizeof *names };

/* Calls `look` with the state after every step of random games by the game's bot `random`, the
 * first state and the last too. */
static void each_state(const library *lib,
                       void (*look)(const library *lib, void *state, deja_luck *luck))
{
    const deja_bot *bot = library_bot(lib, "random");
    deja_luck luck;
    deja_luck_seed(&luck, 20261130, 1);
    for (uint32_t game = 0; game < GAMES; game++) {
        void *state = host_create(&lib->rules->state);
        void *command = host_create(&lib->rules->command);
        cr_assert(lib->rules->start(state, lib->rules->config_default, game, NULL) == 0);
        look(lib, state, &luck);
        while (bot->pick(state, &luck, command, NULL)) {
            const uint32_t checked = lib->rules->check(state, command);
            const uint32_t applied = lib->rules->apply(state, command, NULL);
            cr_assert(checked == 0 && applied == 0);
            look(lib, state, &luck);
        }
        cr_assert(strcmp(library_outcome(lib, state), "running") != 0);
        host_destroy(&lib->rules->command, command);
        host_destroy(&lib->rules->state, state);
    }
}

static void each_game(void (*look)(const library *lib, void *state, deja_luck *luck))
{
    for (uint32_t i = 0; i < NAMES; i++) {
        library lib = library_open(names[i]);
        each_state(&lib, look);
        library_close(&lib);
    }
}

/* ---- apply, check, legal ---- */

/* How a game's commands look: their kinds, so many numbers each, of so many bytes. */
typedef struct form {
    const char *game;
    uint32_t kinds, numbers[5], width;
} form;

static const form *form_of(const library *lib)
{
    static const form forms[] = { { "matchgame", 1, { 2 }, 1 },
                                  { "peg", 2, { 1, 2 }, 2 },
                                  { "garden", 4, { 0, 0, 0, 0 }, 1 },
                                  { "dixmille", 5, { 0, 0, 1, 0, 0 }, 1 } };
    for (uint32_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i].game, lib->rules->id) == 0)
            return &forms[i];
    cr_fatal("what do the commands of %s look like?", lib->rules->id);
    return NULL;
}

/* A command of any kind with any numbers, often small ones. */
static void make_up(const library *lib, void *command, deja_luck *luck)
{
    unsigned char bytes[8] = { 0 };
    const form *made = form_of(lib);
    const uint32_t kind = made->kinds > 1 ? deja_luck_below(luck, made->kinds) : 0;
    bytes[0] = (unsigned char)kind;
    for (uint32_t i = 0; i < made->numbers[kind]; i++) {
        const uint32_t number = deja_luck_below(luck, deja_luck_below(luck, 4) ? 17 : 65536);
        bytes[2 + i * made->width] = (unsigned char)number;
        if (made->width == 2)
            bytes[3 + i * made->width] = (unsigned char)(number >> 8);
    }
    host_load(&lib->rules->command, command, bytes, 2 + made->numbers[kind] * made->width);
}

static void any_command_is_all_or_nothing(const library *lib, void *state, deja_luck *luck)
{
    static emitted all;
    unsigned char before[BYTES], after[BYTES];
    const uint64_t size = lib->rules->state.size;
    void *command = host_create(&lib->rules->command);
    void *copy = host_create(&lib->rules->state);
    cr_assert(size <= BYTES);
    for (uint32_t i = 0; i < 20; i++) {
        make_up(lib, command, luck);
        memcpy(before, state, size);
        const uint32_t checked = lib->rules->check(state, command);
        cr_assert(memcmp(before, state, size) == 0, "check changed the state");
        memcpy(copy, state, size);
        emitted_open(&all, lib->rules->event.size);
        const uint32_t result = lib->rules->apply(copy, command, &all.out);
        cr_assert(eq(u32, checked, result));
        /* Dix-mille throws by itself, and tells of each throw. */
        cr_assert(strcmp(lib->rules->id, "dixmille") == 0 ? (all.count != 0) == (result == 0)
                                                          : all.count == (result == 0));
        const uint64_t was = host_save(&lib->rules->state, state, BYTES, before, BYTES);
        const uint64_t is = host_save(&lib->rules->state, copy, BYTES, after, BYTES);
        if (result != 0)
            cr_assert(memcmp(copy, state, size) == 0, "a refusal changed the state");
        else
            cr_assert(was != is || memcmp(before, after, is) != 0);
    }
    host_destroy(&lib->rules->state, copy);
    host_destroy(&lib->rules->command, command);
}

Test(contract, apply_is_all_or_nothing_and_check_says_what_it_will_say)
{
    each_game(any_command_is_all_or_nothing);
}

static void legal_is_what_check_accepts(const library *lib, void *state, deja_luck *luck)
{
    static emitted all, again;
    emitted_open(&all, lib->rules->command.size);
    emitted_open(&again, lib->rules->command.size);
    lib->rules->legal(state, &all.out);
    lib->rules->legal(state, &again.out);
    lib->rules->legal(state, NULL);
    cr_assert(all.count == again.count &&
              memcmp(all.bytes, again.bytes, all.count * all.item) == 0);
    for (uint32_t i = 0; i < all.count; i++)
        cr_assert(lib->rules->check(state, emitted_at(&all, i)) == 0);

    /* and of all that could be made up, what is accepted is among the legal ones */
    void *command = host_create(&lib->rules->command);
    unsigned char expected[16], got[16];
    for (uint32_t i = 0; i < 50; i++) {
        make_up(lib, command, luck);
        bool is_listed = false;
        const uint64_t size = host_save(&lib->rules->command, command, 0, expected, 16);
        for (uint32_t k = 0; k < all.count; k++)
            is_listed |= host_save(&lib->rules->command, emitted_at(&all, k), 0, got, 16) == size &&
                         memcmp(expected, got, size) == 0;
        cr_assert(is_listed == (lib->rules->check(state, command) == 0));
    }
    host_destroy(&lib->rules->command, command);
    if (strcmp(library_outcome(lib, state), "running") == 0)
        cr_assert(gt(u32, all.count, 0));
    else
        cr_assert(eq(u32, all.count, 0));
}

Test(contract, legal_lists_all_that_check_accepts_always_in_one_order)
{
    each_game(legal_is_what_check_accepts);
}

static void a_finished_game_refuses(const library *lib, void *state, deja_luck *luck)
{
    if (strcmp(library_outcome(lib, state), "running") == 0)
        return;
    void *command = host_create(&lib->rules->command);
    for (uint32_t i = 0; i < 50; i++) {
        make_up(lib, command, luck);
        assert_text(library_result(lib, lib->rules->apply(state, command, NULL)), "over");
    }
    for (uint32_t i = 0; i < lib->rules->bot_count; i++) {
        const deja_bot *bot = &lib->rules->bots[i];
        void *memory = calloc(1, bot->memory_size + 1);
        cr_assert(bot->pick(state, luck, command, memory) == 0, "%s has a command", bot->name);
        free(memory);
    }
    host_destroy(&lib->rules->command, command);
}

Test(contract, a_game_that_is_over_refuses_every_command)
{
    each_game(a_finished_game_refuses);
}

/* ---- everything that matters is in the fields ---- */

static void a_loaded_state_goes_on_alike(const library *lib, void *state, deja_luck *luck)
{
    static const uint64_t windows[] = { 0, 1, 3, 8, 30, BYTES };
    unsigned char bytes[BYTES], other[BYTES];
    const deja_rules_table *rules = lib->rules;
    const uint64_t size = host_save(&rules->state, state, 0, bytes, BYTES);
    for (uint32_t i = 0; i < sizeof windows / sizeof *windows; i++)
        cr_assert(host_save(&rules->state, state, windows[i], other, BYTES) == size &&
                  memcmp(bytes, other, size) == 0);

    void *loaded = host_create(&rules->state);
    memset(loaded, 0xa5, rules->state.size); /* what is not state may hold anything */
    host_load(&rules->state, loaded, bytes, size);
    void *command = host_create(&rules->command);
    for (uint32_t i = 0; i < rules->bot_count; i++) {
        deja_luck a = *luck, b = *luck;
        unsigned char picked[64];
        void *memory = calloc(2, rules->bots[i].memory_size + 1);
        if (rules->bots[i].pick(state, &a, command, memory)) {
            const uint64_t width = host_save(&rules->command, command, 0, picked, 64);
            memset(memory, 0, rules->bots[i].memory_size);
            cr_assert(rules->bots[i].pick(loaded, &b, command, memory) == 1);
            cr_assert(host_save(&rules->command, command, 0, picked + 32, 32) == width &&
                      memcmp(picked, picked + 32, width) == 0);
            cr_assert(rules->check(state, command) == 0, "%s breaks the rules",
                      rules->bots[i].name);
        }
        free(memory);
    }
    if (library_bot(lib, "random")->pick(state, luck, command, NULL)) {
        void *next = host_create(&rules->state);
        host_load(&rules->state, next, bytes, size);
        cr_assert(rules->apply(loaded, command, NULL) == 0);
        cr_assert(rules->apply(next, command, NULL) == 0);
        const uint64_t after = host_save(&rules->state, loaded, BYTES, bytes, BYTES);
        cr_assert(host_save(&rules->state, next, BYTES, other, BYTES) == after &&
                  memcmp(bytes, other, after) == 0);
        host_destroy(&rules->state, next);
    }
    host_destroy(&rules->command, command);
    host_destroy(&rules->state, loaded);
}

Test(contract, a_saved_and_loaded_state_goes_on_alike)
{
    each_game(a_loaded_state_goes_on_alike);
}

static void notation_comes_back(const library *lib, void *state, deja_luck *luck)
{
    static emitted all;
    static written page;
    unsigned char expected[16], got[16];
    void *command = host_create(&lib->rules->command);
    (void)luck;
    emitted_open(&all, lib->rules->command.size);
    lib->rules->legal(state, &all.out);
    for (uint32_t i = 0; i < all.count; i++) {
        const char *text = written_command(&page, lib, state, emitted_at(&all, i));
        cr_assert(lib->rules->read_notation(state, text, command) == 1, "'%s'", text);
        const uint64_t size =
            host_save(&lib->rules->command, emitted_at(&all, i), 0, expected, sizeof expected);
        cr_assert(host_save(&lib->rules->command, command, 0, got, sizeof got) == size &&
                  memcmp(expected, got, size) == 0);
    }
    host_destroy(&lib->rules->command, command);
}

Test(contract, every_legal_command_reads_back_from_its_notation)
{
    each_game(notation_comes_back);
}

/* ---- the table and the object ---- */

static void assert_name(const char *name)
{
    const size_t size = strlen(name);
    cr_assert(size > 0 && size <= 63 && !strchr("0123456789-", name[0]) &&
                  strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") == size,
              "'%s' is not a name", name);
    cr_assert(strcmp(name, "running") != 0 && strcmp(name, "unfinished") != 0 &&
              strcmp(name, "crashed") != 0 && strcmp(name, "ok") != 0);
}

Test(contract, tables_say_what_they_are)
{
    for (uint32_t i = 0; i < NAMES; i++) {
        library lib = library_open(names[i]);
        const deja_rules_table *rules = lib.rules;
        cr_assert(eq(u32, rules->abi_major, DEJA_ABI_MAJOR));
        cr_assert(eq(u64, rules->size, sizeof *rules));
        assert_text(rules->id, strchr(names[i], '/') + 1);
        assert_text(rules->version, "1.0.0");
        for (uint32_t k = 0; k < rules->refusal_count; k++)
            assert_name(rules->refusals[k]);
        for (uint32_t k = 0; k < rules->outcome_count; k++)
            assert_name(rules->outcomes[k]);
        for (uint32_t k = 0; k < rules->bot_count; k++)
            assert_name(rules->bots[k].name);
        cr_assert(eq(u32, rules->kind, DEJA_TURNS));
        library_close(&lib);
    }
}

/* What a library may take from libc, and what a compiler adds on its own. */
static bool is_allowed(const char *symbol)
{
    static const char *const allowed[] = { "memchr", "memcmp", "memcpy", "memmove",
                                           "memset", "strcmp", "strlen" };
    for (uint32_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        if (strcmp(symbol, allowed[i]) == 0)
            return true;
    return false;
}

/* The names that a shared object needs from others: not the weak ones, which may stay unknown. */
static uint32_t count_foreign(const unsigned char *object)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)(const void *)object;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(const void *)(object + head->e_shoff);
    uint32_t foreign = 0;
    for (uint32_t i = 0; i < head->e_shnum; i++) {
        if (sections[i].sh_type != SHT_DYNSYM)
            continue;
        const Elf64_Sym *symbols =
            (const Elf64_Sym *)(const void *)(object + sections[i].sh_offset);
        const char *strings = (const char *)object + sections[sections[i].sh_link].sh_offset;
        for (uint64_t k = 1; k < sections[i].sh_size / sizeof *symbols; k++) {
            const char *symbol = strings + symbols[k].st_name;
            const bool is_weak = ELF64_ST_BIND(symbols[k].st_info) == STB_WEAK;
            if (symbols[k].st_shndx == SHN_UNDEF && !is_weak && !is_allowed(symbol)) {
                fprintf(stderr, "needs %s\n", symbol);
                foreign++;
            }
        }
    }
    return foreign;
}

/* 0 for a library that a sanitizer or a profile has been built into: it needs more. */
static size_t read_object(const char *name, unsigned char *object, size_t capacity)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.so", DEJA_BUILD_DIR, name);
    FILE *file = fopen(path, "rb");
    cr_assert(file != NULL, "%s", path);
    const size_t size = fread(object, 1, capacity, file);
    cr_assert(size < capacity);
    fclose(file);
    if (memmem(object, size, "__asan_", 7) || memmem(object, size, "__ubsan_", 8) ||
        memmem(object, size, "__gcov_", 7))
        return 0;
    return size;
}

Test(contract, games_need_nothing_but_string_functions)
{
    static const char *const all[] = { "games/matchgame", "games/peg", "games/garden",
                                       "games/bee" };
    enum { OBJECT = 1 << 22, ALL = sizeof all / sizeof *all };
    unsigned char *object = malloc(OBJECT);
    cr_assert(object != NULL);
    for (uint32_t i = 0; i < ALL; i++)
        if (read_object(all[i], object, OBJECT) != 0)
            cr_assert(count_foreign(object) == 0, "%s", all[i]);
    free(object);
}
