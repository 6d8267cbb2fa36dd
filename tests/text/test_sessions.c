/* SPDX-License-Identifier: MIT */
/*
 * Sessions of every kind, made at random through the store's writer: exported, imported elsewhere
 * and exported again they are the same bytes, and the same session.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "support/random_value.h"
#include "text/texts.h"

enum { BLOCK = 16384, POOL = 4 };

typedef struct maker {
    deja_luck luck;
    deja_layout *layouts[4];
    deja_layout *start_layout;
    deja_buffer config, start;
    deja_buffer pool[POOL]; /* the commands there are */
    deja_session session;
    deja_recording recording;
    uint64_t steps, results;
    uint64_t chain; /* of the hashes, where they are whole */
    const char *outcome;
} maker;

static uint32_t below(maker *m, uint32_t limit)
{
    return deja_luck_below(&m->luck, limit);
}

static uint64_t any64(maker *m)
{
    static const uint64_t edges[] = { 0, 1, 4294967297, 9007199254740993, UINT64_MAX };
    const uint64_t high = deja_luck_next(&m->luck);
    const uint64_t low = deja_luck_next(&m->luck);
    return below(m, 3) == 0 ? edges[below(m, 5)] : high << 32 | low;
}

static const char *pick_word(maker *m)
{
    static const char *const words[] = { "",
                                         "plain",
                                         "two words",
                                         " blanks ",
                                         "#comment",
                                         "a # comment",
                                         "a#b",
                                         "\"q\"",
                                         "back\\slash",
                                         "\xc3\xa9t\xc3\xa9",
                                         ("\xe2\x80\xae"
                                          "turned"),
                                         "see: what",
                                         "see: ",
                                         "*",
                                         "-",
                                         "seed: 7",
                                         "end:" };
    return words[below(m, sizeof words / sizeof *words)];
}

/* ---- what was asked and recorded ---- */

static void make_layouts(maker *m, bool raw)
{
    static const char *const small[] = { "at:u32", "kind(go{n:u8}|say{text:text[..3]})", "-",
                                         "players:u8[..4]" };
    for (int i = 0; i < 4 && !raw; i++)
        m->layouts[i] = m->steps > 100 ? parse_layout(small[i]) : random_layout(&m->luck);
    m->session.command_layout = raw ? "bytes" : deja_layout_text(m->layouts[DEJA_COMMAND]);
    m->session.config_layout = raw ? "bytes" : deja_layout_text(m->layouts[DEJA_CONFIG]);
    m->recording.state_layout = raw ? "bytes" : deja_layout_text(m->layouts[DEJA_STATE]);
    m->recording.event_layout = raw ? "bytes" : deja_layout_text(m->layouts[DEJA_EVENT]);
    m->session.start_layout = "";
    if (!raw) {
        random_value(&m->luck, m->layouts[DEJA_CONFIG], &m->config);
        const uint32_t middle = below(m, 3);
        if (middle == 1)
            m->start_layout = random_layout(&m->luck);
        const deja_layout *layout = middle == 1 ? m->start_layout : m->layouts[DEJA_STATE];
        if (middle != 0) {
            random_value(&m->luck, layout, &m->start);
            m->session.start_layout = deja_layout_text(layout);
        }
    }
    for (int i = 0; i < POOL; i++) {
        if (raw)
            deja_buffer_add(&m->pool[i], "\0\1\2\3\4\5\6\7", below(m, 9));
        else
            random_value(&m->luck, m->layouts[DEJA_COMMAND], &m->pool[i]);
    }
}

