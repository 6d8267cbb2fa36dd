/* SPDX-License-Identifier: MIT */
/*
 * Opening and closing.
 *
 *     1  what the path leads to         stat; folders, devices and what is not there are told here
 *     2  what its first bytes are       not a store, another program's, a newer one's
 *     3  the header, the schema         strictly as this version makes them
 *     4  the manifest                   every table's rows are counted
 *
 * After that a table may be asked for a row. Reading opens the file without the right to write, so
 * nothing that follows can change it.
 */
#include "store/handle.h"

#include "store/catalog.h"
#include "store/gather.h"
#include "store/journals.h"
#include "store/notes.h"
#include "store/part.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the path ---- */

/* A name that SQLite takes as a path whatever it is: not ":memory:", not a URI. */
static char *literal_path(const char *path)
{
    deja_buffer buffer = { 0 };
    if (path[0] != '/')
        deja_buffer_text(&buffer, "./");
    deja_buffer_text(&buffer, path);
    if (buffer.failed)
        deja_buffer_release(&buffer);
    return (char *)buffer.bytes;
}

/* The path as part of a message: one line, not too long, its end rather than its beginning. */
static char *message_name(const char *path)
{
    const size_t size = strlen(path);
    deja_buffer buffer = { 0 };
    if (size > 200)
        deja_buffer_text(&buffer, "...");
    for (const char *c = size > 200 ? path + size - 200 : path; *c; c++)
        deja_buffer_char(&buffer, (unsigned char)*c < ' ' || *c == 127 ? '?' : *c);
    if (buffer.failed)
        deja_buffer_release(&buffer);
    return (char *)buffer.bytes;
}

/* SQLite tells of a file that it could not make as of one that is not there. */
static deja_code look_at_folder(const char *path, deja_error *err)
{
    const char *slash = strrchr(path, '/');
    deja_buffer folder = { 0 };
    deja_buffer_add(&folder, path, (uint64_t)(slash - path) + (slash == path));
    if (folder.failed)
        return deja__fail_memory(err);
    deja_code code = DEJA_OK;
    if (faccessat(AT_FDCWD, (const char *)folder.bytes, W_OK | X_OK, AT_EACCESS) != 0) {
        const char *word = errno == ENOENT ? "there is no such folder" : deja_system_text(errno);
        code = deja__fail(err, DEJA_EIO, "cannot be made: %s", word ? word : "its folder");
    }
    deja_buffer_release(&folder);
    return code;
}

static deja_code look_at(const char *path, uint32_t mode, deja_error *err)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        const char *word = deja_system_text(errno);
        if (errno == ENOENT && mode == DEJA_STORE_WRITE)
            return look_at_folder(path, err);
        return deja__fail(err, DEJA_EIO, "%s", word ? word : "cannot be looked at");
    }
    if (S_ISDIR(status.st_mode))
        return deja__fail(err, DEJA_EIO, "is a folder");
    if (!S_ISREG(status.st_mode))
        return deja__fail(err, DEJA_EIO, "is not a file");
    /* SQLite takes such a file for an empty one, and would write over it. */
    if (status.st_size == 1)
        return deja__fail(err, DEJA_EFORMAT, "is not a deja store: it has one byte");
    return DEJA_OK;
}

/* ---- the connection ---- */

/* A file that is somebody else's must not make SQLite do more than read tables. */
static deja_code configure(sqlite3 *db, deja_error *err)
{
    static const char PRAGMAS[] = "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0";
    sqlite3_extended_result_codes(db, 1);
    sqlite3_busy_timeout(db, 5000);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(db, SQLITE_LIMIT_TRIGGER_DEPTH, 0);
    sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, 16 * 1024);
    sqlite3_limit(db, SQLITE_LIMIT_COLUMN, 64);
    sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
    const int result = sqlite3_exec(db, PRAGMAS, NULL, NULL, NULL);
    return result == SQLITE_OK ? DEJA_OK : deja__sql_fail(db, result, "cannot be opened", err);
}

