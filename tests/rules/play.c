/* SPDX-License-Identifier: MIT */
/*
 * Two builds side by side.
 */
#include "rules/play.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fields/codec.h"
#include "support/demand.h"
#include "support/host.h"

enum { BYTES = 4096, TYPES = 4 };

/* ---- one build ---- */

/* How values of the other build are seen as the base has them, and how the base's get there. */
typedef struct side {
    library lib;
    deja_layout *layouts[TYPES];
    deja_match *matches[TYPES];
    void *state;
} side;

static const deja_type *type_of(const side *s, uint32_t type)
{
    const deja_rules_table *rules = s->lib.rules;
    const deja_type *types[TYPES] = { &rules->state, &rules->command, &rules->event,
                                      &rules->config };
    return types[type];
}

/* Leaves the child where the two do not fit together, and says why. */
static void side_open(side *s, const char *name, const side *base, played *result)
{
    memset(s, 0, sizeof *s);
    s->lib = library_open(name);
    for (uint32_t type = 0; type < TYPES; type++) {
        deja_error err = { 0 };
        deja_code code = deja__describe(&s->layouts[type], type_of(s, type), &err);
        if (code == DEJA_OK)
            code = deja_match_create(&s->matches[type], (base ? base : s)->layouts[type],
                                     s->layouts[type], &err);
        if (code != DEJA_OK || !deja_match_is_whole(s->matches[type])) {
            snprintf(result->why, sizeof result->why, "%.200s",
                     code != DEJA_OK ? err.message : deja_match_remark(s->matches[type]));
            _exit(0);
        }
    }
}

static void side_close(side *s)
{
    for (uint32_t type = 0; type < TYPES; type++) {
        deja_match_destroy(s->matches[type]);
        deja_layout_destroy(s->layouts[type]);
    }
    library_close(&s->lib);
}

/* A value of the base as this build has it. */
static void *value_of(const side *s, uint32_t type, const unsigned char *bytes, uint64_t size)
{
    deja_buffer present = { 0 };
    const deja_span none = { NULL, 0 };
    void *value = host_create(type_of(s, type));
    const deja_code code =
        deja_match_to_present(s->matches[type], bytes, size, none, &present, NULL);
    demand(code == DEJA_OK, "a value that the other build cannot have");
    host_load(type_of(s, type), value, present.bytes, present.size);
    deja_buffer_release(&present);
    return value;
}

/* Appends a value of this build as the base has it. */
static void see(const side *s, uint32_t type, const void *value, deja_buffer *seen)
{
    unsigned char bytes[BYTES];
    const uint64_t size = host_save(type_of(s, type), value, 64, bytes, sizeof bytes);
    const deja_code code = deja_match_to_recorded(s->matches[type], bytes, size, seen, NULL);
    demand(code == DEJA_OK, "a value that the base cannot have");
}

/* ---- both ---- */

/* What one build made of a step, as the base has it. */
typedef struct seen {
    deja_buffer state, events;
    uint32_t event_count;
    const char *result;
} seen;

static void look(const side *s, const emitted *all, uint32_t result, seen *got)
{
    deja_buffer_clear(&got->state);
    deja_buffer_clear(&got->events);
    see(s, 0, s->state, &got->state);
    for (uint32_t i = 0; i < all->count; i++)
        see(s, 2, emitted_at(all, i), &got->events);
    got->event_count = all->count;
    got->result = library_result(&s->lib, result);
}

static bool is_equal(const deja_buffer *a, const deja_buffer *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->bytes, b->bytes, a->size) == 0);
}

static bool add_field(void *user, const deja_difference *difference)
{
    played *result = user;
    const size_t size = strlen(result->fields);
    snprintf(result->fields + size, sizeof result->fields - size, "%s%s", size ? "," : "",
             difference->path);
    return true;
}

static void compare(const side *base, const seen *a, const seen *b, played *result)
{
    const bool states = is_equal(&a->state, &b->state);
    const bool events = a->event_count == b->event_count && is_equal(&a->events, &b->events);
    const bool results = strcmp(a->result, b->result) == 0;
    const bool is_accepted = strcmp(a->result, "ok") == 0;
    if (result->parted)
        result->differed_for += is_accepted && !states;
    if (result->parted || (states && events && results))
        return;
    result->parted = result->done + 1;
    result->differed_for = is_accepted && !states;
    strcpy(result->part, !states ? "state" : !results ? "result" : "events");
    deja_value_compare(base->layouts[0], (deja_span){ a->state.bytes, a->state.size },
                       (deja_span){ b->state.bytes, b->state.size }, add_field, result, NULL);
}

static void start_both(side *base, side *other, uint64_t seed)
{
    const deja_rules_table *rules = base->lib.rules;
    unsigned char bytes[BYTES];
    const uint64_t size =
        rules->config.size ? host_save(&rules->config, rules->config_default, 0, bytes, BYTES) : 0;
    void *config = value_of(other, 3, bytes, size);
    base->state = host_create(&rules->state);
    other->state = host_create(&other->lib.rules->state);
    demand(rules->start(base->state, rules->config_default, seed, NULL) == 0, "the base refuses");
    demand(other->lib.rules->start(other->state, config, seed, NULL) == 0, "the other refuses");
    host_destroy(type_of(other, 3), config);
}

