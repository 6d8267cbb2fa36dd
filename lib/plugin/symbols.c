/* SPDX-License-Identifier: MIT */
/*
 * What the bytes of loaded libraries are called: by variable, else by section and offset.
 *
 * Names are gathered while the files are at hand, as each may be another one later. They are for
 * people: a stripped library has fewer, and nothing else changes.
 */
#include "plugin/memory.h"

#include <stdio.h>
#include <stdlib.h>

enum { NAME_SHOWN = 200 };

typedef struct places {
    deja__place *items;
    uint64_t count;
    uint64_t capacity;
} places;

/* An object's span of addresses. */
typedef struct owner {
    uintptr_t base, start, end;
    uint64_t name;
} owner;

struct deja__symbols {
    places variables;
    places sections;
    owner *owners; /* the library is the first */
    uint32_t owner_count;
    deja_buffer chars;
    bool failed;
};

bool deja__is_coverage(const char *name)
{
    static const char *const prefixes[] = { "__gcov", "__llvm_prf", "__sancov" };
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

/* ---- gathering ---- */

deja__symbols *deja__symbols_create(void)
{
    return calloc(1, sizeof(deja__symbols));
}

void deja__symbols_destroy(deja__symbols *names)
{
    if (!names)
        return;
    free(names->variables.items);
    free(names->sections.items);
    free(names->owners);
    deja_buffer_release(&names->chars);
    free(names);
}

static uint64_t keep_name(deja__symbols *names, const char *name)
{
    const uint64_t offset = names->chars.size;
    deja_buffer_add(&names->chars, name, strnlen(name, NAME_SHOWN));
    if (!deja_buffer_char(&names->chars, 0))
        names->failed = true;
    return offset;
}

static void keep_place(deja__symbols *names, places *list, uintptr_t address, uint64_t size,
                       const char *name)
{
    if (list->count == list->capacity) {
        const uint64_t capacity = list->capacity ? list->capacity * 2 : 16;
        deja__place *items = realloc(list->items, (size_t)capacity * sizeof *items);
        if (!items) {
            names->failed = true;
            return;
        }
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = (deja__place){ address, size, keep_name(names, name) };
}

typedef struct gathering {
    deja__symbols *names;
    const deja__object *object;
} gathering;

static bool is_writable(const deja__object *object, uintptr_t address)
{
    for (uint32_t i = 0; i < object->segment_count; i++) {
        const ElfW(Phdr) *segment = &object->segments[i];
        const uintptr_t start = object->base + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && (segment->p_flags & PF_W) && address >= start &&
            address - start < segment->p_memsz)
            return true;
    }
    return false;
}

static void note_variable(void *user, const deja__elf_name *symbol)
{
    const gathering *run = user;
    const uintptr_t address = run->object->base + (uintptr_t)symbol->address;
    if (symbol->type == STT_OBJECT && symbol->size != 0 && is_writable(run->object, address))
        keep_place(run->names, &run->names->variables, address, symbol->size, symbol->name);
}

static void note_section(void *user, const deja__elf_name *section)
{
    const gathering *run = user;
    const uintptr_t address = run->object->base + (uintptr_t)section->address;
    if (section->is_writable && section->size != 0)
        keep_place(run->names, &run->names->sections, address, section->size, section->name);
}

void deja__symbols_add(deja__symbols *names, const deja__object *object)
{
    owner *owners = realloc(names->owners, (names->owner_count + 1u) * sizeof *owners);
    if (!owners) {
        names->failed = true;
        return;
    }
    names->owners = owners;
    owner *one = &owners[names->owner_count++];
    *one = (owner){ object->base, UINTPTR_MAX, 0, keep_name(names, object->name) };
    for (uint32_t i = 0; i < object->segment_count; i++) {
        const ElfW(Phdr) *segment = &object->segments[i];
        const uintptr_t start = object->base + segment->p_vaddr;
        if (segment->p_type != PT_LOAD)
            continue;
        one->start = start < one->start ? start : one->start;
        one->end = start + segment->p_memsz > one->end ? start + segment->p_memsz : one->end;
    }
    gathering run = { names, object };
    (void)deja__elf_symbols(&object->elf, note_variable, &run);
    deja__elf_sections(&object->elf, note_section, &run);
}

/* By address; of two at one address the larger first, then the one that was found first. */
static int compare_places(const void *a, const void *b)
{
    const deja__place *one = a;
    const deja__place *other = b;
    if (one->address != other->address)
        return one->address < other->address ? -1 : 1;
    if (one->size != other->size)
        return one->size > other->size ? -1 : 1;
    return one->name < other->name ? -1 : one->name > other->name;
}

/* Sorts, and keeps one place for each address. */
static void sort_places(places *list)
{
    if (list->count == 0)
        return;
    qsort(list->items, (size_t)list->count, sizeof *list->items, compare_places);
    uint64_t kept = 1;
    for (uint64_t i = 1; i < list->count; i++)
        if (list->items[i].address != list->items[kept - 1].address)
            list->items[kept++] = list->items[i];
    list->count = kept;
}

deja_code deja__symbols_finish(deja__symbols *names, deja_error *err)
{
    if (names->failed)
        return deja__fail_memory(err);
    sort_places(&names->variables);
    sort_places(&names->sections);
    return DEJA_OK;
}

/* ---- asking ---- */

static const deja__place *find_place(const places *list, uintptr_t address, uintptr_t *end)
{
    uint64_t low = 0;
    uint64_t high = list->count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (list->items[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    *end = low < list->count ? list->items[low].address : UINTPTR_MAX;
    if (low == 0)
        return NULL;
    const deja__place *found = &list->items[low - 1];
    if (address - found->address >= found->size)
        return NULL;
    if (found->size < *end - found->address)
        *end = found->address + (uintptr_t)found->size;
    return found;
}

const deja__place *deja__symbol_at(const deja__symbols *names, uintptr_t address, uintptr_t *end)
{
    return find_place(&names->variables, address, end);
}

/* Without the ".0" that compilers append to a function's own variables. */
static int plain_size(const char *name)
{
    size_t size = strlen(name);
    while (size > 0 && name[size - 1] >= '0' && name[size - 1] <= '9')
        size--;
    return size > 1 && name[size] != 0 && name[size - 1] == '.' ? (int)size - 1 : (int)strlen(name);
}

void deja__symbols_print(const deja__symbols *names, const deja__place *variable, uintptr_t address,
                         char *text, size_t size)
{
    uint32_t index = 0;
    while (index < names->owner_count &&
           !(address >= names->owners[index].start && address < names->owners[index].end))
        index++;
    if (index == names->owner_count) {
        snprintf(text, size, "?");
        return;
    }
    const char *chars = (const char *)names->chars.bytes;
    const owner *whose = &names->owners[index];
    uintptr_t end = 0;
    const deja__place *section = find_place(&names->sections, address, &end);
    if (variable)
        snprintf(text, size, "%s%s%.*s", index ? chars + whose->name : "", index ? ":" : "",
                 plain_size(chars + variable->name), chars + variable->name);
    else if (section)
        snprintf(text, size, "%s+0x%llx (%s+0x%llx)", chars + whose->name,
                 (unsigned long long)(address - whose->base), chars + section->name,
                 (unsigned long long)(address - section->address));
    else
        snprintf(text, size, "%s+0x%llx", chars + whose->name,
                 (unsigned long long)(address - whose->base));
}