static deja_code connect_to(deja_store *store, const char *name, int flags, deja_error *err)
{
    const int result = sqlite3_open_v2(name, &store->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
    if (!store->db)
        return deja__fail_memory(err);
    if (result != SQLITE_OK)
        return deja__sql_fail(store->db, result, "cannot be opened", err);
    return configure(store->db, err);
}

static void disconnect(deja_store *store)
{
    for (uint32_t table = 0; table < DEJA__TABLE_COUNT; table++)
        for (uint32_t which = 0; which < DEJA__STATEMENTS_A_TABLE; which++) {
            sqlite3_finalize(store->statements[table][which]);
            store->statements[table][which] = NULL;
        }
    for (uint32_t order = 0; order < DEJA__ORDER_COUNT; order++) {
        sqlite3_finalize(store->orders[order]);
        store->orders[order] = NULL;
    }
    sqlite3_close(store->db);
    store->db = NULL;
}

/* ---- what is in it ---- */

/* SQLite reads the schema by a program of its own, which a stranger's pages could make endless. */
static int stop(void *user)
{
    int64_t *left = user;
    return --*left < 0;
}

/* Blocks are read once, one behind another: a large cache would only grow with the store. */
static const char *cache_size(uint32_t mode)
{
    return mode == DEJA_STORE_READ ? "PRAGMA cache_size=-512" : "PRAGMA cache_size=-8000";
}

static deja_code trust_in_transaction(deja_store *store, deja_error *err)
{
    int64_t left = 1000; /* of 10,000 steps each */
    deja_code code =
        deja__sniff_header(store->db, store->mode != DEJA_STORE_READ, &store->version, err);
    if (code < 0)
        return code;
    sqlite3_progress_handler(store->db, 10000, stop, &left);
    code = deja__schema_compare(store, err);
    sqlite3_progress_handler(store->db, 0, NULL, NULL);
    if (code == DEJA_OK)
        code = deja__order_prepare(store, DEJA__PAGE_COUNT, err);
    if (code == DEJA_OK)
        sqlite3_exec(store->db, cache_size(store->mode), NULL, NULL, NULL); /* asks the schema */
    if (code == DEJA_OK)
        code = deja__manifest_read(store, err);
    if (code == DEJA_OK)
        code = deja__manifest_count(store, err);
    return code;
}

static deja_code trust(deja_store *store, deja_error *err)
{
    deja_code code = DEJA_OK;
    for (uint32_t order = 0; order < DEJA__PAGE_COUNT && code == DEJA_OK; order++)
        code = deja__order_prepare(store, order, err);
    if (code == DEJA_OK)
        code = deja__read_begin(store, err);
    if (code < 0)
        return code;
    /* The first read takes the lock, and undoes what a killed writer left half done. */
    int64_t ignored = 0;
    const int result = deja__order_number(store, DEJA__DATA_VERSION, &ignored);
    if (result != SQLITE_OK)
        code = deja__sql_fail(store->db, result, "cannot be read", err);
    if (code == DEJA_OK)
        code = trust_in_transaction(store, err);
    deja__read_end(store);
    return code;
}

/* Another process may be making the same store: who gets the lock makes it. */
static deja_code create(deja_store *store, deja_error *err)
{
    static const char BEFORE[] = "PRAGMA page_size=4096; PRAGMA auto_vacuum=NONE;"
                                 "PRAGMA encoding='UTF-8'; PRAGMA synchronous=EXTRA;"
                                 "BEGIN EXCLUSIVE";
    bool empty = false;
    int result = sqlite3_exec(store->db, BEFORE, NULL, NULL, NULL);
    if (result != SQLITE_OK)
        return deja__sql_fail(store->db, result, "cannot be made", err);
    deja_code code = deja__sniff(store->db, &empty, err);
    if (code == DEJA_OK && empty)
        code = deja__schema_create(store, err);
    if (code == DEJA_OK) {
        result = sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL);
        if (result != SQLITE_OK)
            code = deja__sql_fail(store->db, result, "cannot be made", err);
    }
    if (code < 0 && !sqlite3_get_autocommit(store->db))
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return code;
}

static deja_code open_file(deja_store *store, deja_error *err)
{
    static const int FLAGS[] = {
        [DEJA_STORE_READ] = SQLITE_OPEN_READONLY,
        [DEJA_STORE_WRITE] = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
        [DEJA_STORE_APPEND] = SQLITE_OPEN_READWRITE,
    };
    bool empty = false;
    deja_code code = connect_to(store, store->path, FLAGS[store->mode], err);
    if (code == DEJA_OK && store->mode != DEJA_STORE_READ && sqlite3_db_readonly(store->db, "main"))
        code = deja__fail(err, DEJA_EIO, "may not be written to: permission denied");
    if (code == DEJA_OK)
        code = deja__settle(store, &empty, err);
    if (code == DEJA_OK && empty)
        code = store->mode == DEJA_STORE_WRITE
                   ? create(store, err)
                   : deja__fail(err, DEJA_EFORMAT, "is not a deja store: it is empty");
    if (code == DEJA_OK)
        code = trust(store, err);
    return code < 0 ? deja__sniff_hint(store->db, code, err) : code;
}

