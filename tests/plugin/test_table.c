/* SPDX-License-Identifier: MIT */
/*
 * The table of rules that are linked into the program: what is taken, and each way to be unsound.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>

#include "plugin/plugin.h"
#include "plugin/probe.h"

TestSuite(table, .timeout = 60);

/* ---- ways to be wrong ---- */

static const char *const twice[] = { "busy", "free", "busy" };
static const char *const gap[] = { "busy", NULL };
static const char *const blank[] = { "not here" };
static const char *const taken[] = { "done", "crashed" };

static uint32_t pick_nothing(const void *state, deja_luck *luck, void *command, void *memory)
{
    (void)state;
    (void)luck;
    (void)command;
    (void)memory;
    return 0;
}

static const deja_bot no_pick[] = { { "idle", NULL, 0 } };
static const deja_bot no_name[] = { { NULL, pick_nothing, 0 } };
static const deja_bot same_bots[] = { { "a", pick_nothing, 0 }, { "a", pick_nothing, 0 } };
static const deja_bot large_bot[] = { { "elephant", pick_nothing, (uint64_t)1 << 31 } };

static void two_names(deja_fields *f, const void *value)
{
    deja_u32(f, "first", value);
    deja_u32(f, "first", value);
}

static const uint32_t bad_config[4] = { 1, 0xffffffff, 0, 0 };

static void counted(deja_fields *f, const void *value)
{
    const uint32_t *numbers = value;
    deja_list(f, "numbers", numbers + 2, numbers + 1, 2, deja_u32);
}

static void break_major(deja_rules_table *t)
{
    t->abi_major = 2;
    t->abi_minor = 3;
}
static void break_size(deja_rules_table *t)
{
    t->size = 100;
}
static void break_id(deja_rules_table *t)
{
    t->id = NULL;
}
static void break_id_name(deja_rules_table *t)
{
    t->id = "a game";
}
static void break_id_dots(deja_rules_table *t)
{
    t->id = "org..game";
}
static void break_version(deja_rules_table *t)
{
    t->version = NULL;
}
static void break_version_word(deja_rules_table *t)
{
    t->version = "1.0 beta";
}
static void break_compiler(deja_rules_table *t)
{
    t->compiler = "cc\n";
}
static void break_state(deja_rules_table *t)
{
    t->state = (deja_type){ 0, NULL, NULL, NULL };
}
static void break_command(deja_rules_table *t)
{
    t->command = (deja_type){ 0, NULL, NULL, NULL };
}
static void break_fields(deja_rules_table *t)
{
    t->event.fields = NULL;
}
static void break_no_size(deja_rules_table *t)
{
    t->event.size = 0;
}
static void break_large(deja_rules_table *t)
{
    t->state.size = (uint64_t)1 << 40;
}
static void break_default(deja_rules_table *t)
{
    t->config_default = NULL;
}
static void break_start(deja_rules_table *t)
{
    t->start = NULL;
}
static void break_apply(deja_rules_table *t)
{
    t->apply = NULL;
}
static void break_many(deja_rules_table *t)
{
    t->refusal_count = 100000;
}
static void break_no_list(deja_rules_table *t)
{
    t->refusals = NULL;
}
static void break_twice(deja_rules_table *t)
{
    t->refusals = twice;
    t->refusal_count = 3;
}
static void break_gap(deja_rules_table *t)
{
    t->outcomes = gap;
    t->outcome_count = 2;
}
static void break_blank(deja_rules_table *t)
{
    t->refusals = blank;
    t->refusal_count = 1;
}
static void break_taken(deja_rules_table *t)
{
    t->outcomes = taken;
    t->outcome_count = 2;
}
static void break_pick(deja_rules_table *t)
{
    t->bots = no_pick;
    t->bot_count = 1;
}
static void break_bot_name(deja_rules_table *t)
{
    t->bots = no_name;
    t->bot_count = 1;
}
static void break_bots(deja_rules_table *t)
{
    t->bots = same_bots;
    t->bot_count = 2;
}
static void break_memory(deja_rules_table *t)
{
    t->bots = large_bot;
    t->bot_count = 1;
}
static void break_kind(deja_rules_table *t)
{
    t->kind = 2;
}
static void break_rate(deja_rules_table *t)
{
    t->kind = DEJA_TICKS;
}
static void break_fast(deja_rules_table *t)
{
    t->kind = DEJA_TICKS;
    t->tick_rate = 2000000;
}
static void break_turns(deja_rules_table *t)
{
    t->tick_rate = 60;
}
static void break_seats(deja_rules_table *t)
{
    t->seat_count = 5000;
}
static void break_names(deja_rules_table *t)
{
    t->config.fields = two_names;
}
static void break_value(deja_rules_table *t)
{
    t->config = (deja_type){ sizeof bad_config, counted, NULL, NULL };
    t->config_default = bad_config;
}
static void break_neutral(deja_rules_table *t)
{
    t->command = (deja_type){ sizeof bad_config, counted, NULL, NULL };
    t->neutral = bad_config;
}

