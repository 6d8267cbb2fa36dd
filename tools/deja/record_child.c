/* SPDX-License-Identifier: MIT */
/*
 * The child loads the library, opens the store and lets the bots play; the parent prints. The
 * child's stdin and stdout are /dev/null before the library is loaded: what rules print is no
 * answer of ours, and what is typed is not theirs to read. stderr stays, for people who debug.
 *
 * The store is opened last, after all that the command line can get wrong, so that a mistake does
 * not leave an empty store behind. Whether the first game starts is tried in a process of its own
 * for the same reason: rules that keep something from call to call must not see one call more.
 *
 * Told to stop, the child ends after the game at hand. A game that takes longer than a few seconds
 * for that is not waited for: SIGALRM ends the process, as it does for rules that hang.
 */
#include "record_child.h"

#include <deja/plugin.h>
#include <deja/recorder.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "input.h"
#include "interrupt.h"
#include "output.h"
#include "suggest.h"

enum { STOP_SECONDS = 5, PATIENCE_MS = 100 };

static volatile sig_atomic_t stopped;

/* ---- in the child ---- */

/* A terminal tells the child as well as the parent, who tells it again: once is enough. */
static void stop(int number)
{
    if (!stopped)
        alarm(STOP_SECONDS);
    stopped = number;
}

static void take_signals(const sigset_t *mask)
{
    static const int numbers[] = { SIGINT, SIGTERM };
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = stop;
    action.sa_flags = SA_RESTART;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
    signal(SIGALRM, SIG_DFL);
    /* Rules that are killed by a pipe of their own are rules that crash. */
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, mask, NULL);
}

static bool write_whole(int descriptor, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size != 0) {
        const ssize_t wrote = write(descriptor, at, size);
        if (wrote < 0 && errno != EINTR)
            return false;
        at += wrote > 0 ? wrote : 0;
        size -= wrote > 0 ? (size_t)wrote : 0;
    }
    return true;
}

/* A process that the rules have forked comes back here as well, and has nothing to tell. */
static pid_t teller;

static bool send(int notes, record_note *note, const char *text)
{
    if (getpid() != teller)
        _exit(STATUS_OK);
    const size_t size = text ? strlen(text) : 0;
    note->text_size = (uint32_t)(size < NOTE_TEXT_MAX ? size : NOTE_TEXT_MAX - 1);
    return write_whole(notes, note, sizeof *note) && write_whole(notes, text, note->text_size);
}

static int fail(char text[NOTE_TEXT_MAX], int status, const char *what, const deja_error *err)
{
    char step[40] = "";
    if (err->step != DEJA_STEP_NONE)
        snprintf(step, sizeof step, " (step %" PRIu64 ")", err->step);
    snprintf(text, NOTE_TEXT_MAX, "%s%s%s%s", what ? text_typed(what) : "", what ? ": " : "",
             err->message, step);
    return status;
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
    if (stopped)
        alarm(0); /* closing the store may take its time */
    return sent && !stopped;
}

/* Whether a failure of recording is about the rules; else it is about the store, which says so. */
static bool is_of_rules(deja_code code)
{
    return code == DEJA_EUNFIT || code == DEJA_ERULES || code == DEJA_EREFUSED ||
           code == DEJA_ENOTFOUND || code == DEJA_EMISUSE;
}

/* Whether each bot is one of the game's; deja_record_bots() would find out too late, when the store
 * has been made. */
static int check_bots(const record_order *order, const deja_plugin *plugin,
                      char text[NOTE_TEXT_MAX])
{
    const deja_rules_table *table = deja_plugin_table(plugin);
    for (const char *at = order->bots;; at++) {
        char name[64];
        const size_t size = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)(size < sizeof name ? size : sizeof name - 1), at);
        const bool plays_legal = table->legal && strcmp(name, "random") == 0;
        if (deja_plugin_bot_find(plugin, name) < 0 && strcmp(name, "random") == 0 && !plays_legal) {
            snprintf(text, NOTE_TEXT_MAX,
                     "record: the bot 'random' picks among the legal commands, and '%s' does not "
                     "list them: that needs 'legal' in the rules, or --bot with a bot of the game%s"
                     "%s",
                     table->id, table->bot_count ? ", as " : ", which has none",
                     table->bot_count ? table->bots[0].name : "");
            return STATUS_USAGE;
        }
        if (deja_plugin_bot_find(plugin, name) < 0 && !plays_legal) {
            nearest search = nearest_begin(name);
            for (uint32_t i = 0; i < table->bot_count; i++)
                nearest_offer(&search, table->bots[i].name);
            snprintf(text, NOTE_TEXT_MAX, "record: --bot: '%s' is no bot of '%s'%s%s%s", name,
                     table->id, search.name ? "; did you mean '" : "",
                     search.name ? search.name : "; see 'deja info'", search.name ? "'?" : "");
            return STATUS_USAGE;
        }
        at += size;
        if (!*at)
            return STATUS_OK;
    }
}

