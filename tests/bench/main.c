/* SPDX-License-Identifier: MIT */
/*
 * bench [--report-only] [--long] [PART...]: what recording and verifying cost, against the goals.
 *
 * Parts are record, stalls and verify; all of them if none is named. --long takes more steps: two
 * minutes in place of half a minute for what is about recording.
 *
 * The status is 1 where a goal was missed, but with --report-only.
 */
#include "bench/bench.h"

#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

/* The build's folder is where the games lie; a folder for temporary files may be memory. */
static void make_folder(char folder[BENCH_PATH_SIZE])
{
    struct statfs about;
    bench_path(folder, DEJA_BUILD_DIR, "bench-XXXXXX");
    if (!mkdtemp(folder))
        bench_fail("%s: cannot be made", folder);
    if (statfs(folder, &about) == 0 && about.f_type == TMPFS_MAGIC)
        printf("note     %s is in memory: no disk is measured\n", folder);
}

static int usage(void)
{
    fprintf(stderr, "usage: bench [--report-only] [--long] [record | stalls | verify]...\n");
    return 2;
}

int main(int argc, char **argv)
{
    char folder[BENCH_PATH_SIZE];
    bool report_only = false, is_long = false, record = false, stalls = false, verify = false;
    for (int i = 1; i < argc; i++) {
        bool *said = strcmp(argv[i], "--report-only") == 0 ? &report_only
                     : strcmp(argv[i], "--long") == 0      ? &is_long
                     : strcmp(argv[i], "record") == 0      ? &record
                     : strcmp(argv[i], "stalls") == 0      ? &stalls
                     : strcmp(argv[i], "verify") == 0      ? &verify
                                                           : NULL;
        if (!said)
            return usage();
        *said = true;
    }
    const bool all = !record && !stalls && !verify;
    make_folder(folder);
    /* First, while this process is small: what is forked has its parent's memory in its peak. */
    if (all || verify)
        bench_verify(folder);
    if (all || record)
        bench_record(folder, is_long);
    if (all || stalls)
        bench_stalls(folder, is_long);
    rmdir(folder);
    return bench_missed() != 0 && !report_only;
}
