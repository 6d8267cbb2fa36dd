/* SPDX-License-Identifier: MIT */
/*
 * Whether a library can keep anything between sessions but in its writable segments.
 *
 * It is closed where its object shows that
 *   - it needs no library but libc and the loader, and brought none along;
 *   - it is bound to nothing outside but the functions below, which keep nothing;
 *   - it has no thread-local storage, no unique symbols (which tie it to other libraries) and no
 *     constructors of its own.
 * Then all that a session can leave behind lies in the segments that segments.c puts back.
 *
 * Bindings are read from the relocations, and what the loader made of them from the places that
 * they fill in: a symbol that the library defines itself counts as its own only where it is bound
 * to itself. (A game that exports a function named like one of libc's or of the program's gets
 * theirs.)
 *
 * Constructors: every shared object that gcc or clang link has one entry in its init array
 * (frame_dummy, which registers nothing) and _init, which calls __gmon_start__ where there is
 * one. These are known by name, from .symtab. In a stripped object a single entry is taken for
 * that one. That harms nothing: the copy is taken after constructors have run, and one that can
 * call nothing but memcpy leaves nothing elsewhere. Destructors run after the last session.
 *
 * What does not matter: indirect functions (their resolvers run once, at load), text relocations
 * (done at load; afterwards code is not writable), DF_1_NODELETE (nothing rests on unloading).
 * What an object cannot show is a system call made by assembly within it.
 */
#include "plugin/object.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdlib.h>

/* All of these compute from their arguments alone, without locale, heap or errno, or never come
 * back. Sorted, for bsearch. */
static const char *const harmless[] = {
    "_ITM_deregisterTMCloneTable",
    "_ITM_registerTMCloneTable",
    "__assert_fail",
    "__chk_fail",
    "__cxa_finalize",
    "__gmon_start__",
    "__memcpy_chk",
    "__memmove_chk",
    "__mempcpy_chk",
    "__memset_chk",
    "__stack_chk_fail",
    "__stack_chk_guard",
    "__stpcpy_chk",
    "__stpncpy_chk",
    "__strcat_chk",
    "__strcpy_chk",
    "__strncat_chk",
    "__strncpy_chk",
    "abort",
    "bcmp",
    "bcopy",
    "bzero",
    "explicit_bzero",
    "memccpy",
    "memchr",
    "memcmp",
    "memcpy",
    "memmem",
    "memmove",
    "mempcpy",
    "memrchr",
    "memset",
    "rawmemchr",
    "stpcpy",
    "stpncpy",
    "strcat",
    "strchr",
    "strchrnul",
    "strcmp",
    "strcpy",
    "strcspn",
    "strlen",
    "strncat",
    "strncmp",
    "strncpy",
    "strnlen",
    "strpbrk",
    "strrchr",
    "strspn",
    "strstr",
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, *(const char *const *)b);
}

static bool is_harmless(const char *name)
{
    return bsearch(name, harmless, sizeof harmless / sizeof *harmless, sizeof *harmless,
                   compare_names) != NULL;
}

/* ---- what it needs ---- */

static bool is_libc(const char *name)
{
    return strncmp(name, "libc.so", 7) == 0 || strncmp(name, "libc.musl-", 10) == 0 ||
           strncmp(name, "ld-linux", 8) == 0 || strncmp(name, "ld-musl", 7) == 0 ||
           strncmp(name, "ld64.so", 7) == 0;
}

static void check_needed(const deja__objects *objects, deja_buffer *why)
{
    uint64_t at = 0;
    const char *name;
    while ((name = deja__elf_needed(&objects->items[0].elf, &at)) != NULL) {
        if (is_libc(name))
            continue;
        deja__print(why, "it needs %s", name);
        return;
    }
    if (objects->count > 1)
        deja__print(why, "it brought %s along", objects->items[1].name);
}

/* ---- what it is bound to ---- */

typedef struct binding_check {
    const deja__object *object;
    deja_buffer *why;
} binding_check;

/* The address that the loader put into a place; false where that is not in the object. */
static bool read_bound(const deja__object *object, const deja__elf_binding *binding,
                       uintptr_t *bound)
{
    const uintptr_t place = object->base + (uintptr_t)binding->place;
    if (!deja__object_holds(object, place, sizeof *bound))
        return false;
    memcpy(bound, (const void *)place, sizeof *bound);
    return true;
}

static const char *owner_of(uintptr_t address)
{
    Dl_info info;
    if (!dladdr((const void *)address, &info) || !info.dli_fname)
        return "elsewhere";
    const char *slash = strrchr(info.dli_fname, '/');
    return slash ? slash + 1 : info.dli_fname;
}

