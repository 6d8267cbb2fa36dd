/* SPDX-License-Identifier: MIT */
/*
 * What verify says: each verdict, the remarks, the summary.
 */
#ifndef DEJA_TOOL_VERIFY_TELL_H
#define DEJA_TOOL_VERIFY_TELL_H

#include <deja/replay.h>

#include "args.h"

enum { REMARKS_MAX = 32 };

typedef struct telling {
    const char *store;
    const args *given;
    uint64_t detailed; /* findings that were told at length */
    uint64_t shortened;
    struct {
        char *text;
        uint64_t sessions;
    } remarks[REMARKS_MAX]; /* of sessions that match */
    uint32_t remark_count;
    uint64_t remarks_left_out;
    int status;
} telling;

/* Tells of a verdict and takes its status into account. */
void tell_verdict(telling *state, const deja_verdict *verdict);
/* Tells of the remarks, then the counts. */
void tell_summary(telling *state, const deja_verify_summary *summary);
void telling_release(telling *state);

#endif
