/* SPDX-License-Identifier: MIT */
/*
 * Playing a stored session step by step, and looking into a library.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/game.h"
#include "replay/replaying.h"
#include "support/scratch.h"

TestSuite(trace, .timeout = 300);

static deja_store *opened;

static int64_t open_session(const char *library, const char *commands)
{
    deja_error err = { 0 };
    open_folder();
    const script s = { .library = library, .commands = commands, .seed = 3 };
    record_script(store, &s);
    uint64_t count;
    int64_t *keys = scratch_keys(store, &count);
    cr_assert_eq(count, 1);
    const int64_t key = keys[0];
    free(keys);
    cr_assert_eq(deja_store_open(&opened, store, DEJA_STORE_READ, &err), DEJA_OK);
    return key;
}

static void close_session(void)
{
    deja_store_close(opened, NULL);
    close_folder();
}

static deja_trace_options usual(void)
{
    deja_trace_options options = DEJA_TRACE_OPTIONS_INIT;
    options.worker = WORKER;
    return options;
}

/* What was told of each step. */
typedef struct seen {
    uint64_t count, most;
    uint64_t steps[256], hashes[256];
    uint32_t results[256], events[256];
    char states[256][256];
    char commands[256][64];
    char event_texts[256][64];
    char drawing[4096];
    deja_layout *state, *command, *event;
} seen;

static bool look(void *user, const deja_trace_step *step)
{
    seen *s = user;
    const uint64_t i = s->count++;
    deja_buffer text = { 0 };
    deja_error err = { 0 };
    cr_assert_lt(i, 256);
    s->steps[i] = step->step;
    s->hashes[i] = step->hash;
    s->results[i] = step->result;
    s->events[i] = step->event_count;
    cr_assert_eq(deja_value_print(s->state, step->state.bytes, step->state.size, &text, &err),
                 DEJA_OK);
    snprintf(s->states[i], sizeof s->states[i], "%s", (char *)text.bytes);
    uint64_t hash = 0;
    cr_assert_eq(deja_value_hash(s->state, step->state.bytes, step->state.size, &hash, &err),
                 DEJA_OK);
    cr_assert_eq(hash, step->hash);
    deja_buffer_clear(&text);
    if (step->step) {
        cr_assert_eq(
            deja_value_print(s->command, step->command.bytes, step->command.size, &text, &err),
            DEJA_OK, "%s", err.message);
        snprintf(s->commands[i], sizeof s->commands[i], "%s", (char *)text.bytes);
    } else {
        cr_assert_eq(step->command.size, 0);
    }
    deja_buffer_clear(&text);
    if (step->event_count) {
        cr_assert_eq(
            deja_value_print(s->event, step->events.bytes, step->event_ends[0], &text, &err),
            DEJA_OK);
        snprintf(s->event_texts[i], sizeof s->event_texts[i], "%s", (char *)text.bytes);
        cr_assert_eq(step->event_ends[step->event_count - 1], step->events.size);
    }
    deja_buffer_release(&text);
    if (step->drawing)
        snprintf(s->drawing, sizeof s->drawing, "%s", step->drawing);
    return s->most == 0 || s->count < s->most;
}

static void learn(seen *s, const char *library)
{
    deja_rules_info info;
    deja_error err = { 0 };
    cr_assert_eq(deja_inspect(&info, library, WORKER, &err), DEJA_OK, "%s", err.message);
    deja_layout **layouts[3] = { &s->state, &s->command, &s->event };
    for (int i = 0; i < 3; i++)
        cr_assert_eq(deja_layout_parse(layouts[i], info.layouts[i], strlen(info.layouts[i]), NULL),
                     DEJA_OK);
    deja_rules_info_release(&info);
}

static void forget(seen *s)
{
    deja_layout_destroy(s->state);
    deja_layout_destroy(s->command);
    deja_layout_destroy(s->event);
    free(s);
}

static seen *trace(int64_t key, const char *library, deja_trace_options options, deja_code expected,
                   deja_error *err)
{
    seen *s = calloc(1, sizeof *s);
    cr_assert_not_null(s);
    learn(s, library);
    options.step = look;
    options.user = s;
    const deja_code code = deja_trace(opened, key, library, &options, err);
    cr_assert_eq(code, expected, "%d: %s", code, err->message);
    return s;
}

