/* SPDX-License-Identifier: MIT */
/*
 * The child loads the library, opens the store and lets the bots play; the parent prints.
 *
 * The store is opened last, after all that the command line can get wrong, so that a mistake does
 * not leave an empty store behind. Whether the first game starts is tried in a process of its own
 * for the same reason: rules that keep something from call to call must not see one call more. And
 * in a second one: a start that depends on the process would make every session useless.
 *
 * Told to stop, the child ends after the game at hand.
 */
#include "record_child.h"

#include <deja/plugin.h>
#include <deja/recorder.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "input.h"
#include "output.h"
#include "settings.h"

/* ---- in the child ---- */

static bool send(int notes, record_note *note, const char *text)
{
    const size_t size = text ? strlen(text) : 0;
    note->text_size = (uint32_t)(size < NOTE_TEXT_MAX ? size : NOTE_TEXT_MAX - 1);
    return child_send(notes, note, sizeof *note, text, note->text_size);
}

/* What the library is told to call, and with what. */
typedef struct playing {
    int notes;
    deja_store *store;
    input_script script;
    uint64_t at; /* of the script, in bytes */
} playing;

static bool next_command(void *user, deja_buffer *command)
{
    playing *p = user;
    if (p->at == p->script.commands.size)
        return false;
    deja_buffer_add(command, p->script.commands.bytes + p->at, p->script.size);
    p->at += p->script.size;
    return true;
}

static bool finished(void *user, const deja_id *id, uint64_t seed, uint64_t steps, bool known)
{
    const playing *p = user;
    record_note note;
    memset(&note, 0, sizeof note);
    note.kind = NOTE_SESSION;
    note.id = *id;
    note.seed = seed;
    note.steps = steps;
    note.known = known;
    note.gathered = deja_store_gathered(p->store);
    const bool sent = send(p->notes, &note, NULL);
    child_is_ending(); /* closing the store may take its time */
    return sent && !child_stopped();
}

static void report(void *user, uint64_t step, const char *text)
{
    const playing *p = user;
    record_note note;
    memset(&note, 0, sizeof note);
    note.kind = NOTE_FINDING;
    note.steps = step;
    send(p->notes, &note, text);
}

/* ---- whether the first game starts ---- */

typedef struct rehearsal {
    uint64_t start_hash; /* of its state */
    int32_t status;
    char text[NOTE_TEXT_MAX];
} rehearsal;

static void rehearse_and_exit(const record_order *order, deja_plugin *plugin,
                              deja_bots_options options, int answers, pid_t parent)
{
    rehearsal answer;
    deja_error err;
    memset(&answer, 0, sizeof answer);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    if (getppid() != parent)
        _exit(STATUS_TROUBLE);
    options.start_hash = &answer.start_hash;
    const deja_code code = deja_bots_check(plugin, &options, &err);
    if (code < 0)
        answer.status = settings_fail(answer.text, status_of(code),
                                      settings_blame_rules(code) ? order->rules : NULL, &err);
    child_write(answers, &answer, sizeof answer);
    _exit(STATUS_OK);
}

/* Where it ended otherwise, so does this process, as it would have with the store open. */
static void end_alike(int how)
{
    if (WIFSIGNALED(how)) {
        signal(WTERMSIG(how), SIG_DFL);
        raise(WTERMSIG(how));
    }
    _exit(WIFEXITED(how) ? WEXITSTATUS(how) : STATUS_TROUBLE);
}

/* A fork has none of its parent's threads, and rules that started some may wait for them. */
static bool has_threads(void)
{
    struct stat about;
    return stat("/proc/self/task", &about) != 0 || about.st_nlink > 3; /* ., .., and one each */
}

/* false where no process could be had: whatever there is to say will be said later. */
static bool rehearse_once(const record_order *order, deja_plugin *plugin,
                          const deja_bots_options *options, rehearsal *answer)
{
    char *at = (char *)answer;
    size_t left = sizeof *answer;
    int ends[2];
    int how = 0;
    const pid_t parent = getpid();
    if (has_threads() || pipe2(ends, O_CLOEXEC) != 0)
        return false;
    const pid_t process = fork();
    if (process == 0)
        rehearse_and_exit(order, plugin, *options, ends[1], parent);
    close(ends[1]);
    while (process > 0 && left != 0) {
        const ssize_t got = read(ends[0], at, left);
        if (got == 0 || (got < 0 && errno != EINTR))
            break;
        at += got > 0 ? got : 0;
        left -= got > 0 ? (size_t)got : 0;
    }
    close(ends[0]);
    while (process > 0 && waitpid(process, &how, 0) < 0 && errno == EINTR)
        continue;
    if (process < 0)
        return false;
    if (left != 0)
        end_alike(how);
    return true;
}

