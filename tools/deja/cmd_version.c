/* SPDX-License-Identifier: MIT */
/*
 * deja version: what somebody who reports a fault should say.
 */
#include <deja/deja.h>
#include <sqlite3.h>
#include <xxhash.h>
#include <zlib.h>

#include "commands.h"
#include "json.h"
#include "output.h"

static int run(const args *given)
{
    const unsigned hash = XXH_versionNumber();
    (void)given;
    out_line("deja %s", deja_version());
    out_line("built with %s", DEJA_COMPILER);
    out_line("sqlite %s, zlib %s, xxhash %u.%u.%u", sqlite3_libversion(), zlibVersion(),
             hash / 10000, hash / 100 % 100, hash % 100);
    out_line("rules ABI %u.%u, replay text 1, JSON %d", DEJA_ABI_MAJOR, DEJA_ABI_MINOR,
             JSON_SCHEMA);
    return STATUS_OK;
}

static const option_row options[] = { ROW_HELP, ROW_END };

const command_row command_version = {
    .name = "version",
    .operands = "",
    .summary = "print the versions of deja, its libraries and its formats",
    .options = options,
    .run = run,
};
