/* SPDX-License-Identifier: MIT */
#include "bench/bench.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static int missed;

void bench_check(deja_code code, const deja_error *err)
{
    if (code != DEJA_OK)
        bench_fail("%s", err->message);
}

void bench_fail(const char *format, ...)
{
    va_list arguments;
    fflush(stdout);
    fprintf(stderr, "bench: ");
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n");
    exit(2);
}

double bench_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

double bench_cpu(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_size);
    return values[count / 2];
}

void bench_goal(bool met, const char *format, ...)
{
    va_list arguments;
    if (met)
        return;
    missed++;
    printf("MISSED   ");
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
}

int bench_missed(void)
{
    return missed;
}

void bench_path(char path[BENCH_PATH_SIZE], const char *folder, const char *name)
{
    if (snprintf(path, BENCH_PATH_SIZE, "%s/%s", folder, name) >= BENCH_PATH_SIZE)
        bench_fail("the folder's path is too long");
}

void bench_remove(const char *path)
{
    static const char *const beside[] = { "", "-wal", "-shm", "-journal" };
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        char name[BENCH_PATH_SIZE + 16];
        snprintf(name, sizeof name, "%s%s", path, beside[i]);
        unlink(name);
    }
}

struct listed {
    int64_t key;
    uint64_t steps;
    uint32_t count;
};

static bool take_entry(void *user, const deja_entry *entry)
{
    struct listed *listed = user;
    listed->key = entry->key;
    listed->steps = entry->session.steps;
    listed->count++;
    return true;
}

int64_t bench_only_key(deja_store *store, uint64_t *steps)
{
    struct listed listed = { 0 };
    deja_error err = { 0 };
    bench_check(deja_store_list(store, take_entry, &listed, &err), &err);
    if (listed.count != 1)
        bench_fail("the store has %u sessions, not one", listed.count);
    if (steps)
        *steps = listed.steps;
    return listed.key;
}
