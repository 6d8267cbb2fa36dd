/* SPDX-License-Identifier: MIT */
#include "record/reports.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void reports_take(void *user, uint64_t step, const char *text)
{
    reports *r = user;
    const size_t used = strlen(r->text);
    char one[1200];
    const int size = snprintf(one, sizeof one, "%llu %s; ", (unsigned long long)step, text);
    r->count++;
    if (size > 0 && used + (size_t)size < sizeof r->text)
        memcpy(r->text + used, one, (size_t)size + 1);
}

void reports_listen(reports *r, scene *s)
{
    memset(r, 0, sizeof *r);
    s->options.report = reports_take;
    s->options.report_user = r;
}

void reports_assert(const reports *r, scene *s, deja_recorder *recorder, const char *expected,
                    uint64_t findings)
{
    cr_assert_str_eq(r->text, expected);
    cr_assert_eq(deja_recorder_findings(recorder), findings);
    const deja_id id = scene_end(s, recorder, NULL);
    held *h = scene_read(s, &id);
    cr_assert_str_eq(h->marks, expected);
    free(h);
}
