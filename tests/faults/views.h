/* SPDX-License-Identifier: MIT */
/*
 * Journals beside a store, looked at as they grow: they are mapped, so no call tells what reaches
 * the disk when. An image has each page as it was at some time since the file was synced, and a
 * name that was made or taken away may be there or not, where the folder was not synced since.
 *
 * fsync() and fdatasync() of this program are answered here: they sync nothing, and are noted.
 */
#ifndef DEJA_TESTS_VIEWS_H
#define DEJA_TESTS_VIEWS_H

#include <stdint.h>

/* From here on: the files STORE-*.journal beside a store with this path. */
void views_watch(const char *store);
/* Looks at them now. @return the view's number, from 1 */
uint32_t views_take(void);
/* How many such files there were, ever. */
uint32_t views_files(void);
/* Writes what a power cut at a view may leave of them beside another store, whose journals are
 * removed before. The folder was synced behind the view `named` (0: it was not), besides what
 * fsync() was asked for. `luck` 0: all is as it was at the cut. */
void views_write(uint32_t view, uint32_t named, uint64_t luck, const char *store);

#endif