/* What is wrong with a list of settings as such. */
static int check_settings(const record_order *order, const deja_plugin *plugin,
                          char text[NOTE_TEXT_MAX])
{
    const char *setting;
    for (uint32_t i = 0; (setting = args_value_at(order->given, OPTION_SET, i)) != NULL; i++) {
        const deja_rules_table *table = deja_plugin_table(plugin);
        const size_t size = strcspn(setting, "=");
        if (table->config.size == 0) {
            snprintf(text, NOTE_TEXT_MAX, "record: --set: '%s' has no config", table->id);
            return STATUS_USAGE;
        }
        if (size == 0) {
            snprintf(text, NOTE_TEXT_MAX,
                     "record: --set: '%.200s' names no field: it takes KEY=VALUE, and 'deja info' "
                     "tells the keys",
                     setting);
            return STATUS_USAGE;
        }
        for (uint32_t k = 0; k < i; k++) {
            const char *before = args_value_at(order->given, OPTION_SET, k);
            if (strcspn(before, "=") != size || memcmp(before, setting, size) != 0)
                continue;
            snprintf(text, NOTE_TEXT_MAX, "record: --set: '%.*s' was given twice",
                     (int)(size < 200 ? size : 200), setting);
            return STATUS_USAGE;
        }
    }
    return STATUS_OK;
}

/* The default config with each --set done to it, in *config; empty without any. */
static int set_config(const record_order *order, const deja_plugin *plugin, deja_buffer *config,
                      char text[NOTE_TEXT_MAX])
{
    const char *setting;
    for (uint32_t i = 0; (setting = args_value_at(order->given, OPTION_SET, i)) != NULL; i++) {
        const deja_span before = deja_plugin_config_default(plugin);
        deja_buffer changed = { 0 };
        deja_error err;
        const deja_code code = deja_value_set(
            deja_plugin_layout(plugin, DEJA_CONFIG), i == 0 ? before.bytes : config->bytes,
            i == 0 ? before.size : config->size, setting, strlen(setting), &changed, &err);
        if (code < 0) {
            deja_buffer_release(&changed);
            return fail(text, code == DEJA_EFORMAT ? STATUS_USAGE : status_of(code),
                        "record: --set", &err);
        }
        deja_buffer_release(config);
        *config = changed;
    }
    return STATUS_OK;
}

/* ---- whether the first game starts ---- */

typedef struct rehearsal {
    int32_t status;
    char text[NOTE_TEXT_MAX];
} rehearsal;

static void rehearse_and_exit(const record_order *order, deja_plugin *plugin,
                              const deja_bots_options *options, int answers, pid_t parent)
{
    rehearsal answer;
    deja_error err;
    memset(&answer, 0, sizeof answer);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    if (getppid() != parent)
        _exit(STATUS_TROUBLE);
    const deja_code code = deja_bots_check(plugin, options, &err);
    if (code < 0)
        answer.status =
            fail(answer.text, status_of(code), is_of_rules(code) ? order->rules : NULL, &err);
    write_whole(answers, &answer, sizeof answer);
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

static int rehearse(const record_order *order, deja_plugin *plugin,
                    const deja_bots_options *options, char text[NOTE_TEXT_MAX])
{
    rehearsal answer;
    char *at = (char *)&answer;
    size_t left = sizeof answer;
    int ends[2];
    int how = 0;
    const pid_t parent = getpid();
    if (has_threads() || pipe2(ends, O_CLOEXEC) != 0)
        return STATUS_OK; /* whatever there is to say will be said later */
    const pid_t process = fork();
    if (process == 0)
        rehearse_and_exit(order, plugin, options, ends[1], parent);
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
        return STATUS_OK;
    if (left != 0)
        end_alike(how);
    memcpy(text, answer.text, sizeof answer.text);
    return answer.status;
}

/* ---- recording ---- */

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
    options.finished = finished;
    options.user = p;
    options.next = order->has_input ? next_command : NULL;
    int status = rehearse(order, plugin, &options, text);
    if (status != STATUS_OK || stopped)
        return status;
    deja_code code = deja_store_open(&store, order->store, DEJA_STORE_WRITE, &err);
    if (code < 0)
        return fail(text, status_of(code), NULL, &err);
    p->store = store;
    code = deja_record_bots(store, plugin, &options, &err);
    if (code < 0)
        status = fail(text, status_of(code), is_of_rules(code) ? order->rules : NULL, &err);
    code = deja_store_close(store, &err);
    if (code < 0 && status == STATUS_OK)
        status = fail(text, status_of(code), NULL, &err);
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
        return fail(text, status_of(code), order->rules, &err);
    memset(&note, 0, sizeof note);
    note.kind = NOTE_OPENED;
    send(*notes, &note, deja_plugin_table(plugin)->id);

    playing p = { .notes = *notes };
    int status = order->has_input ? input_read(&p.script, plugin, order->input, text)
                                  : check_bots(order, plugin, text);
    if (p.script.dropped != 0)
        complain(STATUS_OK,
                 "record: --input: frames are too far apart: %" PRIu64 " steps were dropped (a "
                 "frame has 4 at most)",
                 p.script.dropped);
    if (status == STATUS_OK)
        status = check_settings(order, plugin, text);
    if (status == STATUS_OK)
        status = set_config(order, plugin, &config, text);
    if (status == STATUS_OK) {
        const deja_span bytes = { config.bytes, config.size };
        status = record(order, plugin, bytes, &p, text);
    }
    input_release(&p.script);
    deja_buffer_release(&config);
    deja_plugin_close(plugin);
    return status;
}

