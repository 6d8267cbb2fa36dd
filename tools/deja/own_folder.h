/* SPDX-License-Identifier: MIT */
/*
 * What lies beside the binary that runs, or where it was installed to.
 */
#ifndef DEJA_TOOL_OWN_FOLDER_H
#define DEJA_TOOL_OWN_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* The folder of this binary; false where the system does not say. */
bool own_folder(char *folder, size_t size);
bool is_folder(const char *path);
/* The worker program that came with this binary, for the options of the library; NULL: there is
 * none, and this binary does it itself. */
const char *worker_program(void);

#endif
