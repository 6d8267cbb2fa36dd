/* SPDX-License-Identifier: MIT */
/*
 * Sixteen processes record sessions of 50,000 steps, and four verify, on one store for two minutes
 * (tests/record/company.h says what must hold).
 *
 *     company FOLDER [SECONDS]
 */
#include "record/company.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char path[512];
    company_told told = { 0 };
    company all = { .store = path,
                    .recorders = 16,
                    .verifiers = 4,
                    .sessions = 1,
                    .seconds = argc > 2 ? (uint32_t)atoi(argv[2]) : 120,
                    .steps = 50000,
                    .rest_us = 20000 };
    if (argc < 2 || snprintf(path, sizeof path, "%s/company.deja", argv[1]) >= (int)sizeof path) {
        fprintf(stderr, "usage: company FOLDER [SECONDS]\n");
        return 2;
    }
    const bool works = company_works(&all, &told);
    printf("company: %" PRIu64 " sessions recorded, %" PRIu64 " verified meanwhile: %s\n",
           told.recorded, told.verified, works ? "nothing is lost" : "FAILED");
    unlink(path);
    return !works;
}