/* ---- a store that was left in WAL mode, where nothing may be written ---- */

static bool has_log(const char *path)
{
    struct stat status;
    deja_buffer name = { 0 };
    deja_buffer_text(&name, path);
    deja_buffer_text(&name, "-wal");
    const bool has =
        name.failed || (stat((const char *)name.bytes, &status) == 0 && status.st_size);
    deja_buffer_release(&name);
    return has;
}

/* SQLite wants to make a file beside such a store even to read it. Without a log the file is all
 * there is, and can be read as one that nobody changes: who might, the row checks would tell. */
static deja_code open_unchanging(deja_store *store, deja_error *err)
{
    deja_buffer uri = { 0 };
    bool empty = false;
    deja_buffer_text(&uri, store->path[0] == '/' ? "file://" : "file:");
    for (const char *c = store->path; *c; c++)
        if (*c == '%' || *c == '?' || *c == '#')
            deja__print(&uri, "%%%02x", (unsigned)*c);
        else
            deja_buffer_char(&uri, *c);
    deja_buffer_text(&uri, "?immutable=1");
    deja_code code = uri.failed ? deja__fail_memory(err) : DEJA_OK;
    disconnect(store);
    if (code == DEJA_OK)
        code =
            connect_to(store, (const char *)uri.bytes, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, err);
    if (code == DEJA_OK)
        code = deja__sniff(store->db, &empty, err);
    if (code == DEJA_OK)
        code = trust(store, err);
    deja_buffer_release(&uri);
    return code;
}

static deja_code open_any(deja_store *store, deja_error *err)
{
    const deja_code code = open_file(store, err);
    if (code != DEJA_EIO || store->mode != DEJA_STORE_READ || !store->db)
        return code;
    if (deja__was_switched(store))
        return open_unchanging(store, err);
    if (!deja__sniff_is_wal(store->db))
        return code;
    if (!has_log(store->path))
        return open_unchanging(store, err);
    return deja__fail(err, DEJA_EIO,
                      "a recording was cut short, and what it left in '-wal' beside it cannot be "
                      "read in a folder that may not be written to; copy both files to one that "
                      "may");
}

/* ---- the public functions ---- */

static void destroy(deja_store *store)
{
    deja__side_destroy(store->side);
    deja__gather_destroy(store->gather);
    deja__kept_notes_destroy(store->notes);
    deja__cache_destroy(store->cache);
    deja__catalog_destroy(store->catalog);
    deja__packer_destroy(store->packer);
    deja__unpacker_destroy(store->unpacker);
    disconnect(store);
    free(store->path);
    free(store->name);
    free(store->remark);
    free(store);
}

/* What is kept in memory of a store. */
static deja_code equip(deja_store *store, deja_error *err)
{
    deja_code code = deja__unpacker_create(&store->unpacker, err);
    if (code == DEJA_OK)
        code = deja__catalog_create(&store->catalog, err);
    if (code == DEJA_OK)
        code = deja__cache_create(&store->cache, err);
    if (code == DEJA_OK)
        code = deja__kept_notes_create(&store->notes, err);
    if (code == DEJA_OK && store->mode != DEJA_STORE_READ)
        code = deja__packer_create(&store->packer, err);
    if (code == DEJA_OK && store->mode != DEJA_STORE_READ)
        code = deja__gather_create(&store->gather, err);
    return code;
}

static deja_code create_handle(deja_store **out, const char *path, uint32_t mode, deja_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return deja__fail_memory(err);
    (*out)->mode = mode;
    (*out)->path = literal_path(path);
    (*out)->name = message_name(path);
    if ((*out)->path && (*out)->name)
        return DEJA_OK;
    destroy(*out);
    *out = NULL;
    return deja__fail_memory(err);
}

