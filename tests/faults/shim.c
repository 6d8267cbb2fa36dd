/* SPDX-License-Identifier: MIT */
/*
 * The layer: each method does what the system's own does, and logs what worked.
 *
 * Nothing is really synced: that it was asked for is in the log, and no machine fails here. A
 * file's mapped access is left out, so that nothing is written past the log.
 */
#include "faults/shim.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "support/demand.h"

const char *const shim_suffixes[SHIM_FILES] = { "", "-wal", "-journal" };

typedef struct shim_file {
    sqlite3_file base;
    uint32_t name;       /* SHIM_FILES: none of the store's */
    bool folder_is_owed; /* the first sync takes the folder along, as the system's layer does it */
    _Alignas(8) unsigned char real[]; /* as SQLite aligns files */
} shim_file;

static sqlite3_vfs *system_layer;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char watched[4096];
static shim_op *ops;
static uint64_t op_count, op_capacity;
static uint32_t (*look)(void);

static struct {
    uint32_t kind;
    uint64_t countdown; /* 0: nothing is refused */
    int code;
    bool lasting, broken;
    uint64_t refused;
} fault;

/* ---- the log ---- */

static void add(const shim_op *op)
{
    if (op_count == op_capacity) {
        op_capacity = op_capacity ? 2 * op_capacity : 1024;
        ops = realloc(ops, op_capacity * sizeof *ops);
        demand(ops, "no memory for the log");
    }
    ops[op_count++] = *op;
}

static void log_op(uint32_t kind, uint32_t name, uint64_t offset, const void *bytes, uint64_t size,
                   bool folder)
{
    shim_op op = { kind, name, folder, offset, size, NULL, 0 };
    if (name == SHIM_FILES)
        return;
    if (size) {
        op.bytes = malloc(size);
        demand(op.bytes, "no memory for the log");
        memcpy(op.bytes, bytes, size);
    }
    if (look)
        op.view = look();
    pthread_mutex_lock(&lock);
    add(&op);
    pthread_mutex_unlock(&lock);
}

void shim_look(uint32_t (*wanted)(void))
{
    look = wanted;
}

const shim_op *shim_log(uint64_t *count)
{
    *count = op_count;
    return ops;
}

void shim_note(uint64_t number)
{
    log_op(SHIM_NOTE, SHIM_STORE, number, NULL, 0, false);
}

/* ---- faults ---- */

void shim_fail(uint32_t kind, uint64_t nth, int code, bool lasting)
{
    pthread_mutex_lock(&lock);
    fault.kind = kind;
    fault.countdown = nth;
    fault.code = code;
    fault.lasting = lasting;
    fault.broken = false;
    fault.refused = 0;
    pthread_mutex_unlock(&lock);
}

void shim_mend(void)
{
    pthread_mutex_lock(&lock);
    fault.countdown = 0;
    fault.broken = false;
    pthread_mutex_unlock(&lock);
}

uint64_t shim_refused(void)
{
    return fault.refused;
}

/* What this operation is answered in place of being done, or SQLITE_OK. */
static int refusal(uint32_t kind, uint32_t name)
{
    int code = SQLITE_OK;
    if (name == SHIM_FILES)
        return code;
    pthread_mutex_lock(&lock);
    const bool now = fault.countdown && fault.kind == kind && --fault.countdown == 0;
    if (now || fault.broken) {
        code = fault.code;
        fault.broken = fault.lasting;
        fault.refused++;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

/* ---- files ---- */

static sqlite3_file *real_of(sqlite3_file *file)
{
    return (sqlite3_file *)(void *)((shim_file *)(void *)file)->real;
}

static uint32_t name_of(sqlite3_file *file)
{
    return ((shim_file *)(void *)file)->name;
}

static uint32_t find_name(const char *path)
{
    const size_t size = strlen(watched);
    if (!path || size == 0 || strncmp(path, watched, size) != 0)
        return SHIM_FILES;
    uint32_t name = 0;
    while (name < SHIM_FILES && strcmp(path + size, shim_suffixes[name]) != 0)
        name++;
    return name;
}

static int file_close(sqlite3_file *file)
{
    return real_of(file)->pMethods->xClose(real_of(file));
}

static int file_read(sqlite3_file *file, void *bytes, int size, sqlite3_int64 offset)
{
    return real_of(file)->pMethods->xRead(real_of(file), bytes, size, offset);
}

static int file_write(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 offset)
{
    int result = refusal(SHIM_WRITE, name_of(file));
    if (result == SQLITE_OK)
        result = real_of(file)->pMethods->xWrite(real_of(file), bytes, size, offset);
    if (result == SQLITE_OK)
        log_op(SHIM_WRITE, name_of(file), (uint64_t)offset, bytes, (uint64_t)size, false);
    return result;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    int result = refusal(SHIM_TRUNCATE, name_of(file));
    if (result == SQLITE_OK)
        result = real_of(file)->pMethods->xTruncate(real_of(file), size);
    if (result == SQLITE_OK)
        log_op(SHIM_TRUNCATE, name_of(file), (uint64_t)size, NULL, 0, false);
    return result;
}

static int file_sync(sqlite3_file *file, int flags)
{
    shim_file *shim = (shim_file *)(void *)file;
    const int result = refusal(SHIM_SYNC, shim->name);
    (void)flags;
    if (result == SQLITE_OK) {
        log_op(SHIM_SYNC, shim->name, 0, NULL, 0, shim->folder_is_owed);
        shim->folder_is_owed = false;
    }
    return result;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size)
{
    return real_of(file)->pMethods->xFileSize(real_of(file), size);
}

static int file_lock(sqlite3_file *file, int kind)
{
    return real_of(file)->pMethods->xLock(real_of(file), kind);
}

static int file_unlock(sqlite3_file *file, int kind)
{
    return real_of(file)->pMethods->xUnlock(real_of(file), kind);
}

static int file_reserved(sqlite3_file *file, int *out)
{
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), out);
}

