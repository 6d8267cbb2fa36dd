/* SPDX-License-Identifier: MIT */
/*
 * deja record: bots play, and the store keeps what they did.
 *
 * The rules run in a child (record_child.c). What it had recorded when it died is in the journal
 * that it left beside the store: the games that were finished, and the one that it died in, up to
 * there. Opening the store for writing takes it in.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "commands.h"
#include "content.h"
#include "files.h"
#include "find_rules.h"
#include "interrupt.h"
#include "json.h"
#include "output.h"
#include "record_child.h"
#include "sessions.h"

enum {
    LINES_MAX = 20,       /* games that are told of one by one */
    REMEMBERED = 4096,    /* more than the store ever gathers before it commits */
    STEPS_LIMIT = 100000, /* of one game, unless --max-steps says otherwise */
    GAME_NAME_SIZE = 128,
    PROGRESS_MS = 100
};

typedef struct recording_run {
    record_order order;
    char game[GAME_NAME_SIZE];
    uint64_t finished;
    uint64_t known;
    uint64_t steps;
    uint64_t cut;   /* games that reached the most steps */
    uint64_t empty; /* games without a step */
    uint64_t began; /* ms */
    uint64_t drawn; /* ms; when progress was shown last */
    uint64_t told;  /* games that were told of: those that are stored */
    uint64_t findings;
    record_note notes[REMEMBERED];
    deja_buffer input;
    content_packs content;
    bool ended;     /* the child came to its end by itself */
    bool cut_short; /* the game that it died in is kept, up to there */
    deja_id cut_id;
} recording_run;

/* ---- what the child tells ---- */

static void tell_session(const recording_run *run, const record_note *note)
{
    if (output_is_json()) {
        json_begin("session");
        json_text("id", hex_text(note->id.bytes, ID_DIGITS));
        json_text("game", run->game);
        json_decimal("seed", note->seed);
        json_number("steps", note->steps);
        json_bool("known", note->known != 0);
        json_end();
    } else if (run->order.games <= LINES_MAX) {
        out_line("%s  seed %" PRIu64 "  %s steps%s", hex_text(note->id.bytes, ID_SHORT), note->seed,
                 text_count(note->steps), note->known ? "  (known)" : "");
    }
}

static void show_progress(recording_run *run)
{
    const uint64_t now = progress_is_shown() ? clock_ms() : 0;
    if (now < run->drawn + PROGRESS_MS)
        return;
    const uint64_t ms = now - run->began;
    run->drawn = now;
    progress_show("recording %s: %s of %s games, %s steps a second, %s s left", run->game,
                  text_count(run->finished), text_count(run->order.games),
                  text_count(ms ? run->steps * 1000 / ms : 0),
                  text_count(progress_seconds_left(ms, run->finished, run->order.games)));
}

/* The first `stored` games are in the store: nothing is told of before it is. */
static void tell_stored(recording_run *run, uint64_t stored)
{
    for (; run->told < stored; run->told++)
        tell_session(run, &run->notes[run->told % REMEMBERED]);
}

static void take_session(recording_run *run, const record_note *note)
{
    run->notes[run->finished % REMEMBERED] = *note;
    run->finished++;
    run->steps += note->steps;
    run->known += note->known != 0;
    run->cut += run->order.max_steps != 0 && note->steps == run->order.max_steps;
    run->empty += note->steps == 0;
    tell_stored(run,
                run->finished - (note->gathered < run->finished ? note->gathered : run->finished));
    show_progress(run);
}

/* What was found is true whether the game comes to be stored or not: it is told at once, by the
 * seed, which plays the same game again. */
static void take_finding(recording_run *run, const record_note *note, const char *text)
{
    const uint64_t seed = run->order.seed + run->finished;
    run->findings++;
    if (output_is_json()) {
        json_begin("finding");
        json_decimal("seed", seed);
        json_number("step", note->steps);
        json_text("why", text);
        json_end();
    } else if (run->findings <= LINES_MAX) {
        out_coloured(COLOUR_BAD, "FINDING");
        out_line(" seed %" PRIu64 ": %s", seed, text);
    }
}