static bool check_binding(void *user, const deja__elf_binding *binding)
{
    const binding_check *check = user;
    uintptr_t bound = 0;
    if (binding->is_thread)
        deja__print(check->why, "it uses thread-local storage ('%s')", binding->name);
    else if (binding->symbol_binding == STB_GNU_UNIQUE)
        deja__print(check->why, "it has the unique symbol '%s'", binding->name);
    else if (!binding->is_address)
        deja__print(check->why, "'%s' is bound in a way that deja does not know", binding->name);
    else if (!read_bound(check->object, binding, &bound))
        deja__print(check->why, "'%s' is bound outside of it", binding->name);
    else if (binding->is_undefined && bound != 0 && !is_harmless(binding->name))
        deja__print(check->why, "it imports '%s'", binding->name);
    else if (!binding->is_undefined && !is_harmless(binding->name) &&
             !deja__object_holds(check->object, bound - (uintptr_t)binding->addend, 0))
        deja__print(check->why, "its own '%s' is replaced by that of %s", binding->name,
                    owner_of(bound));
    return check->why->size == 0 && !check->why->failed;
}

/* ---- constructors ---- */

enum { ENTRIES_MAX = 64 };

/* What runs when the object is loaded, as addresses in the object, and what is known of it. */
typedef struct startup {
    uint64_t init;
    bool init_is_known;
    uint64_t count;
    struct {
        uint64_t address;
        bool is_known;
        const char *name;
    } entries[ENTRIES_MAX];
} startup;

static void note_startup(void *user, const deja__elf_name *symbol)
{
    startup *found = user;
    if (symbol->address == found->init && strcmp(symbol->name, "_init") == 0)
        found->init_is_known = true;
    for (uint64_t i = 0; symbol->type == STT_FUNC && i < found->count; i++) {
        if (symbol->address != found->entries[i].address)
            continue;
        found->entries[i].name = symbol->name;
        if (strcmp(symbol->name, "frame_dummy") == 0 || strcmp(symbol->name, "__do_init") == 0)
            found->entries[i].is_known = true;
    }
}

/* The init array as it is in memory: relocated. */
static bool read_startup(const deja__object *object, startup *found)
{
    const deja__elf *elf = &object->elf;
    const uintptr_t array = object->base + (uintptr_t)elf->init_array;
    memset(found, 0, sizeof *found);
    found->init = elf->init;
    found->count = elf->init_array_size / sizeof(uintptr_t);
    if (found->count > ENTRIES_MAX ||
        !deja__object_holds(object, array, found->count * sizeof(uintptr_t)))
        return false;
    for (uint64_t i = 0; i < found->count; i++) {
        uintptr_t address;
        memcpy(&address, (const void *)(array + i * sizeof address), sizeof address);
        found->entries[i].address = address - object->base;
    }
    return true;
}

static void check_constructors(const deja__object *object, deja_buffer *why)
{
    startup found;
    if (object->elf.init_array_size && !read_startup(object, &found)) {
        deja_buffer_text(why, "it has constructors");
        return;
    }
    if (!object->elf.init_array_size)
        found = (startup){ .init = object->elf.init };
    if (!deja__elf_symbols(&object->elf, note_startup, &found)) {
        if (found.count > 1) /* stripped: see above */
            deja_buffer_text(why, "it has constructors");
        return;
    }
    for (uint64_t i = 0; i < found.count; i++) {
        if (found.entries[i].is_known)
            continue;
        deja__print(why, "it has the constructor '%s'",
                    found.entries[i].name ? found.entries[i].name : "?");
        return;
    }
    if (object->elf.has_init && !found.init_is_known)
        deja_buffer_text(why, "it has an init function of its own");
}

/* ---- all of it ---- */

deja_code deja__closed_check(const deja__objects *objects, deja_buffer *why, deja_error *err)
{
    const deja__object *object = &objects->items[0];
    binding_check check = { object, why };
    deja_code code = DEJA_OK;
    if (object->elf.has_thread_storage)
        deja__print(why, "it has thread-local storage");
    if (why->size == 0)
        check_needed(objects, why);
    if (why->size == 0)
        code = deja__elf_bindings(&object->elf, check_binding, &check, err);
    if (why->size == 0 && code == DEJA_OK)
        check_constructors(object, why);
    return code == DEJA_OK && why->failed ? deja__fail_memory(err) : code;
}
