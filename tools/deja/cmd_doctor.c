/* SPDX-License-Identifier: MIT */
/*
 * deja doctor: whether rules keep the contract that deja relies on (<deja/check.h>).
 *
 * The rules run in a child (doctor_child.c), and then, played only, in a second one, whose games
 * are held against the first one's: what differs from process to process shows there. What is
 * found is told at the end, with how often it was found; then what became of each clause. A clause
 * that could not be checked is said to be not checked, and where nothing was played there is no
 * verdict.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "content.h"
#include "doctor_child.h"
#include "find_rules.h"
#include "interrupt.h"
#include "json.h"
#include "output.h"
#include "sessions.h"

enum { FINDINGS_MAX = 256 };

/* A finding with its texts. */
typedef struct finding {
    doctor_note note;
    char *text; /* all texts, NULs between */
    const char *texts[TEXT_COUNT];
    uint64_t count;  /* 0: not known */
    uint64_t number; /* of its child's findings */
    const doctor_child *child;
} finding;

typedef struct examination {
    doctor_order order;
    doctor_child children[2];
    doctor_child *child; /* the one at hand, or that broke */
    doctor_ways *ways;
    content_packs content;
    deja_check_summary *summary; /* the first one's, with what the second has added */
    finding findings[FINDINGS_MAX];
    uint32_t count;
    bool ended; /* the child came to its end by itself */
    int how;    /* else how, as waitpid() tells it */
} examination;

/* ---- what the child tells ---- */

static bool keep_finding(examination *e, const doctor_note *note, uint64_t number, const char *text)
{
    if (e->count == FINDINGS_MAX)
        return true;
    finding *f = &e->findings[e->count];
    f->note = *note;
    f->number = number;
    f->child = e->child;
    f->text = malloc(note->text_size + 1u);
    if (!f->text)
        return false;
    memcpy(f->text, text, note->text_size + 1u);
    const char *at = f->text;
    for (uint32_t i = 0; i < TEXT_COUNT; i++) {
        const bool is_within = at < f->text + note->text_size;
        f->texts[i] = is_within && !(note->missing & 1u << i) ? at : NULL;
        at += is_within ? strlen(at) + 1 : 0;
    }
    e->count++;
    return true;
}

static void keep_count(examination *e, const doctor_note *note)
{
    for (uint32_t i = 0; i < e->count; i++)
        if (e->findings[i].child == e->child && e->findings[i].number == note->number)
            e->findings[i].count = note->count;
}

/* Hears the child out: its status, and what it says of it in `text`. What the second finds by
 * itself the first has found as well. */
static int hear_child(examination *e, char text[DOCTOR_TEXT_MAX])
{
    doctor_note note;
    int status = STATUS_OK;
    uint64_t number = 0;
    e->ended = false;
    while (!e->ended && doctor_child_note(e->child, &note, text)) {
        if (note.kind == DOCTOR_FINDING) {
            const bool wanted = !e->child->is_second || note.clause == DEJA_CLAUSE_SAME_AGAIN;
            if (wanted && !keep_finding(e, &note, number, text))
                status = complain_memory();
            number++;
        } else if (note.kind == DOCTOR_COUNTED) {
            keep_count(e, &note);
        } else if (note.kind == DOCTOR_END) {
            e->ended = true;
            status = status_worse(status, note.status);
        }
    }
    e->how = doctor_child_end(e->child);
    progress_erase();
    return status;
}

/* Plays in a second process and adds what is found there. */
static int hear_second(examination *e, char text[DOCTOR_TEXT_MAX])
{
    deja_check_clause *mine = &e->summary->clauses[DEJA_CLAUSE_SAME_AGAIN];
    const uint32_t before = e->count;
    e->child = &e->children[1];
    if (!doctor_child_start(e->child, &e->order, e->ways, true)) {
        snprintf(text, DOCTOR_TEXT_MAX, "doctor: no second process could be started");
        e->ended = true;
        return STATUS_TROUBLE;
    }
    const int status = hear_child(e, text);
    const deja_check_clause *more = &e->child->place->summary.clauses[DEJA_CLAUSE_SAME_AGAIN];
    mine->checks += more->checks;
    mine->breaches += more->breaches;
    e->summary->findings += e->count - before;
    return status;
}

/* ---- findings ---- */

