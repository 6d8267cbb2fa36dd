/* SPDX-License-Identifier: MIT */
/*
 * A shared object's file, read to be changed: damaged, or made to need and import other things.
 *
 * Every object that gcc links has two symbols of 27 characters that nothing defines and nothing
 * needs (_ITM_deregisterTMCloneTable and its sister), so there is room for other strings; and some
 * free entries at the end of its dynamic section.
 */
#ifndef DEJA_TESTS_PLUGIN_IMAGE_H
#define DEJA_TESTS_PLUGIN_IMAGE_H

#include <deja/buffer.h>
#include <link.h>

typedef struct image {
    unsigned char *bytes;
    uint64_t size;
} image;

/* Reads BUILD/NAME; the test fails where it can't. */
image image_read(const char *name);
void image_release(image *file);
/* Writes it to FOLDER/NAME, as a new file; the path is kept until the next call. */
const char *image_write(const image *file, const char *folder, const char *name);

ElfW(Ehdr) * image_header(image *file);
/* The program header of a type, the nth of them; the test fails if there is none. */
ElfW(Phdr) * image_segment(image *file, uint32_t type, uint32_t nth);
/* The nth entry of its dynamic section that has this tag. */
ElfW(Dyn) * image_dynamic(image *file, int64_t tag, uint32_t nth);
/* Overwrites a string of the dynamic ones, ending with a NUL, by bytes that are not longer; tells
 * its offset. */
uint64_t image_replace(image *file, const char *string, const char *bytes, uint64_t size);

/* A folder of its own under the system's temporary one, and its end. */
void folder_open(char path[64]);
void folder_close(const char *path);

#endif
