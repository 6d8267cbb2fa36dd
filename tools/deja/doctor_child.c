/* SPDX-License-Identifier: MIT */
/*
 * See doctor_child.h. The child has limits: of memory, so that rules which take all there is crash
 * by themselves, and of the time of one call, which the parent looks after.
 */
#include "doctor_child.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include "output.h"

/* As much as a worker has; where a sanitizer keeps its shadow, no limit works. */
#define MEMORY_MAX ((rlim_t)4 << 30)
enum { MOVED_BLOCKS = 64 };
#if defined(__SANITIZE_ADDRESS__)
#define HAS_SHADOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_SHADOW 1
#endif
#endif

/* ---- in the child ---- */

typedef struct checking {
    const doctor_order *order;
    doctor_place *place;
    doctor_ways *ways;
    bool is_second;
    int notes;
    bool lost; /* the parent does not read any more */
} checking;

static void send(checking *c, doctor_note *note, const char *text, size_t size)
{
    note->text_size = (uint32_t)size;
    if (!child_send(c->notes, note, sizeof *note, text, size))
        c->lost = true;
}

static bool take_finding(void *user, const deja_finding *f)
{
    checking *c = user;
    const char *const texts[TEXT_COUNT] = { f->player,   f->session, f->command, f->path,
                                            f->expected, f->actual,  f->why };
    doctor_note note;
    char all[DOCTOR_TEXT_MAX];
    size_t size = 0;
    memset(&note, 0, sizeof note);
    note.kind = DOCTOR_FINDING;
    note.clause = f->clause;
    note.more_fields = f->more_fields;
    note.seed = f->seed;
    note.game = f->game;
    note.step = f->step;
    note.saved = f->saved;
    for (uint32_t i = 0; i < TEXT_COUNT; i++) {
        const size_t room = sizeof all / TEXT_COUNT - 1;
        const size_t text_size = texts[i] ? strnlen(texts[i], room) : 0;
        note.missing |= texts[i] ? 0 : 1u << i;
        memcpy(all + size, texts[i] ? texts[i] : "", text_size);
        all[size + text_size] = '\0';
        size += text_size + 1;
    }
    send(c, &note, all, size);
    return !c->lost && !child_stopped();
}

static void take_count(void *user, uint64_t finding, uint64_t count)
{
    doctor_note note;
    memset(&note, 0, sizeof note);
    note.kind = DOCTOR_COUNTED;
    note.number = finding;
    note.count = count;
    send(user, &note, NULL, 0);
}

static bool take_place(void *user, const deja_check_place *at)
{
    const checking *c = user;
    doctor_place *place = c->place;
    const uint64_t size = at->command.size;
    place->seed = at->seed;
    place->game = at->game;
    place->step = at->step;
    snprintf(place->doing, sizeof place->doing, "%s", at->doing);
    snprintf(place->player, sizeof place->player, "%s", at->player);
    place->command_size = at->command.bytes && size <= DOCTOR_COMMAND_MAX ? size : 0;
    if (place->command_size)
        memcpy(place->command, at->command.bytes, (size_t)size);
    place->summary = *at->so_far;
    __atomic_store_n(&place->calls, place->calls + 1, __ATOMIC_RELEASE);
    return !c->lost && !child_stopped();
}

/* Ways that do not fit are left out, and all that come after them. */
static bool take_way(void *user, deja_span way)
{
    checking *c = user;
    doctor_ways *ways = c->ways;
    if (!ways || way.size > DOCTOR_WAYS_MAX - ways->size) {
        c->ways = NULL;
        return !c->lost && !child_stopped();
    }
    memcpy(ways->bytes + ways->size, way.bytes, (size_t)way.size);
    ways->size += way.size;
    return !c->lost && !child_stopped();
}

/* Takes memory that the first child has not, so that all that follows lies elsewhere: blocks of
 * some sizes, as a library may fit into a gap. */
