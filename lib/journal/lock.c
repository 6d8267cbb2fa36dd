/* SPDX-License-Identifier: MIT */
/*
 * See lock.h.
 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* F_OFD_SETLK */
#endif
#include "journal/lock.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- locks ---- */

static struct flock range(short type, int first, int bytes)
{
    struct flock lock;
    memset(&lock, 0, sizeof lock);
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = first;
    lock.l_len = bytes;
    return lock;
}

bool deja__journal_lock(int descriptor, int bytes)
{
    struct flock lock = range(F_WRLCK, 0, bytes);
    return fcntl(descriptor, F_OFD_SETLK, &lock) == 0;
}

bool deja__journal_is_locked(int descriptor, int byte, bool *unknown)
{
    struct flock lock = range(F_WRLCK, byte, 1);
    *unknown = fcntl(descriptor, F_OFD_GETLK, &lock) != 0;
    return *unknown || lock.l_type != F_UNLCK;
}

/* ---- children ---- */

static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t kept_once = PTHREAD_ONCE_INIT;
static int *kept;
static uint32_t kept_count;
static uint32_t kept_capacity;

static void before_fork(void)
{
    (void)pthread_mutex_lock(&kept_lock);
}

static void after_fork(void)
{
    (void)pthread_mutex_unlock(&kept_lock);
}

static void in_child(void)
{
    for (uint32_t i = 0; i < kept_count; i++)
        (void)close(kept[i]);
    kept_count = 0;
    (void)pthread_mutex_unlock(&kept_lock);
}

static void watch_forks(void)
{
    (void)pthread_atfork(before_fork, after_fork, in_child);
}

bool deja__journal_keep_from_children(int descriptor)
{
    (void)pthread_once(&kept_once, watch_forks);
    (void)pthread_mutex_lock(&kept_lock);
    bool room = kept_count < kept_capacity;
    if (!room) {
        const uint32_t capacity = kept_capacity ? 2 * kept_capacity : 16;
        int *more = realloc(kept, capacity * sizeof *kept);
        room = more != NULL;
        if (room) {
            kept = more;
            kept_capacity = capacity;
        }
    }
    if (room)
        kept[kept_count++] = descriptor;
    (void)pthread_mutex_unlock(&kept_lock);
    return room;
}

void deja__journal_forget(int descriptor)
{
    (void)pthread_mutex_lock(&kept_lock);
    for (uint32_t i = 0; i < kept_count; i++)
        if (kept[i] == descriptor) {
            kept[i] = kept[--kept_count];
            break;
        }
    if (kept_count == 0) {
        free(kept);
        kept = NULL;
        kept_capacity = 0;
    }
    (void)pthread_mutex_unlock(&kept_lock);
}
