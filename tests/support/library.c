/* SPDX-License-Identifier: MIT */
/*
 * A rules library as a test calls it, and facts from a file.
 */
#include "support/library.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "support/demand.h"

library library_open(const char *name)
{
    char path[512];
    library lib = { NULL, NULL };
    snprintf(path, sizeof path, "%s/%s.so", DEJA_BUILD_DIR, name);
    lib.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    demand(lib.handle != NULL, "%s", dlerror());
    lib.rules = dlsym(lib.handle, DEJA_RULES_SYMBOL);
    demand(lib.rules != NULL, "%s exports no " DEJA_RULES_SYMBOL, path);
    return lib;
}

void library_close(library *lib)
{
    dlclose(lib->handle);
    lib->handle = NULL;
}

const char *library_result(const library *lib, uint32_t result)
{
    demand(result <= lib->rules->refusal_count, "result %u has no name", result);
    return result ? lib->rules->refusals[result - 1] : "ok";
}

const char *library_outcome(const library *lib, const void *state)
{
    const uint32_t outcome = lib->rules->outcome ? lib->rules->outcome(state) : 0;
    demand(outcome <= lib->rules->outcome_count, "outcome %u has no name", outcome);
    return outcome ? lib->rules->outcomes[outcome - 1] : "running";
}

const deja_bot *library_bot(const library *lib, const char *name)
{
    for (uint32_t i = 0; i < lib->rules->bot_count; i++)
        if (strcmp(lib->rules->bots[i].name, name) == 0)
            return &lib->rules->bots[i];
    demand(false, "no bot '%s'", name);
    return NULL;
}

/* ---- what is emitted and written ---- */

static void take(deja_out *out, const void *value)
{
    emitted *all = (emitted *)(void *)out;
    demand((all->count + 1) * all->item <= sizeof all->bytes, "more than a test can hold");
    memcpy(all->bytes + all->count++ * all->item, value, all->item);
}

static void ignore(deja_out *out, const void *pointer, uint64_t size)
{
    (void)out;
    (void)pointer;
    (void)size;
}

void emitted_open(emitted *all, uint64_t item)
{
    all->out = (deja_out){ take, ignore };
    all->item = item;
    all->count = 0;
}

const void *emitted_at(const emitted *all, uint32_t place)
{
    demand(place < all->count, "only %u were emitted", all->count);
    return all->bytes + place * all->item;
}

static void append(deja_page *page, const char *chars, uint64_t size)
{
    written *w = (written *)(void *)page;
    demand(w->size + size < sizeof w->text, "more than a test can hold");
    memcpy(w->text + w->size, chars, size);
    w->size += size;
    w->text[w->size] = '\0';
}

static void written_open(written *w)
{
    w->page.write = append;
    w->size = 0;
    w->text[0] = '\0';
}

const char *written_drawing(written *w, const library *lib, const void *state)
{
    written_open(w);
    lib->rules->draw(state, &w->page);
    return w->text;
}

const char *written_command(written *w, const library *lib, const void *state, const void *command)
{
    written_open(w);
    lib->rules->write_notation(state, command, &w->page);
    return w->text;
}

void assert_text(const char *got, const char *expected)
{
    demand(strcmp(got, expected) == 0, "got \"%s\", not \"%s\"", got, expected);
}

/* ---- facts ---- */

FILE *facts_open(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/fixtures/vectors/%s", DEJA_SOURCE_DIR, name);
    FILE *file = fopen(path, "r");
    demand(file != NULL, "%s is not there", path);
    return file;
}

bool facts_next(FILE *file, fact *next)
{
    do {
        if (!fgets(next->line, sizeof next->line, file))
            return false;
        next->line[strcspn(next->line, "\n")] = '\0';
    } while (next->line[0] == '#' || next->line[0] == '\0');
    next->count = 0;
    for (char *word = next->line; word;) {
        demand(next->count < sizeof next->words / sizeof *next->words, "%s", next->line);
        next->words[next->count++] = word;
        word = strchr(word, ' ');
        if (word)
            *word++ = '\0';
    }
    return true;
}
