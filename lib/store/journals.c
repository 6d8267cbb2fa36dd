/* SPDX-License-Identifier: MIT */
/*
 * Finding journals beside a store, and folding what dead recorders left. See journals.h.
 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "store/journals.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "journal/lock.h"
#include "store/fold.h"
#include "store/take_in.h"

enum { WAIT_MS = 5000, WAIT_STEP_MS = 10, NUMBER_DIGITS = 16 };
#define JOURNAL_SIZE_MAX \
    ((int64_t)1 << 32) /* bytes; a recorder's has little more than 2 GiB at most */
#define SUFFIX ".journal"

/* ---- names ---- */

typedef struct names {
    char **paths;
    uint32_t count;
    uint32_t capacity;
} names;

static void release(names *n)
{
    for (uint32_t i = 0; i < n->count; i++)
        free(n->paths[i]);
    free(n->paths);
}

/* Whether that is the name of a journal of the store with this name. */
static bool is_journal(const char *name, const char *store)
{
    const size_t size = strlen(store);
    uint64_t number;
    return strlen(name) == size + 1 + NUMBER_DIGITS + strlen(SUFFIX) &&
           memcmp(name, store, size) == 0 && name[size] == '-' &&
           deja__read_hex(name + size + 1, NUMBER_DIGITS, &number) &&
           strcmp(name + size + 1 + NUMBER_DIGITS, SUFFIX) == 0;
}

static bool add(names *n, const char *folder, size_t size, const char *name)
{
    deja_buffer path = { 0 };
    char **paths = deja__grow(n->paths, sizeof *paths, n->count, &n->capacity);
    if (!paths)
        return false;
    n->paths = paths;
    deja_buffer_add(&path, folder, size);
    deja_buffer_text(&path, name);
    if (path.failed)
        return false;
    n->paths[n->count++] = (char *)path.bytes;
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Those beside the store, in order of their names. false: no memory. */
static bool find(const deja_store *store, names *n)
{
    const char *path = sqlite3_db_filename(store->db, "main");
    const char *base = path ? strrchr(path, '/') : NULL;
    deja_buffer folder = { 0 };
    bool fine = true;
    memset(n, 0, sizeof *n);
    if (!base)
        return true;
    if (!deja_buffer_add(&folder, path, (uint64_t)(base - path) + 1))
        return false;
    DIR *dir = opendir((const char *)folder.bytes);
    if (dir)
        for (const struct dirent *entry; fine && (entry = readdir(dir)) != NULL;)
            if (is_journal(entry->d_name, base + 1))
                fine = add(n, (const char *)folder.bytes, (size_t)folder.size, entry->d_name);
    if (dir)
        closedir(dir);
    deja_buffer_release(&folder);
    if (n->count > 1)
        qsort(n->paths, n->count, sizeof *n->paths, by_name);
    return fine;
}

/* ---- one journal ---- */

static bool read_all(int descriptor, unsigned char *bytes, uint64_t size)
{
    uint64_t done = 0;
    while (done < size) {
        const ssize_t part = pread(descriptor, bytes + done, (size_t)(size - done), (off_t)done);
        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0)
            return false;
        done += (uint64_t)part;
    }
    return true;
}

/* All of a file; *bytes is the caller's. */
static deja_code load(int descriptor, const char *path, unsigned char **bytes, uint64_t *size,
                      deja_error *err)
{
    struct stat status;
    *bytes = NULL;
    if (fstat(descriptor, &status) != 0 || status.st_size > JOURNAL_SIZE_MAX)
        return deja__fail(err, DEJA_EIO, "%s: too large for a journal", path);
    *size = (uint64_t)status.st_size;
    *bytes = malloc((size_t)*size + 1);
    if (!*bytes)
        return deja__fail_memory(err);
    if (read_all(descriptor, *bytes, *size))
        return DEJA_OK;
    free(*bytes);
    *bytes = NULL;
    return deja__fail(err, DEJA_EIO, "%s: cannot be read", path);
}

/* Its sessions go into `store`. @param source where their first blocks may be */
static deja_code fold_into(deja_store *store, deja_store *source, const unsigned char *bytes,
                           uint64_t size, deja__folded *folded, deja_error *err)
{
    deja__journal journal;
    deja__journal_walk walk;
    deja__journal_record record;
    deja__fold *fold = NULL;
    deja_code code = deja__journal_open(&journal, bytes, size, err);
    if (code == DEJA_OK && !journal.ring)
        code = deja__fail(err, DEJA_EFORMAT, "not a recorder's journal");
    if (code == DEJA_OK)
        code = deja__fold_open(&fold, store, journal.number, err);
    if (code < 0)
        return code;
    fold->source = source;
    deja__journal_walk_begin(&walk, &journal);
    if (walk.session)
        code = deja__fold_resume(fold, walk.session, walk.steps, err);
    while (code == DEJA_OK && deja__journal_walk_next(&walk, &record))
        code = record.kind == DEJA__JOURNAL_GAP
                   ? deja__fold_gap(fold, walk.session, walk.steps, err)
                   : deja__fold_take(fold, &record, 0, err);
    if (walk.failed)
        code = deja__fail_memory(err);
    const char *why = walk.why;
    deja__journal_walk_end(&walk);
    if (code == DEJA_OK)
        code = deja__fold_end(fold, err);
    if (code == DEJA_OK)
        code = deja_store_flush(store, err);
    if (code == DEJA_OK && fold->lost_place != UINT64_MAX)
        code = deja__fail(err, DEJA_EIO, "a session of it is not taken");
    folded->id = fold->id;
    folded->known = fold->known;
    folded->ended = fold->ended;
    folded->steps = fold->steps;
    folded->sessions = fold->sessions;
    folded->left_out = fold->left_out;
    snprintf(folded->why, sizeof folded->why, "%s", why ? why : "");
    deja__fold_close(fold);
    return code;
}

