/* SPDX-License-Identifier: MIT */
/*
 * The host's side of content: packs into shared memory, and which of them a session needs.
 */
#include "replay/packs.h"

#include <stdlib.h>
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
    const uint64_t size = measure(&packs->given, &names_end);
    packs->descriptor = deja__shared_memory("deja-content", size, &memory, err);
    if (packs->descriptor < 0)
        return DEJA_EIO;
    fill(memory, &packs->given, names_end);
    munmap(memory, (size_t)size);
    return deja__shared_memory_guard(packs->descriptor, err);
}

deja_code deja__packs_open(deja__packs *packs, const deja_content *content, deja_error *err)
{
    memset(packs, 0, sizeof *packs);
    packs->descriptor = -1;
    const deja_code code = deja__content_check(content, err);
    if (code != DEJA_OK || !content || content->count == 0)
        return code;
    packs->given = *content;
    packs->digests = calloc((size_t)content->count, sizeof *packs->digests);
    if (!packs->digests)
        return deja__fail_memory(err);
    for (uint64_t i = 0; i < content->count; i++) {
        const deja_content_pack *pack = &content->packs[i];
        deja__hash128(pack->bytes ? pack->bytes : "", pack->size, packs->digests[i]);
    }
    return share(packs, err);
}

void deja__packs_release(deja__packs *packs)
{
    free(packs->digests);
    if (packs->descriptor >= 0)
        close(packs->descriptor);
    memset(packs, 0, sizeof *packs);
    packs->descriptor = -1;
}

/* ---- what a session needs ---- */

/* One `name=digest` of a session's content. */
static void choose_one(const deja__packs *packs, const char *entry, size_t size,
                       deja_buffer *numbers, deja_buffer *why)
{
    const size_t name_size = strcspn(entry, "=");
    const deja_content *given = &packs->given;
    unsigned char needed[DEJA__DIGEST_SIZE] = { 0 };
    uint64_t i = 0;
    if (size == name_size + 1 + 2 * DEJA__DIGEST_SIZE)
        deja__read_hex_bytes(entry + name_size + 1, DEJA__DIGEST_SIZE, needed);
    while (i < given->count && (strlen(given->packs[i].name) != name_size ||
                                memcmp(given->packs[i].name, entry, name_size) != 0))
        i++;
    if (i < given->count && memcmp(packs->digests[i], needed, sizeof needed) == 0) {
        unsigned char number[4];
        deja__store32(number, (uint32_t)i);
        deja_buffer_add(numbers, number, sizeof number);
        return;
    }
    deja__print(why, "%sit needs content %.*s, and ", why->size ? "; " : "", (int)size, entry);
    if (i < given->count) {
        deja__content_print(why, given->packs[i].name, packs->digests[i]);
        deja_buffer_text(why, " was given");
    } else {
        deja_buffer_text(why, "none of that name was given");
    }
}

deja_code deja__packs_choose(const deja__packs *packs, const char *content, deja_buffer *numbers,
                             deja_buffer *why, deja_error *err)
{
    for (const char *entry = content; *entry;) {
        const size_t size = strcspn(entry, " ");
        choose_one(packs, entry, size, numbers, why);
        entry += size + (entry[size] == ' ');
    }
    return numbers->failed || why->failed ? deja__fail_memory(err) : DEJA_OK;
}
