/* SPDX-License-Identifier: MIT */
/*
 * Damaged stores: damaged each time, never diverged, never a match.
 */
#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "replay/replaying.h"
#include "support/scratch.h"

TestSuite(damage, .timeout = 300);

static unsigned char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size);
    cr_assert_not_null(bytes);
    cr_assert_eq(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void write_file(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

/* A sum over all that a session's steps are. false: they cannot be read. */
static bool read_session(const char *path, int64_t key, uint64_t *sum)
{
    deja_store *opened = NULL;
    deja_reader *reader = NULL;
    deja_steps steps = { .count = 1 };
    deja_code code = deja_store_open(&opened, path, DEJA_STORE_READ, NULL);
    *sum = 0;
    if (code == DEJA_OK)
        code = deja_reader_open(&reader, opened, key, 0, NULL);
    if (code == DEJA_OK)
        *sum = deja_reader_start_hash(reader);
    while (code == DEJA_OK && steps.count != 0) {
        code = deja_reader_next(reader, &steps, NULL);
        if (code != DEJA_OK || steps.count == 0)
            break;
        const uint64_t parts[] = { *sum,
                                   steps.first,
                                   deja__hash64(steps.commands,
                                                steps.command_ends[steps.count - 1]),
                                   deja__hash64(steps.command_ends, steps.count * 4ull),
                                   deja__hash64(steps.results, steps.count * 4ull),
                                   deja__hash64(steps.trail, steps.trail_count * 8ull),
                                   steps.chain,
                                   steps.event_chain };
        *sum = deja__hash64(parts, sizeof parts);
    }
    deja_reader_close(reader);
    deja_store_close(opened, NULL);
    return code == DEJA_OK;
}

/* Turns a bit in the middle of the steps, in so many places, and verifies each time. */
static void hold_damaged(const char *recorded, const char *library, int places)
{
    open_folder();
    scratch_record(store, recorded, "random", 1, 1, 120000, 32);
    uint64_t count;
    int64_t *keys = scratch_keys(store, &count);
    size_t size;
    unsigned char *bytes = read_file(store, &size);
    uint64_t whole, sum;
    cr_assert(read_session(store, keys[0], &whole));
    uint32_t luck = 20261130, verdicts = 0, named = 0;
    for (int i = 0; i < places; i++) {
        luck = luck * 1664525u + 1013904223u;
        const size_t at = size / 4 + luck % (size / 2);
        bytes[at] ^= (unsigned char)(1u << (luck >> 29));
        write_file(store, bytes, size);
        bytes[at] ^= (unsigned char)(1u << (luck >> 29));
        verified v = verify_keys(store, keys, count, library, NULL);
        if (v.code != DEJA_OK) {
            cr_assert_eq(v.code, DEJA_EDAMAGED, "%d: %s", v.code, v.err.message);
        } else {
            /* A byte that belongs to nothing harms nothing: all that is read is as it was. */
            const bool harmless = read_session(store, keys[0], &sum);
            const told *t = v.items;
            cr_assert(!harmless || sum == whole, "byte %zu: read as if it were sound", at);
            cr_assert_eq(v.count, 1);
            cr_assert_eq(t->kind, harmless ? DEJA_MATCH : DEJA_DAMAGED, "byte %zu: %s (%s)", at,
                         kind_of(t), t->why);
            const char *steps = strstr(t->why, ": steps ");
            if (!harmless && steps) {
                cr_assert(strstr(t->why, "session "), "%s", t->why);
                cr_assert_eq(t->step, strtoull(steps + 8, NULL, 10), "%s", t->why);
                cr_assert_eq(t->step % DEJA__BLOCK_STEPS, 1);
                named++;
            }
            verdicts += !harmless;
        }
        verified_release(&v);
    }
    cr_assert_gt((int)verdicts, places / 2);
    cr_assert_gt((int)named, (int)verdicts * 3 / 4, "%u of %u say which steps", named, verdicts);
    free(bytes);
    free(keys);
    close_folder();
}

Test(damage, a_turned_bit_in_the_steps_is_damage_each_time) /* B75 */
{
    hold_damaged(RULES("matchgame_endless"), RULES("matchgame_endless"), 48);
}

Test(damage, damage_comes_before_any_difference)
{
    static const char source[] =
        "#define LEDGER_FAULT fault\n#include \"ledger.h\"\n"
        "static void fault(ledger *l, const ledger_command *c, deja_out *o)"
        " { (void)c; (void)o; if (l->steps == 5) l->gold++; }\n";
    char library[256];
    open_folder();
    const script s = { .library = RULES("ledger"), .commands = "roll\n* 59999" };
    record_script(store, &s);
    build_library(library, folder, "early", source, "cc", NULL);
    verified v = verify_store(store, library, NULL);
    cr_assert_eq(need(&v, 1)->kind, DEJA_DIVERGED);
    cr_assert_eq(v.items[0].step, 5);
    verified_release(&v);
    uint64_t count;
    int64_t *keys = scratch_keys(store, &count);
    size_t size;
    unsigned char *bytes = read_file(store, &size);
    for (size_t at = size - size / 3; at + 4096 < size; at += size / 24) {
        bytes[at] ^= 16;
        write_file(store, bytes, size);
        bytes[at] ^= 16;
        v = verify_keys(store, keys, count, library, NULL);
        cr_assert(v.code == DEJA_EDAMAGED || (v.code == DEJA_OK && v.items[0].kind == DEJA_DAMAGED),
                  "byte %zu: %d, %s", at, v.code, v.count ? kind_of(v.items) : v.err.message);
        verified_release(&v);
    }
    free(bytes);
    free(keys);
    close_folder();
}

Test(damage, the_other_sessions_of_a_damaged_store_are_verified)
{
    open_folder();
    scratch_record(store, RULES("matchgame_endless"), "random", 3, 1, 60000, 32);
    uint64_t count;
    int64_t *keys = scratch_keys(store, &count);
    size_t size;
    unsigned char *bytes = read_file(store, &size);
    uint32_t seen = 0, one_damaged = 0;
    for (size_t at = size / 2; at < size && seen < 8; at += 4096, seen++) {
        bytes[at + 1000] ^= 4;
        write_file(store, bytes, size);
        bytes[at + 1000] ^= 4;
        verified v = verify_keys(store, keys, count, RULES("matchgame_endless"), NULL);
        if (v.code == DEJA_OK) {
            uint32_t damaged = 0;
            for (int i = 0; i < 3; i++) {
                damaged += v.items[i].kind == DEJA_DAMAGED;
                cr_assert(v.items[i].kind == DEJA_DAMAGED || v.items[i].kind == DEJA_MATCH,
                          "byte %zu of %zu: session %d is %s at %llu: %s", at + 1000, size, i,
                          kind_of(&v.items[i]), (unsigned long long)v.items[i].step,
                          v.items[i].why);
            }
            cr_assert_leq(damaged, 1);
            one_damaged += damaged == 1;
        }
        verified_release(&v);
    }
    cr_assert_geq(one_damaged, 4, "one was damaged and two matched %u times", one_damaged);
    free(bytes);
    free(keys);
    close_folder();
}

Test(damage, a_session_whose_start_state_is_gone_is_never_played_from_its_seed) /* B53 */
{
    open_folder();
    const script s = { .library = RULES("ledger"),
                       .commands = "roll\n* 499\nspawn\n* 99",
                       .from_step = 500 };
    record_script(store, &s);
    uint64_t count;
    int64_t *keys = scratch_keys(store, &count);
    sqlite3 *db = NULL;
    cr_assert_eq(sqlite3_open(store, &db), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(db, "DELETE FROM starts", NULL, NULL, NULL), SQLITE_OK);
    cr_assert_eq(sqlite3_total_changes(db), 1);
    sqlite3_close(db);
    verified v = verify_keys(store, keys, count, RULES("ledger"), NULL);
    cr_assert_eq(v.code, DEJA_EDAMAGED, "%d: %s", v.code, v.err.message);
    cr_assert(strstr(v.err.message, "starts from a saved state that is not in the store"), "%s",
              v.err.message);
    cr_assert_eq(v.count, 0);
    verified_release(&v);
    free(keys);
    close_folder();
}