deja_code deja__journal_fold(deja_store *store, const char *name, const void *bytes, uint64_t size,
                             deja__folded *folded, deja_error *err)
{
    deja_store *memory = NULL;
    memset(folded, 0, sizeof *folded);
    deja_code code = store ? DEJA_OK : deja__store_open_memory(&memory, name, err);
    if (code == DEJA_OK)
        code = fold_into(store ? store : memory, store ? store : memory, bytes, size, folded, err);
    deja__store_let_go(memory);
    return code;
}

/* ---- for who writes ---- */

/* Locks it, unless its recorder lives or somebody folds it. */
static int take(const char *path)
{
    struct stat status;
    const int descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor < 0)
        return -1;
    /* It may have been folded and removed between. */
    if (deja__journal_lock(descriptor, 2) && fstat(descriptor, &status) == 0 &&
        status.st_nlink != 0 && S_ISREG(status.st_mode))
        return descriptor;
    (void)close(descriptor);
    errno = EAGAIN;
    return -1;
}

static void leave(deja_store *store, const char *path, const deja_error *why)
{
    const char *base = strrchr(path, '/');
    store->told.left++;
    snprintf(store->told.why, sizeof store->told.why, "%.120s: %.300s", base ? base + 1 : path,
             why->message);
}

static void leave_shut(deja_store *store, const char *path)
{
    deja_error why;
    deja__fail(&why, DEJA_EIO, "may not be opened: permission denied");
    leave(store, path, &why);
}

/* Something of it is damaged: what is before is taken, and the file stays under another name, for
 * somebody who can make more of it. */
static void set_aside(deja_store *store, const char *path, const deja__folded *folded)
{
    deja_error why;
    deja_buffer name = { 0 };
    deja_buffer_text(&name, path);
    deja_buffer_text(&name, ".damaged");
    deja__fail(&why, DEJA_EDAMAGED,
               "%s; what is before is taken, and the file is kept, with .damaged behind its name",
               folded->why);
    if (!name.failed && rename(path, (const char *)name.bytes) == 0)
        store->told.journals++;
    deja_buffer_release(&name);
    leave(store, path, &why);
}

void deja__journals_fold(deja_store *store)
{
    names n;
    (void)find(store, &n);
    for (uint32_t i = 0; i < n.count; i++) {
        unsigned char *bytes;
        uint64_t size;
        deja_error why;
        deja__folded folded = { 0 };
        const int descriptor = take(n.paths[i]);
        if (descriptor < 0 && errno == EACCES)
            leave_shut(store, n.paths[i]);
        if (descriptor < 0)
            continue;
        deja_code code = load(descriptor, n.paths[i], &bytes, &size, &why);
        if (code == DEJA_OK)
            code = fold_into(store, store, bytes, size, &folded, &why);
        free(bytes);
        store->told.sessions += folded.sessions;
        if (code < 0)
            leave(store, n.paths[i], &why);
        else if (folded.why[0])
            set_aside(store, n.paths[i], &folded);
        else if (unlink(n.paths[i]) == 0)
            store->told.journals++;
        (void)close(descriptor);
    }
    release(&n);
}

/* ---- for who reads ---- */

static void sleep_a_little(void)
{
    const struct timespec pause = { 0, WAIT_STEP_MS * 1000000L };
    (void)nanosleep(&pause, NULL);
}

/* Opens one whose recorder is dead; waits until who folds it has done so, and it is gone. */
static int open_dead(const char *path)
{
    bool unknown;
    for (int waited = 0; waited < WAIT_MS; waited += WAIT_STEP_MS) {
        const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
        if (descriptor < 0)
            return -1;
        const bool folded = deja__journal_is_locked(descriptor, 1, &unknown) && !unknown;
        const bool lives = deja__journal_is_locked(descriptor, 0, &unknown) && !unknown;
        if (!folded && !lives)
            return descriptor;
        (void)close(descriptor);
        errno = EAGAIN;
        if (!folded)
            return -1;
        sleep_a_little();
    }
    return -1;
}

deja_code deja__journals_read(deja_store *store, deja_error *err)
{
    names n;
    deja_code code = find(store, &n) ? DEJA_OK : deja__fail_memory(err);
    for (uint32_t i = 0; i < n.count && code == DEJA_OK; i++) {
        unsigned char *bytes = NULL;
        uint64_t size;
        deja_error why;
        deja__folded folded = { 0 };
        const int descriptor = open_dead(n.paths[i]);
        if (descriptor < 0 && errno == EACCES)
            leave_shut(store, n.paths[i]);
        if (descriptor < 0)
            continue;
        code = store->side ? DEJA_OK : deja__side_create(store, err);
        const uint32_t hidden = code == DEJA_OK ? store->side->hidden_count : 0;
        if (code == DEJA_OK) {
            deja_code read = load(descriptor, n.paths[i], &bytes, &size, &why);
            if (read == DEJA_OK)
                read = fold_into(store->side->store, store, bytes, size, &folded, &why);
            store->told.sessions += folded.sessions;
            if (read == DEJA_OK && folded.why[0])
                read = deja__fail(&why, DEJA_EDAMAGED, "%s", folded.why);
            else if (read < 0) /* what is not on the side is not hidden */
                store->side->hidden_count = hidden;
            if (read < 0)
                leave(store, n.paths[i], &why);
            else
                store->told.journals++;
        }
        free(bytes);
        (void)close(descriptor);
    }
    release(&n);
    return code;
}