static void tell_finding_json(const finding *f)
{
    json_begin("finding");
    json_text("clause", deja_clause_name(f->note.clause));
    json_text("player", f->texts[TEXT_PLAYER]);
    json_text("session", f->texts[TEXT_SESSION]);
    json_decimal("seed", f->note.seed);
    json_number("game", f->note.game);
    json_number("step", f->note.step);
    if (f->note.saved == DEJA_STEP_NONE)
        json_null("saved");
    else
        json_number("saved", f->note.saved);
    json_text("command", f->texts[TEXT_COMMAND]);
    json_text("field", f->texts[TEXT_PATH]);
    json_text("expected", f->texts[TEXT_EXPECTED]);
    json_text("actual", f->texts[TEXT_ACTUAL]);
    json_number("more_fields", f->note.more_fields);
    if (f->count == 0)
        json_null("count");
    else
        json_number("count", f->count);
    json_text("why", f->texts[TEXT_WHY]);
    json_end();
}

static void tell_finding(const finding *f)
{
    out_coloured(COLOUR_BAD, "BREACH");
    out_print(" %s, step %" PRIu64, deja_clause_name(f->note.clause), f->note.step);
    if (f->texts[TEXT_COMMAND])
        out_print(": %s", f->texts[TEXT_COMMAND]);
    out_end();
    if (f->texts[TEXT_PATH]) {
        out_print("    %-9s expected %s, actual %s", f->texts[TEXT_PATH], f->texts[TEXT_EXPECTED],
                  f->texts[TEXT_ACTUAL]);
        if (f->note.more_fields)
            out_print(" (and %s more)", text_count(f->note.more_fields));
        out_end();
    }
    out_line("    why       %s", f->texts[TEXT_WHY]);
    if (f->note.saved != DEJA_STEP_NONE)
        out_line("    saved     after step %" PRIu64, f->note.saved);
    if (f->texts[TEXT_SESSION])
        out_line("    game      %" PRIu64 ", session %.*s, seed %" PRIu64, f->note.game, ID_SHORT,
                 f->texts[TEXT_SESSION], f->note.seed);
    else
        out_line("    game      %" PRIu64 ", played by %s, seed %" PRIu64, f->note.game,
                 f->texts[TEXT_PLAYER], f->note.seed);
    if (f->count)
        out_line("    found     %s time%s", text_count(f->count), f->count == 1 ? "" : "s");
}

/* ---- a crash ---- */

/* The command at hand as text; NULL where there is none. */
static const char *place_command(const doctor_place *place, deja_buffer *out)
{
    layout_cache layout = { 0 };
    deja_error err;
    const deja_span bytes = { place->command, place->command_size };
    const bool known = place->command_size != 0 &&
                       layout_use(&layout, place->layout) == STATUS_OK &&
                       value_text(&layout, bytes, out, &err);
    layout_release(&layout);
    return known ? (const char *)out->bytes : NULL;
}

static void say_broken(const examination *e, char *words, size_t size)
{
    const doctor_order *order = &e->order;
    if (e->child->hung_cpu)
        snprintf(words, size, "one call used more than %g s of CPU time",
                 order->hang_cpu_ms / 1000.0);
    else if (e->child->hung)
        snprintf(words, size, "one call took more than %g s", order->hang_wall_ms / 1000.0);
    else
        child_say_end(e->how, words, size);
}

static int tell_broken(const examination *e)
{
    const doctor_place *place = e->child->place;
    deja_buffer text = { 0 };
    char why[128];
    const char *command = place_command(place, &text);
    say_broken(e, why, sizeof why);
    if (output_is_json()) {
        json_begin("broken");
        json_text("result", e->child->hung ? "hung" : "crashed");
        json_text("why", why);
        json_text("player", place->player);
        json_decimal("seed", place->seed);
        json_number("game", place->game);
        json_number("step", place->step);
        json_text("command", command);
        json_text("doing", place->doing);
        json_end();
    } else {
        out_coloured(COLOUR_BAD, e->child->hung ? "HUNG" : "CRASHED");
        out_print(" step %" PRIu64, place->step);
        if (command)
            out_print(": %s", command);
        out_end();
        out_line("    why       the rules %s%s", e->child->hung ? "hang: " : "", why);
        out_line("    doing     %s", place->doing);
        out_line("    game      %" PRIu64 ", played by %s, seed %" PRIu64, place->game,
                 place->player, place->seed);
    }
    deja_buffer_release(&text);
    return STATUS_BROKEN;
}

/* ---- clauses and counts ---- */

typedef struct counts {
    uint32_t passed, broken, not_checked;
} counts;