static int rehearse(const record_order *order, deja_plugin *plugin,
                    const deja_bots_options *options, char text[NOTE_TEXT_MAX])
{
    rehearsal first, second;
    if (!rehearse_once(order, plugin, options, &first))
        return STATUS_OK;
    memcpy(text, first.text, sizeof first.text);
    if (first.status != STATUS_OK || !rehearse_once(order, plugin, options, &second))
        return first.status;
    memcpy(text, second.text, sizeof second.text);
    if (second.status != STATUS_OK || second.start_hash == first.start_hash)
        return second.status;
    snprintf(text, NOTE_TEXT_MAX,
             "%s: the start state differs from process to process, with the same config, seed and "
             "content (%016" PRIx64 ", %016" PRIx64 ")",
             text_typed(order->rules), first.start_hash, second.start_hash);
    return STATUS_BROKEN;
}

/* ---- recording ---- */

static void remark_on_store(const playing *p)
{
    record_note note;
    memset(&note, 0, sizeof note);
    note.kind = NOTE_REMARK;
    if (deja_store_remark(p->store))
        send(p->notes, &note, deja_store_remark(p->store));
}

static int record(const record_order *order, deja_plugin *plugin, deja_span config, playing *p,
                  char text[NOTE_TEXT_MAX])
{
    deja_bots_options options = DEJA_BOTS_OPTIONS_INIT;
    deja_store *store = NULL;
    deja_error err;

    options.trail_bits = order->trail_bits;
    options.bots = order->bots;
    options.config = config;
    options.content = order->content;
    options.seed = order->seed;
    options.games = order->games;
    options.max_steps = order->max_steps;
    options.self_check = order->self_check;
    options.report = report;
    options.finished = finished;
    options.user = p;
    options.next = order->has_input ? next_command : NULL;
    int status = rehearse(order, plugin, &options, text);
    if (status != STATUS_OK || child_stopped())
        return status;
    deja_code code = deja_store_open(&store, order->store, DEJA_STORE_WRITE, &err);
    if (code < 0)
        return settings_fail(text, status_of(code), NULL, &err);
    p->store = store;
    remark_on_store(p);
    code = deja_record_bots(store, plugin, &options, &err);
    if (code < 0)
        status = settings_fail(text, status_of(code),
                               settings_blame_rules(code) ? order->rules : NULL, &err);
    code = deja_store_close(store, &err);
    if (code < 0 && status == STATUS_OK)
        status = settings_fail(text, status_of(code), NULL, &err);
    return status;
}

static int play(const record_order *order, int *notes, char text[NOTE_TEXT_MAX])
{
    deja_plugin *plugin = NULL;
    deja_buffer config = { 0 };
    deja_error err;
    record_note note;

    const deja_code code = deja_plugin_open(&plugin, order->rules, &err);
    if (code < 0)
        return settings_fail(text, status_of(code), order->rules, &err);
    memset(&note, 0, sizeof note);
    note.kind = NOTE_OPENED;
    send(*notes, &note, deja_plugin_table(plugin)->id);

    playing p = { .notes = *notes };
    int status = order->has_input ? input_read(&p.script, plugin, order->input, text)
                                  : settings_bots(order->given, order->bots, NULL, plugin, text);
    if (p.script.dropped != 0)
        complain(STATUS_OK,
                 "record: --input: frames are too far apart: %" PRIu64 " steps were dropped (a "
                 "frame has 4 at most)",
                 p.script.dropped);
    if (status == STATUS_OK)
        status = settings_config(order->given, plugin, &config, text);
    if (status == STATUS_OK) {
        const deja_span bytes = { config.bytes, config.size };
        status = record(order, plugin, bytes, &p, text);
    }
    input_release(&p.script);
    deja_buffer_release(&config);
    deja_plugin_close(plugin);
    return status;
}

static void run_child(void *user, int notes)
{
    char text[NOTE_TEXT_MAX] = "";
    record_note note;
    memset(&note, 0, sizeof note);
    note.kind = NOTE_END;
    note.status = play(user, &notes, text);
    send(notes, &note, text);
}

/* ---- in the parent ---- */

bool record_child_start(child *out, const record_order *order)
{
    record_order copy = *order;
    return child_start(out, run_child, &copy);
}

bool record_child_note(child *from, record_note *note, char text[NOTE_TEXT_MAX])
{
    if (!child_read(from, note, sizeof *note) || note->text_size >= NOTE_TEXT_MAX ||
        !child_read(from, text, note->text_size))
        return false;
    text[note->text_size] = '\0';
    return true;
}