/* One step of both. The base's bytes of the command are in `bytes`. */
static void step_both(side *base, side *other, const void *command, const unsigned char *bytes,
                      uint64_t size, const char *when, seen *a, seen *b, played *result)
{
    static emitted of_base, of_other;
    void *present = value_of(other, 1, bytes, size);
    emitted_open(&of_base, base->lib.rules->event.size);
    emitted_open(&of_other, other->lib.rules->event.size);
    look(base, &of_base, base->lib.rules->apply(base->state, command, &of_base.out), a);
    const uint32_t answer = other->lib.rules->apply(other->state, present, &of_other.out);
    look(other, &of_other, answer, b);
    compare(base, a, b, result);
    host_destroy(type_of(other, 1), present);
    result->done++;
    const bool is_accepted = strcmp(a->result, "ok") == 0;
    result->accepted += is_accepted;
    const step_facts facts = {
        .game = base->lib.rules->id,
        .accepted = result->accepted,
        .is_accepted = is_accepted,
        .result = a->result,
        .command = bytes,
        .state = a->state.bytes,
        .state_size = a->state.size,
        .events = a->events.bytes,
        .events_size = a->events.size,
    };
    if (!result->due && step_is(when, &facts)) {
        result->due = result->done;
        result->due_accepted = result->accepted;
    }
}

/* A session. The outcome counts for its last step, after all else. */
static void play_session(side *base, side *other, const play *p, uint64_t seed, played *result)
{
    const deja_bot *bot = library_bot(&base->lib, p->bot);
    void *command = host_create(&base->lib.rules->command);
    unsigned char bytes[BYTES];
    seen a = { .result = "" }, b = { .result = "" };
    deja_luck luck;
    memset(result, 0, sizeof *result);
    deja_luck_seed(&luck, seed, 1);
    start_both(base, other, seed);
    while (result->done < p->most && bot->pick(base->state, &luck, command, NULL)) {
        const uint64_t size = host_save(&base->lib.rules->command, command, 0, bytes, BYTES);
        step_both(base, other, command, bytes, size, p->when, &a, &b, result);
    }
    strcpy(result->base_outcome, library_outcome(&base->lib, base->state));
    strcpy(result->outcome, library_outcome(&other->lib, other->state));
    if (!result->due && strcmp(p->when, "gain") == 0 && strcmp(result->base_outcome, "gain") == 0)
        result->due = result->done;
    if (!result->parted && strcmp(result->base_outcome, result->outcome) != 0) {
        result->parted = result->done;
        strcpy(result->part, "outcome");
    }
    host_destroy(&base->lib.rules->state, base->state);
    host_destroy(&other->lib.rules->state, other->state);
    host_destroy(&base->lib.rules->command, command);
    deja_buffer_release(&a.state);
    deja_buffer_release(&a.events);
    deja_buffer_release(&b.state);
    deja_buffer_release(&b.events);
}

static void play_child(const play *p, played *result)
{
    side base, other;
    side_open(&base, p->base, NULL, result);
    side_open(&other, p->other, &base, result);
    for (uint32_t session = 0; session < p->sessions; session++) {
        if (p->reopen && session > 0) {
            side_close(&other);
            side_open(&other, p->other, &base, result);
        }
        play_session(&base, &other, p, p->seed + session, result);
    }
    side_close(&other);
    side_close(&base);
}

/* A library that calls exit() ends the child there and then: what the test has registered to be
 * done at its own end, such as a look for leaks, is not for the child. */
static void leave_at_once(int status, void *nothing)
{
    (void)nothing;
    _exit(status);
}

/* Starts the child: no output, no core, and not more than half a gigabyte. */
static pid_t begin(const play *p, played **shared)
{
    *shared =
        mmap(NULL, sizeof **shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    demand(*shared != MAP_FAILED, "no shared memory");
    fflush(NULL);
    const pid_t child = fork();
    demand(child >= 0, "no child");
    if (child == 0) {
        demand_in_child();
        on_exit(leave_at_once, NULL);
        const struct rlimit none = { 0, 0 }, memory = { 1u << 29, 1u << 29 };
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, 1);
        if (p->quiet)
            dup2(nowhere, 2);
        setrlimit(RLIMIT_CORE, &none);
        if (strstr(p->other, "eats-memory"))
            setrlimit(RLIMIT_AS, &memory);
        play_child(p, *shared);
        _exit(PLAY_FINISHED);
    }
    return child;
}

int play_both(const play *p, played *result)
{
    played *shared;
    int status = -1;
    const pid_t child = begin(p, &shared);
    demand(waitpid(child, &status, 0) == child, "no child to wait for");
    *result = *shared;
    munmap(shared, sizeof *shared);
    return status;
}

bool play_stuck(const play *p, played *result)
{
    const struct timespec moment = { 0, 1000000 }, longer = { 0, 50000000 };
    played *shared;
    int status = 0;
    const pid_t child = begin(p, &shared);
    while (shared->done < p->most - 1 && waitpid(child, &status, WNOHANG) == 0)
        nanosleep(&moment, NULL);
    nanosleep(&longer, NULL);
    const bool is_there = waitpid(child, &status, WNOHANG) == 0;
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    *result = *shared;
    munmap(shared, sizeof *shared);
    return is_there;
}
