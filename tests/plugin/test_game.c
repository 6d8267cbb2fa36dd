/* SPDX-License-Identifier: MIT */
/*
 * Playing: what goes in and comes out as canonical bytes, and each way that rules can break their
 * contract in a step.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "plugin/game.h"
#include "plugin/probe.h"

TestSuite(game, .timeout = 60);

typedef struct play {
    deja_plugin *plugin;
    deja__game *game;
    deja_error err;
} play;

static void open_game(play *p)
{
    const deja_code code = deja__game_open(&p->game, p->plugin, &p->err);
    cr_assert(eq(i32, code, DEJA_OK), "%s", p->err.message);
}

static play open_probe(void)
{
    play p = { 0 };
    const deja_rules_table table = probe_table();
    const deja_code code = deja_plugin_from_table(&p.plugin, &table, &p.err);
    cr_assert(eq(i32, code, DEJA_OK), "%s", p.err.message);
    open_game(&p);
    return p;
}

static play open_matchgame(void)
{
    play p = { 0 };
    const deja_code code =
        deja_plugin_open(&p.plugin, DEJA_BUILD_DIR "/games/matchgame.so", &p.err);
    cr_assert(eq(i32, code, DEJA_OK), "%s", p.err.message);
    open_game(&p);
    return p;
}

static void close_play(play *p)
{
    deja__game_close(p->game);
    deja_plugin_close(p->plugin);
}

static void start_play(play *p, uint64_t seed)
{
    uint32_t refusal = 99;
    const deja_span config = deja_plugin_config_default(p->plugin);
    const deja_code code = deja__game_start(p->game, config, seed, NULL, &refusal, &p->err);
    cr_assert(eq(i32, code, DEJA_OK), "%s", p->err.message);
    cr_assert(zero(u32, refusal));
}

static deja_code apply(play *p, const char *command, uint64_t size, uint32_t *result)
{
    return deja__game_apply(p->game, (deja_span){ command, size }, result, &p->err);
}

static void assert_state(play *p, const char *bytes, uint64_t size)
{
    deja_buffer saved = { 0 };
    uint64_t hash = 0;
    deja_code code = deja__game_save(p->game, &saved, &p->err);
    cr_assert(eq(i32, code, DEJA_OK), "%s", p->err.message);
    cr_assert(eq(u64, saved.size, size));
    cr_assert(zero(int, memcmp(saved.bytes, bytes, size)));
    code = deja__game_hash(p->game, &hash, &p->err);
    cr_assert(eq(i32, code, DEJA_OK), "%s", p->err.message);
    cr_assert(eq(u64, hash, deja__hash64(bytes, size)));
    deja_buffer_release(&saved);
}

/* ---- the matchgame ---- */

Test(game, starts_and_steps_through_known_positions)
{
    play p = open_matchgame();
    uint32_t result = 99;
    uint32_t outcome = 99;
    start_play(&p, 7);
    assert_state(&p, "\4\0\0\0\7\5\3\1\0", 9);
    cr_assert(eq(u64, deja__game_event_hash(p.game), deja__event_hash_none()));

    deja_code code = apply(&p, "\0\0\0\3", 4, &result); /* take row=0 n=3 */
    cr_assert(eq(i32, code, DEJA_OK), "%s", p.err.message);
    cr_assert(zero(u32, result));
    assert_state(&p, "\4\0\0\0\4\5\3\1\1", 9);
    code = deja__game_outcome(p.game, &outcome, &p.err);
    cr_assert(eq(i32, code, DEJA_OK));
    cr_assert(zero(u32, outcome));
    close_play(&p);
}

