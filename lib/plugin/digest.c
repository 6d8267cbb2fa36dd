/* SPDX-License-Identifier: MIT */
/*
 * Which build this is: the XXH3-128 of its file's bytes, and of the libraries that it brings along.
 * Normative: schemas/digests.md.
 *
 * The names of the others are hashed but the library's own is not: a build is the same build under
 * another name, but it is another one where two helpers have changed places.
 *
 * The linker's build-id would be shorter, but is not always there, and is not of what it loads.
 */
#include "plugin/object.h"

#include <dlfcn.h>
#include <stdlib.h>

enum { DIGEST_SIZE = 16 };

typedef struct helper {
    const char *name;
    unsigned char digest[DIGEST_SIZE];
} helper;

static int compare_helpers(const void *a, const void *b)
{
    const helper *one = a;
    const helper *other = b;
    const int order = strcmp(one->name, other->name);
    return order ? order : memcmp(one->digest, other->digest, DIGEST_SIZE);
}

static void hash_file(const deja__file *file, unsigned char digest[DIGEST_SIZE])
{
    deja__hash128(file->bytes, file->size, digest);
}

deja_code deja__digest_objects(const deja__objects *objects, unsigned char digest[DIGEST_SIZE],
                               deja_error *err)
{
    hash_file(&objects->items[0].file, digest);
    const uint32_t count = objects->count - 1;
    if (count == 0)
        return DEJA_OK;
    helper *helpers = calloc(count, sizeof *helpers);
    if (!helpers)
        return deja__fail_memory(err);
    for (uint32_t i = 0; i < count; i++) {
        helpers[i].name = objects->items[i + 1].name;
        hash_file(&objects->items[i + 1].file, helpers[i].digest);
    }
    qsort(helpers, count, sizeof *helpers, compare_helpers);
    deja_buffer all = { 0 };
    deja_buffer_add(&all, digest, DIGEST_SIZE);
    for (uint32_t i = 0; i < count; i++) {
        unsigned char size[4];
        deja__store32(size, (uint32_t)strlen(helpers[i].name));
        deja_buffer_add(&all, size, sizeof size);
        deja_buffer_text(&all, helpers[i].name);
        deja_buffer_add(&all, helpers[i].digest, DIGEST_SIZE);
    }
    const deja_code code = all.failed ? deja__fail_memory(err) : DEJA_OK;
    if (code == DEJA_OK)
        deja__hash128(all.bytes, all.size, digest);
    deja_buffer_release(&all);
    free(helpers);
    return code;
}

void deja__digest_of_address(const void *address, unsigned char digest[DIGEST_SIZE])
{
    deja__file file;
    Dl_info info;
    struct link_map *map = NULL;
    memset(digest, 0, DIGEST_SIZE);
    if (!dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
        return;
    /* The program itself has no name in the loader's list, and argv[0] may be any word. */
    const char *path = map->l_name && *map->l_name ? map->l_name : "/proc/self/exe";
    if (deja__file_read(&file, path, NULL) != DEJA_OK)
        return;
    hash_file(&file, digest);
    deja__file_release(&file);
}
