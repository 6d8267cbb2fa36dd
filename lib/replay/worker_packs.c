/* SPDX-License-Identifier: MIT */
/*
 * The worker's side of content: the packs that its host has shared, and those of one session.
 *
 * Rules are handed pointers into the shared memory itself: nothing is copied, however large a pack
 * is, and rules that write to one die of it.
 */
#include "replay/packs.h"

#include <sys/mman.h>
#include <sys/stat.h>

bool deja__shelf_open(deja__shelf *shelf, int descriptor)
{
    struct stat about;
    if (fstat(descriptor, &about) != 0 || about.st_size < DEJA__PACKS_HEAD)
        return false;
    void *memory = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED)
        return false;
    shelf->bytes = memory;
    shelf->size = (uint64_t)about.st_size;
    return true;
}

bool deja__shelf_take(deja__shelf *shelf, deja_span numbers, deja_content *content)
{
    const unsigned char *number = numbers.bytes;
    *content = (deja_content){ numbers.size / 4, shelf->chosen };
    if (content->count == 0)
        return true;
    if (!shelf->bytes || content->count > DEJA_CONTENT_PACKS_MAX)
        return false;
    for (uint64_t i = 0; i < content->count; i++, number += 4) {
        const uint32_t place = deja__load32(number);
        if (place >= deja__load64(shelf->bytes))
            return false;
        const unsigned char *row =
            shelf->bytes + DEJA__PACKS_HEAD + (uint64_t)DEJA__PACKS_ROW * place;
        shelf->chosen[i].name = (const char *)shelf->bytes + deja__load64(row);
        shelf->chosen[i].bytes = shelf->bytes + deja__load64(row + 8);
        shelf->chosen[i].size = deja__load64(row + 16);
    }
    return true;
}