Test(game, has_events_as_bytes_and_as_one_hash)
{
    play p = open_matchgame();
    uint32_t result = 0;
    deja_span bytes = { 0 };
    const uint32_t *ends = NULL;
    start_play(&p, 7);
    apply(&p, "\0\0\0\3", 4, &result);
    const uint32_t count = deja__game_events(p.game, &bytes, &ends, NULL);
    cr_assert(eq(u32, count, 1));
    cr_assert(eq(u64, bytes.size, 4));
    cr_assert(eq(u32, ends[0], 4));
    cr_assert(zero(int, memcmp(bytes.bytes, "\0\0\0\3", 4))); /* took row=0 n=3 */
    /* A count of one, and the event. */
    cr_assert(eq(u64, deja__game_event_hash(p.game), deja__hash64("\1\0\0\0\0\0\0\3", 8)));

    /* A refusal has none, and the step before is forgotten. */
    const deja_code code = apply(&p, "\0\0\x09\1", 4, &result);
    cr_assert(eq(i32, code, DEJA_OK));
    cr_assert(eq(u32, result, 1));
    cr_assert(eq(u64, deja__game_event_hash(p.game), deja__event_hash_none()));
    const uint32_t after = deja__game_events(p.game, &bytes, &ends, NULL);
    cr_assert(zero(u32, after));
    cr_assert(zero(u64, bytes.size));
    assert_state(&p, "\4\0\0\0\4\5\3\1\1", 9);
    close_play(&p);
}

Test(game, ends_with_an_outcome_that_has_a_name)
{
    play p = open_matchgame();
    uint32_t result = 0;
    uint32_t outcome = 0;
    const deja_code started =
        deja__game_start(p.game, (deja_span){ "\1\0\0\0\2", 5 }, 1, NULL, NULL, &p.err);
    cr_assert(eq(i32, started, DEJA_OK), "%s", p.err.message);
    apply(&p, "\0\0\0\2", 4, &result);
    const deja_code code = deja__game_outcome(p.game, &outcome, &p.err);
    cr_assert(eq(i32, code, DEJA_OK));
    cr_assert(eq(str, (char *)deja_plugin_table(p.plugin)->outcomes[outcome - 1], "second_wins"));
    close_play(&p);
}

Test(game, lists_legal_commands_in_order)
{
    play p = open_matchgame();
    uint32_t count = 0;
    deja_span bytes = { 0 };
    const uint32_t *ends = NULL;
    start_play(&p, 7);
    const deja_code code = deja__game_legal(p.game, &count, &bytes, &ends, &p.err);
    cr_assert(eq(i32, code, DEJA_OK));
    cr_assert(eq(u32, count, 16));
    cr_assert(eq(u64, bytes.size, 64));
    cr_assert(eq(u32, ends[15], 64));
    cr_assert(zero(int, memcmp(bytes.bytes,
                               "\0\0\3\1"
                               "\0\0\2\3",
                               8)));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t result = 99;
        start_play(&p, 7);
        const deja_code applied = apply(&p, (const char *)bytes.bytes + 4 * i, 4, &result);
        cr_assert(eq(i32, applied, DEJA_OK));
        cr_assert(zero(u32, result));
    }
    close_play(&p);
}

Test(game, takes_the_choice_of_a_bot)
{
    play p = open_matchgame();
    deja_buffer command = { 0 };
    deja_luck luck;
    bool chosen = false;
    const uint32_t bot = (uint32_t)deja_plugin_bot_find(p.plugin, "random");
    deja_luck_seed(&luck, 7, 1);
    start_play(&p, 7);
    for (uint32_t step = 0;; step++) {
        uint32_t result = 99;
        uint32_t outcome = 0;
        deja_buffer_clear(&command);
        deja_code code = deja__game_pick(p.game, bot, &luck, NULL, &command, &chosen, &p.err);
        cr_assert(eq(i32, code, DEJA_OK), "%s", p.err.message);
        code = deja__game_outcome(p.game, &outcome, &p.err);
        cr_assert(eq(i32, code, DEJA_OK));
        cr_assert(eq(int, chosen, outcome == 0));
        if (!chosen)
            break;
        code = apply(&p, (const char *)command.bytes, command.size, &result);
        cr_assert(eq(i32, code, DEJA_OK));
        cr_assert(zero(u32, result));
        cr_assert(lt(u32, step, 16));
    }
    cr_assert(zero(u64, command.size));
    deja_buffer_release(&command);
    close_play(&p);
}

