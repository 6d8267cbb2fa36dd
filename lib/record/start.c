/* SPDX-License-Identifier: MIT */
/*
 * A start that is not the same twice makes every session of the game useless: no replay can ever
 * match. Two starts and four hashes before the first game show it before anything is stored.
 *
 * What differs only from process to process (an address, a process's number) does not show here:
 * for that, who has two processes holds the hash of one against the other's.
 */
#include "record/start.h"

#include <inttypes.h>

static deja_code hash_state(deja__game *game, uint64_t *hash, deja_error *err)
{
    deja_error why;
    const deja_code code = deja__game_hash(game, hash, &why);
    return code < 0 ? deja__fail_at(err, code, 0, "the state: %.300s", why.message) : DEJA_OK;
}

/* As a replay starts it: from the library as it was loaded, where it can be put back. */
static deja_code start_anew(deja__game *game, deja_plugin *plugin, const deja__beginning *from,
                            uint64_t *hash, deja_error *err)
{
    uint64_t again = 0;
    uint32_t refusal;
    deja__game_drop(game);
    if (deja__plugin_can_restore(plugin, NULL))
        deja__plugin_restore(plugin, NULL, NULL);
    deja_code code = deja__game_start(game, from->config, from->seed, from->content, &refusal, err);
    if (code == DEJA_OK)
        code = hash_state(game, hash, err);
    if (code == DEJA_OK)
        code = hash_state(game, &again, err);
    if (code == DEJA_OK && *hash != again)
        return deja__fail_at(err, DEJA_ERULES, 0,
                             "the start state's hash changes when it is taken twice: its "
                             "description is not the same each time (%016" PRIx64 ", %016" PRIx64
                             ")",
                             *hash, again);
    return code;
}

deja_code deja__start_check(deja__game *game, deja_plugin *plugin, const deja__beginning *from,
                            uint64_t *hash, deja_error *err)
{
    uint64_t first = 0;
    deja_code code = start_anew(game, plugin, from, &first, err);
    if (code == DEJA_OK)
        code = start_anew(game, plugin, from, hash, err);
    if (code == DEJA_OK && first != *hash)
        return deja__fail_at(
            err, DEJA_ERULES, 0,
            "the start state differs when the game is started twice, with the same "
            "config, seed and content (%016" PRIx64 ", %016" PRIx64 ")",
            first, *hash);
    return code;
}
