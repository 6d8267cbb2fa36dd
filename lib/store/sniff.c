/* SPDX-License-Identifier: MIT */
/*
 * The file's first bytes, before SQLite is trusted with the rest.
 *
 * They are read through SQLite's own file, never through a second descriptor: closing that would
 * drop the locks that this process holds on the file (POSIX locks belong to the process).
 *
 *     OFFSET  SIZE  SQLITE'S HEADER          as a store has it
 *          0    16  "SQLite format 3", 0
 *         16     2  page size                4096
 *         18     2  write and read version   1 1, or 2 2 in WAL mode
 *         20     4  reserved, fractions      0 64 32 32
 *         24     4  change counter           any
 *         28     4  pages                    what the file's size says
 *         32     8  first free page, their number
 *         40     4  schema cookie            any
 *         44     4  schema format            4
 *         48     4  cache size               0
 *         52     4  auto-vacuum's root       0
 *         56     4  text encoding            1
 *         60     4  user version             1
 *         64     4  incremental vacuum       0
 *         68     4  application id           "deja"
 *         72    20  reserved                 0
 *         92     8  of the last writer       any
 *
 * A writer that trusted a wrong number of pages, a wrong free page or a wrong vacuum mode would
 * write over rows that are good.
 */
#include "store/handle.h"

#include <stdio.h>

enum { HEADER = 100 };

static sqlite3_file *file_of(sqlite3 *db)
{
    sqlite3_file *file = NULL;
    if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || !file ||
        !file->pMethods)
        return NULL;
    return file;
}

