/* SPDX-License-Identifier: MIT */
/*
 * The games that ship hold themselves to what rules may use: no clock, no files, no floats, no luck
 * but the state's. Their sources are looked through word by word, and their libraries for what they
 * are bound to outside; and both looks find what was put there to be found.
 */
#include <criterion/criterion.h>
#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "plugin/object.h"

TestSuite(sources, .timeout = 30);

/* ---- sources ---- */

static const char *const banned[] = { "float",          "double",       "time",      "clock",
                                      "clock_gettime",  "gettimeofday", "localtime", "nanosleep",
                                      "FILE",           "fopen",        "open",      "read",
                                      "printf",         "puts",         "getenv",    "rand",
                                      "random",         "srand",        "getrandom", "getpid",
                                      "pthread_create", "setlocale" };

/* What begins at `c`: '*' or '/' for a comment, a quote, or 0 for code. */
static char begins(const char *c)
{
    if (*c == '/' && (c[1] == '*' || c[1] == '/'))
        return c[1];
    return *c == '"' || *c == '\'' ? *c : 0;
}

/* Behind the end of what begins at `c`. */
static char *skip(char *c, char what)
{
    char *end = c + 1;
    if (what == '*')
        end = strstr(c + 2, "*/");
    else if (what == '/')
        end = strchr(c, '\n');
    else
        while (*end && *end != what)
            end += *end == '\\' ? 2 : 1;
    cr_assert(end != NULL, "a comment without end");
    return end + (what == '*' ? 2 : 1);
}

/* A file's text with its comments and quoted parts blanked out; to be freed. */
static char *code_of(const char *path)
{
    deja__file file = { 0 };
    deja_error err = { 0 };
    const deja_code code = deja__file_read(&file, path, &err);
    cr_assert(code == DEJA_OK, "%s: %s", path, err.message);
    char *text = strndup((const char *)file.bytes, file.size);
    cr_assert(text != NULL);
    deja__file_release(&file);
    for (char *c = text; *c;) {
        const char what = begins(c);
        char *end = what ? skip(c, what) : c + 1;
        if (what)
            memset(c, ' ', (size_t)(end - c));
        c = end;
    }
    return text;
}

/* The first word that rules may not use: a name, or a number with a point; "" if there is none. */
static void find_banned(const char *path, char word[64])
{
    char *text = code_of(path);
    word[0] = '\0';
    for (const char *c = text; *c && !word[0];) {
        size_t size = strspn(c, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
        const bool is_number = isdigit((unsigned char)*c);
        if (is_number)
            size += strspn(c + size, ".0123456789");
        snprintf(word, 64, "%.*s", (int)size, c);
        bool is_found = is_number && strchr(word, '.');
        for (size_t i = 0; !is_found && i < sizeof banned / sizeof *banned; i++)
            is_found = strcmp(word, banned[i]) == 0;
        if (!is_found)
            word[0] = '\0';
        c += size ? size : 1;
    }
    free(text);
}

Test(sources, T21_of_games_have_no_clock_no_files_no_floats)
{
    glob_t found;
    char word[64];
    cr_assert(glob(DEJA_SOURCE_DIR "/lib/games/*.[ch]", 0, NULL, &found) == 0);
    cr_assert(found.gl_pathc >= 5);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        find_banned(found.gl_pathv[i], word);
        cr_assert(word[0] == '\0', "%s: '%s'", found.gl_pathv[i], word);
    }
    globfree(&found);
}

Test(sources, T21_that_have_one_are_found_by_the_same_look)
{
    static const char *const sources[][2] = {
        { "ledger-clock.c", "time" },    { "ledger-rand.c", "srand" }, { "ledger-pid.c", "getpid" },
        { "ledger-stdout.c", "printf" }, { "ledger-address.c", "" },
    };
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        char path[512], word[64];
        snprintf(path, sizeof path, "%s/fixtures/rules/%s", DEJA_SOURCE_DIR, sources[i][0]);
        find_banned(path, word);
        cr_assert(strcmp(word, sources[i][1]) == 0, "%s: '%s'", sources[i][0], word);
    }
}

/* ---- libraries ---- */

/* Functions of memory and strings, and what every library is linked with. */
static bool is_plain(const char *name)
{
    static const char *const plain[] = { "memcpy",
                                         "memmove",
                                         "memset",
                                         "memcmp",
                                         "memchr",
                                         "strlen",
                                         "strcmp",
                                         "__stack_chk_fail",
                                         "__cxa_finalize",
                                         "__gmon_start__",
                                         "_ITM_deregisterTMCloneTable",
                                         "_ITM_registerTMCloneTable" };
    static const char *const tools[] = { "__asan_", "__ubsan_", "__gcov_" }; /* of the build */
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(name, plain[i]) == 0)
            return true;
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (strncmp(name, tools[i], strlen(tools[i])) == 0)
            return true;
    return false;
}

static bool look_at_binding(void *user, const deja__elf_binding *binding)
{
    char *word = user;
    if (!binding->is_undefined || is_plain(binding->name))
        return true;
    snprintf(word, 64, "%s", binding->name);
    return false;
}

/* The first function outside that rules may not call; "" if there is none. */
static void find_import(const char *path, char word[64])
{
    deja__file file = { 0 };
    deja__elf elf;
    deja_error err = { 0 };
    word[0] = '\0';
    deja_code code = deja__file_read(&file, path, &err);
    cr_assert(code == DEJA_OK, "%s: %s", path, err.message);
    code = deja__elf_open(&elf, (deja_span){ file.bytes, file.size }, &err);
    cr_assert(code == DEJA_OK, "%s: %s", path, err.message);
    code = deja__elf_bindings(&elf, look_at_binding, word, &err);
    cr_assert(code == DEJA_OK, "%s: %s", path, err.message);
    deja__file_release(&file);
}

Test(sources, T21_of_games_make_libraries_that_call_nothing_but_memory_and_strings)
{
    glob_t found;
    char word[64];
    cr_assert(glob(DEJA_BUILD_DIR "/games/*.so", 0, NULL, &found) == 0);
    cr_assert(found.gl_pathc >= 5);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        find_import(found.gl_pathv[i], word);
        cr_assert(word[0] == '\0', "%s: %s", found.gl_pathv[i], word);
    }
    globfree(&found);
    find_import(DEJA_BUILD_DIR "/rules/ledger-clock.so", word);
    cr_assert(strcmp(word, "clock_gettime") == 0, "%s", word);
    find_import(DEJA_BUILD_DIR "/rules/ledger-pid.so", word);
    cr_assert(strcmp(word, "getpid") == 0, "%s", word);
}
