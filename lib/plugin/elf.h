/* SPDX-License-Identifier: MIT */
/*
 * What a shared object's file says about itself.
 *
 * Everything is read from the file's bytes and checked against their size: the file may be damaged
 * or made to harm. Nothing here looks at the loaded object or runs any of it. Only files of this
 * machine's own class and byte order are read; others are told by name.
 */
#ifndef DEJA_PLUGIN_ELF_H
#define DEJA_PLUGIN_ELF_H

#include <link.h>

#include "base/base.h"

typedef struct deja__elf {
    deja_span file;
    uint64_t segments; /* offset of the program headers */
    uint32_t segment_count;
    uint64_t sections; /* offset of the section headers; count 0 where there are none, or unsound */
    uint32_t section_count;
    uint64_t section_names; /* offset and size of their names */
    uint64_t section_names_size;
    /* Of the dynamic section: addresses as the file has them. */
    uint64_t strings, strings_size;
    uint64_t symbols;
    struct {
        uint64_t address, size, entry_size;
    } relocations[3]; /* DT_RELA, DT_REL, DT_JMPREL */
    uint64_t dynamic; /* offset and number of entries */
    uint64_t dynamic_count;
    uint64_t init;
    uint64_t init_array, init_array_size;
    bool has_init;
    bool has_thread_storage;
} deja__elf;

/* Reads the headers. DEJA_EUNFIT: not a shared object of this machine, and what it is instead, or
 * which part of it is unsound. Borrows the bytes. */
deja_code deja__elf_open(deja__elf *elf, deja_span file, deja_error *err);

/* Program header number `index` (below segment_count). */
ElfW(Phdr) deja__elf_segment(const deja__elf *elf, uint32_t index);

/* The names of the libraries that it needs, in order: the name, borrowed from the file, or NULL
 * when there are no more. *at is 0 at first. */
const char *deja__elf_needed(const deja__elf *elf, uint64_t *at);

/* One place that the loader fills in with the address of a symbol. */
typedef struct deja__elf_binding {
    uint64_t place;  /* address in the object */
    uint64_t addend; /* 0 where the relocation has none of its own */
    bool is_address; /* the place holds symbol + addend; else of another kind */
    bool is_thread;  /* about thread-local storage */
    bool is_undefined;
    uint32_t symbol_type;    /* STT_... */
    uint32_t symbol_binding; /* STB_... */
    const char *name;        /* borrowed from the file */
} deja__elf_binding;

/* Calls `visit` for each binding of the object; false ends it. DEJA_EUNFIT where the tables are
 * unsound. */
deja_code deja__elf_bindings(const deja__elf *elf,
                             bool (*visit)(void *user, const deja__elf_binding *binding),
                             void *user, deja_error *err);

/* One symbol that is defined in the object, or one section that is loaded. */
typedef struct deja__elf_name {
    uint64_t address;
    uint64_t size;
    uint32_t type;    /* STT_...; 0 for a section */
    bool is_writable; /* of a section */
    const char *name; /* borrowed from the file */
} deja__elf_name;

/* Calls `visit` for each symbol of .symtab, else of .dynsym. What is unsound is left out: names
 * are for people. Returns whether there was a .symtab, which has the static ones as well. */
bool deja__elf_symbols(const deja__elf *elf,
                       void (*visit)(void *user, const deja__elf_name *symbol), void *user);
/* The same for each section that is loaded. */
void deja__elf_sections(const deja__elf *elf,
                        void (*visit)(void *user, const deja__elf_name *section), void *user);

#endif