static int file_control(sqlite3_file *file, int order, void *argument)
{
    return real_of(file)->pMethods->xFileControl(real_of(file), order, argument);
}

static int file_sector_size(sqlite3_file *file)
{
    return real_of(file)->pMethods->xSectorSize(real_of(file));
}

static int file_characteristics(sqlite3_file *file)
{
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}

static int file_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **out)
{
    return real_of(file)->pMethods->xShmMap(real_of(file), page, size, extend, out);
}

static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags)
{
    return real_of(file)->pMethods->xShmLock(real_of(file), offset, count, flags);
}

static void file_shm_barrier(sqlite3_file *file)
{
    real_of(file)->pMethods->xShmBarrier(real_of(file));
}

static int file_shm_unmap(sqlite3_file *file, int remove)
{
    return real_of(file)->pMethods->xShmUnmap(real_of(file), remove);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
};

/* Version 1 has all but what is shared. */
static sqlite3_io_methods methods_in_use;

void shim_share_nothing(void)
{
    methods_in_use.iVersion = 1;
}

/* ---- the folder ---- */

static bool is_there(const char *path)
{
    int there = 0;
    system_layer->xAccess(system_layer, path, SQLITE_ACCESS_EXISTS, &there);
    return there != 0;
}

static int layer_open(sqlite3_vfs *layer, const char *path, sqlite3_file *file, int flags,
                      int *out_flags)
{
    shim_file *shim = (shim_file *)(void *)file;
    (void)layer;
    shim->base.pMethods = NULL;
    shim->name = find_name(path);
    const bool creates = (flags & SQLITE_OPEN_CREATE) != 0;
    const bool is_new = creates && shim->name != SHIM_FILES && !is_there(path);
    int result = is_new ? refusal(SHIM_CREATE, shim->name) : SQLITE_OK;
    if (result != SQLITE_OK)
        return SQLITE_CANTOPEN;
    result = system_layer->xOpen(system_layer, path, real_of(file), flags, out_flags);
    if (result != SQLITE_OK)
        return result;
    shim->folder_is_owed = creates && shim->name != SHIM_STORE;
    shim->base.pMethods = &methods_in_use;
    if (is_new)
        log_op(SHIM_CREATE, shim->name, 0, NULL, 0, false);
    return SQLITE_OK;
}

static int layer_delete(sqlite3_vfs *layer, const char *path, int sync_folder)
{
    const uint32_t name = find_name(path);
    (void)layer;
    int result = refusal(SHIM_DELETE, name);
    if (result != SQLITE_OK)
        return SQLITE_IOERR_DELETE;
    result = system_layer->xDelete(system_layer, path, 0);
    if (result == SQLITE_OK)
        log_op(SHIM_DELETE, name, 0, NULL, 0, sync_folder != 0);
    return result;
}

static void install(void)
{
    static sqlite3_vfs layer;
    system_layer = sqlite3_vfs_find(NULL);
    demand(system_layer, "SQLite has no layer of its own");
    methods_in_use = methods;
    layer = *system_layer;
    layer.zName = "deja-shim";
    layer.szOsFile = (int)sizeof(shim_file) + system_layer->szOsFile;
    layer.xOpen = layer_open;
    layer.xDelete = layer_delete;
    demand(sqlite3_vfs_register(&layer, 1) == SQLITE_OK, "the layer is not taken");
}

void shim_watch(const char *path)
{
    if (!system_layer)
        install();
    demand(strlen(path) < sizeof watched, "the path is too long");
    strcpy(watched, path);
    for (uint64_t i = 0; i < op_count; i++)
        free(ops[i].bytes);
    op_count = 0;
}
