/* SPDX-License-Identifier: MIT */
/*
 * Loading a library, and which objects came of it.
 *
 * The file is read before it is loaded, and its status compared afterwards: what is loaded is what
 * was read, so digest and code are of one build. Where the loader hands out an object that was in
 * the process before (the same path twice; a library that cannot be unloaded), its code must be
 * the file's; else an older build would run under the new one's digest.
 *
 * RTLD_NOW, as lazy binding would write into the segments that are put back between sessions.
 * RTLD_LOCAL, so that libraries do not see each other. RTLD_DEEPBIND would keep a library from
 * finding the program's functions in place of its own, but does not go along with sanitizers;
 * closed.c looks for that instead.
 *
 * Which objects: those that the loader lists now and did not before, and those that are needed by
 * name from the library on, whether or not the program had them already (a build's digest must not
 * depend on what the program is linked with).
 */
#include "plugin/memory.h"

#include <dlfcn.h>
#include <stdlib.h>

enum { OBJECTS_MAX = 4096 };

/* ---- the loader's list ---- */

typedef struct seen {
    uintptr_t base;
    const ElfW(Phdr) * segments;
} seen;

static int note_loaded(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    const seen one = { info->dlpi_addr, info->dlpi_phdr };
    return deja_buffer_add(user, &one, sizeof one) ? 0 : 1;
}

static bool was_loaded(const deja_buffer *before, const struct dl_phdr_info *info)
{
    for (uint64_t at = 0; at < before->size; at += sizeof(seen)) {
        seen one;
        memcpy(&one, before->bytes + at, sizeof one);
        if (one.base == info->dlpi_addr && one.segments == info->dlpi_phdr)
            return true;
    }
    return false;
}

bool deja__is_platform_library(const char *name)
{
    static const char *const kin[] = {
        "libc",      "libm",     "libmvec",   "libdl",   "libpthread", "librt",      "libutil",
        "libresolv", "libanl",   "libstdc++", "libc++",  "libc++abi",  "libgcc_s",   "libatomic",
        "libasan",   "libubsan", "liblsan",   "libtsan", "linux-vdso", "linux-gate",
    };
    for (size_t i = 0; i < sizeof kin / sizeof *kin; i++) {
        const size_t size = strlen(kin[i]);
        if (strncmp(name, kin[i], size) == 0 && strncmp(name + size, ".so", 3) == 0)
            return true;
    }
    return strncmp(name, "ld-linux", 8) == 0 || strncmp(name, "ld-musl", 7) == 0 ||
           strncmp(name, "ld64.so", 7) == 0 || strncmp(name, "ld.so", 5) == 0 ||
           strncmp(name, "libc.musl-", 10) == 0 || strncmp(name, "libclang_rt.", 12) == 0;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool deja__object_holds(const deja__object *object, uintptr_t address, uint64_t size)
{
    for (uint32_t i = 0; i < object->segment_count; i++) {
        const ElfW(Phdr) *segment = &object->segments[i];
        const uintptr_t start = object->base + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && address >= start && address - start <= segment->p_memsz &&
            size <= segment->p_memsz - (address - start))
            return true;
    }
    return false;
}

/* ---- gathering ---- */

static deja__object *find_object(const deja__objects *objects, uintptr_t base, const char *path)
{
    for (uint32_t i = 0; i < objects->count; i++)
        if (objects->items[i].base == base && strcmp(objects->items[i].path, path) == 0)
            return &objects->items[i];
    return NULL;
}

static deja__object *add_object(deja__objects *objects, uintptr_t base, const char *path)
{
    deja__object *items = NULL;
    if (objects->count < OBJECTS_MAX)
        items = realloc(objects->items, (objects->count + 1u) * sizeof *items);
    if (!items)
        return NULL;
    objects->items = items;
    deja__object *object = &items[objects->count];
    memset(object, 0, sizeof *object);
    object->base = base;
    object->path = strdup(path);
    if (!object->path)
        return NULL;
    object->name = last_part(object->path);
    objects->count++;
    return object;
}