/* Lets a child record, and hears it out. Its status, what it says of it in `text`, and in *how what
 * waitpid() says of its end. */
static int hear_child(recording_run *run, int *how, char text[NOTE_TEXT_MAX])
{
    record_note note;
    child recorder;
    int status = STATUS_OK;

    run->ended = false;
    if (!record_child_start(&recorder, &run->order)) {
        snprintf(text, NOTE_TEXT_MAX, "record: no process could be started");
        run->ended = true;
        return STATUS_TROUBLE;
    }
    while (!run->ended && record_child_note(&recorder, &note, text)) {
        if (note.kind == NOTE_OPENED) {
            snprintf(run->game, sizeof run->game, "%.*s", GAME_NAME_SIZE - 1, text);
        } else if (note.kind == NOTE_SESSION) {
            take_session(run, &note);
        } else if (note.kind == NOTE_REMARK) {
            remark("%s", text);
        } else if (note.kind == NOTE_FINDING) {
            take_finding(run, &note, text);
        } else {
            run->ended = true;
            status = note.status;
        }
    }
    *how = child_end(&recorder);
    return status;
}

/* ---- after a crash ---- */

typedef struct searched {
    uint64_t seed;
    deja_id id;
    bool found;
} searched;

static bool look_for_cut(void *user, const deja_entry *entry)
{
    searched *s = user;
    const uint32_t ended = entry->recording.ended;
    if (entry->session.seed == s->seed &&
        (ended == DEJA_ENDED_CRASHED || ended == DEJA_ENDED_UNFINISHED)) {
        s->id = entry->session.id;
        s->found = true; /* the last one counts */
    }
    return true;
}

/* How many of the games that were finished the store holds, counted from the first; and the one
 * that the child died in. */
static uint64_t count_stored(recording_run *run)
{
    deja_store *store = NULL;
    deja_error err;
    searched s = { .seed = run->order.seed + run->finished };
    uint64_t place = run->finished > REMEMBERED ? run->finished - REMEMBERED : 0;
    if (!*run->game)
        return 0;
    /* Takes in what is in the journal. What it has no room for stays there, and is read there. */
    if (deja_store_open(&store, run->order.store, DEJA_STORE_APPEND, NULL) == DEJA_OK)
        deja_store_close(store, NULL);
    if (deja_store_open(&store, run->order.store, DEJA_STORE_READ, &err) < 0) {
        if (run->finished)
            complain_of(NULL, &err);
        return 0;
    }
    for (; place < run->finished; place++) {
        int64_t key;
        const char *id = hex_text(run->notes[place % REMEMBERED].id.bytes, ID_DIGITS);
        if (deja_store_find(store, id, &key, NULL) < 0)
            break;
    }
    if (!run->ended)
        (void)deja_store_list(store, look_for_cut, &s, NULL);
    run->cut_short = s.found;
    run->cut_id = s.id;
    deja_store_close(store, NULL);
    return place;
}