static void run_child(const record_order *order, pid_t parent, const sigset_t *mask, int notes)
{
    char text[NOTE_TEXT_MAX] = "";
    record_note note;
    const int nothing = open("/dev/null", O_RDWR);
    teller = getpid();
    take_signals(mask);
    /* A parent that is killed has nobody who reads: end as if told to. */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(nothing, STDOUT_FILENO) < 0 ||
        getppid() != parent)
        _exit(STATUS_TROUBLE);
    close(nothing);
    memset(&note, 0, sizeof note);
    note.kind = NOTE_END;
    note.status = play(order, &notes, text);
    send(notes, &note, text);
    /* Without the library's exit handlers: the store is closed, and they may do anything. */
    _exit(STATUS_OK);
}

/* ---- in the parent ---- */

bool record_child_start(record_child *out, const record_order *order)
{
    int ends[2];
    sigset_t all;
    sigset_t mask;
    const pid_t parent = getpid();
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    /* A signal that comes now waits until the child has its own handler. */
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &mask);
    const pid_t process = fork();
    if (process == 0) {
        close(ends[0]);
        run_child(order, parent, &mask, ends[1]);
    }
    interrupt_take_along(process > 0 ? process : 0);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    close(ends[1]);
    if (process < 0)
        close(ends[0]);
    out->process = process;
    out->notes = ends[0];
    out->told = false;
    return process > 0;
}

/* Whether something can be read. A process that the rules have started may hold the pipe open for
 * ever, so the child's end is asked for too. */
static bool wait_readable(record_child *child)
{
    struct pollfd wanted = { .fd = child->notes, .events = POLLIN };
    for (;;) {
        siginfo_t about = { .si_pid = 0 };
        if (interrupt_signal() && !child->told) {
            kill(child->process, interrupt_signal());
            child->told = true;
        }
        /* Looked at before the pipe is: what it wrote before its end is there then. */
        const bool gone =
            waitid(P_PID, (id_t)child->process, &about, WEXITED | WNOHANG | WNOWAIT) != 0 ||
            about.si_pid == child->process;
        const int ready = poll(&wanted, 1, gone ? 0 : PATIENCE_MS);
        if (ready > 0)
            return true;
        if (gone || (ready < 0 && errno != EINTR))
            return false;
    }
}

static bool read_whole(record_child *child, void *bytes, size_t size)
{
    char *at = bytes;
    while (size != 0) {
        const ssize_t got = wait_readable(child) ? read(child->notes, at, size) : 0;
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        at += got > 0 ? got : 0;
        size -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

bool record_child_note(record_child *child, record_note *note, char text[NOTE_TEXT_MAX])
{
    if (!read_whole(child, note, sizeof *note) || note->text_size >= NOTE_TEXT_MAX ||
        !read_whole(child, text, note->text_size))
        return false;
    text[note->text_size] = '\0';
    return true;
}

int record_child_end(record_child *child)
{
    int how = 0;
    pid_t got;
    close(child->notes);
    do
        got = waitpid(child->process, &how, 0);
    while (got < 0 && errno == EINTR);
    interrupt_take_along(0);
    return got == child->process ? how : 0;
}
