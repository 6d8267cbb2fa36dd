/* SPDX-License-Identifier: MIT */
/*
 * A store whose writer was killed while it changed the journal mode, to WAL before its first commit
 * or back at its end: a -journal is left that SQLite wants undone before it reads, and who may only
 * read cannot do that. But there is nothing in it that a reader would miss: that transaction
 * changes the first page, and of that only these bytes of the header:
 *
 *     18 and 19   the journal mode
 *     24 to 27    the change counter
 *     92 to 99    of the last writer
 *
 * So the file is good as it stands, be the transaction undone or done. The journal:
 *
 *     OFFSET  SIZE
 *          0     8  magic
 *          8     4  records, big-endian as all of it; 0 until they are synced, and until then the
 *                   file is as it was
 *         12     4  any
 *         16     4  pages that the file had
 *         20     8  sector size, page size
 *     sector        records: 4 bytes page number, the page as it was, 4 bytes check
 */
#include "store/handle.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADER = 28, RECORD = 4 + DEJA__PAGE_SIZE, SECTOR_MOST = 65536 };

static uint32_t load32(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static bool read_at(int file, uint64_t offset, unsigned char *bytes, uint64_t size)
{
    while (size > 0) {
        const ssize_t done = pread(file, bytes, size, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        bytes += done;
        offset += (uint64_t)done;
        size -= (uint64_t)done;
    }
    return true;
}

static bool may_differ(uint32_t at)
{
    return at == 18 || at == 19 || (at >= 24 && at < 28) || (at >= 92 && at < 100);
}

/* Whether the page that the journal keeps is the file's first but for those bytes. */
static bool is_first_page(const deja_store *store, const unsigned char *record)
{
    unsigned char now[DEJA__PAGE_SIZE];
    if (load32(record) != 1 || deja__sniff_bytes(store->db, now, sizeof now) < 0)
        return false;
    for (uint32_t at = 0; at < DEJA__PAGE_SIZE; at++)
        if (now[at] != record[4 + at] && !may_differ(at))
            return false;
    return true;
}

static bool is_switch(const deja_store *store, int file)
{
    static const unsigned char MAGIC[8] = { 0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7 };
    unsigned char header[HEADER], record[RECORD];
    struct stat status;
    if (!read_at(file, 0, header, HEADER) || memcmp(header, MAGIC, sizeof MAGIC) != 0)
        return false;
    const uint32_t records = load32(header + 8);
    const uint32_t sector = load32(header + 20);
    if (stat(store->path, &status) != 0 || load32(header + 24) != DEJA__PAGE_SIZE ||
        sector > SECTOR_MOST || status.st_size != (off_t)load32(header + 16) * DEJA__PAGE_SIZE)
        return false;
    return records == 0 ||
           (records == 1 && read_at(file, sector, record, RECORD) && is_first_page(store, record));
}

bool deja__was_switched(const deja_store *store)
{
    deja_buffer name = { 0 };
    deja_buffer_text(&name, store->path);
    deja_buffer_text(&name, "-journal");
    const int file = name.failed ? -1 : open((const char *)name.bytes, O_RDONLY | O_CLOEXEC);
    deja_buffer_release(&name);
    if (file < 0)
        return false;
    const bool is = is_switch(store, file);
    close(file);
    return is;
}