Test(game, never_hands_an_invalid_command_to_the_rules)
{
    static const struct {
        char bytes[8];
        uint64_t size;
    } rows[] = { { "", 0 },           { "\0", 1 },       { "\0\0\0", 3 },
                 { "\0\0\0\1\1", 5 }, { "\1\0\0\1", 4 }, { "\xff\xff\0\1", 4 } };
    play p = open_matchgame();
    start_play(&p, 7);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t result = 99;
        const deja_code code = apply(&p, rows[i].bytes, rows[i].size, &result);
        cr_assert(eq(i32, code, DEJA_EFORMAT), "row %zu", i);
        cr_assert(eq(u32, result, 99));
        p.err.message[9] = 0;
        cr_assert(eq(str, p.err.message, "command: "));
    }
    assert_state(&p, "\4\0\0\0\7\5\3\1\0", 9);
    close_play(&p);
}

Test(game, takes_a_command_in_memory)
{
    play p = open_matchgame();
    uint32_t result = 99;
    const struct {
        uint16_t kind;
        uint8_t row, n;
    } take = { 0, 1, 5 };
    start_play(&p, 7);
    const deja_code code = deja__game_apply_value(p.game, &take, &result, &p.err);
    cr_assert(eq(i32, code, DEJA_OK));
    cr_assert(zero(u32, result));
    assert_state(&p, "\4\0\0\0\7\0\3\1\1", 9);
    close_play(&p);
}

Test(game, goes_on_from_a_loaded_state)
{
    play p = open_matchgame();
    uint32_t result = 99;
    deja_code code = deja__game_load(p.game, (deja_span){ "\2\0\0\0\1\1\1", 7 }, &p.err);
    cr_assert(eq(i32, code, DEJA_OK), "%s", p.err.message);
    apply(&p, "\0\0\1\1", 4, &result);
    assert_state(&p, "\2\0\0\0\1\0\0", 7);
    /* Bytes that are no state leave none. */
    code = deja__game_load(p.game, (deja_span){ "\2\0\0\0\1\1", 6 }, &p.err);
    cr_assert(eq(i32, code, DEJA_EFORMAT));
    cr_assert(zero(ptr, deja__game_state(p.game)));
    close_play(&p);
}

Test(game, refuses_to_start_by_name)
{
    play p = open_matchgame();
    uint32_t refusal = 0;
    deja_code code =
        deja__game_start(p.game, (deja_span){ "\1\0\0\0\0", 5 }, 1, NULL, &refusal, &p.err);
    cr_assert(eq(i32, code, DEJA_EREFUSED));
    cr_assert(eq(str, p.err.message, "refused to start: no_sticks"));
    cr_assert(eq(u32, refusal, 4));
    cr_assert(zero(ptr, deja__game_state(p.game)));
    code = deja__game_start(p.game, (deja_span){ "\1\0\0\0", 4 }, 1, NULL, &refusal, &p.err);
    cr_assert(eq(i32, code, DEJA_EFORMAT));
    cr_assert(zero(u32, refusal));
    close_play(&p);
}