Test(trace, every_step_is_told_with_its_state_and_events)
{
    const int64_t key = open_session(RULES("ledger"), "add n=5\nmove i=9 d=1\nmove i=2 d=-1\nend");
    deja_error err = { 0 };
    seen *s = trace(key, RULES("ledger"), usual(), DEJA_OK, &err);
    cr_assert_eq(s->count, 5);
    for (uint64_t i = 0; i < 5; i++)
        cr_assert_eq(s->steps[i], i);
    cr_assert_str_eq(s->commands[1], "add n=5");
    cr_assert_str_eq(s->commands[3], "move i=2 d=-1");
    cr_assert_eq(s->results[2], 2); /* no_such_piece */
    cr_assert_eq(s->events[2], 0);
    cr_assert_eq(s->events[0], 0);
    cr_assert_str_eq(s->event_texts[1], "added gold=5");
    cr_assert_str_eq(s->event_texts[3], "moved i=2 at=-1");
    cr_assert(strstr(s->states[4], "gold=5 pos=0,0,-1,0 over=1"), "%s", s->states[4]);
    cr_assert_str_eq(s->states[1], s->states[2]);
    forget(s);
    close_session();
}

Test(trace, some_of_the_steps_can_be_asked_for)
{
    const int64_t key = open_session(RULES("ledger"), "roll\n* 49");
    deja_error err = { 0 };
    deja_trace_options options = usual();
    options.from = 10;
    options.to = 12;
    seen *s = trace(key, RULES("ledger"), options, DEJA_OK, &err);
    cr_assert_eq(s->count, 3);
    cr_assert_eq(s->steps[0], 10);
    cr_assert_eq(s->steps[2], 12);
    forget(s);
    options.from = options.to = 0;
    s = trace(key, RULES("ledger"), options, DEJA_OK, &err);
    cr_assert_eq(s->count, 1);
    cr_assert_eq(s->steps[0], 0);
    forget(s);
    options.from = 51;
    options.to = UINT64_MAX;
    s = trace(key, RULES("ledger"), options, DEJA_OK, &err);
    cr_assert_eq(s->count, 0);
    forget(s);
    close_session();
}

Test(trace, a_pass_that_was_broken_off_does_not_touch_the_next) /* B02 */
{
    const int64_t key = open_session(RULES("ledger-static"), "roll\n* 49\nspawn\n* 24\nroll\n* 24");
    deja_error err = { 0 };
    seen *whole = trace(key, RULES("ledger-static"), usual(), DEJA_OK, &err);
    cr_assert_eq(whole->count, 101);
    uint32_t luck = 7;
    for (int i = 0; i < 25; i++) {
        luck = luck * 1664525u + 1013904223u;
        seen *part = calloc(1, sizeof *part);
        learn(part, RULES("ledger-static"));
        part->most = 1 + (luck >> 16) % 100;
        deja_trace_options options = usual();
        options.step = look;
        options.user = part;
        cr_assert_eq(deja_trace(opened, key, RULES("ledger-static"), &options, &err), DEJA_OK);
        cr_assert_eq(part->count, part->most);
        cr_assert_eq(memcmp(part->hashes, whole->hashes, part->count * sizeof part->hashes[0]), 0);
        forget(part);
    }
    seen *again = trace(key, RULES("ledger-static"), usual(), DEJA_OK, &err);
    cr_assert_eq(memcmp(again->hashes, whole->hashes, sizeof whole->hashes), 0);
    forget(again);
    forget(whole);
    close_session();
}

Test(trace, boards_are_drawn_where_they_are_asked_for)
{
    const int64_t key = open_session(GAMES("matchgame"), "take row=0 n=3");
    deja_error err = { 0 };
    deja_trace_options options = usual();
    seen *s = trace(key, GAMES("matchgame"), options, DEJA_OK, &err);
    cr_assert_str_eq(s->drawing, "");
    forget(s);
    options.draw = 1;
    s = trace(key, GAMES("matchgame"), options, DEJA_OK, &err);
    cr_assert_neq(strcmp(s->drawing, ""), 0);
    forget(s);
    close_session();
}

