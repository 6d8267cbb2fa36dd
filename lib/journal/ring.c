/* SPDX-License-Identifier: MIT */
/*
 * The ring's file and memory, and who plays. See ring.h; who folds is in ring_read.c.
 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* MADV_POPULATE_WRITE, MADV_WIPEONFORK */
#endif
#include "journal/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "journal/lock.h"

/* ---- the file ---- */

static deja_code fail_system(const char *doing, const char *path, deja_error *err)
{
    const int kept = errno;
    const char *word = deja_system_text(kept);
    return deja__fail(err, DEJA_EIO, "%s: %s: %s", path, doing, word ? word : "it failed");
}

/* Zeros, all of them in one call: then the system keeps the file in the largest pages that it has,
 * and mapping them is a matter of microseconds, not of one page after another. */
static bool write_zeros(int descriptor, uint64_t at, uint64_t size)
{
    enum { PIECE = 65536, PIECES = 1024 };
    static unsigned char zeros[PIECE];
    struct iovec pieces[PIECES];
    while (size) {
        const uint64_t now = size < (uint64_t)PIECE * PIECES ? size : (uint64_t)PIECE * PIECES;
        const int count = (int)(now / PIECE); /* segments are multiples of a piece */
        for (int i = 0; i < count; i++)
            pieces[i] = (struct iovec){ zeros, PIECE };
        const ssize_t done = pwritev(descriptor, pieces, count, (off_t)at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0 || done % PIECE != 0)
            return false;
        at += (uint64_t)done;
        size -= (uint64_t)done;
    }
    return true;
}

/* Room on the disk, so that storing into the memory cannot fail. */
static bool reserve(int descriptor, uint64_t at, uint64_t size)
{
    int failed;
    do
        failed = posix_fallocate(descriptor, (off_t)at, (off_t)size);
    while (failed == EINTR);
    errno = failed;
    if (failed && failed != EINVAL && failed != EOPNOTSUPP)
        return false;
    return write_zeros(descriptor, at, size);
}

/* Every page, before a step needs it. */
static bool touch(unsigned char *memory, uint64_t size)
{
#if defined(MADV_POPULATE_WRITE)
    if (madvise(memory, size, MADV_POPULATE_WRITE) != 0 && errno != EINVAL)
        return false;
#endif
    for (uint64_t i = 0; i < size; i += DEJA__JOURNAL_PAGE)
        *(volatile unsigned char *)(memory + i) = 0;
    return true;
}

static uint64_t offset_of(const deja__ring *ring, uint32_t slot)
{
    return (uint64_t)(slot + 1) * ring->segment_size;
}

/* So many slots more, allocated and mapped. On failure there are as many as before. */
static bool grow(deja__ring *ring, uint32_t count)
{
    const uint64_t at = offset_of(ring, ring->slot_count);
    const uint64_t size = (uint64_t)count * ring->segment_size;
    if (ring->slot_count + count > ring->slots_most) {
        errno = ENOSPC;
        return false;
    }
    if (!reserve(ring->descriptor, at, size))
        return false;
    unsigned char *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ring->descriptor, (off_t)at);
    if (memory == MAP_FAILED)
        return false;
    /* A child's mapping would keep the file open, and its lock, after this process is dead. */
    if (madvise(memory, size, MADV_DONTFORK) != 0 || !touch(memory, size)) {
        const int kept = errno;
        munmap(memory, size);
        errno = kept;
        return false;
    }
    for (uint32_t i = 0; i < count; i++)
        ring->slots[ring->slot_count + i] = memory + (uint64_t)i * ring->segment_size;
    atomic_store_explicit(&ring->slot_count, ring->slot_count + count, memory_order_relaxed);
    return true;
}

/* A number that no journal beside this one has. */
static uint64_t make_number(const deja__ring *ring)
{
    struct timespec now = { 0, 0 };
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t sum = deja__journal_mix((uint64_t)now.tv_sec, (uint64_t)now.tv_nsec);
    sum = deja__journal_mix(sum, (uint64_t)getpid());
    clock_gettime(CLOCK_MONOTONIC, &now);
    sum = deja__journal_mix(sum, (uint64_t)now.tv_sec << 30 ^ (uint64_t)now.tv_nsec);
    return deja__journal_mix(sum, (uint64_t)(uintptr_t)ring);
}

