/* SPDX-License-Identifier: MIT */
/*
 * Comparing and putting back the memory of a library, and finding the heap's addresses in it.
 *
 * The loops are written out. memcmp and memcpy may be an address sanitizer's (the library's, if not
 * ours), and that one reports the gaps between a library's variables; compilers make no call of
 * these out of loops that stop early or store on a condition.
 */
#include "plugin/memory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define UNCHECKED __attribute__((no_sanitize("address"), noinline))
typedef uint64_t word __attribute__((aligned(1), may_alias));
typedef uint64_t lane __attribute__((vector_size(16), aligned(1), may_alias));

/* Memory mapped in one piece larger than this is a sanitizer's shadow, not a heap. */
#define HEAP_SIZE_MAX ((uint64_t)1 << 40)

UNCHECKED bool deja__memory_is_equal(const void *a, const void *b, uint64_t size)
{
    const unsigned char *one = a;
    const unsigned char *other = b;
    uint64_t at = 0;
    for (; size - at >= 64; at += 64) {
        const lane *x = (const lane *)(const void *)(one + at);
        const lane *y = (const lane *)(const void *)(other + at);
        const lane differ = (x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]) | (x[3] ^ y[3]);
        if (differ[0] | differ[1])
            return false;
    }
    for (; size - at >= 8; at += 8)
        if (*(const word *)(const void *)(one + at) != *(const word *)(const void *)(other + at))
            return false;
    for (; at < size; at++)
        if (one[at] != other[at])
            return false;
    return true;
}

UNCHECKED void deja__memory_put(void *target, const void *source, uint64_t size)
{
    unsigned char *to = target;
    const unsigned char *from = source;
    uint64_t at = 0;
    for (; size - at >= 8; at += 8) {
        word *kept = (word *)(void *)(to + at);
        const word wanted = *(const word *)(const void *)(from + at);
        if (*kept != wanted)
            *kept = wanted;
    }
    for (; at < size; at++)
        if (to[at] != from[at])
            to[at] = from[at];
}

UNCHECKED uint64_t deja__memory_difference(const void *a, const void *b, uint64_t at, uint64_t size)
{
    const unsigned char *one = a;
    const unsigned char *other = b;
    while (at < size && one[at] == other[at])
        at++;
    return at;
}

/* ---- the heap's addresses ---- */

typedef struct span {
    uintptr_t start, end;
} span;

static deja_code read_maps(deja_buffer *text, deja_error *err)
{
    const int descriptor = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return DEJA_OK; /* without it nothing is found */
    for (;;) {
        if (!deja_buffer_reserve(text, 65536))
            break;
        const ssize_t got = read(descriptor, text->bytes + text->size, 65536);
        if (got <= 0)
            break;
        text->size += (uint64_t)got;
    }
    close(descriptor);
    return text->failed ? deja__fail_memory(err) : DEJA_OK;
}

/* One line: "start-end rwxp offset device inode   path". Whether it is heap, or like heap. */
static bool read_mapping(const char *line, const char *end, span *found)
{
    char *after = NULL;
    found->start = (uintptr_t)strtoull(line, &after, 16);
    if (*after != '-')
        return false;
    found->end = (uintptr_t)strtoull(after + 1, &after, 16);
    if (*after != ' ' || after[1] != 'r' || found->end - found->start > HEAP_SIZE_MAX)
        return false;
    const char *at = after + 1;
    for (int fields = 0; fields < 4 && at < end; fields++) { /* the path is the fifth */
        while (at < end && *at != ' ')
            at++;
        while (at < end && *at == ' ')
            at++;
    }
    const size_t size = (size_t)(end - at);
    return size == 0 || (size == 6 && memcmp(at, "[heap]", 6) == 0) ||
           (size > 5 && memcmp(at, "[anon", 5) == 0);
}

static void find_heap(const deja_buffer *text, deja_buffer *heap)
{
    const char *at = (const char *)text->bytes;
    const char *last = at + text->size;
    while (at < last) {
        const char *end = memchr(at, '\n', (size_t)(last - at));
        span found;
        if (!end)
            return;
        if (read_mapping(at, end, &found))
            deja_buffer_add(heap, &found, sizeof found);
        at = end + 1;
    }
}

static bool is_in(const deja_buffer *spans, uintptr_t address)
{
    const span *list = (const span *)(const void *)spans->bytes;
    uint64_t low = 0;
    uint64_t high = spans->size / sizeof *list;
    while (low < high) { /* the kernel lists them in order */
        const uint64_t middle = low + (high - low) / 2;
        if (address < list[middle].start)
            high = middle;
        else if (address >= list[middle].end)
            low = middle + 1;
        else
            return true;
    }
    return false;
}

/* Whether an address lies in a loaded object: what it has beyond its file is mapped without one. */
static int is_in_object(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    const uintptr_t address = *(const uintptr_t *)user;
    for (uint32_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        const uintptr_t start = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && address >= start && address <= start + segment->p_memsz)
            return 1;
    }
    return 0;
}

deja_code deja__memory_heap_words(const void *bytes, uint64_t size, uint64_t *count,
                                  deja_error *err)
{
    deja_buffer text = { 0 };
    deja_buffer heap = { 0 };
    *count = 0;
    deja_code code = read_maps(&text, err);
    if (code == DEJA_OK)
        find_heap(&text, &heap);
    if (code == DEJA_OK && heap.failed)
        code = deja__fail_memory(err);
    for (uint64_t at = 0; code == DEJA_OK && at + sizeof(uintptr_t) <= size;
         at += sizeof(uintptr_t)) {
        uintptr_t address;
        memcpy(&address, (const unsigned char *)bytes + at, sizeof address);
        if (address && is_in(&heap, address) && !dl_iterate_phdr(is_in_object, &address))
            ++*count;
    }
    deja_buffer_release(&heap);
    deja_buffer_release(&text);
    return code;
}