/* A message that ends in a blank is a beginning: the rest is what lib/fields says. */
static const struct {
    void (*spoil)(deja_rules_table *table);
    const char *message;
} bad[] = {
    { break_major, "was built for ABI 2.3, this deja knows 1.0" },
    { break_size, "its table has 100 bytes, too few for what every game must have" },
    { break_id, "has no id" },
    { break_id_name, "'a game' is not an id" },
    { break_id_dots, "'org..game' is not an id" },
    { break_version, "has no version" },
    { break_version_word, "its version is not one word of at most 63 characters" },
    { break_compiler, "its compiler is not one word of at most 63 characters" },
    { break_state, "has no state" },
    { break_command, "has no command" },
    { break_fields, "its event has no description" },
    { break_no_size, "its event has a description, but no size" },
    { break_large, "its state is larger than 1 GiB" },
    { break_default, "has a config, but no default for it" },
    { break_start, "has no start" },
    { break_apply, "has no apply" },
    { break_many, "has 100000 refusals, and 4096 is the most" },
    { break_no_list, "says it has 2 refusals, and has no list of them" },
    { break_twice, "two refusals have the name 'busy'" },
    { break_gap, "outcome 2 of 2 has no name" },
    { break_blank, "'not here' is not a name for refusal 1" },
    { break_taken, "no outcome may be called 'crashed': that is what deja says of a game "
                   "without one" },
    { break_pick, "bot 'idle' has no pick" },
    { break_bot_name, "bot 1 of 1 has no name" },
    { break_bots, "two bots have the name 'a'" },
    { break_memory, "bot 'elephant' wants more than 1 GiB of memory" },
    { break_kind, "is of kind 2, which this deja does not know" },
    { break_rate, "its tick rate is 0, and must be one of 1 to 1000000 steps a second" },
    { break_fast, "its tick rate is 2000000, and must be one of 1 to 1000000 steps a second" },
    { break_turns, "is a game of turns, and has a tick rate" },
    { break_seats, "has 5000 seats, and 4096 is the most" },
    { break_names, "config: " },
    { break_value, "its default config: " },
    { break_neutral, "its neutral command: " },
};

Test(table, says_what_is_unsound_in_it)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        deja_plugin *plugin = NULL;
        deja_error err = { 0 };
        deja_rules_table table = probe_table();
        bad[i].spoil(&table);
        const deja_code code = deja_plugin_from_table(&plugin, &table, &err);
        cr_assert(eq(i32, code, DEJA_EUNFIT), "%s: %s", bad[i].message, err.message);
        cr_assert(eq(i32, err.code, DEJA_EUNFIT), "%s", bad[i].message);
        cr_assert(zero(ptr, plugin));
        const size_t size = strlen(bad[i].message);
        if (bad[i].message[size - 1] == ' ')
            err.message[size] = 0;
        cr_assert(eq(str, err.message, (char *)bad[i].message));
        const int alive = probe_alive();
        cr_assert(eq(int, alive, 0));
    }
}

/* ---- what is sound ---- */

Test(table, is_copied_and_described)
{
    deja_plugin *plugin = NULL;
    deja_error err = { 0 };
    const deja_rules_table table = probe_table();
    const deja_code code = deja_plugin_from_table(&plugin, &table, &err);
    cr_assert(eq(i32, code, DEJA_OK), "%s", err.message);

    const char *state = deja_layout_text(deja_plugin_layout(plugin, DEJA_STATE));
    cr_assert(eq(str, (char *)state, "at:u32 bag:bytes[4]"));
    const char *config = deja_layout_text(deja_plugin_layout(plugin, DEJA_CONFIG));
    cr_assert(eq(str, (char *)config, "first:u32 refuse:u8"));
    const deja_layout *none = deja_plugin_layout(plugin, 4);
    cr_assert(zero(ptr, (void *)none));
    cr_assert(eq(str, (char *)deja_plugin_refusals(plugin), "busy no_start"));
    cr_assert(eq(str, (char *)deja_plugin_outcomes(plugin), "done"));
    cr_assert(eq(str, (char *)deja_plugin_table(plugin)->compiler, DEJA_COMPILER));
    const deja_span defaults = deja_plugin_config_default(plugin);
    cr_assert(eq(u64, defaults.size, 5));
    cr_assert(zero(int, memcmp(defaults.bytes, "\x0a\0\0\0\0", 5)));
    const int32_t seats[] = { deja_plugin_bot_find(plugin, "honest"),
                              deja_plugin_bot_find(plugin, "raw"),
                              deja_plugin_bot_find(plugin, "nobody"),
                              deja_plugin_bot_find(plugin, NULL) };
    cr_assert(eq(i32, seats[0], 0));
    cr_assert(eq(i32, seats[1], 2));
    cr_assert(eq(i32, seats[2], -1));
    cr_assert(eq(i32, seats[3], -1));

    const char *why = NULL;
    const bool closed = deja_plugin_is_closed(plugin, &why);
    cr_assert(not(closed));
    cr_assert(eq(str, (char *)why, "its rules are part of the program"));
    const bool can_restore = deja__plugin_can_restore(plugin, &why);
    cr_assert(not(can_restore));
    cr_assert(eq(str, (char *)why, "its rules are part of the program"));
    const uint32_t changed = deja__plugin_restore(plugin, NULL, NULL);
    cr_assert(zero(u32, changed));
    deja_plugin_close(plugin);
    deja_plugin_close(NULL);
}