Test(trace, a_drawing_without_end_is_cut)
{
    static const char source[] =
        "#include <deja/rules.h>\ntypedef struct { uint32_t x; uint8_t k; } s_;\n"
        "static void fields(deja_fields *f, const void *v)"
        " { deja_u32(f, \"x\", &((const s_ *)v)->x); }\n"
        "static const char *const kinds[] = { \"go\" };\n"
        "static void commands(deja_fields *f, const void *v)"
        " { (void)deja_kind(f, &((const s_ *)v)->k, kinds); }\n"
        "static uint32_t start(void *s, const void *c, uint64_t seed, const deja_content *t)"
        " { (void)s; (void)c; (void)seed; (void)t; return 0; }\n"
        "static uint32_t apply(void *s, const void *c, deja_out *o)"
        " { (void)s; (void)c; (void)o; return 0; }\n"
        "static void draw(const void *s, deja_page *p) { (void)s;"
        " deja_page_char(p, 'x', 10000000); }\n"
        "DEJA_RULES = { DEJA_ABI, .id = \"draws\", .version = \"1\","
        " .state = { sizeof(s_), fields, 0, 0 }, .command = { sizeof(s_), commands, 0, 0 },"
        " .start = start, .apply = apply, .draw = draw };\n";
    char library[256], built[64];
    scratch_open(built);
    build_library(library, built, "draws", source, "cc", NULL);
    const int64_t key = open_session(library, "go\n* 4");
    deja_error err = { 0 };
    deja_trace_options options = usual();
    options.draw = 1;
    seen *s = trace(key, library, options, DEJA_OK, &err);
    cr_assert_eq(s->count, 6);
    cr_assert_eq(strlen(s->drawing), sizeof s->drawing - 1);
    forget(s);
    close_session();
    scratch_close(built);
}

Test(trace, rules_that_break_are_an_error_at_their_step)
{
    static const struct {
        const char *library, *message;
    } rows[] = { { RULES("ledger-crash"), "the rules crash: SIGSEGV" },
                 { RULES("ledger-exit"), "called exit(0)" },
                 { RULES("ledger-hang"), "the rules hang" },
                 { RULES("breach-count"), "broke their contract" },
                 { RULES("breach-calls"), "makes different calls for different values" },
                 { RULES("breach-calls-list"), "makes different calls for different values" } };
    const int64_t key = open_session(RULES("ledger"), "roll\n* 39");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        deja_error err = { 0 };
        deja_trace_options options = usual();
        options.hang_cpu_ms = 200;
        seen *s = trace(key, rows[i].library, options, DEJA_ERULES, &err);
        cr_assert_eq(err.step, 33);
        cr_assert(strstr(err.message, rows[i].message), "%s", err.message);
        cr_assert_eq(s->count, 33);
        forget(s);
    }
    close_session();
}

Test(trace, commands_are_told_in_the_librarys_layout)
{
    const int64_t key = open_session(RULES("ledger"), "roll\nmove i=1 d=4");
    deja_error err = { 0 };
    seen *s = trace(key, RULES("ledger-trade"), usual(), DEJA_OK, &err);
    cr_assert_str_eq(s->commands[2], "move i=1 d=4");
    forget(s);
    /* What is gone from the state matters to nobody here. */
    s = trace(key, RULES("ledger-removed"), usual(), DEJA_OK, &err);
    cr_assert_eq(s->count, 3);
    forget(s);
    close_session();
}

Test(trace, what_does_not_fit_is_unfit)
{
    const int64_t key = open_session(RULES("ledger"), "roll");
    deja_error err = { 0 };
    deja_trace_options options = usual();
    cr_assert_eq(deja_trace(opened, key, GAMES("peg"), &options, &err), DEJA_EUNFIT);
    cr_assert(strstr(err.message, "'ledger'"), "%s", err.message);
    cr_assert_eq(deja_trace(opened, key, RULES("abi2"), &options, &err), DEJA_EUNFIT);
    cr_assert_eq(deja_trace(opened, key, DEJA_BUILD_DIR "/none.so", &options, &err), DEJA_EIO);
    cr_assert_eq(deja_trace(NULL, key, RULES("ledger"), &options, &err), DEJA_EMISUSE);
    cr_assert_lt(deja_trace(opened, 99999, RULES("ledger"), &options, &err), 0);
    close_session();
}