typedef struct gathering {
    deja__objects *objects;
    const deja_buffer *before;
    bool failed;
} gathering;

/* Adds what is new, and tells the library itself its segments. */
static int gather_loaded(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    gathering *run = user;
    const char *path = info->dlpi_name ? info->dlpi_name : "";
    const bool is_new = !was_loaded(run->before, info);
    deja__object *object = find_object(run->objects, info->dlpi_addr, path);
    if (!object && is_new && !deja__is_platform_library(last_part(path))) {
        object = add_object(run->objects, info->dlpi_addr, path);
        run->failed = run->failed || !object;
    }
    if (object) {
        object->is_new = is_new;
        object->segments = info->dlpi_phdr;
        object->segment_count = info->dlpi_phnum;
    }
    return run->failed ? 1 : 0;
}

/* The library that is loaded under a name that another one needs. */
static deja_code add_needed(deja__objects *objects, const char *name, deja_error *err)
{
    struct link_map *map = NULL;
    void *handle = dlopen(name, RTLD_NOLOAD | RTLD_LAZY);
    if (!handle)
        return deja__fail(err, DEJA_EUNFIT, "needs %s, which is not where the loader has it", name);
    deja_code code = DEJA_OK;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || !map)
        code = deja__fail(err, DEJA_EUNFIT, "needs %s, which the loader does not tell of", name);
    else if (!find_object(objects, map->l_addr, map->l_name) &&
             !deja__is_platform_library(last_part(map->l_name)) &&
             !add_object(objects, map->l_addr, map->l_name))
        code = deja__fail_memory(err);
    dlclose(handle);
    return code;
}

/* Reads the file of each object but the first, which was read before, and adds what each needs. */
static deja_code read_objects(deja__objects *objects, deja_error *err)
{
    deja_code code = DEJA_OK;
    for (uint32_t i = 0; code == DEJA_OK && i < objects->count; i++) {
        deja__object *object = &objects->items[i];
        if (i > 0) {
            code = deja__file_read(&object->file, object->path, err);
            if (code == DEJA_OK)
                code = deja__elf_open(&object->elf,
                                      (deja_span){ object->file.bytes, object->file.size }, err);
            if (code != DEJA_OK)
                return deja__fail_within(err, code, "%s", object->name);
        }
        const deja__elf elf = object->elf; /* adding moves the object */
        uint64_t at = 0;
        for (const char *name = NULL;
             code == DEJA_OK && (name = deja__elf_needed(&elf, &at)) != NULL;)
            if (!deja__is_platform_library(last_part(name)))
                code = add_needed(objects, name, err);
    }
    return code;
}

/* ---- loading ---- */

/* The loader's message without the path that the caller gave, in one line. */
static deja_code fail_loader(deja_error *err, const char *message, const char *path)
{
    char line[DEJA_ERROR_MESSAGE_SIZE / 2];
    size_t size = 0;
    const size_t path_size = strlen(path);
    while (*message && size + 1 < sizeof line) {
        if (path_size && strncmp(message, path, path_size) == 0) {
            message += path_size;
            message += strncmp(message, ": ", 2) == 0 ? 2 : 0;
            continue;
        }
        line[size++] = (unsigned char)*message < 0x20 ? ' ' : *message;
        message++;
    }
    line[size] = 0;
    char *by = strstr(line, " (required by )");
    if (by)
        *by = 0;
    return deja__fail(err, DEJA_EUNFIT, "does not load: %s", line);
}