static const char *not_checked(const examination *e, const deja_check_clause *clause)
{
    if (clause->checks != 0)
        return NULL;
    /* Of a run that did not come to its end nobody has said why. */
    return e->ended && clause->not_checked ? clause->not_checked : "the run ended before";
}

static void tell_clause(const examination *e, uint32_t place, counts *all)
{
    const deja_check_clause *clause = &e->summary->clauses[place];
    const char *name = deja_clause_name(place);
    const char *why = not_checked(e, clause);
    const char *result = why ? "not_checked" : (clause->breaches ? "broken" : "passed");
    all->passed += !why && !clause->breaches;
    all->broken += clause->breaches != 0;
    all->not_checked += why && !clause->breaches;
    if (output_is_json()) {
        json_begin("clause");
        json_text("clause", name);
        json_text("result", result);
        json_number("checks", clause->checks);
        json_number("breaches", clause->breaches);
        json_text("why", why);
        json_end();
    } else if (why) {
        out_line("%-23s not checked: %s", name, why);
    } else if (clause->breaches) {
        out_line("%-23s broken: %s of %s checks", name, text_count(clause->breaches),
                 text_count(clause->checks));
    } else {
        out_line("%-23s passed: %s check%s", name, text_count(clause->checks),
                 clause->checks == 1 ? "" : "s");
    }
}

static void tell_summary(const examination *e, const counts *all)
{
    const doctor_place *place = e->children[0].place;
    const deja_check_summary *s = e->summary;
    if (output_is_json()) {
        json_begin("summary");
        json_text("game", place->game_id);
        json_text("path", e->order.rules);
        json_decimal("seed", e->order.seed);
        json_number("games", s->games);
        json_number("sessions", s->sessions);
        json_number("left_out", s->left_out);
        json_text("left_out_why", s->left_out ? s->left_out_why : NULL);
        json_number("steps", s->steps);
        json_number("tried", s->tried);
        json_number("saves", s->saves);
        json_number("findings", s->findings);
        json_number("passed", all->passed);
        json_number("broken", all->broken);
        json_number("not_checked", all->not_checked);
        json_end();
        return;
    }
    out_print("checked %s %s: %s game%s", place->game_id, place->version, text_count(s->games),
              s->games == 1 ? "" : "s");
    if (s->sessions)
        out_print(", %s of them stored", text_count(s->sessions));
    out_print(" (%s steps), %s commands tried, %s states saved and played on", text_count(s->steps),
              text_count(s->tried), text_count(s->saves));
    if (s->left_out)
        out_print("; %s stored session%s left out, which cannot be played with these rules (%s%s)",
                  text_count(s->left_out), s->left_out == 1 ? "" : "s",
                  s->left_out == 1 ? "" : "the first: ", s->left_out_why);
    out_print(": %u clauses passed", all->passed);
    if (all->broken)
        out_print(", %u broken", all->broken);
    if (all->not_checked)
        out_print(", %u not checked", all->not_checked);
    out_end();
}

/* ---- the run ---- */

static void tell_findings(const examination *e)
{
    for (uint32_t i = 0; i < e->count; i++) {
        if (output_is_json())
            tell_finding_json(&e->findings[i]);
        else
            tell_finding(&e->findings[i]);
    }
}

static int tell_all(const examination *e, int status)
{
    const deja_check_summary *s = e->summary;
    counts all = { 0, 0, 0 };
    tell_findings(e);
    if (!e->ended)
        status = status_worse(status, tell_broken(e));
    for (uint32_t i = 0; i < DEJA_CLAUSE_COUNT; i++)
        tell_clause(e, i, &all);
    tell_summary(e, &all);
    if (s->findings != 0)
        return status_worse(status, STATUS_FINDING);
    if (status == STATUS_OK && s->steps == 0)
        return complain(STATUS_UNKNOWN,
                        "doctor: no step was played, so nothing is known of these rules");
    return status;
}