deja_code deja_store_open(deja_store **out, const char *path, uint32_t mode, deja_error *err)
{
    deja_store *store;
    if (!out)
        return deja__fail(err, DEJA_EMISUSE, "there is no place for the store");
    *out = NULL;
    if (!path || !*path || mode > DEJA_STORE_APPEND)
        return deja__fail(err, DEJA_EMISUSE, "a store needs a path and a mode");
    deja_code code = create_handle(&store, path, mode, err);
    if (code < 0)
        return code;
    code = look_at(store->path, mode, err);
    if (code == DEJA_OK)
        code = open_any(store, err);
    if (code == DEJA_OK && mode != DEJA_STORE_READ)
        code = deja__network_look(store, err);
    if (code == DEJA_OK)
        code = equip(store, err);
    if (code == DEJA_OK && mode == DEJA_STORE_READ)
        code = deja__journals_read(store, err);
    else if (code == DEJA_OK)
        deja__journals_fold(store);
    if (code < 0) {
        deja__store_fail(store, code, err);
        destroy(store);
        return code;
    }
    *out = store;
    return DEJA_OK;
}

deja_code deja__store_open_memory(deja_store **out, const char *name, deja_error *err)
{
    deja_store *store;
    *out = NULL;
    deja_code code = create_handle(&store, name, DEJA_STORE_WRITE, err);
    if (code < 0)
        return code;
    store->version = DEJA__STORE_VERSION;
    store->ready_to_write = true;
    code = connect_to(store, ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err);
    for (uint32_t order = 0; order < DEJA__PAGE_COUNT && code == DEJA_OK; order++)
        code = deja__order_prepare(store, order, err);
    if (code == DEJA_OK && deja__order_run(store, DEJA__BEGIN_WRITE) != SQLITE_OK)
        code = deja__fail_memory(err);
    if (code == DEJA_OK)
        code = deja__schema_create(store, err);
    if (code == DEJA_OK && deja__order_run(store, DEJA__COMMIT) != SQLITE_OK)
        code = deja__fail_memory(err);
    if (code == DEJA_OK)
        code = deja__order_prepare(store, DEJA__PAGE_COUNT, err);
    if (code == DEJA_OK)
        code = equip(store, err);
    if (code < 0) {
        destroy(store);
        return code;
    }
    *out = store;
    return DEJA_OK;
}

/* Back to one file. Where somebody else has it open this is left to the last one. */
static void leave_wal(deja_store *store)
{
    int64_t ignored;
    sqlite3_busy_timeout(store->db, 0);
    /* Only who reads learns that another handle has entered it. */
    if (deja__read_begin(store, NULL) == DEJA_OK) {
        (void)deja__order_number(store, DEJA__DATA_VERSION, &ignored);
        deja__read_end(store);
    }
    sqlite3_wal_checkpoint_v2(store->db, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    sqlite3_exec(store->db, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL);
}

deja_code deja_store_close(deja_store *store, deja_error *err)
{
    if (!store)
        return DEJA_OK;
    deja_code code = DEJA_OK;
    if (store->gather) {
        code = deja__gather_flush(store, err);
        const uint64_t lost = deja__gather_count(store->gather);
        if (code < 0 && lost)
            deja__fail_within(err, code, "%llu finished session%s could not be stored",
                              (unsigned long long)lost, lost == 1 ? "" : "s");
        leave_wal(store);
    }
    deja__store_fail(store, code, err);
    destroy(store);
    return code;
}

void deja__store_let_go(deja_store *store)
{
    if (!store)
        return;
    (void)sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    destroy(store);
}

deja_code deja_store_flush(deja_store *store, deja_error *err)
{
    if (!store)
        return deja__fail(err, DEJA_EMISUSE, "there is no store");
    if (!store->gather)
        return deja__store_fail(store, deja__fail(err, DEJA_EMISUSE, "is open for reading only"),
                                err);
    return deja__store_fail(store, deja__gather_flush(store, err), err);
}

void deja_store_told_of(const deja_store *store, deja_store_told *told)
{
    if (!told)
        return;
    memset(told, 0, sizeof *told);
    if (store)
        *told = store->told;
}

uint64_t deja_store_gathered(const deja_store *store)
{
    return store && store->gather ? deja__gather_count(store->gather) : 0;
}

const char *deja_store_remark(const deja_store *store)
{
    return store ? store->remark : NULL;
}
