/* SPDX-License-Identifier: MIT */
/*
 * A library's writable memory: a copy of how it was loaded, and putting that back.
 *
 *     PT_LOAD with W      of the library and of all that came with it
 *     - PT_GNU_RELRO      read-only since it was loaded; ends at a page, rounded down
 *     - coverage          counters of gcov, llvm and sancov, which are to outlive a session
 *     = ranges            each with its copy, one behind another
 *
 * Putting back compares first and writes only words that differ: an unchanged library costs a read
 * of its data, some tens of nanoseconds, and no page is made dirty. What differed is told by the
 * variable that it lies in, each variable once.
 *
 * What speaks against putting back, whatever the object shows: where the copy holds addresses of
 * heap memory, the next session would get pointers to what the last one has freed or moved; and
 * where coverage is counted, not all is put back.
 */
#include "plugin/memory.h"

#include <stdlib.h>
#include <unistd.h>

#define COPY_SIZE_MAX ((uint64_t)4 << 20)

enum {
    TEXT_SIZE = 768,
    GAP_MAX = 8 /* equal bytes that do not end a run of bytes without a name */
};

typedef struct range {
    unsigned char *at;
    uint64_t size;
    uint64_t copy; /* where its copy starts */
} range;

struct deja__segments {
    range *ranges;
    uint32_t count;
    uint32_t capacity;
    uint64_t size;       /* of the copy */
    unsigned char *copy; /* NULL where that is too much */
    uint64_t heap_words;
    bool has_coverage; /* something was left out */
    deja__symbols *names;
    bool failed; /* out of memory */
};

/* ---- which ranges ---- */

static void add_range(deja__segments *segments, uintptr_t start, uintptr_t end)
{
    if (start >= end || segments->failed)
        return;
    if (segments->count == segments->capacity) {
        const uint32_t capacity = segments->capacity ? segments->capacity * 2 : 8;
        range *ranges = realloc(segments->ranges, capacity * sizeof *ranges);
        if (!ranges) {
            segments->failed = true;
            return;
        }
        segments->ranges = ranges;
        segments->capacity = capacity;
    }
    segments->ranges[segments->count++] = (range){ (unsigned char *)start, end - start, 0 };
}

/* Takes start to end out of all ranges; tells whether any of it was there. */
static bool cut_range(deja__segments *segments, uintptr_t start, uintptr_t end)
{
    bool was_there = false;
    for (uint32_t i = segments->count; i-- > 0;) {
        const uintptr_t first = (uintptr_t)segments->ranges[i].at;
        const uintptr_t last = first + segments->ranges[i].size;
        if (start >= end || start >= last || end <= first)
            continue;
        segments->ranges[i].size = start > first ? start - first : 0;
        if (end < last)
            add_range(segments, end, last);
        was_there = true;
    }
    return was_there;
}

static void drop_empty(deja__segments *segments)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < segments->count; i++)
        if (segments->ranges[i].size)
            segments->ranges[kept++] = segments->ranges[i];
    segments->count = kept;
}

static void add_segments(deja__segments *segments, const deja__object *object)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (uint32_t i = 0; i < object->segment_count; i++) {
        const ElfW(Phdr) *one = &object->segments[i];
        const uintptr_t start = object->base + one->p_vaddr;
        if (one->p_type == PT_LOAD && (one->p_flags & PF_W))
            add_range(segments, start, start + one->p_memsz);
    }
    for (uint32_t i = 0; i < object->segment_count; i++) {
        const ElfW(Phdr) *one = &object->segments[i];
        const uintptr_t start = object->base + one->p_vaddr;
        if (one->p_type == PT_GNU_RELRO)
            (void)cut_range(segments, start / page * page, (start + one->p_memsz) / page * page);
    }
}

typedef struct cutting {
    deja__segments *segments;
    const deja__object *object;
} cutting;

static void cut_coverage(void *user, const deja__elf_name *found)
{
    const cutting *run = user;
    const uintptr_t start = run->object->base + (uintptr_t)found->address;
    if (found->type != STT_TLS && deja__is_coverage(found->name) &&
        cut_range(run->segments, start, start + (uintptr_t)found->size))
        run->segments->has_coverage = true;
}

/* ---- the copy ---- */

static deja_code take_copy(deja__segments *segments, deja_error *err)
{
    /* Zeroed, as a put writes only what differs. */
    segments->copy = calloc(1, (size_t)segments->size + 1);
    if (!segments->copy)
        return deja__fail_memory(err);
    for (uint32_t i = 0; i < segments->count; i++)
        deja__memory_put(segments->copy + segments->ranges[i].copy, segments->ranges[i].at,
                         segments->ranges[i].size);
    return deja__memory_heap_words(segments->copy, segments->size, &segments->heap_words, err);
}

