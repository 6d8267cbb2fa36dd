/* SPDX-License-Identifier: MIT */
/*
 * Large configs and commands, long sessions.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "replay/replaying.h"

TestSuite(sizes, .timeout = 300);

Test(sizes, large_configs_and_commands_go_over_in_parts)
{
    static const char source[] =
        "#include <deja/rules.h>\nenum { N = 3000000 };\n"
        "typedef struct { uint8_t x[N]; } large;\ntypedef struct { uint32_t sum; uint8_t last; } "
        "s_;\n"
        "typedef struct { uint8_t kind; uint8_t x[N]; } order;\n"
        "static large usual;\n"
        "static void config_fields(deja_fields *f, const void *v)"
        " { deja_bytes(f, \"x\", ((const large *)v)->x, N); }\n"
        "static void fields(deja_fields *f, const void *v) { const s_ *s = v;"
        " deja_u32(f, \"sum\", &s->sum); deja_u8(f, \"last\", &s->last); }\n"
        "static const char *const kinds[] = { \"go\", \"put\" };\n"
        "static void commands(deja_fields *f, const void *v) { const order *o = v;"
        " if (deja_kind(f, &o->kind, kinds) == 1) deja_bytes(f, \"x\", o->x, N); }\n"
        "static uint32_t start(void *s, const void *c, uint64_t seed, const deja_content *t)"
        " { (void)seed; (void)t; ((s_ *)s)->sum = N - ((const large *)c)->x[7]; return 0; }\n"
        "static uint32_t apply(void *v, const void *c, deja_out *out) { s_ *s = v; const order *o "
        "= c;"
        " (void)out; for (uint32_t i = 0; o->kind == 1 && i < N; i++) s->sum += o->x[i] * i;"
        " s->last = o->x[N - 1]; return 0; }\n"
        "DEJA_RULES = { DEJA_ABI, .id = \"large\", .version = \"1\","
        " .state = { sizeof(s_), fields, 0, 0 }, .command = { sizeof(order), commands, 0, 0 },"
        " .config = { sizeof(large), config_fields, 0, 0 }, .config_default = &usual,"
        " .start = start, .apply = apply };\n";
    char library[256];
    open_folder();
    build_library(library, folder, "large", source, "cc", NULL);
    const size_t digits = 6000000;
    char *commands = malloc(digits + 64);
    cr_assert_not_null(commands);
    strcpy(commands, "go\nput x=");
    memset(commands + strlen(commands), 'a', digits);
    strcpy(commands + strlen("go\nput x=") + digits, "\ngo\n* 3");
    const script s = { .library = library, .commands = commands };
    record_script(store, &s);
    free(commands);
    for (uint32_t isolate = DEJA_ISOLATE_RESTORE; isolate <= DEJA_ISOLATE_EXEC; isolate++) {
        deja_verify_options options = test_options();
        options.isolate = isolate;
        verified v = verify_store(store, library, &options);
        const told *t = need(&v, 1);
        cr_assert_eq(t->kind, DEJA_MATCH, "%s: %s", kind_of(t), t->why);
        cr_assert_eq(t->compared, 7);
        verified_release(&v);
    }
    close_folder();
}

Test(sizes, memory_stays_flat_however_long_a_session_is) /* B91 */
{
    static const char *const lengths[] = { "roll\n* 99999", "roll\n* 999999" };
    long peaks[2];
    for (int i = 0; i < 2; i++) {
        open_folder();
        record_ledger(lengths[i]);
        fflush(NULL);
        /* In a process of its own, whose peak nothing else has raised. */
        int ends[2];
        cr_assert_eq(pipe(ends), 0);
        const pid_t child = fork();
        if (child == 0) {
            verified v = verify_store(store, RULES("ledger"), NULL);
            struct rusage self, workers;
            getrusage(RUSAGE_SELF, &self);
            getrusage(RUSAGE_CHILDREN, &workers);
            const long peak = self.ru_maxrss + workers.ru_maxrss;
            const bool good = v.code == DEJA_OK && v.count == 1 && v.items[0].kind == DEJA_MATCH;
            (void)!write(ends[1], &peak, sizeof peak);
            _exit(good ? 0 : 1);
        }
        int status = -1;
        cr_assert_eq(read(ends[0], &peaks[i], sizeof peaks[i]), (ssize_t)sizeof peaks[i]);
        cr_assert_eq(waitpid(child, &status, 0), child);
        cr_assert_eq(status, 0);
        close_folder();
    }
#if !defined(__SANITIZE_ADDRESS__)
    cr_assert_leq(peaks[1], peaks[0] + peaks[0] / 5, "%ld KiB, then %ld", peaks[0], peaks[1]);
    cr_assert_leq(peaks[1], 200 * 1024);
#endif
}
