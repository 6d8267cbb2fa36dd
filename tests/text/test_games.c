/* SPDX-License-Identifier: MIT */
/*
 * The games that ship, played by bots: their sessions go through the replay text unharmed.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/scratch.h"
#include "text/texts.h"

TestSuite(text_games, .timeout = 60);

static bool append_id(void *user, const deja_entry *entry)
{
    deja_buffer *ids = user;
    return deja_buffer_add(ids, &entry->session.id, sizeof entry->session.id);
}

static void assert_games_come_back(const char *library, uint64_t seed, uint32_t trail_bits)
{
    char path[128], so[512], line[64];
    desk played, imported;
    deja_buffer ids = { 0 };
    desk_open(&played);
    desk_open(&imported);
    snprintf(path, sizeof path, "%s/bots.deja", played.folder);
    snprintf(so, sizeof so, "%s/games/%s.so", DEJA_BUILD_DIR, library);
    scratch_record(path, so, "random", 3, seed, 200, trail_bits);
    deja_store_close(played.store, NULL);
    cr_assert_eq(deja_store_open(&played.store, path, DEJA_STORE_APPEND, NULL), DEJA_OK);
    cr_assert_eq(deja_store_list(played.store, append_id, &ids, NULL), DEJA_OK);
    cr_assert_eq(ids.size, 3 * sizeof(deja_id));
    for (uint64_t i = 0; i < 3; i++) {
        deja_id id, same;
        deja_error err = { 0 };
        memcpy(&id, ids.bytes + i * sizeof id, sizeof id);
        text first = give(&played, &id);
        snprintf(line, sizeof line, "\nseed: %llu\n", (unsigned long long)(seed + i));
        cr_assert_not_null(strstr(first.chars, line), "%s", first.chars);
        const deja_code code = take(&imported, first.chars, first.size, &same, &err);
        cr_assert_eq(code, DEJA_OK, "%s", err.message);
        cr_assert_eq(memcmp(&id, &same, sizeof id), 0);
        text second = give(&imported, &same);
        cr_assert_str_eq(second.chars, first.chars);
        text_free(&first);
        text_free(&second);
    }
    deja_buffer_release(&ids);
    desk_close(&played);
    desk_close(&imported);
}

Test(text_games, sessions_of_both_games_come_back_at_every_seed_and_width)
{
    static const uint64_t seeds[] = { 0, 4294967297, 9007199254740993, UINT64_MAX - 2 };
    for (uint32_t i = 0; i < 4; i++) {
        assert_games_come_back("matchgame", seeds[i], 8u << i);
        assert_games_come_back("peg", seeds[i], 64u >> i);
    }
}
