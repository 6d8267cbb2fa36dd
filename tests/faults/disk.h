/* SPDX-License-Identifier: MIT */
/*
 * What a power cut may leave of a store, worked out from the log of the shim.
 *
 * What was synced is there. Of what was not, the system may have written any part, in any order:
 *
 *   files     a name that was made or taken away is so or not; these happen in their order
 *   writes    each is there or not; of one, each sector of 512 bytes is or is not
 *   sizes     any that the file had since it was synced
 *
 * A sector is written whole or not at all; so much disks promise.
 */
#ifndef DEJA_TESTS_DISK_H
#define DEJA_TESTS_DISK_H

#include <deja/buffer.h>

#include "faults/shim.h"

enum { DISK_SECTOR = 512 };

/* How much of what was not synced is there. */
enum disk_mode {
    DISK_NOTHING,
    DISK_ALL,
    DISK_PREFIX,  /* what came first, and part of what came next */
    DISK_SUBSET,  /* any of the writes, each whole */
    DISK_SECTORS, /* of each sector what it was at some time */
    DISK_MODES
};

typedef struct disk_image {
    bool there[SHIM_FILES];
    deja_buffer files[SHIM_FILES];
} disk_image;

/* The disk after a cut behind the first `cut` operations. The same luck gives the same image. */
void disk_make(disk_image *image, const shim_op *ops, uint64_t cut, uint32_t mode, uint64_t luck);
/* Writes it to PATH, PATH-wal and PATH-journal; what is there and not in it is removed, and so is
 * PATH-shm. */
void disk_write(const disk_image *image, const char *path);
void disk_release(disk_image *image);

/* A number after another, the same for the same start. */
uint64_t disk_draw(uint64_t *luck);

#endif