static void make(maker *m, uint64_t seed, uint64_t steps)
{
    static const uint32_t widths[] = { 8, 16, 32, 64 };
    static const uint64_t everies[] = { 1, 1, 2, 7, 1023, 1024, 1025, 20000, UINT64_MAX };
    memset(m, 0, sizeof *m);
    deja_luck_seed(&m->luck, seed, 0);
    m->steps = steps; /* many are of a small game, for the test to be quick */
    make_layouts(m, below(m, 5) == 0);
    m->session.game = below(m, 2) ? "game" : "com.example.game-2";
    m->session.config = (deja_span){ m->config.bytes, m->config.size };
    m->session.start = (deja_span){ m->start.bytes, m->start.size };
    m->session.seed = any64(m);
    m->session.content = below(m, 2) ? ""
                                     : "a=00112233445566778899aabbccddeeff "
                                       "b=00112233445566778899aabbccddeeff";
    m->recording.version = pick_word(m);
    m->recording.refusals = "busy ok not-now";
    m->recording.outcomes = below(m, 2) ? "won lost" : "won";
    for (int i = 0; i < 16; i++)
        m->recording.build[i] = (unsigned char)below(m, 256);
    m->recording.compiler = pick_word(m);
    m->recording.platform = pick_word(m);
    m->recording.made = pick_word(m);
    m->recording.trail_bits = widths[below(m, 4)];
    m->recording.trail_every = everies[below(m, 9)];
    m->recording.recorded_at = 1700000000;
    m->recording.outcome = "";
    m->recording.ended = below(m, steps ? 4 : 2);
    if (m->recording.ended == DEJA_ENDED_OUTCOME)
        m->outcome = "won";
    m->results = steps - (m->recording.ended == DEJA_ENDED_CRASHED);
}

static void drop(maker *m)
{
    for (int i = 0; i < 4; i++)
        deja_layout_destroy(m->layouts[i]);
    deja_layout_destroy(m->start_layout);
    deja_buffer_release(&m->config);
    deja_buffer_release(&m->start);
    for (int i = 0; i < POOL; i++)
        deja_buffer_release(&m->pool[i]);
}

/* ---- steps ---- */

typedef struct block {
    deja_buffer commands;
    uint32_t ends[BLOCK], results[BLOCK];
    uint64_t trail[BLOCK];
    deja_steps steps;
} block;

static void fill(maker *m, block *b, uint64_t first, uint64_t count)
{
    uint32_t command = 0, result = 0;
    const bool raw = !m->layouts[0];
    deja_buffer_clear(&b->commands);
    b->steps.first = first;
    b->steps.count = (uint32_t)count;
    b->steps.trail_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (below(m, 3) == 0)
            command = below(m, POOL);
        if (below(m, 9) == 0)
            result = raw ? 0 : below(m, 4);
        deja_buffer_add(&b->commands, m->pool[command].bytes, m->pool[command].size);
        b->ends[i] = (uint32_t)b->commands.size;
        b->results[i] = first + i <= m->results ? result : 0;
        if (first + i <= m->results && (first + i) % m->recording.trail_every == 0) {
            const uint64_t hash = any64(m);
            m->chain = deja__chain_next(m->chain, hash, b->results[i]);
            b->trail[b->steps.trail_count++] = deja__cut(hash, m->recording.trail_bits);
        }
    }
    if (first <= m->results) {
        b->steps.chain = m->recording.trail_bits == 64 ? m->chain : any64(m);
        b->steps.event_chain = any64(m);
    }
    b->steps.commands = b->commands.bytes;
    b->steps.command_ends = b->ends;
    b->steps.results = b->results;
    b->steps.trail = b->trail;
}

static deja_code remark(maker *m, deja_writer *writer, uint64_t step, deja_error *err)
{
    deja_code code = DEJA_OK;
    for (uint32_t i = below(m, 3); code == DEJA_OK && i > 0; i--)
        code = below(m, 2) ? deja_writer_mark(writer, step, pick_word(m), err)
                           : deja_writer_section(writer, step, "part", any64(m), err);
    return code;
}