static int examine(examination *e)
{
    char text[DOCTOR_TEXT_MAX];
    char what[128];
    e->child = &e->children[0];
    e->ways = doctor_ways_create();
    if (!e->ways || !doctor_child_start(e->child, &e->order, e->ways, false))
        return complain(STATUS_TROUBLE, "doctor: no process could be started");
    e->summary = &e->child->place->summary;
    int status = hear_child(e, text);
    /* What differs in one process needs no second one. */
    if (e->ended && status == STATUS_OK && e->ways->size != 0 && !interrupt_signal() &&
        e->summary->clauses[DEJA_CLAUSE_SAME_AGAIN].breaches == 0)
        status = hear_second(e, text);
    if (interrupt_signal())
        return complain(128 + interrupt_signal(), "doctor: interrupted in game %s",
                        text_count(e->child->place->game));
    if (e->ended && status != STATUS_OK) {
        /* What was found until then stands. */
        tell_findings(e);
        return complain(e->count ? status_worse(status, STATUS_FINDING) : status, "%s", text);
    }
    if (!e->ended && e->child->place->calls == 0) {
        say_broken(e, what, sizeof what);
        return complain(STATUS_UNKNOWN, "%s: does not load: the rules %s%s",
                        text_typed(e->order.rules), e->child->hung ? "hang: " : "", what);
    }
    return tell_all(e, status);
}

static int read_order(doctor_order *order, const args *given)
{
    const deja_check_options usual = DEJA_CHECK_OPTIONS_INIT;
    order->given = given;
    order->bots = args_value(given, OPTION_BOT);
    order->seed = usual.seed;
    order->games = usual.games;
    order->max_steps = usual.max_steps;
    order->hang_cpu_ms = 10000;
    order->hang_wall_ms = 60000;
    if (args_has(given, OPTION_STORE) || args_has(given, OPTION_STORED))
        order->store = store_path(given);
    /* The games of bots may be left out only where there are others. */
    int status = args_number(given, OPTION_GAMES, order->store ? 0 : 1, 1000000, &order->games);
    if (status == STATUS_OK)
        status = args_number(given, OPTION_SEED, 0, UINT64_MAX, &order->seed);
    if (status == STATUS_OK)
        status = args_number(given, OPTION_MAX_STEPS, 1, 100000, &order->max_steps);
    if (status == STATUS_OK)
        status = args_seconds(given, OPTION_HANG_CPU, &order->hang_cpu_ms);
    if (status == STATUS_OK)
        status = args_seconds(given, OPTION_HANG_WALL, &order->hang_wall_ms);
    return status;
}

static int run(const args *given)
{
    examination *e = calloc(1, sizeof *e);
    if (!e)
        return complain_memory();
    int status = read_order(&e->order, given);
    if (status == STATUS_OK)
        status = content_read(&e->content, given);
    e->order.content = &e->content.content;
    if (status == STATUS_OK) {
        char *rules = find_rules(given->operands[0], &status);
        e->order.rules = rules;
        if (rules)
            status = examine(e);
        free(rules);
    }
    for (uint32_t i = 0; i < e->count; i++)
        free(e->findings[i].text);
    doctor_child_release(&e->children[0]);
    doctor_child_release(&e->children[1]);
    doctor_ways_destroy(e->ways);
    content_release(&e->content);
    free(e);
    return status;
}

static const option_row options[] = {
    { OPTION_BOT, 'b', "bot", "NAME[,NAME...]", "who plays, each in games of its own", false },
    { OPTION_GAMES, 'g', "games", "N", "how many games of each player; 8 if not given", false },
    { OPTION_SEED, 0, "seed", "S", "of each player's first game; 1 if not given", false },
    { OPTION_SET, 0, "set", "KEY=VALUE", "changes the game's config", true },
    ROW_CONTENT,
    { OPTION_MAX_STEPS, 0, "max-steps", "N", "of one game; 300 if not given", false },
    { OPTION_STORED, 0, "stored", NULL, "walk along the store's sessions as well; so does -s",
      false },
    { OPTION_HANG_CPU, 0, "hang-cpu", "SECONDS", "a call of more CPU time hangs; 10, 0: no limit",
      false },
    { OPTION_HANG_WALL, 0, "hang-wall", "SECONDS",
      "a call that takes so long hangs; 60, 0: no limit", false },
    ROW_STORE,
    ROW_JSON,
    ROW_HELP,
    ROW_END,
};

const command_row command_doctor = {
    .name = "doctor",
    .operands = "RULES",
    .operands_least = 1,
    .operands_most = 1,
    .summary = "check that rules keep the contract that replaying relies on",
    .notes =
        "Without --bot every bot of the game plays, and so does 'made': commands made up from\n"
        "the layout, refused ones among them. Each game is played again, commands are tried\n"
        "on copies of each state, and each state is saved, loaded and played on. What cannot\n"
        "be checked is said to be not checked. With -s or --stored, --games 0 leaves the bots\n"
        "out. What bots play gets all content, a stored session what it names.",
    .options = options,
    .run = run,
};