static bool write_header(deja__ring *ring)
{
    unsigned char page[DEJA__JOURNAL_PAGE] = { 0 };
    struct timespec now = { 0, 0 };
    clock_gettime(CLOCK_REALTIME, &now);
    memcpy(page, "dejajrnl", 8);
    deja__store32(page + 8, DEJA__JOURNAL_RING);
    deja__store32(page + 12, ring->segment_size);
    deja__store64(page + 16, ring->number);
    deja__store64(page + 48, now.tv_sec > 0 ? (uint64_t)now.tv_sec : 0);
    deja__store64(page + 56, deja__journal_mix_bytes(0, page, DEJA__JOURNAL_HEADER - 8));
    ssize_t done;
    do
        done = pwrite(ring->descriptor, page, sizeof page, 0);
    while (done < 0 && errno == EINTR);
    if (done >= 0 && done != (ssize_t)sizeof page)
        errno = ENOSPC;
    return done == (ssize_t)sizeof page;
}

/* ---- segments ---- */

static bool pop_free(deja__ring *ring, uint16_t *slot)
{
    if (ring->slots_taken == atomic_load_explicit(&ring->slots_freed, memory_order_acquire))
        return false;
    *slot = ring->free_slots[ring->slots_taken++ % DEJA__RING_SLOTS_MAX];
    return true;
}

/* A slot that is free, is made free, or is made. */
static bool take_slot(deja__ring *ring, uint16_t *slot)
{
    if (pop_free(ring, slot))
        return true;
    if (ring->make_room && ring->make_room(ring->user) && pop_free(ring, slot))
        return true;
    if (!grow(ring, 1))
        return false;
    *slot = (uint16_t)(ring->slot_count - 1);
    return true;
}

static void begin_segment(deja__ring *ring, uint64_t number, uint16_t slot)
{
    unsigned char *memory = ring->slots[slot];
    deja__store64(memory + 8, ring->number);
    deja__store64(memory + 16, number);
    deja__store64(memory + 32, ring->session);
    deja__store64(memory + 40, ring->steps);
    memcpy(memory, "dejasegm", 8);
    deja__store64(memory + 56, deja__journal_mix_bytes(0, memory, DEJA__JOURNAL_SEGMENT - 8));
    ring->slot_of[number % DEJA__RING_SLOTS_MAX] = slot;
    ring->memory = memory;
    ring->segment = number;
    ring->place = (number + 1) * ring->segment_size;
    ring->at = DEJA__JOURNAL_SEGMENT;
    atomic_store_explicit(&ring->segments_begun, number + 1, memory_order_release);
}

/* ---- opening and closing ---- */

static char *name_of(const char *store, const char *folder, uint64_t number)
{
    const char *base = strrchr(store, '/');
    deja_buffer name = { 0 };
    if (folder) {
        deja_buffer_text(&name, folder);
        deja_buffer_text(&name, "/");
        store = base ? base + 1 : store;
    }
    deja_buffer_text(&name, store);
    deja_buffer_text(&name, "-");
    deja__print_hex(&name, number, 16);
    deja_buffer_text(&name, ".journal");
    if (name.failed)
        deja_buffer_release(&name);
    return (char *)name.bytes;
}

/* The file gets its name when it is whole and locked, for others fold what has such a name. Where
 * there are no files without a name it has another one until then. false: no memory. */