static bool is_same_status(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* Whether the memory of the segments that nothing writes to is what the file has. */
static bool is_of_file(const deja__object *object)
{
    if (object->segment_count != object->elf.segment_count)
        return false;
    for (uint32_t i = 0; i < object->segment_count; i++) {
        const ElfW(Phdr) loaded = object->segments[i];
        const ElfW(Phdr) stored = deja__elf_segment(&object->elf, i);
        if (memcmp(&loaded, &stored, sizeof loaded) != 0)
            return false;
        if (loaded.p_type != PT_LOAD || (loaded.p_flags & PF_W) || !(loaded.p_flags & PF_R))
            continue;
        const void *memory = (const void *)(object->base + loaded.p_vaddr);
        if (!deja__memory_is_equal(memory, object->file.bytes + loaded.p_offset, loaded.p_filesz))
            return false;
    }
    return true;
}

static deja_code load_main(deja__objects *objects, deja__file *file, const deja__elf *elf,
                           const char *path, deja_error *err)
{
    struct stat after;
    struct link_map *map = NULL;
    objects->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!objects->handle) {
        const char *message = dlerror();
        return fail_loader(err, message ? message : "for no reason that it tells", path);
    }
    if (stat(path, &after) != 0 || !is_same_status(&file->status, &after))
        return deja__fail(err, DEJA_EIO, "changed while it was loaded: try again");
    if (dlinfo(objects->handle, RTLD_DI_LINKMAP, &map) != 0 || !map)
        return deja__fail(err, DEJA_EUNFIT, "is loaded, but the loader does not tell where");
    deja__object *object = add_object(objects, map->l_addr, map->l_name);
    if (!object)
        return deja__fail_memory(err);
    object->file = *file;
    object->elf = *elf;
    memset(file, 0, sizeof *file); /* now the object's */
    return DEJA_OK;
}

/* A path with a slash in it: without one, the loader would look among the system's libraries. */
static char *path_of_file(const char *path)
{
    const size_t size = strlen(path);
    char *whole = malloc(size + 3);
    if (!whole)
        return NULL;
    const size_t dot = size == 0 || strchr(path, '/') ? 0 : 2;
    memcpy(whole, "./", 2);
    memcpy(whole + dot, path, size + 1);
    return whole;
}

deja_code deja__objects_load(deja__objects *objects, const char *path, deja_error *err)
{
    deja__file file;
    deja__elf elf;
    deja_buffer before = { 0 };
    gathering run = { objects, &before, false };
    memset(objects, 0, sizeof *objects);
    char *whole = path_of_file(path);
    if (!whole)
        return deja__fail_memory(err);
    deja_code code = deja__file_read(&file, whole, err);
    if (code != DEJA_OK)
        goto done;
    code = deja__elf_open(&elf, (deja_span){ file.bytes, file.size }, err);
    if (code != DEJA_OK)
        goto done;
    if (dl_iterate_phdr(note_loaded, &before) != 0)
        code = deja__fail_memory(err);
    if (code == DEJA_OK)
        code = load_main(objects, &file, &elf, whole, err);
    if (code == DEJA_OK && dl_iterate_phdr(gather_loaded, &run) != 0)
        code = deja__fail_memory(err);
    if (code == DEJA_OK && !objects->items[0].segments)
        code = deja__fail(err, DEJA_EUNFIT, "is loaded, but not in the loader's list");
    if (code == DEJA_OK && !objects->items[0].is_new && !is_of_file(&objects->items[0]))
        code = deja__fail(err, DEJA_EUNFIT, "an older build of it is still loaded in this process");
    if (code == DEJA_OK)
        code = read_objects(objects, err);

done:
    deja__file_release(&file);
    deja_buffer_release(&before);
    free(whole);
    return code;
}

void deja__objects_forget_files(deja__objects *objects)
{
    for (uint32_t i = 0; i < objects->count; i++) {
        deja__file_release(&objects->items[i].file);
        memset(&objects->items[i].elf, 0, sizeof objects->items[i].elf);
    }
}

void deja__objects_release(deja__objects *objects)
{
    for (uint32_t i = 0; i < objects->count; i++) {
        deja__file_release(&objects->items[i].file);
        free(objects->items[i].path);
    }
    free(objects->items);
    if (objects->handle)
        dlclose(objects->handle);
    memset(objects, 0, sizeof *objects);
}
