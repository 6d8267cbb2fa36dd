/* SPDX-License-Identifier: MIT */
/*
 * The host's side of content: packs into shared memory.
 */
#include "replay/packs.h"

#include <sys/mman.h>
#include <unistd.h>

#include "replay/protocol.h"

enum { ALIGN = 64 };

/* ---- into shared memory ---- */

static uint64_t aligned(uint64_t place)
{
    return (place + ALIGN - 1) / ALIGN * ALIGN;
}

/* Where the names end, and where all of it does. */
static uint64_t measure(const deja_content *content, uint64_t *names_end)
{
    uint64_t size = DEJA__PACKS_HEAD + DEJA__PACKS_ROW * content->count;
    for (uint64_t i = 0; i < content->count; i++)
        size += strlen(content->packs[i].name) + 1;
    *names_end = size;
    for (uint64_t i = 0; i < content->count; i++)
        size = aligned(size) + content->packs[i].size;
    return size;
}

static void fill(unsigned char *memory, const deja_content *content, uint64_t names_end)
{
    uint64_t name = DEJA__PACKS_HEAD + DEJA__PACKS_ROW * content->count;
    uint64_t bytes = names_end;
    deja__store64(memory, content->count);
    for (uint64_t i = 0; i < content->count; i++) {
        const deja_content_pack *pack = &content->packs[i];
        unsigned char *row = memory + DEJA__PACKS_HEAD + DEJA__PACKS_ROW * i;
        const size_t name_size = strlen(pack->name) + 1;
        bytes = aligned(bytes);
        deja__store64(row, name);
        deja__store64(row + 8, bytes);
        deja__store64(row + 16, pack->size);
        memcpy(memory + name, pack->name, name_size);
        if (pack->size)
            memcpy(memory + bytes, pack->bytes, (size_t)pack->size);
        name += name_size;
        bytes += pack->size;
    }
}

static deja_code share(deja__packs *packs, deja_error *err)
{
    unsigned char *memory = NULL;
    uint64_t names_end;
    const deja_content *given = &packs->catalog.given;
    const uint64_t size = measure(given, &names_end);
    packs->descriptor = deja__shared_memory("deja-content", size, &memory, err);
    if (packs->descriptor < 0)
        return DEJA_EIO;
    fill(memory, given, names_end);
    munmap(memory, (size_t)size);
    return deja__shared_memory_guard(packs->descriptor, err);
}

deja_code deja__packs_open(deja__packs *packs, const deja_content *content, deja_error *err)
{
    memset(packs, 0, sizeof *packs);
    packs->descriptor = -1;
    const deja_code code = deja__catalog_open(&packs->catalog, content, err);
    return code != DEJA_OK || packs->catalog.given.count == 0 ? code : share(packs, err);
}

void deja__packs_release(deja__packs *packs)
{
    deja__catalog_release(&packs->catalog);
    if (packs->descriptor >= 0)
        close(packs->descriptor);
    memset(packs, 0, sizeof *packs);
    packs->descriptor = -1;
}
