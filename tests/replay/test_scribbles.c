/* SPDX-License-Identifier: MIT */
/*
 * Rules that differ, and write where they should not: over their heap, over the program that runs
 * them, over what it answers. Whatever comes of it, it is no match.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/replaying.h"

TestSuite(scribbles, .timeout = 300);

/* SCRIBBLE in the environment has numbers: which of the places, in lines of /proc/self/maps; the
 * step from which it is done, the difference being at step 33; how many bytes each time; within how
 * many from a place's begin, 0 for all; what values a byte gets; the luck. */
static const char source[] =
    "#define LEDGER_VERSION \"1.4.0\"\n#define LEDGER_FAULT scribble\n#include \"ledger.h\"\n"
    "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "static const char *const places[] = { \"[heap]\", \"/deja\\n\", \"deja-out\" };\n"
    "static uint32_t luck;\n"
    "static uint32_t draw(void) { luck = luck * 1664525u + 1013904223u; return luck >> 8; }\n"
    "static void scribble(ledger *l, const ledger_command *c, deja_out *o) { (void)c; (void)o;"
    " uint32_t place, from, times, values, seed; unsigned long most, begins[64], ends[64];"
    " if (l->steps == 33) l->gold++;"
    " sscanf(getenv(\"SCRIBBLE\"), \"%u %u %u %lu %u %u\", &place, &from, &times, &most, &values,"
    " &seed); if (l->steps < from) return; luck = seed + l->steps; int count = 0; char line[512];"
    " FILE *file = fopen(\"/proc/self/maps\", \"r\"); if (!file) return;"
    " while (count < 64 && fgets(line, sizeof line, file)) if (strstr(line, \" rw\") &&"
    " strstr(line, places[place]) && sscanf(line, \"%lx-%lx\", &begins[count], &ends[count]) == 2)"
    " count++; fclose(file); for (uint32_t i = 0; count && i < times; i++) {"
    " const uint32_t k = draw() % (uint32_t)count;"
    " const unsigned long all = ends[k] - begins[k], span = most && most < all ? most : all;"
    " unsigned char *at = (unsigned char *)begins[k] + (draw() * 16777216ull + draw()) % span;"
    " *at = (unsigned char)(draw() % values); } }\n";

enum place { HEAP, PROGRAM, ANSWERS };

/* Before the difference, at it, behind it; a little and a lot. */
static void hold_place(enum place place, uint32_t most, uint32_t values)
{
    static const uint32_t froms[] = { 20, 33, 34 }, times[] = { 3, 300, 30000 };
    char library[256], how[128];
    open_folder();
    record_ledger("roll\n* 59");
    build_library(library, folder, "scribbles", source, "cc", NULL);
    deja_verify_options options = test_options();
    options.hang_cpu_ms = 300;
    options.hang_wall_ms = 1000;
    for (uint32_t i = 0; i < 9; i++) {
        snprintf(how, sizeof how, "%u %u %u %u %u %u", place, froms[i % 3], times[i / 3], most,
                 values, i);
        setenv("SCRIBBLE", how, 1);
        verified v = verify_store(store, library, &options);
        const told *t = need(&v, 1);
        const bool is_told = t->kind == DEJA_CRASHED || t->kind == DEJA_DIVERGED ||
                             t->kind == DEJA_UNSTABLE || t->kind == DEJA_HUNG ||
                             t->kind == DEJA_STALE;
        cr_assert(is_told, "%s: %s", how, kind_of(t));
        verified_release(&v);
    }
    close_folder();
}

Test(scribbles, over_the_heap_are_no_match)
{
    hold_place(HEAP, 0, 256);
}

Test(scribbles, over_the_program_that_runs_the_rules_are_no_match)
{
    hold_place(PROGRAM, 0, 256);
}

Test(scribbles, over_what_is_answered_are_no_match)
{
    hold_place(ANSWERS, 0, 256);
}

Test(scribbles, over_how_many_answers_there_are_are_no_match)
{
    hold_place(ANSWERS, 64, 256);
}

Test(scribbles, over_the_answer_at_work_are_no_match)
{
    hold_place(ANSWERS, 3 * 4096, 3);
}

Test(scribbles, that_say_too_early_that_there_is_an_answer_do_not_make_an_old_one_new)
{
    /* Nothing changes behind the end, so each job's answer is like the last in its slot: where this
     * one says too early that it is done, the host would find only what it expects. */
    static const char early[] =
        "#include <deja/rules.h>\n#undef DEJA_RULES\n"
        "#define DEJA_RULES const deja_rules_table hidden\n#include \"ledger.h\"\n"
        "#include <stdio.h>\n#include <string.h>\n#include <unistd.h>\n"
        "static void say_done(void) { char line[512]; unsigned long at;"
        " FILE *file = fopen(\"/proc/self/maps\", \"r\");"
        " while (fgets(line, sizeof line, file)) if (strstr(line, \"deja-out\") &&"
        " sscanf(line, \"%lx\", &at) == 1) ++*(volatile uint64_t *)at;"
        " fclose(file); usleep(300000); }\n"
        "static uint32_t early(void *s, const void *c, deja_out *o) { static uint32_t calls; "
        "calls++;"
        " if (calls == 41100) { ((ledger *)s)->gold++; say_done(); }"
        " if (calls == 41200) ((ledger *)s)->gold--; return apply(s, c, o); }\n"
        "extern DEJA_EXPORT const deja_rules_table deja_rules;\n"
        "const deja_rules_table deja_rules = { DEJA_ABI, .id = \"ledger\", .version = \"1.4.0\","
        " .state = { sizeof(ledger), state_fields, 0, 0 },"
        " .command = { sizeof(ledger_command), command_fields, 0, 0 },"
        " .event = { sizeof(ledger_event), event_fields, 0, 0 }, .start = start, .apply = early,"
        " .outcome = outcome, .refusals = refusals, .refusal_count = 4, .outcomes = outcomes,"
        " .outcome_count = 3 };\n";
    char library[256];
    open_folder();
    record_ledger("end\nnop\n* 59999");
    build_library(library, folder, "early", early, "cc", NULL);
    verified v = verify_store(store, library, NULL);
    const told *t = need(&v, 1);
    cr_assert_eq(t->kind, DEJA_CRASHED, "%s: %s", kind_of(t), t->why);
    cr_assert_str_eq(t->why, "wrote over what it answers");
    verified_release(&v);
    close_folder();
}