static int explain_end(const recording_run *run, int how, uint64_t stored)
{
    const uint64_t seed = run->order.seed + run->finished;
    char what[128];
    char kept[64] = "";
    if (run->cut_short)
        snprintf(kept, sizeof kept, "; up to there it is session %s",
                 hex_text(run->cut_id.bytes, ID_SHORT));
    if (interrupt_signal())
        return complain(128 + interrupt_signal(),
                        "record: interrupted in game %s of %s%s; %s before it %s stored in %s",
                        text_count(run->finished + 1), text_count(run->order.games), kept,
                        text_count(stored), stored == 1 ? "is" : "are",
                        text_typed(run->order.store));
    child_say_end(how, what, sizeof what);
    if (!*run->game)
        return complain(STATUS_UNKNOWN, "%s: does not load: the rules %s",
                        text_typed(run->order.rules), what);
    if (run->finished == run->order.games)
        return complain(STATUS_BROKEN, "%s: the rules %s after the last game; %s %s stored in %s",
                        text_typed(run->order.rules), what, text_count(stored),
                        stored == 1 ? "is" : "are", text_typed(run->order.store));
    if (run->finished == 0)
        return complain(STATUS_BROKEN, "%s: the rules %s in game 1, seed %" PRIu64 "%s",
                        text_typed(run->order.rules), what, seed, kept);
    return complain(STATUS_BROKEN,
                    "%s: the rules %s in game %s, seed %" PRIu64 "%s; %s before it %s stored in %s",
                    text_typed(run->order.rules), what, text_count(run->finished + 1), seed, kept,
                    text_count(stored), stored == 1 ? "is" : "are", text_typed(run->order.store));
}

/* ---- the answer ---- */

static void print_summary(const recording_run *run, uint64_t sessions)
{
    const uint64_t first = run->order.seed;
    const uint64_t last = first + sessions - 1;
    if (output_is_json()) {
        json_begin("summary");
        json_number("sessions", sessions);
        json_number("steps", run->steps);
        json_number("known", run->known);
        if (run->order.self_check || run->findings != 0)
            json_number("findings", run->findings);
        json_text("game", *run->game ? run->game : NULL);
        json_text("store", run->order.store);
        json_decimal("seed", first);
        if (run->cut_short)
            json_text("cut_short", hex_text(run->cut_id.bytes, ID_DIGITS));
        json_end();
        return;
    }
    out_print("recorded %s session%s of %s (%s steps) into %s", text_count(sessions),
              sessions == 1 ? "" : "s", run->game, text_count(run->steps), run->order.store);
    if (sessions != 0)
        out_print(", seed %" PRIu64, first);
    if (sessions > 1)
        out_print(" to %" PRIu64, last);
    if (run->known != 0)
        out_print("; %s known already", text_count(run->known));
    if (run->empty != 0)
        out_print("; %s without a step (no bot had a command, or the game was over)",
                  text_count(run->empty));
    if (run->cut != 0)
        out_print("; %s ended by --max-steps %" PRIu64, text_count(run->cut), run->order.max_steps);
    if (run->findings != 0)
        out_print("; %s finding%s", text_count(run->findings), run->findings == 1 ? "" : "s");
    out_end();
}

static int record_all(recording_run *run)
{
    char text[NOTE_TEXT_MAX];
    int how = 0;
    run->began = clock_ms();
    int status = hear_child(run, &how, text);
    uint64_t stored = run->finished;
    if (!run->ended || status != STATUS_OK)
        stored = count_stored(run); /* it died, or the disk was full */
    tell_stored(run, stored);
    if (!run->ended) {
        status = status_worse(status, explain_end(run, how, stored));
    } else if (status != STATUS_OK) {
        complain(status, "%s", text);
    } else if (interrupt_signal() && stored < run->order.games) {
        complain(128 + interrupt_signal(), "record: interrupted: %s of %s games are recorded",
                 text_count(stored), text_count(run->order.games));
    }
    if (output_is_json() || (*run->game && (status == STATUS_OK || stored != 0)))
        print_summary(run, stored);
    return run->findings ? status_worse(status, STATUS_FINDING) : status;
}

/* ---- the command line ---- */