static void store(maker *m, desk *d, deja_id *id)
{
    deja_writer *writer;
    deja_error err = { 0 };
    block *b = calloc(1, sizeof *b);
    const uint64_t hash = any64(m);
    deja_code code =
        deja_writer_open(&writer, d->store, &m->session, &m->recording,
                         deja__cut(hash, m->recording.trail_bits), deja__chain_start(hash), &err);
    cr_assert_eq(code, DEJA_OK, "%s", err.message);
    b->steps.chain = m->chain = deja__chain_start(hash);
    b->steps.event_chain = deja__event_chain_start();
    code = remark(m, writer, 0, &err);
    for (uint64_t first = 1; code == DEJA_OK && first <= m->steps; first += BLOCK) {
        const uint64_t rest = m->steps - first + 1;
        const uint64_t count = rest < BLOCK ? rest : BLOCK;
        fill(m, b, first, count);
        code = deja_writer_add(writer, &b->steps, &err);
        if (code == DEJA_OK)
            code = remark(m, writer, first, &err);
        if (code == DEJA_OK && count > 1)
            code = remark(m, writer, first + count - 1, &err);
    }
    cr_assert_eq(code, DEJA_OK, "%s", err.message);
    code = deja_writer_close(writer, m->recording.ended, m->outcome, id, NULL, &err);
    cr_assert_eq(code, DEJA_OK, "%s", err.message);
    deja_buffer_release(&b->commands);
    free(b);
}

static desk here, there;

static void open_both(void)
{
    desk_open(&here);
    desk_open(&there);
}

static void close_both(void)
{
    desk_close(&here);
    desk_close(&there);
}

TestSuite(text_sessions, .init = open_both, .fini = close_both, .timeout = 120);

static void assert_comes_back(uint64_t seed, uint64_t steps)
{
    maker m;
    deja_id id, id_there;
    deja_error err = { 0 };
    make(&m, seed, steps);
    store(&m, &here, &id);
    text first = give(&here, &id);
    const deja_code code = take(&there, first.chars, first.size, &id_there, &err);
    cr_assert_eq(code, DEJA_OK, "seed %llu: %s", (unsigned long long)seed, err.message);
    cr_assert_eq(memcmp(&id, &id_there, sizeof id), 0, "seed %llu", (unsigned long long)seed);
    text second = give(&there, &id_there);
    cr_assert_str_eq(second.chars, first.chars, "seed %llu", (unsigned long long)seed);
    text_free(&first);
    text_free(&second);
    drop(&m);
}

Test(text_sessions, short_ones_of_every_kind_come_back)
{
    for (uint64_t seed = 0; seed < 120; seed++)
        assert_comes_back(seed, seed % 13);
}

Test(text_sessions, those_that_fill_blocks_and_lines_come_back)
{
    static const uint64_t steps[] = { 1023, 1024, 1025, 2047, 2048, 16383, 16384, 16385, 33000 };
    for (uint64_t i = 0; i < sizeof steps / sizeof *steps; i++)
        assert_comes_back(1000 + i, steps[i]);
}

/* The last command of these opens a block of its own. */
Test(text_sessions, those_that_crash_at_the_edge_of_a_block_come_back)
{
    int crashed = 0;
    for (uint64_t seed = 2000; crashed < 6; seed++) {
        const uint64_t steps = crashed % 2 ? BLOCK + 1 : 1;
        maker m;
        make(&m, seed, steps);
        const bool crashes = m.recording.ended == DEJA_ENDED_CRASHED;
        drop(&m);
        if (!crashes)
            continue;
        crashed++;
        assert_comes_back(seed, steps);
    }
}

Test(text_sessions, a_long_text_begins_a_line_every_1024_steps)
{
    maker m;
    deja_id id;
    make(&m, 3, 3000);
    m.recording.trail_bits = 32;
    m.recording.trail_every = 1;
    store(&m, &here, &id);
    text t = give(&here, &id);
    cr_assert_not_null(strstr(t.chars, "\ntrail: 32 1 0 "));
    cr_assert_not_null(strstr(t.chars, "\ntrail: 32 1 1024 "));
    cr_assert_not_null(strstr(t.chars, "\ntrail: 32 1 2048 "));
    cr_assert_null(strstr(t.chars, "\ntrail: 32 1 3"));
    int lines = 0;
    for (const char *at = t.chars; (at = strstr(at, "\nresults: ")) != NULL; at++)
        lines++;
    cr_assert_eq(lines, 3);
    text_free(&t);
    drop(&m);
}