Test(trace, a_thousand_steps_with_large_states_arrive_whole)
{
    static const char source[] =
        "#include <deja/rules.h>\ntypedef struct { uint8_t x[70000]; uint32_t n; uint8_t k; } s_;\n"
        "static void fields(deja_fields *f, const void *v) { const s_ *s = v;"
        " deja_bytes(f, \"x\", s->x, sizeof s->x); deja_u32(f, \"n\", &s->n); }\n"
        "static const char *const kinds[] = { \"go\" };\n"
        "static void commands(deja_fields *f, const void *v)"
        " { (void)deja_kind(f, &((const s_ *)v)->k, kinds); }\n"
        "static uint32_t start(void *s, const void *c, uint64_t seed, const deja_content *t)"
        " { (void)s; (void)c; (void)seed; (void)t; return 0; }\n"
        "static uint32_t apply(void *s, const void *c, deja_out *o) { s_ *t = s; (void)c; (void)o;"
        " t->x[t->n % sizeof t->x]++; t->n += 7919; return 0; }\n"
        "DEJA_RULES = { DEJA_ABI, .id = \"large\", .version = \"1\","
        " .state = { sizeof(s_), fields, 0, 0 }, .command = { sizeof(s_), commands, 0, 0 },"
        " .start = start, .apply = apply };\n";
    char library[256], built[64];
    scratch_open(built);
    build_library(library, built, "large", source, "cc", NULL);
    const int64_t key = open_session(library, "go\n* 249");
    deja_error err = { 0 };
    seen *s = trace(key, library, usual(), DEJA_OK, &err);
    cr_assert_eq(s->count, 251);
    forget(s);
    close_session();
    scratch_close(built);
}

/* ---- looking into a library ---- */

TestSuite(inspect, .timeout = 300);

Test(inspect, a_library_tells_what_it_is)
{
    deja_rules_info info;
    deja_error err = { 0 };
    cr_assert_eq(deja_inspect(&info, GAMES("matchgame"), WORKER, &err), DEJA_OK, "%s", err.message);
    cr_assert_str_eq(info.path, GAMES("matchgame"));
    cr_assert_str_eq(info.game, "matchgame");
    cr_assert_str_eq(info.version, "1.0.0");
    cr_assert_str_eq(info.layouts[DEJA_STATE], "rows:u8[..16] side:u8");
    cr_assert_str_eq(info.layouts[DEJA_COMMAND], "kind(take{row:u8 n:u8})");
    cr_assert_str_eq(info.bots, "random depth6 perfect");
    cr_assert_eq(info.abi_major, 1);
    cr_assert_eq(info.kind, DEJA_TURNS);
    cr_assert(info.functions & DEJA_HAS_DRAW);
    cr_assert(info.functions & DEJA_HAS_LEGAL);
    cr_assert_gt(info.config_default_size, 0);
    deja_rules_info_release(&info);
    cr_assert_null(info.game);
    deja_rules_info_release(NULL);
}

Test(inspect, how_sessions_are_kept_apart_has_its_reason)
{
    static const struct {
        const char *library;
        uint32_t isolation, closed;
    } rows[] = { { RULES("ledger-static"), DEJA_ISOLATE_RESTORE, 1 },
                 { RULES("ledger-heap"), DEJA_ISOLATE_FORK, 0 },
                 { RULES("ledger-tls"), DEJA_ISOLATE_FORK, 0 },
                 { RULES("ledger-thread"), DEJA_ISOLATE_EXEC, 0 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        deja_rules_info info;
        deja_error err = { 0 };
        cr_assert_eq(deja_inspect(&info, rows[i].library, WORKER, &err), DEJA_OK, "%s",
                     err.message);
        cr_assert_eq(info.isolation, rows[i].isolation, "%s: %u (%s)", rows[i].library,
                     info.isolation, info.isolation_why);
        cr_assert_neq(info.isolation_why[0], '\0');
        cr_assert_eq(info.closed, rows[i].closed);
        cr_assert_eq(info.closed_why[0] == '\0', rows[i].closed == 1);
        deja_rules_info_release(&info);
    }
}

Test(inspect, what_is_no_library_is_refused)
{
    deja_rules_info info;
    deja_error err = { 0 };
    cr_assert_eq(deja_inspect(&info, RULES("noconstant"), WORKER, &err), DEJA_EUNFIT);
    cr_assert_null(info.game);
    cr_assert_eq(deja_inspect(&info, "/nowhere.so", WORKER, &err), DEJA_EIO);
    cr_assert_eq(deja_inspect(&info, RULES("ledger"), "/bin/true", &err), DEJA_EIO);
    cr_assert_eq(deja_inspect(NULL, RULES("ledger"), WORKER, &err), DEJA_EMISUSE);
}