static bool make_file(deja__ring *ring)
{
    char self[40];
    deja_buffer folder = { 0 };
    deja_buffer_add(&folder, ring->path, (uint64_t)(strrchr(ring->path, '/') - ring->path) + 1);
    if (folder.failed)
        return false;
    ring->descriptor = open((const char *)folder.bytes, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    deja_buffer_release(&folder);
    snprintf(self, sizeof self, "/proc/self/fd/%d", ring->descriptor);
    if (ring->descriptor >= 0 && access(self, F_OK) == 0)
        return true;
    if (ring->descriptor >= 0)
        (void)close(ring->descriptor);
    deja_buffer_text(&ring->made, ring->path);
    deja_buffer_text(&ring->made, ".new");
    if (!ring->made.failed)
        ring->descriptor =
            open((const char *)ring->made.bytes, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return !ring->made.failed;
}

static bool name_file(deja__ring *ring)
{
    char self[40];
    snprintf(self, sizeof self, "/proc/self/fd/%d", ring->descriptor);
    ring->has_name = ring->made.size
                         ? rename((const char *)ring->made.bytes, ring->path) == 0
                         : linkat(AT_FDCWD, self, AT_FDCWD, ring->path, AT_SYMLINK_FOLLOW) == 0;
    return ring->has_name;
}

static deja_code create(deja__ring *ring, uint32_t slots, deja_error *err)
{
    if (!make_file(ring))
        return deja__fail_memory(err);
    if (ring->descriptor < 0)
        return fail_system("the journal cannot be made", ring->path, err);
    /* Without locks nobody could tell whether this process lives, and might fold under it. */
    if (!deja__journal_lock(ring->descriptor, 1))
        return fail_system("the journal cannot be locked", ring->path, err);
    if (!deja__journal_keep_from_children(ring->descriptor))
        return deja__fail_memory(err);
    ring->alive =
        mmap(NULL, DEJA__JOURNAL_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (ring->alive == MAP_FAILED ||
        madvise((void *)(uintptr_t)ring->alive, DEJA__JOURNAL_PAGE, MADV_WIPEONFORK) != 0)
        return deja__fail_memory(err);
    *ring->alive = 1;
    if (!write_header(ring) || !grow(ring, slots))
        return fail_system("the journal gets no room", ring->path, err);
    for (uint32_t i = 0; i < slots; i++)
        ring->free_slots[i] = (uint16_t)i;
    atomic_store_explicit(&ring->slots_freed, slots, memory_order_relaxed);
    ring->slots_taken = 1;
    begin_segment(ring, 0, 0);
    if (!name_file(ring))
        return fail_system("the journal cannot be made", ring->path, err);
    ring->read_at = DEJA__JOURNAL_SEGMENT;
    return DEJA_OK;
}

deja_code deja__ring_open(deja__ring **out, const char *store, const deja__ring_size *size,
                          const char *folder, deja_error *err)
{
    *out = NULL;
    deja__ring *ring = calloc(1, sizeof *ring);
    if (!ring)
        return deja__fail_memory(err);
    ring->descriptor = -1;
    ring->alive = MAP_FAILED;
    ring->segment_size = size->segment;
    ring->slots_most = size->most < size->slots ? size->slots : size->most;
    ring->number = make_number(ring);
    ring->path = name_of(store, folder, ring->number);
    const deja_code code = ring->path ? create(ring, size->slots, err) : deja__fail_memory(err);
    if (code < 0) {
        deja__ring_close(ring, false);
        return code;
    }
    *out = ring;
    return DEJA_OK;
}

/* Growing maps one slot at a time; only the first ones are one mapping, and each can go by itself.
 * */
void deja__ring_close(deja__ring *ring, bool keep)
{
    if (!ring)
        return;
    const bool child = ring->alive != MAP_FAILED && deja__ring_in_child(ring);
    for (uint32_t i = 0; i < ring->slot_count && !child; i++)
        munmap(ring->slots[i], ring->segment_size);
    if (ring->descriptor >= 0 && !child) {
        if (!keep && ring->has_name)
            (void)unlink(ring->path);
        else if (!ring->has_name && ring->made.size)
            (void)unlink((const char *)ring->made.bytes);
        deja__journal_forget(ring->descriptor);
        (void)close(ring->descriptor);
    }
    if (ring->alive != MAP_FAILED)
        munmap((void *)(uintptr_t)ring->alive, DEJA__JOURNAL_PAGE);
    deja_buffer_release(&ring->parts);
    deja_buffer_release(&ring->made);
    free(ring->path);
    free(ring);
}

/* ---- records ---- */

static void store_mark(unsigned char *target, uint32_t mark)
{
    unsigned char bytes[4];
    uint32_t word;
    deja__store32(bytes, mark);
    memcpy(&word, bytes, sizeof word);
    __atomic_store_n((uint32_t *)(void *)target, word, __ATOMIC_RELEASE);
}

/* Copies bytes, zeros up to a multiple of 8, and mixes them in; each is read once. */
static uint64_t mix_copy(uint64_t sum, unsigned char *target, const unsigned char *source,
                         uint64_t size)
{
    for (; size >= 8; target += 8, source += 8, size -= 8) {
        const uint64_t number = deja__load64(source);
        deja__store64(target, number);
        sum = deja__journal_mix(sum, number);
    }
    if (size) {
        uint64_t number = 0;
        for (uint64_t i = size; i-- > 0;)
            number = number << 8 | source[i];
        deja__store64(target, number);
        sum = deja__journal_mix(sum, number);
    }
    return sum;
}

static uint64_t whole(uint64_t size)
{
    return DEJA__JOURNAL_RECORD + (size + 7) / 8 * 8;
}

/* A record that fits, up to its begun mark. */
static uint64_t put(deja__ring *ring, uint32_t kind, const unsigned char *bytes, uint64_t size)
{
    unsigned char *record = ring->memory + ring->at;
    const uint64_t what = (uint64_t)kind << 32 | size;
    uint64_t sum = deja__journal_mix(0, ring->number);
    sum = deja__journal_mix(sum, ring->place + ring->at);
    sum = deja__journal_mix(sum, what);
    deja__store64(record + 8, what);
    sum = mix_copy(sum, record + DEJA__JOURNAL_RECORD, bytes, size);
    store_mark(record, deja__journal_mark(sum));
    ring->at += whole(size);
    return sum;
}

/* @param what bytes 12 to 15 */
static void finish(unsigned char *record, uint64_t sum, uint32_t what, uint64_t hash,
                   uint64_t event_hash)
{
    deja__store32(record + 12, what);
    deja__store64(record + 16, hash);
    deja__store64(record + 24, event_hash);
    sum = deja__journal_mix(sum, hash);
    sum = deja__journal_mix(sum, event_hash);
    store_mark(record + 4, deja__journal_mark(deja__journal_mix(sum, what)));
}

static void put_whole(deja__ring *ring, uint32_t kind, uint32_t flag, deja_span bytes,
                      uint64_t hash)
{
    unsigned char *record = ring->memory + ring->at;
    const uint64_t sum = put(ring, kind, bytes.bytes, bytes.size);
    finish(record, sum, kind | flag << 8, hash, 0);
}

static deja_code full(const deja__ring *ring, deja_error *err)
{
    if (errno == ENOSPC && ring->slot_count >= ring->slots_most)
        return deja__fail(err, DEJA_ELIMIT,
                          "the journal is full: in its %u MiB (journal_most) are steps that the "
                          "store has not taken, or two blocks of 16,384 steps do not fit",
                          (unsigned)((uint64_t)ring->slot_count * ring->segment_size >> 20));
    return fail_system("the journal gets no more room", ring->path, err);
}

/* Goes on in the next segment, which is at hand before `next` says that it follows. */
static deja_code next_segment(deja__ring *ring, deja_error *err)
{
    const deja_span none = { NULL, 0 };
    uint16_t slot;
    if (!take_slot(ring, &slot))
        return full(ring, err);
    if (ring->segment_size - ring->at >= DEJA__JOURNAL_RECORD)
        put_whole(ring, DEJA__JOURNAL_NEXT, 0, none, 0);
    begin_segment(ring, ring->segment + 1, slot);
    return DEJA_OK;
}

static deja_code make_room(deja__ring *ring, uint64_t size, deja_error *err)
{
    return ring->segment_size - ring->at >= whole(size) ? DEJA_OK : next_segment(ring, err);
}

/* What does not fit a segment goes ahead in parts. */
static deja_code put_parts(deja__ring *ring, const unsigned char **bytes, uint64_t *size,
                           deja_error *err)
{
    const uint64_t most = ring->segment_size - DEJA__JOURNAL_SEGMENT - DEJA__JOURNAL_RECORD;
    while (*size > most) {
        const deja_code code = make_room(ring, most, err);
        if (code < 0)
            return code;
        put_whole(ring, DEJA__JOURNAL_PART, 0, (deja_span){ *bytes, most }, 0);
        *bytes += most;
        *size -= most;
    }
    return make_room(ring, *size, err);
}

deja_code deja__ring_session(deja__ring *ring, deja_span bytes, deja_error *err)
{
    const unsigned char *rest = bytes.bytes;
    uint64_t size = bytes.size;
    /* A segment that begins within the record does not belong to the session yet. */
    const uint64_t session = ring->session;
    ring->session = 0;
    ring->steps = 0;
    ring->begun = NULL;
    const deja_code code = put_parts(ring, &rest, &size, err);
    ring->session = session + 1;
    if (code == DEJA_OK)
        put_whole(ring, DEJA__JOURNAL_SESSION, 0, (deja_span){ rest, size }, session + 1);
    return code;
}

deja_code deja__ring_begin(deja__ring *ring, const unsigned char *bytes, uint64_t size,
                           deja_error *err)
{
    if (ring->segment_size - ring->at < whole(size)) {
        const deja_code code = put_parts(ring, &bytes, &size, err);
        if (code < 0)
            return code;
    }
    ring->begun = ring->memory + ring->at;
    ring->begun_sum = put(ring, DEJA__JOURNAL_STEP, bytes, size);
    return DEJA_OK;
}

void deja__ring_end(deja__ring *ring, uint32_t result, uint64_t hash, uint64_t event_hash)
{
    finish(ring->begun, ring->begun_sum,
           DEJA__JOURNAL_STEP | DEJA__JOURNAL_HAS_EVENTS << 8 | result << 16, hash, event_hash);
    ring->begun = NULL;
    ring->steps++;
}

void deja__ring_break(deja__ring *ring)
{
    finish(ring->begun, ring->begun_sum, DEJA__JOURNAL_STEP | DEJA__JOURNAL_BROKEN << 8, 0, 0);
    ring->begun = NULL;
}

deja_code deja__ring_log(deja__ring *ring, enum deja__journal_kind kind, uint32_t flag,
                         const char *text, uint64_t hash, deja_error *err)
{
    const deja_span bytes = { text, text ? strlen(text) : 0 };
    const deja_code code = make_room(ring, bytes.size, err);
    if (code < 0)
        return code;
    put_whole(ring, kind, flag, bytes, hash);
    if (kind == DEJA__JOURNAL_REWIND)
        ring->steps = hash;
    return DEJA_OK;
}

/* A new file is on the disk when its name is. */
static bool sync_name(const char *path)
{
    deja_buffer folder = { 0 };
    const char *slash = strrchr(path, '/');
    deja_buffer_add(&folder, path, (uint64_t)(slash - path) + 1);
    const int descriptor =
        folder.failed ? -1 : open((const char *)folder.bytes, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    deja_buffer_release(&folder);
    if (descriptor < 0)
        return false;
    const bool done = fsync(descriptor) == 0;
    (void)close(descriptor);
    return done;
}

bool deja__ring_sync_bytes(const deja__ring *ring)
{
    return fsync(ring->descriptor) == 0; /* what is mapped, too: it is the file's own memory */
}

deja_code deja__ring_sync(deja__ring *ring, deja_error *err)
{
    if (deja__ring_sync_bytes(ring) && (ring->is_named || sync_name(ring->path))) {
        ring->is_named = true;
        return DEJA_OK;
    }
    return fail_system("the journal is not on the disk", ring->path, err);
}
