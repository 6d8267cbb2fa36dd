/* SPDX-License-Identifier: MIT */
/*
 * Verifying in a test: what was told, kept; and libraries that are built for one test.
 */
#include "replay/replaying.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "support/scratch.h"

char folder[64], store[128];

void open_folder(void)
{
    scratch_open(folder);
    snprintf(store, sizeof store, "%s/plays.deja", folder);
}

void close_folder(void)
{
    cr_assert_eq(count_workers(), 0, "a worker was left behind");
    scratch_close(folder);
}

/* ---- verifying ---- */

static void add(char *text, size_t size, const char *format, ...) DEJA__PRINTF(3, 4);
static void add(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

static void keep(told *t, const deja_verdict *v)
{
    memset(t, 0, sizeof *t);
    t->kind = v->kind;
    t->id = v->id;
    t->steps = v->steps;
    t->compared = v->compared;
    t->step = v->step;
    t->step_last = v->step_last;
    t->healed = v->healed_step;
    t->parted = v->parted_count;
    t->field_count = v->field_count;
    t->left_out = v->fields_left_out;
    t->before_count = v->before_count;
    memcpy(t->build, v->build, sizeof t->build);
    snprintf(t->game, sizeof t->game, "%s", v->game);
    snprintf(t->command, sizeof t->command, "%s", v->command ? v->command : "");
    snprintf(t->expected, sizeof t->expected, "%s", v->expected ? v->expected : "");
    snprintf(t->actual, sizeof t->actual, "%s", v->actual ? v->actual : "");
    snprintf(t->why, sizeof t->why, "%s", v->why ? v->why : "");
    for (uint32_t i = 0; i < v->field_count; i++)
        add(t->fields, sizeof t->fields, "%s%s: %s / %s", i ? "; " : "", v->fields[i].path,
            v->fields[i].expected ? v->fields[i].expected : "?",
            v->fields[i].actual ? v->fields[i].actual : "?");
    for (uint32_t i = 0; i < v->before_count; i++)
        add(t->before, sizeof t->before, "%s%llu %s %s %016llx", i ? "; " : "",
            (unsigned long long)v->before[i].step, v->before[i].command, v->before[i].result,
            (unsigned long long)v->before[i].hash);
    for (uint32_t i = 0; i < v->remark_count; i++)
        add(t->remarks, sizeof t->remarks, "%s%s", i ? "; " : "", v->remarks[i]);
}

static bool take_verdict(void *user, const deja_verdict *verdict)
{
    verified *v = user;
    if (v->count == v->capacity) {
        v->capacity = v->capacity ? v->capacity * 2 : 8;
        v->items = realloc(v->items, v->capacity * sizeof *v->items);
        cr_assert_not_null(v->items);
    }
    keep(&v->items[v->count++], verdict);
    return v->stop_after == 0 || v->count < v->stop_after;
}

static bool take_progress(void *user, const deja_verify_summary *so_far)
{
    verified *v = user;
    (void)so_far;
    v->progress_calls++;
    return true;
}

deja_verify_options test_options(void)
{
    deja_verify_options options = DEJA_VERIFY_OPTIONS_INIT;
    options.worker = WORKER;
    options.jobs = 1;
    return options;
}

static verified verify(const char *path, const int64_t *keys, uint64_t count, const char *library,
                       const deja_verify_options *given, verified v)
{
    deja_verify_options options = given ? *given : test_options();
    options.verdict = take_verdict;
    options.progress = take_progress;
    options.user = &v;
    v.code = deja_verify(path, keys, count, library, &options, &v.summary, &v.err);
    return v;
}

verified verify_keys(const char *path, const int64_t *keys, uint64_t count, const char *library,
                     const deja_verify_options *options)
{
    return verify(path, keys, count, library, options, (verified){ 0 });
}

verified verify_store(const char *path, const char *library, const deja_verify_options *options)
{
    uint64_t count;
    int64_t *keys = scratch_keys(path, &count);
    const verified v = verify(path, keys, count, library, options, (verified){ 0 });
    free(keys);
    return v;
}

void verified_release(verified *v)
{
    free(v->items);
    v->items = NULL;
}

const told *need(const verified *v, uint64_t count)
{
    cr_assert_eq(v->code, DEJA_OK, "%s", v->err.message);
    cr_assert_eq(v->count, count, "%llu verdicts", (unsigned long long)v->count);
    return v->items;
}

const char *kind_of(const told *t)
{
    return deja_verdict_name(t->kind);
}

/* ---- building ---- */

static int run(const char *command)
{
    const int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void build_library(char path[256], const char *where, const char *name, const char *source,
                   const char *compiler, const char *flags)
{
    char file[256], command[2048];
    const bool cpp = strlen(name) > 2 && strcmp(name + strlen(name) - 2, "pp") == 0;
    snprintf(file, sizeof file, "%s/%s.%s", folder, name, cpp ? "cpp" : "c");
    snprintf(path, 256, "%s/%s.so", where, name);
    FILE *out = fopen(file, "w");
    cr_assert_not_null(out);
    fputs(source, out);
    fclose(out);
    snprintf(command, sizeof command, "command -v %s > /dev/null", compiler);
    if (run(command) != 0) {
        const char *ci = getenv("CI");
        cr_assert(!ci || strcmp(ci, "true") != 0, "no %s, which ci/setup is to install", compiler);
        cr_skip_test("no %s", compiler);
    }
    snprintf(command, sizeof command,
             "%s %s -O2 -g -fPIC -shared -fvisibility=hidden -ffp-contract=off -Wl,-z,now %s "
             "-I%s/lib/include -I%s/fixtures/rules -o %s %s",
             compiler, cpp ? "-std=c++17" : "-std=c11 -D_GNU_SOURCE", flags ? flags : "",
             DEJA_SOURCE_DIR, DEJA_SOURCE_DIR, path, file);
    cr_assert_eq(run(command), 0, "%s", command);
}

void build_fault(char path[256], const char *name, const char *body)
{
    char source[4096];
    snprintf(source, sizeof source,
             "#define LEDGER_VERSION \"1.4.0\"\n#define LEDGER_FAULT fault\n#include "
             "<stdio.h>\n#include \"ledger.h\"\n"
             "static void fault(ledger *l, const ledger_command *c, deja_out *o)"
             " { (void)l; (void)c; (void)o; %s }\n",
             body);
    build_library(path, folder, name, source, "cc", NULL);
}

/* ---- a number that stays ---- */

uint32_t *open_count(char flag[64])
{
    const int id = shmget(IPC_PRIVATE, sizeof(uint32_t), IPC_CREAT | 0600);
    cr_assert_geq(id, 0);
    uint32_t *count = shmat(id, NULL, 0);
    cr_assert_neq((intptr_t)count, -1);
    /* It may still be attached to by its number, and is gone with the last who is. */
    cr_assert_eq(shmctl(id, IPC_RMID, NULL), 0);
    snprintf(flag, 64, "-DCOUNT=%d", id);
    return count;
}

void close_count(uint32_t *count)
{
    shmdt(count);
}

/* ---- processes ---- */

uint32_t count_workers_of(pid_t of)
{
    DIR *processes = opendir("/proc");
    uint32_t count = 0;
    char host[16];
    snprintf(host, sizeof host, "%d", (int)of);
    for (const struct dirent *entry; processes && (entry = readdir(processes)) != NULL;) {
        char path[300], line[512] = "";
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        snprintf(path, sizeof path, "/proc/%s/cmdline", entry->d_name);
        FILE *file = fopen(path, "r");
        if (!file)
            continue;
        const size_t size = fread(line, 1, sizeof line - 1, file);
        fclose(file);
        for (size_t i = 0; i + 1 < size; i++)
            if (!line[i])
                line[i] = ' ';
        /* deja --deja-worker 3 4 5 6 HOST */
        const char *last = strrchr(line, ' ');
        count += strstr(line, DEJA_WORKER_ARGUMENT) != NULL && last && strcmp(last + 1, host) == 0;
    }
    if (processes)
        closedir(processes);
    return count;
}

/* A fork that was killed with its worker takes a moment to go. */
uint32_t count_workers(void)
{
    uint32_t count = count_workers_of(getpid());
    for (int i = 0; i < 200 && count > 0; i++) {
        usleep(10000);
        count = count_workers_of(getpid());
    }
    return count;
}