/* The program that runs is what its rules are part of. */
Test(table, has_the_digest_of_the_program)
{
    static unsigned char bytes[64 << 20];
    unsigned char expected[16];
    deja_plugin *plugin = NULL;
    const deja_rules_table table = probe_table();
    static deja_rules_table kept;
    kept = table;
    const deja_code code = deja_plugin_from_table(&plugin, &kept, NULL);
    cr_assert(eq(i32, code, DEJA_OK));
    FILE *file = fopen("/proc/self/exe", "rb");
    cr_assert(ne(ptr, file, NULL));
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    cr_assert(lt(u64, size, sizeof bytes));
    deja__hash128(bytes, size, expected);
    cr_assert(zero(int, memcmp(deja_plugin_digest(plugin), expected, sizeof expected)));
    deja_plugin_close(plugin);
}

Test(table, of_an_older_library_ends_early)
{
    deja_plugin *plugin = NULL;
    deja_error err = { 0 };
    deja_rules_table table = probe_table();
    table.size = offsetof(deja_rules_table, legal);
    const deja_code code = deja_plugin_from_table(&plugin, &table, &err);
    cr_assert(eq(i32, code, DEJA_OK), "%s", err.message);
    const deja_rules_table *seen = deja_plugin_table(plugin);
    cr_assert(eq(ptr, (void *)(uintptr_t)seen->apply, (void *)(uintptr_t)table.apply));
    cr_assert(zero(ptr, (void *)(uintptr_t)seen->legal));
    cr_assert(zero(ptr, (void *)(uintptr_t)seen->outcome));
    cr_assert(zero(u32, seen->bot_count));
    cr_assert(eq(str, (char *)deja_plugin_refusals(plugin), ""));
    deja_plugin_close(plugin);
}

Test(table, of_a_newer_library_is_read_as_far_as_it_is_known)
{
    struct {
        deja_rules_table table;
        uint64_t later[8];
    } newer = { .table = probe_table(), .later = { 1, 2, 3 } };
    deja_plugin *plugin = NULL;
    deja_error err = { 0 };
    newer.table.size = sizeof newer;
    newer.table.abi_minor = 9;
    const deja_code code = deja_plugin_from_table(&plugin, &newer.table, &err);
    cr_assert(eq(i32, code, DEJA_OK), "%s", err.message);
    cr_assert(eq(u32, deja_plugin_table(plugin)->bot_count, 3));
    deja_plugin_close(plugin);
}

Test(table, may_leave_out_what_is_optional)
{
    static const char *const ids[] = { "a", "org.example.game-2", "_" };
    for (size_t i = 0; i < 3; i++) {
        deja_plugin *plugin = NULL;
        deja_error err = { 0 };
        deja_rules_table table = probe_table();
        table.id = ids[i];
        table.compiler = NULL;
        table.event = (deja_type){ 0, NULL, NULL, NULL };
        table.config = (deja_type){ 0, NULL, NULL, NULL };
        table.config_default = NULL;
        table.refusal_count = table.outcome_count = table.bot_count = 0;
        table.kind = DEJA_TICKS;
        table.tick_rate = 60;
        const deja_code code = deja_plugin_from_table(&plugin, &table, &err);
        cr_assert(eq(i32, code, DEJA_OK), "%s", err.message);
        cr_assert(eq(str, (char *)deja_plugin_table(plugin)->compiler, "unknown"));
        cr_assert(zero(u64, deja_plugin_config_default(plugin).size));
        const char *config = deja_layout_text(deja_plugin_layout(plugin, DEJA_CONFIG));
        cr_assert(eq(str, (char *)config, "-"));
        cr_assert(eq(str, (char *)deja_plugin_refusals(plugin), ""));
        deja_plugin_close(plugin);
    }
}

Test(table, is_asked_for)
{
    deja_plugin *plugin = NULL;
    deja_error err = { 0 };
    const deja_rules_table table = probe_table();
    const deja_code codes[] = { deja_plugin_from_table(&plugin, NULL, &err),
                                deja_plugin_from_table(NULL, &table, &err) };
    cr_assert(eq(i32, codes[0], DEJA_EMISUSE));
    cr_assert(eq(i32, codes[1], DEJA_EMISUSE));
}