static void move_away(void)
{
    static const size_t sizes[] = { 1 << 16, 1 << 14, 1 << 12 };
    for (uint32_t i = 0; i < 3 * MOVED_BLOCKS; i++) {
        void *volatile heap = malloc(16);
        void *volatile mapped =
            mmap(NULL, sizes[i / MOVED_BLOCKS], PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        (void)heap;
        (void)mapped;
    }
}

static void limit_itself(void)
{
    const struct rlimit none = { 0, 0 };
    setrlimit(RLIMIT_CORE, &none);
#ifndef HAS_SHADOW
    struct rlimit memory;
    if (getrlimit(RLIMIT_AS, &memory) == 0 && memory.rlim_cur > MEMORY_MAX) {
        memory.rlim_cur = MEMORY_MAX;
        setrlimit(RLIMIT_AS, &memory);
    }
#endif
}

static int check(checking *c, deja_plugin *plugin, deja_span config, char text[DOCTOR_TEXT_MAX])
{
    const doctor_order *order = c->order;
    deja_check_options options = DEJA_CHECK_OPTIONS_INIT;
    deja_error err;
    options.bots = order->bots;
    options.config = config;
    options.seed = order->seed;
    options.games = order->games;
    options.max_steps = order->max_steps;
    options.content = order->content;
    options.found = take_finding;
    options.counted = take_count;
    options.doing = take_place;
    options.user = c;
    if (c->is_second)
        options.held = (deja_span){ c->ways->bytes, c->ways->size };
    else
        options.played = take_way;
    deja_code code = DEJA_OK;
    if (order->store)
        code = deja_store_open(&options.store, order->store, DEJA_STORE_READ, &err);
    if (code == DEJA_OK)
        code = deja_check_rules(plugin, &options, &c->place->summary, &err);
    deja_store_close(options.store, NULL);
    if (code < 0)
        return settings_fail(text, status_of(code),
                             settings_blame_rules(code) ? order->rules : NULL, &err);
    return STATUS_OK;
}

static int open_and_check(checking *c, char text[DOCTOR_TEXT_MAX])
{
    deja_plugin *plugin = NULL;
    deja_buffer config = { 0 };
    deja_error err;
    const args *given = c->order->given;
    const deja_code code = deja_plugin_open(&plugin, c->order->rules, &err);
    if (code < 0)
        return settings_fail(text, status_of(code), c->order->rules, &err);
    const deja_rules_table *table = deja_plugin_table(plugin);
    snprintf(c->place->layout, sizeof c->place->layout, "%s",
             deja_layout_text(deja_plugin_layout(plugin, DEJA_COMMAND)));
    snprintf(c->place->version, sizeof c->place->version, "%s", table->version);
    snprintf(c->place->game_id, sizeof c->place->game_id, "%s", table->id);
    int status = STATUS_OK;
    if (c->order->bots)
        status = settings_bots(given, c->order->bots, DEJA_CHECK_MADE, plugin, text);
    if (status == STATUS_OK)
        status = settings_config(given, plugin, &config, text);
    if (status == STATUS_OK)
        status = check(c, plugin, (deja_span){ config.bytes, config.size }, text);
    deja_buffer_release(&config);
    deja_plugin_close(plugin);
    return status;
}

static void run_child(void *user, int notes)
{
    const doctor_child *mine = user;
    checking c = { .order = mine->order,
                   .place = mine->place,
                   .ways = mine->ways,
                   .is_second = mine->is_second,
                   .notes = notes };
    char text[DOCTOR_TEXT_MAX] = "";
    doctor_note note;
    limit_itself();
    if (c.is_second)
        move_away();
    memset(&note, 0, sizeof note);
    note.kind = DOCTOR_END;
    note.status = open_and_check(&c, text);
    send(&c, &note, text, strlen(text));
}

/* ---- in the parent ---- */

/* The CPU time that the child has used, in ms. */
static uint64_t cpu_ms(const doctor_child *c)
{
    clockid_t clock;
    struct timespec used = { 0, 0 };
    if (clock_getcpuclockid(c->child.process, &clock) != 0 || clock_gettime(clock, &used) != 0)
        return 0;
    return (uint64_t)used.tv_sec * 1000 + (uint64_t)used.tv_nsec / 1000000;
}

/* A call that takes too long is one that hangs. */
static bool is_well(void *user)
{
    doctor_child *c = user;
    const uint64_t calls = __atomic_load_n(&c->place->calls, __ATOMIC_ACQUIRE);
    const uint64_t now = clock_ms();
    const uint64_t used = cpu_ms(c);
    if (calls != c->calls) {
        c->calls = calls;
        c->since = now;
        c->cpu_since = used;
        if (progress_is_shown())
            progress_show("checking %s: game %s, %s steps", c->place->game_id,
                          text_count(c->place->game), text_count(c->place->summary.steps));
        return true;
    }
    c->hung_cpu = c->order->hang_cpu_ms && used >= c->cpu_since + c->order->hang_cpu_ms;
    c->hung = c->hung_cpu || (c->order->hang_wall_ms && now >= c->since + c->order->hang_wall_ms);
    return !c->hung;
}

/* Memory that a child has as well; zero, and only there where it is touched. */
static void *share(size_t size)
{
    void *shared =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return shared == MAP_FAILED ? NULL : shared;
}

doctor_ways *doctor_ways_create(void)
{
    return share(sizeof(doctor_ways));
}

void doctor_ways_destroy(doctor_ways *ways)
{
    if (ways)
        munmap(ways, sizeof *ways);
}

bool doctor_child_start(doctor_child *out, const doctor_order *order, doctor_ways *ways,
                        bool is_second)
{
    memset(out, 0, sizeof *out);
    out->order = order;
    out->ways = ways;
    out->is_second = is_second;
    out->place = share(sizeof *out->place);
    if (!out->place)
        return false;
    out->since = clock_ms();
    if (!child_start(&out->child, run_child, out))
        return false;
    out->child.is_well = is_well;
    out->child.user = out;
    return true;
}

bool doctor_child_note(doctor_child *from, doctor_note *note, char text[DOCTOR_TEXT_MAX])
{
    if (!child_read(&from->child, note, sizeof *note) || note->text_size >= DOCTOR_TEXT_MAX ||
        !child_read(&from->child, text, note->text_size))
        return false;
    text[note->text_size] = '\0';
    return true;
}

int doctor_child_end(doctor_child *ended)
{
    return child_end(&ended->child);
}

void doctor_child_release(doctor_child *released)
{
    if (released->place)
        munmap(released->place, sizeof *released->place);
    released->place = NULL;
}