Test(game, asks_to_be_started_first)
{
    play p = open_matchgame();
    uint64_t hash = 0;
    uint32_t number = 0;
    bool chosen = false;
    deja_buffer out = { 0 };
    deja_span bytes = { 0 };
    const uint32_t *ends = NULL;
    deja_luck luck = { 0 };
    const deja_code codes[] = {
        apply(&p, "\0\0\0\1", 4, &number),
        deja__game_hash(p.game, &hash, &p.err),
        deja__game_save(p.game, &out, &p.err),
        deja__game_outcome(p.game, &number, &p.err),
        deja__game_legal(p.game, &number, &bytes, &ends, &p.err),
        deja__game_pick(p.game, 0, &luck, NULL, &out, &chosen, &p.err),
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        cr_assert(eq(i32, codes[i], DEJA_EMISUSE), "call %zu", i);
    cr_assert(eq(str, p.err.message, "the game has not been started"));
    start_play(&p, 1);
    const deja_code code = deja__game_pick(p.game, 9, &luck, NULL, &out, &chosen, &p.err);
    cr_assert(eq(i32, code, DEJA_EMISUSE));
    close_play(&p);
}

/* ---- rules that break their contract ---- */

static deja_code apply_kind(play *p, uint32_t kind, uint32_t *result)
{
    const char command[2] = { (char)kind, 0 };
    return apply(p, command, sizeof command, result);
}

Test(game, blames_the_rules_by_what_they_did)
{
    static const struct {
        uint32_t kind;
        const char *message;
    } rows[] = {
        { PROBE_LIAR, "apply answered 7, but there are 2 refusals" },
        { PROBE_NOISY, "apply refused (busy), and emitted an event" },
        { PROBE_NULL, "event 1: emitted NULL" },
        { PROBE_LONG, "event 2: " },
        { PROBE_RAW, "event 1: " },
        { PROBE_FLOOD, "event 1048577: more than can be meant, at 6291460 bytes" },
    };
    play p = open_probe();
    start_play(&p, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t result = 99;
        deja_span bytes = { 0 };
        const uint32_t *ends = NULL;
        const deja_code code = apply_kind(&p, rows[i].kind, &result);
        cr_assert(eq(i32, code, DEJA_ERULES), "row %zu: %s", i, p.err.message);
        cr_assert(eq(i32, p.err.code, DEJA_ERULES));
        cr_assert(eq(u32, result, 99));
        const size_t size = strlen(rows[i].message);
        if (rows[i].message[size - 1] == ' ')
            p.err.message[size] = 0;
        cr_assert(eq(str, p.err.message, (char *)rows[i].message));
        const uint32_t count = deja__game_events(p.game, &bytes, &ends, NULL);
        cr_assert(zero(u32, count));
        cr_assert(eq(u64, deja__game_event_hash(p.game), deja__event_hash_none()));
    }
    /* And goes on. */
    uint32_t result = 99;
    const deja_code code = apply_kind(&p, PROBE_REFUSED, &result);
    cr_assert(eq(i32, code, DEJA_OK));
    cr_assert(eq(u32, result, 1));
    close_play(&p);
}

Test(game, notices_what_is_emitted_when_apply_is_over)
{
    play p = open_probe();
    uint32_t result = 0;
    start_play(&p, 0);
    deja_code code = apply_kind(&p, PROBE_STASH, &result);
    cr_assert(eq(i32, code, DEJA_OK));
    probe_emit_late();
    code = apply(&p, "\0\0\1", 3, &result);
    cr_assert(eq(i32, code, DEJA_ERULES));
    cr_assert(eq(str, p.err.message, "event 1: emitted to an out of a call that is over"));
    code = apply(&p, "\0\0\1", 3, &result);
    cr_assert(eq(i32, code, DEJA_OK));
    /* Another session is not blamed for it. */
    probe_emit_late();
    start_play(&p, 0);
    code = apply(&p, "\0\0\1", 3, &result);
    cr_assert(eq(i32, code, DEJA_OK), "%s", p.err.message);
    close_play(&p);
}

Test(game, notices_an_outcome_without_a_name)
{
    play p = open_probe();
    uint32_t result = 0;
    uint32_t outcome = 0;
    start_play(&p, 0);
    apply_kind(&p, PROBE_OVER, &result);
    deja_code code = deja__game_outcome(p.game, &outcome, &p.err);
    cr_assert(eq(i32, code, DEJA_OK));
    cr_assert(eq(u32, outcome, 1));
    apply_kind(&p, PROBE_ODD, &result);
    code = deja__game_outcome(p.game, &outcome, &p.err);
    cr_assert(eq(i32, code, DEJA_ERULES));
    cr_assert(eq(str, p.err.message, "outcome answered 9, but there is 1 outcome"));
    close_play(&p);
}

Test(game, notices_a_start_that_answers_nonsense)
{
    play p = open_probe();
    uint32_t refusal = 0;
    deja_code code =
        deja__game_start(p.game, (deja_span){ "\0\0\0\0\1", 5 }, 0, NULL, &refusal, &p.err);
    cr_assert(eq(i32, code, DEJA_EREFUSED));
    cr_assert(eq(str, p.err.message, "refused to start: no_start"));
    cr_assert(eq(u32, refusal, 2));
    code = deja__game_start(p.game, (deja_span){ "\0\0\0\0\x09", 5 }, 0, NULL, &refusal, &p.err);
    cr_assert(eq(i32, code, DEJA_ERULES));
    cr_assert(eq(str, p.err.message, "start answered 9, but there are 2 refusals"));
    cr_assert(zero(u32, refusal));
    close_play(&p);
}

Test(game, notices_bots_that_break_their_promise)
{
    play p = open_probe();
    deja_buffer out = { 0 };
    deja_luck luck = { 0 };
    bool chosen = true;
    start_play(&p, 0);
    deja_code code = deja__game_pick(p.game, 1, &luck, NULL, &out, &chosen, &p.err);
    cr_assert(eq(i32, code, DEJA_ERULES));
    cr_assert(eq(str, p.err.message, "bot liar: pick answered 2, neither 0 nor 1"));
    cr_assert(not(chosen));
    code = deja__game_pick(p.game, 2, &luck, NULL, &out, &chosen, &p.err);
    cr_assert(eq(i32, code, DEJA_ERULES));
    cr_assert(not(chosen));
    cr_assert(zero(u64, out.size));
    close_play(&p);
    deja_buffer_release(&out);
}

/* ---- what is promised to rules ---- */

Test(game, hands_bots_a_command_as_it_was_made)
{
    play p = open_probe();
    deja_buffer out = { 0 };
    deja_luck luck;
    uint32_t memory = 0;
    deja_luck_seed(&luck, 1, 1);
    start_play(&p, 0);
    for (uint32_t turn = 1; turn <= 4; turn++) {
        bool chosen = false;
        const deja_code code = deja__game_pick(p.game, 0, &luck, &memory, &out, &chosen, &p.err);
        cr_assert(eq(i32, code, DEJA_OK), "%s", p.err.message);
        cr_assert(eq(int, chosen, turn <= 3));
        cr_assert(eq(u32, memory, turn));
    }
    cr_assert(eq(u64, out.size, 9));
    close_play(&p);
    deja_buffer_release(&out);
}

Test(game, hands_start_its_content_even_where_there_is_none)
{
    play p = open_probe();
    const deja_content_pack packs[] = { { "map", "x", 1 }, { "units", "y", 1 } };
    const deja_content content = { 2, packs };
    start_play(&p, 5);
    assert_state(&p, "\x0f\0\0\0\0\0\0\0", 8);
    const deja_code code =
        deja__game_start(p.game, deja_plugin_config_default(p.plugin), 5, &content, NULL, &p.err);
    cr_assert(eq(i32, code, DEJA_OK));
    assert_state(&p, "\x11\0\0\0\0\0\0\0", 8);
    close_play(&p);
}

/* Sections stand in the event hash as hashes, and in what is stored as themselves. */
Test(game, hashes_events_as_events_are_hashed)
{
    play p = open_probe();
    uint32_t result = 0;
    deja_span bytes = { 0 };
    const uint32_t *ends = NULL;
    start_play(&p, 0);
    const deja_code code = apply(&p, "\0\0\2", 3, &result);
    cr_assert(eq(i32, code, DEJA_OK));
    const uint32_t count = deja__game_events(p.game, &bytes, &ends, NULL);
    cr_assert(eq(u32, count, 2));
    cr_assert(eq(u64, bytes.size, 14));
    cr_assert(eq(u32, ends[0], 7));
    cr_assert(eq(u32, ends[1], 14));
    cr_assert(zero(int, memcmp(bytes.bytes,
                               "\0\0\0\x0b\0\0\0"
                               "\0\0\1\x0b\0\0\0",
                               14)));
    unsigned char hashed[4 + 2 * 11] = { 2 };
    hashed[4 + 11 + 2] = 1;
    deja__store64(hashed + 4 + 3, deja__hash64("\x0b\0\0\0", 4));
    deja__store64(hashed + 4 + 11 + 3, deja__hash64("\x0b\0\0\0", 4));
    cr_assert(eq(u64, deja__game_event_hash(p.game), deja__hash64(hashed, sizeof hashed)));

    deja_buffer again = { 0 };
    for (uint32_t i = 0; i < count; i++)
        deja_value_hashed_bytes(deja_plugin_layout(p.plugin, DEJA_EVENT),
                                (const unsigned char *)bytes.bytes + (i ? ends[i - 1] : 0),
                                ends[i] - (i ? ends[i - 1] : 0), &again, NULL);
    cr_assert(eq(u64, again.size, sizeof hashed - 4));
    cr_assert(zero(int, memcmp(again.bytes, hashed + 4, again.size)));
    deja_buffer_release(&again);
    close_play(&p);
}

Test(game, checks_commands_that_load_without_a_plan)
{
    static const struct {
        char bytes[12];
        uint64_t size;
    } rows[] = { { "\1\0\2\0\0\0\xff\xfe", 8 }, /* not UTF-8 */
                 { "\1\0\x10\0\0\0", 6 },       /* longer than text can be */
                 { "\1\0\1\0\0\0", 6 },         /* cut short */
                 { "\1\0\0\0\0\0x", 7 },        /* a byte too much */
                 { "\x0c\0", 2 } };
    play p = open_probe();
    uint32_t result = 99;
    start_play(&p, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const deja_code code = apply(&p, rows[i].bytes, rows[i].size, &result);
        cr_assert(eq(i32, code, DEJA_EFORMAT), "row %zu", i);
    }
    cr_assert(eq(u32, result, 99));
    const deja_code code = apply(&p, "\1\0\2\0\0\0hi", 8, &result);
    cr_assert(eq(i32, code, DEJA_OK), "%s", p.err.message);
    close_play(&p);
}

/* deja owns all memory: each value is made once and finished once, whatever went wrong. */
Test(game, finishes_all_that_it_has_made)
{
    for (uint32_t round = 0; round < 1000; round++) {
        play p = open_probe();
        uint32_t result = 0;
        for (uint32_t start = 0; start < 3; start++) {
            start_play(&p, start);
            for (uint32_t kind = 0; kind < PROBE_COMMANDS; kind++)
                if (kind != PROBE_FLOOD && kind != PROBE_STASH)
                    apply_kind(&p, kind, &result);
            deja__game_start(p.game, (deja_span){ "\0\0\0\0\1", 5 }, 0, NULL, NULL, NULL);
            deja__game_load(p.game, (deja_span){ "\1\0\0\0\0\0\0", 7 }, NULL);
            deja__game_load(p.game, (deja_span){ "\1\0\0\0\0\0\0\0", 8 }, NULL);
        }
        if (round % 2) {
            deja__game_drop(p.game);
            const int alive = probe_alive();
            cr_assert(eq(int, alive, 0));
            start_play(&p, 1);
        }
        close_play(&p);
        const int alive = probe_alive();
        cr_assert(eq(int, alive, 0));
    }
    deja__game_close(NULL);
}

/* A state is never what was left of the one before. */
Test(game, starts_the_same_whatever_was_played_before)
{
    play p = open_matchgame();
    uint64_t seed = 1;
    uint64_t first[40];
    for (uint32_t round = 0; round < 200; round++) {
        const uint32_t stop = round ? (uint32_t)(seed >> 33) % 40 : 40;
        start_play(&p, 7);
        for (uint32_t step = 0; step < stop; step++) {
            const char command[4] = { 0, 0, (char)(step % 5), (char)(step % 3) };
            uint32_t result = 0;
            uint64_t hash = 0;
            const deja_code code = apply(&p, command, 4, &result);
            cr_assert(eq(i32, code, DEJA_OK));
            deja__game_hash(p.game, &hash, NULL);
            if (round == 0)
                first[step] = hash;
            cr_assert(eq(u64, hash, first[step]), "round %u, step %u", round, step + 1);
        }
        seed = seed * 6364136223846793005u + 1442695040888963407u;
    }
    close_play(&p);
}
