/* SPDX-License-Identifier: MIT */
#include "faults/kills.h"

#include <deja/replay.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faults/played.h"
#include "support/demand.h"
#include "support/scratch.h"

#define PLAYER DEJA_BUILD_DIR "/tests/player"
#define RULES DEJA_BUILD_DIR "/rules/ledger.so"
#define WORKER DEJA_BUILD_DIR "/deja"

enum { SEED = 100, BEFORE_SEED = 900, BEFORE = 2, BEFORE_STEPS = 300, AFTER_SEED = 1 };

/* ---- players ---- */

static pid_t start_player(const scene *s, const char *path, const char *how, uint64_t seed,
                          uint64_t sessions, uint64_t steps, bool traced)
{
    char numbers[3][24];
    snprintf(numbers[0], sizeof numbers[0], "%llu", (unsigned long long)seed);
    snprintf(numbers[1], sizeof numbers[1], "%llu", (unsigned long long)sessions);
    snprintf(numbers[2], sizeof numbers[2], "%llu", (unsigned long long)steps);
    const pid_t child = fork();
    demand(child >= 0, "no process");
    if (child == 0) {
        if (traced && ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            _exit(DEMAND_STATUS);
        execl(PLAYER, "player", path, s->witness_path, how, numbers[0], numbers[1], numbers[2],
              (char *)NULL);
        _exit(DEMAND_STATUS);
    }
    return child;
}

pid_t scene_start(const scene *s, const char *how, bool traced)
{
    return start_player(s, s->path, how, s->seed, s->sessions, s->steps, traced);
}

static int wait_for(pid_t child)
{
    int status = -1;
    demand(waitpid(child, &status, 0) == child, "no child");
    return status;
}

int scene_play(scene *s, const char *how)
{
    return wait_for(scene_start(s, how, false));
}

/* ---- scenes ---- */

static void map_witness(scene *s)
{
    const int file = open(s->witness_path, O_RDWR | O_CREAT, 0600);
    demand(file >= 0 && ftruncate(file, sizeof *s->witness) == 0, "%s", s->witness_path);
    void *shared = mmap(NULL, sizeof *s->witness, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    demand(shared != MAP_FAILED, "%s", s->witness_path);
    s->witness = shared;
    close(file);
}

static void play_whole(scene *s, const char *path, uint64_t seed, uint64_t sessions, uint64_t steps,
                       kept_all *out)
{
    const int status = wait_for(start_player(s, path, "play", seed, sessions, steps, false));
    demand(status == 0, "the player alone: status %#x: %s", status, s->witness->why);
    kept_read_at(out, path, "the player alone");
    demand(out->count == sessions, "the player alone: %llu sessions",
           (unsigned long long)out->count);
}

void scene_open(scene *s, uint64_t sessions, uint64_t steps)
{
    char whole_path[128];
    memset(s, 0, sizeof *s);
    scratch_open(s->folder);
    snprintf(s->path, sizeof s->path, "%s/plays.deja", s->folder);
    snprintf(s->before_path, sizeof s->before_path, "%s/before.deja", s->folder);
    snprintf(s->witness_path, sizeof s->witness_path, "%s/witness", s->folder);
    snprintf(whole_path, sizeof whole_path, "%s/whole.deja", s->folder);
    s->seed = SEED;
    s->sessions = sessions;
    s->steps = steps;
    map_witness(s);
    play_whole(s, whole_path, SEED, sessions, steps, &s->whole);
    play_whole(s, s->before_path, BEFORE_SEED, BEFORE, BEFORE_STEPS, &s->before);
}

void scene_close(scene *s)
{
    kept_release(&s->whole);
    kept_release(&s->before);
    munmap(s->witness, sizeof *s->witness);
    scratch_close(s->folder);
}

/* Calls for each file of the store, its own and those beside it. */
static uint32_t each_file(const scene *s, void (*visit)(const char *path))
{
    uint32_t count = 0;
    DIR *folder = opendir(s->folder);
    demand(folder, "%s", s->folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[512];
        if (strncmp(entry->d_name, "plays.deja", strlen("plays.deja")) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", s->folder, entry->d_name);
        visit(path);
        count++;
    }
    closedir(folder);
    return count;
}

static void remove_file(const char *path)
{
    demand(unlink(path) == 0, "%s", path);
}

static void leave_file(const char *path)
{
    (void)path;
}

static void copy(const char *from, const char *to)
{
    char bytes[4096];
    size_t size;
    FILE *source = fopen(from, "rb");
    FILE *target = fopen(to, "wb");
    demand(source && target, "%s cannot be copied", from);
    while ((size = fread(bytes, 1, sizeof bytes, source)) > 0)
        demand(fwrite(bytes, 1, size, target) == size, "%s: no room", to);
    fclose(source);
    demand(fclose(target) == 0, "%s: no room", to);
}

void scene_reset(scene *s, bool empty)
{
    each_file(s, remove_file);
    if (!empty)
        copy(s->before_path, s->path);
    memset((void *)s->witness, 0, sizeof *s->witness);
}

/* ---- what is there ---- */

/* Whether a session may be as it is, or not be there at all. */
static void hold_session(const scene *s, const kept_all *k, uint64_t place, const char *where)
{
    const uint64_t seed = s->seed + place - 1;
    const unsigned long long number = place;
    const uint64_t begun = s->witness->begun, closed = s->witness->closed;
    const uint64_t least = place == begun ? (uint64_t)s->witness->steps : 0;
    const kept_one *whole = kept_of(&s->whole, seed);
    const kept_one *one = kept_of(k, seed);
    if (place <= closed) {
        demand(one && kept_same(one, whole), "%s: session %llu was closed, and is not whole", where,
               number);
        return;
    }
    if (!one) {
        demand(least == 0, "%s: session %llu of %llu steps is lost", where, number,
               (unsigned long long)least);
        return;
    }
    const uint64_t most = place == begun ? least + 1 : 0;
    demand(place <= begun + 1, "%s: session %llu never began", where, number);
    demand(kept_done(one) >= least, "%s: session %llu: %llu steps returned, %llu are there", where,
           number, (unsigned long long)least, (unsigned long long)kept_done(one));
    demand(kept_done(one) <= most, "%s: session %llu: %llu steps returned, and %llu are there",
           where, number, (unsigned long long)least, (unsigned long long)kept_done(one));
    demand(kept_begins(one, whole), "%s: session %llu is another one than was played", where,
           number);
    demand(one->ended != DEJA_ENDED_RUNNING || one->steps == s->steps,
           "%s: session %llu ends early and says that it was closed", where, number);
}

static void hold_before(const scene *s, const kept_all *k, const char *where)
{
    for (uint64_t i = 0; i < s->before.count; i++) {
        const kept_one *one = kept_of(k, s->before.all[i].seed);
        demand(one && kept_same(one, &s->before.all[i]), "%s: an earlier session was touched",
               where);
    }
}

void scene_read(const scene *s, kept_all *out, const char *where)
{
    kept_read_at(out, s->path, where);
}

/* ---- replaying ---- */

typedef struct judging {
    const char *where;
    uint64_t matches;
} judging;

static bool judge(void *user, const deja_verdict *verdict)
{
    judging *j = user;
    demand(verdict->kind == DEJA_MATCH, "%s: %s at step %llu: %s", j->where,
           deja_verdict_name(verdict->kind), (unsigned long long)verdict->step,
           verdict->why ? verdict->why : "");
    j->matches++;
    return true;
}

void scene_verify(const scene *s, const kept_all *k, const char *where)
{
    int64_t keys[64];
    judging j = { where, 0 };
    deja_verify_options options = DEJA_VERIFY_OPTIONS_INIT;
    deja_verify_summary summary;
    deja_error err = { 0 };
    demand(k->count <= 64, "too many sessions");
    for (uint64_t i = 0; i < k->count; i++)
        keys[i] = k->all[i].key;
    options.jobs = 1;
    options.worker = WORKER;
    options.verdict = judge;
    options.user = &j;
    if (k->count == 0)
        return;
    demand(deja_verify(s->path, keys, k->count, RULES, &options, &summary, &err) == DEJA_OK,
           "%s: %s", where, err.message);
    demand(j.matches == k->count, "%s: %llu verdicts", where, (unsigned long long)j.matches);
}

/* ---- the next writer ---- */

void scene_write(const scene *s, const kept_all *k, const char *where)
{
    deja_store *store = NULL;
    deja_error err = { 0 };
    kept_all after;
    demand(deja_store_open(&store, s->path, DEJA_STORE_WRITE, &err) == DEJA_OK, "%s: %s", where,
           err.message);
    played_must(store, AFTER_SEED);
    demand(deja_store_close(store, &err) == DEJA_OK, "%s: %s", where, err.message);
    demand(each_file(s, leave_file) == 1, "%s: files are left beside the store", where);
    scene_read(s, &after, where);
    demand(after.count >= k->count, "%s: a writer dropped a session", where);
    for (uint64_t i = 0; i < k->count; i++) {
        const kept_one *one = kept_of(&after, k->all[i].seed);
        demand(one && kept_same(one, &k->all[i]), "%s: a writer changed a session", where);
    }
    kept_release(&after);
}

/* ---- all of it ---- */

/* Nothing had begun: there may be no store, or one that only a writer can mend. */
static bool nothing_yet(const scene *s, bool empty)
{
    deja_store *store = NULL;
    deja_error err = { 0 };
    if (!empty || s->witness->opened)
        return false;
    const deja_code code = deja_store_open(&store, s->path, DEJA_STORE_READ, &err);
    deja_store_close(store, NULL);
    return code != DEJA_OK;
}

void scene_examine(scene *s, bool empty, const char *where)
{
    kept_all all = { 0 };
    demand(s->witness->failed == 0, "%s: the player: %s", where, s->witness->why);
    if (!nothing_yet(s, empty))
        scene_read(s, &all, where);
    for (uint64_t place = 1; place <= s->sessions; place++)
        hold_session(s, &all, place, where);
    if (!empty)
        hold_before(s, &all, where);
    scene_verify(s, &all, where);
    scene_write(s, &all, where);
    kept_release(&all);
}