/* SQLite's numbers are big-endian. */
static uint32_t load32(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static deja_code read_at(sqlite3 *db, int64_t offset, unsigned char *bytes, int size,
                         deja_error *err)
{
    sqlite3_file *file = file_of(db);
    const int result = file ? file->pMethods->xRead(file, bytes, size, offset) : SQLITE_IOERR;
    if (result != SQLITE_OK && result != SQLITE_IOERR_SHORT_READ)
        return deja__fail(err, DEJA_EIO, "cannot be read: %s", sqlite3_errstr(result));
    return DEJA_OK;
}

static deja_code read_size(sqlite3 *db, int64_t *size, deja_error *err)
{
    sqlite3_file *file = file_of(db);
    sqlite3_int64 found = 0;
    if (!file || file->pMethods->xFileSize(file, &found) != SQLITE_OK)
        return deja__fail(err, DEJA_EIO, "cannot be read");
    *size = found;
    return DEJA_OK;
}

/* ---- what it is, if no store ---- */

static const char *kind_of(const unsigned char *bytes)
{
    static const struct kind {
        const char *magic;
        size_t size;
        const char *name;
    } KINDS[] = {
        { "\x89PNG", 4, "a PNG image" },
        { "deja-replay:", 12, "a replay text: deja import takes it in" },
        { "\x1f\x8b", 2, "a gzip file: unpack it first" },
        { "PK\3\4", 4, "a zip archive: unpack it first" },
        { "\x28\xb5\x2f\xfd", 4, "a zstd file: unpack it first" },
        { "\xfd"
          "7zXZ",
          5, "an xz file: unpack it first" },
        { "\x7f"
          "ELF",
          4, "a program or library" },
        { "version https://git-lfs", 23, "a git-lfs pointer: fetch the file itself" },
    };
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        if (memcmp(bytes, KINDS[i].magic, KINDS[i].size) == 0)
            return KINDS[i].name;
    return NULL;
}

static deja_code fail_other(const unsigned char *bytes, int64_t size, deja_error *err)
{
    char shown[64];
    const char *kind = kind_of(bytes);
    if (kind)
        return deja__fail(err, DEJA_EFORMAT, "is not a deja store, but %s", kind);
    size_t at = 0;
    for (int64_t i = 0; i < size && i < 12; i++) {
        const int room = (int)(sizeof shown - at);
        const bool plain = bytes[i] >= ' ' && bytes[i] <= '~' && bytes[i] != '\\';
        at += (size_t)snprintf(shown + at, (size_t)room, plain ? "%c" : "\\x%02x", bytes[i]);
    }
    return deja__fail(err, DEJA_EFORMAT, "is not a deja store: it begins with '%s'", shown);
}

/* Whether every line end in it is CR LF. Of random bytes one in 256 would be. */
static bool is_converted(sqlite3 *db)
{
    unsigned char bytes[4096];
    uint64_t lines = 0;
    uint64_t bare = 0;
    unsigned char last = 0;
    int64_t size = 0;
    if (read_size(db, &size, NULL) < 0)
        return false;
    for (int64_t offset = 0; offset < size && offset < 1 << 20; offset += (int64_t)sizeof bytes) {
        const int64_t rest = size - offset;
        const int part = rest < (int64_t)sizeof bytes ? (int)rest : (int)sizeof bytes;
        if (read_at(db, offset, bytes, part, NULL) < 0)
            return false;
        for (int i = 0; i < part; i++) {
            lines += bytes[i] == '\n';
            bare += bytes[i] == '\n' && last != '\r';
            last = bytes[i];
        }
    }
    return lines >= 8 && bare == 0;
}

deja_code deja__sniff_hint(sqlite3 *db, deja_code code, deja_error *err)
{
    if (code != DEJA_EDAMAGED || !err || !is_converted(db))
        return code;
    const size_t at = strlen(err->message);
    snprintf(err->message + at, sizeof err->message - at,
             "; every line end in it is CR LF: it was likely sent as a text through something that "
             "converts line ends");
    return code;
}

deja_code deja__sniff(sqlite3 *db, bool *empty, deja_error *err)
{
    static const unsigned char MAGIC[16] = "SQLite format 3";
    unsigned char bytes[HEADER] = { 0 };
    int64_t size = 0;
    deja_code code = read_size(db, &size, err);
    if (code == DEJA_OK)
        code = read_at(db, 0, bytes, HEADER, err);
    if (code < 0)
        return code;
    *empty = size == 0;
    if (*empty)
        return DEJA_OK;
    if (memcmp(bytes, MAGIC, size < 16 ? (size_t)size : 16) != 0)
        return fail_other(bytes, size, err);
    if (size < HEADER)
        return deja__fail(err, DEJA_EDAMAGED, "was cut: it has %lld bytes", (long long)size);
    const uint32_t id = load32(bytes + 68);
    if (id != DEJA__STORE_ID && is_converted(db))
        return deja__fail(err, DEJA_EDAMAGED, "its header is damaged");
    if (id != DEJA__STORE_ID)
        return deja__fail(err, DEJA_EFORMAT,
                          "is not a deja store, but another program's SQLite file (its "
                          "application id is %u)",
                          id);
    const uint32_t version = load32(bytes + 60);
    if (version > DEJA__STORE_VERSION)
        return deja__fail(err, DEJA_EVERSION,
                          "was made by a newer deja: a store of version %u, this one knows %d",
                          version, DEJA__STORE_VERSION);
    return DEJA_OK;
}

deja_code deja__sniff_bytes(sqlite3 *db, unsigned char *bytes, int size)
{
    return read_at(db, 0, bytes, size, NULL);
}

bool deja__sniff_is_wal(sqlite3 *db)
{
    unsigned char bytes[HEADER] = { 0 };
    return read_at(db, 0, bytes, HEADER, NULL) == DEJA_OK && bytes[18] == 2 && bytes[19] == 2;
}

/* ---- the header as a whole ---- */

/* Follows the free pages: so many as the header says, each once, none out of range. */
static deja_code check_free(sqlite3 *db, uint32_t page, uint32_t count, uint32_t pages,
                            deja_error *err)
{
    unsigned char bytes[DEJA__PAGE_SIZE];
    while (page && page <= pages && count) {
        const deja_code code =
            read_at(db, (int64_t)(page - 1) * DEJA__PAGE_SIZE, bytes, sizeof bytes, err);
        if (code < 0)
            return code;
        const uint32_t leaves = load32(bytes + 4);
        if (leaves > DEJA__PAGE_SIZE / 4 - 2 || leaves >= count)
            break;
        for (uint32_t i = 0; i < leaves; i++) {
            const uint32_t leaf = load32(bytes + 8 + 4 * (size_t)i);
            if (leaf < 2 || leaf > pages)
                return deja__fail(err, DEJA_EDAMAGED, "its list of free pages is not sound");
        }
        count -= leaves + 1;
        page = load32(bytes);
    }
    if (page || count)
        return deja__fail(err, DEJA_EDAMAGED, "its list of free pages is not sound");
    return DEJA_OK;
}

deja_code deja__sniff_header(sqlite3 *db, bool writes, uint32_t *version, deja_error *err)
{
    unsigned char bytes[HEADER] = { 0 };
    unsigned char expected[HEADER] = { 0 };
    int64_t size = 0;
    deja_code code = read_size(db, &size, err);
    if (code == DEJA_OK)
        code = read_at(db, 0, bytes, HEADER, err);
    if (code < 0)
        return code;
    memcpy(expected, bytes, HEADER);
    const bool wal = bytes[18] == 2 && bytes[19] == 2;
    memcpy(expected + 16, wal ? "\x10\0\2\2\0\x40\x20\x20" : "\x10\0\1\1\0\x40\x20\x20", 8);
    memset(expected + 44, 0, 48);
    expected[47] = 4;
    expected[59] = 1;
    *version = bytes[63] == DEJA__STORE_OLDEST ? DEJA__STORE_OLDEST : DEJA__STORE_VERSION;
    expected[63] = (unsigned char)*version;
    memcpy(expected + 68, "deja", 4);
    if (memcmp(bytes, expected, HEADER) != 0)
        return deja__fail(err, DEJA_EDAMAGED, "its header is damaged");
    /* In WAL mode the newest pages, and so these numbers, stand in the log. */
    if (wal)
        return DEJA_OK;
    const uint32_t pages = load32(bytes + 28);
    if (size != (int64_t)pages * DEJA__PAGE_SIZE)
        return deja__fail(err, DEJA_EDAMAGED, "has %lld bytes, and should have %lld",
                          (long long)size, (long long)pages * DEJA__PAGE_SIZE);
    return writes ? check_free(db, load32(bytes + 32), load32(bytes + 36), pages, err) : DEJA_OK;
}
