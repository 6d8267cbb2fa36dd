/* SPDX-License-Identifier: MIT */
#include "plugin/image.h"

#include <criterion/criterion.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

image image_read(const char *name)
{
    char path[512];
    image file = { 0 };
    snprintf(path, sizeof path, "%s/%s", DEJA_BUILD_DIR, name);
    FILE *stream = fopen(path, "rb");
    cr_assert_not_null(stream, "%s is not there", path);
    fseek(stream, 0, SEEK_END);
    file.size = (uint64_t)ftell(stream);
    rewind(stream);
    file.bytes = malloc((size_t)file.size);
    cr_assert_eq(fread(file.bytes, 1, (size_t)file.size, stream), file.size);
    fclose(stream);
    return file;
}

void image_release(image *file)
{
    free(file->bytes);
    file->bytes = NULL;
}

const char *image_write(const image *file, const char *folder, const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path); /* whoever has the old one mapped keeps it */
    FILE *stream = fopen(path, "wb");
    cr_assert_not_null(stream, "%s", path);
    cr_assert_eq(fwrite(file->bytes, 1, (size_t)file->size, stream), file->size);
    cr_assert_eq(fclose(stream), 0);
    return path;
}

ElfW(Ehdr) * image_header(image *file)
{
    return (ElfW(Ehdr) *)(void *)file->bytes;
}

ElfW(Phdr) * image_segment(image *file, uint32_t type, uint32_t nth)
{
    const ElfW(Ehdr) *header = image_header(file);
    ElfW(Phdr) *segments = (ElfW(Phdr) *)(void *)(file->bytes + header->e_phoff);
    for (uint32_t i = 0; i < header->e_phnum; i++)
        if (segments[i].p_type == type && nth-- == 0)
            return &segments[i];
    cr_assert_fail("no segment of type %u", type);
    return NULL;
}

ElfW(Dyn) * image_dynamic(image *file, int64_t tag, uint32_t nth)
{
    const ElfW(Phdr) *segment = image_segment(file, PT_DYNAMIC, 0);
    ElfW(Dyn) *entries = (ElfW(Dyn) *)(void *)(file->bytes + segment->p_offset);
    for (uint64_t i = 0; i < segment->p_filesz / sizeof *entries; i++)
        if (entries[i].d_tag == tag && nth-- == 0)
            return &entries[i];
    cr_assert_fail("no dynamic entry %lld", (long long)tag);
    return NULL;
}

uint64_t image_replace(image *file, const char *string, const char *bytes, uint64_t size)
{
    /* The strings are in the first segment, whose addresses are offsets in the file. */
    unsigned char *strings = file->bytes + image_dynamic(file, DT_STRTAB, 0)->d_un.d_val;
    const uint64_t total = image_dynamic(file, DT_STRSZ, 0)->d_un.d_val;
    for (uint64_t at = 0; at < total; at += strlen((char *)strings + at) + 1) {
        if (strcmp((char *)strings + at, string) != 0)
            continue;
        cr_assert_leq(size, strlen(string));
        memcpy(strings + at, bytes, (size_t)size);
        strings[at + size] = 0;
        return at;
    }
    cr_assert_fail("no string '%s'", string);
    return 0;
}

void folder_open(char path[64])
{
    strcpy(path, "/tmp/deja-plugin-XXXXXX");
    cr_assert_not_null(mkdtemp(path), "no temporary folder");
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status;
    (void)kind;
    (void)walk;
    return remove(path);
}

void folder_close(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