/* Each copy lies at the same place of a word as what it is of, so that pointers can be found. */
static void place_copies(deja__segments *segments)
{
    for (uint32_t i = 0; i < segments->count; i++) {
        range *one = &segments->ranges[i];
        segments->size += ((uintptr_t)one->at - segments->size) % sizeof(uintptr_t);
        one->copy = segments->size;
        segments->size += one->size;
    }
}

deja_code deja__segments_copy(deja__segments **out, const deja__objects *objects, deja_error *err)
{
    deja_code code = DEJA_OK;
    *out = NULL;
    deja__segments *segments = calloc(1, sizeof *segments);
    if (!segments || !(segments->names = deja__symbols_create())) {
        code = deja__fail_memory(err);
        goto done;
    }
    for (uint32_t i = 0; i < objects->count; i++) {
        const deja__object *object = &objects->items[i];
        cutting run = { segments, object };
        if (!object->is_new)
            continue;
        add_segments(segments, object);
        deja__elf_sections(&object->elf, cut_coverage, &run);
        (void)deja__elf_symbols(&object->elf, cut_coverage, &run);
        deja__symbols_add(segments->names, object);
    }
    drop_empty(segments);
    place_copies(segments);
    code = segments->failed ? deja__fail_memory(err) : deja__symbols_finish(segments->names, err);
    if (code == DEJA_OK && segments->size <= COPY_SIZE_MAX)
        code = take_copy(segments, err);
    if (code == DEJA_OK) {
        *out = segments;
        segments = NULL; /* now the caller's */
    }

done:
    deja__segments_destroy(segments);
    return code;
}

void deja__segments_destroy(deja__segments *segments)
{
    if (!segments)
        return;
    deja__symbols_destroy(segments->names);
    free(segments->copy);
    free(segments->ranges);
    free(segments);
}

void deja__segments_check(const deja__segments *segments, deja_buffer *why)
{
    if (!segments->copy)
        deja__print(why, "its writable data take %llu KiB, and 4096 is the most",
                    (unsigned long long)(segments->size >> 10));
    else if (segments->heap_words)
        deja__print(why, "its data held %llu heap address%s when it was loaded",
                    (unsigned long long)segments->heap_words,
                    segments->heap_words == 1 ? "" : "es");
    else if (segments->has_coverage)
        deja_buffer_text(why, "it counts coverage, which goes on from session to session");
}

/* ---- putting back ---- */

/* Where the run of changed bytes that starts at `first` ends: at the last changed byte of its
 * variable, or, without one, before `GAP_MAX` equal bytes. */
static uint64_t find_end(const range *one, const unsigned char *copy, uint64_t first,
                         uint64_t limit, bool has_name)
{
    uint64_t end = first + 1;
    for (;;) {
        const uint64_t next = deja__memory_difference(one->at, copy, end, limit);
        if (next == limit || (!has_name && next - end >= GAP_MAX))
            return end;
        end = next + 1;
    }
}

static uint32_t tell_changes(const deja__segments *segments, const range *one,
                             void (*changed)(void *user, const char *name, uint64_t size),
                             void *user)
{
    const unsigned char *copy = segments->copy + one->copy;
    const uintptr_t start = (uintptr_t)one->at;
    uint32_t count = 0;
    uint64_t at = 0;
    while ((at = deja__memory_difference(one->at, copy, at, one->size)) < one->size) {
        uintptr_t bound = 0;
        const deja__place *variable =
            deja__symbol_at(segments->names, start + (uintptr_t)at, &bound);
        const uint64_t limit = bound - start < one->size ? bound - start : one->size;
        const uint64_t end = find_end(one, copy, at, limit, variable != NULL);
        if (changed) {
            char text[TEXT_SIZE];
            deja__symbols_print(segments->names, variable, start + (uintptr_t)at, text,
                                sizeof text);
            changed(user, text, end - at);
        }
        count++;
        at = end;
    }
    return count;
}

uint32_t deja__segments_restore(deja__segments *segments,
                                void (*changed)(void *user, const char *name, uint64_t size),
                                void *user)
{
    uint32_t count = 0;
    for (uint32_t i = 0; segments->copy && i < segments->count; i++) {
        const range *one = &segments->ranges[i];
        const unsigned char *copy = segments->copy + one->copy;
        if (deja__memory_is_equal(one->at, copy, one->size))
            continue;
        count += tell_changes(segments, one, changed, user);
        deja__memory_put(one->at, copy, one->size);
    }
    return count;
}