static int read_order(record_order *order, const args *given)
{
    static const char *const widths[] = { "8", "16", "32", "64", NULL };
    uint32_t width = 2;
    order->given = given;
    order->store = store_path(given);
    order->bots = args_value(given, OPTION_BOT);
    if (!order->bots)
        order->bots = "random";
    order->games = 1;
    order->max_steps = STEPS_LIMIT;
    int status = args_number(given, OPTION_GAMES, 1, UINT64_MAX, &order->games);
    if (status == STATUS_OK)
        status = args_number(given, OPTION_SEED, 0, UINT64_MAX, &order->seed);
    if (status == STATUS_OK)
        status = args_number(given, OPTION_MAX_STEPS, 0, UINT64_MAX, &order->max_steps);
    if (status == STATUS_OK)
        status = args_choice(given, OPTION_TRAIL, widths, &width);
    order->trail_bits = 8u << width;
    order->self_check = args_has(given, OPTION_SELF_CHECK);
    if (status == STATUS_OK && !args_has(given, OPTION_SEED) &&
        getrandom(&order->seed, sizeof order->seed, 0) != (ssize_t)sizeof order->seed)
        status = complain(STATUS_TROUBLE, "record: the system gives no seed; give one with --seed");
    return status;
}

/* Reads the frames here: the child has no stdin. */
static int read_input(recording_run *state, const args *given)
{
    const char *path = args_value(given, OPTION_INPUT);
    if (!path)
        return STATUS_OK;
    if (args_has(given, OPTION_BOT) || state->order.games != 1)
        return complain(STATUS_USAGE, "record: --input is one game without bots; leave out --%s",
                        args_has(given, OPTION_BOT) ? "bot" : "games");
    const int status = file_read(path, &state->input);
    state->order.has_input = true;
    state->order.input = (deja_span){ state->input.bytes, state->input.size };
    return status;
}

static int run(const args *given)
{
    int status;
    recording_run *state = calloc(1, sizeof *state);
    if (!state)
        return complain_memory();
    status = read_order(&state->order, given);
    if (status == STATUS_OK)
        status = read_input(state, given);
    if (status == STATUS_OK)
        status = content_read(&state->content, given);
    state->order.content = &state->content.content;
    if (status == STATUS_OK) {
        char *rules = find_rules(given->operands[0], &status);
        state->order.rules = rules;
        if (rules)
            status = record_all(state);
        free(rules);
    }
    deja_buffer_release(&state->input);
    content_release(&state->content);
    free(state);
    return status;
}

static const option_row options[] = {
    { OPTION_BOT, 'b', "bot", "NAME[,NAME...]", "who plays: bots, to the seats in order", false },
    { OPTION_GAMES, 'g', "games", "N", "how many games; 1 if not given", false },
    { OPTION_SEED, 0, "seed", "S", "of the first game; game k has S + k - 1", false },
    { OPTION_SET, 0, "set", "KEY=VALUE", "changes the game's config", true },
    ROW_CONTENT,
    { OPTION_MAX_STEPS, 0, "max-steps", "N", "of one game; 100000 if not given, 0: no limit",
      false },
    { OPTION_INPUT, 0, "input", "FILE", "frames as text instead of bots; -: stdin", false },
    { OPTION_TRAIL, 0, "trail", "BITS", "of each state's hash: 8, 16, 32 (the default) or 64",
      false },
    { OPTION_SELF_CHECK, 0, "self-check", NULL, "make each step on a copy of the state, too",
      false },
    ROW_STORE,
    ROW_JSON,
    ROW_HELP,
    ROW_END,
};

const command_row command_record = {
    .name = "record",
    .operands = "RULES",
    .operands_least = 1,
    .operands_most = 1,
    .summary = "let bots play games, and keep every step",
    .notes = "Without --bot the bot 'random' plays. Without --seed a seed is drawn, and told.\n"
             "The store is created where there is none.\n"
             "Every game gets all content; what its session keeps of it is names and digests.\n"
             "Frames are for games of ticks: a line each that begins with its time in ms, as\n"
             "'16.6 +right 1:-left@12.5'. A key may have its player in front, from 0, and its\n"
             "time behind. '* 20' is 20 frames more.\n"
             "With --self-check each step is also made on a copy that is loaded from the saved\n"
             "state. The first of a game that comes out otherwise is a finding: something that\n"
             "counts is no field of the state. The game is stored all the same, and marked.",
    .options = options,
    .run = run,
};
